#include "stack.h"

#include "base/mem.h"

#include <stdlib.h>

struct stack_frame {
	uint32_t name;
	uint32_t parent; /* in ids, or STACK_NONE */
};

struct stack_twin {
	uint32_t id; /* number in ids */
	uint32_t frame;
};

/* By frame: the innermost module of its stack. */
struct stack_modules {
	uint32_t asked; /* the number of the last question */
	struct stack_module {
		uint32_t frame; /* the frame itself, or a caller; STACK_NONE */
		uint32_t seen;  /* the last question with this module */
	} of[];
};

/* --- names ----------------------------------------------------------------- */

enum { ADDRESS = 1, MODULE = 2 }; /* traits */

static const struct str module_prefix = {"nn.Module: ", 11};

/* The length of an address, such as " at 0x7f00", at the beginning of text; 0: it has none. */
static size_t address_length(struct str text)
{
	static const struct str before = {" at 0x", 6};
	size_t n = before.n;

	if (!str_starts(text, before))
		return 0;
	while (n < text.n && strchr("0123456789abcdefABCDEF", text.s[n]) && text.s[n])
		n++;
	return n > before.n ? n : 0;
}

static unsigned char traits_of(struct str name)
{
	unsigned char traits = str_starts(name, module_prefix) ? MODULE : 0;

	for (struct str rest = name; rest.n; rest.s++, rest.n--)
		if (rest.s[0] == ' ' && address_length(rest))
			return traits | ADDRESS;
	return traits;
}

static uint32_t add_name(struct stacks *stacks, struct str name)
{
	bool new;
	size_t number = strmap_add(&stacks->names, name, &new);

	stacks->traits =
		mem_grow(stacks->traits, &stacks->traits_cap, number + 1, sizeof *stacks->traits);
	if (new)
		stacks->traits[number] = traits_of(name);
	return (uint32_t)number;
}

static unsigned char traits_at(const struct stacks *stacks, uint32_t frame)
{
	return stacks->traits[stacks->frames[frame].name];
}

/* --- calls ----------------------------------------------------------------- */

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

static void add_twin(struct stacks *stacks, struct stack_twin twin)
{
	stacks->twins =
		mem_grow(stacks->twins, &stacks->twins_cap, stacks->twins_count + 1, sizeof *stacks->twins);
	stacks->twins[stacks->twins_count++] = twin;
}

uint32_t stacks_add(struct stacks *stacks, struct str name, struct str id, struct str parent,
                    bool *again)
{
	uint32_t frame = (uint32_t)stacks->count;

	stacks->frames =
		mem_grow(stacks->frames, &stacks->cap, stacks->count + 1, sizeof *stacks->frames);
	stacks->frames[stacks->count++] = (struct stack_frame){
		add_name(stacks, name), parent.n ? add_id(stacks, parent) : STACK_NONE};
	*again = false;
	if (id.n) {
		uint32_t number = add_id(stacks, id);

		*again = stacks->frame_of_id[number] != STACK_NONE;
		if (*again)
			add_twin(stacks, (struct stack_twin){number, frame});
		else
			stacks->frame_of_id[number] = frame;
	}
	return frame;
}

bool stacks_time(struct stacks *stacks, uint32_t frame, size_t thread, struct dec start,
                 struct dec dur)
{
	return timeline_add(&stacks->timeline, thread, start, dur, frame);
}

/* --- calls with one id ----------------------------------------------------- */

/* What decides between them, so that the order of the rows does not matter. */
struct twins {
	const struct stacks *stacks;
	struct dec *start; /* by frame */
	bool *timed;
	uint64_t *order; /* by number of the id */
};

static int compare_parents(const struct twins *twins, uint32_t a, uint32_t b)
{
	if (a == STACK_NONE || b == STACK_NONE)
		return (a != STACK_NONE) - (b != STACK_NONE);
	return (twins->order[a] > twins->order[b]) - (twins->order[a] < twins->order[b]);
}

/* Whether the id names call a rather than b. */
static bool is_rather(const struct twins *twins, uint32_t a, uint32_t b)
{
	const struct stack_frame *x = &twins->stacks->frames[a];
	const struct stack_frame *y = &twins->stacks->frames[b];
	int order = twins->timed[b] - twins->timed[a];

	if (order == 0 && twins->timed[a])
		order = dec_compare(twins->start[a], twins->start[b]);
	if (order == 0)
		order = str_compare(stacks_name(twins->stacks, a), stacks_name(twins->stacks, b));
	if (order == 0)
		order = compare_parents(twins, x->parent, y->parent);
	return order < 0;
}

static void settle_twins(struct stacks *stacks)
{
	struct twins twins = {.stacks = stacks,
	                      .start = mem_alloc(stacks->count, sizeof *twins.start),
	                      .timed = mem_zero(stacks->count, sizeof *twins.timed),
	                      .order = mem_alloc(stacks->ids.count, sizeof *twins.order)};

	timeline_put_starts(&stacks->timeline, twins.start, twins.timed);
	idmap_put_order(&stacks->ids, twins.order);
	for (size_t i = 0; i < stacks->twins_count; i++) {
		struct stack_twin twin = stacks->twins[i];

		if (is_rather(&twins, twin.frame, stacks->frame_of_id[twin.id]))
			stacks->frame_of_id[twin.id] = twin.frame;
	}
	free(twins.start);
	free(twins.timed);
	free(twins.order);
}

/* --- times ----------------------------------------------------------------- */

