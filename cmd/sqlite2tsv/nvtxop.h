/*
 * nvtxop - operators in NVTX ranges, as emit_nvtx of PyTorch writes them:
 *
 *	aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]], input_op_ids = [(10,0), (11,0)]
 *
 * Time grows with the text.
 */
#ifndef NVTXOP_H
#define NVTXOP_H

#include "base/buf.h"

/* Parts of the text; missing ones are empty. Numbers have at most 18 digits. */
struct nvtxop {
	struct str name;
	struct str sequence;
	struct str id;
	struct str sizes; /* with its brackets and spaces */
};

/*
 * Whether the text is a name and at least one of the suffixes `, seq = N`, `, op_id = N`,
 * `, sizes = [...]` and `, input_op_ids = [...]`, in this order, or `aten::` and then only letters,
 * digits, _ and dots. The name is the shortest for which this holds, and not empty.
 */
bool nvtxop_read(struct str text, struct nvtxop *op);

/* Appends the sizes without spaces, as args of PyTorch have them: [[2,3],[3,4]]. */
void nvtxop_put_sizes(struct buf *out, struct str sizes);

#endif
