#include "compare/limit.h"

#include <string.h>

/* All of 100 %. */
static const struct dec whole = {100000000000};

void limit_set_ms(struct limit *limit, struct dec ms)
{
	limit->by_ms = true;
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

void limit_read(struct limit *limit, const struct opts *opts)
{
	struct dec percent;

	if (is_percent(opts, &percent))
		limit_read_percent(limit, opts);
	else
		limit_set_ms(limit, opts_decimal(opts, "a time in ms, or a percentage such as 5%"));
}

static bool is_over_ms(const struct limit *limit, struct dec a, struct dec b)
{
	struct dec most = {0};

	/* A time that is out of range is never reached. */
	return !__builtin_mul_overflow(limit->ms.nano, (__int128)1000, &most.nano) &&
	       dec_subtract(&a, b) && dec_compare(a, most) > 0;
}

static bool is_over_percent(const struct limit *limit, struct dec a, struct dec b)
{
	return b.nano <= 0 || dec_compare_quotients(a, b, limit->percent, whole) > 0;
}

bool limit_is_exceeded(const struct limit *limit, struct dec a, struct dec b)
{
	return dec_compare(a, b) > 0 && (!limit->by_ms || is_over_ms(limit, a, b)) &&
	       (!limit->by_percent || is_over_percent(limit, a, b));
}

void limit_put(const struct limit *limit, struct buf *out)
{
	struct dec percent = limit->percent;

	if (limit->by_ms) {
		dec_print(out, limit->ms);
		buf_text(out, limit->by_percent ? " ms and " : " ms");
	}
	if (limit->by_percent && dec_subtract(&percent, whole)) {
		dec_print(out, percent);
		buf_text(out, " %");
	}
}
