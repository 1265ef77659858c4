/*
 * klaunch - when each kernel was launched, how long it waited, and why its device was idle before.
 *
 *	#ts	dur	name	cat	pid	tid	correlation
 *	1000	10	cudaLaunchKernel	cuda_runtime	9	9	1
 *	1005	5	gemm	kernel	0	7
 *	1020	50	gemm	kernel	0	7	1
 * gives, with columns after latency cut off,
 *	#ts	dur	name	cat	pid	tid	gap	cause	launch	latency	...
 *	1005	5	gemm	kernel	0	7					...
 *	1020	50	gemm	kernel	0	7	10	launch	cudaLaunchKernel	20	...
 *
 * The input is read twice: a file is reread, the rows of a pipe that are written wait in a
 * temporary file. Memory: some 110 bytes for each row of a device, 60 for each correlation,
 * and 80 for each call that waits for a device.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "wall/devices.h"
#include "wall/kind.h"

#include "cause.h"

enum reason { HOST, NO_TIME, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[NO_TIME] = "without ts or dur",
};
BALANCE_FITS(reasons);

/* The columns that are added after the core columns; those from OWN on if kcontext has not. */
enum added {
	GAP,
	CAUSE,
	NAME,
	LATENCY,
	DELAY,
	QUEUE,
	OWN,
	LAUNCH_AT = OWN,
	DURATION,
	THREAD,
	ADDED
};

static const struct str added[ADDED] = {
	[GAP] = {"gap", 3},
	[CAUSE] = {"cause", 5},
	[NAME] = {"launch", 6},
	[LATENCY] = {"latency", 7},
	[DELAY] = {"delay", 5},
	[QUEUE] = {"queue", 5},
	[LAUNCH_AT] = {"launch_ts", 9},
	[DURATION] = {"launch_dur", 10},
	[THREAD] = {"launch_tid", 10},
};

enum look { LEARN, WRITE };

struct state {
	struct opts opts;
	struct dec micro;
	bool by_stream;
	bool keeps_host;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	bool any; /* a row of a device with ts and dur in some file */
	/* The file at hand. */
	struct kinds kinds;
	struct devices devices;
	struct launches launches;
	struct causes causes;
	struct strmap streams; /* device as bytes, stream */
	bool *timed;           /* by device: its rows begin at different times */
	int stream;
	size_t core; /* columns up to the last one of the core */
	size_t next; /* the row to be written, in causes */
	uint64_t negative;
	uint64_t no_time;
	struct buf text;
};

enum { STREAM = OPT_LONG, MICRO, KEEP_HOST };

static const struct opt opts[] = {
	{STREAM, "stream", NULL, "gaps are between the rows of a stream (default: of a device)"},
	{MICRO, "micro", "TIME", "a launch in time explains a gap below TIME (default: 30us)"},
	{KEEP_HOST, "host", NULL, "keep the rows of the host too, for kcontext"},
};

static const struct opt_usage usage = {
	"[--stream] [--micro=TIME] [--host] [FILE...]",
	"Add the launch, the wait and the cause of the idle time before each kernel.", opts,
	sizeof opts / sizeof *opts};

/* --- columns --------------------------------------------------------------- */

/* Whether a column is added to this layout. */
static bool is_added(const struct state *st, size_t column)
{
	return column < OWN || st->launches.column[LAUNCH_OWN_TS] == KEV_NONE;
}

static void put_columns(struct state *st)
{
	size_t count = st->core;
	size_t rest = st->in.columns_count - st->core;
	struct str *names = mem_alloc(st->in.columns_count + ADDED, sizeof *names);

	memcpy(names, st->in.column, count * sizeof *names);
	for (size_t i = 0; i < ADDED; i++)
		if (is_added(st, i))
			names[count++] = added[i];
	memcpy(names + count, st->in.column + st->core, rest * sizeof *names);
	kev_columns(&st->out, names, count + rest);
	free(names);
}

