/* schema: the columns of a performance database's files. */
#include "../unit.h"

#include "perfdb/schema.h"

#define BASE                                                                               \
	"OP State|Accelerator Core|Input Shapes|Input Data Types|Input Formats|Output Shapes|" \
	"Output Data Types|Output Formats"

/* A layout of the columns between bars. */
static void make_layout(struct csvfile_layout *layout, const char *columns)
{
	while (*columns) {
		size_t n = strcspn(columns, "|");

		csvfile_layout_insert(layout, layout->count, (struct str){columns, n});
		columns += n + (columns[n] == '|');
	}
	layout->changed = false;
}

static void assert_layout(struct csvfile_layout *layout, const char *want, bool changed, int line)
{
	struct buf got = {0};

	for (size_t i = 0; i < layout->count; i++) {
		buf_text(&got, i ? "|" : "");
		buf_str(&got, buf_view(&layout->column[i].name));
	}
	unit_equal(buf_view(&got), str_of(want), __FILE__, line);
	assert_int_equal(layout->changed, changed);
	buf_free(&got);
	csvfile_layout_free(layout);
}

static void completed(const char *columns, const char *want, bool changed, int line)
{
	struct csvfile_layout layout = {0};
	struct schema schema;

	schema_init(&schema);
	make_layout(&layout, columns);
	schema_complete(&schema, &layout, false);
	assert_layout(&layout, want, changed, line);
	schema_free(&schema);
}

#define assert_completed(columns, want, changed) completed(columns, want, changed, __LINE__)

static void what_is_complete_stays(void **state)
{
	static const char columns[] =
		"note|" BASE "|Profiling Average Duration(us)|Average Duration(us)|MicroBench aiv_time(us)|"
		"Profiling Average aiv_time(us)|MicroBench aic_mac_ratio|EP Size";

	(void)state;
	assert_completed(columns, columns, false);
	assert_completed("Average Duration(us)", "Average Duration(us)", false);
}

static void the_old_name_of_the_average(void **state)
{
	(void)state;
	assert_completed(BASE "|MicroBench Duration(us)|x", BASE "|Average Duration(us)|x", true);
	/* Beside the new one it is a column like any other. */
	assert_completed(BASE "|MicroBench Duration(us)|Average Duration(us)",
	                 BASE "|MicroBench Duration(us)|Average Duration(us)", false);
}

static void no_average_at_all(void **state)
{
	(void)state;
	assert_completed(BASE "|x", BASE "|Average Duration(us)|x", true);
	assert_completed("x|Output Formats|Input Shapes|y", BASE "|Average Duration(us)|x|y", true);
	assert_completed("", BASE "|Average Duration(us)", true);
}

static void what_is_no_longer_kept_goes(void **state)
{
	(void)state;
	assert_completed(
		"MicroBench Task Duration(us)|Average Duration(us)|MicroBench Kernel Duration(us)",
		"Average Duration(us)", true);
}

static void counters_stand_before_the_profiles(void **state)
{
	(void)state;
	assert_completed(
		"Average Duration(us)|Profiling Average aiv_time(us)|x|Profiling Average aic_mac_ratio",
		"Average Duration(us)|MicroBench aiv_time(us)|Profiling Average aiv_time(us)|x|"
		"MicroBench aic_mac_ratio|Profiling Average aic_mac_ratio",
		true);
	/* There it is, if elsewhere. */
	assert_completed("Average Duration(us)|Profiling Average aiv_time(us)|MicroBench aiv_time(us)",
	                 "Average Duration(us)|Profiling Average aiv_time(us)|MicroBench aiv_time(us)",
	                 false);
}

static void a_new_file_has_all(void **state)
{
	struct csvfile_layout layout = {0};
	struct schema schema;

	(void)state;
	schema_init(&schema);
	schema_complete(&schema, &layout, true);
	assert_int_equal(layout.count, SIGNATURE_BASE + 4 + 2 * SIGNATURE_COUNTERS);
	for (int i = 0; i < SCHEMA_COLUMNS; i++) /* all that is known but EP Size */
		assert_int_equal(csvfile_layout_find(&layout, schema.name[i]) >= 0, i != EP_SIZE);
	assert_str(buf_view(&layout.column[SIGNATURE_BASE].name), STR("Average Duration(us)"));
	for (int i = 0; i < SIGNATURE_COUNTERS; i++) {
		size_t at = SIGNATURE_BASE + 4 + 2 * (size_t)i;
		struct str microbench = buf_view(&layout.column[at].name);

		assert_str(microbench, schema.name[SCHEMA_COUNTER + i]);
		assert_true(str_ends(microbench, str_of(signature_counters[i])));
		assert_true(str_starts(buf_view(&layout.column[at + 1].name), STR("Profiling Average ")));
	}
	csvfile_layout_free(&layout);
	schema_free(&schema);
}

