/*
 * lanes - a picture of time: a lane for each stream or thread, a box for each event.
 *
 * An event that begins within another event of its lane is below it. Boxes closer than a pixel are
 * merged. Memory grows with the events: each takes 64 bytes.
 */
#ifndef LANES_H
#define LANES_H

#include "base/strmap.h"

#include "script.h"

struct lanes_event;

enum { LANES_MOST = 30, LANES_DEEPEST = 12 };

/* Starts as {.unit = …}. */
struct lanes {
	const char *unit;
	struct strmap lanes;      /* their keys, in the order in which they are shown */
	const struct str *labels; /* labels of the lanes; set before lanes_script */
	struct strmap classes;    /* their colours depend on their names alone */
	struct lanes_event *event;
	size_t count;
	size_t cap;
	/* Set by lanes_script: */
	uint64_t merged;  /* events that share a box */
	uint64_t deeper;  /* events that are nested too deep, not shown */
	uint64_t further; /* events of further lanes, not shown */
};

void lanes_add(struct lanes *lanes, struct str lane, struct str class, struct dec ts,
               struct dec dur);

/* Appends the script. False if the times are too far from each other. */
bool lanes_script(struct lanes *lanes, struct script_frame frame, struct buf *script);

void lanes_free(struct lanes *lanes);

#endif
