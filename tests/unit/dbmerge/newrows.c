/* newrows: measured rows in a temporary file, read back by operator. */
#include "perfdb.h"

/* "shapes=duration/counter " for each row of an operator. */
static void show(struct newrows *rows, const char *op, struct buf *out)
{
	struct newrows_line line = {0};
	struct buf scratch = {0};

	for (uint32_t i = newrows_first(rows, str_of(op)); i; i = newrows_next(rows, i)) {
		newrows_fetch(rows, i - 1, &line);
		assert_string_equal(rows->lines.error, "");
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
	perfdb_rows(&rows,
	            STR("#" NEW_HEAD "\n"
	                "A\t1\tF\tND\t1\tF\t1.5\n"
	                "B.csv\t 2 \tF\tND\t1\tF\t\n"
	                "A\ta\\tb\tF\tND\t1\tF\t2\n"
	                "##kev\t1\n"
	                "#MicroBench aicore_time(us)\tnote\t" NEW_HEAD "\n"
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
	buf_text(&text, "#" NEW_HEAD "\n");
	for (int i = 0; i < 5000; i++) {
		size_t op = unit_below(&seed, COUNT(want));
		struct buf shapes = {0};

		unit_random_bytes(&seed, &shapes, unit_below(&seed, 200), STR("0123456789,;"));
		buf_format(&text, "Op%zu\t%.*s\tF\tND\t1\tF\t%d\n", op, (int)shapes.len,
		           shapes.data ? shapes.data : "", i);
		buf_format(&want[op], "%.*s=%d/ ", (int)shapes.len, shapes.data ? shapes.data : "", i);
		buf_free(&shapes);
	}
	perfdb_rows(&rows, buf_view(&text), &error);
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

/* The cells of a signature; and an unreadable row, whose fields are empty. */
static void cells_and_a_lost_file(void **state)
{
	struct newrows rows;
	struct newrows_line line = {0};
	struct buf scratch[SIGNATURE_CELLS] = {{0}};
	struct str cells[SIGNATURE_CELLS];
	struct buf error = {0};

	(void)state;
	perfdb_rows(&rows, STR("#" NEW_HEAD "\nA\ta\\tb\tF\tND\t1\tF\t1.5\n"), &error);
	newrows_fetch(&rows, 0, &line);
	newrows_cells(&line, cells, scratch);
	assert_text(cells[INPUT_SHAPES], "a\tb");
	assert_text(cells[OUTPUT_TYPES], "F");
	assert_text(cells[EP_SIZE], "");

	close(rows.lines.fd);
	newrows_fetch(&rows, 0, &line);
	assert_non_null(strstr(rows.lines.error, "cannot be read back"));
	newrows_cells(&line, cells, scratch);
	assert_text(cells[INPUT_SHAPES], "");
	for (int i = 0; i < SIGNATURE_CELLS; i++)
		buf_free(&scratch[i]);
	newrows_line_free(&line);
	newrows_close(&rows);
	buf_free(&error);
}

/* A fate only gets better. */
static void fates(void **state)
{
	struct newrows rows;
	struct buf error = {0};

	(void)state;
	perfdb_rows(&rows, STR("#" NEW_HEAD "\nA\t1\tF\tND\t1\tF\t1\nA\t2\tF\tND\t1\tF\t1\n"), &error);
	assert_int_equal(newrows_fate(&rows, 0), NEWROWS_NOWHERE);
	newrows_settle(&rows, 0, NEWROWS_PRUNED);
	newrows_settle(&rows, 0, NEWROWS_MISSING);
	assert_int_equal(newrows_fate(&rows, 0), NEWROWS_PRUNED);
	newrows_settle(&rows, 0, NEWROWS_IN_FILE);
	newrows_settle(&rows, 0, NEWROWS_PRUNED);
	assert_int_equal(newrows_fate(&rows, 0), NEWROWS_IN_FILE);
	assert_int_equal(newrows_fate(&rows, 1), NEWROWS_NOWHERE);
	newrows_close(&rows);
	buf_free(&error);
}

/* An operator must not lead out of the database, nor hide there. */
static void names_of_files(void **state)
{
	(void)state;
	assert_true(newrows_names_file(STR("MatMulV2")));
	assert_false(newrows_names_file(STR("../A")));
	assert_false(newrows_names_file(STR(".")));
	assert_false(newrows_names_file(STR("")));
	assert_false(newrows_names_file(STR("a\0b")));
	assert_false(newrows_names_file(STR("a\nb")));
	assert_false(newrows_names_file(STR("a\x7f")));
}

/* An error ends the reading, at whatever item, with the rows before it kept. */
static void faulty_rows(void **state)
{
	static const struct {
		struct str text;
		const char *error;
	} streams[] = {
		{BYTES("#OP Type\tInput Shapes\n"), "column 'Input Data Types' is missing"},
		{BYTES("#" NEW_HEAD "x\n"),
	     "column 'Average Duration(us)' is missing; did you mean 'Average Duration(us)x'?"},
		{BYTES("#x" NEW_HEAD "\n"), "column 'OP Type' is missing; make database rows with opagg"},
		{BYTES("#x" NEW_HEAD "\nA\t1\tF\tND\t1\tF\t1\n"),
	     "column 'OP Type' is missing; make database rows with opagg"},
		{BYTES("#" NEW_HEAD "\nA\t1\tF\tND\t1\tF\tx\n"),
	     "Average Duration(us): 'x' is not a number"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(streams); i++) {
		struct newrows rows;
		struct buf error = {0};

		perfdb_rows(&rows, streams[i].text, &error);
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
		cmocka_unit_test(cells_and_a_lost_file),
		cmocka_unit_test(fates),
		cmocka_unit_test(names_of_files),
		cmocka_unit_test(faulty_rows),
	};

	return cmocka_run_group_tests_name("newrows", tests, NULL, NULL);
}
