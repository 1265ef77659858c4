/*
 * sorter - lines in the order of their bytes, by sort(1): in memory as far as it goes, then in
 * TMPDIR (default: /tmp), by several threads.
 *
 * A line has no newline. Lines should differ: the order of equal ones is sort's. A function that
 * returns bool returns false, with the reason in error, if it fails. Between open and turn, SIGPIPE
 * is ignored, so that a sort(1) that ends early does not end the program; so nothing else should be
 * written to a pipe then. A signal that ends the program first ends sort(1), which removes its
 * temporary files; so a program has one open sorter at a time. Memory: the longest line; sort(1)
 * takes up to 1 GiB.
 */
#ifndef SORTER_H
#define SORTER_H

#include "base/buf.h"

#include <signal.h>
#include <stdint.h>

enum { SORTER_SIGNALS = 3 }; /* that are passed on: HUP, INT and TERM */

struct sorter {
	bool open;
	pid_t pid;         /* 0: it has ended */
	int to;            /* sort(1) reads from here; below 0: closed */
	int from;          /* sort(1) writes to here */
	uint64_t lines;    /* that it was given and has not given back */
	struct buf out;    /* for it */
	struct buf window; /* from it */
	size_t at;
	bool ignores; /* SIGPIPE is ignored */
	struct sigaction before;
	bool passes;                           /* signals are passed on */
	struct sigaction ends[SORTER_SIGNALS]; /* what they did before */
	char error[256];                       /* text that follows "sort(1): " in a message */
};

/* Starts sort(1). It begins as {0}. */
bool sorter_open(struct sorter *sorter);

/* Writes a line: the two texts, one after the other. */
bool sorter_put(struct sorter *sorter, struct str key, struct str rest);

/* The last line was put. */
bool sorter_turn(struct sorter *sorter);

/* > 0: the next line, good until the next call; 0: all were given; < 0: see error. */
int sorter_next(struct sorter *sorter, struct str *line);

/* Ends sort(1), if it still runs, and waits until it has removed its temporary files. */
void sorter_close(struct sorter *sorter);

#endif
