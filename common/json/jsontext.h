/*
 * jsontext - the text of a JSON file: a window on it with a cursor, and messages that say where it
 * is malformed, what was expected there, and what was found.
 *
 * Memory: the window, which has room for two reads and for what the reader keeps of it.
 */
#ifndef JSONTEXT_H
#define JSONTEXT_H

#include "io/input.h"

enum {
	JSONTEXT_ERROR = 384,
	JSONTEXT_READ = 256 << 10, /* bytes that are read at a time */
};

struct jsontext {
	struct input in;
	char *window; /* with SCAN_BLOCK bytes `pad` after its end */
	size_t at;    /* the cursor */
	size_t end;
	size_t cap;
	uint64_t base; /* offset of the window's first byte */
	char pad;
	bool exhausted; /* the input ended or broke off */
	bool fenced;    /* do not read beyond the window; the reader's */
	bool cut;       /* jsontext_cut was called */
	/* For messages, the reader's: "event", and its number, from 1, or 0 outside of all. */
	const char *item;
	uint64_t number;
	char error[JSONTEXT_ERROR]; /* "byte N (event M): what" */
	/* What gives the text in the place of `in`, if threads read it; as input_read. NULL: none. */
	ssize_t (*read)(void *from, char *out, size_t n);
	void *from;
};

/*
 * Opens the input, or a closed one again (see input_again). False, with the reason in error, if it
 * cannot be opened.
 */
bool jsontext_open(struct jsontext *text, const char *path);
bool jsontext_again(struct jsontext *text);

/* From the beginning of the input, of which `head` has been read already. */
void jsontext_begin(struct jsontext *text, struct str head, const char *item, char pad);

/* Closes the input and frees the window. */
void jsontext_close(struct jsontext *text);

/* Reads more. May drop the bytes before `keep`, which moves the others; false at the end. */
bool jsontext_refill(struct jsontext *text, size_t keep);

/* The offset of the cursor. */
static inline uint64_t jsontext_offset(const struct jsontext *text)
{
	return text->base + text->at;
}

/* The window from the cursor on. */
static inline struct str jsontext_rest(const struct jsontext *text)
{
	return (struct str){text->window + text->at, text->end - text->at};
}

/* The byte at the cursor, -1 at the end of the input. */
static inline int jsontext_peek(struct jsontext *text)
{
	if (text->at == text->end && !jsontext_refill(text, text->at))
		return -1;
	return (unsigned char)text->window[text->at];
}

static inline bool jsontext_is_space(int c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The byte after white space, which it skips; -1 at the end of the input. */
static inline int jsontext_peek_after_space(struct jsontext *text)
{
	int c;

	while (jsontext_is_space(c = jsontext_peek(text)))
		text->at++;
	return c;
}

/* Whether a byte, or -1 at the end of the input, ends a number or a literal. */
static inline bool jsontext_ends_primitive(int c)
{
	return c <= ' ' || c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']' ||
	       c == '"' || c == '\\';
}

/* Skips a byte order mark at the beginning of the text. */
void jsontext_skip_mark(struct jsontext *text);

/* These set error. They return false, so that a caller can return it. */

bool jsontext_fail(struct jsontext *text, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The input ends within `what`, which begins at offset. */
bool jsontext_cut(struct jsontext *text, uint64_t offset, const char *what);

/* At the cursor is another character than `expected`, or the end of the input. */
bool jsontext_expected(struct jsontext *text, const char *expected);

/* Adds to the error that nothing follows at which reading could go on. */
bool jsontext_lost(struct jsontext *text);

#endif
