/*
 * kpath - the critical path of a device: what each moment until the end of its work waited for.
 *
 *	#ts	dur	name	cat	pid	tid	correlation
 *	0	2	cudaLaunchKernel	cuda_runtime	9	9	1
 *	5	95	gemm	kernel	0	7	1
 * gives
 *	#ts	dur	name	cat	ph	path	pid	tid	kind	correlation
 *	0	2	cudaLaunchKernel	path	X	0	9	9	launch
 *	2	3	gemm	path	X	0	0	7	delay	1
 *	5	95	gemm	path	X	0	0	7	kernel	1
 *
 * Memory: 48 bytes for each row of the host, and for those of processes with several busy threads
 * up to 64 more; 60 for each correlation; some 180 for each row of a device; distinct names; and
 * what walk.h says.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "wall/devices.h"
#include "wall/kind.h"

#include "walk.h"

enum reason { HOST, NO_TIME, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[NO_TIME] = "without ts or dur",
};
BALANCE_FITS(reasons);

/* The ends of the path of a group: a device with one value of the columns of -k. */
struct end {
	uint32_t last; /* its row that ended last; DEVROWS_NONE */
	struct dec begin;
};

struct state {
	struct opts opts;
	struct words keys;
	struct threads_ignored ignored;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct kinds kinds;
	struct devices devices; /* groups */
	struct launches launches;
	struct threads threads;
	struct devrows devrows;
	struct marks marks;
	struct returns returns;
	struct callers callers;
	struct walk walk;
	int ts;
	int dur;
	bool has_copied[DEVROWS_COPIED]; /* some layout has the column */
	bool has_correlation;
	bool hosts; /* there is a row of the host */
	uint64_t no_time;
	uint64_t negative;
	/* The start of the first annotation with these values of -k: file as bytes, the values. */
	struct strmap annotations;
	struct dec *annotated;
	size_t annotated_cap;
	struct end *end; /* by number in devices */
	size_t paths;
	struct dec total;    /* the time of all paths */
	struct dec unlinked; /* that of rows without a launch */
	struct buf text;
	struct buf scratch;
};

enum { MICRO = OPT_LONG, IGNORE };

static const struct opt opts[] = {
	{'k', "key", "COL,...", "a path for each value of these columns, such as step"},
	{MICRO, "micro", "TIME", "infer the cause of a wait of at least TIME (default: 30us)"},
	{IGNORE, "ignore", "CAT,...", "rows of these categories are no rows of the host"},
};

static const struct opt_usage usage = {
	"[-k COL,...] [--micro=TIME] [--ignore=CAT,...] [FILE...]",
	"Write the critical path of each device: what its last kernel waited for, and so on back.",
	opts, sizeof opts / sizeof *opts};

/* The columns of an event; `file`, path and the keys follow the first five, then the others. */
static const char *const own_columns[] = {"ts",   "dur", "name", "cat", "ph",
                                          "path", "pid", "tid",  "kind"};
enum { EVENT_COLUMNS = 5, PATH_COLUMN = EVENT_COLUMNS, OWN_COLUMNS = 9 };

/* --- rows -------------------------------------------------------------------- */

static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	kinds_columns(&st->kinds, in);
	devices_columns(&st->devices, in);
	launches_columns(&st->launches, in, false);
	threads_columns(&st->threads, in);
	returns_columns(&st->returns, in);
	devrows_columns(&st->devrows, in);
	marks_columns(&st->marks, in);
	st->ts = kev_column(in, STR("ts"));
	st->dur = kev_column(in, STR("dur"));
	for (size_t i = 0; i < DEVROWS_COPIED; i++)
		st->has_copied[i] |= st->devrows.copied[i] != KEV_NONE;
	st->has_correlation |= st->launches.column[LAUNCH_CORRELATION] != KEV_NONE;
}

