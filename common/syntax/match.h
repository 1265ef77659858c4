/*
 * match - searching texts for a pattern, in time that grows with the text alone.
 *
 * match_in takes a fixed time for each byte once it knows the states that the texts lead to. It
 * keeps at most 1,000 states, 1 KiB each, and 4 MiB for their sets of instructions. match_find
 * takes 400 bytes for each instruction. So a pattern takes at most 10 MiB, whatever the texts are.
 */
#ifndef MATCH_H
#define MATCH_H

#include "base/strmap.h"
#include "syntax/pattern.h"

/* The states that are kept. make fuzz sets a number that small inputs reach. */
#ifndef MATCH_STATES_MAX
#define MATCH_STATES_MAX 1000
#endif

struct match_thread;
struct match_frame;

/* Starts as {.pattern = ...}, which must outlive it. */
struct match {
	const struct pattern *pattern;
	/* Sets of instructions, by number, and what each byte leads to. */
	struct strmap sets;
	int *next; /* the next state, at 256 * state + byte */
	size_t next_cap;
	bool *at_end; /* by number: a text that ends here matches */
	size_t at_end_cap;
	int initial; /* the state at the beginning of a text; < 0: not known */
	int start;   /* the state in which no match has begun */
	int first;   /* the only byte that begins a match; < 0: several bytes do */
	/* instructions of a step that read a byte or end the match */
	int *reached; /* instructions that read a byte, or end the match */
	size_t reached_count;
	int *stack;
	uint64_t *seen; /* by instruction: the last step that came to it */
	uint64_t step;
	struct buf set;
	/* For match_find. */
	struct match_thread *threads;
	struct match_frame *frames;
};

/* A part of the text. */
struct match_span {
	size_t first;
	size_t last; /* the byte after it; SIZE_MAX if the group took no part */
};

/* True if some part of text matches. */
bool match_in(struct match *match, struct str text);

/*
 * Finds the leftmost match, and of several there the longest; group 0 is the match itself.
 * Parentheses take the first alternative and the most repeats that lead to it. False if nothing
 * matches.
 */
bool match_find(struct match *match, struct str text, struct match_span group[PATTERN_GROUPS]);

void match_free(struct match *match);

#endif
