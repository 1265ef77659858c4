#include "kernel/kclass.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "kernel/cppname.h"
#include "kernel/nametype.h"
#include "syntax/glob.h"
#include "syntax/rulefile.h"
#include "syntax/tsv.h"

#include <stdint.h>
#include <stdlib.h>

/* The files of the folder default, joined, and classic.rules, which the Makefile embeds. */
extern const char kclass_default[];
extern const char kclass_classic[];

/* What a condition looks at. */
enum field { NAME, TYPE, CAT, CPU_OP, PHASE, FUNCTION, FIELDS };

enum how {
	HAS,    /* it contains one of the values */
	NOT,    /* contains none of the values */
	STARTS, /* begins with one of the values */
	WORD,   /* contains one of the values, without a letter before or after it */
	IS,     /* equals one of the values; * in a value matches any bytes */
};

struct kclass_condition {
	enum field field;
	enum how how;
	bool keep_case;
	size_t begin; /* its values */
	size_t end;
};

/*
 * Few names contain any given value. Two adjacent bytes are a pair; a text has a bit for each of
 * its pairs, and a text that lacks a pair of a value cannot contain the value.
 */
enum { PAIRS = 4096, PAIRS_TRIED = 3, NO_PAIR = PAIRS };

struct kclass_value {
	struct str text; /* in lower case, unless keep_case */
	uint16_t pairs[PAIRS_TRIED];
};

/* One field of a kernel, in lower case. */
struct subject {
	struct str text;
	uint64_t pairs[PAIRS / 64];
};

struct kclass_rule {
	uint64_t line;
	size_t op; /* in labels */
	size_t pattern;
	size_t platform; /* in platforms; STRMAP_NONE: any */
	bool part;
	size_t begin; /* its conditions */
	size_t end;
};

struct kclass_answer {
	size_t op;      /* the class, in labels */
	size_t pattern; /* the pattern, in labels; STRMAP_NONE: the beginning of the name */
	bool part;
	bool known; /* false: it depends on the platform */
	bool apart; /* kernels that differ only in cpu_op or phase can have other answers */
};

/* The words of the syntax, see "Rules" in kclass(1). */
static const struct word {
	const char *word;
	enum field field;
	enum how how;
	bool keep_case;
} words[] = {
	{"has", NAME, HAS, false},       {"Has", NAME, HAS, true},
	{"starts", NAME, STARTS, false}, {"Starts", NAME, STARTS, true},
	{"not", NAME, NOT, false},       {"fn", FUNCTION, IS, false},
	{"type", TYPE, IS, false},       {"cat", CAT, IS, false},
	{"cpu_op", CPU_OP, HAS, false},  {"phase", PHASE, IS, false},
	{"word", FUNCTION, WORD, false},
};

enum { WORDS = sizeof words / sizeof *words };

/* A pattern that stands for the name's first 40 characters. */
static const struct str name_label = {"<name>", 6};
enum { NAME_LABEL = 40 };

/* At the end of a class, replaced by (Prefill), (Decode) or nothing, by the kernel's phase. */
static const struct str phase_label = {" (<phase>)", 10};

/* --- a rule's text ------------------------------------------------------- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static struct str put_lower(struct buf *out, struct str text)
{
	char *at = buf_reserve(out, text.n);

	for (size_t i = 0; i < text.n; i++)
		at[i] = lower(text.s[i]);
	out->len += text.n;
	return (struct str){at, text.n};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Takes what comes before the first `end` that is not within quotes off *text. False if *text is at
 * its end, which is NULL.
 */
static bool take(struct str *text, char end, struct str *piece)
{
	const char *at = text->n ? memchr(text->s, end, text->n) : NULL;
	size_t n = at ? (size_t)(at - text->s) : text->n;

	if (!text->s)
		return false;
	if (n && memchr(text->s, '"', n)) {
		bool quoted = false;

		for (n = 0; n < text->n && (quoted || text->s[n] != end); n++)
			quoted ^= text->s[n] == '"';
	}
	*piece = str_trim((struct str){text->s, n});
	*text = n < text->n ? (struct str){text->s + n + 1, text->n - n - 1} : (struct str){NULL, 0};
	return true;
}

