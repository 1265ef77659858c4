#include "merge.h"

#include "base/mem.h"
#include "base/plaintext.h"
#include "perfdb/signature.h"

#include <stdarg.h>
#include <stdlib.h>

static bool __attribute__((format(printf, 3, 4)))
fail(struct merge *m, uint64_t line, const char *format, ...)
{
	va_list args;

	m->error_line = line;
	va_start(args, format);
	plaintext_format(m->error, sizeof m->error, format, args);
	va_end(args);
	return false;
}

/* --- the file ------------------------------------------------------------ */

/* Renames the columns of an older file, if it is one. False if it cannot be merged. */
static bool migrate(struct merge *m)
{
	int mark = schema_older_mark(&m->layout);
	struct str name;

	if (mark < 0)
		return true;
	name = buf_view(&m->layout.column[mark].name);
	if (!m->migrate)
		return fail(
			m, 1,
			"the file has the older format, as its column '%.*s' shows (--migrate renames its "
			"columns)",
			(int)name.n, name.s);
	m->migrated = schema_migrate(&m->layout);
	return m->migrated || fail(m, 1, "--migrate: the new name of a column exists already");
}

bool merge_read(struct merge *m, int fd)
{
	m->exists = fd >= 0;
	if (m->exists) {
		if (!csvfile_read(&m->csv, fd, m->path))
			return fail(m, m->csv.line, "%s", m->csv.error);
		csvfile_layout_of(&m->layout, &m->csv);
		schema_lacks(&m->layout, &m->lacks);
	}
	if (!migrate(m))
		return false;
	schema_complete(m->schema, &m->layout, !m->exists);
	for (int i = 0; i < SCHEMA_COLUMNS; i++) {
		int at = csvfile_layout_find(&m->layout, m->schema->name[i]);

		m->column[i] = at < 0 ? -1 : m->layout.column[at].from;
	}
	return true;
}

/* --- cells --------------------------------------------------------------- */

/* The text of a new row in a known column, in `into`. */
static struct str new_value(struct merge *m, uint32_t new_row, int column, struct buf *into)
{
	newrows_fetch(m->rows, new_row, &m->other);
	into->len = 0;
	buf_str(into, newrows_text(&m->other, m->other.layout->column[column], &m->decoded));
	return buf_view(into);
}

/* The last update of a row that has a duration: its number + 1, or 0. */
static uint32_t timed_update(const struct merge *m, uint32_t number)
{
	uint32_t last = m->last_update[number];

	return last ? m->update[last - 1].timed : 0;
}

/* The text of a row in a known column, except counters, after all updates. May stand in `into`. */
static struct str value(struct merge *m, uint32_t number, int column, struct buf *into)
{
	uint32_t timed = column == SCHEMA_AVERAGE ? timed_update(m, number) : 0;

	if (timed)
		return new_value(m, m->update[timed - 1].new_row, column, into);
	if (number >= m->csv.count)
		return new_value(m, m->added[number - m->csv.count], column, into);
	if (column == EP_SIZE && m->ep_size.len)
		return buf_view(&m->ep_size);
	into->len = 0;
	csvfile_split(&m->csv, number);
	return csvfile_cell(&m->csv, m->column[column], into);
}

static void cells_of(struct merge *m, uint32_t number, struct str cells[SIGNATURE_CELLS])
{
	for (int i = 0; i < SIGNATURE_CELLS; i++)
		cells[i] = value(m, number, i, &m->cell[i]);
}

static struct str text_of_cells(struct merge *m, const struct str cells[SIGNATURE_CELLS])
{
	m->text.len = 0;
	signature_text(&m->text, cells);
	return buf_view(&m->text);
}

/* The signature of a row, for people. */
static struct str text_of(struct merge *m, uint32_t number)
{
	struct str cells[SIGNATURE_CELLS];

	cells_of(m, number, cells);
	return text_of_cells(m, cells);
}

/* A duration; 0 if the cell is not a number. */
static struct dec duration(struct merge *m, uint32_t number, int column)
{
	struct dec dur = {0};

	dec_parse(str_trim(value(m, number, column, &m->old)), &dur);
	return dur;
}

static bool has_duration(struct merge *m, uint32_t number)
{
	return duration(m, number, SCHEMA_AVERAGE).nano > 0 ||
	       duration(m, number, SCHEMA_PROFILING).nano > 0;
}

/* The duration of the new row at hand. */
static struct str new_duration(struct merge *m)
{
	return newrows_text(&m->fresh, m->fresh.layout->column[SCHEMA_AVERAGE], &m->decoded);
}

/* --- its rows ------------------------------------------------------------ */

static void reserve_rows(struct merge *m, size_t rows)
{
	m->last_update =
		mem_grow_zero(m->last_update, &m->last_update_cap, rows, sizeof *m->last_update);
}

