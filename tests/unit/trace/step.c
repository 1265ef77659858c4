/* step: what annotations say, and the steps that they make. */
#include "../unit.h"

#include "trace/step.h"

/* --- names ---------------------------------------------------------------- */

static const struct name {
	const char *name;
	bool context;
	bool generation;
	bool counted;
	uint64_t tokens;
} names[] = {
	/* vLLM: requests(tokens) of prompts, then of requests that generate. */
	{"execute_context_2(14721)_generation_0(0)", true, false, true, 14721},
	{"execute_context_0(0)_generation_64(64)", false, true, true, 0},
	{"execute_context_2(6144)_generation_3(3)", true, true, true, 6144},
	{"execute_context_0(0)_generation_0(0)", false, false, true, 0},
	{"execute_context_1(7)", true, false, true, 7},
	{"execute_context_1(7)_of_another_form", true, false, true, 7},
	{"execute_context_1(7)_generation_2(2)_more", true, true, true, 7},
	{"execute_context_1(99999999999999999999999)_generation_0(0)", true, false, true, UINT64_MAX},
	{"execute_context_1(18446744073709551615)_generation_0(0)", true, false, true, UINT64_MAX},
	{"execute_context_1(18446744073709551614)_generation_0(0)", true, false, true, UINT64_MAX - 1},
	/* As above, with sums over the requests: sq is tokens. */
	{"execute_15360_context_15(sq15360sk15360sqsq15728640sqsk15728640)"
     "_generation_0(sq0sk0sqsq0sqsk0)",
     true, false, true, 15360},
	{"execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)", false,
     true, true, 0},
	{"execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)"
     "_generation_37(sq37sk34489sqsq37sqsk34489)",
     true, true, true, 8155},
	/* vLLM before that: requests, new ones and others. */
	{"execute_new_3_cached_0", true, false, false, 0},
	{"execute_new_0_cached_5", false, true, false, 0},
	{"execute_new_1_cached_7", true, true, false, 0},
	{"execute_new_0_cached_0", false, false, false, 0},
	/* SGLang: the mode of a forward pass. */
	{"step[EXTEND bs=15 toks=15360]", true, false, true, 15360},
	{"step[EXTEND bs=2]", true, false, false, 0},
	{"step[EXTEND bs=2 toks=12 c_sqsq=80 c_sqsk=120 c_sk=20]", true, false, true, 12},
	{"step[EXTEND bs=2 toks=14721 c_sq=14721 c_sqsq=1 c_sqsk=1 c_sk=1]", true, false, true, 14721},
	{"step[SPLIT_PREFILL bs=2 toks=3000]", true, false, true, 3000},
	{"step[DLLM_EXTEND bs=2 toks=3000]", true, false, true, 3000},
	{"step[DECODE bs=32]", false, true, false, 0},
	{"step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]", false, true, false, 0},
	{"step[TARGET_VERIFY bs=4]", false, true, false, 0},
	{"step[DRAFT_EXTEND bs=4 toks=16]", false, true, true, 16},
	{"step[MIXED bs=2]", true, true, false, 0},
	{"step[MIXED bs=2 toks=2048]", true, true, true, 2048},
	{"step[MIXED bs=5 c=2 g=3 c_sq=6144 c_sk=7144 g_sq=3 g_sk=9]", true, true, true, 6144},
	{"step[MIXED bs=5 toks=6147 c=2 g=3 c_sq=6144]", true, true, true, 6144},
	{"step[MIXED bs=5 c=2 g=3 c_sq=6144 toks=6147]", true, true, true, 6144},
	{"step[MIXED bs=1 c=1 g=0 c_sq=3 g_sq=0]", true, false, true, 3},
	{"step[MIXED bs=1 c=0 g=1 c_sq=0 g_sq=1]", false, true, true, 0},
	{"step[IDLE bs=0]", false, false, false, 0},
	{"step[SOMETHING_NEW bs=3]", false, false, false, 0},
	{"step[  EXTEND   toks=5  ]", true, false, true, 5},
	{"step[EXTEND bs=1 toks=x toks=]", true, false, false, 0},
	{"step[EXTEND toks=5] and more", true, false, true, 5},
	/* The profiler's own, which says nothing. */
	{"ProfilerStep#6", false, false, false, 0},
	{"ProfilerStep#1009", false, false, false, 0},
};

