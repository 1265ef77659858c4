/* The line itself is in tests/pipe/progress.case; here is what keeps it away. */
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): for posix_openpt
#include "../unit.h"

#include "base/progress.h"

/* Standard error becomes the terminal's end of a new pair. */
static void open_terminal(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);

	assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	assert_int_equal(dup2(open(ptsname(terminal), O_RDWR | O_NOCTTY), STDERR_FILENO),
	                 STDERR_FILENO);
}

static int on_a_file(void *arg)
{
	int fd = open("/dev/null", O_WRONLY);

	(void)arg;
	dup2(fd, STDERR_FILENO);
	return progress_is_on();
}

static int on_a_terminal(void *arg)
{
	(void)arg;
	open_terminal();
	return !progress_is_on();
}

static int turned_off(void *arg)
{
	(void)arg;
	open_terminal();
	progress_off();
	return progress_is_on();
}

static int turned_off_by_environment(void *arg)
{
	(void)arg;
	open_terminal();
	setenv("KEV_PROGRESS", "0", 1);
	return progress_is_on();
}

static int output_on_a_terminal(void *arg)
{
	(void)arg;
	open_terminal();
	if (!progress_is_on())
		return 1;
	progress_written(STDERR_FILENO);
	return progress_is_on();
}

static void assert_status(int (*run)(void *arg), int status)
{
	struct unit_end end = unit_run(run, NULL);

	assert_int_equal(end.status, status);
	unit_end_free(&end);
}

static void ways(void **state)
{
	(void)state;
	assert_status(on_a_file, 0);
	assert_status(on_a_terminal, 0);
	assert_status(turned_off, 0);
	assert_status(turned_off_by_environment, 0);
	assert_status(output_on_a_terminal, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ways)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
