#include "slicerows.h"

/* A row of the table. */
struct slice {
	const struct allocator *allocator;
	struct level level;
};

enum figure { TS, DUR, NAME, CAT, PH, FILE_NAME, PID, TID, DEVICE, LOW, HIGH, LAST, FIGURES };

/* What all rows share. */
struct context {
	const struct devices *files;
	struct dec length;
};

static void put_slice(struct sheet *sheet, const void *row, int which)
{
	const struct context *context = sheet->context;
	const struct slice *slice = row;

	switch ((enum figure)which) {
	case TS:
		devices_put_time(sheet, slice->level.ts);
		break;
	case DUR:
		devices_put_time(sheet, context->length);
		break;
	case NAME:
	case CAT:
		buf_text(&sheet->cell, "slice");
		break;
	case PH:
		buf_text(&sheet->cell, "X");
		break;
	case FILE_NAME:
		allocator_put_key(sheet, slice->allocator, context->files, ALLOCATOR_FILE);
		break;
	case PID:
		allocator_put_key(sheet, slice->allocator, context->files, ALLOCATOR_PID);
		break;
	case TID:
	case DEVICE:
		allocator_put_key(sheet, slice->allocator, context->files, ALLOCATOR_DEVICE);
		break;
	default:
		allocator_put_bytes(sheet, dec_of(which == LOW    ? slice->level.low
		                                  : which == HIGH ? slice->level.high
		                                                  : slice->level.last));
	}
}

static bool begin(struct levels *levels, const struct allocator *allocator, struct dec length)
{
	return levels_begin(levels, &allocator->events, &allocator->totals, length);
}

static bool are_few(const struct allocators *allocators, struct dec length)
{
	struct levels levels;

	for (size_t i = 0; i < allocators->names.count; i++)
		if (!begin(&levels, &allocators->item[i], length))
			return false;
	return true;
}

bool slicerows_write(const struct allocators *allocators, const struct devices *files,
                     struct dec length, struct kev_writer *out, enum form form, struct jsonw *json)
{
	static const char *const names[FIGURES] = {"ts",  "dur", "name",   "cat", "ph",   "file",
	                                           "pid", "tid", "device", "low", "high", "last"};
	const struct context context = {files, length};
	struct sheet_column shown[FIGURES];
	struct sheet sheet;
	size_t count = 0;

	if (!are_few(allocators, length))
		return false;
	for (int i = 0; i < FIGURES; i++) {
		bool is_number = i <= DUR || i >= LOW;
		bool is_wide = (i >= NAME && i <= PH) || i == TID;

		if (i != FILE_NAME || devices_several(files))
			shown[count++] = (struct sheet_column){
				names[i], (is_number ? SHEET_NUMBER : SHEET_NAME) | (is_wide ? SHEET_WIDE : 0),
				put_slice, i};
	}
	sheet_begin(&sheet, out, form, json, "Slices", shown, count);
	sheet.context = &context;
	for (size_t i = 0; i < allocators->names.count; i++) {
		struct slice slice = {.allocator = allocators->sorted[i].allocator};
		struct levels levels;

		begin(&levels, slice.allocator, length);
		while (levels_next(&levels, &slice.level))
			sheet_row(&sheet, &slice);
	}
	sheet_end(&sheet);
	return true;
}
