/* callers: the thread of a launch, and its place there. */
#include "../unit.h"

#include "threads_made.h"
#include "wall/callers.h"

#define HEAD "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tlaunch_ts\tlaunch_dur\tlaunch_tid\n"

static const struct str stream =
	BYTES(HEAD "0\t9\top\tcpu_op\t1\t5\t\t\t\t\n2\t3\taround\tcpu_op\t1\t5\t\t\t\t\n"
               "2\t3\tcall\tcuda_runtime\t1\t5\t1\t\t\t\n4\t1\tcall\tcuda_runtime\t2\t6\t2\t\t\t\n"
               "9\t1\tk\tkernel\t0\t7\t1\t\t\t\n9\t1\tk\tkernel\t0\t7\t2\t\t\t\n"
               "9\t1\tk\tkernel\t0\t7\t\t2\t3\t5\n9\t1\tk\tkernel\t0\t7\t\t3\t1\t5\n"
               "9\t1\tk\tkernel\t0\t7\t\t3\t\t44\n");

/* Reads the launches of the stream; their numbers, by row of a device. */
static void read_launches(struct launches *launches, size_t *number)
{
	struct kev_reader in;
	enum kev_item item;

	unit_feed(stream);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_COLUMNS)
			launches_columns(launches, &in, true);
		else if (str_equal(in.field[3], STR("kernel")))
			*number++ = launches_of(launches, &in, 0);
		else
			launches_host(launches, &in, 0, rowkind_of(in.field[3], STR("")));
	}
	assert_int_equal(item, KEV_END);
	kev_close(&in);
}

static void by_correlation_and_by_name(void **state)
{
	static const struct {
		struct str pid, tid, name;
		size_t place;
		bool has_thread;
	} want[] = {
		{BYTES("1"), BYTES("5"), BYTES("call"), 2, true},
		{BYTES("2"), BYTES("6"), BYTES("call"), 0, true},
		{BYTES("1"), BYTES("5"), BYTES("call"), 2, true},
		{BYTES("1"), BYTES("5"), BYTES(""), 3, true},
		{BYTES(""), BYTES("44"), BYTES(""), 0, false},
	};
	struct threads threads = threads_made(stream);
	struct launches launches = {0};
	struct callers callers = {.threads = &threads, .launches = &launches};
	size_t number[COUNT(want)];

	(void)state;
	read_launches(&launches, number);
	for (size_t i = 0; i < COUNT(want); i++) {
		struct caller caller = callers_find(&callers, launches_at(&launches, number[i]), 0);

		assert_str(caller.pid, want[i].pid);
		assert_str(caller.tid, want[i].tid);
		assert_str(caller.name, want[i].name);
		assert_int_equal(caller.place, want[i].place);
		assert_int_equal(caller.thread != NULL, want[i].has_thread);
		assert_int_equal(caller.process, caller.thread ? caller.thread->process : THREADS_NONE);
	}
	callers_free(&callers);
	launches_free(&launches);
	threads_free(&threads);
}

/* A call that ends before it begins has no length. */
static void a_negative_span(void **state)
{
	const struct launch launch = {.ts = dec_of(5), .dur = dec_of(-3)};
	struct interval span = callers_span(&launch);

	(void)state;
	assert_int_equal(dec_compare(span.start, dec_of(5)), 0);
	assert_int_equal(dec_compare(span.end, dec_of(5)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_correlation_and_by_name),
		cmocka_unit_test(a_negative_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
