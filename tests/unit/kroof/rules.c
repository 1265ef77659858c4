/* rules: which rule applies, what it sets, and what is wrong in a file. */
#include "../unit.h"

#include "kroof/rules.h"

static bool load(struct rules *rules, const char *text)
{
	char path[64];
	bool good;

	unit_file(path, str_of(text));
	good = rules_load(rules, path);
	rules->file[rules->files - 1].name = "FILE";
	unlink(path);
	return good;
}

/*
 * The answer for an operator with two arguments, as text; the first column that rules use has the
 * text "C", others have none.
 */
static void ask(struct rules *rules, const char *op, struct buf *out)
{
	static const struct str fields[ARGS_COLUMNS] = {
		[ARGS_INPUT_DIMS] = BYTES("[[2,3],[3,5]]"),
		[ARGS_INPUT_TYPE] = BYTES("[\"float\",\"other\"]"),
	};
	static const struct str column[RULES_COLUMNS_MAX] = {BYTES("C")};
	struct args args = {0};
	struct rules_answer answer;
	int got;

	args_parse(&args, fields);
	got = rules_apply(rules, str_of(op), &args, column, &answer);
	out->len = 0;
	if (got < 0) {
		buf_text(out, rules->error);
	} else if (got == 0) {
		buf_text(out, "none");
	} else {
		buf_str(out, answer.class);
		for (int i = 0; i < RULES_FIGURES; i++) {
			buf_char(out, ' ');
			if (answer.known[i])
				dec_print(out, answer.figure[i]);
			else
				buf_char(out, '-');
		}
		buf_format(out, " %.*s %s", (int)answer.dtype.n, answer.dtype.s,
		           answer.matrix ? "matrix" : "vector");
		if (answer.basis != RULES_EXACT)
			buf_format(out, " %s", rules_bases[answer.basis]);
	}
	args_free(&args);
}

static void the_first_that_applies(void **state)
{
	static const char text[] =
		"size 4 fp32\tfloat, long int\n"
		"mm \\\nmm_*\tProduct\n"
		"\tM = dim(0,0); K = dim(0,1); N = dim(1,1); B = 1; dtype = type(0)\n"
		"\tflops = 2*M*N*K;;\n"
		"\n"
		"    bytes = bytes(0) + M*N*size(0)\n"
		"when\tNumber of words\n"
		"\twhen cpu_op == \"x;y\"\n"
		"\twhen dim(0,7) > 0; flops = 1\n"
		"when\tSecond\n"
		"\tc = dim(0,0) == 2; when c && !given(2); bytes = bytes(0,1); flops = 0; peak = 'matrix'\n"
		"vector\tOf a type\n"
		"\tdtype = type(0); peak = \"vector\"; s = type(0); when s == \"float\"\n"
		"bare*\tNothing set\tinner\n";
	static const struct {
		const char *op;
		const char *answer;
	} cases[] = {
		{"mm", "Product 2 5 3 1 60 64 float matrix"},
		{"mm_x", "Product 2 5 3 1 60 64 float matrix"},
		{"xmm", "none"},
		{"when", "Second - - - - 0 -  matrix"},
		{"vector", "Of a type - - - - - - float vector"},
		{"bare", "Nothing set - - - - - -  vector"},
	};
	struct rules rules = {0};
	struct buf got = {0};

	(void)state;
	assert_true(load(&rules, text));
	rules_dump(&rules, &got);
	assert_str(buf_view(&got), STR(text));
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < COUNT(cases); i++) {
			ask(&rules, cases[i].op, &got);
			assert_str(buf_view(&got), str_of(cases[i].answer));
		}
	}
	got.len = 0;
	rules_put_patterns(&rules, &got);
	assert_buf(&got, "mm\nmm_*\nwhen\nvector\n");
	buf_free(&got);
	rules_free(&rules);
}

