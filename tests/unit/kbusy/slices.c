/* slices: shares of slices at whole multiples, against a brute force, and their number. */
#include "../unit.h"

#include "kbusy/slices.h"
#include "one_device.h"

static void note(void *arg, size_t device, const struct interval_stretch *stretch)
{
	slices_add(arg, device, stretch);
}

/* Whether a table is written; text gets its bytes. */
static bool written(struct slices *slices, struct busy *busy, struct buf *text)
{
	struct devices devices = {.file = KEV_NONE};
	struct unit_json to;
	bool done;

	unit_one_device(&devices);
	busy_finish(busy);
	unit_json_begin(&to, &devices);
	done = slices_write(slices, busy, &to.table);
	buf_str(text, unit_json_text(&to));
	unit_json_free(&to);
	devices_free(&devices);
	return done;
}

/* Random rows from -50 to 50; slices of 5. */
static void as_by_brute_force(void **state)
{
	uint64_t seed = 4;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct slices slices = {.length = dec_of(5)};
		const struct busy_listener listener = {.arg = &slices, .stretch = note};
		struct busy busy = {.listener = &listener};
		bool on[KIND_COUNT][110] = {{false}};
		int first = 50;
		int last = -50;
		struct buf got = {0};
		struct buf want = {0};

		for (size_t i = unit_below(&seed, 6) + 1; i > 0; i--) {
			size_t kind = unit_below(&seed, KIND_COUNT);
			int ts = (int)unit_below(&seed, 100) - 50;
			int dur = (int)unit_below(&seed, (size_t)(51 - ts < 20 ? 51 - ts : 20));

			busy_add(&busy, kind, dec_of(ts), dec_of(dur));
			for (int t = ts; t < ts + dur; t++)
				on[kind][t + 50] = true;
			first = ts < first ? ts : first;
			last = ts + dur > last ? ts + dur : last;
		}
		buf_text(&want, "{\"slices\":[");
		for (int at = -50; at < 55; at += 5) {
			int ran = 0;
			int comm = 0;

			if (at + 5 <= first || (at >= last && !(at == first && first == last)))
				continue;
			for (int t = at; t < at + 5; t++) {
				ran += on[0][t + 50] || on[1][t + 50] || on[2][t + 50];
				comm += on[KIND_COMM][t + 50];
			}
			buf_format(&want,
			           "%s{\"ts\":%d,\"dur\":5,\"name\":\"slice\",\"cat\":\"slice\",\"ph\":\"X\","
			           "\"pid\":\"7\",\"busy\":%d,\"comm\":%d}",
			           want.data[want.len - 1] == '[' ? "" : ",", at, ran * 20, comm * 20);
		}
		buf_text(&want, "]}");
		assert_true(written(&slices, &busy, &got));
		unit_equal(buf_view(&got), buf_view(&want), __FILE__, __LINE__);
		buf_free(&got);
		buf_free(&want);
		busy_free(&busy);
		slices_free(&slices);
	}
}

/* The case every-slices has the largest number that is not too many. */
static void too_many(void **state)
{
	static const struct {
		int64_t ts, dur;
		bool few;
	} cases[] = {
		{SLICES_MAX + 1, 0, false},
		{SLICES_MAX, 1, false},
		{0, SLICES_MAX + 1, false},
		{3, 1, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct slices slices = {.length = dec_of(1)};
		const struct busy_listener listener = {.arg = &slices, .stretch = note};
		struct busy busy = {.listener = &listener};
		struct buf text = {0};

		busy_add(&busy, 0, dec_of(0), dec_of(1));
		busy_add(&busy, 0, dec_of(cases[i].ts), dec_of(cases[i].dur));
		assert_int_equal(written(&slices, &busy, &text), cases[i].few);
		buf_free(&text);
		busy_free(&busy);
		slices_free(&slices);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_brute_force),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
