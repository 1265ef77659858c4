/*
 * csvformat - the CSVs of profilers: recognized by their headers, and the units of their times.
 *
 * csv2tsv(1) lists the formats.
 */
#ifndef CSVFORMAT_H
#define CSVFORMAT_H

#include "base/dec.h"
#include "base/strmap.h"
#include "syntax/csv.h"

/* What a column of a CSV contains. */
enum csv_content {
	CSV_TS,
	CSV_DUR,
	CSV_END, /* it gives dur if there is no CSV_DUR */
	CSV_TYPE,
	CSV_NAME,
	CSV_CAT,
	CSV_PID,
	CSV_TID,
	CSV_SOURCE,
	CSV_MAPPABLE, /* those above can be chosen by csv2tsv -m */
	/* A table of counters has a row for each counter of a dispatch. */
	CSV_DISPATCH = CSV_MAPPABLE,
	CSV_PROCESS,
	CSV_COUNTER,
	CSV_VALUE,
	CSV_VALUE_UNIT,
	/* An aggregate has a row for each kind of kernel. */
	CSV_COUNT,
	CSV_TOTAL,
	CSV_MIN,
	CSV_MAX,
	/* A table of Tenstorrent has the cycles of a row on its device, and its times on the host. */
	CSV_FW_START,
	CSV_FW_END,
	CSV_FW_DUR, /* it gives dur if CSV_DUR is empty */
	CSV_HOST_TS,
	CSV_CONTENTS
};

/* What they are called in the stream and by csv2tsv -m. */
extern const char *const csv_content_names[CSV_MAPPABLE];

/* What a summary of nvprof is of: its messages, or its column Type, say it. */
enum csv_section { CSV_NO_SECTION, CSV_OF_DEVICE, CSV_OF_CALLS, CSV_OF_OPENACC };

/* --- units ---------------------------------------------------------------- */

enum csv_unit {
	CSV_UNKNOWN,
	CSV_NS,
	CSV_US,
	CSV_MS,
	CSV_S,
	CSV_IN_VALUE, /* each value ends with its unit, as 542.36ms */
	CSV_UNITS
};

extern const char *const csv_unit_names[CSV_UNITS]; /* NULL, "ns", "us", "ms", "s", for people */

/* A unit of this name, or nsec, sec, microseconds and the like; CSV_UNKNOWN for any other name. */
enum csv_unit csv_unit_of(struct str name);

/*
 * The unit at the end of a header: Start (ns), Duration(us), DURATION [ns], BeginNs, begin_ns,
 * durationns. CSV_UNKNOWN without a unit, or with two that differ: Start (us) [ns].
 */
enum csv_unit csv_header_unit(struct str header);

/* For csv_microseconds. */
bool csv_convert_time(struct buf *out, struct str time, enum csv_unit unit);

/* Appends a time in us, exactly: the point moves. False if it is not a number. */
static inline bool csv_microseconds(struct buf *out, struct str time, enum csv_unit unit)
{
	return unit == CSV_US || unit == CSV_UNKNOWN ? dec_copy(out, time)
	                                             : csv_convert_time(out, time, unit);
}

/* --- headers -------------------------------------------------------------- */

/* The headers of a record that may be the header. Starts as {0}. */
struct csv_headers {
	struct strmap names; /* distinct names, without spaces around them */
	int *column;         /* by number in names: the first column of this name */
	size_t cap;
	size_t count;         /* columns in all */
	size_t repeated;      /* columns with the name of an earlier column */
	size_t example;       /* number of such a name, in names */
	struct strmap folded; /* distinct names in lower case */
	int *folded_column;   /* by number in folded */
	size_t folded_cap;
};

void csv_headers_read(struct csv_headers *headers, struct csv_reader *csv);

/* The first column of this name; -1 if it is missing. */
int csv_headers_find(const struct csv_headers *headers, struct str name);

