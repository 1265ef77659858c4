/* dec: exact decimals, held against Python's decimal module, and the laws of arithmetic. */
#include "../unit.h"

#include "base/dec.h"
#include "dec_vectors.h"

static const __int128 most = (__int128)((unsigned __int128)-1 >> 1);

static struct dec dec(const char *text)
{
	struct dec x = {0};

	assert_true(dec_parse(str_of(text), &x) <= DEC_ROUNDED);
	return x;
}

static void assert_prints(struct dec x, const char *want)
{
	struct buf out = {0};

	buf_text(&out, "before ");
	dec_print(&out, x);
	assert_true(str_starts(buf_view(&out), STR("before ")));
	assert_str(((struct str){out.data + 7, out.len - 7}), str_of(want));
	buf_free(&out);
}

/* --- reading and printing ------------------------------------------------ */

static void parses_as_python_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(parse_vectors); i++) {
		const struct parse_vector *v = &parse_vectors[i];
		struct dec x = {42};

		assert_case(v->text, dec_parse(str_of(v->text), &x) == v->result);
		if (v->print)
			assert_prints(x, v->print);
		else
			assert_true(x.nano == 42); /* left alone */
	}
}

/* Short and long texts are read in different ways. */
static void zeros_before_a_number_change_nothing(void **state)
{
	static const struct str alphabets[] = {BYTES("0123456789."), BYTES("0189./:-+eE\xae\xb0")};
	uint64_t seed = 1;
	size_t good = 0;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		struct buf text = {0};
		struct dec want = {42};
		struct dec got = {42};

		buf_text(&text, "000000000");
		buf_char(&text, "0123456789"[unit_below(&seed, 10)]);
		unit_random_bytes(&seed, &text, unit_below(&seed, 10), alphabets[round % 2]);
		good += dec_parse(buf_view(&text), &want) == DEC_OK;
		assert_int_equal(dec_parse((struct str){text.data + 9, text.len - 9}, &got),
		                 dec_parse(buf_view(&text), &want));
		assert_true(got.nano == want.nano);
		buf_free(&text);
	}
	assert_true(good > 30000 && good < 70000);
}

static void copies_as_python_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(parse_vectors); i++) {
		const struct parse_vector *v = &parse_vectors[i];
		struct buf out = {0};

		buf_char(&out, '|');
		assert_case(v->text, dec_copy(&out, str_of(v->text)) == (v->copy != NULL));
		assert_str(((struct str){out.data + 1, out.len - 1}), str_of(v->copy ? v->copy : ""));
		buf_free(&out);
	}
}

static void rounds_places_after_the_ninth(void **state)
{
	static const char *const texts[][2] = {
		{"", NULL},
		{"5", NULL},
		{".123456789", NULL},
		{"2.500", NULL},
		{"1704161511422904204.204", NULL},
		{"1704161511422904.204999999", NULL},
		{"12345678901234", NULL},
		{".1234567890", NULL}, /* the digits after the ninth are zeros */
		{"2.50000000000", NULL},
		{".1234567891", "0.123456789"},
		{"-0.1234567895", "-0.12345679"},
		{"+0.0000000005", "0"}, /* half to even */
		{"0.0000000015", "0.000000002"},
		{"999.9999999995000001", "1000"},
		{"12.77012757357446", "12.770127574"},
		{"923456789012345678901234567890.1234567891", NULL}, /* too large */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct str number = str_of(texts[i][0]);
		struct buf out = {0};
		bool rounded = dec_round_places(&number, &out);

		assert_case(texts[i][0], rounded == (texts[i][1] != NULL));
		assert_str(number, str_of(rounded ? texts[i][1] : texts[i][0]));
		/* In place. */
		out.len = 0;
		buf_text(&out, texts[i][0]);
		number = buf_view(&out);
		assert_case(texts[i][0], dec_round_places(&number, &out) == rounded);
		assert_str(buf_view(&out), str_of(rounded ? texts[i][1] : texts[i][0]));
		buf_free(&out);
	}
}

