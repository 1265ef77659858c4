#include "status.h"

#include "base/mem.h"
#include "io/input.h"
#include "json/array.h"
#include "json/find.h"

#include <stdio.h>
#include <stdlib.h>

static bool fail(struct status_lists *lists, const char *what)
{
	snprintf(lists->error, sizeof lists->error, "%s", what);
	return false;
}

static bool read_all(struct status_lists *lists, const char *path, struct buf *text)
{
	enum { CHUNK = 1 << 16 };
	struct input in;
	ssize_t got;

	if (!input_open(&in, path))
		return fail(lists, in.error);
	while ((got = input_read(&in, buf_reserve(text, CHUNK), CHUNK)) > 0)
		text->len += (size_t)got;
	input_close(&in);
	return got == 0 || fail(lists, in.error);
}

/* The text of a list of the object; empty if it is missing. */
static struct str find_list(struct str json, const char *name, struct buf *scratch)
{
	struct json_value list = json_find(json, &name, 1, scratch);

	return list.type == JSON_NESTED && list.text.s[0] == '[' ? list.text : STR("");
}

static size_t count_list(struct str json, const char *name)
{
	struct buf scratch = {0};
	struct str rest = find_list(json, name, &scratch);
	struct str element;
	size_t count = 0;

	while (array_next(&rest, &element))
		count++;
	buf_free(&scratch);
	return count;
}

static void add_failure(struct status_lists *lists, struct str json)
{
	struct status_failure failure = {0};
	struct buf scratch = {0};
	struct json_value op = json_find(json, (const char *[]){"op"}, 1, &scratch);

	if (op.type != JSON_STRING)
		op = json_find(json, NULL, 0, &scratch);
	buf_str(&failure.op, op.type == JSON_STRING ? op.text : STR("(no name)"));
	buf_str(&failure.reason, json_find(json, (const char *[]){"reason"}, 1, &scratch).text);
	buf_free(&scratch);
	lists->failed =
		mem_grow(lists->failed, &lists->failed_cap, lists->failed_count + 1, sizeof *lists->failed);
	lists->failed[lists->failed_count++] = failure;
}

static bool is_object(struct str json)
{
	struct buf scratch = {0};
	struct json_value whole = json_find(json, NULL, 0, &scratch);
	bool is = whole.type == JSON_NESTED && whole.text.s[0] == '{';

	buf_free(&scratch);
	return is;
}

static bool read_lists(struct status_lists *lists, struct str json)
{
	struct buf scratch = {0};
	struct str rest;
	struct str element;

	if (!is_object(json))
		return fail(lists, "this is not a JSON object");
	rest = find_list(json, "failed", &scratch);
	while (array_next(&rest, &element))
		add_failure(lists, element);
	buf_free(&scratch);
	lists->succeeded = count_list(json, "success");
	lists->skipped = count_list(json, "skipped");
	return true;
}

bool status_read(struct status_lists *lists, const char *path)
{
	struct buf text = {0};
	bool good;

	*lists = (struct status_lists){0};
	good = read_all(lists, path, &text) && read_lists(lists, buf_view(&text));
	buf_free(&text);
	return good;
}

void status_free(struct status_lists *lists)
{
	for (size_t i = 0; i < lists->failed_count; i++) {
		buf_free(&lists->failed[i].op);
		buf_free(&lists->failed[i].reason);
	}
	free(lists->failed);
}
