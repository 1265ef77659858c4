#include "syntax/expr.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/plaintext.h"
#include "syntax/exprcode.h"
#include "syntax/lexer.h"

#include <stdarg.h>
#include <stdlib.h>

enum { DEPTH_MAX = 200 };

/* What is known of a part before any row: whether it may stand at its place. */
enum kind { CONDITION, NUMBER, LITERAL, ANY };

struct parser {
	struct expr *e;
	struct lexer lexer;
	struct strmap columns; /* their names, by number in e->column */
	int depth;
	size_t height; /* values on the stack */
};

/* --- errors ------------------------------------------------------------------ */

/* Records the error at a place of the text; the first counts. Returns false. */
static bool fail_at(struct parser *p, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail_at(struct parser *p, size_t at, const char *format, ...)
{
	struct str rest = {p->lexer.text.s + at, p->lexer.text.n - at};
	struct buf what = {0};
	char place[QUOTE_MAX];
	va_list args;

	if (p->e->error[0])
		return false;
	buf_format(&what, "at %s: ", rest.n ? quote(place, rest.s, rest.n) : "the end");
	va_start(args, format);
	buf_vformat(&what, format, args);
	va_end(args);
	plaintext_fit(p->e->error, sizeof p->e->error, buf_view(&what));
	buf_free(&what);
	return false;
}

#define fail(p, ...) fail_at(p, (p)->lexer.at, __VA_ARGS__)

/* The next token; false if it is not one. */
static bool next(struct parser *p)
{
	lexer_next(&p->lexer);
	return p->lexer.token != TOKEN_ERROR || fail(p, "%s", p->lexer.error);
}

static bool is(const struct parser *p, const char *op)
{
	return lexer_is(&p->lexer, op);
}

static bool expect(struct parser *p, const char *op, const char *after)
{
	return (is(p, op) && next(p)) || fail(p, "%s is missing after %s", op, after);
}

/* False, with an error at this place, if the part is a condition, or, for a number, a text. */
static bool need_value(struct parser *p, size_t at, enum kind kind)
{
	return kind != CONDITION ||
	       fail_at(p, at, "this is a condition, not a value; use if(CONDITION, A, B)");
}

static bool need_number(struct parser *p, size_t at, enum kind kind)
{
	return need_value(p, at, kind) &&
	       (kind != LITERAL || fail_at(p, at, "this is a text, not a number"));
}

static bool need_condition(struct parser *p, size_t at, enum kind kind)
{
	return kind == CONDITION ||
	       fail_at(p, at, "this is not a condition; compare it with something, as in dur > 0");
}

/* --- instructions ---------------------------------------------------------------- */

/* Appends one, after which the stack has so many values more. */
static struct expr_code *emit(struct parser *p, enum expr_op op, int more)
{
	struct expr *e = p->e;
	struct expr_code *code;

	e->code = mem_grow(e->code, &e->cap, e->count + 1, sizeof *e->code);
	code = &e->code[e->count++];
	*code = (struct expr_code){0};
	code->op = op;
	p->height += (size_t)more;
	if (p->height > e->stack_size)
		e->stack_size = p->height;
	return code;
}

static void put_text(struct parser *p)
{
	struct expr_code *code = emit(p, EXPR_CONSTANT, 1);

	buf_str(&code->text, buf_view(&p->lexer.decoded));
	code->value = (struct expr_value){.kind = EXPR_LITERAL, .text = buf_view(&code->text)};
}

/* A name to which the caller gives a value. */
static bool put_named(struct parser *p, enum kind *kind)
{
	const struct expr_extra *extra = p->e->extra;
	struct str name = buf_view(&p->lexer.decoded);
	bool is_condition = false;
	const struct expr_value *value = extra->value(extra->arg, name, &is_condition);

	if (!value)
		return fail(p, "there is no such name here; see %s", extra->page);
	emit(p, EXPR_NAMED, 1)->named = value;
	*kind = is_condition ? CONDITION : ANY;
	return true;
}

static void put_column(struct parser *p)
{
	struct expr *e = p->e;
	struct str name = buf_view(&p->lexer.decoded);
	size_t number = strmap_add(&p->columns, name, NULL);
	struct expr_code *code;

	if (number == e->columns_count) {
		e->column = mem_grow(e->column, &e->columns_cap, number + 1, sizeof *e->column);
		e->column[e->columns_count++] =
			(struct expr_column){.name = {mem_string(name.s, name.n), name.n}};
	}
	code = emit(p, EXPR_COLUMN, 1);
	code->at = number;
	code->value = (struct expr_value){.kind = EXPR_FIELD, .column = number};
}

static void take_number(struct parser *p, struct expr_value *value)
{
	*value = (struct expr_value){.kind = EXPR_NUMBER, .number = number_of(p->lexer.number)};
	p->e->has_unit |= p->lexer.has_unit;
}

/* Compiles the text at hand, a pattern, into an instruction; then takes it. */
static bool put_pattern(struct parser *p, enum expr_op op, int more)
{
	struct expr_code *code;

	if (p->lexer.token != TOKEN_TEXT)
		return fail(p, "a pattern in quotes is missing");
	code = emit(p, op, more);
	code->pattern = mem_zero(1, sizeof *code->pattern);
	code->pattern->match.pattern = &code->pattern->pattern;
	return pattern_compile(&code->pattern->pattern, buf_view(&p->lexer.decoded))
	           ? next(p)
	           : fail(p, "%s", code->pattern->pattern.error);
}

/* --- the grammar --------------------------------------------------------------------- */

/* Each parses a part, writes its instructions and sets its kind. */
static bool parse_or(struct parser *p, enum kind *kind);

static bool argument(struct parser *p, enum kind *kind,
                     bool (*need)(struct parser *, size_t, enum kind))
{
	size_t at = p->lexer.at;

	return parse_or(p, kind) && need(p, at, *kind);
}

/*
 * Makes a literal, the part before the cursor, a text: as the result of a function it may be a
 * number.
 */
static void make_text(struct parser *p, enum kind kind)
{
	if (kind == LITERAL)
		p->e->code[p->e->count - 1].value.kind = EXPR_TEXT;
}

/* Parses if(). Its kind is the kind of both results, or any. */
static bool parse_if(struct parser *p, enum kind *kind)
{
	size_t to_else;
	size_t to_end;
	enum kind other;
	size_t at;

	if (!argument(p, kind, need_condition) || !expect(p, ",", "the condition"))
		return false;
	to_else = p->e->count;
	emit(p, EXPR_IF, -1);
	if (!parse_or(p, kind) || !expect(p, ",", "the first value"))
		return false;
	make_text(p, *kind);
	to_end = p->e->count;
	emit(p, EXPR_JUMP, -1);
	p->e->code[to_else].at = p->e->count;
	at = p->lexer.at;
	if (!parse_or(p, &other))
		return false;
	make_text(p, other);
	p->e->code[to_end].at = p->e->count;
	if ((other == CONDITION) != (*kind == CONDITION))
		return fail_at(p, at, "both values must be conditions, or none");
	if (other != *kind)
		*kind = ANY;
	return true;
}

static bool parse_sub(struct parser *p, enum kind *kind)
{
	size_t code;

	if (!argument(p, kind, need_value) || !expect(p, ",", "the text"))
		return false;
	make_text(p, *kind);
	code = p->e->count;
	if (!put_pattern(p, EXPR_JUMP, 0) || !expect(p, ",", "the pattern") ||
	    !argument(p, kind, need_value))
		return false;
	/* The pattern was compiled first, so that its errors come first; it runs last. */
	p->e->code[code].at = code + 1;
	emit(p, EXPR_SUB, -1)->at = code;
	*kind = ANY;
	return true;
}

struct function {
	const char *name;
	enum expr_op op;
	size_t least; /* arguments */
	size_t most;
	enum kind kind;
	bool numbers; /* its arguments are numbers */
};

static const struct function functions[] = {
	{"abs", EXPR_ABS, 1, 1, NUMBER, true},
	{"empty", EXPR_EMPTY, 1, 1, CONDITION, false},
	{"floor", EXPR_FLOOR, 1, 1, NUMBER, true},
	{"has", EXPR_HAS, 2, 2, CONDITION, false},
	{"if", EXPR_IF, 3, 3, ANY, false},
	{"isnum", EXPR_ISNUM, 1, 1, CONDITION, false},
	{"len", EXPR_LEN, 1, 1, NUMBER, false},
	{"lower", EXPR_LOWER, 1, 1, ANY, false},
	{"max", EXPR_MAX, 2, SIZE_MAX, NUMBER, true},
	{"min", EXPR_MIN, 2, SIZE_MAX, NUMBER, true},
	{"sub", EXPR_SUB, 3, 3, ANY, false},
};

/* A function of the caller; NULL if the caller has none of this name. */
static const struct expr_function *find_extra(struct parser *p)
{
	const struct expr_extra *extra = p->e->extra;

	for (size_t i = 0; extra && i < extra->count; i++)
		if (str_equal(buf_view(&p->lexer.decoded), str_of(extra->functions[i].name)))
			return &extra->functions[i];
	return NULL;
}

static const struct function *find_function(struct parser *p)
{
	const struct expr_extra *extra = p->e->extra;
	struct nearest nearest = nearest_to(buf_view(&p->lexer.decoded));

	for (size_t i = 0; extra && i < extra->count; i++)
		nearest_try(&nearest, str_of(extra->functions[i].name));
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		if (str_equal(nearest.word, str_of(functions[i].name)))
			return &functions[i];
		nearest_try(&nearest, str_of(functions[i].name));
	}
	if (nearest.found.s)
		fail(p, "there is no such function; did you mean %s()?", nearest.found.s);
	else
		fail(p, "there is no such function; see %s", extra ? extra->page : "kselect(1)");
	return NULL;
}

