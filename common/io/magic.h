/*
 * magic - files that people take for a trace, a CSV or a database and that are not: known by their
 * first bytes.
 */
#ifndef MAGIC_H
#define MAGIC_H

#include "base/buf.h"

/* A head that is enough even for a tree of proton, which begins at its leaves; a message. */
enum { MAGIC_BYTES = 2048, MAGIC_MAX = 256 };

/* What the program reads. */
enum magic_wanted { MAGIC_TRACE, MAGIC_CSV, MAGIC_DATABASE, MAGIC_XSPACE };

/*
 * Whether the file with this head, unpacked, is of a kind that the program does not read; then text
 * is what the file is, and what reads it. False also for text of no known kind.
 */
bool magic_is_foreign(struct str head, enum magic_wanted wanted, char text[MAGIC_MAX]);

/* Whether this is the head of an XSpace: protobuf with the name of a plane in its first bytes. */
bool magic_is_xspace(struct str head);

/* Whether this is the head of a Git LFS pointer, which magic_is_foreign knows, too. */
bool magic_is_lfs_pointer(struct str head);

#endif
