/*
 * faults - a library for LD_PRELOAD that makes one call of a program fail; faults.py drives it.
 *
 *	FAULT='read 3 5'	the third read of the main thread fails with errno 5
 *	FAULT='+read 1 0'	the first one of the other threads handles one byte only
 *	FAULT_COUNTS=FILE	at the end, write "KIND COUNT" for each kind of calls that were made
 *
 * Calls count from main on; those to standard error do not. The time stands still, as output may
 * contain it.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind {
	CALLOC,
	CLOSE,
	CLOSE_WRITTEN,
	FCHMOD,
	FCHOWN,
	FDOPENDIR,
	FLOCK,
	FSTAT,
	FSYNC,
	GETRANDOM,
	LSEEK,
	MALLOC,
	MKDIR,
	MKSTEMP,
	MMAP,
	OPEN,
	PIPE,
	POLL,
	PREAD,
	READ,
	READDIR,
	REALLOC,
	REALPATH,
	RENAME,
	SPAWN,
	THREAD,
	WAIT,
	WRITE,
	KINDS
};

static const char *const names[KINDS] = {
	[CALLOC] = "calloc",       [CLOSE] = "close",       [CLOSE_WRITTEN] = "close-written",
	[FCHMOD] = "fchmod",       [FCHOWN] = "fchown",     [FDOPENDIR] = "fdopendir",
	[FLOCK] = "flock",         [FSTAT] = "fstat",       [FSYNC] = "fsync",
	[GETRANDOM] = "getrandom", [LSEEK] = "lseek",       [MALLOC] = "malloc",
	[MKDIR] = "mkdir",         [MKSTEMP] = "mkstemp",   [MMAP] = "mmap",
	[OPEN] = "open",           [PIPE] = "pipe",         [POLL] = "poll",
	[PREAD] = "pread",         [READ] = "read",         [READDIR] = "readdir",
	[REALLOC] = "realloc",     [REALPATH] = "realpath", [RENAME] = "rename",
	[SPAWN] = "spawn",         [THREAD] = "thread",     [WAIT] = "wait",
	[WRITE] = "write",
};

enum { MAIN, OTHERS, WHO };

static struct {
	bool counting;
	pthread_t main_thread;
	atomic_ulong calls[KINDS][WHO];
	int kind; /* kind of the call to fail */
	int who;
	unsigned long number; /* number of the call to fail, from 1; 0: none */
	int error;            /* 0: it succeeds for one byte */
	int (*main)(int, char **, char **);
} faults;

/* The function of libc that a function here stands for. */
#define REAL(f) ((__typeof__(&(f)))dlsym(RTLD_NEXT, #f))

/* Counts a call. Returns whether it is the one to fail. */
static bool is_fault(enum kind kind)
{
	int who;

	if (!faults.counting)
		return false;
	who = pthread_equal(pthread_self(), faults.main_thread) ? MAIN : OTHERS;
	return atomic_fetch_add(&faults.calls[kind][who], 1) + 1 == faults.number &&
	       faults.kind == (int)kind && faults.who == who;
}

/* Counts a call. True, with errno, if it must fail. */
static bool fails(enum kind kind)
{
	if (!is_fault(kind) || !faults.error)
		return false;
	errno = faults.error;
	return true;
}

/* Like fails, for a call that handles *n bytes; it may succeed for a single byte. */
static bool fails_or_short(enum kind kind, size_t *n)
{
	if (!is_fault(kind))
		return false;
	errno = faults.error;
	if (!faults.error && *n)
		*n = 1;
	return faults.error != 0;
}

/* --- the calls -------------------------------------------------------------- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t n);

/* dlsym allocates, so these must do without it. */
void *malloc(size_t n)
{
	return fails(MALLOC) ? NULL : __libc_malloc(n);
}