static void find_core(struct state *st)
{
	st->core = 0;
	for (int i = 0; i < KEV_CORE; i++) {
		int column = kev_column(&st->in, str_of(kev_core[i]));

		if (column != KEV_NONE && (size_t)column >= st->core)
			st->core = (size_t)column + 1;
	}
}

static void columns(struct state *st, enum look look)
{
	struct kev_reader *in = &st->in;

	kinds_columns(&st->kinds, in);
	devices_columns(&st->devices, in);
	launches_columns(&st->launches, in, true);
	st->stream = kev_column(in, STR("stream"));
	find_core(st);
	for (size_t i = 0; i < ADDED; i++) {
		if (is_added(st, i) && kev_column(in, added[i]) != KEV_NONE) {
			kev_misuse(in, "column '%s' already exists; run klaunch only once", added[i].s);
			return;
		}
	}
	if (in->error[0])
		return;
	if (look == LEARN)
		kev_keep(in, KEV_COLUMNS);
	else
		put_columns(st);
}

/* --- the first look ---------------------------------------------------------- */

static struct str dur_of(const struct state *st)
{
	return st->in.field[st->launches.column[LAUNCH_DUR]];
}

/* The row's stream of its device: its column `stream`, else its thread. */
static size_t stream_of(struct state *st, size_t device)
{
	const struct kev_reader *in = &st->in;
	struct str stream = st->stream == KEV_NONE ? STR("") : in->field[st->stream];

	if (stream.n == 0)
		stream = in->field[st->launches.column[LAUNCH_TID]];
	st->text.len = 0;
	buf_bytes(&st->text, (const char *)&device, sizeof device);
	buf_str(&st->text, stream);
	return strmap_add(&st->streams, buf_view(&st->text), NULL);
}

static void learn_device(struct state *st, const struct interval *span)
{
	struct cause_row row = {.span = *span};
	bool new;

	row.device = devices_of(&st->devices, &st->in, span->start, &new);
	row.stream = stream_of(st, row.device);
	row.launch = launches_of(&st->launches, &st->in, st->devices.source);
	if (st->by_stream)
		row.kind = (unsigned char)kinds_of(&st->kinds, &st->in);
	causes_add(&st->causes, &row);
	kev_keep(&st->in, KEV_ROW);
}

static bool read_span(struct state *st, struct interval *span)
{
	struct kev_reader *in = &st->in;
	struct dec ts;
	struct dec dur;
	bool timed = kev_number(in, st->launches.column[LAUNCH_TS], &ts);

	timed &= kev_number(in, st->launches.column[LAUNCH_DUR], &dur);
	if (!timed)
		return false;
	if (!interval_from(ts, dur, span))
		kev_error(in, "the times are too large to add");
	st->negative += dur.nano < 0;
	return true;
}

static void learn(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct interval span;
	enum rowkind kind;

	if (strcmp(kev_unit(in), "cycles") == 0)
		kev_misuse(in, "the times are cycles, of each tile its own, and no launch has such");
	balance_in(&st->balance, dur_of(st));
	devices_row(&st->devices, in);
	kind = kinds_row(&st->kinds, in);
	if (!rowkind_is_device(kind)) {
		launches_host(&st->launches, in, st->devices.source, kind);
		if (st->launches.no_time && st->opts.strict)
			kev_error(in, "a call of the host without ts");
		kinds_skip(&st->kinds, in);
		if (st->keeps_host)
			kev_keep(in, KEV_ROW);
		else
			balance_drop(&st->balance, HOST, dur_of(st));
	} else if (read_span(st, &span)) {
		learn_device(st, &span);
	} else {
		balance_drop(&st->balance, NO_TIME, dur_of(st));
		st->no_time++;
		if (st->opts.strict)
			kev_error(in, "a row of a device without ts or dur");
	}
}

/* --- the second look --------------------------------------------------------- */

static void put_time(struct state *st, bool known, struct dec time)
{
	if (known)
		kev_field_dec(&st->out, time);
	else
		kev_field_raw(&st->out, STR(""));
}

