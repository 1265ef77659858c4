/*
 * rowevent - a row of the stream as an event of a Chrome trace, an object of JSON (tsv2trace(1)).
 *
 * Memory: the keys, and some short fields of the last row.
 */
#ifndef ROWEVENT_H
#define ROWEVENT_H

#include "stream/kev.h"

/* A key, and the column of its value. */
struct rowevent_member {
	int column;
	bool string; /* the value is always a string, as readers of traces expect; false: a number stays
	                a number */
	bool time;   /* a number of kev(5) that is not in JSON's form, such as .5, is written in it */
	struct buf key; /* the key with a comma before it and a colon after it */
};

/* Two members, which are mostly equal to the members of the row before, and their text. */
struct rowevent_pair {
	struct rowevent_member member[2];
	size_t count; /* members that have a column */
	struct buf text;
};

/* Starts as {0}. */
struct rowevent {
	bool has_phase;
	struct rowevent_pair kind;   /* ph, cat; the name follows */
	struct rowevent_pair track;  /* pid, tid; ts and dur follow */
	struct rowevent_pair origin; /* kernel_type, source in the args; all other columns follow */
	struct rowevent_member *member;
	size_t times;  /* the first member after the name */
	size_t others; /* the first of the args */
	size_t count;
	size_t cap;
	/* The fields of the last row, if the texts of the pairs belong to it. */
	bool kept;
	struct buf line; /* from cat to source */
	struct buf type;
	struct buf pid;
	int core[KEV_CORE];
	bool in_order; /* all columns from cat to source are there, one after the other */
	/* For the row at hand. */
	size_t longer; /* set by the caller: bytes by which fields are longer than in the input */
	size_t keys;   /* bytes that the keys need */
	size_t room;   /* bytes that the row needs, without escapes */
	char wide[16]; /* a short field, and what can be read after it */
	struct buf scratch;
};

/* For each columns line. */
void rowevent_columns(struct rowevent *event, const struct kev_reader *in);

/*
 * Appends the event of the row. Empty fields are left out, and args without any. name, if not NULL,
 * is a further arg: the process or thread which the row describes. The caller may have replaced pid
 * and ts by numbers, and other fields by longer ones.
 */
void rowevent_put(struct rowevent *event, struct buf *out, const struct kev_reader *in,
                  const struct str *name);

void rowevent_free(struct rowevent *event);

#endif
