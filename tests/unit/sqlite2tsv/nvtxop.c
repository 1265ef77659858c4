/* nvtxop: the grammar of the four suffixes, and what only looks like them. */
#include "../unit.h"

#include "sqlite2tsv/nvtxop.h"

/* The name, the sequence number, the id and the sizes, with | between them; "-" for a text that is
 * no operator. */
static void assert_op(const char *text, const char *want)
{
	struct nvtxop op;
	struct buf got = {0};

	if (nvtxop_read(str_of(text), &op)) {
		buf_format(&got, "%.*s|%.*s|%.*s|", (int)op.name.n, op.name.s, (int)op.sequence.n,
		           op.sequence.n ? op.sequence.s : "", (int)op.id.n, op.id.n ? op.id.s : "");
		nvtxop_put_sizes(&got, op.sizes);
	} else {
		buf_char(&got, '-');
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

/* Each choice of the four suffixes but none, in their order. */
static void any_suffix_in_order(void **state)
{
	static const char *const suffix[] = {", seq = 7", ", op_id = 12",
	                                     ", sizes = [[2, 3], [], [[4], [-1]]]",
	                                     ", input_op_ids = [(10,0), (-1, -1)]"};
	static const char *const part[] = {"7", "12", "[[2,3],[],[[4],[-1]]]"};

	(void)state;
	for (int set = 1; set < 16; set++) {
		struct buf text = {0};
		struct buf want = {0};

		buf_text(&text, "my, op");
		buf_text(&want, "my, op");
		for (int i = 0; i < 4; i++) {
			buf_text(&text, set >> i & 1 ? suffix[i] : "");
			buf_format(&want, "%s%s", i < 3 ? "|" : "", i < 3 && set >> i & 1 ? part[i] : "");
		}
		buf_char(&text, '\0');
		buf_char(&want, '\0');
		assert_op(text.data, want.data);
		buf_free(&text);
		buf_free(&want);
	}
}

static void the_name_is_the_shortest(void **state)
{
	(void)state;
	assert_op("a, seq = 1, seq = 2", "a, seq = 1|2||");
	assert_op("a, op_id = 1, seq = 2", "a, op_id = 1|2||");
	assert_op("a, seq = 1, op_id = 2", "a|1|2|");
	assert_op("a, seq = x, op_id = 2", "a, seq = x||2|");
	assert_op("a,, seq = 1", "a,|1||");
	assert_op(",, seq = 1", ",|1||");
	assert_op("a, sizes = [[1]], sizes = [[2]]", "a, sizes = [[1]]|||[[2]]");
}

static void other_texts(void **state)
{
	static const char *const others[] = {
		"",
		",",
		", seq = 1",
		"x, y",
		"load, seq = x",
		"load, seq = ",
		"load, seq = -1",
		"load, seq = 1 ",
		"load, seq = 1,",
		"load,seq = 1",
		"load, seq=1",
		"onnx::Conv_1",
		"ncclSend",
		"{'mod': 'Tensor', 'op': 'cuda', 'args': [1, 2]}",
		"aten::",
		"aten::add b",
		"aten::add, x",
		"at::add",
		"a, sizes = ",
		"a, sizes = [",
		"a, sizes = [[1]",
		"a, sizes = [[1]]]",
		"a, sizes = 1",
		"a, sizes = (1)",
		"a, sizes = [(1)]",
		"a, sizes = [[x]]",
		"a, input_op_ids = [[1]]",
		"a, input_op_ids = ((1))",
		"a, input_op_ids = [(1]",
		"a, input_op_ids = [(1,0), 2",
		"a, seq = 1234567890123456789",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++)
		assert_op(others[i], "-");
}

static void without_a_suffix(void **state)
{
	(void)state;
	assert_op("aten::add_", "aten::add_|||");
	assert_op("aten::_foreach_add.Scalar2", "aten::_foreach_add.Scalar2|||");
	assert_op("a, seq = 123456789012345678", "a|123456789012345678||");
	assert_op("a, sizes = []", "a|||[]");
}

/* No comma makes the rest be read again and again. */
static void long_texts(void **state)
{
	struct nvtxop op;
	struct buf text = {0};

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_text(&text, i % 2 ? ", sizes = [[1, 2], " : ", seq = 1, op_id = 2");
	assert_false(nvtxop_read(buf_view(&text), &op));
	text.len = 0;
	buf_text(&text, "a, sizes = ");
	for (int i = 0; i < 1000000; i++)
		buf_text(&text, "[1,");
	assert_false(nvtxop_read(buf_view(&text), &op));
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_suffix_in_order), cmocka_unit_test(the_name_is_the_shortest),
		cmocka_unit_test(other_texts),         cmocka_unit_test(without_a_suffix),
		cmocka_unit_test(long_texts),
	};

	return cmocka_run_group_tests_name("nvtxop", tests, NULL, NULL);
}
