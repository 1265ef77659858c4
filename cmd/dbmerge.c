/*
 * dbmerge - measured kernels into a performance database, a folder of one CSV for each
 * operator: rows of known cases get the new figures, others are added.
 *
 *	#OP Type	...	Input Shapes	...	Average Duration(us)	...
 *	Cast	...	"8,16"	...	5.200000	...
 * sets the duration of that case in DIR/Cast.csv, and gives
 *	#action	operator	csv	signature	count	microbench_us	...	old_us
 *	file	Cast	Cast.csv		3
 *	updated	Cast	Cast.csv	"8,16" -> "8,16"	1	5.2	...	5.5
 *
 * Memory: the largest file with an index of its rows, and 25 bytes a row of the input,
 * which waits in a temporary file.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "io/replace.h"
#include "io/spool.h"
#include "perfdb/database.h"
#include "perfdb/newrows.h"
#include "perfdb/schema.h"
#include "perfdb/signature.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "syntax/csv.h"
#include "syntax/csvfile.h"

/* Why a row of the input is in no file. */
enum reason { NO_FILE, REFUSED, NO_ROW, PRUNED, REASONS };

static const char *const reasons[REASONS] = {"no file of the operator",
                                             "a file that was left alone", "no such row, not added",
                                             "no duration, dropped again"};

/* What became of a new row. */
enum fate { NOWHERE, MISSING, DROPPED, IN_FILE };

/* A file that could not be merged: its path, and why. */
struct refused {
	struct str text[2];
};

/* The new row that sets cells of an old one, and the update before it, its number + 1. */
struct update {
	uint32_t new_row;
	uint32_t before;
	uint32_t timed; /* the last one, up to this, with a duration, its number + 1 */
};

/* The file at hand. Its rows are numbered: those that it has, then those that were added. */
struct merge {
	struct database_file *file;
	bool migrated;
	struct csvfile csv;
	struct csvfile_layout layout;
	int column[SCHEMA_COLUMNS]; /* in the file, */
	int to[SCHEMA_COLUMNS];     /* and in the layout that is written */
	struct buf ep_size;         /* of all rows, where the file has no such column */
	struct strmap keys;         /* signatures */
	uint32_t *first;            /* by number in keys: the first row that has it, */
	uint32_t *times;            /* and how many have */
	size_t first_cap;
	size_t times_cap;
	uint32_t *added; /* new rows */
	size_t added_count;
	size_t added_cap;
	struct update *update;
	size_t update_count;
	size_t update_cap;
	uint32_t *last_update; /* by row: its number + 1 */
	size_t last_update_cap;
	bool *deleted; /* by row */
	size_t own_updates;
	bool aliases;      /* the rows of the other kinds of MatMul are at hand, */
	uint64_t disputed; /* and are of rows that those of its own have set */
	struct buf facts;  /* lines of the table */
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct schema schema;
	struct database db; /* -d, --ops, -N, --no-wait, --strict */
	bool missing_only;
	bool prune; /* --prune */
	struct words prune_ops;
	bool add_matmul;
	bool migrate;
	bool create;
	struct newrows rows;
	uint8_t *fate; /* by new row */
	size_t fate_cap;
	struct spool facts;      /* the table, until all is merged, */
	struct refused *refused; /* and the ##damaged lines above it */
	size_t refused_count;
	size_t refused_cap;
	struct newrows_line fresh; /* the new row at hand */
	struct newrows_line other;
	struct buf cell[SIGNATURE_CELLS];
	struct buf key;
	struct buf text;
	struct buf old;
	struct buf decoded;
	struct buf piece; /* of the file that is written */
};

enum { OPS = OPT_LONG, MODE, PRUNE, PRUNE_OPS, CREATE, ADD_MATMUL, MIGRATE, NO_WAIT };

static const struct opt opts[] = {
	{'d', "database", "DIR", "the folder of the database"},
	{OPS, "ops", "OP,...", "only these operators, whose files may be anywhere below DIR"},
	{MODE, "mode", "MODE", "all, or missing-only: rows with a duration stay as they are (all)"},
	{PRUNE, "prune", NULL, "drop rows without any duration"},
	{PRUNE_OPS, "prune-ops", "OP,...", "the same, of these operators alone"},
	{CREATE, "create", NULL, "make files for operators that have none, also beside others"},
	{ADD_MATMUL, "add-matmul", NULL, "add rows to the files of MatMul, too"},
	{MIGRATE, "migrate", NULL, "rename the columns of files of the older kind"},
	{'N', "dry-run", NULL, "write no file, only what would be done"},
	{NO_WAIT, "no-wait", NULL, "where another run holds DIR, say which and stop"},
};

static const struct opt_usage usage = {
	"-d DIR [--ops=OP,...] [--mode=MODE] [--prune] [-N] [FILE...]",
	"Measured kernels into a performance database of one CSV for each operator.", opts,
	sizeof opts / sizeof *opts};

/* --- an end before the last file ------------------------------------------ */

/*
 * The files that could not be merged, and the lines of the others, to standard output: not before
 * all is merged, as who reads them may stop reading.
 */
