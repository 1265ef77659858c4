#include "syntax/rulefile.h"

#include "base/plaintext.h"
#include "syntax/tsv.h"

#include <stdio.h>

void rulefile_error(char *error, size_t size, const char *file, uint64_t line, const char *format,
                    va_list args)
{
	char name[200];
	struct buf text = {0};

	plaintext_fit(name, sizeof name, str_of(file));
	buf_text(&text, name);
	if (line)
		buf_format(&text, ":%llu", (unsigned long long)line);
	buf_text(&text, ": ");
	buf_vformat(&text, format, args);
	plaintext_fit(error, size, buf_view(&text));
	buf_free(&text);
}

static void fail(char *error, size_t size, const char *file, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

static void fail(char *error, size_t size, const char *file, uint64_t line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	rulefile_error(error, size, file, line, format, args);
	va_end(args);
}

bool rulefile_read(struct buf *text, const char *file, const char *built_in, char *error,
                   size_t size)
{
	struct tsv_reader in;
	int got;

	if (!file) {
		buf_text(text, built_in);
		return true;
	}
	if (!tsv_open(&in, file)) {
		fail(error, size, file, 0, "%s", in.error);
		return false;
	}
	while ((got = tsv_next(&in)) > 0) {
		buf_str(text, in.text);
		buf_char(text, '\n');
	}
	if (got < 0)
		fail(error, size, file, in.line, "%s", in.error);
	tsv_close(&in);
	return got == 0;
}

bool rulefile_next(struct rulefile *in, struct str *line)
{
	while (in->rest.n) {
		const char *end = memchr(in->rest.s, '\n', in->rest.n);

		line->s = in->rest.s;
		line->n = end ? (size_t)(end - in->rest.s) : in->rest.n;
		in->rest.s += line->n + (end != NULL);
		in->rest.n -= line->n + (end != NULL);
		in->line++;
		if (str_trim(*line).n && line->s[0] != '#')
			return true;
	}
	return false;
}
