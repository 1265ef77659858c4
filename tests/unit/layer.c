/* layer: names that make a graph a layer, and layers that begin with an attention. */
#include "unit.h"

#include "trace/layer.h"

static void names(void **state)
{
	static const struct {
		const char *name;
		unsigned kinds;
	} rows[] = {
		{"", 0},
		{"kernel_unified_attention_2d", LAYER_ATTENTION},
		{"void FlashAttentionForward<128>", LAYER_ATTENTION},
		{"fmhaSm100aKernel_QkvBfloat16", LAYER_ATTENTION},
		{"FMHA", LAYER_ATTENTION},
		{"flash_fwd_kernel", 0},
		{"Cijk_Ailk_Bljk_BBS_BH", LAYER_FEED_FORWARD},
		{"nvjet_tst_128x64", LAYER_FEED_FORWARD},
		{"wvSplitK_hf_sml_", LAYER_FEED_FORWARD},
		{"ampere_bf16_s16816GEMM_bf16", LAYER_FEED_FORWARD},
		{"fmha_gemm", LAYER_GRAPH},
		{"Cijk", 0},
		{"triton_poi_fused_0", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_case(rows[i].name, layer_kinds(str_of(rows[i].name)) == rows[i].kinds);
}

static void each_step_and_device_for_itself(void **state)
{
	struct layers layers = {0};

	(void)state;
	layers_build(&layers);
	assert_int_equal(layers_at(&layers, 0, 0, dec_of(5)), LAYER_NONE);
	layers_add(&layers, 1, 0, dec_of(30));
	layers_add(&layers, 0, 0, dec_of(20));
	layers_add(&layers, 0, 0, dec_of(10));
	layers_add(&layers, 0, 2, dec_of(15));
	layers_add(&layers, 0, 0, dec_of(25));
	layers_build(&layers);
	assert_int_equal(layers.most, 3);
	assert_int_equal(layers_at(&layers, 0, 0, dec_of(9)), LAYER_NONE);
	assert_int_equal(layers_at(&layers, 0, 0, dec_of(10)), 0);
	assert_int_equal(layers_at(&layers, 0, 0, dec_of(19)), 0);
	assert_int_equal(layers_at(&layers, 0, 0, dec_of(20)), 1);
	assert_int_equal(layers_at(&layers, 0, 0, dec_of(1000)), 2);
	assert_int_equal(layers_at(&layers, 0, 1, dec_of(1000)), LAYER_NONE);
	assert_int_equal(layers_at(&layers, 0, 2, dec_of(14)), LAYER_NONE);
	assert_int_equal(layers_at(&layers, 0, 2, dec_of(15)), 0);
	assert_int_equal(layers_at(&layers, 1, 0, dec_of(29)), LAYER_NONE);
	assert_int_equal(layers_at(&layers, 1, 0, dec_of(30)), 0);
	assert_int_equal(layers_at(&layers, 2, 0, dec_of(1000)), LAYER_NONE);
	layers_free(&layers);
	assert_int_equal(layers_at(&layers, 1, 0, dec_of(30)), LAYER_NONE);
}

/* Two that start together, on two streams: the kernels of then are in the second. */
static void at_the_same_time(void **state)
{
	struct layers layers = {0};

	(void)state;
	layers_add(&layers, 0, 0, dec_of(10));
	layers_add(&layers, 0, 0, dec_of(10));
	layers_build(&layers);
	assert_int_equal(layers.most, 2);
	assert_int_equal(layers_at(&layers, 0, 0, dec_of(10)), 1);
	layers_free(&layers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(each_step_and_device_for_itself),
		cmocka_unit_test(at_the_same_time),
	};

	return cmocka_run_group_tests_name("layer", tests, NULL, NULL);
}
