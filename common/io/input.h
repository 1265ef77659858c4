/*
 * input - a named file or standard input, plain or gzip, as a run of bytes.
 *
 * gzip is known by its first two bytes. Several members are one text; zero bytes after the last
 * are padding. Memory is constant.
 */
#ifndef INPUT_H
#define INPUT_H

#include "base/buf.h"

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct input {
	const char *name; /* for messages; "-" is standard input */
	int fd;
	struct stat file; /* as it was when it was opened first */
	off_t start; /* the place in a regular file at which reading began; < 0: not a regular file */
	bool plain;  /* not gzip */
	struct inflater *inflater; /* inflater of gzip; also holds the first bytes of a plain input */
	int wake[2];               /* a pipe: a thread that waits for input gives up at its end */
	bool wakes;                /* wake is open */
	uint64_t offset;           /* decompressed bytes given so far */
	char error[256];           /* why input_open or input_read failed */
	bool failed;               /* a call failed; false: the data are damaged */
};

/*
 * Opens path; "-" is standard input. If it cannot be opened or is a directory, returns false with
 * the reason in error. path must outlive *in.
 */
bool input_open(struct input *in, const char *path);

/* Opens a file by its descriptor, which input_close closes. */
bool input_open_fd(struct input *in, int fd, const char *name);

/*
 * Reads up to n bytes and returns their number; 0 at the end; < 0, with the reason in error, if the
 * input breaks off (truncated or damaged gzip, a read error), after all that could be read. Further
 * calls return that number again.
 */
ssize_t input_read(struct input *in, char *out, size_t n);

/*
 * Other threads may read, too, one at a time, by input_take: as input_read, but if it may not wait
 * and nothing is there, it returns INPUT_LATER. input_share comes first; false if it fails. After
 * input_wake, no thread waits any longer, and the end of the input has come.
 */
enum { INPUT_LATER = -2 };
bool input_share(struct input *in);
ssize_t input_take(struct input *in, char *out, size_t n, bool may_wait);
void input_wake(struct input *in);

/* For a reader that does not read here: shows how far it is, a place in the file. */
void input_progress(struct input *in);

void input_close(struct input *in);

/*
 * Opens a closed input once more, at the place at which reading began. Returns false, with the
 * reason in error, if it was not a regular file or cannot be opened.
 */
bool input_again(struct input *in);

/*
 * Whether an open input is no longer the file that was opened first: its name leads to another
 * file, or its size or time of modification has changed.
 */
bool input_changed(const struct input *in);

#endif
