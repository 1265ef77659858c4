/*
 * kmem - how much memory was allocated on each device, what held it at the peak, and when.
 *
 *	#ts	name	pid	Bytes	Addr	Total Allocated	Device Type	Device Id
 *	1	[memory]	9	100	7	100	1	0
 *	2	[memory]	9	-100	7	0	1	0
 * gives
 *	#pid	device	events	allocs	allocated	frees	freed	start	peak	...
 *	9	cuda:0	2	1	100	1	100	0	100	...
 *
 * Memory: 64 bytes for each event and the distinct contexts of events; then some 24 more for each
 * event of one device at a time. --blocks and --live hold the rows of allocations, and 20 bytes for
 * each.
 */
#include <stdlib.h>

#include "answer/damage.h"
#include "base/mem.h"
#include "stream/balance.h"
#include "syntax/sortkey.h"
#include "wall/devices.h"

#include "blockrows.h"
#include "blocks.h"
#include "levels.h"
#include "totals.h"

enum reason { OTHER, NO_BYTES, INCOMPLETE, REASONS };

static const char *const reasons[REASONS] = {
	[OTHER] = "not named [memory]",
	[NO_BYTES] = "of 0 bytes",
	[INCOMPLETE] = "without ts, Bytes or Device Type",
};
BALANCE_FITS(reasons);

/* Columns of numbers; an event needs the first two. */
enum number { BYTES, TYPE, ID, IDX, ADDR, TOTAL, RESERVED, NUMBERS };

static const char *const number_names[NUMBERS] = {[TYPE] = "Device Type",
                                                  [BYTES] = "Bytes",
                                                  [ID] = "Device Id",
                                                  [IDX] = "Ev Idx",
                                                  [ADDR] = "Addr",
                                                  [TOTAL] = "Total Allocated",
                                                  [RESERVED] = "Total Reserved"};

/* Columns of the context of an event, by kcontext. */
enum { OWNERS = 4 };

static const char *const owner_names[OWNERS] = {"step", "phase", "layer", "cpu_op"};

/* An allocator: a device of a process. */
struct device {
	size_t source;
	struct buf order; /* devices are in the order of these keys */
	struct str pid;   /* escaped, as name: parts of its key in state.names */
	struct str name;
	struct events events;
	bool no_addr;  /* a row has no address */
	size_t *place; /* by row of an event: the place of its row in blockrows */
	size_t place_cap;
	struct totals totals;
	struct blocks blocks;
};

/* The device of the last event, as its row names it; most rows name that of the row before. */
struct last {
	bool known;
	size_t source;
	struct buf pid;
	int64_t type;
	int64_t id;
	size_t number;
};

/* The devices in the order of the output. */
struct sorted {
	const struct device *device;
};

enum answer { DEVICES, BLOCKS, LIVE, EVERY };

struct state {
	struct opts opts;
	enum answer answer;
	bool has_unit;    /* a time with a unit was given */
	bool live_given;  /* --live=TIME */
	bool live_counts; /* +TIME: from the first event */
	struct dec live;
	struct dec every;
	enum form form;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct devices files; /* for the file of a row alone */
	int ts;
	int dur; /* for the balance */
	int name;
	int pid;
	int number[NUMBERS];
	int owner[OWNERS];
	bool owned[OWNERS]; /* some layout has the column */
	struct strmap owners;
	size_t last_owner;   /* number of the last context, if owners has one */
	struct strmap names; /* devices: number of the file, pid, name; tabs between */
	struct device *device;
	size_t devices_cap;
	struct last last;
	struct sorted *sorted;
	struct blockrows rows;
	struct buf damages;
	struct buf text;
	struct buf scratch;
};

enum { LIVE_AT = OPT_LONG, ALL_BLOCKS, SLICES };

