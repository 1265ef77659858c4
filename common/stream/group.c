#include "stream/group.h"

#include "base/mem.h"
#include "syntax/sortkey.h"

#include <stdlib.h>

struct group *groups_get(struct groups *groups, struct str key)
{
	bool new;
	size_t number = strmap_add(&groups->keys, key, &new);

	if (new) {
		groups->group = mem_grow(groups->group, &groups->cap, number + 1, sizeof *groups->group);
		groups->group[number] = (struct group){0};
	}
	return &groups->group[number];
}

struct group *groups_find(const struct groups *groups, struct str key)
{
	size_t number = strmap_find(&groups->keys, key);

	return number == STRMAP_NONE ? NULL : &groups->group[number];
}

struct str groups_commonest(const struct groups *groups)
{
	struct str best = {"", 0};
	uint64_t count = 0;

	for (size_t i = 0; i < groups->keys.count; i++) {
		struct str key = strmap_key(&groups->keys, i);
		uint64_t n = groups->group[i].count;

		if (n > count || (n == count && str_compare(key, best) < 0)) {
			best = key;
			count = n;
		}
	}
	return best;
}

void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->keys.count; i++)
		group_free(&groups->group[i]);
	free(groups->group);
	strmap_free(&groups->keys);
	*groups = (struct groups){0};
}

/* Counts durations between min and max, whose total was added. */
static inline void widen(struct group *group, uint64_t count, const struct dec *min,
                         const struct dec *max)
{
	if (group->count == 0 || dec_compare(*min, group->min) < 0)
		group->min = *min;
	if (group->count == 0 || dec_compare(*max, group->max) > 0)
		group->max = *max;
	group->count += count;
}

static inline bool has_room(const struct group *group, uint64_t count)
{
	return count <= UINT64_MAX - group->count;
}

/* Inlined, it would slow group_add down: registers to save. */
__attribute__((noinline)) static bool add_any(struct group *group, struct dec dur, uint64_t count)
{
	struct dec total;

	if (count == 0)
		return true;
	if (__builtin_mul_overflow(dur.nano, (__int128)count, &total.nano) || !has_room(group, count) ||
	    !dec_sum(&group->total, &group->negative, total, (struct dec){0}))
		return false;
	widen(group, count, &dur, &dur);
	return true;
}

bool group_add(struct group *group, struct dec dur, uint64_t count)
{
	if (count != 1 || dur.nano < 0 || group->negative.nano != 0)
		return add_any(group, dur, count);
	/* Almost all rows. */
	if (!has_room(group, 1) || !dec_add(&group->total, dur))
		return false;
	widen(group, 1, &dur, &dur);
	return true;
}

void group_add_squares(struct group *group, struct wide squares)
{
	if (!group->squares)
		group->squares = mem_zero(1, sizeof *group->squares);
	/* Below 2^318: at most 2^64 squares of 2^254. */
	*group->squares = wide_sum(*group->squares, squares);
}

void group_add_square(struct group *group, struct dec dur)
{
	group_add_squares(group, wide_square(dur.nano));
}

static bool add_sum(struct group *group, size_t index, size_t count, struct dec value,
                    struct dec negative)
{
	struct group_sum *sum;

	if (!group->sums) {
		group->sums = mem_zero(count, sizeof *group->sums);
		group->sums_count = count;
	}
	sum = &group->sums[index];
	sum->any = true;
	return dec_sum(&sum->total, &sum->negative, value, negative);
}

bool group_add_sum(struct group *group, size_t index, size_t count, struct dec value)
{
	return add_sum(group, index, count, value, (struct dec){0});
}

const struct dec *group_sum(const struct group *group, size_t index)
{
	return group->sums && group->sums[index].any ? &group->sums[index].total : NULL;
}

/* The order is that of values. Equal values, such as 1 and 1.0, have the order of their bytes. */
static bool is_lower(struct str value, struct str at)
{
	struct buf keys[2] = {{0}, {0}};
	int order;

	sortkey_put(&keys[0], value, false);
	sortkey_put(&keys[1], at, false);
	order = str_compare(buf_view(&keys[0]), buf_view(&keys[1]));
	buf_free(&keys[0]);
	buf_free(&keys[1]);
	return order < 0 || (order == 0 && str_compare(value, at) < 0);
}

