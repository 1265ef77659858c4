/*
 * shapes - the functions of rules over the arguments of an operator, kroof(1): dim, prod, bytes.
 *
 * They are functions of syntax/expr. The argument of expr_extra begins with a struct shapes. A
 * function that misses an argument, a dimension or a value sets missing.
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "base/strmap.h"
#include "syntax/expr.h"

#include "args.h"

/* Sizes of types. */
struct shapes_type {
	struct dec size; /* bytes */
	struct str short_name;
};

struct shapes {
	const struct args *args;
	struct strmap types;      /* their names */
	struct shapes_type *type; /* by number in types */
	size_t types_cap;
	bool missing;   /* set by a function; cleared by the caller */
	bool too_large; /* so is this: a product does not fit */
};

extern const struct expr_function shapes_functions[];
extern const size_t shapes_functions_count;

/* NULL if the type has no size. */
const struct shapes_type *shapes_type(const struct shapes *shapes, struct str name);

#endif
