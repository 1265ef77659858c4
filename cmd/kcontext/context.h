/*
 * context - the context of the kernels of a trace: their steps and phases, layers, operators and
 * Python stacks.
 *
 * The caller reads a stream twice. In the first look context_learn takes every row, and
 * context_build ends that look; in the last one context_place answers for each kernel. Layers that
 * begin with an attention need a look between the two, with context_mark for every row and
 * context_build_layers at its end. A stream can hold several traces; a ##source line begins one, or
 * the column file names it. Ids, times and steps of one trace mean nothing in another.
 *
 * Errors of rows and columns are in the error of the reader, as by kev_error.
 *
 * Memory: some 56 bytes for each launch, 48 for each flow, 90 for each operator, twice that with
 * ops, 450 for each annotation of a step, 90 for each Python function, 32 for each kernel that
 * begins a layer, 56 for each call of a module that is one and 8 for each function beside it, the
 * distinct names, and the distinct arguments of operators. Layers by graph need 16 bytes for each
 * correlation of kernels, and the 56 bytes also if it has no launch. A trace takes some 3 KB from
 * the first row that the first look uses, and one stream has at most 65,536 of them.
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include "kernel/kclass.h"
#include "stream/kev.h"
#include "trace/step.h"

#include "layer.h"
#include "operator.h"

/* What a row is, by its category. */
enum context_kind {
	CONTEXT_COPY,
	CONTEXT_LAUNCH,
	CONTEXT_FLOW, /* the start of a flow from an operator to a row of the device: async_npu */
	CONTEXT_OPERATOR,
	CONTEXT_ANNOTATION,
	CONTEXT_DEVICE_ANNOTATION,
	CONTEXT_FUNCTION, /* a Python function */
	CONTEXT_OTHER,
	CONTEXT_KERNEL,
	CONTEXT_MEMORY, /* an allocation or a free of PyTorch, if memory is set; else CONTEXT_OTHER */
};

enum context_column {
	CONTEXT_TS,
	CONTEXT_DUR,
	CONTEXT_NAME,
	CONTEXT_CAT,
	CONTEXT_PID,
	CONTEXT_TID,
	CONTEXT_CORRELATION,
	CONTEXT_EXTERNAL_ID,
	CONTEXT_PYTHON_ID, /* needed only for functions, as the next column */
	CONTEXT_PYTHON_PARENT_ID,
	CONTEXT_TYPE, /* never needed, as the next column */
	CONTEXT_FILE,
	CONTEXT_CALLED, /* the kernel that a call launches */
	CONTEXT_COLUMNS
};

enum { CONTEXT_TRACES = 1 << 16 }; /* in one stream */

struct context {
	/* Set by the caller before the first row; the rest starts as {0}. */
	struct kclass *kclass;      /* a layer begins with an attention by these rules */
	struct str module;          /* a layer is a call of this class of module; neither: a graph */
	struct words args;          /* columns of operators that their kernels get */
	struct operators operators; /* its globs; the rest is of the stream so far */
	bool functions;             /* stacks of Python functions; for layers by module, too */
	struct words steps; /* globs: annotations with such names are the steps; none: by their form */
	bool ranges;        /* ranges of annotations */
	bool modules;       /* modules of the stacks; needs functions */
	bool addresses;     /* stacks keep addresses */
	bool at_kernel;     /* the time of a kernel decides, not of its launch; needs functions */
	bool memory;        /* allocations have a place, as a kernel launched then; not at_kernel */
	bool mixed;         /* for step_phase */
	uint64_t prefill_tokens;   /* for step_phase */
	bool stacks;               /* captures need stacks */
	struct captures *captures; /* captures of graphs; may be NULL */
	bool reference;            /* the stream is a REF for captures */
	bool strict;               /* a row that counts in no_time or twice is an error */
	/* The columns of the rows at hand, KEV_NONE if missing, and their text if it was escaped. */
	int column[CONTEXT_COLUMNS];
	struct buf text[CONTEXT_COLUMNS];
	int *arg_column; /* as args */
	int dims_column; /* Input Dims, for globs of operators */
	/* The stream so far. */
	uint64_t launches;            /* launches and flows */
	uint64_t calls;               /* rows of Python functions, if they are needed */
	uint64_t no_time;             /* rows without a time that they need */
	uint64_t twice;               /* rows whose id an earlier row has */
	bool matched;                 /* an annotation matches a glob of steps */
	struct strmap scopes;         /* the names of its traces: files, or numbers of ##source lines */
	struct context_trace *traces; /* by number in scopes */
	size_t traces_cap;
	size_t sources;             /* ##source lines in this look */
	bool scope_known;           /* a row came after the last ##source line */
	size_t scope;               /* the trace of a row without a file, if scope_known */
	struct layer_names kernels; /* if layers are graphs */
	size_t *name_ranks;         /* ranks of captures->names, until the choice */
	uint64_t replay_steps;      /* that the choices of further traces may take */
	uint64_t replayed;          /* calls of operators given to rows of graphs */
	struct buf replay_args;     /* arguments of a row of a graph */
	size_t replay_layers;       /* layers by module of captures, the most of any set */
	struct buf key;
};

