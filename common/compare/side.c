#include "compare/side.h"

#include "answer/damage.h"

void sides_open(struct side sides[SIDES], struct opts *opts, const struct side_names *names,
                enum form form)
{
	static const struct missing missing[MISSING_KINDS] = {
		[MISSING_KEY] = {"a row", "rows", "type", "not counted", false, 0},
		[MISSING_DUR] = {"a row", "rows", "dur", "not counted", false, 0},
		[MISSING_TS] = {"a collective", "collectives", "ts", "not counted", false, 0},
	};

	if (opts->operands_count != SIDES)
		opts_fail("two streams are needed: %s", names->operands);
	if (strcmp(opts->operands[0], "-") == 0 && strcmp(opts->operands[1], "-") == 0)
		opts_fail("only one of the two can be standard input");
	opts->no_head |= form != FORM_TSV;
	for (int i = 0; i < SIDES; i++) {
		struct side *side = &sides[i];

		*side = (struct side){.name = names->of[i].name,
		                      .title = names->of[i].title,
		                      .balance = {.on = opts->verbose, .unit = "us"},
		                      .strict = opts->strict};
		side->balance.what = names->of[i].rows;
		memcpy(side->missing, missing, sizeof missing);
		kev_open_operand(&side->in, opts, i);
		side->in.one_unit = true;
	}
}

void side_metadata(struct side *side, struct kev_writer *out, struct buf *damages)
{
	struct kev_reader *in = &side->in;

	if (str_equal(in->key, STR("unit")) && !str_equal(in->value, STR("us"))) {
		char unit[QUOTE_MAX];

		kev_misuse(in, "unit: %s; only times in us can be compared",
		           quote(unit, in->value.s, in->value.n));
		return;
	}
	if (str_equal(in->key, STR("source"))) {
		if (side->sources.len)
			buf_char(&side->sources, ',');
		tsv_unescape(&side->sources, in->value);
	}
	if (str_equal(in->key, STR("damaged")))
		damage_note(damages, side->title, in);
	/* Names of processes and threads would mix the names of both streams. */
	if (!str_equal(in->key, STR("process")) && !str_equal(in->key, STR("thread")))
		kev_pass_meta(out, in);
}

struct str side_source(const struct side *side)
{
	return side->sources.len ? buf_view(&side->sources) : str_of(side->in.file);
}

void side_close(struct side *side)
{
	kev_close(&side->in);
	buf_free(&side->sources);
}

/* --- missing fields ------------------------------------------------------ */

void side_lacks(struct side *side, enum missing_of kind, uint64_t line)
{
	struct missing *missing = &side->missing[kind];

	missing->count++;
	if (!side->strict || missing->ordinary || side->in.error[0])
		return;
	kev_error(&side->in, "%s without %s", missing->one, missing->without);
	side->in.error_line = line;
}

/* Sets text to the sentence of a warning or an answer. */
static struct str missing_text(const struct side *side, enum missing_of kind, struct buf *text)
{
	const struct missing *missing = &side->missing[kind];

	text->len = 0;
	buf_format(text, "%s of %s without %s, %s: %llu", missing->many, side->title, missing->without,
	           missing->effect, (unsigned long long)missing->count);
	return buf_view(text);
}

void side_missing_warn(const struct side *side)
{
	struct buf text = {0};

	for (int i = 0; i < MISSING_KINDS; i++) {
		struct str said = missing_text(side, (enum missing_of)i, &text);

		if (side->missing[i].count && !side->missing[i].ordinary)
			warn("%.*s", (int)said.n, said.s);
	}
	buf_free(&text);
}

/* A line each. */
static void put_missing(struct output *out, const struct side sides[SIDES], const char *title,
                        bool markdown)
{
	struct buf text = {0};

	for (int i = 0; i < SIDES * MISSING_KINDS; i++) {
		const struct side *side = &sides[i / MISSING_KINDS];
		enum missing_of kind = (enum missing_of)(i % MISSING_KINDS);

		if (side->missing[kind].count == 0)
			continue;
		output_text(out, title);
		output_text(out, markdown ? "- " : "");
		damage_line(out, missing_text(side, kind, &text), markdown);
		title = "";
	}
	buf_free(&text);
}

void side_missing_report(struct output *out, const struct side sides[SIDES])
{
	put_missing(out, sides, "\nMissing in the input, and in the figures:\n", false);
}

void side_missing_markdown(struct output *out, const struct side sides[SIDES])
{
	put_missing(out, sides, "\n**Missing in the input, and in the figures:**\n\n", true);
}

void side_missing_json(struct jsonw *w, const struct side sides[SIDES])
{
	bool any = false;

	for (int i = 0; i < SIDES * MISSING_KINDS; i++) {
		const struct side *side = &sides[i / MISSING_KINDS];
		const struct missing *missing = &side->missing[i % MISSING_KINDS];

		if (missing->count == 0)
			continue;
		if (!any)
			jsonw_array(w, "missing");
		any = true;
		jsonw_object(w, NULL);
		jsonw_text(w, "side", str_of(side->name));
		jsonw_text(w, "what", str_of(missing->many));
		jsonw_text(w, "without", str_of(missing->without));
		jsonw_text(w, "effect", str_of(missing->effect));
		jsonw_count(w, "count", missing->count);
		jsonw_end_object(w);
	}
	if (any)
		jsonw_end_array(w);
}
