/*
 * json_value - what is wanted of an event, and what is got: the words that json and
 * plain, its quick way, have in common.
 */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include "base/buf.h"

enum json_type {
	JSON_NONE,    /* the event has no such member */
	JSON_STRING,  /* text is decoded; a lone surrogate has become U+FFFD */
	JSON_NUMBER,  /* text as it stands */
	JSON_LITERAL, /* true, false */
	JSON_NULL,
	JSON_NESTED, /* an object or array, its JSON text as it stands */
	JSON_OTHER,  /* none of these: NaN, Infinity, 0x1f; text as it stands */
};

struct json_value {
	enum json_type type;
	bool decimal; /* surely a JSON_NUMBER without an exponent, of up to 31 bytes */
	struct str text;
};

/*
 * Events that the caller cannot want: dropped as soon as that is certain, often
 * before they are tokenized. Of those only brackets and strings need be right.
 * What passes may still be unwanted.
 */
struct json_filter {
	size_t ph; /* index in fields */
	size_t cat;
	struct str phases;            /* a letter each: events of others are dropped, */
	struct str always;            /* but not of these, whatever their category */
	const struct str *categories; /* events of others are dropped */
	size_t categories_count;      /* 0: of none */
};

struct json_options {
	const char *const *fields; /* members of an event that are wanted: "ts" */
	size_t fields_count;
	const char *object;       /* the member that is an object, */
	const char *const *inner; /* and those of its members that are wanted */
	size_t inner_count;
	const char *const *members; /* of the top-level object, besides traceEvents: up to 1 MiB */
	size_t members_count;
	const struct json_filter *filter; /* NULL: all events are given */
	bool all;         /* give those that it drops too, where they can be read: for counting */
	size_t max_field; /* bytes of one value; more is an error */
	bool strict;
};

bool json_is_number(struct str text); /* by the grammar of RFC 8259 */

/* What stands where a value may and is no string, object or array. */
enum json_type json_primitive_type(struct str text);

#endif
