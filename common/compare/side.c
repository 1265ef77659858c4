#include "compare/side.h"

void sides_open(struct side sides[SIDES], const struct opts *opts, const char *answer)
{
	static const char *const titles[SIDES] = {"prediction", "measurement"};
	static const char *const rows[SIDES] = {"predicted rows", "measured rows"};
	static const struct missing missing[MISSING_KINDS] = {
		[MISSING_KEY] = {"a row", "rows", "", "type", "not counted", false, 0},
		[MISSING_DUR] = {"a row", "rows", "", "dur", "not counted", false, 0},
		[MISSING_TS] = {"a collective", "collectives", "", "ts", "not counted", false, 0},
	};

	if (opts->operands_count != SIDES)
		opts_fail("two streams are needed: PREDICTED and MEASURED");
	if (strcmp(opts->operands[0], "-") == 0 && strcmp(opts->operands[1], "-") == 0)
		opts_fail("only one of the two can be standard input");
	for (int i = 0; i < SIDES; i++) {
		struct side *side = &sides[i];

		side->title = titles[i];
		side->answer = answer;
		side->strict = opts->strict;
		memcpy(side->missing, missing, sizeof missing);
		for (size_t j = 0; j < MISSING_KINDS; j++)
			side->missing[j].of = titles[i];
		side->balance.on = opts->verbose;
		side->balance.unit = "us";
		side->balance.what = rows[i];
		kev_open(&side->in, &opts->operands[i], 1);
		side->in.one_unit = true;
	}
}

static void note_damage(const struct side *side, struct buf *damages)
{
	buf_format(damages, "the %s: ", side->title);
	tsv_unescape(damages, buf_view(&side->in.damage_file));
	buf_text(damages, ": ");
	tsv_unescape(damages, buf_view(&side->in.damage_what));
	buf_char(damages, '\n');
}

bool side_metadata(struct side *side, struct kev_writer *out, struct buf *damages)
{
	struct kev_reader *in = &side->in;

	if (str_equal(in->key, STR("source"))) {
		if (side->sources.len)
			buf_char(&side->sources, ',');
		tsv_unescape(&side->sources, in->value);
	}
	if (str_equal(in->key, STR("unit")) && !str_equal(in->value, STR("us"))) {
		char unit[QUOTE_MAX];

		kev_error(in, "unit: %s, where %s is of times in us", quote(unit, in->value.s, in->value.n),
		          side->answer);
		return false;
	}
	if (str_equal(in->key, STR("damaged")))
		note_damage(side, damages);
	/* The tables of names are of no use beside what is compared. */
	if (!str_equal(in->key, STR("process")) && !str_equal(in->key, STR("thread")))
		kev_pass_meta(out, in);
	return true;
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

/* --- what rows lack ------------------------------------------------------ */

void side_lacks(struct side *side, enum missing_of kind, uint64_t line)
{
	struct missing *missing = &side->missing[kind];

	missing->count++;
	if (!side->strict || missing->ordinary || side->in.error[0])
		return;
	kev_error(&side->in, "%s without %s", missing->one, missing->without);
	side->in.error_line = line;
}

/* Sets text to what a message says. */
static struct str say_missing(const struct missing *missing, struct buf *text)
{
	text->len = 0;
	buf_format(text, "%s of the %s without %s, %s: %llu", missing->many, missing->of,
	           missing->without, missing->effect, (unsigned long long)missing->count);
	return buf_view(text);
}

void side_missing_warn(const struct side *side)
{
	struct buf text = {0};

	for (size_t i = 0; i < MISSING_KINDS; i++) {
		struct str said = say_missing(&side->missing[i], &text);

		if (side->missing[i].count && !side->missing[i].ordinary)
			warn("%.*s", (int)said.n, said.s);
	}
	buf_free(&text);
}

/* The next, from number *i on, that there is any of; NULL behind the last. */
static const struct missing *next_missing(const struct side sides[SIDES], size_t *i)
{
	while (*i < (size_t)SIDES * MISSING_KINDS) {
		const struct missing *missing = &sides[*i / MISSING_KINDS].missing[*i % MISSING_KINDS];

		++*i;
		if (missing->count)
			return missing;
	}
	return NULL;
}

/* A line each, with mark in front. */
static void put_missing(struct output *out, const struct side sides[SIDES], const char *title,
                        const char *mark)
{
	const struct missing *missing;
	struct buf text = {0};

	for (size_t i = 0; (missing = next_missing(sides, &i)); title = "") {
		output_text(out, title);
		output_text(out, mark);
		output_str(out, say_missing(missing, &text));
		output_char(out, '\n');
	}
	buf_free(&text);
}

void side_missing_report(struct output *out, const struct side sides[SIDES])
{
	put_missing(out, sides, "\nMissing in the input, and in the figures:\n", "");
}

void side_missing_markdown(struct output *out, const struct side sides[SIDES])
{
	put_missing(out, sides, "\n**Missing in the input, and in the figures:**\n\n", "- ");
}

void side_missing_json(struct jsonw *w, const struct side sides[SIDES])
{
	const struct missing *missing;
	bool any = false;

	for (size_t i = 0; (missing = next_missing(sides, &i)); any = true) {
		if (!any)
			jsonw_array(w, "missing");
		jsonw_object(w, NULL);
		jsonw_text(w, "side", str_of(missing->of));
		jsonw_text(w, "what", str_of(missing->many));
		jsonw_text(w, "without", str_of(missing->without));
		jsonw_text(w, "effect", str_of(missing->effect));
		jsonw_count(w, "count", missing->count);
		jsonw_end_object(w);
	}
	if (any)
		jsonw_end_array(w);
}

/* --- damage -------------------------------------------------------------- */

void side_damages_report(struct output *out, const struct buf *damages)
{
	if (damages->len == 0)
		return;
	output_text(out, "\nThe input is damaged, and the figures with it:\n");
	output_str(out, buf_view(damages));
}

void side_damages_markdown(struct output *out, const struct buf *damages)
{
	if (damages->len == 0)
		return;
	output_text(out, "\n**The input is damaged, and the figures with it:**\n\n");
	output_str(out, buf_view(damages));
}

void side_damages_json(struct jsonw *w, const struct buf *damages)
{
	struct str rest = buf_view(damages);

	if (rest.n == 0)
		return;
	jsonw_array(w, "damaged");
	while (rest.n) {
		size_t n = (size_t)((const char *)memchr(rest.s, '\n', rest.n) - rest.s);

		jsonw_text(w, NULL, (struct str){rest.s, n});
		rest.s += n + 1;
		rest.n -= n + 1;
	}
	jsonw_end_array(w);
}
