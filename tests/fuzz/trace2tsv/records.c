/* records: equal items in pieces and in a second look, and each as the events of rocprof. */
#include "../fuzz.h"

#include "trace2tsv/rocprof.h"

static const char *const lists[] = {"a", "a/b", "a/b/c", "rocprofiler-sdk-tool/agents"};
static const char *const names[] = {"x", "id", "kernel_id"};
static const char *const flat[] = {"flat", "dispatch_info"};
static const char *const others[] = {"a/d"};

static struct records_options options = {.lists = lists,
                                         .lists_count = 4,
                                         .others = others,
                                         .others_count = 1,
                                         .group = "a",
                                         .names = names,
                                         .names_count = 3,
                                         .flat = flat,
                                         .flat_count = 2,
                                         .single = "handle"};

static void show_look(struct buf *out, struct records *r)
{
	enum records_item item;

	while ((item = records_next(r)) > RECORDS_END) {
		buf_format(out, "%d %zu", (int)item, r->list);
		for (size_t i = 0; item == RECORDS_RECORD && i < 3; i++) {
			buf_format(out, " %d<", (int)r->value[i].type);
			buf_str(out, json_text(&r->value[i]));
			buf_char(out, '>');
		}
		if (item == RECORDS_DAMAGED)
			buf_text(out, r->text.error);
		buf_char(out, '\n');
	}
	buf_format(out, "%d %s\n", (int)item, item == RECORDS_BROKEN ? r->text.error : "");
	LAW(records_next(r) == item);
}

static void show(struct buf *out)
{
	struct input in;
	struct records r;
	struct buf again = {0};
	size_t before = out->len;

	LAW(input_open(&in, "-"));
	records_open(&r, &in, STR(""), &options);
	show_look(out, &r);
	if (records_again(&r)) {
		struct str first = {out->data + before, out->len - before};

		show_look(&again, &r);
		LAW(str_equal(first, buf_view(&again)));
	}
	buf_free(&again);
	records_close(&r);
}

static void show_events(struct buf *out)
{
	struct wanted wanted = {.phases = STR("X")};
	struct words args = {0};
	struct rocprof r;
	struct input in;
	enum json_item item;

	words_add(&args, "bytes,device,queue_id,retval");
	LAW(wanted_columns(&wanted, true, &args));
	LAW(input_open(&in, "-"));
	rocprof_open(&r, &in, STR(""), &wanted);
	while ((item = rocprof_next(&r)) > JSON_END) {
		buf_format(out, "%d", (int)item);
		for (size_t i = 0; item == JSON_EVENT && i < WANT_FIELDS + wanted.args_count; i++) {
			buf_char(out, '\t');
			buf_str(out, json_text(&r.value[i]));
		}
		if (item == JSON_DAMAGED)
			buf_text(out, r.error);
		buf_char(out, '\n');
	}
	if (item == JSON_BROKEN)
		buf_text(out, r.error);
	rocprof_close(&r);
	wanted_free(&wanted);
	words_free(&args);
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};

	options.strict = size % 2;
	law_of_pieces(text, show);
	law_of_pieces(text, show_events);
}
