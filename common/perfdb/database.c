#include "perfdb/database.h"

#include "base/die.h"
#include "base/mem.h"
#include "io/folder.h"
#include "io/input.h"
#include "io/replace.h"
#include "perfdb/schema.h"
#include "perfdb/signature.h"
#include "syntax/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool __attribute__((format(printf, 3, 4)))
fail(struct database *db, const char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(db->error, sizeof db->error, format, args);
	va_end(args);
	db->at.len = 0;
	buf_format(&db->at, "%s%c", at, '\0');
	return false;
}

/* --- locks --------------------------------------------------------------- */

/*
 * Locks an open folder, and removes what a killed run has left in it: two runs on it must not undo
 * each other's work.
 */
static bool hold(struct database *db, int folder, const char *path, const char *at)
{
	enum folder_lock locked;
	char holder[64];

	if (db->no_wait && !replace_lock(folder, false) && errno == EWOULDBLOCK) {
		folder_holder(folder, holder);
		return fail(db, path, "%s holds it", holder);
	}
	locked = folder_lock(folder, path);
	if (locked == FOLDER_LOCKED) {
		if (!db->look)
			folder_clean(folder, at);
		return true;
	}
	if (locked == FOLDER_BUSY || db->strict)
		return fail(db, path, "cannot be locked: %s", strerror(errno));
	/* Some network file systems have no locks for folders. */
	warn("%s: cannot be locked (%s): another run at this time may undo what this one does", path,
	     strerror(errno));
	return true;
}

/* --- which they are ------------------------------------------------------ */

/*
 * Whether the file, which is closed, has the header of one of a database; else, but for quiet, a
 * word of why not.
 */
static bool is_of_database(int fd, const char *path, bool quiet)
{
	struct csv_reader csv;
	const char *missing = NULL;
	bool pointer = false;
	int got = -1;

	if (csv_open_fd(&csv, fd, path, SIZE_MAX))
		got = csv_next(&csv);
	if (got > 0)
		missing = schema_missing(&csv);
	/* It stands for the file itself: it is one, and cannot be merged. */
	if (got < 0 && input_lfs_pointer(buf_view(&csv.window)))
		pointer = true;
	else if (quiet)
		;
	else if (got < 0)
		warn("%s: no file of a database (%s): left alone", path, csv.error);
	else if (got == 0)
		warn("%s: no file of a database (it is empty): left alone", path);
	else if (missing)
		warn("%s: no file of a database (there is no column '%s'): left alone", path, missing);
	csv_close(&csv);
	return pointer || (got > 0 && !missing);
}

/* A regular file, open. -1: *what says why it is left alone; it is NULL with an error. */
static int open_file(struct database *db, int folder, const char *name, const char *path,
                     const char **what)
{
	int fd = folder_file(folder, name, what);

	if (fd < 0 && !*what && errno == ENOENT)
		*what = "it has just been removed";
	else if (fd < 0 && !*what)
		fail(db, path, "cannot be opened: %s", strerror(errno));
	return fd;
}

static void add(struct database *db, struct str op, const char *path, bool exists)
{
	db->files = mem_grow(db->files, &db->cap, db->count + 1, sizeof *db->files);
	db->files[db->count++] = (struct database_file){.op = {mem_string(op.s, op.n), op.n},
	                                                .path = mem_string(path, strlen(path)),
	                                                .exists = exists};
}

bool database_wants(const struct database *db, struct str op)
{
	return db->ops.count == 0 || words_have(&db->ops, op);
}

/* A name in a folder: a file of ours, or none. */
static bool take_name(struct database *db, int folder, const char *name, const char *path)
{
	const char *what;
	struct str op;
	int fd;

	if (name[0] == '.' || !str_ends(str_of(name), STR(".csv")))
		return true;
	op = signature_operator(str_of(name));
	if (!database_wants(db, op))
		return true;
	fd = open_file(db, folder, name, path, &what);
	if (fd < 0 && what)
		warn("%s: %s: left alone", path, what);
	if (fd < 0)
		return what != NULL;
	/* Who names an operator vouches for its file. */
	if (db->ops.count)
		close(fd);
	if (db->ops.count || is_of_database(fd, path, false))
		add(db, op, path, true);
	return true;
}

