/* window: ends of a window, and which rows reach into it. */
#include "../unit.h"

#include "stream/window.h"

static void reads_ends(void **state)
{
	static const char *const good[] = {"1,2", "1,", ",2", "-5,+1.5ms", " 1 , 2 ", "+0,", "2,1"};
	static const char *const bad[] = {"",    ",",    "1",    "1,2,3", "x,2",
	                                  "1,y", "--1,", "+-1,", "1 2,",  "1min,"};
	struct window w;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_case(good[i], window_read(&w, str_of(good[i])));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_case(bad[i], !window_read(&w, str_of(bad[i])));
	assert_true(window_read(&w, STR("-5,+1.5ms")));
	assert_true(w.from.given && !w.from.relative && w.to.given && w.to.relative && w.has_unit);
	assert_true(w.from.time.nano == dec_of(-5).nano && w.to.time.nano == dec_of(1500).nano);
	assert_true(window_is_relative(&w));
	assert_true(window_read(&w, STR(",7")));
	assert_true(!w.from.given && !w.has_unit && !window_is_relative(&w));
}

/* A letter for each row: in, out, without ts. */
static void places(const char *text, const char *stream, const char *want)
{
	struct window w = {0};
	struct kev_reader r;
	struct buf got = {0};
	enum kev_item item;

	if (*text)
		assert_true(window_read(&w, str_of(text)));
	for (int look = 0; look < 2; look++) {
		unit_feed(str_of(stream));
		kev_open(&r, unit_opts());
		while ((item = kev_next(&r)) > KEV_END) {
			if (item == KEV_COLUMNS)
				window_columns(&w, &r);
			else if (item == KEV_ROW && look == 0 && window_is_given(&w))
				window_learn(&w, &r);
			else if (item == KEV_ROW && look == 1)
				buf_char(&got, "ion"[window_place(&w, &r)]);
		}
		if (item == KEV_FAILED)
			buf_text(&got, r.error);
		kev_close(&r);
		if (item == KEV_FAILED)
			break;
	}
	assert_case(text, str_equal(buf_view(&got), str_of(want)));
	buf_free(&got);
}

#define HEAD "#ts\tdur\tph\n"

static void places_rows(void **state)
{
	static const char rows[] = HEAD "10\t5\tX\n15\t\tX\n20\t1\tX\n\t1\tX\n0\t\tM\n";

	(void)state;
	places("", rows, "iiiii");
	places("15,20", rows, "oioni"); /* 10 + 5 ends where the window begins */
	places("14.9,20", rows, "iioni");
	places(",15", rows, "iooni");
	places("15,", rows, "oiini");
	places("+5,+10", rows, "oioni");
	places("+5,20", rows, "oioni");
	places("30,", rows, "oooni");
	places("5,", "#ts\n4\n5\n", "oi"); /* without dur and ph */
	places("5,", "#dur\n4\n", "column 'ts' is missing");
	places("5,", HEAD "x\t\t\n", "ts: 'x' is not a number");
	places("5,", HEAD "1\tx\t\n", "odur: 'x' is not a number");
	places("+170000000000000000000000000000,", HEAD "100000000000000000000000000000\t1\tX\n",
	       "othe time of the window is too large");
}

/* A ts of 0 counts for the start only if no row has another. */
static void counts_from_the_smallest(void **state)
{
	(void)state;
	places("+5,", HEAD "0\t1\tX\n100\t1\tX\n104\t2\tX\n0\t\tM\n", "ooii");
	places("+5,", HEAD "0\t1\tX\n0\t9\tX\n", "oi");
	places("+1,+4", HEAD "-5\t1\tX\n-2\t1\tX\n0\t1\tX\n", "oio");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_ends),
		cmocka_unit_test(places_rows),
		cmocka_unit_test(counts_from_the_smallest),
	};

	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
