/*
 * narrow - a library for LD_PRELOAD that refuses to widen pipes, as a system does if its user has
 * many large ones: a case of the suite, and scripts/bench to measure what wide pipes save.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>

typedef int fcntl_type(int, int, ...);

/* All arguments of fcntl are an int or a pointer, which one register holds. */
int fcntl(int fd, int command, ...)
{
	static fcntl_type *real;
	va_list args;

	va_start(args, command);
	void *argument = va_arg(args, void *);
	va_end(args);
	if (command == F_SETPIPE_SZ) {
		errno = EPERM;
		return -1;
	}
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fcntl");
	return real(fd, command, argument);
}

int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));
