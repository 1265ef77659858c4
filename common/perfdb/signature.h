/*
 * signature - what tells the rows of a performance database apart: operators, the
 * shapes, dtypes and formats that make a row's key, and the names of its columns.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include "base/buf.h"

/* The columns that every file of a database begins with. */
enum { SIGNATURE_BASE = 8 };
extern const char *const signature_base[SIGNATURE_BASE];

/* Hardware counters: "MicroBench C" and "Profiling Average C" are columns for each. */
enum { SIGNATURE_COUNTERS = 25 };
extern const char *const signature_counters[SIGNATURE_COUNTERS];

/* The cells that make a signature; EP Size counts for DispatchFFNCombine alone. */
enum signature_cell {
	INPUT_SHAPES,
	INPUT_TYPES,
	INPUT_FORMATS,
	OUTPUT_SHAPES,
	OUTPUT_TYPES,
	EP_SIZE,
};
enum { SIGNATURE_CELLS = EP_SIZE + 1 };
extern const char *const signature_cells[SIGNATURE_CELLS]; /* their columns */

/* The operator that a name means: without the spaces around it, and without an ending .csv, _run,
 * _run.csv or _run.py. */
struct str signature_operator(struct str name);

/* Operators, as signature_operator gives them. */
bool signature_has_ep_size(struct str op);

/* The kinds of MatMul: the rows of one may stand for another's. */
enum { SIGNATURE_MATMULS = 3 };
extern const char *const signature_matmuls[SIGNATURE_MATMULS];
bool signature_is_matmul(struct str op);

/*
 * Appends the signature of a row of op, whose cells are as they stand in the file: the same
 * bytes for rows that are the same case. It ends where it ends: what is appended behind it
 * makes no two of them the same.
 */
void signature_key(struct buf *out, struct str op, const struct str cells[SIGNATURE_CELLS]);

/* Appends it as people read it: the shapes as they stand, "in -> out". */
void signature_text(struct buf *out, const struct str cells[SIGNATURE_CELLS]);

#endif
