#include "changes.h"

#include "base/mem.h"
#include "syntax/sortkey.h"

#include "rounded.h"

#include <stdlib.h>

enum figure {
	VERDICT,
	CHANGE,
	N1,
	N2,
	TOTAL1,
	TOTAL2,
	MEDIAN1,
	LOW1,
	HIGH1,
	MEDIAN2,
	LOW2,
	HIGH2,
	P,
	ADJUSTED,
	LAG1,
	LAG2
};

_Static_assert(LAG2 + 1 == CHANGES_FIGURES, "changes_figures has all columns");

const char *const changes_figures[CHANGES_FIGURES] = {
	"verdict", "change",  "count1", "count2", "total1", "total2",   "median1", "low1",
	"high1",   "median2", "low2",   "high2",  "p",      "adjusted", "lag1",    "lag2",
};

enum { LAG_DIGITS = 6 };
enum { PLACES = 3, SHOWN_DIGITS = 3 }; /* for people: of a time, of a p */

/* --- figures ------------------------------------------------------------------------ */

static const struct comparison_side *side_of(const struct changes_row *row, int figure)
{
	static const int sides[CHANGES_FIGURES] = {
		[N2] = 1, [TOTAL2] = 1, [MEDIAN2] = 1, [LOW2] = 1, [HIGH2] = 1, [LAG2] = 1};

	return &row->comparison.side[sides[figure]];
}

static void put_change(struct buf *out, const struct changes *changes,
                       const struct changes_row *row)
{
	struct dec difference;
	struct dec whole;

	if (row->kind == CHANGES_MEAN)
		comparison_put_mean(out, &changes->mean);
	else if (comparison_change(&row->comparison, &difference, &whole))
		dec_quotient(out, difference, whole, 2);
}

/* A count, of groups for the geometric mean. */
static uint64_t count_of(const struct changes *changes, const struct changes_row *row, int figure)
{
	if (row->kind == CHANGES_MEAN)
		return figure == N1 ? changes->mean.entered : changes->mean.left_out;
	return side_of(row, figure)->n;
}

static void put_test(struct buf *out, const struct changes_row *row, int figure)
{
	const struct holm_test *test = &row->comparison.test;

	if (!comparison_is_tested(&row->comparison))
		return;
	if (figure == P)
		probability_put(out, test->p);
	else if (!test->few)
		probability_put(out, test->adjusted);
}

/* Nothing if no side has samples: the sum of nothing, and the geometric mean. */
static void put_verdict(struct buf *out, const struct changes_row *row)
{
	const struct comparison_side *side = row->comparison.side;

	if (side[0].n || side[1].n)
		buf_text(out, comparison_verdicts[row->comparison.verdict]);
}

/* One figure of a group or of the sum. */
static void put_of_side(struct buf *out, const struct changes_row *row, int figure)
{
	const struct comparison_side *side = side_of(row, figure);

	switch (figure) {
	case TOTAL1:
	case TOTAL2:
		dec_print(out, side->total);
		break;
	case MEDIAN1:
	case MEDIAN2:
		if (side->n)
			comparison_put_median(out, side->twice_median);
		break;
	case LOW1:
	case LOW2:
		if (side->has_interval)
			dec_print(out, side->low);
		break;
	case HIGH1:
	case HIGH2:
		if (side->has_interval)
			dec_print(out, side->high);
		break;
	case P:
	case ADJUSTED:
		put_test(out, row, figure);
		break;
	case VERDICT:
		put_verdict(out, row);
		break;
	default:
		if (side->has_lag)
			rounded_put(out, side->lag, LAG_DIGITS);
	}
}

static void put_figure(struct sheet *sheet, const void *given, int figure)
{
	const struct changes *changes = sheet->context;
	const struct changes_row *row = given;

	if (figure == N1 || figure == N2)
		sheet_count(sheet, count_of(changes, row, figure));
	else if (figure == CHANGE)
		put_change(&sheet->cell, changes, row);
	else if (row->kind != CHANGES_MEAN)
		put_of_side(&sheet->cell, row, figure);
}

/* The field of a key with this number. */
static struct str key_field(struct str key, int number)
{
	const char *tab;

	for (; number > 0; number--) {
		tab = memchr(key.s, '\t', key.n);
		if (!tab)
			return STR("");
		key.n -= (size_t)(tab + 1 - key.s);
		key.s = tab + 1;
	}
	tab = key.n ? memchr(key.s, '\t', key.n) : NULL;
	return (struct str){key.s, tab ? (size_t)(tab - key.s) : key.n};
}

