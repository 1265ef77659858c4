/*
 * kbusy - how long each device was busy or idle, and what other work hid.
 *
 *	#ts	dur	name	cat	pid	op
 *	0	10	gemm	kernel	0	Dense GEMM
 *	5	10	ncclDevKernel	kernel	0	Collective
 *	20	5	Memcpy HtoD	gpu_memcpy	0	Memory
 * gives
 *	#pid	busy	comm_exposed	span	idle	copy_exposed	compute	comm	copy	...
 *	0	20	5	25	5	5	10	10	5	...
 *
 * Memory: 32 bytes for each row of a device, and some 1500 for each key; with -s only what is open
 * at a time, and the keys. Without op, each distinct kernel takes some 300. Names of class Other
 * take up to 4 MB. Without -s, each correlation takes some 10, or up to 90 if they are far from
 * each other, and a row before its launch 16 more. Rows of --gaps, and of --linked before their
 * launch, are in a temporary file.
 */
#include <stdlib.h>

#include "answer/damage.h"
#include "base/mem.h"
#include "compare/gate.h"
#include "io/spool.h"
#include "kernel/unclassed.h"
#include "stream/balance.h"
#include "wall/gaps.h"
#include "wall/kind.h"

#include "labels.h"
#include "links.h"
#include "slices.h"

enum reason { HOST, NO_TIME, NOT_LINKED, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[NO_TIME] = "without ts or dur",
	[NOT_LINKED] = "without a launch (--linked)",
};

BALANCE_FITS(reasons);

/* A row to be counted, on a device and a track of it. */
struct row {
	size_t device;
	size_t track; /* its kind, or with --label its label */
	enum kind kind;
	struct dec ts;
	struct dec dur;
};

/* A row whose launch has not come yet. */
struct waiting {
	size_t device;
	size_t launch;
};

/* A row in the spool, with its name: with --gaps any, with --linked those that wait. */
struct held {
	struct row row;
	size_t launch;
	enum links_answer linked;
};

/* A limit for a figure of devices: idle:10%, unlinked:0. */
struct bound {
	const char *text; /* COL:LIMIT, or NULL: there is no limit */
	enum busy_figure figure;
	struct dec value;
	bool is_share; /* value is a percentage of the span */
	bool has_unit; /* the stream must be in us */
};

struct state {
	struct opts opts;
	const char *label;
	bool linked;
	bool want_gaps;
	bool has_unit; /* a time with a unit was given */
	bool has_micro;
	struct bound limit; /* --fail-over */
	enum form form;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct kinds kinds;
	struct unclassed unclassed;
	struct devices devices;
	struct links links;
	struct labels labels;
	struct gaps gaps;
	struct slices slices; /* have length 0 without --every */
	struct busy_listener listener;
	int ts;
	int dur;
	int name;
	int label_column;
	bool steps;
	struct busy *busy; /* by number in devices */
	size_t busy_cap;
	struct busy *limited; /* with --label and --fail-over: the same rows by their kind */
	size_t limited_cap;
	struct busy_listener limited_listener;
	struct waiting *waiting;
	size_t waiting_count;
	size_t waiting_cap;
	bool holds; /* rows are in the spool */
	struct spool spool;
	struct buf damages;
	struct buf text;
};

enum { LABEL = OPT_LONG, MEMSET, LINKED, MICRO, GAPS, EVERY, FAIL_OVER };

