/* context: the steps, phases, layers, operators and stacks that a trace gives its kernels. */
#include "../unit.h"

#include "kcontext/context.h"
#include "kcontext/layer.h"
#include "kcontext/stack.h"

#define HEAD "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tExternal id"
#define PYTHON "\tPython id\tPython parent id"

enum look { LEARN, MARK, PLACE };

/* A line of a place: name, step, phase, layer, operator, way, stack. */
static void put_place(struct buf *out, struct context *c, struct kev_reader *in)
{
	static const char *const ways[CONTEXT_WAYS] = {
		[CONTEXT_BY_LAUNCH] = "launch",   [CONTEXT_BY_DEVICE] = "device",
		[CONTEXT_BY_HOST] = "host",       [CONTEXT_BY_NOTHING] = "nothing",
		[CONTEXT_IN_SEVERAL] = "several",
	};
	struct context_place place = context_place(c, in);

	buf_str(out, in->field[c->column[CONTEXT_NAME]]);
	if (place.step == STEP_NONE)
		buf_text(out, " -");
	else
		buf_format(out, " %u", place.step);
	buf_format(out, " %s", place.phase == STEP_NO_PHASE ? "none" : step_phases[place.phase]);
	if (place.layer == LAYER_NONE)
		buf_text(out, " -");
	else
		buf_format(out, " %u", place.layer);
	buf_format(out, " [%.*s] %s", (int)place.cpu_op.n, place.cpu_op.s, ways[place.way]);
	if (c->functions) {
		buf_text(out, " [");
		stacks_fold(place.stacks, place.frame, out);
		buf_char(out, ']');
	}
	buf_char(out, '\n');
}

/* False on an error, which is in in->error. */
static bool look_at(struct context *c, struct kev_reader *in, enum look look, struct buf *out)
{
	enum kev_item item;

	context_begin(c);
	while ((item = kev_next(in)) > KEV_END) {
		if (look == LEARN && item != KEV_ROW)
			kev_keep(in, item);
		if (item == KEV_META) {
			if (str_equal(in->key, STR("source")))
				context_source(c);
		} else if (item == KEV_COLUMNS) {
			context_columns(c, in);
		} else if (look == LEARN) {
			enum context_kind kind = context_learn(c, in);

			if (kind == CONTEXT_KERNEL || kind == CONTEXT_COPY)
				kev_keep(in, KEV_ROW);
		} else if (look == MARK) {
			context_mark(c, in);
		} else if (context_kind(c, in) == CONTEXT_KERNEL || context_kind(c, in) == CONTEXT_COPY) {
			put_place(out, c, in);
		}
	}
	return item == KEV_END;
}

/* Appends the places of all kernels of the stream. */
static void places(struct context *c, struct str stream, struct buf *out)
{
	struct kev_reader in;

	unit_feed(stream);
	kev_open(&in, unit_opts());
	assert_true(look_at(c, &in, LEARN, NULL));
	context_build(c);
	context_build_graphs(c);
	if (c->kclass) {
		kev_again(&in);
		assert_true(look_at(c, &in, MARK, NULL));
		context_build_layers(c);
	}
	kev_again(&in);
	assert_true(look_at(c, &in, PLACE, out));
	kev_close(&in);
}

static void assert_places(struct context c, const char *stream, const char *want)
{
	struct buf got = {0};

	places(&c, str_of(stream), &got);
	assert_str(buf_view(&got), str_of(want));
	context_free(&c);
	buf_free(&got);
}

/* Two steps of which the second kernel runs in the other's time, and kernels without a launch. */
#define STEPS                                                                \
	HEAD "\n"                                                                \
		 "10\t10\tstep[EXTEND bs=1 toks=2048]\tuser_annotation\t1\t1\t\t1\n" \
		 "20\t10\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t2\n"           \
		 "60\t10\tstep[MIXED bs=2]\tuser_annotation\t1\t1\t\t3\n"            \
		 "40\t9\tstep[DECODE bs=1]\tgpu_user_annotation\t0\t7\t\t2\n"        \
		 "11\t3\taten::mm\tcpu_op\t1\t1\t\t5\n"

