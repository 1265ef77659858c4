/* cause: gaps, queues and causes of rows at random, against a look at all rows for each. */
#include "../unit.h"

#include "klaunch/cause.h"

enum { ROWS = 14, TIMES = 40, LAUNCHES = 6, DEVICES = 2, STREAMS = 4 };

static int64_t pick(uint64_t *random, size_t n)
{
	return (int64_t)unit_below(random, n);
}

static int64_t whole(struct dec time)
{
	return (int64_t)(time.nano / 1000000000);
}

static int64_t start_of(const struct cause_row *row)
{
	return whole(row->span.start);
}

static int64_t end_of(const struct cause_row *row)
{
	return whole(row->span.end) < start_of(row) ? start_of(row) : whole(row->span.end);
}

/* Launches without rows of the host: as own launches of kcontext. */
static void make_launches(struct launches *launches, uint64_t *random)
{
	launches->item = calloc(LAUNCHES, sizeof *launches->item);
	launches->count = LAUNCHES;
	for (size_t i = 0; i < LAUNCHES; i++) {
		struct launch *launch = &launches->item[i];
		launch->ts = dec_of(pick(random, TIMES));
		launch->dur = dec_of(pick(random, 8));
		launch->known = unit_below(random, 6) != 0;
		launch->ended = unit_below(random, 6) != 0;
	}
}

static void make_rows(struct causes *causes, uint64_t *random)
{
	size_t count = unit_below(random, ROWS + 1);

	for (size_t i = 0; i < count; i++) {
		int64_t start = pick(random, TIMES);
		struct cause_row row = {.stream = unit_below(random, STREAMS)};

		row.span = (struct interval){dec_of(start), dec_of(start + pick(random, 9) - 1)};
		row.device = row.stream % DEVICES;
		row.launch = unit_below(random, 4) ? unit_below(random, LAUNCHES) : LAUNCHES_NONE;
		row.kind = (unsigned char)unit_below(random, KIND_COUNT);
		causes_add(causes, &row);
	}
}

static bool is_before(const struct cause_row *a, const struct cause_row *b)
{
	return start_of(a) != start_of(b) ? start_of(a) < start_of(b) : a < b;
}

/* The row that ended last before this one; of several the last. */
static const struct cause_row *last_before(const struct causes *causes, const struct cause_row *row)
{
	const struct cause_row *last = NULL;

	for (const struct cause_row *x = causes->row; x < causes->row + causes->count; x++) {
		if (!is_before(x, row) || x->device != row->device ||
		    (causes->by_stream && x->stream != row->stream))
			continue;
		if (!last || end_of(x) > end_of(last) || (end_of(x) == end_of(last) && is_before(last, x)))
			last = x;
	}
	return last;
}

static bool other_ran(const struct causes *causes, const struct cause_row *row, int64_t from,
                      enum kind kind)
{
	for (size_t i = 0; i < causes->count; i++) {
		const struct cause_row *x = &causes->row[i];

		if (x->device == row->device && x->kind == kind && end_of(x) > start_of(x) &&
		    start_of(x) < start_of(row) && end_of(x) > from)
			return true;
	}
	return false;
}

static enum cause cause_of(const struct causes *causes, const struct cause_row *row)
{
	const struct cause_row *last = last_before(causes, row);
	const struct launch *launch = launches_at(causes->launches, row->launch);
	int64_t gap;
	int64_t returned;
	int64_t rest; /* time of the gap after the call */
	bool late;

	if (!last)
		return CAUSE_UNKNOWN;
	gap = start_of(row) - end_of(last);
	if (gap <= 0)
		return CAUSE_NONE;
	if (!launch)
		return CAUSE_UNLINKED;
	returned = whole(launch_end(launch));
	rest = returned > end_of(last) ? start_of(row) - returned : gap;
	late = rest < whole(causes->micro) || 2 * rest <= gap;
	if (row->launch == last->launch && (!late || !launch->ended || returned <= end_of(last)))
		return CAUSE_GRAPH;
	if (late)
		return whole(launch->ts) >= end_of(last) ? CAUSE_HOST : CAUSE_LAUNCH;
	if (causes->by_stream && other_ran(causes, row, end_of(last), KIND_COMM))
		return CAUSE_COMM;
	if (causes->by_stream && other_ran(causes, row, end_of(last), KIND_COPY))
		return CAUSE_COPY;
	return CAUSE_OTHER;
}

static void check_row(const struct causes *causes, const struct cause_row *row)
{
	const struct cause_row *last = last_before(causes, row);
	int64_t gap = last ? start_of(row) - end_of(last) : 0;
	uint64_t queue = 0;
	bool leads = row->launch != LAUNCHES_NONE;

	for (size_t i = 0; i < causes->count; i++) {
		const struct cause_row *x = &causes->row[i];
		const struct launch *launch = launches_at(causes->launches, x->launch);

		queue += x->stream == row->stream && launch && whole(launch->ts) < start_of(row) &&
		         start_of(x) > start_of(row);
		leads &= x->launch != row->launch || x == row || is_before(row, x);
	}
	assert_int_equal(whole(row->gap), gap > 0 ? gap : 0);
	assert_int_equal(row->cause, cause_of(causes, row));
	assert_int_equal(row->queue, queue);
	assert_int_equal(row->leads, leads);
}

static void as_by_brute_force(void **state)
{
	size_t seen[CAUSES] = {0};

	(void)state;
	for (uint64_t round = 1; round <= 3000; round++) {
		uint64_t random = round;
		struct launches launches = {0};
		struct causes causes = {.launches = &launches, .by_stream = round % 2};

		causes.micro = dec_of(pick(&random, 6));
		make_launches(&launches, &random);
		make_rows(&causes, &random);
		causes_finish(&causes);
		for (size_t i = 0; i < causes.count; i++) {
			check_row(&causes, &causes.row[i]);
			seen[causes.row[i].cause]++;
		}
		causes_free(&causes);
		launches_free(&launches);
	}
	for (size_t i = 0; i < CAUSES; i++)
		assert_true(seen[i] || i == CAUSE_SYNC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_brute_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
