/*
 * ttclock - the clocks of Tenstorrent devices: from the cycles at which a row ended on its device
 * to a time. A file has cycles since the reset of the device, and not the frequency, which is a
 * whole number of MHz.
 *
 * Clocks of two devices are not aligned. Memory grows with the devices.
 */
#ifndef TTCLOCK_H
#define TTCLOCK_H

#include "base/dec.h"
#include "base/strmap.h"

/* Starts as {0}. */
struct ttclock {
	struct strmap devices;
	struct ttclock_sums *sums; /* by number in devices; private to ttclock.c */
	size_t cap;
};

/*
 * Takes the cycles at which the firmware of a row began and ended, and its duration in us, for the
 * frequency of the device. Rows that end before they begin or have no duration do not count.
 */
void ttclock_add(struct ttclock *clock, struct str device, struct dec start, struct dec end,
                 struct dec us);

/* MHz of a device, by its number: the whole number nearest to all cycles / all us; 0: unknown. */
uint64_t ttclock_mhz(const struct ttclock *clock, size_t device);

/*
 * Sets us to the time of so many cycles of the device, to the nearest nanosecond, the later of two.
 * False if its frequency is unknown, or the cycles are below 0 or too many.
 */
bool ttclock_us(const struct ttclock *clock, struct str device, struct dec cycles, struct dec *us);

/* Forgets all devices. */
void ttclock_clear(struct ttclock *clock);

void ttclock_free(struct ttclock *clock);

#endif
