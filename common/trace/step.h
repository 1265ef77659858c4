/*
 * step - the steps of a trace, with annotations and phases, and the step that is open at a time.
 *
 * An annotation belongs to a step if its name has one of the forms of step_parse. A step can have
 * several annotations: one within another on its thread, and copies on the device. Memory: some 500
 * bytes for each annotation.
 */
#ifndef STEP_H
#define STEP_H

#include "base/strmap.h"
#include "trace/timeline.h"

/* --- an annotation's name -------------------------------------------------- */

/* A number of tokens that a name gives, or that follows from it. */
struct step_tokens {
	bool known;
	uint64_t count;
};

struct step_form {
	bool context;           /* it works on prompts, or parts of them */
	bool generation;        /* it generates the next token of requests */
	bool counted;           /* the name gives numbers of tokens */
	uint64_t tokens;        /* tokens of the prompts */
	struct step_tokens ctx; /* tokens of the prompts; 0 if it works on none */
	struct step_tokens gen; /* tokens of requests that generate; 0 if it has none */
	/*
	 * What the graph of a server must be captured for: the tokens of the step, or the requests if
	 * the name has only these, as with cached_M and bs=B.
	 */
	struct step_tokens size;
};

/*
 * Whether name is that of a step:
 *	execute_context_C(T)_generation_G(..)	C requests with T tokens of context
 *	execute_N_context_C(sqT..)_generation_G(..)	C(..) as above, N tokens in all
 *	execute_new_N_cached_M	N requests new, M that ran before
 *	step[EXTEND bs=B toks=T ..]	also MIXED, DECODE and other modes
 *	ProfilerStep#N	of unknown content
 * The case of a mode does not matter, text after such a name is ignored, and a number that is too
 * large counts as UINT64_MAX.
 */
bool step_parse(struct str name, struct step_form *form);

/*
 * Whether name is a numbered step of a training loop, in any case of letters: "iteration 7",
 * "Iter: 8", "train_step 4". It may begin with train or training and at most one of " _-"; then
 * come iteration, iter, step or batch, any of " _:#=-", and digits.
 */
bool step_is_numbered(struct str name);

enum step_phase { STEP_DECODE, STEP_PREFILL, STEP_MIXED, STEP_NO_PHASE, STEP_PHASES };

extern const char *const step_phases[STEP_PHASES]; /* the name of STEP_NO_PHASE is empty */

/*
 * A step without generation is prefill if it has at least prefill_tokens tokens of context, or an
 * unknown number of tokens. A step with context and generation is mixed if the caller wants that
 * phase. A step without both has no phase. All other steps are decode.
 */
enum step_phase step_phase(const struct step_form *form, uint64_t prefill_tokens, bool mixed);

/* --- the steps of a trace -------------------------------------------------- */

#define STEP_NONE UINT32_MAX
#define STEP_SEVERAL (STEP_NONE - 1)

struct step {
	size_t name;           /* name of the most specific annotation, in names */
	struct step_form form; /* form of the most specific annotation */
	struct dec start;      /* start of the first annotation, on the host if there is one */
	bool on_device;        /* an annotation on the device shows its kernels */
};

/* Starts as {0}. */
struct steps {
	struct step *step; /* in order of start, once built */
	size_t count;
	struct step_annotation *annotations;
	size_t annotations_count;
	size_t annotations_cap;
	struct timeline host;      /* values are annotations' numbers */
	struct timeline device;    /* by streams */
	struct timeline devices;   /* the same, by processes */
	struct timeline processes; /* values are steps' numbers or STEP_SEVERAL */
	struct strmap names;       /* names of annotations, without and with their ids */
	struct buf key;
};

/* Where an annotation is; the caller numbers both. */
struct step_place {
	bool device;    /* it is a gpu_user_annotation */
	size_t thread;  /* a thread of the host, or a stream of the device */
	size_t process; /* that has the thread */
};

/*
 * Adds an annotation of a step. id is its External id and can be empty. False, and nothing added,
 * if its end is too large.
 */
bool steps_add(struct steps *steps, struct step_place place, struct dec start, struct dec dur,
               struct str name, struct str id, const struct step_form *form);

/* After the last annotation. */
void steps_build(struct steps *steps);

/* The number of the step that is open at a time; STEP_NONE. */
uint32_t steps_on_thread(const struct steps *steps, size_t thread, struct dec time);
uint32_t steps_on_host(const struct steps *steps, struct dec time); /* on any thread */

/* On any thread of that process; STEP_SEVERAL if its threads are in different steps. */
uint32_t steps_in_process(const struct steps *steps, size_t process, struct dec time);

/* On that stream, or else on the device that is this process, or else on any. */
uint32_t steps_on_device(const struct steps *steps, size_t stream, size_t process, struct dec time);

/* The step of an annotation, by its number in the order in which they were added. */
uint32_t steps_annotated(const struct steps *steps, size_t annotation);

struct str steps_name(const struct steps *steps, uint32_t step);

void steps_free(struct steps *steps);

#endif
