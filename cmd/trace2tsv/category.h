/*
 * category - which events the categories of trace2tsv -c and -g ask for, and what the column cat
 * then shows (trace2tsv(1), Categories).
 */
#ifndef CATEGORY_H
#define CATEGORY_H

#include "base/die.h"
#include "base/opt.h"
#include "base/strmap.h"

#include <stdint.h>

/* Starts as {0}, which asks for all. */
struct category_set {
	struct words asked;
	bool gpu;     /* -g: names categories of the rows that have none in traces of Ascend, too */
	bool changes; /* a word of -c begins with + or -: all of them change the usual categories */
	struct str *accepted; /* what cat may be in the trace, for json_filter */
	size_t accepted_count;
	char error[QUOTE_MAX + 64];
};

/* The categories of -g, with commas between them. */
extern const char category_gpu[];

/*
 * Sets what the words of -c ask for. Without words these are the usual categories, and all if usual
 * is NULL: without -g. False, with the reason in error, if there is no category after a + or -, if
 * one to leave out is not usual, or if nothing remains.
 */
bool category_ask(struct category_set *set, const struct words *words, const char *usual);

void category_set_free(struct category_set *set);

/* What the category of an event depends on. Texts are empty if they are missing. */
struct category_event {
	struct str cat;
	struct str name;
	struct str task_type; /* args of Ascend: "Task Type" */
	struct str level;     /* "level" */
};

/*
 * Whether the event is asked for; sets *shown to its category. That is as the trace has it, but
 * for older names, and with -g the names of steps and of rows without a category.
 */
bool category_find(const struct category_set *set, const struct category_event *event,
                   struct str *shown);

/* Whether -g gave this event of Ascend its category: its ids are called otherwise. */
static inline bool category_of_ascend(const struct category_set *set,
                                      const struct category_event *event)
{
	return set->gpu && event->cat.n == 0;
}

/* --- how many events of each category a trace has ------------------------------ */

enum { CATEGORY_NAMES = 256 }; /* others are counted together */

/* Starts as {0}. */
struct category_counts {
	struct strmap names;
	uint64_t count[CATEGORY_NAMES];
	uint64_t others;
};

void category_count(struct category_counts *counts, struct str cat);

/* Appends them, the most frequent first: "cpu_op 12, no category 3". */
void category_list(const struct category_counts *counts, struct buf *out);

void category_counts_free(struct category_counts *counts);

#endif