#define LAUNCHES                                  \
	"12\t1\tlaunch\tcuda_runtime\t1\t1\t100\t5\n" \
	"22\t1\tlaunch\tcuda_driver\t1\t1\t101\t\n"   \
	"35\t1\tlaunch\tcuda_runtime\t1\t1\t102\t\n"
#define KERNELS                        \
	"23\t2\ta\tkernel\t0\t7\t100\t5\n" \
	"65\t2\tb\tkernel\t0\t7\t101\t6\n" \
	"66\t2\tc\tkernel\t0\t7\t102\t\n"  \
	"41\t2\td\tkernel\t0\t7\t\t\n"     \
	"62\t2\te\tkernel\t0\t7\t999\t\n"  \
	"25\t2\tf\tkernel\t0\t7\t\t\n"     \
	"15\t2\tg\tgpu_memcpy\t0\t7\t\t\n" \
	"\t2\th\tkernel\t0\t7\t\t\n"

static void the_launch_decides(void **state)
{
	(void)state;
	assert_places((struct context){.prefill_tokens = 1024}, STEPS LAUNCHES KERNELS,
	              "a 0 prefill - [aten::mm] launch\n"
	              "b 1 decode - [] launch\n"
	              "c - none - [] nothing\n"
	              "d 1 decode - [] device\n"
	              "e - none - [] nothing\n"
	              "f - none - [] nothing\n"
	              "g - none - [] nothing\n"
	              "h - none - [] nothing\n");
}

/* Without any launch a kernel's own time on the host is all that there is. */
static void without_launches(void **state)
{
	(void)state;
	assert_places((struct context){0}, STEPS KERNELS,
	              "a - none - [aten::mm] nothing\n" /* step 1 is annotated on the device, too */
	              "b 2 decode - [] host\n"
	              "c 2 decode - [] host\n"
	              "d 1 decode - [] device\n"
	              "e 2 decode - [] host\n"
	              "f - none - [] nothing\n"
	              "g 0 prefill - [] host\n"
	              "h - none - [] nothing\n");
}

/* A thread, which is a tid of a pid, without a step is in that of the others of its process. */
static void threads_are_apart(void **state)
{
	(void)state;
	assert_places((struct context){0},
	              HEAD "\n"
	                   "10\t10\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t1\n"
	                   "12\t1\tl\tcuda_runtime\t1\t1\t1\t\n"
	                   "12\t1\tl\tcuda_runtime\t1\t2\t2\t\n"
	                   "12\t1\tl\tcuda_runtime\t2\t1\t3\t\n"
	                   "50\t1\ta\tkernel\t0\t7\t1\t\n"
	                   "50\t1\tb\tkernel\t0\t7\t2\t\n"
	                   "50\t1\tc\tkernel\t0\t7\t3\t\n",
	              "a 0 decode - [] launch\n"
	              "b 0 decode - [] launch\n"
	              "c - none - [] nothing\n");
	/* On the device the own stream comes before any other one, although that has the shorter span.
	 */
	assert_places((struct context){0},
	              HEAD "\n"
	                   "10\t50\tstep[DECODE bs=1]\tgpu_user_annotation\t0\t7\t\t1\n"
	                   "11\t5\tstep[DECODE bs=2]\tgpu_user_annotation\t0\t8\t\t2\n"
	                   "12\t1\ta\tkernel\t0\t7\t\t\n"
	                   "12\t1\tb\tkernel\t0\t9\t\t\n",
	              "a 0 decode - [] device\n"
	              "b 1 decode - [] device\n");
}

/* Threads in two steps put a third one in none, and one of them in its own. */
static void threads_in_several_steps(void **state)
{
	(void)state;
	assert_places((struct context){0},
	              HEAD "\n"
	                   "10\t30\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t1\n"
	                   "20\t30\tstep[DECODE bs=2]\tuser_annotation\t1\t2\t\t2\n"
	                   "15\t1\tl\tcuda_runtime\t1\t3\t1\t\n"
	                   "25\t1\tl\tcuda_runtime\t1\t3\t2\t\n"
	                   "25\t1\tl\tcuda_runtime\t1\t2\t3\t\n"
	                   "45\t1\tl\tcuda_runtime\t1\t3\t4\t\n"
	                   "50\t1\tl\tcuda_runtime\t1\t3\t5\t\n"
	                   "90\t1\ta\tkernel\t0\t7\t1\t\n"
	                   "90\t1\tb\tkernel\t0\t7\t2\t\n"
	                   "90\t1\tc\tkernel\t0\t7\t3\t\n"
	                   "90\t1\td\tkernel\t0\t7\t4\t\n"
	                   "90\t1\te\tkernel\t0\t7\t5\t\n",
	              "a 0 decode - [] launch\n"
	              "b - none - [] several\n"
	              "c 1 decode - [] launch\n"
	              "d 1 decode - [] launch\n"
	              "e - none - [] nothing\n");
}

