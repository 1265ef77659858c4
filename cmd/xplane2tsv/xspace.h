/*
 * xspace - an XSpace of a file or pipe, plain or gzip: one plane at a time.
 *
 * A plain file is mapped (filemap.h), and that it changed meanwhile is an error at its end. Memory
 * for others: the largest plane, as far as it could be read: a length that they name allocates
 * nothing.
 */
#ifndef XSPACE_H
#define XSPACE_H

#include "filemap.h"

enum xspace_item {
	XSPACE_FAILED = -1, /* see error */
	XSPACE_END,
	XSPACE_PLANE,
	XSPACE_ERROR,   /* an error that the profiler reports */
	XSPACE_WARNING, /* a warning that the profiler reports */
};

struct xspace {
	struct input in;
	struct filemap map;
	struct buf window; /* bytes read, if the file is not mapped */
	struct str bytes;  /* what was read: the map or the window */
	size_t at;         /* in bytes: the next one */
	uint64_t base;     /* in the input: the first of bytes */
	size_t item;       /* bytes of the last item, which end at `at` */
	uint64_t replaced; /* in the input: EF BF BD in the head of a field; UINT64_MAX: none */
	bool ended;        /* the input has no more bytes */
	bool cut;          /* it broke off; in.error says why */
	struct buf head;   /* the first bytes of the input, for magic.h */
	char error[320];
};

/* False, with the reason in error, if path ("-": standard input) cannot be opened. */
bool xspace_open(struct xspace *space, const char *path);

/*
 * The next item. *bytes is the plane or the text, good until the next call. Other fields are
 * skipped. XSPACE_FAILED comes at damage of the top level, after all whole items.
 */
enum xspace_item xspace_next(struct xspace *space, struct str *bytes);

/* Sets error to damage at a place in the bytes of the last item. */
void xspace_damage(struct xspace *space, const char *place, const char *what);

void xspace_close(struct xspace *space);

#endif
