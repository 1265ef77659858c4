/*
 * input - a named file or standard input, plain or gzip, as a run of bytes.
 *
 * gzip is known by its first two bytes; members that follow each other are one
 * text; zero bytes behind the last are padding. Memory is constant.
 */
#ifndef INPUT_H
#define INPUT_H

#include "base/buf.h"

#include <stdint.h>
#include <sys/types.h>

struct input {
	const char *name; /* for messages; "-" is standard input */
	int fd;
	off_t start;               /* where in a regular file reading began; < 0: it is none */
	bool plain;                /* not gzip */
	struct inflater *inflater; /* of gzip; of a plain input while its first bytes wait there */
	uint64_t offset;           /* of the decompressed bytes given so far */
	char error[256];           /* what input_open or input_read could not do */
};

/*
 * Opens path; "-" is standard input. Gives false, with the reason in error,
 * where it cannot be opened or is a directory. name must outlive *in.
 */
bool input_open(struct input *in, const char *path);

/* The same of a file that is open; input_close closes it. */
bool input_open_fd(struct input *in, int fd, const char *name);

/*
 * Up to n bytes: > 0 how many, 0 the end, < 0 where the input breaks off
 * (truncated or damaged gzip, a read error), with the reason in error. All
 * that could be read has been given before; asked again, it says the same.
 */
ssize_t input_read(struct input *in, char *out, size_t n);

void input_close(struct input *in);

/*
 * Makes ready to open a closed input once more and read the same again. False, with
 * the reason in error, where it was no regular file.
 */
bool input_rewind(struct input *in);

/* Whether a file that begins so is what Git LFS leaves in place of the real one. */
bool input_lfs_pointer(struct str head);

#endif
