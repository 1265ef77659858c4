#include "kernel/unclassed.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"

#include <stdlib.h>

/* In percent of the time. More than this is worth a warning. */
enum { LIMIT = 10 };

void unclassed_columns(struct unclassed *unclassed, const struct kev_reader *in)
{
	if (unclassed->place == in->file_place)
		return;
	unclassed_end(unclassed);
	unclassed->place = in->file_place;
	unclassed->file = in->file;
}

void unclassed_metadata(struct unclassed *unclassed, const struct kev_reader *in)
{
	unclassed_columns(unclassed, in);
	if (str_equal(in->key, STR("via")) && str_starts(in->value, STR("kclass")))
		unclassed->warned |= in->tsv.in.start < 0;
}

/* A sum of some of the times is not larger than the sum of all. */
void unclassed_add_other(struct unclassed *unclassed, struct dec dur, struct str name)
{
	size_t number;
	bool new;

	unclassed_add(unclassed, dur);
	if (dur.nano <= 0 || unclassed->too_large)
		return;
	dec_add(&unclassed->other, dur);
	number = strmap_find(&unclassed->names, name);
	if (number == STRMAP_NONE && strmap_bytes(&unclassed->names) + name.n > UNCLASSED_NAMES) {
		unclassed->crowded = true;
		return;
	}
	number = strmap_add(&unclassed->names, name, &new);
	unclassed->times =
		mem_grow(unclassed->times, &unclassed->times_cap, number + 1, sizeof *unclassed->times);
	if (new)
		unclassed->times[number] = dec_of(0);
	dec_add(&unclassed->times[number], dur);
}

/* Compares the share of Other with a percentage: < 0, 0, > 0. */
static int compare_share(const struct unclassed *unclassed, int percent)
{
	return dec_compare_quotients(unclassed->other, unclassed->time, dec_of(percent), dec_of(100));
}

/* The whole part of the share, in percent. */
static int whole_share(const struct unclassed *unclassed)
{
	int percent = 100;

	while (compare_share(unclassed, percent) < 0)
		percent--;
	return percent;
}

/* The name with the largest time, the smallest of several. */
static struct str largest(const struct unclassed *unclassed)
{
	size_t best = 0;

	for (size_t i = 1; i < unclassed->names.count; i++) {
		int order = dec_compare(unclassed->times[i], unclassed->times[best]);

		if (order > 0 || (order == 0 && str_compare(strmap_key(&unclassed->names, i),
		                                            strmap_key(&unclassed->names, best)) < 0))
			best = i;
	}
	return strmap_key(&unclassed->names, best);
}

void unclassed_end(struct unclassed *unclassed)
{
	bool known = unclassed->time.nano > 0 && !unclassed->too_large;

	if (known && !unclassed->warned && compare_share(unclassed, LIMIT) > 0) {
		char quoted[QUOTE_MAX];
		struct str name = largest(unclassed);

		warn("%s: Other has %d %% of the device time; %s%s%s", unclassed->file,
		     whole_share(unclassed),
		     unclassed->effect ? unclassed->effect : "its communication counts as compute",
		     unclassed->crowded ? "" : "; largest: ",
		     unclassed->crowded ? "" : quote(quoted, name.s, name.n));
	}
	strmap_free(&unclassed->names);
	free(unclassed->times);
	*unclassed = (struct unclassed){.effect = unclassed->effect};
}
