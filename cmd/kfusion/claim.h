/*
 * claim - the claims of fusion: which class of one trace stands for which kernels of the other.
 * kfusion(1) has the rules in words.
 *
 * A difference is claimed once: a rule does not count kernels that an earlier rule explained.
 */
#ifndef CLAIM_H
#define CLAIM_H

#include "base/buf.h"
#include "base/dec.h"

#include <stdint.h>

struct fusion;

struct claim {
	int by; /* the side that fuses */
	struct str fused;
	uint64_t fused_count;
	struct str parts[2];   /* what the other side runs instead; the second may be empty */
	uint64_t count;        /* kernels that the claim explains */
	uint64_t of;           /* kernels that it could explain */
	struct dec unfused_us; /* time of the unfused kernels */
	struct dec fused_us;   /* time of as much work on the side that fuses */
	struct dec saves_us;   /* the first less the second */
	struct buf evidence;   /* in words */
	size_t about;          /* the class whose counts differ: a number of ops */
	int more;              /* the side that has more of that class */
};

/*
 * Fills fusion->claims, and what these explain in fusion->classes, which must be in the order of
 * their numbers. Returns false if a sum is too large.
 */
bool claim_find(struct fusion *fusion);

/*
 * Whether a side runs a model without experts, and so lacks a class of experts; and whether it may
 * lack a class for this or another reason although it fuses nothing: a collective because there is
 * one GPU, a class of all models because it got another name, a fused class because its parts run.
 */
bool claim_lacks_experts(const struct fusion *fusion, struct str name, int side);
bool claim_lacks_anyway(const struct fusion *fusion, struct str name, int side);

#endif
