/* plain: events by their fields. They give what the exact way gives. */
#include "../unit.h"

#include "json/json.h"

static const char *const fields[] = {"ph", "cat", "name", "ts", "dur"};
static const char *const inner[] = {"name", "stream",
                                    "a key of forty-three bytes, or somewhat more"};

static const struct json_options all = {.fields = fields,
                                        .fields_count = COUNT(fields),
                                        .object = "args",
                                        .inner = inner,
                                        .inner_count = COUNT(inner),
                                        .max_field = 1 << 20};

static void put_values(struct buf *out, const struct json_reader *r)
{
	for (size_t i = 0; i < COUNT(fields) + COUNT(inner); i++) {
		buf_format(out, "%d<", r->value[i].type);
		if (r->value[i].type != JSON_NONE)
			buf_str(out, r->value[i].text);
		buf_char(out, '>');
	}
	buf_char(out, '\n');
}

/* What passes the filter may still be unwanted: of events that are not, nothing is told. */
static bool any_event(const struct json_reader *r)
{
	(void)r;
	return true;
}

static bool filter_passes(const struct json_reader *r)
{
	const struct json_value *ph = &r->value[0];
	const struct json_value *cat = &r->value[1];

	return (ph->type == JSON_STRING && str_equal(ph->text, STR("M"))) ||
	       (cat->type == JSON_STRING && str_equal(cat->text, STR("kernel")));
}

/* What one way ("": the usual one) gives of a text. */
static struct buf read_by(const char *way, const struct json_options *options, struct str text,
                          bool (*told)(const struct json_reader *))
{
	struct json_reader r;
	struct buf out = {0};
	enum json_item item;

	setenv("KEV_JSON", way, 1);
	unit_feed(text);
	assert_true(json_open(&r, "-", options));
	while ((item = json_next(&r)) > JSON_END) {
		if (item == JSON_EVENT && !told(&r))
			continue;
		buf_format(&out, "%d ", item);
		if (item == JSON_EVENT)
			put_values(&out, &r);
		if (item == JSON_DAMAGED)
			buf_format(&out, "%s\n", r.text.error);
	}
	buf_format(&out, "%d %s\n", item, item == JSON_END ? "" : r.text.error);
	json_close(&r);
	unsetenv("KEV_JSON");
	return out;
}

static void assert_ways_agree(const struct json_options *options, const struct buf *text)
{
	struct buf quick = read_by("", options, buf_view(text), any_event);
	struct buf exact = read_by("exact", options, buf_view(text), any_event);

	assert_str(buf_view(&quick), buf_view(&exact));
	buf_free(&quick);
	buf_free(&exact);
}

#define PICK(state, list) list[unit_below(state, COUNT(list))]

static void put_space(uint64_t *seed, struct buf *out)
{
	static const char *const spaces[] = {"", "", "", " ", "\n", "\r\n\t", "          "};

	buf_text(out, PICK(seed, spaces));
}

static void put_value(uint64_t *seed, struct buf *out, unsigned depth);

/* An object: known keys in any order, unknown ones of every length, some twice. */
static void put_object(uint64_t *seed, struct buf *out, unsigned depth)
{
	static const char *const keys[] = {"ph",
	                                   "cat",
	                                   "name",
	                                   "ts",
	                                   "dur",
	                                   "args",
	                                   "stream",
	                                   "",
	                                   "External id",
	                                   "Python parent id",
	                                   "a key of forty-three bytes, or somewhat more"};
	size_t count = unit_below(seed, 8);

	buf_char(out, '{');
	for (size_t i = 0; i < count; i++) {
		put_space(seed, out);
		if (i)
			buf_char(out, ',');
		put_space(seed, out);
		buf_char(out, '"');
		if (unit_below(seed, 8) == 0)
			unit_random_bytes(seed, out, unit_below(seed, 70), STR("ab"));
		else
			buf_text(out, PICK(seed, keys));
		buf_char(out, '"');
		put_space(seed, out);
		buf_char(out, ':');
		put_space(seed, out);
		put_value(seed, out, depth);
	}
	put_space(seed, out);
	buf_char(out, '}');
}

