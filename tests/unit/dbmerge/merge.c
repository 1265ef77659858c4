/* merge: the effect of new rows on the rows of a file. */
#include "perfdb.h"

#define COLUMNS                                                                            \
	"Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Average " \
	"Duration(us),Profiling Average Duration(us)\n"

/* The facts of a merge in short: "updated 8 -> 9 1 2;" action, signature, new and old duration. */
static void show(const struct perfdb *t, struct buf *out)
{
	struct str rest = buf_view(&t->ledger.facts);

	while (rest.n) {
		size_t n = (size_t)((char *)memchr(rest.s, '\n', rest.n) - rest.s);
		struct str line = {rest.s, n};
		struct str fields[10];

		assert_int_equal(tsv_split(line, fields, COUNT(fields)), COUNT(fields));
		buf_format(out, "%.*s %.*s", (int)fields[0].n, fields[0].s, (int)fields[3].n, fields[3].s);
		for (size_t i = 4; i < COUNT(fields); i++)
			if (fields[i].n && (i > 4 || !str_equal(fields[i], STR("1"))))
				buf_format(out, " %.*s", (int)fields[i].n, fields[i].s);
		buf_char(out, ';');
		rest = (struct str){rest.s + n + 1, rest.n - n - 1};
	}
}

static void assert_facts(const struct perfdb *t, const char *label, const char *want)
{
	struct buf got = {0};

	show(t, &got);
	if (!str_equal(buf_view(&got), str_of(want)))
		unit_show("case", str_of(label));
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

#define ROW(shapes, dur) "A\t" shapes "\tF\tND\t" shapes "\tF\t" dur "\n"
#define MATMUL(op, dur) op "\t4,8;8,2\tF;F\tND;ND\t4,2\tF\t" dur "\n"

struct sample {
	const char *label;
	const char *op;
	const char *csv; /* below COLUMNS; NULL: the file is to be made */
	struct str rows; /* below NEW_HEAD */
	const char *facts;
	size_t rows_left;
	unsigned fates[2]; /* fates of the first new rows */
	bool missing_only;
	bool add_matmul;
	bool prune;
	uint64_t disputed;
};

static const struct sample samples[] = {
	{"update, add", "A", "8,F,ND,8,F,1,2\n", BYTES(ROW("8", "3") ROW("9", "4")),
     "updated 8 -> 8 3 1;gap 8 -> 8 3 2 1 1.5;missing 9 -> 9;added 9 -> 9 4;", 2,
     .fates = {NEWROWS_IN_FILE, NEWROWS_IN_FILE}},
	{"equal durations are no update", "A", "8,F,ND,8,F, 3 ,\n", BYTES(ROW("8", "3")), "", 1,
     .fates = {NEWROWS_IN_FILE}},
	{"the last update counts", "A", "8,F,ND,8,F,1,\n", BYTES(ROW("8", "3") ROW("8", "4")),
     "updated 8 -> 8 3 1;updated 8 -> 8 4 3;", 1, .fates = {NEWROWS_IN_FILE, NEWROWS_IN_FILE}},
	{"an empty duration keeps the old one", "A", "8,F,ND,8,F,1,4\n", BYTES(ROW("8", "")),
     "gap 8 -> 8 1 4 3 0.25;", 1, .fates = {NEWROWS_IN_FILE}},
	{"an added row is updated", "A", NULL, BYTES(ROW("8", "3") ROW("8", "4")),
     "missing 8 -> 8;added 8 -> 8 3;updated 8 -> 8 4 3;", 1,
     .fates = {NEWROWS_IN_FILE, NEWROWS_IN_FILE}},
	{"the first of several rows is merged", "A",
     "8,F,ND,8,F,1,\n8,F,ND,8,F,2,\n9,F,ND,9,F,2,\n9,F,ND,9,F,2,\n9,F,ND,9,F,2,\n",
     BYTES(ROW("8", "3")), "updated 8 -> 8 3 1;duplicate 9 -> 9 3;duplicate 8 -> 8 2;", 5,
     .fates = {NEWROWS_IN_FILE}},
	{"missing only", "A", "8,F,ND,8,F,1,2\n7,F,ND,7,F,,\n6,F,ND,6,F,0,x\n",
     BYTES(ROW("8", "3") ROW("9", "4") ROW("7", "5") ROW("6", "6")),
     "unchanged 8 -> 8 1;gap 8 -> 8 1 2 1 0.5;missing 9 -> 9;updated 7 -> 7 5;updated 6 -> 6 6 0;",
     3, .fates = {NEWROWS_IN_FILE, NEWROWS_MISSING}, .missing_only = true},
	{"prune", "A", "8,F,ND,8,F,0,\n7,F,ND,7,F,,1\n6,F,ND,6,F,x,\n",
     BYTES(ROW("9", "0") ROW("6", "1")),
     "missing 9 -> 9;added 9 -> 9 0;updated 6 -> 6 1;deleted 8 -> 8;deleted 9 -> 9;", 2,
     .fates = {NEWROWS_PRUNED, NEWROWS_IN_FILE}, .prune = true},
	{"rows of MatMul are not added", "MatMulV2", NULL, BYTES(MATMUL("MatMulV2", "3")), "", 0,
     .fates = {NEWROWS_NOWHERE}},
	{"unless the caller wants", "MatMulV2", NULL, BYTES(MATMUL("MatMulV2", "3")),
     "missing 4,8;8,2 -> 4,2;added 4,8;8,2 -> 4,2 3;", 1, .fates = {NEWROWS_IN_FILE},
     .add_matmul = true},
	{"another kind of MatMul comes last", "MatMulV2", "\"4,8;2,8\",F;F,ND;ND,\"4,2\",F,1,\n",
     BYTES(MATMUL("MatMulV3", "5") MATMUL("MatMulV2", "3")),
     "updated 4,8;2,8 -> 4,2 3 1;updated 4,8;2,8 -> 4,2 5 3;", 1,
     .fates = {NEWROWS_IN_FILE, NEWROWS_IN_FILE}, .disputed = 1},
	{"and keeps what its own kind set", "MatMulV2", "\"4,8;2,8\",F;F,ND;ND,\"4,2\",F,1,\n",
     BYTES(MATMUL("MatMulV3", "5") MATMUL("MatMulV2", "3")), "updated 4,8;2,8 -> 4,2 3 1;", 1,
     .fates = {NEWROWS_IN_FILE, NEWROWS_IN_FILE}, .add_matmul = true, .disputed = 1},
	{"missing only settles that quietly", "MatMulV2", "\"4,8;2,8\",F;F,ND;ND,\"4,2\",F,1,\n",
     BYTES(MATMUL("MatMulV3", "5")), "", 1, .fates = {NEWROWS_IN_FILE}, .missing_only = true},
};

static void merged(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++) {
		const struct sample *sample = &samples[i];
		struct buf rows = {0};
		struct buf csv = {0};
		struct perfdb t;

		buf_format(&rows, "#%s\n%s", NEW_HEAD, sample->rows.s);
		if (sample->csv)
			buf_format(&csv, "%s%s", COLUMNS, sample->csv);
		buf_char(&csv, '\0');
		perfdb_begin(&t, sample->op, buf_view(&rows));
		t.merge.missing_only = sample->missing_only;
		t.merge.add_matmul = sample->add_matmul;
		t.merge.prune = sample->prune;
		assert_case(sample->label, perfdb_read(&t, csv.data) && merge_rows(&t.merge));
		assert_facts(&t, sample->label, sample->facts);
		assert_case(sample->label, t.merge.rows_left == sample->rows_left);
		assert_case(sample->label, t.merge.disputed == sample->disputed);
		for (uint32_t j = 0; j < 2 && j < t.rows.count; j++)
			assert_case(sample->label, newrows_fate(&t.rows, j) == sample->fates[j]);
		perfdb_end(&t);
		buf_free(&rows);
		buf_free(&csv);
	}
}

