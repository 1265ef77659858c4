/*
 * trace2tsv - Chrome trace event JSON to the kernel-event stream, kev(5).
 *
 *	[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10.5,"dur":2,
 *	  "args":{"source":"MEASURED","kernel_type":"MatMul"}}]
 * gives
 *	#ts	dur	type	name	cat	ph	pid	tid	source
 *	10.5	2	MatMul	gemm	kernel	X	0	7	MEASURED
 *
 * Memory is constant, whatever the size of the file and of its events; with -P
 * rows wait in a temporary file until the process is known.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "io/spool.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "json/json.h"

/* What is wanted of an event: members of its own, then members of args; more of these follow. */
enum want { TS, DUR, NAME, CAT, PH, PID, TID, FIELDS, TYPE = FIELDS, SOURCE, ARGS_NAME, WANTS };

static const char *const fields[FIELDS] = {"ts", "dur", "name", "cat", "ph", "pid", "tid"};

static const char *const core_args[WANTS - FIELDS] = {
	[TYPE - FIELDS] = "kernel_type",
	[SOURCE - FIELDS] = "source",
	[ARGS_NAME - FIELDS] = "name", /* of process_name and thread_name events */
};

static const size_t core_wants[KEV_CORE] = {TS, DUR, TYPE, NAME, CAT, PH, PID, TID, SOURCE};

enum member { DEVICES, ROCTRACER, DISTRIBUTED, BASE_TIME, MEMBERS };

static const char *const members[MEMBERS] = {
	[DEVICES] = "deviceProperties",
	[ROCTRACER] = "roctracer_version",
	[DISTRIBUTED] = "distributedInfo",
	[BASE_TIME] = "baseTimeNanoseconds",
};

/* Why an event gives no row. */
enum reason { CATEGORY, NO_PH, PHASE, PROCESS, REASONS };

static const char *const reasons[REASONS] = {"category", "no ph", "phase", "process"};

/* -P: the process whose rows are wanted, while it is looked for and after. */
struct choice {
	bool on;
	bool made;
	size_t pid; /* by number in pids */
	struct strmap pids;
	struct strmap x_pids; /* of the X events alone */
	struct strmap names;  /* "name (pid)" of the processes that have one */
	struct spool spool;   /* lines that wait: {pid, length}, the line */
};

struct waiting {
	size_t pid;
	size_t length;
};

struct state {
	struct opts opts;
	struct kev_writer out;
	struct balance balance;
	/* Options. */
	struct str phases; /* a letter each */
	struct words categories;
	struct words processes; /* -P */
	struct str unit;        /* -u */
	bool file_column;
	/* Columns behind the core ones, and where their values come from. */
	const char **args;
	size_t args_count;
	struct str *names;
	size_t *column_want;
	size_t columns;
	size_t asked_from; /* the first column that -a asks for */
	struct json_filter filter;
	struct json_options json_options;
	/* The file being read. */
	struct json_reader json;
	struct choice choice;
	bool unit_known;
	bool platform_amd;
	bool platform_written;
	bool devices;
	uint64_t no_ph;
	uint64_t bad_ts;
	uint64_t bad_dur;
	uint64_t damages; /* events passed over */
	char last_damage[sizeof((struct json_reader *)0)->error];
	uint64_t rows;
	bool *seen; /* by column: some row has it */
	struct str *row;
	struct buf number[2]; /* TS and DUR, where they are not as they stand */
	struct buf scratch;
};

enum { MAX_FIELD = OPT_LONG };

static const struct opt opts[] = {
	{'p', "phase", "PH", "phases to write, a letter each (X)"},
	{'c', "category", "CAT,...", "only events of these categories"},
	{'a', "arg", "ARG[=COL],...", "further columns, from args"},
	{'P', "process", "SUBSTR,...", "only the first process with one of these in its name"},
	{'g', "gpu", NULL, "the categories and columns of a PyTorch trace"},
	{'u', "unit", "UNIT", "what ts and dur are in: us or cycles"},
	{'f', "file", NULL, "add a column with the file's name"},
	{MAX_FIELD, "max-field", "BYTES", "the largest value of an event, at least 256K (16M)"},
};

