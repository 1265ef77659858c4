/*
 * peaks - what a device can do at most, from a file, kroof(1).
 *
 *	*H100 80GB HBM3*	matrix bf16	989.4	https://...
 *	*H100 80GB HBM3*	memory	3350	https://...
 *
 * The pattern of a device, what the figure is of, the figure, and its source. The first line that
 * matches decides. Memory grows with the lines.
 */
#ifndef PEAKS_H
#define PEAKS_H

#include "shapes.h"

struct peaks_line;

/* Starts as {0}. */
struct peaks {
	struct buf text; /* bytes of all files */
	struct peaks_line *line;
	size_t count;
	size_t cap;
	char error[640]; /* "FILE:LINE: message" */
};

/*
 * Adds the lines of a file after the lines of files before; NULL: the peaks that come with the
 * program. False: see error.
 */
bool peaks_load(struct peaks *peaks, const char *file);

/*
 * The type of a peak of products that is not the short name of any type; false without such a type.
 */
bool peaks_stranger(const struct peaks *peaks, const struct shapes *shapes, struct str *name);

/* Whether any line is of this device. */
bool peaks_know(const struct peaks *peaks, struct str device);

/* The figure of a kind: "memory" in GB/s, "vector" or "matrix" and a type in TFLOP/s. */
bool peaks_find(const struct peaks *peaks, struct str device, struct str kind, struct dec *value);

/* All lines as text, which peaks_load reads. */
struct str peaks_dump(const struct peaks *peaks);

void peaks_free(struct peaks *peaks);

#endif
