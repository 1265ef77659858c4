#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): for realpath

#include "sqlfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "io/input.h"
#include "io/magic.h"

/* The header of a database, https://www.sqlite.org/fileformat2.html */
enum { HEADER = 100, PAGE_SIZE_AT = 16, CHANGES_AT = 24, PAGES_AT = 28, VALID_FOR_AT = 92 };

/* The bytes that programs lock while they write. */
enum { PENDING_BYTE = 0x40000000, LOCK_BYTES = 2, SHARED_BYTES = 510 };

static void set_error(struct sqlfile *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void set_error(struct sqlfile *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	plaintext_format(file->error, sizeof file->error, format, args);
	va_end(args);
}

static uint32_t number_at(const unsigned char *header, size_t at, size_t bytes)
{
	uint32_t number = 0;

	for (size_t i = 0; i < bytes; i++)
		number = number << 8 | header[at + i];
	return number;
}

/* --- the file before SQLite opens it --------------------------------------- */

/*
 * The first bytes of an open file, unpacked if it is gzipped; reading goes on from where it is.
 * What cannot be read is missing.
 */
static size_t read_head(int fd, const char *name, char head[MAGIC_BYTES])
{
	struct input in;
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	size_t n = 0;
	ssize_t got = 1;

	if (own < 0 || !input_open_fd(&in, own, name))
		return 0;
	while (n < MAGIC_BYTES && (got = input_read(&in, head + n, MAGIC_BYTES - n)) > 0)
		n += (size_t)got;
	input_close(&in);
	return n;
}

/* Whether the head is of another kind, which becomes the error. */
static bool is_foreign(struct sqlfile *file, struct str head)
{
	char what[MAGIC_MAX];

	file->foreign = magic_is_foreign(head, MAGIC_DATABASE, what);
	if (file->foreign)
		set_error(file, "%s", what);
	return file->foreign;
}

/* What a regular file is if its first bytes, raw, are not those of a database. */
static void name_kind(struct sqlfile *file, int fd, struct str raw)
{
	char head[MAGIC_BYTES];
	size_t n = lseek(fd, 0, SEEK_SET) == 0 ? read_head(fd, file->path, head) : 0;
	bool packed = str_starts(raw, STR("\x1f\x8b"));

	if (is_foreign(file, (struct str){head, n}))
		return;
	file->foreign = packed;
	if (packed)
		set_error(file, "this is compressed by gzip; unpack it first, by gunzip -k FILE");
	else if (raw.n == 0)
		set_error(file, "the file is empty: a database without tables");
	else if (str_starts(raw, STR("SQLite format 3")))
		set_error(file, "the header of the database is cut off: the file has %zu bytes", raw.n);
	else
		set_error(file, "this is not an SQLite database");
}

/* A pipe can only be of another kind: a database is read in any order. */
static enum sqlfile_result check_pipe(struct sqlfile *file, int fd, bool standard)
{
	char head[MAGIC_BYTES];
	int flags = fcntl(fd, F_GETFL);

	if (S_ISDIR(file->file.st_mode) || S_ISCHR(file->file.st_mode))
		;
	else if (standard || (flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0))
		is_foreign(file, (struct str){head, read_head(fd, file->path, head)});
	if (file->foreign)
		return SQLFILE_NONE;
	if (standard)
		set_error(file, "standard input cannot be a database, which is read in any order; name a "
		                "file");
	else
		set_error(file, "this is not a regular file, and a database must be one");
	file->foreign = standard;
	return standard ? SQLFILE_NONE : SQLFILE_UNOPENED;
}

/* Sets damage if the file has not the size of its pages. */
static void check_size(struct sqlfile *file, const unsigned char *header)
{
	uint32_t page_size = number_at(header, PAGE_SIZE_AT, 2);
	uint64_t pages = number_at(header, PAGES_AT, 4);
	uint64_t size = (uint64_t)file->file.st_size;
	uint64_t wanted = pages * (page_size == 1 ? 65536 : page_size);

	/* Versions before 3.7.0 did not keep the number of pages. */
	if (pages == 0 || number_at(header, CHANGES_AT, 4) != number_at(header, VALID_FOR_AT, 4) ||
	    size == wanted)
		return;
	if (size < wanted)
		snprintf(file->damage, sizeof file->damage,
		         "the file is cut off: it has %" PRIu64 " of %" PRIu64 " bytes", size, wanted);
	else
		snprintf(file->damage, sizeof file->damage,
		         "%" PRIu64 " bytes follow the end of the database", size - wanted);
}

/*
 * Whether another process holds a lock for writing. File systems without locks are read, too: a
 * change while the file is read is seen by its time.
 */
static bool is_locked(int fd)
{
	struct flock writing = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = PENDING_BYTE, .l_len = LOCK_BYTES};
	struct flock reading = {.l_type = F_RDLCK,
	                        .l_whence = SEEK_SET,
	                        .l_start = PENDING_BYTE + LOCK_BYTES,
	                        .l_len = SHARED_BYTES};

	return (fcntl(fd, F_GETLK, &writing) == 0 && writing.l_type == F_WRLCK) ||
	       (fcntl(fd, F_GETLK, &reading) == 0 && reading.l_type == F_WRLCK);
}

