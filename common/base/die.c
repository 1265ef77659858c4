#include "base/die.h"

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

/* One write a message, so that the programs of a pipe do not mix their lines. */
static void message(const char *format, va_list args)
{
	char line[2048];
	int head = snprintf(line, sizeof line, "%s: ", program);
	size_t used = head < 0 ? 0 : (size_t)head < sizeof line ? (size_t)head : sizeof line - 2;
	int body = vsnprintf(line + used, sizeof line - used, format, args);

	if (body > 0)
		used += (size_t)body < sizeof line - used - 1 ? (size_t)body : sizeof line - used - 2;
	line[used++] = '\n';
	fwrite(line, 1, used, stderr);
	fflush(stderr);
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
	static const char hex[] = "0123456789abcdef";
	size_t at = 0;

	out[at++] = '\'';
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain = c >= 0x20 && c != 0x7f;

		/* Room for this one, "...", the quote and the NUL. */
		if (at + (plain ? 1 : 4) + 5 > QUOTE_MAX) {
			/* Not in the middle of a UTF-8 sequence. */
			if ((c & 0xc0) == 0x80) {
				while (at > 1 && ((unsigned char)out[at - 1] & 0xc0) == 0x80)
					at--;
				if (at > 1 && (unsigned char)out[at - 1] >= 0xc0)
					at--;
			}
			memcpy(out + at, "...", 3);
			at += 3;
			break;
		}
		if (plain) {
			out[at++] = (char)c;
		} else {
			out[at++] = '\\';
			out[at++] = 'x';
			out[at++] = hex[c >> 4];
			out[at++] = hex[c & 15];
		}
	}
	out[at++] = '\'';
	out[at] = '\0';
	return out;
}
