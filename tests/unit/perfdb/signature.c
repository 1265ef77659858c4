/* signature: what tells the rows of a performance database apart. */
#include "../unit.h"

#include "perfdb/signature.h"

/* Cells in the order of enum signature_cell; those at the end may be left out. */
struct row {
	const char *cell[SIGNATURE_CELLS];
};

static void put_key(struct buf *out, const char *op, const struct row *row)
{
	struct str cells[SIGNATURE_CELLS];

	for (int i = 0; i < SIGNATURE_CELLS; i++)
		cells[i] = str_of(row->cell[i] ? row->cell[i] : "");
	signature_key(out, str_of(op), cells);
}

static void assert_key(const char *op, struct row row, const char *want, int line)
{
	struct buf got = {0};

	put_key(&got, op, &row);
	unit_equal(buf_view(&got), str_of(want), __FILE__, line);
	buf_free(&got);
}

#define assert_is(op, want, ...) assert_key(op, (struct row){{__VA_ARGS__}}, want, __LINE__)

static bool same(const char *op, struct row a, struct row b)
{
	struct buf keys[2] = {{0}};
	bool equal;

	put_key(&keys[0], op, &a);
	put_key(&keys[1], op, &b);
	equal = str_equal(buf_view(&keys[0]), buf_view(&keys[1]));
	buf_free(&keys[0]);
	buf_free(&keys[1]);
	return equal;
}

static void cells_lose_spaces_quotes_and_brackets(void **state)
{
	static const char *const spellings[] = {
		"4096,768;16",         "\"4096,768;16\"", " \"4096,768;16\" ", "\"\"4096,768;16\"\"",
		"(4096,768);(16)",     "4096, 768;16",    "4096 768;16",       "\t4096 ,\n768 ; 16 ",
		"\"4096,768\";\"16\"", "4096,,768,;,16",  "4096,768;16;",      "4096,768;16;();N/A",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++)
		assert_is("Add", "2:4096,768;16;0:0:0:0:", spellings[i]);
}

static void shapes_of_nothing(void **state)
{
	static const char *const nothing[] = {"",     "()",   "N/A",  "NA", "NULL",
	                                      "None", "none", "\"\"", "; ;"};

	(void)state;
	for (size_t i = 0; i < COUNT(nothing); i++)
		assert_is("Add", "0:0:0:0:0:", nothing[i], "FLOAT", "ND", nothing[i], "FLOAT");
	assert_is("Add", "1:nil;0:0:0:0:", "nil"); /* is none of those */
	assert_is("Add", "3:;;2;0:0:0:0:", "();;2");
}

/* A dtype or format says something only where there is a tensor. */
static void attributes_of_nothing(void **state)
{
	(void)state;
	assert_is("Add", "3:8;;2;3:A;;C;1:ND;1:7;1:F;", "8;;2", "A;B;C", "ND;ND;", "7;()", "F;G");
	assert_is("Add", "1:8;1:A;1:ND;0:0:", "8", "A;B;C", "ND;X", "", "F");
	assert_is("Add", "2:8;2;2:;B;0:0:0:", "8;2", ";B");
}

static void multiplications(void **state)
{
	static const char plain[] = "2:16,5120;1024,5120;2:A;B;2:ND;NZ;1:16,1024;1:C;";

	(void)state;
	for (int i = 0; i < SIGNATURE_MATMULS; i++) {
		const char *op = signature_matmuls[i];

		assert_true(signature_is_matmul(str_of(op)));
		assert_is(op, plain, "16,5120;5120,1024", "A;B", "ND;NZ", "16,1024", "C");
		assert_is(op, plain, "16,5120;1024,5120", "A;B", "ND;NZ", "16,1024", "C");
		assert_is(op, plain, "5120,16;1024,5120", "A;B", "ND;NZ", "16,1024", "C");
		assert_is(op, plain, "5120,16;5120,1024;1024", "A;B;D", "ND;NZ;ND", "16,1024;7", "C");
	}
	assert_false(signature_is_matmul(STR("BatchMatMulV2")));
	/* B fits both ways. */
	assert_is("MatMulV2", "2:8,8;8,8;0:0:1:8,8;0:", "8,8;8,8", "", "", "8,8");
	/* A does not begin with M, and what A and B share is not in the output. */
	assert_is("MatMulV2", "2:2,3;4,3;0:0:1:2,4;0:", "3,2;4,3", "", "", "2,4");
	/* All that they share is in the output, and is one dim. */
	assert_is("MatMulV2", "2:2,4;4,4;0:0:1:2,4;0:", "4,2;4,7", "", "", "2,4");
	/* A fits and B does not: the dim in common. */
	assert_is("MatMulV2", "2:2,5;4,5;0:0:1:2,4;0:", "2,5;5,9", "", "", "2,4");
}