static void put_table(struct state *st)
{
	const char *data;
	uint64_t n;

	for (size_t i = 0; i < st->refused_count; i++)
		kev_meta(&st->out, "damaged", st->refused[i].text, 2);
	if (!spool_rewind(&st->facts))
		kev_die(&st->out, st->db.path, 0, "%s", st->facts.error);
	while ((data = spool_read(&st->facts, sizeof n)) != NULL) {
		memcpy(&n, data, sizeof n);
		data = spool_read(&st->facts, n);
		if (!data)
			break;
		/* All lines of a file at once; the last newline is the row's end. */
		kev_field_raw(&st->out, (struct str){data, n - 1});
		kev_row_end(&st->out);
	}
	if (st->facts.error[0])
		kev_die(&st->out, st->db.path, 0, "%s", st->facts.error);
}

/* Ends by an error. What was done until then is said, as files were written. */
static _Noreturn __attribute__((format(printf, 4, 5))) void
stop(struct state *st, const char *path, uint64_t line, const char *format, ...)
{
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	kev_broken(&st->out, path, line, what);
	database_sync(&st->db);
	put_table(st);
	exit(kev_finish(&st->out));
}

/* --- the files ----------------------------------------------------------- */

/* Where a call of database.h has failed. */
static _Noreturn void give_up(struct state *st)
{
	stop(st, st->db.at.data, 0, "%s", st->db.error);
}

/*
 * Whether operators without a file get one: as told, or in a folder that is no database yet.
 * Somebody who keeps a database in folders below does not want another one beside them.
 */
static bool wants_new_files(struct state *st)
{
	char *below;

	if (st->create || st->db.count || st->missing_only)
		return st->create;
	below = st->db.ops.count ? NULL : database_below(&st->db);
	if (below)
		stop(st, st->db.path, 0,
		     "the database is in folders below (%s): name them, or the operators by --ops; "
		     "--create makes new files here",
		     below);
	return true;
}

/* A new file for each operator of the input that has none. */
static void add_files(struct state *st)
{
	for (size_t i = 0; i < st->rows.operators.count; i++) {
		struct str op = strmap_key(&st->rows.operators, i);

		if (!database_has(&st->db, op) && database_wants(&st->db, op) && !database_add(&st->db, op))
			give_up(st);
	}
}

/* Whether rows of an operator have a file: its own, or one of another kind of MatMul. */
static bool has_file(const struct state *st, struct str op)
{
	bool found = database_has(&st->db, op);

	for (int i = 0; signature_is_matmul(op) && i < SIGNATURE_MATMULS; i++)
		found |= database_has(&st->db, str_of(signature_matmuls[i]));
	return found;
}

/* Whether such a file was left alone. */
static bool is_refused(const struct state *st, struct str op)
{
	for (size_t i = 0; i < st->db.count; i++) {
		const struct database_file *file = &st->db.files[i];
		bool kin = signature_is_matmul(op) && signature_is_matmul(file->op);

		if (file->refused && (kin || str_equal(file->op, op)))
			return true;
	}
	return false;
}

/* Says which operators of an option there are not. */
static void check_words(struct state *st, const char *option, const struct words *ops)
{
	for (size_t i = 0; i < ops->count; i++) {
		struct str op = ops->item[i];
		bool wanted = database_wants(&st->db, op);
		const char *what = wanted ? "there is no file and no new row of" : "--ops is without";

		if (wanted && (database_has(&st->db, op) || newrows_first(&st->rows, op)))
			continue;
		if (st->opts.strict)
			stop(st, st->db.path, 0, "%s: %s %.*s", option, what, (int)op.n, op.s);
		warn("%s: %s: %s %.*s", st->db.path, option, what, (int)op.n, op.s);
	}
}

/* Says which operators of the input have no file to go to, and which of the options there are not.
 */
static void check_operators(struct state *st)
{
	struct buf list = {0};

	for (size_t i = 0; i < st->rows.operators.count; i++) {
		struct str op = strmap_key(&st->rows.operators, i);

		if (!has_file(st, op) && database_wants(&st->db, op))
			buf_format(&list, "%s%.*s (%u)", list.len ? ", " : "", (int)op.n, op.s,
			           st->rows.of[i].count);
	}
	if (list.len && st->opts.strict)
		stop(st, st->db.path, 0, "operators without a file: %.*s", (int)list.len, list.data);
	if (list.len)
		warn("%s: operators without a file, their rows left out (--create): %.*s", st->db.path,
		     (int)list.len, list.data);
	check_words(st, "--ops", &st->db.ops);
	check_words(st, "--prune-ops", &st->prune_ops);
	buf_free(&list);
}

static void find_files(struct state *st)
{
	st->db.strict = st->opts.strict;
	if (!database_open(&st->db))
		give_up(st);
	if (wants_new_files(st))
		add_files(st);
	if (!database_hold(&st->db))
		give_up(st);
	check_operators(st);
}

/* --- the file at hand ---------------------------------------------------- */

static bool is_pruned(const struct state *st, struct str op)
{
	return st->prune || words_have(&st->prune_ops, op);
}

