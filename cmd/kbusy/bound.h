/*
 * bound - a limit for a figure of devices: idle:10%, unlinked:0.
 */
#ifndef BOUND_H
#define BOUND_H

#include "wall/busy.h"
#include "wall/devices.h"

struct bound {
	const char *text; /* COL:LIMIT, or NULL: there is no limit */
	enum busy_figure figure;
	struct dec value;
	bool is_share; /* value is a percentage of the span */
	bool has_unit; /* the stream must be in us */
};

/* Reads COL:LIMIT. Ends the program if the option's argument is not a limit for a figure. */
struct bound bound_read(const struct opts *opts);

/* The first device, in their order, with a larger figure, or NULL; *count: how many there are. */
const struct busy *bound_exceeded(const struct bound *bound, const struct busy *busy,
                                  const struct devices *devices, size_t *count);

#endif