static struct dec minus(struct dec a, struct dec b)
{
	return (struct dec){a.nano - b.nano};
}

static void put_launch(struct state *st, const struct launch *launch)
{
	const struct launches *launches = &st->launches;

	if (!is_added(st, LAUNCH_AT))
		return;
	put_time(st, launch, launch ? launch->ts : (struct dec){0});
	put_time(st, launch && launch->ended, launch ? launch->dur : (struct dec){0});
	kev_field_raw(&st->out, launch ? launch_tid(launches, launch) : STR(""));
}

/* launch, latency, delay and queue */
static void put_wait(struct state *st, const struct cause_row *row, const struct launch *launch)
{
	struct dec ts = row->span.start;

	if (!launch) {
		kev_field_raw(&st->out, STR("\t\t\t")); /* four empty fields */
		return;
	}
	kev_field_raw(&st->out, launch_name(&st->launches, launch));
	put_time(st, true, minus(ts, launch->ts));
	put_time(st, row->leads && launch->ended && dec_compare(launch_end(launch), ts) <= 0,
	         minus(ts, launch_end(launch)));
	kev_field_count(&st->out, row->queue);
}

/* The fields of the row up to the last core column. */
static void put_core(struct state *st)
{
	struct str last = st->in.field[st->core - 1];
	const char *text = st->in.tsv.text.s;

	kev_field_raw(&st->out, (struct str){text, (size_t)(last.s + last.n - text)});
}

/* The other fields, and the end of the row. */
static void put_rest(struct state *st)
{
	struct str text = st->in.tsv.text;

	if (st->core < st->in.columns_count) {
		const char *from = st->in.field[st->core].s;

		kev_field_raw(&st->out, (struct str){from, (size_t)(text.s + text.n - from)});
	}
	kev_row_end(&st->out);
}

static void put_host(struct state *st)
{
	balance_out(&st->balance, dur_of(st));
	put_core(st);
	for (size_t i = 0; i < ADDED; i++)
		if (is_added(st, i))
			kev_field_raw(&st->out, STR(""));
	put_rest(st);
}

static void put_device(struct state *st)
{
	const struct cause_row *row = &st->causes.row[st->next++];
	const struct launch *launch = launches_at(&st->launches, row->launch);
	bool timed = st->timed[row->device];

	balance_out(&st->balance, dur_of(st));
	put_core(st);
	put_time(st, timed && row->cause != CAUSE_UNKNOWN, row->gap);
	kev_field_raw(&st->out, timed ? str_of(cause_names[row->cause]) : STR(""));
	put_wait(st, row, launch);
	put_launch(st, launch);
	put_rest(st);
}

static void put(struct state *st)
{
	if (st->keeps_host && !kinds_is_device(&st->kinds, &st->in))
		put_host(st);
	else
		put_device(st);
}

/* --- warnings ---------------------------------------------------------------- */

