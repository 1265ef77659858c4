/*
 * json - the events of a Chrome trace, one at a time, and the top-level members beside them. Only
 * the syntax: the caller knows what they mean.
 *
 * It reads the object form ({"traceEvents": [...], ...}, with other members before and after it)
 * and the array form, whose ] may be missing. Memory does not depend on the input. A plain event of
 * up to 256 KiB is read by its fields. Any other event (larger, unusual, with escapes) is read
 * value by value, and only the wanted values are kept. With KEV_JSON=exact in the environment, all
 * events are: the events are equal, reading is slower.
 *
 * It accepts: strings with raw control bytes or bytes that are not UTF-8, unknown escapes (kept as
 * they stand), NaN, Infinity and the like as values, extra commas. With `strict` each of them is
 * damage. A malformed event is skipped; if its end is unknown, reading goes on at the next },{" .
 */
#ifndef JSON_H
#define JSON_H

#include "json/json_value.h"
#include "json/jsontext.h"
#include "json/scan.h"

#include <stdint.h>

enum json_item {
	JSON_BROKEN = -1, /* reading cannot go on; see error and fatal */
	JSON_END = 0,
	JSON_EVENT,   /* value[]: its wanted values, by index in fields and then inner */
	JSON_MEMBER,  /* value[0]: the top-level member with the index `member` in members */
	JSON_DAMAGED, /* something malformed was skipped, see error; reading goes on */
	JSON_PAUSE,   /* the next event begins at `pause` or after it; its offset is json_place's */
};

/* Where a reader is between two events of the array, and what it has counted up to there. */
struct json_place {
	uint64_t offset;
	bool comma; /* one came after the last event */
	uint64_t events;
	uint64_t replaced;
};

struct json_reader {
	struct jsontext text; /* its input, and error: "byte N (event M): what" */
	const struct json_options *options;
	struct json_value *value; /* valid until the next call */
	size_t member;
	uint64_t event;    /* number of the last event, from 1 */
	uint64_t offset;   /* offset of the first byte of this event */
	uint64_t replaced; /* lone surrogates and unknown escapes in wanted strings */
	uint64_t pause;    /* set after json_open: give JSON_PAUSE before an event at this offset */
	bool fatal;        /* JSON_BROKEN is an error (status 2), not damage */
	bool foreign; /* JSON_BROKEN: the file is no trace, but something else, which error names */
	bool misused; /* foreign, and whole: wrong usage, not damage */
	/* Private to json.c. */
	int state;
	bool part;             /* json_part_open opened it */
	bool bare;             /* the array form */
	bool events;           /* traceEvents was there */
	bool comma;            /* a comma came after the last value */
	bool first;            /* no value has come in this array or object */
	unsigned resumed;      /* how often reading went on at a later event */
	uint64_t scanned_base; /* offset of the window that scan has seen */
	struct scan scan;      /* finds the ends of events */
	bool exact;            /* KEV_JSON=exact: every event is read value by value */
	struct names *fields;  /* the wanted names */
	struct names *inner;
	struct plain *plain;
	bool dropped;       /* the filter dropped the last element */
	struct buf stack;   /* the open brackets of a value */
	struct buf key;     /* the last one */
	struct buf kept;    /* raw text of the wanted values of an event read value by value */
	size_t *kept_at;    /* their offsets in kept, by index of value */
	struct buf decoded; /* strings with escapes, decoded */
};

/*
 * Opens path ("-": standard input). Returns false, with the reason in error, if it cannot be
 * opened. options must outlive the reader.
 */
bool json_open(struct json_reader *reader, const char *path, const struct json_options *options);

/*
 * Closes the reader and reads its input again from its beginning, with these options. Returns
 * false, with the reason in error, if it is not a regular file or cannot be opened again.
 */
bool json_again(struct json_reader *reader, const struct json_options *options);

/* The next item, in the order of the text. JSON_END and JSON_BROKEN come again. */
enum json_item json_next(struct json_reader *reader);

/*
 * Once json_next has found the file foreign: gives its input, open, to *in and appends to head what
 * was read of it, for another reader.
 */
void json_release(struct json_reader *reader, struct input *in, struct buf *head);

void json_close(struct json_reader *reader);

struct json_place json_place(const struct json_reader *reader);

/*
 * --- parts of the array, for threads ------------------------------------------
 *
 * A part is text from the { of an event on, to any place. Its reader gives the events that the
 * reader of the trace would give there, but none after the first thing that is not an event as
 * nearly all are: damage, an event of over 256 KiB, the end of the array. There the reader of the
 * trace goes on.
 */

/* Makes a reader of parts, which has no input. */
void json_part_open(struct json_reader *reader, const struct json_options *options);

/*
 * Begins a part, of which n bytes are at text, with room for SCAN_BLOCK more; offset is that of the
 * first. json_next gives JSON_EVENT, and JSON_END where the part ends: at json_place.
 */
void json_part_begin(struct json_reader *reader, char *text, size_t n, uint64_t offset);

/* After JSON_PAUSE: goes on after a part that began there. What `read` gives is there, too. */
void json_skip(struct json_reader *reader, const struct json_place *place);

#endif
