/*
 * fuzz - what the fuzz targets share: their input on standard input, whole or in pieces,
 * and laws, which end the process where they are broken.
 *
 * The first include of a target.
 */
#ifndef FUZZ_H
#define FUZZ_H

#define _GNU_SOURCE /* memfd_create */

#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Large blocks go back to the system at once: new pages are most of what a run costs. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8";
}

static inline void law(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: broken law: %s\n", file, line, what);
	abort();
}

#define LAW(holds) law(holds, #holds, __FILE__, __LINE__)

/* A law: the texts are equal. Shows both if they differ. */
static inline void law_same(struct str a, struct str b, const char *file, int line)
{
	if (str_equal(a, b))
		return;
	fprintf(stderr, "%s:%d: not the same:\n%.*s\n%.*s\n", file, line, (int)a.n, a.s, (int)b.n, b.s);
	abort();
}

#define LAW_SAME(a, b) law_same(buf_view(a), buf_view(b), __FILE__, __LINE__)

/* Makes text what standard input holds: modules read it as "-". */
static inline void feed(struct str text)
{
	static bool open;

	if (!open)
		LAW(dup2(memfd_create("input", 0), 0) == 0);
	open = true;
	LAW(ftruncate(0, 0) == 0 && lseek(0, 0, SEEK_SET) == 0);
	LAW(write(0, text.s, text.n) == (ssize_t)text.n && lseek(0, 0, SEEK_SET) == 0);
}

static inline void put_number(struct buf *out, uint64_t number, int bytes)
{
	for (; bytes > 0; bytes--, number >>= 8)
		buf_char(out, (char)(number & 0xff));
}

/* Appends data as one gzip member, stored, not compressed. */
static inline void put_member(struct buf *out, struct str data)
{
	buf_bytes(out, "\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11);
	put_number(out, data.n, 2);
	put_number(out, ~data.n, 2);
	buf_str(out, data);
	put_number(out, crc32(0, (const unsigned char *)data.s, (uInt)data.n), 4);
	put_number(out, data.n, 4);
}

/*
 * Like feed, but in gzip members of `step` bytes: input_read gives one member at a time, as a slow
 * pipe would.
 */
static inline void feed_in_steps(struct str text, size_t step)
{
	struct buf packed = {0};

	for (size_t at = 0; at < text.n; at += step)
		put_member(&packed, (struct str){text.s + at, text.n - at < step ? text.n - at : step});
	feed(buf_view(&packed));
	buf_free(&packed);
}

/* Whether what is fed would be taken for gzip itself. */
static inline bool is_gzip(struct str text)
{
	return text.n >= 2 && memcmp(text.s, "\x1f\x8b", 2) == 0;
}

/* A number below n that the input itself gives, so that each input is always tried alike. */
static inline size_t chance(struct str text, size_t n)
{
	return crc32(0, (const unsigned char *)text.s, (uInt)text.n) % n;
}

/* What show() makes of the text does not depend on the pieces in which it comes. */
static inline void law_of_pieces(struct str text, void (*show)(struct buf *out))
{
	struct buf whole = {0};
	struct buf pieces = {0};

	if (is_gzip(text))
		return;
	feed(text);
	show(&whole);
	feed_in_steps(text, 1 + chance(text, 40));
	show(&pieces);
	LAW_SAME(&whole, &pieces);
	buf_free(&whole);
	buf_free(&pieces);
}

#endif
