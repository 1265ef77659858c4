/*
 * convert - the events of a trace as rows of the stream, with the facts and the sums that they add
 * up to.
 *
 * A part of a trace can be converted by itself, in another thread: its rows stay in memory, and
 * convert_add appends them to those before it. A part that needs to know what came before it says
 * so, in_order, and its events are then converted one by one.
 */
#ifndef CONVERT_H
#define CONVERT_H

#include "stream/balance.h"
#include "stream/kev.h"
#include "json/json.h"

#include "cann.h"
#include "choice.h"
#include "device.h"
#include "ends.h"
#include "eventrow.h"
#include "outcome.h"

/* Why an event is dropped. */
enum convert_reason {
	CONVERT_CATEGORY,
	CONVERT_NO_PH,
	CONVERT_PHASE,
	CONVERT_PROCESS,
	CONVERT_JOINED,
	CONVERT_ALONE,
	CONVERT_REASONS
};

extern const char *const convert_reasons[CONVERT_REASONS];

enum convert_unit { CONVERT_US, CONVERT_CYCLES, CONVERT_UNITS };

extern const char *const convert_units[CONVERT_UNITS];

struct convert {
	/* For all files; opts, wanted, all_phases and out are the caller's. */
	const struct opts *opts;
	const struct wanted *wanted;
	bool all_phases; /* -p was not given: begins and ends should be there */
	struct kev_writer out;
	struct json_reader json; /* for a file of rocprofv3, holds what its reader gives */
	struct eventrow row;
	bool rounded; /* the warning about digits past the ninth was printed */
	/* What is known of the file, set by convert_begin_file. */
	const char *file; /* its name, for people */
	bool unit_known;
	enum convert_unit unit;
	struct outcome outcome;
	struct buf rank; /* empty if unknown */
	struct device device;
	struct balance balance; /* its events */
	struct choice choice;
	struct cann cann;
	/* For a part; see convert_part. */
	bool is_part;
	size_t rows_max;
	bool in_order;           /* an event needs to know what came before the part */
	bool cycles;             /* the name of a process sets the unit */
	bool devices;            /* what is known of the devices comes before its rows */
	const char *rounded_of;  /* if `rounded`: the first column of which digits were rounded */
	uint64_t rounded_offset; /* offset of the event with these digits */
	uint64_t rounded_event;  /* number of that event in the part */
	struct json_place place; /* where the part ends */
	/* Private to convert.c. */
	struct ends ends;
	size_t *alone; /* by process: begins and ends without the other so far */
	size_t alone_count;
	size_t alone_cap;
};

/* Once all columns are known. */
void convert_open(struct convert *convert);

void convert_begin_file(struct convert *convert, const char *file);

/* Writes ##unit, unless it was written. */
void convert_set_unit(struct convert *convert, enum convert_unit unit);

/* The event that json gave last. */
void convert_event(struct convert *convert);

/* At the end of a file: writes the rows that waited for it, if the process is chosen. */
void convert_put_waiting(struct convert *convert);

/*
 * Counts begins and ends without the other at the end of a file, when it is known which process was
 * chosen: -P drops those of another process.
 */
void convert_end_joining(struct convert *convert);

/* Ends the program: no process can be chosen. */
_Noreturn void convert_fail_choice(struct convert *convert);

void convert_end_file(struct convert *convert);

/* --- parts --------------------------------------------------------------------- */

/*
 * Makes part ready for parts of the file that whole converts, and that end where their rows have so
 * many bytes.
 */
void convert_part_open(struct convert *part, const struct convert *whole, size_t rows_max);
void convert_part_free(struct convert *part);

/* Converts the n bytes at text, as of json_part_begin, up to place. */
void convert_part(struct convert *part, char *text, size_t n, uint64_t offset);

/*
 * Appends a part to what was converted so far, whose reader gave JSON_PAUSE where it begins. False
 * if it needs to know what came before it: then nothing is appended.
 */
bool convert_add(struct convert *whole, const struct convert *part);

#endif
