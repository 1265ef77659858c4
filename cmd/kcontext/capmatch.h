/*
 * capmatch - which call of a capture stands for which row of a graph launch.
 *
 * Calls and rows are tokens: a copy, a memset, a kernel call without a name, or CAPMATCH_NAMED plus
 * the number of the kernel's name. Copies match copies, memsets memsets, kernels those of equal
 * name.
 * - If a call has no name, calls and rows match one by one if all kinds are equal and all rows are
 *   on one stream.
 * - Otherwise, if each token occurs equally often on both sides, the n-th call of a token matches
 *   the n-th row of that token.
 * - Otherwise a longest common subsequence matches: the one with the earliest first row, for that
 *   row with the earliest call, and so on with the second row.
 * A match counts if more than half of the rows are matched.
 *
 * Time for n calls and m rows: n + m, and n m / 32 for a subsequence. Memory: 16 bytes for each
 * distinct token, some 30 for each call and row, and n m / 8 bytes, at most 256 MiB, while a
 * subsequence is found. Tokens that only one side has do not count in these products.
 */
#ifndef CAPMATCH_H
#define CAPMATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAPMATCH_COPY, CAPMATCH_MEMSET, CAPMATCH_NAMELESS, CAPMATCH_NAMED };

#define CAPMATCH_NONE UINT32_MAX

/* A table of more bits is not made: the match is CAPMATCH_LONG. */
#define CAPMATCH_BITS ((uint64_t)1 << 31)
#define CAPMATCH_LONG UINT32_MAX

struct capmatch_tokens {
	const uint32_t *token;
	size_t count; /* at most UINT32_MAX - 1 */
};

/* Room for the work. Starts as {0}. */
struct capmatch {
	uint64_t work;              /* steps so far: calls and rows looked at, and words of tables */
	struct capmatch_seen *seen; /* by token */
	size_t seen_cap;
	uint32_t round;
	struct capmatch_token *tokens; /* the tokens of the calls */
	size_t tokens_count;
	size_t tokens_cap;
	struct capmatch_item *items[2]; /* calls and rows: those that both sides have */
	size_t items_count[2];
	size_t items_cap[2];
	uint32_t *position; /* places of calls in items, by token */
	size_t position_cap;
	uint64_t *frequent; /* a line of bits for each token that many calls have */
	size_t frequent_cap;
	uint64_t *table; /* a line of words for each row, then two lines of room */
	size_t table_cap;
};

/* Matched rows; 0 if the match does not count. */
uint32_t capmatch_count(struct capmatch *match, struct capmatch_tokens calls,
                        struct capmatch_tokens rows, bool one_stream);

/*
 * Sets call_of_row[r] to the number of the call for each row, or to CAPMATCH_NONE. The result is as
 * of capmatch_count; if it is 0 or CAPMATCH_LONG, all are CAPMATCH_NONE.
 */
uint32_t capmatch_rows(struct capmatch *match, struct capmatch_tokens calls,
                       struct capmatch_tokens rows, bool one_stream, uint32_t *call_of_row);

/* A search for the places at which the calls have the rows' tokens in a row. */
struct capmatch_search {
	struct capmatch_tokens calls;
	struct capmatch_tokens rows; /* at least one */
	uint32_t *border;            /* by row */
	size_t at;                   /* calls that were looked at */
	size_t state;                /* rows that the last of these calls match */
};

/* Time and memory of a whole search grow with calls and rows. */
void capmatch_search(struct capmatch_search *search, struct capmatch_tokens calls,
                     struct capmatch_tokens rows);

/* The number of the first call at the next place; CAPMATCH_NONE after the last. */
uint32_t capmatch_place(struct capmatch_search *search);

void capmatch_search_end(struct capmatch_search *search);

void capmatch_free(struct capmatch *match);

#endif
