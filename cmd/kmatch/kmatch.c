/*
 * kmatch - compares the kernels of two traces, layer by layer of the model.
 *
 *	kmatch a.kev b.kev
 * of two streams through kcontext and kclass gives
 *	#layer	position	op	op_detail	kernel1	kernel2	mean1	...
 *	0	0	Attention (Decode)		attn_fwd	flash_fwd	12.5	...
 *	0	1	RMSNorm+GEMM		triton_rms_gemm		8	...	fused by trace1
 *
 * Memory: some 90 bytes for each kernel, and the distinct names.
 */
#include <stddef.h>
#include <stdlib.h>

#include "compare/pair.h"
#include "kernel/kclass.h"

#include "alignsum.h"

struct trace {
	struct strmap passes; /* a step on one device */
	struct strmap steps;
	size_t phases[3]; /* steps, by phase */
	uint64_t no_ts;
	int ts;     /* columns */
	int key[3]; /* step, pid, and file if there is one */
	size_t keys;
	int type;
	int cat;
	int cpu_op;
};

struct state {
	struct opts opts;
	struct pair pair;
	struct trace trace[SIDES];
	struct align align;
	struct kclass kclass; /* the default rules, which know an attention from a part of one */
	bool by_layer;        /* -L */
	bool by_same;         /* --same */
	struct strmap ops;
	struct strmap names;
	struct alignsum sums;
	struct buf key;
	struct buf source_key;
	struct buf text[4];
};

enum { PHASE_OPT = OPT_LONG, MATCH, SAME };

