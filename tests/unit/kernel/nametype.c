/* nametype: the types that kernel_details.csv of torch_npu has for these names. */
#include "../unit.h"

#include "kernel/nametype.h"

static void names_of_ascend(void **state)
{
	static const struct {
		struct str name;
		struct str type;
	} names[] = {
		{BYTES("aclnnMm_MatMulCommon_MatMulV2"), BYTES("MatMulV2")},
		{BYTES("aclnnMm_MatMulCommon_MatMulV2_7"), BYTES("MatMulV2")},
		{BYTES("aclnnMaxPool_MaxPoolWithArgmaxV1"), BYTES("MaxPoolWithArgmaxV1")},
		{BYTES("trans_TransData_12"), BYTES("TransData")},
		{BYTES("trans_Cast_5"), BYTES("Cast")},
		{BYTES("Conv2DBackpropFilter6_MemSet"), BYTES("MemSet")},
		{BYTES("hcom_allReduce__868_0_1"), BYTES("hcom_allReduce_")},
		{BYTES("hcom_allReduce_"), BYTES("hcom_allReduce_")},
		/* Names of other devices, and names that end early. */
		{BYTES("aclnnMm"), BYTES("")},
		{BYTES("aclnnMm_"), BYTES("")},
		{BYTES("trans_layout_12"), BYTES("")},
		{BYTES("trans_12"), BYTES("")},
		{BYTES("MemSet"), BYTES("")},
		{BYTES("Cijk_Alik_Bljk_MT64"), BYTES("")},
		{BYTES("Conv2D1"), BYTES("")},
		{BYTES("7_8"), BYTES("")},
		{BYTES(""), BYTES("")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_str(nametype_of(names[i].name), names[i].type);
}

static void names_of_one_word(void **state)
{
	(void)state;
	assert_str(nametype_of_word(STR("Conv2D1")), STR("Conv2D"));
	assert_str(nametype_of_word(STR("ReduceSum10")), STR("ReduceSum"));
	assert_str(nametype_of_word(STR("MatMulV2")), STR("MatMulV2"));
	assert_str(nametype_of_word(STR("Conv2D")), STR("Conv2D"));
	assert_str(nametype_of_word(STR("Add")), STR("Add"));
	assert_str(nametype_of_word(STR("main")), STR(""));
	assert_str(nametype_of_word(STR("Main_kernel")), STR(""));
	assert_str(nametype_of_word(STR("N/A")), STR(""));
	assert_str(nametype_of_word(STR("7")), STR(""));
	assert_str(nametype_of_word(STR("")), STR(""));
}

/* A kernel of a user has its name as its Type. */
static void names_on_ascend(void **state)
{
	(void)state;
	assert_str(nametype_on_ascend(STR("trans_TransData_12")), STR("TransData"));
	assert_str(nametype_on_ascend(STR("Conv2D1")), STR("Conv2D"));
	assert_str(nametype_on_ascend(STR("main_kernel")), STR("main_kernel"));
	assert_str(nametype_on_ascend(STR("aclnnMm")), STR("aclnnMm"));
	assert_str(nametype_on_ascend(STR("")), STR(""));
}

static void numbers_at_the_end(void **state)
{
	(void)state;
	assert_str(nametype_without_numbers(STR("hcom_allReduce__868_0_1")), STR("hcom_allReduce_"));
	assert_str(nametype_without_numbers(STR("allreduceAicpuKernel_1")),
	           STR("allreduceAicpuKernel"));
	assert_str(nametype_without_numbers(STR("MatMulV2")), STR("MatMulV2"));
	assert_str(nametype_without_numbers(STR("12")), STR("12"));
	assert_str(nametype_without_numbers(STR("_12")), STR(""));
	assert_str(nametype_without_numbers(STR("")), STR(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_ascend),
		cmocka_unit_test(names_of_one_word),
		cmocka_unit_test(names_on_ascend),
		cmocka_unit_test(numbers_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
