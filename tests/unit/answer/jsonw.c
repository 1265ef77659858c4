/* jsonw: JSON out. */
#include "../unit.h"

#include "answer/jsonw.h"

static void nested_values(void **state)
{
	struct buf out = {0};
	struct jsonw w = {.out = &out};

	(void)state;
	jsonw_object(&w, NULL);
	jsonw_text(&w, "name", STR("a \"b\"\n"));
	jsonw_array(&w, "empty");
	jsonw_end_array(&w);
	jsonw_array(&w, "list");
	jsonw_count(&w, NULL, 3);
	jsonw_raw(&w, NULL, STR("null"));
	jsonw_object(&w, NULL);
	jsonw_end_object(&w);
	jsonw_end_array(&w);
	jsonw_key_array(&w, STR("ke\0y"));
	jsonw_raw(&w, NULL, STR("1.5"));
	jsonw_end_array(&w);
	jsonw_end_object(&w);
	assert_buf(&out, "{\n"
	                 "  \"name\": \"a \\\"b\\\"\\n\",\n"
	                 "  \"empty\": [],\n"
	                 "  \"list\": [\n"
	                 "    3,\n"
	                 "    null,\n"
	                 "    {}\n"
	                 "  ],\n"
	                 "  \"ke\\u0000y\": [\n"
	                 "    1.5\n"
	                 "  ]\n"
	                 "}\n");
	buf_free(&out);
}

static void what_is_not_known_is_null(void **state)
{
	struct buf out = {0};
	struct jsonw w = {.out = &out};

	(void)state;
	jsonw_array(&w, NULL);
	jsonw_figure(&w, NULL, STR("1.5"));
	jsonw_figure(&w, NULL, STR("inf"));
	jsonw_figure(&w, NULL, STR(""));
	jsonw_known(&w, NULL, STR("inf"));
	jsonw_known(&w, NULL, STR(""));
	jsonw_end_array(&w);
	assert_buf(&out, "[\n  1.5,\n  null,\n  null,\n  \"inf\",\n  null\n]\n");
	buf_free(&out);
}

static void compact(void **state)
{
	struct buf out = {0};
	struct jsonw w = {.out = &out, .compact = true};

	(void)state;
	for (int i = 0; i < 2; i++) {
		jsonw_object(&w, NULL);
		jsonw_key_text(&w, STR("ke\0y"), STR("a"));
		jsonw_key_raw(&w, STR("n"), STR("1"));
		jsonw_array(&w, "list");
		jsonw_count(&w, NULL, 3);
		jsonw_end_array(&w);
		jsonw_end_object(&w);
	}
	assert_buf(&out, "{\"ke\\u0000y\":\"a\",\"n\":1,\"list\":[3]}\n"
	                 "{\"ke\\u0000y\":\"a\",\"n\":1,\"list\":[3]}\n");
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_values),
		cmocka_unit_test(what_is_not_known_is_null),
		cmocka_unit_test(compact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
