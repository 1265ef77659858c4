/* rowkind: what a row is by its category and name. */
#include "../unit.h"

#include "kernel/rowkind.h"

static void by_category(void **state)
{
	static const struct {
		const char *cat;
		enum rowkind kind;
	} cases[] = {
		{"cpu_op", ROWKIND_OPERATOR},
		{"Operator", ROWKIND_OPERATOR},
		{"cuda_runtime", ROWKIND_CALL},
		{"cuda_driver", ROWKIND_CALL},
		{"xpu_driver", ROWKIND_CALL},
		{"mtia_runtime", ROWKIND_CALL},
		{"privateuse1_runtime", ROWKIND_CALL},
		{"hip_runtime_api", ROWKIND_CALL},
		{"RCCL_API", ROWKIND_CALL},
		{"HIP_COMPILER_API_EXT", ROWKIND_CALL},
		{"Runtime", ROWKIND_CALL},
		{"runtime", ROWKIND_CALL},
		{"hccl", ROWKIND_CALL},
		{"hpu_op", ROWKIND_HPU_OP},
		{"user_annotation", ROWKIND_ANNOTATION},
		{"gpu_user_annotation", ROWKIND_DEVICE_ANNOTATION},
		{"MARKER_CORE_API", ROWKIND_OTHER},
		{"python_function", ROWKIND_FUNCTION},
		{"async_npu", ROWKIND_FLOW},
		{"ac2g", ROWKIND_OTHER},
		{"SCRATCH_MEMORY", ROWKIND_OTHER},
		{"enqueue", ROWKIND_QUEUE},
		{"dequeue", ROWKIND_QUEUE},
		{"cuda_sync", ROWKIND_MARK},
		{"npu_sync", ROWKIND_MARK},
		{"signpost", ROWKIND_MARK},
		{"idle", ROWKIND_MARK},
		{"path", ROWKIND_MARK},
		{"kernel", ROWKIND_KERNEL},
		{"Kernel", ROWKIND_KERNEL},
		{"KERNEL_DISPATCH", ROWKIND_KERNEL},
		{"mtia_ccp_events", ROWKIND_KERNEL},
		{"gpu_memcpy", ROWKIND_COPY},
		{"Memcpy", ROWKIND_COPY},
		{"MEMORY_COPY", ROWKIND_COPY},
		{"MEMCPY_ASYNC", ROWKIND_COPY},
		{"gpu_memset", ROWKIND_MEMSET},
		{"Memset", ROWKIND_MEMSET},
		{"AI_CORE", ROWKIND_CORE},
		{"MIX_AIV", ROWKIND_CORE},
		{"KERNEL_AICORE", ROWKIND_CORE},
		{"N/A", ROWKIND_CORE},
		{"COMMUNICATION", ROWKIND_COLLECTIVE},
		{"HCCL", ROWKIND_COLLECTIVE},
		{"", ROWKIND_UNKNOWN},
		{"cpu_ops", ROWKIND_UNKNOWN},
		{"a runtime", ROWKIND_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].cat, rowkind_of(str_of(cases[i].cat), STR("x")) == cases[i].kind);
}

static void by_name(void **state)
{
	static const struct {
		const char *name;
		enum rowkind kind;
	} cases[] = {
		{"cudaLaunchKernel_v7000", ROWKIND_CALL},
		{"cuMemcpyHtoDAsync_v2", ROWKIND_CALL},
		{"hipFree", ROWKIND_CALL},
		{"__hipPushCallConfiguration", ROWKIND_CALL},
		{"__cudaRegisterFatBinary", ROWKIND_CALL},
		{"hsa_queue_create", ROWKIND_CALL},
		{"HIP_API", ROWKIND_CALL},
		{"[Unified Memory GPU page faults]", ROWKIND_CALL},
		{"[Unified Memory Memcpy HtoD]", ROWKIND_COPY},
		{"[CUDA memcpy HtoD]", ROWKIND_COPY},
		{"[CUDA memset]", ROWKIND_MEMSET},
		{"[memory]", ROWKIND_OTHER},
		{"MEMORY_COPY_HOST_TO_DEVICE", ROWKIND_COPY},
		{"cuApplyLayerNorm", ROWKIND_UNKNOWN},
		{"cuda_compute_flux(int)", ROWKIND_UNKNOWN},
		{"cudaSetValues(float*)", ROWKIND_UNKNOWN},
		{"hip", ROWKIND_UNKNOWN},
		{"", ROWKIND_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].name, rowkind_of(STR(""), str_of(cases[i].name)) == cases[i].kind);
}

/* A category that is known counts more than the name, but for copies of MTIA. */
static void by_both(void **state)
{
	(void)state;
	assert_int_equal(rowkind_of(STR("kernel"), STR("cudaLaunchKernel")), ROWKIND_KERNEL);
	assert_int_equal(rowkind_of(STR("cpu_op"), STR("[CUDA memcpy HtoD]")), ROWKIND_OPERATOR);
	assert_int_equal(rowkind_of(STR("new"), STR("cudaLaunchKernel")), ROWKIND_UNKNOWN);
	assert_int_equal(rowkind_of(STR("KERNEL"), STR("MEMORY_COPY_X")), ROWKIND_COPY);
	assert_int_equal(rowkind_of(STR("mtia_ccp_events"), STR("dma_request")), ROWKIND_COPY);
	assert_int_equal(rowkind_of(STR("kernel"), STR("dma_request")), ROWKIND_KERNEL);
}

