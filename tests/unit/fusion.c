/* fusion: what one of two traces does in one kernel and the other in several. */
#include "unit.h"

#include "compare/fusion.h"

/* A letter is a kernel of this class. */
static const struct {
	char letter;
	const char *op;
} classes[] = {
	{'A', "Attention (Decode)"}, {'C', "Collective"},         {'E', "Elementwise"},
	{'F', "RMSNorm+GEMM"},       {'G', "Dense GEMM"},         {'N', "RMSNorm"},
	{'Q', "Quantization"},       {'S', "SwiGLU+GEMM"},        {'T', "Triton Fused"},
	{'V', "Activation"},         {'f', "RMSNorm+Dense GEMM"},
};

/* Launches of so many layers, each of these kernels; each launch is a step. */
struct model {
	const char *layer;
	size_t launches;
	size_t layers;
};

static void add_model(struct fusion *fusion, int s, struct strmap *ops, struct model model)
{
	struct fusion_kernel kernel = {.dur = dec_of(2), .device = 0};
	int64_t ts = 0;

	for (size_t i = 0; i < model.launches; i++) {
		for (size_t j = 0; j < model.layers; j++) {
			for (const char *c = model.layer; *c; c++) {
				for (size_t k = 0; k < COUNT(classes); k++)
					if (classes[k].letter == *c)
						kernel.op = strmap_add(ops, str_of(classes[k].op), NULL);
				kernel.ts = dec_of(++ts);
				kernel.launch = kernel.step = i;
				fusion_add(fusion, s, &kernel);
			}
		}
	}
}

/* The classes numbered in another order, and the kernels in another one, too. */
static void shuffle(struct fusion *fusion, struct strmap *ops, uint64_t *random)
{
	struct strmap other = {0};

	for (size_t i = ops->count; i-- > 0;)
		strmap_add(&other, strmap_key(ops, i), NULL);
	for (int s = 0; s < FUSION_SIDES; s++) {
		struct fusion_side *side = &fusion->side[s];

		for (size_t i = 0; i < side->count; i++) {
			size_t j = i + unit_below(random, side->count - i);
			struct fusion_kernel kernel = side->kernels[i];

			side->kernels[i] = side->kernels[j];
			side->kernels[j] = kernel;
			side->kernels[i].op = strmap_find(&other, strmap_key(ops, side->kernels[i].op));
		}
	}
	strmap_free(ops);
	*ops = other;
}

static void put_mappings(struct buf *out, const struct fusion *fusion)
{
	for (size_t i = 0; i < fusion->mappings_count; i++) {
		const struct fusion_mapping *mapping = &fusion->mappings[i];

		buf_format(out, "trace%d ", mapping->by + 1);
		buf_str(out, mapping->fused);
		buf_format(out, " %d: ", (int)mapping->fused_count);
		buf_str(out, mapping->parts[0]);
		buf_text(out, ", ");
		buf_str(out, mapping->parts[1]);
		buf_format(out, " %d of %d: ", (int)mapping->count, (int)mapping->of);
		buf_str(out, buf_view(&mapping->evidence));
		buf_char(out, '\n');
	}
}

static void put_classes(struct buf *out, const struct fusion *fusion)
{
	for (size_t i = 0; i < fusion->classes_count; i++) {
		const struct fusion_class *class = &fusion->classes[i];

		buf_str(out, class->name);
		for (int s = 0; s < FUSION_SIDES; s++) {
			buf_format(out, " %d*", (int)class->sum[s].count);
			dec_print(out, class->sum[s].total);
			buf_format(out, " %d %d", (int)class->chains[s], (int)class->grouped[s]);
		}
		buf_format(out, " %d\n", (int)class->differ);
	}
}

/* The same whatever the order of kernels and classes. */
static void assert_put(void (*put)(struct buf *, const struct fusion *), struct model a,
                       struct model b, uint64_t pairs, const char *want)
{
	uint64_t random = 1;

	for (size_t i = 0; i < 4; i++) {
		struct fusion fusion = {.error = ""};
		struct strmap ops = {0};
		struct buf out = {0};

		add_model(&fusion, 0, &ops, a);
		add_model(&fusion, 1, &ops, b);
		if (i)
			shuffle(&fusion, &ops, &random);
		assert_true(fusion_find(&fusion, &ops));
		assert_int_equal(fusion.pairs, pairs);
		put(&out, &fusion);
		assert_str(buf_view(&out), str_of(want));
		buf_free(&out);
		fusion_free(&fusion);
		strmap_free(&ops);
	}
}

