#include "wall/devices.h"

#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>

void devices_keys(struct devices *devices, struct words *keys)
{
	if (!words_have(keys, STR("pid")))
		words_add(&devices->keys, "pid");
	for (size_t i = 0; i < keys->count; i++)
		words_put(&devices->keys, keys->item[i]);
	opts_distinct("-k", &devices->keys);
	devices->key = mem_zero(devices->keys.count, sizeof *devices->key);
	words_free(keys);
}

void devices_columns(struct devices *devices, struct kev_reader *in)
{
	devices->file = kev_column(in, STR("file"));
	devices->row_place = SIZE_MAX;
	devices->last_number = STRMAP_NONE;
	for (size_t i = 0; i < devices->keys.count; i++)
		kev_need(in, devices->keys.item[i], &devices->key[i]);
}

static void begin_place(struct devices *devices, const struct kev_reader *in)
{
	if (devices->place == in->place)
		return;
	devices->place = in->place;
	devices->said.len = 0;
}

void devices_metadata(struct devices *devices, const struct kev_reader *in)
{
	begin_place(devices, in);
	if (!str_equal(in->key, STR("source")))
		return;
	devices->said.len = 0;
	buf_str(&devices->said, tsv_field(in->value, 0));
}

struct str devices_source(const struct devices *devices, size_t source)
{
	return tsv_field(strmap_key(&devices->sources, source), 1);
}

void devices_row(struct devices *devices, const struct kev_reader *in)
{
	struct buf *name = &devices->name;
	struct str file;

	begin_place(devices, in);
	file = devices->file == KEV_NONE ? buf_view(&devices->said) : in->field[devices->file];
	/* Most rows are of the file of the row before. Without a column, a place is one file. */
	if (devices->sources.count && devices->row_place == devices->place &&
	    (devices->file == KEV_NONE || str_equal(devices_source(devices, devices->source), file)))
		return;
	devices->row_place = devices->place;
	name->len = 0;
	buf_format(name, "%zu\t", devices->place);
	buf_str(name, file);
	devices->source = strmap_add(&devices->sources, buf_view(name), NULL);
}

bool devices_several(const struct devices *devices)
{
	return devices->sources.count > 1;
}

/* --- files with times ------------------------------------------------------ */

struct devices_file {
	uint64_t rows;
	struct dec ts;
	bool timed; /* two rows begin at different times */
};

static void note_ts(struct devices *devices, struct dec ts)
{
	struct devices_file *file;

	devices->files = mem_grow_zero(devices->files, &devices->files_cap, devices->source + 1,
	                               sizeof *devices->files);
	file = &devices->files[devices->source];
	file->timed |= file->rows++ && dec_compare(file->ts, ts) != 0;
	file->ts = ts;
}

static bool has_times(const struct devices *devices, size_t device)
{
	const struct devices_file *file = &devices->files[devices->source_of[device]];

	return file->timed || file->rows == 1;
}

bool devices_untimed(const struct devices *devices, struct str *file)
{
	for (size_t i = 0; i < devices->names.count; i++) {
		*file = devices_source(devices, devices->source_of[i]);
		if (!has_times(devices, i))
			return true;
	}
	return false;
}

/* --- numbers --------------------------------------------------------------- */

/* Rows of one device often come together. */
static bool is_as_before(const struct devices *devices, const struct kev_reader *in)
{
	struct str rest = buf_view(&devices->last);

	if (devices->last_number == STRMAP_NONE || devices->last_source != devices->source)
		return false;
	for (size_t i = 0; i < devices->keys.count; i++) {
		struct str field = in->field[devices->key[i]];

		if (rest.n <= field.n || memcmp(rest.s, field.s, field.n) != 0 || rest.s[field.n] != '\t')
			return false;
		rest = (struct str){rest.s + field.n + 1, rest.n - field.n - 1};
	}
	return rest.n == 0;
}

static void remember(struct devices *devices, const struct kev_reader *in, size_t number)
{
	devices->last.len = 0;
	for (size_t i = 0; i < devices->keys.count; i++) {
		buf_str(&devices->last, in->field[devices->key[i]]);
		buf_char(&devices->last, '\t');
	}
	devices->last_source = devices->source;
	devices->last_number = number;
}

size_t devices_of(struct devices *devices, const struct kev_reader *in, struct dec ts, bool *new)
{
	struct buf *name = &devices->name;
	size_t number;

	*new = false;
	note_ts(devices, ts);
	if (is_as_before(devices, in))
		return devices->last_number;
	name->len = 0;
	buf_str(name, devices_source(devices, devices->source));
	buf_char(name, '\t');
	buf_str(name,
	        kev_key(in, devices->key, devices->keys.count, &devices->text, &devices->scratch));
	buf_format(name, "\t%zu", devices->source);
	number = strmap_add(&devices->names, buf_view(name), new);
	devices->source_of = mem_grow(devices->source_of, &devices->source_of_cap, number + 1,
	                              sizeof *devices->source_of);
	devices->source_of[number] = devices->source;
	remember(devices, in, number);
	return number;
}

/* --- order ----------------------------------------------------------------- */

