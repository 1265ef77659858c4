/*
 * hostrows - whether kernels are in one table with rows of the host or annotations: their sums
 * count an operator, its launch and its kernel for the same work.
 *
 * Memory: three categories.
 */
#ifndef HOSTROWS_H
#define HOSTROWS_H

#include "base/buf.h"

/* Starts as {0}. */
struct hostrows {
	bool kernels;      /* a row is not of the host, */
	bool several;      /* kernels have other categories too, such as the cores of Ascend, */
	struct buf kernel; /* this is its category, not that of a copy if it can be, */
	struct buf host;   /* and this is one of the host */
	bool any;          /* there was a row; */
	struct buf last;   /* most have the category of the row before, which says nothing new */
};

/* Notes a row that has a duration, by its category. */
void hostrows_add(struct hostrows *rows, struct str cat);

/* Warns if there are both. */
void hostrows_warn(const struct hostrows *rows);

void hostrows_free(struct hostrows *rows);

#endif