/* The innermost operator at the launch, whatever the External id says; none for a graph. */
static void operators_of_launches(void **state)
{
	(void)state;
	assert_places((struct context){0},
	              HEAD "\n"
	                   "10\t30\touter\tcpu_op\t1\t1\t\t1\n"
	                   "20\t5\tinner\tcpu_op\t1\t1\t\t2\n"
	                   "20\t5\tother\tcpu_op\t1\t2\t\t3\n"
	                   "22\t1\tl\tcuda_runtime\t1\t1\t1\t\n"
	                   "25\t1\tl\tcuda_runtime\t1\t1\t2\t\n"
	                   "22\t1\tl\tcuda_runtime\t1\t3\t3\t\n"
	                   "22\t1\tcudaGraphLaunch\tcuda_runtime\t1\t1\t4\t\n"
	                   "90\t1\ta\tkernel\t0\t7\t1\t3\n"
	                   "90\t1\tb\tkernel\t0\t7\t2\t3\n"
	                   "90\t1\tc\tkernel\t0\t7\t3\t3\n"
	                   "90\t1\td\tkernel\t0\t7\t4\t3\n"
	                   "90\t1\te\tkernel\t0\t7\t9\t3\n",
	              "a - none - [inner] nothing\n"
	              "b - none - [outer] nothing\n"
	              "c - none - [] nothing\n"
	              "d - none - [] nothing\n"
	              "e - none - [other] nothing\n");
}

/* Also if another column is between those of the process and the thread. */
static void a_thread_is_two_columns(void **state)
{
	(void)state;
	assert_places((struct context){0},
	              "#ts\tdur\tname\tcat\tpid\tx\ttid\tcorrelation\tExternal id\n"
	              "10\t30\tmm\tcpu_op\t1\tp\t1\t\t1\n"
	              "22\t1\tl\tcuda_runtime\t1\tq\t1\t1\t\n"
	              "22\t1\tl\tcuda_runtime\t1\tp\t2\t2\t\n"
	              "90\t1\ta\tkernel\t0\tr\t7\t1\t\n"
	              "90\t1\tb\tkernel\t0\tr\t7\t2\t\n",
	              "a - none - [mm] nothing\n"
	              "b - none - [] nothing\n");
}

/* Calls of a module are numbered in each step; one within another is no layer of its own. */
static void a_layer_is_a_module(void **state)
{
	assert_places((struct context){.functions = true, .module = STR("Layer")},
	              HEAD PYTHON "\n"
	                          "10\t90\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t1\t\t\n"
	                          "200\t90\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t2\t\t\n"
	                          "30\t9\tnn.Module: BigLayer_1\tpython_function\t1\t1\t\t\t2\t\n"
	                          "20\t9\tnn.Module: BigLayer_0\tpython_function\t1\t1\t\t\t1\t\n"
	                          "31\t7\tnn.Module: Layer\tpython_function\t1\t1\t\t\t3\t2\n"
	                          "220\t9\tnn.Module: BigLayer_0\tpython_function\t1\t1\t\t\t4\t\n"
	                          "21\t1\tl\tcuda_runtime\t1\t1\t1\t\t\t\n"
	                          "32\t1\tl\tcuda_runtime\t1\t1\t2\t\t\t\n"
	                          "50\t1\tl\tcuda_runtime\t1\t1\t3\t\t\t\n"
	                          "221\t1\tl\tcuda_runtime\t1\t1\t4\t\t\t\n"
	                          "90\t1\ta\tkernel\t0\t7\t1\t\t\t\n"
	                          "90\t1\tb\tkernel\t0\t7\t2\t\t\t\n"
	                          "90\t1\tc\tkernel\t0\t7\t3\t\t\t\n"
	                          "90\t1\td\tkernel\t0\t7\t4\t\t\t\n",
	              "a 0 decode 0 [] launch [nn.Module: BigLayer_0]\n"
	              "b 0 decode 1 [] launch [nn.Module: BigLayer_1;nn.Module: Layer]\n"
	              "c 0 decode - [] launch []\n"
	              "d 1 decode 0 [] launch [nn.Module: BigLayer_0]\n");
	(void)state;
}

