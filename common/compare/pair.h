/*
 * pair - two streams of kernels that a program compares, trace1 and trace2: reading them, the head
 * of the answer, and figures.
 *
 * Both come through kclass. Times are in us.
 */
#ifndef PAIR_H
#define PAIR_H

#include "answer/jsonw.h"
#include "answer/sheet.h"
#include "compare/facts.h"
#include "compare/side.h"
#include "kernel/unclassed.h"
#include "stream/group.h"

/* The kernels of a side. */
struct pair_trace {
	struct facts facts;
	struct unclassed unclassed;
	struct groups phases; /* phases of all kernels, for the message if --phase finds none */
	struct group sum;     /* count and time of the kernels that --phase keeps */
	bool attention;       /* one of these operations is of class Attention */
	bool phased;          /* one is of Attention (Prefill) or Attention (Decode) */
	uint64_t no_dur;
	uint64_t no_phase; /* kernels that --phase left out because they have no phase */
	int dur;           /* columns; phase may be KEV_NONE */
	int op;
	int name;
	int phase;
};

struct pair {
	struct opts *opts;
	struct kev_writer out;
	const char *phase;    /* --phase; NULL: all */
	const char *operands; /* names of the operands in messages; NULL: "A and B" */
	const char *match;    /* how the program matches kernels, for the head; NULL: it does not */
	enum form form;
	struct jsonw json; /* the object of FORM_JSON, open between pair_begin and pair_end */
	struct side side[SIDES];
	struct pair_trace trace[SIDES];
	struct buf damages; /* damages of both sides */
	struct buf scratch;
	struct buf key;
};

/* The phase that the argument of --phase names; NULL: all. */
const char *pair_phase(const char *arg);

/* Opens the two operands, or ends the program if there are not two. phase and form must be set. */
void pair_open(struct pair *pair, struct opts *opts);

enum pair_item {
	PAIR_END,     /* its warnings were printed */
	PAIR_COLUMNS, /* a layout: the program finds its columns in it */
	PAIR_KERNEL,  /* a kernel that counts: its time is in *dur and was added to sum */
};

/*
 * The next item of a side's stream. An error, also one that the caller recorded by kev_error in
 * side.in before this call, ends the program.
 */
enum pair_item pair_next(struct pair *pair, int side, struct dec *dur);

/*
 * After both: ends the program, with a list of the phases, if --phase found nothing. Warns of
 * kernels without a phase if --phase is given, of a side without a kernel, with STATUS_LIMIT, and
 * if only one side has a column phase or phases of attention.
 */
void pair_check(struct pair *pair);

/*
 * The side whose attention is all of one phase, if the attention of the other side has no phase;
 * else -1. Then Attention of both sides face each other.
 */
int pair_phased_side(const struct pair *pair);

/* The class of a kernel on that side: a number of ops, in which Attention is. */
size_t pair_without_phase(const struct strmap *ops, size_t op);

/* Gives the kernel that class if it is on that side. */
void pair_face_attention(const struct pair *pair, int side, const struct strmap *ops, size_t *op);

/* A fact that the program found about a side. */
struct pair_fact {
	const char *name; /* "layers" */
	uint64_t count;
};

/*
 * Begins the answer with its head: source, platform, device, kernels, time, the program's facts
 * (`count` of each side) and the phase, and pair->match. These are ##trace1 and ##match lines, a
 * table below the title or, in JSON, which has no title, the member "metadata".
 */
void pair_begin(struct pair *pair, const char *title, const struct pair_fact *facts[SIDES],
                size_t count);

/* Begins a table of the answer, like sheet_begin. */
void pair_sheet(struct pair *pair, struct sheet *sheet, const char *title,
                const struct sheet_column *columns, size_t count);

/* Ends the answer. A report and Markdown end with the damage; the other forms begin with it. */
void pair_end(struct pair *pair);

/* Prints the balances, closes both streams and returns the exit status. */
int pair_finish(struct pair *pair);

/* --- figures: exact, or for people with three places ------------------------ */

int pair_compare_gaps(struct dec a, struct dec b); /* the gap that is farther from 0 comes first */

bool pair_one_sided(const struct group *a, const struct group *b);

void pair_us(struct buf *out, struct dec us, bool people);
void pair_ms(struct buf *out, struct dec us, bool people); /* us in ms */
void pair_average(struct buf *out, const struct group *g, bool people);

/*
 * a / b of totals or averages: 0 if a side is missing, nothing if a time is below 0, inf if b is 0,
 * 1 if both are 0. False if too large.
 */
bool pair_ratio(struct buf *out, const struct group *a, const struct group *b, bool averages,
                bool people);

/*
 * --- cells of a row that begins with a struct group for each side, for a sheet_column ---------
 * A gap or ratio that is too large ends the program, as kev_die does.
 */

/* which: the side. */
void pair_put_count(struct sheet *sheet, const void *row, int side);
void pair_put_us(struct sheet *sheet, const void *row, int side); /* the total */
void pair_put_ms(struct sheet *sheet, const void *row, int side);
void pair_put_average(struct sheet *sheet, const void *row, int side);

/* A time in us that is a field of the row, as in sheet_put_dec. */
void pair_put_time(struct sheet *sheet, const void *row, int field);

/* which: totals or averages; the gap is that of the totals */
enum { PAIR_TOTALS, PAIR_AVERAGES };
void pair_put_ratio(struct sheet *sheet, const void *row, int of);
void pair_put_gap_us(struct sheet *sheet, const void *row, int which);
void pair_put_gap_ms(struct sheet *sheet, const void *row, int which);

#endif
