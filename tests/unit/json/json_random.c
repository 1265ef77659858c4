/* json: random traces, which all ways read the same, and what a filter drops of them. */
#include "readings.h"

#include "json/quote.h"

/* --- random traces ------------------------------------------------------- */

/* A JSON value of some depth; what is no JSON, here and there, where lax. */
static void random_value(uint64_t *seed, struct buf *out, int depth, bool lax)
{
	static const char *const plain[] = {"1",
	                                    "-2.50",
	                                    "0",
	                                    "3e5",
	                                    "true",
	                                    "null",
	                                    "\"\"",
	                                    "\"a\"",
	                                    "\"\\n\\\"\"",
	                                    "\"{]\"",
	                                    "\"\\u00e9\\ud83d\\ude00\"",
	                                    "\"\xc3\xa9\"",
	                                    "false"};
	static const char *const odd[] = {"NaN",        "01",  "\"\\q\"",     "\"\t\"", "\"\xff\"",
	                                  "0x1f",       "1:2", "\"\\ud800\"", "",       "1 2",
	                                  "\"a\"\"b\"", "{]",  "[1,]",        "{\"a\"}"};
	size_t kind = unit_below(seed, depth > 0 ? 4 : 2);

	if (lax && unit_below(seed, 12) == 0) {
		buf_text(out, odd[unit_below(seed, COUNT(odd))]);
		return;
	}
	if (kind < 2) {
		buf_text(out, plain[unit_below(seed, COUNT(plain))]);
		return;
	}
	buf_char(out, kind == 2 ? '[' : '{');
	for (size_t i = unit_below(seed, 4); i > 0; i--) {
		if (kind == 3)
			buf_text(out, unit_below(seed, 2) ? "\"k\":" : "\"x\" : ");
		random_value(seed, out, depth - 1, lax);
		buf_text(out, i > 1 ? ", " : "");
	}
	buf_char(out, kind == 2 ? ']' : '}');
}

static void random_trace(uint64_t *seed, struct buf *out, bool lax)
{
	static const char *const keys[] = {"name", "ts",  "id",  "args", "x",         "ph",
	                                   "cat",  "nam", "tss", "args", "n\\u0061me"};
	size_t events = unit_below(seed, 12);

	buf_text(out, unit_below(seed, 2) ? "[" : "{\"note\":\"\\t\",\"traceEvents\":[");
	for (size_t i = 0; i < events; i++) {
		buf_text(out, i ? lax && unit_below(seed, 15) == 0 ? "" : ",\n" : " ");
		buf_text(out, "{");
		for (size_t j = unit_below(seed, 6); j > 0; j--) {
			buf_format(out, "\"%s\":", keys[unit_below(seed, COUNT(keys))]);
			random_value(seed, out, 3, lax);
			buf_text(out, j > 1 ? "," : lax && unit_below(seed, 10) == 0 ? ",," : "");
		}
		buf_text(out, "}");
	}
	buf_text(out, out->data[0] == '[' ? "]" : "]}");
}

/* Puts a member of no meaning at the head of each event: its NUL leaves it to be walked. */
static void walk_all(struct str text, struct buf *out)
{
	static const struct json_options none = {.max_field = MAX_FIELD};
	struct json_reader r;
	enum json_item item;
	size_t at = 0;

	unit_feed(text);
	assert_true(json_open(&r, "-", &none));
	while ((item = json_next(&r)) > JSON_END) {
		if (item != JSON_MEMBER && r.event && r.offset >= at && text.s[r.offset] == '{') {
			buf_bytes(out, text.s + at, r.offset + 1 - at);
			buf_str(out, STR("\"\0\":0,"));
			at = r.offset + 1;
		}
	}
	buf_bytes(out, text.s + at, text.n - at);
	json_close(&r);
}

