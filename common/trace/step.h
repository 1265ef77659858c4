/*
 * step - the steps of a trace: what annotations say of them, which phase they
 * are, and which of them a time belongs to.
 *
 * An annotation is a step's where its name has one of the forms of step_parse.
 * A step may be annotated more than once: on its thread by an annotation within
 * another one, on the device by a copy. Memory: some 300 bytes an annotation.
 */
#ifndef STEP_H
#define STEP_H

#include "base/strmap.h"
#include "trace/timeline.h"

/* --- what an annotation's name says --------------------------------------- */

struct step_form {
	bool context;    /* prompts, or parts of them, are worked on */
	bool generation; /* requests get their next token */
	bool counted;    /* how many tokens of prompts: */
	uint64_t tokens;
};

/*
 * Whether name is a step's:
 *	execute_context_C(T)_generation_G(..)	C requests with T tokens of context
 *	execute_N_context_C(sqT..)_generation_G(..)	the same, of N tokens in all
 *	execute_new_N_cached_M	N requests new, M that ran before
 *	step[EXTEND bs=B toks=T ..]	also MIXED, DECODE and other modes
 *	ProfilerStep#N	which says nothing of what is in it
 * The case of a mode does not matter. What follows such a name is ignored. A number
 * too large is the largest there is.
 */
bool step_parse(struct str name, struct step_form *form);

enum step_phase { STEP_DECODE, STEP_PREFILL, STEP_MIXED, STEP_PHASES };

extern const char *const step_phases[STEP_PHASES];

/*
 * Prefill is a step of at least prefill_tokens tokens of context, or of context
 * whose tokens are not known, and without generation; with both it is mixed
 * where that is wanted; all else is decode.
 */
enum step_phase step_phase(const struct step_form *form, uint64_t prefill_tokens, bool mixed);

/* --- the steps of a trace -------------------------------------------------- */

#define STEP_NONE UINT32_MAX

struct step {
	struct step_form form; /* of the annotation that says most of it */
	struct dec start;      /* of its first annotation, on the host where it has one there */
	bool on_device;        /* it is annotated there, too: its kernels are known by that */
};

/* Starts as {0}. */
struct steps {
	struct step *step; /* in order of time, once built */
	size_t count;
	struct step_annotation *annotations;
	size_t annotations_count;
	size_t annotations_cap;
	struct timeline host; /* values are annotations' numbers */
	struct timeline device;
	struct strmap names; /* of the annotations, without and with their ids */
};

/*
 * An annotation of a step: on a thread of the host, or, of gpu_user_annotation,
 * on a stream, both numbered by the caller; id is its External id, empty where
 * it has none. False, and nothing added, where its end is too large a number.
 */
bool steps_add(struct steps *steps, bool device, size_t thread, struct dec start, struct dec dur,
               struct str name, struct str id, const struct step_form *form);

/* Behind the last annotation. */
void steps_build(struct steps *steps);

/* The step, by number, that was open: */
uint32_t steps_on_thread(const struct steps *steps, size_t thread, struct dec time);
uint32_t steps_on_host(const struct steps *steps, struct dec time); /* on any thread */
uint32_t steps_on_device(const struct steps *steps, size_t stream,
                         struct dec time); /* on that stream, else on any */

void steps_free(struct steps *steps);

#endif