static const struct opt_usage usage = {
	"[-p PH] [-c CAT,...] [-a ARG[=COL],...] [-P SUBSTR,...] [-g] [-u UNIT] [-f] [FILE...]",
	"Chrome trace event JSON to the kernel-event stream.", opts, sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

/* The number of what is wanted as args.name, made where it is new. */
static size_t want_arg(struct state *st, const char *name)
{
	size_t i = 0;

	while (i < st->args_count && strcmp(st->args[i], name) != 0)
		i++;
	if (i == st->args_count) {
		st->args = mem_resize(st->args, i + 1, sizeof *st->args);
		st->args[st->args_count++] = name;
	}
	return FIELDS + i;
}

static void add_column(struct state *st, const char *name, size_t want)
{
	for (size_t i = 0; i < st->columns; i++) {
		if (!str_equal(st->names[i], str_of(name)))
			continue;
		if (st->column_want[i] == want)
			return; /* asked for twice */
		opts_fail("there is a column '%s' already: name it ARG=COL", name);
	}
	st->names = mem_resize(st->names, st->columns + 1, sizeof *st->names);
	st->column_want = mem_resize(st->column_want, st->columns + 1, sizeof *st->column_want);
	st->names[st->columns] = str_of(name);
	st->column_want[st->columns++] = want;
}

static void add_arg_columns(struct state *st, const struct words *args)
{
	for (size_t i = 0; i < args->count; i++) {
		struct str arg = args->item[i];
		const char *equals = memchr(arg.s, '=', arg.n);

		if (equals && (equals == arg.s || !equals[1]))
			opts_fail("-a: '%s' is not ARG or ARG=COL", arg.s);
		if (equals)
			add_column(st, equals + 1, want_arg(st, mem_string(arg.s, (size_t)(equals - arg.s))));
		else
			add_column(st, arg.s, want_arg(st, arg.s));
	}
}

/* --- a file's metadata --------------------------------------------------- */

static void meta1(struct state *st, const char *key, struct str value)
{
	kev_meta(&st->out, key, &value, 1);
}

static void write_unit(struct state *st, struct str unit)
{
	if (st->unit_known)
		return;
	st->unit_known = true;
	st->balance.unit = str_equal(unit, STR("cycles")) ? "cycles" : "us";
	meta1(st, "unit", unit);
}

/* Certain as soon as something says AMD; NVIDIA where devices are there and nothing did. */
static void write_platform(struct state *st, bool guess)
{
	if (st->platform_written || (!st->platform_amd && !(guess && st->devices)))
		return;
	meta1(st, "platform", st->platform_amd ? STR("AMD") : STR("NVIDIA"));
	st->platform_written = true;
}

static struct str device_property(struct state *st, struct str devices, const char *name)
{
	const char *path[] = {"0", name};
	struct json_value value = json_find(devices, path, 2, &st->scratch);

	return value.type == JSON_NONE || value.type == JSON_NULL ? STR("") : value.text;
}

/* deviceProperties: the first device stands for all, as they are alike. */
static void write_device(struct state *st, struct str devices)
{
	static const char *const properties[] = {"totalGlobalMem", "numSms", "warpSize",
	                                         "maxThreadsPerBlock", "sharedMemPerBlock"};
	struct buf capability = {0};
	struct str value;

	if (json_find(devices, (const char *[]){"0"}, 1, &st->scratch).type != JSON_NESTED)
		return; /* a list of no devices */
	st->devices = true;
	value = device_property(st, devices, "warpSize");
	st->platform_amd |= str_equal(value, STR("64"));
	write_platform(st, false);

	value = device_property(st, devices, "name");
	if (value.n == 0)
		value = st->platform_amd ? STR("unknown AMD GPU") : STR("unknown NVIDIA GPU");
	meta1(st, "device", value);

	buf_str(&capability, device_property(st, devices, "computeMajor"));
	if (capability.len) {
		buf_char(&capability, '.');
		buf_str(&capability, device_property(st, devices, "computeMinor"));
		kev_meta(&st->out, "deviceProp",
		         (struct str[]){STR("computeCapability"), buf_view(&capability)}, 2);
	}
	buf_free(&capability);
	for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
		value = device_property(st, devices, properties[i]);
		if (value.n)
			kev_meta(&st->out, "deviceProp", (struct str[]){str_of(properties[i]), value}, 2);
	}
}

