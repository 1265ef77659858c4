/* args: shapes, types and values as PyTorch and Ascend write them. */
#include "../unit.h"

#include "kroof/args.h"

/* "2,3 - [4 5,6] ?": the tensors of a side. */
static void show(const struct args *args, const struct args_side *side, struct buf *out)
{
	out->len = 0;
	for (size_t i = 0; i < side->count; i++) {
		const struct args_tensor *t = &side->tensor[i];
		size_t end = t->list && t->rank ? args->ends[t->ends + t->rank - 1] : t->first + t->rank;
		size_t list = 0;

		buf_text(out, i ? " " : "");
		if (!t->known) {
			buf_char(out, '?');
			continue;
		}
		buf_text(out, t->list ? "[" : t->rank ? "" : "-");
		for (size_t k = t->first; k < end; k++) {
			bool begins = t->list && list < t->rank && k == args->ends[t->ends + list];

			list += begins;
			buf_format(out, "%s%llu",
			           k == t->first ? ""
			           : begins      ? " "
			                         : ",",
			           (unsigned long long)args->dims[k]);
		}
		buf_text(out, t->list ? "]" : "");
	}
}

static void assert_shapes(enum args_column column, const char *text, const char *formats, bool good,
                          const char *want)
{
	struct str fields[ARGS_COLUMNS] = {0};
	struct args args = {0};
	struct buf got = {0};

	fields[column] = str_of(text);
	fields[ARGS_INPUT_FORMATS] = str_of(formats);
	assert_case(text, args_parse(&args, fields) == good);
	show(&args, &args.in, &got);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	args_free(&args);
}

static void reads_pytorch(void **state)
{
	(void)state;
	assert_shapes(ARGS_INPUT_DIMS, "[[141,512],[512, 512],[],[7]]", "", true,
	              "141,512 512,512 - 7");
	assert_shapes(ARGS_INPUT_DIMS, "[]", "", true, "");
	assert_shapes(ARGS_INPUT_DIMS, "", "", true, "");
	assert_shapes(ARGS_INPUT_DIMS, "[[[2,3],[4]],[]]", "", true, "[2,3 4] -");
	assert_shapes(ARGS_INPUT_DIMS, "[[[2,3],5],[1]]", "", false, "? 1");
	assert_shapes(ARGS_INPUT_DIMS, "[[2,-3],[18446744073709551616],5]", "", false, "? ? ?");
	assert_shapes(ARGS_INPUT_DIMS, "[[2,3]", "", false, "?");
	assert_shapes(ARGS_INPUT_DIMS, "N/A", "", false, "");
}

static void reads_ascend(void **state)
{
	(void)state;
	assert_shapes(ARGS_INPUT_SHAPES, "\"128,4,128;12307,128,128;;\"", "", true,
	              "128,4,128 12307,128,128 - -");
	assert_shapes(ARGS_INPUT_SHAPES, "4096,768;();1", "", true, "4096,768 - 1");
	assert_shapes(ARGS_INPUT_SHAPES, "N/A", "", true, "");
	assert_shapes(ARGS_INPUT_SHAPES, "2,x;3", "", false, "? 3");
	assert_shapes(ARGS_INPUT_SHAPES, "\"1,64,128,16,16;32,1,224,224,8;5\"",
	              "FRACTAL_NZ;NC1HWC0:1;ND", true, "1,2048,1024 32,8,224,224 5");
	assert_shapes(ARGS_INPUT_SHAPES, "64,16;2,3,4", "FRACTAL_NZ;NC1HWC0", true, "64,16 2,3,4");
	assert_shapes(ARGS_INPUT_SHAPES, "9999999999,9999999999,9999999999,1", "FRACTAL_NZ", true, "?");
}

static void reads_types_and_values(void **state)
{
	struct str fields[ARGS_COLUMNS] = {
		[ARGS_INPUT_TYPE] = STR("[\"c10::BFloat16\", \"\", \"a\\\"b,\\\\\", [\"x\"]]"),
		[ARGS_CONCRETE] = STR("[\"\",\"[1, 1]\",\"True\",0.5]"),
		[ARGS_OUTPUT_SHAPES] = STR("8,8"),
		[ARGS_OUTPUT_DATA_TYPES] = STR("FLOAT"),
	};
	struct args args = {0};
	struct str list;
	struct str item;

	(void)state;
	for (int again = 0; again < 2; again++) {
		assert_true(args_parse(&args, fields));
		assert_int_equal(args.in.types_count, 4);
		assert_text(args.in.type[0], "c10::BFloat16");
		assert_text(args.in.type[1], "");
		assert_text(args.in.type[2], "a\"b,\\");
		assert_int_equal(args.values_count, 4);
		assert_text(args.value[1], "[1, 1]");
		assert_text(args.value[3], "0.5");
		assert_int_equal(args.out.count, 1);
		assert_text(args.out.type[0], "FLOAT");
	}
	assert_true(args_is_list(args.value[1], &list));
	assert_true(args_item(&list, &item));
	assert_text(item, "1");
	assert_true(args_item(&list, &item));
	assert_text(item, "1");
	assert_false(args_item(&list, &item));
	assert_false(args_is_list(args.value[2], &list));
	args_free(&args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_pytorch),
		cmocka_unit_test(reads_ascend),
		cmocka_unit_test(reads_types_and_values),
	};

	return cmocka_run_group_tests_name("args", tests, NULL, NULL);
}
