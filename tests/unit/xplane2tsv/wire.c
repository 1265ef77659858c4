/* wire: fields of a message, and each kind of damage with its place. */
#include "../unit.h"

#include "xplane2tsv/wire.h"

static void fields_of_each_type(void **state)
{
	static const char bytes[] = "\x08\x96\x01"
								"\x11\x01\x02\x03\x04\x05\x06\x07\x88"
								"\x1a\x03"
								"abc"
								"\x25\x01\x02\x03\x84"
								"\x22\x00\x80\x08\x00\xf8\xff\xff\xff\x0f\x01";
	struct wire wire = wire_of((struct str){bytes, sizeof bytes - 1});
	struct wire_field field;

	(void)state;
	assert_true(wire_next(&wire, &field) > 0);
	assert_int_equal(field.number, 1);
	assert_int_equal(field.type, WIRE_VARINT);
	assert_int_equal(field.value, 150);
	assert_true(wire_next(&wire, &field) > 0);
	assert_int_equal(field.number, 2);
	assert_int_equal(field.type, WIRE_EIGHT);
	assert_true(field.value == 0x8807060504030201);
	assert_true(wire_next(&wire, &field) > 0);
	assert_int_equal(field.number, 3);
	assert_int_equal(field.type, WIRE_BYTES);
	assert_str(field.bytes, STR("abc"));
	assert_ptr_equal(field.value_at, bytes + 13);
	assert_true(wire_next(&wire, &field) > 0);
	assert_int_equal(field.number, 4);
	assert_int_equal(field.type, WIRE_FOUR);
	assert_true(field.value == 0x84030201);
	assert_true(wire_next(&wire, &field) > 0);
	assert_int_equal(field.number, 4);
	assert_int_equal(field.bytes.n, 0);
	assert_true(wire_next(&wire, &field) > 0);
	assert_int_equal(field.number, 128);
	assert_true(wire_next(&wire, &field) > 0);
	assert_int_equal(field.number, WIRE_NUMBER_MAX);
	assert_int_equal(field.value, 1);
	assert_int_equal(wire_next(&wire, &field), 0);
	assert_null(wire.error);
}

static void numbers_have_64_bits(void **state)
{
	static const struct {
		struct str bytes;
		uint64_t value;
	} cases[] = {
		{BYTES("\x00"), 0},
		{BYTES("\x7f"), 127},
		{BYTES("\x80\x01"), 128},
		{BYTES("\x80\x00"), 0},
		{BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), INT64_MAX},
		{BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), UINT64_MAX},
		{BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), (uint64_t)1 << 63},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *end = cases[i].bytes.s + cases[i].bytes.n;
		char longer[20] = {0};
		uint64_t value;

		assert_ptr_equal(wire_varint(cases[i].bytes.s, end, &value), end);
		assert_true(value == cases[i].value);
		/* With room for a word after it. */
		memcpy(longer, cases[i].bytes.s, cases[i].bytes.n);
		assert_ptr_equal(wire_varint(longer, longer + sizeof longer, &value),
		                 longer + cases[i].bytes.n);
		assert_true(value == cases[i].value);
	}
}

static void damage_has_a_place(void **state)
{
	static const struct {
		struct str bytes;
		size_t at;
		const char *error;
	} cases[] = {
		{BYTES("\x08\x01\x80"), 2, "cut off"},
		{BYTES("\x08\x80\x80"), 1, "cut off"},
		{BYTES("\x08\x01\x00\x01"), 2, "number 0"},
		{BYTES("\x08\x01\x80\x80\x80\x80\x10\x01"), 2, "above 536870911"},
		{BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), 1, "more than 10 bytes"},
		{BYTES("\x0a\x02x"), 1, "past the end"},
		{BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x"), 1, "past the end"},
		{BYTES("\x0a\x80"), 1, "cut off"},
		{BYTES("\x0b"), 0, "type 3"},
		{BYTES("\x0c"), 0, "type 4"},
		{BYTES("\x0e"), 0, "type 6"},
		{BYTES("\x0f"), 0, "type 7"},
		{BYTES("\x09\x01\x02\x03\x04\x05\x06\x07"), 1, "cut off"},
		{BYTES("\x0d\x01\x02\x03"), 1, "cut off"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wire wire = wire_of(cases[i].bytes);
		struct wire_field field;
		int got;

		while ((got = wire_next(&wire, &field)) > 0)
			;
		assert_int_equal(got, -1);
		assert_true(str_has(str_of(wire.error), str_of(cases[i].error)));
		assert_int_equal(wire.at - cases[i].bytes.s, cases[i].at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_each_type),
		cmocka_unit_test(numbers_have_64_bits),
		cmocka_unit_test(damage_has_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