/* Notes the start of an annotation, which belongs to the groups with its values of -k. */
static void note_annotation(struct state *st)
{
	struct str values =
		kev_key(&st->in, st->devices.key + 1, st->devices.keys.count - 1, &st->text, &st->scratch);
	size_t file = st->devices.source;
	struct buf key = {0};
	struct dec ts;
	struct dec dur;
	size_t number;
	bool new;

	if (!kev_number(&st->in, st->ts, &ts) || !kev_number(&st->in, st->dur, &dur) || dur.nano < 0)
		return;
	buf_bytes(&key, (const char *)&file, sizeof file);
	buf_str(&key, values);
	number = strmap_add(&st->annotations, buf_view(&key), &new);
	buf_free(&key);
	st->annotated = mem_grow(st->annotated, &st->annotated_cap, number + 1, sizeof *st->annotated);
	if (new || dec_compare(ts, st->annotated[number]) < 0)
		st->annotated[number] = ts;
}

static void host_row(struct state *st, enum rowkind kind)
{
	struct kev_reader *in = &st->in;
	struct str cat = kinds_cat(&st->kinds, in);
	enum rowkind_rank rank = threads_rank(&st->threads, kind, cat);
	size_t file = st->devices.source;

	st->hosts |= rowkind_rank(kind, cat) != ROWKIND_IN_NOTHING;
	launches_host(&st->launches, in, file, kind);
	if (rank != ROWKIND_IN_NOTHING) {
		threads_add(&st->threads, in, file, kind, rank);
		returns_add(&st->returns, in, file, kind, rank);
	}
	if (rank == ROWKIND_IN_ANNOTATION && st->devices.keys.count > 1)
		note_annotation(st);
	if (kind == ROWKIND_MARK && str_equal(cat, STR("cuda_sync")))
		marks_add(&st->marks, in, file);
	/* The categories are told only if there is no row of a device. */
	if (st->devices.names.count == 0)
		kinds_skip(&st->kinds, in);
	if (st->opts.strict && st->threads.no_time)
		kev_error(in, "a row of the host without ts or dur");
	if (st->opts.strict && st->threads.negative)
		kev_error(in, "a row of the host with a negative dur");
}

static void device_row(struct state *st, enum rowkind kind, struct dec ts, struct dec dur)
{
	struct interval span;
	bool new;
	size_t group = devices_of(&st->devices, &st->in, ts, &new);

	st->negative += dur.nano < 0;
	if (dur.nano < 0)
		dur.nano = 0;
	if (!interval_from(ts, dur, &span)) {
		kev_error(&st->in, "the times are too large to add");
		return;
	}
	devrows_add(&st->devrows, &st->in, st->devices.source, &span, rowkind_is_copy(kind),
	            (uint32_t)group);
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str dur_text = in->field[st->dur];
	enum rowkind kind;
	struct dec ts;
	struct dec dur;
	bool timed;

	if (strcmp(kev_unit(in), "cycles") == 0)
		kev_misuse(in, "the times are cycles, of each tile its own, and no launch has such");
	balance_in(&st->balance, dur_text);
	devices_row(&st->devices, in);
	kind = kinds_row(&st->kinds, in);
	if (!rowkind_is_device(kind)) {
		balance_drop(&st->balance, HOST, dur_text);
		host_row(st, kind);
		return;
	}
	timed = kev_number(in, st->ts, &ts);
	if (!kev_number(in, st->dur, &dur) || !timed) {
		balance_drop(&st->balance, NO_TIME, dur_text);
		st->no_time++;
		if (st->opts.strict)
			kev_error(in, "a row of a device without ts or dur");
		return;
	}
	balance_out(&st->balance, dur_text);
	device_row(st, kind, ts, dur);
}

static void metadata(struct state *st)
{
	devices_metadata(&st->devices, &st->in);
	kinds_metadata(&st->kinds, &st->in);
	kev_pass_meta(&st->out, &st->in);
}

/* --- groups ------------------------------------------------------------------ */

