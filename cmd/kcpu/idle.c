#include "idle.h"

#include "base/mem.h"

#include <stdlib.h>

static const char *const copied_names[IDLE_COPIED] = {"step", "phase", "step_name", "layer",
                                                      "cpu_op"};

/* A row of a device, in the spool; its text is of the fields of enum text, with tabs between. */
struct held {
	struct interval span;
	size_t device;
	size_t launch; /* by its correlation */
};

enum text {
	TEXT_NAME,
	TEXT_COPIED,
	TEXT_NAMED = TEXT_COPIED + IDLE_COPIED,
	TEXTS = TEXT_NAMED + 4
};

/* What else than its names is known of a gap. */
struct idle_gap {
	size_t name;   /* name of the row after it, in gaps.names, or STRMAP_NONE */
	size_t launch; /* launch of that row; LAUNCHES_NONE */
	uint32_t copy; /* fields of that row, in copies */
	bool graph;    /* a row before the gap has this launch, too */
};

/* A row that ends when a gap begins. */
struct idle_mate {
	size_t gap;
	size_t launch;
};

/* --- rows ------------------------------------------------------------------- */

static void note_gap(void *arg, size_t device, const struct interval *span)
{
	struct idle *idle = arg;

	gaps_add(&idle->gaps, device, span);
}

void idle_begin(struct idle *idle)
{
	struct words none = {0};

	devices_keys(&idle->devices, &none);
	idle->listener = (struct busy_listener){.arg = idle, .gap = note_gap};
	idle->pieces.threads = idle->threads;
	idle->launches.without_waits = true;
	idle->callers = (struct callers){.threads = idle->threads, .launches = &idle->launches};
}

void idle_columns(struct idle *idle)
{
	struct kev_reader *in = idle->in;

	kinds_columns(&idle->kinds, in);
	devices_columns(&idle->devices, in);
	launches_columns(&idle->launches, in, false);
	threads_columns(idle->threads, in);
	idle->ts = kev_column(in, STR("ts"));
	idle->dur = kev_column(in, STR("dur"));
	idle->name = kev_column(in, STR("name"));
	for (size_t i = 0; i < IDLE_COPIED; i++) {
		idle->copied[i] = kev_column(in, str_of(copied_names[i]));
		idle->has_copied[i] |= idle->copied[i] != KEV_NONE;
	}
}

void idle_metadata(struct idle *idle)
{
	devices_metadata(&idle->devices, idle->in);
	kinds_metadata(&idle->kinds, idle->in);
}

static void spool_failed(struct idle *idle)
{
	kev_die(idle->out, idle->in->file, 0, "%s", idle->spool.error);
}

static void hold(struct idle *idle, const struct held *held)
{
	const struct kev_reader *in = idle->in;
	struct launch_fields named;
	struct buf *text = &idle->text;

	launches_fields(&idle->launches, idle->in, &named);
	text->len = 0;
	buf_str(text, in->field[idle->name]);
	for (size_t i = 0; i < IDLE_COPIED; i++) {
		buf_char(text, '\t');
		if (idle->copied[i] != KEV_NONE)
			buf_str(text, in->field[idle->copied[i]]);
	}
	buf_char(text, '\t');
	buf_str(text, named.correlation);
	buf_char(text, '\t');
	buf_str(text, named.ts);
	buf_char(text, '\t');
	buf_str(text, named.dur);
	buf_char(text, '\t');
	buf_str(text, named.tid);
	if (!idle->holds && !spool_open(&idle->spool))
		spool_failed(idle);
	idle->holds = true;
	if (!spool_put(&idle->spool, held, sizeof *held, buf_view(text)))
		spool_failed(idle);
}

