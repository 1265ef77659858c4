/* passes: which rows of a predicted and of a measured pass count. */
#include "../unit.h"

#include "compare/passes.h"

struct streams {
	const char *predicted;
	const char *measured;
	const char *keys;    /* NULL: type */
	const char *sources; /* NULL: the rule by status */
	bool strict;
	bool verbose;
};

static void put_row(struct passes *p, enum passes_item item)
{
	struct output *out = &p->out->out;
	struct buf dur = {0};
	struct str key = passes_key(p);

	dec_print(&dur, p->dur);
	output_format(out, "%.*s %.*s", (int)key.n, key.s, (int)dur.len, dur.data);
	if (item == PASSES_PREDICTED)
		output_text(out, p->sources ? " predicted\n" : p->hit ? " hit\n" : " miss\n");
	else
		output_text(out, p->is_collective ? " collective\n" : " measured\n");
	buf_free(&dur);
}

/* Writes the rows that count, and adds those of each side. */
static int read_both(void *arg)
{
	const struct streams *streams = arg;
	const char *texts[SIDES] = {streams->predicted, streams->measured};
	char path[SIDES][32];
	char *paths[] = {path[0], path[1]};
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.argc = 1,
	                    .argv = argv,
	                    .operands = paths,
	                    .operands_count = SIDES,
	                    .no_head = true,
	                    .verbose = streams->verbose,
	                    .strict = streams->strict};
	struct words sources = {0};
	struct kev_writer out;
	struct passes p = {.out = &out, .sources = streams->sources ? &sources : NULL};
	struct dec sum[SIDES] = {{0}};
	struct dec negative[SIDES] = {{0}};
	enum passes_item item;

	die_init("prog");
	words_add(&p.keys, streams->keys ? streams->keys : "type");
	words_add(&sources, streams->sources ? streams->sources : "");
	for (int i = 0; i < SIDES; i++) {
		FILE *file = tmpfile();

		fputs(texts[i], file);
		fflush(file);
		snprintf(path[i], sizeof path[i], "/proc/self/fd/%d", fileno(file));
	}
	kev_writer_init(&out, &opts);
	passes_open(&p, &opts, FORM_TSV);
	while ((item = passes_next(&p)) > PASSES_END) {
		if (item == PASSES_COLUMNS) {
			output_format(&out.out, "%zu columns\n", passes_reader(&p)->columns_count);
			continue;
		}
		put_row(&p, item);
		passes_add(&p, &sum[item == PASSES_MEASURED], &negative[item == PASSES_MEASURED]);
	}
	if (item == PASSES_FAILED)
		warn("line %llu: %s", (unsigned long long)passes_reader(&p)->error_line,
		     passes_reader(&p)->error);
	if (streams->sources)
		output_format(&out.out, "%zu sources\n", p.sources_seen.count);
	passes_close(&p);
	return kev_finish(&out);
}

static void assert_reads(struct streams streams, const char *out, const char *err)
{
	struct unit_end end = unit_run(read_both, &streams);

	assert_str(buf_view(&end.out), str_of(out));
	assert_str(buf_view(&end.err), str_of(err));
	unit_end_free(&end);
}

#define NONE_PREDICTED "#dur\ttype\tsource\n"
#define NONE_MEASURED "#ts\tdur\ttype\n"

static void predicted_by_source(void **state)
{
	static const char predicted[] = NONE_PREDICTED "5\tA\tM\n6\tB\tI\n7\tA\tX\n8\t\tM\n"
												   "0\tA\tM\n-1\tA\tM\n\tA\tM\n9\tA\t\n\t\tX\n";

	(void)state;
	assert_reads(
		(struct streams){
			.predicted = predicted, .measured = NONE_MEASURED, .sources = "M,I", .verbose = true},
		"3 columns\nA 5 predicted\nB 6 predicted\n3 columns\n4 sources\n",
		"prog: rows of the prediction without dur, not counted: 1\n"
		"prog: predicted rows in: 9, 34 us\n"
		"prog: predicted rows out: 2, 11 us\n"
		"prog: predicted rows dropped (another source): 3, 16 us\n"
		"prog: predicted rows dropped (no type): 1, 8 us\n"
		"prog: predicted rows dropped (no dur above 0): 3, -1 us\n"
		"prog: measured rows in: 0, 0 us\n"
		"prog: measured rows out: 0, 0 us\n");
}

