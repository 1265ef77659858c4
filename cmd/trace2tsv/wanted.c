#include "wanted.h"

#include "base/mem.h"
#include "stream/kev.h"
#include "trace/ascend.h"

#include <stdlib.h>

const char wanted_ends[] = "BEbe";

static const char *const fields[WANT_FIELDS] = {"ts",  "dur", "name", "cat", "ph",
                                                "pid", "tid", "id",   "id2", "scope"};

static const char *const core_args[WANT_GPU - WANT_FIELDS] = {
	[WANT_TYPE - WANT_FIELDS] = "kernel_type",
	[WANT_SOURCE - WANT_FIELDS] = "source",
	[WANT_ARGS_NAME - WANT_FIELDS] = "name",
	[WANT_CORRELATION - WANT_FIELDS] = "correlation",
	[WANT_TASK_TYPE - WANT_FIELDS] = "Task Type",
	[WANT_LEVEL - WANT_FIELDS] = "level",
	[WANT_CONNECTION - WANT_FIELDS] = "connection_id",
	[WANT_EXTERNAL_ID - WANT_FIELDS] = "External id",
};

static const size_t core_wants[KEV_CORE] = {WANT_TS, WANT_DUR, WANT_TYPE, WANT_NAME,  WANT_CAT,
                                            WANT_PH, WANT_PID, WANT_TID,  WANT_SOURCE};

static const char *keep(struct wanted *wanted, struct str text)
{
	words_put(&wanted->texts, text);
	return wanted->texts.item[wanted->texts.count - 1].s;
}

/* The index of a member of args among the wanted ones, which it joins if it is new. */
static size_t want_arg(struct wanted *wanted, const char *name)
{
	size_t i = 0;

	while (i < wanted->args_count && strcmp(wanted->args[i], name) != 0)
		i++;
	if (i == wanted->args_count) {
		wanted->args = mem_resize(wanted->args, i + 1, sizeof *wanted->args);
		wanted->args[wanted->args_count++] = name;
	}
	return WANT_FIELDS + i;
}

static bool add_column(struct wanted *wanted, const char *name, size_t from)
{
	for (size_t i = 0; i < wanted->columns; i++) {
		if (!str_equal(wanted->names[i], str_of(name)))
			continue;
		if (wanted->from[i] == from)
			return true; /* asked for twice */
		buf_format(&wanted->error,
		           "-a: column '%s' exists already; choose another name with ARG=COL", name);
		return false;
	}
	wanted->names = mem_resize(wanted->names, wanted->columns + 1, sizeof *wanted->names);
	wanted->from = mem_resize(wanted->from, wanted->columns + 1, sizeof *wanted->from);
	wanted->names[wanted->columns] = str_of(name);
	wanted->from[wanted->columns++] = from;
	return true;
}

static bool add_arg_columns(struct wanted *wanted, const struct words *args)
{
	for (size_t i = 0; i < args->count; i++) {
		struct str arg = args->item[i];
		struct str column = arg;
		bool pair = words_pair(arg, &arg, &column);

		if (pair && (arg.n == 0 || column.n == 0)) {
			buf_format(&wanted->error, "-a: '%s' is not ARG or ARG=COL", args->item[i].s);
			return false;
		}
		if (!add_column(wanted, column.s, want_arg(wanted, pair ? keep(wanted, arg) : arg.s)))
			return false;
	}
	return true;
}

bool wanted_columns(struct wanted *wanted, bool gpu, const struct words *args)
{
	static const char *const gpu_args[] = {"correlation", "External id", "stream", "Python id",
	                                       "Python parent id"};
	bool good;

	for (size_t i = 0; i < (gpu ? WANT_GPU : WANT_CORE) - WANT_FIELDS; i++)
		want_arg(wanted, core_args[i]);
	for (size_t i = 0; i < KEV_CORE; i++)
		add_column(wanted, kev_core[i], core_wants[i]);
	for (size_t i = 0; gpu && i < sizeof gpu_args / sizeof *gpu_args; i++)
		add_column(wanted, gpu_args[i], want_arg(wanted, gpu_args[i]));
	wanted->asked_from = wanted->columns;
	good = add_arg_columns(wanted, args);
	wanted->asked_to = wanted->columns;
	return good;
}

