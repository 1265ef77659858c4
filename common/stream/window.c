#include "stream/window.h"

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
	return str_equal(kev_phase(in, w->ph), STR("M"));
}

void window_learn(struct window *w, struct kev_reader *in)
{
	struct dec ts;

	if (!is_metadata(w, in) && kev_number(in, w->ts, &ts))
		window_see(w, ts);
}

void window_see(struct window *w, struct dec ts)
{
	if (ts.nano == 0)
		return;
	if (!w->any_ts || dec_compare(ts, w->least) < 0)
		w->least = ts;
	w->any_ts = true;
}

bool window_ends(const struct window *w, struct window_ends *ends)
{
	*ends = (struct window_ends){w->from.given, w->to.given, w->from.time, w->to.time};
	return (!w->from.relative || dec_add(&ends->from, w->least)) &&
	       (!w->to.relative || dec_add(&ends->to, w->least));
}

bool window_holds(const struct window_ends *ends, struct dec ts, struct dec end)
{
	return !(ends->has_to && dec_compare(ts, ends->to) >= 0) &&
	       (!ends->has_from || dec_compare(ts, ends->from) >= 0 ||
	        dec_compare(end, ends->from) > 0);
}

void window_clip(const struct window_ends *ends, struct dec *ts, struct dec *end)
{
	if (ends->has_to && dec_compare(*end, ends->to) > 0)
		*end = ends->to;
	if (ends->has_from && dec_compare(*ts, ends->from) < 0)
		*ts = ends->from;
	if (dec_compare(*end, *ts) < 0) /* the window ends before it begins */
		*end = *ts;
}

enum window_place window_place(const struct window *w, struct kev_reader *in)
{
	struct window_ends ends;
	struct dec ts;
	struct dec end;

	if (!window_is_given(w) || is_metadata(w, in))
		return WINDOW_INSIDE;
	if (!kev_number(in, w->ts, &ts))
		return WINDOW_NO_TS;
	if (!window_ends(w, &ends))
		kev_error(in, "the time of the window is too large");
	if (window_holds(&ends, ts, ts))
		return WINDOW_INSIDE;
	if ((ends.has_to && dec_compare(ts, ends.to) >= 0) || !kev_number(in, w->dur, &end) ||
	    !dec_add(&end, ts))
		return WINDOW_OUTSIDE;
	return window_holds(&ends, ts, end) ? WINDOW_INSIDE : WINDOW_OUTSIDE;
}
