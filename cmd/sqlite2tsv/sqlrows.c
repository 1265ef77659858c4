#include "sqlrows.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>

#include "base/die.h"
#include "base/plaintext.h"

enum {
	READ = 16,          /* texts may be read so many times */
	REPEATED = 1000000, /* joins may repeat so many rows in all */
	TIMES = 16,         /* joins may repeat so many rows for each row of the table */
	PROBES = 62,        /* gaps of 2^0 to 2^61 rowids */
	ALIAS = 16,
};

static void set_text(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void set_text(char *text, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	plaintext_format(text, size, format, args);
	va_end(args);
}

/* [name], as a misspelt "name" would be a text; ] cannot be escaped there, and no name has one. */
static void put_name(struct buf *sql, const char *table, const char *column)
{
	buf_format(sql, "%s.[%s]", table, column);
}

static bool has_column(const struct sqlfile *file, const char *table, const char *column)
{
	size_t number = sqlfile_table(file, str_of(table));

	return number != STRMAP_NONE && sqlfile_has_column(file, number, str_of(column));
}

/* Joins are of earlier ones. */
static bool has_join(const struct sqlrows *rows, int join)
{
	bool has = true;

	for (int at = join; has && at != SQLROWS_OWN; at = rows->plan->joins[at].of) {
		const struct sqlrows_join *with = &rows->plan->joins[at];

		if (rows->dropped[at])
			return false;
		const char *of =
			with->of == SQLROWS_OWN ? rows->plan->table : rows->plan->joins[with->of].table;

		has =
			has_column(rows->file, with->table, with->key) && has_column(rows->file, of, with->by);
	}
	return has;
}

static bool has(const struct sqlrows *rows, const struct sqlrows_column *column)
{
	const char *table =
		column->join == SQLROWS_OWN ? rows->plan->table : rows->plan->joins[column->join].table;

	return has_join(rows, column->join) && has_column(rows->file, table, column->name);
}

/* What a table is called in the command: t, j0, j1. */
static const char *alias(char text[ALIAS], int join)
{
	if (join == SQLROWS_OWN)
		return "t";
	snprintf(text, ALIAS, "j%d", join);
	return text;
}

static void set_missing(struct sqlrows *rows, const char *column)
{
	const struct sqlfile *file = rows->file;
	const char *table = rows->plan->table;

	if (file->columns[sqlfile_table(file, str_of(table))].count)
		set_text(rows->error, sizeof rows->error, "table %s has no column %s", table, column);
	else
		set_text(rows->error, sizeof rows->error, "the columns of table %s cannot be read", table);
}

static bool put_columns(struct sqlrows *rows, struct buf *sql)
{
	const struct sqlrows_plan *plan = rows->plan;
	int count = 1; /* rowid */

	buf_text(sql, "SELECT t.rowid");
	for (size_t i = 0; i < plan->columns_count; i++) {
		const struct sqlrows_column *column = &plan->columns[i];
		char table[ALIAS];

		rows->column[i] = -1;
		if (!has(rows, column)) {
			if (!column->needed)
				continue;
			set_missing(rows, column->name);
			return false;
		}
		buf_text(sql, ", ");
		put_name(sql, alias(table, column->join), column->name);
		rows->column[i] = count++;
	}
	return true;
}

static void put_joins(const struct sqlrows *rows, struct buf *sql)
{
	const struct sqlrows_plan *plan = rows->plan;

	for (int i = 0; i < (int)plan->joins_count; i++) {
		char table[ALIAS];

		if (!has_join(rows, i))
			continue;
		buf_format(sql, " LEFT JOIN [%s] AS %s ON ", plan->joins[i].table, alias(table, i));
		put_name(sql, table, plan->joins[i].key);
		buf_text(sql, " = ");
		put_name(sql, alias(table, plan->joins[i].of), plan->joins[i].by);
	}
}

/* The bound that was exceeded, or the reason of SQLite's last error. */
static void set_error(struct sqlrows *rows)
{
	const char *exceeded = sqlguard_exceeded(rows->file->guard);

	set_text(rows->error, sizeof rows->error, "table %s: %s", rows->plan->table,
	         exceeded ? exceeded : sqlite3_errmsg(rows->file->db));
}

/* From this rowid on. */
static void start_at(struct sqlrows *rows, int64_t rowid)
{
	sqlite3_reset(rows->statement);
	sqlite3_bind_int64(rows->statement, 1, rowid);
}

/* Makes the command of its columns complete. */
static bool prepare(struct sqlrows *rows, struct buf *sql, struct sqlite3_stmt **statement)
{
	buf_format(sql, " FROM [%s] AS t NOT INDEXED", rows->plan->table);
	put_joins(rows, sql);
	buf_text(sql, " WHERE t.rowid >= ?1 ORDER BY t.rowid");
	if (sqlite3_prepare_v2(rows->file->db, sql->data, (int)sql->len, statement, NULL) == SQLITE_OK)
		return true;
	set_error(rows);
	return false;
}

bool sqlrows_begin(struct sqlrows *rows, struct sqlfile *file, const struct sqlrows_plan *plan)
{
	struct buf sql = {0};
	bool good;

	*rows = (struct sqlrows){.file = file, .plan = plan};
	if (!sqlfile_has(file, plan->table)) {
		set_text(rows->error, sizeof rows->error, "there is no table %s", plan->table);
		return false;
	}
	/* It would hide the number of the row. */
	if (has_column(file, plan->table, "rowid")) {
		set_text(rows->error, sizeof rows->error, "table %s has a column rowid", plan->table);
		return false;
	}
	good = put_columns(rows, &sql) && prepare(rows, &sql, &rows->joined);
	for (int i = 0; i < (int)plan->joins_count; i++)
		rows->repeats |= has_join(rows, i);
	if (good) {
		rows->statement = rows->joined;
		start_at(rows, INT64_MIN);
	}
	buf_free(&sql);
	return good;
}

/* Whether the reason may be one page of the file, so that others can be read. */
static bool is_damage(int result)
{
	return (result & 0xff) == SQLITE_CORRUPT || (result & 0xff) == SQLITE_IOERR ||
	       (result & 0xff) == SQLITE_TOOBIG;
}

/* A row that does not follow the last row is damage of its page, or of the page before. */
static int step(struct sqlrows *rows, int64_t least)
{
	int result = sqlite3_step(rows->statement);

	return result == SQLITE_ROW && sqlite3_column_int64(rows->statement, 0) < least ? SQLITE_CORRUPT
	                                                                                : result;
}

/* The result of the first step from `gap` rowids after the last row on. */
static int probe(struct sqlrows *rows, int64_t last, int64_t gap)
{
	if (last > INT64_MAX - gap)
		return SQLITE_DONE;
	start_at(rows, last + gap);
	return step(rows, last + gap);
}

/*
 * Goes to the first row after the damage that can be read: doubles the gap until a row is found,
 * then halves it, as rows nearer to the damage may be good, too. Returns as sqlite3_step.
 */
static int step_over(struct sqlrows *rows)
{
	int64_t last = rows->any ? rows->rowid : 0;
	int64_t bad = 0;
	int64_t good = 0;
	int result = SQLITE_CORRUPT;

	for (int i = 0; i < PROBES && is_damage(result); i++) {
		good = INT64_C(1) << i;
		result = probe(rows, last, good);
		if (is_damage(result))
			bad = good;
	}
	if (is_damage(result))
		return SQLITE_DONE;
	while (good - bad > 1 && (result == SQLITE_ROW || result == SQLITE_DONE)) {
		int64_t middle = bad + (good - bad) / 2;
		int at_middle = probe(rows, last, middle);

		if (is_damage(at_middle)) {
			bad = middle;
		} else {
			good = middle;
			result = at_middle;
		}
	}
	return probe(rows, last, good);
}

static void note_damage(struct sqlrows *rows, int result)
{
	const char *reason = (result & 0xff) == SQLITE_IOERR ? "a page is cut off or cannot be read"
	                                                     : sqlite3_errstr(result & 0xff);

	if (rows->places++)
		return;
	if (rows->any)
		set_text(rows->damage, sizeof rows->damage,
		         "table %s is damaged after row %" PRId64 " (%s)", rows->plan->table, rows->rowid,
		         reason);
	else
		set_text(rows->damage, sizeof rows->damage, "table %s is damaged before its first row (%s)",
		         rows->plan->table, reason);
}

/* Whether a command reads all that it needs. */
static bool reads(struct sqlfile *file, const struct buf *sql)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(file->db, sql->data, (int)sql->len, &statement, NULL);

	if (result == SQLITE_OK)
		while ((result = sqlite3_step(statement)) == SQLITE_ROW)
			;
	sqlite3_finalize(statement);
	return !is_damage(result);
}

