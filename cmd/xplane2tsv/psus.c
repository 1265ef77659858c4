#include "psus.h"

enum { PS_IN_US = 1000000, NS_IN_US = 1000, PS_IN_NS = 1000, PLACES = 6 };

/* Writes the digits before end; returns the first. */
static char *put_digits(char *end, uint64_t number)
{
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return end;
}

static struct str text_from(char *begin, bool negative, const char *end)
{
	if (negative)
		*--begin = '-';
	return (struct str){begin, (size_t)(end - begin)};
}

struct str psus_unsigned(char text[PSUS_DIGITS], uint64_t number)
{
	return text_from(put_digits(text + PSUS_DIGITS, number), false, text + PSUS_DIGITS);
}

struct str psus_signed(char text[PSUS_DIGITS], int64_t number)
{
	uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

	return text_from(put_digits(text + PSUS_DIGITS, size), number < 0, text + PSUS_DIGITS);
}

struct str psus_time(char text[PSUS_DIGITS], int64_t ns, int64_t ps)
{
	/* Whole microseconds of both parts, and the rests, each with the sign of its part. */
	int64_t us = ns / NS_IN_US + ps / PS_IN_US;
	int64_t rest = ns % NS_IN_US * PS_IN_NS + ps % PS_IN_US;
	char *end = text + PSUS_DIGITS;
	char *begin;
	uint64_t fraction;
	bool negative;

	us += rest / PS_IN_US;
	rest %= PS_IN_US;
	if (us > 0 && rest < 0) {
		us--;
		rest += PS_IN_US;
	} else if (us < 0 && rest > 0) {
		us++;
		rest -= PS_IN_US;
	}
	negative = us < 0 || rest < 0;
	fraction = (uint64_t)(rest < 0 ? -rest : rest);
	begin = end;
	if (fraction) {
		for (int i = 0; i < PLACES; i++, fraction /= 10)
			*--begin = (char)('0' + fraction % 10);
		while (end[-1] == '0')
			end--;
		*--begin = '.';
	}
	begin = put_digits(begin, (uint64_t)(us < 0 ? -us : us));
	return text_from(begin, negative, end);
}
