/*
 * kclass - the operation class of a kernel: an ordered table of rules over its
 * name, its type, the operator that launched it, and its phase.
 *
 * A rule is a line of text, the same in the program, in --dump and in --rules
 * FILE (kclass(1) has the syntax): class, pattern label, platform or -, then
 * conditions. The first rule whose conditions all hold decides. What no rule
 * knows is of class Other, with the beginning of its name as pattern.
 */
#ifndef KCLASS_H
#define KCLASS_H

#include "base/strmap.h"

/* What is known of a kernel, decoded; what is not known is empty. */
struct kclass_kernel {
	struct str name;
	struct str type;   /* the kernel's type on Ascend: MatMulV2 */
	struct str cat;    /* kernel, gpu_memcpy, gpu_memset */
	struct str cpu_op; /* aten::addmm */
	struct str phase;  /* prefill, decode, mixed */
};

struct kclass_label {
	struct str op;      /* the class: "Attention (Decode)", "Dense GEMM", "Other" */
	struct str pattern; /* what its names have in common: "Cijk_* (Tensile)" */
	/*
	 * The kernel prepares or finishes what another one stands for (the reduction of a
	 * split attention): it has that one's class, and is not another of them.
	 */
	bool part;
};

/* Starts as {0}. Memory: the rules, and each distinct kernel once. */
struct kclass {
	struct buf text;   /* the rules as they were read */
	struct buf values; /* what conditions compare with; does not move */
	struct kclass_rule *rules;
	size_t rules_count;
	size_t rules_cap;
	struct kclass_condition *conditions; /* of all rules, one behind the other */
	size_t conditions_count;
	size_t conditions_cap;
	struct kclass_value *value; /* of all conditions */
	size_t value_count;
	size_t value_cap;
	struct strmap platforms; /* that rules name, in lower case */
	size_t platform;         /* of the kernels, by number; STRMAP_NONE while it is not known */
	bool gpu;                /* the platform is AMD or NVIDIA, whose kernels have no types */
	bool uses[5];            /* the fields of a kernel that some rule looks at */
	struct strmap seen;      /* kernels that were asked for */
	struct kclass_answer *answers; /* by number in seen */
	size_t answers_cap;
	struct strmap labels; /* classes and patterns */
	struct buf key;
	struct buf lower;
	char error[640];
};

/*
 * Loads a set: NULL or "default", "classic", or the name of a file. False where
 * the file cannot be read or a line is no rule: error then says "file:line: what".
 */
bool kclass_load(struct kclass *kclass, const char *set);

/*
 * The platform of the kernels from here on, as ##platform gives it. One that no
 * rule of the set names counts as NVIDIA; empty text: it is not known (again).
 */
void kclass_set_platform(struct kclass *kclass, struct str platform);

/*
 * The class of a kernel; the label's texts are good until the next call. False
 * where the answer depends on the platform, and that is not known.
 */
bool kclass_of(struct kclass *kclass, const struct kclass_kernel *kernel,
               struct kclass_label *label);

/* Whether a class is one of attention: "Attention (Prefill)", "Attention (Decode)", "Attention". */
bool kclass_is_attention(struct str op);

/*
 * Whether it is a class that a model has whatever runs it: attention, Dense GEMM, KV Cache,
 * MoE GEMM, MoE Routing. Where one trace seems to lack it, it has another name there.
 */
bool kclass_is_everywhere(struct str op);

/* The rules, as text that kclass_load reads. */
struct str kclass_dump(const struct kclass *kclass);

void kclass_free(struct kclass *kclass);

#endif
