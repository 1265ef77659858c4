/* sheet: one table in each of four forms. */
#include "../unit.h"

#include "answer/sheet.h"

/* A table in a form. */
struct job {
	enum form form;
	const struct sheet_column *columns;
	size_t count;
	const void *rows;
	size_t size; /* bytes of one row */
	size_t rows_count;
};

static int write_sheet(void *arg)
{
	const struct job *job = arg;
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.argc = 1, .argv = argv, .no_head = job->form != FORM_TSV};
	struct kev_writer out;
	struct sheet sheet;
	struct jsonw json = {.out = &out.out.buf};

	die_init("prog");
	kev_writer_init(&out, &opts);
	if (job->form == FORM_JSON)
		jsonw_object(&json, NULL);
	sheet_begin(&sheet, &out, job->form, &json, "Some rows", job->columns, job->count);
	sheet.context = job;
	for (size_t i = 0; i < job->rows_count; i++)
		sheet_row(&sheet, (const char *)job->rows + i * job->size);
	sheet_end(&sheet);
	if (job->form == FORM_JSON)
		jsonw_end_object(&json);
	return kev_finish(&out);
}

static struct buf written(struct job job, enum form form)
{
	struct unit_end end;

	job.form = form;
	end = unit_run(write_sheet, &job);
	assert_int_equal(end.status, 0);
	assert_text(buf_view(&end.err), "");
	buf_free(&end.err);
	return end.out;
}

static void assert_written(struct job job, enum form form, const char *want)
{
	struct buf out = written(job, form);

	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
}

/* --- all forms ------------------------------------------------------------ */

struct row {
	struct str name;
	const char *us[2]; /* exact, rounded */
	struct str note;
	uint64_t counts[2];
};

static void put_us(struct sheet *sheet, const void *row, int which)
{
	const struct row *r = row;
	const struct job *job = sheet->context;

	assert_int_equal(which, 7);
	assert_true(job->rows == row || job->rows_count > 1);
	buf_text(&sheet->cell, r->us[sheet->people]);
}

static const struct row rows[] = {
	{BYTES("a\tb"), {"1.4999", "1.5"}, BYTES("x"), {0, 10}},
	{BYTES("c"), {"inf", "inf"}, BYTES(""), {0, 20}},
	{BYTES("d"), {"", ""}, BYTES("a|b"), {1, 18}},
};

static const struct sheet_column columns[] = {
	{"name", SHEET_NAME, sheet_put_text, offsetof(struct row, name)},
	{"us", SHEET_NUMBER, put_us, 7},
	{"note", SHEET_TEXT | SHEET_WIDE, sheet_put_text, offsetof(struct row, note)},
	{"count", SHEET_NUMBER, sheet_put_count, offsetof(struct row, counts[1])},
};

static const struct job small = {.columns = columns,
                                 .count = COUNT(columns),
                                 .rows = rows,
                                 .size = sizeof *rows,
                                 .rows_count = COUNT(rows)};

static void all_forms(void **state)
{
	(void)state;
	assert_written(
		small, FORM_TSV,
		"##kev\t1\n##ends\tprog\n##via\tprog\n#name\tus\tnote\tcount\na\\tb\t1.4999\tx\t10\n"
		"c\tinf\t\t20\nd\t\ta|b\t18\n##end\tprog\n");
	/* A report leaves wide columns out. */
	assert_written(small, FORM_REPORT,
	               "\nSome rows\n\nname     us  count\n------------------\na\\x09b  1.5     10\n"
	               "c       inf     20\nd               18\n");
	assert_written(small, FORM_MARKDOWN,
	               "\n## Some rows\n\n| name | us | note | count |\n| --- | ---: | --- | ---: |\n"
	               "| `a\\x09b` | 1.5 | x | 10 |\n| c | inf |  | 20 |\n| d |  | `a\\|b` | 18 |\n");
	assert_written(small, FORM_JSON,
	               "{\n  \"some_rows\": [\n"
	               "    {\n      \"name\": \"a\\tb\",\n      \"us\": 1.4999,\n"
	               "      \"note\": \"x\",\n      \"count\": 10\n    },\n"
	               "    {\n      \"name\": \"c\",\n      \"us\": null,\n"
	               "      \"note\": null,\n      \"count\": 20\n    },\n"
	               "    {\n      \"name\": \"d\",\n      \"us\": null,\n"
	               "      \"note\": \"a|b\",\n      \"count\": 18\n    }\n"
	               "  ]\n}\n");
}

