/*
 * aiejson - the figures of AI Engine traces as JSON, and as a folder of files.
 *
 * Figures are exact, and numbers; a text or number that there is none of is null.
 */
#ifndef AIEJSON_H
#define AIEJSON_H

#include "aie/aierun.h"
#include "base/strmap.h"

struct aie_answer {
	struct kev_writer *out;
	const struct aie_work *work;
	const struct aie_run *runs;
	size_t count;
	const struct strmap *damages; /* of the input: a text each */
};

/*
 * Writes all runs, as one object, to standard output; without tiles, what all of their cores
 * have in common.
 */
void aie_json_write(const struct aie_answer *answer, bool tiles);

/*
 * Writes the files of a run to the folder at path, of several to run0, run1, ... in it: JSON for
 * each tile, for what they have in common and for what the run is, and a Markdown table of all
 * iterations. Folders are made and files replaced; index.json comes last, so that where it is,
 * all are. A tile whose name no file can have, or another file has, ends the program before
 * anything is written; so does, later, what cannot be written.
 */
void aie_json_folder(const struct aie_answer *answer, const char *path);

#endif