/* A call of a function of the caller. */
static bool parse_extra(struct parser *p, const struct expr_function *function, enum kind *kind)
{
	struct expr_code *code;
	size_t count = 0;

	if (!next(p) || !expect(p, "(", "the name"))
		return false;
	for (; count < function->most && (count < function->least || !is(p, ")")); count++) {
		if (count && !expect(p, ",", "an argument"))
			return false;
		if (!argument(p, kind, need_value))
			return false;
	}
	code = emit(p, EXPR_CALL, 1 - (int)count);
	code->function = function;
	code->at = count;
	*kind = function->is_condition ? CONDITION : ANY;
	return expect(p, ")", "the arguments");
}

/* Its arguments, after the parenthesis. */
static bool arguments(struct parser *p, const struct function *function)
{
	enum kind kind;

	for (size_t i = 0; i < function->most; i++) {
		if (i >= function->least && is(p, ")"))
			break;
		if (i && !expect(p, ",", "an argument"))
			return false;
		if (!argument(p, &kind, function->numbers ? need_number : need_value))
			return false;
		if (function->most == 1)
			emit(p, function->op, 0);
		else if (i)
			emit(p, function->op, -1);
	}
	return true;
}

static bool parse_function(struct parser *p, enum kind *kind)
{
	const struct expr_function *extra = find_extra(p);
	const struct function *function;
	bool good;

	if (extra)
		return parse_extra(p, extra, kind);
	function = find_function(p);
	if (!function || !next(p) || !next(p))
		return false;
	if (function->op == EXPR_IF) {
		good = parse_if(p, kind);
	} else if (function->op == EXPR_SUB) {
		good = parse_sub(p, kind);
	} else {
		*kind = function->kind;
		good = arguments(p, function);
	}
	return good && expect(p, ")", "the arguments");
}