/* Leaves errno alone. */
static bool is_linked_folder(int folder, const char *name)
{
	int before = errno;
	struct stat link;
	struct stat target;
	bool is = fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode) &&
	          fstatat(folder, name, &target, 0) == 0 && S_ISDIR(target.st_mode);

	errno = before;
	return is;
}

static bool is_passed_over(const char *name)
{
	return name[0] == '.' || str_starts(str_of(name), STR("msprof_run_"));
}

static bool scan(struct database *db, int folder, const char *at);

/* A name in a folder where those in it count, too. */
static bool take_below(struct database *db, int folder, const char *name, const char *path)
{
	int below = folder_below(folder, name);
	bool good;

	if (below >= 0) {
		good = scan(db, below, path);
		close(below);
		return good;
	}
	if (is_linked_folder(folder, name)) {
		warn("%s: a link to a folder: left alone", path);
		return true;
	}
	if (errno == ENOENT)
		return true; /* somebody has removed it meanwhile */
	if (errno != ENOTDIR && errno != ELOOP)
		return fail(db, path, "cannot be opened: %s", strerror(errno));
	return take_name(db, folder, name, path);
}

/* The files of a folder, and with operators of those in it. */
static bool scan(struct database *db, int folder, const char *at)
{
	struct folder_list list;
	bool good = true;

	if (!folder_list(&list, folder))
		return fail(db, *at ? at : db->path, "cannot be read: %s", strerror(errno));
	for (size_t i = 0; i < list.count && good; i++) {
		const char *name = list.name[i];
		struct buf path = {0};

		buf_format(&path, "%s%s%s%c", at, *at ? "/" : "", name, '\0');
		if (db->ops.count && !is_passed_over(name))
			good = take_below(db, folder, name, path.data);
		else
			good = take_name(db, folder, name, path.data);
		buf_free(&path);
	}
	folder_list_free(&list);
	return good;
}

