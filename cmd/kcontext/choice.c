#include "choice.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN (CAPMATCH_LONG - 1) /* a match that was not made */

/* Numbers of captures or of sets. */
struct choice_list {
	uint32_t *item;
	size_t count;
	size_t cap;
};

struct choice_sequence {
	uint32_t *matched;       /* rows, by sequence of captures */
	struct choice_list best; /* captures */
	bool chosen;             /* best is known */
	bool too_long;           /* a match was */
};

static void list_put(struct choice_list *list, uint32_t number)
{
	list->item = mem_grow(list->item, &list->cap, list->count + 1, sizeof *list->item);
	list->item[list->count++] = number;
}

/* --- steps and places ------------------------------------------------------------- */

/* Whether so many steps or places were taken that no further launch has an answer. */
static bool is_spent(const struct choices *c)
{
	return c->steps + c->match.work > c->steps_max || c->places > CHOICE_PLACES;
}

/* --- matches -------------------------------------------------------------------- */

/* The rows of a sequence of launches. */
struct rows {
	struct capmatch_tokens tokens;
	bool one_stream;
};

static struct rows rows_of(const struct choices *c, uint32_t sequence)
{
	struct rows rows = {.tokens = {c->tokens, replays_length(c->replays, sequence)}};

	rows.one_stream = replays_sequence(c->replays, sequence, c->tokens);
	return rows;
}

static struct capmatch_tokens calls_of(const struct choices *c, uint32_t capture)
{
	return captures_tokens(c->captures, c->captures->capture[capture].first,
	                       c->captures->capture[capture].count);
}

/* Matched rows of a sequence of launches by a sequence of captures; 0 if the match does not count.
 */
static uint32_t matched(struct choices *c, uint32_t sequence, uint32_t of_captures)
{
	struct choice_sequence *s = &c->sequence[sequence];
	size_t count = c->captures->sequences.count;
	uint32_t *rows_matched;

	c->steps++;
	if (is_spent(c))
		return 0;
	if (!s->matched) {
		c->places += count;
		if (is_spent(c))
			return 0;
		s->matched = mem_alloc(count, sizeof *s->matched);
		for (size_t i = 0; i < count; i++)
			s->matched[i] = UNKNOWN;
	}
	rows_matched = &s->matched[of_captures];
	if (*rows_matched == UNKNOWN) {
		struct rows rows = rows_of(c, sequence);

		*rows_matched = capmatch_count(&c->match, calls_of(c, c->captures->sample[of_captures]),
		                               rows.tokens, rows.one_stream);
		if (*rows_matched == CAPMATCH_LONG) {
			s->too_long = true;
			*rows_matched = 0;
		}
	}
	return *rows_matched;
}

/* --- the best sets of a run, the best captures of a launch ---------------------------- */

/* How good a candidate is: more matched rows, then fewer calls. */
struct score {
	uint64_t matched;
	uint64_t calls;
};

static int compare_scores(struct score a, struct score b)
{
	if (a.matched != b.matched)
		return a.matched < b.matched ? -1 : 1;
	return (a.calls < b.calls) - (a.calls > b.calls);
}

/* Puts a candidate into the list of the best so far. */
static void enter(struct choices *c, struct choice_list *list, struct score *best,
                  struct score score, uint32_t number)
{
	int order = list->count ? compare_scores(score, *best) : 1;

	if (order < 0)
		return;
	if (order > 0)
		list->count = 0;
	*best = score;
	c->places++;
	list_put(list, number);
}

/* Whether each capture of a set matches its launch of a run; then score is set. */
static bool matches(struct choices *c, const struct replay_run *run, const struct capture_set *set,
                    struct score *score)
{
	const struct replay *launch = c->replays->item + run->first;
	const struct capture *capture = c->captures->capture + set->first;

	*score = (struct score){.calls = set->calls};
	c->steps++;
	if (set->count != run->count)
		return false;
	for (size_t k = 0; k < run->count; k++) {
		uint32_t count = matched(c, launch[k].sequence, capture[k].sequence);

		if (count == 0)
			return false;
		score->matched += count;
	}
	return true;
}

/* Runs with equal sequences have the same best sets. */
static const struct choice_list *best_sets(struct choices *c, const struct replay_run *run)
{
	struct score best = {0};
	struct choice_list *list;
	bool new;
	size_t number;

	c->key.len = 0;
	for (size_t k = 0; k < run->count; k++)
		buf_bytes(&c->key, (const char *)&c->replays->item[run->first + k].sequence,
		          sizeof(uint32_t));
	number = strmap_add(&c->runs, buf_view(&c->key), &new);
	c->sets = mem_grow(c->sets, &c->sets_cap, number + 1, sizeof *c->sets);
	list = &c->sets[number];
	if (!new)
		return list;
	*list = (struct choice_list){0};
	for (uint32_t i = 0; i < c->captures->sets && !is_spent(c); i++) {
		struct score score;

		if (matches(c, run, &c->captures->set[i], &score))
			enter(c, list, &best, score, i);
	}
	return list;
}

