/* colours: a class has one colour in all pictures, and colours can be told apart. */
#include "../unit.h"

#include "kplot/colours.h"

#include <math.h>

/*
 * Simulations of sight that lacks one kind of cones, for linear RGB: Machado, Oliveira and
 * Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009),
 * severity 1.0.
 */
static const struct {
	const char *name;
	double matrix[3][3];
} sights[] = {
	{"normal", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protanopia",
     {{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
	{"deuteranopia",
     {{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
	{"tritanopia",
     {{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
};

struct lab {
	double l;
	double a;
	double b;
};

static double linear(unsigned channel)
{
	double v = channel / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double curve(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* The colour '#rrggbb' as this sight sees it, in CIE Lab with the white of D65. */
static struct lab seen(const char *colour, size_t sight)
{
	unsigned long rgb = strtoul(colour + 2, NULL, 16);
	double in[3] = {linear(rgb >> 16 & 255), linear(rgb >> 8 & 255), linear(rgb & 255)};
	double out[3];
	double x;
	double y;
	double z;

	for (size_t i = 0; i < 3; i++) {
		const double *row = sights[sight].matrix[i];

		out[i] = fmin(1, fmax(0, row[0] * in[0] + row[1] * in[1] + row[2] * in[2]));
	}
	x = curve((0.4124564 * out[0] + 0.3575761 * out[1] + 0.1804375 * out[2]) / 0.95047);
	y = curve(0.2126729 * out[0] + 0.7151522 * out[1] + 0.0721750 * out[2]);
	z = curve((0.0193339 * out[0] + 0.1191920 * out[1] + 0.9503041 * out[2]) / 1.08883);
	return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double radians(double degrees)
{
	return degrees * acos(-1) / 180;
}

static double hue(double a, double b)
{
	double h = a == 0 && b == 0 ? 0 : atan2(b, a);

	return h < 0 ? h + radians(360) : h;
}

/* The share of a chroma that CIEDE2000 takes as saturated. */
static double saturated(double chroma)
{
	double c7 = pow(chroma, 7);

	return sqrt(c7 / (c7 + pow(25, 7)));
}

/* The difference of two colours by CIEDE2000 (ISO/CIE 11664-6). */
static double difference(struct lab p, struct lab q)
{
	double g = 1 + 0.5 * (1 - saturated((hypot(p.a, p.b) + hypot(q.a, q.b)) / 2));
	double c1 = hypot(p.a * g, p.b);
	double c2 = hypot(q.a * g, q.b);
	double h1 = hue(p.a * g, p.b);
	double h2 = hue(q.a * g, q.b);
	double turn = h2 - h1;
	double h = h1 + h2;
	double l = (p.l + q.l) / 2 - 50;
	double c = (c1 + c2) / 2;
	double t;
	double dl;
	double dc;
	double dh;

	if (c1 * c2 == 0) {
		turn = 0;
	} else if (fabs(turn) > radians(180)) {
		turn += turn > 0 ? radians(-360) : radians(360);
		h = (h + (h < radians(360) ? radians(360) : radians(-360))) / 2;
	} else {
		h /= 2;
	}
	t = 1 - 0.17 * cos(h - radians(30)) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + radians(6)) -
	    0.20 * cos(4 * h - radians(63));
	dl = (q.l - p.l) / (1 + 0.015 * l * l / sqrt(20 + l * l));
	dc = (c2 - c1) / (1 + 0.045 * c);
	dh = 2 * sqrt(c1 * c2) * sin(turn / 2) / (1 + 0.015 * c * t);
	return sqrt(dl * dl + dc * dc + dh * dh -
	            sin(radians(60) * exp(-pow((h - radians(275)) / radians(25), 2))) * 2 *
	                saturated(c) * dc * dh);
}

/* Pairs of the data that were published with CIEDE2000 (Sharma, Wu and Dalal, 2005). */
static void differences(void **state)
{
	static const struct {
		struct lab p;
		struct lab q;
		double want;
	} pairs[] = {
		{{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
		{{50, -1, 2}, {50, 0, 0}, 2.3669},
		{{50, 2.49, -0.001}, {50, -2.49, 0.0011}, 7.2195},
		{{50, 2.5, 0}, {73, 25, -18}, 27.1492},
		{{2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}, 0.9082},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++)
		assert_true(fabs(difference(pairs[i].p, pairs[i].q) - pairs[i].want) < 0.00005);
}

/* Every two colours, and every colour and each grey or the background. */
static void apart(void **state)
{
	const char *all[COLOURS + 4];
	size_t count = 0;

	(void)state;
	for (; count < COLOURS; count++)
		all[count] = colour_by_number(count);
	all[count++] = colour_of(STR("Other"));
	all[count++] = colour_of(STR(""));
	all[count++] = colour_of_rest();
	all[count++] = "'#ffffff'";
	for (size_t sight = 0; sight < COUNT(sights); sight++)
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < i; j++) {
				double d = difference(seen(all[i], sight), seen(all[j], sight));

				if (d < COLOURS_APART)
					fail_msg("%s: %s and %s differ by %.2f only", sights[sight].name, all[i],
					         all[j], d);
			}
}

/* The rules that come with the program, as the Makefile embeds them. */
static void classes(void **state)
{
	static const char *const names[] = {"Dense GEMM",   "Attention",    "Collective", "Indexing",
	                                    "RMSNorm+GEMM", "Triton Fused", "Other",      ""};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(colour_of(str_of(names[i])), colour_of(str_of(names[j])));
}

/* Another name has the same colour each time; neighbours among numbers differ. */
static void others(void **state)
{
	(void)state;
	assert_string_equal(colour_of(STR("a name")), colour_of(STR("a name")));
	assert_string_equal(colour_of(STR("7")), colour_by_number(7));
	assert_string_equal(colour_of(STR("27")), colour_by_number(1));
	assert_string_equal(colour_of(STR("99999999999999999999999")),
	                    colour_of(STR("99999999999999999999999")));
	assert_string_equal(colour_of(STR("idle")), colour_of_rest());
	assert_string_equal(colour_of(STR("comm_exposed")), colour_of(STR("Collective")));
	assert_true(colour_is_dark("'#332288'"));
	assert_false(colour_is_dark("'#ccbb44'"));
}

/* The colours of these names, whose first letters alone distinguish them: COLOURS of them at most.
 */
static void take_colours(const char *letters, const char *colour[128])
{
	struct strmap names = {0};
	const char **got;

	for (const char *letter = letters; *letter; letter++)
		strmap_add(&names, (struct str){letter, 1}, NULL);
	got = colours_of(&names);
	for (size_t i = 0; i < names.count; i++)
		colour[(unsigned char)letters[i] % 128] = got[i];
	free(got);
	strmap_free(&names);
}

/* Names of a picture have different colours, in any order; classes have their own. */
static void pictures(void **state)
{
	static const char forth[] = "abcdefghijklmnopqrstuvwxyz";
	static const char back[] = "zyxwvutsrqponmlkjihgfedcba";
	const char *one[128] = {0};
	const char *other[128] = {0};
	struct strmap names = {0};
	const char **colour;

	(void)state;
	take_colours(forth, one);
	take_colours(back, other);
	for (size_t i = 'a'; i <= 'z'; i++) {
		assert_string_equal(one[i], other[i]);
		for (size_t j = 'a'; j < i; j++)
			assert_string_not_equal(one[i], one[j]);
	}
	/* A name whose colour is free keeps it, even if the colours of others are not. */
	strmap_add(&names, STR("26"), NULL);
	strmap_add(&names, STR("1"), NULL);
	strmap_add(&names, STR("0"), NULL);
	strmap_add(&names, STR("Attention"), NULL);
	strmap_add(&names, STR("Other"), NULL);
	strmap_add(&names, STR(""), NULL);
	colour = colours_of(&names);
	assert_string_equal(colour[2], colour_by_number(0));
	assert_string_equal(colour[3], colour_of(STR("Attention")));
	assert_string_equal(colour[1], colour_by_number(2));
	assert_string_equal(colour[0], colour_by_number(3));
	assert_string_equal(colour[4], colour_of(STR("Other")));
	assert_string_equal(colour[5], colour_of(STR("")));
	free(colour);
	for (size_t i = 0; i < (size_t)2 * COLOURS; i++) {
		char text[2] = {(char)('A' + i / 26), (char)('a' + i % 26)};

		strmap_add(&names, (struct str){text, 2}, NULL);
	}
	colour = colours_of(&names);
	for (size_t i = 0; i < names.count; i++)
		assert_non_null(colour[i]);
	free(colour);
	strmap_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures), cmocka_unit_test(differences), cmocka_unit_test(apart),
		cmocka_unit_test(classes),  cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
