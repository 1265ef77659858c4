#include "digits.h"

enum { PS_IN_US = 1000000, NS_IN_US = 1000, PS_IN_NS = 1000, PLACES = 6 };

/* Writes the two digits of a number below 100 before end; returns the first. */
static inline char *put_pair(char *end, uint64_t number)
{
	end[-1] = (char)('0' + number % 10);
	end[-2] = (char)('0' + number / 10);
	return end - 2;
}

/* Writes the digits before end; returns the first. */
static inline char *put_digits(char *end, uint64_t number)
{
	for (; number >= 100; number /= 100)
		end = put_pair(end, number % 100);
	if (number >= 10)
		return put_pair(end, number);
	*--end = (char)('0' + number);
	return end;
}

static struct str text_from(char *begin, bool negative, const char *end)
{
	if (negative)
		*--begin = '-';
	return (struct str){begin, (size_t)(end - begin)};
}

struct str digits_unsigned(char text[DIGITS_MAX], uint64_t number)
{
	return text_from(put_digits(text + DIGITS_MAX, number), false, text + DIGITS_MAX);
}

struct str digits_signed(char text[DIGITS_MAX], int64_t number)
{
	uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

	return text_from(put_digits(text + DIGITS_MAX, size), number < 0, text + DIGITS_MAX);
}

struct str digits_time(char text[DIGITS_MAX], int64_t ns, int64_t ps)
{
	/* Whole microseconds of both parts, and the rests, each with the sign of its part. */
	int64_t us = ns / NS_IN_US + ps / PS_IN_US;
	int64_t rest = ns % NS_IN_US * PS_IN_NS + ps % PS_IN_US;
	char *end = text + DIGITS_MAX;
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
		for (int i = 0; i < PLACES; i += 2, fraction /= 100)
			begin = put_pair(begin, fraction % 100);
		while (end[-1] == '0')
			end--;
		*--begin = '.';
	}
	begin = put_digits(begin, (uint64_t)(us < 0 ? -us : us));
	return text_from(begin, negative, end);
}
