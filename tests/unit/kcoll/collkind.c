/* collkind: kinds by the texts of profilers, factors, bytes of tensors. */
#include "../unit.h"

#include "kcoll/collkind.h"

static void kinds(void **state)
{
	static const struct {
		const char *text;
		enum collkind kind;
	} cases[] = {
		{"allreduce", COLLKIND_ALLREDUCE},
		{"_allgather_base", COLLKIND_ALLGATHER},
		{"_all_gather_base", COLLKIND_ALLGATHER},
		{"_reduce_scatter_base", COLLKIND_REDUCE_SCATTER},
		{"all_reduce_barrier", COLLKIND_BARRIER},
		{"all_to_allv", COLLKIND_ALL_TO_ALL},
		{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
	     COLLKIND_ALLREDUCE},
		{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", COLLKIND_SENDRECV},
		{"ncclDevKernel_Broadcast_RING_LL", COLLKIND_BROADCAST},
		{"ncclDevKernel_Reduce_Sum_f32", COLLKIND_REDUCE},
		{"cross_device_reduce_1stage", COLLKIND_ALLREDUCE},
		{"allReduce__868_3_1", COLLKIND_ALLREDUCE},
		{"send 0->1", COLLKIND_SEND},
		{"recv 0<-1", COLLKIND_RECV},
		{"scatter", COLLKIND_SCATTER},
		{"gather", COLLKIND_GATHER},
		/* Arguments are no names. */
		{"ncclDevKernel_Generic(allreduce)", COLLKIND_UNKNOWN},
		{"wait", COLLKIND_UNKNOWN},
		{"", COLLKIND_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		unit_case(collkind_of(str_of(cases[i].text)) == cases[i].kind, cases[i].text, __FILE__,
		          __LINE__);
}

static void names(void **state)
{
	enum collkind kind;

	(void)state;
	for (int i = 0; i < COLLKINDS; i++) {
		assert_true(collkind_parse(str_of(collkind_names[i]), &kind));
		assert_int_equal(kind, i);
		/* A name means its own kind. */
		if (i != COLLKIND_UNKNOWN)
			assert_int_equal(collkind_of(str_of(collkind_names[i])), i);
	}
	assert_false(collkind_parse(STR("all"), &kind));
}

static void factors(void **state)
{
	uint64_t a;
	uint64_t b;

	(void)state;
	assert_true(collkind_factor(COLLKIND_ALLREDUCE, 8, &a, &b));
	assert_true(a == 14 && b == 8);
	assert_true(collkind_factor(COLLKIND_ALLGATHER, 8, &a, &b));
	assert_true(a == 7 && b == 8);
	assert_true(collkind_factor(COLLKIND_BROADCAST, 8, &a, &b));
	assert_true(a == b);
	assert_false(collkind_factor(COLLKIND_BARRIER, 8, &a, &b));
	assert_false(collkind_factor(COLLKIND_ALLREDUCE, 0, &a, &b));
}

static void tensors(void **state)
{
	static const struct {
		const char *dims;
		const char *types;
		uint64_t bytes; /* 0: unknown */
	} cases[] = {
		{"[[394241]]", "[\"float\"]", 1576964},
		{"[[2, 3], []]", "[\"long int\", \"\"]", 48},
		{"[[7]]", "[\"c10::BFloat16\"]", 14},
		{"[[7]]", "[\"c10::Float8_e4m3fn\"]", 7},
		{"[[]]", "[\"int\"]", 4},
		{"[[7]]", "[\"GenericList\"]", 0},
		{"[[7]]", "[\"c10::c10::c10::\"]", 0},
		{"[]", "[]", 0},
		{"", "", 0},
		{"[[99999999999, 99999999999]]", "[\"float\"]", 0},
		{"[[a]]", "[\"float\"]", 0},
		{"[[7", "[\"float\"]", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t bytes = 0;
		bool known = collkind_tensor(str_of(cases[i].dims), str_of(cases[i].types), &bytes);

		unit_case(known == (cases[i].bytes > 0), cases[i].dims, __FILE__, __LINE__);
		unit_case(!known || bytes == cases[i].bytes, cases[i].dims, __FILE__, __LINE__);
	}
	assert_int_equal(collkind_element(STR("BFloat16")), 2);
	assert_int_equal(collkind_element(STR("Long")), 8);
	assert_int_equal(collkind_element(STR("Float8_e5m2")), 1);
	assert_int_equal(collkind_element(STR("Nothing")), 0);
	assert_false(collkind_is_split(STR("[]")));
	assert_true(collkind_is_split(STR("[4, 2]")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(names),
		cmocka_unit_test(factors),
		cmocka_unit_test(tensors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
