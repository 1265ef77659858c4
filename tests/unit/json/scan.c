/* scan: where objects end, by every kind of SIMD that this processor has. */
#include "../unit.h"

#include "json/scan.h"

static const char *const ways[] = {"scalar", "sse2", "avx2", "neon"};

/* Makes scan_init choose this way; false where the processor has it not. */
static int choose(void *arg)
{
	struct scan scan;

	setenv("KEV_SIMD", arg, 1);
	scan_init(&scan, NULL, 0);
	return 0;
}

static bool chosen(const char *way)
{
	struct unit_end end = unit_run(choose, (void *)way);
	bool there = end.status == 0;

	assert_true(there || str_has(buf_view(&end.err), STR("KEV_SIMD: ")));
	unit_end_free(&end);
	if (there)
		setenv("KEV_SIMD", way, 1);
	return there;
}

static void ways_are_there(void **state)
{
	int found = 0;

	(void)state;
	assert_true(chosen("scalar"));
	for (size_t i = 0; i < COUNT(ways); i++)
		found += chosen(ways[i]);
	assert_true(found >= 1);
	assert_false(chosen("none"));
#if defined(SIMD_SSE2)
	assert_true(chosen("sse2"));
	assert_false(chosen("neon"));
#elif defined(SIMD_NEON)
	assert_true(chosen("neon"));
#endif
	unsetenv("KEV_SIMD");
}

/* Where nothing is forced: what tests/ways takes for granted. */
static void last_way_is_chosen(void **state)
{
	struct scan scan;
	struct scan last = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(ways); i++)
		if (chosen(ways[i]))
			scan_init(&last, NULL, 0);
	unsetenv("KEV_SIMD");
	scan_init(&scan, NULL, 0);
	assert_true(scan.find && scan.find == last.find);
	setenv("KEV_SIMD", "", 1);
	scan_init(&scan, NULL, 0);
	assert_true(scan.find == last.find);
	unsetenv("KEV_SIMD");
}

struct found {
	size_t end; /* 0: there is none */
	bool backslash;
	bool letter;
};

/* Whether a word that begins with the byte at i begins with one of the letters, in either case. */
static bool begins(struct str text, size_t i, struct str letters)
{
	for (size_t j = 0; j < letters.n && i < text.n; j++)
		if ((text.s[i] | 0x20) == (letters.s[j] | 0x20))
			return true;
	return false;
}

/* A byte at a time, as one would explain it. */
static struct found naive(struct str text, size_t start, struct str letters)
{
	struct found found = {0};
	bool in_string = false;
	size_t depth = 0;

	for (size_t i = start; i < text.n; i++) {
		char c = text.s[i];

		if (c == '\\') {
			found.backslash = true;
			i += i + 1 < text.n && (text.s[i + 1] == '"' || text.s[i + 1] == '\\');
			continue;
		}
		if (c == '"') {
			in_string = !in_string;
			found.letter |= in_string && begins(text, i + 1, letters);
		} else if (in_string && c == ',') {
			found.letter |= begins(text, i + 1, letters);
		} else if (!in_string && (c == '{' || c == '[')) {
			depth++;
		} else if (!in_string && (c == '}' || c == ']') && --depth == 0) {
			found.end = i + 1;
			break;
		}
	}
	return found;
}

/* Text with SCAN_BLOCK spaces behind it, in memory that ends there. */
static char *padded(struct str text)
{
	char *copy = malloc(text.n + SCAN_BLOCK);

	assert_non_null(copy);
	memcpy(copy, text.s, text.n);
	memset(copy + text.n, ' ', SCAN_BLOCK);
	return copy;
}

static void assert_found(struct scan *scan, const struct found *want, size_t end)
{
	assert_int_equal(end, want->end);
	if (want->backslash)
		assert_true(scan->has_backslash);
	if (want->letter && !want->backslash)
		assert_true(scan->has_letter);
}

static void each_way(void (*test)(struct str letters))
{
	static const struct str letters[] = {BYTES(""),     BYTES("k"),     BYTES("kgM"),
	                                     BYTES("kgcM"), BYTES("kKmMk"), BYTES("kg{")};

	for (size_t i = 0; i < COUNT(ways); i++) {
		if (!chosen(ways[i]))
			continue;
		for (size_t j = 0; j < COUNT(letters); j++)
			test(letters[j]);
	}
	unsetenv("KEV_SIMD");
}

/* --- known texts --------------------------------------------------------- */

