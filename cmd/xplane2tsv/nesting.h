/*
 * nesting - which events of a line contain another one, as a loop contains the operations of its
 * body.
 *
 * The events are ordered by start, the longest first, then by position. An event contains another
 * one if a later one with a duration above 0 ends no later. So of two equal events the first
 * contains the second, and what contains nothing does not overlap if all events nest. Memory: 24
 * bytes for each event, and while events are sorted that are not in order, 24 more.
 */
#ifndef NESTING_H
#define NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nesting_event {
	int64_t start;
	int64_t dur;
	uint64_t position; /* the highest bit, after nesting_find: it contains another one */
};

/* Starts as {0}. */
struct nesting {
	struct nesting_event *events;
	size_t count;
	size_t cap;
};

/* Adds an event; its position is the number of those before it. */
void nesting_add(struct nesting *nesting, int64_t start, int64_t dur);

/* After the last event. */
void nesting_find(struct nesting *nesting);

bool nesting_contains(const struct nesting *nesting, size_t position);

void nesting_clear(struct nesting *nesting); /* keeps the memory */
void nesting_free(struct nesting *nesting);

#endif
