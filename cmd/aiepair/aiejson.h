/*
 * aiejson - the figures of AI Engine traces as JSON, and as a folder of files.
 *
 * Figures are exact numbers; a missing text or number is null.
 */
#ifndef AIEJSON_H
#define AIEJSON_H

#include "aiecells.h"

/*
 * Writes all runs as one object to standard output; without `tiles`, only what all cores of a run
 * have in common.
 */
void aie_json_write(const struct aie_answer *answer, bool tiles);

/*
 * Writes the files of a run to the folder at path, or of several runs to run0, run1, ... in it:
 * JSON for each tile, for all tiles and for the run, and a Markdown table of all iterations. Makes
 * folders and replaces files; index.json comes last, so that if it exists, all do. Ends the program
 * if a file cannot be written and, before it writes any, if a tile's name is not a file name or
 * names another file.
 */
void aie_json_folder(const struct aie_answer *answer, const char *path);

#endif