static const struct choice_list *best_captures(struct choices *c, uint32_t sequence)
{
	struct choice_sequence *s = &c->sequence[sequence];
	struct score best = {0};

	for (uint32_t i = 0; i < c->captures->count && !s->chosen && !is_spent(c); i++) {
		const struct capture *capture = &c->captures->capture[i];
		struct score score = {matched(c, sequence, capture->sequence), capture->count};

		if (score.matched)
			enter(c, &s->best, &best, score, i);
	}
	s->chosen = true;
	return &s->best;
}

/* --- the size of the step decides ------------------------------------------------------ */

static const struct capture_set *set_of(const struct choices *c, uint32_t number, bool is_set)
{
	return &c->captures->set[is_set ? number : c->captures->capture[number].set];
}

/* Tied candidates: captures, or the captures number k of sets. */
struct tie {
	const struct choice_list *list;
	bool sets;
	uint32_t k;
	bool decides; /* only captures of this size stay */
	uint64_t size;
};

/*
 * The least size of a candidate that is at least the size of the step. False if there is none, or
 * if all candidates have one size.
 */
static bool deciding_size(struct choices *c, const struct tie *tie,
                          const struct replay_launch *launch, uint64_t *size)
{
	const struct capture_set *first = set_of(c, tie->list->item[0], tie->sets);
	bool differ = false;
	bool found = false;

	for (size_t i = 0; i < tie->list->count && launch->sized; i++) {
		c->steps++;
		const struct capture_set *set = set_of(c, tie->list->item[i], tie->sets);

		differ |= set->sized != first->sized || set->size != first->size;
		if (set->sized && set->size >= launch->size && (!found || set->size < *size)) {
			*size = set->size;
			found = true;
		}
	}
	return differ && found;
}

/* The capture of a candidate; CAPTURE_NONE if it does not stay. */
static uint32_t capture_of(const struct choices *c, const struct tie *tie, size_t i)
{
	uint32_t number = tie->list->item[i];
	const struct capture_set *set = set_of(c, number, tie->sets);

	if (tie->decides && (!set->sized || set->size != tie->size))
		return CAPTURE_NONE;
	return tie->sets ? set->first + tie->k : number;
}

/* --- what the candidates agree on ------------------------------------------------------- */

static size_t lost_bytes(const struct choices *c)
{
	return (c->captures->columns + 7) / 8;
}

/* A row of a further candidate: what differs from the first is lost. */
static void compare_row(const struct choices *c, struct choice_row *row, uint32_t call,
                        unsigned char *differ)
{
	if (row->call == call)
		return;
	if (call == CAPTURE_NONE) {
		row->call = CAPTURE_NONE;
		memset(differ, 0xff, lost_bytes(c));
		return;
	}
	for (size_t i = 0; i < c->captures->columns; i++)
		if (captures_value_of(c->captures, row->call, i) != captures_value_of(c->captures, call, i))
			differ[i / 8] |= (unsigned char)(1u << i % 8);
}

/*
 * A candidate: its calls begin with the call `first`, and row i has the call c->map[i] of them, or
 * without map the i-th.
 */
static void add_candidate(struct choices *c, struct choice_answer *answer, size_t rows, bool mapped,
                          uint32_t first, uint32_t name)
{
	bool new = !answer->row;

	c->steps += rows * c->captures->columns;
	if (new) {
		answer->row = mem_alloc(rows, sizeof *answer->row);
		memset(c->differ, 0, rows * lost_bytes(c));
		answer->name = name;
	}
	if (answer->name != name)
		answer->name = 0;
	for (size_t i = 0; i < rows; i++) {
		uint32_t at = mapped ? c->map[i] : (uint32_t)i;
		uint32_t call = at == CAPMATCH_NONE ? CAPTURE_NONE : first + at;

		if (new)
			answer->row[i] = (struct choice_row){.call = call};
		else if (answer->row[i].call != CAPTURE_NONE)
			compare_row(c, &answer->row[i], call, c->differ + i * lost_bytes(c));
		else if (call != CAPTURE_NONE)
			memset(c->differ + i * lost_bytes(c), 0xff, lost_bytes(c));
	}
}