static void put_key(struct sheet *sheet, const void *given, int number)
{
	static const char *const names[] = {[CHANGES_SUM] = "(sum)", [CHANGES_MEAN] = "(geomean)"};
	const struct changes_row *row = given;

	if (row->kind == CHANGES_GROUP)
		tsv_unescape(&sheet->cell, key_field(row->key, number));
	else if (number == 0)
		buf_text(&sheet->cell, names[row->kind]);
}

void changes_put_key(struct buf *out, const struct changes *changes, const struct changes_row *row)
{
	if (row->kind != CHANGES_GROUP) {
		buf_text(out, "(sum)");
		return;
	}
	for (size_t i = 0; i < changes->keys->count; i++) {
		buf_text(out, i ? ", " : "");
		tsv_unescape(out, key_field(row->key, (int)i));
	}
}

/* --- order -------------------------------------------------------------------------- */

bool changes_have_column(const struct changes *changes, struct str name)
{
	for (int i = 0; i < CHANGES_FIGURES; i++)
		if (str_equal(name, str_of(changes_figures[i])))
			return true;
	return words_have(changes->keys, name);
}

/* A row and what its place follows from. */
struct place {
	size_t row;
	bool one_sided;
	struct dec difference; /* difference of the totals, not below 0 */
	struct str sortkey;    /* key of --sort */
	struct str key;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *first = a;
	const struct place *second = b;
	int order = first->one_sided - second->one_sided;

	if (order == 0)
		order = str_compare(first->sortkey, second->sortkey);
	if (order == 0)
		order = dec_compare(second->difference, first->difference);
	return order ? order : str_compare(first->key, second->key);
}

static struct dec difference_of(const struct comparison *comparison)
{
	struct dec difference = comparison->side[1].total;

	if (!dec_subtract(&difference, comparison->side[0].total))
		difference.nano = (__int128)(~(unsigned __int128)0 >> 1);
	if (difference.nano < 0)
		difference.nano = -difference.nano;
	return difference;
}

/* Appends the bytes by which --sort orders a row. */
static void put_sortkey(struct buf *keys, struct changes *changes, const struct changes_row *row)
{
	struct sheet sheet = {.context = changes};

	if (words_have(changes->keys, changes->sort)) {
		put_key(&sheet, row, (int)strmap_find(&changes->keys->set, changes->sort));
	} else {
		int figure = 0;

		while (!str_equal(changes->sort, str_of(changes_figures[figure])))
			figure++;
		put_figure(&sheet, row, figure);
	}
	sortkey_put(keys, buf_view(&sheet.cell), changes->descending);
	buf_free(&sheet.cell);
}

static void find_sortkeys(struct changes *changes, struct place *places, struct buf *keys)
{
	size_t *ends;

	if (changes->sort.n == 0)
		return;
	ends = mem_alloc(changes->groups, sizeof *ends);
	for (size_t i = 0; i < changes->groups; i++) {
		put_sortkey(keys, changes, &changes->row[i]);
		ends[i] = keys->len;
	}
	for (size_t i = 0; i < changes->groups; i++) {
		size_t at = i ? ends[i - 1] : 0;

		places[i].sortkey = (struct str){keys->data + at, ends[i] - at};
		places[i].difference.nano = 0;
	}
	free(ends);
}

static void sort_rows(struct changes *changes)
{
	size_t count = changes->groups;
	struct place *places = mem_alloc(count, sizeof *places);
	struct changes_row *sorted = mem_alloc(count + 2, sizeof *sorted);
	struct buf keys = {0};

	for (size_t i = 0; i < count; i++) {
		const struct changes_row *row = &changes->row[i];

		places[i] = (struct place){.row = i,
		                           .one_sided = !comparison_is_tested(&row->comparison),
		                           .difference = difference_of(&row->comparison),
		                           .sortkey = STR(""),
		                           .key = row->key};
	}
	find_sortkeys(changes, places, &keys);
	if (count)
		qsort(places, count, sizeof *places, compare_places);
	for (size_t i = 0; i < count; i++)
		sorted[i] = changes->row[places[i].row];
	free(changes->row);
	free(places);
	buf_free(&keys);
	changes->row = sorted;
}