static const struct opt opts[] = {
	{MATCH, "match", "order|position", "match the kernels of a layer by this (default: order)"},
	{PHASE_OPT, "phase", "prefill|decode|mixed|all",
     "compare only kernels of this phase (default: all)"},
	{'L', "layers", NULL, "print the totals of each layer"},
	{SAME, "same", NULL, "print the kernels that have one name in both traces, and a summary"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[--match=order|position] [--phase=PHASE] [-L | --same] [-r | -j | -M] A B",
	"Compare the kernels of two traces, layer by layer.", opts, sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static void columns(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct trace *trace = &st->trace[s];

	trace->type = kev_column(in, STR("type"));
	trace->cat = kev_column(in, STR("cat"));
	trace->cpu_op = kev_column(in, STR("cpu_op"));
	trace->keys = 2;
	trace->key[2] = kev_column(in, STR("file"));
	trace->keys += trace->key[2] != KEV_NONE;
	if (kev_need(in, STR("ts"), &trace->ts) && kev_need(in, STR("step"), &trace->key[0]))
		kev_need(in, STR("pid"), &trace->key[1]);
}

static bool begins_layer(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	const struct pair_trace *of = &st->pair.trace[s];
	const struct trace *trace = &st->trace[s];
	struct kclass_kernel kernel = {
		.name = kev_text(in, of->name, &st->text[0]),
		.type = kev_text(in, trace->type, &st->text[1]),
		.cat = kev_text(in, trace->cat, &st->text[2]),
		.cpu_op = kev_text(in, trace->cpu_op, &st->text[3]),
		.phase = kev_text(in, of->phase, &st->pair.scratch),
	};

	return kclass_begins_layer(&st->kclass, &kernel);
}

/* A key of the row within its source. */
static struct str in_source(struct state *st, const struct kev_reader *in, struct str key)
{
	st->source_key.len = 0;
	buf_str(&st->source_key, key);
	buf_format(&st->source_key, "\t%zu", in->place);
	return buf_view(&st->source_key);
}

/* Adds the step of a row, without its device; a new step counts for its phase. */
static void add_step(struct state *st, int s)
{
	static const char *const phases[] = {"prefill", "decode", "mixed"};
	struct kev_reader *in = &st->pair.side[s].in;
	const struct pair_trace *of = &st->pair.trace[s];
	struct trace *trace = &st->trace[s];
	const int key[] = {trace->key[0], trace->key[2]};
	struct str phase;
	bool new;

	strmap_add(&trace->steps,
	           in_source(st, in, kev_key(in, key, trace->keys - 1, &st->key, &st->pair.scratch)),
	           &new);
	if (!new)
		return;
	phase = kev_text(in, of->phase, &st->pair.scratch);
	for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
		trace->phases[i] += str_equal(phase, str_of(phases[i]));
}

static uint32_t add_pass(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct trace *trace = &st->trace[s];
	struct str key = kev_key(in, trace->key, trace->keys, &st->key, &st->pair.scratch);

	return (uint32_t)strmap_add(&trace->passes, in_source(st, in, key), NULL);
}

/* Which product of a layer it is, if the name shows it. */
static struct str detail_of(struct str operation, struct str name)
{
	static const struct {
		struct str has;
		struct str detail;
	} details[] = {
		{{"qkv", 3}, {"QKV", 3}},
		{{"o_proj", 6}, {"O", 1}},
		{{"out_proj", 8}, {"O", 1}},
		{{"gate_up", 7}, {"FFN_up", 6}},
		{{"up_proj", 7}, {"FFN_up", 6}},
		{{"ffn_up", 6}, {"FFN_up", 6}},
		{{"down_proj", 9}, {"FFN_down", 8}},
		{{"ffn_down", 8}, {"FFN_down", 8}},
	};

	if (!str_equal(operation, STR("Dense GEMM")))
		return STR("");
	for (size_t i = 0; i < sizeof details / sizeof *details; i++)
		if (str_has_any_case(name, details[i].has))
			return details[i].detail;
	return STR("");
}

static void add(struct state *st, int s, struct dec dur)
{
	struct kev_reader *in = &st->pair.side[s].in;
	const struct pair_trace *of = &st->pair.trace[s];
	struct trace *trace = &st->trace[s];
	struct align_kernel kernel = {.dur = dur, .step = in->field[trace->key[0]].n > 0};
	struct str detail;
	struct str name;

	kernel.timed = kev_number(in, trace->ts, &kernel.ts);
	if (!kernel.timed) {
		trace->no_ts++;
		if (st->opts.strict && !in->error[0])
			kev_error(in, "a kernel without ts");
	}
	kernel.op = strmap_add(&st->ops, kev_text(in, of->op, &st->pair.scratch), NULL);
	name = kev_text(in, of->name, &st->pair.scratch);
	kernel.name = strmap_add(&st->names, name, NULL);
	detail = detail_of(strmap_key(&st->ops, kernel.op), name);
	kernel.alike = detail.n ? strmap_add(&st->names, detail, NULL) : kernel.name;
	kernel.attention = begins_layer(st, s);
	kernel.pass = add_pass(st, s);
	if (kernel.step)
		add_step(st, s);
	align_add(&st->align, s, &kernel);
}

static void read_side(struct state *st, int s)
{
	struct trace *trace = &st->trace[s];
	const char *file;
	enum pair_item item;
	struct dec dur;

	while ((item = pair_next(&st->pair, s, &dur)) != PAIR_END) {
		if (item == PAIR_COLUMNS)
			columns(st, s);
		else
			add(st, s, dur);
	}
	file = st->pair.side[s].in.file;
	if (trace->no_ts)
		warn("%s: kernels without ts, not in any layer: %llu", file,
		     (unsigned long long)trace->no_ts);
	if (st->align.side[s].count && trace->steps.count == 0)
		warn("%s: no kernel has a step: treating all of them as one forward pass", file);
}

/* --- tables -------------------------------------------------------------- */

/* An int32_t of the row; empty for kernels outside of layers. */
static void put_layer(struct sheet *sheet, const void *row, int field)
{
	const int32_t *layer = sheet_field(row, field);

	if (*layer != ALIGN_OUTSIDE)
		buf_format(&sheet->cell, "%d", *layer);
}

static void put_detail(struct sheet *sheet, const void *row, int which)
{
	const struct alignsum_row *r = row;
	struct str detail = detail_of(r->at->operation, r->kernel[0]);

	(void)which;
	buf_str(&sheet->cell, detail.n ? detail : detail_of(r->at->operation, r->kernel[1]));
}

static void put_same(struct sheet *sheet, const void *row, int which)
{
	(void)which;
	buf_text(&sheet->cell, alignsum_is_same(row) ? "yes" : "no");
}

static void put_note(struct sheet *sheet, const void *row, int which)
{
	const struct state *st = sheet->context;

	(void)which;
	alignsum_note(row, st->align.by_order, &sheet->cell);
}

/* A field of the row of the alignment. */
#define AT(field) SHEET_THROUGH(struct alignsum_row, at, struct align_row, field)

static const struct sheet_column row_columns[] = {
	{"layer", SHEET_NUMBER, put_layer, AT(layer)},
	{"position", SHEET_NUMBER, sheet_put_count, AT(position)},
	SHEET_NAMES("op", "operation", SHEET_TEXT, sheet_put_text, AT(operation)),
	SHEET_NAMES("op_detail", "operation_detail", SHEET_TEXT | SHEET_SPARE, put_detail, 0),
	{"kernel1", SHEET_NAME, sheet_put_text, offsetof(struct alignsum_row, kernel[0])},
	{"kernel2", SHEET_NAME, sheet_put_text, offsetof(struct alignsum_row, kernel[1])},
	SHEET_NAMES("mean1", "avg1_us", SHEET_NUMBER, pair_put_average, 0),
	SHEET_NAMES("mean2", "avg2_us", SHEET_NUMBER, pair_put_average, 1),
	{"count1", SHEET_NUMBER | SHEET_SPARE, pair_put_count, 0},
	{"count2", SHEET_NUMBER | SHEET_SPARE, pair_put_count, 1},
	SHEET_NAMES("total1", "total1_us", SHEET_NUMBER | SHEET_SPARE, pair_put_us, 0),
	SHEET_NAMES("total2", "total2_us", SHEET_NUMBER | SHEET_SPARE, pair_put_us, 1),
	SHEET_NAMES("mean_ratio", "ratio", SHEET_NUMBER, pair_put_ratio, PAIR_AVERAGES),
	SHEET_NAMES("gap", "gap_us", SHEET_NUMBER, pair_put_gap_us, 0),
	{"same", SHEET_TEXT, put_same, 0},
	{"note", SHEET_TEXT, put_note, 0},
};

static void write_rows(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Kernels", row_columns, sizeof row_columns / sizeof *row_columns);
	sheet.context = st;
	for (size_t i = 0; i < st->align.rows_count; i++)
		sheet_row(&sheet, &st->sums.rows[i]);
	sheet_end(&sheet);
}

static const struct sheet_column layer_columns[] = {
	{"layer", SHEET_NUMBER, put_layer,
     SHEET_THROUGH(struct alignsum_layer, at, struct align_layer, number)},
	{"count1", SHEET_NUMBER, pair_put_count, 0},
	{"count2", SHEET_NUMBER, pair_put_count, 1},
	SHEET_NAMES("total1", "total1_us", SHEET_NUMBER, pair_put_us, 0),
	SHEET_NAMES("total2", "total2_us", SHEET_NUMBER, pair_put_us, 1),
	SHEET_NAMES("aligned1", "aligned1_us", SHEET_NUMBER, pair_put_time,
                offsetof(struct alignsum_layer, aligned[0].total)),
	SHEET_NAMES("aligned2", "aligned2_us", SHEET_NUMBER, pair_put_time,
                offsetof(struct alignsum_layer, aligned[1].total)),
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
	SHEET_NAMES("gap", "gap_us", SHEET_NUMBER, pair_put_gap_us, 0),
};

static void write_layers(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Layers", layer_columns,
	           sizeof layer_columns / sizeof *layer_columns);
	for (size_t i = 0; i < st->align.layers_count; i++)
		sheet_row(&sheet, &st->sums.layers[i]);
	sheet_end(&sheet);
}

static const struct sheet_column same_columns[] = {
	SHEET_NAMES("op", "operation", SHEET_TEXT, sheet_put_text,
                offsetof(struct alignsum_same, operation)),
	{"kernel", SHEET_NAME, sheet_put_text, offsetof(struct alignsum_same, name)},
	{"pairs", SHEET_NUMBER, sheet_put_count, offsetof(struct alignsum_same, pairs)},
	{"count1", SHEET_NUMBER | SHEET_SPARE, pair_put_count, 0},
	{"count2", SHEET_NUMBER | SHEET_SPARE, pair_put_count, 1},
	SHEET_NAMES("mean1", "avg1_us", SHEET_NUMBER, pair_put_average, 0),
	SHEET_NAMES("mean2", "avg2_us", SHEET_NUMBER, pair_put_average, 1),
	SHEET_NAMES("mean_ratio", "ratio", SHEET_NUMBER, pair_put_ratio, PAIR_AVERAGES),
	SHEET_NAMES("gap", "gap_us", SHEET_NUMBER, pair_put_gap_us, 0),
	{"faster1", SHEET_NUMBER, sheet_put_count, offsetof(struct alignsum_same, faster[0])},
	{"faster2", SHEET_NUMBER, sheet_put_count, offsetof(struct alignsum_same, faster[1])},
};

static void write_same(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Same kernels", same_columns,
	           sizeof same_columns / sizeof *same_columns);
	for (size_t i = 0; i < st->sums.same_count; i++)
		sheet_row(&sheet, &st->sums.same[i]);
	sheet_end(&sheet);
}

