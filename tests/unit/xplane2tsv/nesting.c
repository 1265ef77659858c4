/* nesting: which events contain another one, as the rule says it for each pair. */
#include "../unit.h"

#include "xplane2tsv/nesting.h"

static void check(const int64_t (*events)[2], size_t count, const char *contains)
{
	struct nesting nesting = {0};

	for (size_t i = 0; i < count; i++)
		nesting_add(&nesting, events[i][0], events[i][1]);
	nesting_find(&nesting);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(nesting_contains(&nesting, i), contains[i] == 'y');
	nesting_free(&nesting);
}

static void spans(void **state)
{
	static const int64_t loop[][2] = {{0, 100}, {0, 40}, {40, 60}, {100, 5}, {110, 0}};
	static const int64_t equal[][2] = {{5, 10}, {5, 10}, {5, 10}};
	static const int64_t unordered[][2] = {{60, 10}, {0, 100}, {50, 30}, {200, 1}};
	static const int64_t across[][2] = {{0, 50}, {40, 50}};
	static const int64_t empty[][2] = {{0, 10}, {5, 0}};
	static const int64_t extreme[][2] = {{INT64_MAX, INT64_MAX}, {INT64_MAX, 1}, {INT64_MIN, -1}};

	(void)state;
	check(loop, COUNT(loop), "ynnnn");
	check(equal, COUNT(equal), "yyn");
	check(unordered, COUNT(unordered), "nyyn");
	check(across, COUNT(across), "nn");
	check(empty, COUNT(empty), "nn");
	check(extreme, COUNT(extreme), "ynn");
}

/* The rule, for each pair. */
static bool contains(const int64_t (*events)[2], size_t count, size_t i)
{
	for (size_t j = 0; j < count; j++) {
		bool later = events[j][0] != events[i][0]   ? events[j][0] > events[i][0]
		             : events[j][1] != events[i][1] ? events[j][1] < events[i][1]
		                                            : j > i;

		if (later && events[j][1] > 0 && events[j][0] + events[j][1] <= events[i][0] + events[i][1])
			return true;
	}
	return false;
}

static void many(void **state)
{
	struct nesting nesting = {0};
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		int64_t events[20][2];

		nesting_clear(&nesting);
		for (size_t i = 0; i < COUNT(events); i++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			events[i][0] = (int64_t)(random >> 60);
			events[i][1] = (int64_t)(random >> 40 & 15) - 2;
			nesting_add(&nesting, events[i][0], events[i][1]);
		}
		nesting_find(&nesting);
		for (size_t i = 0; i < COUNT(events); i++)
			assert_int_equal(nesting_contains(&nesting, i), contains(events, COUNT(events), i));
	}
	nesting_free(&nesting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
