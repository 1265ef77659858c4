/*
 * csvrow - a record of a profiler's CSV as the fields of a row: of an event, or of a partial table
 * for an aggregate. Times are in us; what is no number is left empty and counted.
 *
 * Memory grows with the longest record.
 */
#ifndef CSVROW_H
#define CSVROW_H

#include "stream/partial.h"

#include "csvcolumns.h"
#include "ttclock.h"

/* How many rows of a file lack what. */
struct csvrow_faults {
	uint64_t no_type;
	uint64_t no_dispatch;
	uint64_t bad_ts;
	uint64_t bad_dur;
	uint64_t bad_host_ts;
	uint64_t bad_total;
	uint64_t negative; /* end before they start */
	uint64_t long_rows;
	uint64_t first_long; /* its line */
};

/* Starts as {0}. */
struct csvrow {
	/* The file, set by csvrow_begin. */
	struct csv_reader *csv;
	const struct csv_headers *headers;
	const struct csv_layout *layout;
	const struct csvcolumns *columns;
	const struct ttclock *clock; /* set by the caller, if the layout is by_clock */
	enum csv_section section;    /* that the row is in, set by the caller */
	struct str file;
	bool aggregate;
	bool is_counters; /* the file is a table of counters */
	int rest_column;  /* column of the name, if the name takes the rest of a record; else -1 */
	struct csvrow_faults faults;
	/* The row; good until the next record. */
	struct str *field;
	size_t count;
	struct str time;     /* dur of an event, total of an aggregate */
	const char *rounded; /* the column of a time that had more than nine decimals, or NULL */
	/* Private to csvrow.c. */
	struct buf ts;
	struct buf dur;
	struct buf host_ts;
	struct buf figures[PARTIAL_NEEDED];
	struct buf rest;
	struct buf plain; /* numbers without their commas */
};

/*
 * For the records of a file of this name, whose columns were chosen. The arguments must outlive
 * the reading of its rows.
 */
void csvrow_begin(struct csvrow *row, struct csv_reader *csv, const struct csv_headers *headers,
                  const struct csv_layout *layout, const struct csvcolumns *columns,
                  const char *file);

/* Adds the cycles and the duration of the record at hand to the clock of its device. */
void csvrow_add_cycles(struct csvrow *row, struct ttclock *clock);

/*
 * Reads the record at hand. False if it has no type, or no dispatch or name in a table of counters,
 * and is left out; only its time is then good.
 */
bool csvrow_read(struct csvrow *row);

/* The worst that was wrong so far in the file, for people; NULL: nothing. */
const char *csvrow_fault(const struct csvrow *row);

/* The value of this content in the record, without spaces around it; empty if it is missing. */
struct str csvrow_value(struct csvrow *row, enum csv_content content);

void csvrow_free(struct csvrow *row);

#endif
