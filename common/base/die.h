/*
 * die - the program's name, its messages, its exit statuses (kev(5), EXIT STATUS).
 */
#ifndef DIE_H
#define DIE_H

#include <stddef.h>

enum status {
	STATUS_OK,      /* all was read, all was written */
	STATUS_DAMAGED, /* the input was damaged or incomplete; what could be read was written */
	STATUS_ERROR,   /* usage, files, a missing column: the output must not be trusted */
	STATUS_LIMIT,   /* all was read; the answer is past a limit, or does not exist */
};

/* The worse of two statuses: an error, then damage, then a limit, then none. */
enum status status_worse(enum status a, enum status b);

/* Remembers the program's name for messages. To be called first in main. */
void die_init(const char *argv0);
const char *die_program(void);

/* One line on standard error: "prog: message", made plain as plaintext.h says. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a message like warn, then exits with STATUS_ERROR. Nothing is flushed. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { QUOTE_MAX = 80 };

/*
 * The n bytes at text for a message: in single quotes, made plain, cut with "..." if they do not
 * fit. Returns out.
 */
const char *quote(char out[QUOTE_MAX], const char *text, size_t n);

#endif