/* Whether all rows of a joined table can be read, and its index, if any. */
static bool is_sound(struct sqlfile *file, const struct sqlrows_join *join)
{
	struct buf sql = {0};
	bool sound;

	buf_format(&sql, "SELECT count([%s]) FROM [%s] NOT INDEXED", join->key, join->table);
	sound = reads(file, &sql);
	sql.len = 0;
	buf_format(&sql, "SELECT [%s] FROM [%s] ORDER BY 1", join->key, join->table);
	sound = sound && reads(file, &sql);
	buf_free(&sql);
	return sound;
}

/* Selects the columns in their places, NULL for the columns of dropped joins. */
static void put_sound_columns(const struct sqlrows *rows, struct buf *sql)
{
	buf_text(sql, "SELECT t.rowid");
	for (size_t i = 0; i < rows->plan->columns_count; i++) {
		char table[ALIAS];

		if (rows->column[i] < 0)
			continue;
		buf_text(sql, ", ");
		if (has(rows, &rows->plan->columns[i]))
			put_name(sql, alias(table, rows->plan->columns[i].join), rows->plan->columns[i].name);
		else
			buf_text(sql, "NULL");
	}
}

/* Whether a joined table is damaged; the rows can then be read without it. */
static bool has_sound(struct sqlrows *rows)
{
	const struct sqlrows_plan *plan = rows->plan;
	const char *damaged = NULL;
	struct buf sql = {0};

	if (rows->looked)
		return rows->sound != NULL;
	rows->looked = true;
	for (int i = 0; i < (int)plan->joins_count; i++) {
		if (!has_join(rows, i) || is_sound(rows->file, &plan->joins[i]))
			continue;
		damaged = damaged ? damaged : plan->joins[i].table;
		rows->dropped[i] = true;
	}
	if (!damaged)
		return false;
	set_text(rows->lack, sizeof rows->lack,
	         "table %s is damaged, so rows of table %s lack what it has for them", damaged,
	         plan->table);
	put_sound_columns(rows, &sql);
	if (!prepare(rows, &sql, &rows->sound))
		rows->sound = NULL;
	buf_free(&sql);
	return rows->sound != NULL;
}

