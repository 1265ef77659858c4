/* moments: the thread that was in an operator or a call last, beside a look at all threads. */
#include "../unit.h"

#include "../wall/threads_made.h"
#include "kpath/moments.h"

enum { SPAN = 40 };

static const char *const cats[] = {"user_annotation", "python_function", "cpu_op", "cuda_runtime"};

static void random_rows(struct buf *text, uint64_t *seed)
{
	buf_text(text, "#ts\tdur\tname\tcat\tpid\ttid\n");
	for (size_t i = unit_below(seed, 40) + 1; i > 0; i--)
		buf_format(text, "%zu\t%zu\tn\t%s\t1\t%zu\n", unit_below(seed, SPAN), unit_below(seed, 9),
		           cats[unit_below(seed, 4)], unit_below(seed, 4));
}

/* The last segment before a time with an operator or a call; false if there is none. */
static bool last_work(const struct thread *thread, struct dec time, struct interval *span)
{
	for (;;) {
		struct threads_segment segment = threads_before(thread, time);

		*span = segment.span;
		if (segment.row != THREADS_NONE && thread->row[segment.row].rank >= ROWKIND_IN_OPERATOR)
			return true;
		if (dec_compare(segment.span.start, THREADS_EARLIEST) == 0)
			return false;
		time = segment.span.start;
	}
}

static struct moment by_definition(const struct threads *threads, struct dec time)
{
	struct moment best = {.thread = NULL};
	struct dec began = {0};

	/* By their tids, so that the first of equal ones counts. */
	for (size_t i = 0; i < threads->keys.count; i++) {
		const struct thread *thread = &threads->item[threads->order[i]];
		struct interval span;
		int order;

		if (!last_work(thread, time, &span))
			continue;
		order = best.thread ? dec_compare(span.end, best.time) : 1;
		if (order > 0 || (order == 0 && dec_compare(span.start, began) > 0)) {
			best = (struct moment){span.end, thread};
			began = span.start;
		}
	}
	return best;
}

/* Segments are whole, but for the one that is open: it began when it began. */
static void at_random(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct buf text = {0};
		struct threads threads;
		struct moments moments;

		random_rows(&text, &seed);
		threads = threads_made(buf_view(&text));
		moments = (struct moments){.threads = &threads};
		for (int i = -1; i < 2 * SPAN; i++) {
			struct moment want = by_definition(&threads, dec_of(i));
			struct moment got = moments_last(&moments, 0, dec_of(i));

			assert_ptr_equal(got.thread, want.thread);
			if (want.thread)
				assert_int_equal(dec_compare(got.time, want.time), 0);
		}
		buf_free(&text);
		moments_free(&moments);
		threads_free(&threads);
	}
}

static void no_process(void **state)
{
	struct threads threads = threads_made(STR(
		"#ts\tdur\tname\tcat\tpid\ttid\n0\t5\ta\tcpu_op\t1\t1\n0\t5\tf\tuser_annotation\t2\t1\n"));
	struct moments moments = {.threads = &threads};

	(void)state;
	assert_null(moments_last(&moments, THREADS_NONE, dec_of(9)).thread);
	assert_null(moments_last(&moments, 1, dec_of(9)).thread);
	assert_non_null(moments_last(&moments, 0, dec_of(9)).thread);
	moments_free(&moments);
	threads_free(&threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_random),
		cmocka_unit_test(no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
