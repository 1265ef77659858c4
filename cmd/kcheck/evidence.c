#include "evidence.h"

#include "base/mem.h"
#include "trace/step.h"

#include <stdlib.h>

void evidence_columns(struct evidence *e, struct kev_reader *in)
{
	kinds_columns(&e->kinds, in);
	devices_columns(&e->devices, in);
	launches_columns(&e->launches, in, false);
	e->pid = kev_column(in, STR("pid"));
	e->tid = kev_column(in, STR("tid"));
	e->stream = kev_column(in, STR("stream"));
	e->correlation = kev_column(in, STR("correlation"));
	e->numbers = kev_column(in, STR("step"));
	if (kev_need(in, STR("ts"), &e->ts) && kev_need(in, STR("dur"), &e->dur))
		kev_need(in, STR("name"), &e->name);
}

void evidence_metadata(struct evidence *e, const struct kev_reader *in)
{
	devices_metadata(&e->devices, in);
	kinds_metadata(&e->kinds, in);
}

/* --- numbers --------------------------------------------------------------- */

static struct evidence_source *source_of(struct evidence *e)
{
	e->source = mem_grow_zero(e->source, &e->source_cap, e->devices.source + 1, sizeof *e->source);
	return &e->source[e->devices.source];
}

/* Sets key to the source and these columns. */
static struct str key_of(struct evidence *e, const struct kev_reader *in, const int *columns,
                         size_t count)
{
	e->key.len = 0;
	buf_format(&e->key, "%zu", e->devices.source);
	if (count) {
		buf_char(&e->key, '\t');
		buf_str(&e->key, kev_key(in, columns, count, &e->text, &e->scratch));
	}
	return buf_view(&e->key);
}

static uint32_t place_of(struct evidence *e, const struct kev_reader *in, bool device)
{
	bool named = e->stream != KEV_NONE && in->field[e->stream].n;
	int columns[] = {e->pid, named ? e->stream : e->tid};
	size_t count = columns[1] == KEV_NONE ? 1 : 2;
	bool new;
	size_t number = strmap_add(&e->places, key_of(e, in, columns, count), &new);

	e->place = mem_grow(e->place, &e->place_cap, number + 1, sizeof *e->place);
	if (new) {
		size_t process = strmap_add(&e->processes, key_of(e, in, columns, 1), NULL);

		e->place[number] =
			(struct evidence_place){.source = e->devices.source, .process = (uint32_t)process};
	}
	e->place[number].device |= device;
	return (uint32_t)number;
}

static uint32_t name_of(struct evidence *e, const struct kev_reader *in)
{
	return (uint32_t)strmap_add(&e->names, kev_text(in, e->name, &e->text), NULL);
}

/* What is known of the launch of this number. */
static struct evidence_call *call_at(struct evidence *e, size_t number)
{
	e->call = mem_grow_zero(e->call, &e->call_cap, number + 1, sizeof *e->call);
	return &e->call[number];
}

static bool is_linked(const struct evidence *e, const struct kev_reader *in)
{
	return e->correlation != KEV_NONE && launches_is_linked(in->field[e->correlation]);
}

/* --- the host -------------------------------------------------------------- */

/* A function of the host runs on a stream like a kernel, and leaves no row of a device. */
static bool launches(struct str name)
{
	return str_has(name, STR("Launch")) && !str_has(name, STR("HostFunc"));
}

static void add_call(struct evidence *e, const struct kev_reader *in, struct launch *call)
{
	struct str correlation = in->field[e->correlation];
	size_t number = launches_id(&e->launches, e->devices.source, correlation);
	struct evidence_call *known = call_at(e, number);
	struct str name;

	call->thread = place_of(e, in, false);
	call->process = e->place[call->thread].process;
	call->name = name_of(e, in);
	launches_add(&e->launches, e->devices.source, correlation, call, &e->places, &e->names);
	name = strmap_key(&e->names, call->name);
	known->launches |= launches(name);
	known->graph |= str_has(name, STR("GraphLaunch"));
	source_of(e)->calls = true;
	source_of(e)->shared |= launches_at(&e->launches, number)->several;
}

static void add_step(struct evidence *e, const struct kev_reader *in,
                     const struct launch *annotation)
{
	struct step_form form;

	if (!step_parse(kev_text(in, e->name, &e->text), &form))
		return;
	e->step = mem_grow(e->step, &e->step_cap, e->steps + 1, sizeof *e->step);
	e->step[e->steps++] = (struct evidence_step){annotation->ts, annotation->dur,
	                                             place_of(e, in, false), name_of(e, in)};
}

static bool read_time(struct kev_reader *in, int column, struct dec *time)
{
	const __int128 limit = (__int128)1 << 96;

	if (!kev_number(in, column, time))
		return false;
	if (time->nano > limit || time->nano < -limit)
		kev_error(in, "the times are too large to add");
	return true;
}

static bool read_times(struct evidence *e, struct kev_reader *in, struct dec *ts, struct dec *dur,
                       bool *has_dur)
{
	bool timed = read_time(in, e->ts, ts);

	*has_dur = read_time(in, e->dur, dur);
	return timed;
}

static void add_host(struct evidence *e, struct kev_reader *in, enum rowkind kind)
{
	struct launch call = {.known = true};
	bool correlated = is_linked(e, in);
	bool is_call = rowkind_is_call(kind, correlated) && correlated;
	bool has_dur;

	if (!(kind == ROWKIND_ANNOTATION || is_call) ||
	    !read_times(e, in, &call.ts, &call.dur, &has_dur))
		return;
	call.ended = has_dur;
	if (is_call)
		add_call(e, in, &call);
	else if (call.ended)
		add_step(e, in, &call);
}