static void put_mean_ratio(struct sheet *sheet, const void *row, int which)
{
	const struct alignsum_alike *alike = row;
	struct buf *cell = &sheet->cell;

	(void)which;
	if (sheet->people && alike->ratios)
		dec_quotient_fixed(cell, alike->ratio, dec_of((int64_t)alike->ratios), -9, 3);
	else
		alignsum_mean_ratio(alike, cell);
}

/* The rows are a struct alignsum_alike, which begins with sums. */
static const struct sheet_column alike_columns[] = {
	{"kernels", SHEET_NUMBER, sheet_put_count, offsetof(struct alignsum_alike, kernels)},
	{"pairs", SHEET_NUMBER, sheet_put_count, offsetof(struct alignsum_alike, all.pairs)},
	{"count1", SHEET_NUMBER, pair_put_count, 0},
	{"count2", SHEET_NUMBER, pair_put_count, 1},
	SHEET_NAMES("total1", "total1_us", SHEET_NUMBER, pair_put_us, 0),
	SHEET_NAMES("total2", "total2_us", SHEET_NUMBER, pair_put_us, 1),
	{"ratio", SHEET_NUMBER, pair_put_ratio, PAIR_TOTALS},
	SHEET_NAMES("mean_of_ratios", "mean_ratio", SHEET_NUMBER, put_mean_ratio, 0),
	SHEET_NAMES("gap", "gap_us", SHEET_NUMBER, pair_put_gap_us, 0),
	{"faster1", SHEET_NUMBER, sheet_put_count, offsetof(struct alignsum_alike, all.faster[0])},
	{"faster2", SHEET_NUMBER, sheet_put_count, offsetof(struct alignsum_alike, all.faster[1])},
};
enum { ALIKE_COLUMNS = sizeof alike_columns / sizeof *alike_columns };