static void put_value(uint64_t *seed, struct buf *out, unsigned depth)
{
	static const char *const values[] = {
		"0", "-0", "12", "-1.5", "1716543210123456.789", "0.5", "1e3", "-2.5E-3", "true", "null",
		"\"X\"", "\"kernel\"", "\"\"", "\"{[,:]}\"", "[]", "[[\"]\",1],{\"x\":[]}]",
		"1234567890123456789012345678901", "12345678901234567890123456789012",
		"123456789012345678901234567890123", "-123456789012345.12345678901234",
		/* No JSON, or not as most are. */
		"01", "-", ".5", "1.", "1..2", "1.2.3", "-.5", "--1", "1-2", "tru", "NaN", "0x1f", "+1",
		"[}", "{]"};

	if (depth < 3 && unit_below(seed, 3) == 0)
		put_object(seed, out, depth + 1);
	else
		buf_text(out, unit_below(seed, 20) ? values[unit_below(seed, 20)] : PICK(seed, values));
}

static void any_event_is_read_as_by_the_exact_way(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct buf text = {0};

		buf_char(&text, '[');
		for (int i = 0; i < 200; i++) {
			buf_text(&text, i ? "," : "");
			put_object(&seed, &text, 0);
		}
		buf_char(&text, ']');
		assert_ways_agree(&all, &text);
		buf_free(&text);
	}
}

/* What the filter drops, and what is damaged, does not depend on what was read before. */
static void the_filter_drops_the_same(void **state)
{
	static const struct str categories[] = {{"kernel", 6}};
	static const struct json_filter filter = {.ph = 0,
	                                          .cat = 1,
	                                          .phases = {"X", 1},
	                                          .always = {"M", 1},
	                                          .categories = categories,
	                                          .categories_count = COUNT(categories)};
	struct json_options options = all;
	uint64_t seed = 4;

	(void)state;
	options.filter = &filter;
	for (int round = 0; round < 40; round++) {
		struct buf text = {0};
		struct buf quick;
		struct buf exact;

		buf_char(&text, '[');
		for (int i = 0; i < 200; i++) {
			buf_text(&text, i ? "," : "");
			put_object(&seed, &text, 0);
		}
		buf_char(&text, ']');
		quick = read_by("", &options, buf_view(&text), filter_passes);
		exact = read_by("exact", &options, buf_view(&text), filter_passes);
		assert_str(buf_view(&quick), buf_view(&exact));
		buf_free(&quick);
		buf_free(&exact);
		buf_free(&text);
	}
}

/* The last of two categories decides, wherever it stands in the blocks that are searched for it. */
static void a_later_category_counts(void **state)
{
	static const struct str categories[] = {{"kernel", 6}, {"", 0}};
	static const struct json_filter filter = {.ph = 0,
	                                          .cat = 1,
	                                          .phases = {"X", 1},
	                                          .categories = categories,
	                                          .categories_count = COUNT(categories)};
	static const char *const seconds[] = {"\"cat\":\"kernel\"", "\"cat\":\"\"", "\"cat\":null",
	                                      "\"args\":{\"cat\":1},\"cat\" :\"kernel\"",
	                                      "\"c\":\"ca\",\"cat\":\"a,kernel\""};
	struct json_options options = all;
	struct buf text = {0};
	struct buf got;
	size_t events = 0;
	size_t lines = 0;

	(void)state;
	options.filter = &filter;
	buf_char(&text, '[');
	for (size_t i = 0; i < COUNT(seconds); i++) {
		for (int space = 1; space < 140; space++, events++)
			buf_format(&text, "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",%*s%s}", events ? "," : "", space,
			           "", seconds[i]);
	}
	buf_char(&text, ']');
	got = read_by("", &options, buf_view(&text), any_event);
	for (size_t i = 0; i < got.len; i++)
		lines += got.data[i] == '\n';
	assert_int_equal(lines, events + 1);
	buf_free(&got);
	buf_free(&text);
}