static void phases_as_wanted(void **state)
{
	(void)state;
	assert_places((struct context){.prefill_tokens = 2049, .mixed = true}, STEPS KERNELS,
	              "a - none - [aten::mm] nothing\n"
	              "b 2 mixed - [] host\n"
	              "c 2 mixed - [] host\n"
	              "d 1 decode - [] device\n"
	              "e 2 mixed - [] host\n"
	              "f - none - [] nothing\n"
	              "g 0 decode - [] host\n"
	              "h - none - [] nothing\n");
}

/* A stack ends at the launch; at the kernel's time the function stands for the operator. */
static void stacks_and_the_kernels_own_time(void **state)
{
	static const char stream[] =
		HEAD PYTHON "\n"
					"10\t10\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t1\t\t\n"
					"0\t99\tmain\tpython_function\t1\t1\t\t\t1\t\n"
					"10\t5\tforward\tpython_function\t1\t1\t\t\t2\t1\n"
					"30\t5\tsample\tpython_function\t1\t1\t\t\t3\t1\n"
					"12\t1\tlaunch\tcuda_runtime\t1\t1\t7\t\t\t\n"
					"31\t1\ta\tkernel\t0\t7\t7\t\t\t\n"
					"16\t1\tb\tkernel\t0\t7\t\t\t\t\n";

	(void)state;
	assert_places((struct context){.functions = true}, stream,
	              "a 0 decode - [] launch [main;forward]\n"
	              "b - none - [] nothing []\n");
	assert_places((struct context){.functions = true, .at_kernel = true}, stream,
	              "a - decode - [sample] nothing [main;sample]\n"
	              "b 0 decode - [main] host [main]\n");
}

/* Appends so many kernels of each correlation, with one attention among them or without. */
static void put_graph(struct buf *out, const char *correlation, size_t kernels, bool attention)
{
	for (size_t i = 0; i < kernels; i++)
		buf_format(out, "1\t1\t%s\tkernel\t0\t7\t%s\t\n",
		           attention && i == 0 ? "fmha"
		           : i                 ? "gemm"
		                               : "g",
		           correlation);
}

static void a_layer_is_a_graph(void **state)
{
	struct context c = {.prefill_tokens = 1024};
	struct buf stream = {0};
	struct buf got = {0};
	struct str rest;

	(void)state;
	buf_text(&stream, HEAD "\n");
	put_graph(&stream, "20", LAYER_KERNELS, true);
	put_graph(&stream, "9", LAYER_KERNELS, true);
	put_graph(&stream, "10", LAYER_KERNELS - 1, true);
	put_graph(&stream, "11", LAYER_KERNELS, false);
	places(&c, buf_view(&stream), &got);
	assert_int_equal(context_totals(&c).layers, 2);
	/* The first kernel of each, in the order of the rows; layers are in order of the ids. */
	rest = buf_view(&got);
	assert_true(str_starts(rest, STR("fmha - none 1 [] nothing\ngemm - none 1 ")));
	assert_true(str_has(rest, STR("\nfmha - none 0 [] nothing\ngemm - none 0 ")));
	assert_true(str_has(rest, STR("\nfmha - none - [] nothing\ngemm - none - ")));
	assert_true(str_has(rest, STR("\ng - none - [] nothing\ngemm - none - ")));
	context_free(&c);
	buf_free(&stream);
	buf_free(&got);
}

