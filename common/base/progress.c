#include "base/progress.h"

#include "base/die.h"
#include "base/plaintext.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 2000, NEXT_MS = 200 };

/* Goes to the line's beginning and erases it, by ECMA-48. */
#define ERASE "\r\033[K"

struct progress {
	bool known; /* whether it may be drawn, which is */
	bool on;
	bool drawn;
	int64_t begin_ms; /* time when reading began; 0: not begun */
	int64_t drawn_ms; /* the last line; 0: none */
	const char *path; /* the file that is being read */
	int64_t file_ms;  /* time when reading of the file began */
	off_t at;         /* bytes read of the file */
};

static struct progress *the_progress(void)
{
	static struct progress progress;

	return &progress;
}

static int64_t now_ms(void)
{
	struct timespec now;

	return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? now.tv_sec * 1000LL + now.tv_nsec / 1000000
	                                                 : 0;
}

void progress_off(void)
{
	progress_clear();
	*the_progress() = (struct progress){.known = true};
}

bool progress_is_on(void)
{
	struct progress *progress = the_progress();
	const char *wanted = getenv("KEV_PROGRESS");

	if (!progress->known)
		progress->on = isatty(STDERR_FILENO) && (!wanted || strcmp(wanted, "0") != 0);
	progress->known = true;
	return progress->on;
}

static void put(const char *text)
{
	fputs(text, stderr);
	fflush(stderr);
}

void progress_clear(void)
{
	struct progress *progress = the_progress();

	if (progress->drawn)
		put(ERASE);
	progress->drawn = false;
}

void progress_written(int fd)
{
	if (the_progress()->on && isatty(fd))
		progress_off();
}

/* Begins a file, or a second look at a file: each has its own speed. */
static void begin_file(struct progress *progress, const char *path, int64_t now)
{
	progress->path = path;
	progress->file_ms = now;
	progress->at = 0;
}

static void draw(struct progress *progress, off_t size, int64_t now)
{
	enum { MB = 1000000 };
	int64_t ms = now > progress->file_ms ? now - progress->file_ms : 1;
	const char *slash = strrchr(progress->path, '/');
	char name[32];
	char line[160];

	plaintext_fit(name, sizeof name, str_of(slash ? slash + 1 : progress->path));
	snprintf(line, sizeof line, ERASE "%s: %s: %lld of %lld MB, %lld MB/s", die_program(), name,
	         (long long)progress->at / MB, (long long)size / MB,
	         (long long)(progress->at / ms * 1000 / MB));
	if (progress->drawn_ms == 0)
		atexit(progress_clear);
	put(line);
	progress->drawn = true;
	progress->drawn_ms = now;
}

void progress_read(const char *path, int fd, off_t size)
{
	struct progress *progress = the_progress();
	int64_t now;
	off_t at;

	if (!progress_is_on())
		return;
	now = now_ms();
	if (progress->begin_ms == 0)
		progress->begin_ms = now;
	if (progress->path != path)
		begin_file(progress, path, now);
	if (now - progress->begin_ms < FIRST_MS || now - progress->drawn_ms < NEXT_MS)
		return;
	at = lseek(fd, 0, SEEK_CUR);
	if (at < progress->at)
		begin_file(progress, path, progress->drawn_ms);
	progress->at = at;
	if (at >= 0)
		draw(progress, size, now);
}