static void what_is_of_a_device(void **state)
{
	(void)state;
	for (int i = 0; i < ROWKIND_COUNT; i++) {
		assert_int_equal(rowkind_is_device((enum rowkind)i), i < ROWKIND_CALL);
		assert_int_equal(rowkind_is_copy((enum rowkind)i),
		                 i == ROWKIND_COPY || i == ROWKIND_MEMSET);
	}
}

/* What a thread of the host does, from the outermost to the innermost. */
static void ranks(void **state)
{
	static const struct {
		const char *cat;
		enum rowkind_rank rank;
	} want[] = {
		{"user_annotation", ROWKIND_IN_ANNOTATION},
		{"User Annotation", ROWKIND_IN_ANNOTATION},
		{"python_function", ROWKIND_IN_FUNCTION},
		{"cpu_op", ROWKIND_IN_OPERATOR},
		{"hpu_op", ROWKIND_IN_OPERATOR},
		{"Operator", ROWKIND_IN_OPERATOR},
		{"enqueue", ROWKIND_IN_OPERATOR},
		{"dequeue", ROWKIND_IN_OPERATOR},
		{"Runtime", ROWKIND_IN_RUNTIME},
		{"cuda_runtime", ROWKIND_IN_RUNTIME},
		{"hip_runtime_api", ROWKIND_IN_RUNTIME},
		{"HIP_COMPILER_API_EXT", ROWKIND_IN_RUNTIME},
		{"cuda_driver", ROWKIND_IN_DRIVER},
		{"mtia_driver", ROWKIND_IN_DRIVER},
		{"overhead", ROWKIND_IN_NOTHING},
		{"Trace", ROWKIND_IN_NOTHING},
		{"gpu_user_annotation", ROWKIND_IN_NOTHING},
		{"cuda_sync", ROWKIND_IN_NOTHING},
		{"kernel", ROWKIND_IN_NOTHING},
		{"rocm_marker_api", ROWKIND_IN_NOTHING},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		struct str cat = str_of(want[i].cat);

		assert_int_equal(rowkind_rank(rowkind_of(cat, STR("")), cat), want[i].rank);
	}
}

/* Kernels of ROCm that copy are kernels, and their work is a copy. */
static void what_a_row_does(void **state)
{
	const struct str copy = STR("__amd_rocclr_copyBuffer.kd");
	const struct str fill = STR("__amd_rocclr_fillBufferAligned");

	(void)state;
	assert_int_equal(rowkind_of(STR("kernel"), copy), ROWKIND_KERNEL);
	assert_int_equal(rowkind_work(STR("kernel"), copy), ROWKIND_COPY);
	assert_int_equal(rowkind_work(STR("kernel"), fill), ROWKIND_MEMSET);
	assert_int_equal(rowkind_work(STR("kernel"), STR("gemm")), ROWKIND_KERNEL);
	assert_int_equal(rowkind_work(STR("gpu_memset"), STR("gemm")), ROWKIND_MEMSET);
}

/* Without need of the name, it changes nothing. */
static void which_names_count(void **state)
{
	static const char *const cats[] = {"kernel", "mtia_ccp_events", "gpu_memset", "AI_CORE", "new"};
	static const char *const names[] = {
		"__amd_rocclr_copyBuffer",
		"__amd_rocclr_fillBuffer",
		"MEMORY_COPY_X",
		"dma_request",
		"[CUDA memcpy HtoD]",
		"[CUDA memset]",
		"cudaFree",
		"gemm",
		"hsa_queue_create",
		"HIP_API",
		"x_API",
		"",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cats); i++) {
		enum rowkind kind = rowkind_of(str_of(cats[i]), STR(""));

		for (size_t j = 0; j < COUNT(names); j++)
			assert_case(names[j], rowkind_needs_name(str_of(names[j])) ||
			                          (rowkind_of(str_of(cats[i]), str_of(names[j])) == kind &&
			                           rowkind_work(str_of(cats[i]), str_of(names[j])) == kind));
	}
	assert_false(rowkind_needs_name(STR("gemm")));
}

static void on_a_device(void **state)
{
	(void)state;
	assert_str(rowkind_cat(rowkind_on_device(STR("gemm"))), STR("kernel"));
	assert_str(rowkind_cat(rowkind_on_device(STR("cudaLaunchKernel"))), STR("kernel"));
	assert_str(rowkind_cat(rowkind_on_device(STR("[CUDA memcpy HtoD]"))), STR("gpu_memcpy"));
	assert_str(rowkind_cat(rowkind_on_device(STR("[CUDA memset]"))), STR("gpu_memset"));
	assert_str(rowkind_cat(rowkind_on_device(STR("[Unified Memory GPU page faults]"))), STR(""));
	assert_str(rowkind_cat(rowkind_on_device(STR(""))), STR("kernel"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_category),     cmocka_unit_test(by_name),
		cmocka_unit_test(by_both),         cmocka_unit_test(what_is_of_a_device),
		cmocka_unit_test(what_a_row_does), cmocka_unit_test(which_names_count),
		cmocka_unit_test(on_a_device),     cmocka_unit_test(ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
