/* jsonw: JSON out. */
#include "unit.h"

#include "jsonw.h"

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
	jsonw_key_object(&w, STR("ke\0y"));
	jsonw_raw(&w, "x", STR("1.5"));
	jsonw_end_object(&w);
	jsonw_end_object(&w);
	assert_buf(&out, "{\n"
	                 "  \"name\": \"a \\\"b\\\"\\n\",\n"
	                 "  \"empty\": [],\n"
	                 "  \"list\": [\n"
	                 "    3,\n"
	                 "    null,\n"
	                 "    {}\n"
	                 "  ],\n"
	                 "  \"ke\\u0000y\": {\n"
	                 "    \"x\": 1.5\n"
	                 "  }\n"
	                 "}\n");
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
