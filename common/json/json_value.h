/*
 * json_value - the wanted values of an event, and the scalars of JSON text: numbers, literals and
 * strings. json and plain, its quick way, share these.
 */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include "base/buf.h"

#include <stdint.h>

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
	bool decimal; /* certainly a JSON_NUMBER without an exponent, of up to 31 bytes */
	struct str text;
};

/* Its text, empty if it is null or missing. */
static inline struct str json_text(const struct json_value *value)
{
	return value->type == JSON_NONE || value->type == JSON_NULL ? STR("") : value->text;
}

/* The text of a string; empty for any other value. */
static inline struct str json_string_text(const struct json_value *value)
{
	return value->type == JSON_STRING ? value->text : STR("");
}

/*
 * Drops events that the caller cannot want as soon as that is certain, often before they are
 * read in full: only their brackets and strings need be right. An event that passes may still be
 * unwanted.
 */
struct json_filter {
	size_t ph; /* index in fields */
	size_t cat;
	struct str phases; /* one letter each: events of other phases are dropped */
	struct str always; /* events of these phases are never dropped, whatever their category */
	const struct str
		*categories;         /* cat is one, or a word of it between commas: others are dropped */
	size_t categories_count; /* 0: no category is dropped */
};

struct json_options {
	const char *const *fields; /* the wanted members of an event: "ts" */
	size_t fields_count;
	const char *object;       /* the member that is an object */
	const char *const *inner; /* the wanted members of `object` */
	size_t inner_count;
	const char *const *members; /* wanted of the top-level object, of up to 1 MiB each */
	size_t members_count;
	const struct json_filter *filter; /* NULL: all events are given */
	bool all;         /* give the events that it drops too, if they can be read: for counting */
	size_t max_field; /* bytes of one value; more is an error */
	bool strict;
};

/*
 * If an event has two objects of the wanted name, the last counts: the members of the first are
 * forgotten.
 */
static inline void json_forget_inner(const struct json_options *options, struct json_value *value)
{
	memset(value + options->fields_count, 0, options->inner_count * sizeof *value);
}

static inline void json_forget(const struct json_options *options, struct json_value *value)
{
	memset(value, 0, (options->fields_count + options->inner_count) * sizeof *value);
}

bool json_is_number(struct str text); /* by the grammar of RFC 8259 */

/*
 * Appends a number of kev(5) in JSON's form, with its digits: "0.5" for "+.5". If it is not a
 * number, returns false and appends nothing.
 */
bool json_put_number(struct buf *out, struct str text);

/* The type of a value that is not a string, object or array. */
enum json_type json_primitive_type(struct str text);

/*
 * Appends the text of a string, given without its quotes, with its escapes decoded; never more
 * bytes than raw has. Returns the number of lone surrogates (now U+FFFD) and of unknown escapes
 * (kept as they stand).
 */
uint64_t json_unescape(struct buf *out, struct str raw);

/*
 * A string as a value: raw itself, or, if it has escapes, decoded. Adds to replaced as
 * json_unescape counts. decoded needs room for raw, as it must not move under earlier values.
 */
struct json_value json_string(struct str raw, struct buf *decoded, uint64_t *replaced);

/* Appends the text of a value without the white space outside of its strings. */
void json_compact(struct buf *out, struct str text);

#endif
