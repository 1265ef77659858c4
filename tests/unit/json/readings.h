/* readings - what json gives of a trace, as text, in each way to read it. */
#ifndef READINGS_H
#define READINGS_H

#include "../unit.h"

#include "json/json.h"

enum { MAX_FIELD = 16 << 20 };

static const char *const fields[] = {"name", "ts", "id", "External id"};
static const char *const inner[] = {"source", "k"};
static const char *const members[] = {"note", "deviceProperties"};

static const struct json_options lenient = {.fields = fields,
                                            .fields_count = COUNT(fields),
                                            .object = "args",
                                            .inner = inner,
                                            .inner_count = COUNT(inner),
                                            .members = members,
                                            .members_count = COUNT(members),
                                            .max_field = MAX_FIELD};

/* --- a reading as text --------------------------------------------------- */

/*
 * " name:T<text>" with T the type: s string, n number, l literal, 0 null, v nested, o other.
 * A long text is cut: " name:s<aaaa…123456>" says how long it was.
 */
static inline void show_value(struct buf *out, const char *name, struct json_value value)
{
	static const char types[] = {[JSON_STRING] = 's', [JSON_NUMBER] = 'n', [JSON_LITERAL] = 'l',
	                             [JSON_NULL] = '0',   [JSON_NESTED] = 'v', [JSON_OTHER] = 'o'};

	if (value.type == JSON_NONE)
		return;
	buf_format(out, " %s:%c<", name, types[value.type]);
	if (value.text.n > 5000) {
		uint64_t sum = 0;

		for (size_t i = 0; i < value.text.n; i++)
			sum = sum * 31 + (unsigned char)value.text.s[i];
		buf_bytes(out, value.text.s, 10);
		buf_format(out, "...%zu %llx", value.text.n, (unsigned long long)sum);
	} else {
		buf_str(out, value.text);
	}
	buf_char(out, '>');
}

/* "byte 7 (event 1)" of a message: what stands before the colon. */
static inline void show_place(struct buf *out, const char *what, const char *error)
{
	buf_format(out, " %s %.*s", what, (int)strcspn(error, ":"), error);
}

static inline void show_event(struct buf *out, const struct json_reader *r)
{
	const struct json_options *options = r->options;

	buf_format(out, " %llu@%llu", (unsigned long long)r->event, (unsigned long long)r->offset);
	for (size_t i = 0; i < options->fields_count + options->inner_count; i++)
		show_value(out,
		           i < options->fields_count ? options->fields[i]
		                                     : options->inner[i - options->fields_count],
		           r->value[i]);
	buf_char(out, ';');
}

/* All that json_next gives of what is on standard input. */
static inline void show_all(const struct json_options *options, struct buf *out)
{
	struct json_reader r;
	enum json_item item;

	assert_true(json_open(&r, "-", options));
	while ((item = json_next(&r)) > JSON_END) {
		if (item == JSON_EVENT) {
			show_event(out, &r);
		} else if (item == JSON_MEMBER) {
			show_value(out, options->members[r.member], r.value[0]);
			buf_char(out, ';');
		} else {
			assert_int_equal(item, JSON_DAMAGED);
			show_place(out, "damaged", r.text.error);
			buf_char(out, ';');
		}
	}
	if (item == JSON_BROKEN)
		show_place(out, r.fatal ? "error" : "broken", r.text.error);
	else
		buf_text(out, " end");
	if (r.replaced)
		buf_format(out, " replaced %llu", (unsigned long long)r.replaced);
	assert_int_equal(json_next(&r), item);
	json_close(&r);
}

/* The scanner is the one that KEV_SIMD says: tests/all runs these tests with each. */
enum way { BY_FIELDS, EXACTLY, WAYS };

static inline void go(enum way way)
{
	unsetenv("KEV_JSON");
	if (way == EXACTLY)
		setenv("KEV_JSON", "exact", 1);
}

/* All ways give equal events, whatever the pieces that the text comes in. */
static inline void assert_reading(const struct json_options *options, struct str text,
                                  struct str want)
{
	static const size_t steps[] = {0, 1, 2, 3, 7, 16, 64, 65};

	for (enum way way = 0; way < WAYS; way++) {
		go(way);
		for (size_t i = 0; i < COUNT(steps); i++) {
			struct buf got = {0};

			if (i && steps[i] >= text.n)
				continue;
			unit_feed_in_steps(text, steps[i]);
			show_all(options, &got);
			if (!str_equal(buf_view(&got), want))
				unit_show("text  ", text);
			assert_str(buf_view(&got), want);
			buf_free(&got);
		}
	}
	go(BY_FIELDS);
}

/* want: without the space that everything begins with. */
#define assert_json(text, want) assert_reading(&lenient, STR(text), STR(" " want))

static inline struct json_options strictly(void)
{
	struct json_options options = lenient;

	options.strict = true;
	return options;
}

/* --strict changes nothing. */
static inline void assert_both(struct str text, struct str want)
{
	struct json_options strict = strictly();

	assert_reading(&lenient, text, want);
	assert_reading(&strict, text, want);
}

#define assert_json_both(text, want) assert_both(STR(text), STR(" " want))

/* With --strict it is not read to its end; without, as `want` says. */
static inline void assert_lax(struct str text, struct str want)
{
	struct json_options strict = strictly();
	struct buf got = {0};

	assert_reading(&lenient, text, want);
	unit_feed(text);
	show_all(&strict, &got);
	if (!str_has(buf_view(&got), STR(" damaged ")) && !str_has(buf_view(&got), STR(" broken "))) {
		unit_show("text that is not refused", text);
		fail();
	}
	buf_free(&got);
}

#define assert_json_lax(text, want) assert_lax(STR(text), STR(" " want))

#endif
