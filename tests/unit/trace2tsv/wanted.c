/* wanted: the columns of trace2tsv, the members that they show, and the filter. */
#include "../unit.h"

#include "stream/kev.h"
#include "trace2tsv/wanted.h"

static void assert_columns(const struct wanted *wanted, size_t first, const char *names)
{
	struct buf got = {0};

	for (size_t i = first; i < wanted->columns; i++) {
		buf_text(&got, i > first ? "," : "");
		buf_str(&got, wanted->names[i]);
	}
	assert_str(buf_view(&got), str_of(names));
	buf_free(&got);
}

static bool ask(struct wanted *wanted, struct words *asked, bool gpu, const char *args)
{
	words_free(asked);
	words_add(asked, args);
	return wanted_columns(wanted, gpu, asked);
}

static void core_gpu_and_asked_columns(void **state)
{
	struct words asked_wanted = {0};
	struct wanted wanted = {0};
	struct words asked_gpu = {0};
	struct wanted gpu = {0};

	(void)state;
	assert_true(ask(&wanted, &asked_wanted, false, "stream,bytes=size,stream"));
	assert_columns(&wanted, 0, "ts,dur,type,name,cat,ph,pid,tid,source,stream,size");
	assert_int_equal(wanted.asked_from, KEV_CORE);
	assert_int_equal(wanted.asked_to, KEV_CORE + 2);
	assert_int_equal(wanted.from[KEV_TYPE], WANT_TYPE);
	assert_string_equal(wanted_arg(&wanted, KEV_CORE + 1), "bytes");
	assert_true(ask(&gpu, &asked_gpu, true, "stream,level"));
	assert_columns(&gpu, KEV_CORE,
	               "correlation,External id,stream,Python id,Python parent id,level");
	assert_int_equal(gpu.from[KEV_CORE], WANT_CORRELATION);
	assert_int_equal(gpu.from[gpu.columns - 1], WANT_LEVEL);
	assert_string_equal(wanted_core_arg(WANT_LEVEL), "level");
	wanted_free(&wanted);
	words_free(&asked_wanted);
	wanted_free(&gpu);
	words_free(&asked_gpu);
}

static void columns_that_cannot_be(void **state)
{
	static const struct {
		const char *args;
		const char *error;
	} bad[] = {
		{"=x", "-a: '=x' is not ARG or ARG=COL"},
		{"x=", "-a: 'x=' is not ARG or ARG=COL"},
		{"a=dur", "-a: column 'dur' exists already; choose another name with ARG=COL"},
		{"a,b=a", "-a: column 'a' exists already; choose another name with ARG=COL"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct words asked_wanted = {0};
		struct wanted wanted = {0};

		assert_case(bad[i].args, !ask(&wanted, &asked_wanted, false, bad[i].args));
		assert_str(buf_view(&wanted.error), str_of(bad[i].error));
		wanted_free(&wanted);
		words_free(&asked_wanted);
	}
}

static void columns_of_the_file(void **state)
{
	struct words asked_wanted = {0};
	struct wanted wanted = {.rank_column = true, .file_column = true};
	struct words asked_taken = {0};
	struct wanted taken = {.file_column = true};

	(void)state;
	assert_true(ask(&wanted, &asked_wanted, false, ""));
	assert_true(wanted_file_columns(&wanted));
	assert_int_equal(wanted.columns, KEV_CORE);
	assert_text(wanted.names[KEV_CORE], "rank");
	assert_text(wanted.names[KEV_CORE + 1], "file");
	assert_true(ask(&taken, &asked_taken, false, "file"));
	assert_false(wanted_file_columns(&taken));
	wanted_free(&wanted);
	words_free(&asked_wanted);
	wanted_free(&taken);
	words_free(&asked_taken);
}

/* A member with the name of a column is args.NAME; one that has a column gets no other. */
static void members_of_args(void **state)
{
	struct words asked_wanted = {0};
	struct wanted wanted = {.rank_column = true};

	(void)state;
	assert_true(ask(&wanted, &asked_wanted, false, "bytes=size"));
	wanted_add_member(&wanted, STR("bytes"));
	wanted_add_member(&wanted, STR("source"));
	wanted_add_member(&wanted, STR("size"));
	wanted_add_member(&wanted, STR("rank"));
	wanted_add_member(&wanted, STR("file"));
	assert_columns(&wanted, KEV_CORE, "size,args.size,args.rank,file");
	wanted_free(&wanted);
	words_free(&asked_wanted);
}

static void the_filter(void **state)
{
	struct wanted wanted = {.phases = STR("X")};
	struct wanted process = {.phases = STR("iX"), .by_process = true, .join_ends = true};
	struct words cats = {0};
	struct opts opts = {.strict = true};

	(void)state;
	wanted_filter(&wanted);
	assert_str(wanted.filter.phases, STR("XBEbe"));
	assert_str(wanted.filter.always, STR("M"));
	assert_int_equal(wanted.filter.ph, WANT_PH);
	assert_true(wanted_phase(&wanted, STR("X"), STR("")));
	assert_false(wanted_phase(&wanted, STR("B"), STR("")));
	assert_false(wanted_phase(&wanted, STR(""), STR("")));
	assert_false(wanted_phase(&wanted, STR("XX"), STR("")));
	words_add(&cats, "kernel");
	category_ask(&process.categories, &cats, NULL);
	wanted_filter(&process);
	assert_str(process.filter.always, STR("MXBEbe"));
	assert_int_equal(process.filter.categories_count, 0);
	assert_false(wanted_phase(&wanted, STR("s"), STR("async_npu")));
	wanted.flows = true;
	assert_true(wanted_phase(&wanted, STR("s"), STR("async_npu")));
	assert_false(wanted_phase(&wanted, STR("s"), STR("ac2g")));
	assert_false(wanted_phase(&wanted, STR("f"), STR("async_npu")));
	wanted_json(&process, (const char *[]){"m"}, 1, &opts);
	assert_ptr_equal(process.json.filter, &process.filter);
	assert_string_equal(process.json.fields[WANT_SCOPE], "scope");
	assert_true(process.json.strict && !process.json.all);
	wanted_free(&wanted);
	wanted_free(&process);
	category_set_free(&process.categories);
	words_free(&cats);
}

static void memory(void **state)
{
	static const struct words none;
	struct wanted wanted = {.phases = STR("X"), .memory = true};
	struct words cats = {0};

	(void)state;
	words_add(&cats, "kernel");
	category_ask(&wanted.categories, &cats, NULL);
	assert_true(wanted_columns(&wanted, false, &none));
	wanted_add_memory(&wanted);
	assert_int_equal(wanted.columns, KEV_CORE + 7);
	assert_str(wanted.names[KEV_CORE], STR("Bytes"));
	assert_str(wanted.names[KEV_CORE + 6], STR("Ev Idx"));
	wanted_filter(&wanted);
	assert_int_equal(wanted.filter.categories_count, 0);
	assert_true(str_has_byte(wanted.filter.phases, 'i'));
	assert_true(wanted_is_memory(&wanted, STR("[memory]")));
	assert_false(wanted_is_memory(&wanted, STR("[memory] ")));
	wanted.memory = false;
	assert_false(wanted_is_memory(&wanted, STR("[memory]")));
	wanted_free(&wanted);
	category_set_free(&wanted.categories);
	words_free(&cats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(core_gpu_and_asked_columns),
		cmocka_unit_test(columns_that_cannot_be),
		cmocka_unit_test(columns_of_the_file),
		cmocka_unit_test(members_of_args),
		cmocka_unit_test(the_filter),
		cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests_name("wanted", tests, NULL, NULL);
}
