/*
 * lanes - a picture of time: a lane for each stream or thread, a box for each event.
 *
 * An event is at the lowest depth of its lane that is free when it begins, so an event within
 * another one is below it. Boxes closer than a pixel are merged. Wide boxes have a name. Memory
 * grows with the events, each of which takes 64 bytes, and with their distinct names.
 */
#ifndef LANES_H
#define LANES_H

#include "base/strmap.h"
#include "stream/window.h"

#include "script.h"

struct lanes_event;

enum { LANES_MOST = 30, LANES_DEEPEST = 12 };

/* Starts as {.unit = …}. */
struct lanes {
	const char *unit;
	struct strmap lanes;      /* their keys: escaped fields with tabs between them */
	const struct str *labels; /* by number of the lane; set before lanes_script */
	struct str no_class;      /* what the legend shows for an empty class */
	struct strmap classes;    /* their colours depend on their names alone */
	struct strmap names;
	struct window_ends
		ends; /* boxes end here, and so does the picture; {0}: at the first and last event */
	struct lanes_event *event;
	size_t count;
	size_t cap;
	/* Set by lanes_script: */
	uint64_t merged;  /* events that share a box */
	uint64_t deeper;  /* events that are nested too deep, not shown */
	uint64_t further; /* events of further lanes, not shown */
};

void lanes_add(struct lanes *lanes, struct str lane, struct str class, struct str name,
               struct dec ts, struct dec dur);

/*
 * Drops the events that do not reach into the window and cuts the others at its ends. Calls drop
 * with the duration of each dropped event. False if times are too large.
 */
bool lanes_clip(struct lanes *lanes, const struct window *window,
                void (*drop)(void *to, struct dec dur), void *to);

/* Appends the script. False if the times are too far from each other. */
bool lanes_script(struct lanes *lanes, struct script_frame frame, struct buf *script);

void lanes_free(struct lanes *lanes);

#endif
