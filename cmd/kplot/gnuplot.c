#include "gnuplot.h"

#include "base/mem.h"
#include "base/plaintext.h"
#include "io/folder.h"
#include "io/spool.h"

#include "svg.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CHUNK = 1 << 16 };

static bool fail(char error[GNUPLOT_ERROR], const char *what, const char *reason)
{
	size_t n = (size_t)snprintf(error, GNUPLOT_ERROR, "%s: ", what);

	plaintext_fit(error + n, GNUPLOT_ERROR - n, str_of(reason));
	return false;
}

enum { NOT_FOUND = 127 }; /* posix_spawn(3) may report so, in the exit status */

static bool fail_missing(char error[GNUPLOT_ERROR])
{
	return fail(error, "gnuplot is not installed", "install the package gnuplot-nox");
}

/* Starts gnuplot; its process, or 0 if that fails. */
static pid_t start(int script, int picture, int messages, char error[GNUPLOT_ERROR])
{
	char *argv[] = {"gnuplot", "-d", NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid = 0;
	int failed = posix_spawn_file_actions_init(&actions);

	if (!failed) {
		failed = posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
		if (!failed)
			failed = posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
		if (!failed)
			failed = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
		if (!failed)
			failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	if (failed == ENOENT)
		fail_missing(error);
	else if (failed)
		fail(error, "gnuplot cannot be started", strerror(failed));
	return failed ? 0 : pid;
}

static bool read_all(int fd, struct buf *out, char error[GNUPLOT_ERROR])
{
	for (;;) {
		char *to = buf_reserve(out, CHUNK);
		ssize_t got = read(fd, to, CHUNK);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(error, "gnuplot's picture cannot be read", strerror(errno));
		if (got == 0)
			return true;
		out->len += (size_t)got;
	}
}

/* The last error that gnuplot printed, "   line 0: undefined function: foo", or its last line. */
static bool put_message(const struct spool *messages, char error[GNUPLOT_ERROR])
{
	char text[2000];
	ssize_t n = pread(messages->fd, text, sizeof text - 1, 0);
	const char *found = "it printed no reason";
	bool is_error = false;

	text[n > 0 ? n : 0] = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		line += strspn(line, " \t^");
		if (strncmp(line, "line ", 5) == 0 && !strstr(line, ": warning: ")) {
			found = line;
			is_error = true;
		} else if (*line && !is_error) {
			found = line;
		}
	}
	return fail(error, "gnuplot failed", found);
}

static bool is_whole(enum picture picture, struct str text)
{
	static const struct str begins[PICTURES] = {
		{"<?xml", 5}, {"\x89PNG\r\n\x1a\n", 8}, {"%PDF-", 5}};
	static const struct str ends[PICTURES] = {
		{"</svg>", 6}, {"IEND\xae\x42\x60\x82", 8}, {"%%EOF", 5}};

	while (picture != PICTURE_PNG && text.n && text.s[text.n - 1] == '\n')
		text.n--;
	return str_starts(text, begins[picture]) && str_ends(text, ends[picture]);
}

/* Waits for the process. Sets its exit status, below 0 if a signal ended it. */
static bool end(pid_t pid, int *status, char error[GNUPLOT_ERROR])
{
	int how;

	while (waitpid(pid, &how, 0) < 0)
		if (errno != EINTR)
			return fail(error, "gnuplot cannot be waited for", strerror(errno));
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
	return true;
}

/* With the script and a file for messages open. */
static bool run(const struct spool *script, const struct spool *messages, enum picture picture,
                struct buf *out, char error[GNUPLOT_ERROR])
{
	size_t begin = out->len;
	int ends[2];
	pid_t pid;
	int status;
	bool good;

	if (pipe(ends) != 0)
		return fail(error, "gnuplot cannot be started", strerror(errno));
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	pid = start(script->fd, ends[1], messages->fd, error);
	close(ends[1]);
	good = pid && read_all(ends[0], out, error);
	close(ends[0]);
	if (!pid || !end(pid, &status, error))
		return false;
	if (status == NOT_FOUND && good)
		good = fail_missing(error);
	else if (status && good)
		good = put_message(messages, error);
	if (good && !is_whole(picture, (struct str){out->data + begin, out->len - begin}))
		good = put_message(messages, error);
	return good;
}

bool gnuplot_run(struct str script, enum picture picture, struct buf *out,
                 char error[GNUPLOT_ERROR])
{
	struct spool file;
	struct spool messages;
	bool good = false;

	if (!spool_open(&file))
		return fail(error, "gnuplot's script", file.error);
	if (!spool_open(&messages)) {
		fail(error, "gnuplot's messages", messages.error);
	} else {
		good = spool_write(&file, script.s, script.n) && spool_rewind(&file);
		if (!good)
			fail(error, "gnuplot's script", file.error);
		good = good && run(&file, &messages, picture, out, error);
		spool_close(&messages);
	}
	spool_close(&file);
	return good;
}

static bool put_file(const char *path, struct str text, struct buf *error)
{
	char reason[256];
	bool good = folder_replace(path, text, reason);

	if (!good)
		buf_format(error, "%s: %s", path, reason);
	return good;
}

bool gnuplot_write(const char *path, struct str script, struct str title, struct buf *error)
{
	enum picture picture = script_picture(path);
	char reason[GNUPLOT_ERROR];
	struct buf made = {0};
	struct buf tidy = {0};
	bool good = gnuplot_run(script, picture, &made, reason);

	if (!good)
		buf_text(error, reason);
	if (good && picture == PICTURE_SVG)
		svg_tidy(&tidy, buf_view(&made), title);
	good = good && put_file(path, buf_view(picture == PICTURE_SVG ? &tidy : &made), error);
	buf_free(&made);
	buf_free(&tidy);
	return good;
}
