#include "links.h"

void links_columns(struct links *links, struct kev_reader *in)
{
	links->launches.lean = true;
	launches_columns(&links->launches, in, false);
	links->known |= links_has_launch_ts(links);
}

bool links_has_launch_ts(const struct links *links)
{
	return links->launches.column[LAUNCH_OWN_TS] != KEV_NONE;
}

static struct str field(const struct links *links, const struct kev_reader *in,
                        enum launch_column column)
{
	int at = links->launches.column[column];

	return at == KEV_NONE ? STR("") : in->field[at];
}

/* Only whether there is a call counts here, so it needs no times, name and process. */
void links_host(struct links *links, const struct kev_reader *in, size_t file, enum rowkind kind,
                bool timed)
{
	const struct launch call = {.known = true};
	struct str id = field(links, in, LAUNCH_CORRELATION);

	if (links->only_launch_ts || !timed || !launches_is_linked(id) || !rowkind_is_call(kind, true))
		return;
	launches_add(&links->launches, file, id, &call, NULL, NULL);
	links->known = true;
}

enum links_answer links_of(struct links *links, const struct kev_reader *in, size_t file)
{
	struct str id = field(links, in, LAUNCH_CORRELATION);

	links->id = LAUNCHES_NONE;
	if (field(links, in, LAUNCH_OWN_TS).n)
		return LINKS_YES;
	links->unanswered |= links->only_launch_ts && !links_has_launch_ts(links);
	if (links->only_launch_ts || !launches_is_linked(id))
		return LINKS_NO;
	links->id = launches_id(&links->launches, file, id);
	return links_launched(links, links->id) ? LINKS_YES : LINKS_NOT_YET;
}

bool links_launched(const struct links *links, size_t id)
{
	return launches_is_known(&links->launches, id);
}

void links_free(struct links *links)
{
	launches_free(&links->launches);
	*links = (struct links){.id = LAUNCHES_NONE};
}
