/*
 * bytokens - reads the wanted members of an event by its tokens: the way for events with escapes
 * and whatever else plain leaves, unless it is too unusual for jsmn, too.
 *
 * Memory: that of the tokens and decoded strings of the longest event.
 */
#ifndef BYTOKENS_H
#define BYTOKENS_H

#include "json/json_value.h"
#include "json/names.h"

struct bytokens;

/* All three must outlive it. fields and inner are the sets of wanted names in options. */
struct bytokens *bytokens_open(const struct json_options *options, const struct names *fields,
                               const struct names *inner);
void bytokens_close(struct bytokens *way);

/*
 * Reads the event in text, nested up to deepest, into value[], as in struct json_reader, valid
 * until the next call; adds to *replaced as json_string does. False if that is not certain: jsmn
 * rejects it, or takes something for an event that may be none.
 */
bool bytokens_event(struct bytokens *way, struct str text, size_t deepest, struct json_value *value,
                    uint64_t *replaced);

#endif
