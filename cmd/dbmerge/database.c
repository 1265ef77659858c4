#include "database.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "io/folder.h"
#include "io/input.h"
#include "io/magic.h"
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
	plaintext_format(db->error, sizeof db->error, format, args);
	va_end(args);
	db->at.len = 0;
	buf_format(&db->at, "%s%c", at, '\0');
	return false;
}

/* --- locks --------------------------------------------------------------- */

/* Two runs on one folder would undo each other's work. */
static bool hold(struct database *db, int folder, const char *path, const char *at)
{
	enum folder_lock locked;
	char holder[64];

	if (db->no_wait && !replace_lock(folder, false) && errno == EWOULDBLOCK) {
		folder_holder(folder, holder);
		return fail(db, path, "locked by %s", holder);
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
	warn("%s: cannot be locked (%s); do not run another program on it at the same time", path,
	     strerror(errno));
	return true;
}

/* --- finding them -------------------------------------------------------- */

/*
 * Whether the open file, which is closed, has the header of a database: > 0 if so; 0 if not, with a
 * warning; < 0 with an error, if it cannot be read. Without db it is silent.
 */
static int is_of_database(struct database *db, int fd, const char *path)
{
	struct csv_reader csv;
	struct buf why = {0};
	bool fits = false;
	bool pointer = false;
	int got = -1;

	if (csv_open_fd(&csv, fd, path, SIZE_MAX))
		got = csv_next(&csv);
	if (got > 0)
		fits = schema_fits(&csv, &why);
	/* A pointer stands for a file of the database, which cannot be merged before it is fetched. */
	if (got < 0 && magic_is_lfs_pointer(buf_view(&csv.window)))
		pointer = true;
	else if (!db)
		;
	else if (csv.in.failed) /* maybe after the header */
		fail(db, path, "%s", csv.in.error);
	else if (got < 0)
		warn("%s: not a file of a database (%s); skipped", path, csv.error);
	else if (got == 0)
		warn("%s: not a file of a database (the file is empty); skipped", path);
	else if (!fits)
		warn("%s: not a file of a database (%.*s); skipped", path, (int)why.len, why.data);
	buf_free(&why);
	csv_close(&csv);
	if (csv.in.failed)
		return -1;
	return pointer || fits;
}

/* A regular file, open. -1: *why says why it must be skipped; it is NULL with an error. */
static int open_file(struct database *db, int folder, const char *name, const char *path,
                     const char **why)
{
	int fd = folder_file(folder, name, why);

	if (fd < 0 && !*why && errno == ENOENT)
		*why = "the file was removed by another program";
	else if (fd < 0 && !*why)
		fail(db, path, "cannot be opened: %s", strerror(errno));
	return fd;
}

static void add(struct database *db, struct str op, const char *path, bool exists)
{
	db->files = mem_grow(db->files, &db->cap, db->count + 1, sizeof *db->files);
	db->files[db->count++] = (struct database_file){.op = {mem_string(op.s, op.n), op.n},
	                                                .path = mem_string(path, strlen(path)),
	                                                .exists = exists};
	strmap_add(&db->names, op, NULL);
}

bool database_wants(const struct database *db, struct str op)
{
	return db->ops.count == 0 || words_have(&db->ops, op);
}

/* A name in a folder, which may be a file of the database. False with an error. */
static bool take_name(struct database *db, int folder, const char *name, const char *path)
{
	const char *why;
	struct str op;
	int is = 1;
	int fd;

	if (name[0] == '.' || !str_ends(str_of(name), STR(".csv")))
		return true;
	op = signature_operator(str_of(name));
	if (!database_wants(db, op))
		return true;
	fd = open_file(db, folder, name, path, &why);
	if (fd < 0 && why)
		warn("%s: %s; skipped", path, why);
	if (fd < 0)
		return why != NULL;
	/* The user named the operator, so the header need not be looked at. */
	if (db->ops.count && !db->here)
		close(fd);
	else
		is = is_of_database(db, fd, path);
	if (is > 0)
		add(db, op, path, true);
	return is >= 0;
}

/* Keeps errno. */
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

static bool is_ignored(const char *name)
{
	return name[0] == '.' || str_starts(str_of(name), STR("msprof_run_"));
}

static bool scan(struct database *db, int folder, const char *at);

/* A name in a folder, or a subfolder. False with an error. */
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
		warn("%s: a link to a folder; skipped", path);
		return true;
	}
	if (errno == ENOENT)
		return true; /* removed by another program */
	if (errno != ENOTDIR && errno != ELOOP)
		return fail(db, path, "cannot be opened: %s", strerror(errno));
	return take_name(db, folder, name, path);
}

/* The files of a folder; with operators also the files of its subfolders. False with an error. */
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
		if (db->ops.count && !db->here && !is_ignored(name))
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
	return strmap_find(&db->names, op) != STRMAP_NONE;
}

