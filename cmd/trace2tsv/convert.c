#include "convert.h"

#include <stdlib.h>

#include "base/mem.h"

const char *const convert_reasons[CONVERT_REASONS] = {
	[CONVERT_CATEGORY] = "category",
	[CONVERT_NO_PH] = "no ph",
	[CONVERT_PHASE] = "phase",
	[CONVERT_PROCESS] = "process",
	[CONVERT_JOINED] = "begin, joined to its end",
	[CONVERT_ALONE] = "begin or end without the other",
};
BALANCE_FITS(convert_reasons);

const char *const convert_units[CONVERT_UNITS] = {"us", "cycles"};

void convert_open(struct convert *c)
{
	eventrow_open(&c->row, c->wanted);
}

void convert_begin_file(struct convert *c, const char *file)
{
	c->file = file;
	c->unit_known = false;
	c->unit = CONVERT_US;
	c->outcome = (struct outcome){0};
	c->rank = (struct buf){0};
	c->device = (struct device){0};
	c->balance = (struct balance){.on = c->opts->verbose, .reasons_count = CONVERT_REASONS};
	eventrow_begin(&c->row);
}

void convert_end_file(struct convert *c)
{
	cann_close(&c->cann);
	choice_close(&c->choice);
	buf_free(&c->rank);
}

void convert_set_unit(struct convert *c, enum convert_unit unit)
{
	struct str text = str_of(convert_units[unit]);

	c->cycles |= c->is_part;
	if (c->unit_known || c->is_part)
		return;
	c->unit_known = true;
	c->unit = unit;
	kev_meta(&c->out, "unit", &text, 1);
}

void convert_fail_choice(struct convert *c)
{
	kev_die_misuse(&c->out, c->file, 0, "%.*s", (int)c->choice.error.len, c->choice.error.data);
}

/* Keeps the line written last or takes it back. True if it waits. */
static bool line_waits(struct convert *c, size_t process)
{
	enum choice_line result = choice_settle(&c->choice, process);

	if (result == CHOICE_FAILED)
		convert_fail_choice(c);
	return result == CHOICE_WAITS;
}

/* --- events ---------------------------------------------------------------- */

static struct str value_text(const struct convert *c, enum want want)
{
	return json_text(&c->json.value[want]);
}

static void put_devices(struct convert *c)
{
	if (c->is_part)
		c->devices = true;
	else
		device_platform(&c->device, &c->out);
}

/* M: the name of a process or thread. */
static void metadata_event(struct convert *c, size_t process)
{
	struct str name = value_text(c, WANT_NAME);
	struct str called = value_text(c, WANT_ARGS_NAME);
	struct str pid = value_text(c, WANT_PID);

	put_devices(c);
	if (str_equal(name, STR("process_name"))) {
		if (str_has(called, STR("core_trace")))
			convert_set_unit(c, CONVERT_CYCLES);
		if (c->choice.parts && choice_named(&c->choice, pid, called) &&
		    !choice_make(&c->choice, process))
			convert_fail_choice(c);
		kev_meta(&c->out, "process", (struct str[]){pid, called}, 2);
		line_waits(c, process);
	} else if (str_equal(name, STR("thread_name"))) {
		kev_meta(&c->out, "thread", (struct str[]){pid, value_text(c, WANT_TID), called}, 3);
		line_waits(c, process);
	}
}

/* Sets the row to the columns of the event and the file. Returns their number. */
static size_t fill_row(struct convert *c, bool metadata)
{
	size_t count = c->wanted->columns;

	eventrow_fill(&c->row, c->json.value, metadata);
	if (c->wanted->rank_column)
		c->row.text[count++] = buf_view(&c->rank);
	if (c->wanted->file_column)
		c->row.text[count++] = str_of(c->file);
	return count;
}

/* Warns of the first place at which digits were rounded; `before`: events before the part. */
static void warn_rounded(const struct convert *c, uint64_t before)
{
	warn("%s: byte %llu (event %llu): %s: " DEC_ROUNDED_TEXT, c->file,
	     (unsigned long long)c->rounded_offset, (unsigned long long)(before + c->rounded_event),
	     c->rounded_of);
}

