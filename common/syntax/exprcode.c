#include "syntax/exprcode.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "syntax/tsv.h"

#include <stdio.h>

/* --- what a value is ---------------------------------------------------------- */

static void fail(struct expr *e, const char *what)
{
	if (!e->error[0])
		snprintf(e->error, sizeof e->error, "%s", what);
}

/* The field of a column as a number, once for each row. */
static enum dec_result parse(struct expr *e, const struct expr_value *v)
{
	struct expr_column *column = &e->column[v->column];

	if (column->parsed_in != e->row) {
		column->parsed_in = e->row;
		column->parsed = dec_parse(v->text, &column->number);
	}
	if (column->parsed == DEC_ROUNDED && !e->rounded) {
		e->rounded = true;
		e->rounded_column = v->column;
	}
	return column->parsed;
}

static void fail_too_large(struct expr *e, const struct expr_value *v)
{
	const struct expr_column *column = &e->column[v->column];
	char value[QUOTE_MAX];
	size_t n;

	if (e->error[0])
		return;
	n = plaintext_fit(e->error, sizeof e->error / 2, column->name);
	snprintf(e->error + n, sizeof e->error - n, ": %s is too large",
	         quote(value, v->text.s, v->text.n));
}

/* False if the value is not a number. quiet: nor if it is too large, which else is an error. */
static bool to_number(struct expr *e, const struct expr_value *v, struct number *out, bool quiet)
{
	enum dec_result result;
	struct dec x;

	switch (v->kind) {
	case EXPR_NUMBER:
		*out = v->number;
		return true;
	case EXPR_FIELD:
		result = parse(e, v);
		if (result == DEC_OVERFLOW && !quiet)
			fail_too_large(e, v);
		x = e->column[v->column].number;
		break;
	case EXPR_TEXT:
	case EXPR_LITERAL:
		result = dec_parse(v->text, &x);
		if (result == DEC_OVERFLOW && !quiet)
			fail(e, "a computed text is too large for a number");
		break;
	default:
		return false;
	}
	if (result > DEC_ROUNDED)
		return false;
	*out = number_of(x);
	return true;
}

/* The decoded text of a value; a number is written to scratch. */
static struct str to_text(struct expr *e, const struct expr_value *v, struct buf *scratch)
{
	struct expr_column *column;

	switch (v->kind) {
	case EXPR_NUMBER:
		scratch->len = 0;
		number_print(scratch, v->number);
		return buf_view(scratch);
	case EXPR_FIELD:
		column = &e->column[v->column];
		if (column->decoded_in != e->row) {
			column->decoded_in = e->row;
			column->text = tsv_text(v->text, &column->scratch);
		}
		return column->text;
	case EXPR_TEXT:
	case EXPR_LITERAL:
		return v->text;
	default:
		return STR("");
	}
}

/* --- operations ------------------------------------------------------------------ */

static void set_condition(struct expr_value *v, bool holds)
{
	v->kind = EXPR_CONDITION;
	v->holds = holds;
}

/* Vectors are equal if their elements are equal; vectors have no order. */
static bool compare_vectors(enum expr_op op, const struct expr_value *a, const struct expr_value *b)
{
	bool equal;

	if (a->kind != EXPR_VECTOR || b->kind != EXPR_VECTOR)
		return false;
	equal = a->vector->count == b->vector->count;
	for (size_t i = 0; equal && i < a->vector->count; i++)
		equal = number_compare(a->vector->item[i], b->vector->item[i]) == 0;
	return op == EXPR_EQUAL ? equal : op == EXPR_DIFFERENT && !equal;
}

