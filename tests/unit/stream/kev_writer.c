/* kev_writer: what is written, and that it is read again as it was. */
#include "../unit.h"

#include "stream/kev.h"

struct job {
	void (*write)(struct kev_writer *w);
	bool no_head;
	const char *full; /* where to write, in place of a file */
};

static int run_job(void *arg)
{
	const struct job *job = arg;
	char prog[] = "prog";
	char option[] = "-k";
	char words[] = "a b'c";
	char empty[] = "";
	char *argv[] = {prog, option, words, empty, NULL};
	struct opts opts = {.no_head = job->no_head, .argc = 4, .argv = argv};
	struct kev_writer w;

	die_init("/bin/prog");
	if (job->full)
		dup2(open(job->full, O_WRONLY), 1);
	kev_writer_init(&w, &opts);
	job->write(&w);
	return kev_finish(&w);
}

static void assert_written(void (*write)(struct kev_writer *), bool no_head, int status,
                           struct str out, struct str err)
{
	struct job job = {write, no_head, NULL};
	struct unit_end end = unit_run(run_job, &job);

	assert_int_equal(end.status, status);
	assert_str(buf_view(&end.out), out);
	assert_str(buf_view(&end.err), err);
	unit_end_free(&end);
}

#define VIA "##via\tprog -k 'a b'\\\\''c' ''\n"

static void write_some(struct kev_writer *w)
{
	const struct str source[] = {STR("a\tb.json"), STR("\n")};
	const struct str names[] = {STR("#name"), STR("a\tb")};
	const struct str others[] = {STR("dur")};

	kev_meta(w, "source", source, 2);
	kev_columns(w, names, 2);
	kev_columns(w, names, 2); /* equal columns: written once */
	kev_field(w, STR("## forward ##"));
	kev_field(w, STR("#\t\\\0"));
	kev_row_end(w);
	kev_field(w, STR(""));
	kev_field(w, STR(""));
	kev_row_end(w);
	kev_field_raw(w, STR("#raw\\t"));
	kev_field_raw(w, STR("#raw\\n"));
	kev_row_end(w);
	kev_meta(w, "note", NULL, 0);
	if (w->opts->no_head)
		return;
	kev_columns(w, others, 1);
	kev_field(w, STR("1"));
	kev_row_end(w);
}

static void what_is_written(void **state)
{
	(void)state;
	assert_written(
		write_some, false, 0,
		STR("##kev\t1\n##ends\tprog\n##source\ta\\tb.json\t\\n\n" VIA "#\\#name\ta\\tb\n"
	        "\\## forward ##\t#\\t\\\\\\0\n\t\n\\#raw\\t\t#raw\\n\n##note\n#dur\n1\n##end\tprog\n"),
		STR(""));
	assert_written(write_some, true, 0,
	               STR("\\## forward ##\t#\\t\\\\\\0\n\t\n\\#raw\\t\t#raw\\n\n"), STR(""));
}

static void write_nothing(struct kev_writer *w)
{
	(void)w;
}

static void an_empty_stream_has_a_head(void **state)
{
	(void)state;
	assert_written(write_nothing, false, 0, STR("##kev\t1\n##ends\tprog\n" VIA "##end\tprog\n"),
	               STR(""));
	assert_written(write_nothing, true, 0, STR(""), STR(""));
}

static void write_two_layouts(struct kev_writer *w)
{
	const struct str names[] = {STR("a"), STR("b")};

	kev_columns(w, names, 2);
	kev_field(w, STR("1"));
	kev_field(w, STR("2"));
	kev_row_end(w);
	kev_columns(w, names, 1);
}

static void without_a_head_columns_cannot_change(void **state)
{
	struct job job = {write_two_layouts, true, NULL};
	struct unit_end end = unit_run(run_job, &job);

	(void)state;
	assert_int_equal(end.status, STATUS_ERROR);
	assert_true(str_starts(buf_view(&end.err), STR("prog: -H: the columns change")));
	unit_end_free(&end);
	assert_written(write_two_layouts, false, 0,
	               STR("##kev\t1\n##ends\tprog\n" VIA "#a\tb\n1\t2\n#a\n##end\tprog\n"), STR(""));
}

