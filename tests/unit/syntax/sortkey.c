/* sortkey: the order of values as bytes. */
#include "../unit.h"

#include "syntax/sortkey.h"

/* In the order of their values; those in one row are equal. */
static const char *const values[][4] = {
	{""},
	{"-1e1000000000000"},
	{"-100000000000000000000000000000000000000000000000000.5"},
	{"-2"},
	{"-1.50", "-15e-1", "-01.5"},
	{"-1.05"},
	{"-0.001"},
	{"0", "-0", "+0.00", ".0e7"},
	{"1e-1000000000000"},
	{"0.001", "1e-3", ".001"},
	{"9", "9.0", "+9", "09."},
	{"10", "1e1"},
	{"10.000000000000000000000000000000000000000000000000001"},
	{"1000", "1e3", "1000.00", "+1000"},
	{"1000.5", "1000.500", "+1000.5"},
	{"1234.5", "+1234.5", "12345e-1", "01234.50"},
	{"1716543210123456.789", "1716543210123456.7890"},
	{"1716543210123456.79"},
	{"99999999999999999999999999999999999999999999999999"},
	{"1e50"},
	{"\x01"},
	{"\t"},
	{" 1"},
	{"-"},
	{"."},
	{"0x1"},
	{"1e"},
	{"1e99999999999999999999"},
	{"NaN"},
	{"a"},
	{"a\x01"},
	{"a b"},
	{"a long text of plain bytes, of more than a block"},
	{"a long text of plain bytes, of more than a block\xff"},
	{"aa"},
	{"\xc3\xbc"},
	{"\xf0\x9f\x98\x80"},
	{"\xff"},
};
enum { VALUES = sizeof values / sizeof *values };

static struct buf key_of(const char *value, bool descending)
{
	struct buf key = {0};

	sortkey_put(&key, str_of(value), descending);
	sortkey_put_number(&key, 7);
	for (size_t i = 0; i < key.len; i++)
		assert_true((unsigned char)key.data[i] >= 0x0e);
	assert_int_equal(sortkey_number(key.data + key.len - SORTKEY_NUMBER), 7);
	return key;
}

static int compare(const char *a, const char *b, bool descending)
{
	struct buf left = key_of(a, descending);
	struct buf right = key_of(b, descending);
	int order = str_compare(buf_view(&left), buf_view(&right));

	buf_free(&left);
	buf_free(&right);
	return order;
}

static void test_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < VALUES; i++) {
		for (size_t j = 0; j < VALUES; j++) {
			if ((compare(values[i][0], values[j][0], false) < 0) != (i < j))
				fail_msg("%s, %s", values[i][0], values[j][0]);
			if ((compare(values[i][0], values[j][0], true) < 0) != (i > j))
				fail_msg("descending: %s, %s", values[i][0], values[j][0]);
		}
		for (int j = 1; j < 4 && values[i][j]; j++)
			if (compare(values[i][0], values[i][j], false) != 0)
				fail_msg("%s, %s", values[i][0], values[i][j]);
	}
}

static void test_nul(void **state)
{
	struct buf key = {0};

	(void)state;
	sortkey_put(&key, (struct str){"a\0b", 3}, false);
	assert_true(memchr(key.data, '\0', key.len) == NULL);
	assert_true(memchr(key.data, '\n', key.len) == NULL);
	buf_free(&key);
}

static void test_numbers(void **state)
{
	static const uint64_t numbers[] = {0, 1, 63, 64, 4095, 4096, ((uint64_t)1 << 48) - 1};
	struct buf key = {0};

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		sortkey_put_number(&key, numbers[i]);
		assert_int_equal(sortkey_number(key.data + SORTKEY_NUMBER * i), numbers[i]);
		if (i)
			assert_true(memcmp(key.data + SORTKEY_NUMBER * (i - 1), key.data + SORTKEY_NUMBER * i,
			                   SORTKEY_NUMBER) < 0);
	}
	buf_free(&key);
}

static void test_column(void **state)
{
	bool descending;

	(void)state;
	assert_true(str_equal(sortkey_column(STR("ts"), &descending), STR("ts")) && !descending);
	assert_true(str_equal(sortkey_column(STR("-ts"), &descending), STR("ts")) && descending);
	assert_true(str_equal(sortkey_column(STR("\\-ts"), &descending), STR("-ts")) && !descending);
	assert_true(str_equal(sortkey_column(STR("-"), &descending), STR("")) && descending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
