#include "stream/balance.h"

#include "base/die.h"

void balance_time(struct tally *tally, struct str dur)
{
	struct dec time;

	if (dur.n && dec_parse(dur, &time) <= DEC_ROUNDED)
		balance_add_time(tally, time);
}

_Noreturn void balance_unknown_reason(const struct balance *balance)
{
	die("internal error, please report: there are more than %zu reasons to drop a row",
	    balance->reasons_count < BALANCE_REASONS ? balance->reasons_count : BALANCE_REASONS);
}

static void add(struct tally *sum, const struct tally *part)
{
	sum->rows += part->rows;
	sum->overflow |=
		part->overflow || !dec_sum(&sum->time, &sum->negative, part->time, part->negative);
}

void balance_add(struct balance *balance, const struct balance *part)
{
	add(&balance->in, &part->in);
	add(&balance->out, &part->out);
	for (size_t i = 0; i < BALANCE_REASONS; i++)
		add(&balance->dropped[i], &part->dropped[i]);
}

static void line(const struct balance *balance, const char *what, const struct tally *tally)
{
	struct buf time = {0};

	if (!balance->unit)
		buf_text(&time, "times of different units");
	else if (tally->overflow)
		buf_text(&time, "more than can be added");
	else
		dec_print(&time, tally->time);
	warn("%s %s: %llu, %.*s%s%s", balance->what, what, (unsigned long long)tally->rows,
	     (int)time.len, time.data, balance->unit ? " " : "", balance->unit ? balance->unit : "");
	buf_free(&time);
}

void balance_print(const struct balance *balance)
{
	struct tally sum = balance->out;

	if (!balance->on)
		return;
	if (balance->reasons_count > BALANCE_REASONS)
		balance_unknown_reason(balance);
	line(balance, "in", &balance->in);
	line(balance, "out", &balance->out);
	for (size_t i = 0; i < balance->reasons_count; i++) {
		add(&sum, &balance->dropped[i]);
		/* Parts of rows have a time, but no row. */
		if (balance->dropped[i].rows || balance->dropped[i].time.nano) {
			struct buf what = {0};

			buf_format(&what, "dropped (%s)", balance->reasons[i]);
			buf_char(&what, '\0');
			line(balance, what.data, &balance->dropped[i]);
			buf_free(&what);
		}
	}
	sum.overflow |= balance->in.overflow;
	if (sum.rows != balance->in.rows ||
	    (!sum.overflow && dec_compare(sum.time, balance->in.time) != 0))
		warn("internal error, please report: the row counts do not add up");
}
