/* operations: what two traces spend in each class and layer. */
#include "../unit.h"

#include "kdiff/operations.h"

/* Adds a kernel of a class and a name. */
static void add(struct operations *operations, int s, const char *op, const char *name, int us)
{
	struct operations_row row = {
		.op = str_of(op), .name = str_of(name), .pattern = str_of(name), .dur = dec_of(us)};

	assert_true(operations_add(operations, s, &row));
}

static void put_sums(struct buf *out, const struct group *sum)
{
	for (int s = 0; s < OPERATIONS_SIDES; s++) {
		buf_format(out, " %d*", (int)sum[s].count);
		dec_print(out, sum[s].total);
	}
}

static void assert_operations(const struct operations *operations, const char *want)
{
	struct buf out = {0};

	for (size_t i = 0; i < operations->count; i++) {
		const struct operation *op = &operations->operation[i];

		buf_str(&out, op->name);
		put_sums(&out, op->sum);
		buf_char(&out, ' ');
		dec_print(&out, op->gap);
		for (int s = 0; s < OPERATIONS_SIDES; s++) {
			buf_char(&out, ' ');
			buf_str(&out, groups_commonest(&op->part[s].patterns));
		}
		buf_char(&out, '\n');
	}
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
}

static void phases_can_be_merged(void **state)
{
	struct operations operations = {.stacks = 1};

	(void)state;
	add(&operations, 0, "Attention (Prefill)", "p", 3);
	add(&operations, 0, "Attentions", "x", 1);
	add(&operations, 0, "Attention (Decode)", "d", 2);
	add(&operations, 0, "Attention (Decode)", "d", 2);
	add(&operations, 1, "Attention", "a", 5);
	assert_true(operations_merge_phases(&operations, 0));
	assert_true(operations_compare(&operations));
	assert_operations(&operations, "Attention 3*7 1*5 2 d a\nAttentions 1*1 0*0 1 x \n");
	operations_free(&operations);
}

static void the_largest_gap_first(void **state)
{
	struct operations operations = {.stacks = 1};

	(void)state;
	add(&operations, 0, "B", "b", 3);
	add(&operations, 0, "A", "a2", 1);
	add(&operations, 0, "A", "a1", 1);
	add(&operations, 1, "A", "a2", 5);
	add(&operations, 1, "C", "c", 9);
	assert_true(operations_compare(&operations));
	assert_operations(&operations, "C 0*0 1*9 -9  c\nA 2*2 1*5 -3 a1 a2\nB 1*3 0*0 3 b \n");
	operations_free(&operations);
	assert_int_equal(operations.stacks, 1);
	assert_true(operations_compare(&operations)); /* without any */
	assert_int_equal(operations.count, 0);
}

static void norms_face_each_other(void **state)
{
	struct operations operations = {0};
	struct operations_row row = {
		.op = STR("RMSNorm"), .name = STR("n"), .phase = STR("decode"), .dur = dec_of(2)};

	(void)state;
	add(&operations, 0, "RMSNorm+GEMM", "f", 4);
	assert_true(operations_add(&operations, 1, &row));
	assert_true(operations_compare(&operations));
	assert_operations(&operations, "RMSNorm+GEMM 1*4 1*2 2 f \n");
	assert_int_equal(strmap_find(&operations.operation[0].phases, STR("decode")), 0);
	assert_int_equal(operations.operation[0].part[1].kernels.keys.count, 1);
	operations_free(&operations);

	/* Not if one side has both. */
	add(&operations, 0, "RMSNorm", "n", 1);
	add(&operations, 0, "RMSNorm+GEMM", "f", 4);
	add(&operations, 1, "RMSNorm", "n", 2);
	assert_true(operations_compare(&operations));
	assert_operations(&operations, "RMSNorm+GEMM 1*4 0*0 4 f \nRMSNorm 1*1 1*2 -1 n n\n");
	operations_free(&operations);
}

