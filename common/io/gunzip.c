#include "io/gunzip.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ISAL

#include <isa-l/igzip_lib.h>
#include <zlib.h>

/* The parts of a member's head, RFC 1952; which there are is in the flags. */
enum part { FIXED, EXTRA_LENGTH, EXTRA, NAME, COMMENT, HEAD_SUM, BODY };

enum {
	FIXED_LENGTH = 10,
	HAS_SUM = 2,
	HAS_EXTRA = 4,
	HAS_NAME = 8,
	HAS_COMMENT = 16,
	RESERVED = 0xe0
};

struct gunzip {
	struct inflate_state state;
	/* The head is read here: ISA-L wants it whole in one call. */
	enum part part;
	unsigned at; /* in the part */
	unsigned flags;
	unsigned length; /* bytes of the extra field */
	unsigned sum;    /* that the head says it has */
	uLong head_sum;
	bool damaged;
	bool wrong_sum;
};

struct gunzip *gunzip_new(void)
{
	struct gunzip *gunzip = mem_zero(1, sizeof *gunzip);

	isal_inflate_init(&gunzip->state);
	gunzip_reset(gunzip);
	return gunzip;
}

void gunzip_reset(struct gunzip *gunzip)
{
	isal_inflate_reset(&gunzip->state);
	gunzip->state.crc_flag = ISAL_GZIP_NO_HDR_VER; /* the trailer is checked */
	gunzip->part = FIXED;
	gunzip->at = gunzip->length = gunzip->sum = 0;
	gunzip->head_sum = crc32(0, NULL, 0);
	gunzip->damaged = gunzip->wrong_sum = false;
}

/* The next part that the head has. */
static void next_part(struct gunzip *gunzip)
{
	static const unsigned char flag_of[] = {[EXTRA_LENGTH] = HAS_EXTRA,
	                                        [EXTRA] = HAS_EXTRA,
	                                        [NAME] = HAS_NAME,
	                                        [COMMENT] = HAS_COMMENT,
	                                        [HEAD_SUM] = HAS_SUM};

	gunzip->at = 0;
	do
		gunzip->part++;
	while (gunzip->part < BODY && (!(gunzip->flags & flag_of[gunzip->part]) ||
	                               (gunzip->part == EXTRA && gunzip->length == 0)));
}

/* A byte of the head. False if it is not valid there. */
static bool head_byte(struct gunzip *gunzip, unsigned char byte)
{
	static const unsigned char start[] = {0x1f, 0x8b, Z_DEFLATED};
	const unsigned at = gunzip->at++;

	if (gunzip->part != HEAD_SUM)
		gunzip->head_sum = crc32(gunzip->head_sum, &byte, 1);
	switch (gunzip->part) {
	case FIXED:
		if (at < sizeof start && byte != start[at])
			return false;
		if (at == sizeof start)
			gunzip->flags = byte;
		if (at + 1 == FIXED_LENGTH)
			next_part(gunzip);
		return at != sizeof start || !(byte & RESERVED);
	case EXTRA_LENGTH:
		gunzip->length |= (unsigned)byte << (8 * at);
		if (at == 1)
			next_part(gunzip);
		return true;
	case EXTRA:
		if (at + 1 == gunzip->length)
			next_part(gunzip);
		return true;
	case NAME:
	case COMMENT:
		if (byte == 0)
			next_part(gunzip);
		return true;
	case HEAD_SUM:
		gunzip->sum |= (unsigned)byte << (8 * at);
		if (at == 1)
			next_part(gunzip);
		return at == 0 || gunzip->sum == (gunzip->head_sum & 0xffff);
	case BODY:
		break;
	}
	return true;
}

/* What was decoded before the damage and had no room yet: ISA-L keeps it to itself. */
static enum gunzip_result give_rest(struct gunzip *gunzip, char **out, size_t *out_left)
{
	struct inflate_state *state = &gunzip->state;
	size_t rest = (size_t)(state->tmp_out_valid - state->tmp_out_processed);
	size_t n = rest < *out_left ? rest : *out_left;

