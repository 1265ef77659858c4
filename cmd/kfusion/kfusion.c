/*
 * kfusion - finds what one trace does in one kernel and another trace in several.
 *
 *	kfusion a.kev b.kev
 * of two streams through kcontext and kclass gives
 *	#op	fused_by	fused_count	unfused_by	sequence	unfused_count	share	...
 *	RMSNorm+GEMM	trace1	32	trace2	RMSNorm, Dense GEMM	32	100	...
 *
 * Memory: some 250 bytes for each kernel, and the distinct names.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "compare/pair.h"
#include "kernel/kclass.h"
#include "syntax/tsv.h"
#include "wall/launches.h"

#include "fusion.h"

/* The columns of a side, and the numbers of its texts. */
struct trace {
	int ts;
	int pid;
	int correlation;
	int step;
	int file;
	int type;
	int cat;
	int cpu_op;
	int pattern;
	struct groups kernels; /* by the number of their class and pattern or name */
	struct str *commonest; /* the commonest of each class */
	struct strmap devices;
	struct strmap launches;
	struct strmap steps;
};

struct state {
	struct opts opts;
	struct pair pair;
	bool by_class;    /* -C */
	bool by_launches; /* --opportunities */
	struct trace trace[SIDES];
	struct kclass kclass; /* the default rules, which know the parts of an attention */
	struct strmap ops;
	struct fusion fusion;
	struct buf key;
	struct buf source_key;
	struct buf text[4];
};

enum { PHASE_OPT = OPT_LONG, MIN_GROUP, OPPORTUNITIES };

