/*
 * devices - the devices of a stream, or finer parts of it: distinct values of file, pid and
 * further columns; and tables with a column for each of these.
 *
 * Devices of two files are two, also if the files have one name: a file begins with each operand,
 * each ##source line, and each value of the column `file`, which is preferred to ##source as its
 * name. If all rows of a file begin at the same time, the file has no times: csv2tsv writes so.
 * Memory: the distinct values.
 */
#ifndef DEVICES_H
#define DEVICES_H

#include "answer/sheet.h"
#include "wall/interval.h"

struct devices_file;

/* Starts as {0}. */
struct devices {
	struct words keys; /* columns, pid among them */
	int *key;          /* their places */
	int file;
	size_t place;          /* place in the reader at its last line */
	struct buf said;       /* value of the last ##source, escaped */
	struct strmap sources; /* files with rows: place and name, escaped */
	size_t source;         /* source of the row, by number in sources */
	size_t row_place;      /* place of the row's source */
	struct devices_file *files;
	size_t files_cap;
	struct strmap names; /* devices: file, keys, number of the file; escaped, tabs between */
	size_t *source_of;   /* by device */
	size_t source_of_cap;
	size_t *order; /* numbers, after devices_sort; only of files that have times */
	size_t order_count;
	struct buf last; /* the key of the last row, as its fields have it */
	size_t last_source;
	size_t last_number; /* device of the last row */
	struct buf text;
	struct buf scratch;
	struct buf name;
};

/* Takes the words of -k; pid is always a key, and the first if it is not among them. */
void devices_keys(struct devices *devices, struct words *keys);

/* For each columns line; an error is recorded in the reader. */
void devices_columns(struct devices *devices, struct kev_reader *in);

/* For each metadata line, and for each row before devices_of. */
void devices_metadata(struct devices *devices, const struct kev_reader *in);
void devices_row(struct devices *devices, const struct kev_reader *in);

/* The number of the row's device, which begins at ts; *new says whether it is its first row. */
size_t devices_of(struct devices *devices, const struct kev_reader *in, struct dec ts, bool *new);

/* Sets order: by file, then by each key, numbers by value before texts. */
void devices_sort(struct devices *devices);

/* The name of a file, escaped; whether there are several. */
struct str devices_source(const struct devices *devices, size_t source);
bool devices_several(const struct devices *devices);

/* After devices_sort: a file without times, escaped; false if there is none. */
bool devices_untimed(const struct devices *devices, struct str *file);

void devices_free(struct devices *devices);

/* --- tables ------------------------------------------------------------------ */

/* The rows of a table begin with the number of their device; rows that are events, with this. */
struct devices_event {
	size_t device;
	struct interval span;
};

/* Starts with the first five set, all else 0. */
struct devices_table {
	const struct devices *devices;
	struct kev_writer *out;
	enum form form;
	struct jsonw *json; /* writer of FORM_JSON, within an object */
	const char *event;  /* the name and cat of the rows, if they are events; or NULL */
	struct sheet sheet;
	struct sheet_column *columns;
};

/* The columns of rows that are events. */
enum { DEVICES_EVENT_COLUMNS = 5 };
extern const char *const devices_event_names[DEVICES_EVENT_COLUMNS];

/*
 * Begins a table with the columns of events, if it has any, then file if there are several, the
 * keys, and the columns that are given. Title must outlive it; context is for their put.
 */
void devices_table_begin(struct devices_table *table, const char *title,
                         const struct sheet_column *columns, size_t count, const void *context);
void devices_table_end(struct devices_table *table);

/* For put: appends a time, rounded for people. */
void devices_put_time(struct sheet *sheet, struct dec time);

/* The time that is a field of the row, as in sheet_put_dec. */
void devices_put_field(struct sheet *sheet, const void *row, int field);

#endif
