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
	buf_char(damages, '\n');
}

void damage_line(struct output *out, struct str text, bool markdown)
{
	if (markdown)
		table_markdown_text(&out->buf, text);
	else
		plaintext_put(&out->buf, text);
	output_char(out, '\n');
}

/* The next line of rest, decoded; false if there is none. */
static bool next_line(struct str *rest, struct buf *text)
{
	size_t n;

	if (rest->n == 0)
		return false;
	n = (size_t)((const char *)memchr(rest->s, '\n', rest->n) - rest->s);
	text->len = 0;
	tsv_unescape(text, (struct str){rest->s, n});
	*rest = (struct str){rest->s + n + 1, rest->n - n - 1};
	return true;
}

static void put_lines(struct output *out, const struct buf *damages, const char *title,
                      bool markdown)
{
	struct str rest = buf_view(damages);
	struct buf text = {0};

	output_text(out, rest.n ? title : "");
	while (next_line(&rest, &text))
		damage_line(out, buf_view(&text), markdown);
	buf_free(&text);
}

void damage_report(struct output *out, const struct buf *damages)
{
	put_lines(out, damages, "\nThe input is damaged, and the figures with it:\n", false);
}

void damage_markdown(struct output *out, const struct buf *damages)
{
	put_lines(out, damages, "\n**The input is damaged, and the figures with it:**\n\n", true);
}

void damage_json(struct jsonw *w, const struct buf *damages)
{
	struct str rest = buf_view(damages);
	struct buf text = {0};

	if (rest.n == 0)
		return;
	jsonw_array(w, "damaged");
	while (next_line(&rest, &text))
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