/* Compares two values, by number or by bytes: kselect(1), Comparisons. */
static bool compare(struct expr *e, struct expr_code *code, const struct expr_value *a,
                    const struct expr_value *b)
{
	bool text = a->kind == EXPR_LITERAL || b->kind == EXPR_LITERAL;
	bool number = !text && (a->kind <= EXPR_NUMBER || b->kind <= EXPR_NUMBER);
	struct number x;
	struct number y;
	int order;

	if (a->kind == EXPR_VECTOR || b->kind == EXPR_VECTOR)
		return compare_vectors(code->op, a, b);
	if (!text && to_number(e, a, &x, !number) && to_number(e, b, &y, !number))
		order = number_compare(x, y);
	else if (number)
		return false;
	else
		order = str_compare(to_text(e, a, &code->scratch[0]), to_text(e, b, &code->scratch[1]));
	switch (code->op) {
	case EXPR_EQUAL:
		return order == 0;
	case EXPR_DIFFERENT:
		return order != 0;
	case EXPR_LESS:
		return order < 0;
	case EXPR_LESS_EQUAL:
		return order <= 0;
	case EXPR_GREATER:
		return order > 0;
	default:
		return order >= 0;
	}
}

/* One of the operations on two numbers. False if the result is too large. */
static bool calculate_numbers(enum expr_op op, struct number *out, struct number x, struct number y)
{
	switch (op) {
	case EXPR_ADD:
		return number_add(out, x, y);
	case EXPR_SUBTRACT:
		return number_subtract(out, x, y);
	case EXPR_MULTIPLY:
		return number_multiply(out, x, y);
	case EXPR_DIVIDE:
		return number_divide(out, x, y);
	case EXPR_REMAINDER:
		*out = number_remainder(x, y);
		return true;
	case EXPR_MIN:
		*out = number_compare(x, y) <= 0 ? x : y;
		return true;
	default:
		*out = number_compare(x, y) >= 0 ? x : y;
		return true;
	}
}

static bool divides(enum expr_op op)
{
	return op == EXPR_DIVIDE || op == EXPR_REMAINDER;
}

/* The element of a vector, or the number that goes with each. */
static bool element(struct expr *e, const struct expr_value *v, size_t i, struct number *out)
{
	if (v->kind != EXPR_VECTOR)
		return to_number(e, v, out, false);
	*out = v->vector->item[i];
	return true;
}

struct expr_vector *expr_make_vector(struct expr_value *value, size_t count)
{
	if (!value->vector)
		value->vector = mem_alloc(1, sizeof *value->vector);
	value->kind = EXPR_VECTOR;
	value->vector->count = count;
	return value->vector;
}

static void calculate_vectors(struct expr *e, struct expr_code *code, const struct expr_value *a,
                              const struct expr_value *b)
{
	size_t count = a->kind == EXPR_VECTOR ? a->vector->count : b->vector->count;
	struct expr_vector *out = expr_make_vector(&code->value, count);
	bool alike = b->kind != EXPR_VECTOR || b->vector->count == count;

	for (size_t i = 0; i < count || !alike; i++) {
		struct number x;
		struct number y;

		if (!alike || !element(e, a, i, &x) || !element(e, b, i, &y) ||
		    (y.units == 0 && divides(code->op))) {
			code->value.kind = EXPR_NOTHING;
			return;
		}
		if (!calculate_numbers(code->op, &out->item[i], x, y))
			fail(e, "the result of + - * or / is too large");
	}
}

static void calculate(struct expr *e, struct expr_code *code, const struct expr_value *a,
                      const struct expr_value *b)
{
	struct number x;
	struct number y;

	if (a->kind == EXPR_VECTOR || b->kind == EXPR_VECTOR) {
		calculate_vectors(e, code, a, b);
		return;
	}
	if (!to_number(e, a, &x, false) || !to_number(e, b, &y, false) ||
	    (y.units == 0 && divides(code->op))) {
		code->value.kind = EXPR_NOTHING;
		return;
	}
	code->value.kind = EXPR_NUMBER;
	if (!calculate_numbers(code->op, &code->value.number, x, y))
		fail(e, "the result of + - * or / is too large");
}

