#include "wire.h"

enum { VARINT_MAX = 10 }; /* bytes of 64 bits, seven in a byte */

bool wire_long_varint(struct wire *wire, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < (size_t)(wire->end - wire->at); i++) {
		unsigned char byte = (unsigned char)wire->at[i];

		if (i == VARINT_MAX) {
			wire->error = "a number has more than 10 bytes";
			return false;
		}
		sum |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			wire->at += i + 1;
			*value = sum;
			return true;
		}
	}
	wire->error = "a number is cut off";
	return false;
}

/* n bytes, the first the lowest. */
static bool read_fixed(struct wire *wire, size_t n, uint64_t *value)
{
	if ((size_t)(wire->end - wire->at) < n) {
		wire->error = "a number is cut off";
		return false;
	}
	*value = 0;
	for (size_t i = 0; i < n; i++)
		*value |= (uint64_t)(unsigned char)wire->at[i] << (8 * i);
	wire->at += n;
	return true;
}

bool wire_fixed(struct wire *wire, const char *begin, unsigned type, uint64_t *value)
{
	static const char *const errors[] = {
		[3] = "a field has wire type 3, a group",
		[4] = "a field has wire type 4, the end of a group",
		[6] = "a field has wire type 6, which does not exist",
		[7] = "a field has wire type 7, which does not exist",
	};

	if (type == WIRE_EIGHT || type == WIRE_FOUR)
		return read_fixed(wire, type == WIRE_EIGHT ? 8 : 4, value);
	wire->at = begin;
	wire->error = errors[type & 7];
	return false;
}
