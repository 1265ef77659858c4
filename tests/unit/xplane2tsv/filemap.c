/* filemap: the bytes of a file; what cannot be mapped; a file that becomes shorter. */
#include "../unit.h"

#include "base/die.h"
#include "xplane2tsv/filemap.h"

static void bytes_of_a_file(void **state)
{
	struct filemap map;
	struct input in;

	(void)state;
	unit_feed(STR("abcdef"));
	assert_int_equal(lseek(STDIN_FILENO, 2, SEEK_SET), 2);
	assert_true(input_open(&in, "-"));
	assert_true(filemap_open(&map, &in));
	assert_str(((struct str){map.data, map.n}), STR("abcdef"));
	filemap_close(&map);
	assert_null(map.data);
	filemap_close(&map);
	input_close(&in);
}

static bool can_map(void)
{
	struct filemap map;
	struct input in;
	bool can;

	assert_true(input_open(&in, "-"));
	can = filemap_open(&map, &in);
	filemap_close(&map);
	input_close(&in);
	return can;
}

static void others_are_read(void **state)
{
	struct buf packed = {0};

	(void)state;
	unit_feed(STR("x"));
	assert_true(can_map());
	unit_feed(STR(""));
	assert_false(can_map());
	unit_gzip(&packed, STR("x"), 1);
	unit_feed(buf_view(&packed));
	assert_false(can_map());
	buf_free(&packed);
	unit_feed_pipe(STR("abc"));
	assert_false(can_map());
}

/* Looks at a byte that is gone. */
static int look(void *arg)
{
	struct filemap map;
	struct input in;

	die_init("prog");
	if (!input_open(&in, arg) || !filemap_open(&map, &in) || truncate(arg, 1) != 0)
		return -1;
	return *(volatile const char *)(map.data + map.n - 1);
}

static void a_shorter_file_ends_the_program(void **state)
{
	static char bytes[20000];
	char path[64];
	struct unit_end end;

	(void)state;
	unit_file(path, (struct str){bytes, sizeof bytes});
	end = unit_run(look, path);
	assert_int_equal(end.status, STATUS_ERROR);
	assert_true(str_starts(buf_view(&end.err), STR("prog: /")));
	assert_true(str_has(buf_view(&end.err), STR(": cannot be read: it became shorter")));
	unit_end_free(&end);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_a_file),
		cmocka_unit_test(others_are_read),
		cmocka_unit_test(a_shorter_file_ends_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