const char *wanted_core_arg(enum want want)
{
	return core_args[want - WANT_FIELDS];
}

const char *wanted_arg(const struct wanted *wanted, size_t column)
{
	return wanted->args[wanted->from[column] - WANT_FIELDS];
}

static bool is_column(const struct wanted *wanted, const char *name)
{
	for (size_t i = 0; i < wanted->columns; i++)
		if (str_equal(wanted->names[i], str_of(name)))
			return true;
	return (wanted->rank_column && strcmp(name, "rank") == 0) ||
	       (wanted->file_column && strcmp(name, "file") == 0);
}

void wanted_add_member(struct wanted *wanted, struct str key)
{
	const char *name = keep(wanted, key);
	size_t from = want_arg(wanted, name);

	for (size_t i = 0; i < wanted->columns; i++)
		if (wanted->from[i] == from)
			return;
	while (is_column(wanted, name)) {
		struct buf longer = {0};

		buf_format(&longer, "args.%s", name);
		name = keep(wanted, buf_view(&longer));
		buf_free(&longer);
	}
	add_column(wanted, name, from);
}

void wanted_add_memory(struct wanted *wanted)
{
	static const char *const names[] = {
		"Bytes", "Addr", "Total Allocated", "Total Reserved", "Device Type", "Device Id", "Ev Idx"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		wanted_add_member(wanted, str_of(names[i]));
}

bool wanted_is_memory(const struct wanted *wanted, struct str name)
{
	return wanted->memory && str_equal(name, STR("[memory]"));
}

bool wanted_file_columns(struct wanted *wanted)
{
	size_t count = wanted->columns;
	bool good = (!wanted->rank_column || add_column(wanted, "rank", 0)) &&
	            (!wanted->file_column || add_column(wanted, "file", 0));

	wanted->columns = count;
	return good;
}

void wanted_filter(struct wanted *wanted)
{
	struct buf *phases = &wanted->filter_phases;

	buf_str(phases, wanted->phases);
	buf_text(phases, wanted_ends);
	for (char c = 'A'; c <= 'z' && (wanted->categories.accepted_count || wanted->memory); c++)
		buf_char(phases, c);
	wanted->filter = (struct json_filter){.ph = WANT_PH,
	                                      .cat = WANT_CAT,
	                                      .phases = buf_view(phases),
	                                      .always = wanted->join_ends ? STR("MBEbe") : STR("M"),
	                                      .categories = wanted->categories.accepted,
	                                      .categories_count = wanted->categories.accepted_count};
	if (wanted->memory)
		wanted->filter.categories_count = 0;
	if (wanted->by_process) {
		/* If no name matches, the processes of all X events must be known. */
		wanted->filter.always = STR("MXBEbe");
		wanted->filter.categories_count = 0;
	}
}

void wanted_json(struct wanted *wanted, const char *const *members, size_t members_count,
                 const struct opts *opts)
{
	wanted->json.fields = fields;
	wanted->json.fields_count = WANT_FIELDS;
	wanted->json.object = "args";
	wanted->json.inner = wanted->args;
	wanted->json.inner_count = wanted->args_count;
	wanted->json.members = members;
	wanted->json.members_count = members_count;
	wanted->json.filter = &wanted->filter;
	wanted->json.all = opts->verbose;
	wanted->json.strict = opts->strict;
}

bool wanted_phase(const struct wanted *wanted, struct str ph, struct str cat)
{
	return ph.n == 1 && (memchr(wanted->phases.s, *ph.s, wanted->phases.n) ||
	                     (*ph.s == 's' && wanted->flows && str_equal(cat, ASCEND_FLOW)));
}

void wanted_free(struct wanted *wanted)
{
	free(wanted->args);
	free(wanted->names);
	free(wanted->from);
	buf_free(&wanted->filter_phases);
	buf_free(&wanted->error);
	words_free(&wanted->texts);
}
