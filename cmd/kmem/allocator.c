#include "allocator.h"

#include "base/mem.h"
#include "syntax/sortkey.h"

#include <stdlib.h>

/* The name of a device, as PyTorch has it. */
static void put_name(struct buf *out, int64_t type, int64_t id)
{
	static const struct {
		int64_t type;
		const char *name;
	} types[] = {{1, "cuda"}, {6, "hip"},  {9, "xla"},   {12, "xpu"},
	             {13, "mps"}, {15, "hpu"}, {19, "mtia"}, {20, "privateuse1"}};
	const char *name = NULL;

	if (type == 0) {
		buf_text(out, "cpu");
		return;
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == type)
			name = types[i].name;
	if (name)
		buf_text(out, name);
	else
		buf_format(out, "type%lld", (long long)type);
	if (id != EVENTS_NONE)
		buf_format(out, ":%lld", (long long)id);
}

/* The key of sorting: file, pid, device; files of one name stay in their order. */
static void put_order(struct buf *order, const struct devices *files, struct str pid, int64_t type,
                      int64_t id, struct buf *text)
{
	text->len = 0;
	tsv_unescape(text, devices_source(files, files->source));
	sortkey_put(order, buf_view(text), false);
	sortkey_put_number(order, files->source);
	text->len = 0;
	tsv_unescape(text, pid);
	sortkey_put(order, buf_view(text), false);
	for (int i = 0; i < (type ? 2 : 1); i++) {
		text->len = 0;
		buf_format(text, "%lld", (long long)(i ? id : type));
		sortkey_put(order, buf_view(text), false);
	}
}

struct allocator *allocators_of(struct allocators *allocators, const struct devices *files,
                                struct str pid, int64_t type, int64_t id)
{
	struct allocators_last *last = &allocators->last;
	size_t number;
	bool new;

	if (last->known && last->source == files->source && last->type == type && last->id == id &&
	    str_equal(buf_view(&last->pid), pid))
		return &allocators->item[last->number];
	allocators->text.len = 0;
	buf_format(&allocators->text, "%zu\t", files->source);
	buf_str(&allocators->text, pid);
	buf_char(&allocators->text, '\t');
	put_name(&allocators->text, type, id);
	number = strmap_add(&allocators->names, buf_view(&allocators->text), &new);
	allocators->item =
		mem_grow_zero(allocators->item, &allocators->cap, number + 1, sizeof *allocators->item);
	if (new) {
		allocators->item[number].source = files->source;
		put_order(&allocators->item[number].order, files, pid, type, id, &allocators->scratch);
	}
	last->pid.len = 0;
	buf_str(&last->pid, pid);
	*last = (struct allocators_last){true, files->source, last->pid, type, id, number};
	return &allocators->item[number];
}

static int compare(const void *a, const void *b)
{
	const struct allocators_sorted *x = a;
	const struct allocators_sorted *y = b;

	return str_compare(buf_view(&x->allocator->order), buf_view(&y->allocator->order));
}

void allocators_sort(struct allocators *allocators)
{
	size_t count = allocators->names.count;

	allocators->sorted = mem_alloc(count + 1, sizeof *allocators->sorted);
	for (size_t i = 0; i < count; i++) {
		struct str key = strmap_key(&allocators->names, i);

		allocators->item[i].pid = tsv_field(key, 1);
		allocators->item[i].name = tsv_field(key, 2);
		allocators->sorted[i].allocator = &allocators->item[i];
	}
	qsort(allocators->sorted, count, sizeof *allocators->sorted, compare);
}

void allocators_free(struct allocators *allocators)
{
	for (size_t i = 0; i < allocators->names.count; i++) {
		struct allocator *item = &allocators->item[i];

		buf_free(&item->order);
		events_free(&item->events);
		blocks_free(&item->blocks);
		free(item->place);
	}
	free(allocators->item);
	free(allocators->sorted);
	strmap_free(&allocators->names);
	buf_free(&allocators->last.pid);
	buf_free(&allocators->text);
	buf_free(&allocators->scratch);
	*allocators = (struct allocators){0};
}

void allocator_put_key(struct sheet *sheet, const struct allocator *allocator,
                       const struct devices *files, enum allocator_key key)
{
	tsv_unescape(&sheet->cell, key == ALLOCATOR_FILE  ? devices_source(files, allocator->source)
	                           : key == ALLOCATOR_PID ? allocator->pid
	                                                  : allocator->name);
}

void allocator_put_bytes(struct sheet *sheet, struct dec bytes)
{
	if (sheet->people)
		dec_print_fixed(&sheet->cell, bytes, 0, true);
	else
		dec_print(&sheet->cell, bytes);
}
