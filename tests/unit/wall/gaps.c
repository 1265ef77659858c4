/* gaps: the rows beside idle intervals, in any order of rows and gaps. */
#include "../unit.h"

#include "wall/gaps.h"

static const struct {
	size_t device;
	int64_t start, end;
	const char *before;
	const char *after;
} want[] = {
	{0, 10, 20, "c", "long"},
	{0, 30, 40, "late", ""}, /* a row that begins within is not after it */
	{1, 5, 20, "", "first"},
};

static const struct {
	size_t device;
	int64_t start, end;
	const char *name;
	size_t next; /* the gaps that begin at its end, and end at its start, by their order */
	size_t last;
} rows[] = {
	{0, 0, 10, "z", 0, GAPS_NONE},
	{0, 5, 10, "b", 0, GAPS_NONE},
	{0, 5, 10, "c", 0, GAPS_NONE},
	{0, 20, 21, "z", GAPS_NONE, 0},
	{0, 20, 22, "y", GAPS_NONE, 0},
	{0, 20, 30, "long", 1, 0},
	{0, 30, 30, "late", 1, GAPS_NONE},
	{0, 35, 35, "a", GAPS_NONE, GAPS_NONE},
	{1, 20, 21, "first", GAPS_NONE, 2},
	{1, 21, 22, "a", GAPS_NONE, GAPS_NONE},
	{2, 10, 20, "other", GAPS_NONE, GAPS_NONE},
};

static struct str name_of(const struct gaps *gaps, size_t name)
{
	return name == STRMAP_NONE ? STR("") : strmap_key(&gaps->names, name);
}

static void rows_beside(void **state)
{
	(void)state;
	for (size_t turn = 0; turn < COUNT(rows); turn++) {
		struct gaps gaps = {.count = 0};

		for (size_t i = COUNT(want); i-- > 0;) {
			size_t n = (i + turn) % COUNT(want);
			struct interval span = {dec_of(want[n].start), dec_of(want[n].end)};

			gaps_add(&gaps, want[n].device, &span);
		}
		gaps_sort(&gaps);
		for (size_t i = 0; i < COUNT(rows); i++) {
			size_t n = (i + turn) % COUNT(rows);
			struct interval row = {dec_of(rows[n].start), dec_of(rows[n].end)};

			struct gaps_beside beside =
				gaps_offer(&gaps, rows[n].device, &row, str_of(rows[n].name));

			assert_int_equal(beside.next, rows[n].next);
			assert_int_equal(beside.last, rows[n].last);
		}
		assert_int_equal(gaps.count, COUNT(want));
		for (size_t i = 0; i < COUNT(want); i++) {
			const struct gap *gap = &gaps.item[i];

			assert_int_equal(gap->event.device, want[i].device);
			assert_true(dec_compare(gap->event.span.start, dec_of(want[i].start)) == 0);
			unit_equal(name_of(&gaps, gap->before), str_of(want[i].before), __FILE__, __LINE__);
			unit_equal(name_of(&gaps, gap->after), str_of(want[i].after), __FILE__, __LINE__);
		}
		gaps_free(&gaps);
	}
}

static void none(void **state)
{
	struct gaps gaps = {.count = 0};
	struct interval row = {dec_of(0), dec_of(1)};
	struct gaps_beside beside;

	(void)state;
	gaps_sort(&gaps);
	beside = gaps_offer(&gaps, 0, &row, STR("a"));
	assert_int_equal(beside.next, GAPS_NONE);
	assert_int_equal(beside.last, GAPS_NONE);
	assert_int_equal(gaps.names.count, 0);
	gaps_free(&gaps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_beside),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
