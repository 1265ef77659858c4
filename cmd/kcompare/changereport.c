#include "changereport.h"

#include <stddef.h>

#include "answer/damage.h"
#include "base/plaintext.h"

/* --- a stream ------------------------------------------------------------------- */

static void write_lines(const struct changereport *report, struct kev_writer *out)
{
	struct buf text = {0};

	kev_meta(out, "samples", &report->samples, 1);
	dec_print(&text, report->alpha);
	kev_meta(out, "alpha", (struct str[]){buf_view(&text)}, 1);
	text.len = 0;
	buf_format(&text, "%llu", (unsigned long long)report->needed);
	if (report->needed)
		kev_meta(out, "needed", (struct str[]){buf_view(&text)}, 1);
	if (report->of.n)
		kev_meta(out, "of", &report->of, 1);
	buf_free(&text);
}

/* --- sides ------------------------------------------------------------------------ */

static void write_sides(const struct changereport *report, struct kev_writer *out, enum form form,
                        struct jsonw *json)
{
	static const struct sheet_column columns[] = {
		{"side", SHEET_TEXT, sheet_put_text, offsetof(struct changereport_side, name)},
		{"files", SHEET_NAME, sheet_put_text, offsetof(struct changereport_side, files)},
		{"units", SHEET_NUMBER, sheet_put_count, offsetof(struct changereport_side, units)},
		{"rows", SHEET_NUMBER, sheet_put_count, offsetof(struct changereport_side, rows)},
	};
	struct sheet sheet;

	sheet_begin(&sheet, out, form, json, "Sides", columns, sizeof columns / sizeof *columns);
	for (int s = 0; s < COMPARISON_SIDES; s++)
		sheet_row(&sheet, &report->side[s]);
	sheet_end(&sheet);
}

/* --- JSON --------------------------------------------------------------------------- */

static void write_json(const struct changereport *report, struct kev_writer *out)
{
	struct jsonw json = {.out = &out->out.buf};
	struct buf text = {0};

	jsonw_object(&json, NULL);
	jsonw_text(&json, "unit", report->unit);
	if (report->of.n)
		jsonw_text(&json, "of", report->of);
	jsonw_text(&json, "samples", report->samples);
	dec_print(&text, report->alpha);
	jsonw_raw(&json, "alpha", buf_view(&text));
	if (report->needed)
		jsonw_count(&json, "needed", report->needed);
	write_sides(report, out, FORM_JSON, &json);
	changes_write(report->changes, out, FORM_JSON, &json);
	damage_end_answer(report->damages, FORM_JSON, &out->out, &json);
	buf_free(&text);
}

/* --- for people ------------------------------------------------------------------------ */

/* Writes the text as a paragraph, and empties it. */
static void write_paragraph(struct output *out, enum form form, struct buf *text)
{
	output_char(out, '\n');
	if (form == FORM_MARKDOWN)
		table_markdown_text(&out->buf, buf_view(text));
	else
		plaintext_put(&out->buf, buf_view(text));
	output_char(out, '\n');
	text->len = 0;
}

static void write_words(const struct changereport *report, struct output *out, enum form form)
{
	const uint64_t *verdicts = report->changes->verdicts;
	struct buf text = {0};

	buf_text(&text, "Samples are ");
	buf_str(&text, report->samples);
	buf_text(&text, report->of.n ? ", of the column " : ", in ");
	buf_str(&text, report->of.n ? report->of : report->unit);
	buf_text(&text, "; alpha is ");
	dec_print(&text, report->alpha);
	write_paragraph(out, form, &text);
	buf_text(&text, "Groups:");
	for (int i = 0; i < COMPARISON_VERDICTS; i++)
		buf_format(&text, "%s %llu %s", i ? "," : "", (unsigned long long)verdicts[i],
		           i == COMPARISON_EQUAL ? "without a significant change" : comparison_verdicts[i]);
	write_paragraph(out, form, &text);
	buf_format(&text, "Samples on each side that would be enough for all groups: %llu",
	           (unsigned long long)report->needed);
	if (report->needed)
		write_paragraph(out, form, &text);
	buf_free(&text);
}

void changereport_write(const struct changereport *report, struct kev_writer *out, enum form form)
{
	if (form == FORM_JSON) {
		write_json(report, out);
		return;
	}
	if (form == FORM_TSV) {
		write_lines(report, out);
		changes_write(report->changes, out, form, NULL);
		return;
	}
	output_text(&out->out, form == FORM_MARKDOWN ? "# Slower or noise\n" : "Slower or noise\n");
	write_sides(report, out, form, NULL);
	write_words(report, &out->out, form);
	changes_write(report->changes, out, form, NULL);
	damage_end_answer(report->damages, form, &out->out, NULL);
}
