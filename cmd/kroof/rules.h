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
 * argument decides. No operator is known here. Of several files the first has the first rules, and
 * its sizes and costs count. Memory grows with the rules and the distinct operators.
 */
#ifndef RULES_H
#define RULES_H

#include "patterns.h"
#include "shapes.h"

/* What a rule sets for the table. */
enum rules_figure { RULES_M, RULES_N, RULES_K, RULES_B, RULES_FLOPS, RULES_BYTES, RULES_FIGURES };

/* What the figures are worth, the best first. */
enum rules_basis { RULES_EXACT, RULES_MOST, RULES_ESTIMATE, RULES_BASES };

extern const char *const rules_bases[RULES_BASES];

struct rules_answer {
	struct str class; /* empty: the rule leaves the class to the kernels */
	bool known[RULES_FIGURES];
	struct dec figure[RULES_FIGURES]; /* whole numbers of at least 0 */
	struct str dtype;                 /* as the trace has it; good until the next call */
	bool matrix;                      /* the peak of products counts, not the peak of vectors */
	bool refused;                     /* a default rule gave no figure that can be */
	enum rules_basis basis;
};

enum { RULES_COLUMNS_MAX = 64 }; /* columns of the stream that rules can use */

struct rules_file {
	struct buf text; /* as it was read */
	const char *name;
	bool built_in; /* it came with the program */
	bool sizes;    /* it has a size line */
};

struct rules_rule;
struct rules_op;

/* Starts as {0} and must not move. */
struct rules {
	struct shapes shapes; /* the argument of functions begins with it */
	struct expr_extra extra;
	struct rules_file *file;
	size_t files;
	size_t files_cap;
	struct rules_rule *rule;
	size_t count;
	size_t cap;
	struct patterns patterns; /* which rules have a pattern of an operator */
	size_t patterns_of;       /* rules whose patterns are there */
	struct expr_value op;     /* cpu_op, the name of the operator */
	struct strmap ops;        /* operators so far */
	struct rules_op *of;      /* by number in ops */
	size_t of_cap;
	size_t *candidate; /* rules whose patterns match, operator by operator */
	size_t candidates_count;
	size_t candidates_cap;
	char error[640];   /* "FILE:LINE: message" */
	char refusal[640]; /* the refusal of the first answer with refused */
};

/*
 * Adds the rules of a file after the rules of files before; NULL: the rules that come with the
 * program. False: see error.
 */
bool rules_load(struct rules *rules, const char *file);

/* The columns of the stream that rules for an operator use: bits by number in shapes.columns. */
uint64_t rules_columns(struct rules *rules, struct str op);

/*
 * What the rules know of this call: > 0: *answer is set; 0: no rule applies; < 0: a rule is wrong,
 * see error. column has the texts of shapes.columns. The texts must stay until the answer was
 * used. A default rule is never wrong: its figures are of arguments that no call can have, so it
 * does not apply, and answer->refused is set.
 */
int rules_apply(struct rules *rules, struct str op, const struct args *args,
                const struct str *column, struct rules_answer *answer);

/* Appends the rules of all files as text, which rules_load reads. */
void rules_dump(const struct rules *rules, struct buf *out);

/* Appends the patterns of the operators, each once, a line each. */
void rules_put_patterns(const struct rules *rules, struct buf *out);

void rules_free(struct rules *rules);

#endif
