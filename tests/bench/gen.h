/*
 * gen - what the generators share: random numbers from a seed, times, kernel
 * names, and the sums that a reader of their output must arrive at.
 *
 * Times are whole nanoseconds, so the sums are exact and come from no code of
 * the programs that are measured.
 */
#ifndef GEN_H
#define GEN_H

#include "base/buf.h"

#include <inttypes.h>
#include <stdio.h>

#define GEN_EPOCH_NS INT64_C(1716543210123456789)

struct gen {
	uint64_t state; /* state of the random numbers, at first the seed */
};

static inline uint32_t gen_next(struct gen *gen)
{
	uint64_t x = gen->state += UINT64_C(0x9e3779b97f4a7c15); /* no seed is a bad one */

	x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(x >> 32);
}

/* 0 to n - 1. */
static inline uint32_t gen_below(struct gen *gen, uint32_t n)
{
	return (uint32_t)(((uint64_t)gen_next(gen) * n) >> 32);
}

/* Once in n calls. */
static inline bool gen_once_in(struct gen *gen, uint32_t n)
{
	return gen_below(gen, n) == 0;
}

#define GEN_PICK(gen, array) ((array)[gen_below(gen, sizeof(array) / sizeof *(array))])

/* How long kernel `number` takes this time: its own typical time, give or take a quarter. */
static inline int64_t gen_kernel_ns(struct gen *gen, uint32_t number)
{
	uint32_t typical = 1500 + number * 7919 % 97 * (number % 7 + 1) * 180;
	uint32_t ns = typical - typical / 4 + gen_below(gen, typical / 2);

	return ns - ns % 32; /* the step of a GPU's clock */
}

/* Microseconds with three places. */
static inline void gen_us(struct buf *out, int64_t ns)
{
	buf_format(out, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

/* The name of kernel `number`; no two are equal. Some are mangled, some are templates, some short.
 */
static inline void gen_kernel_name(struct buf *out, uint32_t number)
{
	static const char *const forms[] = {
		"ampere_bf16_s16816gemm_bf16_#x128_ldg8_f2f_stages_64x4_tn",
		"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, "
		"std::array<char*, #ul> >(int, at::native::AddFunctor<float>, std::array<char*, 3ul>)",
		"triton_poi_fused__to_copy_add_mul_silu_#",
		"_ZN5flash16flash_fwd_kernelI23Flash_fwd_kernel_traitsILi#ELi128ELi64ELi4ELb0ELb0E"
		"N7cutlass10bfloat16_tEEEvNS_16Flash_fwd_paramsE",
		"Memset_#",
		"void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::"
		"(anonymous namespace)::OpaqueType<2u>, unsigned int, #, 128, 1>(at::native::"
		"(anonymous namespace)::OpaqueType<2u>*, int, unsigned int)",
		"void rms_norm_kernel<c10::BFloat16, #>(c10::BFloat16*, c10::BFloat16 const*, float, int)",
		"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<#ul>)",
	};
	const char *form = forms[number % (sizeof forms / sizeof *forms)];
	size_t before = strcspn(form, "#");

	buf_bytes(out, form, before);
	buf_format(out, "%" PRIu32, number);
	buf_text(out, form + before + 1);
}

/* A number of rows and the exact sum of their durations. */
struct gen_sum {
	uint64_t rows;
	int64_t ns;
};

static inline void gen_add(struct gen_sum *sum, int64_t ns)
{
	sum->rows++;
	sum->ns += ns;
}

/* One line on standard error: what was summed, how many rows, their µs. */
static inline void gen_print_sum(const char *what, struct gen_sum sum)
{
	fprintf(stderr, "%s\t%" PRIu64 "\t%" PRId64 ".%03d\n", what, sum.rows, sum.ns / 1000,
	        (int)(sum.ns % 1000));
}

#endif
