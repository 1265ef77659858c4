#include "wall/launches.h"

#include "base/die.h"
#include "base/mem.h"
#include "wall/interval.h"

#include <stdlib.h>

/* A call that waits for a device. */
struct launch_wait {
	size_t thread;
	struct interval span;
};

/* The process whose launches a device runs. */
struct launch_owner {
	bool known;
	bool several;
	uint32_t process;
};

/* --- numbers --------------------------------------------------------------- */

/* The launch of a new number. */
static void begin(struct launches *launches, size_t number)
{
	launches->count = number + 1;
	if (launches->lean) {
		launches->called =
			mem_grow(launches->called, &launches->cap, number + 1, sizeof *launches->called);
		launches->called[number] = false;
		return;
	}
	launches->item = mem_grow(launches->item, &launches->cap, number + 1, sizeof *launches->item);
	launches->item[number] = (struct launch){.known = false};
}

size_t launches_id(struct launches *launches, size_t file, struct str correlation)
{
	bool new;
	size_t number;

	launches->ids = mem_grow_zero(launches->ids, &launches->files, file + 1, sizeof *launches->ids);
	number = idmap_place(&launches->ids[file], correlation, launches->count, &new);
	if (new)
		begin(launches, number);
	return number;
}

size_t launches_find(const struct launches *launches, size_t file, struct str correlation)
{
	size_t number =
		file < launches->files ? idmap_find(&launches->ids[file], correlation) : IDMAP_NONE;

	return number == IDMAP_NONE ? LAUNCHES_NONE : number;
}

uint64_t *launches_order(const struct launches *launches)
{
	uint64_t *order = mem_alloc(launches->count + 1, sizeof *order);
	size_t *own = strmap_ranks(&launches->own);

	for (size_t i = 0; i < launches->files; i++)
		idmap_put_order(&launches->ids[i], order);
	for (size_t i = 0; i < launches->own.count; i++)
		order[launches->own_number[i]] = UINT64_MAX - launches->own.count + own[i];
	free(own);
	return order;
}

/* --- calls ----------------------------------------------------------------- */

static int compare_keys(const struct strmap *map, uint32_t a, uint32_t b)
{
	return map && a != b ? str_compare(strmap_key(map, a), strmap_key(map, b)) : 0;
}

/* Whether call a counts rather than b: the order of the rows does not matter. */
static bool is_rather(const struct launch *a, const struct launch *b, const struct strmap *threads,
                      const struct strmap *names)
{
	int order = dec_compare(b->ts, a->ts);

	if (order == 0)
		order = a->ended - b->ended;
	if (order == 0)
		order = dec_compare(a->dur, b->dur);
	if (order == 0)
		order = compare_keys(threads, b->thread, a->thread);
	if (order == 0)
		order = compare_keys(names, b->name, a->name);
	return order > 0;
}

/* A correlation, by its number, and a process. */
static struct str other_key(struct launches *launches, size_t at, size_t process)
{
	launches->text.len = 0;
	buf_format(&launches->text, "%zu\t%zu", at, process);
	return buf_view(&launches->text);
}

/* The place of the launch of this correlation and process. */
static struct launch *place_of(struct launches *launches, size_t at, uint32_t process)
{
	struct launch *first = &launches->item[at];
	size_t number;
	bool new;

	if (!first->known || first->process == process)
		return first;
	first->several = true;
	number = strmap_add(&launches->others, other_key(launches, at, process), &new);
	launches->other = mem_grow(launches->other, &launches->other_cap, launches->others.count,
	                           sizeof *launches->other);
	if (new)
		launches->other[number] = (struct launch){.known = false};
	return &launches->other[number];
}

bool launches_add(struct launches *launches, size_t file, struct str correlation,
                  const struct launch *call, const struct strmap *threads,
                  const struct strmap *names)
{
	size_t at = launches_id(launches, file, correlation);
	bool is_first = !launches_is_known(launches, at);
	struct launch *known;
	bool several;

	if (launches->lean) {
		launches->called[at] = true;
		return is_first;
	}
	known = place_of(launches, at, call->process);
	several = known->several;
	if (known->known && !is_rather(call, known, threads, names))
		return is_first;
	*known = *call;
	known->known = true;
	known->several = several;
	return is_first;
}

/* --- rows ------------------------------------------------------------------ */

