/* context: the steps, phases, layers, operators and stacks that a trace gives its kernels. */
#include "unit.h"

#include "trace/context.h"
#include "trace/layer.h"
#include "trace/stack.h"

#define HEAD "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tExternal id"
#define PYTHON "\tPython id\tPython parent id"

enum look { LEARN, MARK, PLACE };

/* A line of a place: name, step, phase, layer, operator, way, stack. */
static void put_place(struct buf *out, struct context *c, struct kev_reader *in)
{
	static const char *const ways[CONTEXT_WAYS] = {
		[CONTEXT_BY_LAUNCH] = "launch",
		[CONTEXT_BY_DEVICE] = "device",
		[CONTEXT_BY_HOST] = "host",
		[CONTEXT_BY_NOTHING] = "nothing",
	};
	struct context_place place = context_place(c, in);

	buf_str(out, in->field[c->column[CONTEXT_NAME]]);
	if (place.step == STEP_NONE)
		buf_text(out, " -");
	else
		buf_format(out, " %u", place.step);
	buf_format(out, " %s", step_phases[place.phase]);
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
		if (item == KEV_META) {
			if (str_equal(in->key, STR("source")))
				context_source(c);
		} else if (item == KEV_COLUMNS) {
			context_columns(c, in);
		} else if (look == LEARN) {
			context_learn(c, in);
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
		 "11\t1\taten::mm\tcpu_op\t1\t1\t\t5\n"                              \
		 "12\t1\tlaunch\tcuda_runtime\t1\t1\t100\t5\n"                       \
		 "22\t1\tlaunch\tcuda_driver\t1\t1\t101\t\n"                         \
		 "35\t1\tlaunch\tcuda_runtime\t1\t1\t102\t\n"                        \
		 "23\t2\ta\tkernel\t0\t7\t100\t5\n"                                  \
		 "65\t2\tb\tkernel\t0\t7\t101\t6\n"                                  \
		 "66\t2\tc\tkernel\t0\t7\t102\t\n"                                   \
		 "41\t2\td\tkernel\t0\t7\t\t\n"                                      \
		 "62\t2\te\tkernel\t0\t7\t999\t\n"                                   \
		 "25\t2\tf\tkernel\t0\t7\t\t\n"                                      \
		 "15\t2\tg\tgpu_memcpy\t0\t7\t\t\n"                                  \
		 "\t2\th\tkernel\t0\t7\t\t\n"

static void the_launch_decides(void **state)
{
	(void)state;
	assert_places((struct context){.prefill_tokens = 1024}, STEPS,
	              "a 0 prefill - [aten::mm] launch\n"
	              "b 1 decode - [] launch\n"
	              "c - decode - [] nothing\n"
	              "d 1 decode - [] device\n"
	              "e 2 decode - [] host\n"
	              "f - decode - [] nothing\n" /* step 1 is annotated on the device, too */
	              "g 0 prefill - [] host\n"
	              "h - decode - [] nothing\n");
}

/* A step is open on its own thread, which is a tid of a pid. */
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
	              "b - decode - [] nothing\n"
	              "c - decode - [] nothing\n");
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

static void phases_as_wanted(void **state)
{
	(void)state;
	assert_places((struct context){.prefill_tokens = 2049, .mixed = true}, STEPS,
	              "a 0 decode - [aten::mm] launch\n"
	              "b 1 decode - [] launch\n"
	              "c - decode - [] nothing\n"
	              "d 1 decode - [] device\n"
	              "e 2 mixed - [] host\n"
	              "f - decode - [] nothing\n"
	              "g 0 decode - [] host\n"
	              "h - decode - [] nothing\n");
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
	              "b 0 decode - [] host []\n");
	assert_places((struct context){.functions = true, .at_kernel = true}, stream,
	              "a - decode - [sample] nothing [main;sample]\n"
	              "b 0 decode - [main] host [main]\n");
}

