/*
 * align - which kernels of two sides face each other, layer by layer of the model.
 * kalign(1) tells in words how they are found.
 *
 * Kernels come in any order, each of a pass: what a step runs on one device, one sequence by
 * time. An attention begins the next layer of its pass. Within a layer, kernels of one class
 * that face each other make a row: of both sides, and of all passes.
 *
 * Memory: a kernel is held as it stands below, with a pointer to it, and what they make is small
 * beside them. Time is n log n; by order also, for each pass, what lcs.h says of its kernels of a
 * layer.
 */
#ifndef ALIGN_H
#define ALIGN_H

#include "base/dec.h"
#include "base/strmap.h"

enum { ALIGN_SIDES = 2 };

enum {
	ALIGN_BEFORE = -1,         /* the layer before the first attention of a pass */
	ALIGN_OUTSIDE = INT32_MAX, /* of what has no time, or no step where others of its side do */
};

struct align_kernel {
	struct dec ts;
	struct dec dur; /* this and the name are the caller's, and not looked at */
	size_t name;
	size_t op;     /* its class: a number of ops */
	size_t alike;  /* where one of several may face it, by order: rather one that has the same */
	uint32_t pass; /* from 0, for each side; behind align_find in order of time */
	int32_t layer; /* by align_find */
	uint32_t row;  /* by align_find: a number of rows */
	uint8_t side;  /* by align_add */
	bool attention;
	bool timed; /* it has a ts */
	bool step;  /* its pass is of a step */
};

/* The kernels of a row. */
struct align_row {
	int32_t layer;
	size_t position; /* in the layer */
	size_t op;
	struct str operation; /* its name */
};

struct align_layer {
	int32_t number;
	size_t first_row;
	size_t rows;
	uint64_t runs[ALIGN_SIDES]; /* in how many passes it is */
};

struct align_side {
	struct align_kernel *kernels;
	size_t count;
	size_t cap;
	struct align_pass *pass;
	size_t passes;
	size_t passes_cap;
	bool steps;     /* some kernel has one */
	int32_t layers; /* behind align_find: the most of any pass */
};

/* Starts as {.by_order = …}. */
struct align {
	bool by_order; /* by the longest common subsequence, else by the position in the layer */
	struct align_side side[ALIGN_SIDES];
	/* Behind align_find. */
	struct align_kernel **order; /* all kernels, the caller's to sort */
	size_t count;
	struct align_row *rows; /* by layer, position and the name of the class */
	size_t rows_count;
	size_t rows_cap;
	struct align_layer *layers; /* those that have kernels, by number */
	size_t layers_count;
	size_t layers_cap;
};

void align_add(struct align *align, int side, const struct align_kernel *kernel);

/* All are there: finds the layers and rows. The names of ops must outlive them. */
void align_find(struct align *align, const struct strmap *ops);

void align_free(struct align *align);

#endif
