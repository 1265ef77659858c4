/*
 * fuzz - what the fuzz targets share: their input on standard input, whole or in pieces,
 * laws, which end the process if they are broken, and bounds on memory and time.
 *
 * The first include of a target.
 */
#ifndef FUZZ_H
#define FUZZ_H

#define _GNU_SOURCE /* memfd_create */

#include "base/buf.h"

#include <sanitizer/allocator_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
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

/* --- bounds ---------------------------------------------------------------- */

/* Tries an input: each target defines it. */
static void try_input(const uint8_t *data, size_t size);

/* The most that an input may take, in memory and in time of the processor. */
#ifndef MEMORY_MAX
#define MEMORY_MAX (16 << 20)
#endif
#ifndef MEMORY_FOR_BYTE
#define MEMORY_FOR_BYTE (1 << 10)
#endif
enum { SECONDS_MAX = 1 };

/* An input in STRETCH_OF is repeated up to these sizes, and the time for both is compared. */
enum { STRETCH_OF = 32, STRETCH_SMALL = 1 << 13, STRETCH_LARGE = 1 << 15, SLACK_NS = 20000000 };

/* The time for the larger size, in times for the smaller. It is 4 if time is in proportion. */
#ifndef STRETCH_TIMES
#define STRETCH_TIMES 10
#endif

/* Bytes that malloc gave and that are not yet free; below 0 after blocks from before the count. */
static struct {
	int64_t now;
	int64_t most;
} memory;

static inline void count_malloc(const volatile void *block, size_t size)
{
	(void)block;
	memory.now += (int64_t)size;
	if (memory.now > memory.most)
		memory.most = memory.now;
}

static inline void count_free(const volatile void *block)
{
	memory.now -= block ? (int64_t)__sanitizer_get_allocated_size(block) : 0;
}

/* Tries an input; returns how many nanoseconds of the processor that took. */
static inline int64_t try_bounded(const uint8_t *data, size_t size)
{
	struct timespec begin;
	struct timespec end;
	int64_t before = memory.now;
	int64_t took;

	memory.most = before;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	try_input(data, size);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	took = (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
	LAW(took < SECONDS_MAX * (int64_t)1000000000);
	LAW(memory.most - before < MEMORY_MAX + (int64_t)size * MEMORY_FOR_BYTE);
	return took;
}

/* Tries the input over and over again up to a size; returns the shorter of two times. */
static inline int64_t try_stretched(struct str text, size_t size)
{
	struct buf stretched = {0};
	int64_t first;
	int64_t second;

	while (stretched.len < size)
		buf_str(&stretched, text);
	first = try_bounded((const uint8_t *)stretched.data, stretched.len);
	second = try_bounded((const uint8_t *)stretched.data, stretched.len);
	buf_free(&stretched);
	return first < second ? first : second;
}

/* Time that grows with the square of the input would be 16 times as long. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool counting;
	struct str text = {(const char *)data, size};

	if (!counting)
		__sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
	counting = true;
	try_bounded(data, size);
	if (size && crc32(0, data, (uInt)size) % STRETCH_OF == 0) {
		int64_t small = try_stretched(text, STRETCH_SMALL);
		int64_t large = try_stretched(text, STRETCH_LARGE);

		/* Other work on the machine may disturb one of the two. */
		for (int again = 0; again < 9 && large > STRETCH_TIMES * small + SLACK_NS; again++) {
			int64_t longer = try_stretched(text, STRETCH_SMALL);

			small = longer > small ? longer : small;
			large = try_stretched(text, STRETCH_LARGE);
		}
		LAW(large <= STRETCH_TIMES * small + SLACK_NS);
	}
	return 0;
}

/* --- input ----------------------------------------------------------------- */

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
	/* At most 4,096 pieces, as some readers look again at an event that is not whole yet. */
	feed_in_steps(text, (1 + chance(text, 40)) * (1 + text.n / 4096));
	show(&pieces);
	LAW_SAME(&whole, &pieces);
	buf_free(&whole);
	buf_free(&pieces);
}

#endif
