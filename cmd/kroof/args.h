/*
 * args - the arguments of an operator: their shapes, types and values, from the columns that
 * profilers write them to.
 *
 *	Input Dims	Input type	Concrete Inputs
 *	[[141,512],[512,512],[]]	["float","float","Scalar"]	["","","1"]
 *	Input Shapes	Input Data Types	Input Formats	Output Shapes	...
 *	"128,4,128;12307,128,128;;"	DT_BF16;DT_BF16;DT_UNDEFINED;DT_UNDEFINED	ND;ND;ND;ND	...
 *
 * In the second form, of Ascend, an empty place is an argument without dimensions. A format with
 * blocks is undone: FRACTAL_NZ [.., a,b,c,d] is [.., b*c,a*d], and NC1HWC0 [n,c1,h,w,c0] is
 * [n,c1*c0,h,w]. Memory: the largest texts of a row.
 */
#ifndef ARGS_H
#define ARGS_H

#include "base/buf.h"

#include <stdint.h>

enum args_column {
	ARGS_INPUT_DIMS,
	ARGS_INPUT_TYPE,
	ARGS_INPUT_STRIDES, /* they only tell calls apart */
	ARGS_CONCRETE,
	ARGS_INPUT_SHAPES,
	ARGS_INPUT_DATA_TYPES,
	ARGS_INPUT_FORMATS,
	ARGS_OUTPUT_SHAPES,
	ARGS_OUTPUT_DATA_TYPES,
	ARGS_OUTPUT_FORMATS,
	ARGS_COLUMNS
};

extern const char *const args_columns[ARGS_COLUMNS];

/* A tensor, or a list of tensors. */
struct args_tensor {
	bool known; /* its text is a shape */
	bool list;
	size_t first; /* the first of its dimensions; a list has the dimensions of all its tensors */
	size_t rank;  /* dimensions; of a list, tensors */
	size_t ends;  /* list: the first end of its tensors, in ends */
};

/* The inputs or the outputs. */
struct args_side {
	struct args_tensor *tensor;
	size_t count;
	size_t cap;
	struct str *type;
	size_t types_count;
	size_t types_cap;
	bool places; /* as Ascend has them: a tensor without dimensions is an empty place */
};

/* Starts as {0}. */
struct args {
	struct args_side in;
	struct args_side out;
	struct str *value; /* values of the inputs: "True", "[1, 1]", "0.5" */
	size_t values_count;
	size_t values_cap;
	struct str *format; /* formats of the inputs */
	size_t formats_count;
	size_t formats_cap;
	uint64_t *dims; /* dimensions of all tensors, one after the other */
	size_t dims_count;
	size_t dims_cap;
	size_t *ends; /* ends of the tensors of lists, in dims */
	size_t ends_count;
	size_t ends_cap;
	struct buf text; /* bytes of strings that had escapes */
};

/*
 * Takes the arguments of a call, by enum args_column, decoded; a missing column is empty. The texts
 * must stay until the next call. False if an argument is not a list, which then counts as empty, or
 * contains something that is not a shape.
 */
bool args_parse(struct args *args, const struct str fields[ARGS_COLUMNS]);

/*
 * Takes the next item off a list of Python or JSON, up to a comma outside of [] and quotes, and
 * trims it. *list begins as what stands between [ and ]. False at its end.
 */
bool args_item(struct str *list, struct str *item);

/* Whether text is a list; *inside is then what stands between [ and ]. */
bool args_is_list(struct str text, struct str *inside);

void args_free(struct args *args);

#endif