static void write_rows_with_more(struct kev_writer *w)
{
	kev_columns(w, (struct str[]){STR("a"), STR("b"), STR("c")}, 3);
	kev_pass_row_with(w, STR("\\#1\t2"), STR("x\\ty"));
	kev_pass_row_with(w, STR("\t"), STR(""));
	kev_field_count(w, 0);
	kev_field_count(w, 10);
	kev_field_count(w, UINT64_MAX);
	kev_row_end(w);
}

static void rows_get_more_fields(void **state)
{
	(void)state;
	assert_written(write_rows_with_more, false, 0,
	               STR("##kev\t1\n##ends\tprog\n" VIA
	                   "#a\tb\tc\n\\#1\t2\tx\\ty\n\t\t\n0\t10\t18446744073709551615\n"
	                   "##end\tprog\n"),
	               STR(""));
}

static void pass_all(struct kev_writer *w)
{
	struct kev_reader r;
	enum kev_item item;

	kev_open(&r, unit_opts());
	while ((item = kev_next(&r)) > KEV_END) {
		if (item == KEV_META)
			kev_pass_meta(w, &r);
		else if (item == KEV_COLUMNS)
			kev_columns(w, r.column, r.columns_count);
		else
			kev_pass_row(w, &r);
	}
	if (item == KEV_FAILED)
		kev_fail(w, &r);
	kev_close(&r);
}

static void passed_on_is_the_same(void **state)
{
	static const struct str rest =
		BYTES("#\\#a\tb\n\\## x ##\t\\\\\\0\n\t\n##later\ta\tb\\n\n##bare\n##empty\t\n#c\n\n");
	struct buf stream = {0};

	(void)state;
	buf_text(&stream, "##kev\t1\n##ends\tprog\n##unknown\tx\n");
	buf_text(&stream, VIA);
	buf_str(&stream, rest);
	buf_text(&stream, "##end\tprog\n");
	unit_feed(STR("##kev\t1\n##unknown\tx\n#\\#a\tb\n\\## x "
	              "##\t\\\\\\0\n\t\n##later\ta\tb\\n\n##bare\n##empty\t\n#c\n\n"));
	assert_written(pass_all, false, 0, buf_view(&stream), STR(""));
	buf_free(&stream);
}

static void damage_travels(void **state)
{
	(void)state;
	unit_feed(STR("#a\n1\n##damaged\tx\\ty\tbyte 3: cut\n2"));
	assert_written(
		pass_all, false, STATUS_DAMAGED,
		STR("##kev\t1\n##ends\tprog\n" VIA "#a\n1\n##damaged\tx\\\\x09y\tbyte 3: cut\n2\n"
	        "##damaged\t-\tline 4: the last line has no newline; it may be cut off\n##end\tprog\n"),
		STR("prog: x\\x09y: byte 3: cut\nprog: -: line 4: the last line has no newline; it "
	        "may be cut off\n"));
	unit_feed(STR("#a\n1\n##damaged\tx\tcut\n"));
	assert_written(pass_all, true, STATUS_DAMAGED, STR("1\n"), STR("prog: x: cut\n"));
	/* A terminal can show it; plain text, \x1b itself, is passed on as it stands. */
	unit_feed(STR("#a\n##damaged\tx\x1b\xff\xe2\x80\xae\\\\x1b\t\xc2\x9b\t\n##x\t\x1b\n"));
	assert_written(pass_all, false, STATUS_DAMAGED,
	               STR("##kev\t1\n##ends\tprog\n" VIA "#a\n"
	                   "##damaged\tx\\\\x1b\\\\xff\\\\xe2\\\\x80\\\\xae\\\\x1b\t\\\\xc2\\\\x9b\t\n"
	                   "##x\t\x1b\n##end\tprog\n"),
	               STR("prog: x\\x1b\\xff\\xe2\\x80\\xae\\x1b: \\xc2\\x9b\\x09\n"));
	/* A NUL does not end the message. */
	unit_feed(STR("#a\n##damaged\tx\\0y\tcut\\0off\n"));
	assert_written(pass_all, true, STATUS_DAMAGED, STR(""), STR("prog: x\\x00y: cut\\x00off\n"));
}

