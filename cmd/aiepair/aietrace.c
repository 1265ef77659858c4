#include "aietrace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum what { UNNAMED, OTHER, CORE };

/* The events of one process of one trace. */
struct aie_process {
	struct aie_tile tile;
	uint64_t rows;
	enum what what;
};

/* --- texts --------------------------------------------------------------- */

/* The key of a process in names and processes: neither part has a tab. */
static struct str key_of(struct aie_traces *t, struct str file, struct str pid)
{
	t->key.len = 0;
	buf_str(&t->key, file);
	buf_char(&t->key, '\t');
	buf_str(&t->key, pid);
	return buf_view(&t->key);
}

static struct str before_tab(struct str key)
{
	const char *tab = memchr(key.s, '\t', key.n);

	return (struct str){key.s, tab ? (size_t)(tab - key.s) : key.n};
}

static struct str after_tab(struct str key)
{
	size_t n = before_tab(key).n;

	return n < key.n ? (struct str){key.s + n + 1, key.n - n - 1} : STR("");
}

/* The text without its escapes, with a NUL after it; the caller frees it. */
static struct str decoded(struct str text)
{
	struct buf out = {0};

	tsv_unescape(&out, text);
	*buf_reserve(&out, 1) = '\0';
	return (struct str){out.data, out.len};
}

static void free_text(struct str text)
{
	free((char *)text.s);
}

/* --- reading ------------------------------------------------------------- */

void aie_traces_columns(struct aie_traces *t, struct kev_reader *in)
{
	t->file = kev_column(in, STR("file"));
	t->files |= t->file != KEV_NONE;
	if (kev_need(in, STR("ts"), &t->ts) && kev_need(in, STR("name"), &t->name) &&
	    kev_need(in, STR("ph"), &t->ph))
		kev_need(in, STR("pid"), &t->pid);
}

/* Notices another file, for which the ##source lines before do not hold. */
static void follow(struct aie_traces *t, const struct kev_reader *in)
{
	if (t->path && t->operand == in->operand)
		return;
	t->path = in->file;
	t->operand = in->operand;
	t->paths++;
	t->sourced = false;
	t->source.len = 0;
}

static void add_source(struct aie_traces *t, struct str source)
{
	char number[32];

	snprintf(number, sizeof number, "%zu", t->paths);
	strmap_add(&t->sources, key_of(t, str_of(number), source), NULL);
	t->sourced = true;
}

static void name_process(struct aie_traces *t, struct str value)
{
	bool new;
	size_t i = strmap_add(&t->names, key_of(t, buf_view(&t->source), before_tab(value)), &new);

	t->name_of = mem_grow(t->name_of, &t->names_cap, i + 1, sizeof *t->name_of);
	if (!new) {
		struct str before = t->name_of[i];

		t->name_of[i] = decoded(after_tab(value));
		t->renamed |= !str_equal(before, t->name_of[i]);
		free_text(before);
		return;
	}
	t->name_of[i] = decoded(after_tab(value));
}

void aie_traces_meta(struct aie_traces *t, const struct kev_reader *in)
{
	follow(t, in);
	if (str_equal(in->key, STR("process"))) {
		name_process(t, in->value);
	} else if (str_equal(in->key, STR("source"))) {
		t->source.len = 0;
		buf_str(&t->source, in->value);
		add_source(t, in->value);
	}
}

enum event { BEGIN, END, STALL_BEGIN, STALL_END, NONE };

static enum event event_of(struct aie_traces *t, const struct kev_reader *in)
{
	struct str name = in->field[t->name];
	bool begin = str_equal(in->field[t->ph], STR("B"));
	bool end = str_equal(in->field[t->ph], STR("E"));

	t->phases |= begin || end || str_equal(in->field[t->ph], STR("M"));
	if (!begin && !end)
		return NONE;
	if (str_equal(name, STR("LOCK_STALL")))
		return begin ? STALL_BEGIN : STALL_END;
	if (str_equal(name, STR("INSTR_EVENT_0")))
		return begin ? BEGIN : NONE;
	if (str_equal(name, STR("INSTR_EVENT_1")))
		return begin == t->to_begin ? END : NONE;
	return NONE;
}

