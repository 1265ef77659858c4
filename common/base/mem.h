/*
 * mem - allocation that ends the program if there is no memory.
 */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>

/* count * size bytes, overflow checked. The caller frees them. */
void *mem_alloc(size_t count, size_t size);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *old, size_t count, size_t size);

/*
 * Makes room for at least need elements of size bytes in the array old, which
 * has room for *cap: grows by doubling, sets *cap, gives the array's new place.
 */
void *mem_grow(void *old, size_t *cap, size_t need, size_t size);

char *mem_string(const char *text, size_t n); /* a copy that ends with a NUL */

#endif