/* Rounds ts and dur of the row. is_dur: the row's dur is a difference of rounded times. */
static void round_times(struct convert *c, bool is_dur)
{
	const char *column = eventrow_round(&c->row);

	if (!column && is_dur)
		column = kev_core[KEV_DUR];
	if (column && !c->rounded) {
		c->rounded_of = column;
		c->rounded_offset = c->json.offset;
		c->rounded_event = c->json.event;
		if (!c->is_part)
			warn_rounded(c, 0);
	}
	c->rounded |= column != NULL;
}

static _Noreturn void fail_cann(struct convert *c)
{
	kev_die(&c->out, c->file, 0, "%s", c->cann.error);
}

/* For note_part: nearly all other events say nothing, or are operators. */
static enum cann_role note_ascend(struct convert *c, struct str ph)
{
	const struct str thread[] = {value_text(c, WANT_PID), value_text(c, WANT_TID)};
	bool complete = str_equal(ph, STR("X"));
	bool good = true;

	if (c->is_part) {
		c->in_order = true;
		return CANN_NOTHING;
	}
	if (c->row.part == EVENTROW_WORK)
		return complete ? CANN_WORK : CANN_NOTHING;
	if (c->row.part == EVENTROW_LAUNCH && ph.n == 1)
		good = cann_flow(&c->cann, *ph.s, value_text(c, WANT_ID), thread, value_text(c, WANT_TS));
	if (c->row.part == EVENTROW_CALL && complete)
		good = cann_call(&c->cann, thread, value_text(c, WANT_TS), value_text(c, WANT_DUR),
		                 value_text(c, WANT_CORRELATION));
	if (!good)
		fail_cann(c);
	return c->row.part == EVENTROW_CALL && complete ? CANN_CALL : CANN_NOTHING;
}

/* Notes what the event says of other rows of a trace of Ascend. Returns what its own waits for. */
static inline enum cann_role note_part(struct convert *c, struct str ph)
{
	if (c->row.part == EVENTROW_OTHER)
		return CANN_NOTHING;
	if (c->row.part != EVENTROW_OPERATOR)
		return note_ascend(c, ph);
	cann_operator(&c->cann, value_text(c, WANT_PID));
	return CANN_NOTHING;
}

/*
 * Writes the row. False if it waits: for the choice of the process, or, if it has a role or a row
 * before it had, for the end of the file.
 */
static bool put_row(struct convert *c, size_t count, size_t process, enum cann_role role)
{
	put_devices(c);
	c->outcome.rows++;
	kev_row(&c->out, c->row.text, count);
	if (role == CANN_NOTHING && !c->cann.waits)
		return !line_waits(c, process);
	if (!cann_put(&c->cann, role, process, kev_take_back(&c->out)))
		fail_cann(c);
	return false;
}

void convert_put_waiting(struct convert *c)
{
	size_t process;
	struct str line;
	int got = 0;

	if (!c->choice.parts || c->choice.made)
		got = cann_settle(&c->cann) ? 1 : -1;

	while (got > 0 && (got = cann_next(&c->cann, &process, &line)) > 0) {
		struct str dur = tsv_field(line, KEV_DUR);

		if (choice_drops(&c->choice, process)) {
			balance_drop(&c->balance, CONVERT_PROCESS, dur);
			continue;
		}
		output_str(&c->out.out, line);
		balance_out(&c->balance, dur);
	}
	if (got < 0)
		fail_cann(c);
}

/*
 * With --strict, fails on what end_file only warns of. written: the row is in the output. waits:
 * it waits for the end of the file.
 */
static void check_strict(struct convert *c, bool written, bool waits)
{
	const char *what = c->outcome.no_ph ? "an event without ph"
	                   : c->all_phases && c->outcome.ends
	                       ? "a begin or end is left out; use --join-ends, or -p X"
	                   : c->row.bad_ts    ? "ts is not a number"
	                   : c->row.bad_dur   ? "dur is not a number"
	                   : c->json.replaced ? "a lone surrogate in a string"
	                                      : NULL;

	if (!c->opts->strict || !what)
		return;
	if (c->is_part) {
		c->in_order = true;
		return;
	}
	if (written)
		kev_take_back(&c->out);
	c->cann.rows -= waits;
	convert_put_waiting(c);
	kev_die(&c->out, c->file, 0, "byte %llu (event %llu): %s", (unsigned long long)c->json.offset,
	        (unsigned long long)c->json.event, what);
}

