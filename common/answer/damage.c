#include "answer/damage.h"

#include "answer/table.h"
#include "base/plaintext.h"

void damage_note(struct buf *damages, const char *title, const struct kev_reader *in)
{
	if (title)
		buf_format(damages, "%s: ", title);
	buf_str(damages, buf_view(&in->damage_file));
	buf_text(damages, ": ");
	buf_str(damages, buf_view(&in->damage_what));
	buf_text(damages, in->damage_is_usage ? "\tusage\n" : "\n");
}

void damage_line(struct output *out, struct str text, bool markdown)
{
	if (markdown)
		table_markdown_text(&out->buf, text);
	else
		plaintext_put(&out->buf, text);
	output_char(out, '\n');
}

/*
 * The next line of rest, decoded, and whether it is of wrong usage; false if there is none.
 */
static bool next_line(struct str *rest, struct buf *text, bool *is_usage)
{
	struct str line = *rest;

	if (rest->n == 0)
		return false;
	line.n = (size_t)((const char *)memchr(rest->s, '\n', rest->n) - rest->s);
	*rest = (struct str){line.s + line.n + 1, rest->n - line.n - 1};
	*is_usage = str_ends(line, STR("\tusage"));
	if (*is_usage)
		line.n -= strlen("\tusage");
	text->len = 0;
	tsv_unescape(text, line);
	return true;
}

bool damage_first(const struct buf *damages, struct buf *text)
{
	struct str rest = buf_view(damages);
	bool is_usage = false;

	next_line(&rest, text, &is_usage);
	return is_usage;
}

/* How damage stands in an answer. */
struct place {
	const char *before; /* title */
	const char *after;
	const char *end; /* after the last line */
	const char *line_begin;
	const char *line_end;
	void (*put)(struct buf *out, struct str text);
};

/* The lines of wrong usage, or the others, below their title. */
static void put_kind(struct output *out, const struct buf *damages, bool usage, const char *title,
                     const struct place *place)
{
	struct str rest = buf_view(damages);
	struct buf text = {0};
	bool is_usage;
	bool begun = false;

	while (next_line(&rest, &text, &is_usage)) {
		if (is_usage != usage)
			continue;
		if (!begun)
			output_format(out, "\n%s%s%s\n", place->before, title, place->after);
		begun = true;
		output_text(out, place->line_begin);
		place->put(&out->buf, buf_view(&text));
		output_text(out, place->line_end);
	}
	if (begun)
		output_text(out, place->end);
	buf_free(&text);
}

static void put_lines(struct output *out, const struct buf *damages, const struct place *place)
{
	put_kind(out, damages, true, "Wrong usage, so the figures are no answer:", place);
	put_kind(out, damages, false, "The input is damaged, and the figures with it:", place);
}

void damage_report(struct output *out, const struct buf *damages)
{
	static const struct place place = {"", "", "", "", "\n", plaintext_put};

	put_lines(out, damages, &place);
}

void damage_markdown(struct output *out, const struct buf *damages)
{
	static const struct place place = {"**", "**\n", "", "", "\n", table_markdown_text};

	put_lines(out, damages, &place);
}

void damage_html(struct output *out, const struct buf *damages)
{
	static const struct place place = {
		"<div role=\"alert\">\n<p>", "</p>", "</div>\n", "<p>", "</p>\n", table_html_text};

	put_lines(out, damages, &place);
}

void damage_json(struct jsonw *w, const struct buf *damages)
{
	struct str rest = buf_view(damages);
	struct buf text = {0};
	bool is_usage;

	if (rest.n == 0)
		return;
	jsonw_array(w, "damaged");
	while (next_line(&rest, &text, &is_usage))
		jsonw_text(w, NULL, buf_view(&text));
	jsonw_end_array(w);
	buf_free(&text);
}

void damage_end_answer(const struct buf *damages, enum form form, struct output *out,
                       struct jsonw *w)
{
	switch (form) {
	case FORM_TSV:
		break;
	case FORM_REPORT:
		damage_report(out, damages);
		break;
	case FORM_MARKDOWN:
		damage_markdown(out, damages);
		break;
	case FORM_JSON:
		damage_json(w, damages);
		jsonw_end_object(w);
		break;
	}
}
