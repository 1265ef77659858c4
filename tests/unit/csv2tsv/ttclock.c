/* ttclock: the clocks of Tenstorrent devices. */
#include "../unit.h"

#include "csv2tsv/ttclock.h"

static struct dec number(const char *text)
{
	struct dec x;

	assert_case(text, dec_parse(str_of(text), &x) == DEC_OK);
	return x;
}

static void add(struct ttclock *clock, const char *device, const char *start, const char *end,
                const char *us)
{
	ttclock_add(clock, str_of(device), number(start), number(end), number(us));
}

/* The time of so many cycles; NULL: it is unknown. */
static void assert_us(const struct ttclock *clock, const char *device, const char *cycles,
                      const char *want)
{
	struct buf text = {0};
	struct dec us;
	bool good = ttclock_us(clock, str_of(device), number(cycles), &us);

	assert_case(cycles, good == (want != NULL));
	if (good) {
		dec_print(&text, us);
		assert_str(buf_view(&text), str_of(want));
	}
	buf_free(&text);
}

static void mhz_is_the_nearest_whole_number(void **state)
{
	struct ttclock clock = {0};

	(void)state;
	/* By one row each 1349.93 and 1350.21, by both 1350.005. */
	add(&clock, "0", "12482573256535", "12482573262580", "4.478");
	assert_int_equal(ttclock_mhz(&clock, 0), 1350);
	add(&clock, "0", "0", "2366", "1.752");
	assert_int_equal(ttclock_mhz(&clock, 0), 1350);
	/* Each device has its own. A half is rounded up. */
	add(&clock, "1", "0", "2001", "2");
	add(&clock, "2", "0", "2000.999", "2");
	assert_int_equal(ttclock_mhz(&clock, 1), 1001);
	assert_int_equal(ttclock_mhz(&clock, 2), 1000);
	add(&clock, "3", "0", "1.5", "1.000000001");
	assert_int_equal(ttclock_mhz(&clock, 3), 1);
	ttclock_free(&clock);
}

static void rows_that_do_not_count(void **state)
{
	struct ttclock clock = {0};

	(void)state;
	add(&clock, "0", "7", "5", "1");
	add(&clock, "0", "-7", "5", "1");
	add(&clock, "0", "5", "7", "0");
	add(&clock, "0", "5", "7", "-1");
	assert_int_equal(clock.devices.count, 1);
	assert_int_equal(ttclock_mhz(&clock, 0), 0);
	assert_us(&clock, "0", "5", NULL);
	assert_us(&clock, "1", "5", NULL);
	add(&clock, "0", "0", "3", "2");
	assert_int_equal(ttclock_mhz(&clock, 0), 2);
	/* Sums that would wrap stay. */
	add(&clock, "0", "0", "170000000000000000000000000000", "1");
	add(&clock, "0", "0", "170000000000000000000000000000", "1");
	assert_int_equal(ttclock_mhz(&clock, 0), 0);
	ttclock_clear(&clock);
	assert_int_equal(clock.devices.count, 0);
	add(&clock, "0", "0", "3", "1");
	assert_int_equal(ttclock_mhz(&clock, 0), 3);
	ttclock_free(&clock);
}

static void times_are_whole_nanoseconds(void **state)
{
	struct ttclock clock = {0};

	(void)state;
	add(&clock, "k", "0", "1350", "1");
	add(&clock, "2", "0", "2000", "1");
	assert_us(&clock, "k", "0", "0");
	assert_us(&clock, "k", "12482573262580", "9246350564.874");
	/* 1.5 ns, 2.5 ns, and below */
	assert_us(&clock, "2", "3", "0.002");
	assert_us(&clock, "2", "5", "0.003");
	assert_us(&clock, "2", "4.999", "0.002");
	assert_us(&clock, "2", "-1", NULL);
	assert_us(&clock, "2", "170141183460469231731687303715", NULL);
	ttclock_free(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mhz_is_the_nearest_whole_number),
		cmocka_unit_test(rows_that_do_not_count),
		cmocka_unit_test(times_are_whole_nanoseconds),
	};

	return cmocka_run_group_tests_name("ttclock", tests, NULL, NULL);
}
