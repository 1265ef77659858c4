/* fusion: the classes of two traces, and how often they launch each. */
#include "../unit.h"

#include "fusion_models.h"

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

static void put_opportunities(struct buf *out, const struct fusion *fusion)
{
	static const char *const per[] = {"group", "step", "trace"};

	for (size_t i = 0; i < fusion->opportunities_count; i++) {
		const struct fusion_opportunity *row = &fusion->opportunities[i];

		buf_str(out, row->class->name);
		for (int s = 0; s < FUSION_SIDES; s++) {
			buf_format(out, " %d*", (int)row->sum[s].count);
			dec_print(out, row->sum[s].total);
		}
		buf_format(out, " %s %d\n", per[row->per], row->by + 1);
	}
}

static void opportunities(void **state)
{
	(void)state;
	/* Over twice as often, not twice; the larger difference of times first. */
	assert_put(put_opportunities, (struct model){"NNEVQ", 1, 20},
	           (struct model){"NNEEVVVQQQQ", 1, 10}, 1, "");
	assert_put(put_opportunities, (struct model){"NEVQ", 1, 20},
	           (struct model){"NEEVVVQQQQ", 1, 20}, 0,
	           "Quantization 20*40 80*160 step 1\nActivation 20*40 60*120 step 1\n");
	/* Alone: a fused class is that of the side that has it. */
	assert_put(put_opportunities, (struct model){"AGF", 1, 20}, (struct model){"AGNG", 1, 20}, 0,
	           "RMSNorm 0*0 20*40 step 1\nRMSNorm+GEMM 20*40 0*0 step 1\n");
	/* Another reason. */
	assert_put(put_opportunities, (struct model){"NEC", 1, 20}, (struct model){"NEO", 1, 20}, 1,
	           "Collective 20*40 0*0 group 0\nOther 0*0 20*40 group 0\n");
	assert_put(put_opportunities, (struct model){"NEQ", 1, 20}, (struct model){"NER", 1, 20}, 1,
	           "Quantization 20*40 0*0 group 0\nRandom 0*0 20*40 group 0\n");
	/* Fewer than five; a longer trace of equal steps. */
	assert_put(put_opportunities, (struct model){"NE", 1, 4}, (struct model){"NEQ", 1, 4}, 0, "");
	assert_put(put_opportunities, (struct model){"NE", 9, 4}, (struct model){"NE", 2, 4}, 0, "");
}

static void too_large(void **state)
{
	struct fusion fusion = {.min_group = 50};
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
		cmocka_unit_test(sums),
		cmocka_unit_test(opportunities),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("fusion", tests, NULL, NULL);
}
