/* returns: the calls that wait, and the row for which each waited. */
#include "../unit.h"

#include "path_made.h"

static const struct str rows =
	BYTES("0\t9\ta\tkernel\t0\t7\t1\t7\t\t\n5\t10\tb\tkernel\t0\t8\t2\t8\t\t\n"
          "4\t9\tCopy\tgpu_memcpy\t0\t7\t3\t7\t\t\n"
          "2\t20\tcudaDeviceSynchronize\tcuda_runtime\t9\t9\t8\t\t\t\n"
          "3\t12\tcuStreamSynchronize\tcuda_"
          "driver\t9\t9\t\t\t\t\n"
          "30\t5\tcudaMemcpyAsync\tcuda_runtime\t9\t9\t3\t\t\t\n2\t30\thipMemcpy\tcuda_"
          "runtime\t9\t5\t3\t\t\t\n"
          "2\t0\thipMemcpy\tcuda_runtime\t9\t5\t3\t\t\t\n"
          "2\t30\tmySynchronize\tcpu_op\t9\t4\t3\t\t\t\n");

static void assert_returned(const struct made *made, const char *track, int time, const char *want)
{
	const struct thread *thread = threads_find((struct threads *)&made->threads, 0, str_of(track));
	struct dec at = dec_of(time);
	struct returned returned = returns_find(&made->returns, &made->threads, thread, at, 0,
	                                        devrows_limit(&made->devrows, 0, at));
	struct buf got = {0};

	if (returned.thread) {
		buf_str(&got, threads_name(&made->returns.threads, &returned.thread->row[returned.call]));
		buf_char(&got, ' ');
		buf_str(&got, made_name(made, returned.row));
	}
	unit_equal(buf_view(&got), str_of(want), __FILE__, __LINE__);
	buf_free(&got);
}

static void what_waited(void **state)
{
	struct made made;

	(void)state;
	made_read(&made, rows);
	assert_returned(&made, "9\t9", 22, "cudaDeviceSynchronize b");
	/* The inner call is open just before its end, not after it. */
	assert_returned(&made, "9\t9", 15, "cuStreamSynchronize b");
	assert_returned(&made, "9\t9", 16, "cudaDeviceSynchronize b");
	assert_returned(&made, "9\t9", 14, "cuStreamSynchronize Copy");
	assert_returned(&made, "9\t9", 10, "cuStreamSynchronize a");
	assert_returned(&made, "9\t9", 8, "");
	/* The copy had ended before the call, and this copy is another row's. */
	assert_returned(&made, "9\t9", 35, "");
	assert_returned(&made, "9\t5", 32, "hipMemcpy Copy");
	assert_returned(&made, "9\t5", 13, "hipMemcpy Copy");
	assert_returned(&made, "9\t5", 12, "");
	/* An operator is no call. */
	assert_returned(&made, "9\t4", 20, "");
	made_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_waited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
