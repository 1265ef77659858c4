/* gunzip: members one by one, whatever the pieces they come in and go out in. */
#include "../unit.h"

#include "io/gunzip.h"

/* One member from *in, fed `step` bytes at a time, with room for `room`. Moves *in behind it. */
static enum gunzip_result run(struct gunzip *gunzip, struct str *in, size_t step, size_t room,
                              struct buf *out)
{
	const unsigned char *next = (const unsigned char *)in->s;
	const unsigned char *end = next + in->n;
	enum gunzip_result result = GUNZIP_MORE;
	size_t fed = 0;
	int idle = 0;

	while (result == GUNZIP_MORE && idle < 3) {
		const unsigned char *before = next;
		char *to = buf_reserve(out, room);
		size_t left = room;

		if (fed == 0) {
			fed = (size_t)(end - next) < step ? (size_t)(end - next) : step;
		}
		result = gunzip_run(gunzip, &next, &fed, &to, &left);
		assert_ptr_equal(to, out->data + out->len + (room - left));
		assert_true(next >= before && next + fed <= end);
		out->len += room - left;
		idle = next == before && left == room ? idle + 1 : 0;
	}
	*in = (struct str){(const char *)next, (size_t)(end - next)};
	return result;
}

static void members_in_pieces(void **state)
{
	static const size_t steps[] = {1, 2, 3, 7, 100, 4096, SIZE_MAX};
	static const size_t rooms[] = {1, 5, 1000, 1 << 20};
	struct buf text = {0};
	struct buf packed = {0};
	struct gunzip *gunzip = gunzip_new();
	uint64_t seed = 1;

	(void)state;
	unit_random_bytes(&seed, &text, 20000, STR("abcdefgh\n"));
	for (int level = 0; level < 10; level += 3)
		unit_gzip(&packed, (struct str){text.data, text.len >> (3 * level)}, level);
	unit_gzip(&packed, STR(""), 6);
	for (size_t i = 0; i < COUNT(steps); i++) {
		for (size_t j = 0; j < COUNT(rooms); j++) {
			struct str in = buf_view(&packed);
			struct buf got = {0};

			for (int level = 0; level < 10; level += 3) {
				got.len = 0;
				gunzip_reset(gunzip);
				assert_int_equal(run(gunzip, &in, steps[i], rooms[j], &got), GUNZIP_END);
				assert_str(buf_view(&got), ((struct str){text.data, text.len >> (3 * level)}));
			}
			got.len = 0;
			gunzip_reset(gunzip);
			assert_int_equal(run(gunzip, &in, steps[i], rooms[j], &got), GUNZIP_END);
			assert_int_equal(got.len, 0);
			assert_int_equal(in.n, 0); /* each ended at its own last byte */
			buf_free(&got);
		}
	}
	gunzip_free(gunzip);
	buf_free(&text);
	buf_free(&packed);
}

/* --- heads --------------------------------------------------------------- */

enum { SUM = 2, EXTRA = 4, NAME = 8, COMMENT = 16 };

/* A member of "text" with these parts in its head; wrong: its head's checksum is. */
static void put_member(struct buf *out, unsigned flags, size_t extra, bool wrong)
{
	static const char body[] = "\x01\x04\0\xfb\xfftext";
	size_t start = out->len;
	uLong sum;

	buf_bytes(out, "\x1f\x8b\x08", 3);
	buf_char(out, (char)flags);
	buf_bytes(out, "\1\2\3\4\0\xff", 6);
	if (flags & EXTRA) {
		buf_char(out, (char)(extra & 0xff));
		buf_char(out, (char)(extra >> 8));
		for (size_t i = 0; i < extra; i++)
			buf_char(out, (char)i);
	}
	if (flags & NAME)
		buf_bytes(out, "trace.json", 11);
	if (flags & COMMENT)
		buf_bytes(out, "", 1);
	sum = crc32(0, (const unsigned char *)out->data + start, (uInt)(out->len - start)) ^ wrong;
	if (flags & SUM) {
		buf_char(out, (char)(sum & 0xff));
		buf_char(out, (char)(sum >> 8 & 0xff));
	}
	buf_bytes(out, body, sizeof body - 1);
	sum = crc32(0, (const unsigned char *)"text", 4);
	for (int i = 0; i < 4; i++)
		buf_char(out, (char)(sum >> (8 * i) & 0xff));
	buf_bytes(out, "\4\0\0", 4);
}

static void assert_member(struct str packed, enum gunzip_result want)
{
	static const size_t steps[] = {1, 2, 3, 11, SIZE_MAX};
	struct gunzip *gunzip = gunzip_new();

	for (size_t i = 0; i < COUNT(steps); i++) {
		struct buf got = {0};
		struct str in = packed;

		gunzip_reset(gunzip);
		assert_int_equal(run(gunzip, &in, steps[i], 100, &got), want);
		assert_str(buf_view(&got), want == GUNZIP_END ? STR("text") : STR(""));
		if (want == GUNZIP_END)
			assert_int_equal(in.n, 0);
		else
			assert_string_equal(gunzip_reason(gunzip), "invalid data");
		buf_free(&got);
	}
	gunzip_free(gunzip);
}