/* --- devices --------------------------------------------------------------- */

/* Keeps the two smallest (sign 1) or largest (-1) times of the rows so far. */
static void keep_two(struct dec two[2], size_t rows, struct dec time, int sign)
{
	if (rows == 0) {
		two[0] = two[1] = time;
	} else if (sign * dec_compare(time, two[0]) < 0) {
		two[1] = two[0];
		two[0] = time;
	} else if (rows == 1 || sign * dec_compare(time, two[1]) < 0) {
		two[1] = time;
	}
}

static void note_span(struct evidence_source *source, struct dec start, struct dec end)
{
	if (dec_compare(end, start) < 0)
		end = start;
	keep_two(source->starts, source->rows, start, 1);
	keep_two(source->ends, source->rows, end, -1);
	source->rows++;
}

/* kcontext drops the calls, and writes when they began. klaunch --host does so and keeps them. */
static void take_launch(struct evidence *e, struct kev_reader *in, struct evidence_row *row)
{
	size_t number = launches_of(&e->launches, in, e->devices.source);

	row->call = EVIDENCE_NONE;
	if (number == LAUNCHES_NONE)
		return;
	row->call = (uint32_t)number;
	source_of(e)->correlated++;
	call_at(e, number)->has_rows = true;
	if (!e->launches.item[number].own)
		return;
	source_of(e)->calls = true;
	if (is_linked(e, in))
		call_at(e, launches_id(&e->launches, e->devices.source, in->field[e->correlation]))
			->has_rows = true;
}

static uint32_t class_of(struct evidence *e, const struct kev_reader *in)
{
	return e->classes ? (uint32_t)strmap_add(&e->ops, kinds_op(&e->kinds, in), NULL) : 0;
}

static void hold(struct evidence *e, struct kev_reader *in, struct evidence_row *row)
{
	struct dec end = row->ts;
	bool new;

	dec_add(&end, row->dur);
	devices_of(&e->devices, in, row->ts, &new);
	note_span(source_of(e), row->ts, end);
	row->number = e->all_rows - 1;
	row->place = place_of(e, in, true);
	row->name = name_of(e, in);
	row->op = class_of(e, in);
	row->hash = hash_text(hash_seed(), in->tsv.text);
	take_launch(e, in, row);
	e->row = mem_grow(e->row, &e->row_cap, e->rows + 1, sizeof *e->row);
	e->row[e->rows++] = *row;
	if (e->numbers != KEV_NONE && in->field[e->numbers].n)
		strmap_add(&e->numbered, key_of(e, in, &e->numbers, 1), NULL);
}

enum evidence_kind evidence_add(struct evidence *e, struct kev_reader *in)
{
	struct evidence_row row = {.number = 0};
	enum rowkind kind;
	bool has_dur;

	e->all_rows++;
	devices_row(&e->devices, in);
	source_of(e);
	group_add(groups_get(&e->categories, kinds_cat(&e->kinds, in)), dec_of(0), 1);
	kind = kinds_row(&e->kinds, in);
	if (!rowkind_is_device(kind)) {
		add_host(e, in, kind);
		return EVIDENCE_HOST;
	}
	if (!read_times(e, in, &row.ts, &row.dur, &has_dur) || !has_dur || in->error[0])
		return EVIDENCE_UNTIMED;
	hold(e, in, &row);
	return EVIDENCE_HELD;
}

void evidence_finish(struct evidence *e)
{
	e->order = launches_order(&e->launches);
}

/* --- answers --------------------------------------------------------------- */

bool evidence_is_known(const struct evidence *e, const struct evidence_row *row)
{
	return row->call != EVIDENCE_NONE && e->source[e->place[row->place].source].calls;
}

const struct launch *evidence_launch_of(const struct evidence *e, const struct evidence_row *row)
{
	return evidence_is_known(e, row) ? launches_at(&e->launches, row->call) : NULL;
}

uint64_t evidence_shared(const struct evidence *e)
{
	uint64_t count = 0;

	for (size_t i = 0; i < e->launches.count; i++)
		count += e->launches.item[i].several;
	return count;
}

bool evidence_uncorrelated(const struct evidence *e, struct str *file)
{
	for (size_t i = 0; i < e->source_cap; i++) {
		if (e->source[i].rows == 0 || e->source[i].correlated)
			continue;
		*file = devices_source(&e->devices, i);
		return true;
	}
	return false;
}

bool evidence_uncalled(const struct evidence *e, struct str *file)
{
	for (size_t i = 0; i < e->source_cap; i++) {
		if (e->source[i].correlated == 0 || e->source[i].calls)
			continue;
		*file = devices_source(&e->devices, i);
		return true;
	}
	return false;
}

struct dec evidence_span(const struct evidence *e)
{
	struct dec longest = {0};

	for (size_t i = 0; i < e->source_cap; i++) {
		struct dec span = e->source[i].ends[0];

		span.nano -= e->source[i].starts[0].nano;
		if (dec_compare(span, longest) > 0)
			longest = span;
	}
	return longest;
}

void evidence_free(struct evidence *e)
{
	kinds_free(&e->kinds);
	devices_free(&e->devices);
	strmap_free(&e->names);
	strmap_free(&e->ops);
	strmap_free(&e->places);
	free(e->place);
	strmap_free(&e->processes);
	launches_free(&e->launches);
	free(e->order);
	free(e->call);
	free(e->row);
	free(e->step);
	strmap_free(&e->numbered);
	free(e->source);
	groups_free(&e->categories);
	buf_free(&e->key);
	buf_free(&e->text);
	buf_free(&e->scratch);
	*e = (struct evidence){.ts = 0};
}
