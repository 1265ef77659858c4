/*
 * links - which rows of a device have a launch.
 *
 * A row has one if its launch_ts is not empty (kcontext), or else if a row of the host in the same
 * file has its correlation. That row may come later. Memory: each correlation; or none, if only
 * launch_ts may answer.
 */
#ifndef LINKS_H
#define LINKS_H

#include "stream/kev.h"

enum links_answer { LINKS_NO, LINKS_YES, LINKS_NOT_YET };

/* Starts with only_launch_ts set, all else 0. */
struct links {
	bool only_launch_ts; /* hold no correlation */
	bool unanswered;     /* so the answer about some row was a guess */
	int launch_ts;
	int correlation;
	bool known; /* launches: some columns line had launch_ts, or some row of the host correlation */
	struct strmap ids;
	bool *launched; /* by number in ids */
	size_t launched_cap;
	size_t id; /* of the row of the last question; STRMAP_NONE if it has none */
	struct buf text;
	struct buf scratch;
};

void links_columns(struct links *links, const struct kev_reader *in);

/* A row of the host, in a file by its number. */
void links_host(struct links *links, const struct kev_reader *in, size_t file);

/* A row of a device. If the answer is LINKS_NOT_YET, ask links_launched of id at the end. */
enum links_answer links_of(struct links *links, const struct kev_reader *in, size_t file);
bool links_launched(const struct links *links, size_t id);

void links_free(struct links *links);

#endif