void launches_columns(struct launches *launches, struct kev_reader *in, bool needed)
{
	static const char *const names[LAUNCH_COLUMNS] = {
		[LAUNCH_TS] = "ts",
		[LAUNCH_DUR] = "dur",
		[LAUNCH_NAME] = "name",
		[LAUNCH_PID] = "pid",
		[LAUNCH_TID] = "tid",
		[LAUNCH_CORRELATION] = "correlation",
		[LAUNCH_OWN_TS] = "launch_ts",
		[LAUNCH_OWN_DUR] = "launch_dur",
		[LAUNCH_OWN_TID] = "launch_tid",
	};

	for (size_t i = 0; i < LAUNCH_COLUMNS; i++)
		launches->column[i] = kev_column(in, str_of(names[i]));
	for (size_t i = 0; needed && i < LAUNCH_CORRELATION; i++)
		if (!kev_need(in, str_of(names[i]), &launches->column[i]))
			return;
	if (needed && launches->column[LAUNCH_OWN_TS] == KEV_NONE)
		kev_need(in, STR("correlation"), &launches->column[LAUNCH_CORRELATION]);
}

static struct str field(const struct launches *launches, const struct kev_reader *in,
                        enum launch_column column)
{
	return launches->column[column] == KEV_NONE ? STR("") : in->field[launches->column[column]];
}

static bool number_in(const struct launches *launches, struct kev_reader *in,
                      enum launch_column column, struct dec *out)
{
	return launches->column[column] != KEV_NONE && kev_number(in, launches->column[column], out);
}

/* The times of a call; false if its ts is missing. */
static bool read_times(const struct launches *launches, struct kev_reader *in,
                       enum launch_column ts, enum launch_column dur, struct launch *launch)
{
	struct interval span;

	if (!number_in(launches, in, ts, &launch->ts))
		return false;
	launch->ended = number_in(launches, in, dur, &launch->dur);
	if (!interval_from(launch->ts, launch->dur, &span)) {
		kev_error(in, "the times are too large to add");
		return false;
	}
	return true;
}

/* A key: the bytes of the number of a file, and a field. */
static struct str key(struct launches *launches, size_t file, struct str text)
{
	launches->text.len = 0;
	buf_bytes(&launches->text, (const char *)&file, sizeof file);
	buf_str(&launches->text, text);
	return buf_view(&launches->text);
}

static bool is_last_thread(const struct launches *launches, size_t file, struct str pid,
                           struct str tid)
{
	struct str last = buf_view(&launches->last_thread);

	return file == launches->last_file && last.n == pid.n + 1 + tid.n &&
	       memcmp(last.s, pid.s, pid.n) == 0 && last.s[pid.n] == '\t' &&
	       memcmp(last.s + pid.n + 1, tid.s, tid.n) == 0;
}

/* Calls of one thread mostly follow each other. */
static uint32_t find_thread(struct launches *launches, size_t file, struct str pid, struct str tid)
{
	struct buf *last = &launches->last_thread;
	bool new;
	size_t thread;

	if (is_last_thread(launches, file, pid, tid))
		return launches->last;
	last->len = 0;
	buf_str(last, pid);
	buf_char(last, '\t');
	buf_str(last, tid);
	launches->last_file = file;
	thread = strmap_add(&launches->threads, key(launches, file, buf_view(last)), &new);
	launches->last = (uint32_t)thread;
	launches->process = mem_grow(launches->process, &launches->process_cap, launches->threads.count,
	                             sizeof *launches->process);
	if (new)
		launches->process[thread] =
			(uint32_t)strmap_add(&launches->processes, key(launches, file, pid), NULL);
	return launches->last;
}

enum launch_waits launch_waits(struct str name)
{
	if (str_has(name, STR("Synchronize")))
		return LAUNCH_SYNCHRONIZES;
	if (str_starts(name, STR("cudaMemcpy")) || str_starts(name, STR("cuMemcpy")) ||
	    str_starts(name, STR("hipMemcpy")))
		return LAUNCH_COPIES;
	return LAUNCH_WAITS_NOT;
}

static void add_wait(struct launches *launches, const struct launch *call)
{
	struct interval span = {call->ts, launch_end(call)};

	launches->wait =
		mem_grow(launches->wait, &launches->wait_cap, launches->waits + 1, sizeof *launches->wait);
	launches->wait[launches->waits++] = (struct launch_wait){call->thread, span};
}

