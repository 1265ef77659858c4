#include "rates.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "syntax/sortkey.h"
#include "syntax/tsv.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[RATES_ARGS] = {
	[RATES_CPU_OP] = "cpu_op",
	[RATES_OP] = "op",
	[RATES_M] = "M",
	[RATES_N] = "N",
	[RATES_K] = "K",
	[RATES_B] = "B",
	[RATES_DTYPE] = "dtype",
	[RATES_PEAK_SHARE] = "peak_share",
	[RATES_BOUND] = "bound",
	[RATES_COUNT] = "count",
	[RATES_TOTAL] = "total",
	[RATES_MEAN] = "mean",
	[RATES_FLOPS] = "flops",
	[RATES_BYTES] = "bytes",
	[RATES_TFLOPS] = "tflops",
	[RATES_GBS] = "gbs",
	[RATES_INTENSITY] = "intensity",
	[RATES_KERNELS] = "kernels",
	[RATES_BASIS] = "basis",
};

const char *rates_name(enum rates_column column)
{
	return column < RATES_ARGS ? names[column] : args_columns[column - RATES_ARGS];
}

/* A column of the table, also of labels and those that rules use. */
static const char *title_of(const struct rates *rates, enum rates_column column)
{
	size_t place = (size_t)column - RATES_COLUMNS;

	if (column < RATES_COLUMNS)
		return rates_name(column);
	if (place < rates->labels.count)
		return rates->labels.item[place].s;
	return rates->rules->shapes.columns.item[place - rates->labels.count].s;
}

/* Work of the calls of a line that have it, and their time. */
struct work {
	bool any;
	struct dec sum;
	struct dec time;
};

struct rates_line {
	size_t first;     /* its first row */
	uint64_t differs; /* the columns in which its rows differ, by bits */
	uint64_t count;
	struct dec total;
	struct dec negative; /* the negative part of total, as by dec_sum */
	uint64_t kernels;
	struct work flops;
	struct work bytes;
	struct dec both[2]; /* flops and bytes of the calls that have both */
	bool has_both;
	enum rules_basis basis; /* the weakest of the rows that have work */
	bool has_ideal;
	struct number ideal; /* the least time of the calls on this device, in ps */
	struct dec ideal_of; /* the measured time of the calls in `ideal` */
	size_t sort_at;      /* place of the key of --sort, in text[1] */
	size_t sort_length;
};

_Static_assert(RATES_COLUMNS <= 64, "rates_line.differs has a bit for each column");

/* --- rows -------------------------------------------------------------------------- */

/* labels: those of rates_labelled. */
static bool ask_rules(struct rates *rates, struct rates_row *row, struct str key, struct str labels)
{
	size_t columns = row->columns ? rates->rules->shapes.columns.count : 0;
	struct str fields[ARGS_COLUMNS];
	struct str column[RULES_COLUMNS_MAX];
	struct rules_answer answer;
	struct str op = tsv_text(tsv_field(key, 0), &rates->scratch[ARGS_COLUMNS]);
	int got;

	for (size_t i = 0; i < ARGS_COLUMNS; i++)
		fields[i] = tsv_text(tsv_field(key, i + 1), &rates->scratch[i]);
	row->broken = !args_parse(&rates->args, fields);
	for (size_t i = 0; i < columns; i++)
		column[i] = tsv_text(tsv_field(labels, rates->labels.count + i), &rates->column[i]);
	got = rules_apply(rates->rules, op, &rates->args, column, &answer);
	row->refused = answer.refused;
	if (got < 0)
		snprintf(rates->error, sizeof rates->error, "%s", rates->rules->error);
	if (got <= 0)
		return got == 0;
	row->ruled = true;
	row->has_class = answer.class.n > 0;
	if (row->has_class)
		row->class = strmap_add(&rates->texts, answer.class, NULL);
	row->dtype = strmap_add(&rates->texts, answer.dtype, NULL);
	row->matrix = answer.matrix;
	row->basis = answer.basis;
	memcpy(row->known, answer.known, sizeof row->known);
	memcpy(row->figure, answer.figure, sizeof row->figure);
	return true;
}