static struct aie_process *process_of(struct aie_traces *t, struct str file, struct str pid)
{
	bool new;
	size_t i = strmap_add(&t->processes, key_of(t, file, pid), &new);

	t->process = mem_grow(t->process, &t->processes_cap, i + 1, sizeof(void *));
	if (new)
		t->process[i] = mem_zero(1, sizeof(struct aie_process));
	return t->process[i];
}

/* The row's ts, cut to whole cycles. False if it is not a number of cycles, recorded in error. */
static bool read_cycles(struct str text, struct kev_reader *in, int64_t *cycles)
{
	char value[QUOTE_MAX];
	struct dec ts;
	enum dec_result result = dec_whole(text, &ts);

	if (result == DEC_OK && dec_compare(ts, dec_of(AIE_TIME_MIN)) >= 0 &&
	    dec_compare(ts, dec_of(AIE_TIME_MAX)) <= 0) {
		*cycles = (int64_t)(ts.nano / dec_of(1).nano);
		return true;
	}
	kev_error(in, "ts: %s is %s", quote(value, text.s, text.n),
	          result == DEC_NOT_A_NUMBER ? "not a number" : "too large a number of cycles");
	return false;
}

/* Without a ##source line, the source is the file that is read. */
static void add_path(struct aie_traces *t)
{
	struct buf path = {0};

	tsv_escape(&path, str_of(t->path));
	add_source(t, buf_view(&path));
	buf_free(&path);
}

/* Without a column file all rows must be of one trace: pids begin anew in each. */
static bool one_source(struct aie_traces *t, struct kev_reader *in)
{
	if (!t->sourced)
		add_path(t);
	if (t->sources.count == 1)
		return true;
	kev_misuse(in, "rows of several traces need a column 'file': use trace2tsv -f");
	return false;
}

static struct aie_times *list_of(struct aie_tile *tile, enum event event)
{
	switch (event) {
	case BEGIN:
		return &tile->starts;
	case END:
		return &tile->ends;
	case STALL_BEGIN:
		return &tile->stall_begins;
	default:
		return &tile->stall_ends;
	}
}

enum aie_row aie_traces_row(struct aie_traces *t, struct kev_reader *in)
{
	enum event event = event_of(t, in);
	struct aie_process *process;
	int64_t cycles = 0;

	follow(t, in);
	if (event == NONE)
		return AIE_OTHER;
	if (t->file == KEV_NONE && !one_source(t, in))
		return AIE_FAILED;
	if (in->field[t->ts].n == 0)
		return AIE_NO_TS;
	if (!read_cycles(in->field[t->ts], in, &cycles))
		return AIE_FAILED;
	process = process_of(t, t->file == KEV_NONE ? STR("") : in->field[t->file], in->field[t->pid]);
	process->rows++;
	aie_times_add(list_of(&process->tile, event), cycles);
	return AIE_TAKEN;
}

/* --- traces and their cores ---------------------------------------------- */

static struct str tile_name(struct str name)
{
	const struct str mark = STR(" for ");

	for (size_t at = name.n; at >= mark.n; at--) {
		if (str_ends((struct str){name.s, at}, mark))
			return (struct str){name.s + at, name.n - at};
	}
	return name;
}

/*
 * A process that a ##process line names. A line names the process of its source. A line before any
 * ##source names it in each file with rows of that pid that has no such line.
 */
struct named {
	size_t file; /* number in files */
	size_t name; /* number in names */
};

struct named_list {
	struct named *named;
	size_t count;
	size_t cap;
};

