/* convert: parts of a trace add up to the whole, or say that they cannot. */
#include "../unit.h"

#include "trace2tsv/convert.h"
#include "trace2tsv/wanted.h"

/* A trace to convert. Its rows are kept in memory. */
struct made {
	struct opts opts;
	struct wanted wanted;
	struct words categories;
	struct convert whole;
	struct convert part;
	struct buf copy; /* the text of the part, with room behind it */
	struct str text;
	size_t at; /* what feed has given */
};

static ssize_t feed(void *from, char *out, size_t n)
{
	struct made *made = from;
	size_t left = made->text.n - made->at;

	n = n < left ? n : left;
	memcpy(out, made->text.s + made->at, n);
	made->at += n;
	return (ssize_t)n;
}

static void make(struct made *made, const char *text, bool gpu, bool strict)
{
	struct words none = {0};

	*made = (struct made){.opts = {.verbose = true, .strict = strict},
	                      .wanted = {.phases = STR("X"), .json = {.max_field = 1 << 20}},
	                      .text = str_of(text)};
	assert_true(
		category_ask(&made->wanted.categories, &made->categories, gpu ? category_gpu : NULL));
	assert_true(wanted_columns(&made->wanted, gpu, &none));
	wanted_filter(&made->wanted);
	wanted_json(&made->wanted, NULL, 0, &made->opts);
	made->whole = (struct convert){.opts = &made->opts,
	                               .wanted = &made->wanted,
	                               .all_phases = true,
	                               .out = {.opts = &made->opts, .begun = true, .out.fd = -1}};
	convert_open(&made->whole);
	unit_feed(made->text);
	assert_true(json_open(&made->whole.json, "-", &made->wanted.json));
	convert_begin_file(&made->whole, "file");
}

static void unmake(struct made *made)
{
	json_close(&made->whole.json);
	convert_end_file(&made->whole);
	eventrow_free(&made->whole.row);
	buf_free(&made->whole.out.out.buf);
	category_set_free(&made->wanted.categories);
	wanted_free(&made->wanted);
	words_free(&made->categories);
	buf_free(&made->copy);
}

/* Converts n bytes of the trace from the whole's place on as a part. */
static void convert_next(struct made *made, size_t n, size_t rows_max)
{
	size_t offset = json_place(&made->whole.json).offset;

	if (offset + n > made->text.n)
		n = made->text.n - offset;
	made->copy.len = 0;
	buf_str(&made->copy, (struct str){made->text.s + offset, n});
	buf_reserve(&made->copy, SCAN_BLOCK);
	convert_part_open(&made->part, &made->whole, rows_max);
	convert_part(&made->part, made->copy.data, n, offset);
}

/* Lets the whole's reader go on at its place. */
static void go_on(struct made *made)
{
	struct json_reader *json = &made->whole.json;
	struct json_place place = {.offset = json_place(json).offset, .comma = json_place(json).comma};

	json->text.read = feed;
	json->text.from = made;
	made->at = place.offset;
	json_skip(json, &place);
	json->pause = UINT64_MAX;
}

/* Reads up to the first event at `pause` or after it, then to the end. */
static void read_to(struct made *made, uint64_t pause)
{
	enum json_item item;

	made->whole.json.pause = pause;
	while ((item = json_next(&made->whole.json)) > JSON_END && item != JSON_PAUSE)
		if (item == JSON_EVENT)
			convert_event(&made->whole);
	assert_int_equal(item, pause == UINT64_MAX ? JSON_END : JSON_PAUSE);
}

/* Makes a trace, and converts n bytes of its events as a part. */
static void make_part(struct made *made, const char *text, size_t n, size_t rows_max)
{
	make(made, text, false, false);
	read_to(made, 2);
	go_on(made);
	convert_next(made, n, rows_max);
}

static void unmake_part(struct made *made)
{
	convert_part_free(&made->part);
	unmake(made);
}

/* An event in each line; the third has a long name. */
static const char three[] =
	"[{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"kernel\",\"ts\":1.5,\"dur\":2,\"pid\":1,\"tid\":1},\n"
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\"}},\n"
	"{\"ph\":\"X\",\"name\":\"bbbbbbbbbbbbbbbbbbbbbbbb\",\"cat\":\"kernel\",\"ts\":3,\"dur\":4.25}"
	"\n"
	",{\"ph\":\"i\",\"name\":\"c\",\"ts\":\"x\"} ,\n"
	"{\"ph\":\"X\",\"name\":\"d\",\"ts\":\"x\",\"dur\":1}]";