/* Whether the event is asked for, in any phase; counts it. */
static bool is_asked(struct convert *c)
{
	bool asked = eventrow_asked(&c->row, c->json.value);

	c->outcome.asked += asked;
	return asked;
}

/* Why an event is dropped; CONVERT_REASONS if it is not. */
static enum convert_reason reason_of(struct convert *c, struct str ph, size_t process)
{
	bool asked = is_asked(c);

	if (ph.n == 0 && (c->opts->strict || asked)) {
		c->outcome.no_ph++;
		return CONVERT_NO_PH;
	}
	if (!asked)
		return CONVERT_CATEGORY;
	if (wanted_is_memory(c->wanted, value_text(c, WANT_NAME))) {
		c->outcome.memory++;
	} else if (!wanted_phase(c->wanted, ph, value_text(c, WANT_CAT))) {
		c->outcome.ends += ph.n == 1 && strchr(wanted_ends, *ph.s);
		return CONVERT_PHASE;
	}
	return choice_drops(&c->choice, process) ? CONVERT_PROCESS : CONVERT_REASONS;
}

/* --- --join-ends ----------------------------------------------------------- */

/* The place of the process in c->alone. */
static size_t *alone_of(struct convert *c, size_t process)
{
	c->alone = mem_grow_zero(c->alone, &c->alone_cap, process + 1, sizeof *c->alone);
	c->alone_count = process < c->alone_count ? c->alone_count : process + 1;
	return &c->alone[process];
}

static void begin(struct convert *c, struct str key, size_t process)
{
	bool asked = is_asked(c);

	balance_in(&c->balance, STR(""));
	if (!asked)
		balance_drop(&c->balance, CONVERT_CATEGORY, STR(""));
	ends_begin(&c->ends, key, process, c->row.text, asked ? fill_row(c, false) : 0);
	*alone_of(c, process) += asked;
}

/* The row has the category of the begin, and counts as the row of both. */
static void end(struct convert *c, struct str key, size_t process)
{
	size_t count = fill_row(c, false);
	struct str ended = c->row.text[KEV_TS];
	struct str began;
	bool found = ends_end(&c->ends, key, c->row.text, &began);
	bool alone = !found && is_asked(c);
	bool rounded;

	if (!found || !began.s) {
		balance_in(&c->balance, STR(""));
		if (alone)
			++*alone_of(c, process);
		else
			balance_drop(&c->balance, CONVERT_CATEGORY, STR(""));
		return;
	}
	--*alone_of(c, c->ends.process);
	balance_drop(&c->balance, CONVERT_JOINED, STR(""));
	rounded = eventrow_join(&c->row, began, ended);
	balance_in(&c->balance, c->row.text[KEV_DUR]);
	if (choice_drops(&c->choice, process)) {
		balance_drop(&c->balance, CONVERT_PROCESS, c->row.text[KEV_DUR]);
		return;
	}
	round_times(c, rounded);
	if (put_row(c, count, process, CANN_NOTHING))
		balance_out(&c->balance, c->row.text[KEV_DUR]);
}

void convert_end_joining(struct convert *c)
{
	for (size_t p = 0; p < c->alone_count; p++) {
		bool dropped = choice_drops(&c->choice, p);

		for (size_t i = 0; i < c->alone[p]; i++)
			balance_drop(&c->balance, dropped ? CONVERT_PROCESS : CONVERT_ALONE, STR(""));
		c->outcome.alone += dropped ? 0 : c->alone[p];
	}
	free(c->alone);
	c->alone = NULL;
	c->alone_count = c->alone_cap = 0;
	ends_free(&c->ends);
	if (c->opts->strict && c->outcome.alone)
		kev_die(&c->out, c->file, 0, "begins or ends without the other: %llu",
		        (unsigned long long)c->outcome.alone);
}

/* --- an event ---------------------------------------------------------------- */

