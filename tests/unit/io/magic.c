/* magic: what is known by its first bytes, and what may be a trace. */
#include "../unit.h"

#include "io/magic.h"

static void assert_advice(struct str head, const char *part)
{
	char text[MAGIC_MAX];

	assert_true(magic_is_foreign(head, MAGIC_TRACE, text));
	assert_true(str_has(str_of(text), str_of(part)));
}

static void assert_unknown(struct str head)
{
	char text[MAGIC_MAX];

	assert_false(magic_is_foreign(head, MAGIC_TRACE, text));
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
		{BYTES("{\"rocprofiler-sdk-tool\":[{"), "convert it with trace2tsv"},
		{BYTES("[\n  { \"count\" : 2 }\n, { \"name\" : \"q\", \"timeMs\" : 1, \"averageMs\" : 1"),
	     "nsys"},
		{BYTES("[{\"count\":1},{\"averageMs\":1}]"), "nsys"},
		{BYTES("\n\x1a\x0a\x03{}"), "traceconv"},
		{BYTES("\n\xa1\xf0\x08\x12\x0e/host:metadata\""), "xplane2tsv"},
		{BYTES("\n\x90\x20\x12\x11/device:GPU:0 (x)"), "xplane2tsv"},
		{BYTES("\n\x90\x20\x12\x03/device:"), "traceconv"},
		{BYTES("NVIDIA Tegra Profiler Report 2025@5"), "nsys export -t sqlite"},
		{BYTES("NVR\0\x10"), "ncu --import FILE --csv --page raw"},
		{BYTES("[{\"children\":[],\"frame\":{\"name\":\"ROOT\"},\"metrics\":{}}]"), "proton"},
		{BYTES("\xef\xbb\xbf{\"metrics\":1,\"frame\":2}"), "proton"},
		{BYTES("{\"workload_graph\": ["), "Chakra"},
		{BYTES("{\n  \"schema\": \"1.0.2-chakra.0.0.4\", \"pid\": 1,\n  \"nodes\": ["), "PyTorch"},
		{BYTES("[[1,0,512,3],"), "memory timeline"},
		{BYTES(" [\n [\n -1, 2"), "memory timeline"},
		{BYTES("{\"step1\":{\"collective\":{\"a\":{\"Communication Time Info\":{"),
	     "trace_view.json"},
		{BYTES("{\"a\":{\"Transport Type\":\"LOCAL\",\"Transit Size(MB)\":4"), "trace_view.json"},
		{BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), "git lfs pull"},
		{BYTES("<!DOCTYPE html>\n<html>"), "web page"},
		{BYTES("\n  <HTML lang=\"en\">"), "web page"},
		{BYTES("Name,Start,Duration\n1,2,{"), "csv2tsv"},
		{BYTES("\"a,b\",c"), "csv2tsv"},
		{BYTES("\xff\xfeN\0a\0"), "iconv -f UTF-16"},
		{BYTES("PAR1\x15"), "Parquet"},
		{BYTES("report\0\1"), "the profiler that wrote it"},
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

static bool is_xspace(struct str head)
{
	char text[MAGIC_MAX];

	return magic_is_foreign(head, MAGIC_TRACE, text) && str_has(str_of(text), STR("XSpace"));
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
		BYTES("{\"frame\":1,\"metrics\":1,\"traceEvents\":[]}"),
		BYTES("{\"schema\":1,\"nodes\":[],\"ph\":1}"),
		BYTES("{\"schemaVersion\":1,\"nodes\":1}"),
		BYTES("{\"frame\":1}"),
		BYTES("[[]]"),
		BYTES("[{\"a\":[[1]]}]"),
		BYTES("\n{\"a\":\"\x12\x0e/host:metadata"),
		BYTES("NVIDIA Tegra"),
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

/* A name that is too far from the beginning is no sign. */
static void an_xspace_begins_with_its_name(void **state)
{
	char head[MAGIC_BYTES] = "\n";

	(void)state;
	for (size_t at = 3; at < 80; at++) {
		memset(head + 1, '\x10', sizeof head - 1);
		memcpy(head + at - 2, "\x12\x09/device:0", 11);
		assert_int_equal(at <= 64 - 8 ? 1 : 0, is_xspace((struct str){head, sizeof head}));
	}
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
		assert_false(magic_is_foreign(csvs[i], MAGIC_CSV, text));
	for (size_t i = 0; i < COUNT(others); i++)
		assert_true(magic_is_foreign(others[i], MAGIC_CSV, text));
	assert_string_equal(text, "this is JSON, not CSV; convert it with trace2tsv");
}

/* A database cannot come from a pipe. */
static void what_is_no_database(void **state)
{
	static const struct {
		struct str head;
		const char *text;
	} others[] = {
		{BYTES("\n\n [\n {\"ph\""),
	     "this is JSON, not an SQLite database; convert it with trace2tsv"},
		{BYTES("a,b\n"), "this is CSV; convert it with csv2tsv"},
		{BYTES("PK\x03\x04"), "this is a zip archive; unpack it first, by unzip -p FILE >NEW"},
		{BYTES("version https://git-lfs.github.com/spec/v1\n"),
	     "this is a Git LFS pointer, not the file itself; get it with git lfs pull"},
	};
	char text[MAGIC_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++) {
		assert_true(magic_is_foreign(others[i].head, MAGIC_DATABASE, text));
		assert_string_equal(text, others[i].text);
	}
	assert_false(magic_is_foreign(STR("SQLite format 3\0\x10"), MAGIC_DATABASE, text));
	assert_false(magic_is_foreign(STR("words\n"), MAGIC_DATABASE, text));
	assert_false(magic_is_foreign(STR(""), MAGIC_DATABASE, text));
}

static void lfs_pointers_are_known(void **state)
{
	(void)state;
	assert_true(
		magic_is_lfs_pointer(STR("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")));
	assert_false(magic_is_lfs_pointer(STR("version https://git-lfs.github.com/")));
	assert_false(magic_is_lfs_pointer(STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_known),
		cmocka_unit_test(a_tar_archive),
		cmocka_unit_test(traces_and_unknown_texts),
		cmocka_unit_test(an_xspace_begins_with_its_name),
		cmocka_unit_test(what_is_no_csv),
		cmocka_unit_test(what_is_no_database),
		cmocka_unit_test(lfs_pointers_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
