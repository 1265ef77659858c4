#include "stack.h"

#include "base/mem.h"

#include <stdlib.h>

struct stack_frame {
	uint32_t name;
	uint32_t parent; /* in ids, or STACK_NONE */
};

/* The id's number, an index of frame_of_id. */
static uint32_t add_id(struct stacks *stacks, struct str id)
{
	bool new;
	size_t number = idmap_add(&stacks->ids, id, &new);

	stacks->frame_of_id =
		mem_grow(stacks->frame_of_id, &stacks->ids_cap, number + 1, sizeof *stacks->frame_of_id);
	if (new)
		stacks->frame_of_id[number] = STACK_NONE;
	return (uint32_t)number;
}

uint32_t stacks_add(struct stacks *stacks, struct str name, struct str id, struct str parent,
                    bool *again)
{
	uint32_t frame = (uint32_t)stacks->count;

	stacks->frames =
		mem_grow(stacks->frames, &stacks->cap, stacks->count + 1, sizeof *stacks->frames);
	stacks->frames[stacks->count++] =
		(struct stack_frame){(uint32_t)strmap_add(&stacks->names, name, NULL),
	                         parent.n ? add_id(stacks, parent) : STACK_NONE};
	*again = false;
	if (id.n) {
		uint32_t number = add_id(stacks, id);

		*again = stacks->frame_of_id[number] != STACK_NONE;
		if (!*again)
			stacks->frame_of_id[number] = frame;
	}
	return frame;
}

bool stacks_time(struct stacks *stacks, uint32_t frame, size_t thread, struct dec start,
                 struct dec dur)
{
	return timeline_add(&stacks->timeline, thread, start, dur, frame);
}

void stacks_build(struct stacks *stacks)
{
	timeline_build(&stacks->timeline);
}

uint32_t stacks_near(const struct stacks *stacks, size_t thread, struct dec time)
{
	return timeline_near(&stacks->timeline, thread, time);
}

uint32_t stacks_any(const struct stacks *stacks, struct dec time)
{
	return timeline_any(&stacks->timeline, time);
}

struct str stacks_name(const struct stacks *stacks, uint32_t frame)
{
	return strmap_key(&stacks->names, stacks->frames[frame].name);
}

static uint32_t parent_of(const struct stacks *stacks, uint32_t frame)
{
	uint32_t parent = stacks->frames[frame].parent;

	return parent == STACK_NONE ? STACK_NONE : stacks->frame_of_id[parent];
}

uint32_t *stacks_outermost(const struct stacks *stacks, const bool *wanted)
{
	const uint32_t unknown = STACK_NONE - 1;
	const uint32_t on_the_way = STACK_NONE - 2;
	uint32_t *found = mem_alloc(stacks->count, sizeof *found);
	uint32_t *way = mem_alloc(stacks->count, sizeof *way);

	for (size_t i = 0; i < stacks->count; i++)
		found[i] = unknown;
	for (uint32_t i = 0; i < stacks->count; i++) {
		uint32_t frame = i;
		uint32_t outer = STACK_NONE;
		size_t depth = 0;

		for (; frame != STACK_NONE && found[frame] == unknown; frame = parent_of(stacks, frame)) {
			found[frame] = on_the_way;
			way[depth++] = frame;
		}
		if (frame != STACK_NONE && found[frame] != on_the_way)
			outer = found[frame];
		while (depth--) {
			frame = way[depth];
			if (outer == STACK_NONE && wanted[stacks->frames[frame].name])
				outer = frame;
			found[frame] = outer;
		}
	}
	free(way);
	return found;
}

static void put_name(struct buf *out, struct str name)
{
	size_t start = out->len;

	buf_str(out, name);
	for (size_t i = start; i < out->len; i++)
		if (out->data[i] == ';')
			out->data[i] = ':';
}

void stacks_fold(const struct stacks *stacks, uint32_t frame, struct buf *out)
{
	uint32_t chain[STACK_PARENTS + 1];
	size_t depth = 0;

	while (frame != STACK_NONE && depth <= STACK_PARENTS) {
		size_t i = 0;

		while (i < depth && chain[i] != frame)
			i++;
		if (i < depth)
			break;
		chain[depth++] = frame;
		frame = parent_of(stacks, frame);
	}
	while (depth--) {
		put_name(out, stacks_name(stacks, chain[depth]));
		if (depth)
			buf_char(out, ';');
	}
}

void stacks_free(struct stacks *stacks)
{
	free(stacks->frames);
	free(stacks->frame_of_id);
	idmap_free(&stacks->ids);
	strmap_free(&stacks->names);
	timeline_free(&stacks->timeline);
	*stacks = (struct stacks){0};
}
