#include "compare/limit.h"

#include <string.h>

/* All of 100 %. */
static const struct dec whole = {100000000000};

void limit_set_us(struct limit *limit, struct dec us)
{
	limit->by_time = true;
	limit->us = us;
}

void limit_set_ms(struct limit *limit, struct dec ms)
{
	struct dec us;

	/* A time that is out of range is never reached. */
	if (__builtin_mul_overflow(ms.nano, (__int128)1000, &us.nano))
		us.nano = (__int128)(~(unsigned __int128)0 >> 1);
	limit_set_us(limit, us);
	limit->ms = ms;
}

void limit_set_percent(struct limit *limit, struct dec percent)
{
	limit->by_percent = true;
	limit->percent = whole;
	/* A percentage that is out of range is never reached. */
	if (!dec_add(&limit->percent, percent))
		limit->percent = percent;
}

void limit_set_ratio(struct limit *limit, struct dec ratio)
{
	limit->by_percent = true;
	if (__builtin_mul_overflow(ratio.nano, (__int128)100, &limit->percent.nano))
		limit->percent = ratio;
}

/* Whether the argument ends in %; *percent is then the number, or -1 if it is not a number. */
static bool is_percent(const struct opts *opts, struct dec *percent)
{
	size_t n = strlen(opts->arg);

	if (n == 0 || opts->arg[n - 1] != '%')
		return false;
	if (dec_parse((struct str){opts->arg, n - 1}, percent) > DEC_ROUNDED)
		percent->nano = -1;
	return true;
}

void limit_read_percent(struct limit *limit, const struct opts *opts)
{
	struct dec percent;

	if (!is_percent(opts, &percent) || percent.nano < 0)
		opts_fail("%s: '%s' is not a percentage such as 10%%", opts->flag, opts->arg);
	limit_set_percent(limit, percent);
}

static bool is_over_time(const struct limit *limit, struct dec a, struct dec b)
{
	return dec_subtract(&a, b) && dec_compare(a, limit->us) > 0;
}

/* For a above b. If b is below 0, the difference counts in percent of its absolute value. */
static bool is_over_percent(const struct limit *limit, struct dec a, struct dec b)
{
	struct dec percent = limit->percent;

	if (b.nano == 0)
		return true;
	if (b.nano > 0)
		return dec_compare_quotients(a, b, percent, whole) > 0;
	if (!dec_subtract(&a, b) || !dec_subtract(&percent, whole) || percent.nano < 0)
		return true;
	return dec_compare_quotients(a, (struct dec){-b.nano}, percent, whole) > 0;
}

bool limit_is_exceeded(const struct limit *limit, struct dec a, struct dec b)
{
	return dec_compare(a, b) > 0 && (!limit->by_time || is_over_time(limit, a, b)) &&
	       (!limit->by_percent || is_over_percent(limit, a, b));
}

void limit_put(const struct limit *limit, struct buf *out)
{
	struct dec percent = limit->percent;

	if (limit->by_time) {
		dec_print(out, limit->ms);
		buf_text(out, limit->by_percent ? " ms and " : " ms");
	}
	if (limit->by_percent && dec_subtract(&percent, whole)) {
		dec_print(out, percent);
		buf_text(out, " %");
	}
}
