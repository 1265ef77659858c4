#include "side.h"

void sides_open(struct side sides[SIDES], const struct opts *opts, const char *answer)
{
	static const char *const titles[SIDES] = {"the prediction", "the measurement"};
	static const char *const rows[SIDES] = {"predicted rows", "measured rows"};

	if (opts->operands_count != SIDES)
		opts_fail("two streams are needed: PREDICTED and MEASURED");
	if (strcmp(opts->operands[0], "-") == 0 && strcmp(opts->operands[1], "-") == 0)
		opts_fail("only one of the two can be standard input");
	for (int i = 0; i < SIDES; i++) {
		struct side *side = &sides[i];

		side->title = titles[i];
		side->answer = answer;
		side->balance.on = opts->verbose;
		side->balance.unit = "us";
		side->balance.what = rows[i];
		kev_open(&side->in, &opts->operands[i], 1);
		side->in.one_unit = true;
	}
}

static void note_damage(const struct side *side, struct buf *damages)
{
	buf_text(damages, side->title);
	buf_text(damages, ": ");
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
