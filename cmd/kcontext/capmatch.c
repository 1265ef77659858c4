#include "capmatch.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS, ROWS };

/* The number of a token among those of the calls, if this is the round. */
struct capmatch_seen {
	uint32_t round;
	uint32_t number;
};

struct capmatch_token {
	uint32_t count[2]; /* in calls, in rows */
	uint32_t first;    /* in position */
	uint32_t next;     /* in position: the first place that was not passed */
	uint32_t line;     /* in frequent, from 1; 0: none */
};

/* A call or row whose token both sides have. */
struct capmatch_item {
	uint32_t token; /* in tokens */
	uint32_t at;    /* number of the call or row */
};

/* --- tokens that both sides have ----------------------------------------------- */

/* The number of a token that the calls have; CAPMATCH_NONE. */
static uint32_t number_of(const struct capmatch *m, uint32_t token)
{
	if (token >= m->seen_cap || m->seen[token].round != m->round)
		return CAPMATCH_NONE;
	return m->seen[token].number;
}

static void count_calls(struct capmatch *m, struct capmatch_tokens calls)
{
	m->tokens_count = 0;
	if (++m->round == 0) {
		memset(m->seen, 0, m->seen_cap * sizeof *m->seen);
		m->round = 1;
	}
	for (size_t i = 0; i < calls.count; i++) {
		uint32_t token = calls.token[i];
		uint32_t number = number_of(m, token);

		if (number == CAPMATCH_NONE) {
			number = (uint32_t)m->tokens_count++;
			m->tokens = mem_grow(m->tokens, &m->tokens_cap, m->tokens_count, sizeof *m->tokens);
			m->tokens[number] = (struct capmatch_token){0};
			m->seen = mem_grow_zero(m->seen, &m->seen_cap, (size_t)token + 1, sizeof *m->seen);
			m->seen[token] = (struct capmatch_seen){m->round, number};
		}
		m->tokens[number].count[CALLS]++;
	}
}

/* Whether each token occurs equally often on both sides. */
static bool count_rows(struct capmatch *m, struct capmatch_tokens rows, size_t calls)
{
	bool equal = rows.count == calls;

	for (size_t i = 0; i < rows.count; i++) {
		uint32_t number = number_of(m, rows.token[i]);

		if (number == CAPMATCH_NONE)
			equal = false;
		else
			m->tokens[number].count[ROWS]++;
	}
	for (size_t i = 0; i < m->tokens_count && equal; i++)
		equal = m->tokens[i].count[CALLS] == m->tokens[i].count[ROWS];
	return equal;
}

static void keep_shared(struct capmatch *m, struct capmatch_tokens all, int side)
{
	m->items_count[side] = 0;
	m->items[side] =
		mem_grow(m->items[side], &m->items_cap[side], all.count, sizeof *m->items[side]);
	for (size_t i = 0; i < all.count; i++) {
		uint32_t number = number_of(m, all.token[i]);

		if (number != CAPMATCH_NONE && m->tokens[number].count[ROWS])
			m->items[side][m->items_count[side]++] = (struct capmatch_item){number, (uint32_t)i};
	}
}

/* The places of each token among the shared calls, in order. */
static void list_positions(struct capmatch *m)
{
	size_t count = m->items_count[CALLS];
	uint32_t first = 0;

	m->position = mem_grow(m->position, &m->position_cap, count, sizeof *m->position);
	for (size_t i = 0; i < m->tokens_count; i++) {
		struct capmatch_token *token = &m->tokens[i];

		token->first = token->next = first;
		if (token->count[ROWS])
			first += token->count[CALLS];
	}
	for (size_t i = 0; i < count; i++)
		m->position[m->tokens[m->items[CALLS][i].token].next++] = (uint32_t)i;
	for (size_t i = 0; i < m->tokens_count; i++)
		m->tokens[i].next = m->tokens[i].first;
}

/* --- a longest common subsequence ------------------------------------------------ */

/*
 * The two sides without their common beginning. Bit b of a line is the call number n - 1 - b. The
 * line of a row has a 0 for each call by which the subsequence of all later calls, this row and the
 * later rows becomes longer: so the zeros in the first bits count it (Hyyrö 2004).
 */
struct grid {
	const struct capmatch_item *calls;
	const struct capmatch_item *rows;
	size_t n;
	size_t m;
	size_t skipped; /* items of their common beginning */
	size_t words;
};

static struct grid grid_of(const struct capmatch *m)
{
	struct grid grid = {.calls = m->items[CALLS],
	                    .rows = m->items[ROWS],
	                    .n = m->items_count[CALLS],
	                    .m = m->items_count[ROWS]};

	while (grid.n && grid.m && grid.calls->token == grid.rows->token) {
		grid.calls++;
		grid.rows++;
		grid.n--;
		grid.m--;
		grid.skipped++;
	}
	grid.words = (grid.n + 63) / 64;
	return grid;
}