/* The same, else the first column whose name differs only in the case of ASCII letters. */
int csv_headers_find_any_case(const struct csv_headers *headers, struct str name);

/* The name of such a first column. */
struct str csv_headers_name(const struct csv_headers *headers, int column);

void csv_headers_free(struct csv_headers *headers);

/* Whether a record is a message of nvprof or ncu among the rows, as ==PROF== or ==4711==. */
bool csv_is_message(struct str record);

/* The section that a message of nvprof begins, or a Type names; else CSV_NO_SECTION. */
enum csv_section csv_section_of(struct str text);

/* --- formats -------------------------------------------------------------- */

struct csv_format; /* the format of a profiler */

/* Which columns of a file contain what. */
struct csv_layout {
	const struct csv_format *format;
	const char *format_name;          /* for people */
	int column[CSV_CONTENTS];         /* -1: none */
	enum csv_unit unit[CSV_CONTENTS]; /* units of times, as far as the file gives them */
	bool commas;                      /* between thousands of numbers */
	bool by_clock;                    /* ts is CSV_FW_END, by the clock of the device, - dur */
	bool fw_dur;                      /* CSV_FW_DUR gives dur if CSV_DUR is empty */
	const char *missing_cycles;       /* the first header that is missing for by_clock, or NULL */
};

/*
 * Finds the format with most columns in the headers, in any case of letters; columns of `mapped`
 * (NULL: not mapped) override its columns. False if no format fits and `mapped` gives no duration,
 * or if a mapped column is missing.
 */
bool csv_layout_find(struct csv_layout *layout, const struct csv_headers *headers,
                     const char *const mapped[CSV_MAPPABLE]);

/* Whether the format gives a content to the stream as a core column, a figure or a counter. */
bool csv_content_is_written(enum csv_content content);

bool csv_layout_is_counters(const struct csv_layout *layout);
bool csv_layout_is_aggregate(const struct csv_layout *layout);

/* Whether the file has a column of this content, a time that is read. */
bool csv_layout_has_time(const struct csv_layout *layout, enum csv_content content);

/*
 * Takes the record after the header as a row of units if all its times are names of units, as
 * nvprof writes it, or if it has no ID, as in ncu --page raw. False if the record is no such row.
 * If all its times end with a unit, as 542.36ms, so does each value of these columns.
 */
bool csv_layout_units(struct csv_layout *layout, struct csv_reader *csv);

/* Whether the file gives durations or totals, by columns or a counter. */
bool csv_layout_has_times(const struct csv_layout *layout);

/* Whether the values of a counter with this name are the durations of their dispatches. */
bool csv_layout_is_duration(const struct csv_layout *layout, struct str counter);

/* Whether a counter gives the durations; a dispatch may lack it. */
bool csv_layout_has_duration_counter(const struct csv_layout *layout);

/* For csv_layout_number. */
struct str csv_number_without_commas(struct str value, struct buf *scratch);

/*
 * The text of a value, which is appended to scratch if the format has commas between thousands and
 * the value is such a number: 1,417.5.
 */
static inline struct str csv_layout_number(const struct csv_layout *layout, struct str value,
                                           struct buf *scratch)
{
	return layout->commas ? csv_number_without_commas(value, scratch) : value;
}

/* True if the name is the last of `count` columns, in a format that does not quote it. */
bool csv_layout_name_takes_rest(const struct csv_layout *layout, size_t count);

/* The cat of a kernel or copy of this name, in a format that has no column for it; else empty. */
struct str csv_layout_cat(const struct csv_layout *layout, struct str name);

/* Whether an aggregate has a cat: by a column, or by its section. */
bool csv_layout_has_cat(const struct csv_layout *layout);

/*
 * The cat of a row of an aggregate, from its column, the section it is in, and its name. Kernels
 * and calls of nvprof get the categories of a trace.
 */
struct str csv_layout_group_cat(const struct csv_layout *layout, struct str value,
                                enum csv_section section, struct str name);

#endif
