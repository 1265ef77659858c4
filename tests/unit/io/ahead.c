/* ahead: bytes that a thread produces are those that are read, to their end. */
#include "../unit.h"

#include "io/ahead.h"

#include <time.h>

/* A producer with a plan: so many bytes in all, at most so many a call, then its last word. */
struct plan {
	size_t left;
	size_t most;
	ssize_t last;
	bool pauses;        /* each call says that the next one would wait */
	unsigned char next; /* the bytes are 0, 1, 2 … */
	bool ended;
	int called_again; /* after its last call */
};

static ssize_t produce(void *from, char *out, size_t n, bool may_wait)
{
	struct plan *plan = from;

	if (plan->pauses && !may_wait)
		return AHEAD_LATER;
	n = n < plan->most ? n : plan->most;
	n = n < plan->left ? n : plan->left;
	if (n == 0) {
		plan->called_again += plan->ended;
		plan->ended = true;
		return plan->last;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = (char)plan->next++;
	plan->left -= n;
	return (ssize_t)n;
}

static void all_is_read_in_order(void **state)
{
	static const size_t sizes[] = {0,
	                               1,
	                               AHEAD_CHUNK - 1,
	                               AHEAD_CHUNK,
	                               100000,
	                               AHEAD_CHUNK + 1,
	                               AHEAD_CHUNK * AHEAD_CHUNKS,
	                               3000001};
	static const size_t calls[] = {997, AHEAD_CHUNK, AHEAD_CHUNK / 4, SIZE_MAX};
	static const size_t reads[] = {1000, 65536, 1 << 20};

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (size_t j = 0; j < COUNT(calls); j++) {
			for (size_t k = 0; k < COUNT(reads); k++) {
				struct plan plan = {
					.left = sizes[i], .most = calls[j], .last = i % 2 ? -1 : 0, .pauses = k == 0};
				struct ahead *ahead = ahead_start(produce, &plan);
				struct buf got = {0};
				ssize_t n;
				bool right = true;

				assert_non_null(ahead);
				while ((n = ahead_read(ahead, buf_reserve(&got, reads[k]), reads[k], true)) > 0) {
					assert_true((size_t)n <= reads[k]);
					got.len += (size_t)n;
				}
				assert_int_equal(n, plan.last);
				assert_int_equal(ahead_read(ahead, buf_reserve(&got, 1), 1, true), plan.last);
				assert_true(plan.ended); /* what it wrote is seen */
				assert_int_equal(plan.called_again, 0);
				ahead_stop(ahead);
				assert_int_equal(got.len, sizes[i]);
				for (size_t at = 0; at < got.len; at++)
					right &= (unsigned char)got.data[at] == (unsigned char)at;
				assert_true(right);
				buf_free(&got);
			}
		}
	}
}

/* Memory is constant: a producer that nobody reads from waits. */
static void it_does_not_run_away(void **state)
{
	struct plan plan = {.left = SIZE_MAX / 2, .most = SIZE_MAX};
	struct ahead *ahead = ahead_start(produce, &plan);
	const struct timespec moment = {0, 50000000};
	char c;

	(void)state;
	assert_non_null(ahead);
	assert_int_equal(ahead_read(ahead, &c, 1, true), 1);
	nanosleep(&moment, NULL);
	ahead_stop(ahead);
	assert_true(SIZE_MAX / 2 - plan.left <= (size_t)AHEAD_CHUNK * (AHEAD_CHUNKS + 1));
}

/* Reads from a pipe into which nothing comes. */
static ssize_t hang(void *from, char *out, size_t n, bool may_wait)
{
	if (!may_wait)
		return AHEAD_LATER;
	return read(*(int *)from, out, n);
}

static void it_is_stopped_wherever_it_is(void **state)
{
	char c;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct plan plan = {.left = SIZE_MAX / 2, .most = 1 + (size_t)i * 1000};
		struct ahead *ahead = ahead_start(produce, &plan);
		struct ahead *hanging;
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		hanging = ahead_start(hang, &ends[0]);

		assert_non_null(ahead);
		assert_non_null(hanging);
		if (i % 2)
			assert_int_equal(ahead_read(ahead, &c, 1, true), 1);
		if (i % 3 == 0) { /* what comes through a slow pipe goes on at once */
			assert_int_equal(write(ends[1], "x", 1), 1);
			assert_int_equal(ahead_read(hanging, &c, 1, true), 1);
			assert_int_equal(c, 'x');
		}
		ahead_stop(ahead);
		close(ends[1]); /* wakes it */
		ahead_stop(hanging);
		close(ends[0]);
	}
	ahead_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_read_in_order),
		cmocka_unit_test(it_does_not_run_away),
		cmocka_unit_test(it_is_stopped_wherever_it_is),
	};

	return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}
