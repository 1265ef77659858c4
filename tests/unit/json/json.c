/* json: the events of a trace, whichever way they are read, and the damage around them. */
#include "readings.h"

#include <time.h>

/* --- whole traces -------------------------------------------------------- */

static void arrays_and_objects(void **state)
{
	(void)state;
	assert_json_both("[]", "end");
	assert_json_both(" \t\r\n[ \n] \n", "end");
	assert_json_both("[{\"name\":\"a\"}]", "1@1 name:s<a>; end");
	assert_json_both("[{\"name\":\"a\"},\n {\"name\":\"b\"}]\n",
	                 "1@1 name:s<a>; 2@16 name:s<b>; end");
	assert_json_both("{\"traceEvents\":[]}", "end");
	assert_json_both("{\"traceEvents\":[{\"ts\":1}]}", "1@16 ts:n<1>; end");
	assert_json_both("\xef\xbb\xbf[{\"ts\":1}]", "1@4 ts:n<1>; end");
	assert_json_both("[{}, { }]", "1@1; 2@5; end");
}

static void members_before_and_behind(void **state)
{
	(void)state;
	assert_json_both("{\"a\":1,\"b\":[{\"traceEvents\":[{\"ts\":9}]}],\"traceEvents\":[{\"ts\":1}],"
	                 "\"c\":{\"traceEvents\":[{\"ts\":8}]},\"note\":\"n\"}",
	                 "1@55 ts:n<1>; note:s<n>; end");
	assert_json_both("{\"deviceProperties\" : [ {\"id\": 0} ] , \"traceEvents\" : [ ] }",
	                 "deviceProperties:v<[ {\"id\": 0} ]>; end");
	assert_json_both(
		"{\"note\":1.50,\"note\":null,\"note\":true,\"note\":\"\\u0041\\n\",\"traceEvents\":[]}",
		"note:n<1.50>; note:0<null>; note:l<true>; note:s<A\n>; end");
	assert_json_both("{\"tr\\u0061ceEvents\":[{\"ts\":1}],\"n\\u006fte\":2}",
	                 "1@21 ts:n<1>; note:n<2>; end");
	assert_json_both("{\"traceEvents\":[{\"ts\":1}],\"traceEvents\":[{\"ts\":2}]}",
	                 "1@16 ts:n<1>; 2@41 ts:n<2>; end");
}

/* The array form may end anywhere between two events. */
static void arrays_without_their_end(void **state)
{
	(void)state;
	assert_json_both("[", "end");
	assert_json_both("[{\"ts\":1}", "1@1 ts:n<1>; end");
	assert_json_both("[{\"ts\":1},", "1@1 ts:n<1>; end");
	assert_json_both("[{\"ts\":1},\n", "1@1 ts:n<1>; end");
}

/* --- values -------------------------------------------------------------- */

static void types_of_values(void **state)
{
	(void)state;
	assert_json_both("[{\"ts\":-0.50e+3,\"name\":null,\"id\":false}]",
	                 "1@1 name:0<null> ts:n<-0.50e+3> id:l<false>; end");
	assert_json_both("[{\"ts\":\"1716543210123456.789\",\"id\":[1, {\"a\":\"]}\"}],\"name\":{}}]",
	                 "1@1 name:v<{}> ts:s<1716543210123456.789> id:v<[1, {\"a\":\"]}\"}]>; end");
	assert_json_both("[{\"ts\" : 1 , \"name\"\n:\t\"\" }]", "1@1 name:s<> ts:n<1>; end");
	assert_json_both("[{\"ts\":0,\"id\":1716543210123456.789012345678901234567890}]",
	                 "1@1 ts:n<0> id:n<1716543210123456.789012345678901234567890>; end");
}

/* Names that differ in length, in the first eight bytes, behind them, in case. */
static void names_are_told_apart(void **state)
{
	(void)state;
	assert_json_both("[{\"External id\":1,\"External ie\":2,\"External i\":3,\"External idd\":4,"
	                 "\"external id\":5,\"Externax id\":6,\"nam\":7,\"namE\":8,\"names\":9}]",
	                 "1@1 External id:n<1>; end");
	assert_json_both(
		"[{\"External ie\":2,\"\":0,\"t\":1,\"tt\":2,\"args\":{\"sourcE\":1,\"\":2,\"kk\":3}}]",
		"1@1; end");
}