/* The ordinary signature: no K to be found, or not two dims. */
static void multiplications_of_another_kind(void **state)
{
	(void)state;
	assert_is("MatMulV2", "2:2,3;4,5;0:0:1:2,4;0:", "2,3;4,5", "", "", "2,4");
	assert_is("MatMulV2", "2:3,5;5,3;0:0:1:2,4;0:", "3,5;5,3", "", "", "2,4"); /* two in common */
	assert_is("MatMulV2", "2:1,2,3;3,4;0:0:1:2,4;0:", "1,2,3;3,4", "", "", "2,4");
	assert_is("MatMulV2", "2:2,3;3,4;0:0:1:1,2,4;0:", "2,3;3,4", "", "", "1,2,4");
	assert_is("MatMulV2", "2:2,3;3,4;0:0:0:0:", "2,3;3,4", "", "", "");
	assert_is("MatMulV2", "1:2,3;0:0:1:2,3;0:", "2,3", "", "", "2,3");
	assert_is("MatMulV2", "2:2,k;k,4;0:0:1:2,4;0:", "2,k;k,4", "", "", "2,4"); /* no number */
	assert_is("MatMulV2", "2:-1,3;4,3;0:0:1:-1,4;0:", "-1,3;3,4", "", "", "-1,4");
	assert_is("Add", "2:16,5120;5120,1024;0:0:1:16,1024;0:", "16,5120;5120,1024", "", "",
	          "16,1024");
}

/* However many indices: what is picked, and how much. */
static void indexing(void **state)
{
	static const char *const spellings[] = {"4096,768;1;2;128", "4096,768;128", "(4096,768)"};
	static const char *const types[] = {"A;I;J;K", "A;K", "A;X;K"};

	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++)
		assert_is("Index", "2:4096,768;128;2:A;K;2:ND;ND;1:128,768;1:A;", spellings[i], types[i],
		          "ND", "128,768", "A");
	assert_is("Index", "2:;128;2:;K;2:;ND;1:128;0:", "();7", "A;K", "ND", "128");
	assert_is("Index", "2:4096,768;1;2:A;I;1:ND;0:0:", "4096,768;1", "A;I", "ND", "");
	assert_is("Index", "0:0:0:1:128;0:", "", "A;I", "ND", "128");
	assert_is("Index", "2:8;x;0:0:1:x;0:", "8;x", "", "", "x"); /* no dim to pick */
}

/* What else a copy reads, and in what format, does not matter. */
static void copies(void **state)
{
	static const char *const ops[] = {"Slice", "SliceAiCore", "Transpose", "TransposeAiCore"};

	(void)state;
	for (size_t i = 0; i < COUNT(ops); i++) {
		assert_is(ops[i], "1:8,16;1:A;1:ND;1:16,8;1:A;", "8,16;2;2", "A;B;B", "NZ;ND", "16,8", "A");
		assert_is(ops[i], "1:8,16;1:A;0:1:16,8;1:A;", "8,16", "A", "", "16,8", "A");
		assert_is(ops[i], "1:8,16;1:A;1:ND;1:16,8;1:A;", "8,16", "A", ";NZ", "16,8", "A");
		assert_is(ops[i], "0:0:0:0:0:", "();2", "A;B", "ND");
	}
	assert_is("SliceV2", "2:8;2;2:A;B;1:NZ;0:0:", "8;2", "A;B", "NZ");
}

