/*
 * difftables - the tables of two traces: operations, layers, operators, kernels, and the sections
 * of a report. kdiff(1) has their columns.
 */
#ifndef DIFFTABLES_H
#define DIFFTABLES_H

#include "compare/pair.h"

#include "operations.h"

struct difftables {
	struct pair *pair;
	struct operations *operations; /* after operations_compare */
	const struct limit *similar;   /* for the status of an operation */
	const struct limit *layer;     /* for the status of a layer */
	/* Which tables are wanted beside or, in a stream, instead of operations: at most one there. */
	bool by_layer;
	bool by_operator;
	bool by_kernel;
};

/* Writes them between pair_begin and pair_end. A sum that is too large ends the program. */
void difftables_write(const struct difftables *tables);

#endif
