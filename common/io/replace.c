#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Hidden, and no name that another program would give. */
static const char prefix[] = ".";
static const char suffix[] = ".kev-new";

static bool fail(char error[REPLACE_ERROR], const char *what)
{
	snprintf(error, REPLACE_ERROR, "%s: %s", what, strerror(errno));
	return false;
}

/* 1: the name is a regular file; 0: it is missing; -1, with errno: unknown. */
static int look_at_old(int folder, const char *name, struct stat *old)
{
	if (fstatat(folder, name, old, AT_SYMLINK_NOFOLLOW) == 0)
		return S_ISREG(old->st_mode);
	return errno == ENOENT ? 0 : -1;
}

static int open_beside(int folder, const char *name, const char *beside)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	mode_t mode = 0666;
	struct stat old;
	int there;
	int fd;

	/* Nobody may read meanwhile what only some may read of the old one. */
	there = look_at_old(folder, name, &old);
	if (there < 0)
		return -1;
	if (there)
		mode = S_IRUSR | S_IWUSR;
	fd = openat(folder, beside, flags, mode);
	if (fd < 0 && errno == EEXIST && unlinkat(folder, beside, 0) == 0)
		fd = openat(folder, beside, flags, mode);
	return fd;
}

static bool write_all(int fd, struct str text)
{
	while (text.n) {
		ssize_t done = write(fd, text.s, text.n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		text.s += done;
		text.n -= (size_t)done;
	}
	return true;
}

/* Gives the new file what the old file has besides its bytes. */
static bool take_mode(int fd, int folder, const char *name, char error[REPLACE_ERROR])
{
	struct stat old;
	struct stat new;

	const int there = look_at_old(folder, name, &old);

	if (there <= 0)
		return there == 0 || fail(error, "cannot be replaced");
	if (fstat(fd, &new) != 0)
		return fail(error, "cannot be written");
	/*
	 * Only root may give a file away; otherwise it belongs to the user who writes it. A member may
	 * set the group; another group gets only the rights that all users have.
	 */
	if ((new.st_uid != old.st_uid || new.st_gid != old.st_gid) &&
	    fchown(fd, old.st_uid, old.st_gid) != 0) {
		old.st_mode &= (mode_t) ~(S_ISUID | S_ISGID);
		if (new.st_gid != old.st_gid && fchown(fd, (uid_t)-1, old.st_gid) != 0)
			old.st_mode = (old.st_mode & ~(mode_t)S_IRWXG) | (old.st_mode & S_IRWXO) << 3;
	}
	/* Where all files have one mode, it cannot be set. */
	return (new.st_mode & 07777) == (old.st_mode & 07777) || fchmod(fd, old.st_mode & 07777) == 0 ||
	       fail(error, "its mode cannot be kept");
}

/* Fills the new file, which is closed. */
static bool fill(int fd, int folder, const char *name, struct str text, char error[REPLACE_ERROR])
{
	bool good = write_all(fd, text) || fail(error, "cannot be written");

	good = good && take_mode(fd, folder, name, error);
	good = good && (fsync(fd) == 0 || fail(error, "cannot be written"));
	return (close(fd) == 0 || (good && fail(error, "cannot be written"))) && good;
}

bool replace_file(int folder, const char *name, struct str text, char error[REPLACE_ERROR])
{
	struct buf beside = {0};
	bool good;
	int fd;

	buf_format(&beside, "%s%s%s%c", prefix, name, suffix, '\0');
	fd = open_beside(folder, name, beside.data);
	good = fd >= 0 ? fill(fd, folder, name, text, error) : fail(error, "cannot be written");
	if (good && renameat(folder, beside.data, folder, name) != 0)
		good = fail(error, "cannot be replaced");
	if (!good && fd >= 0)
		unlinkat(folder, beside.data, 0);
	buf_free(&beside);
	return good;
}

bool replace_sync(int folder)
{
	/* Some network file systems cannot, and do so by themselves. */
	return fsync(folder) == 0 || errno == EINVAL;
}

bool replace_left_over(const char *name)
{
	return str_starts(str_of(name), str_of(prefix)) && str_ends(str_of(name), str_of(suffix));
}

bool replace_lock(int folder, bool wait)
{
	int got;

	do
		got = flock(folder, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
	while (got != 0 && errno == EINTR);
	return got == 0;
}

pid_t replace_holder(int folder)
{
	FILE *locks = fopen("/proc/locks", "r");
	char line[256];
	struct stat st;
	pid_t holder = 0;

	if (!locks || fstat(folder, &st) != 0)
		st = (struct stat){0};
	/* "1: FLOCK  ADVISORY  WRITE 4711 fd:00:1234 0 EOF"; who waits has "->" before FLOCK. */
	while (locks && !holder && fgets(line, sizeof line, locks)) {
		unsigned device[2];
		unsigned long inode;
		int pid;

		if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &pid, &device[0], &device[1], &inode) ==
		        4 &&
		    device[0] == major(st.st_dev) && device[1] == minor(st.st_dev) && inode == st.st_ino &&
		    pid > 0)
			holder = pid;
	}
	if (locks)
		fclose(locks);
	return holder;
}