static void member(struct state *st)
{
	struct str text = st->json.value[0].text;

	switch ((enum member)st->json.member) {
	case DEVICES:
		write_device(st, text);
		break;
	case ROCTRACER:
		/* Behind a first guess the later line counts. */
		st->platform_written &= st->platform_amd;
		st->platform_amd = true;
		write_platform(st, false);
		break;
	case DISTRIBUTED: {
		struct json_value rank = json_find(text, (const char *[]){"rank"}, 1, &st->scratch);

		if (rank.type == JSON_NUMBER || rank.type == JSON_STRING)
			meta1(st, "rank", rank.text);
		break;
	}
	case BASE_TIME:
		meta1(st, members[BASE_TIME], text);
		break;
	case MEMBERS:
		break;
	}
}

/* --- -P ------------------------------------------------------------------ */

/* Whether one of -P's texts is in the name, in any case of ASCII letters. */
static bool process_wanted(const struct state *st, struct str name)
{
	for (size_t i = 0; i < st->processes.count; i++)
		if (str_has_any_case(name, st->processes.item[i]))
			return true;
	return false;
}

/* A row that waited, counted as it would have been. */
static void count_waiting(struct state *st, struct str line, bool chosen)
{
	struct str field[2] = {{"", 0}, {"", 0}};

	if (str_starts(line, STR("##")))
		return;
	tsv_split(line, field, 2);
	if (chosen)
		balance_out(&st->balance, field[KEV_DUR]);
	else
		balance_drop(&st->balance, PROCESS, field[KEV_DUR]);
}

static _Noreturn void fail_spool(struct state *st)
{
	kev_die(&st->out, st->json.in.name, 0, "%s", st->choice.spool.error);
}

/* From here on lines go out at once; those that waited go first. */
static void choose(struct state *st, size_t pid)
{
	struct choice *choice = &st->choice;
	const char *head;

	choice->made = true;
	choice->pid = pid;
	if (!spool_rewind(&choice->spool))
		fail_spool(st);
	while ((head = spool_read(&choice->spool, sizeof(struct waiting)))) {
		struct waiting waiting;
		struct str line;

		memcpy(&waiting, head, sizeof waiting);
		line = (struct str){spool_read(&choice->spool, waiting.length), waiting.length};
		if (!line.s)
			break;
		count_waiting(st, line, waiting.pid == pid);
		if (waiting.pid == pid)
			output_str(&st->out.out, line);
	}
	if (choice->spool.error[0])
		fail_spool(st);
	spool_close(&choice->spool);
}

/* The line just written belongs to pid: it stays or goes (true), or it waits (false). */
static bool settle_line(struct state *st, size_t pid)
{
	struct choice *choice = &st->choice;
	struct waiting waiting = {pid, 0};
	struct str line;

	if (!choice->on || (choice->made && choice->pid == pid))
		return true;
	line = kev_take_back(&st->out);
	if (choice->made || line.n == 0) /* nothing: metadata under -H */
		return true;
	waiting.length = line.n;
	if (!spool_write(&choice->spool, &waiting, sizeof waiting) ||
	    !spool_write(&choice->spool, line.s, line.n))
		fail_spool(st);
	return false;
}

enum { SHOWN = 12 };

/* The first of the keys, commas between them. */
static void list_some(struct buf *out, const struct strmap *map)
{
	for (size_t i = 0; i < map->count && i < SHOWN; i++) {
		buf_text(out, i ? ", " : "");
		buf_str(out, strmap_key(map, i));
	}
	if (map->count > SHOWN)
		buf_format(out, " and %zu more", map->count - SHOWN);
	if (map->count == 0)
		buf_text(out, "none");
}

/* At the end of a file in which no name matched: its only process, or an error. */
static void choose_only(struct state *st, const char *path)
{
	struct strmap *pids = &st->choice.x_pids;
	struct buf names = {0};
	struct buf list = {0};

	list_some(&names, &st->choice.names);
	if (pids->count == 0)
		kev_die(&st->out, path, 0,
		        "no process is named like -P says, and there are no X events; named are %.*s",
		        (int)names.len, buf_view(&names).s);
	list_some(&list, pids);
	if (pids->count != 1 || st->opts.strict)
		kev_die(&st->out, path, 0,
		        "no process is named like -P says; the X events are of pid %.*s; named are %.*s",
		        (int)list.len, list.data, (int)names.len, buf_view(&names).s);
	warn("%s: no process is named like -P says; taking the only one, %.*s", path, (int)list.len,
	     list.data);
	choose(st, strmap_add(&st->choice.pids, strmap_key(pids, 0), NULL));
	buf_free(&list);
	buf_free(&names);
}

