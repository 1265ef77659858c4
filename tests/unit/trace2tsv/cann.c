/* cann: rows of Ascend that wait for the end of the file. */
#include "../unit.h"

#include "trace2tsv/cann.h"

static const struct str thread[] = {BYTES("102400"), BYTES("1")};
static const struct str stream[] = {BYTES("800"), BYTES("3")};

static void put(struct cann *cann, enum cann_role role, const char *line)
{
	assert_true(cann_put(cann, role, 7, str_of(line)));
}

static void assert_next(struct cann *cann, const char *expected)
{
	size_t process = 0;
	struct str line;

	assert_int_equal(cann_next(cann, &process, &line), 1);
	assert_int_equal(process, 7);
	assert_str(line, str_of(expected));
}

static void assert_end(struct cann *cann)
{
	size_t process;
	struct str line;

	assert_int_equal(cann_next(cann, &process, &line), 0);
	cann_close(cann);
	assert_false(cann->waits);
}

static void flows_lead_to_calls(void **state)
{
	struct cann cann = {0};

	(void)state;
	put(&cann, CANN_WORK, "20.0\t1\t\tk\tkernel\tX\t800\t3\t\t8\t\n");
	put(&cann, CANN_NOTHING, "20\t1\t\tother\tcpu_op\tX\t800\t3\t\t8\t\n");
	put(&cann, CANN_WORK, "20\t1\t\town\tkernel\tX\t800\t3\t\tfive\t\n");
	put(&cann, CANN_CALL, "1\t9\t\tc\tp\tX\t102400\t1\t\t12\t\n");
	assert_true(cann_flow(&cann, 'f', STR("id"), stream, STR("20.000")));
	assert_true(cann_flow(&cann, 't', STR("id"), stream, STR("20.000"))); /* no start or end */
	assert_true(cann_flow(&cann, 's', STR("id"), thread, STR("9")));
	assert_true(cann_flow(&cann, 's', STR("id"), thread, STR("2"))); /* the first in time */
	assert_true(cann_flow(&cann, 's', STR(""), thread, STR("1")));
	assert_true(cann_flow(&cann, 's', STR("id"), thread, STR("x")));
	assert_true(cann_call(&cann, thread, STR("1"), STR("9"), STR("12")));
	assert_true(cann_call(&cann, thread, STR("2"), STR("1"), STR("five")));
	assert_true(cann_call(&cann, thread, STR("2"), STR("0.5"), STR("")));
	assert_true(cann_settle(&cann));
	assert_next(&cann, "20.0\t1\t\tk\tkernel\tX\t800\t3\t\tfive\t\n");
	assert_next(&cann, "20\t1\t\tother\tcpu_op\tX\t800\t3\t\t8\t\n");
	assert_next(&cann, "20\t1\t\town\tkernel\tX\t800\t3\t\tfive\t\n");
	assert_next(&cann, "1\t9\t\tc\tp\tX\t100\t1\t\t12\t\n");
	assert_end(&cann);
}

static void a_row_without_a_flow_keeps_its_correlation(void **state)
{
	struct cann cann = {0};

	(void)state;
	put(&cann, CANN_WORK, "20\t1\t\tk\tkernel\tX\t800\t3\t\t8\t\n");
	put(&cann, CANN_WORK, "\t1\t\tno ts\tkernel\tX\t800\t3\t\t8\t\n");
	assert_true(cann_flow(&cann, 'f', STR("1"), stream, STR("21")));
	assert_true(cann_flow(&cann, 'f', STR("1"), thread, STR("20")));
	assert_true(cann_call(&cann, thread, STR("1"), STR("9"), STR("12")));
	assert_true(cann_settle(&cann));
	assert_next(&cann, "20\t1\t\tk\tkernel\tX\t800\t3\t\t8\t\n");
	assert_next(&cann, "\t1\t\tno ts\tkernel\tX\t800\t3\t\t8\t\n");
	assert_end(&cann);
}

static void the_last_row_can_be_left_out(void **state)
{
	struct cann cann = {0};

	(void)state;
	put(&cann, CANN_NOTHING, "1\ta\n");
	put(&cann, CANN_NOTHING, "2\tb\n");
	cann.rows--;
	assert_true(cann_settle(&cann));
	assert_next(&cann, "1\ta\n");
	assert_end(&cann);
}

static void nothing_waits(void **state)
{
	struct cann cann = {0};

	(void)state;
	assert_true(cann_settle(&cann));
	assert_end(&cann);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_lead_to_calls),
		cmocka_unit_test(a_row_without_a_flow_keeps_its_correlation),
		cmocka_unit_test(the_last_row_can_be_left_out),
		cmocka_unit_test(nothing_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
