/*
 * kind - what a row of a device does: it computes, communicates or copies.
 *
 * Copies are the copies and memsets of kernel/rowkind, with the kernels of the runtimes for them;
 * communication is class Collective, by the column op or else by kclass's default rules. All else
 * computes, also other kernels that copy. Memory: the distinct kernels, without op.
 */
#ifndef KIND_H
#define KIND_H

#include "kernel/kclass.h"
#include "kernel/rowkind.h"
#include "stream/group.h"
#include "stream/kev.h"

enum kind { KIND_COMPUTE, KIND_COMM, KIND_COPY, KIND_COUNT };

enum { KIND_COLUMNS = 6 };

/* What is known of equal kernels. */
struct kinds_answer {
	enum kind kind;
	bool other; /* class Other */
};

/* Starts as {0}. */
struct kinds {
	bool memset_computes;
	int column[KIND_COLUMNS];
	struct kclass kclass;
	bool loaded;
	bool other_rules; /* a kclass before this program had --rules */
	bool copies_kept; /* a kcontext before this program had --copies */
	bool seen[KIND_COUNT];
	bool classed;              /* the last row of kinds_of has a class */
	bool other;                /* its class is Other */
	struct buf last;           /* the category of the last row, as its field has it */
	enum rowkind row;          /* the kind of such rows */
	bool is_known;             /* there was a row with a category */
	struct strmap kernels;     /* the fields that decide, with a tab after each */
	struct kinds_answer *kind; /* by number in kernels */
	size_t kind_cap;
	struct buf last_kernel;
	struct groups skipped; /* rows by category */
	size_t skipped_last;   /* the group of the last of them */
	struct buf text[KIND_COLUMNS];
};

/* For each columns line, and for each metadata line. */
void kinds_columns(struct kinds *kinds, const struct kev_reader *in);
void kinds_metadata(struct kinds *kinds, const struct kev_reader *in);

/* The category of the row; good until the next row. */
struct str kinds_cat(struct kinds *kinds, const struct kev_reader *in);

/* The kind of the row, by its category alone if it has a category; whether it is of a device. */
enum rowkind kinds_row(struct kinds *kinds, const struct kev_reader *in);
bool kinds_is_device(struct kinds *kinds, const struct kev_reader *in);

/* The class of a row of a device, by op or kclass's default rules; good until the next row. */
struct str kinds_op(struct kinds *kinds, const struct kev_reader *in);

/*
 * The kind of a row of a device; after kinds_row or kinds_is_device of the same row. Sets classed
 * and other.
 */
enum kind kinds_of(struct kinds *kinds, const struct kev_reader *in);

/* Counts a row that is not of a device; appends "; its categories are cpu_op 2, ..." of these. */
void kinds_skip(struct kinds *kinds, const struct kev_reader *in);
void kinds_skipped(const struct kinds *kinds, struct buf *text);

void kinds_free(struct kinds *kinds);

#endif
