/*
 * wire - the fields of a protobuf message, one after the other.
 *
 *	struct wire wire = wire_of(message);
 *	struct wire_field field;
 *
 *	while (wire_next(&wire, &field) > 0)
 *		... field.number, field.type, field.value or field.bytes
 *	if (wire.error)
 *		... damage at wire.at
 *
 * A message inside a message is the bytes of a field; a caller reads it with a wire of its own, so
 * nothing here recurses. Nothing is copied or allocated: a length past the end of the message is
 * damage. Memory: constant; time: linear in the fields.
 */
#ifndef WIRE_H
#define WIRE_H

#include "base/buf.h"
#include "base/simd.h"

struct wire {
	const char *at; /* the next field; with an error, the place of the damage */
	const char *end;
	const char *error; /* NULL: none */
};

enum wire_type { WIRE_VARINT = 0, WIRE_EIGHT = 1, WIRE_BYTES = 2, WIRE_FOUR = 5 };

enum { WIRE_NUMBER_MAX = (1 << 29) - 1 }; /* the largest number of a field */

/*
 * The number and the type stand apart: side by side, a compiler compares both by one load, which
 * waits for the two stores before it, and takes twice the time for an event.
 */
struct wire_field {
	uint32_t number;      /* from 1 on */
	uint64_t value;       /* an int64 is its two's complement; of WIRE_BYTES the length */
	const char *value_at; /* the first byte of the value or length */
	struct str bytes;     /* only for WIRE_BYTES; borrowed from the message */
	enum wire_type type;
};

static inline struct wire wire_of(struct str message)
{
	return (struct wire){.at = message.s, .end = message.s + message.n};
}

/* --- steps: the place after what was read, or NULL at damage, which wire_explain finds again ---
 */

const char *wire_slow_varint(const char *at, const char *end, uint64_t *value); /* any length */

/* The number whose groups of seven bits, the lowest first, are the bytes of the word. */
SIMD_INLINE uint64_t wire_joined(uint64_t word)
{
	word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
	word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
	return (word & 0x0fffffffu) | (word & 0x0fffffff00000000u) >> 4;
}

/*
 * A number of up to eight bytes, when eight bytes may be read from `at` on, also past the end of
 * the message. NULL: it is longer, or this processor stores the high byte first. No branch depends
 * on the length, which nobody can predict.
 */
SIMD_INLINE const char *wire_short(const char *at, uint64_t *value)
{
	const uint64_t high = 0x8080808080808080u;
	uint64_t word = str_word(at);
	uint64_t stop = ~word & high;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !stop)
		return NULL;
	*value = wire_joined(word & (stop ^ (stop - 1)) & ~high);
	return at + __builtin_ctzll(stop) / 8 + 1;
}

/* Bits above the 64th are dropped, as protobuf does. Inline, as most of the time goes here. */
SIMD_INLINE const char *wire_varint(const char *at, const char *end, uint64_t *value)
{
	if (at < end && !(*at & 0x80)) {
		*value = (unsigned char)*at;
		return at + 1;
	}
	if (end - at > 1 && !(at[1] & 0x80)) {
		*value = (unsigned char)(*at & 0x7f) | (uint64_t)(unsigned char)at[1] << 7;
		return at + 2;
	}
	if (end - at >= (long)sizeof *value) {
		const char *next = wire_short(at, value);

		if (next)
			return next;
	}
	return wire_slow_varint(at, end, value);
}

/* As wire_short, but quickest for a number of one byte, such as a length. */
SIMD_INLINE const char *wire_tiny(const char *at, uint64_t *value)
{
	*value = (unsigned char)*at;
	return *value < 0x80 ? at + 1 : wire_short(at, value);
}

const char *wire_fixed(const char *at, const char *end, enum wire_type type, uint64_t *value);

/*
 * What stands before the bytes of a field: its number, type and value. The value of WIRE_BYTES is
 * the length, which may lead past the end.
 */
SIMD_INLINE const char *wire_head(const char *at, const char *end, struct wire_field *field)
{
	uint64_t key;

	at = wire_varint(at, end, &key);
	if (!at || key >> 3 == 0 || key >> 3 > WIRE_NUMBER_MAX)
		return NULL;
	field->number = (uint32_t)(key >> 3);
	field->type = (enum wire_type)(key & 7);
	field->value_at = at;
	if (field->type == WIRE_VARINT || field->type == WIRE_BYTES)
		return wire_varint(at, end, &field->value);
	return wire_fixed(at, end, field->type, &field->value);
}

/* A whole field. at is below end. */
SIMD_INLINE const char *wire_step(const char *at, const char *end, struct wire_field *field)
{
	at = wire_head(at, end, field);
	if (!at || field->type != WIRE_BYTES)
		return at;
	field->bytes = (struct str){at, (size_t)field->value};
	return field->value > (uint64_t)(end - at) ? NULL : at + field->value;
}

/* --- a message ------------------------------------------------------------------- */

/* Sets the error of a field that cannot be read, and moves to its place. */
void wire_explain(struct wire *wire);

/* > 0: a field; 0: the end; < 0: damage, see error and at. */
static inline int wire_next(struct wire *wire, struct wire_field *field)
{
	const char *next;

	if (wire->at == wire->end)
		return 0;
	next = wire_step(wire->at, wire->end, field);
	if (!next) {
		wire_explain(wire);
		return -1;
	}
	wire->at = next;
	return 1;
}

#endif
