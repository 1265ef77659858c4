/* rocprof: records of rocprofv3 as events, and looks at a file for what comes after them. */
#include "../unit.h"

#include "trace2tsv/rocprof.h"

#define TABLES                                                                        \
	"\"metadata\":{\"pid\":9,\"command\":[\"run\"]},"                                 \
	"\"agents\":[{\"id\":{\"handle\":70},\"type\":1,\"node_id\":0,\"name\":\"cpu\"}," \
	"{\"id\":{\"handle\":71},\"type\":2,\"node_id\":1,\"name\":\"gpu\"}],"            \
	"\"strings\":{\"buffer_records\":[{\"kind\":\"N\",\"operations\":[]},"            \
	"{\"kind\":\"M\",\"operations\":[\"up\",\"roctxMarkA\"]}]},"                      \
	"\"kernel_symbols\":[{\"kernel_id\":4,\"formatted_kernel_name\":\"four\"}]"

#define KERNEL                                                                                     \
	"{\"start_timestamp\":1000,\"end_timestamp\":3010,\"correlation_id\":{\"internal\":5},"        \
	"\"dispatch_info\":{\"agent_id\":{\"handle\":71},\"queue_id\":{\"handle\":6},\"kernel_id\":4}" \
	"}"

#define RECORDS                                                                              \
	"\"buffer_records\":{\"kernel_dispatch\":[" KERNEL "],\"memory_copy\":["                 \
	"{\"kind\":1,\"operation\":0,\"start_timestamp\":1,\"end_timestamp\":0,"                 \
	"\"src_agent_id\":{\"handle\":71},\"dst_agent_id\":{\"handle\":70},\"bytes\":8}],"       \
	"\"marker_api\":[{\"kind\":1,\"operation\":1,\"start_timestamp\":2,\"end_timestamp\":2," \
	"\"thread_id\":3}]}"

#define DOCUMENT(members) "{\"rocprofiler-sdk-tool\":[{" members "}]}"

static const char names[] = "M9 run M1 gpu D ";
static const char rows[] = "X1/6 four 1+2.01 kernel c5 s6 "
						   "X1/ up 0.001+-0.001 gpu_memcpy b8 "
						   "i9/3 roctxMarkA 0.002+0 user_annotation ";

static struct str value(const struct rocprof *r, const struct wanted *wanted, const char *arg)
{
	for (size_t i = 0; i < wanted->args_count; i++)
		if (strcmp(wanted->args[i], arg) == 0)
			return json_text(&r->value[WANT_FIELDS + i]);
	return STR("");
}

static void put(struct buf *out, const char *before, struct str text)
{
	if (text.n == 0)
		return;
	buf_text(out, before);
	buf_str(out, text);
	buf_char(out, ' ');
}

static void show_event(struct buf *out, const struct rocprof *r, const struct wanted *wanted)
{
	buf_str(out, json_text(&r->value[WANT_PH]));
	buf_str(out, json_text(&r->value[WANT_PID]));
	if (str_equal(json_text(&r->value[WANT_PH]), STR("M"))) {
		put(out, " ", json_text(&r->value[WANT_ARGS_NAME]));
		return;
	}
	buf_char(out, '/');
	buf_str(out, json_text(&r->value[WANT_TID]));
	put(out, " ", json_text(&r->value[WANT_NAME]));
	buf_str(out, json_text(&r->value[WANT_TS]));
	put(out, "+", json_text(&r->value[WANT_DUR]));
	put(out, "", json_text(&r->value[WANT_CAT]));
	put(out, "c", value(r, wanted, "correlation"));
	put(out, "s", value(r, wanted, "stream"));
	put(out, "b", value(r, wanted, "bytes"));
}

/* Reads standard input to its end; the events, the device as D, damage as !, failure as ?. */
static void show(struct buf *out)
{
	struct wanted wanted = {.phases = STR("X")};
	struct words args = {0};
	struct category_counts counts = {0};
	struct rocprof r;
	struct input in;
	enum json_item item;

	words_add(&args, "bytes");
	assert_true(wanted_columns(&wanted, true, &args));
	assert_true(input_open(&in, "-"));
	rocprof_open(&r, &in, STR(""), &wanted);
	while ((item = rocprof_next(&r)) > JSON_END) {
		if (item == JSON_EVENT)
			show_event(out, &r, &wanted);
		else
			buf_text(out, item == JSON_MEMBER ? "D " : "! ");
	}
	if (item == JSON_BROKEN)
		buf_text(out, r.fatal ? "??" : "?");
	rocprof_categories(&r, &counts);
	category_list(&counts, out);
	category_counts_free(&counts);
	rocprof_close(&r);
	wanted_free(&wanted);
	words_free(&args);
}

static void assert_shown(const char *text, const char *first, const char *second)
{
	struct buf shown = {0};

	unit_feed(str_of(text));
	show(&shown);
	assert_case(text, str_has(buf_view(&shown), str_of(first)));
	assert_case(text, str_has(buf_view(&shown), str_of(second)));
	buf_free(&shown);
}

static void heads(void **state)
{
	(void)state;
	assert_true(rocprof_is(STR("{\"rocprofiler-sdk-tool\":[{")));
	assert_true(rocprof_is(STR("\xef\xbb\xbf\n { \"rocprofiler-sdk-tool\" : ")));
	assert_false(rocprof_is(STR("[\"rocprofiler-sdk-tool\"")));
	assert_false(rocprof_is(STR("{\"traceEvents\":[")));
	assert_false(rocprof_is(STR("")));
}

/* The tables before the records or after them; the last of two lists of names counts. */
static void tables(void **state)
{
	(void)state;
	assert_shown(DOCUMENT(TABLES "," RECORDS), names, rows);
	assert_shown(DOCUMENT(RECORDS "," TABLES), names, rows);
}

/* Kernels of counter_collection count if there are no others. */
static void counters(void **state)
{
#define COUNTED "\"callback_records\":{\"counter_collection\":[{\"dispatch_data\":" KERNEL "}]}"
	(void)state;
	assert_shown(DOCUMENT(TABLES "," COUNTED "," RECORDS), names, rows);
	assert_shown(DOCUMENT(COUNTED "," TABLES), names, "X1/6 four 1+2.01 kernel c5 s6 kernel 1");
	assert_shown(DOCUMENT(TABLES "," COUNTED ",\"buffer_records\":{}"), names,
	             "X1/6 four 1+2.01 kernel c5 s6 kernel 1");
}

/* Ids of a second process have its pid. */
static void processes(void **state)
{
	(void)state;
	assert_shown("{\"rocprofiler-sdk-tool\":[{" TABLES "," RECORDS "},{" TABLES "," RECORDS "}]}",
	             names, "kernel c2:5 s2:6 ");
	assert_shown("{\"rocprofiler-sdk-tool\":[{" RECORDS "," TABLES "},{" RECORDS "," TABLES "}]}",
	             names, "kernel c2:5 s2:6 ");
}

static void a_pipe(void **state)
{
	static const struct {
		const char *text;
		const char *end;
	} cases[] = {{DOCUMENT(RECORDS "," TABLES), "??"}, {DOCUMENT(TABLES "," COUNTED), "?"}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf shown = {0};

		unit_feed_pipe(str_of(cases[i].text));
		show(&shown);
		assert_case(cases[i].text, str_ends(buf_view(&shown), str_of(cases[i].end)));
		buf_free(&shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads),     cmocka_unit_test(tables), cmocka_unit_test(counters),
		cmocka_unit_test(processes), cmocka_unit_test(a_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
