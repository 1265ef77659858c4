/* overlap: which rows last too long, at random against a brute force. */
#include "evidence_feed.h"

#include "kcheck/overlap.h"

enum { ROWS = 80, NEVER = 1 << 20 };

struct made {
	int ts;
	int dur;
	int stream;
	int name;
	int call; /* 0: none */
};

/* What a brute force finds of a row. */
struct found {
	int later;       /* the next later start on its stream, or NEVER */
	int later_other; /* the next later start of another launch on its stream */
	bool together;   /* a row of another launch begins with it */
	bool followed;   /* all that begin at the former are of its launch */
	bool cut;
	int end;
};

/* Most rows are short and of long launches, so that few of a name overlap. */
static void make(struct made *made, uint64_t *seed)
{
	int long_ones = (int)unit_below(seed, 9) + 1;
	int calls = (int)unit_below(seed, 6) + 1;

	for (int i = 0; i < ROWS; i++) {
		bool is_long = unit_below(seed, 30) < (uint64_t)long_ones;

		made[i] = (struct made){i * 9 + (int)unit_below(seed, 15),
		                        (int)unit_below(seed, is_long ? 90 : 15), (int)unit_below(seed, 2),
		                        (int)unit_below(seed, 3),
		                        i * calls / ROWS + (int)unit_below(seed, 20) / 18};
	}
}

static bool is_same_launch(const struct made *a, const struct made *b)
{
	return a->call == b->call && a->call;
}

static void find(const struct made *made, const struct made *row, struct found *found)
{
	*found = (struct found){.later = NEVER, .later_other = NEVER, .followed = true};
	for (int i = 0; i < ROWS; i++) {
		const struct made *other = &made[i];

		if (other->stream != row->stream || other == row)
			continue;
		found->together |= other->ts == row->ts && !is_same_launch(other, row);
		if (other->ts <= row->ts)
			continue;
		if (other->ts < found->later)
			found->later = other->ts;
		if (!is_same_launch(other, row) && other->ts < found->later_other)
			found->later_other = other->ts;
	}
	found->followed = found->later < found->later_other;
}

static bool is_beyond(const struct made *row, int start)
{
	return row->ts + row->dur >= start + 10;
}

static void judge(const struct made *made, struct found *found)
{
	int rows[3] = {0};
	int beyond[3] = {0};

	for (int i = 0; i < ROWS; i++) {
		find(made, &made[i], &found[i]);
		rows[made[i].name] += found[i].followed;
		beyond[made[i].name] += found[i].followed && is_beyond(&made[i], found[i].later) &&
		                        !is_beyond(&made[i], found[i].later_other);
	}
	for (int i = 0; i < ROWS; i++) {
		int name = made[i].name;
		bool branches = rows[name] < 10 || 10 * beyond[name] > rows[name];

		found[i].end = found[i].followed && branches ? found[i].later_other : found[i].later;
		found[i].cut = is_beyond(&made[i], found[i].end);
	}
}

/* Each third row; i of them was row order[i]. */
static void feed(struct evidence *e, const struct made *made, int *order, uint64_t *seed)
{
	struct buf text = {0};
	int first = (int)unit_below(seed, ROWS);

	buf_text(&text, FEED_HEAD);
	for (int i = 0; i < ROWS; i++) {
		const struct made *row = &made[order[i] = (first + 7 * i) % ROWS];

		buf_format(&text, "%d\t%d\tk%d\tkernel\t0\t%d\t", row->ts, row->dur, row->name,
		           row->stream);
		buf_format(&text, row->call ? "%d\n" : "\n", row->call);
	}
	assert_string_equal(evidence_feed(e, buf_view(&text)), "");
	buf_free(&text);
}

static void compare(const struct overlap *got, const struct made *row, const struct found *want)
{
	int time = row->ts + row->dur - want->later;

	assert_int_equal(got->is_cut, want->cut);
	if (got->is_cut)
		assert_true(dec_compare(got->end, dec_of(want->end)) == 0);
	if (want->together)
		return;
	assert_true(dec_compare(got->time, dec_of(time > 0 ? time : 0)) == 0);
	assert_int_equal(got->error, want->cut);
}

/* Returns how many rows are to be cut; cuts them. */
static int cut_all(struct made *made, uint64_t *seed)
{
	struct found found[ROWS];
	int order[ROWS];
	struct evidence e;
	struct overlaps overlaps;
	struct overlap overlap;
	struct overlap_row *sorted;
	int rows = 0;
	int cuts = 0;

	judge(made, found);
	feed(&e, made, order, seed);
	sorted = overlap_sort(&e);
	overlaps_begin(&overlaps, sorted, &e);
	while (overlaps_next(&overlaps, &overlap)) {
		int i = order[overlap.row->number];

		compare(&overlap, &made[i], &found[i]);
		rows++;
		cuts += overlap.is_cut;
		if (overlap.is_cut)
			made[i].dur = found[i].end - made[i].ts;
	}
	assert_int_equal(rows, ROWS);
	overlaps_end(&overlaps);
	free(sorted);
	evidence_free(&e);
	return cuts;
}

/* What is cut once is not cut again. */
static void brute_force(void **state)
{
	uint64_t seed = 7;
	int cuts = 0;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct made made[ROWS];

		make(made, &seed);
		cuts += cut_all(made, &seed);
		assert_int_equal(cut_all(made, &seed), 0);
	}
	assert_true(cuts > 400);
}

/* Eleven rows of a launch, one of which lasts too long; then another launch. */
static void one_of(const char *text, bool error, int end)
{
	struct evidence e;
	struct overlaps overlaps;
	struct overlap overlap;
	struct overlap_row *sorted;
	struct buf all = {0};

	buf_text(&all, FEED_HEAD "100\t1\tafter\tkernel\t0\t7\t2\n");
	buf_text(&all, text);
	for (int i = 1; i < 11; i++)
		buf_format(&all, "%d\t1\tk\tkernel\t0\t7\t1\n", 2 * i);
	evidence_feed(&e, buf_view(&all));
	sorted = overlap_sort(&e);
	overlaps_begin(&overlaps, sorted, &e);
	while (overlaps_next(&overlaps, &overlap))
		if (overlap.row->number == 1)
			break;
	assert_int_equal(overlap.error, error);
	assert_int_equal(overlap.is_cut, error);
	if (error)
		assert_true(dec_compare(overlap.end, dec_of(end)) == 0);
	overlaps_end(&overlaps);
	free(sorted);
	evidence_free(&e);
	buf_free(&all);
}

static void branches(void **state)
{
	(void)state;
	one_of("0\t11.999\tk\tkernel\t0\t7\t1\n", false, 0);
	one_of("0\t12\tk\tkernel\t0\t7\t1\n", true, 2);
	/* Its name has too few rows to tell, but it ends before the next launch has begun, or not. */
	one_of("0\t90\tlong\tkernel\t0\t7\t1\n", false, 0);
	one_of("0\t110\tlong\tkernel\t0\t7\t1\n", true, 100);
	/* Another stream. */
	one_of("0\t90\tk\tkernel\t0\t8\t1\n", false, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(brute_force), cmocka_unit_test(branches)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