static void known(struct str letters)
{
	static const struct {
		struct str text;
		size_t end;
	} cases[] = {
		{BYTES("{}"), 2},
		{BYTES("{} {}"), 2},
		{BYTES("{\"a\":1},"), 7},
		{BYTES("{\"a\":\"}\"}"), 9},
		{BYTES("{\"a\":\"\\\"}\"}"), 11},
		{BYTES("{\"a\":\"\\\\\"}x"), 10},
		{BYTES("{\"a\":[{},[]]}"), 13},
		{BYTES("{\"]}\":[]}"), 9},
		{BYTES("{]"), 2}, /* counted, not told apart */
		{BYTES("{\"a\":1"), 0},
		{BYTES("{\"a}"), 0},
		{BYTES("{\"a\\\"}"), 0},
		{BYTES("{[}"), 0},
		{BYTES("{"), 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		/* Wherever the object lies in its block. */
		for (size_t at = 0; at < 2 * SCAN_BLOCK; at++) {
			struct buf text = {0};
			struct found want;
			struct scan scan;
			char *copy;

			memset(buf_reserve(&text, at + 1), ' ', at);
			text.len = at;
			buf_str(&text, cases[i].text);
			copy = padded(buf_view(&text));
			scan_init(&scan, letters.s, letters.n);
			want = naive(buf_view(&text), at, letters);
			assert_int_equal(want.end, cases[i].end ? at + cases[i].end : 0);
			assert_found(&scan, &want, scan_object(&scan, copy, at, text.len + SCAN_BLOCK));
			free(copy);
			buf_free(&text);
		}
	}
}

static void known_texts(void **state)
{
	(void)state;
	each_way(known);
}

/* --- random texts -------------------------------------------------------- */

static void random_text(uint64_t *seed, struct buf *text)
{
	static const struct str alphabets[] = {BYTES("{}[]\"\\k,"), BYTES("{}[]\"kg"), BYTES("\\\""),
	                                       BYTES("{}abc\""), BYTES("[]")};
	size_t pieces = 1 + unit_below(seed, 6);

	for (size_t i = 0; i < pieces; i++)
		unit_random_bytes(seed, text, unit_below(seed, 90), alphabets[unit_below(seed, 5)]);
}

/*
 * Objects one behind the other, as json looks for them: from the end of one to the next {
 * that chance says, the text handed over a piece at a time and moved down now and then.
 */
static void random_objects(struct str letters)
{
	uint64_t seed = letters.n;

	for (int round = 0; round < 1500; round++) {
		struct buf text = {0};
		struct scan scan;
		char *copy;
		char *base;
		size_t start = 0;
		size_t seen;

		random_text(&seed, &text);
		copy = padded(buf_view(&text));
		base = copy;
		seen = unit_below(&seed, text.len + 1);
		scan_init(&scan, letters.s, letters.n);
		while (start < text.len) {
			struct found want;
			size_t end;

			if (text.data[start] != '{') {
				start++;
				continue;
			}
			want = naive(buf_view(&text), start, letters);
			if (unit_below(&seed, 2)) { /* what stands before start is given up */
				size_t by = start - (size_t)(base - copy);

				scan_moved(&scan, by);
				base += by;
			}
			for (;;) {
				size_t gone = (size_t)(base - copy);
				size_t limit = (seen == text.len ? seen + SCAN_BLOCK : seen);

				limit = limit > gone ? limit - gone : 0;
				end = scan_object(&scan, base, start - gone,
				                  limit < start - gone ? start - gone : limit);
				if (end || seen == text.len)
					break;
				seen += 1 + unit_below(&seed, 100);
				if (seen > text.len)
					seen = text.len;
			}
			assert_found(&scan, &want, end ? end + (size_t)(base - copy) : 0);
			if (!end) {
				scan_reset(&scan);
				start++;
			} else {
				start = end + (size_t)(base - copy);
			}
		}
		free(copy);
		buf_free(&text);
	}
}

static void random_texts(void **state)
{
	(void)state;
	each_way(random_objects);
}

/* Without letters every object may have what is looked for; with them one that has is known. */
static void letters_are_told(void **state)
{
	static const struct {
		const char *letters;
		struct str text;
		bool has;
	} cases[] = {
		{"", BYTES("{}"), true},
		{"k", BYTES("{\"cat\":\"kernel\"}"), true},
		{"k", BYTES("{\"cat\":\"cpu_op\"}"), false},
		{"k", BYTES("{}\"kernel\""), false}, /* not of this object */
		{"kMgc", BYTES("{\"ph\":\"M\"}"), true},
		{"kMgc", BYTES("{\"ph\":\"X\"}"), false},
		{"k", BYTES("{\"cat\":\"Kernel\"}"), true},
		{"KkKkM", BYTES("{\"cat\":\"kernel\"}"), true}, /* two letters */
		{"k", BYTES("{\"cat\":\"cc,kernel\"}"), true},
		{"k", BYTES("{\"cat\":\"cc, kernel\"}"), true},
		{"k", BYTES("{\"cat\":\"cc,  kernel\"}"), false},
		{"k", BYTES("{\"c\":\"1234567890123456789012345678901234567890123456789012345,k\"}"), true},
		{"k", BYTES("{\"c\":\"1234567890123456789012345678901234567890123456789012345, k\"}"),
	     true},
		{"k", BYTES("{\"c\":\"12345678901234567890123456789012345678901234567890123456, k\"}"),
	     true},
		{"k", BYTES("{\"c\":\"123456789012345678901234567890123456789012345678901234567, k\"}"),
	     true},
		{"v", BYTES("{\"cat\":\"cc,devtools\"}"), false},
		{"abcde", BYTES("{}"), true}, /* too many */
		{"aq", BYTES("{}"), true},    /* they share a nibble */
	};

	(void)state;
	for (size_t way = 0; way < COUNT(ways); way++) {
		if (!chosen(ways[way]))
			continue;
		for (size_t i = 0; i < COUNT(cases); i++) {
			struct scan scan;
			char *copy = padded(cases[i].text);

			scan_init(&scan, cases[i].letters, strlen(cases[i].letters));
			assert_true(scan_object(&scan, copy, 0, cases[i].text.n + SCAN_BLOCK) > 0);
			assert_int_equal(scan.has_letter, cases[i].has);
			free(copy);
		}
	}
	unsetenv("KEV_SIMD");
}

static void quotes_are_found(void **state)
{
	(void)state;
	for (size_t at = 0; at < 100; at++) {
		char *text = malloc(at + 1 + SCAN_BLOCK);

		assert_non_null(text);
		memset(text, 'x', at);
		memset(text + at, '"', 1 + SCAN_BLOCK);
		assert_ptr_equal(scan_quote(text), text + at);
		assert_ptr_equal(scan_quote(text + at), text + at);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_are_there),   cmocka_unit_test(last_way_is_chosen),
		cmocka_unit_test(known_texts),      cmocka_unit_test(random_texts),
		cmocka_unit_test(letters_are_told), cmocka_unit_test(quotes_are_found),
	};

	return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