/* Whether there was something to do in the file. */
static bool is_concerned(const struct state *st, struct str op)
{
	bool concerned =
		is_pruned(st, op) || st->migrate || st->db.ops.count || newrows_first(&st->rows, op) != 0;

	for (int i = 0; signature_is_matmul(op) && i < SIGNATURE_MATMULS; i++)
		concerned |= newrows_first(&st->rows, str_of(signature_matmuls[i])) != 0;
	return concerned;
}

/* A file that cannot be merged is left alone, and the others go on. */
static void refuse(struct state *st, struct database_file *file, uint64_t line, const char *what)
{
	struct buf text = {0};

	file->refused = true;
	if (st->opts.strict)
		stop(st, file->path, line, "%s", what);
	if (line)
		buf_format(&text, "line %llu: ", (unsigned long long)line);
	buf_format(&text, "%s: left alone%c", what, '\0');
	warn("%s: %s", file->path, text.data);
	if (is_concerned(st, file->op)) {
		st->out.status = status_worse(st->out.status, STATUS_DAMAGED);
		st->refused =
			mem_grow(st->refused, &st->refused_cap, st->refused_count + 1, sizeof *st->refused);
		st->refused[st->refused_count++] =
			(struct refused){{str_of(file->path), str_of(mem_string(text.data, text.len - 1))}};
	}
	buf_free(&text);
}

/* The columns of a file of the older kind, by one of them. False where it is refused. */
static bool migrate(struct state *st, struct merge *m, struct str mark)
{
	const char *path = m->file->path;

	if (!st->migrate) {
		st->text.len = 0;
		buf_format(&st->text,
		           "there is '%.*s', so it is of the older kind, whose average is the profile's "
		           "(--migrate renames its columns)%c",
		           (int)mark.n, mark.s, '\0');
		refuse(st, m->file, 1, st->text.data);
		return false;
	}
	m->migrated = schema_migrate(&m->layout);
	if (m->migrated)
		warn("%s: of the older kind: its columns get the names of the profile's", path);
	else
		refuse(st, m->file, 1, "--migrate: a column has the new name of another already");
	return m->migrated;
}

static bool read_file(struct state *st, struct merge *m)
{
	const char *path = m->file->path;
	const char *what;
	int mark;
	int fd;

	if (m->file->exists) {
		fd = database_read(&st->db, m->file, &what);
		if (fd < 0 && !what)
			give_up(st);
		if (fd < 0) {
			refuse(st, m->file, 0, what);
			return false;
		}
		if (!csvfile_read(&m->csv, fd, path)) {
			refuse(st, m->file, m->csv.line, m->csv.error);
			return false;
		}
		csvfile_layout_of(&m->layout, &m->csv);
	}
	if (m->csv.long_rows)
		warn("%s: rows with more cells than columns: %llu", path,
		     (unsigned long long)m->csv.long_rows);
	if (m->csv.short_rows)
		warn("%s: rows with fewer cells than columns: %llu", path,
		     (unsigned long long)m->csv.short_rows);
	mark = schema_older_mark(&m->layout);
	if (mark >= 0 && !migrate(st, m, buf_view(&m->layout.column[mark].name)))
		return false;
	schema_complete(&st->schema, &m->layout, !m->file->exists);
	for (int i = 0; i < SCHEMA_COLUMNS; i++) {
		int at = csvfile_layout_find(&m->layout, st->schema.name[i]);

		m->column[i] = at < 0 ? -1 : m->layout.column[at].from;
	}
	return true;
}

static void free_merge(struct merge *m)
{
	csvfile_free(&m->csv);
	csvfile_layout_free(&m->layout);
	buf_free(&m->ep_size);
	strmap_free(&m->keys);
	free(m->first);
	free(m->times);
	free(m->added);
	free(m->update);
	free(m->last_update);
	free(m->deleted);
	buf_free(&m->facts);
}

static void fetch(struct state *st, struct newrows_line *line, uint32_t new_row)
{
	if (!newrows_fetch(&st->rows, new_row, line))
		stop(st, st->db.path, 0, "%s", st->rows.lines.error);
}

/* What a new row says in a known column, in `into`. */
static struct str new_value(struct state *st, uint32_t new_row, int column, struct buf *into)
{
	const struct newrows_line *line = &st->other;

	fetch(st, &st->other, new_row);
	into->len = 0;
	buf_str(into, newrows_text(line, line->layout->column[column], &st->decoded));
	return buf_view(into);
}

/*
 * What row `number` says in a known column, but a counter, with all that was set since. May stand
 * in `into`.
 */
static struct str value(struct state *st, struct merge *m, uint32_t number, int column,
                        struct buf *into)
{
	uint32_t last = column == SCHEMA_AVERAGE ? m->last_update[number] : 0;
	uint32_t timed = last ? m->update[last - 1].timed : 0;

	if (timed)
		return new_value(st, m->update[timed - 1].new_row, column, into);
	if (number >= m->csv.count)
		return new_value(st, m->added[number - m->csv.count], column, into);
	if (column == EP_SIZE && m->ep_size.len)
		return buf_view(&m->ep_size);
	into->len = 0;
	csvfile_split(&m->csv, number);
	return csvfile_cell(&m->csv, m->column[column], into);
}