void launches_host(struct launches *launches, struct kev_reader *in, size_t file, enum rowkind kind)
{
	struct str id = field(launches, in, LAUNCH_CORRELATION);
	struct str name = field(launches, in, LAUNCH_NAME);
	bool linked = launches_is_linked(id);
	bool is_wait;
	struct launch call = {.known = true};

	if (!rowkind_is_call(kind, linked))
		return;
	is_wait = !launches->without_waits && launch_waits(name) != LAUNCH_WAITS_NOT;
	if (!linked && !is_wait)
		return;
	if (!read_times(launches, in, LAUNCH_TS, LAUNCH_DUR, &call)) {
		launches->no_time++;
		return;
	}
	call.name = (uint32_t)strmap_add(&launches->names, name, NULL);
	call.thread = find_thread(launches, file, field(launches, in, LAUNCH_PID),
	                          field(launches, in, LAUNCH_TID));
	call.process = launches->process[call.thread];
	if (is_wait && call.ended)
		add_wait(launches, &call);
	if (linked)
		launches_add(launches, file, id, &call, &launches->threads, &launches->names);
}

/* The number of a launch that a row names by these fields. */
static size_t own_id(struct launches *launches, size_t file, const struct launch_fields *fields)
{
	bool new;
	size_t own;

	key(launches, file, fields->correlation);
	buf_char(&launches->text, '\t');
	buf_str(&launches->text, fields->ts);
	buf_char(&launches->text, '\t');
	buf_str(&launches->text, fields->tid);
	own = strmap_add(&launches->own, buf_view(&launches->text), &new);
	launches->own_number =
		mem_grow(launches->own_number, &launches->own_cap, own + 1, sizeof *launches->own_number);
	if (new) {
		launches->own_number[own] = (uint32_t)launches->count;
		begin(launches, launches->count);
	}
	return launches->own_number[own];
}

void launches_fields(const struct launches *launches, struct kev_reader *in,
                     struct launch_fields *fields)
{
	struct launch launch = {.known = false};

	*fields = (struct launch_fields){
		field(launches, in, LAUNCH_CORRELATION), field(launches, in, LAUNCH_OWN_TS),
		field(launches, in, LAUNCH_OWN_DUR), field(launches, in, LAUNCH_OWN_TID)};
	read_times(launches, in, LAUNCH_OWN_TS, LAUNCH_OWN_DUR, &launch);
}

size_t launches_named(struct launches *launches, size_t file, const struct launch_fields *fields)
{
	struct launch launch = {.known = true, .own = true};
	struct launch *known;
	size_t at;

	if (dec_parse(fields->ts, &launch.ts) > DEC_ROUNDED)
		return LAUNCHES_NONE;
	launch.ended = dec_parse(fields->dur, &launch.dur) <= DEC_ROUNDED;
	if (!launch.ended)
		launch.dur = (struct dec){0};
	launch.thread = find_thread(launches, file, STR(""), fields->tid);
	launch.process = launches->process[launch.thread];
	at = own_id(launches, file, fields);
	known = &launches->item[at];
	if (!known->known || is_rather(&launch, known, NULL, NULL))
		*known = launch;
	return at;
}

static size_t own_launch(struct launches *launches, struct kev_reader *in, size_t file)
{
	struct launch_fields fields;

	launches_fields(launches, in, &fields);
	return in->error[0] ? LAUNCHES_NONE : launches_named(launches, file, &fields);
}

size_t launches_by_correlation(struct launches *launches, const struct kev_reader *in, size_t file)
{
	struct str id = field(launches, in, LAUNCH_CORRELATION);

	return launches_is_linked(id) ? launches_id(launches, file, id) : LAUNCHES_NONE;
}

size_t launches_of(struct launches *launches, struct kev_reader *in, size_t file)
{
	if (field(launches, in, LAUNCH_OWN_TS).n)
		return own_launch(launches, in, file);
	return launches_by_correlation(launches, in, file);
}

/* --- calls that wait ------------------------------------------------------- */

static int compare_waits(const void *a, const void *b)
{
	const struct launch_wait *x = a;
	const struct launch_wait *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return dec_compare(x->span.end, y->span.end);
}

static struct dec smaller(struct dec a, struct dec b)
{
	return dec_compare(b, a) < 0 ? b : a;
}

/* The tree: the leaves are the starts, from waits on; i has the minimum of 2 i and 2 i + 1. */
void launches_finish(struct launches *launches)
{
	size_t count = launches->waits;

	if (count == 0)
		return;
	qsort(launches->wait, count, sizeof *launches->wait, compare_waits);
	launches->earliest = mem_alloc(2 * count, sizeof *launches->earliest);
	for (size_t i = 0; i < count; i++)
		launches->earliest[count + i] = launches->wait[i].span.start;
	for (size_t i = count; --i > 0;)
		launches->earliest[i] = smaller(launches->earliest[2 * i], launches->earliest[2 * i + 1]);
}

