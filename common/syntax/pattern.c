#include "syntax/pattern.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { CODE_MAX = 10000, DEPTH_MAX = 100, REPEAT_MAX = 255, NO_LIMIT = -1 };

struct parser {
	struct pattern *p;
	struct str text;
	size_t at;
	int depth;
};

static bool fail(struct parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(struct parser *parser, const char *format, ...)
{
	struct pattern *p = parser->p;
	va_list args;

	va_start(args, format);
	if (!p->error[0])
		vsnprintf(p->error, sizeof p->error, format, args);
	va_end(args);
	return false;
}

/* Appends an instruction. If there are too many, it records the error and overwrites the last. */
static void emit(struct parser *parser, enum pattern_op op, int to)
{
	struct pattern *p = parser->p;

	if (p->count == CODE_MAX) {
		fail(parser, "the pattern is too large");
		p->count--;
	}
	p->code = mem_grow(p->code, &p->cap, p->count + 1, sizeof *p->code);
	p->code[p->count++] = (struct pattern_code){op, to};
}

/* Inserts one before the code from `at` on. */
static void insert(struct parser *parser, size_t at, enum pattern_op op, int to)
{
	struct pattern *p = parser->p;

	emit(parser, op, to);
	if (at + 1 >= p->count)
		return;
	memmove(p->code + at + 1, p->code + at, (p->count - 1 - at) * sizeof *p->code);
	p->code[at] = (struct pattern_code){op, to};
}

static bool more(const struct parser *parser)
{
	return parser->at < parser->text.n;
}

static char peek(const struct parser *parser)
{
	return parser->text.s[parser->at];
}

static bool take(struct parser *parser, char c)
{
	if (!more(parser) || peek(parser) != c)
		return false;
	parser->at++;
	return true;
}

static void set_byte(struct pattern_bytes *bytes, unsigned char c)
{
	bytes->word[c / 64] |= (uint64_t)1 << c % 64;
}

static void emit_bytes(struct parser *parser, const struct pattern_bytes *bytes)
{
	struct pattern *p = parser->p;

	p->bytes = mem_grow(p->bytes, &p->bytes_cap, p->bytes_count + 1, sizeof *p->bytes);
	p->bytes[p->bytes_count] = *bytes;
	emit(parser, PATTERN_BYTES, (int)p->bytes_count++);
}

static void emit_byte(struct parser *parser, char c)
{
	struct pattern_bytes bytes = {0};

	set_byte(&bytes, (unsigned char)c);
	emit_bytes(parser, &bytes);
}

/* Whether c is in the class by the C locale, whatever the locale of the process is. */
static bool in_class(struct str name, unsigned char c)
{
	bool lower = c >= 'a' && c <= 'z';
	bool upper = c >= 'A' && c <= 'Z';
	bool digit = c >= '0' && c <= '9';
	bool graph = c > ' ' && c < 0x7f;
	const struct {
		const char *name;
		bool is;
	} classes[] = {
		{"alpha", lower || upper},
		{"digit", digit},
		{"alnum", lower || upper || digit},
		{"upper", upper},
		{"lower", lower},
		{"space", c == ' ' || (c >= '\t' && c <= '\r')},
		{"blank", c == ' ' || c == '\t'},
		{"punct", graph && !(lower || upper || digit)},
		{"print", graph || c == ' '},
		{"graph", graph},
		{"cntrl", c < ' ' || c == 0x7f},
		{"xdigit", digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')},
	};

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (str_equal(name, str_of(classes[i].name)))
			return classes[i].is;
	return false;
}

static bool is_class(struct str name)
{
	bool any = false;

	for (unsigned c = 0; c < 256; c++)
		any |= in_class(name, (unsigned char)c);
	return any;
}

/* [:NAME:], after its first bracket */
static bool class(struct parser *parser, struct pattern_bytes *bytes)
{
	size_t begin = ++parser->at;
	struct str name;

	while (more(parser) && peek(parser) != ':')
		parser->at++;
	name = (struct str){parser->text.s + begin, parser->at - begin};
	parser->at++;
	if (!take(parser, ']') || !is_class(name))
		return fail(parser, "[: begins no class; the classes are [:alpha:], [:digit:], [:alnum:], "
		                    "[:space:] and so on");
	for (unsigned c = 0; c < 256; c++)
		if (in_class(name, (unsigned char)c))
			set_byte(bytes, (unsigned char)c);
	return true;
}

/* The : . or = of a [: [. or [= that comes next; 0 if it is something else. */
static char name_kind(const struct parser *parser)
{
	char kind = parser->at + 1 < parser->text.n ? parser->text.s[parser->at + 1] : '\0';

	return peek(parser) == '[' && (kind == ':' || kind == '.' || kind == '=') ? kind : '\0';
}

/* Whether a - comes next that makes a range of the byte before it. */
static bool begins_range(const struct parser *parser)
{
	return parser->at + 1 < parser->text.n && peek(parser) == '-' &&
	       parser->text.s[parser->at + 1] != ']';
}

/* A byte, a range or a class of a bracket expression. */
static bool member(struct parser *parser, struct pattern_bytes *bytes)
{
	unsigned char first = (unsigned char)peek(parser);
	unsigned char last = first;
	char named = name_kind(parser);

	parser->at++;
	if (named == ':')
		return class(parser, bytes);
	if (named)
		return fail(parser, "[. and [= are not known; list the bytes");
	if (begins_range(parser)) {
		parser->at++;
		if (name_kind(parser))
			return fail(parser, "[%c cannot end a range in brackets", name_kind(parser));
		last = (unsigned char)parser->text.s[parser->at++];
		if (last < first)
			return fail(parser, "a range in brackets goes backwards");
	}
	for (unsigned c = first; c <= last; c++)
		set_byte(bytes, (unsigned char)c);
	return true;
}

/* Whether a bracket expression begins as [:alpha:], which lacks the outer brackets. */
static bool is_bare_class(const struct parser *parser)
{
	size_t at = parser->at + 1;

	if (!more(parser) || peek(parser) != ':')
		return false;
	while (at < parser->text.n && in_class(STR("alpha"), (unsigned char)parser->text.s[at]))
		at++;
	return at - parser->at > 1 && at + 1 < parser->text.n &&
	       memcmp(parser->text.s + at, ":]", 2) == 0;
}

/* [...], after its first bracket */
static bool bracket(struct parser *parser)
{
	struct pattern_bytes bytes = {0};
	size_t begins;
	bool other = take(parser, '^');
	bool first = true;

	if (is_bare_class(parser))
		return fail(parser, "write classes with two brackets, as in [[:alpha:]]");
	for (;; first = false) {
		if (!more(parser))
			return fail(parser, "[ has no ]");
		if (!first && take(parser, ']'))
			break;
		begins = parser->at;
		if (!member(parser, &bytes))
			return false;
		if (parser->at - begins > 1 && begins_range(parser))
			return fail(parser, "- follows a range or class in brackets; put it last");
	}
	for (size_t i = 0; other && i < 4; i++)
		bytes.word[i] = ~bytes.word[i];
	emit_bytes(parser, &bytes);
	return true;
}

static bool escaped(struct parser *parser)
{
	char c;

	if (!more(parser))
		return fail(parser, "\\ stands at the end");
	c = peek(parser);
	if (in_class(STR("digit"), (unsigned char)c))
		return fail(parser, "\\%c: a pattern cannot refer back to a group", c);
	if (in_class(STR("alpha"), (unsigned char)c))
		return fail(parser, "\\%c has no meaning; use a class such as [[:alnum:]_]", c);
	if (c == '<' || c == '>' || c == '`' || c == '\'')
		return fail(parser, "\\%c has no meaning; write %c for the byte", c, c);
	parser->at++;
	emit_byte(parser, c);
	return true;
}

static bool alternatives(struct parser *parser);

static bool group(struct parser *parser)
{
	int number = ++parser->p->groups;

	if (++parser->depth > DEPTH_MAX)
		return fail(parser, "parentheses are nested more than %d deep", DEPTH_MAX);
	if (number < PATTERN_GROUPS)
		emit(parser, PATTERN_SAVE, 2 * number);
	if (!alternatives(parser))
		return false;
	if (!take(parser, ')'))
		return fail(parser, "( has no )");
	if (number < PATTERN_GROUPS)
		emit(parser, PATTERN_SAVE, 2 * number + 1);
	parser->depth--;
	return true;
}

/*
 * Whether {2}, {2,}, {2,5}, {,5} or {,} comes next. A { before a digit is no byte, even if the rest
 * is wrong.
 */
static bool begins_interval(const struct parser *parser)
{
	size_t at = parser->at + 1;

	if (at >= parser->text.n || peek(parser) != '{')
		return false;
	if (in_class(STR("digit"), (unsigned char)parser->text.s[at]))
		return true;
	if (parser->text.s[at++] != ',')
		return false;
	while (at < parser->text.n && in_class(STR("digit"), (unsigned char)parser->text.s[at]))
		at++;
	return at < parser->text.n && parser->text.s[at] == '}';
}

/* Whether something comes next that repeats the atom before it. */
static bool begins_repeat(const struct parser *parser)
{
	char c = more(parser) ? peek(parser) : '\0';

	return c == '*' || c == '+' || c == '?' || begins_interval(parser);
}

static bool atom(struct parser *parser)
{
	struct pattern_bytes all = {{~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0}};
	char c = peek(parser);

	if (begins_repeat(parser))
		return fail(parser, "%c has nothing to repeat; write \\%c for the byte", c, c);
	parser->at++;
	switch (c) {
	case '(':
		return group(parser);
	case '[':
		return bracket(parser);
	case '\\':
		return escaped(parser);
	case '.':
		emit_bytes(parser, &all);
		break;
	case '^':
	case '$':
		emit(parser, c == '^' ? PATTERN_BEGIN : PATTERN_END, 0);
		if (begins_repeat(parser))
			return fail(parser, "%c cannot repeat %c", peek(parser), c);
		break;
	default:
		emit_byte(parser, c);
	}
	return true;
}

static int number(struct parser *parser)
{
	int value = 0;

	while (more(parser) && in_class(STR("digit"), (unsigned char)peek(parser))) {
		if (value <= REPEAT_MAX)
			value = 10 * value + peek(parser) - '0';
		parser->at++;
	}
	return value;
}

/* Writes the atom from `begin` on so many times; most NO_LIMIT: at least `least` times. */
static void repeat(struct parser *parser, size_t begin, int least, int most)
{
	struct pattern *p = parser->p;
	size_t n = p->count - begin;
	struct pattern_code *atom_code = mem_alloc(n + 1, sizeof *atom_code);
	int times = most == NO_LIMIT ? least + (least == 0) : most;

	memcpy(atom_code, p->code + begin, n * sizeof *atom_code);
	p->count = begin;
	for (int i = 0; i < times && !p->error[0]; i++) {
		size_t left = (size_t)(times - i) * (n + 1); /* the code of this and the later ones */

		if (i >= least)
			emit(parser, PATTERN_SPLIT, (int)left + (most == NO_LIMIT));
		for (size_t k = 0; k < n && !p->error[0]; k++)
			emit(parser, atom_code[k].op, atom_code[k].to);
	}
	if (most == NO_LIMIT)
		emit(parser, PATTERN_LOOP, -(int)n);
	free(atom_code);
}

/* {2}, {2,}, {2,5} or {,5}, after its { */
static bool interval(struct parser *parser, size_t begin)
{
	int least = number(parser);
	int most = least;

	if (take(parser, ','))
		most = more(parser) && peek(parser) != '}' ? number(parser) : NO_LIMIT;
	if (!take(parser, '}'))
		return fail(parser, "{ has no }; write \\{ for the byte");
	if (least > REPEAT_MAX || most > REPEAT_MAX)
		return fail(parser, "more than %d repeats", REPEAT_MAX);
	if (most != NO_LIMIT && most < least)
		return fail(parser, "the numbers in { } go backwards");
	repeat(parser, begin, least, most);
	return true;
}

/* An atom and what repeats it. */
static bool piece(struct parser *parser)
{
	size_t begin = parser->p->count;

	if (!atom(parser))
		return false;
	for (;;) {
		if (take(parser, '*'))
			repeat(parser, begin, 0, NO_LIMIT);
		else if (take(parser, '+'))
			repeat(parser, begin, 1, NO_LIMIT);
		else if (take(parser, '?'))
			repeat(parser, begin, 0, 1);
		else if (!begins_interval(parser))
			return !parser->p->error[0];
		else if (parser->at++, !interval(parser, begin))
			return false;
	}
}

/* Parses up to a ) that closes an outer group, or to the end. */
static bool alternatives(struct parser *parser)
{
	struct pattern *p = parser->p;
	size_t begin = p->count;
	int last_jump = -1; /* chained by `to` until the end is known */

	while (more(parser) && (peek(parser) != ')' || parser->depth == 0)) {
		if (peek(parser) == ')')
			return fail(parser, ") has no (");
		if (!take(parser, '|')) {
			if (!piece(parser))
				return false;
			continue;
		}
		insert(parser, begin, PATTERN_SPLIT, (int)(p->count - begin) + 2);
		emit(parser, PATTERN_JUMP, last_jump);
		if (p->error[0])
			return false;
		last_jump = (int)p->count - 1;
		begin = p->count;
	}
	while (last_jump >= 0) {
		struct pattern_code *jump = &p->code[last_jump];
		int before = jump->to;

		jump->to = (int)p->count - last_jump;
		last_jump = before;
	}
	return true;
}

bool pattern_compile(struct pattern *p, struct str text)
{
	struct parser parser = {.p = p, .text = text};

	if (!alternatives(&parser))
		return false;
	emit(&parser, PATTERN_MATCH, 0);
	return !p->error[0];
}

bool pattern_is_literal(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (strchr(".[\\()*+?{|^$", text.s[i]) && text.s[i])
			return false;
	return true;
}

void pattern_free(struct pattern *p)
{
	free(p->code);
	free(p->bytes);
	*p = (struct pattern){0};
}