/* Of each correlation so many kernels, with one attention among them or without. */
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
	assert_true(str_starts(rest, STR("fmha - decode 1 [] nothing\ngemm - decode 1 ")));
	assert_true(str_has(rest, STR("\nfmha - decode 0 [] nothing\ngemm - decode 0 ")));
	assert_true(str_has(rest, STR("\nfmha - decode - [] nothing\ngemm - decode - ")));
	assert_true(str_has(rest, STR("\ng - decode - [] nothing\ngemm - decode - ")));
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
	                "20\t1\tk\tkernel\t0\t7\t\t\n"
	                "40\t1\tfmha\tkernel\t0\t7\t\t\n"
	                "30\t1\tattn_fwd\tkernel\t0\t7\t\t\n"
	                "35\t1\treduce_segments\tkernel\t0\t7\t\t\n"
	                "50\t1\tk\tkernel\t0\t8\t\t\n"
	                "50\t1\tk\tkernel\t1\t7\t\t\n"
	                "210\t1\tattn_fwd\tkernel\t0\t7\t\t\n"
	                "500\t1\tattn_fwd\tkernel\t0\t7\t\t\n"
	                "60\t1\tm\tgpu_memcpy\t0\t7\t\t\n"
	                "11\t1\tl\tcuda_runtime\t1\t1\t9\t\n"
	                "\t1\tattn_fwd\tkernel\t0\t7\t9\t\n"),
	       &got);
	assert_buf(&got, "k 0 decode - [] host\n"
	                 "fmha 0 decode 1 [] host\n"
	                 "attn_fwd 0 decode 0 [] host\n"
	                 "reduce_segments 0 decode 0 [] host\n"
	                 "k 0 decode 1 [] host\n"
	                 "k 0 decode - [] host\n"
	                 "attn_fwd 1 decode 0 [] host\n"
	                 "attn_fwd - decode - [] nothing\n"
	                 "m 0 decode 1 [] host\n"
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
		"Attention\tp\t-\thas:a\ttype:t\tcat:kernel\tcpu_op:o\tphase:decode\n"
		"Attention\tp\t-\thas:launch\n";
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

#define ONE_TRACE(ts, name, more)                                      \
	"10\t5\tstep[DECODE bs=1]\tuser_annotation\t1\t1\t\t" more "\n" ts \
	"\t1\tlaunch\tcuda_runtime\t1\t1\t7\t" more "\n"                   \
	"1\t1\t" name "\tcpu_op\t1\t1\t\t5" more "\n90\t1\t" name "\tkernel\t0\t7\t7\t5" more "\n"

/* ##source lines and the column file keep the ids of several traces apart. */
static void traces_of_a_stream(void **state)
{
	(void)state;
	assert_places((struct context){0},
	              "##source\tx\n" HEAD
	              "\n" ONE_TRACE("20", "a", "") "##source\tx\n" ONE_TRACE("12", "b", ""),
	              "a - decode - [a] nothing\nb 0 decode - [b] launch\n");
	assert_places((struct context){0},
	              HEAD "\tfile\n" ONE_TRACE("20", "a", "\ty") ONE_TRACE("12", "b", "\tx"),
	              "a - decode - [a] nothing\nb 0 decode - [b] launch\n");
}

/* Of launches with one id the earliest counts, of operators the first. Each is counted. */
static void ids_twice(void **state)
{
	struct context c = {0};
	struct buf got = {0};

	(void)state;
	places(&c, STR(HEAD "\n" ONE_TRACE("20", "a", "") ONE_TRACE("12", "b", "")), &got);
	assert_buf(&got, "a 0 decode - [a] launch\nb 0 decode - [a] launch\n");
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
	places(&c, STR(STEPS), &first);
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
		places(&c, STR(STEPS), &second);
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
		{"#ts\tdur\tname\tcat\tpid\ttid\n", "column 'correlation' is missing", false},
		{HEAD "\n", "column 'Python id' is missing", false},
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
	                "x\tx\top\tcpu_op\t1\t1\t\t1\nx\tx\tf\tpython_function\t1\t1\t\t\n"
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
		cmocka_unit_test(threads_are_apart),
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
