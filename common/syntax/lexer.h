/*
 * lexer - the tokens of an expression, kselect(1).
 *
 *	dur {External id} "text" 'text' 12.5 10ms ( ) , == != < <= > >= ~ !~ && || ! + - * / %
 */
#ifndef LEXER_H
#define LEXER_H

#include "base/dec.h"

enum token {
	TOKEN_END,
	TOKEN_NAME,     /* text; braced if it stood in braces */
	TOKEN_TEXT,     /* text */
	TOKEN_NUMBER,   /* number; has_unit: its unit was converted to us */
	TOKEN_OPERATOR, /* spelling */
	TOKEN_ERROR,    /* error */
};

/* Starts as {.text = ...}. */
struct lexer {
	struct str text;
	size_t next; /* after the token */
	/* The token. */
	enum token token;
	size_t at;
	struct str spelling; /* as it stands in text */
	struct buf decoded;  /* bytes of a name or a text without escapes */
	bool braced;
	struct dec number;
	bool has_unit;
	const char *error;
};

/* Reads the next token. */
void lexer_next(struct lexer *lexer);

/* True if the token is this operator. */
bool lexer_is(const struct lexer *lexer, const char *op);

/* True if the token is a name in front of a parenthesis. */
bool lexer_is_function(const struct lexer *lexer);

/*
 * Takes the next item off a list, up to a comma that is not in (), {} or quotes, nor after a
 * backslash. False at the end of the list.
 */
bool lexer_item(struct str *list, struct str *item);

/*
 * Splits an item NAME=EXPR or NAME; expr.s is NULL if there is no =. A name in braces is decoded,
 * as in an expression; in a name without braces, \, is a comma and \\ a backslash, and the spaces
 * around it are left out. False if braces are not closed or more follows them.
 */
bool lexer_assignment(struct str item, struct buf *name, struct str *expr);

void lexer_free(struct lexer *lexer);

#endif
