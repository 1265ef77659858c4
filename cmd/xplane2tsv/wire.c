#include "wire.h"

enum { VARINT_MAX = 10 }; /* bytes of 64 bits, seven in a byte */

const char *wire_slow_varint(const char *at, const char *end, uint64_t *value)
{
	uint64_t sum = 0;

	for (int i = 0; i < VARINT_MAX && at < end; i++) {
		unsigned char byte = (unsigned char)*at++;

		sum |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*value = sum;
			return at;
		}
	}
	return NULL;
}

const char *wire_fixed(const char *at, const char *end, enum wire_type type, uint64_t *value)
{
	size_t n = type == WIRE_EIGHT ? 8 : 4;

	if ((type != WIRE_EIGHT && type != WIRE_FOUR) || (size_t)(end - at) < n)
		return NULL;
	*value = 0;
	for (size_t i = 0; i < n; i++)
		*value |= (uint64_t)(unsigned char)at[i] << (8 * i);
	return at + n;
}

static void fail(struct wire *wire, const char *at, const char *error)
{
	wire->at = at;
	wire->error = error;
}

static void fail_varint(struct wire *wire, const char *at)
{
	fail(wire, at,
	     wire->end - at > VARINT_MAX ? "a number has more than 10 bytes" : "a number is cut off");
}

void wire_explain(struct wire *wire)
{
	static const char *const errors[] = {
		[3] = "a field has wire type 3, a group",
		[4] = "a field has wire type 4, the end of a group",
		[6] = "a field has wire type 6, which does not exist",
		[7] = "a field has wire type 7, which does not exist",
	};
	uint64_t key = 0;
	uint64_t length;
	const char *at = wire_varint(wire->at, wire->end, &key);
	unsigned type = key & 7;

	if (!at)
		fail_varint(wire, wire->at);
	else if (key >> 3 == 0)
		fail(wire, wire->at, "a field has number 0");
	else if (key >> 3 > WIRE_NUMBER_MAX)
		fail(wire, wire->at, "a field has a number above 536870911");
	else if (type == WIRE_EIGHT || type == WIRE_FOUR)
		fail(wire, at, "a number is cut off");
	else if (type != WIRE_VARINT && type != WIRE_BYTES)
		fail(wire, wire->at, errors[type]);
	else if (!wire_varint(at, wire->end, &length))
		fail_varint(wire, at);
	else
		fail(wire, at, "a length leads past the end");
}
