/* unclassed: the share of class Other in each input, and its warning. */
#include "../unit.h"

#include "kernel/unclassed.h"

#include "base/die.h"

/* A row: its time in units of 10^-9, and its name, if it is of class Other. */
struct row {
	__int128 nano;
	const char *other;
};

struct rows {
	const struct row *row;
	size_t count;
	int repeat; /* times that each comes, with a number after its name */
};

/* Takes the rows as those of one input, and ends. */
static int take(void *arg)
{
	const struct rows *rows = arg;
	struct unclassed unclassed = {.file = "in.kev"};
	struct buf name = {0};

	die_init("prog");
	for (int i = 0; i < rows->repeat; i++) {
		for (size_t j = 0; j < rows->count; j++) {
			struct dec dur = {rows->row[j].nano};

			name.len = 0;
			if (rows->row[j].other && rows->repeat > 1)
				buf_format(&name, "%s%d", rows->row[j].other, i);
			else if (rows->row[j].other)
				buf_text(&name, rows->row[j].other);
			if (rows->row[j].other)
				unclassed_add_other(&unclassed, dur, buf_view(&name));
			else
				unclassed_add(&unclassed, dur);
		}
	}
	unclassed_end(&unclassed);
	buf_free(&name);
	return unclassed.names.count || unclassed.time.nano; /* it is empty */
}

static void assert_warns(const struct row *row, size_t count, int repeat, const char *want)
{
	struct rows rows = {row, count, repeat};
	struct unit_end end = unit_run(take, &rows);
	struct buf text = {0};

	if (*want)
		buf_format(&text, "prog: in.kev: Other has %s\n", want);
	assert_int_equal(end.status, 0);
	unit_equal(buf_view(&end.err), buf_view(&text), __FILE__, __LINE__);
	buf_free(&text);
	unit_end_free(&end);
}

#define RULE " of the device time; its communication counts as compute"

static void share(void **state)
{
	static const struct row exactly[] = {{10, "x"}, {90, NULL}};
	static const struct row above[] = {{10, "x"}, {89, NULL}};
	static const struct row all[] = {{1, "x"}};
	static const struct row below_0[] = {{10, "x"}, {90, NULL}, {-80, NULL}, {-5, "x"}, {0, "y"}};
	static const struct row nothing[] = {{0, "x"}, {0, NULL}};

	(void)state;
	assert_warns(NULL, 0, 1, "");
	assert_warns(exactly, COUNT(exactly), 1, "");
	assert_warns(above, COUNT(above), 1, "10 %" RULE "; largest: 'x'");
	assert_warns(all, COUNT(all), 1, "100 %" RULE "; largest: 'x'");
	assert_warns(below_0, COUNT(below_0), 1, "");
	assert_warns(nothing, COUNT(nothing), 1, "");
}

/* The name with the most time, of several the smallest, whatever the order. */
static void largest(void **state)
{
	static const struct row sums[] = {{5, "b"}, {4, "c"}, {3, "c"}, {7, "a"}, {81, NULL}};
	static const struct row order[] = {{81, NULL}, {3, "c"}, {7, "a"}, {4, "c"}, {5, "b"}};

	(void)state;
	assert_warns(sums, COUNT(sums), 1, "19 %" RULE "; largest: 'a'");
	assert_warns(order, COUNT(order), 1, "19 %" RULE "; largest: 'a'");
}

/* More names than are kept: the share is right, but which name is the largest is unknown. */
static void crowded(void **state)
{
	static const struct row rows[] = {{10, "a name that is new each time "}, {10, NULL}};

	(void)state;
	assert_warns(rows, COUNT(rows), 200000, "50 %" RULE);
}

/* Times that are too large to add have no share. */
static void too_large(void **state)
{
	const __int128 huge = (__int128)1 << 126;
	const struct row rows[] = {{huge, "x"}, {huge, NULL}, {huge, "x"}};

	(void)state;
	assert_warns(rows, COUNT(rows), 1, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(share),
		cmocka_unit_test(largest),
		cmocka_unit_test(crowded),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
