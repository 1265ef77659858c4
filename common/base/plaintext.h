/*
 * plaintext - text of the input that a person will read: in a message, a report, a title.
 *
 * Made plain, text is valid UTF-8 without control characters (C0, DEL, C1, line separators) and
 * without characters that change the direction of writing or that XML forbids: each byte of such a
 * character, and each byte that is not UTF-8, is written as \xHH. Plain text stays as it is.
 * Memory: the caller's.
 */
#ifndef PLAINTEXT_H
#define PLAINTEXT_H

#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>

/* Appends text. */
void plaintext_put(struct buf *out, struct str text);

/*
 * Writes text and a NUL into size bytes at out, at least 4: if it does not fit, it is cut between
 * two characters and ends in "...". Returns the length.
 */
size_t plaintext_fit(char *out, size_t size, struct str text);

/* Formats a message like vsnprintf(3) and makes its text safe. */
size_t plaintext_format(char *out, size_t size, const char *format, va_list args);

/* Bytes of the character that text, not empty, begins with, and its code; 0 if it is not UTF-8. */
size_t plaintext_character(struct str text, uint32_t *code);

/*
 * C0, DEL and C1; the two separators of lines; the marks and overrides of bidirectional text;
 * U+FFFE and U+FFFF, which XML, and so SVG, must not contain. All are below 0x10000.
 */
bool plaintext_is_unsafe(uint32_t code);

#endif
