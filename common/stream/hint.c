#include "stream/hint.h"

#include "base/nearest.h"

/* What adds a column; kev(5) lists the writers. */
static const struct {
	const char *column;
	const char *writer;
} writers[] = {
	{"correlation", "trace2tsv -g"},
	{"External id", "trace2tsv -g"},
	{"stream", "trace2tsv -g"},
	{"Python id", "trace2tsv -g"},
	{"Python parent id", "trace2tsv -g"},
	{"Input Dims", "trace2tsv -a 'Input Dims'"},
	{"Input Strides", "trace2tsv -a 'Input Strides'"},
	{"Input type", "trace2tsv -a 'Input type'"},
	{"Concrete Inputs", "trace2tsv -a 'Concrete Inputs'"},
	{"bytes", "trace2tsv -a bytes or sqlite2tsv"},
	{"step", "kcontext"},
	{"phase", "kcontext"},
	{"layer", "kcontext -l"},
	{"cpu_op", "kcontext"},
	{"step_name", "kcontext"},
	{"module", "kcontext --modules"},
	{"module_stack", "kcontext --modules"},
	{"range", "kcontext --ranges"},
	{"range_stack", "kcontext --ranges"},
	{"capture", "kcontext --capture"},
	{"ctx_tokens", "kcontext --tokens"},
	{"gen_tokens", "kcontext --tokens"},
	{"host_ts", "csv2tsv"},
	{"launch_ts", "kcontext or klaunch"},
	{"launch_dur", "kcontext or klaunch"},
	{"launch_tid", "kcontext or klaunch"},
	{"op_id", "kcontext"},
	{"python_stack", "kcontext --stacks"},
	{"launch", "klaunch"},
	{"latency", "klaunch"},
	{"delay", "klaunch"},
	{"queue", "klaunch"},
	{"gap", "klaunch"},
	{"cause", "klaunch"},
	{"self", "kcpu"},
	{"depth", "kcpu"},
	{"stack", "kcpu --stacks"},
	{"op", "kclass"},
	{"pattern", "kclass"},
	{"status", "opmap"},
	{"func", "opmap"},
	{"count", "kgroup"},
	{"total", "kgroup"},
	{"mean", "kgroup"},
	{"share", "kgroup"},
	{"cumulative", "kgroup --cumulative"},
	{"median1", "kcompare"},
	{"median2", "kcompare"},
	{"change", "kcompare"},
	{"adjusted", "kcompare"},
	{"verdict", "kcompare"},
	{"rank", "--rank of trace2tsv or csv2tsv"},
	{"clipped", "kcheck --clip or kselect --clip"},
	{"flops", "kroof"},
	{"tflops", "kroof"},
	{"gbs", "kroof"},
	{"intensity", "kroof"},
	{"bound", "kroof"},
	{"peak_share", "kroof"},
	{"device", "trace2tsv -a device or sqlite2tsv"},
	{"context", "trace2tsv -a context or sqlite2tsv"},
	{"graph_node", "sqlite2tsv"},
	{"op_name", "xplane2tsv"},
	{"hlo_op", "xplane2tsv"},
	{"hlo_module", "xplane2tsv"},
	{"hlo_category", "xplane2tsv"},
	{"hlo_flops", "xplane2tsv"},
	{"bytes_accessed", "xplane2tsv"},
	{"line", "xplane2tsv -A"},
	{"wait", "kcoll --minima"},
	{"Collective name", "trace2tsv --collectives"},
	{"In msg nelems", "trace2tsv --collectives"},
	{"Group size", "trace2tsv --collectives"},
	{"Process Group Name", "trace2tsv --collectives"},
	{"Seq", "trace2tsv --collectives"},
	{"Bytes", "trace2tsv --memory"},
	{"Device Type", "trace2tsv --memory"},
	{"Addr", "trace2tsv --memory"},
	{"Total Allocated", "trace2tsv --memory"},
	{"Total Reserved", "trace2tsv --memory"},
	{"file", "-f of trace2tsv or csv2tsv"},
};
enum { WRITERS = sizeof writers / sizeof *writers };

/* NULL if no program makes a column of this name. */
static const char *writer_of(struct str column)
{
	for (size_t i = 0; i < WRITERS; i++)
		if (str_equal(column, str_of(writers[i].column)))
			return writers[i].writer;
	return NULL;
}

static bool is_core(struct str column)
{
	for (size_t i = 0; i < KEV_CORE; i++)
		if (str_equal(column, str_of(kev_core[i])))
			return true;
	return false;
}

/* What adds it to this stream: a CSV or a database has no columns of trace2tsv. */
static const char *writer_here(const struct kev_reader *r, struct str column)
{
	static const struct {
		struct str program;
		const char *rank;
		const char *file;
	} converters[] = {
		{{"trace2tsv", 9}, "trace2tsv --rank", "trace2tsv -f"},
		{{"csv2tsv", 7}, "csv2tsv --rank", "csv2tsv -f"},
		{{"sqlite2tsv", 10}, "sqlite2tsv --rank", "sqlite2tsv -f"},
		{{"xplane2tsv", 10}, "xplane2tsv --rank", "xplane2tsv -f"},
	};
	const char *writer = writer_of(column);

	for (size_t i = 0; i < sizeof converters / sizeof *converters; i++) {
		if (!kev_is_of(r, converters[i].program))
			continue;
		if (str_equal(column, STR("rank")))
			return converters[i].rank;
		if (str_equal(column, STR("file")))
			return converters[i].file;
		/* The first converter reads traces. */
		return i && writer && str_starts(str_of(writer), STR("trace2tsv")) ? NULL : writer;
	}
	return writer;
}

