/*
 * capture - the captures of graphs in reference traces (REFs), and their eager kernels: which calls
 * launched a kernel, a copy or a memset there, and what is known of each.
 *
 * A capture is, on one thread, the calls from one whose name contains StreamBeginCapture to the
 * matching StreamEndCapture. An end closes the last open begin; a begin or an end without the other
 * is ignored, and so is a capture without calls that count. Calls of a capture within another are
 * of both, and those within CAPTURE_DEPTH others are left out. Captures whose begin lies in the
 * same user_annotation capture_* of their thread form a set, and those outside of any one set for
 * each REF. An eager kernel is a row of a device whose launch is no launch of a graph.
 *
 * The caller gives the rows of a REF, calls captures_build, and gives the values of each new call,
 * such as its operator: texts of as many columns as it wants. Rows may come in any order, except
 * for rows with equal times and names.
 *
 * Memory: while a REF is read, 48 bytes for each call that launches, copies or sets memory, and 48
 * for each row of a device; then 8 bytes, and 4 for each column, for each call of a capture and
 * each eager kernel, 4 for each call of captures with distinct calls, 16 for each capture, 80 for
 * each annotation, and the distinct names and values.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "base/dec.h"
#include "base/strmap.h"
#include "trace/timeline.h"

#include "capmatch.h"

#include <stdint.h>

#define CAPTURE_NONE UINT32_MAX

/* Captures that can be within each other: so memory does not grow with the square of a trace. */
enum { CAPTURE_DEPTH = 16 };

struct capture {
	uint32_t first; /* calls first .. first + count */
	uint32_t count;
	uint32_t set;
	uint32_t sequence; /* captures with equal tokens have the same number */
};

/* Captures first .. first + count, in the order of their begins. */
struct capture_set {
	uint32_t first;
	uint32_t count;
	uint32_t name; /* its annotation's, in captures.texts; 0: it has none */
	bool sized;
	uint64_t size;  /* number after capture_, if sized */
	uint64_t calls; /* in all its captures */
};

/* Eager kernels of a REF: calls first .. first + count, in the order of their launches. */
struct capture_eager {
	uint32_t first;
	uint32_t count;
};

/* Starts as {0}. */
struct captures {
	size_t columns;      /* columns of values; set before the first REF */
	struct strmap names; /* names of kernels */
	struct strmap call_names;
	struct strmap texts;     /* values, and names of annotations; number 0 is empty */
	struct strmap sequences; /* tokens of captures, as bytes */
	uint32_t *sample;        /* a capture of each sequence */
	size_t sample_cap;
	/* By number of the call. */
	uint32_t *token;
	uint32_t *operator;
	uint32_t *value; /* in texts, for each column */
	size_t calls;
	size_t calls_cap[3];
	uint32_t operators; /* numbers of operators given so far */
	struct capture *capture;
	size_t count;
	size_t cap;
	struct capture_set *set;
	size_t sets;
	size_t sets_cap;
	struct capture_eager *eager; /* one for each REF that has some */
	size_t eagers;
	size_t eagers_cap;
};

/* The rows of a REF. Starts as {0}. */
struct capture_ref {
	struct capture_event *event; /* calls */
	size_t events;
	size_t events_cap;
	struct capture_row *row; /* rows of devices */
	size_t rows;
	size_t rows_cap;
	struct timeline annotations; /* values are numbers in annotation */
	uint32_t *annotation;        /* name in captures.texts, by number */
	size_t annotations_count;
	size_t annotations_cap;
	/* Once built. */
	size_t first;    /* its first call in captures */
	size_t eager;    /* its first eager kernel there */
	size_t end;      /* after the last */
	bool nameless;   /* a capture has kernel calls without a name */
	uint64_t deep;   /* captures that are left out, as they are within too many others */
	uint64_t single; /* begins and ends of captures without the other */
};

/* The token of a row of a device, and of a kernel call with a name, for capmatch. */
uint32_t captures_token(struct captures *captures, struct str cat, struct str name);

/* Whether a call with this name begins or ends a capture, or can be in one. */
bool captures_is_call(struct str name);

/* A row of a call on a thread, by the caller's number; kernel is empty if it is unknown. */
void captures_call(struct captures *captures, struct capture_ref *ref, struct dec ts,
                   uint32_t thread, struct str name, struct str kernel);

/* Whether an annotation with this name makes a set. */
bool captures_is_annotation(struct str name);

/* Such an annotation. False if its end is too large. */
bool captures_annotation(struct captures *captures, struct capture_ref *ref, uint32_t thread,
                         struct dec ts, struct dec dur, struct str name);

/* A row of a device whose launch the caller numbers. */
void captures_row(struct capture_ref *ref, struct dec ts, uint32_t token, uint32_t launch,
                  uint32_t device);

/* The caller looks up the launches of rows before captures_build. */
struct capture_row {
	struct dec ts;
	struct dec launch_ts;
	uint32_t launch_thread; /* CAPTURE_NONE, at first: the launch is unknown or of a graph */
	uint32_t launch;        /* its number; once built the rank of the token */
	uint32_t device;        /* once built the order of arrival */
	uint32_t token;
};

/*
 * After the last row of a REF: adds its calls. threads has the text of each thread. False if the
 * REF has no capture and no eager kernel. Ends the program if there are 4 billion calls.
 */
bool captures_build(struct captures *captures, struct capture_ref *ref,
                    const struct strmap *threads);

/* The thread and the time of a call of a REF that is built. */
uint32_t capture_ref_where(const struct capture_ref *ref, size_t call, struct dec *ts);

void capture_ref_free(struct capture_ref *ref);

void captures_value(struct captures *captures, size_t call, size_t column, struct str text);

/* The operator of a call, by a number from 1 that no operator of another REF has; 0: none. */
static inline void captures_operator(struct captures *captures, size_t call, uint32_t number)
{
	captures->operator[call] = number;
}

struct str captures_text(const struct captures *captures, uint32_t text);

/* The number of a call's value in texts. */
static inline uint32_t captures_value_of(const struct captures *captures, size_t call,
                                         size_t column)
{
	return captures->value[call * captures->columns + column];
}

static inline struct capmatch_tokens captures_tokens(const struct captures *captures,
                                                     uint32_t first, uint32_t count)
{
	return (struct capmatch_tokens){captures->token + first, count};
}

/* The place of a token, by strmap_ranks of captures.names. */
static inline uint32_t captures_rank(const size_t *ranks, uint32_t token)
{
	return token < CAPMATCH_NAMED ? token
	                              : CAPMATCH_NAMED + (uint32_t)ranks[token - CAPMATCH_NAMED];
}

void captures_free(struct captures *captures);

#endif
