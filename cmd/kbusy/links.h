/*
 * links - which rows of a device have a launch, as far as is known while a stream is read.
 *
 * The rule is that of wall/launches. A row whose correlation several processes have has a launch,
 * whichever it is. Memory: that of launches; or none, if only launch_ts may answer.
 */
#ifndef LINKS_H
#define LINKS_H

#include "wall/launches.h"

enum links_answer { LINKS_NO, LINKS_YES, LINKS_NOT_YET };

/* Starts with only_launch_ts set, all else 0. */
struct links {
	bool only_launch_ts; /* hold no correlation */
	bool unanswered; /* only_launch_ts, and a stream has no such column: an answer was a guess */
	bool known;      /* some columns line had launch_ts, or a call had a correlation */
	struct launches launches;
	size_t id; /* number in launches of the row last asked for; LAUNCHES_NONE: it has none */
};

void links_columns(struct links *links, struct kev_reader *in);

/* Whether the last columns line had launch_ts. */
bool links_has_launch_ts(const struct links *links);

/* A row of the host of this kind, in a file by its number; timed says whether it has a ts. */
void links_host(struct links *links, const struct kev_reader *in, size_t file, enum rowkind kind,
                bool timed);

/* A row of a device. If the answer is LINKS_NOT_YET, ask links_launched of id at the end. */
enum links_answer links_of(struct links *links, const struct kev_reader *in, size_t file);
bool links_launched(const struct links *links, size_t id);

void links_free(struct links *links);

#endif