/* The first byte of the file, 0 if it is empty; -1 with errno if it cannot be read. */
static int first_byte(const char *path)
{
	unsigned char first = 0;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -1;
	do
		got = read(fd, &first, 1);
	while (got < 0 && errno == EINTR);
	close(fd);
	return got < 0 ? -1 : first;
}

/*
 * Whether a file of this name beside the database has a first byte that is not 0, or cannot be
 * read; then the error may say why.
 */
static bool has_content(struct sqlfile *file, const char *path, const char *suffix)
{
	struct buf name = {0};
	struct stat beside;
	int first;
	int error;

	buf_format(&name, "%s%s", path, suffix);
	buf_char(&name, '\0');
	first = first_byte(name.data);
	error = errno;
	if (first < 0 && stat(name.data, &beside) == 0)
		first = beside.st_size > 0;
	else if (first < 0 && errno == ENOENT)
		first = 0;
	else if (first < 0)
		set_error(file, "%s cannot be read: %s", name.data, strerror(error));
	buf_free(&name);
	return first != 0;
}

static bool is_settled_at(struct sqlfile *file, const char *path, int fd)
{
	if (has_content(file, path, "-wal")) {
		if (!file->error[0])
			set_error(
				file,
				"rows are still in %s-wal; bring them into the database by sqlite3 FILE 'pragma "
				"wal_checkpoint(truncate)'",
				path);
	} else if (has_content(file, path, "-journal")) {
		if (!file->error[0])
			set_error(
				file,
				"%s-journal has the rest of a change that was broken off; undo it by sqlite3 FILE "
				"'pragma integrity_check'",
				path);
	} else if (is_locked(fd)) {
		set_error(file, "the database is locked: another program writes to it");
	}
	return !file->error[0];
}

/* Whether all that was written to the database is in the file itself. */
static bool is_settled(struct sqlfile *file, int fd)
{
	/* The files beside a database stand beside the file that a link leads to. */
	char *real = realpath(file->path, NULL);
	bool settled = false;

	if (real || errno == ENOENT) /* a deleted file has no path, but may be open as /dev/fd/N */
		settled = is_settled_at(file, real ? real : file->path, fd);
	else
		set_error(file, "the files beside it cannot be found: %s", strerror(errno));
	free(real);
	return settled;
}

static enum sqlfile_result check_file(struct sqlfile *file, int fd, bool standard)
{
	unsigned char header[HEADER];
	size_t n = 0;
	ssize_t got;

	if (fstat(fd, &file->file) < 0) {
		set_error(file, "cannot be opened: %s", strerror(errno));
		return SQLFILE_UNOPENED;
	}
	if (standard || !S_ISREG(file->file.st_mode))
		return check_pipe(file, fd, standard);
	while ((got = read(fd, header + n, sizeof header - n)) != 0 && n < sizeof header) {
		if (got < 0 && errno != EINTR) {
			set_error(file, "cannot be read: %s", strerror(errno));
			return SQLFILE_UNOPENED;
		}
		n += got > 0 ? (size_t)got : 0;
	}
	if (n < HEADER || memcmp(header, "SQLite format 3", 16) != 0) {
		name_kind(file, fd, (struct str){(char *)header, n});
		return SQLFILE_NONE;
	}
	check_size(file, header);
	return is_settled(file, fd) ? SQLFILE_OK : SQLFILE_NONE;
}

/* --- SQLite ------------------------------------------------------------------ */

/* The path as a URI that lets SQLite take no locks and look for no files beside the database. */
static void put_uri(struct buf *uri, const char *path)
{
	static const char hex[] = "0123456789abcdef";

	buf_text(uri, *path == '/' ? "file://" : "file:");
	for (const char *at = path; *at; at++) {
		unsigned char c = (unsigned char)*at;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    strchr("/._-", c)) {
			buf_char(uri, (char)c);
		} else {
			buf_char(uri, '%');
			buf_char(uri, hex[c >> 4]);
			buf_char(uri, hex[c & 15]);
		}
	}
	buf_text(uri, "?mode=ro&immutable=1");
	buf_char(uri, '\0');
}

