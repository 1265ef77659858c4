#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for pipe2
#include "io/sorter.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 1 << 18 }; /* a pipe holds so much, if it can */

static bool fail(struct sorter *sorter, const char *what, int error)
{
	snprintf(sorter->error, sizeof sorter->error, "%s: %s", what, strerror(error));
	return false;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_input(struct sorter *sorter)
{
	close_end(&sorter->to);
	if (sorter->ignores)
		sigaction(SIGPIPE, &sorter->before, NULL);
	sorter->ignores = false;
}

/* --- signals ------------------------------------------------------------------- */

static const int passed[SORTER_SIGNALS] = {SIGHUP, SIGINT, SIGTERM};

/* The process of sort(1); 0: none. pass_on gets nothing but the number of the signal. */
static volatile sig_atomic_t *running(void)
{
	static volatile sig_atomic_t pid;

	_Static_assert(sizeof pid >= sizeof(pid_t), "a process fits");
	return &pid;
}

/* Ends sort(1), also a stopped one, and then this process: SA_RESETHAND and SA_NODEFER are set. */
static void pass_on(int number)
{
	pid_t pid = *running();

	if (pid) {
		kill(pid, SIGTERM);
		kill(pid, SIGCONT);
		waitpid(pid, NULL, 0);
	}
	raise(number);
}

/* A signal that is ignored, as under nohup(1), stays ignored. */
static void pass_signals(struct sorter *sorter)
{
	struct sigaction action = {.sa_handler = pass_on, .sa_flags = (int)SA_RESETHAND | SA_NODEFER};

	for (int i = 0; i < SORTER_SIGNALS; i++) {
		sigaction(passed[i], NULL, &sorter->ends[i]);
		if (sorter->ends[i].sa_handler != SIG_IGN)
			sigaction(passed[i], &action, NULL);
	}
	sorter->passes = true;
}

static void pass_no_signals(struct sorter *sorter)
{
	for (int i = 0; i < SORTER_SIGNALS && sorter->passes; i++)
		sigaction(passed[i], &sorter->ends[i], NULL);
	sorter->passes = false;
}

/* --- the process ----------------------------------------------------------------- */

/* Waits for the end of sort(1). */
static bool await(struct sorter *sorter, int *status)
{
	pid_t pid = sorter->pid;
	siginfo_t info;

	sorter->pid = 0;
	/* Until it is reaped, no other process can have its number and get a signal in its place. */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	*running() = 0;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

/* Waits for the end of sort(1). False, with the reason in error, if sort(1) failed. */
static bool ends_well(struct sorter *sorter)
{
	int status = 0;

	if (!await(sorter, &status))
		return fail(sorter, "cannot be waited for", errno);
	if (WIFSIGNALED(status))
		snprintf(sorter->error, sizeof sorter->error, "was ended by signal %d", WTERMSIG(status));
	else if (status)
		snprintf(sorter->error, sizeof sorter->error,
		         "failed with status %d; TMPDIR=FOLDER gives it another folder for temporary files",
		         WEXITSTATUS(status));
	return status == 0;
}

/* Starts sort(1) between two pipes: it reads from in and writes to out. It blocks these signals. */
static int spawn(struct sorter *sorter, int in, int out, const sigset_t *mask)
{
	/* From a pipe it would else take little memory, and use TMPDIR soon. */
	char *const argv[] = {(char[]){"sort"}, (char[]){"-S"}, (char[]){"1G"}, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		sigemptyset(&defaults);
		sigaddset(&defaults, SIGPIPE);
		posix_spawnattr_setsigdefault(&attributes, &defaults);
		posix_spawnattr_setsigmask(&attributes, mask);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
		error = posix_spawn_file_actions_adddup2(&actions, in, 0);
		if (!error)
			error = posix_spawn_file_actions_adddup2(&actions, out, 1);
		if (!error)
			error = posix_spawnp(&sorter->pid, argv[0], &actions, &attributes, argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

bool sorter_open(struct sorter *sorter)
{
	int in[2];
	int out[2];
	sigset_t all;
	sigset_t before;
	int error;

	*sorter = (struct sorter){.open = true, .to = -1, .from = -1};
	if (setenv("LC_ALL", "C", 1) != 0) /* the order of bytes */
		return fail(sorter, "cannot be run", errno);
	if (pipe2(in, O_CLOEXEC) != 0)
		return fail(sorter, "no pipe to it can be made", errno);
	sorter->to = in[1];
	if (pipe2(out, O_CLOEXEC) != 0) {
		fail(sorter, "no pipe to it can be made", errno);
		close(in[0]);
		return false;
	}
	sorter->from = out[0];
	fcntl(in[1], F_SETPIPE_SZ, CHUNK);
	fcntl(out[1], F_SETPIPE_SZ, CHUNK);
	pass_signals(sorter);
	/* A signal waits until it is known what to pass it on to. Other threads take none. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = spawn(sorter, in[0], out[1], &before);
	*running() = error ? 0 : sorter->pid;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(in[0]);
	close(out[1]);
	if (error) {
		sorter->pid = 0;
		return fail(sorter, "cannot be run", error);
	}
	sorter->ignores =
		sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &sorter->before) == 0;
	return true;
}

/* sort(1) reads no more: says why. */
static bool fail_write(struct sorter *sorter)
{
	if (errno != EPIPE)
		return fail(sorter, "cannot be written to", errno);
	close_input(sorter);
	close_end(&sorter->from);
	if (ends_well(sorter))
		fail(sorter, "reads no more", EPIPE);
	return false;
}

static bool flush(struct sorter *sorter)
{
	const char *data = sorter->out.data;
	size_t n = sorter->out.len;

	while (n) {
		ssize_t done = write(sorter->to, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail_write(sorter);
		data += done;
		n -= (size_t)done;
	}
	sorter->out.len = 0;
	return true;
}

bool sorter_put(struct sorter *sorter, struct str key, struct str rest)
{
	char *to = buf_reserve(&sorter->out, key.n + rest.n + 1);

	memcpy(to, key.s, key.n);
	memcpy(to + key.n, rest.s, rest.n);
	to[key.n + rest.n] = '\n';
	sorter->out.len += key.n + rest.n + 1;
	sorter->lines++;
	return sorter->out.len < CHUNK || flush(sorter);
}

bool sorter_turn(struct sorter *sorter)
{
	if (!flush(sorter))
		return false;
	close_input(sorter);
	return true;
}

/* More of the output, after what is in the window. > 0, 0 at its end, < 0 with an error. */
static int fill(struct sorter *sorter)
{
	struct buf *window = &sorter->window;
	ssize_t got;

	window->len -= sorter->at;
	if (sorter->at && window->len)
		memmove(window->data, window->data + sorter->at, window->len);
	sorter->at = 0;
	do
		got = read(sorter->from, buf_reserve(window, CHUNK), CHUNK);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return fail(sorter, "cannot be read", errno) - 1;
	window->len += (size_t)got;
	return got > 0;
}

/* After the output: 0 if all lines came. */
static int end(struct sorter *sorter)
{
	if (!ends_well(sorter))
		return -1;
	if (sorter->lines == 0)
		return 0;
	snprintf(sorter->error, sizeof sorter->error, "has lost %llu lines",
	         (unsigned long long)sorter->lines);
	return -1;
}

int sorter_next(struct sorter *sorter, struct str *line)
{
	struct buf *window = &sorter->window;
	size_t seen = 0; /* bytes without a newline */

	for (;;) {
		const char *start = window->data + sorter->at;
		size_t n = window->len - sorter->at;
		const char *newline = n > seen ? memchr(start + seen, '\n', n - seen) : NULL;
		int got;

		if (newline && sorter->lines) {
			*line = (struct str){start, (size_t)(newline - start)};
			sorter->at += line->n + 1;
			sorter->lines--;
			return 1;
		}
		seen = n;
		got = newline ? 0 : fill(sorter);
		if (got <= 0)
			return got < 0 ? got : end(sorter);
	}
}

void sorter_close(struct sorter *sorter)
{
	int status;

	if (!sorter->open)
		return;
	close_end(&sorter->from);
	if (sorter->pid) {
		kill(sorter->pid, SIGTERM);
		await(sorter, &status);
	}
	pass_no_signals(sorter);
	close_input(sorter);
	buf_free(&sorter->out);
	buf_free(&sorter->window);
	sorter->open = false;
}
