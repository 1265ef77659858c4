/*
 * names - the few names that are wanted of many, found by length and first bytes.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { NAMES_MAX_BYTES = 63 }; /* of a name */

enum {
	NAMES_NONE = -1,   /* not wanted */
	NAMES_OBJECT = -2, /* the one whose members are wanted */
};

/* Those of one length stand one behind the other. */
struct names {
	unsigned char start[NAMES_MAX_BYTES + 2]; /* by length: the first in name */
	struct names_name {
		uint64_t head; /* its first eight bytes, zeros where it is shorter */
		const char *text;
		int index;
	} name[];
};

/*
 * The names with the numbers first, first + 1 and so on, and object (or NULL) with
 * NAMES_OBJECT. The texts must outlive it; the caller frees it. Ends the program where
 * there are over 254, or one is too long.
 */
struct names *names_make(const char *const *names, size_t count, size_t first, const char *object);

/* The first eight bytes of a name, zeros where it is shorter; eight can be read. */
static inline uint64_t names_head(const char *name, size_t n)
{
	static const unsigned char mask[16] = {255, 255, 255, 255, 255, 255, 255, 255};
	uint64_t head;
	uint64_t keep;

	memcpy(&head, name, sizeof head);
	memcpy(&keep, mask + (n < 8 ? 8 - n : 0), sizeof keep);
	return head & keep;
}

/* The number of that name; eight bytes can be read at key, however short it is. */
static inline int names_find(const struct names *names, const char *key, size_t n)
{
	uint64_t head;

	if (n > NAMES_MAX_BYTES || names->start[n] == names->start[n + 1])
		return NAMES_NONE;
	head = names_head(key, n);
	for (int i = names->start[n]; i < names->start[n + 1]; i++)
		if (names->name[i].head == head &&
		    (n <= 8 || memcmp(names->name[i].text + 8, key + 8, n - 8) == 0))
			return names->name[i].index;
	return NAMES_NONE;
}

#endif
