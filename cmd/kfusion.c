/*
 * kfusion - finds what one trace does in one kernel and another trace in several.
 *
 *	kfusion a.kev b.kev
 * of two streams through kcontext and kclass gives
 *	#fused_by	fused_class	fused_count	unfused_by	sequence	unfused_count	share	...
 *	trace1	RMSNorm+GEMM	32	trace2	RMSNorm, Dense GEMM	32	100	...
 *
 * Memory: some 200 bytes for each kernel.
 */
#include <stddef.h>

#include "compare/fusion.h"
#include "compare/pair.h"

/* The columns of a side, and the numbers of its texts. */
struct trace {
	int ts;
	int pid;
	int correlation;
	int step;
	int file;
	struct strmap devices;
	struct strmap launches;
	struct strmap steps;
};

struct state {
	struct opts opts;
	struct pair pair;
	bool by_class; /* -C */
	struct trace trace[SIDES];
	struct strmap ops;
	struct fusion fusion;
	struct buf key;
};

enum { PHASE_OPT = OPT_LONG };

static const struct opt opts[] = {
	{PHASE_OPT, "phase", "PHASE",
     "compare only kernels of this phase: prefill, decode, mixed (default: all)"},
	{'C', "classes", NULL, "print the classes and their kernels in matching groups"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[--phase=PHASE] [-C] [-r | -j | -M] A B",
	"Find work that one of two traces does in one kernel and the other in several.", opts,
	sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static void columns(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct trace *trace = &st->trace[s];

	trace->step = kev_column(in, STR("step"));
	trace->file = kev_column(in, STR("file"));
	if (kev_need(in, STR("ts"), &trace->ts) && kev_need(in, STR("pid"), &trace->pid))
		kev_need(in, STR("correlation"), &trace->correlation);
}

/* The number of the text in two columns and file; STRMAP_NONE if the second column is empty. */
static size_t number_of(struct state *st, int s, struct strmap *map, int first, int second)
{
	struct kev_reader *in = &st->pair.side[s].in;
	const int key[] = {first, second, st->trace[s].file};
	size_t count = key[2] == KEV_NONE ? 2 : 3;

	if (second == KEV_NONE || in->field[second].n == 0)
		return STRMAP_NONE;
	return strmap_add(map, kev_key(in, key, count, &st->key, &st->pair.scratch), NULL);
}

static void add(struct state *st, int s, struct dec dur)
{
	struct kev_reader *in = &st->pair.side[s].in;
	const struct pair_trace *of = &st->pair.trace[s];
	struct trace *trace = &st->trace[s];
	struct fusion_kernel kernel = {.dur = dur};

	if (!kev_number(in, trace->ts, &kernel.ts) && !in->error[0])
		kev_error(in, "a kernel without ts");
	kernel.op = strmap_add(&st->ops, kev_text(in, of->op, &st->pair.scratch), NULL);
	kernel.device = number_of(st, s, &trace->devices, trace->pid, trace->pid);
	kernel.launch = number_of(st, s, &trace->launches, trace->pid, trace->correlation);
	kernel.step = number_of(st, s, &trace->steps, trace->pid, trace->step);
	fusion_add(&st->fusion, s, &kernel);
}

static void read_side(struct state *st, int s)
{
	enum pair_item item;
	struct dec dur;

	while ((item = pair_next(&st->pair, s, &dur)) != PAIR_END) {
		if (item == PAIR_COLUMNS)
			columns(st, s);
		else
			add(st, s, dur);
	}
}

/* --- tables -------------------------------------------------------------- */

static void put_trace(struct sheet *sheet, const void *row, int other)
{
	const struct fusion_mapping *mapping = row;

	buf_format(&sheet->cell, "trace%d", (other ? 1 - mapping->by : mapping->by) + 1);
}

static void put_sequence(struct sheet *sheet, const void *row, int which)
{
	const struct fusion_mapping *mapping = row;

	(void)which;
	buf_str(&sheet->cell, mapping->parts[0]);
	buf_text(&sheet->cell, mapping->parts[1].n ? ", " : "");
	buf_str(&sheet->cell, mapping->parts[1]);
}

static void put_share(struct sheet *sheet, const void *row, int which)
{
	const struct fusion_mapping *mapping = row;

	(void)which;
	dec_quotient_digits(&sheet->cell, dec_of((int64_t)mapping->count), dec_of((int64_t)mapping->of),
	                    2, sheet->people ? 3 : 12);
}

static void put_evidence(struct sheet *sheet, const void *row, int which)
{
	const struct fusion_mapping *mapping = row;

	(void)which;
	buf_str(&sheet->cell, buf_view(&mapping->evidence));
}

static const struct sheet_column mapping_columns[] = {
	{"fused_by", SHEET_TEXT, put_trace, 0},
	{"fused_class", SHEET_TEXT, sheet_put_text, offsetof(struct fusion_mapping, fused)},
	{"fused_count", SHEET_NUMBER, sheet_put_count, offsetof(struct fusion_mapping, fused_count)},
	{"unfused_by", SHEET_TEXT, put_trace, 1},
	{"sequence", SHEET_TEXT, put_sequence, 0},
	{"unfused_count", SHEET_NUMBER, sheet_put_count, offsetof(struct fusion_mapping, count)},
	{"share", SHEET_NUMBER, put_share, 0},
	{"evidence", SHEET_TEXT, put_evidence, 0},
};

static void write_mappings(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Mappings", mapping_columns,
	           sizeof mapping_columns / sizeof *mapping_columns);
	for (size_t i = 0; i < st->fusion.mappings_count; i++)
		sheet_row(&sheet, &st->fusion.mappings[i]);
	sheet_end(&sheet);
}

static void put_groups(struct sheet *sheet, const void *row, int which)
{
	const struct fusion *fusion = sheet->context;

	(void)row;
	(void)which;
	sheet_count(sheet, fusion->pairs);
}

static const struct sheet_column class_columns[] = {
	{"operation", SHEET_TEXT, sheet_put_text, offsetof(struct fusion_class, name)},
	{"count1", SHEET_NUMBER, pair_put_count, 0},
	{"count2", SHEET_NUMBER, pair_put_count, 1},
	{"total1_us", SHEET_NUMBER, pair_put_us, 0},
	{"total2_us", SHEET_NUMBER, pair_put_us, 1},
	{"grouped1", SHEET_NUMBER, sheet_put_count, offsetof(struct fusion_class, grouped[0])},
	{"grouped2", SHEET_NUMBER, sheet_put_count, offsetof(struct fusion_class, grouped[1])},
	{"groups", SHEET_NUMBER, put_groups, 0},
	{"groups_differ", SHEET_NUMBER, sheet_put_count, offsetof(struct fusion_class, differ)},
};

static void write_classes(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Classes", class_columns,
	           sizeof class_columns / sizeof *class_columns);
	sheet.context = &st->fusion;
	for (size_t i = 0; i < st->fusion.classes_count; i++) {
		const struct fusion_class *class = &st->fusion.classes[i];

		if (class->sum[0].count || class->sum[1].count) /* else pair_face_attention emptied it */
			sheet_row(&sheet, class);
	}
	sheet_end(&sheet);
}