static bool parse_primary(struct parser *p, enum kind *kind)
{
	struct expr_code *code;
	bool good;

	switch (p->lexer.token) {
	case TOKEN_NUMBER:
		code = emit(p, EXPR_CONSTANT, 1);
		take_number(p, &code->value);
		*kind = NUMBER;
		return next(p);
	case TOKEN_TEXT:
		put_text(p);
		*kind = LITERAL;
		return next(p);
	case TOKEN_NAME:
		if (!lexer_is_function(&p->lexer)) {
			*kind = ANY;
			if (!p->e->extra)
				put_column(p);
			else if (!put_named(p, kind))
				return false;
			return next(p);
		}
		break;
	default:
		if (!is(p, "("))
			return fail(p, "a column, a number or a text is missing");
	}
	if (++p->depth > DEPTH_MAX)
		return fail(p, "nested more than %d deep", DEPTH_MAX);
	if (is(p, "("))
		good = next(p) && parse_or(p, kind) && expect(p, ")", "this");
	else
		good = parse_function(p, kind);
	p->depth--;
	return good;
}

static bool parse_unary(struct parser *p, enum kind *kind)
{
	size_t minus = 0;
	size_t at;

	for (; is(p, "-"); minus++)
		if (!next(p))
			return false;
	at = p->lexer.at;
	if (!parse_primary(p, kind) || (minus && !need_number(p, at, *kind)))
		return false;
	if (minus)
		*kind = NUMBER;
	while (minus--)
		emit(p, EXPR_NEGATE, 0);
	return true;
}

