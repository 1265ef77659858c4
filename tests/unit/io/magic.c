/* magic: what is known by its first bytes, and what may be a trace. */
#include "../unit.h"

#include "io/magic.h"

static void assert_advice(struct str head, const char *part)
{
	char text[MAGIC_MAX];

	assert_true(magic_no_trace(head, text));
	assert_true(str_has(str_of(text), str_of(part)));
}

static void assert_unknown(struct str head)
{
	char text[MAGIC_MAX];

	assert_false(magic_no_trace(head, text));
}

static void kinds_are_known(void **state)
{
	static const struct {
		struct str head;
		const char *part;
	} kinds[] = {
		{BYTES("SQLite format 3\0\x10"), "sqlite2tsv"},
		{BYTES("\x1f\x8b\x08"), "gunzip -c"},
		{BYTES("PK\x03\x04\x14"), "unzip -p"},
		{BYTES("\x28\xb5\x2f\xfd\x04"), "zstd -dc"},
		{BYTES("BZh91AY"), "bzip2 -dc"},
		{BYTES("\xfd\x37zXZ\0"), "xz -dc"},
		{BYTES("\x04\x22\x4d\x18"), "lz4 -dc"},
		{BYTES("##kev\t1\n"), "tsv2trace"},
		{BYTES("#ts\tdur\n"), "tsv2trace"},
		{BYTES("{\"rocprofiler-sdk-tool\":[{"), "trace2tsv reads it"},
		{BYTES("[\n  { \"count\" : 2 }\n, { \"name\" : \"q\", \"timeMs\" : 1, \"averageMs\" : 1"),
	     "nsys"},
		{BYTES("\n\x1a\x0a\x03{}"), "traceconv"},
		{BYTES("<!DOCTYPE html>\n<html>"), "web page"},
		{BYTES("\n  <HTML lang=\"en\">"), "web page"},
		{BYTES("Name,Start,Duration\n1,2,{"), "csv2tsv"},
		{BYTES("\"a,b\",c"), "csv2tsv"},
		{BYTES("\xff\xfeN\0a\0"), "iconv -f UTF-16"},
		{BYTES("PAR1\x15"), "Parquet"},
		{BYTES("report\0\1"), "nsys export"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++)
		assert_advice(kinds[i].head, kinds[i].part);
}

static void a_tar_archive(void **state)
{
	char head[MAGIC_BYTES];

	(void)state;
	memset(head, 'T', sizeof head);
	assert_unknown((struct str){head, sizeof head});
	memcpy(head + 257, "ustar", 5);
	assert_unknown((struct str){head, sizeof head}); /* text that has these letters there */
	head[99] = '\0';
	assert_advice((struct str){head, sizeof head}, "tar -xOf");
	assert_unknown((struct str){head, 257});
	head[0] = '[';
	assert_unknown((struct str){head, sizeof head});
}

static void traces_and_unknown_texts(void **state)
{
	static const struct str heads[] = {
		BYTES(""),
		BYTES("\n"),
		BYTES("\n{\"traceEvents\":[]}"),
		BYTES("\n [{\"\1\":0}]"),
		BYTES("\xef\xbb\xbf["),
		BYTES("[{\"ph\":\"X\",\"args\":{\"averageMs\":1}}]"),
		BYTES("{\"rocprofiler-sdk-tool\":1,\"traceEvents\":[]}"),
		BYTES("42"),
		BYTES("\"traceEvents\""),
		BYTES("SQLite"),
		BYTES("PK"),
		BYTES("<a,b>"),
		BYTES("[1,2]"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(heads); i++)
		assert_unknown(heads[i]);
}

/* csv2tsv reads text, but not JSON. */
static void what_is_no_csv(void **state)
{
	static const struct str csvs[] = {
		BYTES(""),
		BYTES("Name,Duration\n"),
		BYTES("[INFO] one\nName,Duration\n"),
		BYTES("[1,2]\nName,Duration\n"),
		BYTES("{a}"),
		BYTES("{"),
	};
	static const struct str others[] = {
		BYTES("SQLite format 3"),
		BYTES("{\"rocprofiler-sdk-tool\":[{"),
		BYTES("\xef\xbb\xbf \n[\n {\"ph\""),
		BYTES("{}"),
		BYTES("[]"),
	};
	char text[MAGIC_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(csvs); i++)
		assert_false(magic_no_csv(csvs[i], text));
	for (size_t i = 0; i < COUNT(others); i++)
		assert_true(magic_no_csv(others[i], text));
	assert_string_equal(text, "this is JSON, not CSV; convert it with trace2tsv");
	assert_false(magic_no_text(others[1], text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_known),
		cmocka_unit_test(a_tar_archive),
		cmocka_unit_test(traces_and_unknown_texts),
		cmocka_unit_test(what_is_no_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