bool rates_get(struct rates *rates, struct str key, size_t *number)
{
	struct rates_row *row;
	bool added;

	*number = strmap_add(&rates->keys, key, &added);
	if (!added)
		return true;
	rates->row = mem_grow(rates->row, &rates->cap, *number + 1, sizeof *rates->row);
	row = &rates->row[*number];
	*row = (struct rates_row){.base = *number, .is_operator = tsv_field(key, 0).n > 0};
	row->class = row->dtype = strmap_add(&rates->texts, STR(""), NULL);
	if (row->is_operator) {
		row->columns =
			rules_columns(rates->rules, tsv_text(tsv_field(key, 0), &rates->scratch[ARGS_COLUMNS]));
		rates->used |= row->columns;
		return row->columns || ask_rules(rates, row, key, STR(""));
	}
	row->has_class = true;
	row->class = strmap_add(&rates->texts,
	                        tsv_text(tsv_field(key, ARGS_COLUMNS + 1), &rates->scratch[0]), NULL);
	return true;
}

bool rates_labelled(struct rates *rates, size_t number, struct str labels, size_t *labelled)
{
	struct buf *key = &rates->text[0];
	struct rates_row *row;
	bool added;

	*labelled = number;
	if (rates->labels.count == 0 && rates->row[number].columns == 0)
		return true;
	key->len = 0;
	buf_str(key, strmap_key(&rates->keys, number));
	buf_char(key, '\t');
	buf_str(key, labels);
	*labelled = strmap_add(&rates->keys, buf_view(key), &added);
	if (!added)
		return true;
	rates->row = mem_grow(rates->row, &rates->cap, *labelled + 1, sizeof *rates->row);
	row = &rates->row[*labelled];
	*row = rates->row[number];
	return row->columns == 0 || ask_rules(rates, row, buf_view(key), labels);
}

void rates_note_class(struct rates *rates, size_t number, struct dec dur, struct str class)
{
	struct rates_row *row = &rates->row[number];
	int order = row->has_longest ? dec_compare(dur, row->longest) : 1;

	if (order < 0 || (order == 0 && str_compare(class, strmap_key(&rates->texts, row->class)) >= 0))
		return;
	row->has_longest = true;
	row->longest = dur;
	row->class = strmap_add(&rates->texts, class, NULL);
}

bool rates_add(struct rates *rates, size_t number, struct dec time, struct dec busy, uint64_t rows)
{
	struct rates_row *row = &rates->row[number];

	row->count++;
	row->kernels += rows;
	return dec_add(&row->busy, busy) && dec_sum(&row->total, &row->negative, time, (struct dec){0});
}

/* --- cells of a row ---------------------------------------------------------------- */

static const int figures[] = {
	[RATES_M] = RULES_M, [RATES_N] = RULES_N,         [RATES_K] = RULES_K,
	[RATES_B] = RULES_B, [RATES_FLOPS] = RULES_FLOPS, [RATES_BYTES] = RULES_BYTES,
};

enum { KIND = 80 }; /* bytes of a kind of peaks; longer ones are not looked for */

/* The kind of the peak that bounds its operations; false if its type has no short name. */
static bool compute_kind(const struct rates *rates, const struct rates_row *row, char kind[KIND])
{
	const struct shapes_type *type =
		shapes_type(&rates->rules->shapes, strmap_key(&rates->texts, row->dtype));

	if (row->matrix && (!type || type->short_name.n > KIND - sizeof "matrix "))
		return false;
	if (row->matrix)
		snprintf(kind, KIND, "matrix %.*s", (int)type->short_name.n, type->short_name.s);
	else
		snprintf(kind, KIND, "vector");
	return true;
}