static void device_row(struct idle *idle, struct dec ts, struct dec dur)
{
	struct held held;
	bool new;

	memset(&held, 0, sizeof held);
	held.device = devices_of(&idle->devices, idle->in, ts, &new);
	if (new) {
		idle->busy = mem_grow(idle->busy, &idle->busy_cap, held.device + 1, sizeof *idle->busy);
		idle->busy[held.device] = (struct busy){.device = held.device, .listener = &idle->listener};
	}
	/* All kinds of work are one track: only idle time counts. */
	if (busy_add(&idle->busy[held.device], 0, ts, dur) != BUSY_OK) {
		kev_error(idle->in, "the times are too large to add");
		return;
	}
	held.span = (struct interval){ts, {ts.nano + (dur.nano > 0 ? dur.nano : 0)}};
	held.launch = launches_by_correlation(&idle->launches, idle->in, idle->devices.source);
	hold(idle, &held);
}

static void host_row(struct idle *idle, enum rowkind kind)
{
	/* The rank of any other row is that of its kind. */
	bool by_cat = kind == ROWKIND_CALL || idle->threads->ignored->words.count;
	struct str cat = by_cat ? kinds_cat(&idle->kinds, idle->in) : STR("");
	enum rowkind_rank rank = threads_rank(idle->threads, kind, cat);

	idle->hosts = idle->hosts || rowkind_rank(kind, cat) != ROWKIND_IN_NOTHING;
	launches_host(&idle->launches, idle->in, idle->devices.source, kind);
	if (rank != ROWKIND_IN_NOTHING)
		threads_add(idle->threads, idle->in, idle->devices.source, kind, rank);
	/* The categories are told only if there is no row of a device. */
	if (idle->devices.names.count == 0)
		kinds_skip(&idle->kinds, idle->in);
}

enum idle_answer idle_row(struct idle *idle)
{
	struct kev_reader *in = idle->in;
	enum rowkind kind;
	struct dec ts;
	struct dec dur;
	bool timed;

	devices_row(&idle->devices, in);
	kind = kinds_row(&idle->kinds, in);
	if (!rowkind_is_device(kind)) {
		host_row(idle, kind);
		return IDLE_HOST;
	}
	timed = kev_number(in, idle->ts, &ts);
	if (!kev_number(in, idle->dur, &dur) || !timed)
		return IDLE_NO_TIME;
	device_row(idle, ts, dur);
	return IDLE_TAKEN;
}

/* --- gaps ------------------------------------------------------------------------ */

/* The next row in the spool, from the first after a rewind. */
static bool next_held(struct idle *idle, struct held *held, struct str text[TEXTS])
{
	struct str line;
	int got = idle->holds ? spool_next(&idle->spool, held, sizeof *held, &line) : 0;

	if (got < 0)
		spool_failed(idle);
	if (got > 0)
		tsv_split(line, text, TEXTS);
	return got > 0;
}

static void rewind_held(struct idle *idle)
{
	if (idle->holds && !spool_rewind(&idle->spool))
		spool_failed(idle);
}

static int compare_launches(const struct launches *launches, size_t a, size_t b)
{
	const struct launch *x = launches_at(launches, a);
	const struct launch *y = launches_at(launches, b);
	int order;

	if (!x || !y)
		return !x - !y;
	order = dec_compare(x->ts, y->ts);
	if (order == 0)
		order = dec_compare(launch_end(y), launch_end(x));
	if (order == 0)
		order = str_compare(launch_track(launches, x), launch_track(launches, y));
	return order ? order : str_compare(launch_name(launches, x), launch_name(launches, y));
}

/* The copied fields, a tab before each. */
static struct str copy_of(struct idle *idle, const struct str text[TEXTS])
{
	idle->fields.len = 0;
	for (size_t i = 0; i < IDLE_COPIED; i++) {
		if (!idle->has_copied[i])
			continue;
		buf_char(&idle->fields, '\t');
		buf_str(&idle->fields, text[TEXT_COPIED + i]);
	}
	return buf_view(&idle->fields);
}

/*
 * A row that ends the gap: of those with the smallest name, the row after the gap is the first with
 * a launch, by the launches. One call may launch rows of several steps.
 */
