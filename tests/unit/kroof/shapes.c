/* shapes: each function of rules, over arguments of PyTorch and of Ascend. */
#include "../unit.h"

#include "base/mem.h"
#include "kroof/shapes.h"

static const struct expr_value *no_name(void *arg, struct str name, bool *is_condition)
{
	(void)arg;
	(void)name;
	*is_condition = false;
	return NULL;
}

static void put_value(struct buf *out, const struct shapes *s, const struct expr *e,
                      const struct expr_value *v)
{
	if (e->error[0] || s->too_large || s->missing) {
		buf_text(out, s->missing ? "missing" : "too large");
		return;
	}
	switch (v->kind) {
	case EXPR_NOTHING:
		buf_text(out, "nothing");
		break;
	case EXPR_NUMBER:
		number_print(out, v->number);
		break;
	case EXPR_CONDITION:
		buf_text(out, v->holds ? "true" : "false");
		break;
	case EXPR_VECTOR:
		for (size_t i = 0; i < v->vector->count; i++) {
			buf_char(out, i ? ',' : '<');
			number_print(out, v->vector->item[i]);
		}
		buf_text(out, v->vector->count ? ">" : "<>");
		break;
	default:
		buf_str(out, v->text);
	}
}

static void add_type(struct shapes *s, const char *name, const char *size)
{
	size_t number = strmap_add(&s->types, str_of(name), NULL);

	s->type = mem_grow(s->type, &s->types_cap, number + 1, sizeof *s->type);
	s->type[number] = (struct shapes_type){.short_name = STR("x")};
	assert_int_equal(dec_parse(str_of(size), &s->type[number].size), DEC_OK);
}

struct want {
	const char *expr;
	const char *value;
};

static void assert_values(const struct str *fields, const struct want *want, size_t count)
{
	static const struct str columns[] = {BYTES(" 7e-3 "), BYTES("")};
	struct shapes s = {0};
	struct args args = {0};
	const struct expr_extra extra = {shapes_functions, shapes_functions_count, "kroof(1)", no_name,
	                                 &s};
	struct buf got = {0};

	add_type(&s, "float", "4");
	add_type(&s, "c10::Half", "2");
	add_type(&s, "INT4", "0.5");
	costs_put(&s.costs, STR("add"), 1, 1);
	costs_put(&s.costs, STR("add_mul"), 5, 1);
	words_put(&s.columns, STR("a"));
	words_put(&s.columns, STR("b"));
	s.column = columns;
	args_parse(&args, fields);
	s.args = &args;
	for (size_t i = 0; i < count; i++) {
		struct expr e = {0};

		assert_case(want[i].expr, expr_compile_with(&e, str_of(want[i].expr), &extra));
		for (int again = 0; again < 2; again++) {
			s.missing = s.too_large = false;
			got.len = 0;
			put_value(&got, &s, &e, expr_value(&e, NULL));
		}
		assert_case(want[i].expr, str_equal(buf_view(&got), str_of(want[i].value)));
		expr_free(&e);
	}
	buf_free(&got);
	args_free(&args);
	strmap_free(&s.types);
	free(s.type);
	costs_free(&s.costs);
	words_free(&s.columns);
}

