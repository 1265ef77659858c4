#include "syntax/match.h"

#include "base/mem.h"

#include <stdlib.h>

/* Sets of the largest pattern have 40 KiB, so their bytes are bounded as well as their number. */
enum { SETS_MAX = 3 << 20, UNKNOWN = -1, ACCEPTED = -2 };

/* Makes room for the instructions of the pattern. */
static void begin(struct match *m)
{
	size_t count = m->pattern->count;

	if (m->seen)
		return;
	m->seen = mem_zero(count, sizeof *m->seen);
	m->reached = mem_alloc(count, sizeof *m->reached);
	m->stack = mem_alloc(2 * count + 1, sizeof *m->stack);
	m->initial = UNKNOWN;
}

/* --- states ------------------------------------------------------------------ */

/*
 * Adds to reached all instructions that come next without reading a byte. at_end: also after an
 * END; otherwise the END itself is reached.
 */
static void follow(struct match *m, int at, bool at_begin, bool at_end)
{
	size_t depth = 0;

	m->stack[depth++] = at;
	while (depth) {
		const struct pattern_code *code;

		at = m->stack[--depth];
		code = &m->pattern->code[at];
		if (m->seen[at] == m->step)
			continue;
		m->seen[at] = m->step;
		if (code->op == PATTERN_BYTES || code->op == PATTERN_MATCH ||
		    (code->op == PATTERN_END && !at_end))
			m->reached[m->reached_count++] = at;
		else if (code->op != PATTERN_BEGIN || at_begin)
			m->stack[depth++] = at + (code->op == PATTERN_JUMP ? code->to : 1);
		if (code->op == PATTERN_SPLIT || code->op == PATTERN_LOOP)
			m->stack[depth++] = at + code->to;
	}
}

static void begin_step(struct match *m)
{
	m->step++;
	m->reached_count = 0;
}

static bool is_accepted(const struct match *m)
{
	for (size_t i = 0; i < m->reached_count; i++)
		if (m->pattern->code[m->reached[i]].op == PATTERN_MATCH)
			return true;
	return false;
}

/* True if the text matches if it ends with these instructions reached. Changes reached. */
static bool is_accepted_at_end(struct match *m, bool at_begin)
{
	struct buf set = {0};

	buf_bytes(&set, (const char *)m->reached, m->reached_count * sizeof *m->reached);
	begin_step(m);
	for (size_t i = 0; i < set.len / sizeof *m->reached; i++) {
		int at;

		memcpy(&at, set.data + i * sizeof at, sizeof at);
		if (m->pattern->code[at].op == PATTERN_END)
			follow(m, at, at_begin, true);
	}
	buf_free(&set);
	return is_accepted(m);
}

/* The state in which these instructions are reached, or ACCEPTED. */
static int state_of(struct match *m, bool at_begin)
{
	size_t number;
	bool new;

	if (is_accepted(m))
		return ACCEPTED;
	m->set.len = 0;
	buf_char(&m->set, (char)at_begin);
	buf_bytes(&m->set, (const char *)m->reached, m->reached_count * sizeof *m->reached);
	number = strmap_add(&m->sets, buf_view(&m->set), &new);
	if (new) {
		m->next = mem_grow(m->next, &m->next_cap, (number + 1) * 256, sizeof *m->next);
		for (size_t i = 0; i < 256; i++)
			m->next[number * 256 + i] = UNKNOWN;
		m->at_end = mem_grow(m->at_end, &m->at_end_cap, number + 1, sizeof *m->at_end);
		m->at_end[number] = is_accepted_at_end(m, at_begin);
	}
	return (int)number * 256;
}

/* Forgets all states unless there is room for so many more; true if it forgets them. */
static bool make_room(struct match *m, size_t states)
{
	if (m->sets.count + states <= MATCH_STATES_MAX && m->sets.records.len <= SETS_MAX)
		return false;
	strmap_clear(&m->sets);
	m->initial = m->start = UNKNOWN;
	return true;
}

/* The state after a byte, which is remembered. */
static int advance(struct match *m, int state, unsigned char c)
{
	const struct pattern *pattern = m->pattern;
	struct str set = strmap_key(&m->sets, (size_t)state / 256);
	bool forgot;
	int next;

	begin_step(m);
	for (size_t i = 1; i < set.n; i += sizeof next) {
		int at;

		memcpy(&at, set.s + i, sizeof at);
		if (pattern->code[at].op == PATTERN_BYTES &&
		    pattern_has_byte(&pattern->bytes[pattern->code[at].to], c))
			follow(m, at + 1, false, false);
	}
	follow(m, 0, false, false); /* a match may begin anywhere */
	forgot = make_room(m, 1);
	next = state_of(m, false);
	if (!forgot)
		m->next[state + c] = next;
	return next;
}

/* The only byte that goes on from the instructions reached; -1 if there are several. */
static int only_byte(const struct match *m)
{
	struct pattern_bytes all = {0};
	int only = -1;

	for (size_t i = 0; i < m->reached_count; i++) {
		const struct pattern_code *code = &m->pattern->code[m->reached[i]];

		for (size_t k = 0; k < 4 && code->op == PATTERN_BYTES; k++)
			all.word[k] |= m->pattern->bytes[code->to].word[k];
	}
	for (int c = 0; c < 256; c++) {
		if (!pattern_has_byte(&all, (unsigned char)c))
			continue;
		if (only >= 0)
			return -1;
		only = c;
	}
	return only;
}