bool database_open(struct database *db)
{
	db->folder = open(db->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (db->folder < 0)
		return fail(db, db->path, "cannot be opened: %s", strerror(errno));
	return hold(db, db->folder, db->path, "") && scan(db, db->folder, "");
}

bool database_has(const struct database *db, struct str op)
{
	for (size_t i = 0; i < db->count; i++)
		if (str_equal(op, db->files[i].op))
			return true;
	return false;
}

static char *find_below(int folder, const char *at)
{
	struct folder_list list;
	char *found = NULL;

	if (!folder_list(&list, folder))
		return NULL;
	for (size_t i = 0; i < list.count && !found; i++) {
		const char *name = list.name[i];
		struct buf path = {0};
		const char *what;
		int below = -1;
		int fd = -1;

		buf_format(&path, "%s%s%s%c", at, *at ? "/" : "", name, '\0');
		if (!is_passed_over(name))
			below = folder_below(folder, name);
		if (below < 0 && !is_passed_over(name) && errno != ENOTDIR && errno != ELOOP &&
		    errno != ENOENT)
			warn("%s: cannot be looked into: %s", path.data, strerror(errno));
		if (*at && below < 0 && name[0] != '.' && str_ends(str_of(name), STR(".csv")))
			fd = folder_file(folder, name, &what);
		if (fd >= 0 && is_of_database(fd, path.data, true))
			found = mem_string(path.data, path.len - 1);
		if (below >= 0) {
			found = find_below(below, path.data);
			close(below);
		}
		buf_free(&path);
	}
	folder_list_free(&list);
	return found;
}

char *database_below(const struct database *db)
{
	return find_below(db->folder, "");
}

bool database_add(struct database *db, struct str op)
{
	struct stat found;
	struct buf path = {0};
	bool taken;

	buf_format(&path, "%.*s.csv%c", (int)op.n, op.s, '\0');
	taken = fstatat(db->folder, path.data, &found, AT_SYMLINK_NOFOLLOW) == 0;
	if (taken)
		fail(db, path.data, "it is there, and no file of a database");
	else
		add(db, op, path.data, false);
	buf_free(&path);
	return !taken;
}

/* --- held ---------------------------------------------------------------- */

/* The path of the folder that a file is in; empty for the database itself. */
static struct str folder_path(const struct database_file *file)
{
	const char *slash = strrchr(file->path, '/');

	return (struct str){file->path, slash ? (size_t)(slash - file->path) : 0};
}

static int compare_folders(const void *a, const void *b)
{
	return str_compare(folder_path(a), folder_path(b));
}

static int compare_operators(const void *a, const void *b)
{
	return str_compare(((const struct database_file *)a)->op,
	                   ((const struct database_file *)b)->op);
}

static void sort(struct database *db, int compare(const void *, const void *))
{
	if (db->count)
		qsort(db->files, db->count, sizeof *db->files, compare);
}

/* Opens and locks the folder of a file below: another run may work on that one alone. */
static bool hold_below(struct database *db, struct database_file *file)
{
	struct str at = folder_path(file);
	struct buf path = {0};
	const char *name;
	bool good;

	buf_format(&path, "%.*s%c", (int)at.n, at.s, '\0');
	file->folder = folder_of(db->folder, file->path, &name);
	if (file->folder < 0)
		good = fail(db, path.data, "cannot be opened: %s", strerror(errno));
	else
		good = hold(db, file->folder, path.data, path.data);
	buf_free(&path);
	return good;
}

/*
 * Each folder once: its lock is held against ourselves, too. In the order of their paths, from
 * whatever folder above them, so that no two runs wait for each other.
 */
static bool hold_folders(struct database *db)
{
	sort(db, compare_folders);
	for (size_t i = 0; i < db->count; i++) {
		struct database_file *file = &db->files[i];
		struct str at = folder_path(file);

		file->name = file->path + at.n + (at.n > 0);
		if (at.n == 0)
			file->folder = db->folder;
		else if (i && str_equal(at, folder_path(file - 1)))
			file->folder = file[-1].folder;
		else if (!hold_below(db, file))
			return false;
	}
	return true;
}

bool database_hold(struct database *db)
{
	sort(db, compare_operators);
	for (size_t i = 1; i < db->count; i++)
		if (str_equal(db->files[i - 1].op, db->files[i].op))
			return fail(db, db->path, "two files of one operator: %s and %s", db->files[i - 1].path,
			            db->files[i].path);
	if (!hold_folders(db))
		return false;
	sort(db, compare_operators);
	return true;
}

int database_read(struct database *db, const struct database_file *file, const char **what)
{
	return open_file(db, file->folder, file->name, file->path, what);
}

bool database_sync(struct database *db)
{
	for (size_t i = 0; i < db->count; i++) {
		const struct database_file *file = &db->files[i];
		bool wanted = file->replaced;

		for (size_t j = 0; j < i && wanted; j++)
			wanted = !db->files[j].replaced || db->files[j].folder != file->folder;
		if (wanted && !replace_sync(file->folder))
			fail(db, file->folder == db->folder ? db->path : file->path,
			     "cannot be flushed to the disk: %s", strerror(errno));
	}
	return !db->error[0];
}

void database_close(struct database *db)
{
	for (size_t i = 0; i < db->count; i++) {
		struct database_file *file = &db->files[i];
		bool last = true;

		for (size_t j = i + 1; j < db->count && last; j++)
			last = db->files[j].folder != file->folder;
		if (last && file->name && file->folder != db->folder)
			close(file->folder);
		free((char *)file->op.s);
		free(file->path);
	}
	if (db->folder >= 0)
		close(db->folder);
	free(db->files);
	buf_free(&db->at);
}
