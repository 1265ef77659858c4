/*
 * filelist - the names of files, as a file lists them: a line for each, or a NUL after each.
 *
 * Memory: the names, and all of the list while it is read.
 */
#ifndef FILELIST_H
#define FILELIST_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}. */
struct filelist {
	char **name; /* kept until the program ends */
	size_t count;
	size_t cap;
	char error[160];
};

void filelist_add(struct filelist *list, char *name);

/*
 * Adds the names in the file at path; "-" is standard input. Empty names are skipped, so a list may
 * have blank lines. False, with the reason in error, if the list cannot be read.
 */
bool filelist_read(struct filelist *list, const char *path, bool by_nul);

#endif