/* Categories that share a place in the memory of categories, and words of lists. */
static void each_category_is_judged_by_itself(void **state)
{
	static const struct str categories[] = {{"kernel", 6}, {"memcpy", 6}};
	static const struct json_filter filter = {.ph = 0,
	                                          .cat = 1,
	                                          .phases = {"X", 1},
	                                          .categories = categories,
	                                          .categories_count = COUNT(categories)};
	static const char *const cats[] = {"kernel",
	                                   "cpu_op",
	                                   "memcpy",
	                                   "a kernel of 14",
	                                   "x,kernel",
	                                   "x, kernel",
	                                   "kernel,a",
	                                   "k",
	                                   "kernel of more than thirty-one bytes",
	                                   "kernel,in a list of more than thirty-one bytes",
	                                   ""};
	struct json_options options = all;
	struct buf expected = {0};
	struct buf text = {0};
	struct buf got;

	(void)state;
	options.filter = &filter;
	buf_char(&text, '[');
	for (unsigned i = 0; i < 1000; i++) {
		const char *cat = cats[i * i % 37 % COUNT(cats)];
		bool wanted = strcmp(cat, "memcpy") == 0 || strcmp(cat, "kernel") == 0 ||
		              (strchr(cat, ',') && strstr(cat, "kernel"));

		buf_format(&text, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"k%u\"}", i ? "," : "", cat, i);
		if (wanted)
			buf_format(&expected, "1 1<X>1<%s>1<k%u>0<>0<>0<>0<>0<>\n", cat, i);
	}
	buf_char(&text, ']');
	buf_text(&expected, "0 \n");
	got = read_by("", &options, buf_view(&text), any_event);
	assert_str(buf_view(&got), buf_view(&expected));
	buf_free(&expected);
	buf_free(&got);
	buf_free(&text);
}

/* More keys than are remembered, all in one object and again in the next. */
static void many_keys(void **state)
{
	struct buf text = {0};

	(void)state;
	buf_char(&text, '[');
	for (int event = 0; event < 20; event++) {
		buf_text(&text, event ? ",{\"name\":\"x\"" : "{\"name\":\"x\"");
		for (int i = 0; i < 500; i++)
			buf_format(&text, ",\"key %d\":%d", i * (event % 3 + 1), i);
		buf_format(&text, ",\"ts\":%d,\"args\":{\"name\":%d}}", event, event);
	}
	buf_char(&text, ']');
	assert_ways_agree(&all, &text);
	buf_free(&text);
}

/* One text before a value means one thing in the event, another in its args. */
static void keys_within_args_are_their_own(void **state)
{
	static const char text[] = "[{\"ts\":1,\"name\":\"a\",\"args\":{\"ts\":2,\"name\":\"b\"}},"
							   "{\"args\":{\"ts\":2,\"name\":\"b\"},\"ts\":1,\"name\":\"a\"}]";
	struct buf got = read_by("", &all, STR(text), any_event);

	(void)state;
	assert_buf(&got, "1 0<>0<>1<a>2<1>0<>1<b>0<>0<>\n"
	                 "1 0<>0<>1<a>2<1>0<>1<b>0<>0<>\n"
	                 "0 \n");
	buf_free(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_event_is_read_as_by_the_exact_way),
		cmocka_unit_test(the_filter_drops_the_same),
		cmocka_unit_test(a_later_category_counts),
		cmocka_unit_test(each_category_is_judged_by_itself),
		cmocka_unit_test(many_keys),
		cmocka_unit_test(keys_within_args_are_their_own),
	};

	return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
