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

struct wire {
	const char *at; /* the next field; with an error, the place of the damage */
	const char *end;
	const char *error; /* NULL: none */
};

enum wire_type { WIRE_VARINT = 0, WIRE_EIGHT = 1, WIRE_BYTES = 2, WIRE_FOUR = 5 };

enum { WIRE_NUMBER_MAX = (1 << 29) - 1 }; /* the largest number of a field */

struct wire_field {
	uint32_t number; /* from 1 on */
	enum wire_type type;
	uint64_t value;       /* an int64 is its two's complement; of WIRE_BYTES the length */
	const char *value_at; /* the first byte of the value or length */
	struct str bytes;     /* only for WIRE_BYTES; borrowed from the message */
};

static inline struct wire wire_of(struct str message)
{
	return (struct wire){.at = message.s, .end = message.s + message.n};
}

/* For wire_varint: any length, and the error. */
bool wire_long_varint(struct wire *wire, uint64_t *value);

/* Reads a varint; false with error set. Bits above the 64th are dropped, as protobuf does. */
static inline bool wire_varint(struct wire *wire, uint64_t *value)
{
	if (wire->at < wire->end && (unsigned char)*wire->at < 0x80) {
		*value = (unsigned char)*wire->at++;
		return true;
	}
	return wire_long_varint(wire, value);
}

/* For wire_head: eight or four bytes, or a type that is damage. */
bool wire_fixed(struct wire *wire, const char *begin, unsigned type, uint64_t *value);

/*
 * Reads what stands before the bytes of a field: its number, type and value; of WIRE_BYTES, value
 * is the length, which may lead past the end. False with error set.
 */
static inline bool wire_head(struct wire *wire, struct wire_field *field)
{
	const char *begin = wire->at;
	uint64_t key;

	if (!wire_varint(wire, &key))
		return false;
	if (key >> 3 == 0 || key >> 3 > WIRE_NUMBER_MAX) {
		wire->at = begin;
		wire->error = key >> 3 ? "a field has a number above 536870911" : "a field has number 0";
		return false;
	}
	field->number = (uint32_t)(key >> 3);
	field->type = (enum wire_type)(key & 7);
	field->value_at = wire->at;
	if (field->type == WIRE_VARINT || field->type == WIRE_BYTES)
		return wire_varint(wire, &field->value);
	return wire_fixed(wire, begin, (unsigned)field->type, &field->value);
}

/* > 0: a field; 0: the end; < 0: damage, see error and at. */
static inline int wire_next(struct wire *wire, struct wire_field *field)
{
	if (wire->at == wire->end)
		return 0;
	if (!wire_head(wire, field))
		return -1;
	if (field->type == WIRE_BYTES) {
		field->bytes = (struct str){wire->at, (size_t)field->value};
		if (field->value > (uint64_t)(wire->end - wire->at)) {
			wire->at = field->value_at;
			wire->error = "a length leads past the end";
			return -1;
		}
		wire->at += field->value;
	}
	return 1;
}

#endif