static const struct opt opts[] = {
	{'k', "key", "COL,...", "a row for each value of these columns and pid (default: pid)"},
	{LABEL, "label", "COL", "a row for each key and value of COL: its time, and its time alone"},
	{MEMSET, "memset", "copy|compute", "count memsets as copies or as compute (default: copy)"},
	{LINKED, "linked", NULL, "count only rows that have a launch"},
	{MICRO, "micro", "TIME", "idle intervals below TIME are micro (default: 30us)"},
	{GAPS, "gaps", NULL, "write each idle interval as a row, with the rows before and after it"},
	{EVERY, "every", "TIME", "write a row for each slice of TIME: how busy it was, in percent"},
	{'s', "sorted", NULL, "rows are sorted by ts: hold only what is open"},
	{FAIL_OVER, "fail-over", "COL:LIMIT", "exit 3 if a value of COL is above LIMIT; N%: of span"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[-k COL,...] [--label=COL | --gaps | --every=TIME] [--memset=KIND] [--linked]\n"
	"             [--micro=TIME] [-s] [-r | -j | -M] [--fail-over=COL:LIMIT] [FILE...]",
	"Print how long each device was busy or idle, and what other work hid.", opts,
	sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	kinds_columns(&st->kinds, in);
	unclassed_columns(&st->unclassed, in);
	links_columns(&st->links, in);
	devices_columns(&st->devices, in);
	st->steps |= kev_column(in, STR("step")) != KEV_NONE;
	if (st->label)
		kev_need(in, str_of(st->label), &st->label_column);
	if (kev_need(in, STR("ts"), &st->ts) && kev_need(in, STR("dur"), &st->dur))
		kev_need(in, STR("name"), &st->name);
	if (st->linked && st->listener.sorted && !links_has_launch_ts(&st->links))
		kev_misuse(in, "-s and --linked need the column launch_ts; kcontext adds it");
}

/* --- rows ---------------------------------------------------------------- */

static size_t device_of(struct state *st, struct dec ts)
{
	bool new;
	size_t number = devices_of(&st->devices, &st->in, ts, &new);

	if (new) {
		st->busy = mem_grow(st->busy, &st->busy_cap, number + 1, sizeof *st->busy);
		st->busy[number] = (struct busy){.device = number, .listener = &st->listener};
	}
	if (new && st->label && st->limit.text) {
		st->limited = mem_grow(st->limited, &st->limited_cap, number + 1, sizeof *st->limited);
		st->limited[number] = (struct busy){.device = number, .listener = &st->limited_listener};
	}
	return number;
}

static void count(struct state *st, const struct row *row)
{
	if (st->limited)
		busy_add(&st->limited[row->device], row->kind, row->ts, row->dur);
	switch (busy_add(&st->busy[row->device], row->track, row->ts, row->dur)) {
	case BUSY_TOO_LARGE:
		kev_error(&st->in, "the times are too large to add");
		return;
	case BUSY_NOT_SORTED:
		kev_misuse(&st->in, "ts: the rows of this device are not sorted by it; leave out -s");
		return;
	case BUSY_OK:
		break;
	}
	if (st->label)
		labels_count(&st->labels, row->device, row->track, row->dur);
}

static void spool_failed(struct state *st)
{
	kev_die(&st->out, st->in.file, 0, "%s", st->spool.error);
}

static void hold(struct state *st, const struct row *row, enum links_answer linked)
{
	struct held held;

	memset(&held, 0, sizeof held);
	held.row = *row;
	held.launch = st->links.id;
	held.linked = linked;
	if (!st->holds && !spool_open(&st->spool))
		spool_failed(st);
	st->holds = true;
	if (!spool_put(&st->spool, &held, sizeof held, kev_text(&st->in, st->name, &st->text)))
		spool_failed(st);
}

/* Whether it is linked will be known at the end. */
static void wait(struct state *st, const struct row *row)
{
	st->waiting =
		mem_grow(st->waiting, &st->waiting_cap, st->waiting_count + 1, sizeof *st->waiting);
	st->waiting[st->waiting_count++] = (struct waiting){row->device, st->links.id};
}

static void add_row(struct state *st, const struct row *row, struct str dur)
{
	enum links_answer linked = links_of(&st->links, &st->in, st->devices.source);

	st->busy[row->device].unlinked += linked == LINKS_NO;
	if (linked == LINKS_NOT_YET)
		wait(st, row);
	if (st->linked && linked == LINKS_NO) {
		balance_drop(&st->balance, NOT_LINKED, dur);
		return;
	}
	if (st->want_gaps || (st->linked && linked == LINKS_NOT_YET))
		hold(st, row, linked);
	if (!st->linked || linked == LINKS_YES) {
		count(st, row);
		balance_out(&st->balance, dur);
	}
}

static void add_share(struct state *st, struct dec dur)
{
	if (st->kinds.other)
		unclassed_add_other(&st->unclassed, dur, kev_text(&st->in, st->name, &st->text));
	else if (st->kinds.classed)
		unclassed_add(&st->unclassed, dur);
}

static void device_row(struct state *st, struct row *row, struct str dur)
{
	row->kind = kinds_of(&st->kinds, &st->in);
	add_share(st, row->dur);
	row->device = device_of(st, row->ts);
	row->track = row->kind;
	if (st->label)
		row->track =
			labels_of(&st->labels, row->device, kev_text(&st->in, st->label_column, &st->text));
	add_row(st, row, dur);
}

static bool in_cycles(const struct state *st)
{
	return strcmp(kev_unit(&st->in), "cycles") == 0;
}

/* The default of --micro is no number of cycles, and launches may not be in the stream. */
static bool is_known(const struct state *st, enum busy_figure figure)
{
	if (figure == BUSY_UNLINKED)
		return st->links.known && !st->links.unanswered;
	return (figure != BUSY_IDLE_MICRO && figure != BUSY_IDLE_MACRO) || st->has_micro ||
	       !in_cycles(st);
}

/* Cycles of one tile do not compare with those of another. */
static void check_unit(struct state *st)
{
	if (!in_cycles(st))
		return;
	if (!words_have(&st->devices.keys, STR("tid")))
		kev_misuse(&st->in, "the times are cycles, of each tile its own; add -k pid,tid");
	else if (st->limit.text && st->limit.figure != BUSY_UNLINKED && !is_known(st, st->limit.figure))
		kev_misuse(&st->in, "the times are cycles, so --fail-over=%s needs --micro",
		           st->limit.text);
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str dur = in->field[st->dur];
	struct row row = {.track = 0};
	bool has_ts = kev_number(in, st->ts, &row.ts);
	bool timed = kev_number(in, st->dur, &row.dur) && has_ts;
	enum rowkind kind;

	check_unit(st);
	if (in->error[0])
		return;
	balance_in(&st->balance, dur);
	devices_row(&st->devices, in);
	kind = kinds_row(&st->kinds, in);
	if (!rowkind_is_device(kind)) {
		links_host(&st->links, in, st->devices.source, kind, has_ts);
		kinds_skip(&st->kinds, in);
		balance_drop(&st->balance, HOST, dur);
	} else if (timed) {
		device_row(st, &row, dur);
	} else {
		balance_drop(&st->balance, NO_TIME, dur);
		if (st->opts.strict)
			kev_error(in, "a row of a device without ts or dur");
	}
}

static void metadata(struct state *st)
{
	struct kev_reader *in = &st->in;

	devices_metadata(&st->devices, in);
	kinds_metadata(&st->kinds, in);
	unclassed_metadata(&st->unclassed, in);
	if ((st->has_unit || st->limit.has_unit) && str_equal(in->key, STR("unit")) &&
	    !str_equal(in->value, STR("us")))
		kev_misuse(in, "unit: %s",
		           st->limit.has_unit
		               ? "a --fail-over of ns, us, ms or s needs a stream in us; give a percentage"
		               : "times in ns, us, ms or s need a stream in us; leave the units out");
	if (st->form == FORM_TSV) {
		if (!str_equal(in->key, STR("thread")) || words_have(&st->devices.keys, STR("tid")))
			kev_pass_meta(&st->out, in);
	} else if (str_equal(in->key, STR("damaged"))) {
		damage_note(&st->damages, NULL, in);
		kev_note_damage(&st->out, in);
	}
}

/* --- the end of the rows --------------------------------------------------- */

/* The next row in the spool, from the first one after spool_rewind. */
static bool next_held(struct state *st, struct held *held, struct str *name)
{
	int got = st->holds ? spool_next(&st->spool, held, sizeof *held, name) : 0;

	if (got < 0)
		spool_failed(st);
	return got > 0;
}

static void rewind_held(struct state *st)
{
	if (st->holds && !spool_rewind(&st->spool))
		spool_failed(st);
}

/* By now all launches are known. */
static bool is_linked(const struct state *st, const struct held *held)
{
	return held->linked == LINKS_YES ||
	       (held->linked == LINKS_NOT_YET && links_launched(&st->links, held->launch));
}

/* With --linked: counts the rows that waited, or drops them. */
static void count_held(struct state *st)
{
	struct held held;
	struct str name;

	rewind_held(st);
	while (next_held(st, &held, &name)) {
		if (held.linked == LINKS_YES)
			continue;
		st->text.len = 0;
		dec_print(&st->text, held.row.dur);
		if (is_linked(st, &held)) {
			count(st, &held.row);
			balance_out(&st->balance, buf_view(&st->text));
		} else {
			balance_drop(&st->balance, NOT_LINKED, buf_view(&st->text));
		}
	}
}

static void take_waiting(struct state *st)
{
	for (size_t i = 0; i < st->waiting_count; i++)
		st->busy[st->waiting[i].device].unlinked +=
			!links_launched(&st->links, st->waiting[i].launch);
	if (st->linked && st->devices.names.count && !st->links.known)
		kev_misuse(&st->in, "--linked: the stream has no launches; keep the rows of the host "
		                    "(trace2tsv -g without -c), or add launch_ts with kcontext");
	if (st->linked)
		count_held(st);
	if (st->in.error[0])
		kev_fail(&st->out, &st->in);
}

/* Finds the rows beside each gap. */
static void look_beside(struct state *st)
{
	struct held held;
	struct str name;

	gaps_sort(&st->gaps);
	rewind_held(st);
	while (next_held(st, &held, &name)) {
		__int128 dur = held.row.dur.nano > 0 ? held.row.dur.nano : 0;
		struct interval span = {held.row.ts, {held.row.ts.nano + dur}};

		if (!st->linked || is_linked(st, &held))
			gaps_offer(&st->gaps, held.row.device, &span, name);
	}
}

static void note_gap(void *arg, size_t device, const struct interval *span)
{
	struct state *st = arg;

	gaps_add(&st->gaps, device, span);
}

static void note_alone(void *arg, size_t device, const struct interval_stretch *stretch)
{
	struct state *st = arg;
	struct dec time = {stretch->span.end.nano - stretch->span.start.nano};

	if (stretch->busy == 1)
		labels_alone(&st->labels, device, stretch->only, time);
}

static void note_slices(void *arg, size_t device, const struct interval_stretch *stretch)
{
	struct state *st = arg;

	slices_add(&st->slices, device, stretch);
}

/* --- tables -------------------------------------------------------------- */

static void put_figure(struct sheet *sheet, const void *row, int which)
{
	const struct state *st = sheet->context;
	const struct busy *busy = row;

	if (busy->count == 0 && (which == BUSY_FIRST || which == BUSY_LAST))
		return;
	if (!is_known(st, (enum busy_figure)which))
		return;
	if (which == BUSY_COUNT)
		sheet_count(sheet, busy->count);
	else if (which == BUSY_UNLINKED)
		sheet_count(sheet, busy->unlinked);
	else
		devices_put_time(sheet, busy_figure(busy, (enum busy_figure)which));
}

static void write_devices(struct state *st, struct devices_table *table)
{
	struct sheet_column columns[BUSY_FIGURES];

	for (int i = 0; i < BUSY_FIGURES; i++)
		columns[i] = (struct sheet_column){
			busy_names[i], SHEET_NUMBER | (i >= BUSY_TOTAL ? SHEET_WIDE : 0), put_figure, i};
	devices_table_begin(table, "Devices", columns, BUSY_FIGURES, st);
	for (size_t i = 0; i < st->devices.order_count; i++)
		sheet_row(&table->sheet, &st->busy[st->devices.order[i]]);
	devices_table_end(table);
}

static void write_table(struct state *st, struct jsonw *json)
{
	struct devices_table table = {
		.devices = &st->devices, .out = &st->out, .form = st->form, .json = json};

	if (st->want_gaps)
		gaps_write(&st->gaps, &table);
	else if (st->label)
		labels_write(&st->labels, st->label, st->busy, &table);
	else if (st->slices.length.nano == 0)
		write_devices(st, &table);
	else if (!slices_write(&st->slices, st->busy, &table))
		kev_die_misuse(&st->out, st->in.file, 0, "--every: over %d slices; give a longer TIME",
		               SLICES_MAX);
}

static void write_answer(struct state *st)
{
	struct jsonw json = {.out = &st->out.out.buf};

	if (st->form == FORM_JSON) {
		jsonw_object(&json, NULL);
		jsonw_text(&json, "unit", str_of(kev_unit(&st->in)));
	}
	write_table(st, &json);
	damage_end_answer(&st->damages, st->form, &st->out.out, &json);
}

/* --- warnings ------------------------------------------------------------ */

/* There is nothing to answer; what the input has instead. */
static void explain_nothing(struct state *st)
{
	struct buf text = {0};

	kinds_skipped(&st->kinds, &text);
	warn("the input has no rows of a device with ts and dur%.*s", (int)text.len,
	     text.data ? text.data : "");
	buf_free(&text);
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void print_warnings(struct state *st)
{
	uint64_t untimed = st->balance.dropped[NO_TIME].rows;
	uint64_t negative = 0;
	struct str file;

	for (size_t i = 0; i < st->devices.names.count; i++)
		negative += st->busy[i].negative;
	unclassed_end(&st->unclassed);
	if (untimed)
		warn("rows without ts or dur, not counted: %llu", (unsigned long long)untimed);
	if (negative)
		warn("rows with a negative dur, counted only in span, total and count: %llu",
		     (unsigned long long)negative);
	if (st->steps && st->devices.names.count && !st->kinds.copies_kept &&
	    !st->kinds.seen[KIND_COPY])
		warn("the stream has steps and no copies, so time of copies counts as idle; "
		     "kcontext --copies keeps them");
	if (st->kinds.other_rules && !st->kinds.seen[KIND_COMM])
		warn("no row is of class Collective, and kclass had other --rules; communication may "
		     "count as compute");
	if (st->devices.names.count == 0)
		explain_nothing(st);
	if (devices_untimed(&st->devices, &file)) {
		warn("%.*s: all rows of devices begin at the same time, so idle time is unknown, and the "
		     "file gets no row",
		     file.n ? (int)file.n : 1, file.n ? file.s : "-");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	}
}

/* --- the limit ------------------------------------------------------------- */

static bool is_above(const struct bound *limit, const struct busy *busy)
{
	struct dec value = busy_figure(busy, limit->figure);
	struct dec span = busy_figure(busy, BUSY_SPAN);

	if (!limit->is_share)
		return dec_compare(value, limit->value) > 0;
	return span.nano > 0 && value.nano > 0 &&
	       dec_compare_quotients(value, span, limit->value, dec_of(100)) > 0;
}

/* What --fail-over looks at: the tracks of a device are kinds, also with --label. */
static const struct busy *limited_at(const struct state *st, size_t device)
{
	return st->limited ? &st->limited[device] : &st->busy[device];
}

/* The first device, in their order, with a larger figure, or NULL; *count: how many there are. */
static const struct busy *find_above(const struct state *st, size_t *count)
{
	const struct busy *first = NULL;

	*count = 0;
	for (size_t i = 0; st->limit.text && i < st->devices.order_count; i++) {
		const struct busy *device = limited_at(st, st->devices.order[i]);

		if (!is_above(&st->limit, device))
			continue;
		++*count;
		first = first ? first : device;
	}
	return first;
}

/* The status is 3 if a value is above the limit. */
static void check_limit(struct state *st)
{
	size_t count;
	const struct busy *first = find_above(st, &count);

	if (st->limit.text && st->limit.figure == BUSY_UNLINKED && !is_known(st, BUSY_UNLINKED)) {
		warn("unlinked is unknown, so --fail-over cannot hold: %s",
		     st->links.unanswered ? "-s needs the column launch_ts for it; kcontext adds it"
		                          : "the stream has no launches");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
		return;
	}
	if (!first)
		return;
	st->text.len = 0;
	dec_print(&st->text, busy_figure(first, st->limit.figure));
	warn("%s is %.*s in the first of %zu rows above --fail-over=%s", busy_names[st->limit.figure],
	     (int)st->text.len, st->text.data, count, st->limit.text);
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

/* --- options ------------------------------------------------------------- */

static struct dec read_time(struct state *st)
{
	st->has_unit |= opts_time_has_unit(str_of(st->opts.arg));
	return opts_time(&st->opts);
}

static void read_every(struct state *st)
{
	st->slices.length = read_time(st);
	if (st->slices.length.nano == 0)
		opts_fail("--every: a slice must be longer than 0");
}

/* COL:LIMIT. Ends the program if the option's argument is not a limit for a figure. */
static void read_limit(struct state *st)
{
	const struct opts *given = &st->opts;
	struct bound *limit = &st->limit;
	struct gate gate;
	bool is_count;

	gate_need_one(limit->text, given);
	gate = gate_read(given);
	if (gate.column.n == 0)
		opts_fail("%s: '%s' names no figure; give COL:LIMIT, such as idle:5%%", given->flag,
		          given->arg);
	limit->text = gate.text;
	limit->value = gate.value;
	limit->figure = (enum busy_figure)gate_column(&gate, given, busy_names, BUSY_FIGURES);
	is_count = limit->figure == BUSY_COUNT || limit->figure == BUSY_UNLINKED;
	if (is_count && gate.kind != GATE_NUMBER)
		opts_fail("%s: %s is a number of rows; '%s' is not a limit for it", given->flag,
		          busy_names[limit->figure], given->arg + gate.column.n + 1);
	if (!is_count)
		gate_need_unit(&gate, given);
	limit->is_share = gate.kind == GATE_PERCENT;
	limit->has_unit = gate.kind == GATE_TIME;
}

/* No key may have the name of another column of the table. */
static void check_keys(const struct state *st)
{
	const struct {
		bool shown;
		const char *const *names;
		int count;
	} tables[] = {
		{st->want_gaps || st->slices.length.nano, devices_event_names, DEVICES_EVENT_COLUMNS},
		{st->want_gaps, gaps_names, GAPS_COLUMNS},
		{st->slices.length.nano != 0, slices_names, SLICES_COLUMNS},
		{st->label != NULL, labels_names + 1, LABELS_COLUMNS - 1},
		{st->label != NULL, &st->label, 1},
		{!st->want_gaps && !st->label && !st->slices.length.nano, busy_names, BUSY_FIGURES},
	};

	if (words_have(&st->devices.keys, STR("file")))
		opts_fail("-k: file is always a key; leave it out");
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (int j = 0; tables[i].shown && j < tables[i].count; j++)
			if (words_have(&st->devices.keys, str_of(tables[i].names[j])))
				opts_fail("-k: the table has another column '%s'", tables[i].names[j]);
}

static void read_options(struct state *st, int argc, char **argv)
{
	struct words keys = {0};
	int letter;

	opts_init(&st->opts, &usage, argc, argv);
	while ((letter = opts_next(&st->opts)) >= 0) {
		switch (letter) {
		case 'k':
			opts_words(&st->opts, &keys);
			break;
		case LABEL:
			st->label = st->opts.arg;
			break;
		case MEMSET:
			st->kinds.memset_computes = opts_second(&st->opts, "copy", "compute");
			break;
		case LINKED:
			st->linked = true;
			break;
		case MICRO:
			st->listener.micro = read_time(st);
			st->has_micro = true;
			break;
		case GAPS:
			st->want_gaps = true;
			break;
		case EVERY:
			read_every(st);
			break;
		case 's':
			st->listener.sorted = st->links.only_launch_ts = true;
			break;
		case FAIL_OVER:
			read_limit(st);
			break;
		default:
			opts_form(letter, &st->form);
		}
	}
	if ((st->label != NULL) + st->want_gaps + (st->slices.length.nano != 0) > 1)
		opts_fail("--label, --gaps and --every are different tables; give one of them");
	devices_keys(&st->devices, &keys);
	check_keys(st);
	st->opts.no_head |= st->form != FORM_TSV;
}

static void listen(struct state *st)
{
	st->listener.arg = st;
	st->limited_listener =
		(struct busy_listener){.micro = st->listener.micro, .sorted = st->listener.sorted};
	if (st->want_gaps)
		st->listener.gap = note_gap;
	if (st->label)
		st->listener.stretch = note_alone;
	if (st->slices.length.nano)
		st->listener.stretch = note_slices;
}

static void finish(struct state *st)
{
	take_waiting(st);
	for (size_t i = 0; i < st->devices.names.count; i++) {
		busy_finish(&st->busy[i]);
		if (st->limited) {
			busy_finish(&st->limited[i]);
			st->limited[i].unlinked = st->busy[i].unlinked;
		}
	}
	devices_sort(&st->devices);
	print_warnings(st);
	if (st->want_gaps)
		look_beside(st);
	write_answer(st);
	check_limit(st);
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;

	opts_time_parse(STR("30us"), &st.listener.micro);
	read_options(&st, argc, argv);
	listen(&st);
	st.balance.on = st.opts.verbose;

	kev_open(&st.in, &st.opts);
	st.in.by_source = true;
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
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
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
