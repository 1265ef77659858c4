/*
 * kcpu - what the host did: its own time in each call, and in the idle time of a device.
 *
 *	#ts	dur	name	cat	pid	tid
 *	0	10	aten::linear	cpu_op	9	9
 *	2	5	aten::addmm	cpu_op	9	9
 * gives
 *	#ts	dur	name	cat	pid	tid	self	depth
 *	0	10	aten::linear	cpu_op	9	9	5	0
 *	2	5	aten::addmm	cpu_op	9	9	5	1
 *
 * A file is read twice, the rows of a pipe wait in a temporary file; with --idle, the rows of
 * devices do. Memory: 68 bytes for each row of the host, with --idle see idle.h.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "wall/devices.h"
#include "wall/kind.h"
#include "wall/threads.h"

#include "idle.h"

enum reason { HOST, NO_TIME, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[NO_TIME] = "without ts or dur",
};
BALANCE_FITS(reasons);

enum look { LEARN, WRITE };

struct state {
	struct opts opts;
	bool wants_idle;
	bool stacks;
	struct threads_ignored ignored;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct threads threads; /* those of the file at hand; with --idle of all files */
	struct idle idle;
	uint64_t no_time; /* rows of devices without ts or dur */
	bool opened;      /* a file could be opened */
	bool any;         /* a row of the host in some file */
	/* The file at hand. */
	struct kinds kinds;
	struct devices devices;
	struct buf text;
};

enum { IDLE = OPT_LONG, IGNORE, STACKS };

static const struct opt opts[] = {
	{IDLE, "idle", NULL, "write the idle time of devices, in pieces by what the host did"},
	{STACKS, "stacks", NULL, "add a column with the names of the rows around each row"},
	{IGNORE, "ignore", "CAT,...", "rows of these categories are no rows of the host"},
};

static const struct opt_usage usage = {
	"[--idle] [--stacks] [--ignore=CAT,...] [FILE...]",
	"Add the own time of each row of the host, or show what the host did in idle time.", opts,
	sizeof opts / sizeof *opts};

/* --- rows of the host --------------------------------------------------------- */

/* Records the error of --strict. */
static void check_threads(struct state *st)
{
	if (st->opts.strict && st->threads.no_time)
		kev_error(&st->in, "a row of the host without ts or dur");
	if (st->opts.strict && st->threads.negative)
		kev_error(&st->in, "a row of the host with a negative dur");
}

static struct str dur_of(const struct state *st)
{
	return st->in.field[st->threads.column[THREADS_DUR]];
}

/* --- the filter ----------------------------------------------------------------- */

static void columns(struct state *st, enum look look)
{
	static const struct str added[] = {{"self", 4}, {"depth", 5}, {"stack", 5}};
	struct kev_reader *in = &st->in;
	size_t count = in->columns_count;
	size_t more = st->stacks ? 3 : 2;
	struct str *names;

	kinds_columns(&st->kinds, in);
	devices_columns(&st->devices, in);
	threads_columns(&st->threads, in);
	for (size_t i = 0; i < more; i++) {
		if (kev_column(in, added[i]) != KEV_NONE) {
			kev_misuse(in, "column '%s' already exists; run kcpu only once", added[i].s);
			return;
		}
	}
	if (in->error[0])
		return;
	if (look == LEARN) {
		kev_keep(in, KEV_COLUMNS);
		return;
	}
	names = mem_alloc(count + more, sizeof *names);
	memcpy(names, in->column, count * sizeof *names);
	memcpy(names + count, added, more * sizeof *names);
	kev_columns(&st->out, names, count + more);
	free(names);
}

static enum rowkind_rank rank_of(struct state *st, enum rowkind kind)
{
	/* The rank of any other row is that of its kind. */
	bool by_cat = kind == ROWKIND_CALL || st->ignored.words.count;

	return threads_rank(&st->threads, kind, by_cat ? kinds_cat(&st->kinds, &st->in) : STR(""));
}

static void learn(struct state *st)
{
	enum rowkind kind = kinds_row(&st->kinds, &st->in);
	enum rowkind_rank rank = rank_of(st, kind);

	balance_in(&st->balance, dur_of(st));
	devices_row(&st->devices, &st->in);
	if (rank != ROWKIND_IN_NOTHING)
		threads_add(&st->threads, &st->in, st->devices.source, kind, rank);
	check_threads(st);
	kev_keep(&st->in, KEV_ROW);
}

static void put(struct state *st)
{
	enum rowkind_rank rank = rank_of(st, kinds_row(&st->kinds, &st->in));
	const struct thread *thread;
	size_t row;
	size_t depth;
	size_t end;

	devices_row(&st->devices, &st->in);
	balance_out(&st->balance, dur_of(st));
	thread = threads_again(&st->threads, &st->in, st->devices.source, rank, &row);
	st->text.len = 0;
	if (!thread) {
		kev_pass_row_with(&st->out, st->in.tsv.text, st->stacks ? STR("\t\t") : STR("\t"));
		return;
	}
	depth = thread->row[row].depth;
	dec_print(&st->text, thread->self[row]);
	end = st->text.len;
	if (st->stacks) {
		buf_char(&st->text, '\t');
		depth = threads_fold(&st->threads, thread, row, thread->row[row].start, &st->text);
	}
	kev_field_raw(&st->out, st->in.tsv.text);
	kev_field_raw(&st->out, (struct str){st->text.data, end});
	kev_field_count(&st->out, depth);
	if (st->stacks)
		kev_field_raw(&st->out, (struct str){st->text.data + end + 1, st->text.len - end - 1});
	kev_row_end(&st->out);
}

