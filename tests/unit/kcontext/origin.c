/* origin: the launches, flows and graphs of kernels. */
#include "../unit.h"

#include "kcontext/layer.h"
#include "kcontext/origin.h"

static void flows_by_id(void **state)
{
	struct origins origins = {0};
	struct origin_flow *flow;
	bool added;

	(void)state;
	assert_null(origins_find_flow(&origins, STR("")));
	flow = origins_add_flow(&origins, STR("170000"), &added);
	assert_true(added);
	assert_int_equal(flow->thread, 0);
	*flow = (struct origin_flow){.ts = dec_of(5), .thread = 3};
	origins_add_flow(&origins, STR("2"), &added);
	assert_true(added);
	flow = origins_add_flow(&origins, STR("170000"), &added);
	assert_false(added);
	assert_int_equal(flow->thread, 3);
	assert_int_equal(origins_find_flow(&origins, STR("170000"))->thread, 3);
	assert_null(origins_find_flow(&origins, STR("3")));
	origins_free(&origins);
}

static void add_kernels(struct origins *origins, struct str correlation, size_t kernels,
                        unsigned kinds)
{
	for (size_t i = 1; i < kernels; i++)
		origins_kernel(origins, correlation, 0, 0);
	origins_kernel(origins, correlation, 0, kinds);
}

static uint32_t layer_of(const struct origins *origins, struct str correlation)
{
	return origins_layer(origins, launches_find(&origins->launches, 0, correlation), 0);
}

/* With enough kernels of both kinds, in the order of the correlations. */
static void graphs_that_are_layers(void **state)
{
	struct origins origins = {0};

	(void)state;
	origins_build(&origins);
	assert_int_equal(origins.layers, 0);
	add_kernels(&origins, STR("x"), LAYER_KERNELS, LAYER_GRAPH);
	add_kernels(&origins, STR("30"), LAYER_KERNELS, LAYER_GRAPH);
	add_kernels(&origins, STR("9"), LAYER_KERNELS + 1, LAYER_GRAPH);
	add_kernels(&origins, STR("1"), LAYER_KERNELS - 1, LAYER_GRAPH);
	add_kernels(&origins, STR("2"), LAYER_KERNELS, LAYER_ATTENTION);
	add_kernels(&origins, STR("3"), LAYER_KERNELS, LAYER_ATTENTION);
	origins_kernel(&origins, STR("3"), 0, LAYER_FEED_FORWARD);
	origins_build(&origins);
	assert_int_equal(origins.layers, 4);
	assert_int_equal(layer_of(&origins, STR("1")), LAYER_NONE);
	assert_int_equal(layer_of(&origins, STR("2")), LAYER_NONE);
	assert_int_equal(layer_of(&origins, STR("3")), 0);
	assert_int_equal(layer_of(&origins, STR("9")), 1);
	assert_int_equal(layer_of(&origins, STR("30")), 2);
	assert_int_equal(layer_of(&origins, STR("x")), 3);
	origins_free(&origins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_by_id),
		cmocka_unit_test(graphs_that_are_layers),
	};

	return cmocka_run_group_tests_name("origin", tests, NULL, NULL);
}