static void begin_at(struct end *end, struct dec time)
{
	if (dec_compare(time, end->begin) < 0)
		end->begin = time;
}

static void find_groups(struct state *st)
{
	size_t count = st->devices.names.count;

	st->end = mem_alloc(count + 1, sizeof *st->end);
	for (size_t i = 0; i < count; i++)
		st->end[i].last = DEVROWS_NONE;
	for (size_t i = 0; i < st->devrows.count; i++) {
		const struct devrow *row = &st->devrows.row[i];
		const struct launch *launch = devrows_launch(&st->devrows, row);
		struct end *end = &st->end[row->group];

		if (end->last == DEVROWS_NONE)
			end->begin = row->start;
		end->last = (uint32_t)i;
		begin_at(end, row->start);
		if (launch)
			begin_at(end, launch->ts);
	}
}

/* The value of a key of a group, escaped; key 0 is the device. */
static struct str group_value(const struct state *st, size_t number, size_t key)
{
	return tsv_field(strmap_key(&st->devices.names, number), 1 + key);
}

/* The path begins with the annotations of its group. False if the group has an empty value. */
static bool annotate(struct state *st, size_t number)
{
	size_t file = st->devices.source_of[number];
	size_t found;

	st->text.len = 0;
	buf_bytes(&st->text, (const char *)&file, sizeof file);
	for (size_t i = 1; i < st->devices.keys.count; i++) {
		struct str value = group_value(st, number, i);

		if (value.n == 0)
			return false;
		if (i > 1)
			buf_char(&st->text, '\t');
		buf_str(&st->text, value);
	}
	found = strmap_find(&st->annotations, buf_view(&st->text));
	if (found != STRMAP_NONE)
		begin_at(&st->end[number], st->annotated[found]);
	return true;
}

/* --- output ------------------------------------------------------------------ */

/* Whether a column of the rows of devices is written. The keys are written before. */
static bool writes_copied(const struct state *st, size_t column)
{
	return st->has_copied[column] && !words_have(&st->devices.keys, str_of(devrows_copied[column]));
}

static bool writes_correlation(const struct state *st)
{
	return st->has_correlation && !words_have(&st->devices.keys, STR("correlation"));
}

/* Correlation stands before stream, which is the last one. */
static bool is_after_correlation(size_t column)
{
	return column + 1 == DEVROWS_COPIED;
}

static void put_columns(struct state *st)
{
	size_t keys = st->devices.keys.count;
	struct str *names = mem_alloc(OWN_COLUMNS + keys + DEVROWS_COPIED + 2, sizeof *names);
	size_t count = 0;

	for (size_t i = 0; i < OWN_COLUMNS; i++) {
		if (i == PATH_COLUMN && devices_several(&st->devices))
			names[count++] = STR("file");
		names[count++] = str_of(own_columns[i]);
		for (size_t j = 1; i == PATH_COLUMN && j < keys; j++)
			names[count++] = st->devices.keys.item[j];
	}
	for (size_t i = 0; i < DEVROWS_COPIED; i++) {
		if (is_after_correlation(i) && writes_correlation(st))
			names[count++] = STR("correlation");
		if (writes_copied(st, i))
			names[count++] = str_of(devrows_copied[i]);
	}
	kev_columns(&st->out, names, count);
	free(names);
}

/* What a piece is named for. Texts are escaped. */
struct named {
	struct str name;
	struct str pid;
	struct str tid;
	const struct devrow *row; /* NULL if it is not of a device */
};

static struct named name_thread(const struct threads *threads, const struct thread *thread,
                                uint32_t row)
{
	return (struct named){
		.name = row == THREADS_NONE ? STR("") : threads_name(threads, &thread->row[row]),
		.pid = threads_pid(threads, thread),
		.tid = threads_tid(threads, thread),
	};
}

static struct named name_piece(struct state *st, const struct path_piece *piece)
{
	struct caller caller;

