/* csvtwice: the rows of a CSV a second time, of a file and of a pipe. */
#include "../unit.h"

#include "csv2tsv/csvtwice.h"

/* Appends the line and the fields of the record. */
static void show(struct buf *out, struct csv_reader *csv)
{
	buf_format(out, "%d:", (int)csv->line);
	for (size_t i = 0; i < csv->count; i++) {
		buf_str(out, csv_field(csv, i));
		buf_char(out, '|');
	}
	buf_text(out, csv->unended ? "unended " : " ");
}

/* Reads the records after the first twice, and how they end. */
static void read_twice(struct buf *both)
{
	struct csvtwice twice;
	struct csv_reader csv;
	struct buf first = {0};
	int got;

	assert_true(csv_open(&csv, "-", 16));
	assert_true(csv_next(&csv) > 0);
	got = csv_next(&csv);
	assert_true(csvtwice_begin(&twice, &csv));
	for (; got > 0; got = csv_next(&csv)) {
		show(&first, &csv);
		assert_true(csvtwice_keep(&twice, &csv));
	}
	buf_format(&first, "%d %d %s", got, got < 0 ? (int)csv.line : 0, csv.error);
	for (got = csvtwice_again(&twice, &csv, got); got > 0; got = csv_next(&csv))
		show(both, &csv);
	got = csvtwice_end(&twice, &csv, got);
	buf_format(both, "%d %d %s", got, got < 0 ? (int)csv.line : 0, csv.error);
	assert_str(buf_view(both), buf_view(&first));
	csv_close(&csv);
	buf_free(&first);
}

static void both_readings_are_equal(void **state)
{
	static const struct {
		struct str text;
		const char *want;
	} cases[] = {
		{BYTES("h\na,b\nc\n"), "2:a|b| 3:c| 0 0 "},
		{BYTES("h\n\n\r\n\"a\n\nb\",c\r\n\nd\n"), "4:a\n\nb|c| 8:d| 0 0 "},
		{BYTES("\xef\xbb\xbf"
	           "h\n\x1f\x8b\n"),
	     "2:\x1f\x8b| 0 0 "},
		{BYTES("h\na\nb"), "2:a| 3:b|unended 0 0 "},
		{BYTES("h\na\n\"b"), "2:a| -1 3 the file ends inside quotes"},
		{BYTES("h\na\n00000000000000000\nb\n"),
	     "2:a| -1 3 a record exceeds --max-field bytes; is a quote never closed?"},
		{BYTES("h\n\"b"), "-1 2 the file ends inside quotes"},
		{BYTES("h\n"), "0 0 "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf of_file = {0};
		struct buf of_pipe = {0};

		unit_feed(cases[i].text);
		read_twice(&of_file);
		unit_feed_pipe(cases[i].text);
		read_twice(&of_pipe);
		assert_str(buf_view(&of_file), str_of(cases[i].want));
		assert_str(buf_view(&of_pipe), str_of(cases[i].want));
		buf_free(&of_file);
		buf_free(&of_pipe);
	}
}

static void a_file_that_changes(void **state)
{
	struct csvtwice twice;
	struct csv_reader csv;
	char path[64];
	int fd = unit_temp(path);

	(void)state;
	unit_write(fd, "h\na\n", 4);
	assert_true(csv_open(&csv, path, 16));
	assert_true(csv_next(&csv) > 0 && csv_next(&csv) > 0);
	assert_true(csvtwice_begin(&twice, &csv));
	assert_true(csvtwice_keep(&twice, &csv));
	unit_write(fd, "b\n", 2);
	assert_int_equal(csvtwice_again(&twice, &csv, 0), -1);
	assert_string_equal(csv.error,
	                    "changed while it was read; run again when nothing writes to it");
	assert_true(csv.fatal);
	assert_int_equal(csvtwice_end(&twice, &csv, -1), -1);
	csv_close(&csv);
	unlink(path);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_readings_are_equal),
		cmocka_unit_test(a_file_that_changes),
	};

	return cmocka_run_group_tests_name("csvtwice", tests, NULL, NULL);
}