static void refuses_what_is_no_number(void **state)
{
	static const char *const texts[] = {
		"",
		"-",
		"+",
		".",
		"-.",
		"e5",
		"1e",
		"1e+",
		"1e-",
		"1e1.",
		"1e1.5",
		"--1",
		"+-1",
		"-+1",
		"1.2.3",
		"1,000",
		"0x1f",
		"1f",
		"nan",
		"NaN",
		"inf",
		"-inf",
		"Infinity",
		" 1",
		"1 ",
		"1\n",
		"1_000",
		"1e5e5",
		"1ee5",
		"1e--5",
		"1e 5",
		"\xd9\xa1",
		"1/3",
		".e1",
		"- 1",
		"..",
		"1e99999999999999999999",
		"1e-99999999999999999999",
		"1e41",
		"1e-41",
		"1e18446744073709551617",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct dec x = {42};
		struct buf out = {0};

		assert_case(texts[i], dec_parse(str_of(texts[i]), &x) == DEC_NOT_A_NUMBER);
		assert_case(texts[i], x.nano == 42);
		assert_case(texts[i], !dec_copy(&out, str_of(texts[i])));
		assert_case(texts[i], out.len == 0);
		buf_free(&out);
	}
	assert_int_equal(dec_parse((struct str){"1\0", 2}, &(struct dec){0}), DEC_NOT_A_NUMBER);
	assert_int_equal(dec_parse((struct str){"12", 1}, &(struct dec){0}), DEC_OK); /* all of text */
}

