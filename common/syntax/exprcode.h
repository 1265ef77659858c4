/*
 * exprcode - the instructions of an expression: expr.c writes them, exprcode.c runs them.
 */
#ifndef EXPRCODE_H
#define EXPRCODE_H

#include "base/strmap.h"
#include "syntax/expr.h"
#include "syntax/match.h"

enum expr_op {
	/* They push a value. */
	EXPR_CONSTANT, /* value */
	EXPR_COLUMN,   /* at: in expr.column */
	EXPR_NAMED,    /* named */
	/* They replace one. */
	EXPR_NEGATE,
	EXPR_FLOOR,
	EXPR_ABS,
	EXPR_LEN,
	EXPR_LOWER,
	EXPR_EMPTY,
	EXPR_ISNUM,
	EXPR_NOT,
	EXPR_MATCHES, /* pattern */
	EXPR_IN,      /* list */
	/* They replace two by one. */
	EXPR_ADD,
	EXPR_SUBTRACT,
	EXPR_MULTIPLY,
	EXPR_DIVIDE,
	EXPR_REMAINDER,
	EXPR_MIN,
	EXPR_MAX,
	EXPR_HAS,
	EXPR_SUB, /* pattern */
	EXPR_EQUAL,
	EXPR_DIFFERENT,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_GREATER,
	EXPR_GREATER_EQUAL,
	/* They go on `at`. */
	EXPR_AND, /* if the condition does not hold; else they remove it */
	EXPR_OR,  /* if it holds; else they remove it */
	EXPR_IF,  /* if it does not hold; they remove it */
	EXPR_JUMP,
	EXPR_CALL /* function; it replaces `at` values by one */
};

struct expr_pattern {
	struct pattern pattern;
	struct match match;
};

/* The members of a list. */
struct expr_list {
	struct strmap texts;
	struct strmap numbers; /* as they are printed */
};

struct expr_code {
	enum expr_op op;
	size_t at;
	struct expr_value value;
	struct buf text; /* bytes of value */
	struct expr_pattern *pattern;
	struct expr_list *list;
	const struct expr_value *named;
	const struct expr_function *function;
	struct buf scratch[2]; /* for the texts of this instruction */
};

#endif
