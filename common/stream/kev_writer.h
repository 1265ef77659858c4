/*
 * kev_writer - writes the kernel-event stream, kev(5). Programs include it by stream/kev.h.
 */
#ifndef KEV_WRITER_H
#define KEV_WRITER_H

#include "base/dec.h"
#include "base/die.h"
#include "base/opt.h"
#include "io/output.h"

#include <stdint.h>

struct kev_reader;

struct kev_writer {
	struct output out;
	const struct opts *opts;
	enum status status; /* the exit status of the program */
	bool begun;         /* ##kev and ##ends were written */
	bool via;           /* ##via was written */
	size_t fields;      /* fields of the row being written */
	size_t line_at;     /* the offset in out.buf at which the last line begins */
	struct buf layout;  /* the last columns line */
};

/* For standard output. Writes nothing yet. */
void kev_writer_init(struct kev_writer *writer, const struct opts *opts);

/* Writes a ##key line, its values escaped. */
void kev_meta(struct kev_writer *writer, const char *key, const struct str *values, size_t count);

/*
 * Passes the reader's metadata line on. A ##damaged line is also repeated on standard error,
 * and the program will exit with STATUS_DAMAGED, or with STATUS_ERROR if it is of wrong usage.
 */
void kev_pass_meta(struct kev_writer *writer, const struct kev_reader *reader);

/* Only the second half of that, for a program that does not pass the line on at once. */
void kev_note_damage(struct kev_writer *writer, const struct kev_reader *reader);

/* Writes the columns line, if it differs from the last one; before the first, ##via. */
void kev_columns(struct kev_writer *writer, const struct str *names, size_t count);

/* Like kev_columns, for a layout of kev_layout: rows that waited may have another layout. */
void kev_columns_of(struct kev_writer *writer, struct str layout);

/* A field of a row. kev_field escapes its text, kev_field_raw takes it escaped. */
void kev_field(struct kev_writer *writer, struct str text);
void kev_field_raw(struct kev_writer *writer, struct str field);
void kev_field_dec(struct kev_writer *writer, struct dec value);
void kev_field_count(struct kev_writer *writer, uint64_t count);
void kev_row_end(struct kev_writer *writer);

/* A whole row of at least one field, which it escapes. */
void kev_row(struct kev_writer *writer, const struct str *texts, size_t count);

/* Passes the reader's row on as it is. */
void kev_pass_row(struct kev_writer *writer, const struct kev_reader *reader);

/* Passes a row on, with more fields at its end: escaped, and with tabs between them. */
void kev_pass_row_with(struct kev_writer *writer, struct str row, struct str more);

/*
 * Takes the line written last, a row or metadata, back out of the output; valid until the next
 * line is written.
 */
struct str kev_take_back(struct kev_writer *writer);

/* Reports damage of the program's own input: a message, a ##damaged line, STATUS_DAMAGED. */
void kev_damaged(struct kev_writer *writer, const char *file, const char *what);

/*
 * Reports a file that a program opens itself and cannot: as damage if there are others, that is,
 * if another file was read or comes yet; else, and with --strict, as an error that ends the
 * program.
 */
void kev_unopened(struct kev_writer *writer, const char *file, const char *what, bool others);

/*
 * Reports an error after which the program writes more before it ends: the message
 * "file:line: what" (line 0: "file: what"), a ##damaged line for the next program of the pipe,
 * and STATUS_ERROR. kev_misused marks that line as wrong usage, see kev_misuse.
 */
void kev_broken(struct kev_writer *writer, const char *file, uint64_t line, const char *what);
void kev_misused(struct kev_writer *writer, const char *file, uint64_t line, const char *what);

/*
 * Like kev_broken, then flushes the output and exits. kev_die_misuse marks the ##damaged line as
 * wrong usage, see kev_misuse. kev_fail reports the error of the reader.
 */
_Noreturn void kev_die(struct kev_writer *writer, const char *file, uint64_t line,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
_Noreturn void kev_die_misuse(struct kev_writer *writer, const char *file, uint64_t line,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
_Noreturn void kev_fail(struct kev_writer *writer, const struct kev_reader *reader);

/* Writes ##end, flushes and closes the output; returns the exit status. */
int kev_finish(struct kev_writer *writer);

/* --- parts of a line --------------------------------------------------------- */

/* Appends "#ts TAB dur", without a newline. */
void kev_put_columns(struct buf *line, const struct str *names, size_t count);

/* Appends text, plain and escaped, so that a terminal may show the ##damaged line. */
void kev_put_plain(struct buf *line, struct str text);

#endif
