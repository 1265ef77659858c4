/* labels: tracks of each device by label, and their table. */
#include "../unit.h"

#include "kbusy/labels.h"
#include "one_device.h"

static void tracks(void **state)
{
	struct labels labels = {.cap = 0};

	(void)state;
	assert_int_equal(labels_of(&labels, 0, STR("a")), 0);
	assert_int_equal(labels_of(&labels, 2, STR("b")), 0);
	assert_int_equal(labels_of(&labels, 0, STR("b")), 1);
	assert_int_equal(labels_of(&labels, 0, STR("")), 2);
	assert_int_equal(labels_of(&labels, 2, STR("a")), 1);
	assert_int_equal(labels_of(&labels, 0, STR("a")), 0);
	assert_int_equal(labels.names.count, 5);
	labels_free(&labels);
}

static void alone(void *arg, size_t device, const struct interval_stretch *stretch)
{
	struct dec time = {stretch->span.end.nano - stretch->span.start.nano};

	if (stretch->busy == 1)
		labels_alone(arg, device, stretch->only, time);
}

/* A device with a row of 10 and one of 6 that overlap by 4, one of 0, and one within another. */
static void the_longest_first(void **state)
{
	static const struct {
		const char *label;
		int64_t ts, dur;
	} rows[] = {{"x", 0, 10}, {"y\t", 6, 6}, {"none", 20, 0}, {"x", 2, 1}};
	struct labels labels = {.cap = 0};
	const struct busy_listener listener = {.arg = &labels, .stretch = alone};
	struct busy busy = {.listener = &listener};
	struct devices devices = {.file = KEV_NONE};
	struct unit_json to;

	(void)state;
	unit_one_device(&devices);
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t track = labels_of(&labels, 0, str_of(rows[i].label));

		busy_add(&busy, track, dec_of(rows[i].ts), dec_of(rows[i].dur));
		labels_count(&labels, 0, track, dec_of(rows[i].dur));
	}
	busy_finish(&busy);
	unit_json_begin(&to, &devices);
	labels_write(&labels, "l", &busy, &to.table);
	assert_text(unit_json_text(&to),
	            "{\"labels\":[{\"pid\":\"7\",\"l\":\"x\",\"union\":10,\"alone\":6,"
	            "\"share\":83.3333333333,\"count\":2,\"total\":11},"
	            "{\"pid\":\"7\",\"l\":\"y\\t\",\"union\":6,\"alone\":2,\"share\":50,"
	            "\"count\":1,\"total\":6},"
	            "{\"pid\":\"7\",\"l\":\"none\",\"union\":0,\"alone\":0,\"share\":0,"
	            "\"count\":1,\"total\":0}]}");
	unit_json_free(&to);
	busy_free(&busy);
	labels_free(&labels);
	devices_free(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracks),
		cmocka_unit_test(the_longest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
