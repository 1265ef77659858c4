/*
 * status - how the operators of a run went: the JSON file that a replay program leaves, an object
 * with the lists `success`, `skipped` and `failed`.
 *
 * A failed operator is an object with `op` and `reason`, or a name alone. Texts are the file's,
 * decoded, and not plain (base/plaintext.h). Memory: the file while it is read, and the failed
 * operators.
 */
#ifndef STATUS_H
#define STATUS_H

#include "base/buf.h"

struct status_failure {
	struct buf op; /* "(no name)" if it is missing */
	struct buf reason;
};

struct status_lists {
	size_t succeeded;
	size_t skipped;
	struct status_failure *failed;
	size_t failed_count;
	size_t failed_cap;
	char error[320];
};

/* Reads the file, which may be a pipe, once. False with the reason in error. */
bool status_read(struct status_lists *lists, const char *path);

void status_free(struct status_lists *lists);

#endif