/* A wrong size of the file comes first: it is the likely cause, and what the user can mend. */
static void set_unreadable(struct sqlfile *file, const char *reason)
{
	set_error(file, "%s%sthe database cannot be read: %s", file->damage, *file->damage ? "; " : "",
	          reason);
}

static bool fail(struct sqlfile *file)
{
	const char *exceeded = sqlguard_exceeded(file->guard);

	set_unreadable(file, exceeded ? exceeded : sqlite3_errmsg(file->db));
	return false;
}

/* The first damage of the list is kept. */
static void set_list_damage(struct sqlfile *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void set_list_damage(struct sqlfile *file, const char *format, ...)
{
	va_list args;

	if (file->list_damage[0])
		return;
	va_start(args, format);
	plaintext_format(file->list_damage, sizeof file->list_damage, format, args);
	va_end(args);
}

struct str sqlfile_text(struct sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	/* For want of memory it is NULL, too. */
	if (!text && sqlite3_errcode(sqlite3_db_handle(statement)) == SQLITE_NOMEM)
		die("out of memory");
	return text ? (struct str){(const char *)text, (size_t)sqlite3_column_bytes(statement, column)}
	            : STR("");
}

static void put_lower(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		buf_char(out,
		         (char)(text.s[i] >= 'A' && text.s[i] <= 'Z' ? text.s[i] - 'A' + 'a' : text.s[i]));
}

/* PRAGMA table_xinfo("NAME"); a name is of the list, and may have any bytes but 0. */
static int prepare_columns(struct sqlfile *file, struct str name, sqlite3_stmt **statement)
{
	struct buf sql = {0};
	int got;

	buf_text(&sql, "PRAGMA table_xinfo(\"");
	for (size_t i = 0; i < name.n && name.s[i]; i++) {
		buf_text(&sql, name.s[i] == '"' ? "\"" : "");
		buf_char(&sql, name.s[i]);
	}
	buf_text(&sql, "\")");
	got = sqlite3_prepare_v2(file->db, sql.data, (int)sql.len, statement, NULL);
	buf_free(&sql);
	return got;
}

static bool read_columns(struct sqlfile *file, size_t table)
{
	enum { NAME = 1, HIDDEN = 6 };
	struct str name = strmap_key(&file->tables, table);
	struct buf *list = &file->column_list[table];
	struct buf lower = {0};
	sqlite3_stmt *statement = NULL;
	int got = prepare_columns(file, name, &statement);

	while (statement && (got = sqlite3_step(statement)) == SQLITE_ROW) {
		struct str column = sqlfile_text(statement, NAME);
		bool computed = sqlite3_column_int(statement, HIDDEN) != 0;

		lower.len = 0;
		put_lower(&lower, column);
		/* Computed columns are not read, but must not stand for the number of a row either. */
		if (computed && !str_equal(buf_view(&lower), STR("rowid")))
			continue;
		strmap_add(&file->columns[table], buf_view(&lower), NULL);
		if (computed)
			continue;
		buf_text(list, list->len ? "," : "");
		buf_str(list, column);
	}
	buf_free(&lower);
	if (got == SQLITE_NOMEM)
		fail(file);
	else if (list->len == 0)
		set_list_damage(file, "the columns of table %.*s cannot be read", (int)name.n, name.s);
	sqlite3_finalize(statement);
	/* Tables that SQLite understands can be read. */
	return got != SQLITE_NOMEM;
}

static bool starts(struct str text, const char *with)
{
	size_t n = strlen(with);

	return text.n >= n && sqlite3_strnicmp(text.s, with, (int)n) == 0;
}

/*
 * Adds the table of a row of sqlite_master if it is an ordinary one. SQLite writes CREATE TABLE in
 * this form. A virtual table has no root page in a file of SQLite, but may have one in a made file.
 */
static void add_table(struct sqlfile *file, sqlite3_stmt *row)
{
	enum { ROWID, TYPE, NAME, ROOT, SQL };
	struct str name;

	if (!str_equal(sqlfile_text(row, TYPE), STR("table")) || sqlite3_column_int64(row, ROOT) <= 0)
		return;
	name = sqlfile_text(row, NAME);
	if (starts(name, "sqlite_") || starts(sqlfile_text(row, SQL), "CREATE VIRTUAL "))
		return;
	if (name.n && starts(sqlfile_text(row, SQL), "CREATE TABLE "))
		strmap_add(&file->tables, name, NULL);
	else
		set_list_damage(file, "the list of tables has no definition of table %.*s", (int)name.n,
		                name.s);
}

/* As sqlite3_step; a row that does not follow the last one, or more bytes than the file, is damage.
 */
static int next_table(struct sqlfile *file, sqlite3_stmt *statement, int64_t *last)
{
	int got = sqlite3_step(statement);

	if (got != SQLITE_ROW)
		return got;
	if (sqlite3_column_int64(statement, 0) <= *last ||
	    strmap_bytes(&file->tables) > sqlguard_most_text(file->guard))
		return SQLITE_CORRUPT;
	*last = sqlite3_column_int64(statement, 0);
	add_table(file, statement);
	return got;
}

static bool read_tables(struct sqlfile *file)
{
	sqlite3_stmt *statement;
	int64_t last = INT64_MIN;
	int got =
		sqlite3_prepare_v2(file->db, "SELECT rowid, type, name, rootpage, sql FROM sqlite_master",
	                       -1, &statement, NULL);

	if (got != SQLITE_OK)
		return fail(file);
	if (sqlguard_exceeded(file->guard))
		set_list_damage(file, "the list of tables is damaged: %s", sqlguard_exceeded(file->guard));
	sqlguard_listed(file->guard);
	do
		got = next_table(file, statement, &last);
	while (got == SQLITE_ROW);
	if (got == SQLITE_CORRUPT)
		set_unreadable(file, sqlite3_errstr(got));
	else if (got != SQLITE_DONE)
		fail(file);
	sqlite3_finalize(statement);
	/* If the list of tables is damaged, SQLite knows the tables before the damage. */
	if (got == SQLITE_NOMEM || (got != SQLITE_DONE && file->tables.count == 0))
		return false;
	if (got != SQLITE_DONE) {
		set_list_damage(file, "the list of tables is damaged after the first %zu",
		                file->tables.count);
		file->error[0] = '\0';
	}
	file->columns = mem_zero(file->tables.count + 1, sizeof *file->columns);
	file->column_list = mem_zero(file->tables.count + 1, sizeof *file->column_list);
	for (size_t i = 0; i < file->tables.count; i++)
		if (!read_columns(file, i))
			return false;
	return true;
}

static bool open_database(struct sqlfile *file)
{
	struct buf uri = {0};
	int got;

	file->guard = sqlguard_new((uint64_t)file->file.st_size);
	put_uri(&uri, file->path);
	got = sqlite3_open_v2(uri.data, &file->db,
	                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
	                          SQLITE_OPEN_PRIVATECACHE,
	                      sqlguard_vfs(file->guard));
	buf_free(&uri);
	if (got != SQLITE_OK || !file->db) {
		set_error(file, "the database cannot be opened: %s",
		          file->db ? sqlite3_errmsg(file->db) : sqlite3_errstr(got));
		return false;
	}
	sqlguard_begin(file->guard, file->db);
	return read_tables(file);
}

enum sqlfile_result sqlfile_open(struct sqlfile *file, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	enum sqlfile_result result;
	int fd;

	*file = (struct sqlfile){.path = path};
	fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
	              : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		set_error(file, "cannot be opened: %s", strerror(errno));
		return SQLFILE_UNOPENED;
	}
	result = check_file(file, fd, standard);
	/* Closing the file after SQLite has opened it would drop SQLite's locks, but it takes none. */
	close(fd);
	if (result == SQLFILE_OK && !open_database(file))
		result = SQLFILE_NONE;
	return result;
}

