/* xplane: names that stand after their lines, statistics of an event before those of its metadata.
 */
#include "../unit.h"

#include "xplane2tsv/xplane.h"

/* Metadata 1 "k", shown as "K", with flops 7 and hlo_op "a"; an event with flops 9. */
static const char plane_bytes[] =
	"\x1a\x13\x08\x05\x12\x01L\x18\x02\x22\x0a\x08\x01\x10\x03\x18\x04\x22\x02\x08\x03"
	"\x22\x17\x08\x01\x12\x13\x12\x01k\x22\x01K\x2a\x04\x08\x03\x20\x07\x2a\x05\x08\x04\x2a\x01"
	"a"
	"\x2a\x0b\x08\x03\x12\x07\x12\x05"
	"flops"
	"\x2a\x0c\x08\x04\x12\x08\x12\x06hlo_op"
	"\x12\x07/host:x\x08\x07";

static void names_may_follow(void **state)
{
	struct xplane plane = {0};
	struct xplane_event event;
	const struct xplane_metadata *metadata;
	struct wire wire;

	(void)state;
	for (int round = 0; round < 2; round++) {
		assert_true(xplane_read(&plane, (struct str){plane_bytes, sizeof plane_bytes - 1}));
		assert_str(plane.name, STR("/host:x"));
		assert_int_equal(plane.id, 7);
		assert_int_equal(plane.lines_count, 1);
		assert_int_equal(plane.lines[0].id, 5);
		assert_int_equal(plane.lines[0].timestamp_ns, 2);
		assert_str(plane.lines[0].name, STR("L"));
		wire = wire_of(plane.lines[0].bytes);
		assert_true(xplane_next(&plane, &wire, &event) > 0);
		assert_int_equal(event.offset_ps, 3);
		assert_int_equal(event.dur_ps, 4);
		assert_int_equal(event.has, 0); /* the statistic has no value */
		metadata = xplane_complete(&plane, &event);
		assert_non_null(metadata);
		assert_str(xplane_name(&plane, metadata), STR("K"));
		assert_int_equal(event.value[XPLANE_FLOPS].number, 7);
		assert_int_equal(event.value[XPLANE_HLO_OP].kind, XPLANE_TEXT);
		assert_int_equal(event.value[XPLANE_HLO_OP].n, 1);
		assert_int_equal(xplane_next(&plane, &wire, &event), 0);
	}
	xplane_free(&plane);
}

/* At each cut the plane ends, or its damage is named; no cut is read past. */
static void each_cut(void **state)
{
	struct xplane plane = {0};

	(void)state;
	for (size_t n = 0; n < sizeof plane_bytes - 1; n++) {
		char *bytes = malloc(n + 1);

		memcpy(bytes, plane_bytes, n);
		if (!xplane_read(&plane, (struct str){bytes, n})) {
			assert_non_null(plane.error);
			assert_true(plane.error_at >= bytes && plane.error_at <= bytes + n);
		}
		free(bytes);
	}
	xplane_free(&plane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_may_follow),
		cmocka_unit_test(each_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
