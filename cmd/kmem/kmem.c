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

#include "blockrows.h"
#include "devicerows.h"
#include "slicerows.h"

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
	struct allocators allocators;
	struct devicerows devices;
	struct blockrows rows;
	struct buf damages;
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
	devicerows_columns(&st->devices, in);
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

static void add_event(struct state *st, struct dec ts, const int64_t *number)
{
	struct event event = {.ts = ts,
	                      .bytes = number[BYTES],
	                      .total = number[TOTAL],
	                      .reserved = number[RESERVED],
	                      .addr = (uint64_t)number[ADDR],
	                      .idx = number[IDX],
	                      .owner = devicerows_owner(&st->devices, &st->in)};
	struct allocator *allocator =
		allocators_of(&st->allocators, &st->files, st->in.field[st->pid], number[TYPE], number[ID]);
	size_t row = allocator->events.count;

	allocator->no_addr |= number[ADDR] == EVENTS_NONE;
	if (!events_add(&allocator->events, &event)) {
		kev_error(&st->in, "a device has more than %u events", UINT32_MAX);
		return;
	}
	if (!holds_rows(st))
		return;
	allocator->place =
		mem_grow(allocator->place, &allocator->place_cap, row + 1, sizeof *allocator->place);
	allocator->place[row] = event.bytes > 0 ? blockrows_hold(&st->rows, &st->in) : 0;
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

/* --- --blocks and --live --------------------------------------------------------------- */

static struct blockrow begin_row(const struct state *st, const struct allocator *allocator)
{
	return (struct blockrow){.file = devices_source(&st->files, allocator->source),
	                         .pid = allocator->pid,
	                         .device = allocator->name};
}

static void write_block(struct state *st, const struct allocator *allocator,
                        const struct block *block)
{
	const struct events *events = &allocator->events;
	const struct event *begin = &events->event[block->begin];
	size_t end = block->how == BLOCK_OPEN ? events->count - 1 : block->end;
	struct blockrow row = begin_row(st, allocator);

	row.held = true;
	row.place = allocator->place[begin->row];
	row.ts = begin->ts;
	row.dur = (struct dec){events->event[end].ts.nano - begin->ts.nano};
	row.bytes = dec_of(begin->bytes);
	row.end = block_ends[block->how];
	blockrows_row(&st->rows, &row);
}

/* What is alive after so many events, and what no block accounts for. */
static void write_live(struct state *st, const struct allocator *allocator, size_t count)
{
	struct blockrow before = begin_row(st, allocator);

	before.bytes = dec_of(totals_after(&allocator->totals, &allocator->events, count));
	for (size_t i = 0; i < allocator->blocks.count; i++) {
		const struct block *block = &allocator->blocks.block[i];

		if (!block_is_alive(block, count))
			continue;
		write_block(st, allocator, block);
		before.bytes.nano -= dec_of(allocator->events.event[block->begin].bytes).nano;
	}
	if (before.bytes.nano)
		blockrows_row(&st->rows, &before);
}

/* The time of --live=TIME. */
static struct dec live_time(const struct state *st)
{
	struct dec time = st->live;
	struct dec first = {0};

	for (size_t i = 0; i < st->allocators.names.count; i++) {
		struct dec ts = st->allocators.item[i].events.event[0].ts;

		if (i == 0 || dec_compare(ts, first) < 0)
			first = ts;
	}
	if (st->live_counts)
		dec_add(&time, first);
	else if (st->live_given && dec_compare(time, first) < 0)
		warn("--live: the time is before the first event; +TIME counts from it");
	return time;
}

static void write_blocks(struct state *st, struct jsonw *json)
{
	struct dec time = live_time(st);

	blockrows_begin(&st->rows, devices_several(&st->files), &st->out, st->form, json);
	for (size_t i = 0; i < st->allocators.names.count; i++) {
		const struct allocator *allocator = st->allocators.sorted[i].allocator;

		if (st->answer == LIVE)
			write_live(st, allocator,
			           st->live_given ? events_until(&allocator->events, time)
			                          : allocator->totals.peak_count);
		else
			for (size_t j = 0; j < allocator->blocks.count; j++)
				write_block(st, allocator, &allocator->blocks.block[j]);
	}
	blockrows_end(&st->rows);
}

/* --- the end ------------------------------------------------------------------------ */

static void count(struct state *st, struct allocator *allocator)
{
	events_sort(&allocator->events);
	if (!totals_of(&allocator->totals, &allocator->events))
		kev_die(&st->out, st->in.file, 0, "the sizes are too large to add");
	if (!allocator->no_addr)
		blocks_find(&allocator->blocks, &allocator->events);
	else if (holds_rows(st))
		kev_die_misuse(&st->out, st->in.file, 0,
		               "column 'Addr' is missing or empty: this trace has sizes only, so %s has no "
		               "blocks",
		               st->answer == LIVE ? "--live" : "--blocks");
}

static void count_all(struct state *st)
{
	for (size_t i = 0; i < st->allocators.names.count; i++)
		count(st, &st->allocators.item[i]);
	allocators_sort(&st->allocators);
}

static void write_answer(struct state *st)
{
	struct jsonw json = {.out = &st->out.out.buf};

	if (st->form == FORM_JSON) {
		jsonw_object(&json, NULL);
		jsonw_text(&json, "unit", str_of(kev_unit(&st->in)));
	}
	if (st->answer == DEVICES)
		devicerows_write(&st->devices, &st->allocators, &st->files, &st->out, st->form, &json);
	else if (st->answer != EVERY)
		write_blocks(st, &json);
	else if (!slicerows_write(&st->allocators, &st->files, st->every, &st->out, st->form, &json))
		kev_die_misuse(&st->out, st->in.file, 0, "--every: over %d slices; give a longer TIME",
		               LEVELS_MAX);
	damage_end_answer(&st->damages, st->form, &st->out.out, &json);
}

static void print_warnings(struct state *st)
{
	uint64_t skipped = st->balance.dropped[INCOMPLETE].rows;
	uint64_t breaks = 0;

	for (size_t i = 0; i < st->allocators.names.count; i++)
		breaks += st->allocators.item[i].totals.breaks + st->allocators.item[i].blocks.breaks;
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
	if (st->allocators.names.count == 0) {
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