static void reads_the_forms_of_a_number(void **state)
{
	static const char *const texts[][3] = {
		/* text, value, copy */
		{"1.", "1", "1."},
		{".5", "0.5", ".5"},
		{"+3", "3", "+3"},
		{"-.5", "-0.5", "-.5"},
		{"-0", "0", "-0"},
		{"-0.000", "0", "-0.000"},
		{"007", "7", "007"},
		{"1.500", "1.5", "1.500"},
		{"1E2", "100", "100"},
		{"1.e2", "100", "100"},
		{".5e1", "5", "5"},
		{"-5e-1", "-0.5", "-0.5"},
		{"0e39", "0", "0"},
		{"0e-3", "0", "0.000"},
		{"12e-3", "0.012", "0.012"},
		{"1.25e1", "12.5", "12.5"},
		{"1e-9", "0.000000001", "0.000000001"},
		{"1716543210123456.789", "1716543210123456.789", "1716543210123456.789"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct buf out = {0};

		assert_prints(dec(texts[i][0]), texts[i][1]);
		assert_case(texts[i][0], dec_copy(&out, str_of(texts[i][0])));
		assert_str(buf_view(&out), str_of(texts[i][2]));
		buf_free(&out);
	}
}

/* 40 digits written out are the most, wherever the point and the exponent are. */
static void counts_forty_digits(void **state)
{
	static const char *const good[] = {
		"1234567890123456789012345678901234567890",
		"12345678901234567890.12345678901234567890",
		"0.123456789012345678901234567890123456789",
		"1e39",
		"1e-39",
		"123456789e31",
		"-1e-39",
		"1234567890123456789012345678901234567890e0",
	};
	static const char *const bad[] = {
		"12345678901234567890123456789012345678901",
		"12345678901234567890.123456789012345678901",
		"1.1234567890123456789012345678901234567890",
		"1e40",
		"1e-40",
		"123456789e32",
		"-1e-40",
		"0000000000000000000000000000000000000000000000001",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		struct dec x;

		assert_case(good[i], dec_parse(str_of(good[i]), &x) != DEC_NOT_A_NUMBER);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct dec x;

		assert_case(bad[i], dec_parse(str_of(bad[i]), &x) == DEC_NOT_A_NUMBER);
	}
}

static void rounds_past_the_ninth_place(void **state)
{
	static const struct {
		const char *text;
		enum dec_result result;
		const char *print;
	} cases[] = {
		{"0.1234567894", DEC_ROUNDED, "0.123456789"},
		{"0.1234567896", DEC_ROUNDED, "0.12345679"},
		{"0.0000000005", DEC_ROUNDED, "0"},           /* a tie goes to even */
		{"-0.0000000005", DEC_ROUNDED, "0"},          /* no -0 */
		{"0.0000000015", DEC_ROUNDED, "0.000000002"}, /* a tie, to even */
		{"0.00000000050000000001", DEC_ROUNDED, "0.000000001"},
		{"0.9999999995", DEC_ROUNDED, "1"},
		{"0.00000000000000000000000000000000000001", DEC_ROUNDED, "0"},
		{"1e-39", DEC_ROUNDED, "0"},
		{"15e-10", DEC_ROUNDED, "0.000000002"},
		{"1.00000000000", DEC_OK, "1"}, /* zeros are not rounded */
		{"10e-10", DEC_OK, "0.000000001"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct dec x;

		assert_case(cases[i].text, dec_parse(str_of(cases[i].text), &x) == cases[i].result);
		assert_prints(x, cases[i].print);
	}
}

static void whole_numbers(void **state)
{
	(void)state;
	assert_prints(dec_of(0), "0");
	assert_prints(dec_of(-7), "-7");
	assert_prints(dec_of(100), "100");
	assert_prints(dec_of(INT64_MAX), "9223372036854775807");
	assert_prints(dec_of(INT64_MIN), "-9223372036854775808");
	assert_prints((struct dec){most}, LIMIT_TEXT);
	assert_prints((struct dec){-most - 1}, "-170141183460469231731687303715.884105728");
}

static void integer_parts_are_not_rounded(void **state)
{
	static const struct {
		const char *text;
		enum dec_result result;
		const char *print;
	} cases[] = {
		{"12", DEC_OK, "12"},
		{"12.9999999999999999999", DEC_OK, "12"},
		{"-12.9999999999", DEC_OK, "-12"},
		{"-0.5", DEC_OK, "0"},
		{".5", DEC_OK, "0"},
		{"0", DEC_OK, "0"},
		{"1.25e1", DEC_OK, "12"},
		{"1e2", DEC_OK, "100"},
		{"129e-1", DEC_OK, "12"},
		{"9e-30", DEC_OK, "0"},
		{"1716543210123456.999", DEC_OK, "1716543210123456"},
		{"170141183460469231731687303715.999999999", DEC_OK, "170141183460469231731687303715"},
		{"-170141183460469231731687303715.999", DEC_OK, "-170141183460469231731687303715"},
		{"170141183460469231731687303716", DEC_OVERFLOW, NULL},
		{"-1e30", DEC_OVERFLOW, NULL},
		{"1e39", DEC_OVERFLOW, NULL},
		{"", DEC_NOT_A_NUMBER, NULL},
		{"12x", DEC_NOT_A_NUMBER, NULL},
		{"1e40", DEC_NOT_A_NUMBER, NULL},
		{".", DEC_NOT_A_NUMBER, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct dec x = {42};

		assert_case(cases[i].text, dec_whole(str_of(cases[i].text), &x) == cases[i].result);
		if (cases[i].print)
			assert_prints(x, cases[i].print);
		else
			assert_true(x.nano == 42);
	}
}

/* --- arithmetic ---------------------------------------------------------- */

static void adds_as_python_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(sum_vectors); i++) {
		const struct sum_vector *v = &sum_vectors[i];
		struct dec a = dec(v->a);
		struct dec b = dec(v->b);
		struct dec sum = a;
		struct dec difference = a;

		assert_case(v->a, dec_add(&sum, b) == (v->sum != NULL));
		assert_prints(sum, v->sum ? v->sum : v->a);
		assert_case(v->a, dec_subtract(&difference, b) == (v->difference != NULL));
		assert_prints(difference, v->difference ? v->difference : v->a);
		assert_case(v->a, (dec_compare(a, b) > 0) == (v->order > 0));
		assert_case(v->a, (dec_compare(a, b) < 0) == (v->order < 0));
		assert_case(v->a, (dec_compare(b, a) > 0) == (v->order < 0));
		assert_case(v->a, (dec_compare(b, a) < 0) == (v->order > 0));
	}
}

static void never_wraps(void **state)
{
	struct dec sum = {most};
	struct dec least = {-most - 1};

	(void)state;
	assert_false(dec_add(&sum, (struct dec){1}));
	assert_true(sum.nano == most);
	assert_false(dec_subtract(&sum, least));
	assert_true(sum.nano == most);
	assert_true(dec_add(&sum, least));
	assert_true(sum.nano == -1);
	assert_false(dec_subtract(&least, (struct dec){1}));
	assert_true(least.nano == -most - 1);
	assert_true(dec_compare(least, (struct dec){most}) < 0);
	assert_true(dec_compare((struct dec){most}, least) > 0);
	sum = least;
	assert_true(dec_subtract(&sum, least));
	assert_true(sum.nano == 0);
}

static void divides_as_python_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(quotient_vectors); i++) {
		const struct quotient_vector *v = &quotient_vectors[i];
		struct buf out = {0};

		buf_char(&out, '|');
		dec_quotient(&out, dec(v->a), dec(v->b), v->shift);
		assert_str(((struct str){out.data + 1, out.len - 1}), str_of(v->quotient));
		out.len = 0;
		dec_quotient_fixed(&out, dec(v->a), dec(v->b), v->shift, v->places);
		assert_str(buf_view(&out), str_of(v->fixed));
		buf_free(&out);
	}
}

