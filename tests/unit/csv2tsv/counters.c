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

static void a_counter_is_the_duration(void **state)
{
	struct csvfeed feed = {0};
	struct counters counters = {0};

	(void)state;
	assert_true(csvcolumns_add(&feed.columns, STR("bytes")));
	csvfeed_open(&feed, "ID,Process ID,Kernel Name,Metric Name,Metric Value,Metric Unit\n"
	                    "0,7,k,bytes,\"1,024\",Kbyte\n"
	                    "0,7,k,Duration,2.5,ms\n"
	                    "0,7,k,gpu__time_duration.sum,9,ms\n"
	                    "1,7,m,Duration,5,cycle\n"
	                    "1,7,m,bytes,3,Mbyte\n"
	                    "1,7,m,bytes,3,Gbyte\n"
	                    ",7,m,bytes,3,Gbyte\n");
	counters_begin(&counters, &feed.columns);
	next_row(&feed, &counters, true);
	assert_int_equal(counters.other_unit[0].len, 0);
	next_row(&feed, &counters, false);
	assert_true(counters.gave_dur);
	assert_str(feed.row.time, STR("2500"));
	next_row(&feed, &counters, false);
	assert_false(counters.gave_dur);
	assert_str(feed.row.time, STR(""));
	next_row(&feed, &counters, true);
	next_row(&feed, &counters, false);
	next_row(&feed, &counters, false);
	assert_buf(&counters.unit[0], "Kbyte");
	assert_buf(&counters.other_unit[0], "Mbyte");
	assert_true(csv_next(&feed.csv) > 0);
	assert_false(csvrow_read(&feed.row));
	assert_int_equal(feed.row.faults.no_dispatch, 1);
	heldrows_get(&counters.rows, 0, feed.row.field);
	csvfeed_assert(feed.row.field, counters.rows.columns, "0|2500||k|kernel|X||||1024");
	heldrows_get(&counters.rows, 1, feed.row.field);
	csvfeed_assert(feed.row.field, counters.rows.columns, "0|||m|kernel|X||||3");
	counters_free(&counters);
	csvfeed_close(&feed);
}

static void assert_row(const struct heldrows *rows, size_t number, const char *want)
{
	struct str row[3];
	struct buf got = {0};

	heldrows_get(rows, number, row);
	for (size_t i = 0; i < rows->columns; i++) {
		buf_text(&got, i ? "|" : "");
		buf_str(&got, row[i]);
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void empty_fields_are_filled(void **state)
{
	const struct str first[] = {STR("1"), STR(""), STR("a")};
	const struct str second[] = {STR("2"), STR(""), STR("")};
	struct heldrows rows = {0};
	bool added;

	(void)state;
	heldrows_begin(&rows, 3);
	assert_int_equal(heldrows_add(&rows, STR("x"), first, &added), 0);
	assert_true(added);
	assert_int_equal(heldrows_add(&rows, STR("y"), second, &added), 1);
	assert_true(added);
	assert_int_equal(heldrows_add(&rows, STR("x"), second, &added), 0);
	assert_false(added);
	heldrows_fill(&rows, 0, 1, STR("later"));
	heldrows_fill(&rows, 0, 1, STR("too late"));
	heldrows_fill(&rows, 0, 2, STR("b"));
	heldrows_fill(&rows, 1, 2, STR(""));
	assert_int_equal(rows.keys.count, 2);
	assert_row(&rows, 0, "1|later|a");
	assert_row(&rows, 1, "2||");

	/* Again, with other columns. */
	heldrows_begin(&rows, 2);
	assert_int_equal(rows.keys.count, 0);
	assert_int_equal(heldrows_add(&rows, STR("y"), second, &added), 0);
	assert_true(added);
	assert_row(&rows, 0, "2|");
	heldrows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_fields_are_filled),
		cmocka_unit_test(rows_of_a_dispatch_are_one),
		cmocka_unit_test(a_counter_is_the_duration),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
