/* rules: any text as rules of kroof, and on arguments of operators; any text as arguments. */
#include "../fuzz.h"

#include "kroof/peaks.h"
#include "kroof/rules.h"

/* Takes the text up to c, or all that is left. */
static struct str take(struct str *rest, char c)
{
	const char *end = rest->n ? memchr(rest->s, c, rest->n) : NULL;
	struct str part = {rest->s, end ? (size_t)(end - rest->s) : rest->n};
	size_t n = part.n + (end != NULL);

	*rest = (struct str){rest->s + n, rest->n - n};
	return part;
}

static void show(struct rules *rules, struct str op, const struct str *fields, struct buf *out)
{
	struct str column[RULES_COLUMNS_MAX];
	struct args args = {0};
	struct rules_answer answer;
	int got;

	for (int i = 0; i < RULES_COLUMNS_MAX; i++)
		column[i] = fields[i % ARGS_COLUMNS];
	args_parse(&args, fields);
	got = rules_apply(rules, op, &args, column, &answer);
	out->len = 0;
	buf_format(out, "%d ", got);
	LAW((got < 0) == (rules->error[0] != '\0'));
	for (int i = 0; i < RULES_FIGURES && got > 0; i++) {
		if (!answer.known[i])
			continue;
		LAW(answer.figure[i].nano >= 0 && answer.figure[i].nano % 1000000000 == 0);
		dec_print(out, answer.figure[i]);
		buf_char(out, ' ');
	}
	if (got > 0) {
		buf_str(out, answer.class);
		buf_str(out, answer.dtype);
		buf_text(out, rules_bases[answer.basis]);
	}
	LAW(rules->shapes.columns.count <= RULES_COLUMNS_MAX);
	args_free(&args);
}

/*
 * An operator and its arguments, a line of fields with tabs between. A second question has an equal
 * answer.
 */
static void try_line(struct rules *rules, struct str line)
{
	struct str op = take(&line, '\t');
	struct str fields[ARGS_COLUMNS];
	struct buf first = {0};
	struct buf second = {0};

	for (int i = 0; i < ARGS_COLUMNS; i++)
		fields[i] = take(&line, '\t');
	rules->error[0] = '\0';
	show(rules, op, fields, &first);
	if (!rules->error[0]) {
		show(rules, op, fields, &second);
		LAW_SAME(&first, &second);
	}
	buf_free(&first);
	buf_free(&second);
}

/*
 * The default rules on the lines. They are loaded once, as they are larger than all else that a
 * run reads, and forget the operators of the inputs before.
 */
static void try_default(struct str lines)
{
	static struct rules rules;

	if (!rules.count)
		LAW(rules_load(&rules, NULL));
	strmap_free(&rules.ops);
	rules.candidates_count = 0;
	rules.refusal[0] = '\0';
	while (lines.n)
		try_line(&rules, take(&lines, '\n'));
}

/* Rules before the same rules: the dump of both are rules without a type or a name that has two. */
static void try_twice(struct str text)
{
	struct rules rules = {0};
	struct rules again = {0};
	struct buf dump = {0};

	feed(text);
	LAW(rules_load(&rules, "-"));
	feed(text);
	LAW(rules_load(&rules, "-"));
	rules_dump(&rules, &dump);
	feed(buf_view(&dump));
	LAW(rules_load(&again, "-"));
	LAW(again.count == rules.count && again.shapes.types.count == rules.shapes.types.count);
	rules_free(&rules);
	rules_free(&again);
	buf_free(&dump);
}

static void try_input(const uint8_t *data, size_t size)
{
	/* Rules up to the first NUL, then lines of calls. */
	struct str rest = {(const char *)data, size};
	struct str text = take(&rest, '\0');
	struct rules rules = {0};
	struct rules again = {0};
	struct peaks peaks = {0};
	struct str lines = rest;
	struct buf dump = {0};
	struct buf second = {0};

	if (is_gzip(text))
		return;
	feed(text);
	if (!rules_load(&rules, "-")) {
		LAW(rules.error[0]);
	} else {
		rules_dump(&rules, &dump);
		feed(buf_view(&dump));
		LAW(rules_load(&again, "-"));
		rules_dump(&again, &second);
		LAW_SAME(&second, &dump);
		try_twice(text);
		while (lines.n)
			try_line(&rules, take(&lines, '\n'));
		dump.len = 0;
		rules_put_patterns(&rules, &dump);
	}
	rules_free(&rules);
	rules_free(&again);
	try_default(rest);
	feed(text);
	LAW(peaks_load(&peaks, "-") || peaks.error[0]);
	peaks_free(&peaks);
	buf_free(&dump);
	buf_free(&second);
}
