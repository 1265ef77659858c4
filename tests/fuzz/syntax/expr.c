/* expr: an expression, then rows for it; and a pattern on a text. */
#include "../fuzz.h"

#include "syntax/expr.h"
#include "syntax/lexer.h"
#include "syntax/match.h"
#include "syntax/tsv.h"

/* Up to c, or all that is left; takes it off the rest. */
static struct str take(struct str *rest, char c)
{
	const char *end = rest->n ? memchr(rest->s, c, rest->n) : NULL;
	struct str part = {rest->s, end ? (size_t)(end - rest->s) : rest->n};
	size_t n = part.n + (end != NULL);

	*rest = (struct str){rest->s + n, rest->n - n};
	return part;
}

static void put_value(struct buf *out, const struct expr *e, const struct expr_value *value)
{
	struct dec x;

	if (e->error[0]) {
		buf_text(out, e->error);
		return;
	}
	switch (value->kind) {
	case EXPR_NOTHING:
		break;
	case EXPR_NUMBER:
		number_print(out, value->number);
		LAW(value->number.places >= NUMBER_PLACES && value->number.places <= NUMBER_PLACES_MAX);
		LAW(value->number.places == NUMBER_PLACES || value->number.units % 10 != 0);
		if (value->number.places == NUMBER_PLACES)
			LAW(dec_parse(buf_view(out), &x) == DEC_OK && x.nano == value->number.units);
		break;
	case EXPR_CONDITION:
		LAW(e->is_condition);
		buf_text(out, value->holds ? "1" : "0");
		break;
	default:
		buf_str(out, value->text);
	}
}

/* A row has a value that depends on its fields alone, not on the rows before it. */
static void evaluate(struct str text, struct str row)
{
	struct expr first = {0};
	struct expr second = {0};
	struct str fields[4] = {STR(""), STR("5"), STR("a\\tb"), STR("1e20")};
	struct buf before = {0};
	struct buf after = {0};
	bool good = expr_compile(&first, text);

	LAW(expr_compile(&second, text) == good);
	LAW(good == !first.error[0]);
	law_same(str_of(first.error), str_of(second.error), __FILE__, __LINE__);
	if (good) {
		for (size_t i = 0; i < first.columns_count; i++)
			first.column[i].index = second.column[i].index = (int)(i % 4);
		expr_value(&first, fields);
		if (first.error[0])
			goto end;
		tsv_split(row, fields, 4);
		put_value(&before, &first, expr_value(&first, fields));
		put_value(&after, &second, expr_value(&second, fields));
		LAW_SAME(&before, &after);
	}
end:
	buf_free(&before);
	buf_free(&after);
	expr_free(&first);
	expr_free(&second);
}

/* How a text matches; the states before it make no difference and are few. */
static bool find(struct match *m, struct str text, struct match_span group[PATTERN_GROUPS])
{
	bool in = match_find(m, text, group);

	LAW(m->sets.count <= MATCH_STATES_MAX && match_in(m, text) == in);
	for (size_t i = 0; in && i < PATTERN_GROUPS; i++)
		LAW(group[i].last == SIZE_MAX ||
		    (group[i].first <= group[i].last && group[i].last <= text.n));
	return in;
}

/* The text, and beginnings of it: by states of all others, and by states of their own. */
static void match(struct str source, struct str text)
{
	struct pattern pattern = {0};
	struct match all = {.pattern = &pattern};
	struct match_span group[PATTERN_GROUPS];
	struct match_span other[PATTERN_GROUPS];
	bool good = pattern_compile(&pattern, source);
	size_t most = text.n < 512 ? text.n : 512;
	size_t step = 1 + most / 32;

	LAW(good == !pattern.error[0]);
	for (size_t n = 0; good && n <= most; n += step) {
		struct str beginning = {text.s, n};
		struct match alone = {.pattern = &pattern};
		bool in = find(&all, beginning, group);

		LAW(find(&alone, beginning, other) == in);
		LAW(!in || memcmp(group, other, sizeof group) == 0);
		if (pattern_is_literal(source))
			LAW(in == str_has(beginning, source));
		match_free(&alone);
	}
	if (good)
		find(&all, text, group);
	match_free(&all);
	pattern_free(&pattern);
}

/* The items of a list make it up. */
static void items(struct str list)
{
	struct str rest = list;
	struct str item;
	struct str expr;
	struct buf name = {0};
	size_t n = 0;

	while (lexer_item(&rest, &item)) {
		lexer_assignment(item, &name, &expr);
		n += item.n + 1;
	}
	LAW(n == list.n + 1);
	buf_free(&name);
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	struct str rest = text;
	struct str expression = take(&rest, '\n');

	evaluate(expression, take(&rest, '\n'));
	match(expression, rest);
	if (text.n)
		items(text);
}