size_t sqlfile_table(const struct sqlfile *file, struct str name)
{
	return strmap_find(&file->tables, name);
}

bool sqlfile_has(const struct sqlfile *file, const char *name)
{
	return sqlfile_table(file, str_of(name)) != STRMAP_NONE;
}

bool sqlfile_has_column(const struct sqlfile *file, size_t table, struct str column)
{
	struct buf lower = {0};
	bool has;

	put_lower(&lower, column);
	has = strmap_find(&file->columns[table], buf_view(&lower)) != STRMAP_NONE;
	buf_free(&lower);
	return has;
}

bool sqlfile_changed(const struct sqlfile *file)
{
	struct stat now;

	return stat(file->path, &now) < 0 || now.st_dev != file->file.st_dev ||
	       now.st_ino != file->file.st_ino || now.st_size != file->file.st_size ||
	       now.st_mtim.tv_sec != file->file.st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != file->file.st_mtim.tv_nsec;
}

void sqlfile_close(struct sqlfile *file)
{
	for (size_t i = 0; file->columns && i < file->tables.count; i++) {
		strmap_free(&file->columns[i]);
		if (file->column_list)
			buf_free(&file->column_list[i]);
	}
	free(file->columns);
	free(file->column_list);
	strmap_free(&file->tables);
	sqlite3_close(file->db);
	sqlguard_free(file->guard);
	*file = (struct sqlfile){0};
}