/* Parts with operators of one rank between them: all are numbers. */
static bool chain(struct parser *p, enum kind *kind, bool (*part)(struct parser *, enum kind *),
                  const char *const *ops, const enum expr_op *codes)
{
	size_t at = p->lexer.at;

	if (!part(p, kind))
		return false;
	for (size_t i = 0; ops[i];) {
		enum kind right;

		if (!is(p, ops[i])) {
			i++;
			continue;
		}
		if (!need_number(p, at, *kind) || !next(p))
			return false;
		at = p->lexer.at;
		if (!part(p, &right) || !need_number(p, at, right))
			return false;
		emit(p, codes[i], -1);
		*kind = NUMBER;
		i = 0;
	}
	return true;
}

static bool parse_product(struct parser *p, enum kind *kind)
{
	static const char *const ops[] = {"*", "/", "%", NULL};
	static const enum expr_op codes[] = {EXPR_MULTIPLY, EXPR_DIVIDE, EXPR_REMAINDER};

	return chain(p, kind, parse_unary, ops, codes);
}

static bool parse_sum(struct parser *p, enum kind *kind)
{
	static const char *const ops[] = {"+", "-", NULL};
	static const enum expr_op codes[] = {EXPR_ADD, EXPR_SUBTRACT};

	return chain(p, kind, parse_product, ops, codes);
}

/* A text or a number of the list that follows `in`. */
static bool member(struct parser *p, size_t code)
{
	struct expr_value value;
	struct buf *text = &p->e->code[code].text;
	bool minus = is(p, "-");

	if (minus && !next(p))
		return false;
	if (p->lexer.token == TOKEN_TEXT && !minus) {
		strmap_add(&p->e->code[code].list->texts, buf_view(&p->lexer.decoded), NULL);
		return next(p);
	}
	if (p->lexer.token != TOKEN_NUMBER)
		return fail(p, "a text or a number is missing");
	take_number(p, &value);
	if (minus)
		number_negate(&value.number, value.number);
	text->len = 0;
	number_print(text, value.number);
	strmap_add(&p->e->code[code].list->numbers, buf_view(text), NULL);
	return next(p);
}

static bool parse_in(struct parser *p)
{
	size_t code = p->e->count;

	emit(p, EXPR_IN, 0)->list = mem_zero(1, sizeof(struct expr_list));
	if (!next(p) || !expect(p, "(", "in") || !member(p, code))
		return false;
	while (is(p, ","))
		if (!next(p) || !member(p, code))
			return false;
	return expect(p, ")", "the list");
}

/* name ~ "x": a pattern that is a literal is only searched for. */
static bool parse_match(struct parser *p)
{
	bool not = is(p, "!~");

	if (!next(p))
		return false;
	if (p->lexer.token == TOKEN_TEXT && pattern_is_literal(buf_view(&p->lexer.decoded))) {
		put_text(p);
		emit(p, EXPR_HAS, -1);
		if (!next(p))
			return false;
	} else if (!put_pattern(p, EXPR_MATCHES, 0)) {
		return false;
	}
	if (not )
		emit(p, EXPR_NOT, 0);
	return true;
}