static void predicted_by_status(void **state)
{
	/* Without a column `status` each row is a hit. */
	static const char predicted[] = "#dur\ttype\n5\tA\n\tB\n0\tC\n-2\tC\n3\t\n"
									"#status\tdur\ttype\nMISS\t1\tA\n\t2\tA\nHIT\t4\tB\n";

	(void)state;
	assert_reads(
		(struct streams){.predicted = predicted, .measured = NONE_MEASURED, .verbose = true},
		"2 columns\nA 5 hit\nB 0 hit\nC 0 hit\nC -2 hit\n"
		"3 columns\nA 1 miss\nB 4 hit\n3 columns\n",
		"prog: rows of the prediction without type, not counted: 1\n"
		"prog: rows of the prediction without dur, counted as 0: 1\n"
		"prog: predicted rows in: 8, 13 us\n"
		"prog: predicted rows out: 6, 8 us\n"
		"prog: predicted rows dropped (no type): 1, 3 us\n"
		"prog: predicted rows dropped (no op): 1, 2 us\n"
		"prog: measured rows in: 0, 0 us\n"
		"prog: measured rows out: 0, 0 us\n");
	assert_reads(
		(struct streams){.predicted = "#dur\ttype\tstatus\n5\tA\thit\n", .measured = NONE_MEASURED},
		"3 columns\n", "prog: line 2: status: 'hit' is neither HIT nor MISS\n");
}

/* Both predictions have equal rules. */
static void measured_rows(void **state)
{
	static const char measured[] = NONE_MEASURED "1\t5\tA\n2\t\tA\n\t6\tB\n3\t7\t\n"
												 "\t\txAicpuKernel\n4\t8\thcom_xAicpuKernel\n"
												 "\t9\thcom_x\n5\t0\tC\n";
	static const char err[] = "prog: rows of the measurement without type, not counted: 1\n"
							  "prog: rows of the measurement without dur, not counted: 1\n"
							  "prog: collectives of the measurement without ts, not counted: 1\n"
							  "prog: predicted rows in: 0, 0 us\n"
							  "prog: predicted rows out: 0, 0 us\n"
							  "prog: measured rows in: 8, 35 us\n"
							  "prog: measured rows out: 3, 11 us\n"
							  "prog: measured rows dropped (no type): 1, 7 us\n"
							  "prog: measured rows dropped (no dur): 1, 0 us\n"
							  "prog: measured rows dropped (AicpuKernel): 2, 8 us\n"
							  "prog: measured rows dropped (a collective without ts): 1, 9 us\n";

	(void)state;
	assert_reads(
		(struct streams){.predicted = NONE_PREDICTED, .measured = measured, .verbose = true},
		"3 columns\n3 columns\nA 5 measured\nB 6 measured\nC 0 measured\n", err);
	assert_reads(
		(struct streams){
			.predicted = NONE_PREDICTED, .measured = measured, .sources = "M", .verbose = true},
		"3 columns\n3 columns\nA 5 measured\nB 6 measured\nC 0 measured\n0 sources\n", err);
}

static void several_keys(void **state)
{
	static const char predicted[] = "#dur\ttype\tshape\n1\tA\t\n1\t\t2\n1\t\t\n";
	static const char measured[] = "#ts\tdur\ttype\tshape\n\t1\thcom_a\t\n1\t1\t\t\n";

	(void)state;
	assert_reads(
		(struct streams){
			.predicted = predicted, .measured = measured, .keys = "type,shape", .verbose = true},
		"3 columns\nA\t 1 hit\n\t2 1 hit\n4 columns\n",
		"prog: rows of the prediction without type and shape, not counted: 1\n"
		"prog: rows of the measurement without type and shape, not counted: 1\n"
		"prog: collectives of the measurement without ts, not counted: 1\n"
		"prog: predicted rows in: 3, 3 us\n"
		"prog: predicted rows out: 2, 2 us\n"
		"prog: predicted rows dropped (no type and shape): 1, 1 us\n"
		"prog: measured rows in: 2, 2 us\n"
		"prog: measured rows out: 0, 0 us\n"
		"prog: measured rows dropped (no type and shape): 1, 1 us\n"
		"prog: measured rows dropped (a collective without ts): 1, 1 us\n");
}

/* They come after all rows, with the time and the keys of their longest record. */
static void collectives_count_once(void **state)
{
	static const char predicted[] = "#dur\ttype\tshape\n";
	static const char measured[] =
		"#ts\tdur\ttype\tshape\n1.5\t7\thcom_a\tx\n1.1\t8\thcom_a\ty\n1.2\t8\thcom_"
		"a\tz\n1\t3\tA\t\n"
		"2\t\thcom_a\tx\n2\t\thcom_a\ty\n2.5\t\thcom_b\tx\n2.5\t1\thcom_b\ty\n";

	(void)state;
	assert_reads(
		(struct streams){
			.predicted = predicted, .measured = measured, .keys = "shape,type", .verbose = true},
		"3 columns\n4 columns\n\tA 3 measured\ny\thcom_a 8 collective\ny\thcom_b 1 collective\n",
		"prog: rows of the measurement without dur, not counted: 1\n"
		"prog: predicted rows in: 0, 0 us\n"
		"prog: predicted rows out: 0, 0 us\n"
		"prog: measured rows in: 8, 27 us\n"
		"prog: measured rows out: 3, 12 us\n"
		"prog: measured rows dropped (no dur): 1, 0 us\n"
		"prog: measured rows dropped (the same collective again): 4, 15 us\n");
}