/* --- events -------------------------------------------------------------- */

/* A value as the text of a column; null and what is missing are empty. */
static struct str value_text(const struct state *st, size_t want)
{
	const struct json_value *value = &st->json.value[want];

	return value->type == JSON_NONE || value->type == JSON_NULL ? STR("") : value->text;
}

/* The same of what must be a string: the phase M, a category. */
static struct str string_text(const struct state *st, size_t want)
{
	const struct json_value *value = &st->json.value[want];

	return value->type == JSON_STRING ? value->text : STR("");
}

/* ts or dur: its digits as they stand, exponents written out; empty where it is no number. */
static struct str number_text(struct state *st, size_t want, uint64_t *bad)
{
	struct buf *number = &st->number[want];
	struct str text;

	if (st->json.value[want].decimal)
		return st->json.value[want].text;
	text = str_trim(value_text(st, want));
	number->len = 0;
	if (text.n && !dec_copy(number, text))
		++*bad;
	return buf_view(number);
}

/* M: what a process or thread is called. */
static void metadata_event(struct state *st, size_t pid)
{
	struct str name = value_text(st, NAME);
	struct str called = value_text(st, ARGS_NAME);
	struct str pid_text = value_text(st, PID);

	write_platform(st, true);
	if (str_equal(name, STR("process_name"))) {
		if (str_has(called, STR("core_trace")))
			write_unit(st, STR("cycles"));
		if (st->choice.on && !st->choice.made) {
			st->scratch.len = 0;
			buf_str(&st->scratch, called);
			buf_text(&st->scratch, " (");
			buf_str(&st->scratch, pid_text);
			buf_char(&st->scratch, ')');
			strmap_add(&st->choice.names, buf_view(&st->scratch), NULL);
			if (process_wanted(st, called))
				choose(st, pid);
		}
		kev_meta(&st->out, "process", (struct str[]){pid_text, called}, 2);
		settle_line(st, pid);
	} else if (str_equal(name, STR("thread_name"))) {
		kev_meta(&st->out, "thread", (struct str[]){pid_text, value_text(st, TID), called}, 3);
		settle_line(st, pid);
	}
}

static void write_row(struct state *st, bool metadata, const char *path)
{
	write_platform(st, true);
	st->rows++;
	for (size_t i = 0; i < st->columns; i++) {
		size_t want = st->column_want[i];

		if (want == TS)
			st->row[i] = metadata ? STR("0") : number_text(st, TS, &st->bad_ts);
		else if (want == DUR)
			st->row[i] = number_text(st, DUR, &st->bad_dur);
		else
			st->row[i] = value_text(st, want);
		st->seen[i] |= st->json.value[want].type != JSON_NONE;
	}
	if (st->file_column)
		st->row[st->columns] = str_of(path);
	kev_row(&st->out, st->row, st->columns + st->file_column);
}

/* What --strict refuses, and what without it is counted and warned of at the end of the file. */
static void check_strict(struct state *st, const char *path, bool written)
{
	const char *what = st->no_ph           ? "an event without ph"
	                   : st->bad_ts        ? "ts is not a number"
	                   : st->bad_dur       ? "dur is not a number"
	                   : st->json.replaced ? "a lone surrogate in a string"
	                                       : NULL;

	if (!st->opts.strict || !what)
		return;
	if (written)
		kev_take_back(&st->out);
	kev_die(&st->out, path, 0, "byte %llu (event %llu): %s", (unsigned long long)st->json.offset,
	        (unsigned long long)st->json.event, what);
}