static void the_older_kind(void **state)
{
	struct csvfile_layout layout = {0};

	(void)state;
	make_layout(&layout, "x|Average Duration(us)|Median Duration(us)|Std Duration(us)|"
	                     "Average aiv_time(us)|Average note|avg_seq_len");
	assert_int_equal(schema_older_mark(&layout), 2);
	assert_true(schema_migrate(&layout));
	assert_int_equal(schema_older_mark(&layout), -1);
	assert_layout(
		&layout,
		"x|Profiling Average Duration(us)|Profiling Median Duration(us)|"
		"Profiling Std Duration(us)|Profiling Average aiv_time(us)|Average note|avg_seq_len",
		true, __LINE__);
	make_layout(&layout, "Average Duration(us)|Std Duration(us)");
	assert_int_equal(schema_older_mark(&layout), 1);
	csvfile_layout_free(&layout);
	make_layout(&layout, "Average Duration(us)|Average note|Average aiv_time(us)");
	assert_int_equal(schema_older_mark(&layout), 2);
	csvfile_layout_free(&layout);
	make_layout(&layout, "Average Duration(us)|Average note|Profiling Average aiv_time(us)");
	assert_int_equal(schema_older_mark(&layout), -1);
	csvfile_layout_free(&layout);
	make_layout(&layout, "MicroBench Duration(us)|Median Duration(us)");
	assert_int_equal(schema_older_mark(&layout), 1);
	assert_true(schema_migrate(&layout));
	assert_layout(&layout, "MicroBench Duration(us)|Profiling Median Duration(us)", true, __LINE__);
	csvfile_layout_free(&layout);
	make_layout(&layout, "Median Duration(us)|Average Duration(us)|Profiling Average Duration(us)");
	assert_false(schema_migrate(&layout));
	csvfile_layout_free(&layout);
}

static void what_a_header_lacks(void **state)
{
	static const struct {
		int column;       /* one of the base columns */
		const char *is;   /* name of the column in the header; NULL: missing */
		const char *want; /* why it is none of a database; empty if it is one */
	} cases[] = {
		{0, "OP State", ""},
		{0, NULL, ""},
		{1, NULL, ""},
		{SIGNATURE_BASE - 1, NULL, ""},
		{SIGNATURE_BASE - 2, NULL, "column 'Output Data Types' is missing"},
		{2, "\" Input Shapes\t\"", ""},
		{2, "Input shapes", "column 'Input Shapes' is missing"},
		{1, "Task Duration(us)", "it is a profile, as its column 'Task Duration(us)' shows"},
		{0, "Duration(us)", "it is a profile, as its column 'Duration(us)' shows"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf text = {0};
		struct csv_reader csv;
		struct buf why = {0};

		for (int c = 0; c < SIGNATURE_BASE; c++) {
			const char *name = c == cases[i].column ? cases[i].is : signature_base[c];

			if (name)
				buf_format(&text, "%s%s", c ? "," : "", name);
		}
		unit_feed(buf_view(&text));
		assert_true(csv_open(&csv, "-", SIZE_MAX));
		assert_int_equal(csv_next(&csv), 1);
		assert_int_equal(schema_fits(&csv, &why), cases[i].want[0] == '\0');
		assert_str(buf_view(&why), str_of(cases[i].want));
		buf_free(&why);
		csv_close(&csv);
		buf_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_complete_stays),
		cmocka_unit_test(the_old_name_of_the_average),
		cmocka_unit_test(no_average_at_all),
		cmocka_unit_test(what_is_no_longer_kept_goes),
		cmocka_unit_test(counters_stand_before_the_profiles),
		cmocka_unit_test(a_new_file_has_all),
		cmocka_unit_test(the_older_kind),
		cmocka_unit_test(what_a_header_lacks),
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
