/* marks: recorded waits, beside a look at all rows. */
#include "../unit.h"

#include "path_made.h"

/* Rows of three streams, launched and ended in any order; every call is the record of some event.
 */
static void random_rows(struct buf *text, uint64_t *seed)
{
	for (size_t i = 1; i <= 30; i++) {
		size_t stream = 7 + unit_below(seed, 3);

		buf_format(text, "%zu\t1\tl\tcuda_runtime\t9\t9\t%zu\t\t\t\n", unit_below(seed, 40), i);
		buf_format(text, "%zu\t%zu\tk%zu\tkernel\t0\t7\t%zu\t%zu\t\t\n", unit_below(seed, 60),
		           unit_below(seed, 9), i, i - unit_below(seed, 2), stream);
	}
	for (size_t i = 31; i <= 60; i++) {
		static const char *const names[] = {"Stream Wait Event", "Event Sync", "Stream Sync"};
		size_t what = unit_below(seed, 3);

		buf_format(text, "%zu\t1\tw\tcuda_runtime\t9\t9\t%zu\t\t\t\n", unit_below(seed, 40), i);
		buf_format(text, "0\t0\t%s\tcuda_sync\t0\t7\t%zu\t%zu", names[what], i,
		           7 + unit_below(seed, 3));
		if (what < 2)
			buf_format(text, "\t%zu\t%zu\n", 7 + unit_below(seed, 3), 1 + unit_below(seed, 35));
		else
			buf_text(text, "\t\t\n");
	}
}

static const struct launch *call(const struct made *made, uint32_t correlation)
{
	return correlation == DEVROWS_NONE ? NULL : launches_at(&made->launches, correlation);
}

/* The last row of a stream before the limit that was launched before a time. */
static uint32_t synchronized(const struct made *made, uint32_t stream, const struct launch *record,
                             size_t limit)
{
	for (size_t i = limit; i-- > 0;) {
		const struct devrow *row = &made->devrows.row[i];
		const struct launch *launch = devrows_launch(&made->devrows, row);

		if (row->stream == stream && launch && dec_compare(launch->ts, record->ts) < 0)
			return (uint32_t)i;
	}
	return DEVROWS_NONE;
}

static void calls_that_synchronize(void **state)
{
	uint64_t seed = 3;
	size_t found = 0;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct buf text = {0};
		struct made made;

		random_rows(&text, &seed);
		made_read(&made, buf_view(&text));
		for (size_t i = 0; i < made.marks.count; i++) {
			const struct mark *mark = &made.marks.item[i];
			const struct launch *record = call(&made, mark->record);
			size_t limit = unit_below(&seed, made.devrows.count + 1);
			uint32_t want;

			assert_ptr_equal(marks_of(&made.marks, mark->call), mark);
			if (!record)
				continue;
			want = synchronized(&made, mark->on, record, limit);
			assert_int_equal(marks_synchronized(&made.marks, mark, 0, limit), want);
			found += want != DEVROWS_NONE;
		}
		buf_free(&text);
		made_free(&made);
	}
	assert_true(found > 100);
}

static void waits_of_streams(void **state)
{
	struct made made;
	const struct devrow *row;

	(void)state;
	made_read(&made,
	          STR("0\t1\tl\tcuda_runtime\t9\t9\t1\t\t\t\n2\t1\tr\tcuda_runtime\t9\t9\t2\t\t\t\n"
	              "3\t1\tw\tcuda_runtime\t9\t9\t3\t\t\t\n5\t1\tl\tcuda_runtime\t9\t9\t4\t\t\t\n"
	              "8\t9\ta\tkernel\t0\t7\t1\t7\t\t\n20\t1\tb\tkernel\t0\t8\t4\t8\t\t\n"
	              "3\t0\tStream Wait Event\tcuda_sync\t0\t8\t3\t8\t7\t2\n"));
	row = &made.devrows.row[1];
	assert_true(marks_file_waits(&made.marks, 0));
	assert_false(marks_file_waits(&made.marks, 1));
	assert_int_equal(marks_waited(&made.marks, row, 1), 0);
	assert_int_equal(marks_waited(&made.marks, row, 0), DEVROWS_NONE);
	assert_int_equal(marks_waited(&made.marks, &made.devrows.row[0], 2), DEVROWS_NONE);
	/* Waits of streams are not what calls waited for. */
	assert_null(marks_of(&made.marks, row->call - 1));
	made_free(&made);
}

/* A wait that was called when a kernel of its stream was launched belongs to no later launch. */
static void a_wait_beside_a_launch(void **state)
{
	struct made made;

	(void)state;
	made_read(&made,
	          STR("0\t1\tl\tcuda_runtime\t9\t9\t1\t\t\t\n2\t1\tr\tcuda_runtime\t9\t9\t2\t\t\t\n"
	              "3\t1\tw\tcuda_runtime\t9\t9\t3\t\t\t\n3\t1\tl\tcuda_runtime\t9\t6\t4\t\t\t\n"
	              "5\t1\tl\tcuda_runtime\t9\t9\t5\t\t\t\n"
	              "8\t9\ta\tkernel\t0\t7\t1\t7\t\t\n20\t1\tb\tkernel\t0\t8\t4\t8\t\t\n"
	              "30\t1\tc\tkernel\t0\t8\t5\t8\t\t\n"
	              "3\t0\tStream Wait Event\tcuda_sync\t0\t8\t3\t8\t7\t2\n"));
	assert_int_equal(marks_waited(&made.marks, &made.devrows.row[1], 1), DEVROWS_NONE);
	assert_int_equal(marks_waited(&made.marks, &made.devrows.row[2], 2), DEVROWS_NONE);
	made_free(&made);
}

static void other_devices(void **state)
{
	struct made made;
	const struct mark *mark;

	(void)state;
	made_read(&made, STR("8\t9\ta\tkernel\t0\t7\t\t7\t\t\n8\t9\tb\tkernel\t1\t7\t\t7\t\t\n"
	                     "0\t5\tContext Sync\tcuda_sync\t1\t7\t5\t-1\t\t\n"));
	mark = made.marks.item;
	assert_int_equal(marks_synchronized(&made.marks, mark, 0, 1), DEVROWS_NONE);
	assert_int_equal(marks_synchronized(&made.marks, mark, 1, 2), 1);
	assert_int_equal(marks_synchronized(&made.marks, mark, 1, 1), DEVROWS_NONE);
	made_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_synchronize),
		cmocka_unit_test(waits_of_streams),
		cmocka_unit_test(a_wait_beside_a_launch),
		cmocka_unit_test(other_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
