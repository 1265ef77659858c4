/* csvrow: a record of a profiler's CSV as the fields of a row. */
#include "csvfeed.h"

/* Reads a row, and compares its fields. */
static void next_row(struct csvfeed *feed, const char *want)
{
	assert_true(csv_next(&feed->csv) > 0);
	assert_true(csvrow_read(&feed->row));
	csvfeed_assert(feed->row.field, feed->row.count, want);
}

static void events(void **state)
{
	struct csvfeed feed = {.columns = {.rank = STR("3"), .file = true}};
	const struct csvrow_faults *faults = &feed.row.faults;

	(void)state;
	assert_true(csvcolumns_add(&feed.columns, STR("Step Id")));
	csvfeed_open(&feed, "Name,Type,Accelerator Core,Start Time(us),Duration(us),Step Id\n"
	                    "n, MatMul ,AI_CORE,7.5,2,1\n"
	                    "n,N/A,AI_CORE,8,2,1\n"
	                    "n,,AI_CORE,x,y,1\n"
	                    "n,T,AI_CORE,x,y,1\n"
	                    "n,T\n"
	                    "n,T,AI_CORE,8,2,1,more\n"
	                    "n,T,AI_CORE,8,2,1,more\n");
	next_row(&feed, "7.5|2|MatMul|n|AI_CORE|X||||1|3|f.csv");
	assert_str(feed.row.time, STR("2"));
	assert_null(csvrow_fault(&feed.row));
	next_row(&feed, "8|2||n|AI_CORE|X||||1|3|f.csv");
	/* Without a type, the times do not count as bad. */
	assert_true(csv_next(&feed.csv) > 0);
	assert_false(csvrow_read(&feed.row));
	assert_string_equal(csvrow_fault(&feed.row), "type is missing");
	assert_int_equal(faults->no_type, 1);
	assert_int_equal(faults->bad_ts + faults->bad_dur, 0);
	next_row(&feed, "||T|n|AI_CORE|X||||1|3|f.csv");
	assert_str(feed.row.time, STR(""));
	next_row(&feed, "||T|n||X|||||3|f.csv");
	assert_int_equal(faults->bad_ts, 2);
	assert_int_equal(faults->bad_dur, 2);
	next_row(&feed, "8|2|T|n|AI_CORE|X||||1|3|f.csv");
	next_row(&feed, "8|2|T|n|AI_CORE|X||||1|3|f.csv");
	assert_int_equal(faults->long_rows, 2);
	assert_int_equal(faults->first_long, 7);
	csvfeed_close(&feed);
}

static void durations_are_differences(void **state)
{
	struct csvfeed feed = {0};

	(void)state;
	csvfeed_open(&feed, "Kernel_Name,Start_Timestamp,End_Timestamp\n"
	                    "k,1000,3500\n"
	                    "k,3500,1000\n"
	                    "k,1000,x\n"
	                    "k,x,1000\n"
	                    "k,100,300.00000000000004\n");
	next_row(&feed, "1.000|2.5||k||X|||");
	next_row(&feed, "3.500|-2.5||k||X|||");
	assert_int_equal(feed.row.faults.negative, 1);
	next_row(&feed, "1.000|||k||X|||");
	assert_string_equal(csvrow_fault(&feed.row), "the duration is not a number");
	next_row(&feed, "|||k||X|||");
	assert_int_equal(feed.row.faults.bad_dur, 2);
	assert_string_equal(csvrow_fault(&feed.row), "the start is not a number");
	assert_false(feed.row.rounded);
	next_row(&feed, "0.100|0.2||k||X|||");
	assert_true(feed.row.rounded);
	csvfeed_close(&feed);
}

static void aggregates(void **state)
{
	struct csvfeed feed = {.columns = {.all = true, .rank = STR("3")}};

	(void)state;
	csvfeed_open(&feed, "OP Type,Count,Total Time(us),Min Time(us),Max Time(us),Avg\n"
	                    "MatMul,2,40,10,30,20\n"
	                    "Add,2,x,y,z,20\n"
	                    "Add,2,40\n");
	next_row(&feed, "MatMul|3|2|40|10|30|20");
	assert_str(feed.row.time, STR("40"));
	assert_null(csvrow_fault(&feed.row));
	next_row(&feed, "Add|3|2||||20");
	assert_str(feed.row.time, STR(""));
	assert_int_equal(feed.row.faults.bad_total, 1);
	assert_string_equal(csvrow_fault(&feed.row), "the total is not a number");
	next_row(&feed, "Add|3|2|40|||");
	assert_string_equal(csvrow_fault(&feed.row), "the row has fewer fields than the header");
	csvfeed_close(&feed);
}

/* nsys does not quote names. */
static void a_last_name_takes_the_rest(void **state)
{
	struct csvfeed feed = {0};

	(void)state;
	csvfeed_open(&feed, "Start (ns),Duration (ns),Name\n"
	                    "1000,2000,void f<1, 2>(int)\n");
	next_row(&feed, "1.000|2.000||void f<1, 2>(int)|kernel|X|||");
	assert_str(csvrow_value(&feed.row, CSV_NAME), STR("void f<1, 2>(int)"));
	assert_str(csvrow_value(&feed.row, CSV_TYPE), STR(""));
	assert_null(csvrow_fault(&feed.row));
	csvfeed_close(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events),
		cmocka_unit_test(durations_are_differences),
		cmocka_unit_test(aggregates),
		cmocka_unit_test(a_last_name_takes_the_rest),
	};

	return cmocka_run_group_tests_name("csvrow", tests, NULL, NULL);
}