/* Without a table: ##same lines of a stream, an object of JSON. */
static void put_alike(struct state *st)
{
	struct jsonw *w = st->pair.form == FORM_JSON ? &st->pair.json : NULL;
	struct sheet sheet = {.out = &st->pair.out};

	if (w)
		jsonw_object(w, "same_summary");
	for (size_t i = 0; i < ALIKE_COLUMNS; i++) {
		const struct sheet_column *column = &alike_columns[i];
		struct str line[] = {str_of(column->title), {NULL, 0}};

		if (column->kind & (w ? SHEET_STREAM : SHEET_ORIGINAL))
			continue;
		sheet.cell.len = 0;
		column->put(&sheet, &st->sums.alike, column->which);
		line[1] = buf_view(&sheet.cell);
		if (w)
			jsonw_figure(w, column->title, line[1]);
		else
			kev_meta(&st->pair.out, "same", line, 2);
	}
	if (w)
		jsonw_end_object(w);
	buf_free(&sheet.cell);
}

static void write_alike(struct state *st)
{
	struct sheet sheet;

	if (st->pair.form == FORM_TSV || st->pair.form == FORM_JSON) {
		put_alike(st);
		return;
	}
	pair_sheet(&st->pair, &sheet, "Same kernels in all", alike_columns, ALIKE_COLUMNS);
	sheet_row(&sheet, &st->sums.alike);
	sheet_end(&sheet);
}

