/* csvfile: a CSV file written back byte for byte, but for what was changed. */
#include "../unit.h"

#include "syntax/csvfile.h"

static void open_text(struct csvfile *file, struct str text, const char *error)
{
	char path[64];
	int fd;

	unit_file(path, text);
	fd = open(path, O_RDONLY);
	unlink(path);
	assert_int_equal(csvfile_read(file, fd, "a.csv"), !*error);
	assert_str(str_of(file->error), str_of(error));
	assert_int_equal(fcntl(fd, F_GETFD), -1); /* it is closed */
}

/* Sets cell `column` of the row that is put next. */
static void set(struct csvfile_layout *layout, int column, const char *value)
{
	csvfile_layout_set(layout, (size_t)column, str_of(value));
}

/* The file written back: '-' drops a row, 'x' changes its first cell, '+' is a new row. */
static void assert_written(struct str text, void (*change)(struct csvfile_layout *),
                           const char *rows, const char *want, int line)
{
	struct csvfile file = {0};
	struct csvfile_layout layout = {0};
	struct buf out = {0};
	size_t row = 0;

	open_text(&file, text, "");
	csvfile_layout_of(&layout, &file);
	if (change)
		change(&layout);
	csvfile_put_header(&out, &file, &layout);
	for (; *rows && *rows != '+'; rows++) {
		if (*rows == 'x')
			set(&layout, 0, "x,y");
		if (*rows == '-')
			csvfile_drop_row(&out, &file, &layout, row++);
		else
			csvfile_put_row(&out, &file, &layout, row++);
	}
	assert_int_equal(row, file.count);
	for (; *rows; rows++) {
		set(&layout, 0, "new");
		csvfile_put_new_row(&out, &file, &layout);
	}
	csvfile_put_rest(&out, &file);
	unit_equal(buf_view(&out), str_of(want), __FILE__, line);
	buf_free(&out);
	csvfile_layout_free(&layout);
	csvfile_free(&file);
}

#define assert_writes(text, change, rows, want) \
	assert_written(STR(text), change, rows, want, __LINE__)

