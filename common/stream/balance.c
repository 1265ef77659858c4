#include "stream/balance.h"

#include "base/die.h"

static void count(const struct balance *balance, struct tally *tally, struct str dur)
{
	struct dec time;

	tally->rows++;
	if (!balance->on || dur.n == 0 || dec_parse(dur, &time) > DEC_ROUNDED)
		return;
	tally->overflow |= !dec_add(&tally->time, time);
}

void balance_in(struct balance *balance, struct str dur)
{
	count(balance, &balance->in, dur);
}

void balance_out(struct balance *balance, struct str dur)
{
	count(balance, &balance->out, dur);
}

void balance_drop(struct balance *balance, size_t reason, struct str dur)
{
	count(balance, &balance->dropped[reason], dur);
}

static void line(const struct balance *balance, const char *what, const struct tally *tally)
{
	struct buf time = {0};

	if (tally->overflow)
		buf_text(&time, "too many");
	else
		dec_print(&time, tally->time);
	warn("%s %s: %llu, %.*s %s", balance->what, what, (unsigned long long)tally->rows,
	     (int)time.len, time.data, balance->unit);
	buf_free(&time);
}

void balance_print(const struct balance *balance)
{
	struct tally sum = balance->out;

	if (!balance->on)
		return;
	line(balance, "in", &balance->in);
	line(balance, "out", &balance->out);
	for (size_t i = 0; i < balance->reasons_count; i++) {
		sum.rows += balance->dropped[i].rows;
		sum.overflow |= balance->in.overflow || balance->dropped[i].overflow ||
		                !dec_add(&sum.time, balance->dropped[i].time);
		if (balance->dropped[i].rows) {
			struct buf what = {0};

			buf_format(&what, "dropped (%s)", balance->reasons[i]);
			buf_char(&what, '\0');
			line(balance, what.data, &balance->dropped[i]);
			buf_free(&what);
		}
	}
	if (sum.rows != balance->in.rows ||
	    (!sum.overflow && dec_compare(sum.time, balance->in.time) != 0))
		warn("internal error, please report: the row counts do not add up");
}
