/* fusion_models - two made models for the tests of fusion and claim. */
#ifndef FUSION_MODELS_H
#define FUSION_MODELS_H

#include "kfusion/fusion.h"

/* A letter is a kernel of this class. */
static const struct {
	char letter;
	const char *op;
} classes[] = {
	{'A', "Attention (Decode)"},
	{'C', "Collective"},
	{'E', "Elementwise"},
	{'F', "RMSNorm+GEMM"},
	{'G', "Dense GEMM"},
	{'N', "RMSNorm"},
	{'Q', "Quantization"},
	{'S', "SwiGLU+GEMM"},
	{'T', "Triton Fused"},
	{'V', "Activation"},
	{'f', "RMSNorm+Dense GEMM"},
	{'p', "Attention part"},
	{'O', "Other"},
	{'R', "Random"},
	{'M', "MoE Finalize"},
	{'B', "MoE GEMM"},
};

/* Launches of so many layers, each of these kernels; each launch is a step. */
struct model {
	const char *layer;
	size_t launches;
	size_t layers;
};

static inline void add_model(struct fusion *fusion, int s, struct strmap *ops, struct model model)
{
	struct sequence_kernel kernel = {.dur = dec_of(2), .device = 0};
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
static inline void shuffle(struct fusion *fusion, struct strmap *ops, uint64_t *random)
{
	struct strmap other = {0};

	for (size_t i = ops->count; i-- > 0;)
		strmap_add(&other, strmap_key(ops, i), NULL);
	for (int s = 0; s < FUSION_SIDES; s++) {
		struct sequence *side = &fusion->side[s];

		for (size_t i = 0; i < side->count; i++) {
			size_t j = i + unit_below(random, side->count - i);
			struct sequence_kernel kernel = side->kernels[i];

			side->kernels[i] = side->kernels[j];
			side->kernels[j] = kernel;
			side->kernels[i].op = strmap_find(&other, strmap_key(ops, side->kernels[i].op));
		}
	}
	strmap_free(ops);
	*ops = other;
}

/* Fails if the text depends on the order of kernels or classes, or is not as wanted. */
static inline void assert_put(void (*put)(struct buf *, const struct fusion *), struct model a,
                              struct model b, uint64_t pairs, const char *want)
{
	uint64_t random = 1;

	for (size_t i = 0; i < 4; i++) {
		struct fusion fusion = {.min_group = 50};
		struct strmap ops = {0};
		struct buf out = {0};

		add_model(&fusion, 0, &ops, a);
		add_model(&fusion, 1, &ops, b);
		if (i)
			shuffle(&fusion, &ops, &random);
		assert_true(fusion_find(&fusion, &ops));
		assert_int_equal(fusion.matching.count, pairs);
		put(&out, &fusion);
		assert_str(buf_view(&out), str_of(want));
		buf_free(&out);
		fusion_free(&fusion);
		strmap_free(&ops);
	}
}

#endif
