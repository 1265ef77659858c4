#include "json/plain.h"

#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/simd.h"
#include "json/names.h"
#include "json/scan.h"

#define INLINE static inline __attribute__((always_inline))

enum {
	KEY_TEXT = 48,
	KEYS = 64,
	PROBES = 8,
	FOLLOWERS = 4,
	START = 0, /* the slot that stands before the first key */
	CATEGORY_TEXT = 31,
	CATEGORIES = 8,
};

/*
 * Events resemble each other: a key is likely to be followed by the key that followed it last time,
 * in equal bytes. Then one compare finds it.
 */
struct key {
	char text[KEY_TEXT]; /* from the comma before it, or after the {, up to its value */
	unsigned char length;
	unsigned char next[FOLLOWERS]; /* the keys that followed it, the last one first */
	int want;
};

/* The members of events, or those of their wanted object. */
struct level {
	struct names *names;
	struct key keys[KEYS];
};

/* A category as an event had it, and whether the filter wants it: a trace has few of them. */
struct category {
	unsigned char length;
	char text[CATEGORY_TEXT];
	bool wanted;
};

/* By letter. */
enum phase { UNWANTED_PHASE, WANTED_PHASE, WANTED_ALWAYS };

struct plain {
	const struct json_options *options;
	struct json_value *value; /* values of the event at hand */
	const char *end;
	struct level event;
	struct level inner;
	int ph; /* indices of the filter's members, INT_MIN without a filter */
	int cat;
	unsigned char phases[UCHAR_MAX + 1]; /* enum phase */
	uint64_t lengths;                    /* bit n: a wanted category has n bytes; 63: or more */
	struct category seen[CATEGORIES];    /* by the lowest bits of the length */
	struct key other;                    /* a key that is too long to be remembered */
};

static uint64_t length_bit(struct str text)
{
	return (uint64_t)1 << (text.n < 63 ? text.n : 63);
}

struct plain *plain_open(const struct json_options *options)
{
	const struct json_filter *filter = options->filter;
	struct plain *plain = mem_zero(1, sizeof *plain);

	plain->options = options;
	plain->event.names = names_make(options->fields, options->fields_count, 0, options->object);
	plain->inner.names =
		names_make(options->inner, options->inner_count, options->fields_count, NULL);
	plain->ph = filter ? (int)filter->ph : INT_MIN;
	plain->cat = filter ? (int)filter->cat : INT_MIN;
	for (size_t i = 0; filter && i < filter->phases.n; i++)
		plain->phases[(unsigned char)filter->phases.s[i]] = WANTED_PHASE;
	for (size_t i = 0; filter && i < filter->always.n; i++)
		plain->phases[(unsigned char)filter->always.s[i]] = WANTED_ALWAYS;
	for (size_t i = 0; filter && i < filter->categories_count; i++)
		plain->lengths |= length_bit(filter->categories[i]);
	/* An unused slot matches nothing: no } can begin a key. */
	for (size_t i = 0; i < KEYS; i++)
		plain->event.keys[i] = plain->inner.keys[i] =
			(struct key){.text = "}", .length = 1, .want = NAMES_NONE};
	return plain;
}

void plain_close(struct plain *plain)
{
	if (!plain)
		return;
	free(plain->event.names);
	free(plain->inner.names);
	free(plain);
}

/* --- values -------------------------------------------------------------- */

INLINE const char *skip_space(const char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
		p++;
	return p;
}

#if defined(SIMD_SSE2)

INLINE __m128i load(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

INLINE uint32_t equal_bits(__m128i a, __m128i b)
{
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));
}

