/* newrows: measured rows in a temporary file, read back by operator. */
#include "unit.h"

#include "perfdb/newrows.h"

#define HEAD                                                                                     \
	"OP Type\tInput Shapes\tInput Data Types\tInput Formats\tOutput Shapes\tOutput Data Types\t" \
	"Average Duration(us)"

/* Reads a stream; gives the error that ended it, "" where all of it was taken. */
static void read_rows(struct newrows *rows, struct str text, struct buf *error)
{
	struct schema schema;
	struct kev_reader in;
	enum kev_item item;

	schema_init(&schema);
	unit_feed(text);
	assert_true(newrows_open(rows));
	kev_open(&in, NULL, 0);
	while ((item = kev_next(&in)) > KEV_END)
		if (item != KEV_META &&
		    !(item == KEV_COLUMNS ? newrows_columns(rows, &schema, &in) : newrows_add(rows, &in)))
			break;
	buf_text(error, in.error);
	kev_close(&in);
	schema_free(&schema);
}

/* "shapes=duration/counter " for each row of an operator. */
static void show(struct newrows *rows, const char *op, struct buf *out)
{
	struct newrows_line line = {0};
	struct buf scratch = {0};

	for (uint32_t i = newrows_first(rows, str_of(op)); i; i = newrows_next(rows, i)) {
		assert_true(newrows_fetch(rows, i - 1, &line));
		buf_str(out, newrows_text(&line, line.layout->column[INPUT_SHAPES], &scratch));
		buf_char(out, '=');
		buf_str(out, newrows_text(&line, line.layout->column[SCHEMA_AVERAGE], &scratch));
		buf_char(out, '/');
		buf_str(out, newrows_text(&line, line.layout->column[SCHEMA_COUNTER], &scratch));
		buf_char(out, ' ');
	}
	newrows_line_free(&line);
	buf_free(&scratch);
}

static void assert_rows(struct newrows *rows, const char *op, const char *want)
{
	struct buf got = {0};

	show(rows, op, &got);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void rows_come_back_by_operator(void **state)
{
	struct newrows rows;
	struct buf error = {0};

	(void)state;
	read_rows(&rows,
	          STR("#" HEAD "\n"
	              "A\t1\tF\tND\t1\tF\t1.5\n"
	              "B.csv\t 2 \tF\tND\t1\tF\t\n"
	              "A\ta\\tb\tF\tND\t1\tF\t2\n"
	              "##kev\t1\n"
	              "#MicroBench aicore_time(us)\tnote\t" HEAD "\n"
	              "7\tx\tB\t3\tF\tND\t1\tF\t3\n"
	              "8\ty\tA\t4\tF\tND\t1\tF\t4\n"),
	          &error);
	assert_buf(&error, "");
	assert_int_equal(rows.count, 5);
	assert_int_equal(rows.operators.count, 2);
	assert_int_equal(rows.of[0].count, 3);
	assert_int_equal(rows.of[1].count, 2);
	assert_rows(&rows, "A", "1=1.5/ a\tb=2/ 4=4/8 ");
	assert_rows(&rows, "B", "2=/ 3=3/7 ");
	assert_rows(&rows, "A", "1=1.5/ a\tb=2/ 4=4/8 "); /* again, and in another order */
	assert_rows(&rows, "C", "");
	newrows_close(&rows);
	buf_free(&error);
}

/* Random rows of random operators, against what was put in. */
static void many_rows(void **state)
{
	struct newrows rows;
	struct buf text = {0};
	struct buf want[7] = {{0}};
	struct buf error = {0};
	uint64_t seed = 1;

	(void)state;
	buf_text(&text, "#" HEAD "\n");
	for (int i = 0; i < 5000; i++) {
		size_t op = unit_below(&seed, COUNT(want));
		struct buf shapes = {0};

		unit_random_bytes(&seed, &shapes, unit_below(&seed, 200), STR("0123456789,;"));
		buf_format(&text, "Op%zu\t%.*s\tF\tND\t1\tF\t%d\n", op, (int)shapes.len,
		           shapes.data ? shapes.data : "", i);
		buf_format(&want[op], "%.*s=%d/ ", (int)shapes.len, shapes.data ? shapes.data : "", i);
		buf_free(&shapes);
	}
	read_rows(&rows, buf_view(&text), &error);
	assert_buf(&error, "");
	for (size_t op = 0; op < COUNT(want); op++) {
		char name[16];
		struct buf got = {0};

		snprintf(name, sizeof name, "Op%zu", op);
		show(&rows, name, &got);
		assert_str(buf_view(&got), buf_view(&want[op]));
		buf_free(&got);
		buf_free(&want[op]);
	}
	newrows_close(&rows);
	buf_free(&text);
	buf_free(&error);
}

static void what_is_no_such_row(void **state)
{
	static const struct {
		struct str text;
		const char *error;
	} streams[] = {
		{BYTES("#OP Type\tInput Shapes\n"), "column 'Input Data Types' is missing"},
		{BYTES("#" HEAD "x\n"), "column 'Average Duration(us)' is missing"},
		{BYTES("#x" HEAD "\n"),
	     "column 'OP Type' is missing: make the rows of a database with opagg"},
		{BYTES("#" HEAD "\n../A\t1\tF\tND\t1\tF\t1\n"),
	     "OP Type: '../A' cannot be the name of a file"},
		{BYTES("#" HEAD "\n.\t1\tF\tND\t1\tF\t1\n"), "OP Type: '.' cannot be the name of a file"},
		{BYTES("#" HEAD "\n.csv\t1\tF\tND\t1\tF\t1\n"), "OP Type: '' cannot be the name of a file"},
		{BYTES("#" HEAD "\na\\0b\t1\tF\tND\t1\tF\t1\n"),
	     "OP Type: 'a\\x00b' cannot be the name of a file"},
		{BYTES("#" HEAD "\nA\t1\tF\tND\t1\tF\tx\n"), "Average Duration(us): 'x' is not a number"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(streams); i++) {
		struct newrows rows;
		struct buf error = {0};

		read_rows(&rows, streams[i].text, &error);
		assert_str(buf_view(&error), str_of(streams[i].error));
		assert_int_equal(rows.count, 0);
		newrows_close(&rows);
		buf_free(&error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_by_operator),
		cmocka_unit_test(many_rows),
		cmocka_unit_test(what_is_no_such_row),
	};

	return cmocka_run_group_tests_name("newrows", tests, NULL, NULL);
}
