/*
 * plain - the wanted members of an event, read by its fields without tokens: the
 * quick way for the events that are written as nearly all are. What is not settled
 * for certain is left to json.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include "json/json_value.h"

enum plain_verdict {
	PLAIN_UNSURE, /* something unusual: nothing is said of it */
	PLAIN_WANTED,
	PLAIN_UNWANTED, /* the filter drops it */
};

struct plain; /* what was learned of the order of members, too */

/* options must outlive it. */
struct plain *plain_open(const struct json_options *options);
void plain_close(struct plain *plain);

/*
 * The event of text into value[], as in struct json_reader. It has no backslash,
 * its brackets and quotes are balanced, and SCAN_BLOCK readable bytes follow it:
 * so a search for a quote or a delimiter inside of it ends inside of it. The verdict
 * depends on the event alone, not on those before it.
 */
enum plain_verdict plain_event(struct plain *plain, struct str text, struct json_value *value);

#endif
