/* threads: the innermost row, the rows around a row, own time, beside the definitions. */
#include "../unit.h"

#include "threads_made.h"

enum { SPAN = 40 };

static const char *const cats[] = {"user_annotation", "python_function", "cpu_op", "cuda_runtime"};

/* Rows of one thread at random, in any way nested and overlapping. */
static struct threads random_rows(uint64_t *seed)
{
	struct buf text = {0};
	struct threads threads;
	size_t count = 1 + unit_below(seed, 40);

	buf_text(&text, "#ts\tdur\tname\tcat\tpid\ttid\n");
	for (size_t i = 0; i < count; i++) {
		size_t most = unit_below(seed, 3) ? 6 : SPAN;

		buf_format(&text, "%zu\t%zu\tn%zu\t%s\t1\t1\n", unit_below(seed, SPAN),
		           unit_below(seed, most), i, cats[unit_below(seed, 4)]);
	}
	threads = threads_made(buf_view(&text));
	buf_free(&text);
	return threads;
}

static bool is_open(const struct threads_row *row, struct dec time)
{
	return dec_compare(row->start, time) <= 0 && dec_compare(time, row->end) < 0;
}

/* The last row in the order that is open. */
static uint32_t innermost(const struct thread *thread, struct dec time)
{
	for (size_t i = thread->count; i-- > 0;)
		if (is_open(&thread->row[i], time))
			return (uint32_t)i;
	return THREADS_NONE;
}

static void assert_order(const struct thread *thread)
{
	for (size_t i = 1; i < thread->count; i++) {
		const struct threads_row *a = &thread->row[i - 1];
		const struct threads_row *b = &thread->row[i];
		int order = dec_compare(a->start, b->start);

		if (order == 0)
			order = dec_compare(b->end, a->end);
		if (order == 0)
			order = (int)a->rank - (int)b->rank;
		assert_true(order < 0 || (order == 0 && a->input < b->input));
		assert_true(threads_place(thread, &(struct interval){b->start, b->end},
		                          (enum rowkind_rank)b->rank) <= i);
	}
}

static void assert_walk(const struct thread *thread, int from, int to)
{
	const struct interval span = {dec_of(from), dec_of(to)};
	struct threads_walk walk = threads_walk(thread, &span);
	struct threads_segment segment;
	struct dec at = span.start;
	uint32_t last = THREADS_NONE;
	bool first = true;

	while (threads_next(&walk, &segment)) {
		assert_int_equal(dec_compare(segment.span.start, at), 0);
		assert_true(dec_compare(at, segment.span.end) < 0);
		assert_true(first || segment.row != last);
		for (; dec_compare(at, segment.span.end) < 0; at.nano += dec_of(1).nano)
			assert_int_equal(segment.row, innermost(thread, at));
		last = segment.row;
		first = false;
	}
	assert_int_equal(dec_compare(at, span.end), 0);
}

/* The segments from the end of the rows back, a step each. */
static void assert_before(const struct thread *thread)
{
	struct dec at = dec_of(2 * SPAN);

	while (at.nano > dec_of(-1).nano) {
		struct threads_segment segment = threads_before(thread, at);
		struct dec moment = {at.nano - 1};

		assert_int_equal(dec_compare(segment.span.end, at), 0);
		for (; moment.nano >= segment.span.start.nano && moment.nano > dec_of(-2).nano;
		     moment.nano -= dec_of(1).nano)
			assert_int_equal(segment.row, innermost(thread, moment));
		if (dec_compare(segment.span.start, THREADS_EARLIEST) == 0)
			break;
		assert_int_not_equal(segment.row,
		                     innermost(thread, (struct dec){segment.span.start.nano - 1}));
		at = segment.span.start;
	}
	assert_int_equal(threads_before(NULL, at).row, THREADS_NONE);
}

static void assert_measures(struct threads *threads)
{
	struct thread *thread = &threads->item[0];
	struct buf stack = {0};
	__int128 sum = 0;
	__int128 busy = 0;
	size_t *depth = calloc(thread->count, sizeof *depth);

	for (size_t i = 0; i < thread->count; i++) {
		for (size_t j = 0; j < i; j++)
			depth[i] += is_open(&thread->row[j], thread->row[i].start);
		stack.len = 0;
		assert_int_equal(threads_fold(threads, thread, i, thread->row[i].start, &stack), depth[i]);
	}
	for (int i = 0; i < 2 * SPAN; i++)
		busy += innermost(thread, dec_of(i)) == THREADS_NONE ? 0 : dec_of(1).nano;
	threads_measure(threads);
	for (size_t i = 0; i < thread->count; i++) {
		sum += thread->self[i].nano;
		assert_true(thread->self[i].nano >= 0);
		assert_int_equal(thread->row[i].depth, depth[i]);
	}
	assert_true(sum == busy);
	free(depth);
	buf_free(&stack);
}