/* That peak; false if it is not known. */
static bool compute_peak(const struct rates *rates, const struct rates_row *row, struct dec *peak)
{
	char kind[KIND];

	if (!row->matrix) {
		*peak = rates->vector;
		return rates->has_vector;
	}
	return compute_kind(rates, row, kind) &&
	       peaks_find(rates->peaks, rates->device, str_of(kind), peak);
}

enum bound { UNKNOWN, COMPUTE, MEMORY };

/*
 * What bounds a call on this device, and the work and the peak of that: operations and TFLOP/s, or
 * bytes and GB/s.
 */
static enum bound bound_of(const struct rates *rates, const struct rates_row *row, struct dec *peak)
{
	const struct dec *flops = &row->figure[RULES_FLOPS];
	const struct dec *bytes = &row->figure[RULES_BYTES];
	struct dec compute;
	struct dec scaled;

	if (!row->known[RULES_FLOPS] || !row->known[RULES_BYTES] ||
	    (flops->nano == 0 && bytes->nano == 0) || !rates->has_memory)
		return UNKNOWN;
	*peak = rates->memory;
	if (flops->nano == 0)
		return MEMORY;
	if (!compute_peak(rates, row, &compute) ||
	    __builtin_mul_overflow(compute.nano, (__int128)1000, &scaled.nano))
		return UNKNOWN;
	if (dec_compare_quotients(*flops, scaled, *bytes, rates->memory) < 0)
		return MEMORY;
	*peak = compute;
	return COMPUTE;
}

bool rates_lacks_peak(const struct rates *rates, struct buf *kind)
{
	kind->len = 0;
	for (size_t i = 0; i < rates->keys.count; i++) {
		const struct rates_row *row = &rates->row[i];
		bool has_both = row->known[RULES_FLOPS] && row->known[RULES_BYTES];
		char text[KIND] = "memory";
		struct dec peak;

		if (!has_both || (row->figure[RULES_FLOPS].nano == 0 && row->figure[RULES_BYTES].nano == 0))
			continue;
		if (rates->has_memory &&
		    (row->figure[RULES_FLOPS].nano == 0 || compute_peak(rates, row, &peak) ||
		     !compute_kind(rates, row, text)))
			continue;
		if (kind->len && str_compare(str_of(text), buf_view(kind)) >= 0)
			continue;
		kind->len = 0;
		buf_text(kind, text);
	}
	return kind->len > 0;
}

static bool has_work(const struct rates_row *row)
{
	return row->known[RULES_FLOPS] || row->known[RULES_BYTES];
}

bool rates_is_estimate(const struct rates_row *row)
{
	return has_work(row) && row->basis == RULES_ESTIMATE;
}

/* Whether a column is one that rules use, but none of the rules for the operator of the row. */
static bool is_unused(const struct rates *rates, const struct rates_row *row,
                      enum rates_column column)
{
	size_t place = (size_t)column - RATES_COLUMNS - rates->labels.count;

	return column >= RATES_COLUMNS + rates->labels.count && !(row->columns >> place & 1);
}

/* The field of a column in the key of a row. The class stands between arguments and labels. */
static size_t key_field(enum rates_column column)
{
	if (column == RATES_CPU_OP)
		return 0;
	return (size_t)(column - RATES_ARGS + (column < RATES_COLUMNS ? 1 : 2));
}

/* Appends a cell that all calls of the row share, not escaped. */
static void put_own(const struct rates *rates, size_t number, enum rates_column column,
                    struct buf *out)
{
	const struct rates_row *row = &rates->row[number];
	static const char *const bounds[] = {"", "compute", "memory"};
	struct buf scratch = {0};
	struct dec peak;

