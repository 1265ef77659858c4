/* retry: calls to be made again. */
#include "../unit.h"

#include "base/retry.h"

#include <errno.h>
#include <poll.h>

static void by_error(void **state)
{
	(void)state;
	errno = EINTR;
	assert_true(retry_call(-1, POLLIN));
	errno = EIO;
	assert_false(retry_call(0, POLLIN));
	assert_int_equal(errno, EIO);
}

/* A reader waits for the writer, and for its end; a writer has room at once. */
static void waits_for_a_pipe(void **state)
{
	int ends[2];
	char c;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	if (fork() == 0) {
		usleep(10000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	errno = 0;
	while (read(ends[0], &c, 1) < 0)
		assert_true(retry_call(ends[0], POLLIN));
	assert_int_equal(c, 'x');
	errno = EAGAIN;
	assert_true(retry_call(ends[1], POLLOUT));
	assert_int_equal(errno, EAGAIN);
	close(ends[1]);
	wait(NULL);
	assert_true(retry_call(ends[0], POLLIN));
	assert_int_equal(read(ends[0], &c, 1), 0);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_error),
		cmocka_unit_test(waits_for_a_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
