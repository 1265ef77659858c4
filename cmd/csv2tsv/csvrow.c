#include "csvrow.h"

#include "base/dec.h"
#include "base/mem.h"
#include "stream/kev.h"

#include <stdlib.h>

void csvrow_begin(struct csvrow *row, struct csv_reader *csv, const struct csv_headers *headers,
                  const struct csv_layout *layout, const struct csvcolumns *columns,
                  const char *file)
{
	row->csv = csv;
	row->headers = headers;
	row->layout = layout;
	row->columns = columns;
	row->file = str_of(file);
	row->aggregate = csv_layout_is_aggregate(layout);
	row->is_counters = csv_layout_is_counters(layout);
	row->rest_column =
		csv_layout_name_takes_rest(layout, headers->count) ? layout->column[CSV_NAME] : -1;
	row->faults = (struct csvrow_faults){0};
	row->field = mem_resize(row->field, columns->count, sizeof *row->field);
}

/* --- values ---------------------------------------------------------------- */

/* The value of a column of the CSV; empty for column -1. */
static struct str value(struct csvrow *row, int column)
{
	struct csv_reader *csv = row->csv;

	if ((size_t)column >= csv->count) /* -1 is, too */
		return STR("");
	if (column == row->rest_column && csv->count > row->headers->count)
		return str_trim(csv_rest(csv, (size_t)column, &row->rest));
	return str_trim(csv_field(csv, (size_t)column));
}

struct str csvrow_value(struct csvrow *row, enum csv_content content)
{
	return value(row, row->layout->column[content]);
}

/*
 * Sets out to a time in us, of at most nine decimals; empty, and counted as bad, if it is not a
 * number.
 */
static void put_time(struct csvrow *row, struct buf *out, enum csv_content content, uint64_t *bad)
{
	static const char *const columns[CSV_CONTENTS] = {
		[CSV_TS] = "ts",           [CSV_DUR] = "dur",     [CSV_END] = "dur", [CSV_FW_DUR] = "dur",
		[CSV_HOST_TS] = "host_ts", [CSV_TOTAL] = "total", [CSV_MIN] = "min", [CSV_MAX] = "max"};
	struct str text = csvrow_value(row, content);

	row->plain.len = 0;
	text = csv_layout_number(row->layout, text, &row->plain);
	out->len = 0;
	if (!csv_microseconds(out, text, row->layout->unit[content])) {
		out->len = 0;
		++*bad;
	}
	text = buf_view(out);
	if (dec_round_places(&text, out) && !row->rounded)
		row->rounded = columns[content];
}

/* dur = end - ts, for a file without durations. */
static void put_difference(struct csvrow *row)
{
	struct buf end = {0};
	struct dec start;
	struct dec dur;
	uint64_t bad = 0;

	row->dur.len = 0;
	put_time(row, &end, CSV_END, &bad);
	if (dec_parse(buf_view(&row->ts), &start) == DEC_OK &&
	    dec_parse(buf_view(&end), &dur) == DEC_OK && dec_subtract(&dur, start)) {
		dec_print(&row->dur, dur);
		row->faults.negative += dur.nano < 0;
	} else {
		row->faults.bad_dur++;
	}
	buf_free(&end);
}

static void put_start(struct csvrow *row)
{
	row->ts.len = 0;
	/* Without a start column all starts are 0. */
	if (row->layout->column[CSV_TS] < 0)
		buf_char(&row->ts, '0');
	else
		put_time(row, &row->ts, CSV_TS, &row->faults.bad_ts);
}

/*
 * ts = end - dur, for a row of a device. A signpost or an operation of the host has neither; its
 * missing dur is counted.
 */
static void put_start_by_clock(struct csvrow *row)
{
	struct str cycles = csvrow_value(row, CSV_FW_END);
	struct dec end;
	struct dec dur;
	struct dec ts;

	row->ts.len = 0;
	if (dec_parse(cycles, &end) <= DEC_ROUNDED &&
	    ttclock_us(row->clock, csvrow_value(row, CSV_PID), end, &ts) &&
	    dec_parse(buf_view(&row->dur), &dur) <= DEC_ROUNDED && dec_subtract(&ts, dur))
		dec_print(&row->ts, ts);
	else
		row->faults.bad_ts += cycles.n || row->dur.len;
}

/* The firmware's duration includes that of the kernel. */
static void put_duration(struct csvrow *row)
{
	bool by_fw = row->layout->fw_dur && csvrow_value(row, CSV_DUR).n == 0;

	put_time(row, &row->dur, by_fw ? CSV_FW_DUR : CSV_DUR, &row->faults.bad_dur);
}

static void put_host_start(struct csvrow *row)
{
	row->host_ts.len = 0;
	if (csvrow_value(row, CSV_HOST_TS).n)
		put_time(row, &row->host_ts, CSV_HOST_TS, &row->faults.bad_host_ts);
}

static void put_times(struct csvrow *row)
{
	if (!row->layout->by_clock)
		put_start(row);
	if (row->layout->column[CSV_DUR] >= 0)
		put_duration(row);
	else if (row->layout->column[CSV_END] >= 0)
		put_difference(row);
	else
		row->dur.len = 0;
	if (row->layout->by_clock)
		put_start_by_clock(row);
	put_host_start(row);
	row->time = buf_view(&row->dur);
}

void csvrow_add_cycles(struct csvrow *row, struct ttclock *clock)
{
	struct dec start;
	struct dec end;
	struct dec us;
	uint64_t bad = 0;

	put_time(row, &row->dur, CSV_FW_DUR, &bad);
	if (dec_parse(csvrow_value(row, CSV_FW_START), &start) <= DEC_ROUNDED &&
	    dec_parse(csvrow_value(row, CSV_FW_END), &end) <= DEC_ROUNDED &&
	    dec_parse(buf_view(&row->dur), &us) <= DEC_ROUNDED)
		ttclock_add(clock, csvrow_value(row, CSV_PID), start, end, us);
}

