/*
 * tsv2trace - the kernel-event stream to Chrome trace JSON, for Perfetto and
 * chrome://tracing.
 *
 *	#ts	dur	type	name	cat	ph	pid	tid	source
 *	10.5	2	MatMul	gemm	kernel	X	0	7	MEASURED
 * gives
 *	{"traceEvents":[
 *	{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10.5,"dur":2,
 *	"args":{"kernel_type":"MatMul","source":"MEASURED"}}
 *	]}
 * with each event on one line; with -H only the array.
 *
 * Memory grows only with the names of processes and threads; with --arrows also some 60 bytes for
 * each correlation, and 48 for each row of a device that has one.
 */
#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "wall/devices.h"
#include "wall/kind.h"
#include "wall/launches.h"
#include "json/json_value.h"
#include "json/quote.h"

#include "ranktracks.h"
#include "rowevent.h"

enum { CHUNK = 1 << 16 };

/* The name of a process or thread. */
struct called {
	struct str name;
	bool written; /* as an M row of the stream */
};

/* A row of a device that an arrow may point to. */
struct target {
	struct dec ts;
	size_t launch;
	size_t track;  /* in ends */
	size_t device; /* in devices */
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out; /* for its status and its checked output; a trace has no ## lines */
	struct balance balance;
	bool gzip;
	bool array; /* -H: the array form */
	z_stream z;
	struct buf text; /* JSON that is not written yet */
	int core[KEV_CORE];
	struct rowevent event; /* text of the row */
	struct strmap tracks;  /* processes and threads: "pid" or "pid TAB tid", escaped */
	struct called *called; /* by their numbers */
	size_t called_cap;
	bool any; /* an event was written */
	uint64_t no_ts;
	struct words counters; /* columns of --counter */
	int *counter;          /* places of these columns */
	bool by_rank;          /* --rank-offset */
	struct ranktracks ranks;
	size_t place;       /* source of the names, as kev_reader.place */
	struct buf rank;    /* ##rank of the source; empty if it has not come */
	struct buf unnamed; /* ##process and ##thread values before the rank, each with its parts */
	bool arrows;
	struct kinds kinds;
	struct devices files; /* the file of a row */
	struct launches launches;
	struct strmap devices; /* file as bytes, and pid */
	struct strmap ends;    /* pid, tab, tid of targets, escaped */
	struct target *target;
	size_t targets;
	size_t target_cap;
	struct buf scratch;
	struct buf number; /* value of a counter */
};

enum { ARROWS = OPT_LONG, COUNTER, RANK_OFFSET };

static const struct opt opts[] = {
	{ARROWS, "arrows", NULL, "draw an arrow from each launch to its kernels, by correlation"},
	{COUNTER, "counter", "COL,...",
     "write these columns as counters of their process and thread, too"},
	{RANK_OFFSET, "rank-offset", "[=FILE]",
     "keep ranks apart; with FILE of kcoll --align, set their clocks to that of the lowest"},
	{'z', "gzip", NULL, "gzip the trace"},
	{'H', "no-head", NULL, "write only the array of events"},
};

static const struct opt_usage usage = {
	"[--arrows] [--counter=COL,...] [--rank-offset[=FILE]] [-z] [FILE...]",
	"Convert the kernel-event stream to Chrome trace JSON.", opts, sizeof opts / sizeof *opts};

/* --- output -------------------------------------------------------------- */

/* Passes the text to the output, compressed with -z; flush is zlib's. */
static void put(struct state *st, int flush)
{
	struct buf *to = &st->out.out.buf;

	if (!st->gzip) {
		output_str(&st->out.out, buf_view(&st->text));
		st->text.len = 0;
		return;
	}
	st->z.next_in = (unsigned char *)st->text.data;
	st->z.avail_in = (uInt)st->text.len;
	do {
		st->z.next_out = (unsigned char *)buf_reserve(to, CHUNK);
		st->z.avail_out = CHUNK;
		if (deflate(&st->z, flush) == Z_STREAM_ERROR)
			die("zlib cannot compress");
		to->len += CHUNK - st->z.avail_out;
		output_drain(&st->out.out);
	} while (st->z.avail_out == 0);
	st->text.len = 0;
}