/* "ctx gen" of a name, ? if unknown. */
static const struct {
	const char *name;
	const char *tokens;
} token_names[] = {
	{"execute_context_2(14721)_generation_0(0)", "14721 0"},
	{"execute_context_2(6144)_generation_3(5)", "6144 5"},
	{"execute_context_1(7)", "7 0"},
	{"execute_context_1(99999999999999999999999)_generation_0(0)", "? 0"},
	{"execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)"
     "_generation_37(sq37sk34489sqsq37sqsk34489)",
     "8155 37"},
	{"execute_new_3_cached_0", "? ?"},
	{"step[EXTEND bs=15 toks=15360]", "15360 0"},
	{"step[EXTEND bs=2]", "? 0"},
	{"step[DECODE bs=32]", "0 32"},
	{"step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]", "0 128"},
	{"step[DECODE bs=4 toks=12]", "0 12"},
	{"step[TARGET_VERIFY bs=4]", "0 ?"},
	{"step[DRAFT_EXTEND bs=4 toks=16]", "0 16"},
	{"step[MIXED bs=2 toks=2048]", "? ?"},
	{"step[MIXED bs=5 c=2 g=3 c_sq=6144 c_sk=7144 g_sq=3 g_sk=9]", "6144 3"},
	{"step[MIXED bs=5 toks=6150 c=2 g=3 c_sq=6144]", "6144 6"},
	{"step[MIXED bs=5 toks=6150 c=2 g=3 g_sq=6]", "6144 6"},
	{"step[MIXED bs=5 c=2 g=3 c_sq=6144]", "6144 3"},
	{"step[MIXED bs=1 c=1 g=0 c_sq=3 g_sq=0]", "3 0"},
	{"step[MIXED bs=2 toks=3 c_sq=5]", "5 ?"},
	{"step[IDLE bs=0]", "? ?"},
	{"ProfilerStep#6", "? ?"},
};

static void put_tokens(struct buf *text, struct step_tokens tokens)
{
	if (tokens.known)
		buf_format(text, "%llu", (unsigned long long)tokens.count);
	else
		buf_text(text, "?");
}

static void tokens_of_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(token_names); i++) {
		struct buf got = {0};
		struct step_form form;

		assert_true(step_parse(str_of(token_names[i].name), &form));
		put_tokens(&got, form.ctx);
		buf_char(&got, ' ');
		put_tokens(&got, form.gen);
		assert_case(token_names[i].name, str_equal(buf_view(&got), str_of(token_names[i].tokens)));
		buf_free(&got);
	}
}

static void names_of_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct step_form form;

		assert_case(names[i].name, step_parse(str_of(names[i].name), &form));
		assert_case(names[i].name, form.context == names[i].context);
		assert_case(names[i].name, form.generation == names[i].generation);
		assert_case(names[i].name, form.counted == names[i].counted);
		assert_case(names[i].name, form.tokens == names[i].tokens);
	}
}

static void names_of_others(void **state)
{
	static const char *const others[] = {
		"",
		"nccl:all_reduce",
		"## forward ##",
		"Optimizer.step#SGD.step",
		"ProfilerStep",
		"ProfilerStep#",
		"ProfilerStep*",
		"profilerstep#6",
		" ProfilerStep#6",
		"execute_",
		"execute_model",
		"execute_new_",
		"execute_new_3",
		"execute_new_3_cached",
		"execute_new_3_cached_",
		"execute_new_x_cached_0",
		"execute_context_",
		"execute_context_menu",
		"execute_context_2",
		"execute_context_2(",
		"execute_context_2()",
		"execute_context_2(5",
		"execute_context_2(sq)",
		"execute_context_2(-5)",
		"execute_context_2(5)_generation_",
		"execute_context_2(5)_generation_0",
		"execute_context_2(5)_generation_0(0",
		"execute_5context_2(5)",
		"execute_5_context",
		"execute_diffusion_1_1024x1024",
		"step",
		"step[",
		"step[]",
		"step[ ]",
		"step[EXTEND bs=15 toks=15360",
		"Step[EXTEND bs=15 toks=15360]",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++) {
		struct step_form form;

		assert_case(others[i], !step_parse(str_of(others[i]), &form));
	}
}