INLINE uint32_t digit_bits(__m128i text)
{
	__m128i value = _mm_sub_epi8(text, _mm_set1_epi8('0'));

	return equal_bits(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
}

/* True if the text at p begins with the key. */
INLINE bool stands_at(const struct key *key, const char *p)
{
	unsigned n = key->length;

	for (unsigned i = 0;; i += 16) {
		uint32_t same = equal_bits(load(p + i), load(key->text + i));

		if (n - i <= 16)
			return (~same & (0xffffU >> (16 - (n - i)))) == 0;
		if (same != 0xffff)
			return false;
	}
}

/*
 * The end of the number at p, of up to 31 bytes, if a comma, a } or white space follows it; NULL
 * if that is not certain. With `strict` it has the grammar of JSON, without an exponent; without
 * it, only the bytes of a number.
 */
INLINE const char *skip_number(const char *p, bool strict)
{
	__m128i low = load(p);
	__m128i high = load(p + 16);
	const __m128i dot = _mm_set1_epi8('.');
	const __m128i dash = _mm_set1_epi8('-');
	uint32_t digits = digit_bits(low) | digit_bits(high) << 16;
	uint32_t dots = equal_bits(low, dot) | equal_bits(high, dot) << 16;
	uint32_t minus = equal_bits(low, dash) | equal_bits(high, dash) << 16;
	uint32_t others = ~(digits | dots | minus);
	uint32_t inside = (others & (0 - others)) - 1;
	unsigned length;

	if (others == 0)
		return NULL;
	length = (unsigned)__builtin_ctz(others);
	if (p[length] != ',' && p[length] != '}' && (strict || (unsigned char)p[length] > ' '))
		return NULL;
	if (strict) {
		unsigned sign = minus & 1;

		dots &= inside;
		if ((minus & inside) != sign || (dots & (dots - 1)) || !(digits >> sign & 1) ||
		    (p[sign] == '0' && (digits >> sign >> 1 & 1)) || dots & (inside ^ inside >> 1))
			return NULL;
	}
	return length ? p + length : NULL;
}

#else

INLINE bool stands_at(const struct key *key, const char *p)
{
	return memcmp(p, key->text, key->length) == 0;
}

INLINE const char *skip_digits(const char *p)
{
	while (*p >= '0' && *p <= '9')
		p++;
	return p;
}

INLINE const char *skip_number(const char *p, bool strict)
{
	const char *start = p + (*p == '-');
	const char *end = skip_digits(start);

	if (end == start || (strict && *start == '0' && end > start + 1))
		return NULL;
	if (*end == '.') {
		start = end + 1;
		end = skip_digits(start);
		if (end == start)
			return NULL;
	}
	return *end == ',' || *end == '}' ? end : NULL;
}

#endif

enum { NESTED_MAX = 64 };

/* Brackets that are open, the last one in the lowest bit: 1 for {. */
struct nesting {
	uint64_t kinds;
	unsigned depth;
};

enum nested { NESTED_BROKEN, NESTED_OPEN, NESTED_CLOSED };

INLINE enum nested nest(struct nesting *nesting, bool opens, bool curly)
{
	if (opens) {
		nesting->kinds = nesting->kinds << 1 | curly;
		return ++nesting->depth > NESTED_MAX ? NESTED_BROKEN : NESTED_OPEN;
	}
	if ((nesting->kinds & 1) != curly)
		return NESTED_BROKEN;
	nesting->kinds >>= 1;
	return --nesting->depth ? NESTED_OPEN : NESTED_CLOSED;
}

/* The end of the array or object at p; NULL if a bracket closes one of another kind. */
static const char *skip_nested(const char *p)
{
	enum { CURLY = 0x20 }; /* in ASCII the square brackets are the curly ones without this bit */
	struct nesting nesting = {0};
	uint64_t in_string = 0;

	for (;; p += SIMD_BLOCK) {
		uint64_t strings = simd_parity(simd_bits(p, '"')) ^ in_string;
		uint64_t opens = simd_bits_with(p, CURLY, '{') & ~strings;
		uint64_t closes = simd_bits_with(p, CURLY, '}') & ~strings;

		for (uint64_t brackets = opens | closes; brackets; brackets &= brackets - 1) {
			uint64_t bracket = brackets & (0 - brackets);
			const char *at = p + __builtin_ctzll(brackets);
			enum nested nested = nest(&nesting, opens & bracket, *at & CURLY);

			if (nested != NESTED_OPEN)
				return nested == NESTED_CLOSED ? at + 1 : NULL;
		}
		in_string = 0 - (strings >> 63);
	}
}

/* The end of the text at p in the place of a number or literal; NULL if it is empty. */
static const char *skip_unwanted(const char *p)
{
	static const bool goes_on[UCHAR_MAX + 1] = {
		['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true, ['5'] = true,
		['6'] = true, ['7'] = true, ['8'] = true, ['9'] = true, ['.'] = true, ['-'] = true,
		['a'] = true, ['e'] = true, ['f'] = true, ['l'] = true, ['n'] = true, ['r'] = true,
		['s'] = true, ['t'] = true, ['u'] = true, ['+'] = true, ['E'] = true};
	const char *start = p;

	while (goes_on[(unsigned char)*p])
		p++;
	return p > start ? p : NULL;
}

INLINE struct json_value number(const char *p, const char *end)
{
	size_t n = (size_t)(end - p);

	return (struct json_value){.type = JSON_NUMBER, .decimal = n < 32, .text = {p, n}};
}

/* The end of the number or literal at p; NULL if it is neither, or unusual. */
static const char *skip_primitive(const char *p, struct json_value *value)
{
	const char *start = p;

	while ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || *p == '.' || *p == '-' ||
	       *p == '+' || *p == 'E')
		p++;
	*value = (struct json_value){.text = {start, (size_t)(p - start)}};
	value->type = json_primitive_type(value->text);
	return value->type == JSON_OTHER ? NULL : p;
}

/* --- the filter ---------------------------------------------------------- */

static bool is_category(const struct plain *plain, struct str cat)
{
	const struct json_filter *filter = plain->options->filter;

	if (!(plain->lengths & length_bit(cat)))
		return false;
	for (size_t i = 0; i < filter->categories_count; i++)
		if (str_equal(filter->categories[i], cat))
			return true;
	return false;
}

/* Whether the category, or a word of it between commas, is one of the filter's. */
static bool find_category(const struct plain *plain, struct str cat)
{
	const char *comma;

	if (is_category(plain, cat))
		return true;
	while ((comma = memchr(cat.s, ',', cat.n))) {
		size_t n = (size_t)(comma - cat.s);
		struct str word = {cat.s, n};

		cat = (struct str){comma + 1, cat.n - n - 1};
		if (cat.n && *cat.s == ' ')
			cat = (struct str){cat.s + 1, cat.n - 1};
		if (is_category(plain, word) || is_category(plain, cat))
			return true;
	}
	return false;
}

static bool category_wanted(struct plain *plain, struct str cat)
{
	struct category *seen = &plain->seen[cat.n % CATEGORIES];

	if (cat.n == 0 || cat.n > CATEGORY_TEXT)
		return find_category(plain, cat);
	if (seen->length != cat.n || memcmp(seen->text, cat.s, cat.n) != 0) {
		seen->length = (unsigned char)cat.n;
		memcpy(seen->text, cat.s, cat.n);
		seen->wanted = find_category(plain, cat);
	}
	return seen->wanted;
}

/* True if the filter passes the event in value[]. */
INLINE bool wanted(struct plain *plain)
{
	const struct json_filter *filter = plain->options->filter;
	const struct json_value *ph = &plain->value[filter->ph];
	const struct json_value *cat = &plain->value[filter->cat];

	if (ph->type == JSON_STRING && ph->text.n == 1) {
		enum phase phase = plain->phases[(unsigned char)*ph->text.s];

		if (phase != WANTED_PHASE)
			return phase == WANTED_ALWAYS;
	}
	return filter->categories_count == 0 ||
	       category_wanted(plain, cat->type == JSON_STRING ? cat->text : STR(""));
}

INLINE bool is_string(const char *p, const char *name)
{
	while (*name && *p == *name) {
		p++;
		name++;
	}
	return !*name && *p == '"';
}

/*
 * True if one of two names is between quotes in the text from p to end, which is after a }. All
 * events that are dropped early are searched: only a quote before the first letter of a name costs
 * more than its part of a block.
 */
static bool has_string(const char *p, const char *end, const char *a, const char *b)
{
	uint64_t carry = 0;

	for (; p < end; p += SIMD_BLOCK) {
		uint64_t quotes = simd_bits(p, '"');
		uint64_t found = (quotes << 1 | carry) &
		                 (simd_bits(p, (unsigned char)*a) | simd_bits(p, (unsigned char)*b));

		carry = quotes >> 63;
		if (end - p < SIMD_BLOCK)
			found &= simd_low((uint64_t)(end - p));
		for (; found; found &= found - 1) {
			const char *at = p + __builtin_ctzll(found);

			if (is_string(at, a) || is_string(at, b))
				return true;
		}
	}
	return false;
}

/* True if the members before p make the event unwanted, and no member after p can change that. */
INLINE bool surely_unwanted(struct plain *plain, const char *p)
{
	const struct json_filter *filter = plain->options->filter;
	const char *const *fields = plain->options->fields;

	return plain->value[filter->ph].type && plain->value[filter->cat].type && !wanted(plain) &&
	       !has_string(p, plain->end, fields[filter->ph], fields[filter->cat]);
}

/* --- members ------------------------------------------------------------- */

INLINE bool is_key(const struct key *key, struct str text)
{
	return key->length == text.n && memcmp(key->text, text.s, text.n) == 0;
}

/*
 * The slot of the key with that text, or a slot for it. Keys chosen to have one slot replace each
 * other: their cost is bounded without a secret seed.
 */
static unsigned slot_of(const struct level *level, struct str text, uint64_t head)
{
	unsigned first = (unsigned)((head ^ text.n << 3) * 0x9e3779b97f4a7c15u >> 58);

	for (unsigned i = 0; i < PROBES; i++) {
		unsigned slot = (first + i) % KEYS;
		const struct key *key = &level->keys[slot];

		if (slot != START && (is_key(key, text) || key->length == 1))
			return slot;
	}
	return first == START ? START + 1 : first;
}

/*
 * Reads the key at p, which never followed `before`, and remembers it as a follower if it is short
 * enough. Sets its length. NULL if no key is there.
 */
static const struct key *learn(struct plain *plain, struct level *level, const char *p, bool first,
                               unsigned before, size_t *length)
{
	const char *start = p;
	const char *name;
	struct key *key = &plain->other;
	size_t n;

	if (!first && *p++ != ',')
		return NULL;
	p = skip_space(p);
	if (*p != '"')
		return NULL;
	name = p + 1;
	p = scan_quote(name);
	n = (size_t)(p - name);
	p = skip_space(p + 1);
	if (*p != ':')
		return NULL;
	p = skip_space(p + 1);
	*length = (size_t)(p - start);
	if (*length <= KEY_TEXT) {
		struct str text = {start, *length};
		unsigned char *next = level->keys[before].next;
		unsigned slot = slot_of(level, text, names_head(name, n));

		memmove(next + 1, next, FOLLOWERS - 1);
		*next = (unsigned char)slot;
		key = &level->keys[slot];
		if (is_key(key, text))
			return key;
		*key = (struct key){.length = (unsigned char)text.n};
		memcpy(key->text, text.s, text.n);
	}
	key->want = names_find(level->names, name, n);
	return key;
}

/* The key at p if it has followed `before`, or NULL. */
INLINE const struct key *follower(struct level *level, unsigned before, const char *p)
{
	unsigned char *next = level->keys[before].next;

	if (stands_at(&level->keys[next[0]], p))
		return &level->keys[next[0]];
	for (unsigned i = 1; i < FOLLOWERS; i++) {
		unsigned char slot = next[i];

		if (stands_at(&level->keys[slot], p)) {
			next[i] = next[0];
			next[0] = slot;
			return &level->keys[slot];
		}
	}
	return NULL;
}

INLINE void forget(struct json_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		values[i] = (struct json_value){0};
}

/* Reads the members of the object at *from, and moves *from to its end. */
static enum plain_verdict members(struct plain *plain, struct level *level, const char **from)
{
	struct json_value *values = plain->value;
	const char *p = *from + 1;
	unsigned at = START;
	bool first = true;

	if (*p != '"' && *skip_space(p) == '}') {
		*from = skip_space(p) + 1;
		return PLAIN_WANTED;
	}
	for (;;) {
		const struct key *key = first != (*p == ',') ? follower(level, at, p) : NULL;
		size_t length;
		int want;

		if (key) {
			length = key->length;
		} else {
			key = learn(plain, level, p, first, at, &length);
			if (!key)
				return PLAIN_UNSURE;
		}
		first = false;
		p = skip_space(p + length); /* there may be more than was remembered */
		want = key->want;
		if (key != &plain->other)
			at = (unsigned)(key - level->keys);
		if (want == NAMES_OBJECT) /* the last of two objects of that name counts */
			forget(values + plain->options->fields_count, plain->options->inner_count);
		if (*p == '"') {
			const char *close = scan_quote(p + 1);

			if (want >= 0)
				values[want] = (struct json_value){.type = JSON_STRING,
				                                   .text = {p + 1, (size_t)(close - p - 1)}};
			p = close + 1;
		} else if (*p != '{' && *p != '[') {
			const char *start = p;
			const char *after = skip_number(p, want >= 0);

			if (after) {
				p = after;
				if (want >= 0)
					values[want] = number(start, p);
			} else if (want >= 0) {
				p = skip_primitive(p, &values[want]);
			} else {
				p = skip_unwanted(p);
			}
			if (!p)
				return PLAIN_UNSURE;
		} else if (want == NAMES_OBJECT && *p == '{') {
			enum plain_verdict verdict = members(plain, &plain->inner, &p);

			if (verdict != PLAIN_WANTED)
				return verdict;
		} else {
			const char *nested = skip_nested(p);

			if (!nested)
				return PLAIN_UNSURE;
			if (want >= 0)
				values[want] =
					(struct json_value){.type = JSON_NESTED, .text = {p, (size_t)(nested - p)}};
			p = nested;
		}
		if (level == &plain->event && (want == plain->ph || want == plain->cat) &&
		    surely_unwanted(plain, p))
			return PLAIN_UNWANTED;
		if (*p != ',') {
			p = skip_space(p);
			if (*p == '}') {
				*from = p + 1;
				return PLAIN_WANTED;
			}
			if (*p != ',')
				return PLAIN_UNSURE;
		}
	}
}

enum plain_verdict plain_event(struct plain *plain, struct str text, struct json_value *value)
{
	const char *p = text.s;
	enum plain_verdict verdict;

	plain->value = value;
	plain->end = text.s + text.n;
	forget(value, plain->options->fields_count + plain->options->inner_count);
	verdict = members(plain, &plain->event, &p);
	if (verdict == PLAIN_WANTED && p != plain->end)
		return PLAIN_UNSURE;
	if (verdict == PLAIN_WANTED && plain->options->filter && !wanted(plain))
		return PLAIN_UNWANTED;
	return verdict;
}
