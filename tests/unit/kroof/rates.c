/* rates: rows, lines by keys, exact quotients, what bounds them, and their order. */
#include "../unit.h"

#include "base/die.h"
#include "kroof/rates.h"

struct fixture {
	struct rules rules;
	struct peaks peaks;
	struct rates rates;
};

static void begin(struct fixture *f)
{
	static const char rules[] =
		"size 2 bf16\tbf16\n"
		"mm\tProduct\n"
		"\tM = dim(0,0); dtype = type(0); flops = prod(0); bytes = bytes(0)\n"
		"copy\tCopy\n\tflops = 0; bytes = 7*bytes(0)\n"
		"zero\tZero\n\tflops = 0; bytes = 0\n"
		"add\tAdd\n\tflops = prod(0); bytes = bytes(0)\n"
		"bad\tBad\n\tflops = 1/2\n";
	/* 2 TFLOP/s of products, 1 of vectors; 1000 GB/s. */
	static const char peaks[] = "dev\tmatrix bf16\t2\ts\ndev\tvector\t1\ts\ndev\tmemory\t1000\ts\n";
	char path[64];

	*f = (struct fixture){0};
	unit_file(path, STR(rules));
	assert_true(rules_load(&f->rules, path));
	unlink(path);
	unit_file(path, STR(peaks));
	assert_true(peaks_load(&f->peaks, path));
	unlink(path);
	f->rates.rules = &f->rules;
	f->rates.peaks = &f->peaks;
	f->rates.device = STR("dev");
}

static void end(struct fixture *f)
{
	rates_free(&f->rates);
	rules_free(&f->rules);
	peaks_free(&f->peaks);
}

/* A row of an operator, shape and type, or of a class. */
static size_t get(struct fixture *f, const char *op, const char *dims, const char *type,
                  const char *class)
{
	struct buf key = {0};
	size_t number = 0;

	buf_format(&key, "%s\t%s\t%s\t\t\t\t\t\t\t\t\t%s", op, dims, type, class);
	assert_true(rates_get(&f->rates, buf_view(&key), &number));
	buf_free(&key);
	return number;
}

static void add(struct fixture *f, size_t number, uint64_t calls, const char *time, uint64_t rows)
{
	struct dec dur;

	assert_int_equal(dec_parse(str_of(time), &dur), DEC_OK);
	assert_true(rates_add(&f->rates, number, dur, dur, rows));
	f->rates.row[number].count += calls - 1;
}

struct job {
	struct fixture *f;
	enum rates_column keys[4];
	size_t keys_count;
	enum rates_column sort;
	bool descending;
	size_t limit;
};

static int write_table(void *arg)
{
	struct job *job = arg;
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.argc = 1, .argv = argv, .no_head = true};
	struct kev_writer out;

	die_init("prog");
	kev_writer_init(&out, &opts);
	if (!rates_build(&job->f->rates, job->keys, job->keys_count, job->sort, job->descending))
		die("%s", job->f->rates.error);
	rates_write(&job->f->rates, job->keys, job->keys_count, job->limit, &out, FORM_TSV, NULL);
	return kev_finish(&out);
}

static void assert_table(struct job job, const char *want)
{
	struct unit_end done = unit_run(write_table, &job);

	assert_str(buf_view(&done.err), STR(""));
	assert_int_equal(done.status, 0);
	assert_str(buf_view(&done.out), str_of(want));
	unit_end_free(&done);
}

static void fill(struct fixture *f)
{
	begin(f);
	/* 6e6 operations and 12e6 bytes: 3 us and 12 us. */
	add(f, get(f, "mm", "[[2000,3000]]", "[\"bf16\"]", ""), 2, "60", 4);
	add(f, get(f, "mm", "[[4000,3000]]", "[\"bf16\"]", ""), 1, "90.5", 1);
	add(f, get(f, "mm", "[[5,1]]", "[\"other\"]", ""), 1, "1", 1);
	add(f, get(f, "copy", "[[1000]]", "[\"bf16\"]", ""), 1, "70", 1);
	add(f, get(f, "zero", "[[1000]]", "[\"bf16\"]", ""), 1, "0", 1);
	add(f, get(f, "x", "[]", "", ""), 1, "2", 1);
	rates_note_class(&f->rates, get(f, "x", "[]", "", ""), dec_of(1), STR("b"));
	rates_note_class(&f->rates, get(f, "x", "[]", "", ""), dec_of(2), STR("d"));
	rates_note_class(&f->rates, get(f, "x", "[]", "", ""), dec_of(2), STR("c"));
	rates_note_class(&f->rates, get(f, "x", "[]", "", ""), dec_of(1), STR("a"));
	add(f, get(f, "", "", "", "Product"), 3, "5", 3);
}

