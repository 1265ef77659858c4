/* mem: allocation, checked. */
#include "../unit.h"

#include "base/die.h"
#include "base/mem.h"

/* The sanitizer's allocator would end the program before mem can say why. */
const char *__asan_default_options(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void nothing_is_something(void **state)
{
	void *p[] = {mem_alloc(0, 8), mem_alloc(8, 0), mem_zero(0, 0), mem_resize(NULL, 0, 1)};

	(void)state;
	for (size_t i = 0; i < COUNT(p); i++) {
		assert_non_null(p[i]);
		for (size_t j = 0; j < i; j++)
			assert_ptr_not_equal(p[i], p[j]);
	}
	for (size_t i = 0; i < COUNT(p); i++)
		free(p[i]);
}

static void zero_is_zero(void **state)
{
	unsigned char *p = mem_zero(1000, 3);

	(void)state;
	for (size_t i = 0; i < 3000; i++)
		assert_int_equal(p[i], 0);
	free(p);
}

static void resizing_keeps_the_content(void **state)
{
	char *p = mem_alloc(3, 1);

	(void)state;
	memcpy(p, "abc", 3);
	p = mem_resize(p, 100000, 1);
	assert_memory_equal(p, "abc", 3);
	p = mem_resize(p, 2, 1);
	assert_memory_equal(p, "ab", 2);
	free(p);
}

static void growing_makes_room_and_doubles(void **state)
{
	uint32_t *p = NULL;
	size_t cap = 0;
	size_t moves = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		size_t before = cap;

		p = mem_grow(p, &cap, i + 1, sizeof *p);
		assert_true(cap > i);
		moves += cap != before;
		p[i] = i;
	}
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(p[i], i);
	assert_in_range(moves, 1, 20);
	assert_ptr_equal(mem_grow(p, &cap, cap, sizeof *p), p); /* there is room */
	p = mem_grow(p, &cap, 5000000, sizeof *p);
	assert_true(cap >= 5000000);
	p[cap - 1] = 1;
	free(p);
}

static void strings_are_copied_with_a_nul_behind(void **state)
{
	char *text = mem_string("ab\0cd", 5);
	char *none = mem_string("xyz", 0);

	(void)state;
	assert_memory_equal(text, "ab\0cd\0", 6);
	assert_memory_equal(none, "", 1);
	free(text);
	free(none);
}

static int too_much(void *arg)
{
	size_t cap = 0;

	die_init("prog");
	switch (*(const int *)arg) {
	case 0:
		free(mem_alloc(SIZE_MAX / 2 + 1, 2)); /* would wrap to 0 */
		break;
	case 1:
		free(mem_zero(SIZE_MAX / 2 + 1, 2));
		break;
	case 2:
		free(mem_resize(mem_alloc(1, 1), SIZE_MAX / 16 + 2, 16)); /* would wrap to 16 */
		break;
	case 3:
		free(mem_grow(NULL, &cap, SIZE_MAX / 16 + 2, 16));
		break;
	default:
		free(mem_alloc(SIZE_MAX / 4, 1)); /* more than there is */
	}
	return 0;
}

static void what_is_too_much_ends_the_program(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct unit_end end = unit_run(too_much, &i);

		assert_int_equal(end.status, STATUS_ERROR);
		assert_true(str_has(buf_view(&end.err), STR("prog: no memory for ")));
		unit_end_free(&end);
	}
}

static void growing_with_zeroes(void **state)
{
	uint32_t *p = NULL;
	size_t cap = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		p = mem_grow_zero(p, &cap, i + 1, sizeof *p);
		assert_true(cap > i && (i || cap == 4));
		for (size_t j = i; j < cap; j++)
			assert_int_equal(p[j], 0);
		p[i] = i + 1;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(p[i], i + 1);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_something),
		cmocka_unit_test(zero_is_zero),
		cmocka_unit_test(resizing_keeps_the_content),
		cmocka_unit_test(growing_makes_room_and_doubles),
		cmocka_unit_test(strings_are_copied_with_a_nul_behind),
		cmocka_unit_test(what_is_too_much_ends_the_program),
		cmocka_unit_test(growing_with_zeroes),
	};

	return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
