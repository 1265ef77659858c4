#include "returns.h"

#include "base/mem.h"

#include <stdlib.h>

/* The correlations of the calls of a thread, in the order of the input. */
struct returns_calls {
	uint32_t *id; /* by their number in launches; DEVROWS_NONE */
	size_t cap;
};

void returns_columns(struct returns *returns, struct kev_reader *in)
{
	threads_columns(&returns->threads, in);
}

void returns_add(struct returns *returns, struct kev_reader *in, size_t file, enum rowkind kind,
                 enum rowkind_rank rank)
{
	struct threads *threads = &returns->threads;
	enum launch_waits waits = LAUNCH_WAITS_NOT;
	uint64_t known = threads->rows;
	struct returns_calls *calls;
	size_t id;

	if (rank >= ROWKIND_IN_RUNTIME)
		waits = launch_waits(in->field[threads->column[THREADS_NAME]]);
	if (waits == LAUNCH_WAITS_NOT)
		return;
	threads_add(threads, in, file, kind, rank);
	if (threads->rows == known)
		return;
	returns->copies |= waits == LAUNCH_COPIES;
	returns->calls = mem_grow_zero(returns->calls, &returns->calls_cap,
	                               threads->last_number + (size_t)1, sizeof *returns->calls);
	calls = &returns->calls[threads->last_number];
	known = threads->item[threads->last_number].count;
	calls->id = mem_grow(calls->id, &calls->cap, known, sizeof *calls->id);
	id = launches_by_correlation(returns->devrows->launches, in, file);
	calls->id[known - 1] = id == LAUNCHES_NONE ? DEVROWS_NONE : (uint32_t)id;
}

void returns_build(struct returns *returns)
{
	threads_build(&returns->threads);
	for (size_t i = 0; returns->copies && i < returns->devrows->count; i++)
		if (returns->devrows->row[i].call != DEVROWS_NONE)
			devrows_index_add(&returns->copied, returns->devrows->row[i].call, i);
	devrows_index_sort(&returns->copied);
}

/* The last row before `limit` for which a call could wait. */
static uint32_t row_of(const struct returns *returns, const struct thread *thread, uint32_t call,
                       uint32_t device, size_t limit)
{
	const struct threads_row *row = &thread->row[call];
	const struct devrows_device *rows = &returns->devrows->device[device];
	uint32_t id = returns->calls[thread - returns->threads.item].id[row->input];
	const struct mark *mark;

	if (launch_waits(threads_name(&returns->threads, row)) == LAUNCH_COPIES)
		return id == DEVROWS_NONE ? DEVROWS_NONE
		                          : devrows_index_last(&returns->copied, id, rows->first, limit);
	mark = id == DEVROWS_NONE ? NULL : marks_of(returns->marks, id);
	if (mark)
		return marks_synchronized(returns->marks, mark, device, limit);
	return limit > rows->first ? (uint32_t)limit - 1 : DEVROWS_NONE;
}

struct returned returns_find(const struct returns *returns, const struct threads *threads,
                             const struct thread *thread, struct dec time, uint32_t device,
                             size_t limit)
{
	const struct dec before = {time.nano - 1};
	const struct interval just = {before, time};
	struct returned none = {.thread = NULL};
	const struct thread *calls;
	size_t place;
	size_t number;

	number = strmap_find(&returns->threads.keys,
	                     strmap_key(&threads->keys, (size_t)(thread - threads->item)));
	if (number == STRMAP_NONE)
		return none;
	calls = &returns->threads.item[number];
	place = threads_walk(calls, &just).next;
	while (place) {
		uint32_t call = threads_open(calls, (uint32_t)place - 1, before);
		uint32_t row;

		if (call == THREADS_NONE)
			break;
		row = row_of(returns, calls, call, device, limit);
		if (row != DEVROWS_NONE &&
		    dec_compare(calls->row[call].start, returns->devrows->row[row].end) < 0)
			return (struct returned){calls, call, row};
		place = call;
	}
	return none;
}

void returns_free(struct returns *returns)
{
	for (size_t i = 0; i < returns->calls_cap; i++)
		free(returns->calls[i].id);
	free(returns->calls);
	threads_free(&returns->threads);
	devrows_index_free(&returns->copied);
	*returns = (struct returns){0};
}