/* Sets or clears the bits of a token's calls. */
static void mark(const struct capmatch *m, const struct grid *grid, uint32_t token, uint64_t *bits)
{
	const struct capmatch_token *t = &m->tokens[token];

	for (size_t i = 0; i < t->count[CALLS]; i++) {
		size_t call = m->position[t->first + i];

		if (call >= grid->skipped) {
			size_t bit = grid->n - 1 - (call - grid->skipped);

			bits[bit / 64] ^= (uint64_t)1 << bit % 64;
		}
	}
}

/*
 * The bits of each token that more calls have than a line has words, so that no row takes longer
 * than its line. They are at most 64.
 */
static void mark_frequent(struct capmatch *m, const struct grid *grid)
{
	size_t lines = 0;

	for (size_t i = 0; i < m->tokens_count; i++) {
		struct capmatch_token *token = &m->tokens[i];

		if (!token->count[ROWS] || token->count[CALLS] <= grid->words)
			continue;
		m->frequent =
			mem_grow(m->frequent, &m->frequent_cap, (lines + 1) * grid->words, sizeof *m->frequent);
		memset(m->frequent + lines * grid->words, 0, grid->words * sizeof *m->frequent);
		mark(m, grid, (uint32_t)i, m->frequent + lines * grid->words);
		token->line = (uint32_t)++lines;
	}
}

/* The line of a row, from the line of the next one and the calls of its token. */
static void next_line(uint64_t *line, const uint64_t *before, const uint64_t *calls, size_t words)
{
	uint64_t carry = 0;

	for (size_t w = 0; w < words; w++) {
		uint64_t used = before[w] & calls[w];
		uint64_t sum = before[w] + used;
		uint64_t over = sum < used;

		sum += carry;
		carry = over | (sum < carry);
		line[w] = sum | (before[w] & ~calls[w]);
	}
}

/* The zeros of a line in its first bits. */
static size_t zeros(const uint64_t *line, size_t bits)
{
	size_t count = 0;

	for (size_t w = 0; w < bits / 64; w++)
		count += (size_t)__builtin_popcountll(~line[w]);
	if (bits % 64)
		count += (size_t)__builtin_popcountll(~line[bits / 64] & (((uint64_t)1 << bits % 64) - 1));
	return count;
}

/*
 * Fills the table from the last row to the first; with `whole` each row has its line, and else all
 * have the first one. Returns the length of the subsequence.
 */
static size_t fill(struct capmatch *m, const struct grid *grid, bool whole)
{
	size_t lines = (whole ? grid->m : 0) + 2;
	size_t words = grid->words;
	uint64_t *bits;
	uint64_t *line;

	m->table = mem_grow(m->table, &m->table_cap, lines * words, sizeof *m->table);
	bits = m->table + (lines - 1) * words;
	line = bits - words;
	memset(line, 0xff, words * sizeof *line);
	memset(bits, 0, words * sizeof *bits);
	mark_frequent(m, grid);
	m->work += grid->m * words;
	for (size_t j = grid->m; j-- > 0;) {
		uint64_t *to = whole ? line - words : line;
		uint32_t token = grid->rows[j].token;
		uint32_t frequent = m->tokens[token].line;

		if (frequent) {
			next_line(to, line, m->frequent + (frequent - 1) * words, words);
		} else {
			mark(m, grid, token, bits);
			next_line(to, line, bits, words);
			mark(m, grid, token, bits);
		}
		line = to;
	}
	return zeros(line, grid->n);
}

/* The first call of a token from the call i on, in the grid; n if there is none. */
static size_t next_call(struct capmatch *m, const struct grid *grid, uint32_t token, size_t i)
{
	struct capmatch_token *t = &m->tokens[token];
	uint32_t end = t->first + t->count[CALLS];

	while (t->next < end && m->position[t->next] < grid->skipped + i)
		t->next++;
	return t->next < end ? m->position[t->next] - grid->skipped : grid->n;
}

/* Each row that can be the next of the subsequence is, with the earliest call. */
static void trace(struct capmatch *m, const struct grid *grid, size_t length, uint32_t *call_of_row)
{
	size_t i = 0;

	for (size_t j = 0; j < grid->m && length; j++) {
		size_t call = next_call(m, grid, grid->rows[j].token, i);
		const uint64_t *line = m->table + (j + 1) * grid->words;

		if (call == grid->n || zeros(line, grid->n - 1 - call) + 1 != length)
			continue;
		call_of_row[grid->rows[j].at] = grid->calls[call].at;
		i = call + 1;
		length--;
	}
}

static uint32_t subsequence(struct capmatch *m, struct capmatch_tokens calls,
                            struct capmatch_tokens rows, uint32_t *call_of_row)
{
	struct grid grid;
	size_t length;

