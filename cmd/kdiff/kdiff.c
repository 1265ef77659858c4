/*
 * kdiff - compares two traces, class by class of operation, or layer by layer.
 *
 *	kdiff a.kev b.kev
 * of two streams through kcontext and kclass gives
 *	#op	gap	status	count1	count2	total1	total2	...
 *	Dense GEMM	3800	slower	240	241	17200	13400	...
 *
 * Memory grows with the distinct kernels, operators and layers, and with --max-stacks=0 also with
 * the distinct Python stacks.
 */
#include "compare/gate.h"

#include "difftables.h"

/* Columns of a side; KEV_NONE for a missing column. */
struct found {
	int pattern;
	int layer;
	int cpu_op;
	int stack;
};

enum { TEXTS = 6 };

enum { OLD, NEW }; /* sides */

enum { TOTAL, MEAN, FIGURES }; /* columns that --fail-over can name */

struct state {
	struct opts opts;
	struct pair pair;
	struct found found[SIDES];
	struct difftables tables;
	bool by_stack; /* --max-stacks */
	struct limit similar;
	struct limit layer;
	struct limit fail_over[FIGURES]; /* all that are given must be exceeded */
	bool fails;                      /* --fail-over was given */
	struct operations operations;
	uint64_t stacks[SIDES]; /* kernels with a Python stack */
	struct buf text[TEXTS]; /* texts of the row */
};

enum {
	PHASE_OPT = OPT_LONG,
	MAX_STACKS,
	SIMILAR,
	OP_THRESHOLD,
	LAYER_THRESHOLD,
	LAYER_RATIO,
	FAIL_OVER
};