static void phases(void **state)
{
	static const struct {
		const char *name;
		uint64_t prefill_tokens;
		enum step_phase phase;
		enum step_phase mixed;
	} rows[] = {
		{"execute_context_2(1024)_generation_0(0)", 1024, STEP_PREFILL, STEP_PREFILL},
		{"execute_context_2(1023)_generation_0(0)", 1024, STEP_DECODE, STEP_DECODE},
		{"execute_context_2(1023)_generation_0(0)", 1, STEP_PREFILL, STEP_PREFILL},
		{"execute_context_2(0)_generation_0(0)", 1, STEP_DECODE, STEP_DECODE},
		{"execute_context_2(0)_generation_0(0)", 0, STEP_PREFILL, STEP_PREFILL},
		{"execute_context_0(0)_generation_0(0)", 0, STEP_NO_PHASE, STEP_NO_PHASE},
		{"execute_context_2(2048)_generation_1(1)", 1024, STEP_DECODE, STEP_MIXED},
		{"execute_context_2(20)_generation_1(1)", 1024, STEP_DECODE, STEP_MIXED},
		{"execute_context_0(0)_generation_1(1)", 1024, STEP_DECODE, STEP_DECODE},
		{"execute_new_1_cached_0", 1024, STEP_PREFILL, STEP_PREFILL},
		{"execute_new_1_cached_1", 1024, STEP_DECODE, STEP_MIXED},
		{"execute_new_0_cached_1", 1024, STEP_DECODE, STEP_DECODE},
		{"step[EXTEND bs=15 toks=15360]", 1024, STEP_PREFILL, STEP_PREFILL},
		{"step[EXTEND bs=15 toks=100]", 1024, STEP_DECODE, STEP_DECODE},
		{"step[DECODE bs=32]", 1, STEP_DECODE, STEP_DECODE},
		{"step[PREFILL bs=2 toks=2000]", 1024, STEP_PREFILL, STEP_PREFILL},
		{"step[extend bs=2 toks=2000]", 1024, STEP_PREFILL, STEP_PREFILL},
		{"step[mixed_x bs=2 toks=2000]", 1024, STEP_NO_PHASE, STEP_NO_PHASE},
		{"step[MIXED bs=15 toks=15360]", 1024, STEP_DECODE, STEP_MIXED},
		{"step[MIXED bs=1 c=1 g=0 c_sq=2000 g_sq=0]", 1024, STEP_PREFILL, STEP_PREFILL},
		{"step[IDLE bs=0]", 1, STEP_NO_PHASE, STEP_NO_PHASE},
		{"ProfilerStep#6", 1, STEP_NO_PHASE, STEP_NO_PHASE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct step_form form;

		assert_true(step_parse(str_of(rows[i].name), &form));
		assert_case(rows[i].name,
		            step_phase(&form, rows[i].prefill_tokens, false) == rows[i].phase);
		assert_case(rows[i].name, step_phase(&form, rows[i].prefill_tokens, true) == rows[i].mixed);
	}
	assert_string_equal(step_phases[STEP_DECODE], "decode");
	assert_string_equal(step_phases[STEP_PREFILL], "prefill");
	assert_string_equal(step_phases[STEP_MIXED], "mixed");
	assert_string_equal(step_phases[STEP_NO_PHASE], "");
}

/* --- steps ---------------------------------------------------------------- */

static void add(struct steps *steps, bool device, size_t thread, int64_t start, int64_t dur,
                const char *name, const char *id)
{
	struct step_form form;

	assert_true(step_parse(str_of(name), &form));
	assert_true(steps_add(steps, (struct step_place){device, thread, 0}, dec_of(start), dec_of(dur),
	                      str_of(name), str_of(id), &form));
}

#define host(thread, start, dur, name) add(&steps, false, thread, start, dur, name, "")

static void none(void **state)
{
	struct steps steps = {0};

	(void)state;
	steps_build(&steps);
	assert_int_equal(steps.count, 0);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(1)), STEP_NONE);
	assert_int_equal(steps_on_host(&steps, dec_of(1)), STEP_NONE);
	assert_int_equal(steps_on_device(&steps, 0, 0, dec_of(1)), STEP_NONE);
	steps_free(&steps);
}