void stacks_build(struct stacks *stacks)
{
	if (stacks->twins_count)
		settle_twins(stacks);
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

/* Appends a name as it is between others, without its first bytes. */
static void put_name(const struct stacks *stacks, uint32_t frame, size_t first, struct buf *out)
{
	bool addresses = stacks->addresses || !(traits_at(stacks, frame) & ADDRESS);
	struct str name = stacks_name(stacks, frame);
	size_t start = out->len;

	name.s += first;
	name.n -= first;
	while (name.n && !addresses) {
		size_t length = address_length(name);

		if (length == 0)
			buf_char(out, name.s[0]);
		length += length == 0;
		name.s += length;
		name.n -= length;
	}
	buf_str(out, name);
	for (size_t i = start; i < out->len; i++)
		if (out->data[i] == ';')
			out->data[i] = ':';
}

static uint32_t parent_of(const struct stacks *stacks, uint32_t frame)
{
	uint32_t parent = stacks->frames[frame].parent;

	return parent == STACK_NONE ? STACK_NONE : stacks->frame_of_id[parent];
}

/* --- an answer for all frames, from the outermost one on ------------------------- */

#define UNKNOWN (STACK_NONE - 1)
#define ON_THE_WAY (STACK_NONE - 2)

/*
 * The way from a frame through its callers without an answer. Gives the frame after them: it has an
 * answer, or is on the way itself, or is STACK_NONE.
 */
static uint32_t go_up(const struct stacks *stacks, uint32_t frame, uint32_t *found, uint32_t *way,
                      size_t *depth)
{
	for (*depth = 0; frame != STACK_NONE && found[frame] == UNKNOWN;
	     frame = parent_of(stacks, frame)) {
		found[frame] = ON_THE_WAY;
		way[(*depth)++] = frame;
	}
	return frame;
}

static uint32_t *no_answers(const struct stacks *stacks)
{
	uint32_t *found = mem_alloc(stacks->count, sizeof *found);

	for (size_t i = 0; i < stacks->count; i++)
		found[i] = UNKNOWN;
	return found;
}

uint32_t *stacks_outermost(const struct stacks *stacks, const bool *wanted)
{
	uint32_t *found = no_answers(stacks);
	uint32_t *way = mem_alloc(stacks->count, sizeof *way);

	for (uint32_t i = 0; i < stacks->count; i++) {
		size_t depth;
		uint32_t frame = go_up(stacks, i, found, way, &depth);
		uint32_t outer = STACK_NONE;

		if (frame != STACK_NONE && found[frame] != ON_THE_WAY)
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

/* The innermost module of a cycle of callers, from a frame of it on; way ends with the cycle. */
static uint32_t module_of_cycle(const struct stacks *stacks, const uint32_t *way, size_t depth,
                                uint32_t frame)
{
	size_t i = depth;

	while (way[i - 1] != frame)
		i--;
	for (i--; i < depth; i++)
		if (traits_at(stacks, way[i]) & MODULE)
			return way[i];
	return STACK_NONE;
}

void stacks_build_modules(struct stacks *stacks)
{
	uint32_t *found = no_answers(stacks);
	uint32_t *way = mem_alloc(stacks->count, sizeof *way);
	struct stack_modules *modules =
		mem_alloc(1, sizeof *modules + stacks->count * sizeof *modules->of);

	for (uint32_t i = 0; i < stacks->count; i++) {
		size_t depth;
		uint32_t frame = go_up(stacks, i, found, way, &depth);
		uint32_t module = STACK_NONE;

		if (frame != STACK_NONE)
			module = found[frame] == ON_THE_WAY ? module_of_cycle(stacks, way, depth, frame)
			                                    : found[frame];
		while (depth--) {
			if (traits_at(stacks, way[depth]) & MODULE)
				module = way[depth];
			found[way[depth]] = module;
		}
	}
	modules->asked = 0;
	for (size_t i = 0; i < stacks->count; i++)
		modules->of[i] = (struct stack_module){.frame = found[i]};
	stacks->modules = modules;
	free(way);
	free(found);
}

/* --- questions --------------------------------------------------------------- */

/* The next question, by which repeated modules are seen. */
static uint32_t ask(const struct stacks *stacks)
{
	struct stack_modules *modules = stacks->modules;

	if (++modules->asked == 0) {
		for (size_t i = 0; i < stacks->count; i++)
			modules->of[i].seen = 0;
		modules->asked = 1;
	}
	return modules->asked;
}

bool stacks_fold_modules(const struct stacks *stacks, uint32_t frame, struct buf *out,
                         struct str *last)
{
	uint32_t chain[STACK_MODULES + 1];
	uint32_t asked = ask(stacks);
	size_t depth = 0;
	size_t start = 0;
	bool all;

	while (frame != STACK_NONE && depth <= STACK_MODULES) {
		frame = stacks->modules->of[frame].frame;
		if (frame == STACK_NONE || stacks->modules->of[frame].seen == asked)
			break;
		stacks->modules->of[frame].seen = asked;
		chain[depth++] = frame;
		frame = parent_of(stacks, frame);
	}
	all = depth <= STACK_MODULES;
	for (size_t i = all ? depth : STACK_MODULES; i--;) {
		start = out->len;
		put_name(stacks, chain[i], module_prefix.n, out);
		if (i)
			buf_char(out, ';');
	}
	*last = depth ? (struct str){out->data + start, out->len - start} : STR("");
	return all;
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
		put_name(stacks, chain[depth], 0, out);
		if (depth)
			buf_char(out, ';');
	}
}

void stacks_free(struct stacks *stacks)
{
	free(stacks->frames);
	free(stacks->frame_of_id);
	free(stacks->twins);
	idmap_free(&stacks->ids);
	strmap_free(&stacks->names);
	free(stacks->traits);
	free(stacks->modules);
	timeline_free(&stacks->timeline);
	*stacks = (struct stacks){0};
}