	if (piece->kind <= PATH_DELAY) {
		const struct devrow *row = &st->devrows.row[piece->row];

		return (struct named){devrows_text(&st->devrows, row->name),
		                      devrows_pid(&st->devrows, row->device),
		                      devrows_text(&st->devrows, row->tid), row};
	}
	if (piece->kind == PATH_RETURN)
		return name_thread(&st->returns.threads, piece->thread, piece->row);
	if (piece->thread)
		return name_thread(&st->threads, piece->thread, piece->row);
	caller = walk_caller(&st->walk, piece->launch);
	return (struct named){piece->kind == PATH_LAUNCH ? caller.name : STR(""), caller.pid,
	                      caller.tid, NULL};
}

static void put_copied(struct state *st, const struct devrow *row)
{
	for (size_t i = 0; i < DEVROWS_COPIED; i++) {
		if (is_after_correlation(i) && writes_correlation(st))
			kev_field_raw(&st->out, row ? devrows_correlation(&st->devrows, row) : STR(""));
		if (writes_copied(st, i))
			kev_field_raw(&st->out, row ? devrows_text(&st->devrows, row->copied[i]) : STR(""));
	}
}

static void put_piece(struct state *st, size_t group, const struct path_piece *piece)
{
	const struct named named = name_piece(st, piece);
	struct dec dur = {piece->span.end.nano - piece->span.start.nano};
	bool of_row = piece->kind <= PATH_COPY || piece->kind == PATH_UNLINKED;

	st->total.nano += dur.nano;
	if (of_row && named.row->launch == DEVROWS_NONE)
		st->unlinked.nano += dur.nano;
	kev_field_dec(&st->out, piece->span.start);
	kev_field_dec(&st->out, dur);
	kev_field_raw(&st->out, named.name);
	kev_field_raw(&st->out, STR("path"));
	kev_field_raw(&st->out, STR("X"));
	if (devices_several(&st->devices))
		kev_field_raw(&st->out, tsv_field(strmap_key(&st->devices.names, group), 0));
	for (size_t i = 0; i < st->devices.keys.count; i++)
		kev_field_raw(&st->out, group_value(st, group, i));
	kev_field_raw(&st->out, named.pid);
	kev_field_raw(&st->out, named.tid);
	kev_field_raw(&st->out, str_of(path_kinds[piece->kind]));
	put_copied(st, named.row);
	kev_row_end(&st->out);
}

static void write_paths(struct state *st)
{
	for (size_t i = 0; i < st->devices.order_count; i++) {
		size_t number = st->devices.order[i];

		if (!annotate(st, number))
			continue;
		st->paths++;
		walk_back(&st->walk, st->end[number].last, st->end[number].begin);
		for (size_t j = st->walk.count; j-- > 0;)
			put_piece(st, number, &st->walk.piece[j]);
	}
}

/* --- warnings ---------------------------------------------------------------- */