/* Returns whether a name is near. */
static bool put_nearest(struct buf *out, const struct kev_reader *r, struct str name)
{
	struct nearest nearest = nearest_to(name);
	const char *writer;
	char quoted[QUOTE_MAX];

	for (size_t i = 0; i < r->columns_count; i++)
		nearest_try(&nearest, r->column[i]);
	for (size_t i = 0; r->columns_line && i < WRITERS; i++)
		if (writer_here(r, str_of(writers[i].column)))
			nearest_try(&nearest, str_of(writers[i].column));
	if (!nearest.found.s)
		return false;
	buf_format(out, "; did you mean %s?", quote(quoted, nearest.found.s, nearest.found.n));
	writer = writer_here(r, nearest.found);
	if (kev_column(r, nearest.found) == KEV_NONE && writer)
		buf_format(out, " %s adds it", writer);
	return true;
}

/* Whether the converter had this option, by its ##via line. */
static bool had_option(const struct kev_reader *r, char letter, struct str name)
{
	struct str via = buf_view(&r->via);
	bool begins = false;

	if (str_has(via, name))
		return true;
	for (size_t i = 0; i + 1 < via.n; i++) {
		if (via.s[i] == ' ')
			begins =
				via.s[i + 1] == '-' && !str_starts((struct str){via.s + i, via.n - i}, STR(" --"));
		if (begins && via.s[i + 1] == letter)
			return true;
		if (strchr("acmpPu", via.s[i])) /* the rest is its argument */
			begins = false;
	}
	return false;
}

/*
 * Whether the column is a time that rows have, but not sums, such as tables of kgroup and
 * op_statistic.
 */
static bool is_lost_in_sums(const struct kev_reader *r, struct str column)
{
	return (str_equal(column, STR("ts")) || str_equal(column, STR("dur"))) &&
	       kev_column(r, STR("count")) != KEV_NONE && kev_column(r, STR("total")) != KEV_NONE;
}

/* In a table of two sides, the columns of a figure: total1 and total2. */
static bool put_sides(struct buf *out, const struct kev_reader *r, struct str name)
{
	struct buf side = {0};
	char quoted[QUOTE_MAX];
	bool both;

	buf_str(&side, name);
	buf_char(&side, '2');
	both = kev_column(r, buf_view(&side)) != KEV_NONE;
	side.data[side.len - 1] = '1';
	both = both && kev_column(r, buf_view(&side)) != KEV_NONE;
	if (both)
		buf_format(out, "; did you mean %s?", quote(quoted, side.data, side.len));
	buf_free(&side);
	return both;
}

/* What the converter of the stream read, if not a trace. */
static const char *input_of(const struct kev_reader *r)
{
	if (kev_is_of(r, STR("sqlite2tsv")))
		return "a database";
	return kev_is_of(r, STR("xplane2tsv")) ? "an XSpace" : "a CSV";
}

void hint_column(struct buf *out, const struct kev_reader *r, struct str name)
{
	const char *writer = r->columns_line ? writer_here(r, name) : NULL;

	if (put_sides(out, r, name))
		return;
	if (writer) {
		/* The program itself would be no help. */
		if (strcmp(writer, die_program()) != 0)
			buf_format(out, "; %s adds it", writer);
		return;
	}
	if (is_lost_in_sums(r, name)) {
		buf_text(out, ": this is a table of sums; give the rows themselves");
		return;
	}
	if (r->columns_line && writer_of(name) && strcmp(writer_of(name), "trace2tsv -g") == 0) {
		buf_format(out, "; a trace has it (trace2tsv -g), %s does not", input_of(r));
		return;
	}
	if (put_nearest(out, r, name) || is_core(name) || !r->columns_line)
		return;
	/* With all columns, it is not in the CSV or trace. */
	if (had_option(r, 'A', STR(" --all")))
		return;
	if (kev_is_of(r, STR("csv2tsv")))
		buf_text(out, "; csv2tsv -a adds columns of the CSV");
	else if (kev_is_of(r, STR("trace2tsv")))
		buf_text(out, "; trace2tsv -a adds members of args");
}

const char *hint_empty(struct str column)
{
	static const struct {
		const char *column;
		const char *advice;
	} fills[] = {
		{"layer", "; kcontext -l fills it"},
		{"launch", "; klaunch --host before kcontext fills it"},
		{"bytes", "; only copies have it, which kcontext --copies keeps"},
		{"range", "; only a trace with annotations has it (record_function, NVTX)"},
		{"range_stack", "; only a trace with annotations has it (record_function, NVTX)"},
		{"module", "; only a trace with Python functions has it (with_stack of PyTorch)"},
		{"module_stack", "; only a trace with Python functions has it (with_stack of PyTorch)"},
		{"capture", "; only kernels of a graph have it"},
		{"python_stack", "; only a trace with Python functions has it (with_stack of PyTorch)"},
		{"Input Dims", "; kcontext -a 'Input Dims' fills it"},
		{"Input Strides", "; kcontext -a 'Input Strides' fills it"},
		{"Input type", "; kcontext -a 'Input type' fills it"},
		{"Concrete Inputs", "; kcontext -a 'Concrete Inputs' fills it"},
	};

	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
		if (str_equal(column, str_of(fills[i].column)))
			return fills[i].advice;
	return "";
}

const char *hint_rows(const struct kev_reader *r)
{
	if (kev_is_of(r, STR("csv2tsv")) || kev_is_of(r, STR("sqlite2tsv")) ||
	    kev_is_of(r, STR("xplane2tsv")))
		return "";
	if (!kev_is_of(r, STR("trace2tsv")))
		return "; use trace2tsv -g";
	if (had_option(r, 'c', STR(" --category")))
		return "; use trace2tsv -g without -c";
	return had_option(r, 'g', STR(" --gpu")) ? "" : "; use trace2tsv -g";
}
