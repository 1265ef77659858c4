/* stack: Python functions, the open one, and its callers. */
#include "../unit.h"

#include "kcontext/stack.h"

#include <stdio.h>

static uint32_t add(struct stacks *stacks, const char *name, const char *id, const char *parent)
{
	bool again;
	uint32_t frame = stacks_add(stacks, str_of(name), str_of(id), str_of(parent), &again);

	assert_false(again);
	return frame;
}

static void assert_folds(const struct stacks *stacks, uint32_t frame, const char *want)
{
	struct buf out = {0};

	stacks_fold(stacks, frame, &out);
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
}

static void callers_come_first(void **state)
{
	struct stacks stacks = {0};
	uint32_t main = add(&stacks, "run.py(1): main", "1", "");
	uint32_t forward = add(&stacks, "model.py(7): forward", "2", "1");
	uint32_t linear = add(&stacks, "linear", "3", "2");

	(void)state;
	stacks_build(&stacks);
	assert_folds(&stacks, main, "run.py(1): main");
	assert_folds(&stacks, forward, "run.py(1): main;model.py(7): forward");
	assert_folds(&stacks, linear, "run.py(1): main;model.py(7): forward;linear");
	assert_folds(&stacks, STACK_NONE, "");
	assert_text(stacks_name(&stacks, linear), "linear");
	stacks_free(&stacks);
}

/* Callers may come behind, or not at all; a ; would part frames. */
static void what_stacks_may_hold(void **state)
{
	struct stacks stacks = {0};
	uint32_t child = add(&stacks, "a;b;;c", "2", "1");
	uint32_t orphan = add(&stacks, "orphan", "5", "4");
	uint32_t nameless = add(&stacks, "", "6", "7");
	uint32_t idless = add(&stacks, "idless", "", "2");

	(void)state;
	add(&stacks, "late", "1", "");
	add(&stacks, "seven", "7", "");
	assert_folds(&stacks, child, "late;a:b::c");
	assert_folds(&stacks, orphan, "orphan");
	assert_folds(&stacks, nameless, "seven;");
	assert_folds(&stacks, idless, "late;a:b::c;idless");
	stacks_free(&stacks);
}

/* A call with an id that another call has. */
static uint32_t add_again(struct stacks *stacks, const char *name, const char *parent)
{
	bool again;
	uint32_t frame = stacks_add(stacks, str_of(name), STR("1"), str_of(parent), &again);

	assert_true(again);
	return frame;
}

static void at(struct stacks *stacks, uint32_t frame, int64_t nano)
{
	assert_true(stacks_time(stacks, frame, 0, (struct dec){nano}, (struct dec){9}));
}

/* Those without a time come last, and the name decides at equal times, then the parent. */
static void an_id_twice_is_the_earliest(void **state)
{
	struct stacks stacks = {0};
	uint32_t child = add(&stacks, "child", "2", "1");
	uint32_t second;

	(void)state;
	add(&stacks, "none", "1", "");
	at(&stacks, add_again(&stacks, "late", ""), 30);
	second = add_again(&stacks, "second", "");
	at(&stacks, second, 20);
	at(&stacks, add_again(&stacks, "first", "8"), 20);
	at(&stacks, add_again(&stacks, "first", "7"), 20);
	add_again(&stacks, "a", "");
	add(&stacks, "seven", "7", "");
	stacks_build(&stacks);
	assert_folds(&stacks, child, "seven;first;child");
	assert_folds(&stacks, second, "second");
	stacks_free(&stacks);
}

static void no_cycle_is_gone_round(void **state)
{
	struct stacks stacks = {0};
	uint32_t own = add(&stacks, "own", "1", "1");
	uint32_t a = add(&stacks, "a", "2", "4");

	(void)state;
	add(&stacks, "b", "3", "2");
	add(&stacks, "c", "4", "3");
	assert_folds(&stacks, own, "own");
	assert_folds(&stacks, a, "b;c;a");
	assert_folds(&stacks, add(&stacks, "d", "5", "2"), "b;c;a;d");
	stacks_free(&stacks);
}