static void fail_softly(struct state *st)
{
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void warn_of_rows(const struct state *st)
{
	threads_warn(&st->threads, NULL);
	threads_warn_ignored(&st->ignored);
	if (st->no_time)
		warn("rows of a device without ts or dur, not counted: %llu",
		     (unsigned long long)st->no_time);
	if (st->negative)
		warn("rows of a device with a negative dur, counted as 0: %llu",
		     (unsigned long long)st->negative);
}

static void warn_of_launches(struct state *st)
{
	if (!st->hosts)
		warn("there are no rows of the host, so nothing is linked to its launch; keep them "
		     "(trace2tsv -g without -c, kcontext --host)");
	launches_warn(&st->launches, NULL);
	if (st->marks.unrecorded)
		warn("rows Stream Wait Event whose event the profiler did not record (-1 or empty): %llu; "
		     "their waits can only be inferred, see --micro",
		     (unsigned long long)st->marks.unrecorded);
	if (st->marks.nameless)
		warn("rows Stream Wait Event without the event for which they wait: %llu; add it "
		     "(trace2tsv -a wait_on_stream,wait_on_cuda_event_record_corr_id)",
		     (unsigned long long)st->marks.nameless);
	if (!st->hosts || st->unlinked.nano == 0)
		return;
	st->text.len = 0;
	dec_quotient_digits(&st->text, st->unlinked, st->total, 2, 3);
	warn("time of the path by rows without a launch: %.*s %%", (int)st->text.len, st->text.data);
}

static void warn_of(struct state *st)
{
	struct str file;

	warn_of_rows(st);
	if (st->devrows.count == 0) {
		st->text.len = 0;
		kinds_skipped(&st->kinds, &st->text);
		warn("the input has no rows of a device with ts and dur%.*s", (int)st->text.len,
		     st->text.len ? st->text.data : "");
		fail_softly(st);
		return;
	}
	warn_of_launches(st);
	if (devices_untimed(&st->devices, &file)) {
		warn("%.*s: all rows of devices begin at the same time, so there is no path",
		     file.n ? (int)file.n : 1, file.n ? file.s : "-");
		fail_softly(st);
	} else if (st->paths == 0) {
		warn("no row of a device has a value of each column of -k");
		fail_softly(st);
	}
}

/* --- all of it ------------------------------------------------------------------ */

static void find_paths(struct state *st)
{
	threads_build(&st->threads);
	devrows_sort(&st->devrows, st->hosts);
	marks_build(&st->marks);
	returns_build(&st->returns);
	devices_sort(&st->devices);
	find_groups(st);
	put_columns(st);
	write_paths(st);
}

static void begin(struct state *st)
{
	devices_keys(&st->devices, &st->keys);
	st->threads.ignored = &st->ignored;
	st->launches.without_waits = true;
	st->devrows.launches = &st->launches;
	st->marks.devrows = &st->devrows;
	st->returns.threads.ignored = &st->ignored;
	st->returns.devrows = &st->devrows;
	st->returns.marks = &st->marks;
	st->callers.threads = &st->threads;
	st->callers.launches = &st->launches;
	st->walk.threads = &st->threads;
	st->walk.devrows = &st->devrows;
	st->walk.marks = &st->marks;
	st->walk.returns = &st->returns;
	st->walk.callers = &st->callers;
}

static void finish(struct state *st)
{
	kinds_free(&st->kinds);
	devices_free(&st->devices);
	walk_free(&st->walk);
	callers_free(&st->callers);
	returns_free(&st->returns);
	marks_free(&st->marks);
	devrows_free(&st->devrows);
	threads_free(&st->threads);
	launches_free(&st->launches);
	strmap_free(&st->annotations);
	free(st->annotated);
	free(st->end);
	threads_ignored_free(&st->ignored);
	buf_free(&st->text);
	buf_free(&st->scratch);
}

static void check_keys(const struct words *keys)
{
	if (words_have(keys, STR("file")))
		opts_fail("-k file: each file has paths of its own already");
	for (size_t i = 0; i < OWN_COLUMNS; i++)
		if (words_have(keys, str_of(own_columns[i])))
			opts_fail("-k %s: the output has a column of this name", own_columns[i]);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;
	int letter;

	opts_time_parse(STR("30us"), &st.walk.micro);
	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == 'k')
			opts_words(&st.opts, &st.keys);
		else if (letter == MICRO)
			st.walk.micro = opts_time(&st.opts);
		else if (letter == IGNORE)
			opts_words(&st.opts, &st.ignored.words);
	}
	check_keys(&st.keys);
	opts_distinct("--ignore", &st.ignored.words);
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	begin(&st);
	kev_open(&st.in, &st.opts);
	st.in.by_source = true;
	st.in.one_unit = true;
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	find_paths(&st);
	warn_of(&st);
	st.balance.unit = kev_unit(&st.in);
	kev_close(&st.in);
	finish(&st);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
