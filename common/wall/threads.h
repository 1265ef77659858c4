/*
 * threads - the rows of the host by thread, and which of them is innermost at a time.
 *
 * A row of the host has a ts and a dur of at least 0, and by its category a rank (kernel/rowkind).
 * A thread is a file, a pid and a tid. The order of its rows is ts, then the longer row, then the
 * rank, then the input. A row is open in [ts, ts + dur), so a row of dur 0 never is. The innermost
 * row at a time is the last row in this order that is open. So rows may overlap in any way.
 *
 * Building takes n log n steps, and fewer the fewer runs of rows are in order; a question log n.
 * Memory: 48 bytes for each row, 20 more with threads_measure; at most 12 while the rows of a
 * thread are sorted; some 250 for each thread; and the distinct names.
 */
#ifndef THREADS_H
#define THREADS_H

#include "base/words.h"
#include "kernel/rowkind.h"
#include "stream/kev.h"
#include "wall/interval.h"

#define THREADS_NONE UINT32_MAX /* no row, no thread */

/* Before all times of rows. */
#define THREADS_EARLIEST      \
	(struct dec)              \
	{                         \
		-((__int128)1 << 126) \
	}

struct threads_row {
	struct dec start;
	struct dec end;
	uint32_t name : 28; /* in threads.names */
	uint32_t rank : 3;  /* enum rowkind_rank */
	uint32_t call : 1;  /* it may be a launch */
	/* After threads_build, rows by their index, or THREADS_NONE. */
	uint32_t outer; /* the last row before this row that ends later */
	union {
		uint32_t far;   /* a row further on the way by outer, for steps of any length */
		uint32_t depth; /* after threads_measure: rows before this row that are open at its start */
	};
	uint32_t input; /* number of the row in the input; after threads_measure see threads_again */
};

struct thread {
	struct threads_row *row; /* after threads_build, in the order of the thread */
	size_t count;
	size_t cap;
	struct dec *self; /* by row, after threads_measure: the time in which it is innermost */
	uint32_t process;
	uint32_t seen;  /* rows of a second look */
	bool mixed;     /* rows did not come in their order */
	bool calls;     /* a row is an operator or a call */
	struct dec end; /* the last end of a row */
};

enum threads_column {
	THREADS_TS,
	THREADS_DUR,
	THREADS_NAME,
	THREADS_PID,
	THREADS_TID,
	THREADS_COLUMNS
};

/* Categories that are no rows of the host, of --ignore. */
struct threads_ignored {
	struct words words;
	bool *seen; /* by item of words: a row of the host has it */
};

/* Starts with ignored set, all else 0. */
struct threads {
	struct threads_ignored *ignored; /* the program's, also for several of these */
	int column[THREADS_COLUMNS];
	struct strmap names;     /* escaped */
	struct strmap keys;      /* threads: file as bytes, pid, tab, tid; escaped */
	struct strmap processes; /* file as bytes, pid; escaped */
	struct thread *item;     /* by number in keys */
	size_t cap;
	struct buf last; /* the key of the last row's thread */
	uint32_t last_number;
	uint64_t no_time;  /* rows without ts or dur */
	uint64_t negative; /* rows with a negative dur */
	uint64_t rows;
	/* After threads_build. */
	uint32_t *order; /* threads by process, then by tid: numbers by value, then texts */
	uint32_t *first; /* by process: its first thread in order; and the end of the last process */
	uint32_t *open;  /* for threads_fold */
	size_t open_cap;
	struct buf text;
};

/* For each columns line; a missing column is recorded in the reader. */
void threads_columns(struct threads *threads, struct kev_reader *in);

/* Warns of the rows of the host that were skipped; file stands before, if not NULL. */
void threads_warn(const struct threads *threads, const char *file);

/*
 * Warns of ignored categories that no row of the host has, after the last row of all inputs. A
 * category of the host that just this trace lacks, such as python_function, is no mistake.
 */
void threads_warn_ignored(const struct threads_ignored *ignored);

void threads_ignored_free(struct threads_ignored *ignored);

/*
 * The rank of a row of this kind and category; ROWKIND_IN_NOTHING if it is not of the host. Notes
 * that an ignored category was seen.
 */
enum rowkind_rank threads_rank(const struct threads *threads, enum rowkind kind, struct str cat);

/* Adds a row of the host of this kind and rank, or counts why it cannot. A file is a number. */
void threads_add(struct threads *threads, struct kev_reader *in, size_t file, enum rowkind kind,
                 enum rowkind_rank rank);

/* After the last row. */
void threads_build(struct threads *threads);

/* The thread with this pid, tab and tid; NULL if it has no row. */
const struct thread *threads_find(struct threads *threads, size_t file, struct str track);

/* The thread with this tid in the file, if it is the only one; else NULL. */
const struct thread *threads_by_tid(const struct threads *threads, size_t file, struct str tid);

/* The number of the process with this pid; THREADS_NONE if it has no row. */
uint32_t threads_process(struct threads *threads, size_t file, struct str pid);

/* pid and tid of a thread, and the name of a row, escaped. */
struct str threads_pid(const struct threads *threads, const struct thread *thread);
struct str threads_tid(const struct threads *threads, const struct thread *thread);
struct str threads_name(const struct threads *threads, const struct threads_row *row);

/* --- questions ----------------------------------------------------------------- */

/* The last row at `from` or before it in the order that is open, if all of these have begun. */
uint32_t threads_open(const struct thread *thread, uint32_t from, struct dec time);

/* The place in the order of a row with this span and rank: all rows before it are less. */
size_t threads_place(const struct thread *thread, const struct interval *span,
                     enum rowkind_rank rank);

/*
 * Appends the names of the rows that come before this place and are open at a time, at which all of
 * them have begun: the outermost first, with ";" between them; a ";" in a name becomes ":". Returns
 * their number.
 */
size_t threads_fold(struct threads *threads, const struct thread *thread, size_t place,
                    struct dec time, struct buf *out);

/* A stretch of time in which one row is innermost, or none: THREADS_NONE. */
struct threads_segment {
	struct interval span;
	uint32_t row;
};

/* The segments of a span of time. The thread may be NULL: it has no row. */
struct threads_walk {
	const struct thread *thread;
	struct dec at;
	struct dec end;
	size_t next; /* the first row that begins after `at` */
};

struct threads_walk threads_walk(const struct thread *thread, const struct interval *span);

/* Sets the next segment; false after the last. */
bool threads_next(struct threads_walk *walk, struct threads_segment *segment);

/*
 * The segment of the time just before a time, from its start on. Its span ends at this time; it
 * starts at THREADS_EARLIEST if no row is or was open. The thread may be NULL.
 */
struct threads_segment threads_before(const struct thread *thread, struct dec time);

/* --- a second look at the same rows ---------------------------------------------- */

/* After threads_build: sets self and depth of all rows. Then no question but threads_again. */
void threads_measure(struct threads *threads);

/* Sets only what threads_again needs, so that the questions stay. */
void threads_rewind(struct threads *threads);

/* The thread and the index of a row that threads_add took; NULL if it was only counted. */
const struct thread *threads_again(struct threads *threads, struct kev_reader *in, size_t file,
                                   enum rowkind_rank rank, size_t *row);

void threads_free(struct threads *threads);

#endif
