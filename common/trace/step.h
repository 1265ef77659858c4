/*
 * step - the steps of a trace: their annotations, their phases, and the step that is open at a
 * time.
 *
 * An annotation belongs to a step if its name has one of the forms of step_parse. A step can have
 * several annotations: one within another on its thread, and copies on the device. Memory: some 300
 * bytes for each annotation.
 */
#ifndef STEP_H
#define STEP_H

#include "base/strmap.h"
#include "trace/timeline.h"

/* --- an annotation's name -------------------------------------------------- */

struct step_form {
	bool context;    /* it works on prompts, or parts of them */
	bool generation; /* it generates the next token of requests */
	bool counted;    /* the name gives tokens, */
	uint64_t tokens; /* the number of tokens of prompts */
};

/*
 * Whether name is that of a step:
 *	execute_context_C(T)_generation_G(..)	C requests with T tokens of context
 *	execute_N_context_C(sqT..)_generation_G(..)	the same, of N tokens in all
 *	execute_new_N_cached_M	N requests new, M that ran before
 *	step[EXTEND bs=B toks=T ..]	also MIXED, DECODE and other modes
 *	ProfilerStep#N	of unknown content
 * The case of a mode does not matter, text after such a name is ignored, and a number that is too
 * large counts as UINT64_MAX.
 */
bool step_parse(struct str name, struct step_form *form);

enum step_phase { STEP_DECODE, STEP_PREFILL, STEP_MIXED, STEP_PHASES };

extern const char *const step_phases[STEP_PHASES];

/*
 * A step without generation is prefill if it has at least prefill_tokens tokens of context, or an
 * unknown number of them. A step with both is mixed if the caller wants that. All others are
 * decode.
 */
enum step_phase step_phase(const struct step_form *form, uint64_t prefill_tokens, bool mixed);

/* --- the steps of a trace -------------------------------------------------- */

#define STEP_NONE UINT32_MAX

struct step {
	struct step_form form; /* of its most specific annotation */
	struct dec start;      /* of its first annotation, on the host if it has one there */
	bool on_device;        /* an annotation on the device shows its kernels */
};

/* Starts as {0}. */
struct steps {
	struct step *step; /* in order of start, once built */
	size_t count;
	struct step_annotation *annotations;
	size_t annotations_count;
	size_t annotations_cap;
	struct timeline host; /* values are annotations' numbers */
	struct timeline device;
	struct strmap names; /* of annotations, without and with their ids */
};

/*
 * Adds an annotation of a step, on a thread of the host or, for a gpu_user_annotation, on a stream
 * of the device; the caller numbers both. id is its External id and can be empty. False, and
 * nothing added, if its end is too large.
 */
bool steps_add(struct steps *steps, bool device, size_t thread, struct dec start, struct dec dur,
               struct str name, struct str id, const struct step_form *form);

/* After the last annotation. */
void steps_build(struct steps *steps);

/* The number of the step that is open at a time; STEP_NONE. */
uint32_t steps_on_thread(const struct steps *steps, size_t thread, struct dec time);
uint32_t steps_on_host(const struct steps *steps, struct dec time); /* on any thread */
uint32_t steps_on_device(const struct steps *steps, size_t stream,
                         struct dec time); /* on that stream, or else on any */

void steps_free(struct steps *steps);

#endif
