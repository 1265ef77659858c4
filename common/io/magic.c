#include "io/magic.h"

#include <stdio.h>

#include "base/die.h"

#define BYTES(text)            \
	{                          \
		text, sizeof(text) - 1 \
	}

/* The first bytes of a kind, and a command that unpacks it to standard output. */
static const struct {
	struct str bytes;
	const char *what;
	const char *command;
} kinds[] = {
	{BYTES("version https://git-lfs.github.com/spec/"),
     "this is a Git LFS pointer, not the file itself; get it with git lfs pull", NULL},
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
	{BYTES("NVIDIA Tegra Profiler Report"),
     "this is a report of nsys; nsys export -t sqlite FILE writes a database for sqlite2tsv", NULL},
	{BYTES("NVR\0"),
     "this is a report of Nsight Compute; ncu --import FILE --csv --page raw writes CSV for "
     "csv2tsv",
     NULL},
	{BYTES("PAR1"),
     "this is a Parquet file; for that of nsys, nsys stats -r cuda_gpu_trace -f csv writes CSV for "
     "csv2tsv from the report",
     NULL},
};

/* Members of JSON that is no trace; both names are in its head. */
static const struct {
	struct str name;
	struct str also; /* empty: one name is enough */
	const char *what;
} jsons[] = {
	{BYTES("\"rocprofiler-sdk-tool\""), BYTES(""),
     "this is the JSON of rocprofv3; convert it with trace2tsv"},
	{BYTES("\"averageMs\""), BYTES(""),
     "this is a profile of trtexec, sums by layer without events; run trtexec under nsys for a "
     "trace"},
	{BYTES("\"frame\""), BYTES("\"metrics\""),
     "this is a tree of Triton's proton, sums without events; proton-viewer shows it"},
	{BYTES("\"workload_graph\""), BYTES(""),
     "this is an execution trace of Chakra, without times of a device; trace2tsv converts the "
     "trace of the profiler"},
	{BYTES("\"schema\""), BYTES("\"nodes\""),
     "this is an execution trace of PyTorch or Chakra, without times of a device; trace2tsv "
     "converts the trace of the profiler"},
	{BYTES("\"Communication Time Info\""), BYTES(""),
     "these are sums of Ascend's collectives; trace2tsv -g converts trace_view.json beside it"},
	{BYTES("\"Transport Type\""), BYTES("\"Transit Size(MB)\""),
     "these are sums of Ascend's collectives; trace2tsv -g converts trace_view.json beside it"},
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

/* An array of arrays of numbers. */
static bool is_memory_timeline(struct str head)
{
	head = skip_mark_and_space(head);
	for (int i = 0; i < 2; i++) {
		if (!str_starts(head, STR("[")))
			return false;
		head = skip_space((struct str){head.s + 1, head.n - 1});
	}
	return head.n && (*head.s == '-' || (*head.s >= '0' && *head.s <= '9'));
}

/*
 * Perfetto and XSpace begin with a field of number 1, the byte of a line's end; text that begins so
 * has no control characters.
 */
static bool is_protobuf(struct str head)
{
	return head.n && *head.s == '\n' && !begins_json(head) && has_control(head);
}

/* The first field of an XSpace is a plane, whose name is near its beginning, after its length. */
bool magic_is_xspace(struct str head)
{
	static const struct str names[] = {BYTES("/device:"), BYTES("/host:")};
	enum { NAME_WITHIN = 64, TAG = 0x12 };

	if (head.n > NAME_WITHIN)
		head.n = NAME_WITHIN;
	if (!head.n || *head.s != '\n' || begins_json(head))
		return false;
	for (size_t at = 3; at < head.n; at++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (str_starts((struct str){head.s + at, head.n - at}, names[i]) &&
			    head.s[at - 2] == TAG && (unsigned char)head.s[at - 1] >= names[i].n)
				return true;
	return false;
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
static bool found(char text[MAGIC_MAX], const char *what)
{
	snprintf(text, MAGIC_MAX, "%s", what);
	return true;
}

/* A database is read in any order, so it cannot come from a pipe. */
static bool found_packed(char text[MAGIC_MAX], const char *what, const char *command,
                         enum magic_wanted wanted)
{
	if (wanted == MAGIC_DATABASE)
		snprintf(text, MAGIC_MAX, "%s; unpack it first, by %s FILE >NEW", what, command);
	else
		snprintf(text, MAGIC_MAX, "%s; pipe %s FILE into %s", what, command, die_program());
	return true;
}

static bool is_kind(struct str head, enum magic_wanted wanted, char text[MAGIC_MAX])
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!str_starts(head, kinds[i].bytes))
			continue;
		return kinds[i].command ? found_packed(text, kinds[i].what, kinds[i].command, wanted)
		                        : found(text, kinds[i].what);
	}
	return false;
}

/* JSON that is no trace. */
static bool is_other_json(struct str head, char text[MAGIC_MAX])
{
	if (is_memory_timeline(head))
		return found(text, "this is a memory timeline of PyTorch, bytes without kernels; trace2tsv "
		                   "converts the trace of the profiler");
	if (!begins_json(head) || str_has(head, STR("\"ph\"")) || str_has(head, STR("\"traceEvents\"")))
		return false;
	for (size_t i = 0; i < sizeof jsons / sizeof *jsons; i++)
		if (str_has(head, jsons[i].name) && str_has(head, jsons[i].also))
			return found(text, jsons[i].what);
	return false;
}

bool magic_is_foreign(struct str head, enum magic_wanted wanted, char text[MAGIC_MAX])
{
	if (str_starts(head, STR("SQLite format 3")))
		return wanted != MAGIC_DATABASE &&
		       found(text, "this is an SQLite database; convert it with sqlite2tsv");
	if (is_kind(head, wanted, text) || is_other_json(head, text))
		return true;
	if (is_tar(head))
		return found_packed(text, "this is a tar archive", "tar -xOf", wanted);
	if (magic_is_xspace(head))
		return wanted != MAGIC_XSPACE &&
		       found(text, "this is an XSpace, the profile of JAX, TensorFlow or PyTorch/XLA; "
		                   "convert it with xplane2tsv");
	if (is_protobuf(head))
		return found(text,
		             "this is a trace in protobuf; traceconv json FILE of Perfetto converts it");
	if (is_binary(head))
		return found(text, "this is binary, of an unknown kind; export it as text or as an SQLite "
		                   "database with the profiler that wrote it");
	if (is_html(head))
		return found(text, "this is a web page; download the file itself");
	if (wanted != MAGIC_TRACE && is_json(head))
		return found(text, wanted == MAGIC_CSV ? "this is JSON, not CSV; convert it with trace2tsv"
		                   : wanted == MAGIC_XSPACE
		                       ? "this is JSON, not an XSpace; convert it with trace2tsv"
		                       : "this is JSON, not an SQLite database; convert it with trace2tsv");
	return wanted != MAGIC_CSV && is_csv(head) &&
	       found(text, "this is CSV; convert it with csv2tsv");
}

bool magic_is_lfs_pointer(struct str head)
{
	return str_starts(head, kinds[0].bytes);
}
