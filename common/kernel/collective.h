/*
 * collective - the records of the collectives of an Ascend profile, which has each
 * of them once a stream; the rule by which they are one is that of hcomdedup(1).
 */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "base/strmap.h"
#include "stream/kev.h"

/* Where the rows of a stream have what the rule looks at. */
struct collective_columns {
	int ts;
	int dur;
	int type;
	int pid;  /* KEV_NONE where there is none, */
	int file; /* and so is this one */
};

/* Finds them; false, said in in->error, where ts, dur or type is missing. */
bool collective_find(struct collective_columns *at, struct kev_reader *in);

/*
 * The key under which the row at hand and other records of its collective are
 * equal; false where its ts is empty or no number.
 */
bool collective_key(const struct collective_columns *at, const struct kev_reader *in,
                    struct buf *key);

/* What is kept of a record. */
struct collective {
	struct dec dur;
	bool has_dur;  /* one without is shorter than any */
	size_t group;  /* the caller's: what the record counts for, */
	uint64_t line; /* and where it stands */
};

/* Starts as {0}. Memory grows with the distinct collectives. */
struct collectives {
	struct strmap keys;
	struct collective *kept; /* by number in keys: the first of the longest */
	size_t kept_cap;
};

/*
 * Adds a record. Where its collective has one already, gives true, and in *dropped
 * the shorter of the two, of equally long ones the later.
 */
bool collectives_add(struct collectives *all, struct str key, struct collective record,
                     struct collective *dropped);

void collectives_free(struct collectives *all);

#endif
