#include "kept.h"

#include "base/mem.h"

#include <stdlib.h>

bool kept_put(struct kept *kept, struct str text)
{
	if (kept->in_memory < KEPT_IN_MEMORY) {
		kept->ends = mem_grow(kept->ends, &kept->ends_cap, kept->in_memory + 1, sizeof *kept->ends);
		buf_str(&kept->text, text);
		kept->ends[kept->in_memory++] = kept->text.len;
		return true;
	}
	if (!kept->spooled && !spool_open(&kept->spool))
		return false;
	kept->spooled = true;
	return spool_put(&kept->spool, "", 0, text);
}

bool kept_rewind(struct kept *kept)
{
	kept->next = 0;
	return !kept->spooled || spool_rewind(&kept->spool);
}

int kept_next(struct kept *kept, struct str *text)
{
	char no_head;

	if (kept->next < kept->in_memory) {
		size_t begin = kept->next ? kept->ends[kept->next - 1] : 0;

		*text = (struct str){kept->text.data + begin, kept->ends[kept->next++] - begin};
		return 1;
	}
	return kept->spooled ? spool_next(&kept->spool, &no_head, 0, text) : 0;
}

void kept_free(struct kept *kept)
{
	buf_free(&kept->text);
	free(kept->ends);
	if (kept->spooled)
		spool_close(&kept->spool);
	*kept = (struct kept){0};
}