static void add_named(struct named_list *list, size_t file, size_t name)
{
	list->named = mem_grow(list->named, &list->cap, list->count + 1, sizeof *list->named);
	list->named[list->count++] = (struct named){file, name};
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* A stream without a column file is one file. Lines before its ##source count for other pids. */
static void find_named(struct aie_traces *t, struct str file, struct named_list *list)
{
	for (size_t i = 0; i < t->names.count; i++) {
		struct str source = before_tab(strmap_key(&t->names, i));
		struct str pid = after_tab(strmap_key(&t->names, i));

		if (str_equal(source, file) ||
		    (source.n == 0 && strmap_find(&t->names, key_of(t, file, pid)) == STRMAP_NONE))
			add_named(list, 0, i);
	}
}

/* By file, then in the order of the lines. */
static void find_named_of_files(struct aie_traces *t, const struct strmap *files,
                                struct named_list *list)
{
	for (size_t i = 0; i < t->names.count; i++) {
		size_t file = strmap_find(files, before_tab(strmap_key(&t->names, i)));

		if (file != STRMAP_NONE)
			add_named(list, file, i);
	}
	for (size_t i = 0; i < t->processes.count; i++) {
		struct str process = strmap_key(&t->processes, i);
		size_t name = strmap_find(&t->names, key_of(t, STR(""), after_tab(process)));

		if (name != STRMAP_NONE && strmap_find(&t->names, process) == STRMAP_NONE)
			add_named(list, strmap_find(files, before_tab(process)), name);
	}
	if (list->count)
		qsort(list->named, list->count, sizeof *list->named, compare_named);
}

static void add_core(struct aie_traces *t, size_t file, struct str key, size_t name)
{
	struct aie_trace *trace = &t->trace[file];
	struct str pid = after_tab(strmap_key(&t->names, name));
	struct aie_process *process = process_of(t, t->files ? key : STR(""), pid);

	process->what = str_has(t->name_of[name], STR("core_trace")) ? CORE : OTHER;
	if (process->what == OTHER)
		return;
	trace->core = mem_grow(trace->core, &trace->cap, trace->cores + 1, sizeof *trace->core);
	trace->core[trace->cores++] =
		(struct aie_core){decoded(pid), tile_name(t->name_of[name]), &process->tile};
}

/* The files of all cores and of all rows taken, as the stream writes them. */
static void find_files(struct aie_traces *t, struct strmap *files)
{
	if (!t->files) {
		if (t->path && t->sources.count == 0)
			add_path(t);
		if (t->sources.count)
			strmap_add(files, after_tab(strmap_key(&t->sources, 0)), NULL);
		return;
	}
	for (size_t i = 0; i < t->names.count; i++) {
		struct str source = before_tab(strmap_key(&t->names, i));

		if (source.n && str_has(t->name_of[i], STR("core_trace")))
			strmap_add(files, source, NULL);
	}
	for (size_t i = 0; i < t->processes.count; i++)
		strmap_add(files, before_tab(strmap_key(&t->processes, i)), NULL);
}

static uint64_t *rows_of(struct aie_traces *t, enum what what)
{
	switch (what) {
	case CORE:
		return &t->core_rows;
	case OTHER:
		return &t->other_rows;
	default:
		return &t->unnamed_rows;
	}
}

void aie_traces_find(struct aie_traces *t)
{
	struct named_list list = {0};
	struct strmap files = {0};

	find_files(t, &files);
	t->count = files.count;
	t->trace = mem_zero(files.count, sizeof *t->trace);
	for (size_t i = 0; i < files.count; i++)
		t->trace[i].file = decoded(strmap_key(&files, i));
	if (t->files)
		find_named_of_files(t, &files, &list);
	else if (files.count)
		find_named(t, strmap_key(&files, 0), &list);
	for (size_t i = 0; i < list.count; i++)
		add_core(t, list.named[i].file, strmap_key(&files, list.named[i].file), list.named[i].name);
	free(list.named);
	strmap_free(&files);
	for (size_t i = 0; i < t->processes.count; i++)
		*rows_of(t, t->process[i]->what) += t->process[i]->rows;
}

void aie_traces_free(struct aie_traces *t)
{
	for (size_t i = 0; i < t->count; i++) {
		for (size_t c = 0; c < t->trace[i].cores; c++)
			free_text(t->trace[i].core[c].pid);
		free(t->trace[i].core);
		free_text(t->trace[i].file);
	}
	for (size_t i = 0; i < t->processes.count; i++) {
		aie_tile_free(&t->process[i]->tile);
		free(t->process[i]);
	}
	for (size_t i = 0; i < t->names.count; i++)
		free_text(t->name_of[i]);
	free(t->trace);
	free(t->process);
	free(t->name_of);
	buf_free(&t->source);
	buf_free(&t->key);
	strmap_free(&t->sources);
	strmap_free(&t->names);
	strmap_free(&t->processes);
	*t = (struct aie_traces){0};
}
