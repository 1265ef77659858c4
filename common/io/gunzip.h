/*
 * gunzip - inflates the members of a gzip file: by ISA-L if it is there at build time (HAVE_ISAL),
 * else by zlib, which takes twice the time.
 */
#ifndef GUNZIP_H
#define GUNZIP_H

#include <stddef.h>

enum gunzip_result {
	GUNZIP_MORE,    /* it wants more input, or room for output */
	GUNZIP_END,     /* the member has ended, its checksum is right */
	GUNZIP_DAMAGED, /* gunzip_reason says how */
};

struct gunzip;

struct gunzip *gunzip_new(void);

/* Begins a new member with the next bytes. */
void gunzip_reset(struct gunzip *gunzip);

/*
 * Inflates from *in, of *in_left bytes, to *out, with room for *out_left; all four move on. After
 * the end of a member, *in is the first byte that follows it.
 */
enum gunzip_result gunzip_run(struct gunzip *gunzip, const unsigned char **in, size_t *in_left,
                              char **out, size_t *out_left);

/* The reason of the damage, in equal words for both libraries. */
const char *gunzip_reason(const struct gunzip *gunzip);

void gunzip_free(struct gunzip *gunzip);

#endif
