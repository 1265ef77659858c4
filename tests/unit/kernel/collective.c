/* collective: the rule of hcomdedup(1), and the record that stands for a collective. */
#include "../unit.h"

#include "kernel/collective.h"

/* Reads the first row of a stream that begins with its columns line. */
static void read_row(struct kev_reader *in, struct collective_columns *at, struct str stream)
{
	unit_feed(stream);
	kev_open(in, unit_opts());
	assert_int_equal(kev_next(in), KEV_COLUMNS);
	assert_int_equal(kev_next(in), KEV_ROW);
	assert_true(collective_find(at, in));
}

static void columns_of_the_rule(void **state)
{
	struct kev_reader in;
	struct collective_columns at;
	struct buf key = {0};

	(void)state;
	/* The last field is the place of the source. */
	read_row(&in, &at, STR("#type\tdur\tpid\tts\tfile\nhcom_a\t5\t7\t12.9\tf\n"));
	assert_int_equal(at.dur, 1);
	assert_text(collective_key(&at, &in, &key), "12\thcom_a\t7\tf\t1");
	kev_close(&in);

	/* Without columns pid and file, the key has empty fields. */
	read_row(&in, &at, STR("#type\tdur\tts\nhcom_a\t5\t12.1\n"));
	assert_int_equal(at.pid, KEV_NONE);
	assert_text(collective_key(&at, &in, &key), "12\thcom_a\t\t\t1");
	kev_close(&in);
	buf_free(&key);
}

static void a_missing_column_is_named(void **state)
{
	static const struct str streams[] = {BYTES("#dur\ttype\n"), BYTES("#ts\ttype\n"),
	                                     BYTES("#ts\tdur\n")};
	static const char *const missing[] = {"'ts'", "'dur'", "'type'"};

	(void)state;
	for (size_t i = 0; i < COUNT(streams); i++) {
		struct kev_reader in;
		struct collective_columns at;

		unit_feed(streams[i]);
		kev_open(&in, unit_opts());
		assert_int_equal(kev_next(&in), KEV_COLUMNS);
		assert_case(missing[i], !collective_find(&at, &in) && strstr(in.error, missing[i]));
		kev_close(&in);
	}
}