/* Without the offsets, which a changed text changes: behind "@" and "byte ". */
static void forget_places(struct buf *reading)
{
	size_t to = 0;
	bool in_value = false;

	for (size_t i = 0; i < reading->len; i++) {
		char c = reading->data[i];
		bool digit = c >= '0' && c <= '9';

		in_value = in_value ? c != '>' : c == '<';
		if (!in_value && digit && to &&
		    (reading->data[to - 1] == '@' ||
		     str_ends((struct str){reading->data, to}, STR("byte "))))
			continue;
		reading->data[to++] = c;
	}
	reading->len = to;
}

static void all_ways_read_the_same(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 500; round++) {
		bool lax = round % 3 == 0;
		struct json_options strict = strictly();
		struct buf text = {0};
		struct buf walked = {0};
		struct buf want = {0};
		struct buf got = {0};

		random_trace(&seed, &text, lax);
		go(BY_FIELDS);
		unit_feed(buf_view(&text));
		show_all(&lenient, &want);
		if (!lax)
			assert_true(str_ends(buf_view(&want), STR(" end")));
		for (enum way way = 0; way < WAYS; way++) {
			go(way);
			got.len = 0;
			unit_feed_in_steps(buf_view(&text), 1 + unit_below(&seed, 150));
			show_all(&lenient, &got);
			if (!str_equal(buf_view(&got), buf_view(&want)))
				unit_show("text", buf_view(&text));
			assert_str(buf_view(&got), buf_view(&want));
		}
		go(BY_FIELDS);
		/* What --strict lets pass is no other without it. */
		got.len = 0;
		unit_feed(buf_view(&text));
		show_all(&strict, &got);
		if (str_ends(buf_view(&got), STR(" end")) && !str_has(buf_view(&got), STR("damaged")))
			assert_str(buf_view(&got), buf_view(&want));
		else
			assert_true(lax);
		walk_all(buf_view(&text), &walked);
		got.len = 0;
		unit_feed(buf_view(&walked));
		show_all(&lenient, &got);
		forget_places(&got);
		forget_places(&want);
		if (!str_equal(buf_view(&got), buf_view(&want)))
			unit_show("text", buf_view(&text));
		assert_str(buf_view(&got), buf_view(&want));
		buf_free(&text);
		buf_free(&walked);
		buf_free(&want);
		buf_free(&got);
	}
	go(BY_FIELDS);
}

/* --- the filter ---------------------------------------------------------- */

static const char *const filter_fields[] = {"ph", "cat", "name"};

/* Events of the text by number: the first letter of ph and cat, and whether they are given. */
static void show_filtered(struct str text, const struct json_filter *filter, bool all,
                          struct buf *out)
{
	struct json_options options = {.fields = filter_fields,
	                               .fields_count = COUNT(filter_fields),
	                               .object = "args",
	                               .inner = inner,
	                               .inner_count = COUNT(inner),
	                               .filter = filter,
	                               .all = all,
	                               .max_field = MAX_FIELD};

	unit_feed(text);
	show_all(&options, out);
}