static void cells_of(struct state *st, struct merge *m, uint32_t number,
                     struct str cells[SIGNATURE_CELLS])
{
	for (int i = 0; i < SIGNATURE_CELLS; i++)
		cells[i] = value(st, m, number, i, &st->cell[i]);
}

/* The signature of a row, for people. */
static struct str text_of(struct state *st, struct merge *m, uint32_t number)
{
	struct str cells[SIGNATURE_CELLS];

	cells_of(st, m, number, cells);
	st->text.len = 0;
	signature_text(&st->text, cells);
	return buf_view(&st->text);
}

/* The number that a cell says; NULL where it says none. */
static const struct dec *number_of(struct str cell, struct dec *number)
{
	return dec_parse(str_trim(cell), number) <= DEC_ROUNDED ? number : NULL;
}

/* A duration; 0 where there is none. */
static struct dec duration(struct state *st, struct merge *m, uint32_t number, int column)
{
	struct dec dur;

	return number_of(value(st, m, number, column, &st->old), &dur) ? dur : (struct dec){0};
}

static bool has_duration(struct state *st, struct merge *m, uint32_t number)
{
	return duration(st, m, number, SCHEMA_AVERAGE).nano > 0 ||
	       duration(st, m, number, SCHEMA_PROFILING).nano > 0;
}

/* --- its table ----------------------------------------------------------- */

/* A line of the table, but for the durations. */
static void put_fact(struct buf *out, const struct database_file *file, const char *action,
                     struct str signature, uint64_t count)
{
	buf_text(out, action);
	buf_char(out, '\t');
	tsv_escape(out, file->op);
	buf_char(out, '\t');
	tsv_escape(out, str_of(file->path));
	buf_char(out, '\t');
	tsv_escape(out, signature);
	buf_format(out, "\t%llu", (unsigned long long)count);
}

static void end_fact(struct buf *out)
{
	buf_text(out, "\t\t\t\t\t\n");
}

/* The end of a line with the row's duration now, and before; NULL for none. */
static void end_fact_with(struct buf *out, const struct dec *now, const struct dec *before)
{
	buf_char(out, '\t');
	if (now)
		dec_print(out, *now);
	buf_text(out, "\t\t\t\t");
	if (before)
		dec_print(out, *before);
	buf_char(out, '\n');
}

/* How far microbench and profile are apart, where a row has both. */
static void put_gap(struct state *st, struct merge *m, uint32_t number)
{
	struct dec microbench = duration(st, m, number, SCHEMA_AVERAGE);
	struct dec profiling = duration(st, m, number, SCHEMA_PROFILING);
	struct dec diff = microbench;
	struct buf *out = &m->facts;

	if (microbench.nano <= 0 || profiling.nano <= 0)
		return;
	dec_subtract(&diff, profiling); /* of two above 0 it cannot wrap */
	if (diff.nano < 0)
		diff.nano = -diff.nano;
	put_fact(&m->facts, m->file, "gap", text_of(st, m, number), 1);
	buf_char(out, '\t');
	dec_print(out, microbench);
	buf_char(out, '\t');
	dec_print(out, profiling);
	buf_char(out, '\t');
	dec_print(out, diff);
	buf_char(out, '\t');
	dec_quotient(out, microbench, profiling, 0);
	buf_text(out, "\t\n");
}

/* Keeps lines of the table until all is done: who reads them may stop reading. */
static void spool_lines(struct state *st, const struct buf *lines)
{
	uint64_t n = lines->len;

	if (!spool_write(&st->facts, &n, sizeof n) || !spool_write(&st->facts, lines->data, n))
		stop(st, st->db.path, 0, "%s", st->facts.error);
}

/* The file's lines, of which the first has the number of its rows. */
static void keep_facts(struct state *st, struct merge *m, size_t rows)
{
	struct buf facts = m->facts;

	m->facts = (struct buf){0};
	put_fact(&m->facts, m->file, "file", STR(""), rows);
	end_fact(&m->facts);
	buf_str(&m->facts, buf_view(&facts));
	buf_free(&facts);
	spool_lines(st, &m->facts);
}

/* --- its rows ------------------------------------------------------------ */

/* Makes room for so many rows. */
static void reserve_rows(struct merge *m, size_t rows)
{
	size_t cap = m->last_update_cap;

	m->last_update = mem_grow(m->last_update, &m->last_update_cap, rows, sizeof *m->last_update);
	if (cap < m->last_update_cap)
		memset(m->last_update + cap, 0, (m->last_update_cap - cap) * sizeof *m->last_update);
}

/* Notes that a row has the signature in st->key. */
static void add_key(struct state *st, struct merge *m, uint32_t number)
{
	bool new;
	size_t key = strmap_add(&m->keys, buf_view(&st->key), &new);

	m->first = mem_grow(m->first, &m->first_cap, key + 1, sizeof *m->first);
	m->times = mem_grow(m->times, &m->times_cap, key + 1, sizeof *m->times);
	if (new) {
		m->first[key] = number;
		m->times[key] = 0;
	}
	m->times[key]++;
}

static void read_keys(struct state *st, struct merge *m)
{
	struct str cells[SIGNATURE_CELLS];

	reserve_rows(m, m->csv.count + 1);
	for (uint32_t i = 0; i < m->csv.count; i++) {
		cells_of(st, m, i, cells);
		st->key.len = 0;
		signature_key(&st->key, m->file->op, cells);
		add_key(st, m, i);
	}
}