static void stacks(void **state)
{
	static const char *const names[] = {"a;b", "", "a;b", "c", "d"};

	(void)state;
	for (size_t most = 0; most < 4; most++) {
		struct operations operations = {.stacks = most};
		struct operations_row row = {.op = STR("A"), .dur = dec_of(1)};

		for (size_t i = 0; i < COUNT(names); i++) {
			row.stack = str_of(names[i]);
			assert_true(operations_add(&operations, 1, &row));
		}
		assert_int_equal(operations.operation[0].part[1].stacks.count, most ? most : 3);
		assert_int_equal(operations.operation[0].part[0].stacks.count, 0);
		operations_free(&operations);
	}
}

static void layers(void **state)
{
	static const struct {
		int side;
		const char *number;
		int us;
	} kernels[] = {{0, "0", 5}, {1, "0", 6},  {0, "1", 9}, {1, "1.0", 1},
	               {1, "2", 9}, {0, "-1", 1}, {0, "1", 1}, {0, "", 99}};
	struct operations operations = {0};
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(kernels); i++) {
		struct operations_row row = {.op = STR("A"), .dur = dec_of(kernels[i].us)};

		row.has_layer = dec_parse(str_of(kernels[i].number), &row.layer) == DEC_OK;
		assert_true(operations_add(&operations, kernels[i].side, &row));
	}
	assert_int_equal(operations.layers_of[0], 3);
	assert_int_equal(operations.layers_of[1], 3);
	assert_true(operations_compare(&operations));
	for (size_t i = 0; i < operations.layers; i++) {
		dec_print(&out, operations.layer[i].number);
		put_sums(&out, operations.layer[i].sum);
		buf_char(&out, '\n');
	}
	/* The largest gap first, then layers of one side. */
	assert_buf(&out, "1 2*10 1*1\n0 1*5 1*6\n2 0*0 1*9\n-1 1*1 0*0\n");
	buf_free(&out);
	operations_free(&operations);
}

static void status(void **state)
{
	static const struct {
		int us[OPERATIONS_SIDES]; /* -1: no kernel */
		const char *want;
	} cases[] = {
		{{-1, 5}, "trace2_only"}, {{5, -1}, "trace1_only"}, {{5, 5}, "similar"},
		{{6, 5}, "similar"},      {{8, 5}, "slower"},       {{5, 8}, "faster"},
		{{9, 0}, "slower"},       {{0, 9}, "faster"},       {{0, 0}, "similar"},
	};
	struct limit limit = {.by_time = false};

	(void)state;
	limit_set_percent(&limit, dec_of(20));
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct group sum[OPERATIONS_SIDES] = {{0}};

		for (int s = 0; s < OPERATIONS_SIDES; s++)
			if (cases[i].us[s] >= 0)
				assert_true(group_add(&sum[s], dec_of(cases[i].us[s]), 1));
		assert_string_equal(operations_status(sum, &limit), cases[i].want);
	}
}

static void summary(void **state)
{
	static const char want[] = "slower 2 2*8 2*3\nfaster 1 1*1 1*2\nsimilar 0 0*0 0*0\n"
							   "trace1_only 0 0*0 0*0\ntrace2_only 1 0*0 1*4\n";
	struct operations operations = {0};
	struct operations_total totals[OPERATIONS_STATUSES];
	struct limit limit = {.by_time = false};
	struct buf out = {0};

	(void)state;
	add(&operations, 0, "A", "a", 5);
	add(&operations, 1, "A", "a", 2);
	add(&operations, 0, "B", "b", 3);
	add(&operations, 1, "B", "b", 1);
	add(&operations, 0, "C", "c", 1);
	add(&operations, 1, "C", "c", 2);
	add(&operations, 1, "D", "d", 4);
	assert_true(operations_compare(&operations));
	assert_true(operations_summarize(&operations, &limit, totals));
	for (size_t i = 0; i < OPERATIONS_STATUSES; i++) {
		buf_str(&out, totals[i].status);
		buf_format(&out, " %d", (int)totals[i].operations);
		put_sums(&out, totals[i].sum);
		buf_char(&out, '\n');
	}
	assert_buf(&out, want);
	buf_free(&out);
	operations_free(&operations);
}

