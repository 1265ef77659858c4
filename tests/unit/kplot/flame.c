/* flame: frames of stacks, as wide as their rows. */
#include "../unit.h"

#include "kplot/flame.h"

static struct buf script_of(const char *const (*rows)[2], size_t count, struct flame *flame)
{
	struct buf script = {0};

	flame->unit = "";
	flame->title = STR("dur");
	for (size_t i = 0; i < count; i++)
		flame_add(flame, str_of(rows[i][0]), str_of(rows[i][1]), dec_of(10));
	assert_true(flame_script(flame, (struct script_frame){0}, &script));
	return script;
}

/* Rows share frames with the row before that are a whole name, not only equal bytes. */
static void shared_frames(void **state)
{
	static const char *const rows[][2] = {{"a;bc", "d"}, {"a;b", "cd"}, {"a;bc", "d"}, {"a", "bc"},
	                                      {"ab", ""},    {"", "a"},     {"", ""}};
	static const char *const backwards[][2] = {
		{"", ""}, {"", "a"}, {"ab", ""}, {"a", "bc"}, {"a;bc", "d"}, {"a;b", "cd"}, {"a;bc", "d"}};
	struct flame flame = {0};
	struct flame other = {0};
	struct buf script = script_of(rows, 7, &flame);
	struct buf same = script_of(backwards, 7, &other);

	(void)state;
	assert_int_equal(flame.frames.count, 6); /* a, a;b, a;b;cd, a;bc, a;bc;d, ab */
	assert_int_equal(flame.narrow, 0);
	assert_true(str_has(buf_view(&script), STR("'all: 70' at 0,0.5 ")));
	assert_true(str_has(buf_view(&script), STR("'bc' at 10,2.5 ")));
	assert_true(str_has(buf_view(&script), STR("'ab' at 50,1.5 ")));
	assert_true(str_equal(buf_view(&script), buf_view(&same)));
	buf_free(&script);
	buf_free(&same);
	flame_free(&flame);
	flame_free(&other);
}

static void deepest(void **state)
{
	struct flame flame = {.unit = "", .title = STR("dur")};
	struct buf script = {0};
	struct buf stack = {0};

	(void)state;
	for (size_t i = 0; i < FLAME_DEEPEST - 1; i++)
		buf_text(&stack, i ? ";f" : "f");
	flame_add(&flame, buf_view(&stack), STR("top"), dec_of(1));
	assert_int_equal(flame.deeper, 0);
	buf_text(&stack, ";f;f");
	flame_add(&flame, buf_view(&stack), STR("top"), dec_of(1));
	flame_add(&flame, buf_view(&stack), STR("other"), dec_of(1));
	assert_int_equal(flame.deeper, 2);
	assert_int_equal(flame.frames.count, FLAME_DEEPEST + 1);
	assert_true(flame_script(&flame, (struct script_frame){0}, &script));
	assert_true(str_has(buf_view(&script), STR("set yrange [0:257]\n")));
	buf_free(&script);
	buf_free(&stack);
	flame_free(&flame);
}

static void too_large(void **state)
{
	struct flame flame = {.unit = "", .title = STR("dur")};
	struct buf script = {0};

	(void)state;
	flame_add(&flame, STR("a"), STR(""), (struct dec){(__int128)(((unsigned __int128)-1) >> 1)});
	flame_add(&flame, STR("b"), STR(""), (struct dec){1});
	assert_false(flame_script(&flame, (struct script_frame){0}, &script));
	buf_free(&script);
	flame_free(&flame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_frames),
		cmocka_unit_test(deepest),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