static void fifty_callers_at_most(void **state)
{
	struct stacks stacks = {0};
	struct buf want = {0};
	uint32_t frame = STACK_NONE;

	(void)state;
	for (int i = 0; i < 60; i++) {
		char name[16];
		char id[16];
		char parent[16];

		snprintf(name, sizeof name, "f%d", i);
		snprintf(id, sizeof id, "%d", i);
		snprintf(parent, sizeof parent, "%d", i - 1);
		frame = add(&stacks, name, id, i ? parent : "");
		if (i == STACK_PARENTS)
			assert_folds(&stacks, frame,
			             "f0;f1;f2;f3;f4;f5;f6;f7;f8;f9;f10;f11;f12;f13;f14;f15;f16;f17;f18;f19;"
			             "f20;f21;f22;f23;f24;f25;f26;f27;f28;f29;f30;f31;f32;f33;f34;f35;f36;f37;"
			             "f38;f39;f40;f41;f42;f43;f44;f45;f46;f47;f48;f49;f50");
	}
	for (int i = 9; i < 60; i++)
		buf_format(&want, "%sf%d", i > 9 ? ";" : "", i);
	buf_char(&want, '\0');
	assert_folds(&stacks, frame, want.data);
	buf_free(&want);
	stacks_free(&stacks);
}

static void the_shortest_that_is_open(void **state)
{
	struct stacks stacks = {0};
	uint32_t outer = add(&stacks, "outer", "1", "");
	uint32_t inner = add(&stacks, "inner", "2", "1");
	uint32_t other = add(&stacks, "other", "3", "");
	const struct dec most = {(__int128)((unsigned __int128)-1 >> 1)};

	(void)state;
	assert_true(stacks_time(&stacks, outer, 0, dec_of(0), dec_of(100)));
	assert_true(stacks_time(&stacks, inner, 0, dec_of(10), dec_of(10)));
	assert_true(stacks_time(&stacks, other, 1, dec_of(15), dec_of(2)));
	assert_false(stacks_time(&stacks, other, 1, most, dec_of(2)));
	stacks_build(&stacks);
	assert_int_equal(stacks_near(&stacks, 0, dec_of(15)), inner);
	assert_int_equal(stacks_any(&stacks, dec_of(15)), other);
	assert_int_equal(stacks_near(&stacks, 0, dec_of(20)), outer);
	assert_int_equal(stacks_near(&stacks, 1, dec_of(20)), outer);
	assert_int_equal(stacks_near(&stacks, 9, dec_of(12)), inner);
	assert_int_equal(stacks_near(&stacks, 0, dec_of(100)), STACK_NONE);
	stacks_free(&stacks);
}

/* The outermost wanted function of each stack, however deep, and in a round of callers. */
static void the_outermost(void **state)
{
	struct stacks stacks = {0};
	bool wanted[8] = {0};
	uint32_t *found;

	(void)state;
	add(&stacks, "other", "4", "3"); /* before its callers */
	add(&stacks, "root", "1", "");
	add(&stacks, "layer", "2", "1");
	add(&stacks, "layer", "3", "2");
	add(&stacks, "layer", "", "99");
	add(&stacks, "a", "10", "11");
	add(&stacks, "layer", "11", "10");
	wanted[strmap_find(&stacks.names, STR("layer"))] = true;
	found = stacks_outermost(&stacks, wanted);
	assert_int_equal(found[0], 2);
	assert_int_equal(found[1], STACK_NONE);
	assert_int_equal(found[2], 2);
	assert_int_equal(found[3], 2);
	assert_int_equal(found[4], 4);
	assert_int_equal(found[5], 6);
	assert_int_equal(found[6], 6);
	free(found);
	stacks_free(&stacks);
}

static void assert_modules(const struct stacks *stacks, uint32_t frame, const char *want,
                           const char *want_last)
{
	struct buf out = {0};
	struct str last;

	assert_true(stacks_fold_modules(stacks, frame, &out, &last));
	assert_str(buf_view(&out), str_of(want));
	assert_str(last, str_of(want_last));
	buf_free(&out);
}

static void modules_of_a_stack(void **state)
{
	struct stacks stacks = {0};
	uint32_t run = add(&stacks, "run", "1", "");
	uint32_t model = add(&stacks, "nn.Module: Model_0", "2", "1");
	uint32_t forward = add(&stacks, "forward", "3", "2");
	uint32_t layer = add(&stacks, "nn.Module: a;b at 0x7f_1", "4", "3");
	uint32_t leaf = add(&stacks, "leaf", "5", "4");
	uint32_t other = add(&stacks, "nn.Modules: x", "6", "1");

	(void)state;
	stacks_build_modules(&stacks);
	assert_modules(&stacks, run, "", "");
	assert_modules(&stacks, model, "Model_0", "Model_0");
	assert_modules(&stacks, forward, "Model_0", "Model_0");
	assert_modules(&stacks, layer, "Model_0;a:b_1", "a:b_1");
	assert_modules(&stacks, leaf, "Model_0;a:b_1", "a:b_1");
	assert_modules(&stacks, other, "", "");
	assert_modules(&stacks, STACK_NONE, "", "");
	stacks_free(&stacks);
}

