/* claim: which class of one trace stands for which kernels of the other. */
#include "../unit.h"

#include "fusion_models.h"

static void put_claims(struct buf *out, const struct fusion *fusion)
{
	for (size_t i = 0; i < fusion->claims_count; i++) {
		const struct claim *claim = &fusion->claims[i];

		buf_format(out, "trace%d ", claim->by + 1);
		buf_str(out, claim->fused);
		buf_format(out, " %d: ", (int)claim->fused_count);
		buf_str(out, claim->parts[0]);
		buf_text(out, ", ");
		buf_str(out, claim->parts[1]);
		buf_format(out, " %d of %d: ", (int)claim->count, (int)claim->of);
		buf_str(out, buf_view(&claim->evidence));
		buf_char(out, '\n');
	}
}

static void claims(void **state)
{
	(void)state;
	/* A fused class, and its two parts, one after the other. */
	assert_put(put_claims, (struct model){"AGFE", 1, 32}, (struct model){"AGNGE", 1, 32}, 1,
	           "trace1 RMSNorm+GEMM 32: RMSNorm, Dense GEMM 32 of 32: trace2 has no RMSNorm+GEMM; "
	           "32 of its 32 RMSNorm are followed by Dense GEMM\n");
	assert_put(put_claims, (struct model){"AGVG", 2, 16}, (struct model){"AGS", 2, 16}, 0,
	           "trace2 SwiGLU+GEMM 32: Activation, Dense GEMM 32 of 32: trace1 has no SwiGLU+GEMM; "
	           "32 of its 32 Activation are followed by Dense GEMM\n");
	/* Two classes of equal parts: these are explained once. */
	assert_put(put_claims, (struct model){"AGFGf", 1, 20}, (struct model){"AGNGN", 1, 20}, 1,
	           "trace1 RMSNorm+Dense GEMM 20: RMSNorm, Dense GEMM 20 of 40: trace2 has no "
	           "RMSNorm+Dense GEMM; 20 of its 40 RMSNorm are followed by Dense GEMM\n");
	/* A class that one side has alone follows one that both have, or precedes it. */
	assert_put(put_claims, (struct model){"NE", 1, 20}, (struct model){"NQE", 1, 20}, 0,
	           "trace1 RMSNorm 20: RMSNorm, Quantization 20 of 20: trace1 has no Quantization; 20 "
	           "of 20 in trace2 follow RMSNorm\n");
	/* Nothing of collectives, nor of fewer than five. */
	assert_put(put_claims, (struct model){"NE", 1, 20}, (struct model){"NCE", 1, 20}, 0, "");
	assert_put(put_claims, (struct model){"NE", 1, 4}, (struct model){"NQE", 1, 4}, 0, "");
	/* More of one class, and of another one in its place; longer chains. */
	assert_put(
		put_claims, (struct model){"NETV", 5, 20}, (struct model){"NEVEV", 5, 20}, 5,
		"trace1 Triton Fused 100: Activation,  100 of 200: trace2 runs it 200 times, trace1 "
		"100; in 5 of the 5 groups where it has fewer, trace1 has more Triton Fused\n"
		"trace1 Triton Fused 100: Elementwise,  100 of 200: trace2 runs it 200 times, trace1 "
		"100; in 5 of the 5 groups where it has fewer, trace1 has more Triton Fused\n");
	assert_put(put_claims, (struct model){"NE", 1, 30}, (struct model){"NEEE", 1, 30}, 0,
	           "trace1 Elementwise 30: Elementwise, Elementwise 60 of 90: chains of 3 kernels in "
	           "trace2, of 1 in trace1\n");
	assert_put(put_claims, (struct model){"", 0, 0}, (struct model){"", 0, 0}, 0, "");
}

/* The times of the first claim. */
static void put_times(struct buf *out, const struct fusion *fusion)
{
	const struct claim *claim = &fusion->claims[0];

	dec_print(out, claim->unfused_us);
	buf_text(out, " - ");
	dec_print(out, claim->fused_us);
	buf_text(out, " = ");
	dec_print(out, claim->saves_us);
}

