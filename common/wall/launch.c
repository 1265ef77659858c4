#include "wall/launch.h"

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
	size_t process;
};

void launches_columns(struct launches *launches, struct kev_reader *in)
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
	for (size_t i = 0; i < LAUNCH_CORRELATION; i++)
		if (!kev_need(in, str_of(names[i]), &launches->column[i]))
			return;
	if (launches->column[LAUNCH_OWN_TS] == KEV_NONE)
		kev_need(in, STR("correlation"), &launches->column[LAUNCH_CORRELATION]);
}

static struct str field(const struct launches *launches, const struct kev_reader *in,
                        enum launch_column column)
{
	return launches->column[column] == KEV_NONE ? STR("") : in->field[launches->column[column]];
}

static bool number(const struct launches *launches, struct kev_reader *in,
                   enum launch_column column, struct dec *out)
{
	return launches->column[column] != KEV_NONE && kev_number(in, launches->column[column], out);
}

/* The parts of a key: the bytes of the number of a file, then fields. */
static struct str key(struct launches *launches, size_t file, struct str one, struct str other)
{
	launches->text.len = 0;
	buf_bytes(&launches->text, (const char *)&file, sizeof file);
	buf_str(&launches->text, one);
	buf_char(&launches->text, '\t');
	buf_str(&launches->text, other);
	return buf_view(&launches->text);
}

static size_t find(struct launches *launches, struct str id)
{
	bool new;
	size_t found = strmap_add(&launches->ids, id, &new);

	launches->item =
		mem_grow(launches->item, &launches->cap, launches->ids.count, sizeof *launches->item);
	if (new)
		launches->item[found] = (struct launch){.name = STRMAP_NONE};
	return found;
}

static size_t find_thread(struct launches *launches, size_t file, struct str pid, struct str tid)
{
	bool new;
	size_t thread = strmap_add(&launches->threads, key(launches, file, pid, tid), &new);

	launches->process = mem_grow(launches->process, &launches->process_cap, launches->threads.count,
	                             sizeof *launches->process);
	if (new)
		launches->process[thread] =
			strmap_add(&launches->processes, key(launches, file, pid, STR("")), NULL);
	return thread;
}

static struct str launch_thread(const struct launches *launches, const struct launch *launch)
{
	return strmap_key(&launches->threads, launch->thread);
}