/* Numbers the operators' calls of the first candidate, and keeps what is lost. */
static void finish_answer(struct choices *c, struct choice_answer *answer, size_t rows)
{
	struct strmap operators = {0};

	for (size_t i = 0; i < rows && answer->row; i++) {
		struct choice_row *row = &answer->row[i];
		unsigned char *differ = c->differ + i * lost_bytes(c);
		struct str bits = {(const char *)differ, lost_bytes(c)};
		uint32_t number = row->call == CAPTURE_NONE ? 0 : c->captures->operator[row->call];

		row->lost = (uint32_t)strmap_add(&c->lost, bits, NULL);
		if (number && !(differ[0] & 1))
			row->op = 1 + (uint32_t)strmap_add(
							  &operators, (struct str){(const char *)&number, sizeof number}, NULL);
	}
	answer->operators = (uint32_t)operators.count;
	strmap_free(&operators);
}

/* --- answers ------------------------------------------------------------------------------ */

static void answer_by_captures(struct choices *c, struct choice_answer *answer, uint32_t sequence,
                               const struct tie *tie)
{
	struct rows rows = rows_of(c, sequence);
	uint32_t mapped = CAPTURE_NONE; /* the sequence of captures that c->map is of */

	answer->source = CHOICE_CAPTURE;
	for (size_t i = 0; i < tie->list->count && !is_spent(c); i++) {
		uint32_t number = capture_of(c, tie, i);
		const struct capture *capture;

		if (number == CAPTURE_NONE)
			continue;
		capture = &c->captures->capture[number];
		if (capture->sequence != mapped)
			capmatch_rows(&c->match, calls_of(c, number), rows.tokens, rows.one_stream, c->map);
		mapped = capture->sequence;
		add_candidate(c, answer, rows.tokens.count, true, capture->first,
		              c->captures->set[capture->set].name);
	}
	finish_answer(c, answer, rows.tokens.count);
}

/* Each place in the eager kernels at which the tokens of the rows stand in a row. */
static void add_places(struct choices *c, struct choice_answer *answer, const struct rows *rows)
{
	for (size_t i = 0; i < c->captures->eagers && !is_spent(c); i++) {
		const struct capture_eager *eager = &c->captures->eager[i];
		struct capmatch_search search;
		uint32_t at;

		capmatch_search(&search, captures_tokens(c->captures, eager->first, eager->count),
		                rows->tokens);
		c->steps += eager->count + rows->tokens.count;
		while (!is_spent(c) && (at = capmatch_place(&search)) != CAPMATCH_NONE)
			add_candidate(c, answer, rows->tokens.count, false, eager->first + at, 0);
		capmatch_search_end(&search);
	}
}

/* The best of the eager kernels of whole REFs. */
static void add_whole(struct choices *c, struct choice_answer *answer, const struct rows *rows,
                      bool *too_long)
{
	struct choice_list list = {0};
	struct score best = {0};

	for (uint32_t i = 0; i < c->captures->eagers && !is_spent(c); i++) {
		const struct capture_eager *eager = &c->captures->eager[i];
		uint32_t count =
			capmatch_count(&c->match, captures_tokens(c->captures, eager->first, eager->count),
		                   rows->tokens, true);

		*too_long |= count == CAPMATCH_LONG;
		if (count && count != CAPMATCH_LONG)
			enter(c, &list, &best, (struct score){count, eager->count}, i);
	}
	for (size_t i = 0; i < list.count && !is_spent(c); i++) {
		const struct capture_eager *eager = &c->captures->eager[list.item[i]];

		capmatch_rows(&c->match, captures_tokens(c->captures, eager->first, eager->count),
		              rows->tokens, true, c->map);
		add_candidate(c, answer, rows->tokens.count, true, eager->first, 0);
	}
	free(list.item);
}

static void answer_by_eager(struct choices *c, struct choice_answer *answer, uint32_t sequence)
{
	struct rows rows = rows_of(c, sequence);
	bool too_long = c->sequence[sequence].too_long;

	add_places(c, answer, &rows);
	if (!answer->row)
		add_whole(c, answer, &rows, &too_long);
	answer->source = answer->row ? CHOICE_EAGER : too_long ? CHOICE_LONG : CHOICE_NONE;
	finish_answer(c, answer, rows.tokens.count);
}

