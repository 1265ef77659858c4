/* gzip: what input gives is what zlib's own inflate gives, member by member. */

/* Two copies of the text, of up to 1,032 bytes for each of the file, and what they grow by. */
#define MEMORY_FOR_BYTE (1 << 13)

#include "../fuzz.h"

#include "io/input.h"

/* All that input reads, n bytes at a time; false where it says that something is wrong. */
static bool by_input(struct str file, size_t n, struct buf *out)
{
	struct input in;
	ssize_t got;

	feed(file);
	LAW(input_open(&in, "-"));
	while ((got = input_read(&in, buf_reserve(out, n), n)) > 0) {
		LAW((size_t)got <= n);
		out->len += (size_t)got;
	}
	LAW(input_read(&in, buf_reserve(out, n), n) == got);
	LAW(in.offset == out->len);
	LAW((got < 0) == (in.error[0] != '\0'));
	input_close(&in);
	return got == 0;
}

/* One member, all at once: how long it is, 0 where it is damaged or cut. */
static size_t inflate_member(struct str file, struct buf *out)
{
	z_stream z = {.next_in = (unsigned char *)file.s, .avail_in = (uInt)file.n};
	size_t length = 0;
	int result = Z_OK;

	LAW(inflateInit2(&z, 15 + 16) == Z_OK);
	do {
		z.next_out = (unsigned char *)buf_reserve(out, 1 << 16);
		z.avail_out = 1 << 16;
		result = inflate(&z, Z_SYNC_FLUSH);
		out->len += (1 << 16) - z.avail_out;
	} while (result == Z_OK && z.avail_out == 0);
	if (result == Z_STREAM_END)
		length = z.total_in;
	inflateEnd(&z);
	return length;
}

static bool by_zlib(struct str file, struct buf *out)
{
	if (!is_gzip(file)) {
		buf_str(out, file);
		return true;
	}
	while (file.n && *file.s == 0x1f) {
		size_t length = inflate_member(file, out);

		if (length == 0)
			return false;
		file.s += length;
		file.n -= length;
	}
	for (; file.n && *file.s == 0; file.n--)
		file.s++;
	return file.n == 0;
}

/*
 * Whether the file is good, and what is in a good one, is beyond doubt. How far a damaged one
 * can be read is not: one library sees the damage sooner than another, or holds the last
 * bytes before a cut back. `stored` is never compressed: of that nothing is held back.
 */
static void compare(struct str file, bool stored)
{
	static const size_t sizes[] = {1, 3, 100, 4096, 1 << 16};
	struct buf got = {0};
	struct buf want = {0};
	bool good = by_zlib(file, &want);
	size_t n = sizes[want.len < 5000 ? chance(file, 5) : 3 + chance(file, 2)];

	LAW(by_input(file, n, &got) == good);
	if (!good && !stored) {
		got.len = got.len < want.len ? got.len : want.len;
		want.len = got.len;
	}
	LAW_SAME(&got, &want);
	buf_free(&got);
	buf_free(&want);
}

/* The file as it is; and packed into members that are right, so that checksums are met. */
static void try_input(const uint8_t *data, size_t size)
{
	struct str file = {(const char *)data, size};
	size_t half = size / 2;
	bool between = chance(file, 3) == 0; /* something that is no member, or perhaps is one */
	struct buf packed = {0};

	compare(file, false);
	put_member(&packed, (struct str){file.s, half});
	if (between)
		buf_bytes(&packed, file.s, half);
	put_member(&packed, (struct str){file.s + half, size - half});
	packed.len -= chance(file, 2) ? chance(file, packed.len) : 0;
	compare(buf_view(&packed), !between);
	buf_free(&packed);
}