static void metadata(struct state *st, enum look look)
{
	devices_metadata(&st->devices, &st->in);
	kinds_metadata(&st->kinds, &st->in);
	if (look == WRITE || !st->in.opened)
		kev_pass_meta(&st->out, &st->in);
	else
		kev_keep(&st->in, KEV_META);
}

static void look_at(struct state *st, enum look look)
{
	enum kev_item item;

	while ((item = kev_next(&st->in)) > KEV_END) {
		if (item == KEV_META)
			metadata(st, look);
		else if (item == KEV_COLUMNS)
			columns(st, look);
		else if (look == LEARN)
			learn(st);
		else
			put(st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, &st->in);
}

/* Looks at one file, as if it were the only one. */
static void filter(struct state *st, int operand)
{
	struct words none = {0};
	bool rounded = st->in.rounded;

	devices_keys(&st->devices, &none);
	kev_open_operand(&st->in, &st->opts, operand);
	st->in.by_source = true;
	st->in.others = st->opened || operand + 1 < st->opts.operands_count;
	st->in.rounded = rounded;
	look_at(st, LEARN);
	if (st->in.opened) {
		threads_build(&st->threads);
		if (st->stacks)
			threads_rewind(&st->threads);
		else
			threads_measure(&st->threads);
		kev_again(&st->in);
		look_at(st, WRITE);
		threads_warn(&st->threads, st->in.file);
	}
	st->opened |= st->in.opened;
	st->any |= st->threads.rows > 0;
	st->balance.unit = kev_unit(&st->in);
	kev_close(&st->in);
	kinds_free(&st->kinds);
	devices_free(&st->devices);
	threads_free(&st->threads);
}

static void filter_all(struct state *st)
{
	for (int i = 0; i < st->opts.operands_count; i++)
		filter(st, i);
	if (st->any)
		return;
	warn("the input has no rows of the host with ts and dur");
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

/* --- idle time -------------------------------------------------------------------- */

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;

	if (in->unit.len && strcmp(kev_unit(in), "cycles") == 0)
		kev_misuse(in, "the times are cycles, of each tile its own, and no launch has such");
	balance_in(&st->balance, dur_of(st));
	switch (idle_row(&st->idle)) {
	case IDLE_HOST:
		balance_drop(&st->balance, HOST, dur_of(st));
		check_threads(st);
		break;
	case IDLE_NO_TIME:
		balance_drop(&st->balance, NO_TIME, dur_of(st));
		st->no_time++;
		if (st->opts.strict)
			kev_error(in, "a row of a device without ts or dur");
		break;
	case IDLE_TAKEN:
		balance_out(&st->balance, dur_of(st));
		break;
	}
}

static void warn_of_launches(struct state *st)
{
	struct idle *idle = &st->idle;

	if (!idle->hosts) {
		warn("there are no rows of the host, so all idle time is unlinked; keep them "
		     "(trace2tsv -g without -c, kcontext --host)");
		return;
	}
	launches_warn(&idle->launches, NULL);
	if (idle->unlinked.nano == 0)
		return;
	st->text.len = 0;
	dec_quotient_digits(&st->text, idle->unlinked, idle->total, 2, 3);
	warn("idle time before rows without a launch: %.*s %%", (int)st->text.len, st->text.data);
}

static void warn_of_idle(struct state *st)
{
	struct idle *idle = &st->idle;
	struct str file;

	threads_warn(&st->threads, NULL);
	if (st->no_time)
		warn("rows of a device without ts or dur, not counted: %llu",
		     (unsigned long long)st->no_time);
	if (idle->devices.names.count == 0) {
		st->text.len = 0;
		kinds_skipped(&idle->kinds, &st->text);
		warn("the input has no rows of a device with ts and dur%.*s", (int)st->text.len,
		     st->text.len ? st->text.data : "");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
		return;
	}
	warn_of_launches(st);
	if (devices_untimed(&idle->devices, &file)) {
		warn("%.*s: all rows of devices begin at the same time, so idle time is unknown",
		     file.n ? (int)file.n : 1, file.n ? file.s : "-");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	}
}

static void idle_metadata_line(struct state *st)
{
	idle_metadata(&st->idle);
	if (!str_equal(st->in.key, STR("thread")))
		kev_pass_meta(&st->out, &st->in);
}

static void write_idle(struct state *st)
{
	enum kev_item item;

	st->idle.threads = &st->threads;
	st->idle.in = &st->in;
	st->idle.out = &st->out;
	st->idle.stacks = st->stacks;
	idle_begin(&st->idle);
	kev_open(&st->in, &st->opts);
	st->in.by_source = true;
	st->in.one_unit = true;
	while ((item = kev_next(&st->in)) > KEV_END) {
		if (item == KEV_META)
			idle_metadata_line(st);
		else if (item == KEV_COLUMNS)
			idle_columns(&st->idle);
		else
			row(st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, &st->in);
	idle_finish(&st->idle);
	warn_of_idle(st);
	st->balance.unit = kev_unit(&st->in);
	kev_close(&st->in);
	idle_free(&st->idle);
	threads_free(&st->threads);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == IDLE)
			st.wants_idle = true;
		else if (letter == STACKS)
			st.stacks = true;
		else if (letter == IGNORE)
			opts_words(&st.opts, &st.ignored.words);
	}
	opts_distinct("--ignore", &st.ignored.words);
	st.threads.ignored = &st.ignored;
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	if (st.wants_idle)
		write_idle(&st);
	else
		filter_all(&st);
	threads_warn_ignored(&st.ignored);
	threads_ignored_free(&st.ignored);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