static void offer_after(struct idle *idle, size_t at, struct str name, size_t launch,
                        const struct str text[TEXTS])
{
	struct idle_gap *gap = &idle->gap[at];
	size_t after = idle->gaps.item[at].after;
	struct str copy = copy_of(idle, text);

	if (!str_equal(name, strmap_key(&idle->gaps.names, after)))
		return;
	if (gap->name == after) {
		int order = compare_launches(&idle->launches, launch, gap->launch);

		if (order == 0)
			order = str_compare(copy, strmap_key(&idle->copies, gap->copy));
		if (order >= 0)
			return;
	}
	gap->name = after;
	gap->launch = launch;
	gap->copy = (uint32_t)strmap_add(&idle->copies, copy, NULL);
}

static size_t named_launch(struct idle *idle, size_t device, const struct str text[TEXTS])
{
	const struct launch_fields named = {text[TEXT_NAMED], text[TEXT_NAMED + 1],
	                                    text[TEXT_NAMED + 2], text[TEXT_NAMED + 3]};

	return launches_named(&idle->launches, idle->devices.source_of[device], &named);
}

/* A row of a device with a launch by its correlation. */
static void look_beside(struct idle *idle, const struct held *held, const struct str text[TEXTS],
                        size_t launch)
{
	struct gaps_beside beside;
	struct str name;

	name = tsv_text(text[TEXT_NAME], &idle->text);
	beside = gaps_offer(&idle->gaps, held->device, &held->span, name);
	if (beside.next == GAPS_NONE && beside.last == GAPS_NONE)
		return;
	if (!launches_at(&idle->launches, launch))
		launch = named_launch(idle, held->device, text);
	if (beside.next != GAPS_NONE && launch != LAUNCHES_NONE) {
		idle->mate = mem_grow(idle->mate, &idle->mate_cap, idle->mates + 1, sizeof *idle->mate);
		idle->mate[idle->mates++] = (struct idle_mate){beside.next, launch};
	}
	if (beside.last != GAPS_NONE)
		offer_after(idle, beside.last, name, launch, text);
}

static void find_owners(struct idle *idle)
{
	struct str text[TEXTS];
	struct held held;

	rewind_held(idle);
	while (next_held(idle, &held, text))
		launches_own(&idle->launches, held.launch, held.device);
}

/* Finds the rows beside each gap, and their launches. */
static void find_beside(struct idle *idle)
{
	bool several = idle->launches.others.count > 0;
	struct str text[TEXTS];
	struct held held;

	gaps_sort(&idle->gaps);
	idle->gap = mem_alloc(idle->gaps.count + 1, sizeof *idle->gap);
	for (size_t i = 0; i < idle->gaps.count; i++)
		idle->gap[i] = (struct idle_gap){STRMAP_NONE, LAUNCHES_NONE, 0, false};
	if (several)
		find_owners(idle);
	rewind_held(idle);
	while (next_held(idle, &held, text))
		look_beside(idle, &held, text,
		            several ? launches_choose(&idle->launches, held.launch, held.device)
		                    : held.launch);
	for (size_t i = 0; i < idle->mates; i++) {
		struct idle_gap *gap = &idle->gap[idle->mate[i].gap];

		gap->graph |= gap->launch == idle->mate[i].launch;
	}
}

/* --- launches ----------------------------------------------------------------------- */

static struct dec later(struct dec a, struct dec b)
{
	return dec_compare(a, b) < 0 ? b : a;
}

static struct dec sooner(struct dec a, struct dec b)
{
	return dec_compare(a, b) < 0 ? a : b;
}

/* The launch of the row after a gap. */
static struct caller find_caller(struct idle *idle, size_t device, size_t number)
{
	const struct launch *launch = launches_at(&idle->launches, number);

	if (!launch || !idle->hosts)
		return (struct caller){.launch = NULL};
	return callers_find(&idle->callers, launch, idle->devices.source_of[device]);
}

/* --- pieces ------------------------------------------------------------------------- */

