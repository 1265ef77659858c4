/*
 * records - the objects in some lists of a large JSON document, one at a time, wherever the lists
 * are. Only the syntax: the caller knows what they mean.
 *
 * Memory does not depend on the document: what is not in a list is skipped in pieces, and a record
 * of over a MiB is damage. A malformed record is skipped, and reading goes on at the next },{" of
 * its list, or at the next list.
 *
 * It accepts strings with raw control bytes or bytes that are not UTF-8, unknown escapes, and NaN
 * and the like as values. With `strict` each of them is damage.
 */
#ifndef RECORDS_H
#define RECORDS_H

#include "json/json_value.h"
#include "json/jsontext.h"

struct records_options {
	/*
	 * Where the records are: "run/calls" is the member calls of the member run. There is an array
	 * of them, or one record alone. An array on the way stands for each of its objects.
	 */
	const char *const *lists;
	size_t lists_count;
	/* Other members beside lists, which are skipped: after damage they end the list before. */
	const char *const *others;
	size_t others_count;
	const char
		*watched;      /* an object: its arrays that are neither in lists nor in others are items */
	const char *group; /* like watched, but the beginning of each object in it is an item */
	const char *const *names; /* the wanted members of records, of all lists */
	size_t names_count;
	const char *const
		*flat; /* members, not wanted: the members of these objects are the record's */
	size_t flat_count;
	const char *single; /* an object with only this member counts as its value */
	bool strict;
};

enum records_item {
	RECORDS_BROKEN = -1, /* reading cannot go on; see error */
	RECORDS_END = 0,
	RECORDS_RECORD,  /* value[]: its wanted members, by index in names; of two the last counts */
	RECORDS_GROUP,   /* such an object begins */
	RECORDS_LIST,    /* the list with the index `list` begins */
	RECORDS_UNKNOWN, /* an array of `watched` was skipped, its name is in key; it was not empty */
	RECORDS_DAMAGED, /* something malformed was skipped, see error; reading goes on */
};

struct records {
	struct jsontext text; /* its input, and error: "byte N (record M): what" */
	const struct records_options *options;
	struct json_value *value; /* valid until the next call */
	size_t list;
	uint64_t record;   /* number of the last record in the document, from 1 */
	uint64_t offset;   /* offset of the first byte of this record */
	uint64_t replaced; /* lone surrogates and unknown escapes in wanted strings */
	struct buf key;    /* the last member on the way to records */
	/* Private to records.c. */
	int state;
	bool comma; /* one came after the last value */
	bool first; /* no value has come in this array or object */
	unsigned resumed;
	struct names *names;
	struct records_frame *frames; /* the open objects and arrays on the way to a list */
	size_t frames_count;
	size_t frames_cap;
	struct buf path;    /* names on the way to the innermost object */
	struct buf decoded; /* strings with escapes, decoded */
	struct buf stack;
};

/*
 * Reads an open input, of which `head` has been read already; records_close closes it. options
 * must outlive the reader.
 */
void records_open(struct records *records, const struct input *in, struct str head,
                  const struct records_options *options);

/*
 * From the beginning once more. False, with the reason in error, if the input is not a regular file
 * or cannot be opened again.
 */
bool records_again(struct records *records);

/* The next item, in the order of the text. RECORDS_END and RECORDS_BROKEN come again. */
enum records_item records_next(struct records *records);

void records_close(struct records *records);

#endif