static void take_who(struct buf *at, int order, struct str value)
{
	if (order > 0 || (order == 0 && !is_lower(value, buf_view(at))))
		return;
	at->len = 0;
	buf_str(at, value);
}

void group_add_who(struct group *group, struct dec min, struct str in_min, struct dec max,
                   struct str in_max)
{
	bool first = !group->who;

	if (first)
		group->who = mem_zero(1, sizeof *group->who);
	take_who(&group->who->min, first ? -1 : dec_compare(min, group->min), in_min);
	take_who(&group->who->max, first ? -1 : dec_compare(group->max, max), in_max);
}

bool group_merge(struct group *group, const struct group *other)
{
	if (other->who)
		group_add_who(group, other->min, buf_view(&other->who->min), other->max,
		              buf_view(&other->who->max));
	if (other->count) {
		if (!has_room(group, other->count) ||
		    !dec_sum(&group->total, &group->negative, other->total, other->negative))
			return false;
		widen(group, other->count, &other->min, &other->max);
	}
	if (other->squares)
		group_add_squares(group, *other->squares);
	for (size_t i = 0; i < other->sums_count; i++)
		if (other->sums[i].any &&
		    !add_sum(group, i, other->sums_count, other->sums[i].total, other->sums[i].negative))
			return false;
	group->unranged |= other->unranged;
	for (size_t i = 0; i < other->durations.count; i++)
		durations_add(&group->durations, other->durations.item[i].dur,
		              other->durations.item[i].count);
	return true;
}

struct dec group_quantile(struct group *group, struct dec percent)
{
	const __int128 hundred = dec_of(100).nano;
	/* At most 1e11 times 2^64: far from 2^127. */
	__int128 rank = (percent.nano * (__int128)group->count + hundred - 1) / hundred;
	__int128 seen = 0;
	size_t i;

	durations_sort(&group->durations);
	for (i = 0; i + 1 < group->durations.count; i++) {
		seen += group->durations.item[i].count;
		if (seen >= rank)
			break;
	}
	return group->durations.item[i].dur;
}

int group_compare_means(const struct group *a, const struct group *b)
{
	__int128 whole[2];
	__int128 rest[2];
	const struct group *groups[2] = {a, b};
	unsigned __int128 left;
	unsigned __int128 right;

	for (int i = 0; i < 2; i++) {
		__int128 count = groups[i]->count ? (__int128)groups[i]->count : 1;

		whole[i] = groups[i]->total.nano / count;
		rest[i] = groups[i]->total.nano % count;
		if (rest[i] < 0) { /* towards minus infinity, so that the rest is not negative */
			whole[i]--;
			rest[i] += count;
		}
	}
	if (whole[0] != whole[1])
		return whole[0] < whole[1] ? -1 : 1;
	/* Each rest is below a count of 64 bits: the products fit 128. */
	left = (unsigned __int128)rest[0] * (b->count ? b->count : 1);
	right = (unsigned __int128)rest[1] * (a->count ? a->count : 1);
	return (left > right) - (left < right);
}

/* The variance is this by count * (count - 1), in 10^-18 of the unit's square. */
static struct wide spread(const struct group *group)
{
	return wide_difference(wide_product(wide_of(group->count), *group->squares),
	                       wide_square(group->total.nano));
}

static struct wide pairs(const struct group *group)
{
	return wide_of((unsigned __int128)group->count * (group->count - 1));
}

bool group_squares_fit(const struct group *group)
{
	return wide_compare(wide_product(wide_of(group->count), *group->squares),
	                    wide_square(group->total.nano)) >= 0;
}

void group_put_deviation(const struct group *group, struct buf *out)
{
	if (group->count > 1)
		wide_root(out, spread(group), pairs(group), -9);
}

int group_compare_deviations(const struct group *a, const struct group *b)
{
	if (a->count < 2 || b->count < 2)
		return (a->count > 1) - (b->count > 1);
	return wide_compare(wide_product(spread(a), pairs(b)), wide_product(spread(b), pairs(a)));
}

void group_free(struct group *group)
{
	durations_free(&group->durations);
	free(group->squares);
	free(group->sums);
	if (group->who) {
		buf_free(&group->who->min);
		buf_free(&group->who->max);
	}
	free(group->who);
	*group = (struct group){0};
}
