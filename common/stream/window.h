/*
 * window - the rows of a stream that reach into a window of time, FROM,TO of kselect(1), and the
 * parts of these rows inside the window.
 *
 *	100,200	 2.5ms,	 ,1s  +10ms,+20ms
 *
 * A number may have a unit, and is then in us. After a + it counts from the smallest ts, which
 * window_learn finds in a first look.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "stream/kev.h"

struct window_end {
	bool given;
	bool relative;
	struct dec time;
};

/* Starts as {0}, which is no window: all rows are in it. */
struct window {
	struct window_end from;
	struct window_end to;
	bool has_unit;    /* the stream must be in us */
	struct dec least; /* the smallest ts but 0; 0 if there is no other */
	bool any_ts;
	int ts; /* columns; dur and ph may be missing */
	int dur;
	int ph;
};

/* The message about text that window_read refuses. */
#define WINDOW_USAGE "-t: '%s' is not FROM,TO, such as 100,200 or +10ms,+20ms or ,+1s"

/* False if text is not FROM,TO. */
bool window_read(struct window *w, struct str text);

static inline bool window_is_given(const struct window *window)
{
	return window->from.given || window->to.given;
}

static inline bool window_is_relative(const struct window *window)
{
	return window->from.relative || window->to.relative;
}

/* Finds the columns. If ts is missing, it records an error in the reader. */
void window_columns(struct window *w, struct kev_reader *in);

/* Looks at a row for the smallest ts. Rows of ph M do not count. */
void window_learn(struct window *w, struct kev_reader *in);

/* Looks at a ts for the smallest one; window_learn does so for a row. */
void window_see(struct window *w, struct dec ts);

/* The window on the clock of the stream. */
struct window_ends {
	bool has_from;
	bool has_to;
	struct dec from;
	struct dec to;
};

/* False if a time is too large. */
bool window_ends(const struct window *w, struct window_ends *ends);

/* Whether a row reaches into the window. */
bool window_holds(const struct window_ends *ends, struct dec ts, struct dec end);

/* Cuts a row that reaches into the window at its ends; end is not below ts. */
void window_clip(const struct window_ends *ends, struct dec *ts, struct dec *end);

enum window_place { WINDOW_INSIDE, WINDOW_OUTSIDE, WINDOW_NO_TS };

/* Where the row is. Rows of ph M are always inside. A number that is not one is an error. */
enum window_place window_place(const struct window *w, struct kev_reader *in);

#endif
