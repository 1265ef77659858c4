/*
 * rates - the table of kroof(1): operators with their arguments, how long their calls ran, how many
 * operations and bytes that is each second, and what the device could do.
 *
 * A row is an operator with its arguments; a line of the table is a row, or the rows that have
 * equal values in some columns. All sums are exact, in any order of calls. Memory grows with the
 * rows.
 */
#ifndef RATES_H
#define RATES_H

#include "answer/sheet.h"
#include "base/words.h"

#include "peaks.h"
#include "rules.h"

enum rates_column {
	RATES_CPU_OP,
	RATES_OP,
	RATES_M,
	RATES_N,
	RATES_K,
	RATES_B,
	RATES_DTYPE,
	RATES_PEAK_SHARE,
	RATES_BOUND,
	RATES_COUNT,
	RATES_TOTAL,
	RATES_MEAN,
	RATES_FLOPS,
	RATES_BYTES,
	RATES_TFLOPS,
	RATES_GBS,
	RATES_INTENSITY,
	RATES_KERNELS,
	RATES_BASIS,
	RATES_ARGS, /* the columns of arguments, as enum args_column */
	RATES_COLUMNS = RATES_ARGS + ARGS_COLUMNS
	/* Then the columns of rates.labels, and those that rules use, by number in shapes.columns. */
};

const char *rates_name(enum rates_column column);

/*
 * An operator with its arguments; or rows of a class that belong to no operator. If the table has
 * labels, or rules for the operator use columns of the stream, such a row has no calls; those of
 * each label and each text of the columns are a row of their own.
 */
struct rates_row {
	size_t base; /* the row without labels and columns; the row itself */
	bool is_operator;
	uint64_t columns; /* those that rules for the operator use, as by rules_columns */
	bool ruled;       /* a rule applies */
	bool has_class;   /* `class` is that of the rule, or of rows without an operator */
	bool broken;      /* an argument could not be read */
	bool refused;     /* as rules_answer.refused */
	size_t class;     /* in texts; of a row that is its own base, else that of its longest kernel */
	size_t dtype;
	bool known[RULES_FIGURES];
	struct dec figure[RULES_FIGURES];
	enum rules_basis basis;
	bool matrix;
	struct dec longest; /* duration of the kernel that gave `class` */
	bool has_longest;
	uint64_t count; /* calls */
	struct dec total;
	struct dec negative; /* the negative part of total, as by dec_sum */
	struct dec busy;     /* the sum of the rows of the device, part of the time of all rows */
	uint64_t kernels;    /* rows of the device */
};

struct rates_line;

/* Starts as {0}. */
struct rates {
	struct words labels;   /* set by the caller: further columns of the stream that are keys */
	struct strmap keys;    /* operator, arguments, without an operator class, labels; escaped */
	struct rates_row *row; /* by number in keys */
	size_t cap;
	struct strmap texts; /* classes and types */
	bool has_args[ARGS_COLUMNS];
	uint64_t has_columns; /* set by the caller: the columns of rules that the stream has, by bits */
	uint64_t used;        /* columns that rules for an operator of a row use */
	/* For the table. */
	struct rules *rules;
	const struct peaks *peaks;
	struct str device; /* empty: unknown */
	bool has_memory;   /* the peaks that most rows need, looked up once */
	bool has_vector;
	struct dec memory;
	struct dec vector;
	struct rates_line *line;
	size_t lines_count;
	uint64_t above;      /* after rates_build: rows above 100 % of the peak, without estimates */
	size_t highest;      /* the row with the highest share, if above */
	struct number share; /* that share, 1000000 for all of the peak */
	struct args args;
	struct buf scratch[ARGS_COLUMNS + 1];
	struct buf column[RULES_COLUMNS_MAX];
	struct buf text[2];
	char error[640];
};

/*
 * The number of the row with this key: the operator, ARGS_COLUMNS arguments and a class, escaped,
 * with tabs between them. If it is new, the rules are asked, unless the operator is empty or they
 * use columns of the stream. False: see error.
 */
bool rates_get(struct rates *rates, struct str key, size_t *number);

/*
 * The number of the row of a row of rates_get with these labels: the fields of rates.labels and of
 * the columns that rules for the operator use, by their numbers, escaped, with tabs between them.
 * The row itself if there are none. False: see error.
 */
bool rates_labelled(struct rates *rates, size_t number, struct str labels, size_t *labelled);

/*
 * Notes the class of a kernel of a row of rates_get without has_class: the class of the longest
 * counts, and of two the smaller name.
 */
void rates_note_class(struct rates *rates, size_t number, struct dec dur, struct str class);

/*
 * Counts a call, which took this time, with so many rows of the device, which take busy together.
 * False if a sum is too large.
 */
bool rates_add(struct rates *rates, size_t number, struct dec time, struct dec busy, uint64_t rows);

/* Whether the row has work, and that is an estimate. */
bool rates_is_estimate(const struct rates_row *row);

/*
 * Makes the lines: rows with equal values in these columns are one line; without columns each row
 * is a line. Lines are sorted by a column, and equal lines by their texts. False if a sum is too
 * large: see error.
 */
bool rates_build(struct rates *rates, const enum rates_column *keys, size_t keys_count,
                 enum rates_column sort, bool descending);

/*
 * After rates_build: whether a row has work, but the device has no peak for it: sets kind to that
 * peak, "matrix fp32", or of several to the first in the order of bytes.
 */
bool rates_lacks_peak(const struct rates *rates, struct buf *kind);

/*
 * After rates_build, if above > 0: appends the highest share in percent, and sets op to its
 * operator, which is good until the next call of a function of rates.
 */
void rates_highest(struct rates *rates, struct buf *percent, struct str *op);

/* The column of this name; RATES_COLUMNS if it is missing. */
enum rates_column rates_column(struct str name);

/* Whether rows can be put together by it: it is a text, or a figure of one call. */
bool rates_is_key(enum rates_column column);

/* Writes the first lines, at most limit (0: all). */
void rates_write(struct rates *rates, const enum rates_column *keys, size_t keys_count,
                 size_t limit, struct kev_writer *out, enum form form, struct jsonw *json);

void rates_free(struct rates *rates);

#endif