static void numbered_in_order_of_time(void **state)
{
	struct steps steps = {0};

	(void)state;
	host(0, 100, 10, "step[DECODE bs=3]");
	host(0, 20, 10, "step[DECODE bs=1]");
	host(1, 25, 30, "step[DECODE bs=2]");
	host(0, 20, 0, "step[EXTEND bs=9 toks=9]"); /* no duration: nothing is in it */
	steps_build(&steps);
	assert_int_equal(steps.count, 3);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(25)), 0);
	assert_int_equal(steps_on_thread(&steps, 1, dec_of(25)), 1);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(100)), 2);
	/* Not on another thread. */
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(50)), STEP_NONE);
	assert_int_equal(steps_on_thread(&steps, 2, dec_of(25)), STEP_NONE);
	assert_int_equal(steps_on_host(&steps, dec_of(50)), 1);
	steps_free(&steps);
}

/* Threads 0 and 1 are of process 0, 2 of process 1. */
static void in_a_process(void **state)
{
	struct steps steps = {0};
	struct step_form form = {0};
	static const struct {
		size_t thread;
		int64_t start;
		int64_t end;
	} all[] = {{0, 10, 20}, {0, 10, 15}, {0, 16, 19}, {1, 14, 40}, {2, 60, 70}};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		struct step_place place = {false, all[i].thread, all[i].thread / 2};

		assert_true(steps_add(&steps, place, dec_of(all[i].start),
		                      dec_of(all[i].end - all[i].start), STR("ProfilerStep#1"), STR(""),
		                      &form));
	}
	steps_build(&steps);
	for (int64_t time = 5; time < 80; time++) {
		uint32_t at[] = {steps_on_thread(&steps, 0, dec_of(time)),
		                 steps_on_thread(&steps, 1, dec_of(time))};
		uint32_t want = at[0] == STEP_NONE ? at[1] : at[1] == STEP_NONE ? at[0] : STEP_SEVERAL;

		assert_int_equal(steps_in_process(&steps, 0, dec_of(time)), want);
		assert_int_equal(steps_in_process(&steps, 1, dec_of(time)),
		                 steps_on_thread(&steps, 2, dec_of(time)));
		assert_int_equal(steps_in_process(&steps, 2, dec_of(time)), STEP_NONE);
	}
	assert_int_equal(steps_in_process(&steps, 0, dec_of(15)), STEP_SEVERAL);
	assert_str(steps_name(&steps, 0), STR("ProfilerStep#1"));
	steps_free(&steps);
}

/* As SGLang with vLLM's annotation around it: one step, of the phase that either says. */
static void annotated_twice(void **state)
{
	struct steps steps = {0};

	(void)state;
	host(0, 10, 50, "ProfilerStep#6");
	host(0, 11, 40, "step[MIXED bs=2]");
	host(0, 12, 38, "execute_context_1(2000)_generation_0(0)");
	host(0, 60, 10, "execute_context_1(2000)_generation_0(0)");
	host(0, 60, 10, "step[EXTEND bs=1]");
	steps_build(&steps);
	assert_int_equal(steps.count, 2);
	for (int64_t time = 10; time < 60; time++)
		assert_int_equal(steps_on_thread(&steps, 0, dec_of(time)), 0);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(60)), 1);
	assert_int_equal(steps.step[0].form.tokens, 2000);
	assert_false(steps.step[0].form.generation);
	assert_int_equal(steps.step[1].form.tokens, 2000);
	assert_int_equal(dec_compare(steps.step[0].start, dec_of(10)), 0);
	assert_false(steps.step[0].on_device);
	steps_free(&steps);
}