static void significant_digits(void **state)
{
	struct buf out = {0};

	(void)state;
	dec_quotient_digits(&out, dec_of(2), dec_of(3), 0, 1);
	buf_char(&out, ' ');
	dec_quotient_digits(&out, dec_of(-2), dec_of(3), -9, 15);
	buf_char(&out, ' ');
	dec_quotient_digits(&out, dec_of(20971520), dec_of(16310), 0, 15);
	buf_char(&out, ' ');
	dec_quotient_digits(&out, dec_of(5), dec_of(2), 0, 1); /* half to even */
	buf_char(&out, ' ');
	dec_quotient_digits(&out, dec_of(7), dec_of(2), 0, 1);
	buf_char(&out, ' ');
	dec_quotient_digits(&out, dec_of(1), dec_of(7), 30, 40);
	buf_char(&out, ' ');
	dec_quotient_digits(&out, dec_of(0), dec_of(7), 3, 15);
	assert_buf(&out, "0.7 -0.000000000666666666666667 1285.80748007357 2 4 "
	                 "142857142857142857142857142857.1428571429 0");
	buf_free(&out);
}

static void divides_at_the_limits(void **state)
{
	const struct dec least = {-most - 1};
	struct buf out = {0};

	(void)state;
	dec_quotient(&out, least, least, 0);
	buf_char(&out, ' ');
	dec_quotient(&out, least, (struct dec){most}, 0);
	buf_char(&out, ' ');
	dec_quotient(&out, least, (struct dec){-1}, 0);
	buf_char(&out, ' ');
	dec_quotient(&out, (struct dec){1}, least, 0);
	buf_char(&out, ' ');
	dec_quotient(&out, (struct dec){most}, (struct dec){most - 1}, 0);
	assert_buf(&out, "1 -1 170141183460000000000000000000000000000"
	                 " -0.00000000000000000000000000000000000000587747175411 1");
	buf_free(&out);
}

static void prints_fixed_as_python_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(fixed_vectors); i++) {
		const struct fixed_vector *v = &fixed_vectors[i];
		struct buf out = {0};

		dec_print_fixed(&out, dec(v->x), v->places, false);
		assert_str(buf_view(&out), str_of(v->plain));
		out.len = 0;
		dec_print_fixed(&out, dec(v->x), v->places, true);
		assert_str(buf_view(&out), str_of(v->commas));
		buf_free(&out);
	}
}

/* --- laws, over random values -------------------------------------------- */

/* A number of any size: as many bits as chance says. */
static struct dec random_dec(uint64_t *seed)
{
	unsigned __int128 bits = (unsigned __int128)unit_random(seed) << 64 | unit_random(seed);

	bits >>= 1 + unit_below(seed, 127);
	return (struct dec){unit_below(seed, 2) ? -(__int128)bits : (__int128)bits};
}

