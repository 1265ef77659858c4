/* calls: the union of a call's rows, in memory and through sort(1). */
#include "../unit.h"

#include "kroof/calls.h"

static void add(struct calls *calls, uint64_t group, uint64_t source, uint64_t id, int64_t start,
                int64_t end)
{
	const struct calls_row row = {group, source, id, 0, dec_of(start), dec_of(end)};

	assert_true(calls_add(calls, &row));
}

/* Group, time and rows of each call. */
static void show(struct calls *calls, struct buf *out)
{
	struct calls_call call;
	int got;

	while ((got = calls_next(calls, &call)) > 0) {
		buf_format(out, "%llu:", (unsigned long long)call.group);
		dec_print(out, call.time);
		buf_format(out, "/%llu ", (unsigned long long)call.rows);
	}
	assert_int_equal(got, 0);
	assert_int_equal(calls_next(calls, &call), 0);
}

/* All orders of a few rows give one table, whether they are held or not. */
static void any_order(void **state)
{
	static const int64_t rows[][5] = {
		{0, 0, 1, -5, 5},  {0, 0, 1, 4, 8},   {0, 0, 1, 8, 9},   {0, 0, 1, 20, 21},
		{0, 0, 1, 0, 2},   {0, 1, 1, 0, 10},  {0, 0, 2, 3, 3},   {1, 0, 1, 0, 1},
		{1, 0, 1, -9, -1}, {1, 0, 3, 10, 90}, {1, 0, 3, 20, 30},
	};
	uint64_t random = 1;
	struct buf got = {0};

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct calls calls = {.held = round % 4 ? (size_t)(round % 4) * 3 : 0};
		size_t order[COUNT(rows)] = {0};

		for (size_t i = 0; i < COUNT(rows); i++) {
			size_t k = unit_below(&random, i + 1);

			order[i] = order[k];
			order[k] = i;
		}
		for (size_t i = 0; i < COUNT(rows); i++) {
			const int64_t *row = rows[order[i]];

			add(&calls, (uint64_t)row[0], (uint64_t)row[1], (uint64_t)row[2], row[3], row[4]);
		}
		got.len = 0;
		show(&calls, &got);
		assert_buf(&got, "0:15/5 0:0/1 0:10/1 1:9/2 1:80/2 ");
		calls_free(&calls);
	}
	buf_free(&got);
}

/* A call has the label of its first row, of several the first text, in any order of rows. */
static void labels(void **state)
{
	static const int64_t starts[] = {3, 5, 2, 2, 2, 9};
	static const uint64_t numbers[] = {1, 2, 1, 0, 2, 0};
	static const char *const want[] = {"c", "a", "b"};
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct strmap texts = {0};
		struct calls calls = {.held = round % 2 ? 2 : 0, .labels = &texts};
		struct calls_call call;
		size_t order[COUNT(starts)] = {0};

		strmap_add(&texts, STR("b"), NULL);
		strmap_add(&texts, STR("c"), NULL);
		strmap_add(&texts, STR("a"), NULL);
		for (size_t i = 0; i < COUNT(starts); i++) {
			size_t k = unit_below(&random, i + 1);

			order[i] = order[k];
			order[k] = i;
		}
		for (size_t i = 0; i < COUNT(starts); i++) {
			size_t n = order[i];
			const struct calls_row row = {.id = n < 2   ? 1
			                                    : n < 5 ? 2
			                                            : 3,
			                              .label = numbers[n],
			                              .start = dec_of(starts[n]),
			                              .end = dec_of(10 + (int64_t)n)};

			assert_true(calls_add(&calls, &row));
		}
		for (int i = 0; i < 3; i++) {
			assert_int_equal(calls_next(&calls, &call), 1);
			assert_str(strmap_key(&texts, call.label), str_of(want[i]));
		}
		assert_int_equal(calls_next(&calls, &call), 0);
		calls_free(&calls);
		strmap_free(&texts);
	}
}

static void nothing(void **state)
{
	struct calls calls = {0};
	struct buf got = {0};

	(void)state;
	show(&calls, &got);
	assert_int_equal(got.len, 0);
	calls_free(&calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
		cmocka_unit_test(labels),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
