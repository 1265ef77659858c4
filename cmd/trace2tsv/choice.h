/*
 * choice - the rows of one process of a trace (trace2tsv -P), whose name may come after them.
 *
 * Lines wait in a temporary file (see spool.h) until the choice is made. A function that returns
 * bool returns false, with the reason in error, if the choice or the file fails. Memory grows
 * with the number of processes.
 */
#ifndef CHOICE_H
#define CHOICE_H

#include "base/opt.h"
#include "base/strmap.h"
#include "io/spool.h"
#include "stream/balance.h"
#include "stream/kev.h"

/* Starts as {0}, which keeps all lines. */
struct choice {
	const struct words *parts; /* the process has one of these words in its name; NULL: keep all */
	struct kev_writer *out;
	struct balance *balance; /* counts rows that waited: out, or dropped for this reason */
	size_t reason;
	bool made;
	size_t process; /* number of the chosen process */
	struct strmap pids;
	struct strmap x_pids; /* processes of the X events alone */
	struct strmap names;  /* "name (pid)" */
	struct spool spool;   /* the lines that wait, each with the number of its process */
	bool spooled;         /* spool is open */
	struct buf error;     /* plain text; lists of processes are long */
};

/* Chooses the first process whose name contains one of parts. The arguments must outlive it. */
bool choice_open(struct choice *choice, const struct words *parts, struct kev_writer *out,
                 struct balance *balance, size_t reason);

/* The number of a process, to be called for each event. x: it is an X event. */
size_t choice_number(struct choice *choice, struct str pid, bool x);

/* True if the process of this name is to be chosen; case of ASCII letters is ignored. */
bool choice_named(struct choice *choice, struct str pid, struct str name);

/* Makes the choice. Writes the lines of the process that waited, and counts all rows that did. */
bool choice_make(struct choice *choice, size_t process);

/*
 * At the end of a trace in which no name matched, chooses the only process that has X events. Fails
 * if no process or several have them, or if strict; the error lists the processes.
 */
bool choice_make_only(struct choice *choice, bool strict);

/* True if rows of this process are no longer wanted. */
static inline bool choice_drops(const struct choice *choice, size_t process)
{
	return choice->made && choice->process != process;
}

enum choice_line { CHOICE_FAILED = -1, CHOICE_KEPT, CHOICE_DROPPED, CHOICE_WAITS };

/* Settles the line written last, which is of this process; takes it back unless it is kept. */
enum choice_line choice_settle(struct choice *choice, size_t process);

void choice_close(struct choice *choice);

#endif
