/* parts: how many threads, and for which traces. What they write is tested by convert, chunks and
 * the ways. */
#include "../unit.h"

#include "trace2tsv/parts.h"
#include "trace2tsv/wanted.h"

static int open_parts(void *arg)
{
	struct parts parts;

	setenv("KEV_CHUNK", arg, 1);
	parts_open(&parts, 0);
	return 0;
}

static void threads_and_chunks(void **state)
{
	struct parts parts;

	(void)state;
	unsetenv("KEV_CHUNK");
	parts_open(&parts, 0);
	assert_in_range(parts.threads, 1, 8);
	assert_int_equal(parts.length, 1 << 20);
	parts_open(&parts, 50);
	assert_int_equal(parts.threads, 50);
	setenv("KEV_CHUNK", "100", 1);
	parts_open(&parts, 0);
	assert_int_equal(parts.threads, 3);
	assert_int_equal(parts.length, 100);
	parts_open(&parts, 1);
	assert_int_equal(parts.threads, 1);
	unsetenv("KEV_CHUNK");
}

static void bad_lengths(void **state)
{
	static char *const lengths[] = {"0", "x", "1048577", "-1", "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct unit_end end = unit_run(open_parts, lengths[i]);

		assert_case(lengths[i], end.status == 2);
		assert_case(lengths[i], str_has(buf_view(&end.err), STR("KEV_CHUNK: '")));
		unit_end_free(&end);
	}
}

/* The byte from which the reader of an input of n bytes asks for parts. */
static uint64_t first_pause(size_t n, bool pipes, struct wanted *wanted, size_t threads)
{
	struct convert whole = {.wanted = wanted};
	struct parts parts;
	struct buf text = {0};
	uint64_t pause;

	buf_char(&text, '[');
	while (text.len < n)
		buf_char(&text, ' ');
	(pipes ? unit_feed_pipe : unit_feed)(buf_view(&text));
	setenv("KEV_CHUNK", "1000", 1);
	parts_open(&parts, threads);
	unsetenv("KEV_CHUNK");
	assert_true(json_open(&whole.json, "-", &wanted->json));
	parts_begin(&parts, &whole);
	pause = whole.json.pause;
	parts_end(&parts);
	json_close(&whole.json);
	buf_free(&text);
	return pause;
}

static void small_traces_have_no_parts(void **state)
{
	struct wanted wanted = {.json = {.max_field = 1 << 20}};

	(void)state;
	assert_true(first_pause(1999, false, &wanted, 2) == UINT64_MAX);
	assert_true(first_pause(2000, false, &wanted, 2) == 0);
	assert_true(first_pause(2000, false, &wanted, 1) == UINT64_MAX);
	/* The length of a pipe is unknown: it counts as long once a quarter of a chunk came. */
	assert_true(first_pause(10, true, &wanted, 2) == 251);
	assert_true(first_pause(10, true, &wanted, 1) == UINT64_MAX);
}

/* What selects a row by those before it runs in one thread. */
static void rows_that_depend_on_others(void **state)
{
	struct wanted joins = {.join_ends = true, .json = {.max_field = 1 << 20}};
	struct wanted chosen = {.by_process = true, .json = {.max_field = 1 << 20}};

	(void)state;
	assert_true(first_pause(9000, false, &joins, 8) == UINT64_MAX);
	assert_true(first_pause(9000, true, &joins, 8) == UINT64_MAX);
	assert_true(first_pause(9000, false, &chosen, 8) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_chunks),
		cmocka_unit_test(bad_lengths),
		cmocka_unit_test(small_traces_have_no_parts),
		cmocka_unit_test(rows_that_depend_on_others),
	};

	return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