/* A part of each length, after which the reader of the trace goes on: all is as without parts. */
static void parts_add_up(void **state)
{
	struct made want;
	struct made made;

	(void)state;
	make(&want, three, false, false);
	read_to(&want, UINT64_MAX);
	assert_int_equal(want.whole.outcome.rows, 3);
	for (size_t n = 1; n <= sizeof three; n++) {
		make_part(&made, three, n, 1 << 20);
		assert_true(convert_add(&made.whole, &made.part));
		made.at = json_place(&made.whole.json).offset;
		read_to(&made, UINT64_MAX);
		assert_str(buf_view(&made.whole.out.out.buf), buf_view(&want.whole.out.out.buf));
		assert_int_equal(made.whole.json.event, want.whole.json.event);
		assert_int_equal(made.whole.outcome.rows, want.whole.outcome.rows);
		assert_int_equal(made.whole.row.bad_ts, want.whole.row.bad_ts);
		assert_int_equal(made.whole.balance.in.rows, want.whole.balance.in.rows);
		assert_int_equal(made.whole.balance.dropped[CONVERT_PHASE].rows,
		                 want.whole.balance.dropped[CONVERT_PHASE].rows);
		assert_int_equal(dec_compare(made.whole.balance.in.time, want.whole.balance.in.time), 0);
		unmake_part(&made);
	}
	unmake(&want);
}

/* A part ends with the row that reaches the bound, between two events. */
static void parts_end_where_rows_are_many(void **state)
{
	struct made made;

	(void)state;
	for (size_t rows_max = 1; rows_max <= 200; rows_max++) {
		const struct json_place *place = &made.part.place;
		struct str rows;
		size_t last;

		make_part(&made, three, sizeof three, rows_max);
		rows = buf_view(&made.part.out.out.buf);
		assert_true(rows.n > 1);
		for (last = rows.n - 1; last > 0 && rows.s[last - 1] != '\n';)
			last--;
		assert_true(last < rows_max);
		assert_true(rows.n >= rows_max || place->offset == made.text.n - 1);
		assert_true(made.text.s[place->offset - 1] == '}' || made.text.s[place->offset] == '{');
		unmake_part(&made);
	}
}

/* The second event of each trace depends on events before it. */
static void parts_that_cannot_be_added(void **state)
{
	static const struct {
		const char *label;
		const char *event;
		bool gpu;
		bool strict;
	} cases[] = {
		{"Ascend", "{\"ph\":\"X\",\"name\":\"k\",\"args\":{\"Task Type\":\"AI_CORE\"}}", true,
	     false},
		{"a unit", "{\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":\"core_trace\"}}",
	     false, false},
		{"--strict", "{\"ph\":\"X\",\"name\":\"k\",\"ts\":\"x\"}", false, true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf text = {0};
		struct made made;
		size_t length;

		buf_format(&text, "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1},%s]", cases[i].event);
		buf_char(&text, '\0');
		make(&made, text.data, cases[i].gpu, cases[i].strict);
		read_to(&made, 2);
		go_on(&made);
		length = made.whole.out.out.buf.len;
		convert_next(&made, made.text.n, 1 << 20);
		assert_case(cases[i].label, !convert_add(&made.whole, &made.part));
		assert_case(cases[i].label, made.whole.out.out.buf.len == length);
		assert_case(cases[i].label, json_place(&made.whole.json).events == 1);
		unmake_part(&made);
		buf_free(&text);
	}
}

/* The name of a core sets the unit, unless it was given. */
static void a_known_unit_stays(void **state)
{
	struct made made;

	(void)state;
	make(&made,
	     "[{\"ph\":\"X\",\"ts\":1},{\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":"
	     "\"core_trace\"}}]",
	     false, false);
	convert_set_unit(&made.whole, CONVERT_US);
	read_to(&made, 2);
	go_on(&made);
	convert_next(&made, made.text.n, 1 << 20);
	assert_true(convert_add(&made.whole, &made.part));
	assert_int_equal(made.whole.unit, CONVERT_US);
	unmake_part(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(parts_end_where_rows_are_many),
		cmocka_unit_test(parts_that_cannot_be_added),
		cmocka_unit_test(a_known_unit_stays),
	};

	return cmocka_run_group_tests_name("convert", tests, NULL, NULL);
}
