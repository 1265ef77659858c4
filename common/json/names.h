/*
 * names - finds the few wanted names among many, by length and first bytes.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	NAMES_MAX_BYTES = 63, /* bytes of a name */
	NAMES_MAX = 254       /* in a set */
};

enum {
	NAMES_NONE = -1,   /* not wanted */
	NAMES_OBJECT = -2, /* the object whose members are wanted */
};

/* Sorted by length. */
struct names {
	unsigned char start[NAMES_MAX_BYTES + 2]; /* by length: its first index in name */
	struct names_name {
		uint64_t head; /* as of names_head */
		const char *text;
		int index;
	} name[];
};

/*
 * Numbers the names first, first + 1 and so on, and object, unless it is NULL, NAMES_OBJECT. The
 * texts must outlive the result, which the caller frees. Ends the program if there are over 254
 * names or one is too long.
 */
struct names *names_make(const char *const *names, size_t count, size_t first, const char *object);

/* The first eight bytes of a name, with zeros after a shorter one. Reads eight bytes. */
static inline uint64_t names_head(const char *name, size_t n)
{
	static const unsigned char mask[16] = {255, 255, 255, 255, 255, 255, 255, 255};
	uint64_t head;
	uint64_t keep;

	memcpy(&head, name, sizeof head);
	memcpy(&keep, mask + (n < 8 ? 8 - n : 0), sizeof keep);
	return head & keep;
}

/* The number of the name, or NAMES_NONE. Reads eight bytes of a shorter name. */
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
