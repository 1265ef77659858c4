/* rocpd: suffixes of tables, and ids that lead nowhere; tests/cli has whole databases. */
#include "sqlite_made.h"

#include "sqlite2tsv/rocpd.h"

static void knows_its_tables(void **state)
{
	static const struct {
		const char *sql;
		bool is;
	} cases[] = {
		{"CREATE TABLE rocpd_kernel_dispatch_0000a (start, end, kernel_id)", true},
		{"CREATE TABLE rocpd_kernel_dispatch (start, end, kernel_id)", true},
		{"CREATE TABLE rocpd_api (start, end)", false},
		{"CREATE TABLE \"rocpd_kernel_dispatch] AS t; --\" (start, end, kernel_id)", false},
		{"CREATE VIEW rocpd_kernel_dispatch_a AS SELECT 1", false},
	};
	struct sqlfile file;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		made_open(&file, cases[i].sql);
		assert_case(cases[i].sql, rocpd_is(&file) == cases[i].is);
		sqlfile_close(&file);
	}
}

/* A database that lacks the tables of names, agents, processes and events. */
static void does_without_other_tables(void **state)
{
	static const struct sqlevents_options options = {.phases = "X"};
	struct buf out =
		made_rows(rocpd_is, rocpd_write, &options,
	              "CREATE TABLE rocpd_kernel_dispatch_a (start, end, agent_id, kernel_id,"
	              "pid, queue_id, event_id);"
	              "INSERT INTO rocpd_kernel_dispatch_a VALUES (1000, 3000, 7, 3, 9, 2, 5);"
	              "CREATE TABLE rocpd_region_a (start, end, pid, tid, name_id, event_id);"
	              "INSERT INTO rocpd_region_a VALUES (1000, 3000, 9, 1, 1, 5)");

	(void)state;
	assert_true(
		str_has(buf_view(&out), STR("\n1\t2\t\t#3\tkernel\tX\t7\t2\t\t\t\t2\t\t\t7\t\t\t\n")));
	assert_false(str_has(buf_view(&out), STR("cuda_runtime")));
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_its_tables),
		cmocka_unit_test(does_without_other_tables),
	};

	return cmocka_run_group_tests_name("rocpd", tests, NULL, NULL);
}