static void unchanged_is_the_same_bytes(void **state)
{
	static const struct {
		struct str text;
		const char *rows;
	} files[] = {
		{BYTES("a,b\n1,2\n"), "."},
		{BYTES("a,b\r\n1,2\n\"3\" ,\" 4\"\r\n"), ".."},
		{BYTES("\xef\xbb\xbf\"a\", b \n1,2"), "."},
		{BYTES("\n  \na,b\n\n\r\n1\n\t\n2,3,4\n \n\n"), ".."},
		{BYTES("a,b\n\"1\n\n2\",\"\"\"\"\n"), "."},
		{BYTES("a"), ""},
		{BYTES("\xef\xbb\xbf\n\na\n\n"), ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		assert_written(files[i].text, NULL, files[i].rows, files[i].text.s, __LINE__);
}

static void a_cell_changes_and_no_other(void **state)
{
	(void)state;
	assert_writes("a,b\r\n1,\"2\" \n3,4\r\n", NULL, "x.", "a,b\r\n\"x,y\",\"2\" \n3,4\r\n");
	assert_writes("a,b\n1,2\n", NULL, "x", "a,b\n\"x,y\",2\n");
	/* A short row is filled up, a long one keeps what it has too much. */
	assert_writes("a,b,c\n1\n1,2,3,\"4\"\n", NULL, "xx", "a,b,c\n\"x,y\",,\n\"x,y\",2,3,\"4\"\n");
}

static void insert_b(struct csvfile_layout *layout)
{
	csvfile_layout_insert(layout, 1, STR("new \"b\""));
}

static void remove_first(struct csvfile_layout *layout)
{
	csvfile_layout_remove(layout, 0);
}

static void rename_first(struct csvfile_layout *layout)
{
	csvfile_layout_rename(layout, 0, STR("z"));
}

static void reverse(struct csvfile_layout *layout)
{
	for (size_t i = 1; i < layout->count; i++)
		csvfile_layout_move(layout, i, 0);
}

static void last_behind_the_first(struct csvfile_layout *layout)
{
	csvfile_layout_move(layout, 0, layout->count - 1);
}

static void columns_come_go_and_move(void **state)
{
	(void)state;
	assert_writes("a,c\n\"1\",3\n4\n", insert_b, "..", "a,\"new \"\"b\"\"\",c\n\"1\",,3\n4,,\n");
	assert_writes("a,c\n1,2,3\n", insert_b, ".", "a,\"new \"\"b\"\"\",c\n1,,2,3\n"); /* long */
	assert_writes("a,b,c\n1,\"2\",3\n", remove_first, ".", "b,c\n\"2\",3\n");
	assert_writes("\xef\xbb\xbf\"a\",\"b\"\n1,2\n", rename_first, "x",
	              "\xef\xbb\xbf\"z\",\"b\"\n\"x,y\",2\n");
	assert_writes("a,b,c\n1,2,3\n4\n", reverse, "..", "c,b,a\n3,2,1\n,,4\n");
	assert_writes("a,b,c\n1,2,3\n", last_behind_the_first, ".", "b,c,a\n2,3,1\n");
}

static void rows_come_and_go(void **state)
{
	(void)state;
	assert_writes("a,b\r\n1,2\r\n\r\n3,4\r\n", NULL, "-.", "a,b\r\n\r\n3,4\r\n");
	assert_writes("a,b\n1,2\n", NULL, "-", "a,b\n");
	assert_writes("a,b\n1,2\n", NULL, ".+", "a,b\n1,2\nnew,\n");
	assert_writes("a,b\r\n1,2\n\n", NULL, ".++", "a,b\r\n1,2\nnew,\r\nnew,\r\n\n");
	/* No newline at the end: the last line gets one before another comes. */
	assert_writes("a,b\n1,2", NULL, ".+", "a,b\n1,2\nnew,\n");
	assert_writes("a,b\n1,2", NULL, "x", "a,b\n\"x,y\",2");
	assert_writes("a,b\n1,2\n3,4", NULL, ".-+", "a,b\n1,2\nnew,\n");
	assert_writes("a,b", NULL, "+", "a,b\r\nnew,\r\n");
}

static void a_file_that_is_not_there(void **state)
{
	struct csvfile file = {0};
	struct csvfile_layout layout = {0};
	struct buf out = {0};

	(void)state;
	csvfile_layout_insert(&layout, 0, STR("b"));
	csvfile_layout_insert(&layout, 0, STR("a"));
	csvfile_put_header(&out, &file, &layout);
	set(&layout, 1, "2");
	csvfile_put_new_row(&out, &file, &layout);
	csvfile_put_new_row(&out, &file, &layout); /* nothing is set any more */
	csvfile_put_rest(&out, &file);
	assert_buf(&out, "a,b\r\n,2\r\n,\r\n");
	assert_int_equal(csvfile_layout_find(&layout, STR("b")), 1);
	assert_int_equal(csvfile_layout_find(&layout, STR("c")), -1);
	buf_free(&out);
	csvfile_layout_free(&layout);
	csvfile_free(&file);
}

static void cells_are_read(void **state)
{
	struct csvfile file = {0};
	struct buf scratch = {0};

	(void)state;
	open_text(&file, STR(" a ,\"b\"\n\"1 \"\"x\"\"\", y \n2\n3,4,5\n"), "");
	assert_int_equal(file.columns_count, 2);
	assert_text(file.column[0], "a");
	assert_text(file.column[1], "b");
	assert_int_equal(file.count, 3);
	assert_int_equal(file.long_rows, 1);
	csvfile_split(&file, 0);
	assert_text(csvfile_cell(&file, 0, &scratch), "1 \"x\"");
	assert_text(csvfile_cell(&file, 1, &scratch), " y ");
	csvfile_split(&file, 1);
	assert_text(csvfile_cell(&file, 0, &scratch), "2");
	assert_text(csvfile_cell(&file, 1, &scratch), "");
	assert_text(csvfile_cell(&file, -1, &scratch), "");
	csvfile_split(&file, 2);
	csvfile_split(&file, 2);
	assert_int_equal(file.cells, 3);
	buf_free(&scratch);
	csvfile_free(&file);
}

static void what_could_not_be_written_back_is_refused(void **state)
{
	static const struct {
		struct str text;
		const char *error;
		uint64_t line;
	} files[] = {
		{BYTES(""), "the file is empty; it should at least have a header", 0},
		{BYTES("\xef\xbb\xbf\n \n"), "the file is empty; it should at least have a header", 0},
		{BYTES("a,b\n1,2\n\"3"), "the file ends inside quotes", 3},
		{BYTES("a,b\n1,2\n3"), "the last row is cut off", 3},
		{BYTES("a,b\r\n1,2\r"), "the end of the last line is cut off", 2},
		{BYTES("a,b,a\n"), "two columns are named 'a'", 1},
		{BYTES("version https://git-lfs.github.com/spec/v1\n"),
	     "this is a Git LFS pointer, not the file itself; get it with git lfs pull", 1},
	};
	struct csvfile file = {0};
	struct buf packed = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++) {
		open_text(&file, files[i].text, files[i].error);
		assert_int_equal(file.line, files[i].line);
		csvfile_free(&file);
	}
	unit_gzip(&packed, STR("a,b\n1,2\n"), 1);
	open_text(&file, buf_view(&packed), "the file is compressed; decompress it first");
	csvfile_free(&file);
	buf_free(&packed);
	open_text(&file, STR("a,,\n1,2,3\n"), ""); /* two columns without a name are none */
	csvfile_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unchanged_is_the_same_bytes),
		cmocka_unit_test(a_cell_changes_and_no_other),
		cmocka_unit_test(columns_come_go_and_move),
		cmocka_unit_test(rows_come_and_go),
		cmocka_unit_test(a_file_that_is_not_there),
		cmocka_unit_test(cells_are_read),
		cmocka_unit_test(what_could_not_be_written_back_is_refused),
	};

	return cmocka_run_group_tests_name("csvfile", tests, NULL, NULL);
}