static void by_definition(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int turn = 0; turn < 300; turn++) {
		struct threads threads = random_rows(&seed);

		assert_order(&threads.item[0]);
		assert_walk(&threads.item[0], -1, 2 * SPAN);
		for (int i = 0; i < 10; i++) {
			int from = (int)unit_below(&seed, SPAN);

			assert_walk(&threads.item[0], from, from + 1 + (int)unit_below(&seed, SPAN));
		}
		assert_before(&threads.item[0]);
		assert_measures(&threads);
		threads_free(&threads);
	}
}

/* Rows nested a hundred thousand deep, and as many after them: no question takes a step for each.
 */
static void deep(void **state)
{
	enum { ROWS = 100000 };
	struct buf text = {0};
	struct threads threads;
	struct dec sum = {0};

	(void)state;
	buf_text(&text, "#ts\tdur\tname\tcat\tpid\ttid\n");
	for (int i = 0; i < ROWS; i++)
		buf_format(&text, "%d\t%d\tn\tcpu_op\t1\t1\n", i, 2 * (ROWS - i));
	buf_format(&text, "%d\t%d\tp\tcpu_op\t1\t1\n", 2 * ROWS, 2 * ROWS);
	for (int i = 0; i < ROWS; i++)
		buf_format(&text, "%d\t1\ts\tcpu_op\t1\t1\n", 2 * ROWS + 1 + i);
	threads = threads_made(buf_view(&text));
	for (int i = 0; i < ROWS; i++) {
		struct buf stack = {0};

		assert_int_equal(threads_fold(&threads, &threads.item[0], ROWS + 1 + (size_t)i,
		                              dec_of(2 * ROWS + 1 + i), &stack),
		                 1);
		unit_equal(buf_view(&stack), STR("p"), __FILE__, __LINE__);
		buf_free(&stack);
	}
	threads_measure(&threads);
	for (size_t i = 0; i < threads.item[0].count; i++)
		sum.nano += threads.item[0].self[i].nano;
	assert_int_equal(dec_compare(sum, dec_of(4 * ROWS)), 0);
	threads_free(&threads);
	buf_free(&text);
}

/* Threads by their process, then numbers by value and texts; questions by pid and tid. */
static void several(void **state)
{
	static const char *const want[] = {"9", "10", "io", "9"};
	struct threads threads = threads_made(
		STR("#ts\tdur\tname\tcat\tpid\ttid\n0\t1\ta\tcpu_op\t5\tio\n0\t1\tb\tcpu_op\t5\t10\n"
	        "0\t1\tc\tcpu_op\t5\t9\n0\t1\td\tcpu_op\t6\t9\n0\t\te\tcpu_op\t6\t9\n"
	        "0\t-1\tf\tcpu_op\t6\t7\n"));

	(void)state;
	assert_int_equal(threads.keys.count, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++)
		unit_equal(threads_tid(&threads, &threads.item[threads.order[i]]), str_of(want[i]),
		           __FILE__, __LINE__);
	assert_int_equal(threads.first[1], 3);
	assert_int_equal(threads.first[2], 4);
	assert_int_equal(threads.rows, 4);
	assert_int_equal(threads.no_time, 1);
	assert_int_equal(threads.negative, 1);
	unit_equal(threads_name(&threads, threads_find(&threads, 0, STR("6\t9"))->row), STR("d"),
	           __FILE__, __LINE__);
	assert_null(threads_find(&threads, 1, STR("6\t9")));
	assert_null(threads_find(&threads, 0, STR("6\t7")));
	assert_null(threads_by_tid(&threads, 0, STR("9")));
	assert_ptr_equal(threads_by_tid(&threads, 0, STR("io")), threads.item);
	assert_null(threads_by_tid(&threads, 1, STR("io")));
	assert_int_equal(threads_process(&threads, 0, STR("6")), 1);
	assert_int_equal(threads_process(&threads, 0, STR("7")), THREADS_NONE);
	threads_free(&threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_definition),
		cmocka_unit_test(deep),
		cmocka_unit_test(several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
