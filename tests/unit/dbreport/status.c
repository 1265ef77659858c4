/* status: the lists of a run's JSON file. */
#include "../unit.h"

#include "dbreport/status.h"

/* "succeeded/skipped op=reason op=reason", or the error. */
static void assert_status(const char *text, const char *want)
{
	struct status_lists lists;
	struct buf got = {0};

	unit_feed(str_of(text));
	if (status_read(&lists, "-"))
		buf_format(&got, "%zu/%zu", lists.succeeded, lists.skipped);
	else
		buf_text(&got, lists.error);
	for (size_t i = 0; i < lists.failed_count; i++) {
		buf_char(&got, ' ');
		buf_str(&got, buf_view(&lists.failed[i].op));
		buf_char(&got, '=');
		buf_str(&got, buf_view(&lists.failed[i].reason));
	}
	assert_str(buf_view(&got), str_of(want));
	status_free(&lists);
	buf_free(&got);
}

static void lists_of_a_run(void **state)
{
	(void)state;
	assert_status("{}", "0/0");
	assert_status("{\"success\": [\"A\", \"B\"], \"failed\": [], \"skipped\": [\"C\"]}", "2/1");
	assert_status("{\"failed\": [{\"op\": \"A\", \"reason\": \"x\\ty\"}, \"B\"]}", "0/0 A=x\ty B=");
	assert_status("{\"failed\": [{\"reason\": 7}, 8, {\"op\": 9, \"reason\": [1]}]}",
	              "0/0 (no name)=7 (no name)= (no name)=[1]");
	assert_status("{\"success\": 3, \"failed\": \"A\", \"skipped\": {\"0\": 1}}", "0/0");
	assert_status("{\"a\": {\"success\": [1]}, \"success\": [[1, 2], {}]}", "2/0");
}

static void no_lists(void **state)
{
	struct status_lists lists;

	(void)state;
	assert_status("", "this is not a JSON object");
	assert_status("[]", "this is not a JSON object");
	assert_status("{\"failed\": [", "this is not a JSON object");
	assert_status("\"success\"", "this is not a JSON object");
	assert_false(status_read(&lists, "/nonexistent/status.json"));
	assert_string_equal(lists.error, "cannot be opened: No such file or directory");
	status_free(&lists);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_a_run),
		cmocka_unit_test(no_lists),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
