/*
 * sqlevents - rows of a profiler's database as rows of the stream: their columns, times, names and
 * ids, and what is counted of them.
 *
 * Memory: the texts of the database (sqltexts), and the processes and threads of the host.
 */
#ifndef SQLEVENTS_H
#define SQLEVENTS_H

#include "stream/balance.h"
#include "stream/kev.h"

#include "sqltexts.h"

/* Why a row is dropped. */
enum sqlevents_reason {
	SQLEVENTS_TIME,
	SQLEVENTS_NO_TIMES,
	SQLEVENTS_PHASE,
	SQLEVENTS_KIND,
	SQLEVENTS_PART,
	SQLEVENTS_AGAIN,
	SQLEVENTS_REASONS
};
extern const char *const sqlevents_reasons[SQLEVENTS_REASONS];

/* The options. */
struct sqlevents_options {
	const char *phases;
	bool short_names;
	bool tasks;
	bool file_column;
	bool rank_column;
	struct str rank; /* empty: as the file says */
};

/* A number that a row lacks. */
#define SQLEVENTS_NONE INT64_MIN

/* A row. Numbers may be SQLEVENTS_NONE. */
struct sqlevent {
	char ph;
	int64_t start; /* ns */
	int64_t end;   /* SQLEVENTS_NONE: it has no duration */
	struct str type;
	struct str name;
	struct str cat;
	int64_t pid;
	int64_t tid;
	struct str tid_text; /* goes before tid */
	int64_t correlation;
	int64_t process; /* that the correlation, the External id and the stream are of */
	int64_t external_id;
	int64_t stream;
	int64_t device;
	int64_t context;
	int64_t bytes;
	struct str extra; /* text of the column that only this kind of database has */
	int64_t extra_number;
	struct str sequence; /* an operator's number, for its backward pass */
	struct str dims;     /* shapes of an operator's inputs */
};

/* The events of one file. */
struct sqlevents {
	const struct sqlevents_options *options;
	struct kev_writer *out;
	struct sqlfile *file;
	const char *name; /* name of the file, for people */
	struct balance *balance;
	bool strict;
	bool operators;  /* two further columns: Sequence number and Input Dims */
	bool by_process; /* correlations, External ids and streams are written PID:ID */
	struct sqltexts texts;
	struct buf rank;
	struct strmap damage; /* what is reported already */
	struct strmap host;   /* "PID\tTID" of each row of the host */
	struct strmap processes;
	int64_t last_pid; /* process of the last row of the host */
	int64_t last_tid;
	uint64_t rows;
	uint64_t bad_times;
	uint64_t no_times;
	uint64_t negative;
	uint64_t no_text;
	uint64_t again;
	struct buf missing;  /* "#7" and the like, for missing texts of the row at hand */
	struct buf composed; /* a name made for the row at hand; empty at first */
};

/* Writes the columns line; `extra` is the last column, or the last before those of operators. */
void sqlevents_begin(struct sqlevents *events, const char *extra);

/* The rank that the file names; --rank=N goes before it. To be called before sqlevents_begin. */
void sqlevents_rank(struct sqlevents *events, int64_t rank);

/* Reads the texts of the database. */
void sqlevents_texts(struct sqlevents *events, const char *table, const char *value);

/*
 * The next row of a plan; the first call, with rows {0}, begins it. False at the end, and, without
 * a message, if the database has no such table. Damage becomes ##damaged lines: also if a needed
 * column is missing, or the table cannot be read.
 */
bool sqlevents_row(struct sqlevents *events, struct sqlrows *rows, const struct sqlrows_plan *plan);

/* A table whose rows become rows of the stream. kind is what the kind of database knows. */
struct sqlevents_source {
	const struct sqlrows_plan *plan;
	/* Before its first row; may be NULL. */
	void (*begin)(void *kind, const struct sqlrows *rows);
	/* Sets what the event has. False if none is to be written: sqlevents_drop has counted that. */
	bool (*event)(void *kind, const struct sqlrows *rows, struct sqlevent *event);
};

void sqlevents_write(struct sqlevents *events, const struct sqlevents_source *source, void *kind);

/*
 * Sets the times of the event from these columns. False if they are not numbers; the row is then
 * counted, and must not be written.
 */
bool sqlevents_times(struct sqlevents *events, const struct sqlrows *rows, size_t start, size_t end,
                     struct sqlevent *event);

/* The text of the number in this column; "#7" if 7 has no text. Good until the next row. */
struct str sqlevents_text(struct sqlevents *events, const struct sqlrows *rows, size_t column);
struct str sqlevents_text_of(struct sqlevents *events, int64_t id);

/*
 * The number in the column, SQLEVENTS_NONE if it is missing; sqlevents_id also if it is 0, for an
 * id that is never 0.
 */
int64_t sqlevents_number(const struct sqlrows *rows, size_t column);
int64_t sqlevents_id(const struct sqlrows *rows, size_t column);

/* False if the table has no such column; damage is reported, see sqlrows_range. */
bool sqlevents_range(struct sqlevents *events, const char *table, const char *column, int shift,
                     struct sqlrows_range *range);

/* Counts a row that is not written. */
void sqlevents_drop(struct sqlevents *events, enum sqlevents_reason reason);

/* ##process of a device. */
void sqlevents_device(struct sqlevents *events, int64_t device, struct str name);

/* ##process and ##thread, if rows of the host need them. name may be empty. */
void sqlevents_process(struct sqlevents *events, int64_t pid, struct str name);
void sqlevents_thread(struct sqlevents *events, int64_t pid, int64_t tid, struct str name);

/* A metadata line with a number. */
void sqlevents_meta(struct sqlevents *events, const char *key, const char *name, int64_t value);

/*
 * Reports damage, once for each text: a message, a ##damaged line, status 1; with --strict it ends
 * the program.
 */
void sqlevents_damaged(struct sqlevents *events, const char *what);

/* Prints the warnings, and frees what is of the file. */
void sqlevents_end(struct sqlevents *events);

#endif