static void printed_and_read_is_the_same(void **state)
{
	uint64_t seed = 1;
	struct buf text = {0};
	struct buf again = {0};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct dec x = random_dec(&seed);
		struct dec y = {42};

		text.len = again.len = 0;
		dec_print(&text, x);
		assert_int_equal(dec_parse(buf_view(&text), &y), DEC_OK);
		assert_true(x.nano == y.nano);
		dec_print(&again, y);
		assert_str(buf_view(&again), buf_view(&text));
		again.len = 0;
		assert_true(dec_copy(&again, buf_view(&text)));
		assert_str(buf_view(&again), buf_view(&text));
		again.len = 0;
		dec_print_fixed(&again, x, 9, false);
		assert_int_equal(dec_parse(buf_view(&again), &y), DEC_OK);
		assert_true(x.nano == y.nano);
	}
	buf_free(&text);
	buf_free(&again);
}

static void sums_do_not_depend_on_order(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct dec a = random_dec(&seed);
		struct dec b = random_dec(&seed);
		struct dec c = random_dec(&seed);
		struct dec left = a;
		struct dec right = b;
		struct dec back;

		/* Halved twice, three of them fit. */
		a.nano /= 4;
		b.nano /= 4;
		c.nano /= 4;
		left = a;
		right = b;
		assert_true(dec_add(&left, b) && dec_add(&left, c));   /* (a + b) + c */
		assert_true(dec_add(&right, c) && dec_add(&right, a)); /* (b + c) + a */
		assert_int_equal(dec_compare(left, right), 0);
		back = left;
		assert_true(dec_subtract(&back, c) && dec_subtract(&back, b));
		assert_int_equal(dec_compare(back, a), 0);
		back = a;
		assert_true(dec_subtract(&back, b));
		assert_int_equal(dec_compare(a, b), (back.nano > 0) - (back.nano < 0));
	}
}

/*
 * A quotient of numbers small enough for whole arithmetic in 128 bits: its digits are
 * those of the nearest whole number of 10^-places, ties to even.
 */
static void quotients_are_the_nearest(void **state)
{
	uint64_t seed = 3;
	struct buf text = {0};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		__int128 a = (__int128)(unit_random(&seed) >> (1 + unit_below(&seed, 60)));
		__int128 b = (__int128)(unit_random(&seed) >> (1 + unit_below(&seed, 60))) + 1;
		int places = (int)unit_below(&seed, 10);
		__int128 scaled = a;
		__int128 whole;
		__int128 rest;
		struct dec got;

		if (i % 4 == 0)
			b = 1 << unit_below(&seed, 8); /* ties */
		for (int p = 0; p < places; p++)
			scaled *= 10;
		whole = scaled / b;
		rest = scaled % b * 2;
		whole += rest > b || (rest == b && whole % 2);
		for (int p = places; p < 9; p++)
			whole *= 10;
		text.len = 0;
		dec_quotient_fixed(&text, (struct dec){a}, (struct dec){b}, 0, places);
		assert_int_equal(dec_parse(buf_view(&text), &got), DEC_OK);
		assert_true(got.nano == whole);
	}
	buf_free(&text);
}

/* The sign is the only thing that a sign changes, and 0 has none. */
/* As the whole numbers that 256 bits would hold: where it fits, by their products. */
static void quotients_compare_exactly(void **state)
{
	const struct dec largest = {most};
	const struct dec less = {most - 1};
	uint64_t seed = 5;

	(void)state;
	assert_int_equal(dec_compare_quotients(dec_of(1), dec_of(3), dec_of(2), dec_of(6)), 0);
	assert_true(dec_compare_quotients(dec_of(4), dec_of(5), dec_of(79), dec_of(100)) > 0);
	assert_int_equal(dec_compare_quotients(dec_of(0), dec_of(5), dec_of(0), dec_of(1)), 0);
	assert_true(dec_compare_quotients(dec_of(0), dec_of(5), (struct dec){1}, largest) < 0);
	assert_true(dec_compare_quotients(less, largest, largest, largest) < 0);
	assert_true(dec_compare_quotients(largest, less, largest, largest) > 0);
	assert_true(dec_compare_quotients(less, largest, (struct dec){less.nano - 1}, less) > 0);
	for (int i = 0; i < 20000; i++) {
		struct dec x[4];
		int want;

		for (size_t j = 0; j < 4; j++)
			x[j] = (struct dec){(int64_t)unit_below(&seed, UINT64_C(1) << unit_below(&seed, 40)) +
			                    (int)(j & 1)};
		want =
			dec_compare((struct dec){x[0].nano * x[3].nano}, (struct dec){x[2].nano * x[1].nano});
		assert_int_equal(dec_compare_quotients(x[0], x[1], x[2], x[3]), want);
	}
}

