/* aietrace: which begins and ends of a stream are of which core of which trace. */
#include "../unit.h"

#include "aiepair/aietrace.h"

static void show_times(struct buf *out, const struct aie_times *times)
{
	for (size_t i = 0; i < times->count; i++)
		buf_format(out, " %lld", (long long)times->at[i]);
	buf_char(out, ';');
}

/* "FILE: PID NAME begins; ends; stall begins; ends; |..." a trace, then the rows by process. */
static void show(struct buf *out, const struct aie_traces *t)
{
	for (size_t i = 0; i < t->count; i++) {
		buf_str(out, t->trace[i].file);
		buf_char(out, ':');
		for (size_t c = 0; c < t->trace[i].cores; c++) {
			const struct aie_core *core = &t->trace[i].core[c];

			buf_char(out, ' ');
			buf_str(out, core->pid);
			buf_char(out, ' ');
			buf_str(out, core->name);
			show_times(out, &core->tile->starts);
			show_times(out, &core->tile->ends);
			show_times(out, &core->tile->stall_begins);
			show_times(out, &core->tile->stall_ends);
			buf_char(out, '|');
		}
		buf_char(out, '\n');
	}
	buf_format(out, "%d %d %d", (int)t->core_rows, (int)t->other_rows, (int)t->unnamed_rows);
}

/* Reads standard input, or the streams of these paths. */
static void read_traces(struct buf *out, char **paths, int count, bool to_begin)
{
	struct aie_traces traces = {.to_begin = to_begin};
	const struct opts opts = {.operands = paths, .operands_count = count};
	struct kev_reader in;
	enum kev_item item;

	kev_open(&in, paths ? &opts : unit_opts());
	while ((item = kev_next(&in)) > KEV_END && !in.error[0]) {
		if (item == KEV_META)
			aie_traces_meta(&traces, &in);
		else if (item == KEV_COLUMNS)
			aie_traces_columns(&traces, &in);
		else if (aie_traces_row(&traces, &in) == AIE_NO_TS)
			buf_text(out, "no ts\n");
	}
	buf_text(out, in.error);
	if (!in.error[0]) {
		aie_traces_find(&traces);
		show(out, &traces);
	}
	aie_traces_free(&traces);
	kev_close(&in);
}

