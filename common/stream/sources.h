/*
 * sources - many names in few lines: names that differ in their numbers alone become a pattern.
 *
 *	##sources	10000	node{0..1249}/rank{00000..09999}.json.gz
 *
 * The first value is the number of names, the second the name, or the pattern with the smallest and
 * the largest of each number. The pattern describes the names: not every combination need be among
 * them. Memory and time do not grow with the names: beyond 100 patterns, names are counted alone.
 */
#ifndef SOURCES_H
#define SOURCES_H

#include "base/buf.h"
#include "base/strmap.h"
#include "stream/kev_writer.h"

#include <stdint.h>

struct source_pattern;

/* Starts as {0}. */
struct sources {
	struct strmap shapes;           /* names without their numbers */
	struct source_pattern *pattern; /* by the number of its shape */
	size_t cap;
	uint64_t others; /* names of no pattern */
	struct buf shape;
};

/* Adds a name. */
void sources_add(struct sources *sources, struct str name);

/* Adds the value of a ##sources line. False if it is not a count and a text. */
bool sources_add_line(struct sources *sources, struct str value);

/* Writes the ##sources lines, in the order in which the patterns came. */
void sources_write(const struct sources *sources, struct kev_writer *out);

void sources_free(struct sources *sources);

#endif