/* --- the end ------------------------------------------------------------- */

enum { FACTS = 5 };

static void set_facts(const struct state *st, int s, struct pair_fact facts[FACTS])
{
	const struct trace *trace = &st->trace[s];
	const struct align_side *side = &st->align.side[s];
	/* Without steps all kernels are one forward pass. */
	bool one = trace->steps.count == 0 && side->count;

	facts[0] = (struct pair_fact){"forward_passes", one ? 1 : trace->steps.count};
	facts[1] = (struct pair_fact){"model_layers", (uint64_t)side->layers};
	facts[2] = (struct pair_fact){"prefill_steps", trace->phases[0]};
	facts[3] = (struct pair_fact){"decode_steps", trace->phases[1]};
	facts[4] = (struct pair_fact){"mixed_steps", trace->phases[2]};
}

/* JSON has all of the tables. */
static bool wants_same(const struct state *st)
{
	return st->by_same || st->pair.form == FORM_JSON;
}

/* A stream has one table. */
static void write_tables(struct state *st, const struct pair_fact *facts[SIDES])
{
	bool one = st->pair.form == FORM_TSV;

	pair_begin(&st->pair, "Two traces, kernel by kernel", facts, FACTS);
	if (!one || st->by_layer)
		write_layers(st);
	if (!one || (!st->by_layer && !st->by_same))
		write_rows(st);
	if (wants_same(st)) {
		write_same(st);
		write_alike(st);
	}
	pair_end(&st->pair);
}

static void finish(struct state *st)
{
	struct pair_fact of_side[SIDES][FACTS];
	const struct pair_fact *facts[SIDES] = {of_side[0], of_side[1]};

	pair_check(&st->pair);
	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < st->align.side[s].count; i++)
			pair_face_attention(&st->pair, s, &st->ops, &st->align.side[s].kernels[i].op);
	align_find(&st->align, &st->ops);
	if (!alignsum_find(&st->sums, &st->align, &st->ops, &st->names, wants_same(st)))
		die("%s", st->sums.error);
	for (int s = 0; s < SIDES; s++)
		set_facts(st, s, of_side[s]);
	write_tables(st, facts);
}

int main(int argc, char **argv)
{
	struct state st = {.align = {.by_order = true}};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == PHASE_OPT)
			st.pair.phase = pair_phase(st.opts.arg);
		else if (letter == MATCH)
			st.align.by_order = !opts_second(&st.opts, "order", "position");
		else if (letter == 'L')
			st.by_layer = true;
		else if (letter == SAME)
			st.by_same = true;
		else
			opts_form(letter, &st.pair.form);
	}
	if (st.pair.form == FORM_TSV && st.by_layer && st.by_same)
		opts_fail("-L and --same print two tables: give one of them, or use -r or -M");

	st.pair.match = st.align.by_order ? "order" : "position";
	if (!kclass_load(&st.kclass, NULL))
		die("%s", st.kclass.error);
	pair_open(&st.pair, &st.opts);
	for (int s = 0; s < SIDES; s++)
		st.pair.side[s].in.by_source = true;
	for (int s = 0; s < SIDES; s++)
		read_side(&st, s);
	finish(&st);
	return pair_finish(&st.pair);
}
