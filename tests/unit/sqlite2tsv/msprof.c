/* msprof: what a task is, by the other tables and by its type; tests/cli has whole databases. */
#include "sqlite_made.h"

#include "sqlite2tsv/msprof.h"

static void knows_tasks(void **state)
{
	static const struct {
		const char *type;
		const char *cat; /* NULL: left out without --tasks */
	} cases[] = {
		{"AI_CORE", "kernel"},
		{"KERNEL_AICPU", "kernel"},
		{"MEMCPY_ASYNC", "gpu_memcpy"},
		{"EVENT_WAIT", NULL},
		{"NOTIFY_RECORD", NULL},
		{"SDMA_SQE", NULL},
		{"N/A", "kernel"},
		{"", "kernel"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (int tasks = 0; tasks < 2; tasks++) {
			const struct sqlevents_options options = {.phases = "X", .tasks = tasks};
			struct buf sql = {0};
			struct buf out;
			bool written;

			buf_format(
				&sql,
				"CREATE TABLE STRING_IDS (id, value); INSERT INTO STRING_IDS VALUES (1, '%s');"
				"CREATE TABLE TASK (startNs, endNs, deviceId, streamId, taskType);"
				"INSERT INTO TASK VALUES (1, 2, 0, 3, 1)",
				cases[i].type);
			buf_char(&sql, '\0');
			out = made_rows(msprof_is, msprof_write, &options, sql.data);
			written = str_has(buf_view(&out), STR("\tX\t0\t3\t"));
			assert_case(cases[i].type, written == (tasks || cases[i].cat));
			if (cases[i].cat)
				assert_case(cases[i].type, str_has(buf_view(&out), str_of(cases[i].cat)));
			buf_free(&sql);
			buf_free(&out);
		}
	}
}

static void is_one(void **state)
{
	struct sqlfile file;

	(void)state;
	made_open(&file, "CREATE TABLE TASK (a)");
	assert_false(msprof_is(&file));
	sqlfile_close(&file);
	made_open(&file, "CREATE TABLE PYTORCH_API (a); CREATE TABLE STRING_IDS (id, value)");
	assert_true(msprof_is(&file));
	sqlfile_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_tasks),
		cmocka_unit_test(is_one),
	};

	return cmocka_run_group_tests_name("msprof", tests, NULL, NULL);
}