/* What decides an answer: the sequence, and the tied captures of sets or the size. */
static void put_key(struct choices *c, uint32_t sequence, const struct tie *tie)
{
	c->key.len = 0;
	if (is_spent(c))
		return;
	buf_bytes(&c->key, (const char *)&sequence, sizeof sequence);
	if (!tie->sets) {
		buf_char(&c->key, tie->decides);
		buf_bytes(&c->key, (const char *)&tie->size, sizeof tie->size);
		return;
	}
	for (size_t i = 0; i < tie->list->count; i++) {
		uint32_t capture = capture_of(c, tie, i);

		c->steps++;
		if (capture != CAPTURE_NONE)
			buf_bytes(&c->key, (const char *)&capture, sizeof capture);
	}
}

/* The answer for launch number k of a run, whose best sets are `sets`; NULL if it is in no step. */
static uint32_t answer_for(struct choices *c, const struct replay *launch, uint32_t k,
                           const struct choice_list *sets)
{
	struct tie tie = {.list = sets, .sets = sets && sets->count, .k = k};
	struct choice_answer *answer;
	uint64_t size = 0;
	bool new;
	size_t number;

	if (!tie.sets)
		tie.list = best_captures(c, launch->sequence);
	if (tie.list->count)
		tie.decides = deciding_size(c, &tie, &launch->launch, &size);
	tie.size = tie.decides ? size : 0;
	put_key(c, launch->sequence, &tie);
	number = strmap_add(&c->answers, buf_view(&c->key), &new);
	c->answer = mem_grow(c->answer, &c->answers_cap, number + 1, sizeof *c->answer);
	answer = &c->answer[number];
	if (!new)
		return (uint32_t)number;
	*answer = (struct choice_answer){0};
	if (tie.list->count)
		answer_by_captures(c, answer, launch->sequence, &tie);
	else if (!is_spent(c))
		answer_by_eager(c, answer, launch->sequence);
	if (is_spent(c)) {
		free(answer->row);
		*answer = (struct choice_answer){.source = CHOICE_LONG};
	}
	return (uint32_t)number;
}

/* Room for the rows of the longest sequence. */
static void make_room(struct choices *c)
{
	size_t longest = 0;

	for (uint32_t i = 0; i < c->replays->sequences.count; i++)
		if (replays_length(c->replays, i) > longest)
			longest = replays_length(c->replays, i);
	c->sequence = mem_zero(c->replays->sequences.count, sizeof *c->sequence);
	c->tokens = mem_alloc(longest, sizeof *c->tokens);
	c->map = mem_alloc(longest, sizeof *c->map);
	c->differ = mem_zero(longest ? longest : 1, lost_bytes(c));
	strmap_add(&c->lost, (struct str){(const char *)c->differ, lost_bytes(c)}, NULL);
}

void choices_make(struct choices *choices, const struct captures *captures, struct replays *replays,
                  uint64_t *operators, uint64_t *steps)
{
	choices->captures = captures;
	choices->replays = replays;
	choices->steps_max = *steps;
	for (size_t i = 0; i < replays->count; i++)
		choices->steps_max += CHOICE_STEPS_OF_ROW * replays->item[i].count;
	make_room(choices);
	for (size_t i = 0; i < replays->runs; i++) {
		const struct replay_run *run = &replays->run[i];
		struct replay *launch = &replays->item[run->first];
		const struct choice_list *sets =
			launch->launch.step == REPLAY_NONE ? NULL : best_sets(choices, run);

		for (uint32_t k = 0; k < run->count; k++) {
			launch[k].answer = answer_for(choices, &launch[k], k, sets);
			launch[k].op_base = *operators;
			*operators += choices->answer[launch[k].answer].operators;
		}
	}
	*steps = choices->steps_max -
	         (is_spent(choices) ? choices->steps_max : choices->steps + choices->match.work);
}

bool choices_lost(const struct choices *choices, const struct choice_row *row, size_t column)
{
	struct str bits = strmap_key(&choices->lost, row->lost);

	return (unsigned char)bits.s[column / 8] >> column % 8 & 1;
}

void choices_free(struct choices *choices)
{
	size_t sequences = choices->sequence ? choices->replays->sequences.count : 0;

	for (size_t i = 0; i < sequences; i++) {
		free(choices->sequence[i].matched);
		free(choices->sequence[i].best.item);
	}
	for (size_t i = 0; i < choices->runs.count; i++)
		free(choices->sets[i].item);
	for (size_t i = 0; i < choices->answers.count; i++)
		free(choices->answer[i].row);
	free(choices->sequence);
	free(choices->sets);
	free(choices->answer);
	free(choices->tokens);
	free(choices->map);
	free(choices->differ);
	capmatch_free(&choices->match);
	strmap_free(&choices->runs);
	strmap_free(&choices->answers);
	strmap_free(&choices->lost);
	buf_free(&choices->key);
	*choices = (struct choices){0};
}