/* The longer one, then by name and thread: the order of the rows does not matter. */
static bool is_rather(const struct launches *launches, const struct launch *a,
                      const struct launch *b)
{
	int order = dec_compare(b->ts, a->ts);

	if (order == 0)
		order = a->ended - b->ended;
	if (order == 0 && a->ended)
		order = dec_compare(a->end, b->end);
	if (order == 0)
		order = str_compare(launch_name(launches, b), launch_name(launches, a));
	if (order == 0)
		order = str_compare(launch_thread(launches, b), launch_thread(launches, a));
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
static struct launch *place_of(struct launches *launches, size_t at, size_t process)
{
	struct launch *first = &launches->item[at];
	size_t number;
	bool new;

	if (!first->known || launches->process[first->thread] == process)
		return first;
	first->several = true;
	number = strmap_add(&launches->others, other_key(launches, at, process), &new);
	launches->other = mem_grow(launches->other, &launches->other_cap, launches->others.count,
	                           sizeof *launches->other);
	if (new)
		launches->other[number] = (struct launch){.name = STRMAP_NONE};
	return &launches->other[number];
}

static void offer(struct launches *launches, size_t at, const struct launch *launch)
{
	struct launch *known = place_of(launches, at, launches->process[launch->thread]);
	bool several = known->several;

	if (known->known && !is_rather(launches, launch, known))
		return;
	*known = *launch;
	known->several = several;
}

/* An asynchronous copy from or to pageable memory waits, too. */
static bool waits(struct str name)
{
	return str_has(name, STR("Synchronize")) || str_starts(name, STR("cudaMemcpy")) ||
	       str_starts(name, STR("cuMemcpy")) || str_starts(name, STR("hipMemcpy"));
}

static void add_wait(struct launches *launches, size_t thread, const struct interval *span)
{
	launches->wait =
		mem_grow(launches->wait, &launches->wait_cap, launches->waits + 1, sizeof *launches->wait);
	launches->wait[launches->waits++] = (struct launch_wait){thread, *span};
}

void launches_host(struct launches *launches, struct kev_reader *in, size_t file)
{
	struct str id = field(launches, in, LAUNCH_CORRELATION);
	struct str name = field(launches, in, LAUNCH_NAME);
	bool is_wait = waits(name);
	struct launch launch = {.known = true};
	struct interval span;
	struct dec dur = {0};

	if (launches->column[LAUNCH_OWN_TS] != KEV_NONE || (id.n == 0 && !is_wait))
		return;
	if (!number(launches, in, LAUNCH_TS, &launch.ts)) {
		launches->no_time++;
		return;
	}
	launch.ended = number(launches, in, LAUNCH_DUR, &dur);
	if (!interval_from(launch.ts, dur, &span)) {
		kev_error(in, "the times are too large to add");
		return;
	}
	launch.end = span.end;
	launch.name = strmap_add(&launches->names, name, NULL);
	launch.thread = find_thread(launches, file, field(launches, in, LAUNCH_PID),
	                            field(launches, in, LAUNCH_TID));
	if (is_wait && launch.ended)
		add_wait(launches, launch.thread, &span);
	if (id.n)
		offer(launches, find(launches, key(launches, file, id, STR(""))), &launch);
}

/* kcontext has written the launch to each of its rows. */
static size_t own_launch(struct launches *launches, struct kev_reader *in, size_t file)
{
	struct str id = field(launches, in, LAUNCH_CORRELATION);
	struct str tid = field(launches, in, LAUNCH_OWN_TID);
	struct launch launch = {.name = STRMAP_NONE, .known = true};
	struct interval span;
	struct dec dur = {0};
	size_t at;

	if (!number(launches, in, LAUNCH_OWN_TS, &launch.ts))
		return STRMAP_NONE;
	launch.ended = number(launches, in, LAUNCH_OWN_DUR, &dur);
	if (!interval_from(launch.ts, dur, &span)) {
		kev_error(in, "the times are too large to add");
		return STRMAP_NONE;
	}
	launch.end = span.end;
	launch.thread = find_thread(launches, file, STR(""), tid);
	key(launches, file, id, field(launches, in, LAUNCH_OWN_TS));
	buf_char(&launches->text, '\t');
	buf_str(&launches->text, tid);
	at = find(launches, buf_view(&launches->text));
	offer(launches, at, &launch);
	return at;
}

size_t launches_of(struct launches *launches, struct kev_reader *in, size_t file)
{
	struct str id = field(launches, in, LAUNCH_CORRELATION);

	if (launches->column[LAUNCH_OWN_TS] != KEV_NONE)
		return own_launch(launches, in, file);
	return id.n ? find(launches, key(launches, file, id, STR(""))) : STRMAP_NONE;
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
	size_t process;

	if (!launch || launch->several)
		return;
	launches->owner =
		mem_grow_zero(launches->owner, &launches->owner_cap, device + 1, sizeof *launches->owner);
	owner = &launches->owner[device];
	process = launches->process[launch->thread];
	owner->several |= owner->known && owner->process != process;
	*owner = (struct launch_owner){true, owner->several, process};
}

/* The launch of this correlation by the device's process. */
static size_t choose(struct launches *launches, size_t number, size_t device)
{
	const struct launch_owner *owner;
	size_t other;

	if (device >= launches->owner_cap)
		return STRMAP_NONE;
	owner = &launches->owner[device];
	if (!owner->known || owner->several)
		return STRMAP_NONE;
	if (launches->process[launches->item[number].thread] == owner->process)
		return number;
	other = strmap_find(&launches->others, other_key(launches, number, owner->process));
	return other == STRMAP_NONE ? STRMAP_NONE : launches->ids.count + other;
}

size_t launches_choose(struct launches *launches, size_t number, size_t device)
{
	if (number == STRMAP_NONE || !launches->item[number].several)
		return number;
	number = choose(launches, number, device);
	if (number == STRMAP_NONE)
		launches->unchosen++;
	else
		launches->chosen++;
	return number;
}

size_t launches_count(const struct launches *launches)
{
	return launches->ids.count + launches->others.count;
}

/* --- the rest --------------------------------------------------------------- */

const struct launch *launches_at(const struct launches *launches, size_t number)
{
	const struct launch *launch;

	if (number == STRMAP_NONE)
		return NULL;
	launch = number < launches->ids.count ? &launches->item[number]
	                                      : &launches->other[number - launches->ids.count];
	return launch->known ? launch : NULL;
}

struct str launch_name(const struct launches *launches, const struct launch *launch)
{
	return launch->name == STRMAP_NONE ? STR("") : strmap_key(&launches->names, launch->name);
}

struct str launch_track(const struct launches *launches, const struct launch *launch)
{
	struct str thread = launch_thread(launches, launch);
	size_t file = sizeof(size_t);

	return (struct str){thread.s + file, thread.n - file};
}

struct str launch_tid(const struct launches *launches, const struct launch *launch)
{
	return tsv_field(launch_track(launches, launch), 1);
}

void launches_free(struct launches *launches)
{
	strmap_free(&launches->ids);
	free(launches->item);
	strmap_free(&launches->names);
	strmap_free(&launches->threads);
	strmap_free(&launches->processes);
	free(launches->process);
	strmap_free(&launches->others);
	free(launches->other);
	free(launches->owner);
	free(launches->wait);
	free(launches->earliest);
	buf_free(&launches->text);
	*launches = (struct launches){0};
}