static void errors_end_the_stream(void **state)
{
	(void)state;
	unit_feed(STR("#a\tb\n1\t2\n3\n"));
	assert_written(
		pass_all, false, STATUS_ERROR,
		STR("##kev\t1\n##ends\tprog\n" VIA "#a\tb\n1\t2\n"
	        "##damaged\t-\tline 3: 1 field, but the columns line (line 1) names 2\n##end\tprog\n"),
		STR("prog: -:3: 1 field, but the columns line (line 1) names 2\n"));
}

static void write_and_die(struct kev_writer *w)
{
	kev_field(w, STR("1"));
	kev_row_end(w);
	kev_damaged(w, "f\tg", "byte 1: x");
	kev_field(w, STR("a row that was"));
	kev_field(w, STR("begun"));
	kev_die(w, "file", 0, "%s and %d", "this", 7);
}

static void begun_rows_are_taken_back(void **state)
{
	(void)state;
	assert_written(write_and_die, false, STATUS_ERROR,
	               STR("1\n##kev\t1\n##ends\tprog\n##damaged\tf\\\\x09g\tbyte 1: "
	                   "x\n##damaged\tfile\tthis and 7\n##end\tprog\n"),
	               STR("prog: f\\x09g: byte 1: x\nprog: file: this and 7\n"));
	assert_written(write_and_die, true, STATUS_ERROR, STR("1\n"),
	               STR("prog: f\\x09g: byte 1: x\nprog: file: this and 7\n"));
}

static void write_and_take_back(struct kev_writer *w)
{
	const struct str names[] = {STR("a")};
	struct str line;

	kev_columns(w, names, 1);
	for (int i = 0; i < 50000; i++) {
		kev_field(w, STR("kept"));
		kev_row_end(w);
		kev_field(w, STR("#taken"));
		kev_field(w, STR("back"));
		kev_row_end(w);
		line = kev_take_back(w);
		if (!str_equal(line, STR("\\#taken\tback\n")))
			w->status = STATUS_LIMIT;
	}
	kev_meta(w, "x", NULL, 0);
	line = kev_take_back(w);
	if (!str_equal(line, STR("##x\n")))
		w->status = STATUS_LIMIT;
}

static void lines_are_taken_back(void **state)
{
	struct job job = {write_and_take_back, false, NULL};
	struct unit_end end = unit_run(run_job, &job);

	(void)state;
	assert_int_equal(end.status, 0);
	assert_int_equal(end.out.len, strlen("##kev\t1\n##ends\tprog\n" VIA "#a\n##end\tprog\n") +
	                                  50000 * strlen("kept\n"));
	assert_false(str_has(buf_view(&end.out), STR("taken")));
	assert_true(str_ends(buf_view(&end.out), STR("\nkept\nkept\n##end\tprog\n")));
	unit_end_free(&end);
}

static void a_full_disk_is_an_error(void **state)
{
	static const struct job jobs[] = {{write_some, false, "/dev/full"},
	                                  {write_nothing, false, "/dev/full"},
	                                  {write_some, true, "/dev/full"}};

	(void)state;
	for (size_t i = 0; i < COUNT(jobs); i++) {
		struct unit_end end = unit_run(run_job, (void *)&jobs[i]);

		assert_int_equal(end.status, STATUS_ERROR);
		assert_buf(&end.err, "prog: standard output cannot be written: No space left on device\n");
		unit_end_free(&end);
	}
}

