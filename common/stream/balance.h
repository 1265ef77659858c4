/*
 * balance - what -v ends with: rows in = rows out + rows dropped, by reason,
 * and the time of each.
 */
#ifndef BALANCE_H
#define BALANCE_H

#include "base/dec.h"

enum { BALANCE_REASONS = 8 };

struct tally {
	uint64_t rows;
	struct dec time;
	bool overflow; /* of time */
};

struct balance {
	bool on; /* -v: without it rows are counted and times are not */
	const char *unit;
	const char *what;           /* "rows", "events" */
	const char *const *reasons; /* of dropping, by number */
	size_t reasons_count;
	struct tally in;
	struct tally out;
	struct tally dropped[BALANCE_REASONS];
};

/* Each row is counted in, and then either out or dropped. dur: its text, empty where it has none.
 */
void balance_in(struct balance *balance, struct str dur);
void balance_out(struct balance *balance, struct str dur);
void balance_drop(struct balance *balance, size_t reason, struct str dur);

/* With -v, the lines on standard error. */
void balance_print(const struct balance *balance);

#endif
