#include "links.h"

#include "base/mem.h"

#include <stdlib.h>

void links_columns(struct links *links, const struct kev_reader *in)
{
	links->launch_ts = kev_column(in, STR("launch_ts"));
	links->correlation = kev_column(in, STR("correlation"));
	links->known |= links->launch_ts != KEV_NONE;
}

/* Sets id. */
static void find(struct links *links, const struct kev_reader *in, size_t file)
{
	bool new;

	links->id = STRMAP_NONE;
	if (links->correlation == KEV_NONE || in->field[links->correlation].n == 0)
		return;
	links->text.len = 0;
	buf_bytes(&links->text, (const char *)&file, sizeof file);
	buf_str(&links->text, kev_text(in, links->correlation, &links->scratch));
	links->id = strmap_add(&links->ids, buf_view(&links->text), &new);
	links->launched =
		mem_grow(links->launched, &links->launched_cap, links->ids.count, sizeof *links->launched);
	if (new)
		links->launched[links->id] = false;
}

void links_host(struct links *links, const struct kev_reader *in, size_t file)
{
	if (links->launch_ts != KEV_NONE || links->only_launch_ts)
		return;
	find(links, in, file);
	if (links->id == STRMAP_NONE)
		return;
	links->launched[links->id] = true;
	links->known = true;
}

enum links_answer links_of(struct links *links, const struct kev_reader *in, size_t file)
{
	if (links->launch_ts != KEV_NONE)
		return in->field[links->launch_ts].n ? LINKS_YES : LINKS_NO;
	links->unanswered |= links->only_launch_ts;
	if (links->only_launch_ts)
		return LINKS_NO;
	find(links, in, file);
	if (links->id == STRMAP_NONE)
		return LINKS_NO;
	return links->launched[links->id] ? LINKS_YES : LINKS_NOT_YET;
}

bool links_launched(const struct links *links, size_t id)
{
	return links->launched[id];
}

void links_free(struct links *links)
{
	strmap_free(&links->ids);
	free(links->launched);
	buf_free(&links->text);
	buf_free(&links->scratch);
	*links = (struct links){0};
}
