/* rewrite: the file after a merge, or the old one if nothing changed or something failed. */
#include "perfdb.h"

#include "dbmerge/rewrite.h"

#define COLUMNS                                                                            \
	"Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Average " \
	"Duration(us)"
#define ROW(shapes, dur) "A\t" shapes "\tF\tND\t" shapes "\tF\t" dur

static void read_back(int folder, struct buf *out)
{
	int fd = openat(folder, "f.csv", O_RDONLY);

	if (fd >= 0)
		unit_slurp(out, fd);
}

static const struct {
	const char *label;
	bool prune;
	const char *csv;
	struct str rows;
	bool changed;
	const char *want;
} samples[] = {
	{"an update sets its cells alone", false, COLUMNS ",note\r\n8,F,ND,\"8\",F,1,\"a, b\"\r\n",
     BYTES("#" NEW_HEAD "\n" ROW("8", "3") "\n"), true,
     COLUMNS ",note\r\n8,F,ND,\"8\",F,3,\"a, b\"\r\n"},
	{"an equal figure changes nothing", false, COLUMNS "\n8,F,ND,8,F, 3 \n",
     BYTES("#" NEW_HEAD "\n" ROW("8", "3") "\n"), false, ""},
	{"the last duration wins, the last counter too", false,
     COLUMNS ",MicroBench aiv_time(us)\n8,F,ND,8,F,1,9\n",
     BYTES("#" NEW_HEAD "\tMicroBench aiv_time(us)\n" ROW("8", "3") "\t1\n" ROW("8", "4") "\t\n"),
     true, COLUMNS ",MicroBench aiv_time(us)\n8,F,ND,8,F,4,1\n"},
	{"added rows bring their columns", false, COLUMNS "\n8,F,ND,8,F,1\n",
     BYTES("#" NEW_HEAD "\tnote\tempty\n" ROW("9", "3") "\tx\t\n"), true,
     COLUMNS ",note\n8,F,ND,8,F,1,\n9,F,ND,9,F,3,x\n"},
	{"deleted rows go", true, COLUMNS "\n8,F,ND,8,F,0\n9,F,ND,9,F,1\n",
     BYTES("#" NEW_HEAD "\n" ROW("7", "") "\n"), true, COLUMNS "\n9,F,ND,9,F,1\n"},
	{"no row, no change", false, COLUMNS "\n9,F,ND,9,F,1\n", BYTES("#" NEW_HEAD "\n"), false, ""},
};

static void rewritten(void **state)
{
	char place[64];
	int folder = unit_folder(place);

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++) {
		struct perfdb t;
		struct rewrite rw;
		struct buf got = {0};

		perfdb_begin(&t, "A", samples[i].rows);
		t.merge.prune = samples[i].prune;
		assert_true(perfdb_read(&t, samples[i].csv) && merge_rows(&t.merge));
		assert_true(rewrite_begin(&rw, &t.merge));
		assert_case(samples[i].label, rw.changed == samples[i].changed);
		if (rw.changed)
			assert_true(rewrite_file(&rw, folder, "f.csv"));
		read_back(folder, &got);
		unlinkat(folder, "f.csv", 0);
		assert_str(buf_view(&got), str_of(samples[i].want));
		rewrite_free(&rw);
		perfdb_end(&t);
		buf_free(&got);
	}
	close(folder);
	rmdir(place);
}

/* A new file, which gets all columns; and one with a second name. */
static void new_and_linked(void **state)
{
	char place[64];
	int folder = unit_folder(place);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct perfdb t;
		struct rewrite rw;
		struct buf got = {0};

		perfdb_begin(&t, "A", STR("#" NEW_HEAD "\n" ROW("8", "3") "\n"));
		assert_true(perfdb_read(&t, "") && merge_rows(&t.merge));
		assert_true(rewrite_begin(&rw, &t.merge) && rw.changed);
		assert_true(rewrite_file(&rw, folder, "f.csv"));
		assert_int_equal(rw.linked, i);
		read_back(folder, &got);
		assert_true(str_starts(buf_view(&got), STR("OP State,Accelerator Core,Input Shapes,")));
		assert_true(str_has(buf_view(&got), STR("\r\n,,8,F,ND,8,F,,3,")));
		rewrite_free(&rw);
		perfdb_end(&t);
		buf_free(&got);
		if (i == 0)
			assert_int_equal(linkat(folder, "f.csv", folder, "g.csv", 0), 0);
	}
	unlinkat(folder, "f.csv", 0);
	unlinkat(folder, "g.csv", 0);
	close(folder);
	rmdir(place);
}

/* New rows that cannot be read back must not replace the file, nor leave another one beside it. */
static void a_lost_file(void **state)
{
	char place[64];
	int folder = unit_folder(place);
	struct perfdb t;
	struct rewrite rw;
	struct buf got = {0};

	(void)state;
	unit_put(folder, "f.csv", "old", 0600);
	perfdb_begin(&t, "A", STR("#" NEW_HEAD "\n" ROW("8", "3") "\n"));
	assert_true(perfdb_read(&t, COLUMNS "\n8,F,ND,8,F,1\n") && merge_rows(&t.merge));
	assert_true(rewrite_begin(&rw, &t.merge) && rw.changed);
	close(t.rows.lines.fd);
	assert_false(rewrite_file(&rw, folder, "f.csv"));
	assert_non_null(strstr(rw.error, "temporary file"));
	read_back(folder, &got);
	assert_buf(&got, "old");
	rewrite_free(&rw);
	assert_false(rewrite_begin(&rw, &t.merge));
	rewrite_free(&rw);
	perfdb_end(&t);
	buf_free(&got);
	unlinkat(folder, "f.csv", 0);
	close(folder);
	assert_int_equal(rmdir(place), 0); /* it is empty */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewritten),
		cmocka_unit_test(new_and_linked),
		cmocka_unit_test(a_lost_file),
	};

	return cmocka_run_group_tests_name("rewrite", tests, NULL, NULL);
}