static void what_the_filter_drops(void **state)
{
	static const struct str categories[] = {BYTES("kernel"), BYTES("gpu_memcpy")};
	static const struct json_filter filter = {.ph = 0,
	                                          .cat = 1,
	                                          .phases = BYTES("XB"),
	                                          .always = BYTES("M"),
	                                          .categories = categories,
	                                          .categories_count = COUNT(categories)};
	static const struct {
		const char *event;
		bool wanted;
	} cases[] = {
		{"{\"ph\":\"X\",\"cat\":\"kernel\"}", true},
		{"{\"ph\":\"B\",\"cat\":\"gpu_memcpy\"}", true},
		{"{\"ph\":\"i\",\"cat\":\"kernel\"}", false},
		{"{\"ph\":\"X\",\"cat\":\"cpu_op\"}", false},
		{"{\"ph\":\"X\"}", false},
		{"{\"ph\":\"M\",\"cat\":\"cpu_op\"}", true},
		{"{\"ph\":\"M\"}", true},
		{"{\"cat\":\"kernel\"}", true}, /* no ph: the caller counts it */
		{"{\"cat\":\"kernel\",\"ph\":\"X\",\"name\":\"kernel\"}", true},
		{"{\"ph\":\"i\",\"cat\":\"cpu_op\",\"ph\":\"X\",\"cat\":\"kernel\"}",
	     true}, /* the last counts */
		{"{\"ph\":\"X\",\"cat\":\"kernel\",\"cat\":\"cpu_op\"}", false},
		{"{\"ph\":\"X\",\"cat\":\"\\u006bernel\"}", true},
		{"{\"ph\":\"\\u0058\",\"c\\u0061t\":\"kernel\"}", true},
		{"{\"ph\":\"i\",\"cat\":\"cpu_op\",\"c\\u0061t\":\"kernel\",\"\\u0070h\":\"X\"}", true},
		{"{\"args\":{\"cat\":\"kernel\",\"ph\":\"X\"}}", false},
		{"{\"x\":\"kernel\",\"ph\":\"X\",\"cat\":\"k\"}", false},
		{"{\"ph\":\"X\",\"cat\":7,\"name\":\"kernel\"}", false},
		{"{}", false},
	};

	(void)state;
	for (enum way way = 0; way < WAYS; way++) {
		go(way);
		for (size_t i = 0; i < COUNT(cases); i++) {
			struct buf text = {0};
			struct buf got = {0};

			buf_format(&text, "[{\"ph\":\"X\",\"cat\":\"kernel\"},%s,{\"ph\":\"M\"}]",
			           cases[i].event);
			show_filtered(buf_view(&text), &filter, false, &got);
			assert_true(str_starts(buf_view(&got), STR(" 1@1 ")));
			assert_true(str_has(buf_view(&got), STR("; 3@")));
			assert_true(str_ends(buf_view(&got), STR(" ph:s<M>; end")));
			if (cases[i].wanted)
				assert_case(cases[i].event, str_has(buf_view(&got), STR("; 2@")));
			got.len = 0;
			show_filtered(buf_view(&text), &filter, true, &got);
			assert_case(cases[i].event, str_has(buf_view(&got), STR("; 2@")));
			buf_free(&text);
			buf_free(&got);
		}
	}
	go(BY_FIELDS);
}

/* It does drop: the plain event of another category, not a single one of which is given. */
static void the_filter_does_drop(void **state)
{
	static const struct str categories[] = {BYTES("kernel")};
	static const struct json_filter filter = {
		.ph = 0, .cat = 1, .phases = BYTES("X"), .categories = categories, .categories_count = 1};
	struct buf got = {0};

	(void)state;
	show_filtered(STR("[{\"ph\":\"X\",\"cat\":\"cpu_op\"},{\"ph\":\"i\",\"cat\":\"kernel\"},"
	                  "{\"ph\":\"X\",\"cat\":\"kernels\"},{\"ph\":\"X\",\"cat\":\"kernel\"}]"),
	              &filter, false, &got);
	assert_buf(&got, " 4@80 ph:s<X> cat:s<kernel>; end");
	buf_free(&got);
}

/*
 * Against a reading without it: what the filter lets pass is as it was, and no event is
 * dropped that the options want.
 */