/* A file from the days before EP Size takes the size of the new rows, where they agree. */
static void take_ep_size(struct state *st, struct merge *m)
{
	struct str column = st->schema.name[EP_SIZE];
	struct buf *agreed = &m->ep_size;
	bool differ = false;
	uint32_t i = newrows_first(&st->rows, m->file->op);

	if (!signature_has_ep_size(m->file->op) || csvfile_layout_find(&m->layout, column) >= 0)
		return;
	for (; i; i = newrows_next(&st->rows, i)) {
		struct str ep_size = new_value(st, i - 1, EP_SIZE, &st->text);

		differ |= agreed->len && ep_size.n && !str_equal(buf_view(agreed), ep_size);
		if (!agreed->len)
			buf_str(agreed, ep_size);
	}
	if (differ)
		agreed->len = 0;
	if (!agreed->len)
		return;
	csvfile_layout_insert(&m->layout, m->layout.count, column);
	if (m->file->exists)
		warn("%s: it has no column EP Size: its rows are taken for those of EP Size %.*s",
		     m->file->path, (int)agreed->len, agreed->data);
}

static void add_row(struct state *st, struct merge *m, uint32_t new_row)
{
	uint32_t number = (uint32_t)(m->csv.count + m->added_count);

	add_key(st, m, number);
	m->added = mem_grow(m->added, &m->added_cap, m->added_count + 1, sizeof *m->added);
	m->added[m->added_count++] = new_row;
	reserve_rows(m, (size_t)number + 1);
}

static void note_update(struct merge *m, uint32_t number, uint32_t new_row, bool timed)
{
	uint32_t last = m->last_update[number];

	m->update = mem_grow(m->update, &m->update_cap, m->update_count + 1, sizeof *m->update);
	m->update[m->update_count] = (struct update){
		.new_row = new_row, .before = last, .timed = last ? m->update[last - 1].timed : 0};
	m->last_update[number] = (uint32_t)++m->update_count;
	if (timed)
		m->update[m->update_count - 1].timed = (uint32_t)m->update_count;
}

/* What the new row at hand says. */
static struct str new_duration(struct state *st)
{
	return newrows_text(&st->fresh, st->fresh.layout->column[SCHEMA_AVERAGE], &st->decoded);
}

/* Its shapes, for people. */
static struct str new_text(struct state *st)
{
	struct str cells[SIGNATURE_CELLS];

	for (int i = 0; i < SIGNATURE_CELLS; i++)
		cells[i] = newrows_text(&st->fresh, st->fresh.layout->column[i], &st->cell[i]);
	st->text.len = 0;
	signature_text(&st->text, cells);
	return buf_view(&st->text);
}

static void set_fate(struct state *st, uint32_t new_row, bool deleted)
{
	if (!deleted)
		st->fate[new_row] = IN_FILE;
	else if (st->fate[new_row] < DROPPED)
		st->fate[new_row] = DROPPED;
}

/*
 * Whether the duration of row `number` is of the file's own kind of MatMul, while a row of another
 * kind is at hand.
 */
static bool is_of_own(struct state *st, struct merge *m, uint32_t number)
{
	uint32_t last = m->last_update[number];
	uint32_t timed = last ? m->update[last - 1].timed : 0;

	if (!m->aliases || timed > m->own_updates || (!timed && number < m->csv.count))
		return false;
	return duration(st, m, number, SCHEMA_AVERAGE).nano > 0;
}

/* The new row at hand is of a case that the file has in row `number`. */
static void update_row(struct state *st, struct merge *m, uint32_t number, uint32_t new_row,
                       bool own)
{
	struct dec numbers[2];
	const struct dec *old;
	const struct dec *new;

	bool disputed = is_of_own(st, m, number) && new_duration(st).n;

	if (disputed && st->add_matmul) {
		m->disputed++;
		set_fate(st, new_row, false);
		return;
	}
	if (st->missing_only && has_duration(st, m, number)) {
		set_fate(st, new_row, false);
		/* What stays as it is, is of interest to its own operator alone. */
		if (!own)
			return;
		old = number_of(value(st, m, number, SCHEMA_AVERAGE, &st->old), &numbers[0]);
		put_fact(&m->facts, m->file, "unchanged", text_of(st, m, number), 1);
		end_fact_with(&m->facts, old, NULL);
	} else {
		struct str was = str_trim(value(st, m, number, SCHEMA_AVERAGE, &st->old));
		struct str is = new_duration(st);

		old = number_of(was, &numbers[0]);
		new = number_of(is, &numbers[1]);
		if (is.n && !str_equal(was, is)) {
			put_fact(&m->facts, m->file, "updated", text_of(st, m, number), 1);
			end_fact_with(&m->facts, new, old);
		}
		note_update(m, number, new_row, is.n > 0);
		m->disputed += disputed;
	}
	put_gap(st, m, number);
}

