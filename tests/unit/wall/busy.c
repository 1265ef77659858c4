/* busy: figures of a device, sorted or not, and what its listener hears. */
#include "../unit.h"

#include "wall/busy.h"

struct heard {
	struct interval gap[8];
	size_t gaps;
	size_t stretches;
	int64_t alone; /* time of one track */
};

static void gap(void *arg, size_t device, const struct interval *span)
{
	struct heard *heard = arg;

	assert_int_equal(device, 3);
	heard->gap[heard->gaps++] = *span;
}

static void stretch(void *arg, size_t device, const struct interval_stretch *stretch)
{
	struct heard *heard = arg;

	assert_int_equal(device, 3);
	heard->stretches++;
	if (stretch->busy == 1)
		heard->alone += (int64_t)(stretch->span.end.nano - stretch->span.start.nano);
}

static void assert_figure(const struct busy *busy, enum busy_figure figure, int64_t want)
{
	assert_case(busy_names[figure], dec_compare(busy_figure(busy, figure), dec_of(want)) == 0);
}

static const struct {
	size_t kind;
	int64_t ts, dur;
} rows[] = {
	{KIND_COMM, 4, 0},      {KIND_COMPUTE, 10, 10}, {KIND_COMM, 15, 10},
	{KIND_COPY, 22, 8},     {KIND_COPY, 40, 5},     {KIND_COMPUTE, 70, -3},
	{KIND_COMPUTE, 70, 10}, {KIND_COMM, 71, 2},     {KIND_COMPUTE, 90, -2},
};

/* The rows in any order, of which the second half may come first. */
static void figures(void **state)
{
	(void)state;
	for (size_t turn = 0; turn < 3; turn++) {
		struct heard heard = {.gaps = 0};
		const struct busy_listener listener = {&heard, gap, stretch, .micro = dec_of(25),
		                                       .sorted = turn == 2};
		struct busy busy = {.device = 3, .listener = &listener};

		for (size_t i = 0; i < COUNT(rows); i++) {
			size_t n = turn == 1 ? (i + COUNT(rows) / 2) % COUNT(rows) : i;

			assert_int_equal(busy_add(&busy, rows[n].kind, dec_of(rows[n].ts), dec_of(rows[n].dur)),
			                 BUSY_OK);
		}
		busy_finish(&busy);
		assert_figure(&busy, BUSY_SPAN, 86);
		assert_figure(&busy, BUSY_BUSY, 35);
		assert_figure(&busy, BUSY_IDLE, 51);
		assert_figure(&busy, BUSY_COMPUTE_UNION, 20);
		assert_figure(&busy, BUSY_COMM_UNION, 12);
		assert_figure(&busy, BUSY_COPY_UNION, 13);
		assert_figure(&busy, BUSY_COMM_EXPOSED, 5);
		assert_figure(&busy, BUSY_COPY_EXPOSED, 10);
		assert_figure(&busy, BUSY_COMM_HIDDEN, 7);
		assert_figure(&busy, BUSY_TOTAL, 40);
		assert_figure(&busy, BUSY_COUNT, 9);
		assert_figure(&busy, BUSY_IDLE_MICRO, 26);
		assert_figure(&busy, BUSY_IDLE_MACRO, 25);
		assert_figure(&busy, BUSY_FIRST, 4);
		assert_figure(&busy, BUSY_LAST, 90);
		assert_int_equal(busy.negative, 2);
		assert_int_equal(heard.gaps, 4);
		assert_int_equal(heard.alone, 25 * dec_of(1).nano);
		assert_int_equal(heard.stretches, 11);
		busy_free(&busy);
	}
}

/* Nothing that lasts: the span is idle, and never below 0. */
static void instants(void **state)
{
	static const int64_t dur[] = {0, -5};

	(void)state;
	for (size_t i = 0; i < COUNT(dur); i++) {
		const struct busy_listener listener = {.arg = NULL};
		struct busy busy = {.listener = &listener};

		assert_int_equal(busy_add(&busy, 0, dec_of(7), dec_of(dur[i])), BUSY_OK);
		busy_finish(&busy);
		assert_figure(&busy, BUSY_SPAN, 0);
		assert_figure(&busy, BUSY_IDLE, 0);
		assert_figure(&busy, BUSY_TOTAL, dur[i]);
		busy_free(&busy);
	}
}

static void refused(void **state)
{
	const struct busy_listener listener = {.sorted = true};
	const struct dec much = {(__int128)1 << 126};
	struct busy busy = {.listener = &listener};

	(void)state;
	assert_int_equal(busy_add(&busy, 0, much, dec_of(1)), BUSY_TOO_LARGE);
	assert_int_equal(busy_add(&busy, 0, dec_of(1), much), BUSY_TOO_LARGE);
	assert_int_equal(busy_add(&busy, 0, dec_of(5), dec_of(1)), BUSY_OK);
	assert_int_equal(busy_add(&busy, 0, dec_of(5), dec_of(1)), BUSY_OK);
	assert_int_equal(busy_add(&busy, 0, dec_of(4), dec_of(1)), BUSY_NOT_SORTED);
	busy_finish(&busy);
	assert_figure(&busy, BUSY_COUNT, 2);
	busy_free(&busy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(instants),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
