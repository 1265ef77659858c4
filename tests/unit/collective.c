/* collective: the columns of the rule, and the record that stands for a collective. */
#include "unit.h"

#include "kernel/collective.h"

/* The row that the text gives after its columns line. */
static void read_row(struct kev_reader *in, struct str stream)
{
	unit_feed(stream);
	kev_open(in, NULL, 0);
	assert_int_equal(kev_next(in), KEV_COLUMNS);
	assert_int_equal(kev_next(in), KEV_ROW);
}

static void columns_of_the_rule(void **state)
{
	struct kev_reader in;
	struct collective_columns at;
	struct buf key = {0};

	(void)state;
	read_row(&in, STR("#type\tdur\tpid\tts\tfile\nhcom_a\t5\t7\t12.9\tf\n"));
	assert_true(collective_find(&at, &in));
	assert_int_equal(at.dur, 1);
	assert_true(collective_key(&at, &in, &key));
	assert_buf(&key, "12\thcom_a\t7\tf");
	kev_close(&in);

	/* Without pid and file they are alike in all rows. */
	read_row(&in, STR("#type\tdur\tts\nhcom_a\t5\t12.1\n"));
	assert_true(collective_find(&at, &in));
	assert_int_equal(at.pid, KEV_NONE);
	assert_true(collective_key(&at, &in, &key));
	assert_buf(&key, "12\thcom_a\t\t");
	kev_close(&in);

	read_row(&in, STR("#type\tdur\tts\nhcom_a\t5\t\n"));
	assert_true(collective_find(&at, &in));
	assert_false(collective_key(&at, &in, &key));
	kev_close(&in);
	buf_free(&key);
}

static void what_is_missing_is_said(void **state)
{
	static const struct str streams[] = {BYTES("#dur\ttype\n1\tT\n"), BYTES("#ts\ttype\n1\tT\n"),
	                                     BYTES("#ts\tdur\n1\t1\n")};
	static const char *const missing[] = {"'ts'", "'dur'", "'type'"};

	(void)state;
	for (size_t i = 0; i < COUNT(streams); i++) {
		struct kev_reader in;
		struct collective_columns at;

		read_row(&in, streams[i]);
		assert_case(missing[i], !collective_find(&at, &in) && strstr(in.error, missing[i]));
		kev_close(&in);
	}
}

static struct collective record(int64_t dur, size_t group)
{
	return (struct collective){.dur = dec_of(dur), .has_dur = true, .group = group};
}

/* Each record but one of each collective comes back as dropped, once. */
static void the_first_of_the_longest_is_kept(void **state)
{
	struct collectives all = {0};
	struct collective dropped;

	(void)state;
	assert_false(collectives_add(&all, STR("a"), record(5, 1), &dropped));
	assert_false(collectives_add(&all, STR("b"), record(9, 2), &dropped));
	assert_true(collectives_add(&all, STR("a"), record(7, 3), &dropped)); /* longer */
	assert_int_equal(dropped.group, 1);
	assert_true(collectives_add(&all, STR("a"), record(7, 4), &dropped)); /* as long */
	assert_int_equal(dropped.group, 4);
	assert_true(collectives_add(&all, STR("a"), record(6, 5), &dropped)); /* shorter */
	assert_int_equal(dropped.group, 5);
	assert_int_equal(all.keys.count, 2);
	assert_int_equal(all.kept[0].group, 3);
	assert_int_equal(dec_compare(all.kept[0].dur, dec_of(7)), 0);
	assert_int_equal(all.kept[1].group, 2);
	collectives_free(&all);
}

static void any_duration_is_longer_than_none(void **state)
{
	struct collectives all = {0};
	struct collective dropped;

	(void)state;
	assert_false(collectives_add(&all, STR("a"), (struct collective){.line = 1}, &dropped));
	assert_true(collectives_add(&all, STR("a"), (struct collective){.line = 2}, &dropped));
	assert_int_equal(dropped.line, 2);
	assert_true(collectives_add(&all, STR("a"), record(-5, 3), &dropped));
	assert_int_equal(dropped.line, 1);
	assert_true(collectives_add(&all, STR("a"), (struct collective){.line = 4}, &dropped));
	assert_int_equal(dropped.line, 4);
	assert_int_equal(all.kept[0].group, 3);
	collectives_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_the_rule),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(the_first_of_the_longest_is_kept),
		cmocka_unit_test(any_duration_is_longer_than_none),
	};

	return cmocka_run_group_tests_name("collective", tests, NULL, NULL);
}
