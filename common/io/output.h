/*
 * output - buffered bytes to a file descriptor, every write checked.
 *
 * Only one output goes to standard output, and lives as long as the program reads. Where that is a
 * pipe, it is made to hold 1 MiB, if the system allows. What a program has written there does not
 * wait for input that does not come: input asks for it before it waits.
 *
 * A full disk or any other failure to write ends the program with a message
 * and STATUS_ERROR; a closed pipe ends it by SIGPIPE, as filters end.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "base/buf.h"

#include <pthread.h>

enum { OUTPUT_PATIENCE_MS = 100 };

struct output {
	int fd;           /* below 0: none, and all stays in buf */
	const char *name; /* for messages */
	struct buf buf;
};

void output_init(struct output *out, int fd, const char *name);
void output_flush(struct output *out);
void output_close(struct output *out); /* flushes, closes and frees */

/* Flushes if the buffer is full; for callers that append to out->buf themselves. */
void output_drain(struct output *out);

/*
 * How long whole lines in the buffer of standard output may still wait for the next input, in ms;
 * 0: no longer. -1: none are there, or the last line is not whole, or the caller is not the thread
 * that called output_init.
 */
int output_patience(void);

/* Writes these lines. */
void output_release(void);

/*
 * Waits for another thread to signal `changed`, and lets the lines go if that takes too long. May
 * return before it is signalled. lock is held, but not while lines are written.
 */
void output_wait(pthread_cond_t *changed, pthread_mutex_t *lock);

/* Makes a condition for output_wait. */
void output_condition(pthread_cond_t *changed);

void output_bytes(struct output *out, const char *data, size_t n);
void output_str(struct output *out, struct str text);
void output_text(struct output *out, const char *text);
void output_char(struct output *out, char c);
void output_format(struct output *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
