/* counters: a table of counters, whose rows become one for each dispatch. */
#include "csvfeed.h"

#include "csv2tsv/counters.h"

static void next_row(struct csvfeed *feed, struct counters *counters, bool is_first)
{
	assert_true(csv_next(&feed->csv) > 0);
	assert_true(csvrow_read(&feed->row));
	assert_int_equal(counters_add(counters, &feed->row), is_first);
}

static void rows_of_a_dispatch_are_one(void **state)
{
	struct csvfeed feed = {0};
	struct counters counters = {0};

	(void)state;
	assert_true(csvcolumns_add(&feed.columns, STR("Agent_Id=agent")));
	assert_true(csvcolumns_add(&feed.columns, STR("waves=w")));
	assert_true(csvcolumns_add(&feed.columns, STR("reads")));
	csvfeed_open(&feed, "Dispatch_Id,Process_Id,Agent_Id,Kernel_Name,Start_Timestamp,"
	                    "End_Timestamp,Counter_Name,Counter_Value\n"
	                    "1,7,0,k,1000,3000,other,4\n"
	                    "1,8,0,m,2000,3000,waves,5\n"
	                    "1,7,0,k,1000,3000,waves,6\n"
	                    "1,7,0,k,1000,3000,waves,7\n"
	                    "1,7,1,n,1000,3000,reads,8\n");
	counters_begin(&counters, &feed.columns);
	next_row(&feed, &counters, true);
	assert_str(*counters_missing(&counters), STR("waves"));
	next_row(&feed, &counters, true);
	assert_str(*counters_missing(&counters), STR("reads"));
	next_row(&feed, &counters, false);
	next_row(&feed, &counters, false);
	next_row(&feed, &counters, true);
	assert_null(counters_missing(&counters));
	assert_int_equal(counters.rows.keys.count, 3);
	heldrows_get(&counters.rows, 0, feed.row.field);
	csvfeed_assert(feed.row.field, feed.row.count, "1.000|2||k||X|0|||0|6|");
	heldrows_get(&counters.rows, 1, feed.row.field);
	csvfeed_assert(feed.row.field, feed.row.count, "2.000|1||m||X|0|||0|5|");
	heldrows_get(&counters.rows, 2, feed.row.field);
	csvfeed_assert(feed.row.field, feed.row.count, "1.000|2||n||X|1|||1||8");

	/* A new file has seen no counter. */
	counters_begin(&counters, &feed.columns);
	assert_int_equal(counters.rows.keys.count, 0);
	assert_str(*counters_missing(&counters), STR("waves"));
	counters_free(&counters);
	csvfeed_close(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_dispatch_are_one),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
