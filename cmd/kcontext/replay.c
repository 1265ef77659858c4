#include "replay.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdlib.h>

/* A row of a launch that is not whole. Packed to 32 bytes. */
struct replay_row {
	struct dec ts;
	uint32_t token;
	uint32_t rank; /* place of the token among all */
	uint32_t stream;
	uint32_t arrival;
} __attribute__((packed, aligned(8)));

/* --- rows ------------------------------------------------------------------------ */

void replays_count(struct replays *replays, size_t number)
{
	replays->rows =
		mem_grow_zero(replays->rows, &replays->rows_cap, number + 1, sizeof *replays->rows);
	if (replays->rows[number] < UINT32_MAX)
		replays->rows[number]++;
}

struct replay *replays_find(const struct replays *replays, size_t number)
{
	if (number >= replays->of_cap || replays->of[number] == 0)
		return NULL;
	return &replays->item[replays->of[number] - 1];
}

struct replay *replays_add(struct replays *replays, size_t number,
                           const struct replay_launch *launch)
{
	struct replay *replay;

	if (replays->count >= UINT32_MAX - 1)
		die("more than 4 billion launches of graphs");
	replays->of = mem_grow_zero(replays->of, &replays->of_cap, number + 1, sizeof *replays->of);
	replays->item =
		mem_grow(replays->item, &replays->cap, replays->count + 1, sizeof *replays->item);
	replay = &replays->item[replays->count++];
	*replay = (struct replay){.launch = *launch, .number = (uint32_t)number};
	replays->of[number] = (uint32_t)replays->count;
	return replay;
}

static int compare_rows(const void *a, const void *b)
{
	const struct replay_row *x = a;
	const struct replay_row *y = b;
	int order = dec_compare(x->ts, y->ts);

	if (order == 0)
		order = (x->rank > y->rank) - (x->rank < y->rank);
	return order ? order : (x->arrival > y->arrival) - (x->arrival < y->arrival);
}

static bool are_in_order(const struct replay *replay)
{
	for (size_t i = 1; i < replay->count; i++)
		if (compare_rows(&replay->row[i - 1], &replay->row[i]) > 0)
			return false;
	return true;
}

/* All rows have come: only their sequence and their order stay. */
static void settle(struct replays *replays, struct replay *replay)
{
	struct replay_row *row = replay->row;
	bool one_stream = true;

	if (!are_in_order(replay)) {
		qsort(row, replay->count, sizeof *row, compare_rows);
		replay->place = mem_alloc(replay->count, sizeof *replay->place);
		for (uint32_t i = 0; i < replay->count; i++)
			replay->place[row[i].arrival] = i;
	}
	for (size_t i = 1; i < replay->count; i++)
		one_stream &= row[i].stream == row[0].stream;
	replays->key.len = 0;
	buf_char(&replays->key, one_stream);
	for (size_t i = 0; i < replay->count; i++)
		buf_bytes(&replays->key, (const char *)&row[i].token, sizeof row[i].token);
	replay->sequence = (uint32_t)strmap_add(&replays->sequences, buf_view(&replays->key), NULL);
	free(row);
	replay->row = NULL;
}

void replays_row(struct replays *replays, struct replay *replay, bool counted, struct dec ts,
                 uint32_t token, uint32_t rank, uint32_t stream)
{
	size_t rows = counted ? replays->rows[replay->number] : (size_t)replay->count + 1;

	if (replay->count == UINT32_MAX - 1)
		die("more than 4 billion rows of one launch");
	replay->row = mem_grow(replay->row, &replay->row_cap, rows, sizeof *replay->row);
	replay->row[replay->count] = (struct replay_row){ts, token, rank, stream, replay->count};
	replay->count++;
	if (counted && replay->count == rows)
		settle(replays, replay);
}

/* --- runs --------------------------------------------------------------------------- */

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* Launches without a step come last, each of them a run. */
static int compare_launches(const void *a, const void *b)
{
	const struct replay *x = a;
	const struct replay *y = b;
	int order = compare_numbers(x->launch.step, y->launch.step);

	if (order == 0 && x->launch.step != REPLAY_NONE)
		order = compare_numbers(x->thread_rank, y->thread_rank);
	if (order == 0)
		order = dec_compare(x->launch.ts, y->launch.ts);
	if (order == 0)
		order = compare_numbers(x->thread_rank, y->thread_rank);
	return order ? order : compare_numbers(x->sequence, y->sequence);
}

static bool same_run(const struct replay *a, const struct replay *b)
{
	return a->launch.step != REPLAY_NONE && a->launch.step == b->launch.step &&
	       a->launch.thread == b->launch.thread;
}

void replays_build(struct replays *replays, const size_t *thread_rank)
{
	for (size_t i = 0; i < replays->count; i++) {
		struct replay *replay = &replays->item[i];

		replay->thread_rank = (uint32_t)thread_rank[replay->launch.thread];
		if (replay->row)
			settle(replays, replay);
	}
	if (replays->count)
		qsort(replays->item, replays->count, sizeof *replays->item, compare_launches);
	for (size_t i = 0; i < replays->count; i++) {
		replays->of[replays->item[i].number] = (uint32_t)i + 1;
		if (i == 0 || !same_run(&replays->item[i - 1], &replays->item[i])) {
			replays->run =
				mem_grow(replays->run, &replays->runs_cap, replays->runs + 1, sizeof *replays->run);
			replays->run[replays->runs++] = (struct replay_run){(uint32_t)i, 0};
		}
		replays->run[replays->runs - 1].count++;
	}
	free(replays->rows);
	replays->rows = NULL;
	replays->rows_cap = 0;
}

/* --- later looks ---------------------------------------------------------------------- */

void replays_rewind(struct replays *replays)
{
	for (size_t i = 0; i < replays->count; i++)
		replays->item[i].count = 0;
}

struct replay *replays_next(struct replays *replays, size_t number, uint32_t *place)
{
	struct replay *replay = replays_find(replays, number);

	if (!replay)
		return NULL;
	*place = replay->place ? replay->place[replay->count] : replay->count;
	replay->count++;
	return replay;
}

size_t replays_length(const struct replays *replays, uint32_t sequence)
{
	return (strmap_key(&replays->sequences, sequence).n - 1) / sizeof(uint32_t);
}

bool replays_sequence(const struct replays *replays, uint32_t sequence, uint32_t *tokens)
{
	struct str key = strmap_key(&replays->sequences, sequence);

	memcpy(tokens, key.s + 1, key.n - 1);
	return key.s[0];
}

void replays_free(struct replays *replays)
{
	for (size_t i = 0; i < replays->count; i++) {
		free(replays->item[i].place);
		free(replays->item[i].row);
	}
	free(replays->rows);
	free(replays->of);
	free(replays->item);
	free(replays->run);
	strmap_free(&replays->sequences);
	buf_free(&replays->key);
	*replays = (struct replays){0};
}