void changes_take(struct changes *changes, const struct comparison *groups, const struct str *keys,
                  size_t count, const struct comparison *sum)
{
	changes->groups = count;
	changes->row = mem_alloc(count, sizeof *changes->row);
	for (size_t i = 0; i < count; i++) {
		changes->row[i] = (struct changes_row){CHANGES_GROUP, keys[i], groups[i]};
		changes->verdicts[groups[i].verdict]++;
	}
	sort_rows(changes);
	for (size_t i = 0; i < count; i++)
		comparison_add_mean(&changes->mean, &changes->row[i].comparison);
	changes->row[count] = (struct changes_row){CHANGES_SUM, STR(""), *sum};
	changes->row[count + 1] = (struct changes_row){.kind = CHANGES_MEAN};
}

/* --- all figures: a stream, JSON ------------------------------------------------------- */

/* The columns of the key, then these; the caller frees them. */
static struct sheet_column *columns_of(const struct changes *changes,
                                       const struct sheet_column *figures, size_t count)
{
	size_t keys = changes->keys->count;
	struct sheet_column *columns = mem_alloc(keys + count, sizeof *columns);

	for (size_t i = 0; i < keys; i++)
		columns[i] = (struct sheet_column){changes->keys->item[i].s, SHEET_NAME, put_key, (int)i};
	memcpy(columns + keys, figures, count * sizeof *columns);
	return columns;
}

/* How many groups a table has at most. */
static size_t most_of(const struct changes *changes)
{
	return changes->first ? changes->first : SIZE_MAX;
}

static void write_all(struct changes *changes, struct kev_writer *out, enum form form,
                      struct jsonw *json)
{
	struct sheet_column figures[CHANGES_FIGURES];
	struct sheet_column *columns;
	struct sheet sheet;

	for (int i = 0; i < CHANGES_FIGURES; i++)
		figures[i] = (struct sheet_column){changes_figures[i],
		                                   i == VERDICT ? SHEET_TEXT : SHEET_NUMBER, put_figure, i};
	columns = columns_of(changes, figures, CHANGES_FIGURES);
	sheet_begin(&sheet, out, form, json, "Changes", columns,
	            changes->keys->count + CHANGES_FIGURES);
	sheet.context = changes;
	for (size_t i = 0; i < changes->groups + 2; i++)
		if (i < most_of(changes) || i >= changes->groups)
			sheet_row(&sheet, &changes->row[i]);
	sheet_end(&sheet);
	free(columns);
}

/* --- for people ------------------------------------------------------------------------ */

static void show_samples(struct sheet *sheet, const void *given, int which)
{
	const struct changes_row *row = given;

	(void)which;
	if (row->kind == CHANGES_MEAN)
		buf_format(&sheet->cell, "%llu groups",
		           (unsigned long long)count_of(sheet->context, row, N1));
	else
		buf_format(&sheet->cell, "%llu + %llu", (unsigned long long)row->comparison.side[0].n,
		           (unsigned long long)row->comparison.side[1].n);
}

static void show_median(struct sheet *sheet, const void *given, int which)
{
	const struct comparison_side *side =
		&((const struct changes_row *)given)->comparison.side[which];

	if (side->n)
		dec_quotient_fixed(&sheet->cell, side->twice_median, dec_of(2), 0, PLACES);
}

static void show_interval(struct sheet *sheet, const void *given, int which)
{
	const struct comparison_side *side =
		&((const struct changes_row *)given)->comparison.side[which];

	if (!side->has_interval)
		return;
	dec_print_fixed(&sheet->cell, side->low, PLACES, false);
	buf_text(&sheet->cell, " to ");
	dec_print_fixed(&sheet->cell, side->high, PLACES, false);
}

static void show_change(struct sheet *sheet, const void *given, int which)
{
	const struct changes_row *row = given;
	struct dec difference;
	struct dec whole;
	size_t from = sheet->cell.len;

	(void)which;
	if (row->kind == CHANGES_MEAN) {
		struct dec change;
		struct buf text = {0};

		comparison_put_mean(&text, &((const struct changes *)sheet->context)->mean);
		if (dec_parse(buf_view(&text), &change) <= DEC_ROUNDED)
			dec_print_fixed(&sheet->cell, change, 2, false);
		buf_free(&text);
	} else if (comparison_change(&row->comparison, &difference, &whole)) {
		dec_quotient_fixed(&sheet->cell, difference, whole, 2, 2);
	}
	if (sheet->cell.len == from)
		return;
	if (sheet->cell.data[from] != '-') {
		buf_char(&sheet->cell, '+');
		memmove(sheet->cell.data + from + 1, sheet->cell.data + from, sheet->cell.len - from - 1);
		sheet->cell.data[from] = '+';
	}
	buf_text(&sheet->cell, " %");
}

