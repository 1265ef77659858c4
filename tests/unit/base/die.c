/* die: statuses, messages, quoted values. */
#include "../unit.h"

#include "base/die.h"

#include <signal.h>

static void worse_is_ordered(void **state)
{
	static const enum status order[] = {STATUS_OK, STATUS_LIMIT, STATUS_DAMAGED, STATUS_ERROR};

	(void)state;
	for (size_t i = 0; i < COUNT(order); i++)
		for (size_t j = 0; j < COUNT(order); j++)
			assert_int_equal(status_worse(order[i], order[j]), order[i > j ? i : j]);
	assert_int_equal(STATUS_DAMAGED, 1);
	assert_int_equal(STATUS_ERROR, 2);
	assert_int_equal(STATUS_LIMIT, 3);
}

static void program_is_the_last_part_of_the_path(void **state)
{
	(void)state;
	die_init("/usr/local/bin/kgroup");
	assert_string_equal(die_program(), "kgroup");
	die_init("ratio");
	assert_string_equal(die_program(), "ratio");
}

static int say(void *arg)
{
	die_init("../bin/prog");
	warn("%s and %d", (const char *)arg, 7);
	die("the end of %s", (const char *)arg);
}

static void messages_are_lines(void **state)
{
	char text[] = "x";
	struct unit_end end = unit_run(say, text);

	(void)state;
	assert_int_equal(end.status, STATUS_ERROR);
	assert_buf(&end.out, "");
	assert_buf(&end.err, "prog: x and 7\nprog: the end of x\n");
	unit_end_free(&end);
}

/* Whole: a list of names may be long. */
static void a_long_message_is_one_line(void **state)
{
	char text[5000];
	struct unit_end end;

	(void)state;
	memset(text, 'y', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	end = unit_run(say, text);
	assert_int_equal(end.status, STATUS_ERROR);
	assert_true(str_starts(buf_view(&end.err), STR("prog: yyyy")));
	assert_true(str_has(buf_view(&end.err), STR("yy and 7\nprog: the end of yyyy")));
	assert_true(str_ends(buf_view(&end.err), STR("yy\n")));
	assert_int_equal(end.err.len,
	                 2 * (sizeof text - 1) + strlen("prog:  and 7\nprog: the end of \n"));
	unit_end_free(&end);
}

static int say_ever_more(void *arg)
{
	char text[2200];

	(void)arg;
	die_init("prog");
	for (size_t n = 2000; n < 2100; n++) {
		memset(text, 'y', n);
		text[n] = '\0';
		warn("%s", text);
	}
	return 0;
}

/* However long a message is, it is whole and its line ends. */
static void a_message_of_any_length_is_a_line(void **state)
{
	struct unit_end end = unit_run(say_ever_more, NULL);
	const char *line = end.err.data;

	(void)state;
	for (size_t n = 2000; n < 2100; n++) {
		const char *newline = memchr(line, '\n', (size_t)(end.err.data + end.err.len - line));
		size_t length = newline ? (size_t)(newline - line) : 0;

		assert_non_null(newline);
		assert_memory_equal(line, "prog: yyyy", 10);
		assert_int_equal(length, n + 6);
		line = newline + 1;
	}
	assert_ptr_equal(line, end.err.data + end.err.len);
	unit_end_free(&end);
}

static int say_what_is_unsafe(void *arg)
{
	(void)arg;
	die_init("pro\x1bg");
	warn("%s: %.*s", "a\tb\xff", 4, "\xe2\x80\xae\xe4\xb8\xad");
	return 0;
}

/* Nothing of the input drives a terminal, nor is a character cut. */
static void messages_are_plain(void **state)
{
	struct unit_end end = unit_run(say_what_is_unsafe, NULL);

	(void)state;
	assert_buf(&end.err, "pro\\x1bg: a\\x09b\\xff: \\xe2\\x80\\xae\\xe4\n");
	unit_end_free(&end);
}

static int write_to_nobody(void *arg)
{
	int ends[2];

	(void)arg;
	signal(SIGPIPE, SIG_IGN);
	die_init("prog");
	if (pipe(ends) != 0)
		return 99;
	close(ends[0]);
	return (int)write(ends[1], "x", 1);
}

static void a_closed_pipe_kills_also_where_it_was_ignored(void **state)
{
	struct unit_end end = unit_run(write_to_nobody, NULL);

	(void)state;
	assert_int_equal(end.status, 128 + SIGPIPE);
	unit_end_free(&end);
}

static void assert_quoted(struct str text, const char *want)
{
	char out[QUOTE_MAX];

	assert_ptr_equal(quote(out, text.s, text.n), out);
	assert_string_equal(out, want);
}

static void quoted_values(void **state)
{
	(void)state;
	assert_quoted(STR(""), "''");
	assert_quoted(STR("N/A"), "'N/A'");
	assert_quoted(STR("a\tb\n\x7f\x1b[0m"), "'a\\x09b\\x0a\\x7f\\x1b[0m'");
	assert_quoted(STR("\0"), "'\\x00'");
	assert_quoted(STR("h\xc3\xa9 \xe4\xb8\xad \xff"), "'h\xc3\xa9 \xe4\xb8\xad \\xff'");
}

#define TEN "0123456789"
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

static void long_values_are_cut(void **state)
{
	(void)state;
	assert_quoted(STR(SEVENTY "abcd"), "'" SEVENTY "abcd'");
	assert_quoted(STR(SEVENTY TEN), "'" SEVENTY "0123...'");
	/* Not inside of a character, and not inside of what stands for a control byte. */
	assert_quoted(STR(SEVENTY "abc\xc3\xa9" TEN), "'" SEVENTY "abc...'");
	assert_quoted(STR(SEVENTY "ab\xe4\xb8\xad" TEN), "'" SEVENTY "ab...'");
	assert_quoted(STR(SEVENTY "a\xf0\x9f\x98\x80" TEN), "'" SEVENTY "a...'");
	assert_quoted(STR(SEVENTY "abc\n" TEN), "'" SEVENTY "abc...'");
	assert_quoted(STR(SEVENTY "\n\x80\x80" TEN), "'" SEVENTY "\\x0a...'");
	assert_quoted(STR(SEVENTY "\n\x80" TEN), "'" SEVENTY "\\x0a...'");
}

static void quoted_values_are_printable_and_fit(void **state)
{
	uint64_t seed = 1;
	struct buf text = {0};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char out[QUOTE_MAX];
		size_t n;

		text.len = 0;
		unit_random_bytes(&seed, &text, unit_below(&seed, 120),
		                  i % 2 ? STR("") : STR("\xe4\xb8\xad\nab\x80"));
		quote(out, buf_view(&text).s, text.len);
		n = strlen(out);
		assert_true(n < QUOTE_MAX);
		assert_true(n >= 2 && out[0] == '\'' && out[n - 1] == '\'');
		for (size_t j = 0; j < n; j++)
			assert_true((unsigned char)out[j] >= 0x20 && out[j] != 0x7f);
	}
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worse_is_ordered),
		cmocka_unit_test(program_is_the_last_part_of_the_path),
		cmocka_unit_test(messages_are_lines),
		cmocka_unit_test(a_long_message_is_one_line),
		cmocka_unit_test(a_message_of_any_length_is_a_line),
		cmocka_unit_test(messages_are_plain),
		cmocka_unit_test(a_closed_pipe_kills_also_where_it_was_ignored),
		cmocka_unit_test(quoted_values),
		cmocka_unit_test(long_values_are_cut),
		cmocka_unit_test(quoted_values_are_printable_and_fit),
	};

	return cmocka_run_group_tests_name("die", tests, NULL, NULL);
}