	switch (column) {
	case RATES_OP:
		if (!row->has_class)
			row = &rates->row[row->base];
		buf_str(out, strmap_key(&rates->texts, row->class));
		break;
	case RATES_BASIS:
		if (has_work(row))
			buf_text(out, rules_bases[row->basis]);
		break;
	case RATES_DTYPE:
		buf_str(out, strmap_key(&rates->texts, row->dtype));
		break;
	case RATES_M:
	case RATES_N:
	case RATES_K:
	case RATES_B:
	case RATES_FLOPS:
	case RATES_BYTES:
		if (row->known[figures[column]])
			dec_print(out, row->figure[figures[column]]);
		break;
	case RATES_BOUND:
		buf_text(out, bounds[bound_of(rates, row, &peak)]);
		break;
	default:
		if (is_unused(rates, row, column))
			break;
		buf_str(out,
		        tsv_text(tsv_field(strmap_key(&rates->keys, number), key_field(column)), &scratch));
		buf_free(&scratch);
	}
}

bool rates_is_key(enum rates_column column)
{
	return column <= RATES_DTYPE || column == RATES_FLOPS || column == RATES_BYTES ||
	       column == RATES_BOUND || column >= RATES_BASIS;
}

enum rates_column rates_column(struct str name)
{
	int column = 0;

	while (column < RATES_COLUMNS &&
	       !str_equal(name, str_of(rates_name((enum rates_column)column))))
		column++;
	return (enum rates_column)column;
}

/* --- lines ------------------------------------------------------------------------- */

/* figure * count; false if it is too large. */
static bool times(struct dec figure, uint64_t count, struct dec *out)
{
	return !__builtin_mul_overflow(figure.nano, (__int128)count, &out->nano);
}

static bool add_work(struct work *work, struct dec sum, struct dec time)
{
	work->any = true;
	return dec_add(&work->sum, sum) && dec_add(&work->time, time);
}

/* work / peak, with nine places more than number_divide gives if they fit. */
static bool divide(struct number *out, struct dec work, struct dec peak)
{
	__int128 scale = 1000000000;
	int places = 9;
	struct dec scaled;

	for (; __builtin_mul_overflow(work.nano, scale, &scaled.nano) ||
	       !number_divide(out, number_of(scaled), number_of(peak));
	     scale /= 1000, places -= 3)
		if (places == 0)
			return false;
	out->places += places;
	return true;
}

static struct dec dec_of_count(uint64_t count)
{
	return (struct dec){(__int128)count * 1000000000};
}

/*
 * Counts a row whose calls took less than the least time on this device, in ps. An estimate may be
 * above the work that there was.
 */
static void note_share(struct rates *rates, size_t number, struct number least)
{
	const struct number all = {(__int128)1000000 * 1000000000, NUMBER_PLACES};
	struct number share;
	int order;

	if (rates->row[number].total.nano == 0 || rates->row[number].basis == RULES_ESTIMATE ||
	    !number_divide(&share, least, number_of(rates->row[number].total)) ||
	    number_compare(share, all) <= 0)
		return;
	order = rates->above++ ? number_compare(share, rates->share) : 1;
	if (order < 0 || (order == 0 && str_compare(strmap_key(&rates->keys, number),
	                                            strmap_key(&rates->keys, rates->highest)) >= 0))
		return;
	rates->highest = number;
	rates->share = share;
}

void rates_highest(struct rates *rates, struct buf *percent, struct str *op)
{
	struct dec share = {rates->share.units};

	dec_quotient_digits(percent, share, dec_of_count(1), NUMBER_PLACES - rates->share.places - 4,
	                    4);
	*op = tsv_text(tsv_field(strmap_key(&rates->keys, rates->highest), 0), &rates->scratch[0]);
}

/* The least time of all calls of a row on this device. */
static bool add_ideal(struct rates *rates, struct rates_line *line, size_t number, struct dec flops,
                      struct dec bytes)
{
	const struct rates_row *row = &rates->row[number];
	struct dec peak;
	struct dec work = flops;
	struct number time;
	enum bound bound = bound_of(rates, row, &peak);

