/* walk: the pieces of a path, from its end to its beginning. */
#include "../unit.h"

#include "path_made.h"

static const struct str rows =
	BYTES("0\t2\tlaunch\tcuda_runtime\t9\t9\t1\t\t\t\n5\t95\ta\tkernel\t0\t7\t1\t7\t\t\n"
          "10\t2\tlaunch\tcuda_runtime\t9\t9\t2\t\t\t\n101\t4\tb\tkernel\t0\t20\t2\t20\t\t\n");

/* The pieces as "kind:start ", the last first. They tile the path. */
static void assert_path(struct made *made, int begin, const char *want)
{
	struct walk *walk = &made->walk;
	struct buf got = {0};
	uint32_t last = (uint32_t)made->devrows.count - 1;
	struct dec at = made->devrows.row[last].end;

	walk_back(walk, last, dec_of(begin));
	for (size_t i = 0; i < walk->count; i++) {
		assert_int_equal(dec_compare(walk->piece[i].span.end, at), 0);
		at = walk->piece[i].span.start;
		buf_format(&got, "%s:", path_kinds[walk->piece[i].kind]);
		dec_print(&got, at);
		buf_char(&got, ' ');
	}
	assert_int_equal(dec_compare(at, dec_of(begin)), 0);
	unit_equal(buf_view(&got), str_of(want), __FILE__, __LINE__);
	buf_free(&got);
}

static void back_and_cut(void **state)
{
	struct made made;

	(void)state;
	made_read(&made, rows);
	assert_path(&made, 0, "kernel:101 inferred:100 kernel:5 delay:2 launch:0 ");
	assert_path(&made, -4, "kernel:101 inferred:100 kernel:5 delay:2 launch:0 nothing:-4 ");
	assert_path(&made, 50, "kernel:101 inferred:100 kernel:50 ");
	made.walk.micro = dec_of(90);
	assert_path(&made, 0, "kernel:101 delay:12 launch:10 nothing:2 runtime:0 ");
	assert_str(walk_caller(&made.walk, made.walk.piece[2].launch).tid, STR("9"));
	made_free(&made);
}

static void without_launches(void **state)
{
	struct made made;

	(void)state;
	made_read(&made, STR("0\t2\ta\tkernel\t0\t7\t\t7\t\t\n5\t2\tb\tkernel\t0\t8\t\t8\t\t\n"
	                     "6\t3\tc\tkernel\t0\t7\t\t7\t\t\n"));
	assert_path(&made, 0, "kernel:6 unlinked:2 kernel:0 ");
	made_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(back_and_cut),
		cmocka_unit_test(without_launches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
