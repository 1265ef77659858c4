/*
 * rowkind - what a row is: of a device, a copy, of the host, or an annotation. The table of the
 * categories is here alone.
 *
 * The category of a row decides. An unknown category is a device's: profilers of new devices name
 * their cores so. A row without a category is of the host if its name is a call of CUDA, HIP or
 * HSA, and else of a device. Category mtia_ccp_events has copies too: the rows with the name
 * dma_request.
 */
#ifndef ROWKIND_H
#define ROWKIND_H

#include "base/buf.h"

#include <string.h>

enum rowkind {
	/* Devices. */
	ROWKIND_KERNEL,
	ROWKIND_CORE,       /* a kernel of Ascend, by the core that ran it: AI_CORE, MIX_AIV */
	ROWKIND_COLLECTIVE, /* a collective of Ascend: HCCL, COMMUNICATION */
	ROWKIND_UNKNOWN,    /* no known category, or none */
	ROWKIND_COPY,
	ROWKIND_MEMSET,
	/* The host, annotations and marks. */
	ROWKIND_CALL, /* a call of a runtime or driver: it can launch rows of a device */
	ROWKIND_OPERATOR,
	ROWKIND_HPU_OP, /* a call if it has a correlation, else an operator */
	ROWKIND_FUNCTION,
	ROWKIND_ANNOTATION,
	ROWKIND_DEVICE_ANNOTATION,
	ROWKIND_QUEUE, /* torch_npu puts an operator into its queue, or takes it out */
	ROWKIND_FLOW,  /* the start of a flow from an operator to a row of the device: async_npu */
	ROWKIND_MARK,  /* on a device: a synchronization, an event, a part of a collective, idle time */
	ROWKIND_OTHER, /* any other row of the host, such as overhead of the profiler */
	ROWKIND_COUNT
};

/* The same as rowkind_of, for any category but its four. */
enum rowkind rowkind_look_up(struct str cat, struct str name);

static inline bool rowkind_is(struct str cat, struct str literal)
{
	return cat.n == literal.n && memcmp(cat.s, literal.s, literal.n) == 0;
}

/*
 * The kind of a row with this category and name. Most rows have one of four categories. Programs
 * ask for each row, and kcontext takes 5 % longer if a call compares these.
 */
static inline enum rowkind rowkind_of(struct str cat, struct str name)
{
	if (rowkind_is(cat, STR("cpu_op")))
		return ROWKIND_OPERATOR;
	if (rowkind_is(cat, STR("python_function")))
		return ROWKIND_FUNCTION;
	if (rowkind_is(cat, STR("kernel")))
		return ROWKIND_KERNEL;
	if (rowkind_is(cat, STR("cuda_runtime")))
		return ROWKIND_CALL;
	return rowkind_look_up(cat, name);
}

/* The kind by the name alone, in a table of rows of devices: a kernel, "[CUDA memcpy HtoD]", or
 * ROWKIND_MARK for other names in brackets. */
enum rowkind rowkind_on_device(struct str name);

/*
 * What a row of a device does: as rowkind_of, but a kernel by which a runtime copies or sets memory
 * (__amd_rocclr_copyBuffer) is a copy or a memset, and so is each row named MEMORY_COPY_*.
 */
enum rowkind rowkind_work(struct str cat, struct str name);

/*
 * False if rowkind_of and rowkind_work decide by the category alone, if there is one. This also
 * holds for a name as a field has it, with its escapes.
 */
static inline bool rowkind_needs_name(struct str name)
{
	return name.n && (name.s[0] == '_' || name.s[0] == 'M' || name.s[0] == '[' || name.s[0] == 'd');
}

/* The category that converters write for this kind: kernel, gpu_memcpy, gpu_memset, or empty. */
struct str rowkind_cat(enum rowkind kind);

static inline bool rowkind_is_device(enum rowkind kind)
{
	return kind <= ROWKIND_MEMSET;
}

/* A call of a runtime or driver. Only of a row with a correlation it matters to know. */
static inline bool rowkind_is_call(enum rowkind kind, bool correlated)
{
	return kind == ROWKIND_CALL || (kind == ROWKIND_HPU_OP && correlated);
}

static inline bool rowkind_is_copy(enum rowkind kind)
{
	return kind == ROWKIND_COPY || kind == ROWKIND_MEMSET;
}

/*
 * What a thread of the host does: each rank can be within the ranks before it. Of rows of a thread
 * with equal times, the row with the larger rank is the inner one.
 */
enum rowkind_rank {
	ROWKIND_IN_NOTHING, /* the row is not of a thread */
	ROWKIND_IN_ANNOTATION,
	ROWKIND_IN_FUNCTION,
	ROWKIND_IN_OPERATOR,
	ROWKIND_IN_RUNTIME,
	ROWKIND_IN_DRIVER,
};

/* By the kind and the category of a row. */
enum rowkind_rank rowkind_rank(enum rowkind kind, struct str cat);

#endif