static const struct opt opts[] = {
	{PHASE_OPT, "phase", "prefill|decode|mixed|all",
     "compare only kernels of this phase (default: all)"},
	{MIN_GROUP, "min-group", "N", "match groups of at least so many kernels (default: 50)"},
	{OPPORTUNITIES, "opportunities", NULL,
     "print the classes that one trace launches over twice as often"},
	{'C', "classes", NULL, "print the classes and their kernels in matching groups"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[--phase=PHASE] [--min-group=N] [--opportunities | -C] [-r | -j | -M] A B",
	"Find work that one of two traces does in one kernel and the other in several.", opts,
	sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static void columns(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct trace *trace = &st->trace[s];

	trace->step = kev_column(in, STR("step"));
	trace->file = kev_column(in, STR("file"));
	trace->type = kev_column(in, STR("type"));
	trace->cat = kev_column(in, STR("cat"));
	trace->cpu_op = kev_column(in, STR("cpu_op"));
	trace->pattern = kev_column(in, STR("pattern"));
	if (kev_need(in, STR("ts"), &trace->ts) && kev_need(in, STR("pid"), &trace->pid))
		kev_need(in, STR("correlation"), &trace->correlation);
}

/*
 * The number of the text in two columns and file, and of the source; STRMAP_NONE if the second
 * column is empty.
 */
static size_t number_of(struct state *st, int s, struct strmap *map, int first, int second)
{
	struct kev_reader *in = &st->pair.side[s].in;
	const int key[] = {first, second, st->trace[s].file};
	size_t count = key[2] == KEV_NONE ? 2 : 3;

	if (second == KEV_NONE || in->field[second].n == 0)
		return STRMAP_NONE;
	st->source_key.len = 0;
	buf_str(&st->source_key, kev_key(in, key, count, &st->key, &st->pair.scratch));
	buf_format(&st->source_key, "\t%zu", in->place);
	return strmap_add(map, buf_view(&st->source_key), NULL);
}

/* Whether a kernel of an attention's class prepares or finishes the work of another one. */
static bool is_part(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	const struct pair_trace *of = &st->pair.trace[s];
	const int columns[] = {of->name, st->trace[s].type, st->trace[s].cat, st->trace[s].cpu_op};
	struct str text[4];
	struct kclass_kernel kernel;
	struct kclass_label label;

	for (size_t i = 0; i < 4; i++)
		text[i] = kev_text(in, columns[i], &st->text[i]);
	kernel = (struct kclass_kernel){text[0], text[1], text[2], text[3],
	                                kev_text(in, of->phase, &st->pair.scratch)};
	return kclass_of(&st->kclass, &kernel, &label) && label.part;
}

/* The class of a kernel. The parts of an attention are a class of their own, of all phases. */
static size_t class_of(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	int op = st->pair.trace[s].op;

	if (str_starts(in->field[op], STR("Attention")) && is_part(st, s))
		return strmap_add(&st->ops, FUSION_PART, NULL);
	return strmap_add(&st->ops, kev_text(in, op, &st->pair.scratch), NULL);
}

static void note_name(struct state *st, int s, size_t op)
{
	const struct trace *trace = &st->trace[s];
	int column = trace->pattern == KEV_NONE ? st->pair.trace[s].name : trace->pattern;

	st->key.len = 0;
	buf_format(&st->key, "%zu\t", op);
	buf_str(&st->key, kev_text(&st->pair.side[s].in, column, &st->pair.scratch));
	groups_get(&st->trace[s].kernels, buf_view(&st->key))->count++;
}

static void add(struct state *st, int s, struct dec dur)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct trace *trace = &st->trace[s];
	struct sequence_kernel kernel = {.dur = dur};

	if (!kev_number(in, trace->ts, &kernel.ts) && !in->error[0])
		kev_error(in, "a kernel without ts");
	kernel.op = class_of(st, s);
	note_name(st, s, kernel.op);
	kernel.device = number_of(st, s, &trace->devices, trace->pid, trace->pid);
	kernel.launch = STRMAP_NONE;
	if (launches_is_linked(in->field[trace->correlation]))
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

/* The commonest pattern of each class; of several the smallest. */
static void find_commonest(struct state *st, int s)
{
	struct trace *trace = &st->trace[s];
	uint64_t *most = mem_zero(st->ops.count + 1, sizeof *most);

	trace->commonest = mem_zero(st->ops.count + 1, sizeof *trace->commonest);
	for (size_t i = 0; i < trace->kernels.keys.count; i++) {
		struct str key = strmap_key(&trace->kernels.keys, i);
		uint64_t count = trace->kernels.group[i].count;
		char *tab;
		size_t op = strtoul(key.s, &tab, 10);
		struct str name = {tab + 1, key.n - (size_t)(tab + 1 - key.s)};

		pair_face_attention(&st->pair, s, &st->ops, &op);
		if (count < most[op] || (count == most[op] && str_compare(name, trace->commonest[op]) > 0))
			continue;
		most[op] = count;
		trace->commonest[op] = name;
	}
	free(most);
}

/* --- mappings ------------------------------------------------------------ */

static void put_side(struct sheet *sheet, int side)
{
	buf_format(&sheet->cell, "trace%d", side + 1);
}

static void put_trace(struct sheet *sheet, const void *row, int other)
{
	const struct claim *claim = row;

	put_side(sheet, other ? 1 - claim->by : claim->by);
}

static void put_sequence(struct sheet *sheet, const void *row, int which)
{
	const struct claim *claim = row;

	(void)which;
	buf_str(&sheet->cell, claim->parts[0]);
	buf_text(&sheet->cell, claim->parts[1].n ? ", " : "");
	buf_str(&sheet->cell, claim->parts[1]);
}

static void put_share(struct sheet *sheet, const void *row, int which)
{
	const struct claim *claim = row;

	(void)which;
	dec_quotient_digits(&sheet->cell, dec_of((int64_t)claim->count), dec_of((int64_t)claim->of), 2,
	                    sheet->people ? 3 : 12);
}

static void put_evidence(struct sheet *sheet, const void *row, int which)
{
	const struct claim *claim = row;

	(void)which;
	buf_str(&sheet->cell, buf_view(&claim->evidence));
}

static void put_kernel(struct sheet *sheet, const void *row, int which)
{
	const struct state *st = sheet->context;
	const struct claim *claim = row;

	(void)which;
	buf_str(&sheet->cell, st->trace[claim->more].commonest[claim->about]);
}

/* Text number `which` of a key of number_of; empty for STRMAP_NONE. */
static struct str key_text(const struct strmap *map, size_t number, int which, struct buf *scratch)
{
	struct str rest = number == STRMAP_NONE ? STR("") : strmap_key(map, number);
	struct str text = {0};

	for (int i = 0; i <= which; i++) {
		const char *tab = rest.n ? memchr(rest.s, '\t', rest.n) : NULL;

		text = (struct str){rest.s, tab ? (size_t)(tab - rest.s) : rest.n};
		rest = tab ? (struct str){tab + 1, rest.n - text.n - 1} : STR("");
	}
	return tsv_text(text, scratch);
}

/* An id of the trace: a number if it is written as one that all readers of JSON keep. */
static void put_id(struct state *st, const char *name, int s, struct str text)
{
	size_t digits = 0;

	st->key.len = 0;
	buf_format(&st->key, "trace%d_%s", s + 1, name);
	buf_char(&st->key, '\0');
	while (digits < text.n && text.s[digits] >= '0' && text.s[digits] <= '9')
		digits++;
	if (digits && digits == text.n && digits <= 15 && (text.s[0] != '0' || digits == 1))
		jsonw_raw(&st->pair.json, st->key.data, text);
	else
		jsonw_known(&st->pair.json, st->key.data, text);
}

/* One side of two groups that match: its ids, and its kernels of a class. */
static void put_bunch(struct state *st, int s, size_t number, size_t op)
{
	const struct trace *trace = &st->trace[s];
	const struct bunch *bunch = &st->fusion.side[s].bunches[number];
	const struct couple *piece = sequence_piece(bunch, op);
	struct buf *scratch = &st->pair.scratch;
	size_t device = st->fusion.side[s].kernels[bunch->first].device;

	put_id(st, "pid", s, key_text(&trace->devices, device, 0, scratch));
	put_id(st, "correlation", s, key_text(&trace->launches, bunch->launch, 1, scratch));
	put_id(st, "step", s, key_text(&trace->steps, bunch->step, 1, scratch));
	st->key.len = 0;
	buf_format(&st->key, "trace%d_count", s + 1);
	buf_char(&st->key, '\0');
	jsonw_count(&st->pair.json, st->key.data, piece ? (unsigned long long)piece->count : 0);
}

/* The groups that match and in which that side has more of the class. */
static void put_groups(struct state *st, size_t op, int more)
{
	const struct matching *matching = &st->fusion.matching;
	const struct couple_index *index = &matching->by_class;

	for (size_t i = index->at[op]; i < index->at[op + 1]; i++) {
		const struct couple *difference = &index->item[i];

		if ((difference->count > 0) != (more == 1))
			continue;
		jsonw_object(&st->pair.json, NULL);
		for (int s = 0; s < SIDES; s++)
			put_bunch(st, s, matching->pairs[difference->a].bunch[s], op);
		jsonw_end_object(&st->pair.json);
	}
}

static void put_mapping_groups(struct sheet *sheet, const void *row, int which)
{
	const struct claim *claim = row;

	(void)which;
	put_groups((struct state *)sheet->context, claim->about, claim->more);
}

static const struct sheet_column mapping_columns[] = {
	{"op", SHEET_TEXT | SHEET_STREAM, sheet_put_text, offsetof(struct claim, fused)},
	{"fused_by", SHEET_TEXT, put_trace, 0},
	{"fused_class", SHEET_TEXT | SHEET_ORIGINAL, sheet_put_text, offsetof(struct claim, fused)},
	{"fused_count", SHEET_NUMBER, sheet_put_count, offsetof(struct claim, fused_count)},
	{"unfused_by", SHEET_TEXT | SHEET_WIDE, put_trace, 1},
	{"sequence", SHEET_TEXT, put_sequence, 0},
	{"unfused_count", SHEET_NUMBER, sheet_put_count, offsetof(struct claim, count)},
	{"share", SHEET_NUMBER, put_share, 0},
	SHEET_NAMES("unfused_total", "unfused_us", SHEET_NUMBER, pair_put_time,
                offsetof(struct claim, unfused_us)),
	SHEET_NAMES("fused_total", "fused_us", SHEET_NUMBER, pair_put_time,
                offsetof(struct claim, fused_us)),
	SHEET_NAMES("saves", "saves_us", SHEET_NUMBER, pair_put_time, offsetof(struct claim, saves_us)),
	{"kernel", SHEET_NAME | SHEET_WIDE, put_kernel, 0},
	{"evidence", SHEET_TEXT | SHEET_WIDE, put_evidence, 0},
	{"groups", SHEET_LIST, put_mapping_groups, 0},
};

static const struct sheet_column evidence_columns[] = {
	{"kernel", SHEET_NAME, put_kernel, 0},
	{"evidence", SHEET_TEXT, put_evidence, 0},
};

static void put_mappings(struct state *st, const char *title, const struct sheet_column *columns,
                         size_t count)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, title, columns, count);
	sheet.context = st;
	for (size_t i = 0; i < st->fusion.claims_count; i++)
		sheet_row(&sheet, &st->fusion.claims[i]);
	sheet_end(&sheet);
}