/* Takes the next of the values, which | separates. False after the last. */
static bool next_value(struct str *values, struct str *value)
{
	if (!take(values, '|', value))
		return false;
	if (value->n > 1 && value->s[0] == '"' && value->s[value->n - 1] == '"')
		*value = (struct str){value->s + 1, value->n - 2};
	return true;
}

static bool fail(struct kclass *k, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets error to "FILE:LINE: message"; line 0: the whole file. Always false. */
static bool fail(struct kclass *k, uint64_t line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	rulefile_error(k->error, sizeof k->error, k->file, line, format, args);
	va_end(args);
	return false;
}

static unsigned pair_of(char a, char b)
{
	return ((unsigned)(unsigned char)a * 67 + (unsigned char)b) % PAIRS;
}

/* A value is looked up by its last pairs, which are rarer than its first. */
static void add_value(struct kclass *k, struct str text)
{
	struct kclass_value *value;
	size_t count = 0;

	k->value = mem_grow(k->value, &k->value_cap, k->value_count + 1, sizeof *k->value);
	value = &k->value[k->value_count++];
	*value = (struct kclass_value){.text = text};
	for (size_t i = text.n; i > 1 && count < PAIRS_TRIED; i--)
		if (text.s[i - 2] != '*' && text.s[i - 1] != '*')
			value->pairs[count++] = (uint16_t)pair_of(lower(text.s[i - 2]), lower(text.s[i - 1]));
	while (count < PAIRS_TRIED)
		value->pairs[count++] = NO_PAIR;
}

/* False if a value is empty. */
static bool add_condition(struct kclass *k, const struct word *word, struct str values)
{
	struct kclass_condition *condition;
	struct buf scratch = {0};
	struct str value;
	bool good = true;

	k->conditions =
		mem_grow(k->conditions, &k->conditions_cap, k->conditions_count + 1, sizeof *k->conditions);
	condition = &k->conditions[k->conditions_count++];
	condition->field = word->field;
	condition->how = word->how;
	condition->keep_case = word->keep_case;
	condition->begin = k->value_count;
	while (good && next_value(&values, &value)) {
		struct str text = tsv_text(value, &scratch);
		struct str kept = put_lower(&k->values, text);

		if (word->keep_case)
			memcpy(k->values.data + k->values.len - text.n, text.s, text.n);
		add_value(k, kept);
		good = value.n > 0;
	}
	condition->end = k->value_count;
	buf_free(&scratch);
	if (word->field < FUNCTION)
		k->uses[word->field] = true;
	if (word->field == TYPE || word->field == FUNCTION)
		k->uses[TYPE] = k->uses[CAT] = true; /* type_of looks at both */
	return good;
}

/* Sets the platform of the last rule. */
static bool set_platform(struct kclass *k, uint64_t line, struct str names)
{
	struct kclass_rule *rule = &k->rules[k->rules_count - 1];
	struct buf scratch = {0};
	struct str name;

	if (rule->platform != STRMAP_NONE)
		return fail(k, line, "the rule has a platform already; write a rule for each platform");
	if (!next_value(&names, &name) || name.n == 0)
		return fail(k, line, "platform: has an empty value");
	if (names.s)
		return fail(k, line, "platform: takes one name; write a rule for each platform");
	put_lower(&k->key, tsv_text(name, &scratch));
	rule->platform = strmap_add(&k->platforms, buf_view(&k->key), NULL);
	k->key.len = 0;
	buf_free(&scratch);
	return true;
}

/* Whether each quote that opens is closed, too. */
static bool closes_quotes(struct str text)
{
	const char *end = text.s + text.n;
	const char *at = text.s;
	size_t quotes = 0;

	for (; (at = memchr(at, '"', (size_t)(end - at))); at++)
		quotes++;
	return quotes % 2 == 0;
}

/* "has: a|b", "platform: AMD" or "part", of the last rule. False on an error. */
static bool parse_part(struct kclass *k, uint64_t line, struct str text)
{
	const char *colon = memchr(text.s, ':', text.n);
	struct str name = {text.s, colon ? (size_t)(colon - text.s) : text.n};
	struct str values = colon ? str_trim((struct str){colon + 1, text.n - name.n - 1}) : text;
	const struct word *word = NULL;
	bool platform = str_equal(name, STR("platform"));
	char quoted[QUOTE_MAX];

	if (str_equal(text, STR("part"))) {
		k->rules[k->rules_count - 1].part = true;
		return true;
	}
	for (size_t i = 0; i < WORDS; i++)
		if (str_equal(name, str_of(words[i].word)))
			word = &words[i];
	if (!colon || (!word && !platform))
		return fail(
			k, line,
			"unknown condition %s; use has:, Has:, starts:, Starts:, not:, fn:, word:, type:, "
			"cat:, cpu_op:, phase:, platform: or part",
			quote(quoted, text.s, text.n));
	if (!closes_quotes(values))
		return fail(k, line, "condition %s has a quote that is not closed",
		            quote(quoted, text.s, text.n));
	if (platform)
		return set_platform(k, line, values);
	if (!add_condition(k, word, values))
		return fail(k, line, "condition %s has an empty value", quote(quoted, text.s, text.n));
	k->rules[k->rules_count - 1].end = k->conditions_count;
	return true;
}

/* The parts of an indented line, which semicolons separate. */
static bool parse_parts(struct kclass *k, uint64_t line, struct str text)
{
	struct str part;
	bool good = true;

	while (good && take(&text, ';', &part))
		good = part.n == 0 || parse_part(k, line, part);
	return good;
}

/* Class and pattern: a new rule. */
static bool parse_margin(struct kclass *k, uint64_t line, struct str text)
{
	struct kclass_rule rule = {.line = line,
	                           .platform = STRMAP_NONE,
	                           .begin = k->conditions_count,
	                           .end = k->conditions_count};
	struct buf scratch = {0};
	struct str fields[2];
	size_t count = tsv_split(text, fields, 2);

	if (count > 2)
		return fail(
			k, line,
			"this rule is one line, as in old versions; keep the class and the pattern here, "
			"and write platform: NAME, part and the conditions on indented lines below");
	if (count < 2 || fields[0].n == 0 || fields[1].n == 0)
		return fail(k, line,
		            "a rule begins with a class, a tab and a pattern; its conditions are on "
		            "indented lines below");
	k->uses[PHASE] |= str_ends(fields[0], phase_label);
	rule.op = strmap_add(&k->labels, tsv_text(fields[0], &scratch), NULL);
	rule.pattern = strmap_add(&k->labels, tsv_text(fields[1], &scratch), NULL);
	k->rules = mem_grow(k->rules, &k->rules_cap, k->rules_count + 1, sizeof *k->rules);
	k->rules[k->rules_count++] = rule;
	buf_free(&scratch);
	return true;
}

/* An error if the last rule, if any, has no condition. */
static bool end_rule(struct kclass *k)
{
	const struct kclass_rule *rule = k->rules_count ? &k->rules[k->rules_count - 1] : NULL;

	return !rule || rule->begin < rule->end || fail(k, rule->line, "the rule has no condition");
}

/* A line, or the lines of a condition that goes on after each |, joined. */
static bool parse_line(struct kclass *k, uint64_t line, struct str text)
{
	if (!is_blank(text.s[0]))
		return end_rule(k) && parse_margin(k, line, text);
	if (k->rules_count == 0)
		return fail(k, line, "this line is indented, and no rule stands before it");
	return parse_parts(k, line, str_trim(text));
}

/* All lines of k->text. */
static bool parse_rules(struct kclass *k)
{
	struct rulefile in = {.rest = buf_view(&k->text)};
	struct buf joined = {0};
	struct str line;
	uint64_t first = 0;
	bool good = true;

	buf_reserve(&k->values, in.rest.n); /* no value is longer than its text: none will move */
	while (good && rulefile_next(&in, &line)) {
		bool indented = is_blank(line.s[0]);

		if (joined.len && !indented) {
			good = parse_line(k, first, buf_view(&joined));
			joined.len = 0;
		}
		first = joined.len ? first : in.line;
		buf_str(&joined, joined.len ? str_trim(line) : line);
		if (good && !(indented && str_ends(str_trim(line), STR("|")))) {
			good = parse_line(k, first, buf_view(&joined));
			joined.len = 0;
		}
	}
	if (good && joined.len)
		good = parse_line(k, first, buf_view(&joined));
	buf_free(&joined);
	if (good && k->rules_count == 0)
		good = fail(k, 0, "the file contains no rule");
	return good && end_rule(k);
}

bool kclass_load(struct kclass *k, const char *set)
{
	const char *built_in = NULL;

	k->file = set ? set : "default";
	k->platform = STRMAP_NONE;
	if (strcmp(k->file, "default") == 0)
		built_in = kclass_default;
	else if (strcmp(k->file, "classic") == 0)
		built_in = kclass_classic;
	return rulefile_read(&k->text, built_in ? NULL : k->file, built_in, k->error,
	                     sizeof k->error) &&
	       parse_rules(k);
}

struct str kclass_dump(const struct kclass *k)
{
	return buf_view(&k->text);
}

/* --- the fields of a kernel ------------------------------------------------ */

/* The function of a mangled name: the last of the names in a row, bar in _ZN3foo3barI…. */
static struct str mangled_function(struct str name)
{
	size_t at = str_starts(name, STR("_zn")) ? 3 : 2;
	struct str function = {name.s, 0};

	while (at < name.n && name.s[at] >= '1' && name.s[at] <= '9') {
		size_t n = 0;

		for (; at < name.n && name.s[at] >= '0' && name.s[at] <= '9' && n < name.n; at++)
			n = n * 10 + (size_t)(name.s[at] - '0');
		if (n > name.n - at)
			n = name.n - at; /* the name was cut */
		function = (struct str){name.s + at, n};
		at += n;
	}
	return function;
}

static struct str function_of(struct str name)
{
	struct str function = {name.s, 0};

	if (str_starts(name, STR("_z")))
		function = mangled_function(name);
	if (function.n == 0) /* _zero_kernel is not mangled */
		function = cppname_function(name);

	/* rocprof writes the name of the kernel's descriptor, function.kd. */
	if (str_ends(function, STR(".kd")))
		function.n -= 3;
	return function;
}

/*
 * The type of an Ascend kernel. If no column gives it, the name can. torch_npu writes N/A for a
 * type that it did not record, and older versions 0. A GPU's kernel has no type, although its name
 * can be one word (HadamardTransformKernel): platform and category tell the two apart.
 */
static struct str type_of(const struct kclass *k, const struct kclass_kernel *kernel)
{
	struct str given = kernel->type;
	struct str type = nametype_of(kernel->name);

	if (given.n && !str_equal(given, STR("N/A")) && !str_equal(given, STR("0")))
		return given;
	if (type.n || k->gpu || str_equal(kernel->cat, STR("kernel")))
		return type;
	return nametype_of_word(kernel->name);
}

/* --- matching ------------------------------------------------------------ */

static void set_subject(struct subject *subject, struct str text)
{
	*subject = (struct subject){.text = text};
	for (size_t i = 1; i < text.n; i++) {
		unsigned pair = pair_of(text.s[i - 1], text.s[i]);

		subject->pairs[pair / 64] |= UINT64_C(1) << pair % 64;
	}
}

/* False if the pairs of the text rule the value out. */
static bool may_have(const struct subject *subject, const struct kclass_value *value)
{
	for (size_t i = 0; i < PAIRS_TRIED; i++) {
		unsigned pair = value->pairs[i];

		if (pair != NO_PAIR && !(subject->pairs[pair / 64] >> pair % 64 & 1))
			return false;
	}
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether the text has the word without a letter on either side: "roll" not in "unroll_4". */
static bool has_word(struct str text, struct str word)
{
	for (size_t i = 0; i + word.n <= text.n; i++)
		if (memcmp(text.s + i, word.s, word.n) == 0 && (i == 0 || !is_letter(text.s[i - 1])) &&
		    (i + word.n == text.n || !is_letter(text.s[i + word.n])))
			return true;
	return false;
}

static bool fits(enum how how, struct str text, struct str value)
{
	switch (how) {
	case IS:
		return glob_matches(value, text);
	case STARTS:
		return str_starts(text, value);
	case WORD:
		return has_word(text, value);
	default:
		return str_has(text, value);
	}
}

/* text: the subject, or the subject before it was put in lower case. */
static bool holds(const struct kclass *k, const struct kclass_condition *condition,
                  const struct subject *subject, struct str text)
{
	for (size_t i = condition->begin; i < condition->end; i++) {
		const struct kclass_value *value = &k->value[i];

		if (may_have(subject, value) && fits(condition->how, text, value->text))
			return condition->how != NOT;
	}
	return condition->how == NOT;
}

/* name: as it was before it was put in lower case. Sets asked[] of the fields that it looks at. */
static bool matches(const struct kclass *k, const struct kclass_rule *rule,
                    const struct subject *fields, struct str name, bool *asked)
{
	for (size_t i = rule->begin; i < rule->end; i++) {
		const struct kclass_condition *condition = &k->conditions[i];
		const struct subject *subject = &fields[condition->field];

		asked[condition->field] = true;
		if (!holds(k, condition, subject, condition->keep_case ? name : subject->text))
			return false;
	}
	return true;
}

/* At most count characters of UTF-8. */
static struct str first_characters(struct str text, size_t count)
{
	size_t n = 0;

	for (; n < text.n; n++)
		if (((unsigned char)text.s[n] & 0xc0) != 0x80 && count-- == 0)
			break;
	return (struct str){text.s, n};
}

/* The class that a rule gives a kernel of this phase (in lower case). */
static size_t class_of(struct kclass *k, const struct kclass_rule *rule, struct str phase)
{
	struct str op = strmap_key(&k->labels, rule->op);

	if (!str_ends(op, phase_label))
		return rule->op;
	k->key.len = 0;
	buf_bytes(&k->key, op.s, op.n - phase_label.n);
	if (str_equal(phase, STR("prefill")))
		buf_text(&k->key, " (Prefill)");
	else if (str_equal(phase, STR("decode")))
		buf_text(&k->key, " (Decode)");
	return strmap_add(&k->labels, buf_view(&k->key), NULL);
}

static struct kclass_answer decide(struct kclass *k, const struct kclass_kernel *kernel)
{
	struct str given[] = {kernel->name, type_of(k, kernel), kernel->cat, kernel->cpu_op,
	                      kernel->phase};
	struct subject fields[FIELDS];
	const struct kclass_rule *rule = NULL;
	struct kclass_answer answer = {.pattern = STRMAP_NONE, .known = true};
	bool asked[FIELDS] = {false};
	bool typed;
	size_t n = 0;

	for (size_t i = 0; i < FUNCTION; i++)
		n += given[i].n;
	k->lower.len = 0;
	buf_reserve(&k->lower, n); /* so that it does not move under fields[] */
	for (size_t i = 0; i < FUNCTION; i++)
		set_subject(&fields[i], put_lower(&k->lower, given[i]));
	/* A user's kernel on Ascend has its name for a type. */
	typed = fields[TYPE].text.n && !str_equal(fields[TYPE].text, fields[NAME].text);
	set_subject(&fields[FUNCTION], typed ? fields[TYPE].text : function_of(fields[NAME].text));

	for (size_t i = 0; i < k->rules_count && !rule; i++) {
		const struct kclass_rule *r = &k->rules[i];

		if (r->platform != STRMAP_NONE && k->platform != STRMAP_NONE && r->platform != k->platform)
			continue;
		if (matches(k, r, fields, kernel->name, asked))
			rule = r;
	}
	if (rule && rule->platform != STRMAP_NONE && k->platform == STRMAP_NONE)
		answer.known = false;
	answer.part = rule && rule->part;
	answer.apart = asked[CPU_OP] || asked[PHASE] ||
	               (rule && str_ends(strmap_key(&k->labels, rule->op), phase_label));
	answer.op =
		rule ? class_of(k, rule, fields[PHASE].text) : strmap_add(&k->labels, STR("Other"), NULL);
	if (rule && !str_equal(strmap_key(&k->labels, rule->pattern), name_label))
		answer.pattern = rule->pattern;
	return answer;
}

static bool set_label(const struct kclass *k, const struct kclass_answer *answer,
                      const struct kclass_kernel *kernel, struct kclass_label *label)
{
	label->op = strmap_key(&k->labels, answer->op);
	label->pattern = answer->pattern == STRMAP_NONE ? first_characters(kernel->name, NAME_LABEL)
	                                                : strmap_key(&k->labels, answer->pattern);
	label->part = answer->part;
	return answer->known;
}

bool kclass_decide(struct kclass *k, const struct kclass_kernel *kernel, struct kclass_label *label)
{
	struct kclass_answer answer = decide(k, kernel);

	return set_label(k, &answer, kernel, label);
}

static size_t seen_bytes(const struct kclass *k)
{
	return strmap_bytes(&k->seen) + k->seen.count * sizeof *k->answers;
}

static void put_field(struct buf *key, struct str text)
{
	buf_bytes(key, (const char *)&text.n, sizeof text.n);
	buf_str(key, text);
}

/* What is remembered of kernels that are alike in the fields before `end`. */
static struct kclass_answer remember(struct kclass *k, const struct kclass_kernel *kernel,
                                     size_t end)
{
	struct str given[] = {kernel->name, kernel->type, kernel->cat, kernel->cpu_op, kernel->phase};
	size_t number;
	bool new;

	k->key.len = 0;
	for (size_t i = 0; i < end; i++)
		if (i == NAME || k->uses[i])
			put_field(&k->key, given[i]);
	number = strmap_add(&k->seen, buf_view(&k->key), &new);
	k->answers = mem_grow(k->answers, &k->answers_cap, number + 1, sizeof *k->answers);
	if (new)
		k->answers[number] = decide(k, kernel);
	return k->answers[number];
}

/* Most kernels are known by their name, whatever launched them. */
bool kclass_of(struct kclass *k, const struct kclass_kernel *kernel, struct kclass_label *label)
{
	struct kclass_answer answer;

	if (seen_bytes(k) > KCLASS_SEEN)
		strmap_clear(&k->seen);
	answer = remember(k, kernel, CPU_OP);
	if (answer.apart)
		answer = remember(k, kernel, FUNCTION);
	return set_label(k, &answer, kernel, label);
}

bool kclass_set_platform(struct kclass *k, struct str platform)
{
	size_t number = STRMAP_NONE;
	bool gpu = false;
	bool changed;

	if (platform.n) {
		struct str name;

		k->key.len = 0;
		name = put_lower(&k->key, platform);
		gpu = str_equal(name, STR("amd")) || str_equal(name, STR("nvidia"));
		number = strmap_find(&k->platforms, name);
		if (number == STRMAP_NONE)
			number = strmap_add(&k->platforms, STR("nvidia"), NULL);
	}
	changed = number != k->platform || gpu != k->gpu;
	if (changed)
		strmap_clear(&k->seen);
	k->platform = number;
	k->gpu = gpu;
	return changed;
}

static bool is_attention(struct str op)
{
	return str_starts(op, STR("Attention"));
}

bool kclass_begins_layer(struct kclass *k, const struct kclass_kernel *kernel)
{
	struct kclass_label label;

	return kclass_of(k, kernel, &label) && is_attention(label.op) && !label.part;
}

bool kclass_is_everywhere(struct str op)
{
	return is_attention(op) || str_equal(op, STR("Dense GEMM")) || str_equal(op, STR("KV Cache")) ||
	       str_equal(op, STR("MoE GEMM")) || str_equal(op, STR("MoE Routing"));
}

void kclass_free(struct kclass *k)
{
	buf_free(&k->text);
	buf_free(&k->values);
	free(k->rules);
	free(k->conditions);
	free(k->value);
	free(k->answers);
	strmap_free(&k->platforms);
	strmap_free(&k->seen);
	strmap_free(&k->labels);
	buf_free(&k->key);
	buf_free(&k->lower);
	*k = (struct kclass){0};
}
