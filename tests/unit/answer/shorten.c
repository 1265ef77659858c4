/* shorten: long names that stay different. */
#include "../unit.h"

#include "answer/shorten.h"
#include "answer/width.h"

static void add(struct shorten *names, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		shorten_add(names, str_of(texts[i]));
}

static void assert_shown(const struct shorten *names, const char *name, const char *want)
{
	assert_str(shorten_get(names, str_of(name)), str_of(want));
}

static void cut_at_the_difference(void **state)
{
	static const char *const texts[] = {
		"void elementwise_kernel<128, MulFunctor<float> >(int)",
		"void elementwise_kernel<128, AddFunctor<float> >(int)",
		"a short one",
		"void softmax_with_a_long_name(int, int, int)",
		"void elementwise_kernel",
	};
	struct shorten names = {0};

	(void)state;
	add(&names, texts, COUNT(texts));
	shorten_fit(&names, 30);
	assert_shown(&names, texts[0], "void elementwise_k… MulFunctor");
	assert_shown(&names, texts[1], "void elementwise_k… AddFunctor");
	assert_shown(&names, texts[2], "a short one");
	assert_shown(&names, texts[3], "void softmax_with_a_long_name…"); /* the head is enough */
	assert_shown(&names, texts[4], texts[4]);
	assert_shown(&names, "not added, however long it is in all",
	             "not added, however long it is in all");
	shorten_fit(&names, 80);
	assert_shown(&names, texts[0], texts[0]);
	shorten_free(&names);
}

/* If the difference is near the end, the end is shown. */
static void the_end(void **state)
{
	static const char *const texts[] = {"kernel_with_a_long_name_1", "kernel_with_a_long_name_2"};
	struct shorten names = {0};

	(void)state;
	add(&names, texts, COUNT(texts));
	shorten_fit(&names, 12);
	assert_shown(&names, texts[0], "kernel_…me_1");
	assert_shown(&names, texts[1], "kernel_…me_2");
	shorten_free(&names);
}

/* The tails of the two pairs are equal, so that numbers must make the difference. */
static void numbers(void **state)
{
	static const char *const texts[] = {
		"kernel_of_aaaaaaaaaa_and_x_then_a_tail",
		"kernel_of_aaaaaaaaaa_and_y_then_a_tail",
		"kernel_of_bbbbbbbbbb_and_x_then_a_tail",
		"kernel_of_bbbbbbbbbb_and_y_then_a_tail",
	};
	struct shorten names = {0};

	(void)state;
	add(&names, texts, COUNT(texts));
	shorten_fit(&names, 12);
	assert_shown(&names, texts[0], "kernel_…_x_t");
	assert_shown(&names, texts[1], "kernel_…_y_t");
	assert_shown(&names, texts[2], "kernel_…_x~2");
	assert_shown(&names, texts[3], "kernel_…_y~2");
	shorten_free(&names);
}

/* Any names are shown in the width, and different ones differently. */
static void random_names(void **state)
{
	static const char *const pieces[] = {"a", "b", "状", "é", "kernel", "_", "…", "~2"};
	uint64_t random = 1;

	(void)state;
	for (size_t width = SHORTEN_LEAST; width < 40; width++) {
		struct shorten names = {0};
		struct strmap shown = {0};

		for (size_t i = 0; i < 300; i++) {
			struct buf name = {0};

			for (size_t n = unit_below(&random, 40); n; n--)
				buf_text(&name, pieces[unit_below(&random, COUNT(pieces))]);
			shorten_add(&names, buf_view(&name));
			buf_free(&name);
		}
		shorten_fit(&names, width);
		for (size_t i = 0; i < names.names.count; i++) {
			struct str text = shorten_get(&names, strmap_key(&names.names, i));
			bool new;

			assert_true(width_of(text) <= width);
			strmap_add(&shown, text, &new);
			assert_true(new);
		}
		strmap_free(&shown);
		shorten_free(&names);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_at_the_difference),
		cmocka_unit_test(the_end),
		cmocka_unit_test(numbers),
		cmocka_unit_test(random_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