/* Begins the line of an event, after a comma if it is not the first. */
static void begin_line(struct state *st)
{
	char *to;

	if (st->text.len >= CHUNK)
		put(st, Z_NO_FLUSH);
	to = buf_reserve(&st->text, 2);
	if (st->any)
		*to++ = ',';
	*to++ = '\n';
	st->text.len = (size_t)(to - st->text.data);
	st->any = true;
}

static void begin_event(struct state *st)
{
	begin_line(st);
	buf_char(&st->text, '{');
}

/* Writes a comma, unless after a {, and "key": */
static void put_key(struct state *st, struct str key)
{
	if (st->text.data[st->text.len - 1] != '{')
		buf_char(&st->text, ',');
	json_quote(&st->text, key);
	buf_char(&st->text, ':');
}

/* A number of JSON as it stands; anything else as a string. */
static void put_value(struct state *st, struct str text)
{
	if (json_is_number(text))
		buf_str(&st->text, text);
	else
		json_quote(&st->text, text);
}

/* A number of kev(5) as a number of JSON; anything else as a string. */
static void put_time(struct state *st, struct str text)
{
	if (!json_put_number(&st->text, text))
		json_quote(&st->text, text);
}

/* An empty member is left out: a missing one is read as empty. */
static void put_member(struct state *st, const char *key, int column)
{
	struct str text = kev_text(&st->in, column, &st->scratch);

	if (text.n == 0)
		return;
	put_key(st, str_of(key));
	put_value(st, text);
}

/* --- metadata ------------------------------------------------------------ */

/* Writes the M event that names a process or thread. */
static void put_track(struct state *st, struct str track, const struct called *called)
{
	const char *tab = memchr(track.s, '\t', track.n);
	struct str pid = {track.s, tab ? (size_t)(tab - track.s) : track.n};

	begin_event(st);
	put_key(st, STR("ph"));
	buf_text(&st->text, "\"M\"");
	put_key(st, STR("cat"));
	buf_text(&st->text, "\"__metadata\"");
	put_key(st, STR("name"));
	buf_text(&st->text, tab ? "\"thread_name\"" : "\"process_name\"");
	put_key(st, STR("pid"));
	put_value(st, tsv_text(pid, &st->scratch));
	if (tab) {
		put_key(st, STR("tid"));
		put_value(st, tsv_text((struct str){tab + 1, track.n - pid.n - 1}, &st->scratch));
	}
	put_key(st, STR("args"));
	buf_text(&st->text, "{\"name\":");
	json_quote(&st->text, called->name);
	buf_text(&st->text, "}}");
}

static struct called *called_of(struct state *st, struct str track)
{
	size_t number = strmap_add(&st->tracks, track, NULL);

	st->called = mem_grow_zero(st->called, &st->called_cap, number + 1, sizeof *st->called);
	return &st->called[number];
}

/* Keeps the name in ##process PID NAME or ##thread PID TID NAME, after so many parts. */
static void name_track(struct state *st, struct str value, int parts)
{
	const char *end = value.s + value.n;
	const char *tab = value.s;
	struct called *called;

	for (int i = 0; i < parts && tab; i++)
		tab = memchr(tab + (i > 0), '\t', (size_t)(end - tab) - (i > 0));
	if (!tab)
		return;
	called = called_of(st, (struct str){value.s, (size_t)(tab - value.s)});
	st->scratch.len = 0;
	tsv_unescape(&st->scratch, (struct str){tab + 1, (size_t)(end - tab) - 1});
	free((char *)called->name.s);
	called->name.s = mem_string(buf_view(&st->scratch).s, st->scratch.len);
	called->name.n = st->scratch.len;
	called->written = false;
}

/* Like name_track, with the rank of the source: the pid is that of the trace. */
static void name_rank_track(struct state *st, struct str value, int parts)
{
	struct str rank = buf_view(&st->rank);
	struct str pid = tsv_field(value, 0);
	struct buf text = {0};

	buf_str(&text, ranktracks_pid(&st->ranks, rank, pid));
	if (parts == 1) {
		struct buf name = {0};
		struct buf whole = {0};

		tsv_unescape(&name, (struct str){value.s + pid.n + 1, value.n - pid.n - 1});
		ranktracks_name(&whole, rank, pid, buf_view(&name));
		buf_char(&text, '\t');
		tsv_escape(&text, buf_view(&whole));
		buf_free(&name);
		buf_free(&whole);
	} else {
		buf_str(&text, (struct str){value.s + pid.n, value.n - pid.n});
	}
	name_track(st, buf_view(&text), parts);
	buf_free(&text);
}