/* -x, abs(x), floor(x) */
static void change_number(struct expr *e, enum expr_op op, struct number *out, struct number x)
{
	bool fits = true;

	if (op == EXPR_FLOOR)
		fits = number_floor(out, x);
	else if (op == EXPR_NEGATE || x.units < 0)
		fits = number_negate(out, x);
	else
		*out = x;
	if (!fits)
		fail(e, "the result of floor() is too large");
}

static void change(struct expr *e, struct expr_code *code, const struct expr_value *a)
{
	struct number x;

	if (a->kind == EXPR_VECTOR) {
		struct expr_vector *out = expr_make_vector(&code->value, a->vector->count);

		for (size_t i = 0; i < out->count; i++)
			change_number(e, code->op, &out->item[i], a->vector->item[i]);
		return;
	}
	if (!to_number(e, a, &x, false)) {
		code->value.kind = EXPR_NOTHING;
		return;
	}
	code->value.kind = EXPR_NUMBER;
	change_number(e, code->op, &code->value.number, x);
}

static void lower(struct expr *e, struct expr_code *code, const struct expr_value *a)
{
	struct str text = to_text(e, a, &code->scratch[1]);
	struct buf *out = &code->scratch[0];

	out->len = 0;
	buf_str(out, text);
	for (size_t i = 0; i < out->len; i++)
		if (out->data[i] >= 'A' && out->data[i] <= 'Z')
			out->data[i] = (char)(out->data[i] + 'a' - 'A');
	code->value.kind = EXPR_TEXT;
	code->value.text = buf_view(out);
}

static bool has(struct expr *e, struct expr_code *code, const struct expr_value *a,
                const struct expr_value *b)
{
	return str_has(to_text(e, a, &code->scratch[0]), to_text(e, b, &code->scratch[1]));
}

/* Appends the replacement, with \0 to \9 for the groups and \\ for a backslash. */
static void replace(struct buf *out, struct str with, struct str text,
                    const struct match_span group[PATTERN_GROUPS])
{
	for (size_t i = 0; i < with.n; i++) {
		char c = with.s[i];
		char next = i + 1 < with.n ? with.s[i + 1] : '\0';

		if (c == '\\' && next >= '0' && next <= '9') {
			struct match_span span = group[next - '0'];

			if (span.last != SIZE_MAX)
				buf_bytes(out, text.s + span.first, span.last - span.first);
			i++;
			continue;
		}
		buf_char(out, c);
		i += c == '\\' && next == '\\';
	}
}

/* Returns the value: a itself if nothing matches. */
static const struct expr_value *substitute(struct expr *e, struct expr_code *code,
                                           const struct expr_value *a, const struct expr_value *b)
{
	struct expr_code *pattern = &e->code[code->at];
	struct buf *out = &code->scratch[0];
	struct str text = to_text(e, a, &code->scratch[1]);
	struct match_span group[PATTERN_GROUPS];

	if (!match_find(&pattern->pattern->match, text, group))
		return a;
	out->len = 0;
	buf_bytes(out, text.s, group[0].first);
	replace(out, to_text(e, b, &pattern->scratch[0]), text, group);
	buf_bytes(out, text.s + group[0].last, text.n - group[0].last);
	code->value.kind = EXPR_TEXT;
	code->value.text = buf_view(out);
	return &code->value;
}

/* As == with each member of the list. */
static bool is_in(struct expr *e, struct expr_code *code, const struct expr_value *a)
{
	struct number x;

	if (code->list->texts.count &&
	    strmap_find(&code->list->texts, to_text(e, a, &code->scratch[0])) != STRMAP_NONE)
		return true;
	if (code->list->numbers.count == 0)
		return false;
	if (a->kind == EXPR_LITERAL)
		return strmap_find(&code->list->numbers, a->text) != STRMAP_NONE;
	if (!to_number(e, a, &x, false))
		return false;
	code->scratch[0].len = 0;
	number_print(&code->scratch[0], x);
	return strmap_find(&code->list->numbers, buf_view(&code->scratch[0])) != STRMAP_NONE;
}