/* Each attention begins a layer, in order of ts, for each step and each device; a part does not. */
static void a_layer_begins_with_an_attention(void **state)
{
	struct kclass rules = {0};
	struct context c = {.kclass = &rules};
	struct buf got = {0};

	(void)state;
	assert_true(kclass_load(&rules, NULL));
	places(&c,
	       STR(HEAD "\n"
	                "10\t90\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t1\n"
	                "200\t90\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t2\n"
	                "20\t1\tk\tkernel\t0\t7\t9\t\n"
	                "40\t1\tfmha\tkernel\t0\t7\t9\t\n"
	                "30\t1\tattn_fwd\tkernel\t0\t7\t9\t\n"
	                "35\t1\treduce_segments\tkernel\t0\t7\t9\t\n"
	                "50\t1\tk\tkernel\t0\t8\t9\t\n"
	                "50\t1\tk\tkernel\t1\t7\t9\t\n"
	                "210\t1\tattn_fwd\tkernel\t0\t7\t10\t\n"
	                "500\t1\tattn_fwd\tkernel\t0\t7\t11\t\n"
	                "60\t1\tm\tgpu_memcpy\t0\t7\t9\t\n"
	                "11\t1\tl\tcuda_runtime\t1\t1\t9\t\n"
	                "201\t1\tl\tcuda_runtime\t1\t1\t10\t\n"
	                "\t1\tattn_fwd\tkernel\t0\t7\t9\t\n"),
	       &got);
	assert_buf(&got, "k 0 decode - [] launch\n"
	                 "fmha 0 decode 1 [] launch\n"
	                 "attn_fwd 0 decode 0 [] launch\n"
	                 "reduce_segments 0 decode 0 [] launch\n"
	                 "k 0 decode 1 [] launch\n"
	                 "k 0 decode - [] launch\n"
	                 "attn_fwd 1 decode 0 [] launch\n"
	                 "attn_fwd - none - [] nothing\n"
	                 "m 0 decode 1 [] launch\n"
	                 "attn_fwd 0 decode - [] launch\n");
	assert_int_equal(context_totals(&c).layers, 2);
	context_free(&c);
	kclass_free(&rules);
	buf_free(&got);
}

/* The rules see the name, type, category, operator and phase of kernels, and no other rows. */
static void what_the_rules_see(void **state)
{
	static const char text[] =
		"Attention\tp\n\thas: a; type: t; cat: kernel; cpu_op: o; phase: decode\n"
		"Attention\tp\n\thas: launch\n";
	struct kclass rules = {0};
	struct context c = {.kclass = &rules, .prefill_tokens = 1024};
	struct buf got = {0};
	char path[64];

	(void)state;
	unit_file(path, str_of(text));
	assert_true(kclass_load(&rules, path));
	unlink(path);
	places(&c,
	       STR(HEAD "\ttype\n"
	                "10\t90\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t1\t\n"
	                "100\t90\tstep[EXTEND bs=1]\tuser_annotation\t1\t1\t\t2\t\n"
	                "11\t1\to\tcpu_op\t1\t1\t\t5\t\n"
	                "12\t1\tlaunch\tcuda_runtime\t0\t1\t\t5\t\n"
	                "20\t1\tb\tkernel\t0\t7\t\t5\tt\n"
	                "21\t1\ta\tkernel\t0\t7\t\t5\t\n"
	                "22\t1\ta\tkernel\t0\t7\t\t\tt\n"
	                "23\t1\ta\tkernel\t0\t7\t\t5\tt\n"
	                "123\t1\ta\tkernel\t0\t7\t\t5\tt\n"),
	       &got);
	assert_buf(&got, "b 0 decode - [o] host\n"
	                 "a 0 decode - [o] host\n"
	                 "a 0 decode - [] host\n"
	                 "a 0 decode 0 [o] host\n"
	                 "a 1 prefill - [o] host\n");
	context_free(&c);
	kclass_free(&rules);
	buf_free(&got);
}