static void event(struct state *st, const char *path)
{
	struct str ph = value_text(st, PH);
	struct str dur = str_trim(value_text(st, DUR));
	bool metadata = str_equal(string_text(st, PH), STR("M"));
	bool category = st->categories.count == 0 || words_have(&st->categories, string_text(st, CAT));
	size_t pid = 0;
	bool written = false;

	balance_in(&st->balance, dur);
	if (st->choice.on) {
		pid = strmap_add(&st->choice.pids, value_text(st, PID), NULL);
		if (str_equal(ph, STR("X")))
			strmap_add(&st->choice.x_pids, value_text(st, PID), NULL);
	}
	if (metadata)
		metadata_event(st, pid);
	if (ph.n == 0 && (st->opts.strict || category)) {
		st->no_ph++;
		balance_drop(&st->balance, NO_PH, dur);
	} else if (!category) {
		balance_drop(&st->balance, CATEGORY, dur);
	} else if (ph.n != 1 || !memchr(st->phases.s, *ph.s, st->phases.n)) {
		balance_drop(&st->balance, PHASE, dur);
	} else if (st->choice.made && st->choice.pid != pid) {
		balance_drop(&st->balance, PROCESS, dur);
	} else {
		write_row(st, metadata, path);
		written = settle_line(st, pid);
		if (written)
			balance_out(&st->balance, dur);
	}
	check_strict(st, path, written);
}

/* --- files --------------------------------------------------------------- */

enum { DAMAGES_SHOWN = 3 }; /* of events passed over, in one file */

static void damaged(struct state *st, const char *path)
{
	if (st->opts.strict)
		kev_die(&st->out, path, 0, "%s", st->json.error);
	if (st->damages++ < DAMAGES_SHOWN)
		kev_damaged(&st->out, path, st->json.error);
	snprintf(st->last_damage, sizeof st->last_damage, "%s", st->json.error);
}

/* What was asked for by name and is nowhere in the file: perhaps misspelt. */
static void warn_of_nothing(struct state *st, const char *path)
{
	if (st->rows == 0 && st->json.event) {
		struct buf categories = {0};

		for (size_t i = 0; i < st->categories.count; i++) {
			buf_text(&categories, i ? "," : " and category ");
			buf_str(&categories, st->categories.item[i]);
		}
		warn("%s: none of the %llu events %shas phase %.*s%.*s", path,
		     (unsigned long long)st->json.event,
		     st->choice.on ? "is of the process of -P and " : "", (int)st->phases.n, st->phases.s,
		     (int)categories.len, buf_view(&categories).s);
		buf_free(&categories);
	}
	for (size_t i = st->asked_from; i < st->columns && st->rows; i++)
		if (!st->seen[i])
			warn("%s: no row has args '%s'", path, st->args[st->column_want[i] - FIELDS]);
}

/* What happened in the file and was not said yet. */
static void end_file(struct state *st, const char *path, bool broken)
{
	if (st->choice.on && !st->choice.made) {
		/* The names may stand behind the place where the file breaks off. */
		if (broken)
			kev_damaged(&st->out, path, st->json.error);
		choose_only(st, path);
	}
	write_platform(st, true);
	write_unit(st, STR("us"));
	if (st->damages > DAMAGES_SHOWN) {
		struct buf what = {0};

		buf_format(&what, "%llu more places are damaged, the last one %s",
		           (unsigned long long)st->damages - DAMAGES_SHOWN, st->last_damage);
		buf_char(&what, '\0');
		kev_damaged(&st->out, path, what.data);
		buf_free(&what);
	}
	if (!broken && !st->damages)
		warn_of_nothing(st, path);
	if (st->no_ph)
		warn("%s: events without ph, left out: %llu", path, (unsigned long long)st->no_ph);
	if (st->bad_ts)
		warn("%s: rows whose ts is not a number, left empty: %llu", path,
		     (unsigned long long)st->bad_ts);
	if (st->bad_dur)
		warn("%s: rows whose dur is not a number, left empty: %llu", path,
		     (unsigned long long)st->bad_dur);
	if (st->json.replaced)
		warn("%s: lone surrogates (now U+FFFD) and unknown escapes (kept) in strings: %llu", path,
		     (unsigned long long)st->json.replaced);
}

