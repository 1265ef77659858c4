/* bytokens: what of an event is certain by its tokens, values, and that a second object counts. */
#include "../unit.h"

#include "json/bytokens.h"

#include <stdlib.h>

static const char *const fields[] = {"ph", "name"};
static const char *const inner[] = {"a", "b"};

static const struct json_options options = {
	.fields = fields,
	.fields_count = COUNT(fields),
	.object = "args",
	.inner = inner,
	.inner_count = COUNT(inner),
};

enum { VALUES = COUNT(fields) + COUNT(inner) };

/* "TYPE<text>" of each value, or "unsure"; and how many escapes were replaced. */
static void assert_event(const char *text, const char *want)
{
	struct names *outside = names_make(fields, COUNT(fields), 0, "args");
	struct names *inside = names_make(inner, COUNT(inner), COUNT(fields), NULL);
	struct bytokens *way = bytokens_open(&options, outside, inside);
	struct json_value value[VALUES] = {{.type = JSON_OTHER}};
	struct buf padded = {0};
	struct buf got = {0};
	uint64_t replaced = 0;

	buf_text(&padded, text);
	buf_reserve(&padded, 8); /* names_find reads eight bytes */
	if (bytokens_event(way, buf_view(&padded), 8, value, &replaced)) {
		for (size_t i = 0; i < VALUES; i++) {
			buf_format(&got, "%d<", value[i].type);
			if (value[i].type != JSON_NONE)
				buf_str(&got, value[i].text);
			buf_char(&got, '>');
		}
	} else {
		buf_text(&got, "unsure");
	}
	buf_format(&got, " %d", (int)replaced);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	buf_free(&padded);
	bytokens_close(way);
	free(outside);
	free(inside);
}

static void certain(void **state)
{
	(void)state;
	assert_event("{}", "0<>0<>0<>0<> 0");
	assert_event("{ \"name\" : \"x\\ty\" , \"ph\":1.5,\"other\":[{\"ph\":2}]}",
	             "2<1.5>1<x\ty>0<>0<> 0");
	assert_event("{\"args\":{\"b\":null,\"name\":3,\"c\":{\"a\":1}},\"a\":9}",
	             "0<>0<>0<>4<null> 0");
	/* A lone surrogate; the last of two objects, and of two members. */
	assert_event("{\"name\":\"\\ud800\"}", "0<>1<\xef\xbf\xbd>0<>0<> 1");
	assert_event("{\"args\":{\"a\":1},\"ph\":1,\"ph\":2,\"args\":{\"b\":2}}", "2<2>0<>0<>2<2> 0");
	assert_event("{\"args\":{\"a\":1},\"args\":3}", "0<>0<>0<>0<> 0");
}

static void unsure(void **state)
{
	static const char *const texts[] = {
		"{\"ph\" 1}",
		"{\"ph\":1,}",
		"{\"ph\":1 \"name\":2}",
		"{,\"ph\":1}",
		"{\"ph\"::1}",
		"{\"ph\":1:2}",
		"{ph:1}",
		"{\"ph\"}",
		"{\"p\\u0068\":1}",
		"{\"ph\":a\"b\"}",
		"{\"args\":{\"a\":1,}}",
		"[\"ph\"]",
		"{\"ph\":1} ",
		"{\"name\":\"\\ud800\",,\"ph\":1}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_event(texts[i], "unsure 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(certain),
		cmocka_unit_test(unsure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