static void signs_are_symmetric(void **state)
{
	uint64_t seed = 4;
	struct buf plus = {0};
	struct buf minus = {0};

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct dec a = random_dec(&seed);
		struct dec b = random_dec(&seed);
		int places = (int)unit_below(&seed, 10);

		a.nano = a.nano < 0 ? -a.nano : a.nano;
		b.nano = (b.nano < 0 ? -b.nano : b.nano) / 2 + 1;
		for (int form = 0; form < 3; form++) {
			bool zero = true;

			plus.len = minus.len = 0;
			buf_char(&plus, '-');
			if (form == 0) {
				dec_print_fixed(&plus, a, places, true);
				dec_print_fixed(&minus, (struct dec){-a.nano}, places, true);
			} else if (form == 1) {
				dec_quotient(&plus, a, b, 2);
				dec_quotient(&minus, a, (struct dec){-b.nano}, 2);
			} else {
				dec_quotient_fixed(&plus, a, b, 2, places);
				dec_quotient_fixed(&minus, (struct dec){-a.nano}, b, 2, places);
			}
			for (size_t j = 1; j < plus.len; j++)
				zero &= !strchr("123456789", plus.data[j]);
			assert_str(((struct str){plus.data + zero, plus.len - zero}), buf_view(&minus));
		}
	}
	buf_free(&plus);
	buf_free(&minus);
}

/* To significant digits, half to even; exact if there are no more. */
static void rounding_to_digits(void **state)
{
	static const struct {
		const char *text;
		int digits;
		const char *want;
	} cases[] = {
		{"1235", 3, "1240"},
		{"1225", 3, "1220"},
		{"1225.1", 3, "1230"},
		{"-9995", 3, "-10000"},
		{"0.0012345", 3, "0.00123"},
		{"99.95", 3, "100"},
		{"7", 3, "7"},
		{"0", 1, "0"},
		{"15", 1, "20"},
		{"25", 1, "20"},
		{"0.000000005", 1, "0.000000005"},
		{"1234567.891", 38, "1234567.891"},
		/* Up to what fits: the largest number is 1.7e29. */
		{"170000000000000000000000000000", 1, "100000000000000000000000000000"},
		{"-170000000000000000000000000000", 1, "-100000000000000000000000000000"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf got = {0};
		struct dec x;

		assert_int_equal(dec_parse(str_of(cases[i].text), &x), DEC_OK);
		dec_print(&got, dec_round(x, cases[i].digits));
		unit_case(str_equal(buf_view(&got), str_of(cases[i].want)), cases[i].text, __FILE__,
		          __LINE__);
		buf_free(&got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounding_to_digits),
		cmocka_unit_test(parses_as_python_does),
		cmocka_unit_test(zeros_before_a_number_change_nothing),
		cmocka_unit_test(copies_as_python_does),
		cmocka_unit_test(rounds_places_after_the_ninth),
		cmocka_unit_test(refuses_what_is_no_number),
		cmocka_unit_test(reads_the_forms_of_a_number),
		cmocka_unit_test(counts_forty_digits),
		cmocka_unit_test(rounds_past_the_ninth_place),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(integer_parts_are_not_rounded),
		cmocka_unit_test(adds_as_python_does),
		cmocka_unit_test(never_wraps),
		cmocka_unit_test(divides_as_python_does),
		cmocka_unit_test(significant_digits),
		cmocka_unit_test(divides_at_the_limits),
		cmocka_unit_test(prints_fixed_as_python_does),
		cmocka_unit_test(printed_and_read_is_the_same),
		cmocka_unit_test(sums_do_not_depend_on_order),
		cmocka_unit_test(quotients_are_the_nearest),
		cmocka_unit_test(quotients_compare_exactly),
		cmocka_unit_test(signs_are_symmetric),
	};

	return cmocka_run_group_tests_name("dec", tests, NULL, NULL);
}