static void columns_that_are_needed(void **state)
{
	static const struct {
		struct streams streams;
		const char *out;
		const char *err;
	} cases[] = {
		{{.predicted = "#type\n", .measured = NONE_MEASURED},
	     "",
	     "prog: line 1: column 'dur' is missing\n"},
		{{.predicted = "#dur\n", .measured = NONE_MEASURED},
	     "",
	     "prog: line 1: column 'type' is missing\n"},
		{{.predicted = "#dur\ttype\n", .measured = NONE_MEASURED, .keys = "type,x"},
	     "",
	     "prog: line 1: column 'x' is missing\n"},
		{{.predicted = "#dur\ttype\n", .measured = NONE_MEASURED, .sources = "M"},
	     "0 sources\n",
	     "prog: line 1: column 'source' is missing\n"},
		{{.predicted = "#dur\ttype\n", .measured = "#dur\ttype\n"},
	     "2 columns\n",
	     "prog: line 1: column 'ts' is missing\n"},
		{{.predicted = "#dur\ttype\n", .measured = "#ts\ttype\n"},
	     "2 columns\n",
	     "prog: line 1: column 'dur' is missing\n"},
		{{.predicted = "#dur\ttype\n", .measured = "#ts\tdur\n"},
	     "2 columns\n",
	     "prog: line 1: column 'type' is missing\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_reads(cases[i].streams, cases[i].out, cases[i].err);
}

static void errors(void **state)
{
	(void)state;
	assert_reads(
		(struct streams){.predicted = "#dur\ttype\n1\tA\nx\tA\n", .measured = NONE_MEASURED},
		"2 columns\nA 1 hit\n", "prog: line 3: dur: 'x' is not a number\n");
	assert_reads(
		(struct streams){.predicted = "#dur\ttype\n", .measured = NONE_MEASURED "N/A\t1\tA\n"},
		"2 columns\n3 columns\n", "prog: line 2: ts: 'N/A' is not a number\n");
	/* The caller's error, with the line of the record that made the sum too large. */
	assert_reads(
		(struct streams){.predicted = "#dur\ttype\n",
	                     .measured = NONE_MEASURED "1\t1e29\thcom_a\n2\t1e29\thcom_b\n3\t1\tA\n"},
		"2 columns\n3 columns\nA 1 measured\n"
		"hcom_a 100000000000000000000000000000 collective\n"
		"hcom_b 100000000000000000000000000000 collective\n",
		"prog: line 3: dur: the sum is too large\n");
}

/* The first of a stream is refused, by its own line. */
static void strict(void **state)
{
	static const char no_dur[] = NONE_MEASURED "1\t\thcom_a\n1\t\thcom_a\n2\t1\tA\n";

	(void)state;
	assert_reads((struct streams){.predicted = "#dur\ttype\n1\t\n1\t\n",
	                              .measured = NONE_MEASURED,
	                              .strict = true},
	             "2 columns\n", "prog: line 2: a row without type\n");
	assert_reads((struct streams){.predicted = "#dur\ttype\n", .measured = no_dur, .strict = true},
	             "2 columns\n3 columns\nA 1 measured\n", "prog: line 2: a row without dur\n");
	assert_reads((struct streams){.predicted = "#dur\ttype\n",
	                              .measured = NONE_MEASURED "\t1\thcom_a\n",
	                              .strict = true},
	             "2 columns\n3 columns\n", "prog: line 2: a collective without ts\n");
	/* Rows without a type are ordinary to M6. */
	assert_reads((struct streams){.predicted = NONE_PREDICTED "1\t\tM\n",
	                              .measured = NONE_MEASURED,
	                              .sources = "M",
	                              .strict = true},
	             "3 columns\n3 columns\n1 sources\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(predicted_by_source),
		cmocka_unit_test(predicted_by_status),
		cmocka_unit_test(measured_rows),
		cmocka_unit_test(several_keys),
		cmocka_unit_test(collectives_count_once),
		cmocka_unit_test(columns_that_are_needed),
		cmocka_unit_test(errors),
		cmocka_unit_test(strict),
	};

	return cmocka_run_group_tests_name("passes", tests, NULL, NULL);
}
