/*
 * fault - messages on malformed JSON: where it is, what was expected, and what was found.
 */
#ifndef FAULT_H
#define FAULT_H

#include "base/buf.h"
#include "base/die.h"

#include <stdarg.h>
#include <stdint.h>

enum { FAULT_MAX = 384, FAULT_END_MAX = 256 };

/* Where a text is malformed: in the item with this number, or with number 0 in none. */
struct fault {
	const char *item; /* "event" */
	uint64_t number;
	uint64_t offset;
};

/* Sets error to "byte N (event M): what". */
void fault_put(char error[FAULT_MAX], struct fault fault, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

/* Why a text ends: the error of its input, or if that is empty, after how many bytes. */
const char *fault_end(char text[FAULT_END_MAX], const char *error, uint64_t bytes);

/* The first character of rest, quoted; at least four bytes of it, unless the text ends there. */
const char *fault_found(char text[QUOTE_MAX], struct str rest);

#endif
