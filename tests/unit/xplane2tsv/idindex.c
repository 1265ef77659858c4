/* idindex: records by their ids, whatever ids an input chooses. */
#include "../unit.h"

#include "xplane2tsv/idindex.h"

struct record {
	int64_t id;
	int other;
};

static void check(const struct record *records, size_t count, int64_t missing)
{
	struct idindex index = {0};

	idindex_build(&index, records, sizeof *records, count);
	for (size_t i = 0; i < count; i++) {
		size_t last = i;

		for (size_t j = i; j < count; j++)
			if (records[j].id == records[i].id)
				last = j;
		assert_int_equal(idindex_find(&index, records[i].id), last);
	}
	assert_int_equal(idindex_find(&index, missing), IDINDEX_NONE);
	idindex_free(&index);
}

static void finds_the_last(void **state)
{
	static const struct record few[] = {{1, 0}, {3, 0}, {2, 0}, {3, 0}, {0, 0}};
	static const struct record far[] = {{-1, 0}, {INT64_MAX, 0}, {INT64_MIN, 0}, {0, 0}, {-1, 0}};

	(void)state;
	check(few, COUNT(few), 4);
	check(few, COUNT(few), -1);
	check(far, COUNT(far), 1);
	check(NULL, 0, 0);
	check(NULL, 0, -5);
}

static void many_apart(void **state)
{
	static struct record records[3000];

	(void)state;
	for (size_t i = 0; i < COUNT(records); i++)
		records[i].id = (int64_t)(i % 2900) << 33;
	check(records, COUNT(records), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_last),
		cmocka_unit_test(many_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