/* own: a row of the file's own operator, which may be added; else it can only update. */
static void merge_row(struct state *st, struct merge *m, uint32_t new_row, bool own)
{
	struct str cells[SIGNATURE_CELLS];
	struct dec dur;
	size_t key;

	fetch(st, &st->fresh, new_row);
	for (int i = 0; i < SIGNATURE_CELLS; i++)
		cells[i] = newrows_text(&st->fresh, st->fresh.layout->column[i], &st->cell[i]);
	st->key.len = 0;
	signature_key(&st->key, m->file->op, cells);
	key = strmap_find(&m->keys, buf_view(&st->key));
	if (key != STRMAP_NONE) {
		update_row(st, m, m->first[key], new_row, own);
	} else if (own) {
		put_fact(&m->facts, m->file, "missing", new_text(st), 1);
		end_fact(&m->facts);
		if (st->missing_only) {
			if (st->fate[new_row] == NOWHERE)
				st->fate[new_row] = MISSING;
			return;
		}
		put_fact(&m->facts, m->file, "added", buf_view(&st->text), 1);
		end_fact_with(&m->facts, number_of(new_duration(st), &dur), NULL);
		add_row(st, m, new_row);
	}
}

static void merge_operator(struct state *st, struct merge *m, struct str op, bool own)
{
	for (uint32_t i = newrows_first(&st->rows, op); i; i = newrows_next(&st->rows, i))
		merge_row(st, m, i - 1, own);
}

static void merge_rows(struct state *st, struct merge *m)
{
	struct str op = m->file->op;
	bool matmul = signature_is_matmul(op);
	bool own = !matmul || st->add_matmul;

	merge_operator(st, m, op, own);
	m->aliases = true;
	m->own_updates = m->update_count;
	for (int i = 0; matmul && i < SIGNATURE_MATMULS; i++)
		if (!str_equal(op, str_of(signature_matmuls[i])))
			merge_operator(st, m, str_of(signature_matmuls[i]), false);
	if (m->disputed)
		warn("%s: rows that two kinds of MatMul would set, and %s sets: %llu", m->file->path,
		     st->add_matmul ? "its own" : "the other (--add-matmul: its own)",
		     (unsigned long long)m->disputed);
}

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

/* Signatures that several rows have, the most frequent first: only the first row is merged. */
static void put_duplicates(struct state *st, struct merge *m)
{
	struct duplicate *found = NULL;
	size_t count = 0;
	size_t cap = 0;

	for (size_t i = 0; i < m->keys.count; i++) {
		struct str text;

		if (m->times[i] < 2)
			continue;
		text = text_of(st, m, m->first[i]);
		found = mem_grow(found, &cap, count + 1, sizeof *found);
		found[count++] = (struct duplicate){m->times[i], {mem_string(text.s, text.n), text.n}};
	}
	if (count)
		qsort(found, count, sizeof *found, compare_duplicates);
	for (size_t i = 0; i < count; i++) {
		put_fact(&m->facts, m->file, "duplicate", found[i].signature, found[i].times);
		end_fact(&m->facts);
		free((char *)found[i].signature.s);
	}
	free(found);
}

/* Notes what became of the new rows that are, or went into, a row. */
static void set_fates(struct state *st, const struct merge *m, uint32_t number)
{
	bool deleted = m->deleted[number];

	for (uint32_t i = m->last_update[number]; i; i = m->update[i - 1].before)
		set_fate(st, m->update[i - 1].new_row, deleted);
	if (number >= m->csv.count)
		set_fate(st, m->added[number - m->csv.count], deleted);
}

/* Marks the rows without a duration. Gives how many rows are left. */
static size_t prune(struct state *st, struct merge *m)
{
	size_t rows = m->csv.count + m->added_count;
	size_t left = rows;
	bool pruned = is_pruned(st, m->file->op);

	m->deleted = mem_zero(rows + 1, sizeof *m->deleted);
	for (uint32_t i = 0; i < rows; i++) {
		m->deleted[i] = pruned && !has_duration(st, m, i);
		set_fates(st, m, i);
		if (!m->deleted[i])
			continue;
		left--;
		put_fact(&m->facts, m->file, "deleted", text_of(st, m, i), 1);
		end_fact(&m->facts);
	}
	return left;
}

/* --- writing ------------------------------------------------------------- */

/* The columns that added rows bring; then the layout is complete. */
static void add_columns(struct state *st, struct merge *m)
{
	for (size_t i = 0; i < m->added_count; i++) {
		const struct newrows_layout *layout;

		if (m->deleted[m->csv.count + i])
			continue;
		fetch(st, &st->other, m->added[i]);
		layout = st->other.layout;
		for (size_t j = 0; j < layout->count; j++)
			if ((int)j != layout->op && newrows_text(&st->other, (int)j, &st->decoded).n &&
			    csvfile_layout_find(&m->layout, layout->name[j]) < 0)
				csvfile_layout_insert(&m->layout, m->layout.count, layout->name[j]);
	}
	for (int i = 0; i < SCHEMA_COLUMNS; i++)
		m->to[i] = csvfile_layout_find(&m->layout, st->schema.name[i]);
}

/* Sets a cell, where there is a column for it and it is not set yet. */
static void set_cell(struct merge *m, int at, struct str text)
{
	struct csvfile_column *column = m->layout.column + at;

	if (at < 0 || column->set || text.n == 0)
		return;
	column->set = true;
	column->value.len = 0;
	buf_str(&column->value, text);
}

