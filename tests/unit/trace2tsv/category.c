/* category: which events -c and -g ask for, and what their category is called. */
#include "../unit.h"

#include "trace2tsv/category.h"

/* What is shown of an event; "-" if it is not asked for. */
static struct str shown(const char *asked, bool gpu, const struct category_event *event)
{
	static struct {
		struct words words;
		struct category_set set;
	} kept[64]; /* words live as long as the program */
	static size_t count;
	struct category_set *set = &kept[count].set;
	struct str text;

	assert_true(count < COUNT(kept));
	words_add(&kept[count].words, asked);
	assert_true(category_ask(set, &kept[count++].words, gpu ? category_gpu : NULL));
	if (!category_find(set, event, &text))
		return STR("-");
	for (size_t i = 0; i < set->accepted_count; i++)
		if (str_equal(set->accepted[i], event->cat) || str_has_byte(event->cat, ','))
			return text;
	/* The filter of the reader would have dropped it. */
	return set->asked.count ? STR("not accepted") : text;
}

static void words_of_lists(void **state)
{
	static const struct {
		const char *asked;
		struct str cat;
		struct str want;
	} cases[] = {
		{"", BYTES("any"), BYTES("any")},
		{"", BYTES(""), BYTES("")},
		{"v8", BYTES("v8"), BYTES("v8")},
		{"v8", BYTES("cc,v8"), BYTES("cc,v8")},
		{"v8", BYTES("cc,v8,x"), BYTES("cc,v8,x")},
		{"v8", BYTES("v8,cc"), BYTES("v8,cc")},
		{"v8", BYTES("cc,v88"), BYTES("-")},
		{"v8", BYTES("cc, v8"), BYTES("cc, v8")},
		{"v8", BYTES("cc,  v8"), BYTES("-")},
		{"v8", BYTES("cc, "), BYTES("-")},
		{"kernel", BYTES("Kernel,x"), BYTES("Kernel,x")},
		{"v8", BYTES(""), BYTES("-")},
		{"cc\\,v8", BYTES("cc,v8"), BYTES("cc,v8")},
		{"kernel", BYTES("Kernel"), BYTES("kernel")},
		{"Kernel", BYTES("Kernel"), BYTES("Kernel")},
		{"Kernel", BYTES("kernel"), BYTES("-")},
		{"gpu_memcpy", BYTES("Memcpy"), BYTES("gpu_memcpy")},
		{"gpu_memset", BYTES("Memset"), BYTES("gpu_memset")},
		{"cuda_runtime", BYTES("Runtime"), BYTES("cuda_runtime")},
		{"cpu_op", BYTES("Operator"), BYTES("cpu_op")},
		{"kernel", BYTES("Operator"), BYTES("-")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct category_event event = {.cat = cases[i].cat};

		assert_str(shown(cases[i].asked, false, &event), cases[i].want);
	}
}

static void with_g(void **state)
{
	static const struct {
		const char *asked;
		struct category_event event;
		struct str want;
	} cases[] = {
		{"", {.cat = BYTES("kernel")}, BYTES("kernel")},
		{"", {.cat = BYTES("Operator")}, BYTES("cpu_op")},
		{"", {.cat = BYTES("mtia_ccp_events")}, BYTES("mtia_ccp_events")},
		{"", {.cat = BYTES("xpu_driver")}, BYTES("xpu_driver")},
		{"", {.cat = BYTES("ac2g")}, BYTES("-")},
		{"", {.cat = BYTES("cpu_op"), .name = BYTES("ProfilerStep#5")}, BYTES("user_annotation")},
		{"", {.cat = BYTES("Operator"), .name = BYTES("ProfilerStep#5")}, BYTES("user_annotation")},
		{"",
	     {.cat = BYTES("gpu_user_annotation"), .name = BYTES("ProfilerStep#5")},
	     BYTES("gpu_user_annotation")},
		{"cpu_op", {.cat = BYTES("cpu_op"), .name = BYTES("ProfilerStep#5")}, BYTES("-")},
		{"", {.name = BYTES("X"), .task_type = BYTES("AI_CORE")}, BYTES("kernel")},
		{"", {.name = BYTES("X"), .task_type = BYTES("Notify Wait")}, BYTES("-")},
		{"npu_sync", {.name = BYTES("X"), .task_type = BYTES("Notify Wait")}, BYTES("npu_sync")},
		{"", {.name = BYTES("X"), .level = BYTES("acl")}, BYTES("privateuse1_runtime")},
		{"", {.name = BYTES("X")}, BYTES("-")},
		{"+cuda_sync", {.cat = BYTES("cuda_sync")}, BYTES("cuda_sync")},
		{"+cuda_sync", {.cat = BYTES("Operator")}, BYTES("cpu_op")},
		{"+cuda_sync", {.cat = BYTES("+cuda_sync")}, BYTES("-")},
		{"a,+b", {.cat = BYTES("a")}, BYTES("a")},
		{"a,+b", {.cat = BYTES("kernel")}, BYTES("kernel")},
		{"+kernel,b", {.cat = BYTES("b")}, BYTES("b")},
		{"+npu_sync", {.name = BYTES("X"), .task_type = BYTES("Notify Wait")}, BYTES("npu_sync")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_str(shown(cases[i].asked, true, &cases[i].event), cases[i].want);
}

static void a_plus(void **state)
{
	struct category_set set;
	struct words words = {0};

	(void)state;
	words_add(&words, "a,+");
	assert_false(category_ask(&set, &words, category_gpu));
	category_set_free(&set);
	words_free(&words);
	words_add(&words, "+a");
	assert_true(category_ask(&set, &words, "b,c"));
	assert_true(set.changes);
	assert_int_equal(set.asked.count, 3);
	category_set_free(&set);
	assert_false(category_ask(&set, &words, NULL));
	category_set_free(&set);
	words_free(&words);
}

static void a_minus(void **state)
{
	static const struct {
		const char *words;
		size_t asked; /* 0: an error */
	} cases[] = {
		{"-b", 1}, {"-b,+a", 2}, {"-b,a", 2},  {"-b,-c", 0}, {"-b,-c,+a", 1},
		{"-", 0},  {"a,-", 0},   {"-b,-d", 0}, {"-a,+a", 0}, {"+b,-b", 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct category_set set;
		struct words words = {0};

		words_add(&words, cases[i].words);
		assert_int_equal(category_ask(&set, &words, "b,c"), cases[i].asked > 0);
		assert_int_equal(set.error[0] == '\0', cases[i].asked > 0);
		if (cases[i].asked)
			assert_int_equal(set.asked.count, cases[i].asked);
		category_set_free(&set);
		words_free(&words);
	}
}

static void assert_list(const struct category_counts *counts, struct str want)
{
	struct buf out = {0};

	category_list(counts, &out);
	assert_str(buf_view(&out), want);
	buf_free(&out);
}

static void categories_are_listed(void **state)
{
	struct category_counts counts = {0};
	char name[16];

	(void)state;
	category_count(&counts, STR("b"));
	category_count(&counts, STR("a"));
	category_count(&counts, STR(""));
	category_count(&counts, STR("a"));
	assert_list(&counts, STR("a 2, b 1, no category 1"));
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "c%d", i);
		category_count(&counts, str_of(name));
	}
	assert_list(&counts, STR("a 2, b 1, no category 1, c0 1, c1 1, c2 1, c3 1, c4 1, c5 1, "
	                         "c6 1, c7 1, c8 1 and 11 more"));
	category_counts_free(&counts);
}

/* Memory does not grow with the names of a trace. */
static void names_beyond_the_limit(void **state)
{
	struct category_counts counts = {0};
	struct buf out = {0};
	char name[16];

	(void)state;
	for (int i = 0; i < CATEGORY_NAMES + 44; i++) {
		snprintf(name, sizeof name, "c%d", i);
		category_count(&counts, str_of(name));
	}
	assert_int_equal(counts.names.count, CATEGORY_NAMES);
	assert_int_equal(counts.others, 44);
	category_list(&counts, &out);
	assert_true(str_ends(buf_view(&out), STR(" and over 244 more")));
	buf_free(&out);
	category_counts_free(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_lists),
		cmocka_unit_test(with_g),
		cmocka_unit_test(a_plus),
		cmocka_unit_test(a_minus),
		cmocka_unit_test(categories_are_listed),
		cmocka_unit_test(names_beyond_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