	if (bound == UNKNOWN)
		return true;
	/* A TFLOP/s is one operation in a ps, a GB/s a byte in 1000 ps. */
	if (bound == MEMORY && !times(bytes, 1000, &work))
		return false;
	line->has_ideal = true;
	if (!divide(&time, work, peak))
		return false;
	note_share(rates, number, time);
	return number_add(&line->ideal, line->ideal, time) && dec_add(&line->ideal_of, row->total);
}

static bool add_to_line(struct rates *rates, struct rates_line *line, size_t number)
{
	const struct rates_row *row = &rates->row[number];
	bool has_flops = row->known[RULES_FLOPS];
	bool has_bytes = row->known[RULES_BYTES];
	struct dec flops = {0};
	struct dec bytes = {0};

	line->count += row->count;
	line->kernels += row->kernels;
	if (has_work(row) && row->basis > line->basis)
		line->basis = row->basis;
	if (!dec_sum(&line->total, &line->negative, row->total, row->negative) ||
	    (has_flops && !times(row->figure[RULES_FLOPS], row->count, &flops)) ||
	    (has_bytes && !times(row->figure[RULES_BYTES], row->count, &bytes)) ||
	    (has_flops && !add_work(&line->flops, flops, row->total)) ||
	    (has_bytes && !add_work(&line->bytes, bytes, row->total)))
		return false;
	if (!has_flops || !has_bytes)
		return true;
	line->has_both = true;
	return dec_add(&line->both[0], flops) && dec_add(&line->both[1], bytes) &&
	       add_ideal(rates, line, number, flops, bytes);
}

/* Notes the columns in which a row differs from the first of its line. */
static void note_differences(struct rates *rates, struct rates_line *line, size_t number)
{
	for (int i = 0; i < RATES_COLUMNS; i++) {
		enum rates_column column = (enum rates_column)i;

		if (!rates_is_key(column) || line->differs >> i & 1)
			continue;
		rates->text[0].len = rates->text[1].len = 0;
		put_own(rates, line->first, column, &rates->text[0]);
		put_own(rates, number, column, &rates->text[1]);
		if (!str_equal(buf_view(&rates->text[0]), buf_view(&rates->text[1])))
			line->differs |= UINT64_C(1) << i;
	}
}

/* The line of a row: a new line, unless its values in keys are known. */
static struct rates_line *line_of(struct rates *rates, struct strmap *lines, size_t number,
                                  const enum rates_column *keys, size_t keys_count)
{
	struct buf *text = &rates->text[0];
	size_t line = rates->lines_count;
	bool added = true;

	if (keys_count) {
		text->len = 0;
		for (size_t i = 0; i < keys_count; i++) {
			rates->text[1].len = 0;
			put_own(rates, number, keys[i], &rates->text[1]);
			tsv_escape(text, buf_view(&rates->text[1]));
			buf_char(text, '\t');
		}
		line = strmap_add(lines, buf_view(text), &added);
	}
	if (added) {
		rates->line[line] = (struct rates_line){.first = number, .ideal = {0, NUMBER_PLACES}};
		rates->lines_count++;
	} else {
		note_differences(rates, &rates->line[line], number);
	}
	return &rates->line[line];
}

/* --- cells of a line ----------------------------------------------------------------- */

/* A quotient: exact, or for people to four digits. */
static void put_quotient(struct buf *out, struct dec a, struct dec b, int shift, bool people)
{
	if (b.nano == 0)
		return;
	if (people)
		dec_quotient_digits(out, a, b, shift, 4);
	else
		dec_quotient(out, a, b, shift);
}

