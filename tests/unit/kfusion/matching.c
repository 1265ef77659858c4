/* matching: which groups of two traces match, and in which classes they differ. */
#include "../unit.h"

#include "kfusion/matching.h"

/* Groups, a letter for each kernel, a blank between two; the class is the letter. */
static void sequence_of(struct sequence *sequence, const char *groups)
{
	struct sequence_kernel kernel = {.dur = dec_of(1)};
	int64_t ts = 0;

	*sequence = (struct sequence){.count = 0};
	for (const char *c = groups; *c; c++) {
		kernel.ts = dec_of(++ts);
		kernel.op = (unsigned char)*c;
		kernel.step = STRMAP_NONE;
		if (*c == ' ')
			kernel.launch++;
		else
			sequence_add(sequence, &kernel);
	}
	sequence_sort(sequence);
	assert_true(sequence_bunch(sequence, 1));
}

static void put_group(struct buf *out, const struct sequence *sequence, size_t i)
{
	const struct bunch *bunch = &sequence->bunches[i];

	for (size_t k = 0; k < bunch->kernels; k++)
		buf_char(out, (char)sequence->kernels[bunch->first + k].op);
}

/* want: each pair, and the classes in which it differs. */
static void assert_matches(const char *a, const char *b, const char *want)
{
	struct sequence side[2];
	struct matching matching = {.count = 0};
	struct buf out = {0};

	sequence_of(&side[0], a);
	sequence_of(&side[1], b);
	matching_find(&matching, &side[0], &side[1], 128);
	for (size_t i = 0; i < matching.count; i++) {
		for (int s = 0; s < 2; s++) {
			put_group(&out, &side[s], matching.pairs[i].bunch[s]);
			buf_char(&out, s ? ' ' : '=');
		}
		for (size_t j = matching.at[i]; j < matching.at[i + 1]; j++)
			buf_format(&out, "%c%+d ", (int)matching.differences[j].b,
			           (int)matching.differences[j].count);
	}
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
	matching_free(&matching);
	sequence_free(&side[0]);
	sequence_free(&side[1]);
}

static void matches(void **state)
{
	(void)state;
	assert_matches("", "abc", "");
	assert_matches("abcd aaaa", "aaaa abcd", "abcd=abcd aaaa=aaaa ");
	/* Equal ones first, though a larger one wants it. */
	assert_matches("aaaab aaaa", "aaaa", "aaaa=aaaa ");
	/* Most in common, then the closest size. */
	assert_matches("aaaabbbb", "aaaabbcc aaaabbbc", "aaaabbbb=aaaabbbc b-1 c+1 ");
	assert_matches("aaaabbbb", "aaaabbbbcc aaaabbbbc", "aaaabbbb=aaaabbbbc c+1 ");
	/* Within a quarter, and half in common. */
	assert_matches("aaaa", "aaaaaa", "");
	assert_matches("aaaa", "aaaaa", "aaaa=aaaaa a+1 ");
	assert_matches("aaaa", "aaa", "aaaa=aaa a-1 ");
	assert_matches("aabb", "aabc", "aabb=aabc b-1 c+1 ");
	assert_matches("abbb", "accc", "");
	/* Each group once. */
	assert_matches("aaab aaac", "aaad", "aaab=aaad b-1 d+1 ");
}

static void classes(void **state)
{
	struct sequence side[2];
	struct matching matching = {.count = 0};
	const struct couple_index *index = &matching.by_class;

	(void)state;
	sequence_of(&side[0], "aaaab ccccd");
	sequence_of(&side[1], "aaaaa ccccd ccccb");
	matching_find(&matching, &side[0], &side[1], 128);
	assert_int_equal(matching.count, 2);
	assert_int_equal(index->at['b' + 1] - index->at['b'], 1);
	assert_int_equal(index->item[index->at['b']].count, -1);
	assert_int_equal(index->at['d' + 1] - index->at['d'], 0);
	matching_free(&matching);
	sequence_free(&side[0]);
	sequence_free(&side[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches),
		cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests_name("matching", tests, NULL, NULL);
}