static void mappings(void **state)
{
	(void)state;
	/* A fused class, and its two parts, one after the other. */
	assert_put(put_mappings, (struct model){"AGFE", 1, 32}, (struct model){"AGNGE", 1, 32}, 1,
	           "trace1 RMSNorm+GEMM 32: RMSNorm, Dense GEMM 32 of 32: trace2 has no RMSNorm+GEMM; "
	           "32 of its 32 RMSNorm are followed by Dense GEMM\n");
	assert_put(put_mappings, (struct model){"AGVG", 2, 16}, (struct model){"AGS", 2, 16}, 0,
	           "trace2 SwiGLU+GEMM 32: Activation, Dense GEMM 32 of 32: trace1 has no SwiGLU+GEMM; "
	           "32 of its 32 Activation are followed by Dense GEMM\n");
	/* Two classes that fuse the same. */
	assert_put(put_mappings, (struct model){"AGFGf", 1, 20}, (struct model){"AGNGN", 1, 20}, 1,
	           "trace1 RMSNorm+Dense GEMM 20: RMSNorm, Dense GEMM 20 of 40: trace2 has no "
	           "RMSNorm+Dense GEMM; 20 of its 40 RMSNorm are followed by Dense GEMM\n"
	           "trace1 RMSNorm+GEMM 20: RMSNorm, Dense GEMM 20 of 40: trace2 has no RMSNorm+GEMM; "
	           "20 of its 40 RMSNorm are followed by Dense GEMM\n");
	/* A class that one side has alone follows one that both have, or precedes it. */
	assert_put(put_mappings, (struct model){"NE", 1, 20}, (struct model){"NQE", 1, 20}, 0,
	           "trace1 RMSNorm 20: RMSNorm, Quantization 20 of 20: trace1 has no Quantization; 20 "
	           "of 20 in trace2 follow RMSNorm\n");
	/* Nothing of collectives, nor of fewer than five. */
	assert_put(put_mappings, (struct model){"NE", 1, 20}, (struct model){"NCE", 1, 20}, 0, "");
	assert_put(put_mappings, (struct model){"NE", 1, 4}, (struct model){"NQE", 1, 4}, 0, "");
	/* More of one class, and of another one in its place; longer chains. */
	assert_put(
		put_mappings, (struct model){"NETV", 5, 20}, (struct model){"NEVEV", 5, 20}, 5,
		"trace1 Triton Fused 100: Activation,  100 of 200: trace2 runs it 200 times, trace1 "
		"100; in 5 of the 5 groups where it has fewer, trace1 has more Triton Fused\n"
		"trace1 Triton Fused 100: Elementwise,  100 of 200: trace2 runs it 200 times, trace1 "
		"100; in 5 of the 5 groups where it has fewer, trace1 has more Triton Fused\n");
	assert_put(put_mappings, (struct model){"NE", 1, 30}, (struct model){"NEEE", 1, 30}, 0,
	           "trace1 Elementwise 30: Elementwise, Elementwise 60 of 90: chains of 3 kernels in "
	           "trace2, of 1 in trace1\n");
	assert_put(put_mappings, (struct model){"", 0, 0}, (struct model){"", 0, 0}, 0, "");
}

static void sums(void **state)
{
	(void)state;
	/* A chain ends with its step; groups of at least 50 kernels match. */
	assert_put(put_classes, (struct model){"NEE", 2, 17}, (struct model){"ENE", 2, 17}, 2,
	           "Elementwise 68*136 34 68 68*136 36 68 0\nRMSNorm 34*68 34 34 34*68 34 34 0\n");
	assert_put(put_classes, (struct model){"NEE", 2, 16}, (struct model){"NEE", 2, 17}, 0,
	           "Elementwise 64*128 32 0 68*136 34 0 0\nRMSNorm 32*64 32 0 34*68 34 0 0\n");
	assert_put(put_classes, (struct model){"NEE", 1, 20}, (struct model){"NEG", 1, 20}, 1,
	           "Dense GEMM 0*0 0 0 20*40 20 20 1\nElementwise 40*80 20 40 20*40 20 20 1\n"
	           "RMSNorm 20*40 20 20 20*40 20 20 0\n");
}

static void too_large(void **state)
{
	struct fusion fusion = {.error = ""};
	struct strmap ops = {0};

	(void)state;
	add_model(&fusion, 1, &ops, (struct model){"N", 1, 2});
	for (size_t i = 0; i < 2; i++)
		fusion.side[1].kernels[i].dur.nano = (((__int128)1 << 126) - 1) * 2 + 1;
	assert_false(fusion_find(&fusion, &ops));
	assert_text(str_of(fusion.error), "dur: the sum is too large");
	fusion_free(&fusion);
	strmap_free(&ops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings),
		cmocka_unit_test(sums),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("fusion", tests, NULL, NULL);
}
