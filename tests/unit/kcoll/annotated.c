/* annotated: the innermost annotation of the thread that holds a launch, in any order of rows. */
#include "../unit.h"

#include "kcoll/annotated.h"

static void annotate(struct annotated *all, const char *thread, int start, int end,
                     enum collkind kind)
{
	const struct annotated_span span = {.start = dec_of(start), .end = dec_of(end), .kind = kind};

	annotated_annotate(all, str_of(thread), &span);
}

static int found(struct annotated *all, const char *id)
{
	const struct annotated_span *span = annotated_find(all, str_of(id));

	return span ? (int)span->kind : -1;
}

static void finds(void **state)
{
	struct annotated all = {.count = 0};

	(void)state;
	annotated_add(&all, STR("a"), STR("1"), dec_of(15));
	annotated_add(&all, STR("b"), STR("2"), dec_of(15));
	annotate(&all, "1", 14, 16, COLLKIND_ALLGATHER);
	annotate(&all, "1", 10, 30, COLLKIND_ALLREDUCE);
	annotate(&all, "1", 11, 12, COLLKIND_REDUCE);
	annotate(&all, "3", 0, 99, COLLKIND_BROADCAST);
	annotated_add(&all, STR("c"), STR("1"), dec_of(30));
	annotated_add(&all, STR("d"), STR("1"), dec_of(31));
	annotated_add(&all, STR("e"), STR("1"), dec_of(9));
	assert_int_equal(found(&all, "a"), COLLKIND_ALLGATHER);
	assert_int_equal(found(&all, "b"), -1);
	/* Past those that have ended, the one that reaches it. */
	assert_int_equal(found(&all, "c"), COLLKIND_ALLREDUCE);
	assert_int_equal(found(&all, "d"), -1);
	assert_int_equal(found(&all, "e"), -1);
	assert_int_equal(found(&all, "none"), -1);
	/* The earlier of two launches with one id counts. */
	annotated_add(&all, STR("a"), STR("3"), dec_of(1));
	annotated_add(&all, STR("a"), STR("1"), dec_of(12));
	assert_int_equal(found(&all, "a"), COLLKIND_BROADCAST);
	annotated_clear(&all);
	assert_int_equal(found(&all, "a"), -1);
	annotated_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