/* Reads on without the damaged joins, as far as `result`, the first row after the damage. */
static int read_sound(struct sqlrows *rows, int result)
{
	rows->until = result == SQLITE_ROW && ++rows->lacking < SQLROWS_PLACES
	                  ? sqlite3_column_int64(rows->statement, 0)
	                  : INT64_MAX;
	rows->statement = rows->sound;
	if (rows->any && rows->rowid == INT64_MAX)
		return SQLITE_DONE;
	start_at(rows, rows->any ? rows->rowid + 1 : INT64_MIN);
	return step(rows, rows->any ? rows->rowid + 1 : INT64_MIN);
}

/* The least rowid that the next row may have: that of the last row only if joins repeat rows. */
static int64_t least_rowid(const struct sqlrows *rows)
{
	if (!rows->any)
		return INT64_MIN;
	return rows->repeats || rows->rowid == INT64_MAX ? rows->rowid : rows->rowid + 1;
}

/* The next row that can be read, with or without what other tables have. */
static int next_good(struct sqlrows *rows)
{
	int result = step(rows, least_rowid(rows));

	while (is_damage(result) && rows->places < SQLROWS_PLACES) {
		if (rows->statement == rows->joined && has_sound(rows)) {
			result = read_sound(rows, step_over(rows));
		} else {
			note_damage(rows, result);
			result = step_over(rows);
		}
	}
	if (rows->statement == rows->joined || rows->until == INT64_MAX ||
	    (result == SQLITE_ROW && sqlite3_column_int64(rows->statement, 0) < rows->until))
		return result;
	rows->statement = rows->joined;
	start_at(rows, rows->until);
	return step(rows, rows->until);
}

int sqlrows_next(struct sqlrows *rows)
{
	int result;

	if (rows->file->text_bytes / READ > sqlguard_most_text(rows->file->guard)) {
		set_text(rows->error, sizeof rows->error, "table %s: its texts are longer than the file",
		         rows->plan->table);
		return -1;
	}
	do {
		result = next_good(rows);
		if (is_damage(result))
			return 0; /* note_damage has recorded it */
		if (result == SQLITE_DONE)
			return 0;
		if (result != SQLITE_ROW) {
			set_error(rows);
			return -1;
		}
		if (!rows->any || sqlite3_column_int64(rows->statement, 0) != rows->rowid) {
			rows->any = true;
			rows->count++;
			rows->rowid = sqlite3_column_int64(rows->statement, 0);
			return 1;
		}
		rows->again++;
		if (rows->again > REPEATED + TIMES * rows->count) {
			set_text(rows->error, sizeof rows->error,
			         "table %s: another table has too many rows for each of its rows",
			         rows->plan->table);
			return -1;
		}
		if (rows->plan->many)
			return 1;
	} while (true);
}

