/*
 * partial - partial tables, which kgroup -p writes and kgroup -m merges: the merge of the parts
 * is the table of the whole.
 *
 *	##group	type
 *	##quantiles	50
 *	#type	count	total	min	max	values
 *	MatMul	2	40	10	30	10:1,30:1
 *
 * The column values, and ##quantiles, are there if quantiles will be wanted; squares if standard
 * deviations will be; ##sum names columns whose sums follow. ##who names a column whose values in
 * the rows of min and max follow, and ##digits rounds the values. ##of names the column that is
 * grouped instead of dur. A group without any such value has a count alone. The functions that read
 * record errors in the stream's reader. Memory: some names and the different facts about devices;
 * the groups are the caller's.
 */
#ifndef PARTIAL_H
#define PARTIAL_H

#include "stream/group.h"
#include "stream/kev.h"

/* The columns after the key; the first PARTIAL_NEEDED are always there. */
enum partial_column {
	PARTIAL_COUNT,
	PARTIAL_TOTAL,
	PARTIAL_MIN,
	PARTIAL_MAX,
	PARTIAL_SQUARES, /* the sum of the squares of dur */
	PARTIAL_VALUES,  /* DUR:COUNT,DUR:COUNT */
	PARTIAL_MIN_WHO, /* named after ##who */
	PARTIAL_MAX_WHO,
};
enum { PARTIAL_NEEDED = PARTIAL_MAX + 1, PARTIAL_COLUMNS = PARTIAL_VALUES + 1 };
enum { PARTIAL_ALL = PARTIAL_MAX_WHO + 1 };

extern const char *const partial_columns[PARTIAL_COLUMNS];

/* Starts as {0}. */
struct partial {
	bool keys_chosen;      /* set by the caller: the partials may have different keys */
	bool quantiles_chosen; /* set by the caller: the partials may have different quantiles */
	bool sums_chosen;  /* set by the caller: the partials may have other sums too; those in `sums`
	                      are read */
	struct words keys; /* columns of ##group */
	bool keys_known;
	struct words column_keys; /* columns of a layout without ##group */
	struct words quantiles;   /* percentages of ##quantiles */
	char *without_values;     /* the first file without values; NULL if there is none */
	char *without_squares;    /* the first file without squares; NULL if there is none */
	bool squares;             /* a file has squares */
	struct words sums;        /* columns of ##sum, or set by the caller */
	struct buf of;            /* column of ##of; empty: dur */
	struct words next_sums;   /* sums of the next layout */
	struct buf next_of;
	struct buf who; /* column of ##who; empty: none */
	struct buf next_who;
	size_t digits; /* number of ##digits, or set by the caller; 0: exact */
	size_t next_digits;
	bool next_group;    /* a ##group line came after the last layout */
	bool digits_chosen; /* set by the caller: exact values are rounded */
	bool layout_known;  /* of, who, digits and sums are known from a layout */
	int column[PARTIAL_ALL];
	int *sum_column;
	struct strmap lines; /* metadata that many partials have in common */
	size_t vias;         /* ##via lines among them */
	uint64_t vias_left_out;
	struct buf scratch;
};

/*
 * Takes a metadata line. Returns false if it is to be passed on: it is not ##group or ##quantiles,
 * nor a fact that means nothing without times or was there before (##device, ##via and so on). Of
 * different ##via lines the first 100 are passed on; partial_write_vias says how many more there
 * were.
 */
bool partial_metadata(struct partial *partial, struct kev_reader *in);
void partial_write_vias(const struct partial *partial, struct kev_writer *out);

/*
 * The columns of the key: the columns of ##group, or, without such a line, the columns before count
 * in the first layout. Valid until partial_free.
 */
struct words partial_keys(struct partial *partial, const struct kev_reader *in);

/*
 * Whether the layout of the stream is a partial table, and not rows or a finished table: it comes
 * after a ##group line, or has no other columns of a table than a partial.
 */
bool partial_is_layout(const struct partial *partial, const struct kev_reader *in);

/*
 * Finds the columns in the layout of the stream. Errors: a column is missing; it is of another
 * column, or has other sums, than the layouts before.
 */
void partial_layout(struct partial *partial, struct kev_reader *in);

/*
 * The columns of `sums`, in a stream of rows too: finds them in the layout, and adds the values of
 * a row to group. Errors: a column is missing, a sum is too large.
 */
void partial_find_sums(struct partial *partial, struct kev_reader *in);
void partial_add_sums(const struct partial *partial, struct kev_reader *in, struct group *group);

/* Whether the row of the stream has a count alone. */
bool partial_is_bare(const struct partial *partial, const struct kev_reader *in);

/*
 * Adds the row of the stream to group. min and max may be empty. Errors: it is not a row of a
 * partial, a sum is too large.
 */
void partial_row(struct partial *partial, struct kev_reader *in, struct group *group);

/* What a partial table has beside counts, totals, min and max. */
struct partial_shape {
	const struct words *keys;
	const struct words *quantiles; /* may be empty */
	const struct words *sums;      /* may be empty */
	struct str of;                 /* empty: dur */
	struct str who;                /* empty: none */
	size_t digits;                 /* 0: exact */
	bool squares;
	bool bare; /* no row has a value: there are counts and sums alone */
};

/* Writes a ##digits line. */
void partial_write_digits(struct kev_writer *out, size_t digits);

/* Writes the metadata and the columns line. */
void partial_write_head(struct kev_writer *out, const struct partial_shape *shape);

/* Writes the figures of a group, after the fields of its key, and ends the row. */
void partial_write(struct partial *partial, struct kev_writer *out, struct group *group,
                   const struct partial_shape *shape);

/*
 * Compares a heading without a columns line, as filters of several partials write it, with those
 * before; partial_row and the next ##group do so, too. Errors: those of partial_layout.
 */
void partial_end(struct partial *partial, struct kev_reader *in);

/* The names of the two columns of ##who, which are added to names. */
void partial_who_names(struct words *names, struct str who);

void partial_free(struct partial *partial);

#endif