static bool is_empty(struct expr *e, struct expr_code *code, const struct expr_value *a)
{
	return a->kind == EXPR_FIELD ? a->text.n == 0 : to_text(e, a, &code->scratch[0]).n == 0;
}

/* A number of too many decimals is a number, and the question does not round it. */
static bool is_number(struct expr *e, const struct expr_value *a)
{
	bool rounded = e->rounded;
	struct number x;
	bool is = to_number(e, a, &x, false);

	e->rounded = rounded;
	return is;
}

static void set_length(struct expr *e, struct expr_code *code, const struct expr_value *a)
{
	size_t n = to_text(e, a, &code->scratch[0]).n;

	code->value.kind = EXPR_NUMBER;
	code->value.number = number_of(dec_of((int64_t)n));
}

/* --- the machine ----------------------------------------------------------------------- */

/* Replaces a by the value of an instruction. */
static void operate(struct expr *e, struct expr_code *code, const struct expr_value *a)
{
	switch (code->op) {
	case EXPR_LEN:
		set_length(e, code, a);
		break;
	case EXPR_LOWER:
		lower(e, code, a);
		break;
	case EXPR_EMPTY:
		set_condition(&code->value, is_empty(e, code, a));
		break;
	case EXPR_ISNUM:
		set_condition(&code->value, is_number(e, a));
		break;
	case EXPR_NOT:
		set_condition(&code->value, !a->holds);
		break;
	case EXPR_MATCHES:
		set_condition(&code->value,
		              match_in(&code->pattern->match, to_text(e, a, &code->scratch[0])));
		break;
	case EXPR_IN:
		set_condition(&code->value, is_in(e, code, a));
		break;
	default:
		change(e, code, a);
	}
}

/* Replaces a and b. */
static const struct expr_value *combine(struct expr *e, struct expr_code *code,
                                        const struct expr_value *a, const struct expr_value *b)
{
	switch (code->op) {
	case EXPR_HAS:
		set_condition(&code->value, has(e, code, a, b));
		break;
	case EXPR_SUB:
		return substitute(e, code, a, b);
	case EXPR_ADD:
	case EXPR_SUBTRACT:
	case EXPR_MULTIPLY:
	case EXPR_DIVIDE:
	case EXPR_REMAINDER:
	case EXPR_MIN:
	case EXPR_MAX:
		calculate(e, code, a, b);
		break;
	default:
		set_condition(&code->value, compare(e, code, a, b));
	}
	return &code->value;
}

const struct expr_value *expr_value(struct expr *e, const struct str *fields)
{
	/* Each instruction holds its value; the stack points to them. */
	const struct expr_value **top = e->stack;

	e->row++;
	for (size_t i = 0; i < e->count; i++) {
		struct expr_code *code = &e->code[i];

		switch (code->op) {
		case EXPR_COLUMN:
			code->value.text = fields[e->column[code->at].index];
			*top++ = &code->value;
			break;
		case EXPR_CONSTANT:
			*top++ = &code->value;
			break;
		case EXPR_NAMED:
			*top++ = code->named;
			break;
		case EXPR_CALL:
			top -= code->at;
			code->value.kind = EXPR_NOTHING;
			code->value.holds = false;
			code->function->call(e->extra->arg, code->function->which, top, code->at, &code->value);
			*top++ = &code->value;
			break;
		case EXPR_AND:
		case EXPR_OR:
			if (top[-1]->holds == (code->op == EXPR_OR))
				i = code->at - 1;
			else
				top--;
			break;
		case EXPR_IF:
			if (!(*--top)->holds)
				i = code->at - 1;
			break;
		case EXPR_JUMP:
			i = code->at - 1;
			break;
		default:
			if (code->op < EXPR_ADD) {
				operate(e, code, top[-1]);
				top[-1] = &code->value;
			} else {
				top--;
				top[-1] = combine(e, code, top[-1], top[0]);
			}
		}
	}
	return e->stack[0];
}

bool expr_holds(struct expr *e, const struct str *fields)
{
	return expr_value(e, fields)->holds;
}
