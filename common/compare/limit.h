/*
 * limit - how much longer one time may be than another: in ms, in percent, or both.
 *
 * Times are in us.
 */
#ifndef LIMIT_H
#define LIMIT_H

#include "base/opt.h"

/* Starts as {0}: exceeded by any time that is longer. */
struct limit {
	bool by_time;
	bool by_percent;
	struct dec ms;      /* the time as limit_set_ms got it, for limit_put */
	struct dec us;      /* the time that must be exceeded */
	struct dec percent; /* percentage of the other time: 110 is 10 % longer */
};

/*
 * Sets the percentage that the option's argument is; the time stays. Ends the program, naming the
 * option, if it is not a percentage.
 */
void limit_read_percent(struct limit *limit, const struct opts *opts);

/* Set the time; the percentage stays. limit_put knows only a time of limit_set_ms. */
void limit_set_ms(struct limit *limit, struct dec ms);
void limit_set_us(struct limit *limit, struct dec us);

void limit_set_percent(struct limit *limit, struct dec percent); /* 10 */
void limit_set_ratio(struct limit *limit, struct dec ratio);     /* 1.1 */

/*
 * Whether a is longer than b beyond each part of the limit. If b is below 0, the percentage is of
 * its absolute value. Any time is longer than 0 by every percentage.
 */
bool limit_is_exceeded(const struct limit *limit, struct dec a, struct dec b);

/* Appends it: "5 ms", "10 %", "0.1 ms and 5 %". */
void limit_put(const struct limit *limit, struct buf *out);

#endif