/* Every set of parts that a head can have, and what a head must not be. */
static void heads(void **state)
{
	static const size_t extras[] = {0, 1, 5, 256, 65535};
	struct buf packed = {0};

	(void)state;
	for (unsigned flags = 0; flags < 256; flags++) {
		for (size_t i = 0; i < COUNT(extras); i++) {
			if (i && !(flags & EXTRA))
				continue;
			packed.len = 0;
			put_member(&packed, flags, extras[i], false);
			assert_member(buf_view(&packed), flags & 0xe0 ? GUNZIP_DAMAGED : GUNZIP_END);
			if (flags & SUM) {
				packed.len = 0;
				put_member(&packed, flags, extras[i], true);
				assert_member(buf_view(&packed), GUNZIP_DAMAGED);
			}
		}
	}
	for (size_t i = 0; i < 3; i++) { /* no gzip, or not of its one method */
		packed.len = 0;
		put_member(&packed, 0, 0, false);
		packed.data[i] ^= 1;
		assert_member(buf_view(&packed), GUNZIP_DAMAGED);
	}
	buf_free(&packed);
}

static void a_text_that_is_not_all_there_is_given(void **state)
{
	static const size_t rooms[] = {1, 100, 5000, 1 << 20};
	struct buf text = {0};
	struct buf packed = {0};
	struct gunzip *gunzip = gunzip_new();
	uint64_t seed = 1;

	(void)state;
	unit_random_bytes(&seed, &text, 60000, STR("abcdefgh"));
	unit_gzip(&packed, buf_view(&text), 6);
	buf_free(&text);
	for (size_t at = 20; at < packed.len; at += packed.len / 40) {
		struct buf first = {0};

		packed.data[at] ^= 0x55;
		for (size_t i = 0; i < COUNT(rooms); i++) {
			struct buf got = {0};
			struct str in = buf_view(&packed);

			gunzip_reset(gunzip);
			assert_int_equal(run(gunzip, &in, SIZE_MAX, rooms[i], &got), GUNZIP_DAMAGED);
			/* However little room there is, all bytes before the damage come out first. */
			if (i == 0)
				buf_str(&first, buf_view(&got));
			assert_int_equal(got.len, first.len);
			assert_memory_equal(buf_view(&got).s, buf_view(&first).s, first.len);
			buf_free(&got);
		}
		packed.data[at] ^= 0x55;
		buf_free(&first);
	}
	gunzip_free(gunzip);
	buf_free(&packed);
}

/* --- damage -------------------------------------------------------------- */

static void damage_is_told(void **state)
{
	struct buf packed = {0};
	struct buf got = {0};
	struct gunzip *gunzip = gunzip_new();
	struct str in;

	(void)state;
	unit_gzip(&packed, STR("a text of some length"), 6);
	packed.data[packed.len - 5] ^= 1; /* a byte of the checksum */
	in = buf_view(&packed);
	gunzip_reset(gunzip);
	assert_int_equal(run(gunzip, &in, SIZE_MAX, 1000, &got), GUNZIP_DAMAGED);
	assert_string_equal(gunzip_reason(gunzip), "wrong checksum");
	assert_buf(&got, "a text of some length");
	packed.data[packed.len - 5] ^= 1;
	packed.data[10] |= 6; /* a kind of block that there is not */
	in = buf_view(&packed);
	gunzip_reset(gunzip);
	assert_int_equal(run(gunzip, &in, SIZE_MAX, 1000, &got), GUNZIP_DAMAGED);
	assert_string_equal(gunzip_reason(gunzip), "invalid data");
	/* After damage it can begin again. */
	packed.len = got.len = 0;
	unit_gzip(&packed, STR("again"), 6);
	in = buf_view(&packed);
	gunzip_reset(gunzip);
	assert_int_equal(run(gunzip, &in, 3, 1000, &got), GUNZIP_END);
	assert_buf(&got, "again");
	gunzip_free(gunzip);
	gunzip_free(NULL);
	buf_free(&packed);
	buf_free(&got);
}

/* Without an end there is none, and all that it waits for is more. */
static void a_cut_member_waits_for_more(void **state)
{
	struct buf packed = {0};
	struct gunzip *gunzip = gunzip_new();

	(void)state;
	unit_gzip(&packed, STR("a text of some length"), 6);
	for (size_t cut = 0; cut < packed.len; cut++) {
		struct buf got = {0};
		struct str in = {packed.data, cut};

		gunzip_reset(gunzip);
		assert_int_equal(run(gunzip, &in, 4, 1000, &got), GUNZIP_MORE);
		assert_int_equal(in.n, 0);
		assert_true(str_starts(STR("a text of some length"), buf_view(&got)));
		buf_free(&got);
	}
	gunzip_free(gunzip);
	buf_free(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_in_pieces),
		cmocka_unit_test(heads),
		cmocka_unit_test(a_text_that_is_not_all_there_is_given),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(a_cut_member_waits_for_more),
	};

	return cmocka_run_group_tests_name("gunzip", tests, NULL, NULL);
}
