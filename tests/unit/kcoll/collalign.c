/* collalign: medians, and the change from the first half to the second. */
#include "../unit.h"

#include "kcoll/collalign.h"

#include "base/buf.h"

static void assert_clock(const int *ends, const int *offsets, size_t count, int offset, int change,
                         int time)
{
	struct collalign_point points[8];
	struct collalign align;

	for (size_t i = 0; i < count; i++)
		points[i] = (struct collalign_point){dec_of(ends[i]), dec_of(offsets[i])};
	assert_true(collalign_measure(points, count, &align));
	assert_true(dec_compare(align.offset, dec_of(offset)) == 0);
	assert_true(dec_compare(align.change, dec_of(change)) == 0);
	assert_true(dec_compare(align.time, dec_of(time)) == 0);
}

static void measures(void **state)
{
	(void)state;
	assert_clock((int[]){5}, (int[]){-7}, 1, -7, 0, 0);
	assert_clock((int[]){50, 10}, (int[]){9, 3}, 2, 3, 6, 40);
	/* One that is far off changes nothing; in any order. */
	assert_clock((int[]){60, 20, 10, 50, 40, 30}, (int[]){8, 2, 1, 900, 7, 3}, 6, 3, 6, 30);
	assert_clock((int[]){10, 10, 10}, (int[]){1, 2, 3}, 3, 2, 1, 0);
}

static void too_large(void **state)
{
	const struct dec huge = {(__int128)(~(unsigned __int128)0 >> 1)};
	struct collalign_point points[2] = {{dec_of(1), {-huge.nano}}, {dec_of(2), huge}};
	struct collalign align;

	(void)state;
	assert_false(collalign_measure(points, 2, &align));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
