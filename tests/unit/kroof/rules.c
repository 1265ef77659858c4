/* rules: which rule applies, what it sets, and what is wrong in a file. */
#include "../unit.h"

#include "kroof/rules.h"

static bool load(struct rules *rules, const char *text)
{
	char path[64];
	bool good;

	unit_file(path, str_of(text));
	good = rules_load(rules, path);
	rules->file = "FILE";
	unlink(path);
	return good;
}

/* The answer for an operator with two arguments, as text. */
static void ask(struct rules *rules, const char *op, struct buf *out)
{
	static const struct str fields[ARGS_COLUMNS] = {
		[ARGS_INPUT_DIMS] = BYTES("[[2,3],[3,5]]"),
		[ARGS_INPUT_TYPE] = BYTES("[\"float\",\"other\"]"),
	};
	struct args args = {0};
	struct rules_answer answer;
	int got;

	args_parse(&args, fields);
	got = rules_apply(rules, str_of(op), &args, &answer);
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
	assert_str(rules_dump(&rules), STR(text));
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
		{"bytes = dims(0)", "FILE:2: bytes of 'mm' is not a number: "},
		{"flops = 1e19*1e19", "FILE:2: 'mm': the result of + - * or / is too large"},
		{"dtype = dim(0,0)", "FILE:2: dtype is not a text"},
		{"peak = type(0)", "FILE:2: peak is neither \"matrix\" nor \"vector\""},
		{"peak = 1", "FILE:2: peak is neither \"matrix\" nor \"vector\""},
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
	assert_int_equal(rules_apply(&rules, STR("aten::glu"), &args, &answer), 0);
	assert_true(answer.refused);
	assert_non_null(strstr(rules.refusal, "bytes of 'aten::glu' is not a whole number: 13.5"));
	assert_int_equal(rules_apply(&rules, STR("aten::relu"), &args, &answer), 1);
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
		cmocka_unit_test(default_rules),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