/* Sets what the updates of a row say, the latest first; of an added one also what it began with. */
static void set_cells(struct state *st, struct merge *m, uint32_t number)
{
	const struct newrows_line *line = &st->other;

	for (uint32_t i = m->last_update[number]; i; i = m->update[i - 1].before) {
		fetch(st, &st->other, m->update[i - 1].new_row);
		for (int j = SCHEMA_AVERAGE; j < SCHEMA_COLUMNS; j++)
			set_cell(m, m->to[j], newrows_text(line, line->layout->column[j], &st->decoded));
	}
	if (number < m->csv.count)
		return;
	fetch(st, &st->other, m->added[number - m->csv.count]);
	for (size_t j = 0; j < line->layout->count; j++)
		if ((int)j != line->layout->op)
			set_cell(m, csvfile_layout_find(&m->layout, line->layout->name[j]),
			         newrows_text(line, (int)j, &st->decoded));
}

/* Sets the cells of a row of the file that will say something else. Gives whether any will. */
static bool change_row(struct state *st, struct merge *m, uint32_t number)
{
	bool changed = false;

	if (!m->last_update[number])
		return false;
	set_cells(st, m, number);
	csvfile_split(&m->csv, number);
	for (size_t i = 0; i < m->layout.count; i++) {
		struct csvfile_column *column = &m->layout.column[i];

		st->old.len = 0;
		/* Spaces around it do not count, nor do they where the durations are compared. */
		column->set =
			column->set && !str_equal(buf_view(&column->value),
		                              str_trim(csvfile_cell(&m->csv, column->from, &st->old)));
		changed |= column->set;
	}
	return changed;
}

/* Whether the file will have other rows, or other cells in one. */
static bool is_changed(struct state *st, struct merge *m)
{
	bool changed = !m->file->exists || m->migrated;
	size_t rows = m->csv.count + m->added_count;

	for (uint32_t i = 0; i < rows && !changed; i++)
		changed = i < m->csv.count ? m->deleted[i] || change_row(st, m, i) : !m->deleted[i];
	for (size_t i = 0; i < m->layout.count; i++)
		m->layout.column[i].set = false;
	return changed;
}

static void put_row(struct state *st, struct merge *m, uint32_t number)
{
	struct csvfile_layout *layout = &m->layout;

	if (number >= m->csv.count) {
		if (m->deleted[number])
			return;
		set_cells(st, m, number);
		csvfile_put_new_row(&st->piece, &m->csv, layout);
	} else if (m->deleted[number]) {
		csvfile_drop_row(&st->piece, &m->csv, layout, number);
	} else {
		change_row(st, m, number);
		set_cell(m, m->to[EP_SIZE], buf_view(&m->ep_size));
		csvfile_put_row(&st->piece, &m->csv, layout, number);
	}
}

/* Writes the file anew. */
static void put_file(struct state *st, struct merge *m)
{
	const struct database_file *file = m->file;
	size_t rows = m->csv.count + m->added_count;
	struct replace to = {0};
	struct stat old;

	if (fstatat(file->folder, file->name, &old, AT_SYMLINK_NOFOLLOW) == 0 && old.st_nlink > 1)
		warn("%s: its other names (hard links) keep the old rows", file->path);
	replace_begin(&to, file->folder, file->name);
	st->piece.len = 0;
	csvfile_put_header(&st->piece, &m->csv, &m->layout);
	for (uint32_t i = 0; i < rows; i++) {
		put_row(st, m, i);
		replace_write(&to, buf_view(&st->piece));
		st->piece.len = 0;
	}
	csvfile_put_rest(&st->piece, &m->csv);
	replace_write(&to, buf_view(&st->piece));
	if (!replace_commit(&to))
		stop(st, file->path, 0, "%s", to.error);
}

/* --- the whole ----------------------------------------------------------- */

static void merge_file(struct state *st, struct database_file *file)
{
	struct merge m = {.file = file};
	size_t left;

	if (read_file(st, &m)) {
		take_ep_size(st, &m);
		read_keys(st, &m);
		merge_rows(st, &m);
		put_duplicates(st, &m);
		left = prune(st, &m);
		add_columns(st, &m);
		file->replaced = is_changed(st, &m) && !st->db.look;
		if (file->replaced)
			put_file(st, &m);
		keep_facts(st, &m, left);
	}
	free_merge(&m);
}

/* Rows of MatMul that found no row, in the files of whatever kind of it, and were not added. */
static void tell_unmatched(struct state *st)
{
	const char *hint = st->add_matmul || st->missing_only ? "" : " (--add-matmul)";
	unsigned long long count = 0;
	struct buf lines = {0};

	if (is_refused(st, str_of(signature_matmuls[0])))
		return; /* it may be one of that file */
	for (int i = 0; i < SIGNATURE_MATMULS; i++) {
		struct database_file none = {.op = str_of(signature_matmuls[i]), .path = ""};
		uint32_t j = has_file(st, none.op) ? newrows_first(&st->rows, none.op) : 0;

		for (; j; j = newrows_next(&st->rows, j)) {
			struct dec dur;

			if (st->fate[j - 1] != NOWHERE)
				continue;
			fetch(st, &st->fresh, j - 1);
			put_fact(&lines, &none, "unmatched", new_text(st), 1);
			end_fact_with(&lines, number_of(new_duration(st), &dur), NULL);
			count++;
		}
	}
	if (count)
		spool_lines(st, &lines);
	buf_free(&lines);
	if (count && st->opts.strict && !st->missing_only)
		stop(st, st->db.path, 0, "rows of MatMul that are no case of a file, not added%s: %llu",
		     hint, count);
	if (count)
		warn("%s: rows of MatMul that are no case of a file, not added%s: %llu", st->db.path, hint,
		     count);
}