	keep_shared(m, calls, CALLS);
	keep_shared(m, rows, ROWS);
	list_positions(m);
	grid = grid_of(m);
	if (2 * (grid.skipped + (grid.n < grid.m ? grid.n : grid.m)) <= rows.count)
		return 0;
	if (grid.m && grid.n > CAPMATCH_BITS / grid.m)
		return CAPMATCH_LONG;
	length = grid.n && grid.m ? fill(m, &grid, call_of_row != NULL) : 0;
	if (2 * (grid.skipped + length) <= rows.count)
		return 0;
	if (call_of_row) {
		for (size_t k = 0; k < grid.skipped; k++)
			call_of_row[m->items[ROWS][k].at] = m->items[CALLS][k].at;
		if (length)
			trace(m, &grid, length, call_of_row);
	}
	return (uint32_t)(grid.skipped + length);
}

/* --- the other ways ----------------------------------------------------------------- */

static bool has_nameless(struct capmatch_tokens calls)
{
	for (size_t i = 0; i < calls.count; i++)
		if (calls.token[i] == CAPMATCH_NAMELESS)
			return true;
	return false;
}

/* By order alone, in which names do not count. */
static uint32_t one_by_one(struct capmatch_tokens calls, struct capmatch_tokens rows,
                           bool one_stream, uint32_t *call_of_row)
{
	if (!one_stream || calls.count != rows.count)
		return 0;
	for (size_t i = 0; i < rows.count; i++) {
		uint32_t kind = calls.token[i] < CAPMATCH_NAMELESS ? calls.token[i] : CAPMATCH_NAMELESS;

		if (kind != (rows.token[i] < CAPMATCH_NAMELESS ? rows.token[i] : CAPMATCH_NAMELESS))
			return 0;
	}
	for (size_t i = 0; i < rows.count && call_of_row; i++)
		call_of_row[i] = (uint32_t)i;
	return (uint32_t)rows.count;
}

/* The n-th call of a token is its n-th row. */
static uint32_t by_token(struct capmatch *m, struct capmatch_tokens calls,
                         struct capmatch_tokens rows, uint32_t *call_of_row)
{
	if (call_of_row) {
		keep_shared(m, calls, CALLS);
		list_positions(m);
		for (size_t i = 0; i < rows.count; i++)
			call_of_row[i] = m->position[m->tokens[number_of(m, rows.token[i])].next++];
	}
	return (uint32_t)rows.count;
}

static uint32_t match_all(struct capmatch *m, struct capmatch_tokens calls,
                          struct capmatch_tokens rows, bool one_stream, uint32_t *call_of_row)
{
	if (calls.count == 0 || rows.count == 0)
		return 0;
	m->work += calls.count + rows.count;
	if (has_nameless(calls))
		return one_by_one(calls, rows, one_stream, call_of_row);
	count_calls(m, calls);
	if (count_rows(m, rows, calls.count))
		return by_token(m, calls, rows, call_of_row);
	return subsequence(m, calls, rows, call_of_row);
}

uint32_t capmatch_count(struct capmatch *match, struct capmatch_tokens calls,
                        struct capmatch_tokens rows, bool one_stream)
{
	return match_all(match, calls, rows, one_stream, NULL);
}

uint32_t capmatch_rows(struct capmatch *match, struct capmatch_tokens calls,
                       struct capmatch_tokens rows, bool one_stream, uint32_t *call_of_row)
{
	for (size_t i = 0; i < rows.count; i++)
		call_of_row[i] = CAPMATCH_NONE;
	return match_all(match, calls, rows, one_stream, call_of_row);
}

/* --- places (Knuth, Morris and Pratt) --------------------------------------------- */

void capmatch_search(struct capmatch_search *search, struct capmatch_tokens calls,
                     struct capmatch_tokens rows)
{
	uint32_t *border = mem_alloc(rows.count, sizeof *border);
	uint32_t length = 0;

	/* The longest beginning of the rows up to i that is also their end, and shorter. */
	border[0] = 0;
	for (size_t i = 1; i < rows.count; i++) {
		while (length && rows.token[i] != rows.token[length])
			length = border[length - 1];
		if (rows.token[i] == rows.token[length])
			length++;
		border[i] = length;
	}
	*search = (struct capmatch_search){.calls = calls, .rows = rows, .border = border};
}

uint32_t capmatch_place(struct capmatch_search *s)
{
	while (s->at < s->calls.count) {
		uint32_t token = s->calls.token[s->at++];

		while (s->state && token != s->rows.token[s->state])
			s->state = s->border[s->state - 1];
		if (token == s->rows.token[s->state])
			s->state++;
		if (s->state == s->rows.count) {
			s->state = s->border[s->state - 1];
			return (uint32_t)(s->at - s->rows.count);
		}
	}
	return CAPMATCH_NONE;
}

void capmatch_search_end(struct capmatch_search *search)
{
	free(search->border);
	*search = (struct capmatch_search){0};
}

void capmatch_free(struct capmatch *match)
{
	free(match->seen);
	free(match->tokens);
	free(match->items[CALLS]);
	free(match->items[ROWS]);
	free(match->position);
	free(match->frequent);
	free(match->table);
	*match = (struct capmatch){0};
}