static void kinds_of_rows(void **state)
{
	static const struct {
		const char *type;
		enum collective_kind kind;
		enum collective_kind without_ts;
	} cases[] = {
		{"", COLLECTIVE_KERNEL, COLLECTIVE_KERNEL},
		{"MatMulV2", COLLECTIVE_KERNEL, COLLECTIVE_KERNEL},
		{"hcom_allReduce_", COLLECTIVE_RECORD, COLLECTIVE_NO_TS},
		{"hcom_", COLLECTIVE_RECORD, COLLECTIVE_NO_TS},
		{"hcom", COLLECTIVE_KERNEL, COLLECTIVE_KERNEL},
		{"HCOM_allReduce_", COLLECTIVE_KERNEL, COLLECTIVE_KERNEL},
		{"a hcom_allReduce_", COLLECTIVE_KERNEL, COLLECTIVE_KERNEL},
		{"allreduceAicpuKernel", COLLECTIVE_AICPU, COLLECTIVE_AICPU},
		{"hcom_allReduce_AicpuKernel", COLLECTIVE_AICPU, COLLECTIVE_AICPU},
		{"AicpuKernel", COLLECTIVE_AICPU, COLLECTIVE_AICPU},
		{"AicpuKernel_", COLLECTIVE_KERNEL, COLLECTIVE_KERNEL},
		{"aicpukernel", COLLECTIVE_KERNEL, COLLECTIVE_KERNEL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (int has_ts = 0; has_ts < 2; has_ts++) {
			struct kev_reader in;
			struct collective_columns at;
			struct collective row;
			struct buf stream = {0};

			buf_format(&stream, "#ts\tdur\ttype\n%s\t5\t%s\n", has_ts ? "1" : "", cases[i].type);
			read_row(&in, &at, buf_view(&stream));
			collective_read(&row, &at, &in);
			assert_case(cases[i].type, row.kind == (has_ts ? cases[i].kind : cases[i].without_ts));
			kev_close(&in);
			buf_free(&stream);
		}
	}
}

/* Level0 of torch_npu: N/A is no type; the core or the name decides, and gives a type. */
static void rows_without_a_type(void **state)
{
	static const struct {
		const char *type;
		const char *name;
		const char *cat;
		enum collective_kind kind;
		bool level0;
		const char *counts_as;
	} cases[] = {
		{"N/A", "hcom_allReduce__868_0_1", "HCCL", COLLECTIVE_RECORD, true, "hcom_allReduce_"},
		{"", "hcom_send__1", "kernel", COLLECTIVE_RECORD, false, "hcom_send_"},
		{"", "hcom_", "", COLLECTIVE_RECORD, false, "hcom_"},
		{"", "hcom_a_7x8", "", COLLECTIVE_RECORD, false, "hcom_a_7x8"},
		{"N/A", "12_3", "COMMUNICATION", COLLECTIVE_RECORD, true, "12"},
		{"N/A", "", "HCCL", COLLECTIVE_RECORD, true, ""},
		{"", "allreduceAicpuKernel_1", "AI_CPU", COLLECTIVE_AICPU, true, "allreduceAicpuKernel"},
		{"N/A", "aclnnMm_MatMulCommon_MatMulV2", "N/A", COLLECTIVE_KERNEL, true, "MatMulV2"},
		{"N/A", "trans_TransData_12", "N/A", COLLECTIVE_KERNEL, true, "TransData"},
		{"N/A", "aclnnMm", "N/A", COLLECTIVE_KERNEL, true, "aclnnMm"},
		{"", "aclnnMm_Common_MatMulV2", "cpu_op", COLLECTIVE_KERNEL, false, ""},
		{"N/A", "Conv2D1", "N/A", COLLECTIVE_KERNEL, true, "Conv2D"},
		{"N/A", "main_kernel", "MIX_AIC", COLLECTIVE_KERNEL, true, "main_kernel"},
		{"", "trans_TransData_12", "kernel", COLLECTIVE_KERNEL, false, "TransData"},
		{"", "HadamardTransformKernel", "kernel", COLLECTIVE_KERNEL, false, ""},
		{"", "trans_TransData_12", "", COLLECTIVE_KERNEL, false, ""},
		{"", "hcom_send__1", "cpu_op", COLLECTIVE_KERNEL, false, ""},
		{"Cast", "hcom_send__1", "HCCL", COLLECTIVE_KERNEL, false, "Cast"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kev_reader in;
		struct collective_columns at;
		struct collective row;
		struct buf stream = {0};

		buf_format(&stream, "#ts\tdur\ttype\tname\tcat\n1\t5\t%s\t%s\t%s\n", cases[i].type,
		           cases[i].name, cases[i].cat);
		read_row(&in, &at, buf_view(&stream));
		collective_read(&row, &at, &in);
		assert_case(cases[i].name, row.kind == cases[i].kind && row.level0 == cases[i].level0);
		assert_case(cases[i].name, str_equal(in.field[at.type], str_of(cases[i].counts_as)));
		kev_close(&in);
		buf_free(&stream);
	}
}

static void a_row_and_its_errors(void **state)
{
	static const struct str wrong[] = {BYTES("#ts\tdur\ttype\nN/A\t5\thcom_a\n"),
	                                   BYTES("#ts\tdur\ttype\n1\t5us\thcom_a\n")};
	static const char *const errors[] = {"ts: 'N/A' is not a number", "dur: '5us' is not a number"};
	struct kev_reader in;
	struct collective_columns at;
	struct collective row;

	(void)state;
	read_row(&in, &at, STR("##kev\t1\n#ts\tdur\ttype\n12.5\t5.25\thcom_a\n"));
	collective_read(&row, &at, &in);
	assert_true(row.has_ts && row.has_dur && row.line == 3);
	assert_int_equal(row.ts.nano, 12500000000);
	assert_int_equal(row.dur.nano, 5250000000);
	kev_close(&in);

	read_row(&in, &at, STR("#ts\tdur\ttype\n\t\tT\n"));
	collective_read(&row, &at, &in);
	assert_false(row.has_ts || row.has_dur || in.error[0]);
	assert_int_equal(row.dur.nano, 0);
	kev_close(&in);

	for (size_t i = 0; i < COUNT(wrong); i++) {
		read_row(&in, &at, wrong[i]);
		collective_read(&row, &at, &in);
		assert_string_equal(in.error, errors[i]);
		kev_close(&in);
	}
}

static void key_of(struct buf *key, const char *ts, const char *type, const char *pid,
                   const char *file)
{
	struct kev_reader in;
	struct collective_columns at;
	struct buf stream = {0};

	buf_format(&stream, "#ts\tdur\ttype\tpid\tfile\n%s\t5\t%s\t%s\t%s\n", ts, type, pid, file);
	read_row(&in, &at, buf_view(&stream));
	collective_key(&at, &in, key);
	kev_close(&in);
	buf_free(&stream);
}

/* Whether a row records one collective with a row of type hcom_a, pid 0 and file x. */
static bool same(const char *ts_a, const char *ts, const char *type, const char *pid,
                 const char *file)
{
	struct buf a = {0};
	struct buf b = {0};
	bool equal;

	buf_text(&a, "an earlier key");
	key_of(&a, ts_a, "hcom_a", "0", "x");
	key_of(&b, ts, type, pid, file);
	equal = str_equal(buf_view(&a), buf_view(&b));
	buf_free(&a);
	buf_free(&b);
	return equal;
}

static void one_collective_one_key(void **state)
{
	(void)state;
	assert_true(same("12", "12", "hcom_a", "0", "x"));
	assert_true(same("12.000", "12.999", "hcom_a", "0", "x"));
	assert_true(same("12", "12.999999999", "hcom_a", "0", "x"));
	assert_true(same("12", "12.9999999999", "hcom_a", "0", "x")); /* as written, not rounded */
	assert_true(same("12", "012.5", "hcom_a", "0", "x"));
	assert_true(same("12", "1.25e1", "hcom_a", "0", "x"));
	/* An epoch timestamp that a double would round up. */
	assert_true(same("1716543210123456.000", "1716543210123456.999", "hcom_a", "0", "x"));
	assert_false(same("1716543210123456.999", "1716543210123457.000", "hcom_a", "0", "x"));
	assert_false(same("12.999", "13", "hcom_a", "0", "x"));
	assert_false(same("12", "12", "hcom_b", "0", "x"));
	assert_false(same("12", "12", "hcom_a", "1", "x"));
	assert_false(same("12", "12", "hcom_a", "0", "y"));
	assert_false(same("12", "12", "hcom_a", "", "0x")); /* parts do not run together */
	assert_false(same("12", "12", "hcom_a", "0x", ""));
}

static struct collective record(int64_t dur, size_t group)
{
	return (struct collective){.dur = dec_of(dur), .has_dur = true, .group = group};
}

/* Adds a record. Returns the group of the one that it or an earlier one drops; 0 for none. */
static size_t add(struct collectives *all, struct str key, struct collective record)
{
	struct collective dropped;

	return collectives_add(all, key, &record, &dropped) ? dropped.group : 0;
}

/* Each record but one of each collective comes back as dropped, once. */
static void the_first_of_the_longest_is_kept(void **state)
{
	struct collectives all = {0};

	(void)state;
	assert_int_equal(add(&all, STR("a"), record(5, 1)), 0);
	assert_int_equal(add(&all, STR("b"), record(9, 2)), 0);
	assert_int_equal(add(&all, STR("a"), record(7, 3)), 1); /* longer */
	assert_int_equal(add(&all, STR("a"), record(7, 4)), 4); /* as long */
	assert_int_equal(add(&all, STR("a"), record(6, 5)), 5); /* shorter */
	assert_int_equal(all.keys.count, 2);
	assert_int_equal(all.kept[0].group, 3);
	assert_int_equal(dec_compare(all.kept[0].dur, dec_of(7)), 0);
	assert_int_equal(all.kept[1].group, 2);
	collectives_free(&all);
}

static void any_duration_is_longer_than_none(void **state)
{
	struct collectives all = {0};

	(void)state;
	assert_int_equal(add(&all, STR("a"), (struct collective){.group = 1}), 0);
	assert_int_equal(add(&all, STR("a"), (struct collective){.group = 2}), 2);
	assert_int_equal(add(&all, STR("a"), record(-5, 3)), 1);
	assert_int_equal(add(&all, STR("a"), (struct collective){.group = 4}), 4);
	assert_int_equal(all.kept[0].group, 3);
	collectives_free(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_the_rule),
		cmocka_unit_test(a_missing_column_is_named),
		cmocka_unit_test(kinds_of_rows),
		cmocka_unit_test(rows_without_a_type),
		cmocka_unit_test(a_row_and_its_errors),
		cmocka_unit_test(one_collective_one_key),
		cmocka_unit_test(the_first_of_the_longest_is_kept),
		cmocka_unit_test(any_duration_is_longer_than_none),
	};

	return cmocka_run_group_tests_name("collective", tests, NULL, NULL);
}