static void assert_read(struct str stream, bool to_begin, const char *want)
{
	struct buf got = {0};

	unit_feed(stream);
	read_traces(&got, NULL, 0, to_begin);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

#define assert_traces(stream, want) assert_read(STR(stream), false, want)

static void lists(void **state)
{
	static const char stream[] = "##source\tx.json\n"
								 "##process\t0\tcore_trace for tile0,2\n"
								 "#ts\tname\tph\tpid\n"
								 "7\tINSTR_EVENT_0\tB\t0\n"
								 "8\tINSTR_EVENT_0\tE\t0\n"
								 "11\tINSTR_EVENT_1\tB\t0\n"
								 "12.9\tINSTR_EVENT_1\tE\t0\n"
								 "-1.5\tLOCK_STALL\tB\t0\n"
								 "3\tLOCK_STALL\tE\t0\n"
								 "4\tINSTR_VECTOR\tB\t0\n"
								 "4\tINSTR_EVENT_0\tX\t0\n"
								 "5\tINSTR_EVENT_0\tB\t0\n";

	(void)state;
	assert_read(str_of(stream), false, "x.json: 0 tile0,2 7 5; 12; -1; 3;|\n5 0 0");
	assert_read(str_of(stream), true, "x.json: 0 tile0,2 7 5; 11; -1; 3;|\n5 0 0");
}

#define HEAD "#ts\tname\tph\tpid\n"
#define B(ts, pid) ts "\tINSTR_EVENT_0\tB\t" pid "\n"
#define HEAD_F "#file\tts\tname\tph\tpid\n"
#define B_F(file, ts, pid) file "\t" B(ts, pid)
#define NAME(pid, name) "##process\t" pid "\t" name "\n"

static void names(void **state)
{
	static const struct {
		const char *process;
		const char *tile;
	} cases[] = {
		{"core_trace for tile0,2", "tile0,2"},
		{"core_trace for tile(0,2)", "tile(0,2)"},
		{"core_trace for column 3, row 2", "column 3, row 2"},
		{"core_trace", "core_trace"},
		{"core_trace for a for b", "b"},
		{"core_trace for ", ""},
		{" for core_trace", "core_trace"},
		{"core_trace for\\ttile", "core_trace for\ttile"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf stream = {0};
		struct buf want = {0};

		buf_format(&stream, "##source\tx\n##process\t0\t%s\n" HEAD B("1", "0"), cases[i].process);
		buf_format(&want, "x: 0 %s 1;;;;|\n1 0 0", cases[i].tile);
		buf_char(&want, '\0');
		assert_read(buf_view(&stream), false, want.data);
		buf_free(&stream);
		buf_free(&want);
	}
}

/* The order of the first name, and the last name. */
static void named_when(void **state)
{
	(void)state;
	assert_traces("##source\tx\n" NAME("1", "core_trace for a") NAME("0", "core_trace for b")
	                  HEAD B("1", "0") B("2", "1"),
	              "x: 1 a 2;;;;| 0 b 1;;;;|\n2 0 0");
	assert_traces("##source\tx\n" HEAD B("1", "0") B("2", "1") NAME("1", "core_trace for a")
	                  NAME("0", "core_trace for b"),
	              "x: 1 a 2;;;;| 0 b 1;;;;|\n2 0 0");
	assert_traces("##source\tx\n" NAME("1", "mem_trace for a") NAME("0", "core_trace for b")
	                  NAME("1", "core_trace for c") HEAD B("1", "0"),
	              "x: 1 c;;;;| 0 b 1;;;;|\n1 0 0");
	assert_traces("##source\tx\n" NAME("1", "core_trace for a") NAME("0", "core_trace for b")
	                  HEAD B("1", "0") B("2", "1") NAME("1", "shim_trace for a"),
	              "x: 0 b 1;;;;|\n1 1 0");
	assert_traces("##source\tx\n" NAME("1", "core_trace for a") HEAD B("1", "0") B("2", "1"),
	              "x: 1 a 2;;;;|\n1 0 1");
	assert_traces("##source\tx\n##process\t1\n" HEAD B("1", "1"), "x:\n0 1 0");
}

static void files(void **state)
{
	(void)state;
	/* One pid twice, and a core without events. */
	assert_traces(
		"##source\ta\n" NAME("0", "core_trace for t") "##source\tb\n" NAME("0", "core_trace for u")
			NAME("1", "core_trace for v") HEAD_F B_F("b", "1", "0") B_F("a", "2", "0"),
		"a: 0 t 2;;;;|\nb: 0 u 1;;;;| 1 v;;;;|\n2 0 0");
	/* A name that stands before any ##source is one in all files that have none of their own. */
	assert_traces(NAME("0", "core_trace for t") "##source\tb\n" NAME("0", "core_trace for u")
	                  HEAD_F B_F("b", "1", "0") B_F("a", "2", "0") B_F("c", "3", "1"),
	              "b: 0 u 1;;;;|\na: 0 t 2;;;;|\nc:\n2 0 1");
	/* Texts with escapes are equal in both places. */
	assert_traces("##source\ta\\tb\n" NAME("\\\\", "core_trace for t")
	                  HEAD_F B_F("a\\tb", "1", "\\\\"),
	              "a\tb: \\ t 1;;;;|\n1 0 0");
}

/* What one file says of itself does not hold for the next. */
static void files_of_two_paths(void **state)
{
	char a[64];
	char b[64];
	struct buf got = {0};

	(void)state;
	unit_file(a, STR("##source\ta\n" NAME("0", "core_trace for t") HEAD_F B_F("a", "1", "0")));
	unit_file(b, STR(NAME("0", "core_trace for u") HEAD_F B_F("b", "2", "0")));
	read_traces(&got, (char *[]){a, b}, 2, false);
	assert_buf(&got, "a: 0 t 1;;;;|\nb: 0 u 2;;;;|\n2 0 0");
	unlink(a);
	unlink(b);
	buf_free(&got);
}

static void one_trace_without_files(void **state)
{
	static const char refused[] = "rows of several traces need a column 'file': use trace2tsv -f";
	char a[64];
	char b[64];
	struct buf got = {0};

	(void)state;
	assert_traces("##source\ta\n" HEAD B("1", "0") "##source\tb\n" B("1", "0"), refused);
	assert_traces("##source\ta\n##source\tb\n" HEAD B("1", "0"), refused);
	assert_traces("##source\ta\n##source\ta\n" HEAD B("1", "0"), "a:\n0 0 1");
	assert_traces(HEAD B("1", "0"), "-:\n0 0 1");
	unit_file(a, STR(NAME("0", "core_trace for t") HEAD B("1", "0")));
	unit_file(b, STR("##source\tx\n" HEAD B("1", "0")));
	read_traces(&got, (char *[]){a, b}, 2, false);
	assert_str(buf_view(&got), str_of(refused));
	got.len = 0;
	read_traces(&got, (char *[]){b, b}, 2, false); /* two files with equal metadata */
	assert_str(buf_view(&got), str_of(refused));
	unlink(a);
	unlink(b);
	buf_free(&got);
}

static void times(void **state)
{
	(void)state;
	assert_traces(HEAD B("", "0"), "no ts\n-:\n0 0 0");
	assert_traces(HEAD B("x", "0"), "ts: 'x' is not a number");
	assert_traces(HEAD B("4611686018427387904", "0"),
	              "ts: '4611686018427387904' is too large a number of cycles");
	assert_traces(HEAD B("-4611686018427387904", "0"),
	              "ts: '-4611686018427387904' is too large a number of cycles");
	assert_traces(HEAD B("1e39", "0"), "ts: '1e39' is too large a number of cycles");
	assert_traces(NAME("0", "core_trace") HEAD B("4611686018427387903.9", "0")
	                  B("-4611686018427387903", "0") B("12e-1", "0"),
	              "-: 0 core_trace 4611686018427387903 -4611686018427387903 1;;;;|\n3 0 0");
}

static void missing_columns(void **state)
{
	(void)state;
	assert_traces("#name\tph\tpid\n", "column 'ts' is missing");
	assert_traces("#ts\tph\tpid\n", "column 'name' is missing");
	assert_traces("#ts\tname\tpid\n", "column 'ph' is missing");
	assert_traces("#ts\tname\tph\n", "column 'pid' is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(names),
		cmocka_unit_test(named_when),
		cmocka_unit_test(files),
		cmocka_unit_test(files_of_two_paths),
		cmocka_unit_test(one_trace_without_files),
		cmocka_unit_test(times),
		cmocka_unit_test(missing_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