/* A look begins. */
void context_begin(struct context *context);

/* A ##source line. */
void context_source(struct context *context);

/* A columns line. False if a column is missing. */
bool context_columns(struct context *context, struct kev_reader *in);

/* The kind of the row at hand. */
enum context_kind context_kind(const struct context *context, const struct kev_reader *in);

/* A row of the first look; gives its kind. */
enum context_kind context_learn(struct context *context, struct kev_reader *in);

void context_build(struct context *context);

/* After that: with strict, whether a row lacks its time, and then the error of the reader. */
bool context_fails(const struct context *context, struct kev_reader *in);

/* Warns of rows that lack their time, or have the id of another row. */
void context_warn(const struct context *context, const char *file);

/* Warns of rows in more modules than module_stack has. */
void context_warn_cut(const char *file, uint64_t rows);

/*
 * Whether several processes have launches of one correlation. Then context_own needs a look at each
 * row of a device, before context_mark and context_place.
 */
bool context_needs_owners(const struct context *context);
void context_own(struct context *context, struct kev_reader *in);

/* Then: numbers the layers by graph. */
void context_build_graphs(struct context *context);

/* A row of the second look, for layers by attention. */
void context_mark(struct context *context, struct kev_reader *in);

void context_build_layers(struct context *context);

/* How a kernel came to its step. */
enum context_way {
	CONTEXT_BY_LAUNCH,
	CONTEXT_BY_DEVICE, /* an annotation on the device */
	CONTEXT_BY_HOST,   /* an annotation on the host */
	CONTEXT_BY_NOTHING,
	CONTEXT_IN_SEVERAL, /* none: at its launch threads of its process were in different steps */
	CONTEXT_WAYS
};

/* A row of a graph launch, with captures. */
struct context_graph {
	struct replay *replay; /* NULL: it is no such row */
	const struct choices *choices;
	const struct choice_row *row; /* NULL: nothing stands for its launch */
};

/* Its texts are good until context_clear, args until the next row. */
struct context_place {
	uint32_t step;        /* from 0 in order of time; STEP_NONE */
	struct str step_name; /* name of the annotation that says most */
	enum step_phase phase;
	struct step_tokens ctx_tokens;
	struct step_tokens gen_tokens;
	uint32_t layer;    /* from 0; LAYER_NONE */
	struct str cpu_op; /* the innermost, or by ops the outermost that counts; empty if unknown */
	uint64_t op_id;    /* the number of that call of an operator, from 1 in all streams; 0: none */
	struct str args;   /* its fields of context.args, escaped, a tab after each; empty: none */
	bool launched;     /* the launch is in the trace */
	bool linked;       /* so is the launch or the flow by which it was looked up */
	struct dec launch_ts;
	bool has_launch_dur;
	struct dec launch_dur;
	struct str launch_tid; /* escaped */
	enum context_way way;
	const struct ranges *ranges; /* ranges of its trace, for ranges_fold */
	uint32_t range_thread;       /* the thread that has them; RANGES_NONE, RANGES_SEVERAL */
	struct dec range_time;
	const struct stacks *stacks; /* stacks of its trace, for stacks_fold */
	uint32_t frame;              /* the Python function of the launch; STACK_NONE */
	struct context_graph graph;
	bool captured; /* a capture or eager kernel stands for the row, and gives the next three */
	struct str stack;
	struct str module;
	struct str module_stack;
};

/* A row of the last look, a kernel, a copy or an allocation. */
struct context_place context_place(struct context *context, struct kev_reader *in);

/*
 * A row of the last look, an annotation: sets step, phase and step_name if it is of a step. Call it
 * for each annotation, also of devices, in the order of the first look.
 */
struct context_place context_annotation(struct context *context, struct kev_reader *in);

/* Totals of the stream, once built. */
struct context_totals {
	size_t steps;
	size_t phases[STEP_PHASES]; /* steps of each phase */
	size_t layers;              /* the most of any step or, by graph, of any trace */
};
struct context_totals context_totals(const struct context *context);

/* Forgets the stream, for the next one. */
void context_clear(struct context *context);
void context_free(struct context *context);

#endif
