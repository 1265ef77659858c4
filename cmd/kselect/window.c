#include "window.h"

#include "syntax/lexer.h"

/* [+|-]NUMBER, or nothing */
static bool read_end(struct window *window, struct str text, struct window_end *end)
{
	struct lexer lexer = {.text = text};
	bool minus;

	lexer_next(&lexer);
	if (lexer.token == TOKEN_END)
		return true;
	end->given = true;
	end->relative = lexer_is(&lexer, "+");
	minus = lexer_is(&lexer, "-");
	if (end->relative || minus)
		lexer_next(&lexer);
	if (lexer.token != TOKEN_NUMBER) {
		lexer_free(&lexer);
		return false;
	}
	window->has_unit |= lexer.has_unit;
	end->time = lexer.number;
	if (minus)
		end->time.nano = -end->time.nano;
	lexer_next(&lexer);
	lexer_free(&lexer);
	return lexer.token == TOKEN_END;
}

bool window_read(struct window *w, struct str text)
{
	const char *comma = memchr(text.s, ',', text.n);
	size_t n = comma ? (size_t)(comma - text.s) : 0;

	*w = (struct window){0};
	return comma && read_end(w, (struct str){text.s, n}, &w->from) &&
	       read_end(w, (struct str){comma + 1, text.n - n - 1}, &w->to) && window_is_given(w);
}

void window_columns(struct window *w, struct kev_reader *in)
{
	w->ph = kev_column(in, STR("ph"));
	w->dur = kev_column(in, STR("dur"));
	if (window_is_given(w))
		kev_need(in, STR("ts"), &w->ts);
}

static bool is_metadata(const struct window *w, const struct kev_reader *in)
{
	return w->ph != KEV_NONE && str_equal(in->field[w->ph], STR("M"));
}

void window_learn(struct window *w, struct kev_reader *in)
{
	struct dec ts;

	if (is_metadata(w, in) || !kev_number(in, w->ts, &ts) || ts.nano == 0)
		return;
	if (!w->any_ts || dec_compare(ts, w->least) < 0)
		w->least = ts;
	w->any_ts = true;
}

/* The time of an end on the clock of the stream. */
static struct dec time_of(const struct window *w, struct kev_reader *in,
                          const struct window_end *end)
{
	struct dec time = end->time;

	if (end->relative && !dec_add(&time, w->least))
		kev_error(in, "the time of the window is too large");
	return time;
}

enum window_place window_place(const struct window *w, struct kev_reader *in)
{
	struct dec from;
	struct dec ts;
	struct dec dur;

	if (!window_is_given(w) || is_metadata(w, in))
		return WINDOW_INSIDE;
	if (!kev_number(in, w->ts, &ts))
		return WINDOW_NO_TS;
	if (w->to.given && dec_compare(ts, time_of(w, in, &w->to)) >= 0)
		return WINDOW_OUTSIDE;
	from = time_of(w, in, &w->from);
	if (!w->from.given || dec_compare(ts, from) >= 0)
		return WINDOW_INSIDE;
	if (!kev_number(in, w->dur, &dur) || !dec_add(&ts, dur))
		return WINDOW_OUTSIDE;
	return dec_compare(ts, from) > 0 ? WINDOW_INSIDE : WINDOW_OUTSIDE;
}
