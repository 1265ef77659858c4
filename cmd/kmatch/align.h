/*
 * align - which kernels of two sides face each other, layer by layer of the model.
 * kmatch(1) has the rules in words.
 *
 * Kernels come in any order. Each belongs to a pass: the kernels of a step on one device, one
 * sequence by time. An attention begins the next layer of its pass. Within a layer, kernels of one
 * class that face each other make a row: of both sides, and of all passes.
 *
 * Memory: the kernels, as below, with a pointer to each; rows and layers are few. Time: n log n; by
 * order also, for each pass, that of lcs.h for its kernels of a layer.
 */
#ifndef ALIGN_H
#define ALIGN_H

#include "base/dec.h"
#include "base/strmap.h"

enum { ALIGN_SIDES = 2 };

enum {
	ALIGN_BEFORE = -1,         /* the layer before the first attention of a pass */
	ALIGN_OUTSIDE = INT32_MAX, /* kernels without time, or without a step if their side has steps */
};

struct align_kernel {
	struct dec ts;
	struct dec dur; /* this and the name are the caller's: ignored */
	size_t name;
	size_t op;    /* its class: a number of ops */
	size_t alike; /* matched by order: of several kernels, one with an equal `alike` is preferred */
	uint32_t pass; /* from 0, for each side; after align_find in order of time */
	int32_t layer; /* set by align_find */
	uint32_t row;  /* set by align_find: a number of rows */
	uint8_t side;  /* set by align_add */
	bool attention;
	bool timed; /* it has a ts */
	bool step;  /* its pass is of a step */
};

/* The kernels of a row. */
struct align_row {
	int32_t layer;
	uint64_t position; /* in the layer */
	size_t op;
	struct str operation; /* its name */
};

struct align_layer {
	int32_t number;
	size_t first_row;
	size_t rows;
	uint64_t runs[ALIGN_SIDES]; /* passes that have it */
};

struct align_side {
	struct align_kernel *kernels;
	size_t count;
	size_t cap;
	struct align_pass *pass;
	size_t passes;
	size_t passes_cap;
	bool steps;     /* some kernel has a step */
	int32_t layers; /* after align_find: the most of any pass */
};

/* Starts as {.by_order = …}. */
struct align {
	bool by_order; /* by the longest common subsequence, else by the position in the layer */
	struct align_side side[ALIGN_SIDES];
	/* After align_find. */
	struct align_kernel **order; /* all kernels; the caller may sort them */
	size_t count;
	struct align_row *rows; /* by layer, position and the name of the class */
	size_t rows_count;
	size_t rows_cap;
	struct align_layer *layers; /* layers that have kernels, by number */
	size_t layers_count;
	size_t layers_cap;
};

void align_add(struct align *align, int side, const struct align_kernel *kernel);

/* After the last kernel: finds the layers and rows. The names of ops must outlive them. */
void align_find(struct align *align, const struct strmap *ops);

void align_free(struct align *align);

#endif
