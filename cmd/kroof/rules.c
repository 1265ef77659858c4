#include "rules.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "syntax/exprcode.h"
#include "syntax/rulefile.h"

#include <stdlib.h>

/* The text of roof.rules, which the Makefile embeds. */
extern const char roof_rules[];

/* A value that a rule sets; later parts of the rule use it. It does not move. */
struct rules_name {
	struct str name;
	struct expr_value value;
	bool is_condition;
};

/* when EXPR, or NAME = EXPR */
struct rules_step {
	uint64_t line;
	struct rules_name *name; /* NULL: a condition */
	struct expr expr;
};

struct rules_rule {
	size_t file;
	struct str globs; /* in the text of the file, as the class */
	struct str class; /* "-": that of the kernels */
	uint64_t columns; /* those that it uses: bits by number in shapes.columns */
	bool inner;       /* not for rules_put_patterns */
	struct rules_step *step;
	size_t count;
	size_t cap;
};

struct rules_op {
	size_t end;       /* its rules in candidate stand from the end of the operator before to here */
	uint64_t columns; /* those that any of these rules uses */
};

/* After this word, the patterns of a rule go on in the next line. */
static const struct str goes_on = {"\\", 1};

static const char *const figure_names[RULES_FIGURES] = {"M", "N", "K", "B", "flops", "bytes"};

const char *const rules_bases[RULES_BASES] = {"exact", "most", "estimate"};

/* --- errors ------------------------------------------------------------------------ */