static void read_file(struct state *st, const char *path)
{
	enum json_item item;
	bool chosen;

	st->unit_known = st->platform_amd = st->platform_written = st->devices = false;
	st->no_ph = st->bad_ts = st->bad_dur = st->damages = st->rows = 0;
	memset(st->seen, 0, st->columns * sizeof *st->seen);
	if (!json_open(&st->json, path, &st->json_options))
		kev_die(&st->out, path, 0, "%s", st->json.error);
	meta1(st, "source", str_of(path));
	if (st->unit.n)
		write_unit(st, st->unit);
	kev_columns(&st->out, st->names, st->columns + st->file_column);
	if (st->processes.count) {
		st->choice = (struct choice){.on = true};
		if (!spool_open(&st->choice.spool))
			fail_spool(st);
	}
	while ((item = json_next(&st->json)) > JSON_END) {
		if (item == JSON_EVENT)
			event(st, path);
		else if (item == JSON_MEMBER)
			member(st);
		else
			damaged(st, path);
	}
	if (item == JSON_BROKEN && st->json.fatal)
		kev_die(&st->out, path, 0, "%s", st->json.error);
	if (item == JSON_BROKEN && st->opts.strict)
		damaged(st, path);
	chosen = !st->choice.on || st->choice.made;
	end_file(st, path, item == JSON_BROKEN);
	/* Last, so that it is the end of the output. */
	if (item == JSON_BROKEN && chosen)
		kev_damaged(&st->out, path, st->json.error);
	json_close(&st->json);
	strmap_free(&st->choice.pids);
	strmap_free(&st->choice.x_pids);
	strmap_free(&st->choice.names);
}

int main(int argc, char **argv)
{
	static const char *const gpu_categories =
		"kernel,gpu_memcpy,gpu_memset,cuda_runtime,cuda_driver,cpu_op,user_annotation,"
		"gpu_user_annotation,python_function";
	static const char *const gpu_args = "correlation,External id,stream,Python id,Python parent id";
	struct state st = {
		.phases = STR("X"),
		.balance = {.unit = "us", .what = "events", .reasons = reasons, .reasons_count = REASONS},
		.json_options = {.members = members, .members_count = MEMBERS, .max_field = 16 << 20}};
	struct words args = {0};
	bool gpu = false;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'p':
			st.phases = str_of(st.opts.arg);
			if (st.phases.n == 0)
				opts_fail("-p: no phase is named");
			break;
		case 'c':
			opts_words(&st.opts, &st.categories);
			break;
		case 'a':
			opts_words(&st.opts, &args);
			break;
		case 'P':
			opts_words(&st.opts, &st.processes);
			break;
		case 'g':
			gpu = true;
			break;
		case 'u':
			if (strcmp(st.opts.arg, "us") != 0 && strcmp(st.opts.arg, "cycles") != 0)
				opts_fail("-u: '%s' is not us or cycles", st.opts.arg);
			st.unit = str_of(st.opts.arg);
			break;
		case 'f':
			st.file_column = true;
			break;
		case MAX_FIELD:
			st.json_options.max_field = opts_size(&st.opts, 256 << 10);
			break;
		}
	}
	if (gpu && st.categories.count == 0)
		words_add(&st.categories, gpu_categories);

	for (size_t i = 0; i < WANTS - FIELDS; i++)
		want_arg(&st, core_args[i]);
	for (size_t i = 0; i < KEV_CORE; i++)
		add_column(&st, kev_core[i], core_wants[i]);
	if (gpu) {
		struct words preset = {0};

		words_add(&preset, gpu_args);
		add_arg_columns(&st, &preset);
	}
	st.asked_from = st.columns;
	add_arg_columns(&st, &args);
	st.seen = mem_zero(st.columns, sizeof *st.seen);
	if (st.file_column) {
		add_column(&st, "file", 0);
		st.columns--; /* its value is not the event's: write_row adds it */
	}
	st.row = mem_alloc(st.columns + 1, sizeof *st.row);
	st.filter = (struct json_filter){.ph = PH,
	                                 .cat = CAT,
	                                 .phases = st.phases,
	                                 .always = STR("M"),
	                                 .categories = st.categories.item,
	                                 .categories_count = st.categories.count};
	if (st.processes.count) {
		/* Should no name match, all X events must say of which process they are. */
		st.filter.always = STR("MX");
		st.filter.categories_count = 0;
	}
	st.json_options.fields = fields;
	st.json_options.fields_count = FIELDS;
	st.json_options.object = "args";
	st.json_options.inner = st.args;
	st.json_options.inner_count = st.args_count;
	st.json_options.filter = &st.filter;
	st.json_options.all = st.opts.verbose;
	st.json_options.strict = st.opts.strict;
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	if (st.opts.operands_count == 0)
		read_file(&st, "-");
	for (int i = 0; i < st.opts.operands_count; i++)
		read_file(&st, st.opts.operands[i]);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
