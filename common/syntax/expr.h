/*
 * expr - an expression over the columns of a row, kselect(1): compiled once, bound to each layout,
 * evaluated for each row.
 *
 *	struct expr expr = {0};
 *
 *	if (!expr_compile(&expr, STR("ts + dur")))
 *		... expr.error
 *	for (size_t i = 0; i < expr.columns_count; i++)
 *		expr.column[i].index = ... the place of expr.column[i].name in the layout
 *	value = expr_value(&expr, fields);
 *
 * It becomes instructions for a stack of values. What a column is (a text, a number) is decided by
 * the operation that uses it. Numbers are exact, see base/number.h. Memory: constant, but for the
 * largest texts of a row.
 *
 * A caller may add functions and give its names other values than columns, with expr_compile_with.
 * Only those functions make vectors. Arithmetic works on them element by element, and a number
 * goes with each element; vectors of different lengths give EXPR_NOTHING.
 */
#ifndef EXPR_H
#define EXPR_H

#include "base/number.h"

#include <stdint.h>

enum expr_kind {
	EXPR_NOTHING, /* a number that does not exist: of a text, or a quotient by 0 */
	EXPR_NUMBER,
	EXPR_TEXT,      /* computed */
	EXPR_LITERAL,   /* a text that stands in the expression */
	EXPR_FIELD,     /* a column as it stands: text is escaped, index its place */
	EXPR_CONDITION, /* holds */
	EXPR_VECTOR,    /* vector */
};

enum { EXPR_VECTOR_MAX = 64 }; /* elements */

struct expr_vector {
	size_t count;
	struct number item[EXPR_VECTOR_MAX];
};

struct expr_value {
	enum expr_kind kind;
	bool holds;
	struct number number;
	struct str text;            /* valid until the next row */
	size_t column;              /* column of EXPR_FIELD, an index of expr.column */
	struct expr_vector *vector; /* values of EXPR_VECTOR */
};

/* A function of the caller. */
struct expr_function {
	const char *name;
	size_t least; /* arguments */
	size_t most;
	bool is_condition; /* the result is a condition */
	/*
	 * Sets *out, which is EXPR_NOTHING before, from count arguments. A text must be valid until the
	 * next row, a vector comes from expr_make_vector. which is that of the function.
	 */
	void (*call)(void *arg, int which, const struct expr_value *const *args, size_t count,
	             struct expr_value *out);
	int which;
};

/* What the caller adds. */
struct expr_extra {
	const struct expr_function *functions;
	size_t count;
	const char *page; /* that describes the functions: "kroof(1)" */
	/*
	 * The place of the value of a name, which the caller sets before it evaluates the expression;
	 * NULL if there is no such name. All names are asked for, so there are no columns.
	 */
	const struct expr_value *(*value)(void *arg, struct str name, bool *is_condition);
	void *arg;
};

/* A column that the expression uses, and what is known of its field in this row. */
struct expr_column {
	struct str name;
	int index;          /* set by the caller for each layout */
	bool compared;      /* it stands alone after == or !=, as a text without quotes */
	uint64_t parsed_in; /* the row that number belongs to */
	uint64_t decoded_in;
	enum dec_result parsed;
	struct dec number;
	struct str text;
	struct buf scratch;
};

struct expr_code;

/* Starts as {0}. */
struct expr {
	struct expr_column *column;
	size_t columns_count;
	size_t columns_cap;
	const struct expr_extra *extra;
	bool has_unit;     /* a number has a unit, so the stream must be in us */
	bool is_condition; /* the result is a condition */
	/* For evaluation. */
	struct expr_code *code;
	size_t count;
	size_t cap;
	const struct expr_value **stack;
	size_t stack_size;
	uint64_t row;
	bool rounded; /* a field had more than nine decimals; set for the caller, who may clear it */
	size_t rounded_column;
	char error[320]; /* why compiling failed, or why a row has no result: it is too large */
};

/* False, with the reason in error, if text is not an expression. It is not needed afterwards. */
bool expr_compile(struct expr *expr, struct str text);

/*
 * Compiles text with names of the caller's, which must outlive the expression. fields may be NULL
 * then.
 */
bool expr_compile_with(struct expr *expr, struct str text, const struct expr_extra *extra);

/*
 * The value for a row with these fields, valid until the next row. If error is set, it means
 * nothing.
 */
const struct expr_value *expr_value(struct expr *expr, const struct str *fields);

/* Whether the condition holds for a row. */
bool expr_holds(struct expr *expr, const struct str *fields);

/* Makes a value a vector of so many elements, at most EXPR_VECTOR_MAX; the caller sets them. */
struct expr_vector *expr_make_vector(struct expr_value *value, size_t count);

void expr_free(struct expr *expr);

#endif
