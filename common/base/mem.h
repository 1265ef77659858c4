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

void *mem_double(void *old, size_t *cap, size_t need, size_t size); /* for mem_grow */

/*
 * Makes room for at least need elements of size bytes in the array old, which
 * has room for *cap: grows by doubling, sets *cap, gives the array's new place.
 */
static inline void *mem_grow(void *old, size_t *cap, size_t need, size_t size)
{
	return need <= *cap ? old : mem_double(old, cap, need, size);
}

/* Like mem_double, but it begins with room for four elements and sets new elements to zero. */
void *mem_double_zero(void *old, size_t *cap, size_t need, size_t size); /* for mem_grow_zero */

static inline void *mem_grow_zero(void *old, size_t *cap, size_t need, size_t size)
{
	return need <= *cap ? old : mem_double_zero(old, cap, need, size);
}

char *mem_string(const char *text, size_t n); /* a copy that ends with a NUL */

#endif