static void rows_are_lines(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f);
	assert_table((struct job){.f = &f, .sort = RATES_TOTAL, .descending = true},
	             "mm\tProduct\t4000\t\t\t\tbf16\t26.5193370166\tmemory\t1\t90.5\t90."
	             "5\t12000000\t24000000\t0.132596685083\t265.193370166\t0.5\t1\texact\n"
	             "copy\tCopy\t\t\t\t\t\t0.02\tmemory\t1\t70\t70\t0\t14000\t0\t0.2\t0\t1\texact\n"
	             "mm\tProduct\t2000\t\t\t\tbf16\t40\tmemory\t2\t60\t30\t6000000\t12000000\t0."
	             "2\t400\t0.5\t2\texact\n"
	             "\tProduct\t\t\t\t\t\t\t\t3\t5\t1.66666666667\t\t\t\t\t\t1\t\n"
	             "x\tc\t\t\t\t\t\t\t\t1\t2\t2\t\t\t\t\t\t1\t\n"
	             "mm\tProduct\t5\t\t\t\tother\t\t\t1\t1\t1\t5\t\t0.000005\t\t\t1\texact\n"
	             "zero\tZero\t\t\t\t\t\t\t\t1\t0\t0\t0\t0\t\t\t\t1\texact\n");
	end(&f);
}

/* What differs is empty; rates are of the rows that have work. */
static void keys_put_rows_together(void **state)
{
	struct fixture f;

	(void)state;
	fill(&f);
	assert_table(
		(struct job){.f = &f, .keys = {RATES_OP}, .keys_count = 1, .sort = RATES_OP, .limit = 2},
		"copy\tCopy\t\t\t\t\t\t0.02\tmemory\t1\t70\t70\t0\t14000\t0\t0.2\t0\t1\texact\n"
		"\tProduct\t\t\t\t\t\t31.8936877076\t\t7\t156.5\t22.3571428571\t\t\t0.158415874587\t318."
		"936877076\t0.5\t1.28571428571\texact\n");
	end(&f);
}

/* Operations bound only with fewer bytes than the memory moves meanwhile. */
static void bounds(void **state)
{
	struct fixture f;
	size_t number;

	(void)state;
	begin(&f);
	number = get(&f, "add", "[[1000]]", "[\"bf16\"]", "");
	f.rates.row[number].figure[RULES_BYTES] = dec_of(1000); /* 1 ns, as the operations */
	add(&f, number, 1, "1", 1);
	number = get(&f, "add", "[[1000,1]]", "[\"bf16\"]", "");
	f.rates.row[number].figure[RULES_BYTES] = dec_of(1001);
	add(&f, number, 1, "1", 1);
	assert_table((struct job){.f = &f, .keys = {RATES_BOUND}, .keys_count = 1, .sort = RATES_BOUND},
	             "add\tAdd\t\t\t\t\t\t0.1\tcompute\t1\t1\t1\t1000\t1000\t0.001\t1\t1\t1\texact\n"
	             "add\tAdd\t\t\t\t\t\t0.1001\tmemory\t1\t1\t1\t1000\t1001\t0.001\t1.001\t0."
	             "999000999001\t1\texact\n");
	f.rates.device = STR("unknown");
	free(f.rates.line);
	f.rates.lines_count = 0;
	assert_table(
		(struct job){.f = &f, .keys = {RATES_CPU_OP}, .keys_count = 1, .sort = RATES_K},
		"add\tAdd\t\t\t\t\t\t\t\t2\t2\t1\t1000\t\t0.001\t1.0005\t0.999500249875\t1\texact\n");
	end(&f);
}

static void too_large(void **state)
{
	struct fixture f;
	struct job job = {.f = &f};
	struct unit_end done;
	size_t number;

	(void)state;
	begin(&f);
	number = get(&f, "add", "[[1000]]", "[\"bf16\"]", "");
	f.rates.row[number].figure[RULES_FLOPS].nano = (__int128)1 << 100;
	add(&f, number, UINT64_C(1) << 40, "1", 1);
	done = unit_run(write_table, &job);
	assert_text(buf_view(&done.err), "prog: the work of all calls is too large to add\n");
	unit_end_free(&done);
	end(&f);
	begin(&f);
	assert_false(rates_get(&f.rates, STR("bad\t\t\t\t\t\t\t\t\t\t\t"), &number));
	assert_non_null(strstr(f.rates.error, "flops of 'bad' is not a whole number: 0.5"));
	end(&f);
}

static void columns(void **state)
{
	(void)state;
	assert_int_equal(rates_column(STR("tflops")), RATES_TFLOPS);
	assert_int_equal(rates_column(STR("Input Dims")), RATES_ARGS + ARGS_INPUT_DIMS);
	assert_int_equal(rates_column(STR("dur")), RATES_COLUMNS);
	assert_true(rates_is_key(RATES_M) && rates_is_key(RATES_ARGS) && rates_is_key(RATES_BOUND));
	assert_false(rates_is_key(RATES_TOTAL) || rates_is_key(RATES_PEAK_SHARE));
	assert_string_equal(rates_name(RATES_ARGS + ARGS_OUTPUT_FORMATS), "Output Formats");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_lines), cmocka_unit_test(keys_put_rows_together),
		cmocka_unit_test(bounds),         cmocka_unit_test(too_large),
		cmocka_unit_test(columns),
	};

	return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
