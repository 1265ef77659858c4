/*
 * signature - the identity of a row of a performance database: its operator, the shapes, dtypes
 * and formats of its key, and the names of its columns.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include "base/buf.h"

/* The first columns of every file of a database. */
enum { SIGNATURE_BASE = 8 };
extern const char *const signature_base[SIGNATURE_BASE];

/* Hardware counters: each has the columns "MicroBench C" and "Profiling Average C". */
enum { SIGNATURE_COUNTERS = 25 };
extern const char *const signature_counters[SIGNATURE_COUNTERS];

/* The cells of a signature; EP Size counts for DispatchFFNCombine only. */
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

/* The operator that a name stands for: trimmed, without an ending .csv, _run, _run.csv or _run.py.
 */
struct str signature_operator(struct str name);

/* Whether its rows have an EP Size; op: as signature_operator returns it. */
bool signature_has_ep_size(struct str op);

/* The kinds of MatMul: rows of two kinds may be one case. */
enum { SIGNATURE_MATMULS = 3 };
extern const char *const signature_matmuls[SIGNATURE_MATMULS];
bool signature_is_matmul(struct str op);

/*
 * Appends the signature of a row of op with these cells, as they stand in the file: equal bytes for
 * rows of one case. No signature is the beginning of another signature.
 */
void signature_key(struct buf *out, struct str op, const struct str cells[SIGNATURE_CELLS]);

/* Appends a signature for people: the shapes as they stand, "in -> out". */
void signature_text(struct buf *out, const struct str cells[SIGNATURE_CELLS]);

#endif
