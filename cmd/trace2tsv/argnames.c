#include "argnames.h"

#include "base/plaintext.h"
#include "io/spool.h"
#include "json/array.h"
#include "json/names.h"

#include <errno.h>
#include <unistd.h>

/* What the first look wants of an event. */
enum look { CAT, PH, NAME, ARGS, LOOKS };

static const char *const fields[LOOKS] = {"cat", "ph", "name", "args"};

static bool fail(struct argnames *look, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(struct argnames *look, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	plaintext_format(look->error, sizeof look->error, format, args);
	va_end(args);
	return false;
}

/* Whether the event can become a row. */
static bool is_row(const struct argnames *look, const struct wanted *wanted)
{
	const struct json_value *value = look->json.value;
	struct category_event event = {.cat = json_string_text(&value[CAT]),
	                               .name = json_text(&value[NAME])};
	struct str rest = json_text(&value[ARGS]);
	struct str ph = json_text(&value[PH]);
	struct str key;
	struct str member;

	if (wanted->memory_alone || wanted_is_memory(wanted, event.name))
		return wanted_is_memory(wanted, event.name);
	while (wanted->categories.gpu && array_next_member(&rest, &key, &member)) {
		if (str_equal(key, str_of(wanted_core_arg(WANT_TASK_TYPE))))
			event.task_type = member;
		if (str_equal(key, str_of(wanted_core_arg(WANT_LEVEL))))
			event.level = member;
	}
	return category_find(&wanted->categories, &event, &member) &&
	       (wanted_phase(wanted, ph, event.cat) ||
	        (wanted->join_ends && ph.n == 1 && strchr(wanted_ends, *ph.s)));
}

/* Takes the names of the args of an event that are new. */
static void look_at(struct argnames *look, struct wanted *wanted)
{
	struct str rest = json_text(&look->json.value[ARGS]);
	struct str key;
	struct str value;
	bool added;

	if (look->json.value[ARGS].type != JSON_NESTED || !is_row(look, wanted))
		return;
	while (array_next_member(&rest, &key, &value)) {
		look->scratch.len = 0;
		json_unescape(&look->scratch, key);
		key = buf_view(&look->scratch);
		if (key.n == 0 || memchr(key.s, '\0', key.n) || key.n > NAMES_MAX_BYTES ||
		    wanted->args_count == NAMES_MAX) {
			look->left_out = true;
			continue;
		}
		strmap_add(&look->names, key, &added);
		if (added)
			wanted_add_member(wanted, key);
	}
}

bool argnames_look(struct argnames *look, struct wanted *wanted, const char *path)
{
	struct json_filter filter = wanted->filter;
	struct json_options options = {.fields = fields,
	                               .fields_count = LOOKS,
	                               .filter = &filter,
	                               .max_field = wanted->json.max_field};
	bool is_stdin = strcmp(path, "-") == 0;
	char error[sizeof((struct spool *)0)->error];
	enum json_item item;
	long long start = 0;

	filter.ph = PH;
	filter.cat = CAT;
	if (is_stdin && !spool_stdin(&start, error))
		return fail(look, "%s", error);
	look->unseen = !json_open(&look->json, path, &options);
	if (look->unseen)
		return true;
	if (!is_stdin && look->json.text.in.start < 0)
		return fail(look, "-A reads a file twice, and this is a pipe; use standard input");
	while ((item = json_next(&look->json)) > JSON_END)
		if (item == JSON_EVENT)
			look_at(look, wanted);
	if (look->json.fatal || look->json.text.in.failed)
		return fail(look, "%s", look->json.text.error);
	json_close(&look->json);
	if (is_stdin && lseek(STDIN_FILENO, start, SEEK_SET) < 0)
		return fail(look, "cannot be reread: %s", strerror(errno));
	return true;
}

void argnames_free(struct argnames *look)
{
	strmap_free(&look->names);
	buf_free(&look->scratch);
}