	memcpy(*out, state->tmp_out_buffer + state->tmp_out_processed, n);
	state->tmp_out_processed += (int)n;
	*out += n;
	*out_left -= n;
	return n < rest ? GUNZIP_MORE : GUNZIP_DAMAGED;
}

enum gunzip_result gunzip_run(struct gunzip *gunzip, const unsigned char **in, size_t *in_left,
                              char **out, size_t *out_left)
{
	struct inflate_state *state = &gunzip->state;
	int result;

	while (*in_left && gunzip->part != BODY && !gunzip->damaged) {
		gunzip->damaged = !head_byte(gunzip, **in);
		++*in;
		--*in_left;
	}
	if (gunzip->damaged)
		return give_rest(gunzip, out, out_left);
	if (gunzip->part != BODY)
		return GUNZIP_MORE;
	state->next_in = (uint8_t *)*in;
	state->avail_in = *in_left < UINT32_MAX ? (uint32_t)*in_left : UINT32_MAX;
	state->next_out = (uint8_t *)*out;
	state->avail_out = *out_left < UINT32_MAX ? (uint32_t)*out_left : UINT32_MAX;
	result = isal_inflate(state);
	*in_left -= (size_t)(state->next_in - *in);
	*in = state->next_in;
	*out_left -= (size_t)((char *)state->next_out - *out);
	*out = (char *)state->next_out;
	if (result < 0) {
		gunzip->damaged = true;
		gunzip->wrong_sum = result == ISAL_INCORRECT_CHECKSUM;
		return give_rest(gunzip, out, out_left);
	}
	return state->block_state == ISAL_BLOCK_FINISH ? GUNZIP_END : GUNZIP_MORE;
}

void gunzip_free(struct gunzip *gunzip)
{
	free(gunzip);
}

#else

#include <zlib.h>

struct gunzip {
	z_stream z;
	bool wrong_sum;
};

struct gunzip *gunzip_new(void)
{
	struct gunzip *gunzip = mem_zero(1, sizeof *gunzip);

	if (inflateInit2(&gunzip->z, 15 + 16) != Z_OK)
		die("zlib cannot be started");
	return gunzip;
}

void gunzip_reset(struct gunzip *gunzip)
{
	inflateReset(&gunzip->z);
}

enum gunzip_result gunzip_run(struct gunzip *gunzip, const unsigned char **in, size_t *in_left,
                              char **out, size_t *out_left)
{
	z_stream *z = &gunzip->z;
	int result;

	z->next_in = (unsigned char *)*in;
	z->avail_in = *in_left < UINT32_MAX ? (uInt)*in_left : UINT32_MAX;
	z->next_out = (unsigned char *)*out;
	z->avail_out = *out_left < UINT32_MAX ? (uInt)*out_left : UINT32_MAX;
	result = inflate(z, Z_NO_FLUSH);
	*in_left -= (size_t)(z->next_in - *in);
	*in = z->next_in;
	*out_left -= (size_t)((char *)z->next_out - *out);
	*out = (char *)z->next_out;
	if (result == Z_STREAM_END)
		return GUNZIP_END;
	if (result == Z_OK || result == Z_BUF_ERROR)
		return GUNZIP_MORE;
	gunzip->wrong_sum = z->msg && (strcmp(z->msg, "incorrect data check") == 0 ||
	                               strcmp(z->msg, "incorrect length check") == 0);
	return GUNZIP_DAMAGED;
}

void gunzip_free(struct gunzip *gunzip)
{
	if (gunzip)
		inflateEnd(&gunzip->z);
	free(gunzip);
}

#endif

const char *gunzip_reason(const struct gunzip *gunzip)
{
	return gunzip->wrong_sum ? "wrong checksum" : "invalid data";
}