/* A file without EP Size takes the one that all new rows have. */
static void ep_size(void **state)
{
#define DISPATCH(size) "DispatchFFNCombine\t8\tF\tND\t8\tF\t3\t" size "\n"
	static const struct {
		struct str rows;
		const char *taken;
		const char *facts;
	} files[] = {
		{BYTES("#" NEW_HEAD "\tEP Size\n" DISPATCH("16") DISPATCH("")), "16",
	     "updated 8 -> 8 3 1;missing 8 -> 8;added 8 -> 8 3;duplicate 8 -> 8 2;"},
		{BYTES("#" NEW_HEAD "\tEP Size\n" DISPATCH("16") DISPATCH("8")), "",
	     "missing 8 -> 8;added 8 -> 8 3;missing 8 -> 8;added 8 -> 8 3;"},
		{BYTES("#" NEW_HEAD "\tEP Size\n" DISPATCH("")), "", "updated 8 -> 8 3 1;"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct perfdb t;

		perfdb_begin(&t, "DispatchFFNCombine", files[i].rows);
		assert_true(perfdb_read(&t, COLUMNS "8,F,ND,8,F,1,\n"));
		assert_true(merge_rows(&t.merge));
		assert_str(buf_view(&t.merge.ep_size), str_of(files[i].taken));
		if (i > 0)
			assert_facts(&t, "EP Size", files[i].facts);
		perfdb_end(&t);
	}
}

static void faulty_files(void **state)
{
	static const struct {
		const char *csv;
		bool migrate;
		uint64_t line;
		const char *error;
	} files[] = {
		{"a,b\n1,2\n3,\"4", false, 3, "the file ends inside quotes"},
		{"a,a\n", false, 1, "two columns are named 'a'"},
		{"a,Median Duration(us)\n", false, 1,
	     "the file has the older format, as its column 'Median Duration(us)' shows (--migrate "
	     "renames "
	     "its columns)"},
		{"a,Std Duration(us),Profiling Std Duration(us)\n", true, 1,
	     "--migrate: the new name of a column exists already"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		struct perfdb t;

		perfdb_begin(&t, "A", STR("#" NEW_HEAD "\n"));
		t.merge.migrate = files[i].migrate;
		assert_false(perfdb_read(&t, files[i].csv));
		assert_string_equal(t.merge.error, files[i].error);
		assert_int_equal(t.merge.error_line, files[i].line);
		perfdb_end(&t);
	}
}

static void an_older_file(void **state)
{
	struct perfdb t;

	(void)state;
	perfdb_begin(&t, "A", STR("#" NEW_HEAD "\n"));
	t.merge.migrate = true;
	assert_true(perfdb_read(&t, "a,Average Duration(us),Std Duration(us)\n"));
	assert_true(t.merge.migrated);
	assert_true(csvfile_layout_find(&t.merge.layout, STR("Profiling Std Duration(us)")) >= 0);
	perfdb_end(&t);
}

/* New rows that cannot be read back are an error, not empty rows. */
static void a_lost_file(void **state)
{
	struct perfdb t;

	(void)state;
	perfdb_begin(&t, "A", STR("#" NEW_HEAD "\n" ROW("8", "3") ROW("9", "4")));
	assert_true(perfdb_read(&t, COLUMNS "8,F,ND,8,F,1,2\n"));
	close(t.rows.lines.fd);
	assert_false(merge_rows(&t.merge));
	assert_non_null(strstr(t.merge.error, "temporary file"));
	perfdb_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged),       cmocka_unit_test(ep_size),
		cmocka_unit_test(faulty_files), cmocka_unit_test(an_older_file),
		cmocka_unit_test(a_lost_file),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
