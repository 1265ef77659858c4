/* partial: partial tables are written, read and merged; anything else is an error. */
#include "../unit.h"

#include "stream/partial.h"

enum { KEYS = 5, ROWS = 400 };

/* Reads a stream of partials into groups by the first column. Returns the reader's error. */
static const char *read_partials(struct partial *partial, struct kev_reader *in,
                                 struct groups *groups)
{
	enum kev_item item;

	kev_open(in, unit_opts());
	while ((item = kev_next(in)) > KEV_END) {
		if (item == KEV_META)
			partial_metadata(partial, in);
		else if (item == KEV_COLUMNS)
			partial_layout(partial, in);
		else
			partial_row(partial, in, groups_get(groups, in->field[0]));
	}
	return in->error;
}

static void assert_error(struct str stream, const char *want)
{
	struct partial partial = {0};
	struct groups groups = {0};
	struct kev_reader in;

	unit_feed(stream);
	assert_str(str_of(read_partials(&partial, &in, &groups)), str_of(want));
	kev_close(&in);
	groups_free(&groups);
	partial_free(&partial);
}

static void layouts_of_partials(void **state)
{
	static const struct {
		struct str stream;
		bool partial;
	} cases[] = {
		{BYTES("##group\tk\n#k\tcount\ttotal\tmin\tmax\tdur\n"), true},
		{BYTES("##group\tdur\n#dur\tcount\ttotal\tmin\tmax\n"), true},
		{BYTES("#k\tcount\ttotal\tmin\tmax\n"), true},
		{BYTES("#k\tcount\ttotal\tmean\tmin\tmax\n"), false},
		{BYTES("#k\tcount\ttotal\tmin\tmax\tdur\n"), false},
		{BYTES("#k\tcount\ttotal\tmin\n"), false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct partial partial = {0};
		struct kev_reader in;

		unit_feed(cases[i].stream);
		kev_open(&in, unit_opts());
		while (kev_next(&in) == KEV_META)
			assert_true(partial_metadata(&partial, &in));
		assert_case(cases[i].stream.s, partial_is_layout(&partial, &in) == cases[i].partial);
		kev_close(&in);
		partial_free(&partial);
	}
}

#define ROW(text) STR("#k\tcount\ttotal\tmin\tmax\tvalues\na\t" text "\n")

static void rows_that_are_not_of_a_partial(void **state)
{
	(void)state;
	assert_error(ROW("2\t3\t1\t2\t1:1,2:1"), "");
	assert_error(ROW("0\t3\t1\t2\t"), "count: '0' is not a count");
	assert_error(ROW("\t3\t1\t2\t"), "count: '' is not a count");
	assert_error(ROW("-1\t3\t1\t2\t"), "count: '-1' is not a count");
	assert_error(ROW("18446744073709551616\t3\t1\t2\t"),
	             "count: '18446744073709551616' is not a count");
	assert_error(ROW("2\t\t1\t2\t"), "total is missing");
	assert_error(ROW("2\t3\t\t\t1:1,2:1"), "");
	assert_error(ROW("2\t3\tx\t2\t"), "min: 'x' is not a number");
	assert_error(ROW("2\t3\t1\t2\t1:1"), "values: '1:1' does not list 2 durations");
	assert_error(ROW("2\t3\t1\t2\t1:1,2:2"), "values: '1:1,2:2' does not list 2 durations");
	assert_error(ROW("2\t3\t1\t2\t1:1,2"), "values: '1:1,2' does not list 2 durations");
	assert_error(ROW("2\t3\t1\t2\t1:1,:1"), "values: '1:1,:1' does not list 2 durations");
	assert_error(ROW("2\t3\t1\t2\t"), "values: '' does not list 2 durations");
	assert_error(STR("#k\tcount\ttotal\tmin\tmax\na\t1\t170141183460469231731687303715\t1\t1\n"
	                 "a\t1\t1\t1\t1\n"),
	             "total: the sum is too large");
}

static void layouts_that_are_not_of_a_partial(void **state)
{
	(void)state;
	assert_error(STR("#k\tcount\ttotal\tmin\n"), "column 'max' is missing");
	assert_error(STR("#ts\tdur\tname\n"),
	             "this is a stream of rows, not a partial; write partials with kgroup -p");
	assert_error(STR("#k\tcount\ttotal\tmean\tmin\tmax\n"),
	             "this is a finished table, not a partial; write partials with kgroup -p");
	assert_error(STR("##group\tk\n#k\tcount\ttotal\tmin\tmax\n#k\tcount\ttotal\tmean\tmin\tmax\n"),
	             "this is a finished table, not a partial; write partials with kgroup -p");
	/* A key may have that name. */
	assert_error(STR("##group\tmean\n#mean\tcount\ttotal\tmin\tmax\n"), "");
}

static void partials_that_do_not_go_together(void **state)
{
	static const struct str groups = BYTES("##group\ta\\tb\tc\n##group\ta\\tb\tc\n##group\tc\n");
	static const struct str fewer = BYTES("##group\ta\tb\n##group\ta\n");
	static const struct str quantiles = BYTES("##quantiles\t50\n##quantiles\t50\n##quantiles\t9\n");

	(void)state;
	for (int chosen = 0; chosen < 2; chosen++) {
		const struct str streams[] = {groups, fewer, quantiles};

		for (size_t i = 0; i < COUNT(streams); i++) {
			struct partial partial = {.keys_chosen = chosen, .quantiles_chosen = chosen};
			struct groups none = {0};
			struct kev_reader in;

			unit_feed(streams[i]);
			assert_string_equal(
				read_partials(&partial, &in, &none),
				chosen   ? ""
				: i == 2 ? "the partials have different quantiles; choose some with -q"
						 : "the partials are grouped by different columns; choose some with -k");
			kev_close(&in);
			partial_free(&partial);
		}
	}
}

static void names_come_from_the_partials(void **state)
{
	struct partial partial = {0};
	struct groups groups = {0};
	struct kev_reader in;
	struct words keys;

	(void)state;
	unit_feed(STR("#a\\tb\tc\tcount\ttotal\tmin\tmax\n##x\n##group\tc\t\n##quantiles\t50\t99\n"));
	kev_open(&in, unit_opts());
	assert_int_equal(kev_next(&in), KEV_COLUMNS);
	/* Without ##group, the columns before count. */
	keys = partial_keys(&partial, &in);
	assert_int_equal(keys.count, 2);
	assert_text(keys.item[0], "a\tb");
	assert_text(keys.item[1], "c");
	partial_layout(&partial, &in);
	assert_string_equal(partial.without_values, "-");
	assert_int_equal(kev_next(&in), KEV_META);
	assert_false(partial_metadata(&partial, &in));
	assert_int_equal(kev_next(&in), KEV_META);
	assert_true(partial_metadata(&partial, &in));
	keys = partial_keys(&partial, &in);
	assert_int_equal(keys.count, 2);
	assert_text(keys.item[0], "c");
	assert_text(keys.item[1], "");
	assert_int_equal(kev_next(&in), KEV_META);
	assert_true(partial_metadata(&partial, &in));
	assert_int_equal(partial.quantiles.count, 2);
	assert_text(partial.quantiles.item[1], "99");
	assert_int_equal(kev_next(&in), KEV_END);
	kev_close(&in);
	groups_free(&groups);
	partial_free(&partial);
}

/* --- the merge of the parts is the whole ----------------------------------- */

struct job {
	struct groups *groups;
	bool values;
};

static int write_partial(void *arg)
{
	const struct job *job = arg;
	char prog[] = "prog";
	char *argv[] = {prog, NULL};
	struct opts opts = {.argc = 1, .argv = argv};
	struct kev_writer out;
	struct partial partial = {0};
	struct words keys = {0};
	struct words quantiles = {0};
	struct words sums = {0};
	struct partial_shape shape = {.keys = &keys, .quantiles = &quantiles, .sums = &sums};

	die_init(prog);
	words_add(&keys, "k");
	words_add(&quantiles, job->values ? "50" : "");
	kev_writer_init(&out, &opts);
	partial_write_head(&out, &shape);
	for (size_t i = 0; i < job->groups->keys.count; i++) {
		kev_field_raw(&out, strmap_key(&job->groups->keys, i));
		partial_write(&partial, &out, &job->groups->group[i], &shape);
	}
	return kev_finish(&out);
}

static void add(struct groups *groups, const char *key, struct dec dur)
{
	struct group *group = groups_get(groups, str_of(key));

	assert_true(group_add(group, dur, 1));
	durations_add(&group->durations, dur, 1);
}

static void what_is_written(void **state)
{
	struct groups groups = {0};
	struct job job = {&groups, true};
	struct unit_end end;

	(void)state;
	add(&groups, "a\\tb", dec_of(3));
	add(&groups, "a\\tb", dec_of(-1));
	add(&groups, "a\\tb", dec_of(3));
	end = unit_run(write_partial, &job);
	assert_buf(&end.out, "##kev\t1\n##ends\tprog\n##group\tk\n##quantiles\t50\n##via\tprog\n"
	                     "#k\tcount\ttotal\tmin\tmax\tvalues\n"
	                     "a\\tb\t3\t5\t-1\t3\t-1:1,3:2\n##end\tprog\n");
	unit_end_free(&end);
	job.values = false;
	groups.group[0].unranged = true;
	end = unit_run(write_partial, &job);
	assert_buf(&end.out,
	           "##kev\t1\n##ends\tprog\n##group\tk\n##via\tprog\n#k\tcount\ttotal\tmin\tmax\n"
	           "a\\tb\t3\t5\t\t\n##end\tprog\n");
	unit_end_free(&end);
	groups.group[0].unranged = false;
	end = unit_run(write_partial, &job);
	assert_buf(&end.out,
	           "##kev\t1\n##ends\tprog\n##group\tk\n##via\tprog\n#k\tcount\ttotal\tmin\tmax\n"
	           "a\\tb\t3\t5\t-1\t3\n##end\tprog\n");
	unit_end_free(&end);
	groups_free(&groups);
}

/* Facts that partials have in common pass once, and at most 100 ##via lines. */
static void lean_heads(void **state)
{
	struct partial partial = {0};
	struct kev_reader in;
	struct buf stream = {0};
	struct buf got = {0};
	enum kev_item item;

	(void)state;
	for (int i = 0; i < 300; i++)
		buf_format(&stream,
		           "##source\t%d\n##device\td%d\n##unit\tus\n##via\tv %d\n##via\tw\n##x\ty\n"
		           "##baseTimeNanoseconds\t%d\n##rank\t1\n##process\t1\tp\n",
		           i, i & 1, i, i);
	buf_text(&stream, "##via\t# 7 more lines\n");
	unit_feed(buf_view(&stream));
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END)
		if (item == KEV_META && !partial_metadata(&partial, &in))
			buf_format(&got, "%.*s=%.*s\n", (int)in.key.n, in.key.s, (int)in.value.n, in.value.s);
	stream.len = 0;
	for (int i = 0; i < 300; i++) {
		buf_format(&stream, "source=%d\n", i);
		if (i < 2)
			buf_format(&stream, "device=d%d\n", i);
		buf_text(&stream, i ? "" : "unit=us\n");
		if (i < 99)
			buf_format(&stream, "via=v %d\n", i);
		buf_text(&stream, i ? "" : "via=w\n");
		buf_text(&stream, "x=y\nrank=1\nprocess=1\tp\n");
	}
	assert_str(buf_view(&got), buf_view(&stream));
	assert_int_equal(partial.vias_left_out, 208);
	partial_free(&partial);
	kev_close(&in);
	buf_free(&stream);
	buf_free(&got);
}