void *calloc(size_t count, size_t size)
{
	return fails(CALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t n)
{
	return fails(REALLOC) ? NULL : __libc_realloc(old, n);
}

ssize_t read(int fd, void *data, size_t n)
{
	return fails_or_short(READ, &n) ? -1 : REAL(read)(fd, data, n);
}

ssize_t pread(int fd, void *data, size_t n, off_t at)
{
	return fails_or_short(PREAD, &n) ? -1 : REAL(pread)(fd, data, n, at);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return fails(MMAP) ? MAP_FAILED : REAL(mmap)(at, n, protection, flags, fd, offset);
}

ssize_t write(int fd, const void *data, size_t n)
{
	return fd != STDERR_FILENO && fails_or_short(WRITE, &n) ? -1 : REAL(write)(fd, data, n);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return fails(OPEN) ? -1 : REAL(open)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return fails(OPEN) ? -1 : REAL(openat)(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return fails(OPEN) ? NULL : REAL(fopen)(path, mode);
}

int mkstemp(char *path)
{
	return fails(MKSTEMP) ? -1 : REAL(mkstemp)(path);
}

/* Not a temporary file, which is also read; not a pipe. */
static bool is_written(int fd)
{
	struct stat found;

	return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY && REAL(fstat)(fd, &found) == 0 &&
	       S_ISREG(found.st_mode);
}

/* SQLite calls these names of functions. */
ssize_t pread64(int fd, void *data, size_t n, off64_t at)
{
	return fails_or_short(PREAD, &n) ? -1 : REAL(pread64)(fd, data, n, at);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
	return fails_or_short(WRITE, &n) ? -1 : REAL(pwrite64)(fd, data, n, at);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return fails(OPEN) ? -1 : REAL(open64)(path, flags, mode);
}

int fstat64(int fd, struct stat64 *found)
{
	return fails(FSTAT) ? -1 : REAL(fstat64)(fd, found);
}

int stat64(const char *path, struct stat64 *found)
{
	return fails(FSTAT) ? -1 : REAL(stat64)(path, found);
}

int lstat64(const char *path, struct stat64 *found)
{
	return fails(FSTAT) ? -1 : REAL(lstat64)(path, found);
}

char *realpath(const char *path, char *real)
{
	return fails(REALPATH) ? NULL : REAL(realpath)(path, real);
}

/* It is closed in any case. */
int close(int fd)
{
	bool failed = fails(is_written(fd) ? CLOSE_WRITTEN : CLOSE);
	int error = errno;
	int result = REAL(close)(fd);

	if (!failed)
		return result;
	errno = error;
	return -1;
}

off_t lseek(int fd, off_t at, int from)
{
	return fails(LSEEK) ? -1 : REAL(lseek)(fd, at, from);
}

int fstat(int fd, struct stat *found)
{
	return fails(FSTAT) ? -1 : REAL(fstat)(fd, found);
}

int stat(const char *path, struct stat *found)
{
	return fails(FSTAT) ? -1 : REAL(stat)(path, found);
}

int fstatat(int folder, const char *path, struct stat *found, int flags)
{
	return fails(FSTAT) ? -1 : REAL(fstatat)(folder, path, found, flags);
}

int fsync(int fd)
{
	return fails(FSYNC) ? -1 : REAL(fsync)(fd);
}

int rename(const char *from, const char *to)
{
	return fails(RENAME) ? -1 : REAL(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	return fails(RENAME) ? -1 : REAL(renameat)(from_folder, from, to_folder, to);
}

int fchmod(int fd, mode_t mode)
{
	return fails(FCHMOD) ? -1 : REAL(fchmod)(fd, mode);
}

int fchown(int fd, uid_t user, gid_t group)
{
	return fails(FCHOWN) ? -1 : REAL(fchown)(fd, user, group);
}

int mkdir(const char *path, mode_t mode)
{
	return fails(MKDIR) ? -1 : REAL(mkdir)(path, mode);
}

int flock(int fd, int how)
{
	return fails(FLOCK) ? -1 : REAL(flock)(fd, how);
}

DIR *fdopendir(int fd)
{
	return fails(FDOPENDIR) ? NULL : REAL(fdopendir)(fd);
}

struct dirent *readdir(DIR *folder)
{
	return fails(READDIR) ? NULL : REAL(readdir)(folder);
}

int pipe(int ends[2])
{
	return fails(PIPE) ? -1 : REAL(pipe)(ends);
}

int pipe2(int ends[2], int flags)
{
	return fails(PIPE) ? -1 : REAL(pipe2)(ends, flags);
}

/* It returns the error. */
int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	return fails(SPAWN) ? errno
	                    : REAL(posix_spawnp)(pid, file, actions, attributes, argv, environment);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return fails(WAIT) ? -1 : REAL(waitpid)(pid, status, options);
}

int waitid(idtype_t which, id_t id, siginfo_t *info, int options)
{
	return fails(WAIT) ? -1 : REAL(waitid)(which, id, info, options);
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	return fails(POLL) ? -1 : REAL(poll)(fds, count, timeout);
}

ssize_t getrandom(void *data, size_t n, unsigned flags)
{
	return fails(GETRANDOM) ? -1 : REAL(getrandom)(data, n, flags);
}

/* It returns the error. */
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *arg)
{
	return fails(THREAD) ? errno : REAL(pthread_create)(thread, how, run, arg);
}

time_t time(time_t *now)
{
	if (now)
		*now = 0;
	return 0;
}

/* --- from main to the end ---------------------------------------------------- */

static void set_fault(const char *text)
{
	char name[16] = "";

	faults.who = *text == '+' ? OTHERS : MAIN;
	sscanf(text + faults.who, "%15s %lu %d", name, &faults.number, &faults.error);
	while (faults.kind < KINDS && strcmp(names[faults.kind], name) != 0)
		faults.kind++;
}

static int counted_main(int argc, char **argv, char **environment)
{
	const char *fault = getenv("FAULT");

	if (fault)
		set_fault(fault);
	unsetenv("LD_PRELOAD");
	faults.main_thread = pthread_self();
	faults.counting = true;
	return faults.main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	faults.main = main;
	return REAL(__libc_start_main)(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

static void __attribute__((destructor)) write_counts(void)
{
	const char *path = getenv("FAULT_COUNTS");
	FILE *file;

	faults.counting = false;
	file = path ? fopen(path, "w") : NULL;
	for (int kind = 0; file && kind < KINDS; kind++)
		for (int who = 0; who < WHO; who++)
			if (faults.calls[kind][who])
				fprintf(file, "%s%s %lu\n", who == MAIN ? "" : "+", names[kind],
				        faults.calls[kind][who]);
	if (file)
		fclose(file);
}