bool database_has_kind(const struct database *db, struct str op)
{
	bool found = database_has(db, op);

	for (int i = 0; signature_is_matmul(op) && i < SIGNATURE_MATMULS; i++)
		found |= database_has(db, str_of(signature_matmuls[i]));
	return found;
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
		const char *why;
		int below = -1;
		int fd = -1;

		buf_format(&path, "%s%s%s%c", at, *at ? "/" : "", name, '\0');
		if (!is_ignored(name))
			below = folder_below(folder, name);
		if (below < 0 && !is_ignored(name) && errno != ENOTDIR && errno != ELOOP && errno != ENOENT)
			warn("%s: cannot be opened: %s", path.data, strerror(errno));
		if (*at && below < 0 && name[0] != '.' && str_ends(str_of(name), STR(".csv")))
			fd = folder_file(folder, name, &why);
		if (fd >= 0 && is_of_database(NULL, fd, path.data) > 0)
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
		fail(db, path.data, "the file exists, but is not a file of a database");
	else
		add(db, op, path.data, false);
	buf_free(&path);
	return !taken;
}

/* --- holding them -------------------------------------------------------- */

/* The path of a file's folder; empty for the database itself. */
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

static const struct database_file *find_file(const struct database *db, struct str op)
{
	const struct database_file key = {.op = op};

	return db->count ? bsearch(&key, db->files, db->count, sizeof key, compare_operators) : NULL;
}

static bool is_skipped(const struct database *db, struct str op)
{
	const struct database_file *file = find_file(db, op);

	return file && file->skipped;
}

bool database_skipped(const struct database *db, struct str op)
{
	bool skipped = is_skipped(db, op);

	for (int i = 0; signature_is_matmul(op) && i < SIGNATURE_MATMULS; i++)
		skipped |= is_skipped(db, str_of(signature_matmuls[i]));
	return skipped;
}

/* Opens and locks a subfolder: another run may have it as its database. */
static bool hold_below(struct database *db, struct database_file *file)
{
	struct str at = folder_path(file);
	struct buf path = {0};
	const char *name;
	bool good;

	buf_format(&path, "%.*s%c", (int)at.n, at.s, '\0');
	file->folder = folder_of(db->folder, file->path, &name);
	if (file->folder < 0) {
		good = fail(db, path.data, "cannot be opened: %s", strerror(errno));
	} else {
		db->folders =
			mem_grow(db->folders, &db->folders_cap, db->folders_count + 1, sizeof *db->folders);
		db->folders[db->folders_count++] = file->folder;
		file->at = db->folders_count;
		good = hold(db, file->folder, path.data, path.data);
	}
	buf_free(&path);
	return good;
}

/*
 * Locks each folder once, as its lock would also stop ourselves. Every run locks in the order of
 * paths, whichever folder above it begins with, so no two runs wait for each other.
 */
static bool hold_folders(struct database *db)
{
	sort(db, compare_folders);
	for (size_t i = 0; i < db->count; i++) {
		struct database_file *file = &db->files[i];
		struct str at = folder_path(file);

		file->name = file->path + at.n + (at.n > 0);
		if (at.n == 0) {
			file->folder = db->folder;
		} else if (i && str_equal(at, folder_path(file - 1))) {
			file->folder = file[-1].folder;
			file->at = file[-1].at;
		} else if (!hold_below(db, file)) {
			return false;
		}
	}
	return true;
}

bool database_hold(struct database *db)
{
	sort(db, compare_operators);
	for (size_t i = 1; i < db->count; i++)
		if (str_equal(db->files[i - 1].op, db->files[i].op))
			return fail(db, db->path, "two files of one operator: %s and %s; remove one of them",
			            db->files[i - 1].path, db->files[i].path);
	if (!hold_folders(db))
		return false;
	sort(db, compare_operators);
	return true;
}

int database_read(struct database *db, const struct database_file *file, const char **why)
{
	return open_file(db, file->folder, file->name, file->path, why);
}

bool database_sync(struct database *db)
{
	bool *synced = mem_zero(db->folders_count + 1, sizeof *synced);

	for (size_t i = 0; i < db->count; i++) {
		const struct database_file *file = &db->files[i];

		if (!file->replaced || synced[file->at])
			continue;
		synced[file->at] = true;
		if (!replace_sync(file->folder))
			fail(db, file->at ? file->path : db->path, "cannot be flushed to the disk: %s",
			     strerror(errno));
	}
	free(synced);
	return !db->error[0];
}

void database_close(struct database *db)
{
	for (size_t i = 0; i < db->count; i++) {
		free((char *)db->files[i].op.s);
		free(db->files[i].path);
	}
	for (size_t i = 0; i < db->folders_count; i++)
		close(db->folders[i]);
	if (db->folder >= 0)
		close(db->folder);
	free(db->files);
	free(db->folders);
	strmap_free(&db->names);
	buf_free(&db->at);
}
