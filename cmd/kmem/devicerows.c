#include "devicerows.h"

#include <string.h>

enum { OWNERS = DEVICEROWS_OWNERS };

static const char *const owner_names[OWNERS] = {"step", "phase", "layer", "cpu_op"};

/* --- contexts -------------------------------------------------------------------- */

void devicerows_columns(struct devicerows *rows, struct kev_reader *in)
{
	for (int i = 0; i < OWNERS; i++) {
		rows->owner[i] = kev_column(in, str_of(owner_names[i]));
		rows->owned[i] |= rows->owner[i] != KEV_NONE;
	}
}

/* Only a context that differs from the last is hashed. */
uint32_t devicerows_owner(struct devicerows *rows, struct kev_reader *in)
{
	size_t number;

	rows->text.len = 0;
	for (int i = 0; i < OWNERS; i++) {
		buf_str(&rows->text, rows->owner[i] == KEV_NONE ? STR("") : in->field[rows->owner[i]]);
		buf_char(&rows->text, '\t');
	}
	if (rows->owners.count &&
	    str_equal(buf_view(&rows->text), strmap_key(&rows->owners, rows->last)))
		return (uint32_t)rows->last;
	number = strmap_add(&rows->owners, buf_view(&rows->text), NULL);
	rows->last = number;
	if (number > UINT32_MAX)
		kev_error(in, "there are more than %u contexts of events", UINT32_MAX);
	return (uint32_t)number;
}

/* --- the table --------------------------------------------------------------------- */

enum figure {
	FILE_NAME = ALLOCATOR_FILE,
	PID = ALLOCATOR_PID,
	DEVICE = ALLOCATOR_DEVICE,
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

/* a - b, which may be more than 64 bits have. */
static struct dec difference(int64_t a, int64_t b)
{
	struct dec result = dec_of(a);

	result.nano -= dec_of(b).nano;
	return result;
}

/* The event of the peak; NULL if the peak is start. */
static const struct event *peak_of(const struct allocator *allocator)
{
	return allocator->totals.peak_count ? &allocator->events.event[allocator->totals.peak_count - 1]
	                                    : NULL;
}

static void put_owner(struct sheet *sheet, const struct allocator *allocator, int which)
{
	const struct devicerows *rows = sheet->context;
	const struct event *peak = peak_of(allocator);

	if (peak)
		tsv_unescape(&sheet->cell,
		             tsv_field(strmap_key(&rows->owners, peak->owner), (size_t)which));
}

static void put_totals(struct sheet *sheet, const struct allocator *allocator, enum figure which)
{
	const struct totals *totals = &allocator->totals;

	switch (which) {
	case EVENTS:
		sheet_count(sheet, allocator->events.count);
		break;
	case ALLOCS:
		sheet_count(sheet, totals->allocs);
		break;
	case ALLOCATED:
		allocator_put_bytes(sheet, totals->allocated);
		break;
	case FREES:
		sheet_count(sheet, totals->frees);
		break;
	case FREED:
		allocator_put_bytes(sheet, totals->freed);
		break;
	case START:
		if (!totals->relative)
			allocator_put_bytes(sheet, dec_of(totals->start));
		break;
	case PEAK:
		allocator_put_bytes(sheet, dec_of(totals->peak));
		break;
	case GROWN:
		allocator_put_bytes(sheet, difference(totals->peak, totals->start));
		break;
	case PEAK_TS:
		devices_put_time(
			sheet, allocator->events.event[totals->peak_count ? totals->peak_count - 1 : 0].ts);
		break;
	case END:
		allocator_put_bytes(sheet, dec_of(totals->end));
		break;
	case BREAKS:
		sheet_count(sheet, totals->breaks + allocator->blocks.breaks);
		break;
	default:
		if (totals->reserved_max == EVENTS_NONE)
			break;
		if (which == RESERVED_MAX)
			allocator_put_bytes(sheet, dec_of(totals->reserved_max));
		else if (totals->reserved != EVENTS_NONE)
			allocator_put_bytes(sheet, which == SLACK ? difference(totals->reserved, totals->peak)
			                                          : dec_of(totals->reserved));
	}
}

static void put_blocks(struct sheet *sheet, const struct allocator *allocator, enum figure which)
{
	const struct blocks *blocks = &allocator->blocks;

	if (allocator->no_addr)
		return;
	if (which == KEPT || which == EARLY)
		sheet_count(sheet, which == KEPT ? blocks->kept : blocks->early);
	else
		allocator_put_bytes(sheet, which == KEPT_BYTES ? blocks->kept_bytes : blocks->early_bytes);
}

static void put_figure(struct sheet *sheet, const void *row, int which)
{
	const struct devicerows *rows = sheet->context;
	const struct allocator *allocator = row;

	if (which <= DEVICE)
		allocator_put_key(sheet, allocator, rows->files, (enum allocator_key)which);
	else if (which >= OWNER && which < OWNER + OWNERS)
		put_owner(sheet, allocator, which - OWNER);
	else if (which >= KEPT && which <= EARLY_BYTES)
		put_blocks(sheet, allocator, (enum figure)which);
	else
		put_totals(sheet, allocator, (enum figure)which);
}

static bool is_shown(const struct devicerows *rows, int which)
{
	if (which == FILE_NAME)
		return devices_several(rows->files);
	return which < OWNER || which >= OWNER + OWNERS || rows->owned[which - OWNER];
}

static unsigned kind_of(int which)
{
	static const bool wide[FIGURES] = {
		[EVENTS] = true, [ALLOCATED] = true,   [FREES] = true,       [FREED] = true,
		[EARLY] = true,  [EARLY_BYTES] = true, [RESERVED_MAX] = true};
	static const bool spare[FIGURES] = {
		[ALLOCS] = true, [PEAK_TS] = true,    [END] = true,
		[KEPT] = true,   [KEPT_BYTES] = true, [RESERVED_THEN] = true};

	if (which == FILE_NAME || which == OWNER + OWNERS - 1)
		return SHEET_NAME;
	if (which == PID || which == DEVICE || which == OWNER + 1)
		return SHEET_TEXT;
	return SHEET_NUMBER | (wide[which] ? SHEET_WIDE : 0) | (spare[which] ? SHEET_SPARE : 0);
}

void devicerows_write(struct devicerows *rows, const struct allocators *allocators,
                      const struct devices *files, struct kev_writer *out, enum form form,
                      struct jsonw *json)
{
	static const char *const names[FIGURES] = {
		"file",     "pid",    "device",       "events", "allocs",     "allocated", "frees",
		"freed",    "start",  "peak",         "grown",  "peak_ts",    "step",      "phase",
		"layer",    "cpu_op", "end",          "kept",   "kept_bytes", "early",     "early_bytes",
		"reserved", "slack",  "reserved_max", "breaks"};
	struct sheet_column shown[FIGURES];
	struct sheet sheet;
	size_t count = 0;

	rows->files = files;
	for (int i = 0; i < FIGURES; i++)
		if (is_shown(rows, i))
			shown[count++] = (struct sheet_column){names[i], kind_of(i), put_figure, i};
	sheet_begin(&sheet, out, form, json, "Devices", shown, count);
	sheet.context = rows;
	for (size_t i = 0; i < allocators->names.count; i++)
		sheet_row(&sheet, allocators->sorted[i].allocator);
	sheet_end(&sheet);
	rows->files = NULL;
}

void devicerows_free(struct devicerows *rows)
{
	strmap_free(&rows->owners);
	buf_free(&rows->text);
	*rows = (struct devicerows){0};
}
