#include "kernel/collective.h"

#include <stdlib.h>

#include "base/mem.h"
#include "kernel/kernel.h"

bool collective_find(struct collective_columns *at, struct kev_reader *in)
{
	at->pid = kev_column(in, STR("pid"));
	at->file = kev_column(in, STR("file"));
	return kev_need(in, STR("ts"), &at->ts) && kev_need(in, STR("dur"), &at->dur) &&
	       kev_need(in, STR("type"), &at->type);
}

bool collective_key(const struct collective_columns *at, const struct kev_reader *in,
                    struct buf *key)
{
	const struct str none = {"", 0};

	return kernel_hcom_key(key, in->field[at->ts], in->field[at->type],
	                       at->pid == KEV_NONE ? none : in->field[at->pid],
	                       at->file == KEV_NONE ? none : in->field[at->file]);
}

bool collectives_add(struct collectives *all, struct str key, struct collective record,
                     struct collective *dropped)
{
	bool new;
	size_t number = strmap_add(&all->keys, key, &new);
	struct collective *kept;

	all->kept = mem_grow(all->kept, &all->kept_cap, number + 1, sizeof *all->kept);
	kept = &all->kept[number];
	if (new) {
		*kept = record;
		return false;
	}
	*dropped = record;
	if (record.has_dur && (!kept->has_dur || dec_compare(record.dur, kept->dur) > 0)) {
		*dropped = *kept;
		*kept = record;
	}
	return true;
}

void collectives_free(struct collectives *all)
{
	strmap_free(&all->keys);
	free(all->kept);
	*all = (struct collectives){0};
}
