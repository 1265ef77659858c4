/* layer: names that make a graph a layer, and layers that begin with an attention. */
#include "../unit.h"

#include "kcontext/layer.h"

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

	struct layer_names seen = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_case(rows[i].name, layer_kinds(str_of(rows[i].name)) == rows[i].kinds);
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		const char *name = rows[i % COUNT(rows)].name;

		assert_case(name, layer_names_kinds(&seen, str_of(name)) == rows[i % COUNT(rows)].kinds);
	}
	layer_names_free(&seen);
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

static void calls_of_modules(void **state)
{
	static const struct {
		const char *function;
		const char *class;
		bool is;
	} cases[] = {
		{"nn.Module: Qwen2DecoderLayer_0", "Qwen2DecoderLayer", true},
		{"nn.Module: Qwen2DecoderLayer_17", "DecoderLayer", true},
		{"nn.Module: Qwen2DecoderLayer", "Qwen2DecoderLayer", true},
		{"nn.Module: Qwen2DecoderLayer_0", "Qwen2", false},
		{"nn.Module: Qwen2DecoderLayer_0", "Qwen2DecoderLayer_0", false},
		{"nn.Module: Conv2", "Conv2", true},
		{"nn.Module: Layer_", "Layer", false},
		{"nn.Module: _0", "Layer", false},
		{"nn.Module: ", "Layer", false},
		{"model.py(3): DecoderLayer", "DecoderLayer", false},
	};
	struct layer_calls calls = {0};
	static const struct layer_call in[] = {
		{.function = 0, .step = 1, .ts = {20}}, {.function = 1, .step = 0, .ts = {10}},
		{.function = 2, .step = 0, .ts = {5}},  {.function = 3, .step = 0, .ts = {7}, .thread = 1},
		{.function = 4, .step = 0, .ts = {5}},
	};
	static const uint32_t want[] = {0, 2, 0, 0, 1};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].function, layer_is_module(str_of(cases[i].function),
		                                               str_of(cases[i].class)) == cases[i].is);
	layer_calls_number(&calls);
	assert_int_equal(calls.most, 0);
	for (size_t i = 0; i < COUNT(in); i++)
		layer_calls_add(&calls, &in[i]);
	layer_calls_number(&calls);
	assert_int_equal(calls.most, 3);
	for (size_t i = 0; i < calls.count; i++)
		assert_int_equal(calls.call[i].layer, want[calls.call[i].function]);
	free(calls.call);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(each_step_and_device_for_itself),
		cmocka_unit_test(at_the_same_time),
		cmocka_unit_test(calls_of_modules),
	};

	return cmocka_run_group_tests_name("layer", tests, NULL, NULL);
}
