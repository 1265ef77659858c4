/*
 * wanted - what trace2tsv wants of a trace: the members of an event that are read, the columns
 * that show them, and which events may be dropped unread.
 *
 * Texts given to it must outlive it.
 */
#ifndef WANTED_H
#define WANTED_H

#include "json/json_value.h"

#include "category.h"

/* The wanted members of an event, then the members of its args; -g, -a and -A add more args. */
enum want {
	WANT_TS,
	WANT_DUR,
	WANT_NAME,
	WANT_CAT,
	WANT_PH,
	WANT_PID,
	WANT_TID,
	WANT_ID,
	WANT_ID2,
	WANT_SCOPE,
	WANT_FIELDS,
	WANT_TYPE = WANT_FIELDS,
	WANT_SOURCE,
	WANT_ARGS_NAME, /* args.name of process_name and thread_name events */
	WANT_CORE,
	WANT_CORRELATION = WANT_CORE, /* from here on only with -g */
	WANT_TASK_TYPE,               /* these three are of Ascend */
	WANT_LEVEL,
	WANT_CONNECTION,
	WANT_EXTERNAL_ID,
	WANT_GPU
};

/* The phases of begins and ends. */
extern const char wanted_ends[];

/* Starts as {0}, with the options set by the caller. */
struct wanted {
	struct str phases; /* -p: one letter each */
	struct category_set categories;
	bool asked_gpu;  /* the categories are those of -g */
	bool flows;      /* flows from operators to kernels are rows too: their starts, phase s */
	bool by_process; /* -P */
	bool join_ends;
	bool memory;       /* rows named [memory] are wanted, too, in any phase and category */
	bool memory_alone; /* no other row is */
	bool rank_column;
	bool file_column;
	const char **args; /* the wanted members of args */
	size_t args_count;
	struct str *names; /* names of the columns of the event, then "rank" and "file" */
	size_t *from;      /* by column: the wanted member that it shows */
	size_t columns;    /* columns of the event */
	size_t asked_from; /* the columns of -a */
	size_t asked_to;
	struct buf filter_phases;
	struct json_filter filter;
	struct json_options json; /* max_field is the caller's */
	struct buf error;         /* why a column cannot be added: names are long */
	struct words texts;       /* names that it owns */
};

/*
 * The core columns, the columns of -g and then the columns of -a (args: ARG or ARG=COL). False,
 * with the reason in error, if one of args is malformed or its column is there already for
 * something else.
 */
bool wanted_columns(struct wanted *wanted, bool gpu, const struct words *args);

/* The name of a member of args above: WANT_TYPE to WANT_EXTERNAL_ID. */
const char *wanted_core_arg(enum want want);

/* The name, in the trace, of the member of args that a column shows. */
const char *wanted_arg(const struct wanted *wanted, size_t column);

/*
 * Adds the column of a member of args, unless the member has a column; if another column has its
 * name, as args.NAME. After wanted_columns, before wanted_file_columns.
 */
void wanted_add_member(struct wanted *wanted, struct str key);

/* Adds the columns of --memory, as wanted_add_member. */
void wanted_add_memory(struct wanted *wanted);

/* Whether --memory asks for an event of this name. */
bool wanted_is_memory(const struct wanted *wanted, struct str name);

/* Names the columns of --rank and -f, which are not of the event: false as wanted_columns. */
bool wanted_file_columns(struct wanted *wanted);

/*
 * Sets filter. It also passes what is only counted: the events of an asked category in any phase,
 * and begins and ends. With --memory it passes all, as their names decide.
 */
void wanted_filter(struct wanted *wanted);

/* Sets json, once all columns are known: with these members of the top-level object. */
void wanted_json(struct wanted *wanted, const char *const *members, size_t members_count,
                 const struct opts *opts);

/* Whether an event of this phase and category can become a row by itself. */
bool wanted_phase(const struct wanted *wanted, struct str ph, struct str cat);

void wanted_free(struct wanted *wanted); /* not the categories */

#endif
