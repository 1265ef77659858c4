/*
 * contents - what a trace holds, on one screen: rows by category, devices, streams, steps, links.
 */
#ifndef CONTENTS_H
#define CONTENTS_H

#include "evidence.h"

struct contents_fact {
	const char *name;
	struct str category; /* category of the rows that are counted, if name is "category" */
	uint64_t count;
	uint64_t of;     /* if it is not 0: the value is count in percent of it */
	struct dec time; /* if is_time: the value */
	bool is_time;
};

/* Starts as {0}. */
struct contents {
	struct contents_fact *fact;
	size_t count;
	size_t cap;
};

/* The texts are those of the evidence. Categories come with the most frequent first. */
void contents_gather(struct contents *contents, const struct evidence *evidence);

/* As ##contents lines, as a table, or as a member of the object that json writes. */
void contents_write(const struct contents *contents, struct kev_writer *out, enum form form,
                    struct jsonw *json);

/* As rows of a stream. */
void contents_write_rows(const struct contents *contents, struct kev_writer *out);

void contents_free(struct contents *contents);

#endif