/* The name of the step, the launch, the operator's number over all streams and its arguments. */
static void what_comes_along(void **state)
{
	static struct str shape[] = {{"shape", 5}, {"cat", 3}};
	struct context c = {.args = {.item = shape, .count = COUNT(shape), .cap = COUNT(shape)}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct context_place place;
		struct kev_reader in;

		unit_feed(STR(HEAD "\tshape\n"
		                   "5\t9\tp\tcpu_op\t1\tt\t\t1\tx\n"
		                   "5\t6\to\tcpu_op\t1\tt\t\t2\t[1,\\t2]\n"
		                   "0\t90\tProfilerStep#7\tuser_annotation\t1\t1\t\t\t\n"
		                   "10.50\t2\tl\tcuda_runtime\t1\tt\t7\t\t\n"
		                   "20\t1\tk\tkernel\t0\t7\t7\t\t\n"));
		kev_open(&in, unit_opts());
		assert_true(look_at(&c, &in, LEARN, NULL));
		context_build(&c);
		context_build_graphs(&c);
		kev_again(&in);
		context_begin(&c);
		assert_int_equal(kev_next(&in), KEV_COLUMNS);
		assert_true(context_columns(&c, &in));
		while (kev_next(&in) == KEV_ROW && context_kind(&c, &in) != CONTEXT_KERNEL)
			;
		place = context_place(&c, &in);
		assert_str(place.step_name, STR("ProfilerStep#7"));
		assert_true(place.launched && place.has_launch_dur);
		assert_int_equal(dec_compare(place.launch_dur, dec_of(2)), 0);
		assert_int_equal((long)(place.launch_ts.nano / 1000000), 10500);
		assert_str(place.launch_tid, STR("t"));
		assert_int_equal(place.op_id, 2 * i + 2);
		assert_str(place.args, STR("[1,\\t2]\tcpu_op\t"));
		kev_close(&in);
		context_clear(&c);
	}
	c.args = (struct words){0};
	context_free(&c);
}

#define ONE_TRACE(ts, name, more)                                      \
	"10\t5\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t" more "\n" ts \
	"\t1\tlaunch\tcuda_runtime\t1\t1\t7\t" more "\n"                   \
	"1\t90\t" name "\tcpu_op\t1\t1\t\t5" more "\n90\t1\t" name "\tkernel\t0\t7\t7\t5" more "\n"

/* ##source lines and the column file keep the ids of several traces apart. */
static void traces_of_a_stream(void **state)
{
	(void)state;
	assert_places((struct context){0},
	              "##source\tx\n" HEAD
	              "\n" ONE_TRACE("20", "a", "") "##source\tx\n" ONE_TRACE("12", "b", ""),
	              "a - none - [a] nothing\nb 0 decode - [b] launch\n");
	assert_places((struct context){0},
	              HEAD "\tfile\n" ONE_TRACE("20", "a", "\ty") ONE_TRACE("12", "b", "\tx"),
	              "a - none - [a] nothing\nb 0 decode - [b] launch\n");
}

/* The earliest of launches with one id counts. Each is counted, and so are ids of operators. */
static void ids_twice(void **state)
{
	struct context c = {0};
	struct buf got = {0};

	(void)state;
	places(&c, STR(HEAD "\n" ONE_TRACE("20", "a", "") ONE_TRACE("12", "b", "")), &got);
	assert_buf(&got, "a 0 decode - [b] launch\nb 0 decode - [b] launch\n");
	assert_int_equal(c.twice, 2);
	assert_int_equal(c.launches, 2);
	assert_int_equal(c.no_time, 0);
	context_free(&c);
	buf_free(&got);
}

/* After context_clear a stream gives what it gave before, and the totals are its own. */
static void one_stream_after_another(void **state)
{
	struct context c = {.prefill_tokens = 1024};
	struct buf first = {0};
	struct buf second = {0};

	(void)state;
	places(&c, STR(STEPS LAUNCHES KERNELS), &first);
	for (int i = 0; i < 2; i++) {
		struct context_totals totals = context_totals(&c);

		assert_int_equal(totals.steps, 3);
		assert_int_equal(totals.phases[STEP_PREFILL], 1);
		assert_int_equal(totals.phases[STEP_DECODE], 2);
		assert_int_equal(totals.phases[STEP_MIXED], 0);
		assert_int_equal(totals.layers, 0);
		context_clear(&c);
		assert_int_equal(c.launches, 0);
		assert_int_equal(context_totals(&c).steps, 0);
		second.len = 0;
		places(&c, STR(STEPS LAUNCHES KERNELS), &second);
		assert_str(buf_view(&second), buf_view(&first));
	}
	context_free(&c);
	buf_free(&first);
	buf_free(&second);
}