static void show_p(struct sheet *sheet, const void *given, int which)
{
	const struct changes_row *row = given;
	struct buf text = {0};
	struct dec p;

	(void)which;
	put_test(&text, row, ADJUSTED);
	if (text.len && dec_parse(buf_view(&text), &p) <= DEC_ROUNDED) {
		if (p.nano < dec_of(1).nano / 10000)
			buf_text(&sheet->cell, "below 0.0001");
		else
			dec_quotient_digits(&sheet->cell, p, dec_of(1), 0, SHOWN_DIGITS);
	}
	buf_free(&text);
}

static void show_verdict(struct sheet *sheet, const void *given, int which)
{
	(void)which;
	put_verdict(&sheet->cell, given);
}

/* Writes the rows with one of these verdicts; nothing without such rows. */
static void write_some(struct changes *changes, struct kev_writer *out, enum form form,
                       const char *title, unsigned verdicts, enum changes_kind least)
{
	static const struct sheet_column shown[] = {
		{"samples", SHEET_NUMBER, show_samples, 0},
		{"median1", SHEET_NUMBER, show_median, 0},
		{"interval1", SHEET_NUMBER | SHEET_SPARE, show_interval, 0},
		{"median2", SHEET_NUMBER, show_median, 1},
		{"interval2", SHEET_NUMBER | SHEET_SPARE, show_interval, 1},
		{"change", SHEET_NUMBER, show_change, 0},
		{"adjusted p", SHEET_NUMBER, show_p, 0},
		{"verdict", SHEET_TEXT, show_verdict, 0},
	};
	size_t count = sizeof shown / sizeof *shown;
	struct sheet_column *columns = columns_of(changes, shown, count);
	struct sheet sheet;
	size_t written = 0;
	size_t left = 0;

	for (size_t i = 0; i < changes->groups + 2; i++) {
		const struct changes_row *row = &changes->row[i];

		if ((row->kind == CHANGES_GROUP) != (least == CHANGES_GROUP) ||
		    !(verdicts >> row->comparison.verdict & 1))
			continue;
		if (row->kind == CHANGES_GROUP && written == most_of(changes)) {
			left++;
			continue;
		}
		if (written++ == 0)
			sheet_begin(&sheet, out, form, NULL, title, columns, changes->keys->count + count);
		sheet.context = changes;
		sheet_row(&sheet, row);
	}
	if (written)
		sheet_end(&sheet);
	if (left)
		output_format(&out->out, "\nand %zu more\n", left);
	free(columns);
}

static void write_left_out(const struct changes *changes, struct kev_writer *out)
{
	const uint64_t *verdicts = changes->verdicts;
	uint64_t left = verdicts[COMPARISON_EQUAL] + verdicts[COMPARISON_FEW];

	if (left)
		output_format(&out->out, "\nGroups without a significant change, left out: %llu",
		              (unsigned long long)left);
	if (verdicts[COMPARISON_FEW])
		output_format(&out->out, ", of which %llu have too few samples",
		              (unsigned long long)verdicts[COMPARISON_FEW]);
	if (left)
		output_char(&out->out, '\n');
}

void changes_write(struct changes *changes, struct kev_writer *out, enum form form,
                   struct jsonw *json)
{
	const unsigned changed =
		1u << COMPARISON_SLOWER | 1u << COMPARISON_FASTER | 1u << COMPARISON_MIXED;
	const unsigned one_sided = 1u << COMPARISON_GONE | 1u << COMPARISON_NEW;

	if (form == FORM_TSV || form == FORM_JSON) {
		write_all(changes, out, form, json);
		return;
	}
	write_some(changes, out, form, "All groups", ~0u, CHANGES_SUM);
	write_some(changes, out, form, "Significant changes", changed, CHANGES_GROUP);
	write_some(changes, out, form, "Groups on one side", one_sided, CHANGES_GROUP);
	if (form == FORM_REPORT)
		write_some(changes, out, form, "Other groups", ~(changed | one_sided), CHANGES_GROUP);
	else
		write_left_out(changes, out);
}

void changes_free(struct changes *changes)
{
	free(changes->row);
}