/* A name that may come before the rank of its source. */
static void take_name(struct state *st, int parts)
{
	struct str value = st->in.value;

	if (!st->by_rank) {
		name_track(st, value, parts);
	} else if (!str_has_byte(value, '\t')) {
		return;
	} else if (st->rank.len) {
		name_rank_track(st, value, parts);
	} else {
		buf_char(&st->unnamed, (char)('0' + parts));
		buf_str(&st->unnamed, value);
		buf_char(&st->unnamed, '\n');
	}
}

static void take_rank(struct state *st)
{
	struct str rest = buf_view(&st->unnamed);

	st->rank.len = 0;
	buf_str(&st->rank, st->in.value);
	while (st->rank.len && rest.n) {
		const char *end = memchr(rest.s, '\n', rest.n);
		size_t n = (size_t)(end - rest.s);

		name_rank_track(st, (struct str){rest.s + 1, n - 1}, rest.s[0] - '0');
		rest = (struct str){end + 1, rest.n - n - 1};
	}
	st->unnamed.len = 0;
}

static void metadata(struct state *st)
{
	struct kev_reader *in = &st->in;

	if (st->place != in->place)
		st->rank.len = st->unnamed.len = 0;
	st->place = in->place;
	if (st->by_rank && str_equal(in->key, STR("rank")))
		take_rank(st);
	kev_note_damage(&st->out, in);
	devices_metadata(&st->files, in);
	if (str_equal(in->key, STR("process")))
		take_name(st, 1);
	else if (str_equal(in->key, STR("thread")))
		take_name(st, 2);
}

/* The name that belongs to an M row, NULL without a name; marks it as written. */
static const struct called *name_of_row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str name = kev_text(in, st->core[KEV_NAME], &st->scratch);
	bool thread = str_equal(name, STR("thread_name"));
	struct buf track = {0};
	size_t number;

	if (!thread && !str_equal(name, STR("process_name")))
		return NULL;
	if (st->core[KEV_PID] != KEV_NONE)
		buf_str(&track, in->field[st->core[KEV_PID]]);
	if (thread) {
		buf_char(&track, '\t');
		if (st->core[KEV_TID] != KEV_NONE)
			buf_str(&track, in->field[st->core[KEV_TID]]);
	}
	number = strmap_find(&st->tracks, buf_view(&track));
	buf_free(&track);
	if (number == STRMAP_NONE)
		return NULL;
	st->called[number].written = true;
	return &st->called[number];
}

/* --- rows ---------------------------------------------------------------- */

static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	for (size_t i = 0; i < KEV_CORE; i++)
		st->core[i] = kev_column(in, str_of(kev_core[i]));
	rowevent_columns(&st->event, in);
	if (st->core[KEV_TYPE] != KEV_NONE && kev_column(in, STR("kernel_type")) != KEV_NONE)
		kev_misuse(in, "columns 'type' and 'kernel_type' are one member of args; rename one");
	kev_need(in, STR("ts"), &st->core[KEV_TS]);
	kev_need(in, STR("name"), &st->core[KEV_NAME]);
	for (size_t i = 0; i < st->counters.count; i++)
		kev_need_for(in, "--counter: ", st->counters.item[i], &st->counter[i]);
	if (st->by_rank)
		ranktracks_columns(&st->ranks, in);
	if (st->arrows) {
		kinds_columns(&st->kinds, in);
		devices_columns(&st->files, in);
		launches_columns(&st->launches, in, true);
		/* After klaunch --host the calls are there, too; only they have a thread to begin at. */
		if (st->launches.column[LAUNCH_CORRELATION] != KEV_NONE)
			st->launches.column[LAUNCH_OWN_TS] = KEV_NONE;
	}
}

/* --- counters and arrows --------------------------------------------------- */