static void sizes_of_expert_parallelism(void **state)
{
	const struct row sixteen = {{"8", "A", "ND", "8", "A", " 16 "}};
	const struct row eight = {{"8", "A", "ND", "8", "A", "8"}};
	const struct row none = {{"8", "A", "ND", "8", "A", ""}};

	(void)state;
	assert_false(same("DispatchFFNCombine", sixteen, eight));
	assert_false(same("DispatchFFNCombine", sixteen, none));
	assert_true(same("Add", sixteen, eight));
	assert_is("DispatchFFNCombine", "1:8;0:0:0:0:2:16", "8", "", "", "", "", " 16 ");
	assert_true(signature_has_ep_size(STR("DispatchFFNCombine")));
	assert_false(signature_has_ep_size(STR("DispatchFFNCombine2")));
}

/* No way to write a slot makes two rows one. */
static void cells_do_not_run_together(void **state)
{
	(void)state;
	assert_false(same("Add", (struct row){{"1;2", "A"}}, (struct row){{"1", "2;A"}}));
	assert_false(
		same("Add", (struct row){{"1", "", "", "2"}}, (struct row){{"1", "", "", "", "2"}}));
	assert_false(same("Add", (struct row){{"1;\"2"}}, (struct row){{"1", "2"}}));
	assert_false(same("Add", (struct row){{"1;;2"}}, (struct row){{"1;2"}}));
}

static void operators_by_name(void **state)
{
	static const char *const names[][2] = {
		{"MatMulV2", "MatMulV2"},
		{"MatMulV2.csv", "MatMulV2"},
		{"MatMulV2_run.py", "MatMulV2"},
		{"MatMulV2_run", "MatMulV2"},
		{" MatMulV2\t", "MatMulV2"},
		{"MatMulV2_run.csv", "MatMulV2"},
		{"MatMulV2.csv_run", "MatMulV2.csv"},
		{"MatMulV2_run_run", "MatMulV2_run"},
		{"MatMulV2.py", "MatMulV2.py"},
		{"_run_x", "_run_x"},
		{"", ""},
		{".csv", ""},
		{"a.csv.csv", "a.csv"},
		{"csv", "csv"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_str(signature_operator(str_of(names[i][0])), str_of(names[i][1]));
}

static void texts_for_people(void **state)
{
	static const struct row rows[] = {{{"\"8;;()\"", "", "", "\"8\""}}, {{"", "", "", ""}}};
	static const char *const want[] = {"\"8;;()\" -> \"8\"", "N/A -> N/A"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str cells[SIGNATURE_CELLS] = {{"", 0}};
		struct buf got = {0};

		for (int j = 0; j < SIGNATURE_CELLS; j++)
			cells[j] = str_of(rows[i].cell[j] ? rows[i].cell[j] : "");
		signature_text(&got, cells);
		assert_str(buf_view(&got), str_of(want[i]));
		buf_free(&got);
	}
}

/* The tables of names: each name of a kind is unique, and the cells are base columns. */
static void names_are_distinct(void **state)
{
	(void)state;
	for (int i = 0; i < SIGNATURE_COUNTERS; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(signature_counters[i], signature_counters[j]);
	for (int i = 0; i < EP_SIZE; i++) {
		bool base = false;

		for (int j = 0; j < SIGNATURE_BASE; j++)
			base |= strcmp(signature_cells[i], signature_base[j]) == 0;
		assert_true(base);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_lose_spaces_quotes_and_brackets),
		cmocka_unit_test(shapes_of_nothing),
		cmocka_unit_test(attributes_of_nothing),
		cmocka_unit_test(multiplications),
		cmocka_unit_test(multiplications_of_another_kind),
		cmocka_unit_test(indexing),
		cmocka_unit_test(copies),
		cmocka_unit_test(sizes_of_expert_parallelism),
		cmocka_unit_test(cells_do_not_run_together),
		cmocka_unit_test(operators_by_name),
		cmocka_unit_test(texts_for_people),
		cmocka_unit_test(names_are_distinct),
	};

	return cmocka_run_group_tests_name("signature", tests, NULL, NULL);
}