static bool fail_in(struct rules *r, size_t file, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static bool fail_in(struct rules *r, size_t file, uint64_t line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	rulefile_error(r->error, sizeof r->error, r->file[file].name, line, format, args);
	va_end(args);
	return false;
}

/* In the file that is read. */
#define fail(r, ...) fail_in(r, (r)->files - 1, __VA_ARGS__)

/* --- a file ------------------------------------------------------------------------- */

static bool is_in(const char *set, char c)
{
	while (*set && *set != c)
		set++;
	return *set != '\0';
}

/* Takes the next word off *text; between are any of `between`. False at the end. */
static bool next_word(struct str *text, const char *between, struct str *word)
{
	size_t n = 0;

	while (text->n && is_in(between, *text->s)) {
		text->s++;
		text->n--;
	}
	while (n < text->n && !is_in(between, text->s[n]))
		n++;
	*word = (struct str){text->s, n};
	text->s += n;
	text->n -= n;
	return n > 0;
}

/* Takes the next pattern off *globs. Blanks and newlines, the only bytes up to ' ', part them. */
static bool next_glob(struct str *globs, struct str *glob)
{
	const char *at = globs->s;
	const char *end = at + globs->n;

	do {
		while (at < end && (unsigned char)*at <= ' ')
			at++;
		glob->s = at;
		while (at < end && (unsigned char)*at > ' ')
			at++;
		glob->n = (size_t)(at - glob->s);
	} while (str_equal(*glob, goes_on));
	*globs = (struct str){at, (size_t)(end - at)};
	return glob->n > 0;
}

/* "size BYTES NAME", and the types after the tab. */
static bool parse_size(struct rules *r, uint64_t line, struct str head, struct str types)
{
	struct shapes *shapes = &r->shapes;
	struct shapes_type type;
	struct str word;

	next_word(&head, " ", &word);
	if (!next_word(&head, " ", &word) || dec_parse(word, &type.size) != DEC_OK ||
	    type.size.nano <= 0)
		return fail(r, line, "the size of a type must be a number of bytes above 0");
	type.owner = r->files;
	if (!next_word(&head, " ", &type.short_name) || str_trim(head).n)
		return fail(r, line, "a size needs a short name for its types: size 2 bf16");
	while (next_word(&types, ",", &word)) {
		char quoted[QUOTE_MAX];
		size_t number;
		bool added;

		word = str_trim(word);
		if (word.n == 0)
			continue;
		number = strmap_add(&shapes->types, word, &added);
		if (!added && shapes->type[number].owner == r->files)
			return fail(r, line, "the type %s has a size already", quote(quoted, word.s, word.n));
		if (!added)
			continue;
		shapes->type = mem_grow(shapes->type, &shapes->types_cap, number + 1, sizeof type);
		shapes->type[number] = type;
	}
	return true;
}

/* "cost N", and the names after the tab. */
static bool parse_cost(struct rules *r, uint64_t line, struct str head, struct str names)
{
	char quoted[QUOTE_MAX];
	struct str word;
	uint64_t cost;

	head = str_trim((struct str){head.s + 4, head.n - 4});
	if (!str_whole(head, &cost) || cost > COSTS_MAX)
		return fail(r, line, "the cost of an element must be a whole number up to %d", COSTS_MAX);
	while (next_word(&names, ",", &word)) {
		word = str_trim(word);
		if (word.n > COSTS_NAME_MAX)
			return fail(r, line, "%s is longer than %d bytes", quote(quoted, word.s, word.n),
			            COSTS_NAME_MAX);
		if (word.n && costs_owner(&r->shapes.costs, word) == r->files)
			return fail(r, line, "%s has a cost already", quote(quoted, word.s, word.n));
		if (word.n)
			costs_put(&r->shapes.costs, word, cost, r->files);
	}
	return true;
}

/* A line at the margin. */
static bool parse_margin(struct rules *r, uint64_t line, struct str text)
{
	const char *tab = memchr(text.s, '\t', text.n);
	struct str head = {text.s, tab ? (size_t)(tab - text.s) : text.n};
	struct str rest = {text.s + head.n, text.n - head.n};
	struct str third = {0};
	char quoted[QUOTE_MAX];

	rest = str_trim(rest);
	if (rest.n == 0)
		return fail(r, line, "a rule begins with patterns of operators, a tab and a class");
	if (str_starts(text, STR("size ")))
		return parse_size(r, line, head, rest);
	if (str_starts(text, STR("cost ")))
		return parse_cost(r, line, head, rest);
	tab = memchr(rest.s, '\t', rest.n);
	if (tab) {
		third = str_trim((struct str){tab, (size_t)(rest.s + rest.n - tab)});
		rest = str_trim((struct str){rest.s, (size_t)(tab - rest.s)});
	}
	if (third.n && !str_equal(third, STR("inner")))
		return fail(r, line, "%s is not known; after the class only inner may stand",
		            quote(quoted, third.s, third.n));
	r->rule = mem_grow(r->rule, &r->cap, r->count + 1, sizeof *r->rule);
	r->rule[r->count++] = (struct rules_rule){
		.file = r->files - 1, .globs = str_trim(head), .class = rest, .inner = third.n > 0};
	return true;
}

static const struct rules_name *find_name(const struct rules_rule *rule, struct str name)
{
	for (size_t i = 0; i < rule->count; i++)
		if (rule->step[i].name && str_equal(rule->step[i].name->name, name))
			return rule->step[i].name;
	return NULL;
}

/* For expr: a name that an earlier part of the last rule has set. */
static const struct expr_value *value_of(void *arg, struct str name, bool *is_condition)
{
	struct rules *r = arg;
	const struct rules_name *found = find_name(&r->rule[r->count - 1], name);

	if (str_equal(name, STR("cpu_op")))
		return &r->op;
	if (!found)
		return NULL;
	*is_condition = found->is_condition;
	return &found->value;
}

/* NAME = EXPR: sets *name, and takes both off text. */
static bool take_name(struct str *text, struct str *name)
{
	struct str rest = *text;

	if (!next_word(&rest, " \t=", name) || rest.s == text->s)
		return false;
	for (size_t i = 0; i < name->n; i++) {
		char c = name->s[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && !(i && c >= '0' && c <= '9'))
			return false;
	}
	rest = str_trim(rest);
	if (!str_starts(rest, STR("=")) || str_starts(rest, STR("==")))
		return false;
	*text = str_trim((struct str){rest.s + 1, rest.n - 1});
	return true;
}

/* What a rule sets for the table must be of the right kind, so far as that is known. */
static bool check_set(struct rules *r, const struct rules_step *step, struct str name)
{
	struct rules_rule *rule = &r->rule[r->count - 1];
	bool figure = str_equal(name, STR("dtype")) || str_equal(name, STR("peak")) ||
	              str_equal(name, STR("basis"));
	char quoted[QUOTE_MAX];

	for (int i = 0; i < RULES_FIGURES; i++)
		figure |= str_equal(name, str_of(figure_names[i]));
	if (find_name(rule, name))
		return fail(r, step->line, "%s is set twice", quote(quoted, name.s, name.n));
	if (str_equal(name, STR("cpu_op")))
		return fail(r, step->line, "cpu_op is the operator and cannot be set");
	if (figure && step->expr.is_condition)
		return fail(r, step->line, "%s is set to a condition", quote(quoted, name.s, name.n));
	return true;
}

/* Notes the columns that an expression of the last rule uses. */
static bool note_columns(struct rules *r, uint64_t line, const struct expr *expr)
{
	struct rules_rule *rule = &r->rule[r->count - 1];

	for (size_t i = 1; i < expr->count; i++) {
		const struct expr_code *code = &expr->code[i];
		struct str name = code[-1].value.text;
		size_t number;

		if (code->op != EXPR_CALL || !shapes_is_column(code->function))
			continue;
		if (code[-1].op != EXPR_CONSTANT || code[-1].value.kind != EXPR_LITERAL || name.n == 0)
			return fail(r, line, "column() needs the name of a column in quotes");
		words_put_once(&r->shapes.columns, name);
		number = shapes_column(&r->shapes, name);
		if (number >= RULES_COLUMNS_MAX)
			return fail(r, line, "the rules use more than %d columns", RULES_COLUMNS_MAX);
		rule->columns |= UINT64_C(1) << number;
	}
	return true;
}

/* A part of an indented line. */
static bool parse_part(struct rules *r, uint64_t line, struct str text)
{
	struct rules_rule *rule = &r->rule[r->count - 1];
	struct rules_step step = {.line = line};
	struct str name = {0};
	char quoted[QUOTE_MAX];
	bool when = str_starts(text, STR("when "));

	if (when)
		text = str_trim((struct str){text.s + 5, text.n - 5});
	else if (!take_name(&text, &name))
		return fail(r, line, "%s is neither when CONDITION nor NAME = EXPRESSION",
		            quote(quoted, text.s, text.n));
	if (!expr_compile_with(&step.expr, text, &r->extra)) {
		fail(r, line, "%s", step.expr.error);
	} else if (step.expr.has_unit) {
		fail(r, line, "a number has a unit of time");
	} else if (when && !step.expr.is_condition) {
		fail(r, line, "when needs a condition");
	} else if (note_columns(r, line, &step.expr) && (when || check_set(r, &step, name))) {
		if (!when) {
			step.name = mem_zero(1, sizeof *step.name);
			step.name->name = name;
			step.name->is_condition = step.expr.is_condition;
		}
		rule->step = mem_grow(rule->step, &rule->cap, rule->count + 1, sizeof *rule->step);
		rule->step[rule->count++] = step;
		return true;
	}
	expr_free(&step.expr);
	return false;
}

/* Takes the next part off an indented line, up to a ; that is not in quotes. */
static bool next_part(struct str *line, struct str *part)
{
	char quoted = '\0';
	size_t i = 0;

	if (line->n == 0)
		return false;
	for (; i < line->n && (quoted || line->s[i] != ';'); i++) {
		char c = line->s[i];

		if (!quoted && (c == '"' || c == '\''))
			quoted = c;
		else if (quoted && c == '\\')
			i++;
		else if (c == quoted)
			quoted = '\0';
	}
	if (i > line->n)
		i = line->n;
	*part = str_trim((struct str){line->s, i});
	line->s += i < line->n ? i + 1 : i;
	line->n -= i < line->n ? i + 1 : i;
	return true;
}

static bool parse_line(struct rules *r, uint64_t line, struct str text)
{
	struct str part;

	if (text.s[0] != ' ' && text.s[0] != '\t')
		return parse_margin(r, line, text);
	if (r->count == 0)
		return fail(r, line, "this line is indented, and no rule stands before it");
	while (next_part(&text, &part))
		if (part.n && !parse_part(r, line, part))
			return false;
	return true;
}

/* Whether the patterns of a line go on in the next one, if that is neither blank nor indented. */
static bool goes_on_after(struct str line)
{
	return line.n > 1 && str_ends(line, goes_on) && line.s[line.n - 2] == ' ' &&
	       !memchr(line.s, '\t', line.n);
}

/* Adds the next lines to a line of patterns that goes on in them. */
static void join(struct rulefile *in, struct str *line)
{
	struct str next;

	while (goes_on_after(*line) && in->rest.n && !is_in(" \t#\n", *in->rest.s)) {
		rulefile_next(in, &next);
		line->n = (size_t)(next.s + next.n - line->s);
	}
}

/* Whether a line is one of sizes or costs. */
static bool is_list(struct str line)
{
	return str_starts(line, STR("size ")) || str_starts(line, STR("cost "));
}

bool rules_load(struct rules *r, const char *file)
{
	struct rules_file *added;
	struct rulefile in;
	struct str line;
	bool empty = true;
	bool good = true;

	r->extra = (struct expr_extra){.functions = shapes_functions,
	                               .count = shapes_functions_count,
	                               .page = "kroof(1)",
	                               .value = value_of,
	                               .arg = r};
	r->file = mem_grow(r->file, &r->files_cap, r->files + 1, sizeof *r->file);
	added = &r->file[r->files++];
	*added = (struct rules_file){.name = file ? file : "the default rules", .built_in = !file};
	if (!rulefile_read(&added->text, file, roof_rules, r->error, sizeof r->error))
		return false;
	in = (struct rulefile){.rest = buf_view(&added->text)};
	while (good && rulefile_next(&in, &line)) {
		uint64_t first = in.line;

		empty = false;
		added->sizes |= str_starts(line, STR("size "));
		if (!is_list(line))
			join(&in, &line);
		good = parse_line(r, first, line);
	}
	return good && (!empty || fail(r, 0, "the file contains no rule"));
}

/* The number of the file, from 1, whose size or cost of a name counts. */
static size_t owner_of(const struct rules *r, bool size, struct str name)
{
	const struct shapes_type *type = size ? shapes_type(&r->shapes, name) : NULL;

	if (!size)
		return costs_owner(&r->shapes.costs, name);
	return type ? type->owner : 0;
}

/* Appends a line of sizes or costs, without the names that an earlier file has. */
static void dump_list(const struct rules *r, size_t file, struct str line, struct buf *out)
{
	const char *tab = memchr(line.s, '\t', line.n);
	struct str names = {tab, tab ? (size_t)(line.s + line.n - tab) : 0};
	struct str word;
	bool any = false;

	while (next_word(&names, ",", &word)) {
		word = str_trim(word);
		if (word.n == 0 || owner_of(r, str_starts(line, STR("size ")), word) != file + 1)
			continue;
		if (any)
			buf_text(out, ", ");
		else
			buf_str(out, (struct str){line.s, (size_t)(tab + 1 - line.s)});
		buf_str(out, word);
		any = true;
	}
	if (any)
		buf_char(out, '\n');
}

void rules_dump(const struct rules *r, struct buf *out)
{
	buf_str(out, buf_view(&r->file[0].text));
	for (size_t i = 1; i < r->files; i++) {
		struct str rest = buf_view(&r->file[i].text);
		bool goes = false; /* the line is one of patterns that go on */

		while (rest.n) {
			const char *end = memchr(rest.s, '\n', rest.n);
			struct str line = {rest.s, end ? (size_t)(end - rest.s) : rest.n};

			rest.s += line.n + (end != NULL);
			rest.n -= line.n + (end != NULL);
			if (!goes && is_list(line)) {
				dump_list(r, i, line, out);
			} else {
				buf_str(out, line);
				buf_char(out, '\n');
			}
			goes = !str_starts(line, STR("#")) && goes_on_after(line);
		}
	}
}

void rules_put_patterns(const struct rules *r, struct buf *out)
{
	struct strmap seen = {0};

	for (size_t i = 0; i < r->count; i++) {
		struct str globs = r->rule[i].globs;
		struct str glob;
		bool added;

		while (!r->rule[i].inner && next_glob(&globs, &glob)) {
			strmap_add(&seen, glob, &added);
			if (added) {
				buf_str(out, glob);
				buf_char(out, '\n');
			}
		}
	}
	strmap_free(&seen);
}

/* --- calls ---------------------------------------------------------------------------- */

/* Enters the patterns of rules that were loaded since. */
static void enter_patterns(struct rules *r)
{
	for (; r->patterns_of < r->count; r->patterns_of++) {
		struct str globs = r->rule[r->patterns_of].globs;
		struct str glob;

		while (next_glob(&globs, &glob))
			patterns_put(&r->patterns, glob, r->patterns_of);
	}
}

static bool is_text(const struct expr_value *value)
{
	return value->kind == EXPR_TEXT || value->kind == EXPR_LITERAL;
}

/* False, with the error, if the value is not a whole number of at least 0. */
static bool check_figure(struct rules *r, size_t file, const struct rules_step *step,
                         struct dec *out)
{
	const struct expr_value *value = &step->name->value;
	char op[QUOTE_MAX];
	char given[QUOTE_MAX];
	struct buf text = {0};
	const char *why = NULL;

	if (value->kind != EXPR_NUMBER)
		why = "not a number";
	else if (value->number.places != NUMBER_PLACES || value->number.units % 1000000000)
		why = "not a whole number";
	else if (value->number.units < 0)
		why = "below 0";
	if (!why) {
		out->nano = value->number.units;
		return true;
	}
	if (value->kind == EXPR_NUMBER)
		number_print(&text, value->number);
	else if (is_text(value))
		buf_text(&text, quote(given, value->text.s, value->text.n));
	fail_in(r, file, step->line, "%.*s of %s is %s%s%.*s", (int)step->name->name.n,
	        step->name->name.s, quote(op, r->op.text.s, r->op.text.n), why, text.len ? ": " : "",
	        (int)text.len, text.len ? text.data : "");
	buf_free(&text);
	return false;
}

/* Takes the basis; false, with the error, if it is not one of them. */
static bool take_basis(struct rules *r, size_t file, const struct rules_step *step,
                       enum rules_basis *basis)
{
	const struct expr_value *value = &step->name->value;
	int i = 0;

	while (is_text(value) && i < RULES_BASES && !str_equal(value->text, str_of(rules_bases[i])))
		i++;
	if (!is_text(value) || i == RULES_BASES)
		return fail_in(r, file, step->line,
		               "basis is neither \"exact\" nor \"most\" nor \"estimate\"");
	*basis = (enum rules_basis)i;
	return true;
}

/* Takes what a rule sets for the table. */
static bool take(struct rules *r, size_t file, const struct rules_step *step,
                 struct rules_answer *answer)
{
	const struct expr_value *value = &step->name->value;
	struct str name = step->name->name;

	if (value->kind == EXPR_NOTHING)
		return true;
	for (int i = 0; i < RULES_FIGURES; i++) {
		if (str_equal(name, str_of(figure_names[i]))) {
			answer->known[i] = true;
			return check_figure(r, file, step, &answer->figure[i]);
		}
	}
	if (str_equal(name, STR("dtype"))) {
		if (!is_text(value))
			return fail_in(r, file, step->line, "dtype is not a text");
		answer->dtype = value->text;
	} else if (str_equal(name, STR("basis"))) {
		return take_basis(r, file, step, &answer->basis);
	} else if (str_equal(name, STR("peak"))) {
		answer->matrix = is_text(value) && str_equal(value->text, STR("matrix"));
		if (!answer->matrix && !(is_text(value) && str_equal(value->text, STR("vector"))))
			return fail_in(r, file, step->line, "peak is neither \"matrix\" nor \"vector\"");
	}
	return true;
}

/* As rules_apply, for one rule. */
static int apply(struct rules *r, const struct rules_rule *rule, struct rules_answer *answer)
{
	bool has_peak = false;

	*answer = (struct rules_answer){0};
	answer->class = str_equal(rule->class, STR("-")) ? STR("") : rule->class;
	r->shapes.missing = r->shapes.too_large = false;
	for (size_t i = 0; i < rule->count; i++) {
		struct rules_step *step = &rule->step[i];
		const struct expr_value *value = expr_value(&step->expr, NULL);

		if (r->shapes.missing)
			return 0;
		if (step->expr.error[0] || r->shapes.too_large) {
			char op[QUOTE_MAX];

			fail_in(r, rule->file, step->line, "%s: %s", quote(op, r->op.text.s, r->op.text.n),
			        step->expr.error[0] ? step->expr.error : "a product is too large");
			return -1;
		}
		if (!step->name) {
			if (!value->holds)
				return 0;
			continue;
		}
		step->name->value = *value;
		has_peak |= str_equal(step->name->name, STR("peak"));
		if (!take(r, rule->file, step, answer))
			return -1;
	}
	if (!has_peak)
		answer->matrix = answer->dtype.n > 0;
	return 1;
}

/* The number of an operator in ops; its candidates are known then. */
static size_t find_candidates(struct rules *r, struct str op)
{
	struct rules_op of = {0};
	bool added;
	size_t number = strmap_add(&r->ops, op, &added);

	if (!added)
		return number;
	enter_patterns(r);
	patterns_find(&r->patterns, op);
	for (size_t i = 0; i < r->patterns.found_count; i++) {
		size_t rule = r->patterns.found[i];

		r->candidate = mem_grow(r->candidate, &r->candidates_cap, r->candidates_count + 1,
		                        sizeof *r->candidate);
		r->candidate[r->candidates_count++] = rule;
		of.columns |= r->rule[rule].columns;
	}
	of.end = r->candidates_count;
	r->of = mem_grow(r->of, &r->of_cap, number + 1, sizeof *r->of);
	r->of[number] = of;
	return number;
}

uint64_t rules_columns(struct rules *r, struct str op)
{
	size_t number = find_candidates(r, op);

	return r->of[number].columns;
}

int rules_apply(struct rules *r, struct str op, const struct args *args, const struct str *column,
                struct rules_answer *answer)
{
	size_t number = find_candidates(r, op);
	bool refused = false;
	int got = 0;

	r->shapes.args = args;
	r->shapes.column = column;
	r->op = (struct expr_value){.kind = EXPR_TEXT, .text = op};
	for (size_t i = number ? r->of[number - 1].end : 0; got == 0 && i < r->of[number].end; i++) {
		const struct rules_rule *rule = &r->rule[r->candidate[i]];

		got = apply(r, rule, answer);
		if (got < 0 && r->file[rule->file].built_in) {
			if (!r->refusal[0])
				memcpy(r->refusal, r->error, sizeof r->refusal);
			refused = true;
			got = 0;
		}
	}
	answer->refused = refused;
	return got;
}

void rules_free(struct rules *r)
{
	for (size_t i = 0; i < r->count; i++) {
		for (size_t j = 0; j < r->rule[i].count; j++) {
			expr_free(&r->rule[i].step[j].expr);
			free(r->rule[i].step[j].name);
		}
		free(r->rule[i].step);
	}
	free(r->rule);
	strmap_free(&r->ops);
	free(r->candidate);
	patterns_free(&r->patterns);
	free(r->of);
	strmap_free(&r->shapes.types);
	free(r->shapes.type);
	costs_free(&r->shapes.costs);
	words_free(&r->shapes.columns);
	for (size_t i = 0; i < r->files; i++)
		buf_free(&r->file[i].text);
	free(r->file);
	*r = (struct rules){0};
}
