#include "xspace.h"

#include "base/plaintext.h"
#include "base/progress.h"
#include "io/magic.h"

#include "wire.h"

#include <inttypes.h>
#include <unistd.h>

#define NOWHERE UINT64_MAX

enum {
	CHUNK = 256 << 10, /* the least that is read at once */
	HEAD = 20,         /* bytes before those of a field: two numbers of up to 10 bytes */
	NEAR = 64,         /* around damage, where replaced bytes are looked for */
	PLANES = 1,        /* numbers of fields */
	ERRORS = 2,
	WARNINGS = 3
};

static void fail(struct xspace *space, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void fail(struct xspace *space, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	plaintext_format(space->error, sizeof space->error, format, args);
	va_end(args);
}

bool xspace_open(struct xspace *space, const char *path)
{
	*space = (struct xspace){0};
	if (!input_open(&space->in, path)) {
		fail(space, "%s", space->in.error);
		return false;
	}
	space->ended = filemap_open(&space->map, &space->in);
	if (space->ended)
		space->bytes =
			(struct str){space->map.data + space->in.start, space->map.n - (size_t)space->in.start};
	return true;
}

static size_t available(const struct xspace *space)
{
	return space->bytes.n - space->at;
}

/* Drops what was read. */
static void drop(struct xspace *space)
{
	size_t rest = available(space);

	if (space->at == 0)
		return;
	memmove(space->window.data, space->window.data + space->at, rest);
	space->base += space->at;
	space->window.len = space->bytes.n = rest;
	space->at = 0;
}

/*
 * Reads until n bytes are available; false if the input has fewer. Each read is at most as large as
 * what is there already, so that a length alone allocates nothing.
 */
static bool fill(struct xspace *space, size_t n)
{
	if (available(space) >= n || space->ended)
		return available(space) >= n;
	drop(space);
	while (available(space) < n && !space->ended) {
		size_t most = space->window.len > CHUNK ? space->window.len : CHUNK;
		size_t want = n - available(space) > CHUNK ? n - available(space) : CHUNK;
		ssize_t got;

		want = want < most ? want : most;
		got = input_read(&space->in, buf_reserve(&space->window, want), want);
		space->ended = got <= 0;
		space->cut = got < 0;
		if (got > 0)
			space->window.len += (size_t)got;
		space->bytes = buf_view(&space->window);
	}
	return available(space) >= n;
}

static uint64_t offset_of(const struct xspace *space, const char *place)
{
	return space->base + (uint64_t)(place - space->bytes.s);
}

/* The first place of EF BF BD between two places of the window, in the input; or NOWHERE. */
static uint64_t replaced_in(const struct xspace *space, const char *from, const char *end)
{
	for (; end - from >= 3; from++)
		if (memcmp(from, "\xef\xbf\xbd", 3) == 0)
			return offset_of(space, from);
	return NOWHERE;
}

/* Sets error to damage at a place in the input, and names a place of EF BF BD near it. */
static void damage_at(struct xspace *space, uint64_t at, const char *what, uint64_t replaced)
{
	if (replaced == NOWHERE)
		fail(space, "damaged at byte %" PRIu64 ": %s", at, what);
	else
		fail(space,
		     "damaged at byte %" PRIu64 ": %s; EF BF BD at byte %" PRIu64
		     " replaces other bytes: the file was stored as text; get it anew, as binary",
		     at, what, replaced);
}

void xspace_damage(struct xspace *space, const char *place, const char *what)
{
	const char *begin = space->bytes.s + space->at - space->item;
	const char *end = space->bytes.s + space->at;
	const char *from = place - begin > NEAR ? place - NEAR : begin;

	end = end - place > NEAR ? place + NEAR : end;
	damage_at(space, offset_of(space, place), what, replaced_in(space, from, end));
}

/* Damage of the top level, at a place in the input. If bytes are missing, a broken input is why. */
static enum xspace_item damaged(struct xspace *space, uint64_t at, bool missing, const char *what)
{
	damage_at(space, at, missing && space->cut ? space->in.error : what, space->replaced);
	return XSPACE_FAILED;
}

/*
 * Reads the bytes of a field, whose head has been read up to `at`. XSPACE_END: the field is of no
 * use here.
 */
static enum xspace_item read_bytes(struct xspace *space, const struct wire_field *field,
                                   const char *at, struct str *bytes)
{
	static const enum xspace_item items[] = {
		[PLANES] = XSPACE_PLANE, [ERRORS] = XSPACE_ERROR, [WARNINGS] = XSPACE_WARNING};
	uint64_t length_at = offset_of(space, field->value_at);
	size_t n = (size_t)field->value;

	if (field->value > INT32_MAX)
		return damaged(space, length_at, false, "a length is above 2 GiB, the most of a message");
	space->at = (size_t)(at - space->bytes.s);
	if (!fill(space, n))
		return damaged(space, length_at, true, "a length leads past the end of the file");
	*bytes = (struct str){space->bytes.s + space->at, n};
	space->at += n;
	space->item = n;
	if (space->map.data && lseek(space->in.fd, space->in.start + (off_t)space->at, SEEK_SET) >= 0)
		progress_read(space->in.name, space->in.fd, space->in.file.st_size);
	return field->number <= WARNINGS ? items[field->number] : XSPACE_END;
}

/* A file that changed may have had other bytes when they were read for the second time. */
static enum xspace_item at_end(struct xspace *space)
{
	if (!space->map.data || !input_changed(&space->in))
		return XSPACE_END;
	fail(space, "the file changed while it was read");
	return XSPACE_FAILED;
}

enum xspace_item xspace_next(struct xspace *space, struct str *bytes)
{
	for (;;) {
		enum xspace_item item = XSPACE_END;
		struct wire_field field;
		struct wire wire;
		const char *next;
		const char *value;
		size_t more;

		fill(space, space->base + space->at ? HEAD : MAGIC_BYTES);
		if (space->base + space->at == 0)
			buf_bytes(&space->head, space->bytes.s,
			          space->bytes.n < MAGIC_BYTES ? space->bytes.n : MAGIC_BYTES);
		if (available(space) == 0 && !space->cut)
			return at_end(space);
		next = space->bytes.s + space->at;
		more = available(space);
		wire = wire_of((struct str){next, more});
		space->replaced = replaced_in(space, next, next + (more < HEAD ? more : HEAD));
		value = wire_head(wire.at, wire.end, &field);
		if (!value) {
			wire_explain(&wire);
			return damaged(space, offset_of(space, wire.at), more < HEAD, wire.error);
		}
		if (field.type == WIRE_BYTES)
			item = read_bytes(space, &field, value, bytes);
		else
			space->at = (size_t)(value - space->bytes.s);
		if (item != XSPACE_END)
			return item;
	}
}

void xspace_close(struct xspace *space)
{
	filemap_close(&space->map);
	input_close(&space->in);
	buf_free(&space->window);
	buf_free(&space->head);
}