static void print_balance(struct state *st)
{
	const struct newrows *rows = &st->rows;

	for (size_t i = 0; st->opts.verbose && i < rows->operators.count; i++) {
		struct str op = strmap_key(&rows->operators, i);
		enum reason nowhere = !has_file(st, op) ? NO_FILE : is_refused(st, op) ? REFUSED : NO_ROW;

		for (uint32_t j = rows->of[i].first; j; j = newrows_next(rows, j)) {
			struct str dur = new_value(st, j - 1, SCHEMA_AVERAGE, &st->old);

			if (st->fate[j - 1] == IN_FILE)
				balance_out(&st->balance, dur);
			else
				balance_drop(&st->balance, st->fate[j - 1] == DROPPED ? PRUNED : nowhere, dur);
		}
	}
	balance_print(&st->balance);
}

static void finish(struct state *st)
{
	static const char *const table[] = {"action", "operator",      "csv",          "signature",
	                                    "count",  "microbench_us", "profiling_us", "diff_us",
	                                    "ratio",  "old_us"};
	struct str names[sizeof table / sizeof *table];

	/* The next program fails early, where it does, and before any file is touched. */
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		names[i] = str_of(table[i]);
	if (st->db.look)
		kev_meta(&st->out, "dry-run", NULL, 0);
	kev_columns(&st->out, names, sizeof table / sizeof *table);
	find_files(st);
	for (size_t i = 0; i < st->db.count; i++)
		merge_file(st, &st->db.files[i]);
	tell_unmatched(st);
	if (!database_sync(&st->db))
		stop(st, st->db.at.data, 0, "%s", st->db.error);
	put_table(st);
	print_balance(st);
}

/* False on an error, said in st->in.error. */
static bool row(struct state *st)
{
	const struct newrows *rows = &st->rows;

	if (!newrows_add(&st->rows, &st->in))
		return false;
	st->fate = mem_grow(st->fate, &st->fate_cap, rows->count, sizeof *st->fate);
	st->fate[rows->count - 1] = NOWHERE;
	balance_in(&st->balance,
	           st->in.field[rows->layouts[rows->layouts_count - 1].column[SCHEMA_AVERAGE]]);
	return true;
}

static void read_options(struct state *st)
{
	int letter;

	while ((letter = opts_next(&st->opts)) >= 0) {
		switch (letter) {
		case 'd':
			st->db.path = st->opts.arg;
			break;
		case OPS:
			opts_words(&st->opts, &st->db.ops);
			break;
		case MODE:
			st->missing_only = opts_second(&st->opts, "all", "missing-only");
			break;
		case PRUNE:
			st->prune = true;
			break;
		case PRUNE_OPS:
			opts_words(&st->opts, &st->prune_ops);
			break;
		case CREATE:
			st->create = true;
			break;
		case ADD_MATMUL:
			st->add_matmul = true;
			break;
		case MIGRATE:
			st->migrate = true;
			break;
		case 'N':
			st->db.look = true;
			break;
		case NO_WAIT:
			st->db.no_wait = true;
			break;
		}
	}
	if (!st->db.path)
		opts_fail("-d DIR is needed: the folder of the database");
	if (st->prune && st->prune_ops.count)
		opts_fail("--prune is of all operators, --prune-ops of some: give one of them");
	for (size_t i = 0; i < st->db.ops.count; i++)
		st->db.ops.item[i] = signature_operator(st->db.ops.item[i]);
	for (size_t i = 0; i < st->prune_ops.count; i++)
		st->prune_ops.item[i] = signature_operator(st->prune_ops.item[i]);
	st->balance.on = st->opts.verbose;
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "us", .what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;

	opts_init(&st.opts, &usage, argc, argv);
	read_options(&st);
	schema_init(&st.schema);
	kev_writer_init(&st.out, &st.opts);
	if (!newrows_open(&st.rows) || !spool_open(&st.facts))
		die("%s", st.rows.lines.error[0] ? st.rows.lines.error : st.facts.error);

	kev_open(&st.in, st.opts.operands, st.opts.operands_count);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META) {
			kev_pass_meta(&st.out, &st.in);
			if (st.opts.strict && st.out.status != STATUS_OK)
				kev_die(&st.out, st.in.file, 0, "the input is damaged: nothing is merged");
		} else if (item == KEV_COLUMNS ? !newrows_columns(&st.rows, &st.schema, &st.in)
		                               : !row(&st)) {
			kev_fail(&st.out, &st.in);
		}
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	database_close(&st.db);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