static void warn_of_times(struct state *st)
{
	struct str file;

	if (!devices_untimed(&st->devices, &file))
		return;
	warn(
		"%s: all rows of a device%s%.*s begin at the same time; only the order of times shows what "
		"is idle, so it has no gaps",
		st->in.file, file.n ? " in " : "", (int)file.n, file.s);
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void warn_of_launches(const struct state *st)
{
	const struct launches *launches = &st->launches;
	bool kcontext = launches->column[LAUNCH_OWN_TS] != KEV_NONE;
	size_t hosts = 0;
	size_t linked = 0;

	if (st->no_time)
		warn("%s: rows of a device without ts or dur, dropped: %llu", st->in.file,
		     (unsigned long long)st->no_time);
	if (launches->no_time)
		warn("%s: calls of the host without ts, not used: %llu", st->in.file,
		     (unsigned long long)launches->no_time);
	launches_warn(launches, st->in.file);
	for (size_t i = 0; i < st->causes.count; i++) {
		hosts += st->causes.row[i].cause == CAUSE_HOST;
		linked += launches_at(launches, st->causes.row[i].launch) != NULL;
	}
	if (kcontext && hosts)
		warn("%s: no rows of the host, so gaps after a sync have the cause host, too", st->in.file);
	else if (st->causes.count && linked == 0 && launches->unchosen == 0)
		warn("%s: no launches%s", st->in.file,
		     kcontext || st->kinds.skipped.keys.count
		         ? ", as no call has the correlation of a kernel"
		         : "; keep the rows of the host (trace2tsv -g without -c)");
}

static void warn_of(struct state *st)
{
	if (st->negative)
		warn("%s: rows with a negative dur: %llu", st->in.file, (unsigned long long)st->negative);
	warn_of_times(st);
	warn_of_launches(st);
	if (st->launches.column[LAUNCH_OWN_TS] != KEV_NONE && st->causes.count &&
	    !st->kinds.copies_kept && !st->kinds.seen[KIND_COPY])
		warn("%s: the stream has no copies, so their time counts as gaps; kcontext --copies keeps "
		     "them",
		     st->in.file);
	if (st->by_stream && st->kinds.other_rules && !st->kinds.seen[KIND_COMM])
		warn("%s: no row is of class Collective, and kclass had other --rules; so no cause is comm",
		     st->in.file);
	if (st->causes.count == 0) {
		st->text.len = 0;
		kinds_skipped(&st->kinds, &st->text);
		warn("%s: the input has no rows of a device with ts and dur%.*s", st->in.file,
		     (int)st->text.len, st->text.data);
	}
}

/* --- the stream -------------------------------------------------------------- */

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

static void choose_launches(struct state *st)
{
	if (st->launches.others.count == 0)
		return;
	for (size_t i = 0; i < st->causes.count; i++)
		launches_own(&st->launches, st->causes.row[i].launch, st->causes.row[i].device);
	for (size_t i = 0; i < st->causes.count; i++) {
		struct cause_row *row = &st->causes.row[i];

		row->launch = launches_choose(&st->launches, row->launch, row->device);
	}
}

static void settle(struct state *st)
{
	launches_finish(&st->launches);
	choose_launches(st);
	st->causes.launches = &st->launches;
	st->causes.micro = st->micro;
	st->causes.by_stream = st->by_stream;
	causes_finish(&st->causes);
	devices_sort(&st->devices);
	st->timed = mem_zero(st->devices.names.count + 1, sizeof *st->timed);
	for (size_t i = 0; i < st->devices.order_count; i++)
		st->timed[st->devices.order[i]] = true;
}

/* Forgets the file at hand. */
static void clear(struct state *st)
{
	kinds_free(&st->kinds);
	devices_free(&st->devices);
	launches_free(&st->launches);
	causes_free(&st->causes);
	strmap_free(&st->streams);
	free(st->timed);
	st->timed = NULL;
	st->next = 0;
	st->negative = st->no_time = 0;
}

/* Looks at one file, as if it were the only one: no time and no correlation is that of another. */
static void stream(struct state *st, int operand)
{
	struct words none = {0};

	devices_keys(&st->devices, &none);
	kev_open_next(&st->in, &st->opts, operand);
	st->in.by_source = true;
	st->in.one_unit = true;
	look_at(st, LEARN);
	if (st->in.opened) {
		settle(st);
		kev_again(&st->in);
		look_at(st, WRITE);
		warn_of(st);
	}
	st->any |= st->causes.count > 0;
	st->balance.unit = kev_unit(&st->in);
	kev_close(&st->in);
	clear(st);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	int letter;

	opts_time_parse(STR("30us"), &st.micro);
	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == STREAM)
			st.by_stream = true;
		else if (letter == MICRO)
			st.micro = opts_time(&st.opts);
		else if (letter == KEEP_HOST)
			st.keeps_host = true;
	}
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	for (int i = 0; i < st.opts.operands_count; i++)
		stream(&st, i);
	if (!st.any)
		st.out.status = status_worse(st.out.status, STATUS_LIMIT);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
