#include "base/die.h"

#include "base/plaintext.h"
#include "base/progress.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one file-scope variable of the house: messages come from everywhere. */
static const char *program = "kevtools";

enum status status_worse(enum status a, enum status b)
{
	static const int rank[] = {
		[STATUS_OK] = 0, [STATUS_LIMIT] = 1, [STATUS_DAMAGED] = 2, [STATUS_ERROR] = 3};

	return rank[a] >= rank[b] ? a : b;
}

void die_init(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');

	program = slash ? slash + 1 : argv0;
	/* Some that start programs (nohup, CI runners) ignore SIGPIPE, and children inherit it. */
	signal(SIGPIPE, SIG_DFL);
}

const char *die_program(void)
{
	return program;
}

/*
 * One write for each message, so that the programs of a pipe do not mix their lines. The text is
 * made plain here, wherever it came from.
 */
static void message(const char *format, va_list args)
{
	char fixed[4096];
	char *larger = NULL;
	char *line = fixed;
	size_t size = sizeof fixed;
	size_t wanted;
	size_t used;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	wanted = 4 * (strlen(program) + (n < 0 ? 0 : (size_t)n)) + 16;
	/* Without memory the message is cut: it may be about that. */
	if (wanted > size && (larger = malloc(wanted)) != NULL) {
		line = larger;
		size = wanted;
	}
	used = plaintext_fit(line, size / 2, str_of(program));
	line[used++] = ':';
	line[used++] = ' ';
	used += plaintext_format(line + used, size - used - 1, format, args);
	line[used++] = '\n';
	progress_clear();
	fwrite(line, 1, used, stderr);
	fflush(stderr);
	free(larger);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
	exit(STATUS_ERROR);
}

const char *quote(char out[QUOTE_MAX], const char *text, size_t n)
{
	size_t length = plaintext_fit(out + 1, QUOTE_MAX - 2, (struct str){text, n});

	out[0] = '\'';
	memcpy(out + 1 + length, "'", 2);
	return out;
}
