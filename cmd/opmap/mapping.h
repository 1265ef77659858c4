/*
 * mapping - the kernel types of a model's ops, from a YAML file as opmap(1) describes it.
 *
 * Memory grows with the file.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include "base/strmap.h"

#include "yaml.h"

struct mapping_op {
	struct str kernel_type; /* empty if the op has none */
	bool zero_cost;
};

struct mapping {
	const char *path;
	struct strmap names;
	struct mapping_op *op; /* by number in names */
	size_t cap;
	char error[512]; /* "FILE:LINE:COLUMN: what" or "FILE: what" */
	struct yaml yaml;
	size_t *read; /* by node of the file: the number + 1 of the op with this entry, or 0 */
};

/*
 * Reads path ("-": standard input), which must outlive the mapping. If it cannot be read or is not
 * a mapping of ops, returns false with the reason in error. mapping_close frees it in either case.
 */
bool mapping_open(struct mapping *mapping, const char *path);

/* The op of this name; NULL if it is not in the mapping. */
const struct mapping_op *mapping_find(const struct mapping *mapping, struct str name);

void mapping_close(struct mapping *mapping);

#endif
