/*
 * kclass - the operation class of a kernel, by an ordered table of rules over its name, its type,
 * the operator that launched it, and its phase.
 *
 * The rules that come with the program are the file classic.rules and the files of the folder
 * default, joined in the order of their names. All are in the format of --dump and --rules FILE,
 * see "Rules" in kclass(1). The first rule whose conditions all hold decides. A kernel that no rule
 * matches is of class Other, with the beginning of its name as the pattern.
 */
#ifndef KCLASS_H
#define KCLASS_H

#include "base/strmap.h"

/* The fields of a kernel, decoded; empty if unknown. */
struct kclass_kernel {
	struct str name;
	struct str type;   /* the kernel's type on Ascend: MatMulV2 */
	struct str cat;    /* kernel, gpu_memcpy, gpu_memset */
	struct str cpu_op; /* aten::addmm */
	struct str phase;  /* prefill, decode, mixed */
};

struct kclass_label {
	struct str op;      /* the class: "Attention (Decode)", "Dense GEMM", "Other" */
	struct str pattern; /* a name for kernels of that kind: "Cijk_* (Tensile)" */
	/*
	 * The kernel prepares or finishes the work of another kernel (the reduction of a split
	 * attention): it has the class of that kernel and does not count as a second one.
	 */
	bool part;
};

/* The kernels that are remembered, and what is known of them, have so many bytes. */
enum { KCLASS_SEEN = 1 << 24 };

/* Starts as {0}. Memory grows with the rules, and with distinct kernels up to KCLASS_SEEN. */
struct kclass {
	const char *file;  /* file of the rules, for messages */
	struct buf text;   /* the rules as they were read */
	struct buf values; /* values of all conditions; does not move */
	struct kclass_rule *rules;
	size_t rules_count;
	size_t rules_cap;
	struct kclass_condition *conditions; /* conditions of all rules, in their order */
	size_t conditions_count;
	size_t conditions_cap;
	struct kclass_value *value; /* values of all conditions */
	size_t value_count;
	size_t value_cap;
	struct strmap platforms; /* platforms that rules name, in lower case */
	size_t platform;    /* platform of the kernels, by number; STRMAP_NONE while it is unknown */
	bool gpu;           /* the platform is AMD or NVIDIA, whose kernels have no types */
	bool uses[5];       /* the fields of a kernel that any rule looks at */
	struct strmap seen; /* the distinct kernels, until they have too many bytes */
	struct kclass_answer *answers; /* by number in seen */
	size_t answers_cap;
	struct strmap labels; /* classes and patterns */
	struct buf key;
	struct buf lower;
	char error[640];
};

/*
 * Loads a set of rules: NULL or "default", "classic", or the name of a file. False if the file
 * cannot be read or a line is not a rule; error is then "FILE:LINE: message".
 */
bool kclass_load(struct kclass *kclass, const char *set);

/*
 * Sets the platform of the kernels from here on, as ##platform gives it. A platform that no rule
 * names counts as NVIDIA; empty text means that it is unknown again. True if classes may differ
 * now.
 */
bool kclass_set_platform(struct kclass *kclass, struct str platform);

/*
 * The class of a kernel; the label's texts are good until the next call, and as long as the
 * kernel's name. False if the answer depends on the platform and that is unknown. kclass_decide
 * tries the rules, kclass_of only for a kernel that it has not just seen.
 */
bool kclass_decide(struct kclass *kclass, const struct kclass_kernel *kernel,
                   struct kclass_label *label);
bool kclass_of(struct kclass *kclass, const struct kclass_kernel *kernel,
               struct kclass_label *label);

/*
 * Whether the kernel begins a layer of a model: it is an attention, and not a part of one. The
 * rules must be the default set, which knows the parts and needs no platform.
 */
bool kclass_begins_layer(struct kclass *kclass, const struct kclass_kernel *kernel);

/*
 * Whether every model has this class, whatever runs it: attention, Dense GEMM, KV Cache, MoE GEMM,
 * MoE Routing. If one trace seems to lack it, its kernels have other names there.
 */
bool kclass_is_everywhere(struct str op);

/* The rules as text, which kclass_load reads. */
struct str kclass_dump(const struct kclass *kclass);

void kclass_free(struct kclass *kclass);

#endif
