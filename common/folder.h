/*
 * folder - files written into a folder, each of them whole or not at all: beside
 * its place, flushed to the disk, then renamed over what was there.
 *
 * What gives bool gives false where the system refuses; error then has the file's
 * name, where it is about one, and the reason. The folder is held open: what its
 * path names later does not matter.
 */
#ifndef FOLDER_H
#define FOLDER_H

#include "buf.h"

struct folder {
	int fd;
	char error[512];
};

/* Opens it, and makes it, and those above it, where they are not there. */
bool folder_open(struct folder *folder, const char *path);

/*
 * Whether text can be the name of a file in any folder, and of a file that ls
 * shows: it is not empty, begins with no dot, and holds neither / nor a control byte.
 */
bool folder_is_name(struct str text);

/* The whole file, under a name as folder_is_name has it. */
bool folder_write(struct folder *folder, const char *name, struct str text);

void folder_close(struct folder *folder);

#endif
