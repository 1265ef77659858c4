#include "xspace.h"

#include "base/plaintext.h"
#include "io/magic.h"

#include "wire.h"

#include <inttypes.h>

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
	if (input_open(&space->in, path))
		return true;
	fail(space, "%s", space->in.error);
	return false;
}

static size_t available(const struct xspace *space)
{
	return space->window.len - space->at;
}

/* Drops what was read. */
static void drop(struct xspace *space)
{
	size_t rest = available(space);

	if (space->at == 0)
		return;
	memmove(space->window.data, space->window.data + space->at, rest);
	space->base += space->at;
	space->window.len = rest;
	space->at = 0;
}

/*
 * Reads until n bytes are available; false if the input has fewer. Each read is at most as large as
 * what is there already, so that a length alone allocates nothing.
 */
static bool fill(struct xspace *space, size_t n)
{
	if (available(space) >= n)
		return true;
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
	}
	return available(space) >= n;
}

static uint64_t offset_of(const struct xspace *space, const char *place)
{
	return space->base + (uint64_t)(place - space->window.data);
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
	const char *begin = space->window.data + space->at - space->item;
	const char *end = space->window.data + space->at;
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
	space->at = (size_t)(at - space->window.data);
	if (!fill(space, n))
		return damaged(space, length_at, true, "a length leads past the end of the file");
	*bytes = (struct str){space->window.data + space->at, n};
	space->at += n;
	space->item = n;
	return field->number <= WARNINGS ? items[field->number] : XSPACE_END;
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
			buf_bytes(&space->head, space->window.data,
			          space->window.len < MAGIC_BYTES ? space->window.len : MAGIC_BYTES);
		if (available(space) == 0 && !space->cut)
			return XSPACE_END;
		next = space->window.data + space->at;
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
			space->at = (size_t)(value - space->window.data);
		if (item != XSPACE_END)
			return item;
	}
}

void xspace_close(struct xspace *space)
{
	input_close(&space->in);
	buf_free(&space->window);
	buf_free(&space->head);
}