static const struct opt opts[] = {
	{LIVE_AT, "live", "[=TIME]", "write the blocks that are alive at the peak, or at TIME"},
	{ALL_BLOCKS, "blocks", NULL, "write each block as a row, from its allocation to its free"},
	{SLICES, "every", "TIME", "write a row for each slice of TIME: low, high and last total"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[--live[=[+]TIME] | --blocks | --every=TIME] [-r | -j | -M] [FILE...]",
	"Print how much memory each device had allocated, and what held it.", opts,
	sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------------- */

static bool holds_rows(const struct state *st)
{
	return st->answer == BLOCKS || st->answer == LIVE;
}

static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	devices_columns(&st->files, in);
	st->pid = kev_column(in, STR("pid"));
	st->dur = kev_column(in, STR("dur"));
	if (kev_need(in, STR("ts"), &st->ts))
		kev_need(in, STR("name"), &st->name);
	for (int i = 0; i < NUMBERS; i++)
		st->number[i] = kev_column(in, str_of(number_names[i]));
	for (int i = 0; i < OWNERS; i++) {
		st->owner[i] = kev_column(in, str_of(owner_names[i]));
		st->owned[i] |= st->owner[i] != KEV_NONE;
	}
	if (holds_rows(st))
		blockrows_columns(&st->rows, in);
}

/* --- rows ---------------------------------------------------------------------- */

/* The numbers of a row; EVENTS_NONE if it has none, or none that is whole and of such a size. */
static void read_numbers(struct state *st, int64_t *number)
{
	const __int128 one = dec_of(1).nano;
	struct dec value;

	for (int i = 0; i < NUMBERS; i++) {
		number[i] = EVENTS_NONE;
		if (st->number[i] == KEV_NONE || !kev_number(&st->in, st->number[i], &value) ||
		    value.nano % one)
			continue;
		value.nano /= one;
		if (i == ADDR && value.nano >= INT64_MIN && value.nano <= UINT64_MAX)
			number[i] = (int64_t)(uint64_t)value.nano;
		else if (value.nano >= -EVENTS_LARGEST && value.nano <= EVENTS_LARGEST)
			number[i] = (int64_t)value.nano;
	}
}

/* The name of a device, as PyTorch has it. */
static void put_name(struct buf *out, int64_t type, int64_t id)
{
	static const struct {
		int64_t type;
		const char *name;
	} types[] = {{1, "cuda"}, {6, "hip"},  {9, "xla"},   {12, "xpu"},
	             {13, "mps"}, {15, "hpu"}, {19, "mtia"}, {20, "privateuse1"}};
	const char *name = NULL;

	if (type == 0) {
		buf_text(out, "cpu");
		return;
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == type)
			name = types[i].name;
	if (name)
		buf_text(out, name);
	else
		buf_format(out, "type%lld", (long long)type);
	if (id != EVENTS_NONE)
		buf_format(out, ":%lld", (long long)id);
}

/* The key of sorting: file, pid, device; files of one name stay in their order. */
static void put_order(struct state *st, struct buf *order, int64_t type, int64_t id)
{
	struct buf *text = &st->scratch;

	text->len = 0;
	tsv_unescape(text, devices_source(&st->files, st->files.source));
	sortkey_put(order, buf_view(text), false);
	sortkey_put_number(order, st->files.source);
	sortkey_put(order, kev_text(&st->in, st->pid, text), false);
	for (int i = 0; i < (type ? 2 : 1); i++) {
		text->len = 0;
		buf_format(text, "%lld", (long long)(i ? id : type));
		sortkey_put(order, buf_view(text), false);
	}
}

static struct device *device_of(struct state *st, int64_t type, int64_t id)
{
	struct str pid = st->in.field[st->pid];
	struct last *last = &st->last;
	size_t number;
	bool new;

	if (last->known && last->source == st->files.source && last->type == type && last->id == id &&
	    str_equal(buf_view(&last->pid), pid))
		return &st->device[last->number];
	st->text.len = 0;
	buf_format(&st->text, "%zu\t", st->files.source);
	buf_str(&st->text, pid);
	buf_char(&st->text, '\t');
	put_name(&st->text, type, id);
	number = strmap_add(&st->names, buf_view(&st->text), &new);
	st->device = mem_grow_zero(st->device, &st->devices_cap, number + 1, sizeof *st->device);
	if (new) {
		st->device[number].source = st->files.source;
		put_order(st, &st->device[number].order, type, id);
	}
	last->pid.len = 0;
	buf_str(&last->pid, pid);
	*last = (struct last){true, st->files.source, last->pid, type, id, number};
	return &st->device[number];
}

/* The number of the context of the row. Only a context that differs from the last is hashed. */
static uint32_t owner_of(struct state *st)
{
	size_t number;

	st->text.len = 0;
	for (int i = 0; i < OWNERS; i++) {
		buf_str(&st->text, st->owner[i] == KEV_NONE ? STR("") : st->in.field[st->owner[i]]);
		buf_char(&st->text, '\t');
	}
	if (st->owners.count && str_equal(buf_view(&st->text), strmap_key(&st->owners, st->last_owner)))
		return (uint32_t)st->last_owner;
	number = strmap_add(&st->owners, buf_view(&st->text), NULL);
	st->last_owner = number;
	if (number > UINT32_MAX)
		kev_error(&st->in, "there are more than %u contexts of events", UINT32_MAX);
	return (uint32_t)number;
}

static void add_event(struct state *st, struct dec ts, const int64_t *number)
{
	struct event event = {.ts = ts,
	                      .bytes = number[BYTES],
	                      .total = number[TOTAL],
	                      .reserved = number[RESERVED],
	                      .addr = (uint64_t)number[ADDR],
	                      .idx = number[IDX],
	                      .owner = owner_of(st)};
	struct device *device = device_of(st, number[TYPE], number[ID]);
	size_t row = device->events.count;

	device->no_addr |= st->number[ADDR] == KEV_NONE || st->in.field[st->number[ADDR]].n == 0;
	if (!events_add(&device->events, &event)) {
		kev_error(&st->in, "a device has more than %u events", UINT32_MAX);
		return;
	}
	if (!holds_rows(st))
		return;
	device->place = mem_grow(device->place, &device->place_cap, row + 1, sizeof *device->place);
	device->place[row] = event.bytes > 0 ? blockrows_hold(&st->rows, &st->in) : 0;
}

/* Records an error if the stream lacks a column of each event. */
static void need_numbers(struct state *st)
{
	for (int i = 0; i <= TYPE; i++)
		if (!kev_need(&st->in, str_of(number_names[i]), &st->number[i]))
			return;
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	int64_t number[NUMBERS];
	struct dec ts;
	struct str dur = st->dur == KEV_NONE ? STR("") : in->field[st->dur];

	balance_in(&st->balance, dur);
	devices_row(&st->files, in);
	if (!str_equal(in->field[st->name], STR("[memory]"))) {
		balance_drop(&st->balance, OTHER, dur);
		return;
	}
	need_numbers(st);
	if (in->error[0])
		return;
	read_numbers(st, number);
	if (!kev_number(in, st->ts, &ts) || number[BYTES] == EVENTS_NONE ||
	    number[TYPE] == EVENTS_NONE) {
		balance_drop(&st->balance, INCOMPLETE, dur);
		if (st->opts.strict)
			kev_error(in, "a [memory] row without ts, or without a whole number of Bytes or "
			              "Device Type");
	} else if (number[BYTES] == 0) {
		balance_drop(&st->balance, NO_BYTES, dur);
	} else {
		add_event(st, ts, number);
		balance_out(&st->balance, dur);
	}
}

static void metadata(struct state *st)
{
	struct kev_reader *in = &st->in;

	devices_metadata(&st->files, in);
	if (st->has_unit && str_equal(in->key, STR("unit")) && !str_equal(in->value, STR("us")))
		kev_misuse(in, "unit: times in ns, us, ms or s need a stream in us; leave the units out");
	if (st->form == FORM_TSV) {
		if (!str_equal(in->key, STR("thread")) || holds_rows(st))
			kev_pass_meta(&st->out, in);
	} else if (str_equal(in->key, STR("damaged"))) {
		damage_note(&st->damages, NULL, in);
		kev_note_damage(&st->out, in);
	}
}

/* --- the table of devices ---------------------------------------------------------- */

enum figure {
	FILE_NAME,
	PID,
	DEVICE,
	EVENTS,
	ALLOCS,
	ALLOCATED,
	FREES,
	FREED,
	START,
	PEAK,
	GROWN,
	PEAK_TS,
	OWNER, /* four columns */
	END = OWNER + OWNERS,
	KEPT,
	KEPT_BYTES,
	EARLY,
	EARLY_BYTES,
	RESERVED_THEN,
	SLACK,
	RESERVED_MAX,
	BREAKS,
	FIGURES
};

static void put_bytes(struct sheet *sheet, struct dec bytes)
{
	if (sheet->people)
		dec_print_fixed(&sheet->cell, bytes, 0, true);
	else
		dec_print(&sheet->cell, bytes);
}

/* a - b, which may be more than 64 bits have. */
static struct dec difference(int64_t a, int64_t b)
{
	struct dec result = dec_of(a);

	result.nano -= dec_of(b).nano;
	return result;
}

/* The event of the peak; NULL if the peak is start. */
static const struct event *peak_of(const struct device *device)
{
	return device->totals.peak_count ? &device->events.event[device->totals.peak_count - 1] : NULL;
}

/* The columns file, pid and device. */
static void put_key(struct sheet *sheet, const struct device *device, int which)
{
	const struct state *st = sheet->context;

	tsv_unescape(&sheet->cell, which == FILE_NAME ? devices_source(&st->files, device->source)
	                           : which == PID     ? device->pid
	                                              : device->name);
}

static void put_owner(struct sheet *sheet, const struct device *device, int which)
{
	const struct state *st = sheet->context;
	const struct event *peak = peak_of(device);

	if (peak)
		tsv_unescape(&sheet->cell, tsv_field(strmap_key(&st->owners, peak->owner), (size_t)which));
}

static void put_totals(struct sheet *sheet, const struct device *device, enum figure which)
{
	const struct totals *totals = &device->totals;

	switch (which) {
	case EVENTS:
		sheet_count(sheet, device->events.count);
		break;
	case ALLOCS:
		sheet_count(sheet, totals->allocs);
		break;
	case ALLOCATED:
		put_bytes(sheet, totals->allocated);
		break;
	case FREES:
		sheet_count(sheet, totals->frees);
		break;
	case FREED:
		put_bytes(sheet, totals->freed);
		break;
	case START:
		if (!totals->relative)
			put_bytes(sheet, dec_of(totals->start));
		break;
	case PEAK:
		put_bytes(sheet, dec_of(totals->peak));
		break;
	case GROWN:
		put_bytes(sheet, difference(totals->peak, totals->start));
		break;
	case PEAK_TS:
		devices_put_time(sheet,
		                 device->events.event[totals->peak_count ? totals->peak_count - 1 : 0].ts);
		break;
	case END:
		put_bytes(sheet, dec_of(totals->end));
		break;
	case BREAKS:
		sheet_count(sheet, totals->breaks + device->blocks.breaks);
		break;
	default:
		if (totals->reserved_max == EVENTS_NONE)
			break;
		if (which == RESERVED_MAX)
			put_bytes(sheet, dec_of(totals->reserved_max));
		else if (totals->reserved != EVENTS_NONE)
			put_bytes(sheet, which == SLACK ? difference(totals->reserved, totals->peak)
			                                : dec_of(totals->reserved));
	}
}

static void put_blocks(struct sheet *sheet, const struct device *device, enum figure which)
{
	const struct blocks *blocks = &device->blocks;

	if (device->no_addr)
		return;
	if (which == KEPT || which == EARLY)
		sheet_count(sheet, which == KEPT ? blocks->kept : blocks->early);
	else
		put_bytes(sheet, which == KEPT_BYTES ? blocks->kept_bytes : blocks->early_bytes);
}

static void put_figure(struct sheet *sheet, const void *row, int which)
{
	const struct device *device = row;

	if (which <= DEVICE)
		put_key(sheet, device, which);
	else if (which >= OWNER && which < OWNER + OWNERS)
		put_owner(sheet, device, which - OWNER);
	else if (which >= KEPT && which <= EARLY_BYTES)
		put_blocks(sheet, device, (enum figure)which);
	else
		put_totals(sheet, device, (enum figure)which);
}

static bool is_shown(const struct state *st, int which)
{
	if (which == FILE_NAME)
		return devices_several(&st->files);
	return which < OWNER || which >= OWNER + OWNERS || st->owned[which - OWNER];
}

static unsigned kind_of(int which)
{
	static const bool wide[FIGURES] = {
		[EVENTS] = true, [ALLOCATED] = true,   [FREES] = true,       [FREED] = true,
		[EARLY] = true,  [EARLY_BYTES] = true, [RESERVED_MAX] = true};

	if (which == FILE_NAME || which == OWNER + OWNERS - 1)
		return SHEET_NAME;
	if (which == PID || which == DEVICE || which == OWNER + 1)
		return SHEET_TEXT;
	return SHEET_NUMBER | (wide[which] ? SHEET_WIDE : 0) |
	       (which == PEAK_TS || which == END || which == KEPT_BYTES ? SHEET_SPARE : 0);
}

static void write_devices(struct state *st, struct jsonw *json)
{
	static const char *const names[FIGURES] = {
		"file",     "pid",    "device",       "events", "allocs",     "allocated", "frees",
		"freed",    "start",  "peak",         "grown",  "peak_ts",    "step",      "phase",
		"layer",    "cpu_op", "end",          "kept",   "kept_bytes", "early",     "early_bytes",
		"reserved", "slack",  "reserved_max", "breaks"};
	struct sheet_column shown[FIGURES];
	struct sheet sheet;
	size_t count = 0;

	for (int i = 0; i < FIGURES; i++)
		if (is_shown(st, i))
			shown[count++] = (struct sheet_column){names[i], kind_of(i), put_figure, i};
	sheet_begin(&sheet, &st->out, st->form, json, "Devices", shown, count);
	sheet.context = st;
	for (size_t i = 0; i < st->names.count; i++)
		sheet_row(&sheet, st->sorted[i].device);
	sheet_end(&sheet);
}

/* --- --every ----------------------------------------------------------------------- */

struct slice {
	const struct device *device;
	struct level level;
};

enum slice_figure {
	S_TS,
	S_DUR,
	S_NAME,
	S_CAT,
	S_PH,
	S_FILE,
	S_PID,
	S_TID,
	S_DEVICE,
	S_LOW,
	S_HIGH,
	S_LAST,
	S_FIGURES
};

static void put_slice(struct sheet *sheet, const void *row, int which)
{
	const struct state *st = sheet->context;
	const struct slice *slice = row;

	switch ((enum slice_figure)which) {
	case S_TS:
		devices_put_time(sheet, slice->level.ts);
		break;
	case S_DUR:
		devices_put_time(sheet, st->every);
		break;
	case S_NAME:
	case S_CAT:
		buf_text(&sheet->cell, "slice");
		break;
	case S_PH:
		buf_text(&sheet->cell, "X");
		break;
	case S_FILE:
		put_key(sheet, slice->device, FILE_NAME);
		break;
	case S_PID:
		put_key(sheet, slice->device, PID);
		break;
	case S_TID:
	case S_DEVICE:
		put_key(sheet, slice->device, DEVICE);
		break;
	default:
		put_bytes(sheet, dec_of(which == S_LOW    ? slice->level.low
		                        : which == S_HIGH ? slice->level.high
		                                          : slice->level.last));
	}
}

static void write_levels(struct state *st, struct sheet *sheet)
{
	for (size_t i = 0; i < st->names.count; i++) {
		const struct device *device = st->sorted[i].device;
		struct slice slice = {.device = device};
		struct levels levels;

		if (!levels_begin(&levels, &device->events, &device->totals, st->every))
			kev_die_misuse(&st->out, st->in.file, 0, "--every: over %d slices; give a longer TIME",
			               LEVELS_MAX);
		while (levels_next(&levels, &slice.level))
			sheet_row(sheet, &slice);
	}
}

static void write_every(struct state *st, struct jsonw *json)
{
	static const char *const names[S_FIGURES] = {"ts",  "dur", "name",   "cat", "ph",   "file",
	                                             "pid", "tid", "device", "low", "high", "last"};
	struct sheet_column shown[S_FIGURES];
	struct sheet sheet;
	size_t count = 0;

	for (int i = 0; i < S_FIGURES; i++) {
		bool is_number = i <= S_DUR || i >= S_LOW;
		bool is_wide = (i >= S_NAME && i <= S_PH) || i == S_TID;

		if (i != S_FILE || devices_several(&st->files))
			shown[count++] = (struct sheet_column){
				names[i], (is_number ? SHEET_NUMBER : SHEET_NAME) | (is_wide ? SHEET_WIDE : 0),
				put_slice, i};
	}
	sheet_begin(&sheet, &st->out, st->form, json, "Slices", shown, count);
	sheet.context = st;
	write_levels(st, &sheet);
	sheet_end(&sheet);
}

/* --- --blocks and --live --------------------------------------------------------------- */

static struct blockrow begin_row(const struct state *st, const struct device *device)
{
	return (struct blockrow){.file = devices_source(&st->files, device->source),
	                         .pid = device->pid,
	                         .device = device->name};
}

static void write_block(struct state *st, const struct device *device, const struct block *block)
{
	const struct events *events = &device->events;
	const struct event *begin = &events->event[block->begin];
	size_t end = block->how == BLOCK_OPEN ? events->count - 1 : block->end;
	struct blockrow row = begin_row(st, device);

	row.held = true;
	row.place = device->place[begin->row];
	row.ts = begin->ts;
	row.dur = (struct dec){events->event[end].ts.nano - begin->ts.nano};
	row.bytes = dec_of(begin->bytes);
	row.end = block_ends[block->how];
	blockrows_row(&st->rows, &row);
}

/* What is alive after so many events, and what no block accounts for. */
static void write_live(struct state *st, const struct device *device, size_t count)
{
	struct blockrow before = begin_row(st, device);

	before.bytes = dec_of(totals_after(&device->totals, &device->events, count));
	for (size_t i = 0; i < device->blocks.count; i++) {
		const struct block *block = &device->blocks.block[i];

		if (!block_is_alive(block, count))
			continue;
		write_block(st, device, block);
		before.bytes.nano -= dec_of(device->events.event[block->begin].bytes).nano;
	}
	if (before.bytes.nano)
		blockrows_row(&st->rows, &before);
}

/* The time of --live=TIME. */
static struct dec live_time(const struct state *st)
{
	struct dec time = st->live;
	struct dec first = {0};

	for (size_t i = 0; i < st->names.count; i++) {
		struct dec ts = st->device[i].events.event[0].ts;

		if (i == 0 || dec_compare(ts, first) < 0)
			first = ts;
	}
	if (st->live_counts)
		dec_add(&time, first);
	return time;
}

static void write_blocks(struct state *st, struct jsonw *json)
{
	struct dec time = live_time(st);

	blockrows_begin(&st->rows, devices_several(&st->files), &st->out, st->form, json);
	for (size_t i = 0; i < st->names.count; i++) {
		const struct device *device = st->sorted[i].device;

		if (st->answer == LIVE)
			write_live(st, device,
			           st->live_given ? events_until(&device->events, time)
			                          : device->totals.peak_count);
		else
			for (size_t j = 0; j < device->blocks.count; j++)
				write_block(st, device, &device->blocks.block[j]);
	}
	blockrows_end(&st->rows);
}

/* --- the end ------------------------------------------------------------------------ */

static int compare_devices(const void *a, const void *b)
{
	const struct sorted *x = a;
	const struct sorted *y = b;

	return str_compare(buf_view(&x->device->order), buf_view(&y->device->order));
}

static void count(struct state *st, struct device *device)
{
	events_sort(&device->events);
	if (!totals_of(&device->totals, &device->events))
		kev_die(&st->out, st->in.file, 0, "the sizes are too large to add");
	if (!device->no_addr)
		blocks_find(&device->blocks, &device->events);
	else if (holds_rows(st))
		kev_die_misuse(&st->out, st->in.file, 0,
		               "column 'Addr' is missing or empty: this trace has sizes only, so %s has no "
		               "blocks",
		               st->answer == LIVE ? "--live" : "--blocks");
}

static void count_all(struct state *st)
{
	st->sorted = mem_alloc(st->names.count + 1, sizeof *st->sorted);
	for (size_t i = 0; i < st->names.count; i++) {
		struct str key = strmap_key(&st->names, i);

		st->sorted[i].device = &st->device[i];
		st->device[i].pid = tsv_field(key, 1);
		st->device[i].name = tsv_field(key, 2);
		count(st, &st->device[i]);
	}
	qsort(st->sorted, st->names.count, sizeof *st->sorted, compare_devices);
}

static void write_answer(struct state *st)
{
	struct jsonw json = {.out = &st->out.out.buf};

	if (st->form == FORM_JSON) {
		jsonw_object(&json, NULL);
		jsonw_text(&json, "unit", str_of(kev_unit(&st->in)));
	}
	if (st->answer == DEVICES)
		write_devices(st, &json);
	else if (st->answer == EVERY)
		write_every(st, &json);
	else
		write_blocks(st, &json);
	damage_end_answer(&st->damages, st->form, &st->out.out, &json);
}

static void print_warnings(struct state *st)
{
	uint64_t skipped = st->balance.dropped[INCOMPLETE].rows;
	uint64_t breaks = 0;

	for (size_t i = 0; i < st->names.count; i++)
		breaks += st->device[i].totals.breaks + st->device[i].blocks.breaks;
	if (skipped)
		warn(
			"[memory] rows without ts, or without a whole number of Bytes or Device Type, skipped: "
			"%llu",
			(unsigned long long)skipped);
	if (breaks)
		warn(
			"events that do not follow from those before: %llu; rows are missing, so totals count, "
			"and not the sums",
			(unsigned long long)breaks);
	if (st->names.count == 0) {
		warn("the input has no [memory] rows; record with profile_memory=True, and read with "
		     "trace2tsv --memory");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	}
}

/* --- options ------------------------------------------------------------------------ */

static void choose(struct state *st, enum answer answer)
{
	if (st->answer != DEVICES && st->answer != answer)
		opts_fail("--live, --blocks and --every are different tables; give one of them");
	st->answer = answer;
}

static void read_live(struct state *st)
{
	const char *text = st->opts.arg;

	choose(st, LIVE);
	if (!text)
		return;
	st->live_given = true;
	st->live_counts = *text == '+';
	text += st->live_counts;
	if (!opts_time_parse(str_of(text), &st->live))
		opts_fail("--live: '%s' is not a time, such as 30us or +1.5ms", st->opts.arg);
	st->has_unit |= opts_time_has_unit(str_of(text));
}

static void read_every(struct state *st)
{
	choose(st, EVERY);
	st->has_unit |= opts_time_has_unit(str_of(st->opts.arg));
	st->every = opts_time(&st->opts);
	if (st->every.nano == 0)
		opts_fail("--every: a slice must be longer than 0");
}

static void read_options(struct state *st, int argc, char **argv)
{
	struct words keys = {0};
	int letter;

	opts_init(&st->opts, &usage, argc, argv);
	while ((letter = opts_next(&st->opts)) >= 0) {
		if (letter == LIVE_AT)
			read_live(st);
		else if (letter == ALL_BLOCKS)
			choose(st, BLOCKS);
		else if (letter == SLICES)
			read_every(st);
		else
			opts_form(letter, &st->form);
	}
	devices_keys(&st->files, &keys);
	st->opts.no_head |= st->form != FORM_TSV;
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;

	read_options(&st, argc, argv);
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
	count_all(&st);
	print_warnings(&st);
	write_answer(&st);
	st.balance.unit = kev_unit(&st.in);
	balance_print(&st.balance);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