/* The head goes out at once, so that the next program can fail early. */
static void write_head_and_wait(struct kev_writer *w)
{
	const struct str names[] = {STR("a")};

	kev_columns(w, names, 1);
	kev_field(w, STR("1"));
	kev_row_end(w);
	_exit(7);
}

static void the_head_does_not_wait(void **state)
{
	(void)state;
	assert_written(write_head_and_wait, false, 7, STR("##kev\t1\n##ends\tprog\n" VIA "#a\n"),
	               STR(""));
}

/* --- law ----------------------------------------------------------------- */

/* Any names and any fields, written and read, are themselves. */
enum { LAW_COLUMNS = 4, LAW_ROWS = 6 };

static void law_text(uint64_t *seed, struct buf *out)
{
	unit_random_bytes(seed, out, unit_below(seed, 8),
	                  unit_below(seed, 3) ? STR("#\\\t\n\r\0at0") : STR(""));
}

static void write_law(struct kev_writer *w)
{
	for (uint64_t round = 0; round < 200; round++) {
		uint64_t seed = round;
		struct buf texts[LAW_COLUMNS] = {{0}};
		struct str names[LAW_COLUMNS];

		for (size_t i = 0; i < LAW_COLUMNS; i++) {
			law_text(&seed, &texts[i]);
			buf_char(&texts[i], (char)('A' + i)); /* no two are equal */
			names[i] = buf_view(&texts[i]);
		}
		kev_columns(w, names, LAW_COLUMNS);
		for (size_t i = 0; i < LAW_ROWS * LAW_COLUMNS; i++) {
			texts[0].len = 0;
			law_text(&seed, &texts[0]);
			kev_field(w, buf_view(&texts[0]));
			if (i % LAW_COLUMNS == LAW_COLUMNS - 1)
				kev_row_end(w);
		}
		for (size_t i = 0; i < LAW_COLUMNS; i++)
			buf_free(&texts[i]);
	}
}

static void written_and_read_is_the_same(void **state)
{
	struct job job = {write_law, false, NULL};
	struct unit_end end = unit_run(run_job, &job);
	struct kev_reader r;
	struct buf scratch = {0};
	struct buf want = {0};

	(void)state;
	assert_int_equal(end.status, 0);
	unit_feed(buf_view(&end.out));
	kev_open(&r, unit_opts());
	assert_int_equal(kev_next(&r), KEV_META); /* via */
	for (uint64_t round = 0; round < 200; round++) {
		uint64_t seed = round;

		assert_int_equal(kev_next(&r), KEV_COLUMNS);
		assert_int_equal(r.columns_count, LAW_COLUMNS);
		for (size_t i = 0; i < LAW_COLUMNS; i++) {
			want.len = 0;
			law_text(&seed, &want);
			buf_char(&want, (char)('A' + i));
			assert_str(r.column[i], buf_view(&want));
		}
		for (size_t i = 0; i < LAW_ROWS * LAW_COLUMNS; i++) {
			if (i % LAW_COLUMNS == 0)
				assert_int_equal(kev_next(&r), KEV_ROW);
			want.len = 0;
			law_text(&seed, &want);
			assert_str(kev_text(&r, (int)(i % LAW_COLUMNS), &scratch), buf_view(&want));
		}
	}
	assert_int_equal(kev_next(&r), KEV_END);
	kev_close(&r);
	buf_free(&scratch);
	buf_free(&want);
	unit_end_free(&end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written),
		cmocka_unit_test(an_empty_stream_has_a_head),
		cmocka_unit_test(without_a_head_columns_cannot_change),
		cmocka_unit_test(passed_on_is_the_same),
		cmocka_unit_test(rows_get_more_fields),
		cmocka_unit_test(damage_travels),
		cmocka_unit_test(errors_end_the_stream),
		cmocka_unit_test(begun_rows_are_taken_back),
		cmocka_unit_test(lines_are_taken_back),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(the_head_does_not_wait),
		cmocka_unit_test(written_and_read_is_the_same),
	};

	return cmocka_run_group_tests_name("kev_writer", tests, NULL, NULL);
}