/* An event of the row's process at its start. */
static void put_counter(struct state *st, int column)
{
	struct str ts = st->in.field[st->core[KEV_TS]];

	st->number.len = 0;
	if (ts.n == 0 || !json_put_number(&st->number, st->in.field[column]))
		return;
	begin_event(st);
	put_key(st, STR("ph"));
	buf_text(&st->text, "\"C\"");
	put_key(st, STR("name"));
	json_quote(&st->text, st->in.column[column]);
	put_member(st, "pid", st->core[KEV_PID]);
	/* A viewer has one counter for each id: streams do not mix. */
	put_member(st, "id", st->core[KEV_TID]);
	put_key(st, STR("ts"));
	put_time(st, tsv_text(ts, &st->scratch));
	put_key(st, STR("args"));
	buf_char(&st->text, '{');
	put_key(st, st->in.column[column]);
	buf_str(&st->text, buf_view(&st->number));
	buf_text(&st->text, "}}");
}

/* Keeps what an arrow needs: a call, or a row of a device. */
static void note_arrow(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct target target = {.launch = LAUNCHES_NONE};
	struct buf track = {0};
	enum rowkind kind;

	devices_row(&st->files, in);
	kind = kinds_row(&st->kinds, in);
	if (!rowkind_is_device(kind)) {
		launches_host(&st->launches, in, st->files.source, kind);
		return;
	}
	if (kev_number(in, st->core[KEV_TS], &target.ts))
		target.launch = launches_of(&st->launches, in, st->files.source);
	if (target.launch == LAUNCHES_NONE)
		return;
	buf_str(&track, in->field[st->core[KEV_PID]]);
	buf_char(&track, '\t');
	buf_str(&track, in->field[st->core[KEV_TID]]);
	target.track = strmap_add(&st->ends, buf_view(&track), NULL);
	track.len = 0;
	buf_bytes(&track, (const char *)&st->files.source, sizeof st->files.source);
	buf_str(&track, in->field[st->core[KEV_PID]]);
	target.device = strmap_add(&st->devices, buf_view(&track), NULL);
	buf_free(&track);
	st->target = mem_grow(st->target, &st->target_cap, st->targets + 1, sizeof *st->target);
	st->target[st->targets++] = target;
}

/* One end of an arrow, at a time of a track, "pid TAB tid". */
static void put_end(struct state *st, const char *phase, size_t id, struct str track, struct dec ts)
{
	begin_event(st);
	put_key(st, STR("ph"));
	buf_format(&st->text, "\"%s\"", phase);
	if (phase[0] == 'f')
		buf_text(&st->text, ",\"bp\":\"e\"");
	buf_format(&st->text, ",\"cat\":\"launch\",\"name\":\"launch\",\"id\":%zu", id);
	put_key(st, STR("pid"));
	put_value(st, tsv_text(tsv_field(track, 0), &st->scratch));
	put_key(st, STR("tid"));
	put_value(st, tsv_text(tsv_field(track, 1), &st->scratch));
	put_key(st, STR("ts"));
	dec_print(&st->text, ts);
	buf_char(&st->text, '}');
}

/* Writes an arrow from its launch to each row, with a new number. */
static void put_arrows(struct state *st)
{
	struct launches *launches = &st->launches;
	size_t arrows = 0;

	for (size_t i = 0; i < st->targets; i++)
		launches_own(launches, st->target[i].launch, st->target[i].device);
	for (size_t i = 0; i < st->targets; i++) {
		const struct target *target = &st->target[i];
		size_t number = launches_choose(launches, target->launch, target->device);
		const struct launch *launch = launches_at(launches, number);

		if (!launch || launch->own)
			continue;
		arrows++;
		put_end(st, "s", arrows, launch_track(launches, launch), launch->ts);
		put_end(st, "f", arrows, strmap_key(&st->ends, target->track), target->ts);
	}
	if (launches->unchosen)
		warn("--arrows: rows without an arrow, as several processes have calls of their "
		     "correlation: %llu",
		     (unsigned long long)launches->unchosen);
	else if (st->arrows && st->targets == 0)
		warn("--arrows: the input has no row of a device with ts and a correlation");
	else if (st->arrows && arrows == 0)
		warn("--arrows: no call has the correlation of a kernel; keep the rows of the host "
		     "(trace2tsv -g without -c)");
}

/* A core field as it stands: of a phase M or a number, an escape makes something else. */
static struct str core_field(const struct state *st, enum kev_core core)
{
	return st->core[core] == KEV_NONE ? STR("") : st->in.field[st->core[core]];
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str ph = core_field(st, KEV_PH);
	const struct called *called;

