/* xspace: planes one at a time, from a file or pipe; lengths allocate nothing. */
#include "../unit.h"

#include "xplane2tsv/xspace.h"

/* Standard input is a file, which is mapped, or a pipe. */
static void read_items(bool mapped)
{
	static const char bytes[] =
		"\x0a\x03"
		"abc\x08\x01\x22\x01h\x12\x02no\x1a\x01w\x0a\x00\x0a\xff\xff\xff\x7f"
		"x";
	struct xspace space;
	struct str item;

	(mapped ? unit_feed : unit_feed_pipe)((struct str){bytes, sizeof bytes - 1});
	assert_true(xspace_open(&space, "-"));
	assert_int_equal(xspace_next(&space, &item), XSPACE_PLANE);
	assert_str(item, STR("abc"));
	assert_int_equal(xspace_next(&space, &item), XSPACE_ERROR);
	assert_str(item, STR("no"));
	assert_int_equal(xspace_next(&space, &item), XSPACE_WARNING);
	assert_int_equal(xspace_next(&space, &item), XSPACE_PLANE);
	assert_int_equal(item.n, 0);
	assert_int_equal(xspace_next(&space, &item), XSPACE_FAILED);
	assert_str(str_of(space.error),
	           STR("damaged at byte 20: a length leads past the end of the file"));
	assert_true((space.map.data != NULL) == mapped);
	assert_true(space.window.cap < 1 << 20);
	xspace_close(&space);
}

static void items(void **state)
{
	(void)state;
	read_items(true);
	read_items(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(items)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
