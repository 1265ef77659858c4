/*
 * filemap - the bytes of a plain regular file, mapped: nothing is copied, and no memory is cleared.
 *
 * Another program may make the file shorter meanwhile, or its disk may fail. Looking at a byte that
 * is gone then ends this program, with a message and STATUS_ERROR. Bytes may also change between
 * two looks, so each look checks what it reads. One file is mapped at a time. Memory: pages of the
 * file, which the system may take back at any time.
 */
#ifndef FILEMAP_H
#define FILEMAP_H

#include "io/input.h"

/* Starts as {0}. */
struct filemap {
	char *data;
	size_t n;
};

/*
 * Maps the file of an open input, from its first byte. False: it cannot be mapped, such as a pipe,
 * gzip or an empty file; then input_read reads it.
 */
bool filemap_open(struct filemap *map, const struct input *in);

void filemap_close(struct filemap *map);

#endif
