/*
 * plain - reads the wanted members of an event by its fields: the quick way for events as nearly
 * all writers write them. It leaves other events to json.
 */
#ifndef PLAIN_H
#define PLAIN_H

#include "json/json_value.h"

enum plain_verdict {
	PLAIN_UNSURE, /* something is unusual, and the event may be anything */
	PLAIN_WANTED,
	PLAIN_UNWANTED, /* the filter drops it */
};

struct plain; /* it also learns the order of members */

/* options must outlive it. */
struct plain *plain_open(const struct json_options *options);
void plain_close(struct plain *plain);

/*
 * Reads the event in text into value[], as in struct json_reader. The event has no backslash, its
 * brackets and quotes are balanced, and SCAN_BLOCK readable bytes follow it: so a search for a
 * quote or a delimiter inside of it ends. The verdict depends on the event alone, not on earlier
 * ones.
 */
enum plain_verdict plain_event(struct plain *plain, struct str text, struct json_value *value);

#endif