/* The first call on this thread, or a later one, that returned at this time or later. */
static size_t first_wait(const struct launches *launches, size_t thread, struct dec end)
{
	const struct launch_wait sought = {thread, {end, end}};
	size_t low = 0;
	size_t high = launches->waits;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_waits(&launches->wait[middle], &sought) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool launches_waited(const struct launches *launches, const struct launch *launch, struct dec time)
{
	const struct dec after = {launch->ts.nano + 1};
	size_t low = first_wait(launches, launch->thread, time) + launches->waits;
	size_t high = first_wait(launches, launch->thread, after) + launches->waits;

	for (; low < high; low /= 2, high /= 2) {
		if (low % 2 && dec_compare(launches->earliest[low++], time) < 0)
			return true;
		if (high % 2 && dec_compare(launches->earliest[--high], time) < 0)
			return true;
	}
	return false;
}

/* --- correlations of several processes ---------------------------------------- */

void launches_own(struct launches *launches, size_t number, size_t device)
{
	const struct launch *launch = launches_at(launches, number);
	struct launch_owner *owner;

	if (!launch || launch->several || launch->own)
		return;
	launches->owner =
		mem_grow_zero(launches->owner, &launches->owner_cap, device + 1, sizeof *launches->owner);
	owner = &launches->owner[device];
	owner->several |= owner->known && owner->process != launch->process;
	*owner = (struct launch_owner){true, owner->several, launch->process};
}

/* The launch of this correlation by the device's process. */
static size_t choose(struct launches *launches, size_t number, size_t device)
{
	const struct launch_owner *owner;
	size_t other;

	if (device >= launches->owner_cap)
		return LAUNCHES_NONE;
	owner = &launches->owner[device];
	if (!owner->known || owner->several)
		return LAUNCHES_NONE;
	if (launches->item[number].process == owner->process)
		return number;
	other = strmap_find(&launches->others, other_key(launches, number, owner->process));
	return other == STRMAP_NONE ? LAUNCHES_NONE : launches->count + other;
}

size_t launches_choose(struct launches *launches, size_t number, size_t device)
{
	if (number == LAUNCHES_NONE || !launches->item[number].several)
		return number;
	number = choose(launches, number, device);
	if (number == LAUNCHES_NONE)
		launches->unchosen++;
	else
		launches->chosen++;
	return number;
}

void launches_warn(const struct launches *launches, const char *file)
{
	if (launches->chosen)
		warn("%s%srows with calls of several processes of their correlation, launched by the "
		     "process of their device: %llu",
		     file ? file : "", file ? ": " : "", (unsigned long long)launches->chosen);
	if (launches->unchosen)
		warn("%s%srows with calls of several processes of their correlation, whose launch is "
		     "unknown: %llu",
		     file ? file : "", file ? ": " : "", (unsigned long long)launches->unchosen);
}

size_t launches_count(const struct launches *launches)
{
	return launches->count + launches->others.count;
}

/* --- answers ----------------------------------------------------------------- */

const struct launch *launches_at(const struct launches *launches, size_t number)
{
	const struct launch *launch;

	if (number == LAUNCHES_NONE)
		return NULL;
	launch = number < launches->count ? &launches->item[number]
	                                  : &launches->other[number - launches->count];
	return launch->known ? launch : NULL;
}

struct str launch_name(const struct launches *launches, const struct launch *launch)
{
	return launch->own ? STR("") : strmap_key(&launches->names, launch->name);
}

struct str launch_track(const struct launches *launches, const struct launch *launch)
{
	struct str thread = strmap_key(&launches->threads, launch->thread);
	size_t file = sizeof(size_t);

	return (struct str){thread.s + file, thread.n - file};
}

struct str launch_tid(const struct launches *launches, const struct launch *launch)
{
	return tsv_field(launch_track(launches, launch), 1);
}

void launches_free(struct launches *launches)
{
	for (size_t i = 0; i < launches->files; i++)
		idmap_free(&launches->ids[i]);
	free(launches->ids);
	strmap_free(&launches->own);
	free(launches->own_number);
	free(launches->item);
	free(launches->called);
	strmap_free(&launches->names);
	strmap_free(&launches->threads);
	strmap_free(&launches->processes);
	free(launches->process);
	buf_free(&launches->last_thread);
	strmap_free(&launches->others);
	free(launches->other);
	free(launches->owner);
	free(launches->wait);
	free(launches->earliest);
	buf_free(&launches->text);
	*launches = (struct launches){0};
}