static void add_operator(struct operations *operations, int s, const char *name, int us)
{
	struct operations_row row = {.op = STR("A"), .cpu_op = str_of(name), .dur = dec_of(us)};

	assert_true(operations_add(operations, s, &row));
}

static void assert_operators(const struct operation *op, size_t most, const char *want)
{
	size_t count;
	struct operation_kernel *rows = operation_operators(op, most, &count);
	struct buf out = {0};

	for (size_t i = 0; i < count; i++) {
		buf_str(&out, rows[i].name);
		put_sums(&out, rows[i].sum);
		buf_char(&out, '\n');
	}
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
	free(rows);
}

/* They add up to the operation; of equal gaps the one with the larger total is first. */
static void operators(void **state)
{
	struct operations operations = {0};

	(void)state;
	add_operator(&operations, 0, "x", 5);
	add_operator(&operations, 1, "x", 4);
	add_operator(&operations, 1, "y", 1);
	add_operator(&operations, 0, "z", 9);
	add_operator(&operations, 0, "", 2);
	add_operator(&operations, 1, "", 4);
	assert_true(operations_compare(&operations));
	assert_operators(operations.operation, 0, "z 1*9 0*0\n 1*2 1*4\nx 1*5 1*4\ny 0*0 1*1\n");
	assert_operators(operations.operation, 4, "z 1*9 0*0\n 1*2 1*4\nx 1*5 1*4\ny 0*0 1*1\n");
	assert_operators(operations.operation, 2, "z 1*9 0*0\n 1*2 1*4\n(others) 1*5 2*5\n");
	operations_free(&operations);
	add(&operations, 0, "A", "a", 1);
	assert_true(operations_compare(&operations));
	assert_operators(operations.operation, 1, " 1*1 0*0\n");
	operations_free(&operations);
}

static void kernels(void **state)
{
	struct operations operations = {0};
	struct operation_kernel *of_both;
	struct buf out = {0};
	size_t count;

	(void)state;
	add(&operations, 0, "A", "x", 1);
	add(&operations, 0, "A", "y", 2);
	add(&operations, 1, "A", "x", 7);
	add(&operations, 1, "A", "z", 2);
	add(&operations, 1, "A", "x", 1);
	of_both = operation_kernels(&operations.operation[0].part[0].kernels,
	                            &operations.operation[0].part[1].kernels, &count);
	for (size_t i = 0; i < count; i++) {
		buf_str(&out, of_both[i].name);
		put_sums(&out, of_both[i].sum);
		buf_char(&out, '\n');
	}
	assert_buf(&out, "x 1*1 2*8\ny 1*2 0*0\nz 0*0 1*2\n");
	free(of_both);
	buf_free(&out);
	operations_free(&operations);
}

static void too_large(void **state)
{
	const struct dec most = {(((__int128)1 << 126) - 1) * 2 + 1};
	struct operations_row row = {.op = STR("A"), .dur = most};
	struct operations operations = {0};

	(void)state;
	assert_true(operations_add(&operations, 0, &row));
	assert_false(operations_add(&operations, 0, &row));
	assert_text(str_of(operations.error), "dur: the sum is too large");
	operations_free(&operations);

	/* The sum of a layer, of several operations. */
	row.has_layer = true;
	assert_true(operations_add(&operations, 0, &row));
	row.op = STR("B");
	assert_false(operations_add(&operations, 0, &row));
	operations_free(&operations);

	/* The gap. */
	assert_true(operations_add(&operations, 0, &row));
	row.dur.nano = -most.nano;
	assert_true(operations_add(&operations, 1, &row));
	assert_false(operations_compare(&operations));
	assert_text(str_of(operations.error), "dur: the sum is too large");
	operations_free(&operations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_gap_first),
		cmocka_unit_test(phases_can_be_merged),
		cmocka_unit_test(norms_face_each_other),
		cmocka_unit_test(stacks),
		cmocka_unit_test(layers),
		cmocka_unit_test(status),
		cmocka_unit_test(summary),
		cmocka_unit_test(operators),
		cmocka_unit_test(kernels),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("operations", tests, NULL, NULL);
}
