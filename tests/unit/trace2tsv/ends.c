/* ends: begins and ends put together, against a stack for each track. */
#include "../unit.h"

#include "trace2tsv/ends.h"

static bool end(struct ends *ends, const char *track, const char *own, struct str *began,
                struct str *name)
{
	struct str row[] = {STR("9"), str_of(own)};

	if (!ends_end(ends, str_of(track), row, began))
		return false;
	*name = row[1];
	return true;
}

static void begin(struct ends *ends, const char *track, const char *ts, const char *name)
{
	ends_begin(ends, str_of(track), 7, (struct str[]){str_of(ts), str_of(name)}, 2);
}

static void the_innermost_is_closed(void **state)
{
	struct ends ends = {0};
	struct str began = {0};
	struct str name = {0};

	(void)state;
	assert_false(end(&ends, "1", "", &began, &name));
	begin(&ends, "1", "1", "outer");
	begin(&ends, "2", "2", "other");
	begin(&ends, "1", "3", "inner");
	assert_int_equal(ends.rows, 3);
	assert_true(end(&ends, "1", "", &began, &name));
	assert_text(began, "3");
	assert_text(name, "inner");
	assert_int_equal(ends.process, 7);
	assert_true(end(&ends, "1", "its own", &began, &name));
	assert_text(began, "1");
	assert_text(name, "outer");
	begin(&ends, "1", "4", "");
	assert_true(end(&ends, "1", "its own", &began, &name));
	assert_text(name, "its own");
	ends_begin(&ends, STR("1"), 8, NULL, 0);
	assert_int_equal(ends.rows, 1);
	assert_true(end(&ends, "1", "", &began, &name));
	assert_null(began.s);
	assert_int_equal(ends.process, 8);
	assert_false(end(&ends, "1", "", &began, &name));
	assert_int_equal(ends.rows, 1);
	ends_free(&ends);
	assert_int_equal(ends.rows, 0);
	assert_false(end(&ends, "2", "", &began, &name));
}

/* As many tracks as make the table grow, each with a stack of numbers. */
static void random_tracks(void **state)
{
	enum { TRACKS = 200, DEPTH = 40 };
	static uint64_t stack[TRACKS][DEPTH];
	size_t depth[TRACKS] = {0};
	struct ends ends = {0};
	uint64_t seed = 1;
	size_t open = 0;

	(void)state;
	for (uint64_t i = 0; i < 60000; i++) {
		size_t track = unit_below(&seed, TRACKS);
		struct str row[1];
		struct str began;
		char key[16];
		char text[24];

		snprintf(key, sizeof key, "%zu", track);
		snprintf(text, sizeof text, "%llu", (unsigned long long)i);
		row[0] = str_of(text);
		if (unit_below(&seed, 100) < 52 && depth[track] < DEPTH) {
			ends_begin(&ends, str_of(key), track, row, 1);
			stack[track][depth[track]++] = i;
			open++;
			continue;
		}
		assert_int_equal(ends_end(&ends, str_of(key), row, &began), depth[track] > 0);
		if (depth[track]) {
			snprintf(text, sizeof text, "%llu", (unsigned long long)stack[track][--depth[track]]);
			assert_str(began, str_of(text));
			open--;
		}
		assert_int_equal(ends.rows, open);
	}
	assert_true(open > 128);
	ends_free(&ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_is_closed),
		cmocka_unit_test(random_tracks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