/* --- rows ------------------------------------------------------------------ */

static void put(struct csvrow *row, struct str text)
{
	row->field[row->count++] = text;
}

/* The rank and the file. */
static void put_own(struct csvrow *row)
{
	if (row->columns->rank.n)
		put(row, row->columns->rank);
	if (row->columns->file)
		put(row, row->file);
}

/* Makes room for all numbers without their commas: plain must not move under the fields. */
static void reserve_plain(struct csvrow *row)
{
	const struct csvcolumns *columns = row->columns;
	size_t n = 0;

	for (size_t i = 0; i < columns->others_count; i++)
		n += value(row, columns->others[i]).n;
	buf_reserve(&row->plain, n);
}

static void put_others(struct csvrow *row)
{
	const struct csvcolumns *columns = row->columns;

	row->plain.len = 0;
	if (row->layout->commas)
		reserve_plain(row);
	for (size_t i = 0; i < columns->others_count; i++)
		row->field[row->count + i] =
			csv_layout_number(row->layout, value(row, columns->others[i]), &row->plain);
	row->count += columns->others_count;
}

static void put_event(struct csvrow *row, struct str type)
{
	struct str name = csvrow_value(row, CSV_NAME);

	put(row, buf_view(&row->ts));
	put(row, buf_view(&row->dur));
	put(row, type);
	put(row, name);
	put(row, row->layout->column[CSV_CAT] < 0 ? csv_layout_cat(row->layout, name)
	                                          : csvrow_value(row, CSV_CAT));
	put(row, STR("X"));
	put(row, csvrow_value(row, CSV_PID));
	put(row, csvrow_value(row, CSV_TID));
	put(row, csvrow_value(row, CSV_SOURCE));
	if (row->layout->column[CSV_HOST_TS] >= 0)
		put(row, buf_view(&row->host_ts));
	put_others(row);
	put_own(row);
}

static bool read_event(struct csvrow *row)
{
	struct csvrow_faults faults = row->faults;
	struct str type = csvrow_value(row, CSV_TYPE);
	bool no_type = row->layout->column[CSV_TYPE] >= 0 && type.n == 0;
	bool no_dispatch = row->is_counters && (csvrow_value(row, CSV_DISPATCH).n == 0 ||
	                                        csvrow_value(row, CSV_NAME).n == 0);

	put_times(row);
	if (no_type || no_dispatch) {
		/* The times of a row that is left out are not reported. */
		row->faults = faults;
		row->faults.no_type += no_type;
		row->faults.no_dispatch += no_dispatch;
		return false;
	}
	/* Level0 of torch_npu writes no types; its kernels did run. */
	put_event(row, str_equal(type, STR("N/A")) ? STR("") : type);
	return true;
}

/* The times that an aggregate lacks are empty. */
static void read_aggregate(struct csvrow *row)
{
	static const enum csv_content times[] = {
		[PARTIAL_TOTAL] = CSV_TOTAL, [PARTIAL_MIN] = CSV_MIN, [PARTIAL_MAX] = CSV_MAX};
	uint64_t other = 0;

	for (enum csv_content i = CSV_TYPE; i <= CSV_TID; i++)
		if (i == CSV_CAT && csv_layout_has_cat(row->layout))
			put(row, csv_layout_group_cat(row->layout, csvrow_value(row, i), row->section,
			                              csvrow_value(row, CSV_NAME)));
		else if (row->layout->column[i] >= 0)
			put(row, csvrow_value(row, i));
	put_own(row);
	put(row, csvrow_value(row, CSV_COUNT));
	for (size_t i = PARTIAL_TOTAL; i <= PARTIAL_MAX; i++) {
		put_time(row, &row->figures[i], times[i],
		         i == PARTIAL_TOTAL ? &row->faults.bad_total : &other);
		put(row, buf_view(&row->figures[i]));
	}
	put_others(row);
	row->time = buf_view(&row->figures[PARTIAL_TOTAL]);
}

bool csvrow_read(struct csvrow *row)
{
	row->count = 0;
	row->rounded = NULL;
	if (row->csv->count > row->headers->count && row->rest_column < 0 &&
	    row->faults.long_rows++ == 0)
		row->faults.first_long = row->csv->line;
	if (!row->aggregate)
		return read_event(row);
	read_aggregate(row);
	return true;
}

const char *csvrow_fault(const struct csvrow *row)
{
	const struct csvrow_faults *faults = &row->faults;

	/* A time that is missing from a ragged row is the lesser fault. */
	return faults->no_type                         ? "type is missing"
	       : faults->no_dispatch                   ? "the ID or the name of the kernel is missing"
	       : faults->long_rows                     ? "the row has more fields than the header"
	       : row->csv->count < row->headers->count ? "the row has fewer fields than the header"
	       : faults->bad_ts                        ? "the start is not a number"
	       : faults->bad_dur                       ? "the duration is not a number"
	       : faults->bad_total                     ? "the total is not a number"
	                                               : NULL;
}

void csvrow_free(struct csvrow *row)
{
	free(row->field);
	buf_free(&row->ts);
	buf_free(&row->dur);
	buf_free(&row->host_ts);
	for (size_t i = 0; i < PARTIAL_NEEDED; i++)
		buf_free(&row->figures[i]);
	buf_free(&row->rest);
	buf_free(&row->plain);
	*row = (struct csvrow){0};
}
