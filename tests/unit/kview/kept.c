/* kept: texts that are read again. */
#include "../unit.h"

#include "kview/kept.h"

static void assert_kept(size_t count)
{
	struct kept kept = {0};
	struct str text;

	for (size_t i = 0; i < count; i++) {
		char line[32];

		snprintf(line, sizeof line, "%zu", i);
		assert_true(kept_put(&kept, i % 7 ? str_of(line) : STR("")));
	}
	assert_int_equal(kept.spooled, count > KEPT_IN_MEMORY);
	for (int again = 0; again < 2; again++) {
		assert_true(kept_rewind(&kept));
		for (size_t i = 0; i < count; i++) {
			char line[32];

			snprintf(line, sizeof line, "%zu", i);
			assert_int_equal(kept_next(&kept, &text), 1);
			assert_str(text, i % 7 ? str_of(line) : STR(""));
		}
		assert_int_equal(kept_next(&kept, &text), 0);
	}
	kept_free(&kept);
}

static void all_come_again(void **state)
{
	(void)state;
	assert_kept(0);
	assert_kept(KEPT_IN_MEMORY);
	assert_kept(KEPT_IN_MEMORY + 1);
	assert_kept(5 * KEPT_IN_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_come_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