/* A profiler step around several forward passes is one beside them. */
static void one_around_several(void **state)
{
	struct steps steps = {0};

	(void)state;
	host(0, 0, 100, "ProfilerStep#6");
	host(0, 10, 20, "execute_context_1(2000)_generation_0(0)");
	host(0, 11, 18, "step[EXTEND bs=1 toks=2000]");
	host(0, 40, 20, "execute_context_0(0)_generation_1(1)");
	steps_build(&steps);
	assert_int_equal(steps.count, 3);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(5)), 0);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(10)), 1);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(15)), 1);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(29)), 1);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(35)), 0);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(40)), 2);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(99)), 0);
	assert_false(steps.step[0].form.context);
	steps_free(&steps);
}

/* What overlaps without holding the other is another step; so is what another thread has. */
static void overlapping_ones_are_two(void **state)
{
	struct steps steps = {0};

	(void)state;
	host(0, 0, 10, "step[DECODE bs=1]");
	host(0, 5, 12, "step[DECODE bs=2]");
	host(1, 1, 2, "step[DECODE bs=3]");
	host(0, 17, 5, "step[DECODE bs=4]"); /* begins where another ends */
	steps_build(&steps);
	assert_int_equal(steps.count, 4);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(4)), 0);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(7)), 0); /* the shorter */
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(10)), 2);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(16)), 2);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(17)), 3);
	steps_free(&steps);
}

/* A stream of the device is not a thread of the host, though their numbers are equal. */
static void threads_and_streams(void **state)
{
	struct steps steps = {0};

	(void)state;
	host(0, 0, 100, "ProfilerStep#6");
	add(&steps, true, 0, 5, 100, "step[DECODE bs=2]", "");
	host(0, 10, 10, "step[DECODE bs=1]");
	steps_build(&steps);
	assert_int_equal(steps.count, 2);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(2)), 0);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(12)), 0);
	assert_int_equal(steps_on_device(&steps, 0, 0, dec_of(12)), 1);
	steps_free(&steps);
}

/* By their name and id. What has none on the host is a step of its own. */
static void copies_on_the_device(void **state)
{
	struct steps steps = {0};

	(void)state;
	add(&steps, true, 7, 500, 100, "step[DECODE bs=1]", "12");
	add(&steps, true, 7, 300, 100, "step[DECODE bs=1]", "11");
	add(&steps, true, 8, 350, 10, "step[DECODE bs=1]", "11");
	add(&steps, false, 0, 10, 5, "step[DECODE bs=1]", "11");
	add(&steps, false, 0, 20, 5, "step[DECODE bs=1]", "12");
	add(&steps, true, 7, 700, 5, "step[DECODE bs=1]", "");   /* no id */
	add(&steps, true, 7, 800, 5, "step[DECODE bs=1]", "13"); /* 13 is missing on the host */
	add(&steps, true, 8, 801, 9, "step[DECODE bs=1]", "13"); /* 13 on a second stream */
	add(&steps, true, 7, 809, 3, "step[DECODE bs=1]", "13");
	add(&steps, true, 7, 820, 5, "step[DECODE bs=1]", "13"); /* 13 again, later */
	add(&steps, true, 7, 900, 5, "step[DECODE bs=9]", "12"); /* another name */
	steps_build(&steps);
	assert_int_equal(steps.count, 6);
	assert_int_equal(steps_on_thread(&steps, 0, dec_of(10)), 0);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(320)), 0);
	assert_int_equal(steps_on_device(&steps, 8, 0, dec_of(355)), 0);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(599)), 1);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(700)), 2);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(800)), 3);
	assert_int_equal(steps_on_device(&steps, 8, 0, dec_of(809)), 3);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(811)), 3);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(820)), 4);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(900)), 5);
	/* On a stream without any: what another one has. */
	assert_int_equal(steps_on_device(&steps, 9, 0, dec_of(599)), 1);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(600)), STEP_NONE);
	assert_true(steps.step[0].on_device);
	assert_true(steps.step[3].on_device);
	/* The host's have times of their own. */
	assert_int_equal(steps_on_host(&steps, dec_of(320)), STEP_NONE);
	steps_free(&steps);
}

