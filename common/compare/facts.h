/*
 * facts - what a trace records about itself: its source, its device. Programs that compare two
 * traces begin their answer with the facts of both.
 */
#ifndef FACTS_H
#define FACTS_H

#include "base/strmap.h"
#include "stream/kev.h"

/* Starts as {0}. Memory: a few short lines for each source. */
struct facts {
	struct strmap keys; /* "source", "deviceProp\tnumSms", as in the lines */
	struct buf *values; /* by number in keys: escaped, a line each */
	size_t values_cap;
	size_t *property; /* numbers in keys of the properties of the device */
	size_t properties;
	size_t property_cap;
	bool platform_said; /* since the last source: another one corrects it */
	size_t platform_at; /* place of the platform among the values */
};

/*
 * Takes the reader's metadata line if it is a fact: source, platform, device, deviceProp. Returns
 * false if it is not.
 */
bool facts_take(struct facts *facts, const struct kev_reader *reader);

/*
 * Appends the value of "source", "platform" or "device": nothing if it is not known, and of several
 * values each once, with ", " between.
 */
void facts_get(const struct facts *facts, const char *key, struct buf *value);

/*
 * Sets the name of the i-th property of the device, from 0, and appends its value; false after the
 * last.
 */
bool facts_property(const struct facts *facts, size_t i, struct str *name, struct buf *value);

void facts_free(struct facts *facts);

#endif
