#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { CHUNK = 1 << 18 };

/* Hidden, and no name that another program would give. */
static const char prefix[] = ".";
static const char suffix[] = ".kev-new";

static void fail(struct replace *r, const char *what)
{
	if (!r->error[0])
		snprintf(r->error, sizeof r->error, "%s: %s", what, strerror(errno));
}

/* False if there is no regular file of the name, or, with an error, if that is unknown. */
static bool look_at_old(struct replace *r, struct stat *old)
{
	if (fstatat(r->folder, r->name.data, old, AT_SYMLINK_NOFOLLOW) == 0)
		return S_ISREG(old->st_mode);
	if (errno != ENOENT)
		fail(r, "cannot be replaced");
	return false;
}

void replace_begin(struct replace *r, int folder, const char *name)
{
	struct stat old;
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	mode_t mode = 0666;

	*r = (struct replace){.folder = folder};
	buf_format(&r->name, "%s%c", name, '\0');
	buf_format(&r->beside, "%s%s%s%c", prefix, name, suffix, '\0');
	/* Nobody may read meanwhile what only some may read of the old one. */
	if (look_at_old(r, &old))
		mode = S_IRUSR | S_IWUSR;
	r->fd = openat(folder, r->beside.data, flags, mode);
	if (r->fd < 0 && errno == EEXIST && unlinkat(folder, r->beside.data, 0) == 0)
		r->fd = openat(folder, r->beside.data, flags, mode);
	if (r->fd < 0)
		fail(r, "cannot be written");
}

static void flush(struct replace *r)
{
	const char *data = r->out.data;
	size_t n = r->out.len;

	while (n && !r->error[0]) {
		ssize_t done = write(r->fd, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			fail(r, "cannot be written");
			break;
		}
		data += done;
		n -= (size_t)done;
	}
	r->out.len = 0;
}

void replace_write(struct replace *r, struct str text)
{
	buf_str(&r->out, text);
	if (r->out.len >= CHUNK)
		flush(r);
}

/* The new file gets what the old one has besides its bytes. */
static void take_mode(struct replace *r)
{
	struct stat old;
	struct stat new;

	if (!look_at_old(r, &old))
		return;
	if (fstat(r->fd, &new) != 0) {
		fail(r, "cannot be written");
		return;
	}
	/*
	 * Only root may give a file away; without that it belongs to who writes it. The group may be
	 * set by its members; to another one goes no more than to all.
	 */
	if ((new.st_uid != old.st_uid || new.st_gid != old.st_gid) &&
	    fchown(r->fd, old.st_uid, old.st_gid) != 0) {
		old.st_mode &= (mode_t) ~(S_ISUID | S_ISGID);
		if (new.st_gid != old.st_gid && fchown(r->fd, (uid_t)-1, old.st_gid) != 0)
			old.st_mode = (old.st_mode & ~(mode_t)S_IRWXG) | (old.st_mode & S_IRWXO) << 3;
	}
	/* Where all files have one mode, it cannot be set. */
	if ((new.st_mode & 07777) != (old.st_mode & 07777) && fchmod(r->fd, old.st_mode & 07777) != 0)
		fail(r, "its mode cannot be kept");
}

static void finish(struct replace *r)
{
	if (r->fd >= 0 && close(r->fd) != 0)
		fail(r, "cannot be written");
	r->fd = -1;
	buf_free(&r->out);
}

bool replace_commit(struct replace *r)
{
	bool begun = r->fd >= 0;

	flush(r);
	if (!r->error[0])
		take_mode(r);
	if (!r->error[0] && fsync(r->fd) != 0)
		fail(r, "cannot be written");
	finish(r);
	if (!r->error[0] && renameat(r->folder, r->beside.data, r->folder, r->name.data) != 0)
		fail(r, "cannot be replaced");
	if (r->error[0] && begun)
		unlinkat(r->folder, r->beside.data, 0);
	buf_free(&r->name);
	buf_free(&r->beside);
	return !r->error[0];
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
