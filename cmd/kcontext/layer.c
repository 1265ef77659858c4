#include "layer.h"

#include "base/mem.h"

#include <stdlib.h>

unsigned layer_kinds(struct str name)
{
	static const struct word {
		struct str word;
		unsigned kind;
	} words[] = {{{"attention", 9}, LAYER_ATTENTION},   {{"fmha", 4}, LAYER_ATTENTION},
	             {{"cijk_", 5}, LAYER_FEED_FORWARD},    {{"nvjet", 5}, LAYER_FEED_FORWARD},
	             {{"wvsplitk", 8}, LAYER_FEED_FORWARD}, {{"gemm", 4}, LAYER_FEED_FORWARD}};
	unsigned found = 0;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!(found & words[i].kind) && str_has_any_case(name, words[i].word))
			found |= words[i].kind;
	return found;
}

unsigned layer_names_kinds(struct layer_names *names, struct str name)
{
	bool new;
	size_t number = strmap_add(&names->names, name, &new);

	names->kinds = mem_grow(names->kinds, &names->cap, number + 1, sizeof *names->kinds);
	if (new)
		names->kinds[number] = layer_kinds(name);
	return names->kinds[number];
}

void layer_names_free(struct layer_names *names)
{
	strmap_free(&names->names);
	free(names->kinds);
	*names = (struct layer_names){0};
}

struct layer_start {
	uint32_t step;
	uint32_t device;
	uint32_t layer;
	struct dec ts;
};

void layers_add(struct layers *layers, uint32_t step, uint32_t device, struct dec ts)
{
	layers->starts =
		mem_grow(layers->starts, &layers->cap, layers->count + 1, sizeof *layers->starts);
	layers->starts[layers->count++] =
		(struct layer_start){.step = step, .device = device, .ts = ts};
}

static int compare_starts(const void *a, const void *b)
{
	const struct layer_start *x = a;
	const struct layer_start *y = b;
	int order = (x->step > y->step) - (x->step < y->step);

	if (order == 0)
		order = (x->device > y->device) - (x->device < y->device);
	return order ? order : dec_compare(x->ts, y->ts);
}

void layers_build(struct layers *layers)
{
	struct layer_start *starts = layers->starts;

	if (layers->count == 0)
		return;
	qsort(starts, layers->count, sizeof *starts, compare_starts);
	for (size_t i = 0; i < layers->count; i++) {
		bool first = i == 0 || starts[i].step != starts[i - 1].step ||
		             starts[i].device != starts[i - 1].device;

		starts[i].layer = first ? 0 : starts[i - 1].layer + 1;
		if (starts[i].layer >= layers->most)
			layers->most = starts[i].layer + 1;
	}
}

uint32_t layers_at(const struct layers *layers, uint32_t step, uint32_t device, struct dec ts)
{
	const struct layer_start key = {.step = step, .device = device, .ts = ts};
	const struct layer_start *last;
	size_t low = 0;
	size_t high = layers->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_starts(&layers->starts[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return LAYER_NONE;
	last = &layers->starts[low - 1];
	return last->step == step && last->device == device ? last->layer : LAYER_NONE;
}

void layers_free(struct layers *layers)
{
	free(layers->starts);
	*layers = (struct layers){0};
}

/* --- layers that are calls of a module --------------------------------------- */

bool layer_is_module(struct str function, struct str class)
{
	static const struct str prefix = {"nn.Module: ", 11};
	struct str name = function;
	size_t n;

	if (!str_starts(name, prefix))
		return false;
	name.s += prefix.n;
	name.n -= prefix.n;
	n = name.n;
	while (n && name.s[n - 1] >= '0' && name.s[n - 1] <= '9')
		n--;
	if (n < name.n && n && name.s[n - 1] == '_')
		name.n = n - 1;
	return str_ends(name, class);
}

void layer_calls_add(struct layer_calls *calls, const struct layer_call *call)
{
	calls->call = mem_grow(calls->call, &calls->cap, calls->count + 1, sizeof *calls->call);
	calls->call[calls->count++] = *call;
}

static int compare_calls(const void *a, const void *b)
{
	const struct layer_call *x = a;
	const struct layer_call *y = b;
	int order = (x->step > y->step) - (x->step < y->step);

	if (order == 0)
		order = (x->thread > y->thread) - (x->thread < y->thread);
	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

void layer_calls_number(struct layer_calls *calls)
{
	struct layer_call *call = calls->call;

	if (calls->count)
		qsort(call, calls->count, sizeof *call, compare_calls);
	for (size_t i = 0; i < calls->count; i++) {
		bool first =
			i == 0 || call[i].step != call[i - 1].step || call[i].thread != call[i - 1].thread;

		call[i].layer = first ? 0 : call[i - 1].layer + 1;
		if (call[i].layer >= calls->most)
			calls->most = call[i].layer + 1;
	}
}
