/* collsource: ranks of sources that name theirs and of those that do not, and sources without rows.
 */
#include "../unit.h"

#include "kcoll/collsource.h"

static void ranks(void **state)
{
	struct collsource source = {.any = false};

	(void)state;
	/* The order counts only those that have none. */
	assert_true(collsource_number(&source, false));
	assert_int_equal(source.rank, 0);
	collsource_end(&source);
	source.ranked = true;
	source.rank = 7;
	assert_true(collsource_number(&source, true));
	assert_int_equal(source.rank, 7);
	collsource_end(&source);
	assert_false(collsource_number(&source, true));
	assert_true(collsource_number(&source, false));
	assert_int_equal(source.rank, 1);
	assert_int_equal(source.with_rank, 1);
	assert_int_equal(source.without, 2);
	collsource_world(&source, STR("8"));
	assert_int_equal(source.world, 8);
	collsource_world(&source, STR("many"));
	assert_int_equal(source.world, 0);
	collsource_free(&source);
}

static void assert_rank(const char *line, const char *error, uint64_t rank)
{
	struct collsource source = {.any = false};
	struct kev_reader in;

	unit_feed(str_of(line));
	kev_open(&in, unit_opts());
	assert_int_equal(kev_next(&in), KEV_META);
	collsource_rank(&source, &in);
	assert_str(str_of(in.error), str_of(error));
	assert_true(source.any && source.ranked);
	if (!*error)
		assert_int_equal(source.rank, rank);
	kev_close(&in);
}

static void lines(void **state)
{
	struct collsource source = {.any = false};

	(void)state;
	assert_rank("##rank\t18446744073709551614\n#ts\n", "", UINT64_MAX - 1);
	assert_rank("##rank\t18446744073709551615\n#ts\n",
	            "##rank: '18446744073709551615' is not a rank", 0);
	assert_rank("##rank\tx\n#ts\n", "##rank: 'x' is not a rank", 0);

	/* A line names the file that has begun, unless it has rows or a name. */
	assert_false(collsource_is_over(&source));
	assert_string_equal(collsource_who(&source, "file"), "file");
	collsource_name(&source, STR("a\\tb"));
	assert_string_equal(collsource_who(&source, "file"), "a\tb");
	assert_true(source.any);
	assert_true(collsource_is_over(&source));
	collsource_end(&source);
	assert_false(source.any || collsource_is_over(&source));
	source.rows = true;
	assert_true(collsource_is_over(&source));
	collsource_free(&source);
}

/* By source: 'r' has rows, 'n' is named, 'b' both. */
static bool is_sound(struct collsource *source, const char *sources)
{
	for (; *sources; sources++) {
		if (*sources != 'r')
			collsource_name(source, STR("x"));
		source->rows = *sources != 'n';
		collsource_end(source);
	}
	return collsource_end_file(source);
}

static void files(void **state)
{
	struct collsource source = {.any = false};

	(void)state;
	assert_true(is_sound(&source, ""));
	assert_true(is_sound(&source, "bb"));
	assert_true(is_sound(&source, "nn"));
	assert_false(is_sound(&source, "nb"));
	assert_false(is_sound(&source, "bn"));
	/* Each file for itself. */
	assert_true(is_sound(&source, "r"));
	assert_true(is_sound(&source, "n"));
	collsource_free(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),
		cmocka_unit_test(lines),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
