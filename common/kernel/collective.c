#include "kernel/collective.h"

#include <stdlib.h>

#include "base/mem.h"
#include "kernel/nametype.h"
#include "kernel/rowkind.h"

bool collective_find(struct collective_columns *at, struct kev_reader *in)
{
	at->name = kev_column(in, STR("name"));
	at->cat = kev_column(in, STR("cat"));
	at->pid = kev_column(in, STR("pid"));
	at->file = kev_column(in, STR("file"));
	return kev_need(in, STR("ts"), &at->ts) && kev_need(in, STR("dur"), &at->dur) &&
	       kev_need(in, STR("type"), &at->type);
}

static struct str field_of(const struct kev_reader *in, int column)
{
	return column == KEV_NONE ? STR("") : in->field[column];
}

/* The type that the name gives to a row without a type; empty if no type is known for it. */
static struct str type_by_name(struct str name, const struct collective *row, bool on_core)
{
	struct str bare;

	if (row->no_kernel)
		return STR("");
	bare = nametype_without_numbers(name);
	if (on_core || str_starts(bare, STR("hcom_")) || str_ends(bare, STR("AicpuKernel")))
		return bare;
	if (row->level0)
		return nametype_on_ascend(name);
	return row->kernel ? nametype_of(name) : STR("");
}

/* A type that begins with hcom_ and ends with AicpuKernel is a shadow. */
static enum collective_kind kind_of(struct str type, bool on_core, bool has_ts)
{
	if (str_ends(type, STR("AicpuKernel")))
		return COLLECTIVE_AICPU;
	if (!on_core && !str_starts(type, STR("hcom_")))
		return COLLECTIVE_KERNEL;
	return has_ts ? COLLECTIVE_RECORD : COLLECTIVE_NO_TS;
}

void collective_read(struct collective *row, const struct collective_columns *at,
                     struct kev_reader *in)
{
	struct str *type = &in->field[at->type];
	struct str cat = field_of(in, at->cat);
	bool untyped = type->n == 0 || str_equal(*type, STR("N/A"));
	struct str name = field_of(in, at->name);
	enum rowkind kind = untyped && cat.n ? rowkind_of(cat, name) : ROWKIND_UNKNOWN;
	bool on_core = kind == ROWKIND_COLLECTIVE;

	row->level0 = on_core || kind == ROWKIND_CORE;
	row->kernel = row->level0 || kind == ROWKIND_KERNEL;
	row->host = !rowkind_is_device(kind);
	row->no_kernel = row->host || rowkind_is_copy(kind);
	row->nccl = untyped && (str_starts(name, STR("nccl")) || str_starts(name, STR("rccl")));
	if (untyped)
		*type = type_by_name(name, row, on_core);
	row->ts = row->dur = (struct dec){0};
	row->line = in->tsv.line;
	row->group = 0;
	row->has_ts = kev_number(in, at->ts, &row->ts);
	row->has_dur = kev_number(in, at->dur, &row->dur);
	row->kind = kind_of(*type, on_core, row->has_ts);
}

static void put_part(struct buf *key, const struct kev_reader *in, int column)
{
	buf_char(key, '\t');
	if (column != KEV_NONE)
		buf_str(key, in->field[column]);
}

/*
 * The records of a collective start together, but for the fraction of ts: the key has its integer
 * part as written, not as rounded. Ranks start a collective together too, hence pid, file
 * and source.
 */
struct str collective_key(const struct collective_columns *at, const struct kev_reader *in,
                          struct buf *key)
{
	struct dec us = {0};

	dec_whole(in->field[at->ts], &us);
	key->len = 0;
	dec_print(key, us);
	put_part(key, in, at->type);
	put_part(key, in, at->pid);
	put_part(key, in, at->file);
	buf_format(key, "\t%zu", in->place);
	return buf_view(key);
}

bool collective_is_longer(const struct collective *record, const struct collective *earlier)
{
	return record->has_dur && (!earlier->has_dur || dec_compare(record->dur, earlier->dur) > 0);
}

bool collectives_add(struct collectives *all, struct str key, const struct collective *record,
                     struct collective *dropped)
{
	bool new;
	size_t number = strmap_add(&all->keys, key, &new);
	struct collective *kept;

	all->kept = mem_grow(all->kept, &all->kept_cap, number + 1, sizeof *all->kept);
	kept = &all->kept[number];
	if (new) {
		*kept = *record;
		return false;
	}
	*dropped = *record;
	if (collective_is_longer(record, kept)) {
		*dropped = *kept;
		*kept = *record;
	}
	return true;
}

void collectives_free(struct collectives *all)
{
	strmap_free(&all->keys);
	free(all->kept);
	*all = (struct collectives){0};
}