/* An id that several steps have, or none: what began last on the host, before the copy. */
static void copies_without_an_id(void **state)
{
	static const char *const ids[] = {"0", ""};

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++) {
		struct steps steps = {0};

		add(&steps, true, 7, 130, 30, "step[DECODE bs=1]", ids[i]);
		add(&steps, true, 7, 90, 9, "step[DECODE bs=1]", ids[i]); /* before any: the first */
		add(&steps, false, 0, 100, 20, "step[DECODE bs=1]", ids[i]);
		add(&steps, false, 0, 200, 20, "step[DECODE bs=1]", ids[i]);
		add(&steps, true, 7, 200, 30, "step[DECODE bs=1]", ids[i]);
		steps_build(&steps);
		assert_int_equal(steps.count, 2);
		assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(95)), 0);
		assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(140)), 0);
		assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(210)), 1);
		steps_free(&steps);
	}
}

/* An id of its own, or none where the host has one: by name, what has no copy yet. */
static void copies_with_another_id(void **state)
{
	struct steps steps = {0};

	(void)state;
	add(&steps, false, 0, 0, 10, "step[DECODE bs=4]", "5");
	add(&steps, true, 7, 20, 10, "step[DECODE bs=4]", "6"); /* 6 is on two streams */
	add(&steps, true, 8, 25, 40, "step[DECODE bs=4]", "6");
	add(&steps, false, 0, 50, 5, "step[DECODE bs=4]", "7");
	add(&steps, true, 8, 60, 20, "step[DECODE bs=4]",
	    "6"); /* the last 6, within the span of the first */
	add(&steps, true, 7, 100, 10, "step[DECODE bs=4]", "");
	add(&steps, false, 0, 110, 9, "step[DECODE bs=4]", "8");
	add(&steps, true, 7, 120, 10, "step[DECODE bs=4]", "8");
	add(&steps, true, 7, 130, 10, "step[DECODE bs=4]", ""); /* not 8: that has its own */
	add(&steps, true, 7, 140, 10, "step[DECODE bs=9]", "");
	steps_build(&steps);
	assert_int_equal(steps.count, 4);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(20)), 0);
	assert_int_equal(steps_on_device(&steps, 8, 0, dec_of(64)), 0);
	assert_int_equal(steps_on_device(&steps, 8, 0, dec_of(79)), 0);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(100)), 1);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(120)), 2);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(130)), 1);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(140)), 3);
	steps_free(&steps);
}

/* One of two forward passes has nothing on the device: that makes the other no profiler step. */
static void copies_hold_nothing(void **state)
{
	struct steps steps = {0};

	(void)state;
	add(&steps, false, 0, 0, 100, "ProfilerStep#1", "1");
	add(&steps, false, 0, 10, 20, "step[DECODE bs=1]", "2");
	add(&steps, false, 0, 50, 20, "step[DECODE bs=1]", "3");
	add(&steps, true, 7, 20, 100, "ProfilerStep#1", "1");
	add(&steps, true, 7, 30, 20, "step[DECODE bs=1]", "2");
	steps_build(&steps);
	assert_int_equal(steps.count, 3);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(40)), 1);
	assert_int_equal(steps_on_device(&steps, 7, 0, dec_of(60)), 0);
	steps_free(&steps);
}

