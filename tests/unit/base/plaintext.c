/* plaintext: text of the input, made safe for a person. */
#include "../unit.h"

#include "base/plaintext.h"

static const struct {
	const char *text;
	const char *plain;
} vectors[] = {
	{"", ""},
	{"gemm<bf16, 128>", "gemm<bf16, 128>"},
	{"\\x1b stays", "\\x1b stays"},
	{"a\tb\nc\r\x7f", "a\\x09b\\x0ac\\x0d\\x7f"},
	{"\x1b[2J", "\\x1b[2J"},
	{"\xc2\x9b"
     "31m",
     "\\xc2\\x9b31m"},        /* CSI, one of C1 */
	{"\xc2\xa0", "\xc2\xa0"}, /* the first after C1 */
	{"\xe4\xb8\xad\xf0\x9f\x98\x80", "\xe4\xb8\xad\xf0\x9f\x98\x80"},
	{"\xe2\x80\xae", "\\xe2\\x80\\xae"}, /* right-to-left override */
	{"\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c", "\\xe2\\x81\\xa6\\xe2\\x80\\x8f\\xd8\\x9c"},
	{"\xe2\x80\xa8", "\\xe2\\x80\\xa8"}, /* a line separator */
	{"\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf",
     "\xef\xbf\xbd\\xef\\xbf\\xbe\\xef\\xbf\\xbf"}, /* not in XML */
	{"\x80", "\\x80"},                              /* no first byte */
	{"\xff\xfe", "\\xff\\xfe"},
	{"\xe4\xb8", "\\xe4\\xb8"}, /* cut off */
	{"\xe4\xb8x", "\\xe4\\xb8x"},
	{"\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf"}, /* longer than need be */
	{"\xed\xa0\x80", "\\xed\\xa0\\x80"},                   /* a surrogate */
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},          /* after the last code */
};

static void unsafe_bytes_are_written_in_hex(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(vectors); i++) {
		struct buf out = {0};
		char fit[64];

		plaintext_put(&out, str_of(vectors[i].text));
		assert_str(buf_view(&out), str_of(vectors[i].plain));
		assert_int_equal(plaintext_fit(fit, sizeof fit, str_of(vectors[i].text)), out.len);
		assert_string_equal(fit, vectors[i].plain);
		buf_free(&out);
	}
}

static void a_nul_is_no_end(void **state)
{
	struct buf out = {0};

	(void)state;
	plaintext_put(&out, STR("a\0b"));
	assert_str(buf_view(&out), STR("a\\x00b"));
	buf_free(&out);
}

static void long_text_is_cut_between_characters(void **state)
{
	char out[10];

	(void)state;
	plaintext_fit(out, sizeof out, STR("123456789"));
	assert_string_equal(out, "123456789");
	plaintext_fit(out, sizeof out, STR("1234567890"));
	assert_string_equal(out, "123456...");
	plaintext_fit(out, sizeof out, STR("1234\xe4\xb8\xad..."));
	assert_string_equal(out, "1234...");
	plaintext_fit(out, sizeof out, STR("12345\n7890"));
	assert_string_equal(out, "12345...");
	plaintext_fit(out, 4, STR("\n"));
	assert_string_equal(out, "...");
}

/* Any bytes: the result is plain, which a second time shows, and it fits. */
static void twice_is_once(void **state)
{
	uint64_t seed = 1;
	struct buf text = {0};
	struct buf once = {0};
	struct buf twice = {0};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t size = 4 + unit_below(&seed, 60);
		char fit[64];
		struct str rest;
		uint32_t code;

		text.len = once.len = twice.len = 0;
		unit_random_bytes(&seed, &text, unit_below(&seed, 60),
		                  i % 2 ? STR("") : STR("\xe4\xb8\xad\xe2\x80\xae\n\xc2\x9b"));
		plaintext_put(&once, buf_view(&text));
		plaintext_put(&twice, buf_view(&once));
		assert_str(buf_view(&twice), buf_view(&once));
		assert_true(plaintext_fit(fit, size, buf_view(&text)) < size);
		if (once.len < size)
			assert_str(str_of(fit), buf_view(&once));
		else
			assert_true(str_ends(str_of(fit), STR("...")));
		for (rest = str_of(fit); rest.n;) {
			size_t n = plaintext_character(rest, &code);

			assert_true(n > 0 && code >= 0x20);
			rest.s += n;
			rest.n -= n;
		}
	}
	buf_free(&text);
	buf_free(&once);
	buf_free(&twice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsafe_bytes_are_written_in_hex),
		cmocka_unit_test(a_nul_is_no_end),
		cmocka_unit_test(long_text_is_cut_between_characters),
		cmocka_unit_test(twice_is_once),
	};

	return cmocka_run_group_tests_name("plaintext", tests, NULL, NULL);
}