/* --- the end ------------------------------------------------------------- */

enum { FACTS = 2 };

/* A stream has one table. */
static void write_tables(struct state *st, const struct pair_fact *facts[SIDES])
{
	bool one = st->pair.form == FORM_TSV;

	pair_begin(&st->pair, "What one of two traces fuses", facts, FACTS);
	if (!one || !st->by_class)
		write_mappings(st);
	if (!one || st->by_class)
		write_classes(st);
	pair_end(&st->pair);
}

static void finish(struct state *st)
{
	const struct fusion *fusion = &st->fusion;
	struct pair_fact of_side[SIDES][FACTS];
	const struct pair_fact *facts[SIDES] = {of_side[0], of_side[1]};

	pair_check(&st->pair);
	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < st->fusion.side[s].count; i++)
			pair_face_attention(&st->pair, s, &st->ops, &st->fusion.side[s].kernels[i].op);
	if (!fusion_find(&st->fusion, &st->ops))
		die("%s", fusion->error);
	if (fusion->pairs == 0 && fusion->side[0].bunches_count && fusion->side[1].bunches_count)
		warn("no group of kernels in one trace matches one in the other: do both run one model?");
	for (int s = 0; s < SIDES; s++) {
		of_side[s][0] = (struct pair_fact){"groups", fusion->side[s].bunches_count};
		of_side[s][1] = (struct pair_fact){"groups_matched", fusion->pairs};
	}
	write_tables(st, facts);
}

int main(int argc, char **argv)
{
	struct state st = {.by_class = false};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == PHASE_OPT)
			st.pair.phase = pair_phase(st.opts.arg);
		else if (letter == 'C')
			st.by_class = true;
		else
			opts_form(letter, &st.pair.form);
	}
	pair_open(&st.pair, &st.opts);
	for (int s = 0; s < SIDES; s++)
		read_side(&st, s);
	finish(&st);
	return pair_finish(&st.pair);
}
