/*
 * shapes - the functions of rules over the arguments of an operator, kroof(1): dim, prod, bytes.
 *
 * They are functions of syntax/expr. The argument of expr_extra begins with a struct shapes. A
 * function that misses an argument, a dimension or a value sets missing.
 */
#ifndef SHAPES_H
#define SHAPES_H

#include "base/words.h"
#include "syntax/expr.h"

#include "args.h"
#include "costs.h"

/* Sizes of types. */
struct shapes_type {
	struct dec size; /* bytes */
	struct str short_name;
	size_t owner; /* as in costs */
};

struct shapes {
	const struct args *args;
	struct strmap types;      /* their names */
	struct shapes_type *type; /* by number in types */
	size_t types_cap;
	struct costs costs;
	struct words columns;     /* columns of the stream that column() gives */
	const struct str *column; /* their texts in the call, by number in columns; empty: missing */
	bool missing;             /* set by a function; cleared by the caller */
	bool too_large;           /* so is this: a product does not fit */
};

extern const struct expr_function shapes_functions[];
extern const size_t shapes_functions_count;

/* Whether a function is column(), whose argument is the name of a column. */
bool shapes_is_column(const struct expr_function *function);

/* The number of a column in columns; SIZE_MAX if it is not there. */
size_t shapes_column(const struct shapes *shapes, struct str name);

/* NULL if the type has no size. */
const struct shapes_type *shapes_type(const struct shapes *shapes, struct str name);

#endif
