/*
 * rules - what a call of an operator computes and moves, by rules in a file, kroof(1).
 *
 *	size 2 bf16	c10::BFloat16, DT_BF16
 *
 *	aten::mm	Dense GEMM
 *		M = dim(0,0); K = dim(0,1); N = dim(1,1); dtype = type(0)
 *		flops = 2*M*N*K; bytes = bytes(0,1) + M*N*size(0)
 *
 * The first rule whose pattern matches the operator, whose conditions hold and which misses no
 * argument decides. No operator is known here. Memory grows with the rules and the
 * distinct operators.
 */
#ifndef RULES_H
#define RULES_H

#include "shapes.h"

/* What a rule sets for the table. */
enum rules_figure { RULES_M, RULES_N, RULES_K, RULES_B, RULES_FLOPS, RULES_BYTES, RULES_FIGURES };

struct rules_answer {
	struct str class;
	bool known[RULES_FIGURES];
	struct dec figure[RULES_FIGURES]; /* whole numbers of at least 0 */
	struct str dtype;                 /* as the trace has it; good until the next call */
	bool matrix;                      /* the peak of products counts, not the peak of vectors */
	bool refused;                     /* a default rule gave no figure that can be */
};

struct rules_rule;

/* Starts as {0} and must not move. */
struct rules {
	struct shapes shapes; /* the argument of functions begins with it */
	struct expr_extra extra;
	struct buf text; /* the rules as they were read */
	const char *file;
	bool built_in; /* they came with the program */
	struct rules_rule *rule;
	size_t count;
	size_t cap;
	struct expr_value op; /* cpu_op, the name of the operator */
	struct strmap ops;    /* operators so far */
	size_t *candidate;    /* rules whose patterns match, operator by operator */
	size_t candidates_count;
	size_t candidates_cap;
	size_t *end; /* end of the rules of each operator in candidate, by number in ops */
	size_t end_cap;
	char error[640];   /* "FILE:LINE: message" */
	char refusal[640]; /* the refusal of the first answer with refused */
};

/* Loads a file; NULL: the rules that come with the program. False: see error. */
bool rules_load(struct rules *rules, const char *file);

/*
 * What the rules know of this call: > 0: *answer is set; 0: no rule applies; < 0: a rule is wrong,
 * see error. The texts must stay until the answer was used. A default rule is never wrong: its
 * figures are of arguments that no call can have, so it does not apply, and answer->refused is set.
 */
int rules_apply(struct rules *rules, struct str op, const struct args *args,
                struct rules_answer *answer);

/* The rules as text, which rules_load reads. */
struct str rules_dump(const struct rules *rules);

/* Appends the patterns of the operators, each once, a line each. */
void rules_put_patterns(const struct rules *rules, struct buf *out);

void rules_free(struct rules *rules);

#endif