static void of_pytorch(void **state)
{
	static const struct str fields[ARGS_COLUMNS] = {
		[ARGS_INPUT_DIMS] = BYTES("[[2,3,4],[3,1],[],[[5,6],[7]],[],[-1]]"),
		[ARGS_INPUT_TYPE] =
			BYTES("[\"float\",\"c10::Half\",\"Scalar\",\"TensorList\",\"TensorList\",\"x\"]"),
		[ARGS_CONCRETE] = BYTES(
			"[\"True\",\"[1, -1]\",\"\",\"[True, False]\",\"3\",\"1e-3\",\"[]\",\"[1, x]\",\"9\"]"),
	};
	static const struct want want[] = {
		{"dim(0,1)", "3"},
		{"dim(0,-1)", "4"},
		{"dim(-6,0)", "2"},
		{"dim(0,3)", "missing"},
		{"dim(0,-4)", "missing"},
		{"dim(6,0)", "missing"},
		{"dim(5,0)", "missing"},
		{"dim(3,0)", "missing"},
		{"dim(0,0.5)", "missing"},
		{"dim(0,1/0)", "missing"},
		{"dims(0)", "<2,3,4>"},
		{"dims(0,1)", "<3,4>"},
		{"dims(0,1,-1)", "<3>"},
		{"dims(0,2,1)", "missing"},
		{"dims(0,0,4)", "missing"},
		{"dims(2)", "<>"},
		{"prod(0)", "24"},
		{"prod(0,0,2)", "6"},
		{"prod(0,3)", "1"},
		{"prod(2)", "1"},
		{"prod(3)", "37"},
		{"prod(4)", "nothing"},
		{"prod(3,0,1)", "missing"},
		{"prod(dims(0) + 1)", "60"},
		{"prod()", "nothing"},
		{"rank(0) + rank(2)", "3"},
		{"rank(3)", "missing"},
		{"size(0) + size(1)", "6"},
		{"size(2)", "nothing"},
		{"size(3)", "nothing"},
		{"size(6)", "missing"},
		{"bytes(0,1,2)", "102"},
		{"bytes(0,3)", "nothing"},
		{"bytes(4)", "nothing"},
		{"bytes(5)", "missing"},
		{"bytes()", "nothing"},
		{"type(1)", "c10::Half"},
		{"type(6)", "missing"},
		{"flag(0)", "true"},
		{"flag(3,1)", "false"},
		{"flag(3,2)", "missing"},
		{"flag(3,-1)", "missing"},
		{"flag(1)", "missing"},
		{"flag(2)", "missing"},
		{"flag(9)", "missing"},
		{"nums(1)", "<1,-1>"},
		{"nums(4) + 1", "4"},
		{"nums(5)", "0.001"},
		{"nums(6)", "<>"},
		{"nums(2)", "missing"},
		{"nums(7)", "missing"},
		{"nums(4,7)", "3"},
		{"nums(99,7)", "7"},
		{"nums(99,7) + dim(9,9)", "missing"},
		{"band(4,6,-1,3)", "18"},
		{"band(4,6,-4,6)", "24"},
		{"band(4,6,2,1)", "0"},
		{"band(1099511627776,1099511627776,0,0)", "1099511627776"},
		{"band(4,6,0.5,1)", "missing"},
		{"out(0,1)", "<2,3,4>"},
		{"out(1,0,2)", "<2,3,4>"},
		{"out(1,dims(0,1))", "<3,4>"},
		{"out(0,dims(0,1,2) + 2)", "missing"},
		{"kept(0,1)", "<2>"},
		{"kept(0,2)", "<>"},
		{"kept(0,6)", "<>"},
		{"kept(0,8)", "missing"},
		{"kept(0,5)", "missing"},
		{"given(0)", "true"},
		{"given(2)", "false"},
		{"given(3)", "true"},
		{"given(99)", "false"},
		{"given(99) || given(0)", "true"},
		{"if(rank(0) == 3, 1, dim(9,9))", "1"},
		{"odim(0,0)", "missing"},
		{"obytes()", "0"},
		{"oprod()", "0"},
		{"format(0)", "missing"},
		/* Vectors. */
		{"dims(0)*2 - 1", "<3,5,7>"},
		{"12/dims(0)", "<6,4,3>"},
		{"-dims(0)", "<-2,-3,-4>"},
		{"floor(dims(0)/2)", "<1,1,2>"},
		{"max(dims(0),3)", "<3,3,4>"},
		{"dims(0) + dims(1)", "nothing"},
		{"dims(0)/0", "nothing"},
		{"dims(0)*type(0)", "nothing"},
		{"dims(0) == dims(0,0,3)", "true"},
		{"dims(0) != dims(1)", "true"},
		{"dims(0) == dims(1)", "false"},
		{"dims(0) < dims(1)", "false"},
		{"dims(0) == 3", "false"},
	};

	(void)state;
	assert_values(fields, want, COUNT(want));
}