/* Writes the piece at hand, unless it is empty. */
static void flush_piece(struct idle *idle)
{
	struct idle_piece *last = &idle->last;
	struct dec dur = {last->span.end.nano - last->span.start.nano};

	if (dur.nano <= 0)
		return;
	kev_field_dec(idle->out, last->span.start);
	kev_field_dec(idle->out, dur);
	kev_field_raw(idle->out, last->name);
	kev_field_raw(idle->out, buf_view(&idle->device));
	kev_field_raw(idle->out, last->tid);
	kev_field_raw(idle->out, str_of(piece_kinds[last->kind]));
	kev_field_raw(idle->out, buf_view(&idle->beside));
	if (idle->stacks)
		kev_field_raw(idle->out, buf_view(&idle->last_stack));
	kev_row_end(idle->out);
	last->span.end = last->span.start;
}

/* Sets the fields that all pieces of a device have: cat, ph, file and pid. */
static void set_device(struct idle *idle, size_t number)
{
	struct str device = strmap_key(&idle->devices.names, number);
	struct buf *fields = &idle->device;

	fields->len = 0;
	buf_text(fields, "idle\tX\t");
	if (devices_several(&idle->devices)) {
		buf_str(fields, tsv_field(device, 0));
		buf_char(fields, '\t');
	}
	buf_str(fields, tsv_field(device, 1));
}

/*
 * Sets the fields that all pieces of a gap have: the tid of the launch, the names before and after
 * the gap, its start, and the fields of the row after it. Returns the name after it, escaped.
 */
static struct str set_beside(struct idle *idle, size_t at, struct str tid)
{
	const struct gap *gap = &idle->gaps.item[at];
	struct buf *fields = &idle->beside;
	size_t after;
	size_t end;

	fields->len = 0;
	buf_str(fields, tid);
	buf_char(fields, '\t');
	if (gap->before != STRMAP_NONE)
		tsv_escape(fields, strmap_key(&idle->gaps.names, gap->before));
	buf_char(fields, '\t');
	after = fields->len;
	tsv_escape(fields, strmap_key(&idle->gaps.names, gap->after));
	end = fields->len;
	buf_char(fields, '\t');
	dec_print(fields, gap->event.span.start);
	buf_str(fields, strmap_key(&idle->copies, idle->gap[at].copy));
	return (struct str){fields->data + after, end - after};
}

/* Adds a piece; name and tid are escaped, and stay until the end of the gap. Adjacent pieces with
 * equal fields are one row. */
static void add_piece(struct idle *idle, struct interval span, enum piece_kind kind,
                      struct str name, struct str tid)
{
	struct idle_piece *last = &idle->last;

	if (dec_compare(span.start, span.end) >= 0)
		return;
	if (kind == PIECE_UNLINKED)
		idle->unlinked.nano += span.end.nano - span.start.nano;
	if (dec_compare(last->span.start, last->span.end) < 0 && last->kind == kind &&
	    str_equal(name, last->name) && str_equal(tid, last->tid) &&
	    str_equal(buf_view(&idle->stack), buf_view(&idle->last_stack))) {
		last->span.end = span.end;
		return;
	}
	flush_piece(idle);
	*last = (struct idle_piece){span, kind, name, tid};
	idle->last_stack.len = 0;
	buf_str(&idle->last_stack, buf_view(&idle->stack));
}

/* Sets the stack to that of a row or a call, which come at this place of the order. */
static void set_stack(struct idle *idle, const struct thread *thread, size_t place, struct dec time)
{
	idle->stack.len = 0;
	if (idle->stacks && thread)
		threads_fold(idle->threads, thread, place, time, &idle->stack);
}

/* Appends the call itself to its stack. */
static void add_call(struct idle *idle, struct str name)
{
	size_t at;

	if (!idle->stacks || name.n == 0)
		return;
	if (idle->stack.len)
		buf_char(&idle->stack, ';');
	at = idle->stack.len;
	buf_str(&idle->stack, name);
	buf_replace(&idle->stack, at, ';', ':');
}

/* What the host did before the launch. */
static void cut_host(struct idle *idle, const struct caller *caller, const struct interval *span)
{
	pieces_cut(&idle->pieces, caller->thread, caller->process, span);
	for (size_t i = 0; i < idle->pieces.count; i++) {
		const struct piece *piece = &idle->pieces.item[i];
		const struct threads_row *row;

		if (piece->kind == PIECE_NOTHING) {
			idle->stack.len = 0;
			add_piece(idle, piece->span, piece->kind, STR(""), caller->tid);
			continue;
		}
		row = &piece->thread->row[piece->row];
		set_stack(idle, piece->thread, piece->row, row->start);
		add_piece(idle, piece->span, piece->kind, threads_name(idle->threads, row),
		          threads_tid(idle->threads, piece->thread));
	}
}