/* A report has a table for the evidence, since the lines would be too long. */
static void write_mappings(struct state *st)
{
	put_mappings(st, "Mappings", mapping_columns,
	             sizeof mapping_columns / sizeof *mapping_columns - (st->pair.form != FORM_JSON));
	if (st->pair.form == FORM_REPORT && st->fusion.claims_count)
		put_mappings(st, "Evidence", evidence_columns,
		             sizeof evidence_columns / sizeof *evidence_columns);
}

/* --- opportunities ------------------------------------------------------- */

/* trace1 / trace2; inf if trace2 has no time. */
static void put_quotient(struct sheet *sheet, struct dec a, struct dec b)
{
	if (b.nano == 0)
		buf_text(&sheet->cell, a.nano ? "inf" : "1");
	else if (sheet->people)
		dec_quotient_fixed(&sheet->cell, a, b, 0, 3);
	else
		dec_quotient(&sheet->cell, a, b, 0);
}

enum { LAUNCHES, TIMES };

static void put_ratio(struct sheet *sheet, const void *row, int of)
{
	const struct state *st = sheet->context;
	const struct fusion_opportunity *opportunity = row;
	struct dec value[SIDES];

	for (int s = 0; s < SIDES; s++) {
		const struct group *sum = &opportunity->sum[s];

		value[s] = of == TIMES ? sum->total : dec_of((int64_t)sum->count);
		if (opportunity->per == FUSION_PER_STEP &&
		    __builtin_mul_overflow(value[s].nano, fusion_rate(&st->fusion, s, 1), &value[s].nano))
			kev_die(sheet->out, "trace1", 0, "dur: the sum is too large");
	}
	put_quotient(sheet, value[0], value[1]);
}