static void of_ascend(void **state)
{
	static const struct str fields[ARGS_COLUMNS] = {
		[ARGS_INPUT_SHAPES] = BYTES("\"3,3;4;;\""),
		[ARGS_INPUT_DATA_TYPES] = BYTES("INT4;float;DT_UNDEFINED;DT_UNDEFINED"),
		[ARGS_INPUT_FORMATS] = BYTES("ND;NC1HWC0:1;;ND"),
		[ARGS_OUTPUT_SHAPES] = BYTES("\"6,5;2\""),
		[ARGS_OUTPUT_DATA_TYPES] = BYTES("c10::Half;float"),
	};
	static const struct want want[] = {
		{"bytes(0)", "5"}, /* 4.5 */
		{"bytes()", "21"},
		{"prod()", "15"}, /* each without dimensions is one */
		{"format(1)", "NC1HWC0"},
		{"format(2)", "missing"},
		{"odim(0,-1)", "5"},
		{"odims(0)", "<6,5>"},
		{"oprod(0) + oprod(1,0,1)", "32"},
		{"oprod()", "32"},
		{"orank(1)", "1"},
		{"osize(0)", "2"},
		{"obytes()", "68"},
		{"obytes(1)", "8"},
		{"otype(1)", "float"},
		{"otype(2)", "missing"},
		{"flag(0)", "missing"},
	};

	(void)state;
	assert_values(fields, want, COUNT(want));
}

static void too_large(void **state)
{
	static const struct str fields[ARGS_COLUMNS] = {
		[ARGS_INPUT_DIMS] =
			BYTES("[[10000000000,10000000000,10000000000],[10000000000,10000000000]]"),
		[ARGS_INPUT_TYPE] = BYTES("[\"float\",\"float\"]"),
	};
	static const struct want want[] = {
		{"prod(0)", "too large"},
		{"prod(1)", "100000000000000000000"},
		{"bytes(1)", "400000000000000000000"},
		{"prod(dims(0))", "too large"},
		{"prod()", "too large"},
		{"prod(1)*prod(1)", "too large"},
	};

	(void)state;
	assert_values(fields, want, COUNT(want));
}

/* A tensor of rank 0 has an element; a number and an empty place of Ascend have none. */
static void of_rank_0(void **state)
{
	static const struct str pytorch[ARGS_COLUMNS] = {
		[ARGS_INPUT_DIMS] = BYTES("[[],[],[],[],[],[2]]"),
		[ARGS_INPUT_TYPE] = BYTES("[\"float\",\"Scalar\",\"\",\"INT4\",\"TensorList\",\"float\"]"),
	};
	static const struct str ascend[ARGS_COLUMNS] = {
		[ARGS_INPUT_SHAPES] = BYTES(";2"),
		[ARGS_INPUT_DATA_TYPES] = BYTES("float;float"),
		[ARGS_OUTPUT_SHAPES] = BYTES("()"),
		[ARGS_OUTPUT_DATA_TYPES] = BYTES("float"),
	};
	static const struct want want[] = {
		{"bytes(0)", "4"}, {"bytes(1)", "0"},       {"bytes(2)", "0"},
		{"bytes(3)", "1"}, {"bytes(4)", "nothing"}, {"bytes(0,1,3,5)", "13"},
	};
	static const struct want places[] = {
		{"bytes(0)", "0"}, {"bytes()", "8"}, {"obytes(0)", "0"}, {"size(0)", "4"}};

	(void)state;
	assert_values(pytorch, want, COUNT(want));
	assert_values(ascend, places, COUNT(places));
}

