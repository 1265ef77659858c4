#include "io/magic.h"

#include <stdio.h>

#include "base/die.h"

#define BYTES(text)            \
	{                          \
		text, sizeof(text) - 1 \
	}

/* The first bytes of a kind, and a command that unpacks it into the program. */
static const struct {
	struct str bytes;
	const char *what;
	const char *command;
} kinds[] = {
	{BYTES("SQLite format 3"), "this is an SQLite database; convert it with sqlite2tsv", NULL},
	{BYTES("\x1f\x8b"), "this was compressed twice", "gunzip -c"},
	{BYTES("PK\x03\x04"), "this is a zip archive", "unzip -p"},
	{BYTES("\x28\xb5\x2f\xfd"), "this is compressed by zstd", "zstd -dc"},
	{BYTES("BZh"), "this is compressed by bzip2", "bzip2 -dc"},
	{BYTES("\xfd"
           "7zXZ"),
     "this is compressed by xz", "xz -dc"},
	{BYTES("\x04\x22\x4d\x18"), "this is compressed by lz4", "lz4 -dc"},
	{BYTES("\xff\xfe"), "this is text in UTF-16", "iconv -f UTF-16 -t UTF-8"},
	{BYTES("\xfe\xff"), "this is text in UTF-16", "iconv -f UTF-16 -t UTF-8"},
	{BYTES("##kev\t"), "this is a kev stream already; tsv2trace makes a trace of it", NULL},
	{BYTES("#ts\t"), "this is a kev stream already; tsv2trace makes a trace of it", NULL},
	{BYTES("PAR1"),
     "this is a Parquet file; for that of nsys, nsys stats -r cuda_gpu_trace -f csv writes CSV for "
     "csv2tsv from the report",
     NULL},
};

/* Parts of the head of JSON that is no trace. */
static const struct {
	struct str part;
	const char *advice;
} jsons[] = {
	{BYTES("\"rocprofiler-sdk-tool\""),
     "this is the JSON of rocprofv3, no Chrome trace; trace2tsv reads it"},
	{BYTES("\"averageMs\""),
     "this is a profile of trtexec, sums by layer without events; run trtexec under nsys for a "
     "trace"},
};

static struct str skip_space(struct str head)
{
	while (head.n && *head.s && strchr(" \t\r\n", *head.s))
		head = (struct str){head.s + 1, head.n - 1};
	return head;
}

/* Whether one of the first bytes never occurs in text. */
static bool has_control(struct str head)
{
	for (size_t i = 0; i < head.n && i < 64; i++)
		if ((unsigned char)head.s[i] < '\t')
			return true;
	return false;
}

static struct str skip_mark_and_space(struct str head)
{
	if (str_starts(head, STR("\xef\xbb\xbf")))
		head = (struct str){head.s + 3, head.n - 3};
	return skip_space(head);
}

static bool begins_json(struct str head)
{
	head = skip_mark_and_space(head);
	return head.n && (*head.s == '{' || *head.s == '[');
}

/* An object, or an array of objects. A bracket alone may begin a line before a header. */
static bool is_json(struct str head)
{
	bool object;

	if (!begins_json(head))
		return false;
	head = skip_mark_and_space(head);
	object = *head.s == '{';
	head = skip_space((struct str){head.s + 1, head.n - 1});
	return head.n && (object ? *head.s == '"' || *head.s == '}' : *head.s == '{' || *head.s == ']');
}

/* Perfetto and XPlane begin with a field of number 1, the byte of a line's end; text follows none.
 */
static bool is_protobuf(struct str head)
{
	return head.n && *head.s == '\n' && !begins_json(head) && has_control(head);
}

/* Its head has NUL between the fields. Text of a trace may have these five letters there, too. */
static bool is_tar(struct str head)
{
	enum { MAGIC_AT = 257 };

	return head.n > MAGIC_AT && !begins_json(head) && memchr(head.s, '\0', MAGIC_AT) &&
	       str_starts((struct str){head.s + MAGIC_AT, head.n - MAGIC_AT}, STR("ustar"));
}

/* A report of a profiler, most likely: on the first line of a CSV are names. */
static bool is_binary(struct str head)
{
	const char *end = head.n ? memchr(head.s, '\n', head.n) : NULL;

	if (begins_json(head))
		return false;
	return has_control((struct str){head.s, end ? (size_t)(end - head.s) : head.n});
}

/* Names with commas between them on the first line. */
static bool is_csv(struct str head)
{
	bool comma = false;

	for (size_t i = 0; i < head.n && head.s[i] != '\n'; i++) {
		if (strchr("{}[]<>", head.s[i])) /* strchr also finds a NUL byte */
			return false;
		comma |= head.s[i] == ',';
	}
	return comma;
}

static bool is_html(struct str head)
{
	enum { LONGEST = sizeof "<!doctype html" - 1 };

	head = skip_space(head);
	if (head.n > LONGEST)
		head.n = LONGEST;
	return head.n && *head.s == '<' &&
	       (str_has_any_case(head, STR("<html")) || str_has_any_case(head, STR("<!doctype html")));
}

/* Formats into text; always true. */
static bool found(char text[MAGIC_MAX], const char *what, const char *command)
{
	if (command)
		snprintf(text, MAGIC_MAX, "%s; pipe %s FILE into %s", what, command, die_program());
	else
		snprintf(text, MAGIC_MAX, "%s", what);
	return true;
}

bool magic_no_text(struct str head, char text[MAGIC_MAX])
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (str_starts(head, kinds[i].bytes))
			return found(text, kinds[i].what, kinds[i].command);
	if (is_tar(head))
		return found(text, "this is a tar archive", "tar -xOf");
	if (is_protobuf(head))
		return found(
			text, "this is a trace in protobuf; traceconv json FILE of Perfetto converts it", NULL);
	if (is_binary(head))
		return found(
			text,
			"this is binary; for a report of nsys, nsys export -t sqlite writes a database "
			"for sqlite2tsv",
			NULL);
	return is_html(head) && found(text, "this is a web page; download the file itself", NULL);
}

bool magic_no_csv(struct str head, char text[MAGIC_MAX])
{
	return magic_no_text(head, text) ||
	       (is_json(head) && found(text, "this is JSON, not CSV; convert it with trace2tsv", NULL));
}

bool magic_no_trace(struct str head, char text[MAGIC_MAX])
{
	if (magic_no_text(head, text))
		return true;
	for (size_t i = 0; i < sizeof jsons / sizeof *jsons; i++)
		if (str_has(head, jsons[i].part) && !str_has(head, STR("\"ph\"")) &&
		    !str_has(head, STR("\"traceEvents\"")))
			return found(text, jsons[i].advice, NULL);
	return is_csv(head) && found(text, "this is CSV; convert it with csv2tsv", NULL);
}