static void cut_gap(struct idle *idle, size_t at)
{
	const struct gap *gap = &idle->gaps.item[at];
	const struct interval span = gap->event.span;
	const struct caller caller = find_caller(idle, gap->event.device, idle->gap[at].launch);
	struct interval host = {span.start, span.end};
	const struct str after = set_beside(idle, at, caller.tid);
	struct interval launch;

	idle->total.nano += span.end.nano - span.start.nano;
	idle->stack.len = 0;
	if (!caller.launch) {
		add_piece(idle, span, PIECE_UNLINKED, after, STR(""));
		flush_piece(idle);
		return;
	}
	if (idle->gap[at].graph && !caller.launch->ended)
		launch = (struct interval){span.start, span.start};
	else
		launch = callers_span(caller.launch);
	host.end = sooner(span.end, launch.start);
	cut_host(idle, &caller, &host);
	set_stack(idle, caller.thread, caller.place, caller.launch->ts);
	add_piece(idle,
	          (struct interval){later(span.start, launch.start), sooner(span.end, launch.end)},
	          PIECE_LAUNCH, caller.name, caller.tid);
	add_call(idle, caller.name);
	add_piece(idle, (struct interval){later(span.start, launch.end), span.end},
	          idle->gap[at].graph ? PIECE_GRAPH : PIECE_DELAY, after, caller.tid);
	flush_piece(idle);
}

/* --- all of it ---------------------------------------------------------------------- */

static void write_columns(struct idle *idle)
{
	static const char *const core[] = {"ts", "dur", "name", "cat", "ph"};
	static const char *const own[] = {"pid",    "tid",   "kind",  "launch_tid",
	                                  "before", "after", "gap_ts"};
	struct str names[sizeof core / sizeof *core + sizeof own / sizeof *own + IDLE_COPIED + 2];
	size_t count = 0;

	for (size_t i = 0; i < sizeof core / sizeof *core; i++)
		names[count++] = str_of(core[i]);
	if (devices_several(&idle->devices))
		names[count++] = STR("file");
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		names[count++] = str_of(own[i]);
	for (size_t i = 0; i < IDLE_COPIED; i++)
		if (idle->has_copied[i])
			names[count++] = str_of(copied_names[i]);
	if (idle->stacks)
		names[count++] = STR("stack");
	kev_columns(idle->out, names, count);
}

void idle_finish(struct idle *idle)
{
	threads_build(idle->threads);
	for (size_t i = 0; i < idle->devices.names.count; i++)
		busy_finish(&idle->busy[i]);
	devices_sort(&idle->devices);
	find_beside(idle);
	write_columns(idle);
	for (size_t i = 0; i < idle->devices.order_count; i++) {
		size_t device = idle->devices.order[i];

		set_device(idle, device);
		for (size_t at = gaps_first(&idle->gaps, device);
		     at < idle->gaps.count && idle->gaps.item[at].event.device == device; at++)
			cut_gap(idle, at);
	}
}

void idle_free(struct idle *idle)
{
	for (size_t i = 0; i < idle->devices.names.count; i++)
		busy_free(&idle->busy[i]);
	free(idle->busy);
	devices_free(&idle->devices);
	kinds_free(&idle->kinds);
	launches_free(&idle->launches);
	gaps_free(&idle->gaps);
	if (idle->holds)
		spool_close(&idle->spool);
	free(idle->gap);
	free(idle->mate);
	strmap_free(&idle->copies);
	callers_free(&idle->callers);
	pieces_free(&idle->pieces);
	buf_free(&idle->last_stack);
	buf_free(&idle->fields);
	buf_free(&idle->device);
	buf_free(&idle->beside);
	buf_free(&idle->text);
	buf_free(&idle->stack);
}