	if (st->by_rank)
		st->event.longer = ranktracks_row(&st->ranks, in);
	if (in->error[0])
		return;
	called = ph.n == 1 && *ph.s == 'M' ? name_of_row(st) : NULL;
	if (in->field[st->core[KEV_TS]].n == 0) {
		st->no_ts++;
		if (st->opts.strict) {
			kev_error(in, "ts is missing");
			return;
		}
	}
	if (st->balance.on) {
		balance_in(&st->balance, core_field(st, KEV_DUR));
		balance_out(&st->balance, core_field(st, KEV_DUR));
	}
	begin_line(st);
	rowevent_put(&st->event, &st->text, in, called ? &called->name : NULL);
	for (size_t i = 0; i < st->counters.count; i++)
		put_counter(st, st->counter[i]);
	if (st->arrows)
		note_arrow(st);
}

/* Ends on an error in the stream, after writing the events before it. */
static _Noreturn void fail(struct state *st)
{
	if (st->any)
		put(st, Z_FINISH);
	kev_fail(&st->out, &st->in);
}

/* With --rank-offset each process has a name. */
static void name_others(struct state *st)
{
	for (size_t i = 0; i < st->ranks.pids.count; i++) {
		struct str key = strmap_key(&st->ranks.pids, i);
		struct buf pid = {0};
		struct called *called;

		buf_format(&pid, "%zu", i + 1);
		called = called_of(st, buf_view(&pid));
		if (called->name.n == 0) {
			st->scratch.len = 0;
			ranktracks_name(&st->scratch, tsv_field(key, 0), tsv_field(key, 1), STR(""));
			free((char *)called->name.s);
			called->name =
				(struct str){mem_string(st->scratch.data, st->scratch.len), st->scratch.len};
		}
		buf_free(&pid);
	}
}

/* The table of kcoll --align. */
static void read_offsets(struct state *st, const char *path)
{
	char *operand = mem_string(path, strlen(path));
	struct opts table = st->opts;
	struct kev_reader in;
	enum kev_item item;

	table.operands = &operand;
	table.operands_count = 1;
	kev_open(&in, &table);
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_ROW)
			ranktracks_clock(&st->ranks, &in);
		else if (item == KEV_META)
			kev_note_damage(&st->out, &in);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, &in);
	kev_close(&in);
	free(operand);
	st->ranks.offsets = true;
}

static void finish(struct state *st)
{
	name_others(st);
	for (size_t i = 0; i < st->tracks.count; i++)
		if (!st->called[i].written)
			put_track(st, strmap_key(&st->tracks, i), &st->called[i]);
	put_arrows(st);
	if (st->no_ts)
		warn("rows without ts, which viewers do not show: %llu", (unsigned long long)st->no_ts);
	buf_text(&st->text, st->array ? "\n]\n" : "\n]}\n");
	put(st, Z_FINISH);
	if (st->gzip)
		deflateEnd(&st->z);
	st->balance.unit = st->in.units_differ ? NULL : kev_unit(&st->in);
	balance_print(&st->balance);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows"}};
	const char *offsets = NULL;
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'z':
			st.gzip = true;
			break;
		case ARROWS:
			st.arrows = true;
			break;
		case COUNTER:
			opts_words(&st.opts, &st.counters);
			break;
		case RANK_OFFSET:
			st.by_rank = true;
			offsets = st.opts.arg;
			break;
		}
	}
	opts_distinct("--counter", &st.counters);
	st.counter = mem_alloc(st.counters.count + 1, sizeof *st.counter);
	st.balance.on = st.opts.verbose;
	st.array = st.opts.no_head;
	st.opts.no_head = true; /* JSON has no ## lines */
	if (st.gzip && deflateInit2(&st.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
	                            Z_DEFAULT_STRATEGY) != Z_OK)
		die("zlib cannot be started");

	kev_writer_init(&st.out, &st.opts);
	if (offsets)
		read_offsets(&st, offsets);
	kev_open(&st.in, &st.opts);
	st.in.by_source = st.arrows && !st.by_rank;
	buf_text(&st.text, st.array ? "[" : "{\"traceEvents\":[");
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED)
		fail(&st);
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
