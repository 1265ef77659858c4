/*
 * unclassed - how much of an input's time is of class Other, and the warning if it is much: what
 * communicates there counts as compute.
 *
 * An input is a file or a pipe. Rows of devices with a class and a time count, but times below 0 do
 * not. An input that comes by a pipe from kclass gets no warning, as kclass has warned.
 */
#ifndef UNCLASSED_H
#define UNCLASSED_H

#include "base/dec.h"
#include "base/strmap.h"
#include "stream/kev.h"

/* The names of class Other have so many bytes; if there are more, the warning names none. */
enum { UNCLASSED_NAMES = 1 << 22 };

/* Starts as {0}. Memory grows with the names of class Other, up to UNCLASSED_NAMES. */
struct unclassed {
	size_t place;     /* file_place of the input in its reader; 0: before the first */
	const char *file; /* its name */
	bool warned;      /* kclass has warned of it */
	/* What follows for its reader; NULL: "its communication counts as compute". */
	const char *effect;
	bool too_large; /* the times are too large to add */
	bool crowded;   /* there are more names than are kept */
	struct dec time;
	struct dec other;
	struct strmap names;
	struct dec *times; /* by number in names */
	size_t times_cap;
};

/* For each columns line, and for each metadata line. The first of an input ends the one before. */
void unclassed_columns(struct unclassed *unclassed, const struct kev_reader *in);
void unclassed_metadata(struct unclassed *unclassed, const struct kev_reader *in);

/* A row of a device with a class; unclassed_add_other if it is Other. name is the decoded name. */
static inline void unclassed_add(struct unclassed *unclassed, struct dec dur)
{
	if (dur.nano > 0)
		unclassed->too_large |= !dec_add(&unclassed->time, dur);
}

void unclassed_add_other(struct unclassed *unclassed, struct dec dur, struct str name);

/* At the end: warns of the last input, and empties *unclassed. */
void unclassed_end(struct unclassed *unclassed);

#endif
