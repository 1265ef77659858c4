#include "answer/jsonw.h"

#include "json/quote.h"

static void line(struct jsonw *w)
{
	if (w->compact)
		return;
	buf_char(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		buf_text(w->out, "  ");
}

/* Begins a value: a comma, a new line, its key. */
static void begin(struct jsonw *w, struct str key)
{
	if (w->more && (w->depth || !w->compact))
		buf_char(w->out, ',');
	if (w->depth)
		line(w);
	if (key.s) {
		json_quote(w->out, key);
		buf_text(w->out, w->compact ? ":" : ": ");
	}
	w->more = true;
}

static struct str key_of(const char *key)
{
	return key ? str_of(key) : (struct str){NULL, 0};
}

static void open(struct jsonw *w, struct str key, char bracket)
{
	begin(w, key);
	buf_char(w->out, bracket);
	w->depth++;
	w->more = false;
}

static void close(struct jsonw *w, char bracket)
{
	w->depth--;
	if (w->more)
		line(w);
	buf_char(w->out, bracket);
	w->more = true;
	if (w->depth == 0)
		buf_char(w->out, '\n');
}

void jsonw_object(struct jsonw *w, const char *key)
{
	open(w, key_of(key), '{');
}

void jsonw_array(struct jsonw *w, const char *key)
{
	open(w, key_of(key), '[');
}

void jsonw_key_array(struct jsonw *w, struct str key)
{
	open(w, key, '[');
}

void jsonw_end_object(struct jsonw *w)
{
	close(w, '}');
}

void jsonw_end_array(struct jsonw *w)
{
	close(w, ']');
}

void jsonw_key_text(struct jsonw *w, struct str key, struct str text)
{
	begin(w, key);
	json_quote(w->out, text);
}

void jsonw_text(struct jsonw *w, const char *key, struct str text)
{
	jsonw_key_text(w, key_of(key), text);
}

void jsonw_key_raw(struct jsonw *w, struct str key, struct str json)
{
	begin(w, key);
	buf_str(w->out, json);
}

void jsonw_raw(struct jsonw *w, const char *key, struct str json)
{
	jsonw_key_raw(w, key_of(key), json);
}

void jsonw_count(struct jsonw *w, const char *key, unsigned long long n)
{
	begin(w, key_of(key));
	buf_format(w->out, "%llu", n);
}

void jsonw_figure(struct jsonw *w, const char *key, struct str figure)
{
	bool none = figure.n == 0 || str_equal(figure, STR("inf"));

	jsonw_raw(w, key, none ? STR("null") : figure);
}

void jsonw_known(struct jsonw *w, const char *key, struct str text)
{
	if (text.n)
		jsonw_text(w, key, text);
	else
		jsonw_raw(w, key, STR("null"));
}