/* Notes that a row has the signature in m->key. */
static void add_key(struct merge *m, uint32_t number)
{
	bool new;
	size_t key = strmap_add(&m->keys, buf_view(&m->key), &new);

	m->cases = mem_grow(m->cases, &m->cases_cap, key + 1, sizeof *m->cases);
	if (new)
		m->cases[key] = (struct merge_case){.first = number};
	m->cases[key].times++;
}

static void read_keys(struct merge *m)
{
	struct str cells[SIGNATURE_CELLS];

	reserve_rows(m, m->csv.count + 1);
	for (uint32_t i = 0; i < m->csv.count; i++) {
		cells_of(m, i, cells);
		m->key.len = 0;
		signature_key(&m->key, m->op, cells);
		add_key(m, i);
	}
}

/* A file older than the column EP Size takes the size of the new rows, if they agree. */
static void take_ep_size(struct merge *m)
{
	struct str column = m->schema->name[EP_SIZE];
	struct buf *agreed = &m->ep_size;
	bool differ = false;

	if (!signature_has_ep_size(m->op) || csvfile_layout_find(&m->layout, column) >= 0)
		return;
	for (uint32_t i = newrows_first(m->rows, m->op); i; i = newrows_next(m->rows, i)) {
		struct str ep_size = new_value(m, i - 1, EP_SIZE, &m->text);

		differ |= agreed->len && ep_size.n && !str_equal(buf_view(agreed), ep_size);
		if (!agreed->len)
			buf_str(agreed, ep_size);
	}
	if (differ)
		agreed->len = 0;
	if (agreed->len)
		csvfile_layout_insert(&m->layout, m->layout.count, column);
}

/* --- new rows ------------------------------------------------------------ */

static void add_row(struct merge *m, uint32_t new_row)
{
	uint32_t number = (uint32_t)(m->csv.count + m->added_count);

	add_key(m, number);
	m->added = mem_grow(m->added, &m->added_cap, m->added_count + 1, sizeof *m->added);
	m->added[m->added_count++] = new_row;
	reserve_rows(m, (size_t)number + 1);
}

static void note_update(struct merge *m, uint32_t number, uint32_t new_row, bool timed)
{
	struct merge_update update = {new_row, m->last_update[number], timed_update(m, number)};

	m->update = mem_grow(m->update, &m->update_cap, m->update_count + 1, sizeof *m->update);
	if (timed)
		update.timed = (uint32_t)m->update_count + 1;
	m->update[m->update_count] = update;
	m->last_update[number] = (uint32_t)++m->update_count;
}

/*
 * Whether a row of another kind of MatMul is at hand, and the duration of row `number` comes from
 * the file's own kind.
 */
static bool is_of_own(struct merge *m, uint32_t number)
{
	uint32_t timed = timed_update(m, number);

	if (!m->aliases || timed > m->own_updates || (!timed && number < m->csv.count))
		return false;
	return duration(m, number, SCHEMA_AVERAGE).nano > 0;
}

static void put_gap(struct merge *m, uint32_t number)
{
	struct dec microbench = duration(m, number, SCHEMA_AVERAGE);
	struct dec profiling = duration(m, number, SCHEMA_PROFILING);

	if (microbench.nano > 0 && profiling.nano > 0)
		ledger_gap(m->ledger, text_of(m, number), microbench, profiling);
}

/* A row that has a duration stays as it is: of interest to its own operator only. */
static void keep_row(struct merge *m, uint32_t number, uint32_t new_row, bool own)
{
	newrows_settle(m->rows, new_row, NEWROWS_IN_FILE);
	if (!own)
		return;
	ledger_fact(m->ledger, LEDGER_UNCHANGED, text_of(m, number), 1,
	            value(m, number, SCHEMA_AVERAGE, &m->old), STR(""));
	put_gap(m, number);
}

static void set_row(struct merge *m, uint32_t number, uint32_t new_row)
{
	struct str old = str_trim(value(m, number, SCHEMA_AVERAGE, &m->old));
	struct str new = new_duration(m);

	if (new.n && !str_equal(old, new))
		ledger_fact(m->ledger, LEDGER_UPDATED, text_of(m, number), 1, new, old);
	note_update(m, number, new_row, new.n > 0);
	put_gap(m, number);
}

/* The new row at hand has the case of row `number`. */
static void update_row(struct merge *m, uint32_t number, uint32_t new_row, bool own)
{
	bool disputed = is_of_own(m, number) && new_duration(m).n;
	bool own_stays = disputed && m->add_matmul;

	if (m->missing_only && !own_stays && has_duration(m, number)) {
		keep_row(m, number, new_row, own);
		return;
	}
	m->disputed += disputed;
	if (own_stays)
		newrows_settle(m->rows, new_row, NEWROWS_IN_FILE);
	else
		set_row(m, number, new_row);
}

