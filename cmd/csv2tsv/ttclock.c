#include "ttclock.h"

#include "base/mem.h"

#include <stdlib.h>

/* Sums over the rows whose firmware has a begin, an end and a duration. */
struct ttclock_sums {
	struct dec cycles;
	struct dec us;
};

void ttclock_add(struct ttclock *clock, struct str device, struct dec start, struct dec end,
                 struct dec us)
{
	struct dec cycles = end;
	struct ttclock_sums sums;
	bool new;
	size_t number = strmap_add(&clock->devices, device, &new);

	clock->sums = mem_grow(clock->sums, &clock->cap, number + 1, sizeof *clock->sums);
	if (new)
		clock->sums[number] = (struct ttclock_sums){0};
	if (start.nano < 0 || us.nano <= 0 || !dec_subtract(&cycles, start) || cycles.nano < 0)
		return;
	sums = clock->sums[number];
	if (dec_add(&sums.cycles, cycles) && dec_add(&sums.us, us))
		clock->sums[number] = sums;
}

uint64_t ttclock_mhz(const struct ttclock *clock, size_t device)
{
	const struct ttclock_sums *sums = &clock->sums[device];
	__int128 mhz;

	if (sums->us.nano == 0)
		return 0;
	mhz = sums->cycles.nano / sums->us.nano;
	/* The rest is at least half of the divisor; twice the rest could be too large. */
	mhz += sums->cycles.nano % sums->us.nano >= sums->us.nano - sums->us.nano / 2;
	return mhz > UINT32_MAX ? 0 : (uint64_t)mhz;
}

bool ttclock_us(const struct ttclock *clock, struct str device, struct dec cycles, struct dec *us)
{
	const __int128 nanosecond = 1000000; /* as dec.nano, if times are in us */
	size_t number = strmap_find(&clock->devices, device);
	uint64_t mhz = number == STRMAP_NONE ? 0 : ttclock_mhz(clock, number);
	__int128 half = (__int128)mhz * (nanosecond / 2);

	if (mhz == 0 || cycles.nano < 0 || __builtin_add_overflow(cycles.nano, half, &cycles.nano))
		return false;
	us->nano = cycles.nano / (mhz * nanosecond) * nanosecond;
	return true;
}

void ttclock_clear(struct ttclock *clock)
{
	strmap_clear(&clock->devices);
}

void ttclock_free(struct ttclock *clock)
{
	strmap_free(&clock->devices);
	free(clock->sums);
	*clock = (struct ttclock){0};
}
