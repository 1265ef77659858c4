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

/* Events as profilers write them, and others; what follows their line is long or short. */
static void events_of_each_shape(void **state)
{
#define NEGATIVE "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	static const struct {
		struct str event;
		int64_t metadata_id, offset_ps, dur_ps;
		uint32_t has;
		uint64_t flops;
		bool aggregate;
	} cases[] = {
		{BYTES(""), 0, 0, 0, 0, 0, false},
		{BYTES("\x08\x01\x10\x80\x01\x18\x07"), 1, 128, 7, 0, 0, false},
		{BYTES("\x08\x81\x01\x10\xff\xff\xff\xff\xff\xff\xff\x7f"), 129, ((int64_t)1 << 56) - 1, 0,
	     0, 0, false},
		{BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 0, ((int64_t)1 << 57) - 1, 0, 0, 0,
	     false},
		{BYTES("\x10" NEGATIVE "\x18" NEGATIVE), 0, -1, -1, 0, 0, false},
		{BYTES("\x18\x07\x08\x02"), 2, 0, 7, 0, 0, false},
		{BYTES("\x08\x02\x28\x05"), 2, 0, 0, 0, 0, true},
		{BYTES("\x08\x02\x28\x05\x10\x03"), 2, 3, 0, 0, 0, false},
		{BYTES("\x08\x02\x22\x04\x08\x03\x18\x09\x22\x05\x08\x03\x18\x89\x01"), 2, 0, 0,
	     1 << XPLANE_FLOPS, 137, false},
		{BYTES("\x22\x04\x18\x09\x08\x03"), 0, 0, 0, 1 << XPLANE_FLOPS, 9, false},
		{BYTES("\x22\x0b\x08\x03\x11\x01\x02\x03\x04\x05\x06\x07\x08"), 0, 0, 0, 1 << XPLANE_FLOPS,
	     0x0807060504030201, false},
		{BYTES("\x22\x84\x00\x08\x03\x18\x09"), 0, 0, 0, 1 << XPLANE_FLOPS, 9, false},
		{BYTES("\x22\x06\x08\x83\x80\x00\x18\x09"), 0, 0, 0, 1 << XPLANE_FLOPS, 9, false},
		{BYTES("\x22\x06\x08\x83\x80\x01\x18\x09"), 0, 0, 0, 0, 0, false},
		{BYTES("\x22\x02\x08\x03\x22\x00"), 0, 0, 0, 0, 0, false},
		{BYTES("\x22\x0d\x08\x03\x20" NEGATIVE), 0, 0, 0, 1 << XPLANE_FLOPS, UINT64_MAX, false},
	};
	static const char zeros[100] = {0x7a, 98};

	(void)state;
	for (size_t i = 0; i < COUNT(cases) * 2; i++) {
		struct str message = cases[i / 2].event;
		struct buf line = {0};
		struct buf bytes = {0};
		struct xplane plane = {0};
		struct xplane_event event;
		struct xplane_event brief;
		struct wire wire;
		struct wire skimmed;

		buf_bytes(&bytes,
		          "\x2a\x0b\x08\x03\x12\x07\x12\x05"
		          "flops",
		          13);
		buf_char(&line, 0x22);
		buf_char(&line, (char)message.n);
		buf_str(&line, message);
		buf_char(&bytes, 0x1a);
		buf_char(&bytes, (char)line.len);
		buf_str(&bytes, buf_view(&line));
		buf_bytes(&bytes, zeros, i % 2 ? sizeof zeros : 0);
		assert_true(xplane_read(&plane, buf_view(&bytes)));
		assert_int_equal(plane.lines_count, 1);
		wire = skimmed = wire_of(plane.lines[0].bytes);
		assert_true(xplane_next(&plane, &wire, &event) > 0);
		assert_int_equal(event.metadata_id, cases[i / 2].metadata_id);
		assert_int_equal(event.offset_ps, cases[i / 2].offset_ps);
		assert_int_equal(event.dur_ps, cases[i / 2].dur_ps);
		assert_int_equal(event.has, cases[i / 2].has);
		if (event.has)
			assert_true(event.value[XPLANE_FLOPS].number == cases[i / 2].flops);
		assert_int_equal(event.aggregate, cases[i / 2].aggregate);
		assert_int_equal(xplane_next(&plane, &wire, &event), 0);
		assert_true(xplane_skim(&plane, &skimmed, &brief) > 0);
		assert_int_equal(brief.metadata_id, cases[i / 2].metadata_id);
		assert_int_equal(brief.has, cases[i / 2].has);
		assert_int_equal(brief.aggregate, cases[i / 2].aggregate);
		assert_int_equal(xplane_skim(&plane, &skimmed, &brief), 0);
		xplane_free(&plane);
		buf_free(&line);
		buf_free(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_may_follow),
		cmocka_unit_test(each_cut),
		cmocka_unit_test(events_of_each_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
