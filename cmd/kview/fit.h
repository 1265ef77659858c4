/*
 * fit - which columns of a table people see, and how wide: the rules of kview(1).
 */
#ifndef FIT_H
#define FIT_H

#include "answer/shorten.h"
#include "stream/kev.h"

#include "shape.h"

/* What becomes of a column. */
enum fit_fate {
	FIT_SHOWN,
	FIT_NO_ROOM, /* the table is too narrow */
	FIT_ONE,     /* all rows have one value */
	FIT_EMPTY,   /* it has no value */
};

/* Starts as {0}. */
struct fit_column {
	char *title;          /* plain; freed by fit_free */
	size_t width;         /* width of the title and the values, then the width of the column */
	struct shape shape;   /* shape of the values */
	struct shorten texts; /* its distinct long texts, if the width is limited */
	enum fit_fate fate;
	bool answer; /* set before fit_narrow: it leaves a narrow table last */
};

/* Whether people look for this column in such a table, as for the cause in those of klaunch. */
bool fit_is_answer(const struct kev_reader *reader, struct str name);

/* Sets the fates. If no column would be shown, as of a single row, those with a value are, or all.
 */
void fit_choose(struct fit_column *const *columns, size_t count);

/*
 * Makes them fit in so many columns of text. Columns after the first answer that are no answers
 * are left out as long as a text of another has neither its full width nor two fifths of the limit.
 * Then texts are shortened, down to SHORTEN_LEAST. If the table is still too wide, columns before
 * the first answer are left out, except the first, and then answers: always the last one first.
 */
void fit_narrow(struct fit_column *const *columns, size_t count, size_t limit);

void fit_free(struct fit_column *column);

#endif