static void put_line(const struct rates *rates, const struct rates_line *line,
                     enum rates_column column, bool people, struct buf *out)
{
	switch (column) {
	case RATES_COUNT:
		buf_format(out, "%llu", (unsigned long long)line->count);
		break;
	case RATES_TOTAL:
		if (people)
			dec_print_fixed(out, line->total, 3, false);
		else
			dec_print(out, line->total);
		break;
	case RATES_MEAN:
		put_quotient(out, line->total, dec_of_count(line->count), 0, people);
		break;
	case RATES_TFLOPS:
		if (line->flops.any)
			put_quotient(out, line->flops.sum, line->flops.time, -6, people);
		break;
	case RATES_GBS:
		if (line->bytes.any)
			put_quotient(out, line->bytes.sum, line->bytes.time, -3, people);
		break;
	case RATES_INTENSITY:
		if (line->has_both)
			put_quotient(out, line->both[0], line->both[1], 0, people);
		break;
	case RATES_PEAK_SHARE:
		if (line->has_ideal)
			put_quotient(out, (struct dec){line->ideal.units}, line->ideal_of,
			             NUMBER_PLACES - line->ideal.places - 4, people);
		break;
	case RATES_BASIS:
		if (line->flops.any || line->bytes.any)
			buf_text(out, rules_bases[line->basis]);
		break;
	case RATES_KERNELS:
		put_quotient(out, dec_of_count(line->kernels), dec_of_count(line->count), 0, people);
		break;
	default:
		/* Labels are keys, which do not differ; columns of rules are not shown with keys. */
		if (column >= RATES_COLUMNS || !(line->differs >> column & 1))
			put_own(rates, line->first, column, out);
	}
}

/* All columns, shown or not. */
static size_t columns_count(const struct rates *rates)
{
	return RATES_COLUMNS + rates->labels.count + rates->rules->shapes.columns.count;
}

/* --- order ----------------------------------------------------------------------------- */

/* Appends the key of a line to text[1]: of the column, then of all texts. */
static void put_sort_key(struct rates *rates, struct rates_line *line, enum rates_column sort,
                         bool descending)
{
	struct buf *cell = &rates->text[0];
	struct buf *key = &rates->text[1];

	line->sort_at = key->len;
	cell->len = 0;
	put_line(rates, line, sort, false, cell);
	sortkey_put(key, buf_view(cell), descending);
	for (size_t i = 0; i < columns_count(rates); i++) {
		if (!rates_is_key((enum rates_column)i))
			continue;
		cell->len = 0;
		put_line(rates, line, (enum rates_column)i, false, cell);
		sortkey_put(key, buf_view(cell), false);
	}
	line->sort_length = key->len - line->sort_at;
}

struct sorted {
	struct rates_line line;
	struct str key;
};

static int compare(const void *a, const void *b)
{
	const struct sorted *x = a;
	const struct sorted *y = b;

	return str_compare(x->key, y->key);
}

static void sort_lines(struct rates *rates, enum rates_column sort, bool descending)
{
	size_t count = rates->lines_count;
	struct sorted *sorted = mem_alloc(count + 1, sizeof *sorted);

	rates->text[1].len = 0;
	for (size_t i = 0; i < count; i++)
		put_sort_key(rates, &rates->line[i], sort, descending);
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct sorted){
			rates->line[i],
			{rates->text[1].data + rates->line[i].sort_at, rates->line[i].sort_length}};
	if (count)
		qsort(sorted, count, sizeof *sorted, compare);
	for (size_t i = 0; i < count; i++)
		rates->line[i] = sorted[i].line;
	free(sorted);
}

bool rates_build(struct rates *rates, const enum rates_column *keys, size_t keys_count,
                 enum rates_column sort, bool descending)
{
	struct strmap lines = {0};
	bool good = true;

