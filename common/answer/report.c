#include "answer/report.h"

void report_number(struct output *out, struct dec x, int places, int width)
{
	struct buf text = {0};

	dec_print_fixed(&text, x, places, true);
	for (size_t n = text.len; n < (size_t)width; n++)
		output_char(out, ' ');
	output_str(out, buf_view(&text));
	buf_free(&text);
}

void report_markdown_cells(struct buf *out, const struct str *cells, size_t count)
{
	buf_char(out, '|');
	for (size_t i = 0; i < count; i++) {
		buf_char(out, ' ');
		for (size_t j = 0; j < cells[i].n; j++) {
			char c = cells[i].s[j];

			if (c == '|' || c == '\\')
				buf_char(out, '\\');
			buf_char(out, c == '\n' || c == '\r' ? ' ' : c);
		}
		buf_text(out, " |");
	}
	buf_char(out, '\n');
}

void report_markdown_row(struct output *out, const struct str *cells, size_t count)
{
	report_markdown_cells(&out->buf, cells, count);
	output_drain(out);
}

void report_markdown_rule(struct output *out, size_t count, bool right)
{
	output_char(out, '|');
	for (size_t i = 0; i < count; i++)
		output_text(out, i && right ? " ---: |" : " --- |");
	output_char(out, '\n');
}