/* Numbers of a grid, from the end, as long as they fit the largest tensor. */
static void grids(void **state)
{
	static const struct {
		const char *values;
		const char *elements;
	} cases[] = {
		{"\"\",\"6\"", "6"},
		{"\"\",\"24\"", "24"},
		{"\"\",\"25\"", "missing"},
		{"\"\",\"0\"", "missing"},
		{"\"\",\"-4\"", "missing"},
		{"\"\",\"\"", "missing"},
		{"\"\",\"1.5\"", "missing"},
		{"\"\",\"x\"", "missing"},
		{"\"\"", "missing"},
		{"\"\",\"nan\"", "missing"},
		{"\"\",\"inf\"", "missing"},
		{"\"\",\"170141183460469231731\"", "missing"},
		{"\"\",\"99999999999999999999999999999999999999999\"", "missing"},
	};
	static const struct {
		const char *more;
		const char *elements;
	} longer[] = {
		{"\"4\",\"6\"", "24"},       {"\"5\",\"6\"", "6"},       {"\"1\",\"1\"", "1"},
		{"\"x\",\"6\"", "6"},        {"\"6\",\"x\"", "missing"}, {"\"6\",\"0\"", "missing"},
		{"\"6\",\"25\"", "missing"}, {"\"2.0\",\"3e0\"", "6"},
	};
	struct buf text = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(cases) + COUNT(longer); i++) {
		bool two = i >= COUNT(cases);
		const char *values = two ? longer[i - COUNT(cases)].more : cases[i].values;
		const struct want want = {"elements()",
		                          two ? longer[i - COUNT(cases)].elements : cases[i].elements};
		struct str fields[ARGS_COLUMNS] = {
			[ARGS_INPUT_DIMS] = BYTES("[[2,3,4],[],[],[99,99]]"),
			[ARGS_INPUT_TYPE] = BYTES("[\"float\",\"Scalar\",\"Scalar\",\"unknown\"]"),
		};

		text.len = 0;
		buf_format(&text, "[%s%s]", two ? "\"\"," : "", values);
		if (!two)
			fields[ARGS_INPUT_TYPE] = STR("[\"float\",\"Scalar\"]");
		fields[ARGS_CONCRETE] = buf_view(&text);
		assert_values(fields, &want, 1);
	}
	buf_free(&text);
}

static void texts(void **state)
{
	static const struct str fields[ARGS_COLUMNS] = {
		[ARGS_INPUT_DIMS] = BYTES("[[2,3]]"),
		[ARGS_INPUT_TYPE] = BYTES("[\"Scalar\"]"),
		[ARGS_CONCRETE] = BYTES("[\"5\"]"),
	};
	static const struct want want[] = {
		{"elements()", "missing"}, /* no tensor has a size */
		{"number(\"12\")", "12"},
		{"number(5/2)", "2.5"},
		{"number(sub(\"a12b\", \"[^0-9]\", \"\"))", "missing"},
		{"number(sub(\"a12b\", \"^a([0-9]+)b$\", \"\\1\"))", "12"},
		{"number(column(\"a\"))", "0.007"},
		{"number(column(\"b\"))", "missing"},
		{"number(column(\"a\")) + 1", "1.007"},
		{"column(\"a\")", " 7e-3 "},
		{"column(\"c\")", "missing"},
		{"if(1 < 2, 1, number(\"x\"))", "1"},
		{"number(\"\")", "missing"},
		{"number(\"nan\")", "missing"},
		{"number(\"inf\")", "missing"},
		{"number(\"0x10\")", "missing"},
		{"number(\"1 2\")", "missing"},
		{"number(\"1e40\")", "missing"},
		{"number(\"-170141183460469231731687303715.884105727\")",
	     "-170141183460469231731687303715.884105727"},
		{"number(\"170141183460469231731687303715.884105728\")", "missing"},
		{"number(\"170141183460469231731687303715\")*2", "too large"},
		{"number(dims(0))", "missing"},
		{"number(1/0)", "missing"},
		{"cost(\"add\")", "1"},
		{"cost(\"add_mul\")", "5"},
		{"cost(\"add_mul_add\")", "6"},
		{"cost(\"add_add_mul\")", "6"},
		{"cost(\"mul\")", "missing"},
		{"cost(\"\")", "missing"},
		{"cost(column(\"a\"))", "missing"},
		{"cost(5)", "missing"},
		{"cost(dims(0))", "missing"},
		{"cost(\"add\")*170141183460469231731687303715*2", "too large"},
	};

	(void)state;
	assert_values(fields, want, COUNT(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_pytorch), cmocka_unit_test(of_ascend), cmocka_unit_test(of_rank_0),
		cmocka_unit_test(grids),      cmocka_unit_test(texts),     cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
