/*
 * pair - two streams of kernels that a program sets side by side, trace1 and
 * trace2: reading them, the head of what is written about them, and figures.
 *
 * Both come through kclass. Times are in us.
 */
#ifndef PAIR_H
#define PAIR_H

#include "answer/jsonw.h"
#include "answer/sheet.h"
#include "compare/facts.h"
#include "stream/balance.h"
#include "stream/group.h"
#include "stream/kev.h"

enum { PAIR_SIDES = 2 };

struct pair_side {
	struct kev_reader in;
	struct balance balance;
	struct facts facts;
	struct groups phases; /* of all kernels, for the message where --phase finds none */
	struct group sum;     /* of the kernels that count */
	uint64_t no_dur;
	int dur; /* columns; phase may be KEV_NONE */
	int op;
	int name;
	int phase;
};

struct pair {
	struct opts *opts;
	struct kev_writer out;
	const char *phase; /* --phase; NULL: all */
	enum form form;
	struct jsonw json; /* of FORM_JSON: between pair_begin and pair_end in an object */
	struct pair_side side[PAIR_SIDES];
	struct buf scratch;
	struct buf key;
};

/* --phase, as its argument says. */
const char *pair_phase(const char *arg);

/* Opens the two operands, or ends the program where there are not two. phase and form are set. */
void pair_open(struct pair *pair, struct opts *opts);

enum pair_item {
	PAIR_END,     /* with its warnings */
	PAIR_COLUMNS, /* a layout: those columns that the program needs beside ours are to be found */
	PAIR_KERNEL,  /* a kernel that counts, and is counted in sum, and its time */
};

/*
 * The next of a side's stream. What is wrong, also what the caller said by kev_error of
 * side.in before this call, ends the program.
 */
enum pair_item pair_next(struct pair *pair, int side, struct dec *dur);

/*
 * Behind both: ends the program where --phase found nothing, naming the phases there are.
 * A side without a kernel is named, and is STATUS_LIMIT; phases that one side alone
 * knows are warned of.
 */
void pair_check(struct pair *pair);

/* A fact that the program found of a side. */
struct pair_fact {
	const char *name; /* "layers" */
	uint64_t count;
};

/*
 * Begins the answer with its head: source, platform, device, kernels, time, the program's facts
 * (as many of each side) and the phase. As ##trace1 lines; as a table below the title; in JSON,
 * which has no title, as a member "metadata".
 */
void pair_begin(struct pair *pair, const char *title, const struct pair_fact *facts[PAIR_SIDES],
                size_t count);

/* Begins a table of the answer, as sheet_begin. */
void pair_sheet(struct pair *pair, struct sheet *sheet, const char *title,
                const struct sheet_column *columns, size_t count);

/* Ends it, a report and Markdown with what is damaged: the other forms say that in their head. */
void pair_end(struct pair *pair);

/* Prints the balances, closes both and gives the exit status. */
int pair_finish(struct pair *pair);

/* --- figures: exact, or for people with three places ------------------------ */

struct dec pair_gap(struct dec a, struct dec b); /* a - b; ends the program where it is too large */
int pair_compare_gaps(struct dec a, struct dec b); /* the larger first, up or down */

bool pair_one_sided(const struct group *a, const struct group *b);

void pair_us(struct buf *out, struct dec us, bool people);
void pair_ms(struct buf *out, struct dec us, bool people); /* us in ms */
void pair_average(struct buf *out, const struct group *g, bool people);

/* a / b of totals, or of averages: 0 where one is missing, inf where b takes no time, 1 both. */
void pair_ratio(struct buf *out, const struct group *a, const struct group *b, bool averages,
                bool people);

/* --- cells of a row that begins with a struct group for each side, for a sheet_column -------- */

/* which: the side. */
void pair_put_count(struct sheet *sheet, const void *row, int side);
void pair_put_us(struct sheet *sheet, const void *row, int side); /* the total */
void pair_put_ms(struct sheet *sheet, const void *row, int side);
void pair_put_average(struct sheet *sheet, const void *row, int side);

/* which: of what; the gap is that of the totals. */
enum { PAIR_TOTALS, PAIR_AVERAGES };
void pair_put_ratio(struct sheet *sheet, const void *row, int of);
void pair_put_gap_us(struct sheet *sheet, const void *row, int which);
void pair_put_gap_ms(struct sheet *sheet, const void *row, int which);

#endif
