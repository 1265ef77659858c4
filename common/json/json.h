/*
 * json - the events of a Chrome trace, one at a time, and the top-level
 * members beside them; syntax alone, what they mean is the caller's.
 *
 * Reads the object form ({"traceEvents": [...], ...}, other members before and
 * behind it) and the array form, whose ] may be missing. Memory does not depend
 * on the input. An event of up to 256 KiB is read by its fields where it is
 * plain, and tokenized by jsmn where it is not (escapes, anything unusual); a
 * larger one is walked value by value, and only what is wanted of it is kept.
 * KEV_JSON=jsmn in the environment tokenizes every event: the same, slower.
 *
 * What is read leniently: strings with raw control bytes or bytes that are no
 * UTF-8, escapes that JSON does not know (kept as they stand), NaN, Infinity
 * and the like as values, commas too many. `strict` makes each of them damage.
 * A malformed event of over 256 KiB ends the reading; a smaller one is passed over.
 */
#ifndef JSON_H
#define JSON_H

#include "io/input.h"
#include "json/json_value.h"
#include "json/scan.h"

#include <stdint.h>

enum json_item {
	JSON_BROKEN = -1, /* reading cannot go on; error and fatal say more */
	JSON_END = 0,
	JSON_EVENT,   /* value[] holds what was wanted of it: by index, fields and then inner */
	JSON_MEMBER,  /* member is its index in members, value[0] what it holds */
	JSON_DAMAGED, /* something malformed was passed over, said in error; reading goes on */
};

struct json_reader {
	struct input in;
	const struct json_options *options;
	struct json_value *value; /* good until the next call */
	size_t member;
	uint64_t event;    /* number of the last event, from 1 */
	uint64_t offset;   /* of its first byte */
	uint64_t replaced; /* lone surrogates and unknown escapes met in wanted strings */
	bool fatal;        /* JSON_BROKEN is an error (status 2), not damage */
	char error[384];   /* "byte N (event M): what" */
	/* Below, json.c's own. */
	int state;
	bool bare;   /* the array form */
	bool events; /* traceEvents was there */
	bool comma;  /* one has come since the last value */
	bool first;  /* no value has come in this array or object */
	char *window;
	size_t at;
	size_t end;
	uint64_t base;        /* offset of the window's first byte */
	bool exhausted;       /* the input gave its end or broke */
	bool fenced;          /* for now the window is all there is */
	struct scan scan;     /* for the ends of events */
	bool by_tokens;       /* KEV_JSON=jsmn: every event is tokenized */
	struct names *fields; /* the wanted names */
	struct names *inner;
	struct plain *plain;
	bool dropped; /* the last element was an event that the filter drops */
	void *tokens;
	size_t tokens_cap;
	struct buf stack; /* open brackets of the value being walked */
	struct buf key;
	struct buf kept;    /* raw text of wanted values of a walked event */
	size_t *kept_at;    /* where in it, by index of value */
	struct buf decoded; /* strings with escapes, decoded */
};

/*
 * Opens path ("-": standard input). Gives false with the reason in error where
 * it cannot be opened. options must outlive the reader.
 */
bool json_open(struct json_reader *reader, const char *path, const struct json_options *options);

/* The next item, in the order of the text. Behind JSON_END and JSON_BROKEN, the same again. */
enum json_item json_next(struct json_reader *reader);

void json_close(struct json_reader *reader);

/*
 * The value inside the JSON text at a path of names; a number picks that element of an
 * array, "0" the first. JSON_NONE where the path leads nowhere or the text is no JSON. A
 * string is decoded into scratch.
 */
struct json_value json_find(struct str text, const char *const *path, size_t steps,
                            struct buf *scratch);

/* Appends text as a JSON string, quotes included; bytes that are no UTF-8 pass as they are. */
void json_quote(struct buf *out, struct str text);

#endif
