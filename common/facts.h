/*
 * facts - what a stream says of the trace it came from: its source, its device.
 *
 * For programs that set two traces side by side: their tables and reports begin
 * with the facts of both.
 */
#ifndef FACTS_H
#define FACTS_H

#include "kev.h"
#include "strmap.h"

/* Starts as {0}. Memory: each distinct value once. */
struct facts {
	struct strmap keys; /* "source", "deviceProp\tnumSms": escaped, as the lines have them */
	struct buf *value;  /* by number in keys: decoded; where there are several, with ", " between */
	size_t value_cap;
	struct strmap seen; /* keys with values */
	struct buf damages; /* what is damaged, a line each */
};

/*
 * Takes the reader's metadata line where it is such a fact: source, platform,
 * device, deviceProp. Gives false where it is not, and notes what is damaged.
 */
bool facts_take(struct facts *facts, const struct kev_reader *reader);

/* The value of "source", "platform" or "device"; empty where nothing was said. */
struct str facts_get(const struct facts *facts, const char *key);

/*
 * The name of the i-th property of the device, from 0, and its value; false
 * where there are no more.
 */
bool facts_property(const struct facts *facts, size_t i, struct str *name, struct str *value);

void facts_free(struct facts *facts);

#endif