/* Without the host, what is within another is of its step there. */
static void nested_on_the_device_alone(void **state)
{
	struct steps steps = {0};

	(void)state;
	add(&steps, true, 7, 20, 100, "ProfilerStep#1", "1");
	add(&steps, true, 7, 30, 20, "execute_context_1(5000)_generation_0(0)", "2");
	steps_build(&steps);
	assert_int_equal(steps.count, 1);
	assert_int_equal(steps.step[0].form.tokens, 5000);
	assert_int_equal(dec_compare(steps.step[0].start, dec_of(20)), 0);
	steps_free(&steps);
}

static void too_large_an_end(void **state)
{
	const struct dec most = {(__int128)((unsigned __int128)-1 >> 1)};
	const struct step_form form = {0};
	struct steps steps = {0};

	(void)state;
	assert_false(steps_add(&steps, (struct step_place){0}, most, dec_of(1), STR("ProfilerStep#1"),
	                       STR(""), &form));
	steps_build(&steps);
	assert_int_equal(steps.count, 0);
	steps_free(&steps);
}

static void numbered_steps(void **state)
{
	static const char *const steps[] = {
		"iteration 7",
		"Iter: 8",
		"step_9",
		"BATCH#3",
		"train_step 4",
		"step12",
		"training-iteration 5",
		"Train Batch 0",
		"trainstep = 4",
		"iter-:_ #1",
		"TRAINING step 99999999999999999999999",
	};
	static const char *const others[] = {
		"step 3 of 4",
		"my step 3",
		"epoch 2",
		"",
		"step",
		"step ",
		"train 4",
		"train__step 4",
		"iterations 4",
		"step\t4",
		"step 4 ",
		"training",
		"step [4]",
		"batched 3",
		"training step",
		"iteratio 3",
		"trainings step 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		assert_case(steps[i], step_is_numbered(str_of(steps[i])));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_case(others[i], !step_is_numbered(str_of(others[i])));
	assert_false(step_is_numbered((struct str){"step\0004", 6}));
}

/* What the graph of a server must be captured for. */
static void sizes(void **state)
{
	static const struct {
		const char *name;
		struct step_tokens size;
	} rows[] = {
		{"execute_32_context_0(sq0sk0)_generation_32(sq32sk55086)", {true, 32}},
		{"execute_context_2(6144)_generation_3(3)", {true, 6147}},
		{"execute_context_1(7)", {true, 7}},
		{"execute_context_1(18446744073709551614)_generation_9(9)", {false, UINT64_MAX}},
		{"execute_new_3_cached_5", {true, 8}},
		{"step[DECODE bs=20]", {true, 20}},
		{"step[EXTEND toks=12]", {false, UINT64_MAX}},
		{"step[NEW bs=3]", {true, 3}},
		{"ProfilerStep#5", {false, 0}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct step_form form;

		assert_true(step_parse(str_of(rows[i].name), &form));
		assert_int_equal(form.size.known, rows[i].size.known);
		assert_int_equal(form.size.count, rows[i].size.count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbered_steps),
		cmocka_unit_test(sizes),
		cmocka_unit_test(names_of_steps),
		cmocka_unit_test(tokens_of_steps),
		cmocka_unit_test(names_of_others),
		cmocka_unit_test(phases),
		cmocka_unit_test(none),
		cmocka_unit_test(numbered_in_order_of_time),
		cmocka_unit_test(in_a_process),
		cmocka_unit_test(annotated_twice),
		cmocka_unit_test(one_around_several),
		cmocka_unit_test(overlapping_ones_are_two),
		cmocka_unit_test(threads_and_streams),
		cmocka_unit_test(copies_on_the_device),
		cmocka_unit_test(copies_without_an_id),
		cmocka_unit_test(copies_with_another_id),
		cmocka_unit_test(copies_hold_nothing),
		cmocka_unit_test(nested_on_the_device_alone),
		cmocka_unit_test(too_large_an_end),
	};

	return cmocka_run_group_tests_name("step", tests, NULL, NULL);
}