/* Makes the two states in which texts begin. */
static void begin_states(struct match *m)
{
	make_room(m, 2);
	begin_step(m);
	follow(m, 0, false, false);
	m->first = only_byte(m);
	m->start = state_of(m, false);
	begin_step(m);
	follow(m, 0, true, false);
	m->initial = state_of(m, true);
}

bool match_in(struct match *m, struct str text)
{
	int state;

	begin(m);
	if (m->initial == UNKNOWN)
		begin_states(m);
	state = m->initial;
	for (size_t i = 0; i < text.n && state != ACCEPTED; i++) {
		unsigned char c = (unsigned char)text.s[i];
		int next;

		if (state == m->start && m->first >= 0 && c != m->first) {
			const char *found = memchr(text.s + i, m->first, text.n - i);

			if (!found)
				break;
			i = (size_t)(found - text.s);
			c = (unsigned char)*found;
		}
		next = m->next[state + c];
		state = next == UNKNOWN ? advance(m, state, c) : next;
	}
	return state == ACCEPTED || m->at_end[state / 256];
}

/* --- places ------------------------------------------------------------------ */

enum { ENDS = 2 * PATTERN_GROUPS };

/* A way through the pattern so far. */
struct match_thread {
	int at;
	size_t end[ENDS]; /* ends of the groups */
};

/* An instruction to follow, or, below 0, the end of a group to put back. */
struct match_frame {
	int at;
	size_t end;
};

/* Threads in the order of their preference. */
struct threads {
	struct match_thread *item;
	size_t count;
};

/* As follow, but adds a thread for each instruction that is reached. Changes end[] on its way. */
static void spread(struct match *m, struct threads *out, int at, size_t place, bool at_end,
                   size_t end[ENDS])
{
	struct match_frame *frame = m->frames;
	size_t depth = 0;

	frame[depth++].at = at;
	while (depth) {
		struct match_frame top = frame[--depth];
		const struct pattern_code *code;

		if (top.at < 0) {
			end[~top.at] = top.end;
			continue;
		}
		code = &m->pattern->code[top.at];
		if (m->seen[top.at] == m->step)
			continue;
		m->seen[top.at] = m->step;
		switch (code->op) {
		case PATTERN_BYTES:
		case PATTERN_MATCH:
			out->item[out->count].at = top.at;
			memcpy(out->item[out->count++].end, end, ENDS * sizeof *end);
			continue;
		case PATTERN_SPLIT:
			frame[depth++].at = top.at + code->to;
			break;
		case PATTERN_SAVE:
			frame[depth++] = (struct match_frame){~code->to, end[code->to]};
			end[code->to] = place;
			break;
		case PATTERN_BEGIN:
			if (place)
				continue;
			break;
		case PATTERN_END:
			if (!at_end)
				continue;
			break;
		case PATTERN_LOOP:
			frame[depth++].at = top.at + 1;
			break;
		case PATTERN_JUMP:
			break;
		}
		frame[depth++].at =
			top.at + (code->op == PATTERN_LOOP || code->op == PATTERN_JUMP ? code->to : 1);
	}
}

/* Reads the byte at place, if there is one, in all threads. *best is the match so far. */
static void read_byte(struct match *m, const struct threads *now, struct threads *next,
                      struct str text, size_t place, struct match_thread *best)
{
	const struct pattern *pattern = m->pattern;

	m->step++;
	next->count = 0;
	for (size_t i = 0; i < now->count; i++) {
		struct match_thread *thread = &now->item[i];
		const struct pattern_code *code = &pattern->code[thread->at];

		if (thread->end[0] > best->end[0])
			break; /* it begins later, as do those after it */
		if (code->op == PATTERN_MATCH) {
			*best = *thread;
			best->end[1] = place;
		} else if (place < text.n &&
		           pattern_has_byte(&pattern->bytes[code->to], (unsigned char)text.s[place])) {
			spread(m, next, thread->at + 1, place + 1, place + 1 == text.n, thread->end);
		}
	}
}

bool match_find(struct match *m, struct str text, struct match_span group[PATTERN_GROUPS])
{
	size_t count = m->pattern->count;
	struct match_thread best = {.end = {SIZE_MAX}};
	struct threads now = {0};
	struct threads next = {0};

	if (!match_in(m, text)) /* as most texts do not match, and this is quicker */
		return false;
	if (!m->threads) {
		m->threads = mem_alloc(2 * count, sizeof *m->threads);
		m->frames = mem_alloc(2 * count + 1, sizeof *m->frames);
	}
	now.item = m->threads;
	next.item = m->threads + count;
	m->step++;
	for (size_t place = 0; place <= text.n && (now.count || best.end[0] == SIZE_MAX); place++) {
		struct threads other = now;

		if (best.end[0] == SIZE_MAX) {
			size_t end[ENDS];

			memset(end, 0xff, sizeof end);
			end[0] = place;
			spread(m, &now, 0, place, place == text.n, end);
			other.count = now.count;
		}
		read_byte(m, &now, &next, text, place, &best);
		now = next;
		next = other;
	}
	for (size_t i = 0; i < PATTERN_GROUPS; i++)
		group[i] = (struct match_span){best.end[2 * i], best.end[2 * i + 1]};
	return true;
}

void match_free(struct match *m)
{
	strmap_free(&m->sets);
	free(m->next);
	free(m->at_end);
	free(m->reached);
	free(m->stack);
	free(m->seen);
	buf_free(&m->set);
	free(m->threads);
	free(m->frames);
	*m = (struct match){0};
}
