/*
 * measure - run a command several times: the time it takes and the memory it needs.
 *
 *   $ measure -n 5 -- trace2tsv -c kernel trace.json
 *   wall	0.4120
 *   cpu	0.3910
 *   peak	2304
 *   runs	5
 *   status	0
 *
 * Seconds are medians, of the clock and of user and system time together; peak
 * is the most KiB that were resident in any run, in the command or in one of
 * its children (the largest alone, not their sum). The command's output goes
 * to /dev/null. A run that fails is the last; the exit status is 3 then.
 */
#include "base/die.h"
#include "base/mem.h"
#include "base/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct run {
	double wall; /* s */
	double cpu;
	long peak; /* KiB */
	int status;
};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double cpu_seconds(const struct rusage *use)
{
	return seconds(use->ru_utime) + seconds(use->ru_stime);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static _Noreturn void become(char **command, const char *output)
{
	int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		die("%s: %s", output, strerror(errno));
	execvp(command[0], command);
	warn("%s: %s", command[0], strerror(errno));
	_exit(127);
}

static struct run run(char **command, const char *output)
{
	struct run run;
	struct rusage before;
	struct rusage after;
	int status;
	double begin = now();
	pid_t child;

	getrusage(RUSAGE_CHILDREN, &before);
	child = fork();
	if (child < 0)
		die("no process can be started: %s", strerror(errno));
	if (child == 0)
		become(command, output);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			die("the command is lost: %s", strerror(errno));
	run.wall = now() - begin;
	getrusage(RUSAGE_CHILDREN, &after);
	run.cpu = cpu_seconds(&after) - cpu_seconds(&before);
	run.peak = after.ru_maxrss; /* the largest of this run and those before */
	run.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return run;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static const struct opt opts[] = {
	{'n', "runs", "N", "at most so many runs (5)"},
	{'t', "time", "SECONDS", "no further run when so much time is gone (60)"},
	{'o', "output", "FILE", "the command's output goes there, that of the last run stays"},
};

static const struct opt_usage usage = {
	"[-n RUNS] [-t SECONDS] [-o FILE] -- COMMAND...",
	"Runs a command several times and says how long it takes and what memory it needs.", opts,
	sizeof opts / sizeof *opts};

int main(int argc, char **argv)
{
	struct opts options;
	const char *output = "/dev/null";
	size_t most = 5;
	size_t limit = 60;
	size_t runs = 0;
	long peak = 0;
	int status = 0;
	double begin = now();
	double *wall;
	double *cpu;

	opts_init(&options, &usage, argc, argv);
	for (int letter; (letter = opts_next(&options)) != -1;) {
		switch (letter) {
		case 'n':
			most = opts_number(&options, 1);
			break;
		case 't':
			limit = opts_number(&options, 0);
			break;
		default:
			output = options.arg;
		}
	}
	if (options.line_operands_count == 0)
		opts_fail("no command");
	wall = mem_alloc(most, sizeof *wall);
	cpu = mem_alloc(most, sizeof *cpu);
	do {
		struct run r = run(options.operands, output);

		wall[runs] = r.wall;
		cpu[runs++] = r.cpu;
		peak = r.peak;
		status = r.status ? r.status : status;
	} while (runs < most && status == 0 && now() - begin < (double)limit);
	printf("wall\t%.4f\ncpu\t%.4f\npeak\t%ld\nruns\t%zu\nstatus\t%d\n", median(wall, runs),
	       median(cpu, runs), peak, runs, status);
	if (fflush(stdout) != 0)
		die("standard output cannot be written");
	free(wall);
	free(cpu);
	return status ? STATUS_LIMIT : STATUS_OK;
}
