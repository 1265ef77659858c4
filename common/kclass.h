/*
 * kclass - the operation class of a kernel: an ordered table of rules over its
 * name, its type, the operator that launched it, and its phase.
 *
 * A rule is a line of text, the same in the program, in --dump and in --rules
 * FILE (kclass(1) has the syntax): class, pattern label, platform or -, then
 * conditions. The first rule whose conditions all hold decides; there is none
 * for what no rule knows: class Other, and the beginning of the name as pattern.
 */
#ifndef KCLASS_H
#define KCLASS_H

#include "strmap.h"

/* What is known of a kernel, decoded; what is not known is empty. Case does not matter. */
struct kclass_kernel {
	struct str name;
	struct str type;   /* the kernel's type on Ascend: MatMulV2 */
	struct str cat;    /* gpu_memcpy, gpu_memset, kernel, or an accelerator core */
	struct str cpu_op; /* aten::addmm */
	struct str phase;  /* prefill, decode, mixed */
};

struct kclass_label {
	struct str op;      /* the class: "Attention (Decode)", "Dense GEMM", … "Other" */
	struct str pattern; /* what its names have in common: "Cijk_* (Tensile)" */
	/*
	 * The kernel finishes or prepares what another kernel stands for (the reduction
	 * of a split attention): it has that one's class, and is not another of them.
	 */
	bool part;
};

/* Starts as {0}. Memory: the rules, and each distinct kernel once. */
struct kclass {
	const char *set; /* "default", "classic", or the file the rules came from */
	struct kclass_rule *rules;
	size_t count;
	size_t cap;
	unsigned uses;        /* the fields of a kernel that some rule looks at */
	struct strmap texts;  /* of rules and labels */
	struct strmap seen;   /* kernels that were asked for */
	struct kclass_answer *answers; /* by number in seen */
	size_t answers_cap;
	struct buf platform; /* lower case; empty while it is not known */
	struct buf key;
	struct buf lower;
	char error[400];
};

/*
 * Loads a set: NULL or "default", "classic", or the name of a file. False where
 * the file cannot be read or a line is no rule: error then says "file:line: what".
 */
bool kclass_load(struct kclass *kclass, const char *set);

/*
 * The platform of the kernels from here on, as ##platform gives it. One that no
 * rule of the set names counts as NVIDIA.
 */
void kclass_set_platform(struct kclass *kclass, struct str platform);

/*
 * The class of a kernel; the label's texts are good until the next call. False
 * where the answer depends on the platform, and none has been set yet.
 */
bool kclass_of(struct kclass *kclass, const struct kclass_kernel *kernel,
               struct kclass_label *label);

/* Whether a class is one of attention: "Attention (Prefill)", "Attention (Decode)", "Attention". */
bool kclass_is_attention(struct str op);

/* Appends the rules as lines, as kclass_load reads them. */
void kclass_dump(const struct kclass *kclass, struct buf *out);

void kclass_free(struct kclass *kclass);

#endif
