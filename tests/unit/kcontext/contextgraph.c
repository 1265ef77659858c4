/* contextgraph: kernels of graphs in a context: REFs, replays and what rows get. */
#include "../unit.h"

#include "kcontext/contextgraph.h"

#define HEAD "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tExternal id\tkernel\n"

enum look { LEARN, REPLAY, PLACE };

/* A line of a place: name, operator, its number, and what stands for the launch. */
static void put_place(struct buf *out, struct context *c, struct kev_reader *in)
{
	struct context_place place = context_place(c, in);

	buf_str(out, in->field[c->column[CONTEXT_NAME]]);
	buf_format(out, " [%.*s] %llu", (int)place.cpu_op.n, place.cpu_op.s,
	           (unsigned long long)place.op_id);
	if (place.graph.replay) {
		buf_char(out, ' ');
		buf_str(out, contextgraph_name(c, &place.graph));
		assert_false(contextgraph_is_long(&place.graph));
	}
	buf_text(out, place.captured ? " captured\n" : "\n");
}

static void look_at(struct context *c, struct kev_reader *in, enum look look, struct buf *out)
{
	enum kev_item item;

	context_begin(c);
	while ((item = kev_next(in)) > KEV_END) {
		enum context_kind kind = item == KEV_ROW ? context_kind(c, in) : CONTEXT_OTHER;

		if (look == LEARN)
			kev_keep(in, item);
		if (item == KEV_COLUMNS)
			context_columns(c, in);
		else if (item == KEV_ROW && look == LEARN)
			context_learn(c, in);
		else if (item == KEV_ROW && look == REPLAY)
			contextgraph_replay(c, in);
		else if (kind == CONTEXT_COPY && look == PLACE)
			contextgraph_pass(c, in);
		else if (kind == CONTEXT_KERNEL && look == PLACE)
			put_place(out, c, in);
	}
	assert_int_equal(item, KEV_END);
}

/* Takes a REF, and gives what it has. */
static struct contextgraph_found take(struct captures *captures, const char *text)
{
	struct context c = {.captures = captures, .reference = true};
	struct contextgraph_found found;
	struct kev_reader in;

	unit_feed(str_of(text));
	kev_open(&in, unit_opts());
	look_at(&c, &in, LEARN, NULL);
	context_build(&c);
	context_build_graphs(&c);
	found = contextgraph_gather(&c);
	kev_close(&in);
	context_free(&c);
	return found;
}

static void assert_places(struct captures *captures, const char *text, const char *want)
{
	struct context c = {.captures = captures};
	struct kev_reader in;
	struct buf got = {0};

	unit_feed(str_of(text));
	kev_open(&in, unit_opts());
	look_at(&c, &in, LEARN, &got);
	context_build(&c);
	context_build_graphs(&c);
	kev_again(&in);
	look_at(&c, &in, REPLAY, &got);
	contextgraph_choose(&c);
	kev_again(&in);
	look_at(&c, &in, PLACE, &got);
	assert_str(buf_view(&got), str_of(want));
	kev_close(&in);
	context_free(&c);
	buf_free(&got);
}

static const char capture[] = HEAD "1\t90\tcapture_4\tuser_annotation\t9\t9\t\t\t\n"
								   "2\t1\thipStreamBeginCapture\tcuda_runtime\t9\t9\t1\t\t\n"
								   "10\t9\taten::mm\tcpu_op\t9\t9\t\t\t\n"
								   "11\t1\thipLaunchKernel\tcuda_runtime\t9\t9\t2\t\ta\n"
								   "13\t1\thipMemcpyAsync\tcuda_runtime\t9\t9\t3\t\t\n"
								   "15\t1\thipLaunchKernel\tcuda_runtime\t9\t9\t4\t\tb\n"
								   "30\t1\thipStreamEndCapture\tcuda_runtime\t9\t9\t5\t\t\n";

static const char replay[] = HEAD "1\t1\taten::own\tcpu_op\t9\t9\t\t\t\n"
								  "1\t1\thipLaunchKernel\tcuda_runtime\t9\t9\t1\t\t\n"
								  "4\t1\thipGraphLaunch\tcuda_runtime\t9\t9\t2\t\t\n"
								  "20\t1\ta\tkernel\t0\t7\t2\t\t\n"
								  "24\t1\tb\tkernel\t0\t7\t2\t\t\n"
								  "22\t1\tMemcpy\tgpu_memcpy\t0\t7\t2\t\t\n"
								  "26\t1\tz\tkernel\t0\t7\t2\t\t\n"
								  "28\t1\ta\tkernel\t0\t7\t1\t\t\n"
								  "29\t1\ta\tkernel\t0\t7\t0\t\t\n";

static void a_replay(void **state)
{
	struct captures captures = {.columns = CONTEXTGRAPH_ARGS};
	struct contextgraph_found found = take(&captures, capture);

	(void)state;
	assert_true(found.any);
	assert_false(found.nameless);
	/* The copy is of the same operator, and its operator's number is that of a. */
	assert_places(&captures, replay,
	              "a [aten::mm] 2 capture_4 captured\nb [aten::mm] 2 capture_4 captured\n"
	              "z [] 0 capture_4\na [aten::own] 1\na [] 0\n");
	captures_free(&captures);
}

/* A REF without anything; nothing stands for the launch. */
static void nothing(void **state)
{
	struct captures captures = {.columns = CONTEXTGRAPH_ARGS};

	(void)state;
	assert_false(take(&captures, HEAD).any);
	assert_places(&captures, replay,
	              "a [] 0 none\nb [] 0 none\nz [] 0 none\na [aten::own] 1\na [] 0\n");
	captures_free(&captures);
}

/* The only eager kernel is that of launch 1: a correlation of 0 is none. */
static void eager(void **state)
{
	struct captures captures = {.columns = CONTEXTGRAPH_ARGS};

	(void)state;
	assert_true(take(&captures, replay).any);
	assert_int_equal(captures.calls, 1);
	assert_places(&captures,
	              HEAD "4\t1\tcudaGraphLaunch\tcuda_driver\t9\t9\t2\t\t\n"
	                   "20\t1\ta\tkernel\t0\t7\t2\t\t\n",
	              "a [aten::own] 1 eager captured\n");
	captures_free(&captures);
}

static void no_names(void **state)
{
	struct captures captures = {.columns = CONTEXTGRAPH_ARGS};

	(void)state;
	assert_true(take(&captures, HEAD "2\t1\tcudaStreamBeginCapture\tcuda_runtime\t9\t9\t1\t\t\n"
	                                 "3\t1\tcudaLaunchKernel\tcuda_runtime\t9\t9\t2\t\t\n"
	                                 "4\t1\tcudaStreamEndCapture\tcuda_runtime\t9\t9\t3\t\t\n")
	                .nameless);
	captures_free(&captures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_replay),
		cmocka_unit_test(nothing),
		cmocka_unit_test(eager),
		cmocka_unit_test(no_names),
	};

	return cmocka_run_group_tests_name("contextgraph", tests, NULL, NULL);
}