/* What is wrong with a row or a layout is in the reader's error, with its line. */
static void errors(void **state)
{
	static const struct {
		const char *stream;
		const char *error;
		bool strict_only;
	} cases[] = {
		{"#ts\tdur\tname\tcat\tpid\ttid\n", "column 'correlation' is missing; trace2tsv -g adds it",
	     false},
		{HEAD "\n", "column 'Python id' is missing; trace2tsv -g adds it", false},
		{HEAD PYTHON "\nx\t1\tl\tcuda_runtime\t1\t1\t7\t\t\t\n", "ts: 'x' is not a number", false},
		{HEAD PYTHON "\n170000000000000000000000000000\t1e29\tstep[DECODE bs=1]"
	                 "\tuser_annotation\t1\t1\t\t\t\t\n",
	     "ts + dur is too large", false},
		{HEAD PYTHON "\n170000000000000000000000000000\t1e29\tf\tpython_function\t1\t1\t\t\t1\t\n",
	     "ts + dur is too large", false},
		{HEAD PYTHON "\n\t1\tl\tcuda_runtime\t1\t1\t7\t\t\t\n", "ts is missing from a launch",
	     true},
		{HEAD PYTHON "\n1\t\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t\t\t\n",
	     "ts or dur is missing from the annotation of a step", true},
		{HEAD PYTHON "\n1\t\tf\tpython_function\t1\t1\t\t\t1\t\n",
	     "ts or dur is missing from a Python function", true},
		{HEAD PYTHON "\n1\t\to\tcpu_op\t1\t1\t\t\t\t\n", "ts or dur is missing from an operator",
	     true},
		{HEAD PYTHON "\n1\t1\tl\tcuda_runtime\t1\t1\t7\t\t\t\n"
	                 "1\t1\tl\tcuda_driver\t1\t1\t7\t\t\t\n",
	     "correlation: another launch has the same one", true},
		{HEAD PYTHON "\n1\t1\to\tcpu_op\t1\t1\t\t7\t\t\n1\t1\to\tcpu_op\t1\t1\t\t7\t\t\n",
	     "External id: another cpu_op has the same one", true},
		{HEAD PYTHON "\n1\t1\tf\tpython_function\t1\t1\t\t\t7\t\n"
	                 "1\t1\tf\tpython_function\t1\t1\t\t\t7\t\n",
	     "Python id: another function has the same one", true},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		struct context c = {.functions = true, .strict = i < COUNT(cases)};
		size_t n = i % COUNT(cases);
		struct kev_reader in;
		bool good;

		unit_feed(str_of(cases[n].stream));
		kev_open(&in, unit_opts());
		good = look_at(&c, &in, LEARN, NULL);
		assert_case(cases[n].error, good == (!c.strict && cases[n].strict_only));
		if (good)
			assert_case(cases[n].error, c.no_time + c.twice == 1);
		else
			assert_str(str_of(in.error), str_of(cases[n].error));
		kev_close(&in);
		context_free(&c);
	}
}

/* Rows that decide nothing may have anything in their times. */
static void rows_that_do_not_matter(void **state)
{
	struct context c = {.strict = true};
	struct buf got = {0};

	(void)state;
	places(&c,
	       STR(HEAD "\nx\tx\tother\tuser_annotation\t1\t1\t\t\nx\tx\tfill\tac2g\t1\t1\t\t\n"
	                "x\tx\tf\tpython_function\t1\t1\t\t\n"
	                "x\tx\tl\tcuda_runtime\t1\t1\t\t\n"),
	       &got);
	assert_int_equal(got.len, 0);
	assert_int_equal(c.no_time, 0);
	context_free(&c);
	buf_free(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_launch_decides),
		cmocka_unit_test(without_launches),
		cmocka_unit_test(threads_are_apart),
		cmocka_unit_test(threads_in_several_steps),
		cmocka_unit_test(operators_of_launches),
		cmocka_unit_test(a_thread_is_two_columns),
		cmocka_unit_test(a_layer_is_a_module),
		cmocka_unit_test(what_comes_along),
		cmocka_unit_test(phases_as_wanted),
		cmocka_unit_test(stacks_and_the_kernels_own_time),
		cmocka_unit_test(a_layer_is_a_graph),
		cmocka_unit_test(a_layer_begins_with_an_attention),
		cmocka_unit_test(what_the_rules_see),
		cmocka_unit_test(traces_of_a_stream),
		cmocka_unit_test(ids_twice),
		cmocka_unit_test(one_stream_after_another),
		cmocka_unit_test(errors),
		cmocka_unit_test(rows_that_do_not_matter),
	};

	return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
