/* ascend: the rows of a trace_view.json that have no category. */
#include "../unit.h"

#include "trace/ascend.h"

/* Types of tasks as CANN 8.0 and 8.2 write them. */
static void tasks_have_categories(void **state)
{
	static const struct {
		struct str name;
		struct str type;
		struct str category;
	} tasks[] = {
		{BYTES("trans_TransData_0"), BYTES("AI_CORE"), BYTES("kernel")},
		{BYTES("aclnnMm_MatMulCommon_MemSet"), BYTES("AI_VECTOR_CORE"), BYTES("kernel")},
		{BYTES("ReduceSum7"), BYTES("MIX_AIV"), BYTES("kernel")},
		{BYTES("aclnnDropoutGenMaskV2"), BYTES("DSA_SQE"), BYTES("kernel")},
		{BYTES("aclnnX"), BYTES("KERNEL_AICORE"), BYTES("kernel")},
		{BYTES("X"), BYTES("a type of tomorrow"), BYTES("kernel")},
		{BYTES("MEMCPY_ASYNC"), BYTES("PCIE_DMA_SQE"), BYTES("gpu_memcpy")},
		{BYTES("MEMCPY_ASYNC"), BYTES("SDMA_SQE"), BYTES("gpu_memcpy")},
		{BYTES("MEMCPY_ASYNC"), BYTES("MEMCPY_ASYNC"), BYTES("gpu_memcpy")},
		{BYTES("SDMA"), BYTES("SDMA"), BYTES("npu_comm")},
		{BYTES("RDMA"), BYTES("RDMA"), BYTES("npu_comm")},
		{BYTES("Notify Wait"), BYTES("Notify Wait"), BYTES("npu_sync")},
		{BYTES("Write Value"), BYTES("Write Value"), BYTES("npu_sync")},
		{BYTES("EVENT_WAIT"), BYTES("EVENT_WAIT_SQE"), BYTES("npu_sync")},
		{BYTES("EVENT_RECORD"), BYTES("PLACE_HOLDER_SQE"), BYTES("npu_sync")},
		{BYTES("NOTIFY_RECORD"), BYTES("NOTIFY_RECORD_SQE"), BYTES("npu_sync")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(tasks); i++)
		assert_str(ascend_category(tasks[i].name, tasks[i].type, STR("")), tasks[i].category);
}

static void other_rows(void **state)
{
	(void)state;
	assert_str(ascend_category(STR("hcom_allReduce__586_0_1"), STR(""), STR("")), STR("kernel"));
	assert_str(ascend_category(STR("AscendCL@aclrtMemcpyAsync"), STR(""), STR("acl")),
	           STR("privateuse1_runtime"));
	assert_str(ascend_category(STR("Notify_Record"), STR(""), STR("")), STR(""));
	assert_str(ascend_category(STR("Free"), STR(""), STR("")), STR(""));
}

static void processes_of_calls(void **state)
{
	struct buf scratch = {0};
	struct strmap processes = {0};

	(void)state;
	assert_str(ascend_pid(STR("3170820320"), &processes, &scratch), STR("3096504"));
	assert_str(ascend_pid(STR("CANN"), &processes, &scratch), STR("CANN"));
	assert_str(ascend_pid(STR(""), &processes, &scratch), STR(""));
	assert_str(ascend_pid(STR("43767502"), &processes, &scratch), STR("42741"));
	strmap_add(&processes, STR("437675"), NULL);
	assert_str(ascend_pid(STR("43767502"), &processes, &scratch), STR("437675"));
	assert_str(ascend_pid(STR("3170820320"), &processes, &scratch), STR("3096504"));
	strmap_add(&processes, STR("42741"), NULL);
	assert_str(ascend_pid(STR("43767502"), &processes, &scratch), STR("42741"));
	buf_free(&scratch);
	strmap_free(&processes);
}

static void flow_ids(void **state)
{
	static const struct {
		struct str ts;
		struct str id;
	} cases[] = {
		{BYTES("1736405443876953.510"), BYTES("1736405443876953510")},
		{BYTES("12.5"), BYTES("12500")},
		{BYTES("12"), BYTES("12000")},
		{BYTES("12."), BYTES("12000")},
		{BYTES("12.345000"), BYTES("12345")},
		{BYTES("12.0001"), BYTES("")},
		{BYTES("-1.5"), BYTES("")},
		{BYTES("1e3"), BYTES("")},
		{BYTES(""), BYTES("")},
	};
	struct buf scratch = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_str(ascend_flow_id(cases[i].ts, &scratch), cases[i].id);
	buf_free(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_have_categories),
		cmocka_unit_test(other_rows),
		cmocka_unit_test(processes_of_calls),
		cmocka_unit_test(flow_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
