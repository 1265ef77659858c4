/* eventrow: from the values of an event to the texts of its columns. */
#include "../unit.h"

#include "stream/kev.h"
#include "trace2tsv/eventrow.h"

#define STRING(literal)                           \
	(struct json_value)                           \
	{                                             \
		.type = JSON_STRING, .text = STR(literal) \
	}
#define VALUE(kind, literal)                 \
	(struct json_value)                      \
	{                                        \
		.type = (kind), .text = STR(literal) \
	}

struct made {
	struct wanted wanted;
	struct eventrow row;
	struct words categories;
};

static void make(struct made *made, const char *categories, bool gpu)
{
	struct words none = {0};

	*made = (struct made){.wanted = {.phases = STR("X")}};
	words_add(&made->categories, categories);
	category_ask(&made->wanted.categories, &made->categories, gpu ? category_gpu : NULL);
	assert_true(wanted_columns(&made->wanted, gpu, &none));
	eventrow_open(&made->row, &made->wanted);
	eventrow_begin(&made->row);
}

static void unmake(struct made *made)
{
	eventrow_free(&made->row);
	category_set_free(&made->wanted.categories);
	wanted_free(&made->wanted);
	words_free(&made->categories);
}

static void texts_of_columns(void **state)
{
	struct json_value value[WANT_GPU] = {
		[WANT_TS] = VALUE(JSON_NUMBER, "1.5e1"),           [WANT_DUR] = STRING("soon"),
		[WANT_NAME] = VALUE(JSON_NESTED, "{ \"a\" : 1 }"), [WANT_CAT] = VALUE(JSON_NULL, "null"),
		[WANT_PID] = VALUE(JSON_LITERAL, "true"),
	};
	struct made made;

	(void)state;
	make(&made, "", false);
	eventrow_fill(&made.row, value, false);
	assert_text(made.row.text[KEV_TS], "15");
	assert_text(made.row.text[KEV_DUR], "");
	assert_text(made.row.text[KEV_NAME], "{\"a\":1}");
	assert_text(made.row.text[KEV_CAT], "");
	assert_text(made.row.text[KEV_PID], "true");
	assert_true(made.row.seen[KEV_CAT]);
	assert_false(made.row.seen[KEV_TID]);
	assert_int_equal(made.row.bad_ts, 0);
	assert_int_equal(made.row.bad_dur, 1);
	eventrow_fill(&made.row, value, true);
	assert_text(made.row.text[KEV_TS], "0");
	eventrow_begin(&made.row);
	assert_false(made.row.seen[KEV_CAT]);
	assert_int_equal(made.row.bad_dur, 0);
	unmake(&made);
}

static void categories_asked(void **state)
{
	struct json_value older[WANT_GPU] = {[WANT_CAT] = STRING("Kernel")};
	struct json_value other[WANT_GPU] = {[WANT_CAT] = STRING("x")};
	struct json_value number[WANT_GPU] = {[WANT_CAT] = VALUE(JSON_NUMBER, "1")};
	struct made made;

	(void)state;
	make(&made, "kernel", false);
	assert_true(eventrow_asked(&made.row, older));
	assert_text(older[WANT_CAT].text, "kernel");
	assert_false(eventrow_asked(&made.row, other));
	assert_false(eventrow_asked(&made.row, number));
	unmake(&made);
}

/* A row without a category that -g takes for a kernel has the ids and the type of one. */
static void a_kernel_of_ascend(void **state)
{
	struct json_value value[WANT_GPU] = {
		[WANT_NAME] = STRING("MatMul_7"),
		[WANT_TASK_TYPE] = STRING("AI_CORE"),
		[WANT_CONNECTION] = VALUE(JSON_NUMBER, "42"),
	};
	struct made made;

	(void)state;
	make(&made, "", true);
	assert_true(eventrow_asked(&made.row, value));
	assert_text(value[WANT_CAT].text, "kernel");
	assert_text(value[WANT_CORRELATION].text, "42");
	assert_int_equal(value[WANT_TYPE].type, JSON_STRING);
	unmake(&made);
}

static void assert_track(struct made *made, const struct json_value *value, char ph,
                         struct str want)
{
	assert_str(eventrow_track(&made->row, value, ph), want);
}

static void tracks(void **state)
{
	struct json_value value[WANT_GPU] = {
		[WANT_PID] = STRING("p"), [WANT_TID] = STRING("t"), [WANT_CAT] = STRING("c"),
		[WANT_ID] = STRING("i"),  [WANT_ID2] = STRING("l"),
	};
	struct made made;

	(void)state;
	make(&made, "", false);
	assert_track(&made, value, 'B', STR("p\0t\0t"));
	assert_track(&made, value, 'e', STR("c\0\0i\0a"));
	value[WANT_ID].type = JSON_NONE;
	assert_track(&made, value, 'b', STR("c\0\0p\0l\0a"));
	unmake(&made);
}

static void joined(void **state)
{
	struct json_value value[WANT_GPU] = {[WANT_TS] = VALUE(JSON_NUMBER, "9")};
	struct made made;

	(void)state;
	make(&made, "", false);
	eventrow_fill(&made.row, value, false);
	assert_false(eventrow_join(&made.row, STR("1.5"), STR("9")));
	assert_text(made.row.text[KEV_TS], "1.5");
	assert_text(made.row.text[KEV_DUR], "7.5");
	assert_text(made.row.text[KEV_PH], "X");
	assert_false(eventrow_join(&made.row, STR(""), STR("9")));
	assert_text(made.row.text[KEV_DUR], "");
	assert_true(eventrow_join(&made.row, STR("0.1"), STR("0.30000000000000004")));
	assert_text(made.row.text[KEV_DUR], "0.2");
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_columns),
		cmocka_unit_test(categories_asked),
		cmocka_unit_test(a_kernel_of_ascend),
		cmocka_unit_test(tracks),
		cmocka_unit_test(joined),
	};

	return cmocka_run_group_tests_name("eventrow", tests, NULL, NULL);
}