static int open_with_a_name(void *arg)
{
	const char *const name[] = {arg};
	struct json_options options = {.fields = name, .fields_count = 1, .max_field = MAX_FIELD};
	struct json_reader r;

	unit_feed(STR("[{\"a\":1}]"));
	if (!json_open(&r, "-", &options))
		return 99;
	json_close(&r);
	return 0;
}

static void a_name_that_is_too_long_is_refused(void **state)
{
	char name[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl"; /* 64 bytes */
	struct unit_end end = unit_run(open_with_a_name, name + 1);

	(void)state;
	assert_int_equal(strlen(name), 64);
	assert_int_equal(end.status, 0);
	unit_end_free(&end);
	end = unit_run(open_with_a_name, name);
	assert_int_equal(end.status, 2);
	assert_true(str_has(buf_view(&end.err), str_of(name)));
	unit_end_free(&end);
}

static void what_is_inside_of_args(void **state)
{
	(void)state;
	assert_json_both(
		"[{\"args\":{\"source\":\"M\",\"x\":{\"source\":\"no\"},\"k\":2},\"source\":\"no\"}]",
		"1@1 source:s<M> k:n<2>; end");
	assert_json_both("[{\"args\":{}},{\"args\":{ }},{\"args\":1},{\"args\":\"{\"}]",
	                 "1@1; 2@13; 3@26; 4@37; end");
	assert_json_both("[{\"args\":{\"ts\":5,\"k\":[]},\"ts\":1}]", "1@1 ts:n<1> k:v<[]>; end");
	assert_json_both("[{\"x\":{\"args\":{\"k\":1}},\"Args\":{\"k\":2},\"arg\":{\"k\":3}}]",
	                 "1@1; end");
}

/* The last of two members of one name counts, whatever it is. */
static void the_last_of_two_members_counts(void **state)
{
	(void)state;
	assert_json_both("[{\"ts\":1,\"ts\":2,\"ts\":null}]", "1@1 ts:0<null>; end");
	assert_json_both("[{\"args\":{\"k\":1,\"source\":2},\"args\":{\"k\":3}}]", "1@1 k:n<3>; end");
	assert_json_both("[{\"args\":{\"k\":1},\"args\":7}]", "1@1; end");
	assert_json_both("[{\"args\":{\"k\":1,\"k\":2}}]", "1@1 k:n<2>; end");
	assert_json_both("[{\"ts\":1},{\"name\":\"a\"}]",
	                 "1@1 ts:n<1>; 2@10 name:s<a>; end"); /* none is left */
}

static void escapes_are_decoded(void **state)
{
	(void)state;
	assert_json_both("[{\"name\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}]",
	                 "1@1 name:s<\"\\/\b\f\n\r\t>; end");
	assert_json_both("[{\"name\":\"\\u0041\\u00e9\\u4E2D\\ud83d\\ude00\\u0000x\"}]",
	                 "1@1 name:s<A\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\0x>; end");
	assert_json_both("[{\"n\\u0061me\":\"a\",\"args\":{\"\\u006b\":\"\\\\\"}}]",
	                 "1@1 name:s<a> k:s<\\>; end");
	assert_json_both("[{\"a\\u0072gs\":{\"k\":1}}]", "1@1 k:n<1>; end");
	assert_json_both("[{\"id\":[\"\\u0041\\\"]\"]}]",
	                 "1@1 id:v<[\"\\u0041\\\"]\"]>; end"); /* as it stands */
	assert_json_both("[{\"name\":\"\\\\\",\"ts\":1},{\"name\":\"\\\\\\\"},{\"}]",
	                 "1@1 name:s<\\> ts:n<1>; 2@22 name:s<\\\"},{>; end");
}

static void lone_surrogates_are_replaced_and_counted(void **state)
{
	(void)state;
	assert_json_both("[{\"name\":\"\\ud800\"}]", "1@1 name:s<\xef\xbf\xbd>; end replaced 1");
	assert_json_both("[{\"name\":\"\\udc00x\"}]", "1@1 name:s<\xef\xbf\xbdx>; end replaced 1");
	assert_json_both("[{\"name\":\"\\ud800\\ud83d\\ude00\"}]",
	                 "1@1 name:s<\xef\xbf\xbd\xf0\x9f\x98\x80>; end replaced 1");
	assert_json_both("[{\"name\":\"\\ud83d\\u0041\"},{\"x\":\"\\ud83d\"}]",
	                 "1@1 name:s<\xef\xbf\xbd"
	                 "A>; 2@25; end replaced 1"); /* counts only wanted strings */
}

static void text_that_looks_like_structure(void **state)
{
	(void)state;
	assert_json_both("[{\"name\":\"]}\"},{\"name\":\"[{\"}]",
	                 "1@1 name:s<]}>; 2@15 name:s<[{>; end");
	assert_json_both("[{\"x\":\"\\\"}]\",\"ts\":1}]", "1@1 ts:n<1>; end");
	assert_json_both("[{\"{\":\"}\",\"ts\":1}]", "1@1 ts:n<1>; end");
	assert_json_both("{\"x\":\"traceEvents\",\"traceEvents\":[],\"y\":\"]\"}", "end");
}

/* --- read leniently ------------------------------------------------------ */

static void values_that_json_does_not_have(void **state)
{
	(void)state;
	assert_json_lax("[{\"ts\":NaN,\"id\":-Infinity,\"name\":0x1f}]",
	                "1@1 name:o<0x1f> ts:o<NaN> id:o<-Infinity>; end");
	assert_json_lax("[{\"ts\":01,\"id\":1.,\"name\":+1}]", "1@1 name:o<+1> ts:o<01> id:o<1.>; end");
	assert_json_lax("[{\"ts\":.5,\"id\":1e,\"name\":tru}]",
	                "1@1 name:o<tru> ts:o<.5> id:o<1e>; end");
	assert_json_lax("[{\"x\":7f3a00,\"y\":[0xff,inf],\"ts\":1}]", "1@1 ts:n<1>; end");
	assert_json_lax("[{\"x\":True,\"ts\":1}]", "1@1 ts:n<1>; end");
	assert_json_lax("[{\"x\":\xff\xfe,\"ts\":1}]", "1@1 ts:n<1>; end");
}

static void bytes_that_strings_must_not_have(void **state)
{
	(void)state;
	assert_json_lax("[{\"name\":\"a\tb\nc\x01\"}]", "1@1 name:s<a\tb\nc\x01>; end");
	assert_json_lax("[{\"name\":\"a\0b\"},{\"x\":\"\0\",\"ts\":1}]",
	                "1@1 name:s<a\0b>; 2@16 ts:n<1>; end");
	assert_json_lax("[{\"name\":\"\xff\xc3\"}]", "1@1 name:s<\xff\xc3>; end");
	assert_json_lax("[{\"name\":\"\xed\xa0\x80\"}]", "1@1 name:s<\xed\xa0\x80>; end");
	assert_json_lax("[{\"name\":\"\xc0\x80\"}]", "1@1 name:s<\xc0\x80>; end");
	assert_json_lax("[{\"name\":\"\xf5\x80\x80\x80\"}]", "1@1 name:s<\xf5\x80\x80\x80>; end");
	assert_json_lax("[{\"x\":\"\xe4\xb8\"}]", "1@1; end");
	assert_json_both("[{\"name\":\"\x7f\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\"}]",
	                 "1@1 name:s<\x7f\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf>; end");
}

static void escapes_that_json_does_not_know(void **state)
{
	(void)state;
	assert_json_lax("[{\"name\":\"\\q\\x41\"}]", "1@1 name:s<\\q\\x41>; end replaced 2");
	assert_json_lax("[{\"name\":\"\\u12\"}]", "1@1 name:s<\\u12>; end replaced 1");
	assert_json_lax("[{\"name\":\"\\u12g4\\U0041\"}]",
	                "1@1 name:s<\\u12g4\\U0041>; end replaced 2");
	assert_json_lax("[{\"name\":\"\\u\"},{\"x\":\"\\'\"}]",
	                "1@1 name:s<\\u>; 2@15; end replaced 1");
	assert_json_lax("[{\"name\":\"\\\0\"}]", "1@1 name:s<\\\0>; end replaced 1");
}

static void commas_too_many(void **state)
{
	(void)state;
	assert_json_lax("[,{\"ts\":1}]", "1@2 ts:n<1>; end");
	assert_json_lax("[{\"ts\":1},,{\"ts\":2}]", "1@1 ts:n<1>; 2@11 ts:n<2>; end");
	assert_json_lax("[{\"ts\":1},]", "1@1 ts:n<1>; end");
	assert_json_lax("[{\"ts\":1,}]", "1@1 ts:n<1>; end");
	assert_json_lax("[{,\"ts\":1}]", "1@1 ts:n<1>; end");
	assert_json_lax("[{\"ts\":1,,\"id\":2}]", "1@1 ts:n<1> id:n<2>; end");
	assert_json_lax("[{\"args\":{\"k\":1,},\"ts\":1}]", "1@1 ts:n<1> k:n<1>; end");
	assert_json_lax("[{\"x\":[1,],\"ts\":1}]", "1@1 ts:n<1>; end");
	assert_json_lax("{\"traceEvents\":[],}", "end");
	assert_json_lax("{,\"note\":1,,\"traceEvents\":[]}", "note:n<1>; end");
}

/* Inside of a value that is passed over, brackets and strings alone count. */
static void values_that_are_passed_over(void **state)
{
	(void)state;
	assert_json_lax("[{\"x\":[1 2 : \"a\" {\"b\" 3}],\"ts\":1}]", "1@1 ts:n<1>; end");
	assert_json_lax("[{\"x\":{1,2},\"ts\":1}]", "1@1 ts:n<1>; end");
	assert_json_lax("{\"x\":[:],\"traceEvents\":[]}", "end");
}

/* --- damage -------------------------------------------------------------- */

/* Something malformed between its own brackets is passed over, and told. */
static void malformed_events_are_passed_over(void **state)
{
	(void)state;
	assert_json_lax("[{\"ts\" 1},{\"ts\":2}]", "damaged byte 7 (event 1); 2@10 ts:n<2>; end");
	assert_json_lax("[{\"ts\":},{\"ts\":2}]", "damaged byte 7 (event 1); 2@9 ts:n<2>; end");
	assert_json_lax("[{ts:1},{\"ts\":2}]", "damaged byte 2 (event 1); 2@8 ts:n<2>; end");
	assert_json_lax("[{\"ts\":1 \"id\":2},{\"ts\":2}]",
	                "damaged byte 9 (event 1); 2@17 ts:n<2>; end");
	assert_json_lax("[{\"ts\"::1},{\"ts\":2}]", "damaged byte 7 (event 1); 2@11 ts:n<2>; end");
	assert_json_lax("[{\"ts\":1:2},{\"ts\":2}]", "damaged byte 8 (event 1); 2@12 ts:n<2>; end");
	assert_json_lax("[{\"ts\":1\"x\"},{\"ts\":2}]", "damaged byte 8 (event 1); 2@13 ts:n<2>; end");
	assert_json_lax("[{\"ts\":1]},{\"ts\":2}]",
	                "damaged byte 8 (event 1); broken byte 9 (event 2)");
	assert_json_lax("[{\"x\":[1},\"ts\":1},{\"ts\":2}]",
	                "damaged byte 8 (event 1); 2@18 ts:n<2>; end");
	assert_json_lax("[{\"x\":[1}],\"ts\":1},{\"ts\":2}]",
	                "damaged byte 8 (event 1); damaged byte 11 (event 2);"
	                " broken byte 15 (event 3)");
	assert_json_lax("[{\"a\"},{\"ts\":2}]", "damaged byte 5 (event 1); 2@7 ts:n<2>; end");
	assert_json_lax("[{\"ts\":1}{\"ts\":2}]",
	                "1@1 ts:n<1>; damaged byte 9 (event 1); 2@9 ts:n<2>; end");
	assert_json_lax("[1,\"a\",[],null,{\"ts\":2}]",
	                "damaged byte 1 (event 1); damaged byte 3 (event 2); damaged byte 7 (event 3);"
	                " damaged byte 10 (event 4); 5@15 ts:n<2>; end");
}

static void events_that_are_cut(void **state)
{
	(void)state;
	assert_json_lax("[{\"ts\":1},{\"ts\":2", "1@1 ts:n<1>; broken byte 10 (event 2)");
	assert_json_lax("[{\"ts\":1},{\"name\":\"}", "1@1 ts:n<1>; broken byte 10 (event 2)");
	assert_json_lax("[{\"ts\":1},{", "1@1 ts:n<1>; broken byte 10 (event 2)");
	assert_json_lax("[{\"ts\":1},\"a", "1@1 ts:n<1>; broken byte 10 (event 2)");
	assert_json_lax("{\"traceEvents\":[{\"ts\":1}", "1@16 ts:n<1>; broken byte 24 (event 1)");
	assert_json_lax("{\"traceEvents\":[{\"ts\":1},", "1@16 ts:n<1>; broken byte 25 (event 1)");
	assert_json_lax("{\"traceEvents\":[{\"ts\":1}]", "1@16 ts:n<1>; broken byte 25");
	assert_json_lax("{\"traceEvents\":[{\"ts\":1}],\"note\":\"x", "1@16 ts:n<1>; broken byte 33");
	assert_json_lax("{\"traceEvents\":[{\"ts\":1}],\"no", "1@16 ts:n<1>; broken byte 26");
	assert_json_lax("{\"note\":[[1,", "broken byte 8");
	assert_json_lax("{", "broken byte 1");
}

static void texts_that_are_no_traces(void **state)
{
	(void)state;
	assert_json_lax("", "broken byte 0");
	assert_json_lax(" \n", "broken byte 2");
	assert_json_lax("\xef\xbb\xbf", "broken byte 3");
	assert_json_lax("x", "broken byte 0");
	assert_json_lax("\"traceEvents\"", "broken byte 0");
	assert_json_lax("{}", "broken byte 1");
	assert_json_lax("{\"a\":1}", "broken byte 6");
	assert_json_lax("{\"traceEvents\":{}}", "broken byte 15");
	assert_json_lax("{\"traceEvents\":null}", "broken byte 15");
	assert_json_lax("{\"traceEvents\" []}", "broken byte 15");
	assert_json_lax("{\"a\":1 \"traceEvents\":[]}", "broken byte 7");
	assert_json_lax("{a:1,\"traceEvents\":[]}", "broken byte 1");
	assert_json_lax("[{\"ts\":1}]]", "1@1 ts:n<1>; broken byte 10");
	assert_json_lax("[{\"ts\":1}] [", "1@1 ts:n<1>; broken byte 11");
	assert_json_lax("{\"traceEvents\":[]}\0", "broken byte 18");
	assert_json_lax("[}", "broken byte 1 (event 1)");
	assert_json_lax("[:]", "broken byte 1 (event 1)");
}

/* An object cut by the end of what was read, at every byte. */
static void cut_by_the_window_at_every_byte(void **state)
{
	static const struct str text = BYTES(
		"{\"note\":\"n\\\"\",\"traceEvents\":[{\"name\":\"a\\u00e9\\ud83d\\ude00]}\",\"ts\":1.25e3,"
		"\"args\":{\"source\":\"M\\\\\",\"k\":[{\"a\":[]}]},\"x\":[\"\\\"\"]},\n{\"name\":"
		"\"\xe4\xb8\xad\","
		"\"id\":true}],\"deviceProperties\":[{\"b\":null}]}");
	static const struct str want =
		BYTES(" note:s<n\">; 1@29 name:s<a\xc3\xa9\xf0\x9f\x98\x80]}> ts:n<1.25e3> source:s<M\\> "
	          "k:v<[{\"a\":[]}]>; 2@125 name:s<\xe4\xb8\xad> id:l<true>; "
	          "deviceProperties:v<[{\"b\":null}]>; end");
	struct json_options strict = strictly();

	(void)state;
	for (enum way way = 0; way < WAYS; way++) {
		go(way);
		for (size_t cut = 0; cut < text.n; cut++) {
			struct buf packed = {0};
			struct buf got = {0};

			unit_gzip(&packed, (struct str){text.s, cut}, 1);
			unit_gzip(&packed, (struct str){text.s + cut, text.n - cut}, 1);
			unit_feed(buf_view(&packed));
			show_all(cut % 2 ? &strict : &lenient, &got);
			assert_str(buf_view(&got), want);
			buf_free(&packed);
			buf_free(&got);
		}
	}
	go(BY_FIELDS);
}

/* Cut off at any byte, what came before is what it was, and the cut is told. */
static void truncated_at_every_byte(void **state)
{
	static const struct str text =
		BYTES("{\"traceEvents\":[{\"name\":\"a\\\"]\",\"ts\":1},{\"ts\":2,"
	          "\"args\":{\"k\":[1]}}],\"note\":\"x\"}");
	static const char *const items[] = {" 1@16 name:s<a\"]> ts:n<1>;", " 2@39 ts:n<2> k:v<[1]>;",
	                                    " note:s<x>;"};
	static const size_t ends[] = {38, 64, 76};
	struct json_options strict = strictly();

	(void)state;
	for (size_t cut = 1; cut < text.n; cut++) {
		for (int way = 0; way < 2 * WAYS; way++) {
			struct buf got = {0};
			size_t at = 0;

			go((enum way)way % WAYS);
			unit_feed((struct str){text.s, cut});
			show_all(way < WAYS ? &lenient : &strict, &got);
			for (size_t i = 0; i < COUNT(items); i++) {
				if (cut < ends[i])
					break;
				assert_true(
					str_starts((struct str){got.data + at, got.len - at}, str_of(items[i])));
				at += strlen(items[i]);
			}
			assert_true(
				str_starts((struct str){got.data + at, got.len - at}, STR(" broken byte ")));
			buf_free(&got);
		}
	}
	go(BY_FIELDS);
}

static void broken_gzip_is_told(void **state)
{
	struct buf packed = {0};
	struct buf got = {0};
	struct json_reader r;

	(void)state;
	unit_gzip(&packed, STR("[{\"ts\":1}]"), 0);
	packed.len -= 4; /* all of the text, not all of the trailer */
	unit_feed(buf_view(&packed));
	show_all(&lenient, &got);
	assert_buf(&got, " 1@1 ts:n<1>; broken byte 10");
	packed.len = got.len = 0;
	unit_gzip(&packed, STR("[{\"ts\":1},{\"ts\":2},"), 0);
	packed.len -= 8; /* an array may end here, but not by a cut */
	unit_feed(buf_view(&packed));
	assert_true(json_open(&r, "-", &lenient));
	assert_int_equal(json_next(&r), JSON_EVENT);
	assert_int_equal(json_next(&r), JSON_EVENT);
	assert_int_equal(json_next(&r), JSON_BROKEN);
	assert_true(str_has(str_of(r.text.error), STR("cut off at byte ")));
	json_close(&r);
	buf_free(&packed);
	buf_free(&got);
}

static void what_cannot_be_opened(void **state)
{
	struct json_reader r;

	(void)state;
	assert_false(json_open(&r, "/nonexistent", &lenient));
	assert_string_equal(r.text.error, "cannot be opened: No such file or directory");
	assert_int_equal(json_next(&r), JSON_END);
	json_close(&r);
	assert_false(json_open(&r, "/", &lenient));
	assert_string_equal(r.text.error, "cannot be read: it is a directory");
	json_close(&r);
}

/* --- large events and the edge of the window ----------------------------- */

static void fill(struct buf *out, size_t n, char c)
{
	memset(buf_reserve(out, n), c, n);
	out->len += n;
}

static const char tail_text[] =
	"{\"name\":\"a\\\"\\u00e9]}\",\"args\":{\"k\":\"\\\\\",\"source\":\"M\"},\"ts\":17}";

/* An event at every offset around the edge of 512 KiB, by each way. */
static void around_the_edge(void **state)
{
	enum { EDGE = 512 << 10 };
	size_t size = sizeof tail_text - 1;

	(void)state;
	for (enum way way = 0; way < WAYS; way++) {
		go(way);
		for (size_t at = EDGE - size - 66; at < EDGE + 66; at += way == BY_FIELDS ? 1 : 7) {
			struct buf text = {0};
			struct buf got = {0};
			struct buf want = {0};

			/* Events before it, so that it is searched for from within a block. */
			buf_text(&text, "[{\"x\":\"");
			fill(&text, 250000, 'x');
			buf_text(&text, "\"},{\"x\":\"");
			fill(&text, 250000, 'x');
			buf_text(&text, "\"},");
			fill(&text, at - 20 - text.len, ' ');
			buf_text(&text, "{\"ts\":1,\"name\":\"b\"},");
			assert_int_equal(text.len, at);
			buf_text(&text, tail_text);
			buf_char(&text, ']');
			unit_feed(buf_view(&text));
			show_all(&lenient, &got);
			buf_format(&want, " 1@1; 2@250010; 3@%zu name:s<b> ts:n<1>;", at - 20);
			buf_format(&want, " 4@%zu name:s<a\"\xc3\xa9]}> ts:n<17> source:s<M> k:s<\\>; end", at);
			assert_str(buf_view(&got), buf_view(&want));
			buf_free(&text);
			buf_free(&got);
			buf_free(&want);
		}
	}
	go(BY_FIELDS);
}

/* An event of exactly `size` bytes, its filler a string or an array. */
static void large_event(struct buf *out, size_t size, bool array)
{
	const char *head = array ? "{\"name\":\"a\\n\",\"x\":[[" : "{\"name\":\"a\\n\",\"x\":\"";
	const char *tail = array ? "0]],\"args\":{\"k\":{\"]\":1},\"source\":\"M\"},\"ts\":7}"
	                         : "\",\"args\":{\"k\":{\"]\":1},\"source\":\"M\"},\"ts\":7}";
	size_t filler = size - strlen(head) - strlen(tail);

	buf_text(out, head);
	if (filler % 2)
		buf_char(out, ' ');
	for (size_t i = 0; i < filler / 2; i++)
		buf_text(out, array ? "0," : i % 2 ? "{]" : "x ");
	buf_text(out, tail);
}

/* Sizes around those at which an event is read in place, piece by piece, larger than the window. */
static void large_events(void **state)
{
	enum { WHOLE = 256 << 10 };
	static const size_t sizes[] = {WHOLE - 64, WHOLE - 1, WHOLE,     WHOLE + 1,     WHOLE + 64,
	                               WHOLE + 65, 400000,    2 * WHOLE, 2 * WHOLE + 1, 1500000};
	static const size_t starts[] = {1, 300000, 524200};
	struct json_options strict = strictly();

	(void)state;
	for (size_t i = 0; i < COUNT(sizes) * COUNT(starts); i++) {
		size_t size = sizes[i / COUNT(starts)];
		size_t start = starts[i % COUNT(starts)];
		struct buf text = {0};
		struct buf want = {0};

		buf_char(&text, '[');
		fill(&text, start - 1, ' ');
		large_event(&text, size, i % 2);
		assert_int_equal(text.len, start + size);
		buf_format(&want,
		           " 1@%zu name:s<a\n> ts:n<7> source:s<M> k:v<{\"]\":1}>; 2@%zu ts:n<2>; end",
		           start, text.len + 1);
		buf_text(&text, ",{\"ts\":2}]");
		for (enum way way = 0; way <= WAYS; way++) { /* the last one stands for --strict */
			struct buf got = {0};

			if (way != BY_FIELDS && way != (enum way)(1 + i % WAYS))
				continue;
			go(way < WAYS ? way : BY_FIELDS);
			unit_feed(buf_view(&text));
			show_all(way < WAYS ? &lenient : &strict, &got);
			assert_str(buf_view(&got), buf_view(&want));
			buf_free(&got);
		}
		buf_free(&text);
		buf_free(&want);
	}
	go(BY_FIELDS);
}

/* Wanted values may be larger than the window, up to a limit. */
static void large_values(void **state)
{
	enum { LIMIT = 600000 };

	(void)state;
	for (int over = 0; over < 3; over++) {
		struct json_options options = lenient;
		struct buf text = {0};
		struct json_reader r;

		options.max_field = LIMIT;
		buf_text(&text, "[{\"name\":\"");
		fill(&text, LIMIT - 1, 'n');
		buf_text(&text, over == 1 ? "12\",\"id\":[" : "1\",\"id\":[");
		fill(&text, over == 2 ? LIMIT - 1 : LIMIT - 2, ' ');
		buf_text(&text, "],\"ts\":3},{\"ts\":4}]");
		unit_feed(buf_view(&text));
		assert_true(json_open(&r, "-", &options));
		if (over) {
			assert_int_equal(json_next(&r), JSON_BROKEN);
			assert_true(r.fatal);
			assert_true(str_has(str_of(r.text.error), STR("(event 1)")));
			assert_true(str_has(str_of(r.text.error), STR("600000")));
		} else {
			assert_int_equal(json_next(&r), JSON_EVENT);
			assert_int_equal(r.value[0].text.n, LIMIT);
			assert_int_equal(r.value[0].text.s[LIMIT - 1], '1');
			assert_int_equal(r.value[2].text.n, LIMIT);
			assert_text(r.value[1].text, "3");
			assert_int_equal(json_next(&r), JSON_EVENT);
			assert_int_equal(json_next(&r), JSON_END);
		}
		json_close(&r);
		buf_free(&text);
	}
}

/* In linear time; and a depth that is refused. */
static void deeply_nested(void **state)
{
	static const size_t depths[] = {60, 63, 64, 65, 66, 200, 120000, 1000000, 1200000};

	(void)state;
	for (enum way way = 0; way < WAYS; way++) {
		go(way);
		for (size_t i = 0; i < COUNT(depths); i++) {
			struct buf text = {0};
			struct buf got = {0};
			clock_t start = clock();

			buf_text(&text, "[{\"ts\":1,\"args\":{\"x\":");
			fill(&text, depths[i], '[');
			fill(&text, depths[i], ']');
			buf_text(&text, "}}]");
			unit_feed(buf_view(&text));
			show_all(&lenient, &got);
			if (depths[i] <= 1000000)
				assert_buf(&got, " 1@1 ts:n<1>; end");
			else
				assert_true(str_starts(buf_view(&got), STR(" broken byte ")));
			assert_true((clock() - start) / CLOCKS_PER_SEC < 2);
			buf_free(&text);
			buf_free(&got);
		}
	}
	go(BY_FIELDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_and_objects),
		cmocka_unit_test(members_before_and_behind),
		cmocka_unit_test(arrays_without_their_end),
		cmocka_unit_test(types_of_values),
		cmocka_unit_test(names_are_told_apart),
		cmocka_unit_test(a_name_that_is_too_long_is_refused),
		cmocka_unit_test(what_is_inside_of_args),
		cmocka_unit_test(the_last_of_two_members_counts),
		cmocka_unit_test(escapes_are_decoded),
		cmocka_unit_test(lone_surrogates_are_replaced_and_counted),
		cmocka_unit_test(text_that_looks_like_structure),
		cmocka_unit_test(values_that_json_does_not_have),
		cmocka_unit_test(bytes_that_strings_must_not_have),
		cmocka_unit_test(escapes_that_json_does_not_know),
		cmocka_unit_test(commas_too_many),
		cmocka_unit_test(values_that_are_passed_over),
		cmocka_unit_test(malformed_events_are_passed_over),
		cmocka_unit_test(events_that_are_cut),
		cmocka_unit_test(texts_that_are_no_traces),
		cmocka_unit_test(cut_by_the_window_at_every_byte),
		cmocka_unit_test(truncated_at_every_byte),
		cmocka_unit_test(broken_gzip_is_told),
		cmocka_unit_test(what_cannot_be_opened),
		cmocka_unit_test(around_the_edge),
		cmocka_unit_test(large_events),
		cmocka_unit_test(large_values),
		cmocka_unit_test(deeply_nested),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