/* A difference is explained once. */
static void once(void **state)
{
	(void)state;
	/* By name, and not by its products, of which trace2 has 1.5 times as many. */
	assert_put(put_claims, (struct model){"AGGFE", 6, 12}, (struct model){"AGGNGE", 6, 12}, 6,
	           "trace1 RMSNorm+GEMM 72: RMSNorm, Dense GEMM 72 of 72: trace2 has no RMSNorm+GEMM; "
	           "72 of its 72 RMSNorm are followed by Dense GEMM\n");
	/* Not as what trace1 fuses others into: it has more products as it does not fuse them. */
	assert_put(put_claims, (struct model){"AGNGE", 6, 12}, (struct model){"AEGEFE", 6, 12}, 6,
	           "trace2 RMSNorm+GEMM 72: RMSNorm, Dense GEMM 72 of 72: trace1 has no RMSNorm+GEMM; "
	           "72 of its 72 RMSNorm are followed by Dense GEMM\n");
	/* As the fused class that it is, and not as one that trace2 fuses, as well. */
	assert_put(put_claims, (struct model){"NQEVV", 6, 12}, (struct model){"NEEEVV", 6, 12}, 6,
	           "trace1 Quantization 72: Elementwise,  144 of 216: trace2 runs it 216 times, trace1 "
	           "72; in 6 of the 6 groups where it has fewer, trace1 has more Quantization\n");
	/* Equally many of another class in this place: one kernel under two names. */
	assert_put(put_claims, (struct model){"NQE", 1, 20}, (struct model){"NRE", 1, 20}, 1, "");
	assert_put(put_claims, (struct model){"NQE", 1, 20}, (struct model){"NOE", 1, 20}, 1, "");
	/* Equal classes in another order. */
	assert_put(put_claims, (struct model){"NENENE", 1, 20}, (struct model){"NNNEEE", 1, 20}, 1, "");
	/* As many of another one, which both have. */
	assert_put(put_claims, (struct model){"NEVV", 5, 20}, (struct model){"NEEV", 5, 20}, 5, "");
}

static void parts(void **state)
{
	(void)state;
	assert_put(put_claims, (struct model){"NAG", 1, 20}, (struct model){"NApG", 1, 20}, 0,
	           "trace1 Attention (Decode) 20: Attention (Decode), Attention part 20 of 20: trace1 "
	           "has no Attention part; 20 of 20 in trace2 follow Attention (Decode)\n");
	/* One before and one after it. */
	assert_put(put_claims, (struct model){"NAG", 1, 20}, (struct model){"NpApG", 1, 20}, 0,
	           "trace1 Attention (Decode) 20: Attention (Decode), Attention part 40 of 40: trace1 "
	           "has no Attention part; 40 of 40 in trace2 stand beside Attention (Decode)\n");
	/* Both split it. */
	assert_put(put_claims, (struct model){"NpAG", 1, 20}, (struct model){"NApG", 1, 20}, 1, "");
	/* Experts that the other model has not. */
	assert_put(put_claims, (struct model){"NE", 1, 30}, (struct model){"NME", 1, 20}, 1, "");
	assert_put(put_claims, (struct model){"NEB", 1, 30}, (struct model){"NMEB", 1, 23}, 1,
	           "trace1 RMSNorm 30: RMSNorm, MoE Finalize 23 of 23: trace1 has no MoE Finalize; 23 "
	           "of 23 in trace2 follow RMSNorm\n");
}

static void times(void **state)
{
	(void)state;
	/* 20 of both, at 2 us, for 20 of one. */
	assert_put(put_times, (struct model){"NE", 1, 20}, (struct model){"NQE", 1, 20}, 0,
	           "80 - 40 = 40");
	assert_put(put_times, (struct model){"NE", 1, 40}, (struct model){"NQE", 1, 20}, 1,
	           "80 - 40 = 40");
	assert_put(put_times, (struct model){"AGFE", 1, 16}, (struct model){"AGNGE", 1, 32}, 0,
	           "128 - 64 = 64");
	assert_put(put_times, (struct model){"NETV", 5, 20}, (struct model){"NEVEV", 5, 20}, 5,
	           "200 - 200 = 0");
	assert_put(put_times, (struct model){"NE", 1, 30}, (struct model){"NEEE", 1, 30}, 0,
	           "180 - 60 = 120");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims),
		cmocka_unit_test(once),
		cmocka_unit_test(parts),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests_name("claim", tests, NULL, NULL);
}