bool sqlrows_has(const struct sqlrows *rows, size_t column)
{
	return rows->column[column] >= 0;
}

static enum sqlrows_value number_of_text(struct str text, int64_t *number)
{
	bool negative = text.n && *text.s == '-';
	uint64_t value;

	if (!str_whole((struct str){text.s + negative, text.n - negative}, &value) || value > INT64_MAX)
		return SQLROWS_OTHER;
	*number = negative ? -(int64_t)value : (int64_t)value;
	return SQLROWS_NUMBER;
}

/* REAL: whole numbers of up to 53 bits, as larger ones may have been rounded. */
static enum sqlrows_value number_of_real(double real, int64_t *number)
{
	const double most = (double)(INT64_C(1) << 53);

	if (!(real >= -most && real <= most) || (double)(int64_t)real != real)
		return SQLROWS_OTHER;
	*number = (int64_t)real;
	return SQLROWS_NUMBER;
}

enum sqlrows_value sqlrows_number(const struct sqlrows *rows, size_t column, int64_t *number)
{
	int at = rows->column[column];

	switch (at < 0 ? SQLITE_NULL : sqlite3_column_type(rows->statement, at)) {
	case SQLITE_INTEGER:
		*number = sqlite3_column_int64(rows->statement, at);
		return SQLROWS_NUMBER;
	case SQLITE_FLOAT:
		return number_of_real(sqlite3_column_double(rows->statement, at), number);
	case SQLITE_NULL:
		return SQLROWS_NULL;
	case SQLITE_TEXT:
		return number_of_text(sqlrows_text(rows, column), number);
	default:
		return SQLROWS_OTHER;
	}
}

int64_t sqlrows_number_or(const struct sqlrows *rows, size_t column, int64_t other)
{
	int64_t number = other;

	sqlrows_number(rows, column, &number);
	return number;
}

struct str sqlrows_text(const struct sqlrows *rows, size_t column)
{
	int at = rows->column[column];
	struct str text = at < 0 ? STR("") : sqlfile_text(rows->statement, at);

	rows->file->text_bytes += text.n;
	return text;
}

void sqlrows_end(struct sqlrows *rows)
{
	sqlite3_finalize(rows->joined);
	sqlite3_finalize(rows->sound);
	rows->statement = rows->joined = rows->sound = NULL;
}

/* Row by row, as a sum of a damaged table is not given. */
static void range_of_rows(struct sqlrows *rows, const struct sqlrows_plan *plan,
                          struct sqlfile *file, int shift, struct sqlrows_range *range)
{
	bool begun = sqlrows_begin(rows, file, plan);

	*range = (struct sqlrows_range){0};
	while (begun && sqlrows_next(rows) > 0) {
		int64_t number = sqlrows_number_or(rows, 0, 0) >> shift;

		range->rows++;
		if (number == 0)
			continue;
		range->least = range->found && range->least < number ? range->least : number;
		range->most = range->found && range->most > number ? range->most : number;
		range->found = true;
	}
}

void sqlrows_range(struct sqlrows *rows, const struct sqlrows_plan *plan, struct sqlfile *file,
                   int shift, struct sqlrows_range *range)
{
	const char *column = plan->columns[0].name;
	struct buf sql = {0};
	sqlite3_stmt *statement = NULL;
	bool good;

	*range = (struct sqlrows_range){0};
	*rows = (struct sqlrows){.file = file, .plan = plan};
	buf_format(&sql,
	           "SELECT count(*), min(nullif([%s] >> %d, 0)), max(nullif([%s] >> %d, 0)) FROM [%s] "
	           "NOT INDEXED",
	           column, shift, column, shift, plan->table);
	good = sqlite3_prepare_v2(file->db, sql.data, (int)sql.len, &statement, NULL) == SQLITE_OK &&
	       sqlite3_step(statement) == SQLITE_ROW;
	if (good) {
		range->rows = sqlite3_column_int64(statement, 0);
		range->found = sqlite3_column_type(statement, 1) == SQLITE_INTEGER;
		range->least = sqlite3_column_int64(statement, 1);
		range->most = sqlite3_column_int64(statement, 2);
	}
	if (!good && sqlite3_errcode(file->db) == SQLITE_NOMEM)
		die("out of memory");
	sqlite3_finalize(statement);
	buf_free(&sql);
	if (!good)
		range_of_rows(rows, plan, file, shift, range);
}