/* own: a row of the file's own operator, which may be added; another can only update. */
static void merge_row(struct merge *m, uint32_t new_row, bool own)
{
	struct str cells[SIGNATURE_CELLS];
	struct str text;
	size_t key;

	newrows_fetch(m->rows, new_row, &m->fresh);
	newrows_cells(&m->fresh, cells, m->cell);
	m->key.len = 0;
	signature_key(&m->key, m->op, cells);
	key = strmap_find(&m->keys, buf_view(&m->key));
	if (key != STRMAP_NONE)
		update_row(m, m->cases[key].first, new_row, own);
	if (key != STRMAP_NONE || !own)
		return;
	text = text_of_cells(m, cells);
	ledger_fact(m->ledger, LEDGER_MISSING, text, 1, STR(""), STR(""));
	if (m->missing_only) {
		newrows_settle(m->rows, new_row, NEWROWS_MISSING);
		return;
	}
	ledger_fact(m->ledger, LEDGER_ADDED, text, 1, new_duration(m), STR(""));
	add_row(m, new_row);
}

static void merge_operator(struct merge *m, struct str op, bool own)
{
	for (uint32_t i = newrows_first(m->rows, op); i; i = newrows_next(m->rows, i))
		merge_row(m, i - 1, own);
}

/* The other kinds of MatMul come last. */
static void merge_aliases(struct merge *m)
{
	m->aliases = true;
	m->own_updates = m->update_count;
	for (int i = 0; i < SIGNATURE_MATMULS; i++)
		if (!str_equal(m->op, str_of(signature_matmuls[i])))
			merge_operator(m, str_of(signature_matmuls[i]), false);
}

/* --- after them ---------------------------------------------------------- */

struct duplicate {
	uint32_t times;
	struct str signature;
};

static int compare_duplicates(const void *a, const void *b)
{
	const struct duplicate *x = a;
	const struct duplicate *y = b;

	return x->times != y->times ? (x->times < y->times) - (x->times > y->times)
	                            : str_compare(x->signature, y->signature);
}

/* Signatures of several rows, the most frequent first. */
static void put_duplicates(struct merge *m)
{
	struct duplicate *found = NULL;
	size_t count = 0;
	size_t cap = 0;

	for (size_t i = 0; i < m->keys.count; i++) {
		struct str text;

		if (m->cases[i].times < 2)
			continue;
		text = text_of(m, m->cases[i].first);
		found = mem_grow(found, &cap, count + 1, sizeof *found);
		found[count++] =
			(struct duplicate){m->cases[i].times, {mem_string(text.s, text.n), text.n}};
	}
	if (count)
		qsort(found, count, sizeof *found, compare_duplicates);
	for (size_t i = 0; i < count; i++) {
		ledger_fact(m->ledger, LEDGER_DUPLICATE, found[i].signature, found[i].times, STR(""),
		            STR(""));
		free((char *)found[i].signature.s);
	}
	free(found);
}

/* The new rows that are, or went into, a row share its fate. */
static void settle_rows(struct merge *m, uint32_t number)
{
	enum newrows_fate fate = m->deleted[number] ? NEWROWS_PRUNED : NEWROWS_IN_FILE;

	for (uint32_t i = m->last_update[number]; i; i = m->update[i - 1].before)
		newrows_settle(m->rows, m->update[i - 1].new_row, fate);
	if (number >= m->csv.count)
		newrows_settle(m->rows, m->added[number - m->csv.count], fate);
}

static void prune(struct merge *m)
{
	size_t rows = m->csv.count + m->added_count;

	m->deleted = mem_zero(rows + 1, sizeof *m->deleted);
	m->rows_left = rows;
	for (uint32_t i = 0; i < rows; i++) {
		m->deleted[i] = m->prune && !has_duration(m, i);
		settle_rows(m, i);
		if (!m->deleted[i])
			continue;
		m->rows_left--;
		ledger_fact(m->ledger, LEDGER_DELETED, text_of(m, i), 1, STR(""), STR(""));
	}
}

bool merge_rows(struct merge *m)
{
	bool matmul = signature_is_matmul(m->op);

	take_ep_size(m);
	read_keys(m);
	merge_operator(m, m->op, !matmul || m->add_matmul);
	if (matmul)
		merge_aliases(m);
	put_duplicates(m);
	prune(m);
	return !m->rows->lines.error[0] || fail(m, 0, "%s", m->rows->lines.error);
}

void merge_free(struct merge *m)
{
	csvfile_free(&m->csv);
	csvfile_layout_free(&m->layout);
	buf_free(&m->lacks);
	buf_free(&m->ep_size);
	strmap_free(&m->keys);
	free(m->cases);
	free(m->added);
	free(m->update);
	free(m->last_update);
	free(m->deleted);
	newrows_line_free(&m->fresh);
	newrows_line_free(&m->other);
	for (int i = 0; i < SIGNATURE_CELLS; i++)
		buf_free(&m->cell[i]);
	buf_free(&m->key);
	buf_free(&m->text);
	buf_free(&m->old);
	buf_free(&m->decoded);
}