static int compare_values(struct str a, struct str b)
{
	struct dec x;
	struct dec y;
	bool a_is_number = dec_parse(a, &x) <= DEC_ROUNDED;
	bool b_is_number = dec_parse(b, &y) <= DEC_ROUNDED;
	int order = 0;

	if (a_is_number != b_is_number)
		return b_is_number - a_is_number;
	if (a_is_number)
		order = dec_compare(x, y);
	return order ? order : str_compare(a, b);
}

struct sorted {
	const struct devices *devices;
	size_t number;
};

static int compare_devices(const void *a, const void *b)
{
	const struct sorted *x = a;
	const struct sorted *y = b;
	struct str one = strmap_key(&x->devices->names, x->number);
	struct str other = strmap_key(&x->devices->names, y->number);
	int order = 0;

	for (size_t i = 0; order == 0 && i <= x->devices->keys.count; i++)
		order = compare_values(tsv_field(one, i), tsv_field(other, i));
	/* Files of one name stay in their order. */
	return order ? order
	             : (x->devices->source_of[x->number] > x->devices->source_of[y->number]) -
	                   (x->devices->source_of[x->number] < x->devices->source_of[y->number]);
}

void devices_sort(struct devices *devices)
{
	size_t count = 0;
	struct sorted *sorted = mem_alloc(devices->names.count + 1, sizeof *sorted);

	for (size_t i = 0; i < devices->names.count; i++)
		if (has_times(devices, i))
			sorted[count++] = (struct sorted){devices, i};
	qsort(sorted, count, sizeof *sorted, compare_devices);
	free(devices->order);
	devices->order = mem_alloc(count + 1, sizeof *devices->order);
	devices->order_count = count;
	for (size_t i = 0; i < count; i++)
		devices->order[i] = sorted[i].number;
	free(sorted);
}

void devices_free(struct devices *devices)
{
	words_free(&devices->keys);
	free(devices->key);
	buf_free(&devices->said);
	strmap_free(&devices->sources);
	free(devices->files);
	strmap_free(&devices->names);
	free(devices->source_of);
	free(devices->order);
	buf_free(&devices->last);
	buf_free(&devices->text);
	buf_free(&devices->scratch);
	buf_free(&devices->name);
	*devices = (struct devices){0};
}

/* --- tables ------------------------------------------------------------------ */

static const struct devices_table *table_of(const struct sheet *sheet)
{
	return (const struct devices_table *)((const char *)sheet -
	                                      offsetof(struct devices_table, sheet));
}

static void put_key(struct sheet *sheet, const void *row, int which)
{
	const size_t *device = row;
	struct str name = strmap_key(&table_of(sheet)->devices->names, *device);

	tsv_unescape(&sheet->cell, tsv_field(name, (size_t)which));
}

static void put_span(struct sheet *sheet, const void *row, int which)
{
	const struct devices_event *of = row;
	struct dec dur = {of->span.end.nano - of->span.start.nano};

	devices_put_time(sheet, which ? dur : of->span.start);
}

static void put_event(struct sheet *sheet, const void *row, int which)
{
	(void)row;
	buf_text(&sheet->cell, which ? "X" : table_of(sheet)->event);
}

const char *const devices_event_names[DEVICES_EVENT_COLUMNS] = {"ts", "dur", "name", "cat", "ph"};

static size_t event_columns(struct sheet_column *columns)
{
	const struct sheet_column own[DEVICES_EVENT_COLUMNS] = {
		{devices_event_names[0], SHEET_NUMBER, put_span, 0},
		{devices_event_names[1], SHEET_NUMBER, put_span, 1},
		{devices_event_names[2], SHEET_TEXT | SHEET_WIDE, put_event, 0},
		{devices_event_names[3], SHEET_TEXT | SHEET_WIDE, put_event, 0},
		{devices_event_names[4], SHEET_TEXT | SHEET_WIDE, put_event, 1},
	};

	memcpy(columns, own, sizeof own);
	return DEVICES_EVENT_COLUMNS;
}

static size_t key_columns(const struct devices *devices, struct sheet_column *columns)
{
	size_t count = 0;

	if (devices_several(devices))
		columns[count++] = (struct sheet_column){"file", SHEET_NAME, put_key, 0};
	for (size_t i = 0; i < devices->keys.count; i++)
		columns[count++] =
			(struct sheet_column){devices->keys.item[i].s, SHEET_TEXT, put_key, (int)i + 1};
	return count;
}

void devices_table_begin(struct devices_table *table, const char *title,
                         const struct sheet_column *columns, size_t count, const void *context)
{
	size_t room = DEVICES_EVENT_COLUMNS + table->devices->keys.count + 1 + count;
	size_t all = 0;

	table->columns = mem_alloc(room, sizeof *table->columns);
	if (table->event)
		all += event_columns(table->columns);
	all += key_columns(table->devices, table->columns + all);
	memcpy(table->columns + all, columns, count * sizeof *columns);
	sheet_begin(&table->sheet, table->out, table->form, table->json, title, table->columns,
	            all + count);
	table->sheet.context = context;
}

void devices_table_end(struct devices_table *table)
{
	sheet_end(&table->sheet);
	free(table->columns);
}

void devices_put_time(struct sheet *sheet, struct dec time)
{
	if (sheet->people)
		dec_print_fixed(&sheet->cell, time, 3, true);
	else
		dec_print(&sheet->cell, time);
}

void devices_put_field(struct sheet *sheet, const void *row, int field)
{
	const struct dec *time = sheet_field(row, field);

	devices_put_time(sheet, *time);
}
