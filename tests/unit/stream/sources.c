#include "../unit.h"

#include "stream/sources.h"

/* Each line is a name, or the value of a ##sources line if it has a tab. */
static int run(void *arg)
{
	struct str rest = *(struct str *)arg;
	struct sources sources = {0};
	struct kev_writer out;

	die_init("prog");
	kev_writer_init(&out, unit_opts());
	while (rest.n) {
		size_t n = (size_t)((const char *)memchr(rest.s, '\n', rest.n) - rest.s);
		struct str line = {rest.s, n};

		if (!memchr(line.s, '\t', n))
			sources_add(&sources, line);
		else if (!sources_add_line(&sources, line))
			die("not a line");
		rest = (struct str){rest.s + n + 1, rest.n - n - 1};
	}
	sources_write(&sources, &out);
	sources_free(&sources);
	return kev_finish(&out);
}

/* The ##sources lines. */
static void assert_sources(struct str names, const char *want)
{
	struct unit_end end = unit_run(run, &names);
	struct str rest = buf_view(&end.out);
	struct buf got = {0};

	while (rest.n) {
		size_t n = (size_t)((const char *)memchr(rest.s, '\n', rest.n) - rest.s) + 1;

		if (str_starts(rest, STR("##sources\t")))
			buf_bytes(&got, rest.s + 10, n - 10);
		rest = (struct str){rest.s + n, rest.n - n};
	}
	assert_str(buf_view(&got), str_of(want));
	assert_int_equal(end.status, 0);
	buf_free(&got);
	unit_end_free(&end);
}

static void patterns(void **state)
{
	(void)state;
	assert_sources(STR(""), "");
	assert_sources(STR("a\n"), "1\ta\n");
	assert_sources(STR("r10.gz\nr9.gz\nr11.gz\n"), "3\tr{9..11}.gz\n");
	assert_sources(STR("n0/r007\nn1/r008\n"), "2\tn{0..1}/r{007..008}\n");
	assert_sources(STR("run5/r1\nrun5/r2\nx\nrun5/r1\n"), "3\trun5/r{1..2}\n1\tx\n");
	/* No number of more than 18 digits, none after the 16th, nothing in a name with a brace. */
	assert_sources(STR("a1234567890123456789\na1234567890123456788\n"),
	               "1\ta1234567890123456789\n1\ta1234567890123456788\n");
	assert_sources(STR("1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 70\n1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 8 70\n"),
	               "2\t1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 {6..8} 70\n");
	assert_sources(STR("{1\n{2\nb{1..2}\n"), "1\t{1\n1\t{2\n1\tb{1..2}\n");
}

static void lines(void **state)
{
	(void)state;
	assert_sources(STR("3\tr{9..11}.gz\n2\tr{12..13}.gz\nr5.gz\n"), "6\tr{5..13}.gz\n");
	assert_sources(STR("2\tr{007..008}5\n4\tr6\n"), "2\tr{007..008}5\n4\tr6\n");
	assert_sources(STR("1\tr{1..2}\n2\tr{1..x}\n2\tr{1..2\n"),
	               "1\tr{1..2}\n2\tr{1..x}\n2\tr{1..2\n");
	assert_sources(STR("7\t(others)\n2\t(others)\n"), "9\t(others)\n");
}

static void many(void **state)
{
	struct buf names = {0};
	struct buf want = {0};

	(void)state;
	for (int i = 0; i < 130; i++)
		buf_format(&names, "%c%c\n", 'a' + i / 20, 'a' + i % 20);
	for (int i = 0; i < 100; i++)
		buf_format(&want, "1\t%c%c\n", 'a' + i / 20, 'a' + i % 20);
	buf_text(&names, "aa\n");
	buf_text(&want, "30\t(others)\n");
	buf_char(&want, '\0');
	want.data[2] = 'a';
	want.data[0] = '2';
	assert_sources(buf_view(&names), want.data);
	buf_free(&names);
	buf_free(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test(lines),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