static void without_rows(void **state)
{
	struct job job = small;

	(void)state;
	job.rows_count = 0;
	assert_written(job, FORM_TSV,
	               "##kev\t1\n##ends\tprog\n##via\tprog\n#name\tus\tnote\tcount\n##end\tprog\n");
	assert_written(job, FORM_REPORT, "\nSome rows\n\nname  us  count\n---------------\n");
	assert_written(job, FORM_JSON, "{\n  \"some_rows\": []\n}\n");
}

/* JSON may have lists, which put writes itself. */
static void put_items(struct sheet *sheet, const void *row, int which)
{
	const struct row *r = row;

	(void)which;
	for (uint64_t i = 0; i < r->counts[0]; i++)
		jsonw_count(sheet->json, NULL, i);
}

static void lists(void **state)
{
	static const struct sheet_column list = {"items", SHEET_LIST, put_items, 0};
	struct job job = small;

	(void)state;
	job.columns = &list;
	job.count = 1;
	job.rows = &rows[1];
	job.rows_count = 2;
	assert_written(job, FORM_JSON,
	               "{\n  \"some_rows\": [\n    {\n      \"items\": []\n    },\n"
	               "    {\n      \"items\": [\n        0\n      ]\n    }\n  ]\n}\n");
}

/* --- many columns --------------------------------------------------------- */

static void put_number(struct sheet *sheet, const void *row, int which)
{
	(void)row;
	sheet_count(sheet, (uint64_t)which);
}

/*
 * 100 columns: there is no bound, and every form has all of them but a report, which says what it
 * has no room for.
 */
static void many_columns(void **state)
{
	struct sheet_column many[100];
	char titles[COUNT(many)][8];
	struct buf want[4] = {{0}};
	struct job job = {.columns = many, .rows = rows, .size = 1, .rows_count = 1};

	(void)state;
	for (size_t n = 1; n <= COUNT(many); n += n < 16 ? 15 : 1) {
		job.count = n;
		for (size_t f = 0; f < COUNT(want); f++)
			want[f].len = 0;
		for (size_t i = 0; i < n; i++) {
			snprintf(titles[i], sizeof titles[i], "t%zu", i);
			many[i] = (struct sheet_column){titles[i], SHEET_NUMBER, put_number, (int)i};
			buf_format(&want[FORM_TSV], "%s%zu", i ? "\t" : "", i);
			buf_format(&want[FORM_REPORT], "%s%*zu", i ? "  " : "", (int)strlen(titles[i]), i);
			buf_format(&want[FORM_MARKDOWN], "%s %zu |", i ? "" : "|", i);
			buf_format(&want[FORM_JSON], "%s      \"t%zu\": %zu", i ? ",\n" : "    {\n", i, i);
		}
		buf_text(&want[FORM_JSON], "\n    }\n  ]\n}");
		for (size_t f = 0; f < COUNT(want); f++) {
			struct buf out = written(job, (enum form)f);

			buf_text(&want[f], f == FORM_TSV ? "\n##end\tprog\n" : "\n");
			if (f == FORM_REPORT && n > 22)
				assert_true(str_has(buf_view(&out), STR("\n 0   1   2 ")) &&
				            str_has(buf_view(&out), STR("  21\n\nno room for: t22")));
			else
				assert_true(str_ends(buf_view(&out), buf_view(&want[f])));
			buf_free(&out);
		}
	}
	for (size_t f = 0; f < COUNT(want); f++)
		buf_free(&want[f]);
}

/* --- long names ----------------------------------------------------------- */

/*
 * Readers of Markdown get want_n of the n times `unit`, and a tail; programs get all. How a report
 * shortens names depends on its width: see the tests of table.
 */
