#include "base/mem.h"

#include "base/die.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void no_memory(size_t count, size_t size)
{
	die("no memory for %zu times %zu bytes", count, size);
}

void *mem_alloc(size_t count, size_t size)
{
	return mem_resize(NULL, count, size);
}

void *mem_zero(size_t count, size_t size)
{
	void *new = calloc(count ? count : 1, size ? size : 1);

	if (!new)
		no_memory(count, size);
	return new;
}

void *mem_resize(void *old, size_t count, size_t size)
{
	void *new;

	if (size && count > SIZE_MAX / size)
		no_memory(count, size);
	new = realloc(old, count && size ? count * size : 1);
	if (!new)
		no_memory(count, size);
	return new;
}

void *mem_double(void *old, size_t *cap, size_t need, size_t size)
{
	size_t new = *cap ? *cap : 16;

	while (new < need)
		new = new > SIZE_MAX / 2 ? need : new * 2;
	*cap = new;
	return mem_resize(old, new, size);
}

void *mem_double_zero(void *old, size_t *cap, size_t need, size_t size)
{
	size_t before = *cap;
	char *grown;

	if (need <= 4) {
		*cap = 4;
		return mem_zero(4, size);
	}
	grown = mem_double(old, cap, need, size);
	memset(grown + before * size, 0, (*cap - before) * size);
	return grown;
}

char *mem_string(const char *text, size_t n)
{
	char *copy = mem_alloc(n + 1, 1);

	if (n)
		memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}