/* One that is not a begin or end to be joined. True if it is in the output. */
static bool other_event(struct convert *c, struct str ph, bool metadata, size_t process)
{
	struct str dur = str_trim(value_text(c, WANT_DUR));
	enum convert_reason reason;
	enum cann_role role;
	bool written = false;

	balance_in(&c->balance, dur);
	if (metadata)
		metadata_event(c, process);
	reason = reason_of(c, ph, process);
	role = note_part(c, ph);
	if (reason == CONVERT_REASONS) {
		size_t count = fill_row(c, metadata);

		round_times(c, false);
		written = put_row(c, count, process, role);
		if (written)
			balance_out(&c->balance, dur);
	} else {
		balance_drop(&c->balance, reason, dur);
	}
	return written;
}

void convert_event(struct convert *c)
{
	struct str ph = value_text(c, WANT_PH);
	bool joins = c->wanted->join_ends && ph.n == 1 && strchr(wanted_ends, *ph.s);
	struct str track = joins ? eventrow_track(&c->row, c->json.value, *ph.s) : STR("");
	size_t process = 0;
	uint64_t waiting = c->cann.rows;
	bool written = false;

	if (c->choice.parts)
		process =
			choice_number(&c->choice, value_text(c, WANT_PID), joins || str_equal(ph, STR("X")));
	if (!joins)
		written = other_event(c, ph, str_equal(json_string_text(&c->json.value[WANT_PH]), STR("M")),
		                      process);
	else if (*ph.s == 'B' || *ph.s == 'b')
		begin(c, track, process);
	else
		end(c, track, process);
	check_strict(c, written, c->cann.rows > waiting);
}

/* --- parts --------------------------------------------------------------------- */

void convert_part_open(struct convert *part, const struct convert *whole, size_t rows_max)
{
	*part = (struct convert){.opts = whole->opts,
	                         .wanted = whole->wanted,
	                         .all_phases = whole->all_phases,
	                         .out = {.opts = whole->opts, .begun = true, .out.fd = -1},
	                         .is_part = true,
	                         .rows_max = rows_max};
	convert_open(part);
	json_part_open(&part->json, &whole->wanted->json);
	convert_begin_file(part, whole->file);
	buf_str(&part->rank, buf_view(&whole->rank));
}

void convert_part_free(struct convert *part)
{
	convert_end_file(part);
	json_close(&part->json);
	eventrow_free(&part->row);
	buf_free(&part->out.out.buf);
}

static void begin_part(struct convert *part)
{
	struct buf *rows = &part->out.out.buf;

	/* A long row is not worth its memory after it. */
	if (rows->cap > 2 * part->rows_max)
		buf_free(rows);
	rows->len = 0;
	part->outcome = (struct outcome){0};
	part->balance = (struct balance){.on = part->opts->verbose, .reasons_count = CONVERT_REASONS};
	part->rounded = part->in_order = part->cycles = part->devices = false;
	eventrow_begin(&part->row);
	cann_close(&part->cann);
}

void convert_part(struct convert *part, char *text, size_t n, uint64_t offset)
{
	begin_part(part);
	json_part_begin(&part->json, text, n, offset);
	while (!part->in_order && part->out.out.buf.len < part->rows_max &&
	       json_next(&part->json) == JSON_EVENT)
		convert_event(part);
	part->place = json_place(&part->json);
}

bool convert_add(struct convert *whole, const struct convert *part)
{
	if (part->in_order || (part->cycles && !whole->unit_known) || whole->cann.waits ||
	    !str_equal(buf_view(&part->rank), buf_view(&whole->rank)))
		return false;
	if (part->devices)
		put_devices(whole);
	if (part->rounded && !whole->rounded)
		warn_rounded(part, whole->json.event);
	whole->rounded |= part->rounded;
	output_str(&whole->out.out, buf_view(&part->out.out.buf));
	outcome_add(&whole->outcome, &part->outcome);
	balance_add(&whole->balance, &part->balance);
	eventrow_add(&whole->row, &part->row);
	for (size_t i = 0; i < part->cann.processes.count; i++)
		cann_operator(&whole->cann, strmap_key(&part->cann.processes, i));
	json_skip(&whole->json, &part->place);
	return true;
}