static void assert_cut(const char *unit, size_t n, size_t want_n, const char *tail)
{
	struct buf name = {0};
	struct buf want = {0};
	struct row row = {.us = {"", ""}};
	struct job job = {
		.columns = columns, .count = 1, .rows = &row, .size = sizeof row, .rows_count = 1};

	for (size_t i = 0; i < n; i++)
		buf_text(&name, unit);
	row.name = buf_view(&name);
	buf_text(&want, " ");
	buf_bytes(&want, name.data, want_n * strlen(unit));
	buf_text(&want, tail);
	for (enum form form = FORM_TSV; form <= FORM_MARKDOWN; form++) {
		struct buf out;

		if (form == FORM_REPORT)
			continue;
		out = written(job, form);
		/* A cell of Markdown is between spaces, or code. */
		want.data[0] = *tail ? '`' : ' ';
		buf_char(&want, want.data[0]);
		assert_true(str_has(buf_view(&out), form == FORM_MARKDOWN ? buf_view(&want) : row.name));
		want.len--;
		buf_free(&out);
	}
	buf_free(&name);
	buf_free(&want);
}

static void long_names(void **state)
{
	(void)state;
	assert_cut("k", 100, 100, "");
	assert_cut("k", 101, 97, "...");
	/* Never within a character: 97 bytes have room for 48 of two bytes, 32 of three, 24 of four. */
	assert_cut("µ", 51, 48, "...");
	assert_cut("核", 34, 32, "...");
	assert_cut("🚀", 26, 24, "...");
	assert_cut("🚀", 25, 25, "");
}

/* A column of a stream only, and its name in the other forms. */
static void two_names(void **state)
{
	static const struct row row = {BYTES("a"), {"1", "1"}, BYTES("x"), {0, 0}};
	static const struct sheet_column named[] = {
		SHEET_NAMES("op", "operation", SHEET_TEXT, sheet_put_text, offsetof(struct row, name)),
		{"note", SHEET_TEXT, sheet_put_text, offsetof(struct row, note)},
	};
	struct job job = {.columns = named,
	                  .count = sizeof named / sizeof *named,
	                  .rows = &row,
	                  .size = sizeof row,
	                  .rows_count = 1};
	struct buf out = written(job, FORM_TSV);

	(void)state;
	assert_true(str_has(buf_view(&out), STR("#op\tnote\na\tx\n")));
	buf_free(&out);
	assert_written(job, FORM_MARKDOWN,
	               "\n## Some rows\n\n| operation | note |\n| --- | --- |\n| a | x |\n");
}

/* --- fields --------------------------------------------------------------- */

struct pointer {
	struct dec us;
	const struct row *to;
};

/* Fields of the row, and of the struct to which it points. */
static void fields_of_a_row(void **state)
{
	static const struct pointer pointers[] = {{{1500000000}, &rows[1]}, {{-1}, &rows[2]}};
	static const struct sheet_column fields[] = {
		{"us", SHEET_NUMBER, sheet_put_dec, offsetof(struct pointer, us)},
		{"name", SHEET_TEXT, sheet_put_text, SHEET_THROUGH(struct pointer, to, struct row, name)},
		{"count", SHEET_NUMBER, sheet_put_count,
	     SHEET_THROUGH(struct pointer, to, struct row, counts[1])},
	};
	struct job job = {.columns = fields,
	                  .count = COUNT(fields),
	                  .rows = pointers,
	                  .size = sizeof *pointers,
	                  .rows_count = COUNT(pointers)};
	struct buf out = written(job, FORM_TSV);

	(void)state;
	assert_true(
		str_has(buf_view(&out), STR("#us\tname\tcount\n1.5\tc\t20\n-0.000000001\td\t18\n")));
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_names),       cmocka_unit_test(all_forms),
		cmocka_unit_test(without_rows),    cmocka_unit_test(lists),
		cmocka_unit_test(many_columns),    cmocka_unit_test(long_names),
		cmocka_unit_test(fields_of_a_row),
	};

	return cmocka_run_group_tests_name("sheet", tests, NULL, NULL);
}
