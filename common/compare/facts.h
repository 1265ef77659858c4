/*
 * facts - what a stream says of the trace it came from: its source, its device.
 *
 * For programs that set two traces side by side: their tables and reports begin
 * with the facts of both.
 */
#ifndef FACTS_H
#define FACTS_H

#include "base/strmap.h"
#include "stream/kev.h"

/* Starts as {0}. Memory: a few short lines for each source. */
struct facts {
	struct strmap keys; /* "source", "deviceProp\tnumSms": as the lines have them */
	struct buf *values; /* by number in keys: what was said, escaped, a line each */
	size_t values_cap;
	bool platform_said; /* since the last source: another one corrects it */
	size_t platform_at; /* where in its values it stands */
	struct buf damages; /* what is damaged, as side_note_damage has it */
};

/*
 * Takes the reader's metadata line where it is such a fact: source, platform,
 * device, deviceProp. Gives false where it is not, and notes what is damaged.
 */
bool facts_take(struct facts *facts, const struct kev_reader *reader);

/*
 * Appends the value of "source", "platform" or "device": nothing where nothing was
 * said, and where several things were, each once with ", " between.
 */
void facts_get(const struct facts *facts, const char *key, struct buf *value);

/*
 * Sets the name of the i-th property of the device, from 0, and appends its value;
 * false where there are no more.
 */
bool facts_property(const struct facts *facts, size_t i, struct str *name, struct buf *value);

void facts_free(struct facts *facts);

#endif
