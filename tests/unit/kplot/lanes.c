/* lanes: a picture of time. */
#include "../unit.h"

#include "kplot/lanes.h"

static void add(struct lanes *lanes, const char *lane, const char *class, int64_t ts, int64_t dur)
{
	lanes_add(lanes, str_of(lane), str_of(class), STR("name"), dec_of(ts), dec_of(dur));
}

#define HAS(script, text) assert_true(str_has(buf_view(&(script)), STR(text)))

/*
 * Nested events are below; the order of the rows does not matter; boxes of a pixel are merged;
 * lanes have the order of their numbers; a wide box has its name.
 */
static void boxes(void **state)
{
	static const struct str labels[] = {BYTES("second"), BYTES("first")};
	struct lanes lanes = {.unit = "us", .labels = labels};
	struct script_frame frame = {.title = STR("t")};
	struct buf script = {0};

	(void)state;
	add(&lanes, "10", "in", 20, 1);
	add(&lanes, "10", "in", 22, 1);
	add(&lanes, "9", "in", 100, 50);
	add(&lanes, "9", "out", 10, 2300);
	assert_true(lanes_script(&lanes, frame, &script));
	assert_int_equal(lanes.merged, 1);
	assert_int_equal(lanes.deeper + lanes.further, 0);
	HAS(script, "('first' 24, 'second' 65)");
	HAS(script, "$d0 << END\n0 2300 4 21\nEND\n");
	HAS(script, "$d1 << END\n90 140 24 41\n10 13 52 78\nEND\n");
	HAS(script, "set label 'name' at 0,12.5 left ");
	assert_false(str_has(buf_view(&script), STR("set label 'name' at 90")));
	buf_free(&script);
	lanes_free(&lanes);
}

/* Events that overlap in a chain need two depths, however long the chain is. */
static void chains(void **state)
{
	static const struct str labels[] = {BYTES("")};
	struct lanes lanes = {.unit = "us", .labels = labels};
	struct script_frame frame = {0};
	struct buf script = {0};

	(void)state;
	for (int64_t i = 0; i < 100; i++)
		add(&lanes, "", i % 2 ? "odd" : "even", 10 * i, 15);
	assert_true(lanes_script(&lanes, frame, &script));
	assert_int_equal(lanes.deeper, 0);
	HAS(script, "set yrange [48:0]");
	HAS(script, "$d0 << END\n0 15 4 21\n20 35 4 21\n");
	HAS(script, "$d1 << END\n10 25 24 41\n30 45 24 41\n");
	buf_free(&script);
	lanes_free(&lanes);
}

static void count(void *to, struct dec dur)
{
	dec_add(to, dur);
}

/* A window cuts its events, drops the others with their lanes, and is the whole picture. */
static void windows(void **state)
{
	static const struct str labels[] = {BYTES("gone"), BYTES("here")};
	struct lanes lanes = {.unit = "us", .labels = labels};
	struct window window = {0};
	struct script_frame frame = {0};
	struct buf script = {0};
	struct dec dropped = {0};

	(void)state;
	assert_true(window_read(&window, STR("+10,+40")));
	window_see(&window, dec_of(100));
	add(&lanes, "1", "a", 100, 10);
	add(&lanes, "1", "a", 140, 5);
	add(&lanes, "2", "b", 105, 6);
	add(&lanes, "2", "c", 130, 90);
	assert_true(lanes_clip(&lanes, &window, count, &dropped));
	assert_true(dropped.nano == dec_of(15).nano);
	assert_int_equal(lanes.count, 2);
	assert_true(lanes_script(&lanes, frame, &script));
	HAS(script, "since ts 110 (us)");
	HAS(script, "set xrange [0:30]");
	HAS(script, "('here' 17)");
	HAS(script, "$d0 << END\n20 30 4 30\nEND\n$d1 << END\n0 1 4 30\nEND\n");
	buf_free(&script);
	lanes_free(&lanes);
}

static void too_far(void **state)
{
	static const struct str labels[] = {BYTES("")};
	struct lanes lanes = {.unit = "us", .labels = labels};
	struct script_frame frame = {0};
	struct buf script = {0};
	__int128 most = (__int128)(((unsigned __int128)-1) >> 1);

	(void)state;
	lanes_add(&lanes, STR(""), STR(""), STR(""), (struct dec){-most}, dec_of(1));
	lanes_add(&lanes, STR(""), STR(""), STR(""), (struct dec){most}, dec_of(1));
	assert_false(lanes_script(&lanes, frame, &script));
	buf_free(&script);
	lanes_free(&lanes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes),
		cmocka_unit_test(chains),
		cmocka_unit_test(windows),
		cmocka_unit_test(too_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
