#include "io/magic.h"

#define BYTES(text)            \
	{                          \
		text, sizeof(text) - 1 \
	}

/* The bytes of a kind at their place in the file. */
static const struct {
	size_t at;
	struct str bytes;
	const char *advice;
} kinds[] = {
	{0, BYTES("SQLite format 3"),
     "this is an SQLite database, not a trace; for that of nsys, nsys stats -r cuda_gpu_trace "
     "-f csv writes CSV for csv2tsv"},
	{0, BYTES("\x1f\x8b"), "this was compressed twice; pipe gunzip -c FILE into trace2tsv"},
	{0, BYTES("PK\x03\x04"), "this is a zip archive; pipe unzip -p FILE into trace2tsv"},
	{0, BYTES("\x28\xb5\x2f\xfd"), "this is compressed by zstd; pipe zstd -dc FILE into trace2tsv"},
	{0, BYTES("BZh"), "this is compressed by bzip2; pipe bzip2 -dc FILE into trace2tsv"},
	{0,
     BYTES("\xfd"
           "7zXZ"),
     "this is compressed by xz; pipe xz -dc FILE into trace2tsv"},
	{0, BYTES("\x04\x22\x4d\x18"), "this is compressed by lz4; pipe lz4 -dc FILE into trace2tsv"},
	{257, BYTES("ustar"), "this is a tar archive; pipe tar -xOf FILE into trace2tsv"},
	{0, BYTES("##kev\t"), "this is a kev stream already; tsv2trace makes a trace of it"},
	{0, BYTES("#ts\t"), "this is a kev stream already; tsv2trace makes a trace of it"},
};

/* Parts of the head of JSON that is no trace. */
static const struct {
	struct str part;
	const char *advice;
} jsons[] = {
	{BYTES("\"rocprofiler-sdk-tool\""),
     "this is the JSON of rocprofv3, not a trace; rocprofv3 --output-format csv writes CSV for "
     "csv2tsv"},
	{BYTES("\"averageMs\""),
     "this is a profile of trtexec, sums by layer without events; run trtexec under nsys for a "
     "trace"},
};

static bool stands_at(struct str head, size_t at, struct str bytes)
{
	return head.n >= at && str_starts((struct str){head.s + at, head.n - at}, bytes);
}

static struct str skip_space(struct str head)
{
	while (head.n && *head.s && strchr(" \t\r\n", *head.s))
		head = (struct str){head.s + 1, head.n - 1};
	return head;
}

/* Perfetto and XPlane begin with a field of number 1, the byte of a line's end; text follows none.
 */
static bool is_protobuf(struct str head)
{
	struct str text = skip_space(head);

	if (head.n == 0 || *head.s != '\n' || (text.n && (*text.s == '{' || *text.s == '[')))
		return false;
	for (size_t i = 1; i < head.n && i < 64; i++)
		if ((unsigned char)head.s[i] < '\t')
			return true;
	return false;
}

/* Names with commas between them on the first line. */
static bool is_csv(struct str head)
{
	bool comma = false;

	for (size_t i = 0; i < head.n && head.s[i] != '\n'; i++) {
		if (strchr("{}[]<>", head.s[i])) /* or a NUL */
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

const char *magic_advice(struct str head)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (stands_at(head, kinds[i].at, kinds[i].bytes))
			return kinds[i].advice;
	for (size_t i = 0; i < sizeof jsons / sizeof *jsons; i++)
		if (str_has(head, jsons[i].part) && !str_has(head, STR("\"ph\"")) &&
		    !str_has(head, STR("\"traceEvents\"")))
			return jsons[i].advice;
	if (is_protobuf(head))
		return "this is a trace in protobuf; traceconv json FILE of Perfetto converts it";
	if (is_html(head))
		return "this is a web page, not the trace; download the file itself";
	return is_csv(head) ? "this is CSV; convert it with csv2tsv" : NULL;
}