/* Callers that go round: m1 calls a, a calls m2, m2 calls m1. */
static void modules_of_a_cycle(void **state)
{
	struct stacks stacks = {0};
	uint32_t m1 = add(&stacks, "nn.Module: m1", "1", "3");
	uint32_t a = add(&stacks, "a", "2", "1");
	uint32_t m2 = add(&stacks, "nn.Module: m2", "3", "2");
	uint32_t tail = add(&stacks, "tail", "4", "2");
	uint32_t m3 = add(&stacks, "nn.Module: m3", "5", "4");
	uint32_t x = add(&stacks, "x", "6", "7");
	uint32_t y = add(&stacks, "y", "7", "6");

	(void)state;
	stacks_build_modules(&stacks);
	for (int round = 0; round < 2; round++) {
		assert_modules(&stacks, m1, "m2;m1", "m1");
		assert_modules(&stacks, a, "m2;m1", "m1");
		assert_modules(&stacks, m2, "m1;m2", "m2");
		assert_modules(&stacks, tail, "m2;m1", "m1");
		assert_modules(&stacks, m3, "m2;m1;m3", "m3");
		assert_modules(&stacks, x, "", "");
		assert_modules(&stacks, y, "", "");
	}
	stacks_free(&stacks);
}

static void too_many_modules(void **state)
{
	struct stacks stacks = {0};
	struct buf out = {0};
	struct str last;
	char id[16];
	char parent[16] = "";
	char name[32];

	(void)state;
	for (int i = 0; i <= STACK_MODULES; i++) {
		snprintf(id, sizeof id, "%d", i);
		snprintf(name, sizeof name, "nn.Module: m%d", i);
		add(&stacks, name, id, parent);
		memcpy(parent, id, sizeof id);
	}
	stacks_build_modules(&stacks);
	assert_true(stacks_fold_modules(&stacks, STACK_MODULES - 1, &out, &last));
	assert_true(str_starts(buf_view(&out), STR("m0;m1;")));
	out.len = 0;
	assert_false(stacks_fold_modules(&stacks, STACK_MODULES, &out, &last));
	assert_true(str_starts(buf_view(&out), STR("m1;m2;")));
	assert_str(last, STR("m1000"));
	buf_free(&out);
	stacks_free(&stacks);
}

static void addresses_are_left_out(void **state)
{
	static const struct {
		const char *name;
		const char *want;
	} cases[] = {
		{"<built-in method linear of type object at 0x7d67e9a0>",
	     "<built-in method linear of type object>"},
		{"a at 0xAbC9g at 0x", "ag at 0x"},
		{" at 0x1 at 0x2", ""},
		{"at 0x1", "at 0x1"},
		{"a at at 0x1 0x2", "a at 0x2"},
		{"a at 0xg; at 0X1", "a at 0xg: at 0X1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stacks stacks = {0};
		struct stacks full = {.addresses = true};

		assert_folds(&stacks, add(&stacks, cases[i].name, "1", ""), cases[i].want);
		add(&full, "caller at 0x1", "2", "");
		assert_folds(&full, add(&full, "at 0x2 at 0x3", "1", "2"), "caller at 0x1;at 0x2 at 0x3");
		assert_str(stacks_name(&stacks, 0), str_of(cases[i].name));
		stacks_free(&stacks);
		stacks_free(&full);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_come_first),
		cmocka_unit_test(what_stacks_may_hold),
		cmocka_unit_test(an_id_twice_is_the_earliest),
		cmocka_unit_test(no_cycle_is_gone_round),
		cmocka_unit_test(fifty_callers_at_most),
		cmocka_unit_test(the_shortest_that_is_open),
		cmocka_unit_test(the_outermost),
		cmocka_unit_test(modules_of_a_stack),
		cmocka_unit_test(modules_of_a_cycle),
		cmocka_unit_test(too_many_modules),
		cmocka_unit_test(addresses_are_left_out),
	};

	return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
