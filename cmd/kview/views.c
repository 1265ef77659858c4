#include "views.h"

#include "answer/damage.h"
#include "base/dec.h"
#include "base/plaintext.h"
#include "syntax/tsv.h"
#include "json/json_value.h"

/* --- tables ----------------------------------------------------------------------- */

static void text_head(const struct table_column *columns, const struct str *names, size_t count,
                      const size_t *widths, struct output *out)
{
	(void)names;
	table_print_head(columns, count, widths, out);
}

static void markdown_head(const struct table_column *columns, const struct str *names, size_t count,
                          const size_t *widths, struct output *out)
{
	(void)names;
	(void)widths;
	table_markdown_head(columns, count, out);
}

static void markdown_row(const struct table_column *columns, size_t count, const size_t *widths,
                         const struct str *cells, struct output *out)
{
	(void)columns;
	(void)widths;
	table_markdown_row(&out->buf, cells, count);
}

/* The class of the elements of a column of numbers, for a style sheet. */
static const char *html_class(const struct table_column *column)
{
	return column->right ? " class=\"number\"" : "";
}

static void html_head(const struct table_column *columns, const struct str *names, size_t count,
                      const size_t *widths, struct output *out)
{
	(void)widths;
	output_text(out, "<thead>\n<tr>");
	for (size_t i = 0; i < count; i++) {
		output_text(out, "<th scope=\"col\" data-column=\"");
		table_html_text(&out->buf, names[i]);
		output_format(out, "\"%s>", html_class(&columns[i]));
		table_html_text(&out->buf, str_of(columns[i].title));
		output_text(out, "</th>");
	}
	output_text(out, "</tr>\n</thead>\n");
}

static void html_row(const struct table_column *columns, size_t count, const size_t *widths,
                     const struct str *cells, struct output *out)
{
	(void)widths;
	output_text(out, "<tr>");
	for (size_t i = 0; i < count; i++) {
		output_format(out, "<td%s>", html_class(&columns[i]));
		table_html_text(&out->buf, cells[i]);
		output_text(out, "</td>");
	}
	output_text(out, "</tr>\n");
}

/* --- rows for other tools ----------------------------------------------------------- */

static bool may_be_formula(struct str text)
{
	struct dec number;

	return text.n && str_has_byte(STR("=+-@\t\r"), text.s[0]) &&
	       dec_parse(text, &number) == DEC_NOT_A_NUMBER;
}

static bool needs_quotes(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (str_has_byte(STR(",\"\r\n"), text.s[i]))
			return true;
	return false;
}

void views_csv(struct buf *out, struct str text)
{
	bool formula = may_be_formula(text);

	if (!needs_quotes(text)) {
		buf_text(out, formula ? "'" : "");
		buf_str(out, text);
		return;
	}
	buf_text(out, formula ? "\"'" : "\"");
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '"')
			buf_char(out, '"');
		buf_char(out, text.s[i]);
	}
	buf_char(out, '"');
}

static void begin_object(struct jsonw *json)
{
	jsonw_object(json, NULL);
}

static void json_cell(struct jsonw *json, struct str name, struct str text)
{
	if (text.n == 0)
		jsonw_key_raw(json, name, STR("null"));
	else if (json_is_number(text))
		jsonw_key_raw(json, name, text);
	else
		jsonw_key_text(json, name, text);
}

/* --- the views ---------------------------------------------------------------------- */

static const struct view views[] = {
	{.is_table = true,
     .fits_width = true,
     .item = "",
     .head = text_head,
     .row = table_print_row,
     .text = plaintext_put,
     .damages = damage_report},
	{.flag = "--tsv", .one_header = "TSV", .between = '\t', .text = tsv_escape},
	/* Readers of CSV skip blank lines. */
	{.flag = "--csv", .one_header = "CSV", .between = ',', .blank = "\"\"", .text = views_csv},
	{.flag = "-j", .begin = begin_object, .cell = json_cell, .end = jsonw_end_object},
	{.flag = "-M",
     .is_table = true,
     .keeps_head = true,
     .item = "- ",
     .head = markdown_head,
     .row = markdown_row,
     .text = table_markdown_text,
     .damages = damage_markdown},
	{.flag = "--html",
     .is_table = true,
     .item = "<p>",
     .item_end = "</p>",
     .open = "<table>\n",
     .body = "<tbody>\n",
     .close = "</tbody>\n</table>\n",
     .head = html_head,
     .row = html_row,
     .text = table_html_text,
     .damages = damage_html},
};

enum { VIEWS = sizeof views / sizeof *views };

const struct view *views_find(const char *flag)
{
	for (size_t i = 0; i < VIEWS && flag; i++)
		if (views[i].flag && strcmp(views[i].flag, flag) == 0)
			return &views[i];
	return &views[0];
}

void views_put_flags(struct buf *out)
{
	for (size_t i = 1; i < VIEWS; i++) {
		buf_text(out, i == 1 ? "" : i + 1 == VIEWS ? " and " : ", ");
		buf_text(out, views[i].flag);
	}
}
