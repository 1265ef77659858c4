/*
 * hostrows - whether kernels are in one table with rows of the host or annotations: then sums count
 * an operator, its launch and its kernel for one piece of work.
 *
 * Memory: three categories.
 */
#ifndef HOSTROWS_H
#define HOSTROWS_H

#include "base/buf.h"

/* Starts as {0}. */
struct hostrows {
	bool kernels;      /* a row belongs to a device */
	bool several;      /* kernels have several categories, such as the cores of Ascend */
	struct buf kernel; /* the category of a kernel, of a copy only without other kernels */
	struct buf host;   /* a category of the host */
	bool any;          /* there was a row */
	struct buf last; /* the category of the row before: most rows have it, which says nothing new */
};

/* Notes a row that has a duration, by its category. */
void hostrows_add(struct hostrows *rows, struct str cat);

/* Warns if there are both. */
void hostrows_warn(const struct hostrows *rows);

void hostrows_free(struct hostrows *rows);

#endif
