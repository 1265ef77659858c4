/* csvcolumns: which columns the stream of a CSV has. */
#include "../unit.h"

#include "csv2tsv/csvcolumns.h"

static const char kernels[] = "Name,Type,Accelerator Core,Start Time(us),Duration(us),,Step Id\n";
static const char counts[] = "Dispatch_Id,Process_Id,Agent_Id,Kernel_Name,Start_Timestamp,"
							 "End_Timestamp,Counter_Name,Counter_Value\n";
static const char sums[] = "OP Type,Core Type,Count,Total Time(us),Min Time(us),Max Time(us),Avg\n";

/* Chooses columns for these headers, and compares their names, with commas between them. */
static bool choose(struct csvcolumns *columns, const char *head, const char *want)
{
	static const char *const nothing[CSV_MAPPABLE];
	struct csv_headers headers = {0};
	struct csv_layout layout;
	struct csv_reader csv;
	struct buf got = {0};
	bool good;

	unit_feed(str_of(head));
	assert_true(csv_open(&csv, "-", 1 << 20));
	assert_true(csv_next(&csv) > 0);
	csv_headers_read(&headers, &csv);
	assert_true(csv_layout_find(&layout, &headers, nothing));
	good = csvcolumns_choose(columns, &layout, &headers);
	for (size_t i = 0; good && i < columns->count; i++) {
		buf_text(&got, i ? "," : "");
		buf_str(&got, columns->name[i]);
	}
	assert_str(good ? buf_view(&got) : buf_view(&columns->error), str_of(want));
	buf_free(&got);
	csv_headers_free(&headers);
	csv_close(&csv);
	return good;
}

static void words_add_columns(void **state)
{
	static const struct {
		const char *word;
		const char *header; /* NULL: the word is wrong */
		const char *name;
	} cases[] = {
		{"a", "a", "a"},    {"a=b", "a", "b"},  {"a=b=c", "a", "b=c"},
		{"=b", NULL, NULL}, {"a=", NULL, NULL}, {"=", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct csvcolumns columns = {0};
		bool good = csvcolumns_add(&columns, str_of(cases[i].word));

		assert_case(cases[i].word, good == (cases[i].header != NULL));
		assert_int_equal(columns.extras_count, good);
		if (good) {
			assert_str(columns.extras->header, str_of(cases[i].header));
			assert_str(columns.extras->name, str_of(cases[i].name));
		}
		csvcolumns_free(&columns);
	}
}

static void columns_of_events(void **state)
{
	struct csvcolumns columns = {0};

	(void)state;
	assert_true(choose(&columns, kernels, "ts,dur,type,name,cat,ph,pid,tid,source"));
	assert_int_equal(columns.key_count, 0);
	assert_int_equal(columns.others_count, 0);
	columns.rank = STR("3");
	columns.file = true;
	columns.all = true;
	assert_true(
		choose(&columns, kernels, "ts,dur,type,name,cat,ph,pid,tid,source,Step Id,rank,file"));
	assert_int_equal(columns.others_count, 1);
	assert_int_equal(columns.others[0], 6);
	/* A column that was added by its header is not added again; one of the format is. */
	assert_true(csvcolumns_add(&columns, STR("Step Id=step")));
	assert_true(csvcolumns_add(&columns, STR("Name=op")));
	assert_true(
		choose(&columns, kernels, "ts,dur,type,name,cat,ph,pid,tid,source,step,op,rank,file"));
	assert_int_equal(columns.others[0], 6);
	assert_int_equal(columns.others[1], 0);
	csvcolumns_free(&columns);
}

static void columns_of_aggregates(void **state)
{
	struct csvcolumns columns = {.all = true, .rank = STR("3")};

	(void)state;
	assert_true(choose(&columns, sums, "type,cat,rank,count,total,min,max,Avg"));
	assert_int_equal(columns.key_count, 3);
	csvcolumns_free(&columns);
}

static void counters_are_no_columns(void **state)
{
	struct csvcolumns columns = {0};

	(void)state;
	assert_true(csvcolumns_add(&columns, STR("SQ_WAVES=waves")));
	assert_true(choose(&columns, counts, "ts,dur,type,name,cat,ph,pid,tid,source,waves"));
	assert_int_equal(columns.others[0], -1);
	columns.all = true;
	assert_true(choose(&columns, counts,
	                   "ts,dur,type,name,cat,ph,pid,tid,source,waves,Dispatch_Id,Process_Id"));
	assert_int_equal(columns.others_count, 3);
	/* In another table, it is missing. */
	assert_false(choose(&columns, kernels, "-a: column 'SQ_WAVES' is missing"));
	csvcolumns_free(&columns);
}

static void errors_are_plain(void **state)
{
	struct csvcolumns columns = {0};

	(void)state;
	assert_true(csvcolumns_add(&columns, STR("a\033b")));
	assert_false(choose(&columns, sums, "-a: column 'a\\x1bb' is missing"));
	assert_int_equal(columns.key_count, 2);
	csvcolumns_free(&columns);
	assert_true(csvcolumns_add(&columns, STR("Step Id=ts")));
	assert_false(
		choose(&columns, kernels, "two columns are named 'ts'; rename one with -a HEADER=COL"));
	csvcolumns_free(&columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_add_columns),     cmocka_unit_test(columns_of_events),
		cmocka_unit_test(columns_of_aggregates), cmocka_unit_test(counters_are_no_columns),
		cmocka_unit_test(errors_are_plain),
	};

	return cmocka_run_group_tests_name("csvcolumns", tests, NULL, NULL);
}
