/* argnames: the names of args in the events that can become rows. */
#include "../unit.h"

#include "stream/kev.h"
#include "trace2tsv/argnames.h"

static void begin(struct wanted *wanted)
{
	struct words none = {0};

	*wanted = (struct wanted){.phases = STR("X"), .json = {.max_field = 1 << 20}};
	assert_true(wanted_columns(wanted, false, &none));
	wanted_filter(wanted);
}

static void only_of_rows_in_order(void **state)
{
	struct wanted wanted;
	struct argnames look = {0};

	(void)state;
	begin(&wanted);
	unit_feed(STR("[{\"ph\":\"X\",\"args\":{\"b\":1,\"\\u0061\":{\"z\":2}}},"
	              "{\"ph\":\"i\",\"args\":{\"no\":1}},{\"ph\":\"X\",\"args\":7},"
	              "{\"ph\":\"X\",\"args\":{\"a\":1,\"dur\":2,\"c\\u0000\":3,\"\":4}}]"));
	assert_true(argnames_look(&look, &wanted, "-"));
	assert_false(look.unseen);
	assert_true(look.left_out);
	assert_int_equal(wanted.columns, KEV_CORE + 3);
	assert_text(wanted.names[KEV_CORE], "b");
	assert_text(wanted.names[KEV_CORE + 1], "a");
	assert_text(wanted.names[KEV_CORE + 2], "args.dur");
	assert_int_equal(lseek(0, 0, SEEK_CUR), 0); /* ready for the second look */
	argnames_free(&look);
	wanted_free(&wanted);
}

/* Standard input is copied if it is a pipe; a named pipe cannot be. */
static void pipes(void **state)
{
	struct str trace = STR("[{\"ph\":\"X\",\"args\":{\"k\":1}}]");
	struct wanted wanted;
	struct argnames look = {0};
	int ends[2];
	char name[32];

	(void)state;
	begin(&wanted);
	assert_int_equal(pipe(ends), 0);
	unit_write(ends[1], trace.s, trace.n);
	close(ends[1]);
	snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
	assert_false(argnames_look(&look, &wanted, name));
	assert_string_equal(look.error,
	                    "-A reads a file twice, and this is a pipe; use standard input");
	json_close(&look.json);
	close(ends[0]);
	unit_feed_pipe(trace);
	assert_true(argnames_look(&look, &wanted, "-"));
	assert_int_equal(wanted.columns, KEV_CORE + 1);
	assert_int_equal(lseek(0, 0, SEEK_CUR), 0);
	argnames_free(&look);
	wanted_free(&wanted);
}

static void a_missing_file(void **state)
{
	struct wanted wanted;
	struct argnames look = {0};

	(void)state;
	begin(&wanted);
	assert_true(argnames_look(&look, &wanted, "/nonexistent"));
	assert_true(look.unseen);
	argnames_free(&look);
	wanted_free(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_of_rows_in_order),
		cmocka_unit_test(pipes),
		cmocka_unit_test(a_missing_file),
	};

	return cmocka_run_group_tests_name("argnames", tests, NULL, NULL);
}