static const struct opt opts[] = {
	{PHASE_OPT, "phase", "prefill|decode|mixed|all",
     "compare only kernels of this phase (default: all)"},
	{'L', "layers", NULL, "compare layers"},
	{'O', "operators", NULL, "compare the operators within each class"},
	{'K', "kernels", NULL, "compare the kernels within each class"},
	{MAX_STACKS, "max-stacks", "N",
     "print N Python stacks of each class and side (default: 3; 0: all)"},
	{SIMILAR, "similar", "P%",
     "call an operation slower if it takes more than P percent longer (default: 10%)"},
	{OP_THRESHOLD, "op-threshold", "MS",
     "call an operation slower if its gap is above MS ms, instead or as well"},
	{LAYER_THRESHOLD, "layer-threshold", "MS",
     "call a layer slower if its gap is above MS ms (default: 0.1)"},
	{LAYER_RATIO, "layer-ratio", "R",
     "call a layer slower only if its ratio is above R, too (default: 1.2)"},
	{FAIL_OVER, "fail-over", "[COL:]LIMIT",
     "exit with 3 if NEW or a class of it takes longer than OLD by LIMIT, such as 30us or 5%"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[--phase=PHASE] [-L | -O | -K] [--max-stacks=N] [--similar=P%] [--op-threshold=MS] "
	"[--layer-threshold=MS] [--layer-ratio=R] [--fail-over=[COL:]LIMIT] [-r | -j | -M] OLD NEW",
	"Compare two traces, class by class of operation.", opts, sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static void columns(struct state *st, int s)
{
	struct kev_reader *in = &st->pair.side[s].in;
	struct found *found = &st->found[s];

	found->layer = kev_column(in, STR("layer"));
	found->cpu_op = kev_column(in, STR("cpu_op"));
	found->stack = kev_column(in, STR("python_stack"));
	if (!st->tables.by_layer || kev_need(in, STR("layer"), &found->layer))
		kev_need(in, STR("pattern"), &found->pattern);
}

/* A kernel that counts. */
static void add(struct state *st, int s, struct dec dur)
{
	struct kev_reader *in = &st->pair.side[s].in;
	const struct pair_trace *of = &st->pair.trace[s];
	const struct found *found = &st->found[s];
	struct operations_row row = {
		.op = kev_text(in, of->op, &st->text[0]),
		.name = kev_text(in, of->name, &st->text[1]),
		.pattern = kev_text(in, found->pattern, &st->text[2]),
		.cpu_op = kev_text(in, found->cpu_op, &st->text[3]),
		.phase = kev_text(in, of->phase, &st->text[4]),
		.stack = kev_text(in, found->stack, &st->text[5]),
		.dur = dur,
	};

	row.has_layer = kev_number(in, found->layer, &row.layer);
	st->stacks[s] += row.stack.n > 0;
	if (!operations_add(&st->operations, s, &row))
		kev_error(in, "%s", st->operations.error);
}

static void read_side(struct state *st, int s)
{
	struct dec dur;
	enum pair_item item;

	while ((item = pair_next(&st->pair, s, &dur)) != PAIR_END) {
		if (item == PAIR_COLUMNS)
			columns(st, s);
		else
			add(st, s, dur);
	}
}

/* --- the end ------------------------------------------------------------- */

static bool has_limit(const struct limit *limit)
{
	return limit->by_time || limit->by_percent;
}

/* The mean time of a kernel, 0 without one. */
static struct dec mean_of(const struct group *sum)
{
	return (struct dec){sum->count ? sum->total.nano / (__int128)sum->count : 0};
}

/* Whether kernels of side s take longer than those of the other side by all limits. */
static bool is_over(const struct state *st, const struct group *sum, int s)
{
	const struct limit *limit = st->fail_over;
	const struct group *more = &sum[s];
	const struct group *less = &sum[1 - s];

	return more->count &&
	       (!has_limit(&limit[TOTAL]) ||
	        limit_is_exceeded(&limit[TOTAL], more->total, less->total)) &&
	       (!has_limit(&limit[MEAN]) ||
	        limit_is_exceeded(&limit[MEAN], mean_of(more), mean_of(less)));
}

/* Appends how much longer side s takes: "3.4 us (12.1 %) longer". */
static void put_longer(struct buf *text, const struct state *st, const struct group *sum, int s)
{
	bool mean = !has_limit(&st->fail_over[TOTAL]);
	struct dec more = mean ? mean_of(&sum[s]) : sum[s].total;
	struct dec less = mean ? mean_of(&sum[1 - s]) : sum[1 - s].total;
	struct dec gap = more;

	if (!dec_subtract(&gap, less))
		die("dur: the sum is too large");
	dec_print(text, gap);
	buf_text(text, " us");
	if (less.nano > 0) {
		buf_text(text, " (");
		dec_quotient_digits(text, gap, less, 2, 3);
		buf_text(text, " %)");
	}
	buf_text(text, mean ? " longer per kernel" : " longer");
}

/* Names what takes longer on side s. */
static void warn_of_longer(const struct state *st, struct str name, const struct group *sum, int s)
{
	static const char *const words[SIDES] = {[OLD] = "OLD", [NEW] = "NEW"};
	struct buf text = {0};

	put_longer(&text, st, sum, s);
	warn("%.*s takes %.*s in %s (%s) than in %s (%s)%s", (int)name.n, name.s, (int)text.len,
	     text.data, st->pair.side[s].in.file, words[s], st->pair.side[1 - s].in.file, words[1 - s],
	     sum[1 - s].count == 0 ? ", which has none"
	     : s == OLD            ? "; were the files swapped?"
	                           : "");
	buf_free(&text);
}

static void check_limit(struct state *st)
{
	const struct group total[] = {st->pair.trace[OLD].sum, st->pair.trace[NEW].sum};
	struct buf all = {0};
	bool over = total[OLD].count && is_over(st, total, NEW);

	if (st->pair.phase)
		buf_format(&all, "phase %s", st->pair.phase);
	else
		buf_text(&all, "the whole trace");
	if (over)
		warn_of_longer(st, buf_view(&all), total, NEW);
	/* Without a kernel in OLD there is nothing to compare. */
	for (size_t i = 0; total[OLD].count && i < st->operations.count; i++) {
		const struct operation *op = &st->operations.operation[i];

		if (!is_over(st, op->sum, NEW))
			continue;
		over = true;
		warn_of_longer(st, op->name, op->sum, NEW);
	}
	if (total[NEW].count && is_over(st, total, OLD))
		warn_of_longer(st, buf_view(&all), total, OLD);
	if (over)
		st->pair.out.status = status_worse(st->pair.out.status, STATUS_LIMIT);
	buf_free(&all);
}

static void check_layers(const struct state *st)
{
	const uint64_t *layers = st->operations.layers_of;

	for (int s = 0; s < SIDES; s++)
		if (st->pair.trace[s].sum.count && layers[s] == 0)
			warn("%s: no kernel has a layer: kcontext -l attention may find some",
			     st->pair.side[s].in.file);
	if (layers[0] && layers[1] && layers[0] != layers[1])
		warn("trace1 has %llu layers and trace2 %llu: layers of one number may not be the same",
		     (unsigned long long)layers[0], (unsigned long long)layers[1]);
}

static void check_stacks(const struct state *st)
{
	for (int s = 0; s < SIDES; s++) {
		const char *file = st->pair.side[s].in.file;

		if (!st->pair.trace[s].sum.count || st->stacks[s])
			continue;
		if (st->found[s].stack == KEV_NONE)
			warn("%s: column 'python_stack' is missing; kcontext --stacks adds it", file);
		else
			warn("%s: no kernel has a Python stack: record the trace with with_stack=True", file);
	}
}

static void finish(struct state *st)
{
	struct pair_fact layers[SIDES] = {{"layers", st->operations.layers_of[0]},
	                                  {"layers", st->operations.layers_of[1]}};
	const struct pair_fact *facts[SIDES] = {&layers[0], &layers[1]};
	int phased = pair_phased_side(&st->pair);

	pair_check(&st->pair);
	if (st->tables.by_layer)
		check_layers(st);
	if (st->by_stack)
		check_stacks(st);
	if ((phased >= 0 && !operations_merge_phases(&st->operations, phased)) ||
	    !operations_compare(&st->operations))
		die("%s", st->operations.error);
	pair_begin(&st->pair, "Comparison of two traces", facts, 1);
	difftables_write(&st->tables);
	pair_end(&st->pair);
	if (st->fails)
		check_limit(st);
}

static void read_fail_over(struct state *st)
{
	static const char *const names[FIGURES] = {[TOTAL] = "total", [MEAN] = "mean"};
	struct gate gate = gate_read(&st->opts);
	struct limit *limit = &st->fail_over[gate_column(&gate, &st->opts, names, FIGURES)];

	gate_need_unit(&gate, &st->opts);
	gate_raise(&gate, limit);
	st->fails = true;
}

int main(int argc, char **argv)
{
	struct state st = {.operations = {.stacks = 3}};
	int letter;

	limit_set_ms(&st.layer, (struct dec){100000000});     /* 0.1 */
	limit_set_ratio(&st.layer, (struct dec){1200000000}); /* 1.2 */
	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case PHASE_OPT:
			st.pair.phase = pair_phase(st.opts.arg);
			break;
		case 'L':
			st.tables.by_layer = true;
			break;
		case 'O':
			st.tables.by_operator = true;
			break;
		case 'K':
			st.tables.by_kernel = true;
			break;
		case MAX_STACKS:
			st.by_stack = true;
			st.operations.stacks = opts_number(&st.opts, 0);
			break;
		case SIMILAR:
			limit_read_percent(&st.similar, &st.opts);
			break;
		case OP_THRESHOLD:
			limit_set_ms(&st.similar, opts_decimal(&st.opts, "a time in ms"));
			break;
		case LAYER_THRESHOLD:
			limit_set_ms(&st.layer, opts_decimal(&st.opts, "a time in ms"));
			break;
		case LAYER_RATIO:
			limit_set_ratio(&st.layer, opts_decimal(&st.opts, "a ratio"));
			break;
		case FAIL_OVER:
			read_fail_over(&st);
			break;
		default:
			opts_form(letter, &st.pair.form);
			break;
		}
	}
	if (st.pair.form == FORM_TSV &&
	    st.tables.by_layer + st.tables.by_operator + st.tables.by_kernel > 1)
		opts_fail("-L, -O and -K each print a table: give one of them, or use -r or -M");
	if (!st.similar.by_time && !st.similar.by_percent)
		limit_set_percent(&st.similar, dec_of(10));

	st.tables.pair = &st.pair;
	st.tables.operations = &st.operations;
	st.tables.similar = &st.similar;
	st.tables.layer = &st.layer;
	st.pair.operands = "OLD and NEW";
	pair_open(&st.pair, &st.opts);
	for (int s = 0; s < SIDES; s++)
		read_side(&st, s);
	finish(&st);
	return pair_finish(&st.pair);
}