	rates->line = mem_alloc(rates->keys.count + 1, sizeof *rates->line);
	rates->has_memory = peaks_find(rates->peaks, rates->device, STR("memory"), &rates->memory);
	rates->has_vector = peaks_find(rates->peaks, rates->device, STR("vector"), &rates->vector);
	for (size_t i = 0; i < rates->keys.count && good; i++)
		if (rates->row[i].count)
			good = add_to_line(rates, line_of(rates, &lines, i, keys, keys_count), i);
	strmap_free(&lines);
	if (good)
		sort_lines(rates, sort, descending);
	else
		snprintf(rates->error, sizeof rates->error, "the work of all calls is too large to add");
	return good;
}

/* --- the table --------------------------------------------------------------------------- */

static void put(struct sheet *sheet, const void *row, int which)
{
	put_line(sheet->context, row, (enum rates_column)which, sheet->people, &sheet->cell);
}

/* A column that rules use is not shown if the table has its name. */
static bool is_shown(const struct rates *rates, enum rates_column column,
                     const enum rates_column *keys, size_t keys_count)
{
	size_t bit;

	for (size_t i = 0; i < keys_count; i++)
		if (keys[i] == column)
			return true;
	if (column < RATES_ARGS || keys_count)
		return column < RATES_ARGS;
	if (column < RATES_COLUMNS)
		return rates->has_args[column - RATES_ARGS];
	bit = (size_t)column - RATES_COLUMNS - rates->labels.count;
	return (rates->used & rates->has_columns) >> bit & 1 &&
	       rates_column(str_of(title_of(rates, column))) == RATES_COLUMNS;
}

static struct sheet_column column_of(const struct rates *rates, enum rates_column column)
{
	unsigned kind = SHEET_NUMBER;

	if (column == RATES_CPU_OP || column >= RATES_ARGS)
		kind = SHEET_NAME;
	else if (column == RATES_OP || column == RATES_DTYPE || column == RATES_BOUND ||
	         column == RATES_BASIS)
		kind = SHEET_TEXT;
	if ((column >= RATES_ARGS && column < RATES_COLUMNS) ||
	    column >= RATES_COLUMNS + rates->labels.count || column == RATES_MEAN ||
	    column == RATES_FLOPS || column == RATES_BYTES || column == RATES_KERNELS)
		kind |= SHEET_WIDE;
	if (column == RATES_B || column == RATES_DTYPE || column == RATES_INTENSITY)
		kind |= SHEET_SPARE;
	return (struct sheet_column){title_of(rates, column), kind, put, (int)column};
}

void rates_write(struct rates *rates, const enum rates_column *keys, size_t keys_count,
                 size_t limit, struct kev_writer *out, enum form form, struct jsonw *json)
{
	size_t labels = rates->labels.count;
	struct sheet_column *columns = mem_alloc(columns_count(rates), sizeof *columns);
	struct sheet sheet;
	size_t count = 0;

	for (size_t i = 0; i < labels; i++)
		columns[count++] = column_of(rates, (enum rates_column)(RATES_COLUMNS + i));
	for (size_t i = 0; i < columns_count(rates); i++)
		if ((i < RATES_COLUMNS || i >= RATES_COLUMNS + labels) &&
		    is_shown(rates, (enum rates_column)i, keys, keys_count))
			columns[count++] = column_of(rates, (enum rates_column)i);
	sheet_begin(&sheet, out, form, json, "Operators", columns, count);
	sheet.context = rates;
	for (size_t i = 0; i < rates->lines_count && (limit == 0 || i < limit); i++)
		sheet_row(&sheet, &rates->line[i]);
	sheet_end(&sheet);
	free(columns);
}

void rates_free(struct rates *rates)
{
	strmap_free(&rates->keys);
	strmap_free(&rates->texts);
	free(rates->row);
	free(rates->line);
	args_free(&rates->args);
	for (size_t i = 0; i <= ARGS_COLUMNS; i++)
		buf_free(&rates->scratch[i]);
	for (size_t i = 0; i < RULES_COLUMNS_MAX; i++)
		buf_free(&rates->column[i]);
	buf_free(&rates->text[0]);
	buf_free(&rates->text[1]);
	*rates = (struct rates){0};
}