static void parts_merged_are_the_whole(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 20; round++) {
		struct groups parts[3] = {{.cap = 0}};
		struct groups whole = {0};
		struct groups merged = {0};
		struct partial partial = {0};
		struct kev_reader in;
		struct buf stream = {0};

		for (int i = 0; i < ROWS; i++) {
			struct dec dur = {(__int128)unit_below(&seed, 90) * 1000003 - 9};
			char key[16];

			snprintf(key, sizeof key, "%zu", unit_below(&seed, KEYS));
			add(&whole, key, dur);
			add(&parts[unit_below(&seed, COUNT(parts))], key, dur);
		}
		for (size_t i = 0; i < COUNT(parts); i++) {
			struct job job = {&parts[i], true};
			struct unit_end end = unit_run(write_partial, &job);

			buf_str(&stream, buf_view(&end.out));
			unit_end_free(&end);
			groups_free(&parts[i]);
		}
		unit_feed(buf_view(&stream));
		assert_string_equal(read_partials(&partial, &in, &merged), "");
		assert_int_equal(merged.keys.count, whole.keys.count);
		for (size_t i = 0; i < merged.keys.count; i++) {
			struct group *a = &merged.group[i];
			struct group *b = groups_get(&whole, strmap_key(&merged.keys, i));

			assert_int_equal(a->count, b->count);
			assert_true(a->total.nano == b->total.nano);
			assert_true(a->min.nano == b->min.nano && a->max.nano == b->max.nano);
			for (int percent = 0; percent <= 100; percent += 10)
				assert_true(group_quantile(a, dec_of(percent)).nano ==
				            group_quantile(b, dec_of(percent)).nano);
		}
		kev_close(&in);
		partial_free(&partial);
		groups_free(&merged);
		groups_free(&whole);
		buf_free(&stream);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_of_partials),
		cmocka_unit_test(rows_that_are_not_of_a_partial),
		cmocka_unit_test(layouts_that_are_not_of_a_partial),
		cmocka_unit_test(partials_that_do_not_go_together),
		cmocka_unit_test(names_come_from_the_partials),
		cmocka_unit_test(what_is_written),
		cmocka_unit_test(lean_heads),
		cmocka_unit_test(parts_merged_are_the_whole),
	};

	return cmocka_run_group_tests_name("partial", tests, NULL, NULL);
}
