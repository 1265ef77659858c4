#include "probability.h"

#include "base/wide.h"

#include "rounded.h"

#include <math.h>

#define LEAST 1e-30

struct probability probability_exact(unsigned __int128 part, unsigned __int128 whole)
{
	return (struct probability){part < whole ? part : whole, whole, 0};
}

struct probability probability_near(double p)
{
	return (struct probability){.approximate = p < LEAST ? LEAST : p > 1 ? 1 : p};
}

/* As a quotient: exact, too, of a binary float from 10^-30, whose last digit is above 2^-153. */
static void as_quotient(struct probability p, struct wide *part, struct wide *whole)
{
	unsigned __int128 bits;
	int exponent;

	if (p.whole) {
		*part = wide_of(p.part);
		*whole = wide_of(p.whole);
		return;
	}
	bits = (unsigned __int128)ldexp(frexp(p.approximate, &exponent), 53);
	/* p is bits * 2^(exponent - 53), and exponent is from -99 to 1. */
	*part = wide_product(wide_of(bits), wide_of((unsigned __int128)1 << (exponent + 99)));
	*whole = wide_product(wide_of((unsigned __int128)1 << 76), wide_of((unsigned __int128)1 << 76));
}

int probability_compare(struct probability a, struct probability b)
{
	struct wide part[2];
	struct wide whole[2];

	as_quotient(a, &part[0], &whole[0]);
	as_quotient(b, &part[1], &whole[1]);
	return wide_compare(wide_product(part[0], whole[1]), wide_product(part[1], whole[0]));
}

struct probability probability_times(struct probability p, uint64_t times)
{
	unsigned __int128 part;

	if (p.whole == 0)
		return probability_near(p.approximate * (double)times);
	if (__builtin_mul_overflow(p.part, times, &part))
		part = p.whole;
	return probability_exact(part, p.whole);
}

bool probability_at_most(struct probability p, struct dec alpha)
{
	struct wide part;
	struct wide whole;

	as_quotient(p, &part, &whole);
	return wide_compare(wide_product(part, wide_of((unsigned __int128)dec_of(1).nano)),
	                    wide_product(whole, wide_of((unsigned __int128)alpha.nano))) <= 0;
}

void probability_put(struct buf *out, struct probability p)
{
	if (p.whole)
		dec_quotient(out, (struct dec){(__int128)p.part}, (struct dec){(__int128)p.whole}, 0);
	else
		rounded_put(out, p.approximate, PROBABILITY_ROUNDED);
}
