#include "stream/durations.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	FEW = 32,      /* are sorted by insertion */
	DIGIT_BITS = 8 /* bits of a digit, by which durations are sorted */
};
enum { DIGITS = 1 << DIGIT_BITS };

static void sort_few(struct duration *item, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct duration moved = item[i];
		size_t at = i;

		for (; at && dec_compare(item[at - 1].dur, moved.dur) > 0; at--)
			item[at] = item[at - 1];
		item[at] = moved;
	}
}

static inline unsigned __int128 distance(struct duration item, struct dec min)
{
	/* Without a sign, as the difference may need all 128 bits. */
	return (unsigned __int128)item.dur.nano - (unsigned __int128)min.nano;
}

/* Moves the items to `to`, in the order of one digit of their distance from min. */
static void sort_digit(const struct duration *item, size_t n, struct dec min, int shift,
                       struct duration *to)
{
	size_t place[DIGITS] = {0};
	size_t before = 0;

	for (size_t i = 0; i < n; i++)
		place[distance(item[i], min) >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t here = place[i];

		place[i] = before;
		before += here;
	}
	for (size_t i = 0; i < n; i++)
		to[place[distance(item[i], min) >> shift & (DIGITS - 1)]++] = item[i];
}

/* Sorts the items into `to`; what is left in `item` has no meaning. */
static void sort_into(struct duration *item, size_t n, struct duration *to)
{
	struct duration *at[2] = {item, to};
	struct dec min = item[0].dur;
	unsigned __int128 bits = 0; /* all that a distance from min has */
	int in = 0;

	if (n <= FEW) {
		memcpy(to, item, n * sizeof *item);
		sort_few(to, n);
		return;
	}
	for (size_t i = 1; i < n; i++)
		if (dec_compare(item[i].dur, min) < 0)
			min = item[i].dur;
	for (size_t i = 0; i < n; i++)
		bits |= distance(item[i], min);
	for (int shift = 0; shift < 128 && bits >> shift; shift += DIGIT_BITS) {
		/* Bits that nothing has are passed over, such as those below a nanosecond. */
		while (!(bits >> shift & 1))
			shift++;
		sort_digit(at[in], n, min, shift, at[!in]);
		in = !in;
	}
	if (in == 0)
		memcpy(to, item, n * sizeof *item);
}

/* Joins n items in order, not of this array, to the sorted ones; backwards, so that each moves
 * once. */
static void join(struct durations *durations, const struct duration *added, size_t n)
{
	struct duration *item = durations->item;
	size_t head = durations->sorted;
	size_t at = head + n; /* from here on the items are joined */
	size_t joined;

	while (n) {
		struct duration last = added[--n];

		while (n && dec_compare(added[n - 1].dur, last.dur) == 0)
			last.count += added[--n].count;
		while (head && dec_compare(item[head - 1].dur, last.dur) > 0)
			item[--at] = item[--head];
		if (head && dec_compare(item[head - 1].dur, last.dur) == 0)
			item[head - 1].count += last.count;
		else
			item[--at] = last;
	}
	/* Equal ones have left a gap. */
	joined = durations->count - at;
	memmove(item + head, item + at, joined * sizeof *item);
	durations->count = durations->sorted = head + joined;
}

void durations_sort(struct durations *durations)
{
	struct duration few[FEW];
	struct duration *to = few;
	size_t n = durations->count - durations->sorted;

	if (n == 0)
		return;
	if (n > FEW)
		to = mem_alloc(n, sizeof *to);
	sort_into(durations->item + durations->sorted, n, to);
	join(durations, to, n);
	if (n > FEW)
		free(to);
}

void durations_grow(struct durations *durations)
{
	durations_sort(durations);
	/* If the distinct ones need more than half of the room, it doubles. */
	if (durations->count < durations->cap / 2)
		return;
	/* It starts at one, as of many groups most have few durations. */
	durations->cap = durations->cap ? durations->cap * 2 : 1;
	durations->item = mem_resize(durations->item, durations->cap, sizeof *durations->item);
}

void durations_free(struct durations *durations)
{
	free(durations->item);
	*durations = (struct durations){0};
}