static void put_fused_by(struct sheet *sheet, const void *row, int which)
{
	const struct fusion_opportunity *opportunity = row;

	(void)which;
	if (opportunity->by >= 0)
		put_side(sheet, opportunity->by);
}

static void put_per(struct sheet *sheet, const void *row, int which)
{
	static const char *const names[] = {
		[FUSION_PER_GROUP] = "group", [FUSION_PER_STEP] = "step", [FUSION_PER_TRACE] = "trace"};
	const struct fusion_opportunity *opportunity = row;

	(void)which;
	buf_text(&sheet->cell, names[opportunity->per]);
}

/* The commonest kernel of the side that has more. */
static void put_more(struct sheet *sheet, const void *row, int which)
{
	const struct state *st = sheet->context;
	const struct fusion_opportunity *opportunity = row;

	(void)which;
	buf_str(&sheet->cell, st->trace[opportunity->more].commonest[opportunity->class->op]);
}

static void put_pairs(struct sheet *sheet, const void *row, int which)
{
	const struct state *st = sheet->context;

	(void)row;
	(void)which;
	sheet_count(sheet, st->fusion.matching.count);
}

/* A field of the class of the opportunity. */
#define OF_CLASS(field) SHEET_THROUGH(struct fusion_opportunity, class, struct fusion_class, field)

static const struct sheet_column opportunity_columns[] = {
	SHEET_NAMES("op", "operation", SHEET_TEXT, sheet_put_text, OF_CLASS(name)),
	{"fused_by", SHEET_TEXT, put_fused_by, 0},
	{"count1", SHEET_NUMBER, pair_put_count, 0},
	{"count2", SHEET_NUMBER, pair_put_count, 1},
	{"launch_ratio", SHEET_NUMBER, put_ratio, LAUNCHES},
	SHEET_NAMES("total1", "total1_us", SHEET_NUMBER, pair_put_us, 0),
	SHEET_NAMES("total2", "total2_us", SHEET_NUMBER, pair_put_us, 1),
	{"time_ratio", SHEET_NUMBER, put_ratio, TIMES},
	{"per", SHEET_TEXT, put_per, 0},
	{"groups", SHEET_NUMBER | SHEET_SPARE, put_pairs, 0},
	{"groups_differ", SHEET_NUMBER | SHEET_SPARE, sheet_put_count, OF_CLASS(differ)},
	{"kernel", SHEET_NAME, put_more, 0},
};