/* The comparison at the cursor; EXPR_JUMP if the word is not a comparison. */
static enum expr_op comparison_of(const struct parser *p)
{
	static const struct {
		const char *op;
		enum expr_op code;
	} all[] = {{"==", EXPR_EQUAL},      {"!=", EXPR_DIFFERENT}, {"<", EXPR_LESS},
	           {"<=", EXPR_LESS_EQUAL}, {">", EXPR_GREATER},    {">=", EXPR_GREATER_EQUAL}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (is(p, all[i].op))
			return all[i].code;
	return EXPR_JUMP;
}

static bool parse_comparison(struct parser *p, enum kind *kind)
{
	size_t at = p->lexer.at;
	size_t first;
	enum expr_op code;
	bool braced;
	bool in;

	if (!parse_sum(p, kind))
		return false;
	code = comparison_of(p);
	in = p->lexer.token == TOKEN_NAME && str_equal(p->lexer.spelling, STR("in"));
	if (code == EXPR_JUMP && !in && !is(p, "~") && !is(p, "!~"))
		return true;
	if (!need_value(p, at, *kind))
		return false;
	*kind = CONDITION;
	if (in)
		return parse_in(p);
	if (code == EXPR_JUMP)
		return parse_match(p);
	if (!next(p))
		return false;
	at = p->lexer.at;
	first = p->e->count;
	braced = p->lexer.braced; /* braces say that a column is meant */
	if (!parse_sum(p, kind) || !need_value(p, at, *kind))
		return false;
	if (!braced && p->e->count == first + 1 && p->e->code[first].op == EXPR_COLUMN)
		p->e->column[p->e->code[first].at].compared |= code == EXPR_EQUAL || code == EXPR_DIFFERENT;
	emit(p, code, -1);
	*kind = CONDITION;
	if (comparison_of(p) != EXPR_JUMP)
		return fail(p, "comparisons cannot be chained; use &&");
	return true;
}

static bool parse_not(struct parser *p, enum kind *kind)
{
	bool any = false;
	bool not = false;
	size_t at;

	for (; is(p, "!"); any = true) {
		not = !not ;
		if (!next(p))
			return false;
	}
	at = p->lexer.at;
	if (!parse_comparison(p, kind) || (any && !need_condition(p, at, *kind)))
		return false;
	if (not )
		emit(p, EXPR_NOT, 0);
	return true;
}

/*
 * Conditions with && or || between them. If a condition decides, the evaluation goes on after the
 * last.
 */
static bool parse_logic(struct parser *p, enum kind *kind, const char *op, enum expr_op code,
                        bool (*part)(struct parser *, enum kind *))
{
	size_t at = p->lexer.at;
	size_t last = SIZE_MAX; /* chained by `at` until the end is known */

	if (!part(p, kind))
		return false;
	while (is(p, op)) {
		if (!need_condition(p, at, *kind) || !next(p))
			return false;
		emit(p, code, -1)->at = last;
		last = p->e->count - 1;
		at = p->lexer.at;
		if (!part(p, kind) || !need_condition(p, at, *kind))
			return false;
	}
	while (last != SIZE_MAX) {
		size_t before = p->e->code[last].at;

		p->e->code[last].at = p->e->count;
		last = before;
	}
	return true;
}

static bool parse_and(struct parser *p, enum kind *kind)
{
	return parse_logic(p, kind, "&&", EXPR_AND, parse_not);
}

static bool parse_or(struct parser *p, enum kind *kind)
{
	return parse_logic(p, kind, "||", EXPR_OR, parse_and);
}

/* All of the text. */
static bool parse(struct parser *p, enum kind *kind)
{
	static const struct {
		const char *word;
		const char *use;
	} words[] = {{"and", "&&"}, {"or", "||"}, {"AND", "&&"}, {"OR", "||"}};

	if (!next(p) || !parse_or(p, kind))
		return false;
	if (p->lexer.token == TOKEN_END)
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_equal(p->lexer.spelling, str_of(words[i].word)))
			return fail(p, "write %s", words[i].use);
	return fail(p, "an operator is missing; a name with spaces needs braces, as in {External id}");
}

bool expr_compile(struct expr *e, struct str text)
{
	return expr_compile_with(e, text, NULL);
}

bool expr_compile_with(struct expr *e, struct str text, const struct expr_extra *extra)
{
	struct parser p = {.e = e, .lexer = {.text = text}};
	enum kind kind;
	bool good;

	e->extra = extra;
	good = parse(&p, &kind);
	lexer_free(&p.lexer);
	strmap_free(&p.columns);
	if (!good)
		return false;
	e->is_condition = kind == CONDITION;
	e->stack = mem_alloc(e->stack_size, sizeof(void *));
	return true;
}

static void free_code(struct expr_code *code)
{
	buf_free(&code->text);
	buf_free(&code->scratch[0]);
	buf_free(&code->scratch[1]);
	if (code->op != EXPR_NAMED)
		free(code->value.vector);
	if (code->list) {
		strmap_free(&code->list->texts);
		strmap_free(&code->list->numbers);
	}
	free(code->list);
	if (code->pattern) {
		match_free(&code->pattern->match);
		pattern_free(&code->pattern->pattern);
	}
	free(code->pattern);
}

void expr_free(struct expr *e)
{
	for (size_t i = 0; i < e->columns_count; i++) {
		free((char *)e->column[i].name.s);
		buf_free(&e->column[i].scratch);
	}
	for (size_t i = 0; i < e->count; i++)
		free_code(&e->code[i]);
	free(e->column);
	free(e->code);
	free(e->stack);
	*e = (struct expr){0};
}
