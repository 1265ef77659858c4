/* cppname: the function in a C++ name. */
#include "../unit.h"

#include "kernel/cppname.h"

static void functions(void **state)
{
	static const char *const names[][2] = {
		{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(int)",
	     "reduce_kernel"},
		{"void (anonymous namespace)::add<(8 > 0)>::run(int) const", "run"},
		{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
	     "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"},
		{"triton_poi_fused_add_0", "triton_poi_fused_add_0"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_case(names[i][0],
		            str_equal(cppname_function(str_of(names[i][0])), str_of(names[i][1])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
