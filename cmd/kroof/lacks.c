#include "lacks.h"

#include "base/die.h"

#include <inttypes.h>

static const char *const texts[LACK_WHYS] = {
	[LACK_OPERATOR] = "without an operator",
	[LACK_RULE] = "without a rule",
	[LACK_EXACT] = "with estimated work",
};

bool lacks_time(struct lacks *lacks, struct dec dur)
{
	return dec_sum(&lacks->time, &lacks->negative, dur, (struct dec){0});
}

void lacks_rows(struct lacks *lacks, enum lack why, uint64_t rows, struct dec time)
{
	lacks->of[why].rows += rows;
	dec_add(&lacks->of[why].time, time); /* fits, since it is a part of time */
}

static void put_share(const struct lacks *lacks, struct buf *text, int why)
{
	dec_quotient_digits(text, lacks->of[why].time, lacks->time, 2, 3);
	buf_text(text, " %");
}

void lacks_report(const struct lacks *lacks, struct buf *out)
{
	for (int i = 0; i < LACK_WHYS; i++) {
		if (lacks->of[i].rows == 0)
			continue;
		buf_format(out, "\nRows %s: %" PRIu64 ", ", texts[i], lacks->of[i].rows);
		dec_print_fixed(out, lacks->of[i].time, 3, true);
		buf_text(out, " us");
		if (lacks->time.nano) {
			buf_text(out, ", ");
			put_share(lacks, out, i);
		}
		buf_text(out, "\n");
	}
}

void lacks_json(const struct lacks *lacks, struct jsonw *json)
{
	static const char *const keys[LACK_WHYS] = {[LACK_OPERATOR] = "without_operator",
	                                            [LACK_RULE] = "without_rule",
	                                            [LACK_EXACT] = "estimated_work"};
	struct buf text = {0};

	for (int i = 0; i < LACK_WHYS; i++) {
		jsonw_object(json, keys[i]);
		jsonw_count(json, "rows", lacks->of[i].rows);
		text.len = 0;
		dec_print(&text, lacks->of[i].time);
		jsonw_raw(json, "time", buf_view(&text));
		jsonw_end_object(json);
	}
	buf_free(&text);
}

void lacks_warn(const struct lacks *lacks)
{
	struct buf text = {0};

	for (int i = 0; i < LACK_WHYS && lacks->time.nano; i++) {
		if (lacks->of[i].time.nano == 0)
			continue;
		buf_format(&text, "%s%s: ", text.len ? ", " : "time of devices ", texts[i]);
		put_share(lacks, &text, i);
	}
	if (text.len)
		warn("%.*s", (int)text.len, text.data);
	buf_free(&text);
}

void lacks_balance(const struct lacks *lacks)
{
	struct buf text = {0};

	for (int i = 0; i < LACK_WHYS; i++) {
		if (i == LACK_EXACT && lacks->of[i].rows == 0)
			continue;
		text.len = 0;
		dec_print(&text, lacks->of[i].time);
		warn("rows %s: %" PRIu64 ", %.*s us", texts[i], lacks->of[i].rows, (int)text.len,
		     text.data);
	}
	buf_free(&text);
}
