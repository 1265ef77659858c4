/*
 * balance - the end of -v: rows in = rows out + rows dropped, by reason, each with its time.
 */
#ifndef BALANCE_H
#define BALANCE_H

#include "base/dec.h"

enum { BALANCE_REASONS = 10 };

/* Each program has this after its table of reasons, so that they fit. */
#define BALANCE_FITS(reasons)                                              \
	_Static_assert(sizeof(reasons) / sizeof *(reasons) <= BALANCE_REASONS, \
	               "there are more reasons than BALANCE_REASONS")

struct tally {
	uint64_t rows;
	struct dec time;
	struct dec negative; /* times below 0, as by dec_sum */
	bool overflow;       /* time was too large to add */
};

struct balance {
	bool on;                    /* -v; without it rows are counted, but times are not added */
	const char *unit;           /* unit of the times; NULL: units differ, and none is printed */
	const char *what;           /* "rows", "events" */
	const char *const *reasons; /* to drop a row, by number */
	size_t reasons_count;
	struct tally in;
	struct tally out;
	struct tally dropped[BALANCE_REASONS];
};

static inline void balance_add_time(struct tally *tally, struct dec time)
{
	tally->overflow |= !dec_sum(&tally->time, &tally->negative, time, (struct dec){0});
}

void balance_time(struct tally *tally, struct str dur); /* for those below, with -v */

/* Count each row in, and then either out or dropped. dur is the text of its time, or empty. */
static inline void balance_in(struct balance *balance, struct str dur)
{
	balance->in.rows++;
	if (balance->on)
		balance_time(&balance->in, dur);
}

static inline void balance_out(struct balance *balance, struct str dur)
{
	balance->out.rows++;
	if (balance->on)
		balance_time(&balance->out, dur);
}

_Noreturn void balance_unknown_reason(const struct balance *balance); /* for balance_drop */

static inline void balance_drop(struct balance *balance, size_t reason, struct str dur)
{
	/* A program that forgets BALANCE_FITS must not write past the array. */
	if (reason < balance->reasons_count && reason < BALANCE_REASONS) {
		balance->dropped[reason].rows++;
		if (balance->on)
			balance_time(&balance->dropped[reason], dur);
	} else {
		balance_unknown_reason(balance);
	}
}

/* Adds the rows and times of part, which has equal reasons and units. */
void balance_add(struct balance *balance, const struct balance *part);

/* With -v, prints the lines on standard error. */
void balance_print(const struct balance *balance);

#endif
