/*
 * changes - the tables of a comparison: a row for each group, the sum and the geometric mean.
 *
 * A stream and JSON have all figures; a report and Markdown have fewer, rounded ones, and Markdown
 * leaves out the groups without a significant change. Memory grows with the groups.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include "answer/sheet.h"

#include "comparison.h"

enum changes_kind { CHANGES_GROUP, CHANGES_SUM, CHANGES_MEAN };

struct changes_row {
	enum changes_kind kind;
	struct str key; /* the group's key, as of kev_key */
	struct comparison comparison;
};

/* Starts as {.keys = …}. */
struct changes {
	const struct words *keys;
	struct str sort; /* the column; empty: the difference of the totals, descending */
	bool descending;
	size_t first;            /* groups to be written of each table; 0: all */
	struct changes_row *row; /* one for each group, then the sum and the mean */
	size_t groups;
	struct comparison_mean mean;
	uint64_t verdicts[COMPARISON_VERDICTS]; /* how many groups have each */
};

/* The columns after the key. */
enum { CHANGES_FIGURES = 16 };
extern const char *const changes_figures[CHANGES_FIGURES];

/* Whether the table has this column. */
bool changes_have_column(const struct changes *changes, struct str name);

/*
 * Takes the comparisons of all groups and of the sum, with their verdicts; keys[i] belongs to
 * groups[i] and must outlive changes. Puts the rows in order.
 */
void changes_take(struct changes *changes, const struct comparison *groups, const struct str *keys,
                  size_t count, const struct comparison *sum);

/* Writes them. json is the writer of FORM_JSON, within an object. */
void changes_write(struct changes *changes, struct kev_writer *out, enum form form,
                   struct jsonw *json);

/* Appends the key of a row for a message: "gemm, 3"; "(sum)" for the sum. */
void changes_put_key(struct buf *out, const struct changes *changes, const struct changes_row *row);

void changes_free(struct changes *changes);

#endif