/* In the file. */
static void names_the_fault(void **state)
{
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
		{"", ": the file contains no rule"},
		{"# a\n\n\tflops = 1\n", ":3: this line is indented, and no rule"},
		{"mm\n", ":1: a rule begins with patterns of operators, a tab and a class"},
		{"mm\t \n", ":1: a rule begins with"},
		{"mm \\", ":1: a rule begins with"},
		{"mm \\\n\tM = 1\n", ":1: a rule begins with"},
		{"mm \\\n# bmm\nbmm\tA\n", ":1: a rule begins with"},
		{"mm\\\nbmm\tA\n", ":1: a rule begins with"},
		{"mm \\\nbmm \\\nmv\n", ":1: a rule begins with"},
		{"mm \\\nbmm\tA\n\tM\n", ":3: 'M' is neither"},
		{"mm\tA\tB\n", ":1: 'B' is not known"},
		{"mm\tA\n\tflops\n", ":2: 'flops' is neither when"},
		{"mm\tA\n\tflops == 1\n", "is neither when"},
		{"mm\tA\n\t2a = 1\n", "is neither when"},
		{"mm\tA\n\t= 1\n", "is neither when"},
		{"mm\tA\n\tflops = 2*\n", ":2: at the end: a column, a number or a text is missing"},
		{"mm\tA\n\tflops = M\n", "at 'M': there is no such name here; see kroof(1)"},
		{"mm\tA\n\tflops = dur + {External id}\n", "there is no such name here"},
		{"mm\tA\n\tflops = dmi(0,0)\n", "did you mean dim()?"},
		{"mm\tA\n\tflops = dim(0)\n", ", is missing after an argument"},
		{"mm\tA\n\tflops = dim(0,0,0)\n", ") is missing after the arguments"},
		{"mm\tA\n\tflops = 2ms\n", "a number has a unit of time"},
		{"mm\tA\n\tM = 1; M = 2\n", "'M' is set twice"},
		{"mm\tA\n\tcpu_op = 1\n", "cpu_op is the operator and cannot be set"},
		{"mm\tA\n\tflops = flag(0)\n", "'flops' is set to a condition"},
		{"mm\tA\n\twhen 1\n", "when needs a condition"},
		{"mm\tA\n\tM = 1\nmn\tB\n\tflops = M\n", ":4: at 'M': there is no such name"},
		{"size x f\ta\n", ":1: the size of a type must be"},
		{"size 0 f\ta\n", "the size of a type must be"},
		{"size 4\ta\n", "a size needs a short name"},
		{"cost x\ta\n", ":1: the cost of an element must be a whole number up to 1000000"},
		{"cost -1\ta\n", "the cost of an element must be"},
		{"cost 0.5\ta\n", "the cost of an element must be"},
		{"cost 1000001\ta\n", "the cost of an element must be"},
		{"cost \ta\n", "the cost of an element must be"},
		{"cost 1\n", ":1: a rule begins with patterns"},
		{"cost 1\ta, b\ncost 2\tc, b\n", ":2: 'b' has a cost already"},
		{"mm\tA\n\ts = column(cpu_op)\n", ":2: column() needs the name of a column in quotes"},
		{"mm\tA\n\ts = column('')\n", ":2: column() needs the name"},
		{"mm\tA\n\ts = column(if(1 < 2, 'a', 'b'))\n", ":2: column() needs the name"},
		{"mm\tA\n\tbasis = 1 < 2\n", "'basis' is set to a condition"},
		{"size 4 f g\ta\n", "a size needs a short name"},
		{"size 4 f\ta, b\nsize 2 g\tb\n", ":2: the type 'b' has a size already"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rules rules = {0};

		assert_case(cases[i].text, !load(&rules, cases[i].text));
		assert_case(rules.error, strstr(rules.error, cases[i].error) != NULL);
		rules_free(&rules);
	}
}

/* While it is used. */
static void errors_of_a_rule(void **state)
{
	static const struct {
		const char *part;
		const char *error;
	} cases[] = {
		{"flops = dim(0,0)/3", "FILE:2: flops of 'mm' is not a whole number: 0.666666666667"},
		{"M = dim(0,0) - 3", "FILE:2: M of 'mm' is below 0: -1"},
		{"bytes = dims(0)", "FILE:2: bytes of 'mm' is not a number"},
		{"bytes = type(0)", "FILE:2: bytes of 'mm' is not a number: 'float'"},
		{"flops = 1e19*1e19", "FILE:2: 'mm': the result of + - * or / is too large"},
		{"dtype = dim(0,0)", "FILE:2: dtype is not a text"},
		{"peak = type(0)", "FILE:2: peak is neither \"matrix\" nor \"vector\""},
		{"peak = 1", "FILE:2: peak is neither \"matrix\" nor \"vector\""},
		{"basis = 1", "FILE:2: basis is neither \"exact\" nor \"most\" nor \"estimate\""},
		{"basis = 'Exact'", "FILE:2: basis is neither \"exact\" nor \"most\" nor \"estimate\""},
		{"flops = size(1)", "A - - - - - -  vector"}, /* unknown: empty */
		{"x = dim(0,0)/3", "A - - - - - -  vector"},
	};
	struct buf text = {0};
	struct buf got = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rules rules = {0};

		text.len = 0;
		buf_format(&text, "mm\tA\n\t%s\n", cases[i].part);
		buf_char(&text, '\0');
		assert_case(cases[i].part, load(&rules, text.data));
		ask(&rules, "mm", &got);
		assert_str(buf_view(&got), str_of(cases[i].error));
		rules_free(&rules);
	}
	buf_free(&text);
	buf_free(&got);
}