static void write_opportunities(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Opportunities", opportunity_columns,
	           sizeof opportunity_columns / sizeof *opportunity_columns);
	sheet.context = st;
	for (size_t i = 0; i < st->fusion.opportunities_count; i++)
		sheet_row(&sheet, &st->fusion.opportunities[i]);
	sheet_end(&sheet);
}

/* --- classes ------------------------------------------------------------- */

static const struct sheet_column class_columns[] = {
	SHEET_NAMES("op", "operation", SHEET_TEXT, sheet_put_text, offsetof(struct fusion_class, name)),
	{"count1", SHEET_NUMBER, pair_put_count, 0},
	{"count2", SHEET_NUMBER, pair_put_count, 1},
	SHEET_NAMES("total1", "total1_us", SHEET_NUMBER, pair_put_us, 0),
	SHEET_NAMES("total2", "total2_us", SHEET_NUMBER, pair_put_us, 1),
	{"grouped1", SHEET_NUMBER, sheet_put_count, offsetof(struct fusion_class, grouped[0])},
	{"grouped2", SHEET_NUMBER, sheet_put_count, offsetof(struct fusion_class, grouped[1])},
	{"groups", SHEET_NUMBER | SHEET_SPARE, put_pairs, 0},
	{"groups_differ", SHEET_NUMBER | SHEET_SPARE, sheet_put_count,
     offsetof(struct fusion_class, differ)},
};

static void write_classes(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Classes", class_columns,
	           sizeof class_columns / sizeof *class_columns);
	sheet.context = st;
	for (size_t i = 0; i < st->fusion.classes_count; i++) {
		const struct fusion_class *class = &st->fusion.classes[i];

		if (class->sum[0].count ||
		    class->sum[1].count) /* if both are 0, pair_face_attention emptied the class */
			sheet_row(&sheet, class);
	}
	sheet_end(&sheet);
}

/* --- the end ------------------------------------------------------------- */

enum { FACTS = 2 };

/* A stream has one table, the other forms have all. */
static void write_tables(struct state *st, const struct pair_fact *facts[SIDES])
{
	bool all = st->pair.form != FORM_TSV;

	pair_begin(&st->pair, "What one of two traces fuses", facts, FACTS);
	if (all || (!st->by_class && !st->by_launches))
		write_mappings(st);
	if (all || st->by_launches)
		write_opportunities(st);
	if (all || st->by_class)
		write_classes(st);
	pair_end(&st->pair);
}

static void finish(struct state *st)
{
	const struct fusion *fusion = &st->fusion;
	struct pair_fact of_side[SIDES][FACTS];
	const struct pair_fact *facts[SIDES] = {of_side[0], of_side[1]};

	pair_check(&st->pair);
	for (int s = 0; s < SIDES; s++) {
		find_commonest(st, s);
		for (size_t i = 0; i < st->fusion.side[s].count; i++)
			pair_face_attention(&st->pair, s, &st->ops, &st->fusion.side[s].kernels[i].op);
	}
	if (!fusion_find(&st->fusion, &st->ops))
		die("%s", fusion->error);
	if (fusion->matching.count == 0 && fusion->side[0].bunches_count &&
	    fusion->side[1].bunches_count)
		warn("no group of kernels in one trace matches one in the other: do both run one model?");
	for (int s = 0; s < SIDES; s++) {
		of_side[s][0] = (struct pair_fact){"groups", fusion->side[s].bunches_count};
		of_side[s][1] = (struct pair_fact){"groups_matched", fusion->matching.count};
	}
	write_tables(st, facts);
}

int main(int argc, char **argv)
{
	struct state st = {.fusion = {.min_group = 50}};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == PHASE_OPT)
			st.pair.phase = pair_phase(st.opts.arg);
		else if (letter == MIN_GROUP)
			st.fusion.min_group = opts_number(&st.opts, 1);
		else if (letter == 'C' || letter == OPPORTUNITIES)
			st.by_class = !(st.by_launches = letter == OPPORTUNITIES);
		else
			opts_form(letter, &st.pair.form);
	}
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
