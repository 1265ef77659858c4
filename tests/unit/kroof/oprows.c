/* oprows: which rows are one of the table, calls of several rows, and what they lack. */
#include "../unit.h"

#include "kroof/oprows.h"

struct fixture {
	struct rules rules;
	struct peaks peaks;
	struct rates rates;
	struct kinds kinds;
	struct oprows rows;
};

static void begin(struct fixture *f)
{
	char path[64];

	*f = (struct fixture){0};
	unit_file(path, STR("mm\tProduct\n\tflops = prod(0); bytes = 1\n"));
	assert_true(rules_load(&f->rules, path));
	unlink(path);
	f->rates.rules = &f->rules;
	f->rates.peaks = &f->peaks;
	f->rows.rates = &f->rates;
	f->rows.kinds = &f->kinds;
}

static void end(struct fixture *f)
{
	oprows_free(&f->rows);
	rates_free(&f->rates);
	kinds_free(&f->kinds);
	rules_free(&f->rules);
	peaks_free(&f->peaks);
}

/* Takes all rows; ts and dur are the first two columns. Returns the first error, or "". */
static struct buf feed(struct fixture *f, const char *stream)
{
	struct buf error = {0};
	struct kev_reader in;
	enum kev_item item;

	unit_feed(str_of(stream));
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		struct dec ts = {0};
		struct dec dur;

		if (item == KEV_META) {
			oprows_metadata(&f->rows, &in);
			kinds_metadata(&f->kinds, &in);
		} else if (item == KEV_COLUMNS) {
			kinds_columns(&f->kinds, &in);
			oprows_columns(&f->rows, &in);
		} else if (kev_number(&in, 1, &dur) &&
		           (!oprows_needs_ts(&f->rows) || kev_number(&in, f->rows.ts, &ts))) {
			assert_true(oprows_add(&f->rows, &in, ts, dur));
		}
	}
	assert_true(oprows_finish(&f->rows, &in));
	buf_text(&error, in.error);
	kev_close(&in);
	return error;
}

/* Each row of the table as "KEY calls total kernels", without the tabs at the end of the key. */
static void assert_rows(struct fixture *f, const char *want)
{
	struct buf got = {0};

	for (size_t i = 0; i < f->rates.keys.count; i++) {
		const struct rates_row *row = &f->rates.row[i];
		struct str key = strmap_key(&f->rates.keys, i);

		while (key.n && key.s[key.n - 1] == '\t')
			key.n--;
		buf_str(&got, key);
		buf_format(&got, " %d ", (int)row->count);
		dec_print(&got, row->total);
		buf_format(&got, " %d\n", (int)row->kernels);
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

#define HEAD "#ts\tdur\tname\tcat\tcpu_op\top_id\tInput Dims\n"

static void calls(void **state)
{
	struct fixture f;
	struct buf error;

	(void)state;
	begin(&f);
	/* Rows of call 1 overlap. Another source has another call 1; a row without an id is a call. */
	error = feed(&f, "##source\ta\n" HEAD "0\t5\tk\tkernel\tmm\t1\t[[2,3]]\n"
	                 "3\t4\tk\tkernel\tmm\t1\t[[2,3]]\n"
	                 "50\t2\tk\tkernel\tmm\t\t[[2,3]]\n"
	                 "60\t1\tk\tkernel\tmm\t2\t[[9]]\n"
	                 "70\t4\tk\tkernel\tnn\t3\t\n"
	                 "80\t8\tgemm\tkernel\t\t\t\n"
	                 "90\t1\tk\tkernel\tmm\t4\tx\n"
	                 "##source\tb\n3\t4\tk\tkernel\tmm\t1\t[[2,3]]\n");
	assert_str(buf_view(&error), STR(""));
	assert_rows(&f, "mm\t[[2,3]] 3 13 4\n"
	                "mm\t[[9]] 1 1 1\n"
	                "nn 1 4 1\n"
	                "\t\t\t\t\t\t\t\t\t\t\tDense GEMM 1 8 1\n"
	                "mm\tx 1 1 1\n");
	assert_true(f.rows.operators && f.rows.args && f.rows.values);
	assert_int_equal(f.rows.broken, 1);
	assert_int_equal(f.rows.refused, 0);
	assert_int_equal(f.rows.lacks.of[LACK_RULE].rows, 2);
	assert_int_equal(f.rows.lacks.of[LACK_OPERATOR].rows, 1);
	assert_true(dec_compare(f.rows.lacks.time, dec_of(29)) == 0);
	buf_free(&error);
	end(&f);
}

static void ascend(void **state)
{
	struct fixture f;
	struct buf error;

	(void)state;
	begin(&f);
	/* A row is a call, and needs no ts. */
	error = feed(&f, "#ts\tdur\ttype\tname\tInput Shapes\n\t5\tmm\ta\t2,3\n\t6\tmm\ta\t2,3\n");
	assert_str(buf_view(&error), STR(""));
	assert_false(oprows_needs_ts(&f.rows));
	assert_int_equal(f.rates.keys.count, 1);
	assert_int_equal(f.rates.row[0].count, 2);
	buf_free(&error);
	end(&f);
}

static void assert_error(const char *stream, const char *want)
{
	struct fixture f;
	struct buf error;

	begin(&f);
	error = feed(&f, stream);
	assert_str(buf_view(&error), str_of(want));
	buf_free(&error);
	end(&f);
}

static void errors(void **state)
{
	(void)state;
	assert_error(HEAD "0\t5\tk\tkernel\tmm\tx\t\n", "op_id: 'x' is not a whole number");
	assert_error(HEAD "170141183460469231731687303715\t1\tk\tkernel\tmm\t1\t\n",
	             "the times are too large to add");
	assert_error(HEAD "0\t170141183460469231731687303715\tk\tkernel\tmm\t\t\n"
	                  "0\t1\tk\tkernel\tmm\t\t\n",
	             "the times are too large to add");
	assert_error("#ts\tdur\tname\n", "column 'cpu_op' is missing; kcontext adds it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(ascend),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