/* The first file decides on rules, sizes and costs; the text of all is again such rules. */
static void more_files(void **state)
{
	static const char mine[] = "cost 7\tadd\n"
							   "size 3 x\tfloat\n"
							   "mm\tMine\n"
							   "\twhen column('a') == \"C\"; c = column('b'); flops = 1\n"
							   "mm\t-\n"
							   "\twhen column('a') != 'D'; basis = 'most'; bytes = bytes(0)\n"
							   "\tflops = cost('add_mul')\n";
	static const char theirs[] = "# costs\n"
								 "cost 1\tadd, mul\n"
								 "cost 2\tadd_mul\n"
								 "size 4 fp32\tlong, float\n"
								 "size 9 y\tfloat\n"
								 "mm \\\ncost 1\tTheirs\n\tflops = 5\n"
								 "mv\tTheirs\n\tflops = 5; basis = 'estimate'\n";
	static const char rest[] = "# costs\n"
							   "cost 1\tmul\n"
							   "cost 2\tadd_mul\n"
							   "size 4 fp32\tlong\n"
							   "mm \\\ncost 1\tTheirs\n\tflops = 5\n"
							   "mv\tTheirs\n\tflops = 5; basis = 'estimate'\n";
	struct rules rules = {0};
	struct buf got = {0};
	struct buf dump = {0};

	(void)state;
	for (int again = 0; again < 2; again++) {
		assert_true(load(&rules, again ? dump.data : mine));
		assert_true(again || load(&rules, theirs));
		ask(&rules, "mm", &got);
		assert_str(buf_view(&got), STR(" - - - - 2 18  vector most"));
		ask(&rules, "mv", &got);
		assert_str(buf_view(&got), STR("Theirs - - - - 5 -  vector estimate"));
		assert_int_equal(rules_columns(&rules, STR("mm")), 3);
		assert_int_equal(rules_columns(&rules, STR("mv")), 0);
		dump.len = 0;
		rules_dump(&rules, &dump);
		assert_int_equal(dump.len, strlen(mine) + strlen(rest));
		assert_memory_equal(dump.data, mine, strlen(mine));
		assert_memory_equal(dump.data + strlen(mine), rest, strlen(rest));
		buf_char(&dump, '\0');
		rules_free(&rules);
	}
	buf_free(&got);
	buf_free(&dump);
}

/* Each column that rules use has a bit. */
static void many_columns(void **state)
{
	struct rules rules = {0};
	struct buf text = {0};

	(void)state;
	buf_text(&text, "mm\tA\n");
	for (int i = 0; i <= RULES_COLUMNS_MAX; i++)
		buf_format(&text, "\tc%d = column('%d')\n", i, i);
	buf_char(&text, '\0');
	assert_false(load(&rules, text.data));
	assert_non_null(strstr(rules.error, ":66: the rules use more than 64 columns"));
	rules_free(&rules);
	buf_free(&text);
}

static void default_rules(void **state)
{
	struct rules rules = {0};

	(void)state;
	assert_true(rules_load(&rules, NULL));
	rules_free(&rules);
}

/* A figure of a default rule that cannot be: the next rule, and the first refusal is kept. */
static void refuses(void **state)
{
	static const struct str fields[ARGS_COLUMNS] = {
		[ARGS_INPUT_DIMS] = BYTES("[[3,3],[]]"),
		[ARGS_INPUT_TYPE] = BYTES("[\"bool\",\"\"]"),
	};
	struct rules rules = {0};
	struct args args = {0};
	struct rules_answer answer;

	(void)state;
	assert_true(rules_load(&rules, NULL));
	assert_true(args_parse(&args, fields));
	assert_int_equal(rules_apply(&rules, STR("aten::glu"), &args, NULL, &answer), 0);
	assert_true(answer.refused);
	assert_non_null(strstr(rules.refusal, "bytes of 'aten::glu' is not a whole number: 13.5"));
	assert_int_equal(rules_apply(&rules, STR("aten::relu"), &args, NULL, &answer), 1);
	assert_false(answer.refused);
	args_free(&args);
	rules_free(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_applies),
		cmocka_unit_test(names_the_fault),
		cmocka_unit_test(errors_of_a_rule),
		cmocka_unit_test(more_files),
		cmocka_unit_test(many_columns),
		cmocka_unit_test(default_rules),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