static void the_filter_drops_nothing_that_is_wanted(void **state)
{
	static const struct str categories[] = {BYTES("kernel"), BYTES("gpu_memcpy"), BYTES("")};
	static const char *const cats[] = {"kernel",       "gpu_memcpy", "",  "cpu_op",
	                                   "kern\\u0065l", "k",          "Mx"};
	static const char *const phs[] = {"X", "B", "M", "i", "", "XX", "\\u0058"};
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct json_filter filter = {.ph = 0,
		                             .cat = 1,
		                             .phases = round % 2 ? STR("X") : STR("XB"),
		                             .always = round % 3 ? STR("M") : STR(""),
		                             .categories = categories,
		                             .categories_count = (size_t)round % 4};
		struct buf text = {0};
		struct buf all = {0};
		struct buf some = {0};
		const char *rest;

		buf_char(&text, '[');
		for (size_t i = unit_below(&seed, 9); i > 0; i--) {
			buf_text(&text, "{");
			for (size_t j = unit_below(&seed, 5); j > 0; j--) {
				switch (unit_below(&seed, 4)) {
				case 0:
					buf_format(&text, "\"ph\":\"%s\"", phs[unit_below(&seed, COUNT(phs))]);
					break;
				case 1:
					buf_format(&text, "\"cat\":\"%s\"", cats[unit_below(&seed, COUNT(cats))]);
					break;
				default:
					buf_text(&text, unit_below(&seed, 2) ? "\"name\":" : "\"args\":");
					random_value(&seed, &text, 2, false);
				}
				buf_text(&text, j > 1 ? "," : "");
			}
			buf_text(&text, i > 1 ? "},\n" : "}");
		}
		buf_char(&text, ']');
		show_filtered(buf_view(&text), NULL, false, &all);
		show_filtered(buf_view(&text), &filter, false, &some);
		buf_char(&all, '\0');
		buf_char(&some, '\0');
		assert_true(str_has(buf_view(&all), STR(" end")) && str_has(buf_view(&some), STR(" end")));
		/* Event by event: " N@…;" up to the next. None of the values here has a ';'. */
		rest = some.data;
		for (char *event = all.data;
		     strcmp(event, " end") != 0 && !str_starts(str_of(event), STR(" end replaced"));) {
			size_t n = strcspn(event, ";") + 1;
			const char *ph = strstr(event, " ph:s<");
			const char *cat = strstr(event, " cat:s<");
			char letter = ph && ph < event + n && ph[7] == '>' ? ph[6] : 0;
			bool wanted = filter.categories_count == 0;

			if (!cat || cat > event + n)
				cat = " cat:s<>";
			for (size_t i = 0; i < filter.categories_count && !wanted; i++)
				wanted = strcspn(cat + 7, ">") == categories[i].n &&
				         memcmp(cat + 7, categories[i].s, categories[i].n) == 0;
			if (letter)
				wanted = (wanted && memchr(filter.phases.s, letter, filter.phases.n)) ||
				         memchr(filter.always.s, letter, filter.always.n);
			if (strncmp(rest, event, n) == 0)
				rest += n;
			else
				assert_false(wanted);
			event += n;
		}
		assert_true(str_starts(str_of(rest), STR(" end"))); /* nothing follows */
		buf_free(&text);
		buf_free(&all);
		buf_free(&some);
	}
}

/* --- strings --------------------------------------------------------------- */

/* Any UTF-8, quoted and read as a value, is itself. */
static void quoted_and_read_is_the_same(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct buf text = {0};
		struct buf trace = {0};
		struct json_reader r;

		for (size_t i = unit_below(&seed, 60); i > 0; i--)
			if (round % 2)
				buf_utf8(&text, (unsigned)unit_below(&seed, 0xd800));
			else
				unit_random_bytes(&seed, &text, 1, STR("\\\"u{}]\n\0a"));
		buf_text(&trace, "[{\"name\":");
		json_quote(&trace, buf_view(&text));
		buf_text(&trace, "}]");
		go((enum way)round % WAYS);
		unit_feed_in_steps(buf_view(&trace), (size_t)round % 4 ? 0 : 1 + (size_t)round % 50);
		assert_true(json_open(&r, "-", &lenient));
		assert_int_equal(json_next(&r), JSON_EVENT);
		assert_int_equal(r.value[0].type, JSON_STRING);
		assert_str(r.value[0].text, buf_view(&text));
		assert_int_equal(json_next(&r), JSON_END);
		assert_int_equal(r.replaced, 0);
		json_close(&r);
		buf_free(&text);
		buf_free(&trace);
	}
	go(BY_FIELDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_ways_read_the_same),
		cmocka_unit_test(what_the_filter_drops),
		cmocka_unit_test(the_filter_does_drop),
		cmocka_unit_test(the_filter_drops_nothing_that_is_wanted),
		cmocka_unit_test(quoted_and_read_is_the_same),
	};

	return cmocka_run_group_tests_name("json_random", tests, NULL, NULL);
}
