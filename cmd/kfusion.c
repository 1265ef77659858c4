/*
 * kfusion - what one trace does in one kernel and another trace in several.
 *
 *	kfusion a.kev b.kev
 * of two streams through kcontext and kclass gives
 *	#fused_by	fused_class	fused_count	unfused_by	sequence	unfused_count	share	...
 *	trace1	RMSNorm+GEMM	32	trace2	RMSNorm, Dense GEMM	32	100	...
 *
 * All kernels are held, at 64 bytes each, and the classes of each group of kernels.
 */
#include <stdlib.h>

#include "answer/sheet.h"
#include "base/mem.h"
#include "compare/pair.h"
#include "kernel/kclass.h"

enum {
	GROUP_KERNELS = 50, /* the least of a group */
	FEWEST = 5,         /* of which anything is claimed */
	MANY = 100,         /* of a class that both have */
};

struct kernel {
	struct dec ts;
	struct dec dur;
	size_t op;
	size_t device;
	size_t launch; /* its correlation, and its step: numbers, STRMAP_NONE for none */
	size_t step;
};

/* Kernels that ran together. */
struct bunch {
	size_t kernels;
	size_t first; /* the place of its first kernel */
	size_t match; /* number of the other side's, STRMAP_NONE for none */
	size_t *ops;  /* how many of each class */
};

struct trace {
	struct kernel *kernels; /* in order of device and time, once read */
	size_t count;
	size_t cap;
	struct strmap devices;
	struct strmap launches;
	struct strmap steps;
	struct bunch *bunches;
	size_t bunches_count;
	size_t bunches_cap;
	int ts; /* columns */
	int pid;
	int correlation;
	int step;
	int file;
};

/* One class. */
struct class
{
	struct str name;
	struct group sum[PAIR_SIDES];
	size_t chains[PAIR_SIDES];  /* kernels of it that follow each other */
	size_t grouped[PAIR_SIDES]; /* its kernels in groups that have a match */
	size_t differ;              /* of those pairs of groups, where the counts are not equal */
	bool within[PAIR_SIDES];    /* it is a part of a fused class that this side has */
};

/* What one side fuses. */
struct mapping {
	int by; /* the side that does */
	struct str fused;
	size_t fused_count;
	struct str parts[2]; /* the other's sequence */
	size_t count;        /* how often it is there, */
	size_t of;           /* out of */
	struct buf evidence;
};

struct state {
	struct opts opts;
	struct pair pair;
	bool by_class; /* -C */
	struct trace trace[PAIR_SIDES];
	struct strmap ops;
	struct class *classes; /* by number in ops */
	size_t classes_count;
	size_t pairs; /* of groups */
	struct mapping *mappings;
	size_t mappings_count;
	size_t mappings_cap;
	struct buf key;
};

enum { PHASE_OPT = OPT_LONG };

static const struct opt opts[] = {
	{PHASE_OPT, "phase", "PHASE", "the kernels of this phase alone: prefill, decode, mixed (all)"},
	{'C', "classes", NULL, "classes, in the groups of kernels that match"},
	{'r', "report", NULL, "a report for people"},
	{'j', "json", NULL, "JSON"},
	{'M', "markdown", NULL, "Markdown tables"},
};

static const struct opt_usage usage = {
	"[--phase=PHASE] [-C] [-r | -j | -M] A B",
	"What one of two traces does in one kernel and the other in several.", opts,
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

/* The number of what two columns say, beside the file; STRMAP_NONE where the second is empty. */
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
	struct pair_side *side = &st->pair.side[s];
	struct trace *trace = &st->trace[s];
	struct kernel kernel = {.dur = dur};

	if (!kev_number(&side->in, trace->ts, &kernel.ts) && !side->in.error[0])
		kev_error(&side->in, "ts: a kernel without one has no place among the others");
	kernel.op = strmap_add(&st->ops, kev_text(&side->in, side->op, &st->pair.scratch), NULL);
	kernel.device = number_of(st, s, &trace->devices, trace->pid, trace->pid);
	kernel.launch = number_of(st, s, &trace->launches, trace->pid, trace->correlation);
	kernel.step = number_of(st, s, &trace->steps, trace->pid, trace->step);
	trace->kernels =
		mem_grow(trace->kernels, &trace->cap, trace->count + 1, sizeof *trace->kernels);
	trace->kernels[trace->count++] = kernel;
}

static int compare_kernels(const void *a, const void *b)
{
	const struct kernel *x = a;
	const struct kernel *y = b;
	int order = (x->device > y->device) - (x->device < y->device);

	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	if (order == 0)
		order = dec_compare(x->dur, y->dur);
	return order ? order : (x->op > y->op) - (x->op < y->op);
}

static void read_side(struct state *st, int s)
{
	struct trace *trace = &st->trace[s];
	enum pair_item item;
	struct dec dur;

	while ((item = pair_next(&st->pair, s, &dur)) != PAIR_END) {
		if (item == PAIR_COLUMNS)
			columns(st, s);
		else
			add(st, s, dur);
	}
	if (trace->count)
		qsort(trace->kernels, trace->count, sizeof *trace->kernels, compare_kernels);
}

/* --- classes ------------------------------------------------------------- */

/* Between steps nothing ran together, whatever the one ends and the next begins with. */
static bool follows(const struct trace *trace, size_t i)
{
	const struct kernel *kernel = &trace->kernels[i];

	return i > 0 && kernel->device == kernel[-1].device && kernel->step == kernel[-1].step;
}

static void sum_classes(struct state *st)
{
	st->classes_count = st->ops.count;
	st->classes = mem_zero(st->classes_count + 1, sizeof *st->classes);
	for (size_t i = 0; i < st->classes_count; i++)
		st->classes[i].name = strmap_key(&st->ops, i);
	for (int s = 0; s < PAIR_SIDES; s++) {
		const struct trace *trace = &st->trace[s];

		for (size_t i = 0; i < trace->count; i++) {
			const struct kernel *kernel = &trace->kernels[i];
			struct class *class = &st->classes[kernel->op];

			if (!group_add(&class->sum[s], kernel->dur, 1))
				die("dur: the sum is too large");
			class->chains[s] += !follows(trace, i) || kernel[-1].op != kernel->op;
		}
	}
}

/* --- groups: what a launch of many kernels ran, and what else a step ran ----- */

/* How many kernels of each key there are. The caller frees it. */
static size_t *count_keys(const struct trace *trace, bool launches)
{
	size_t count = launches ? trace->launches.count : trace->steps.count;
	size_t *counts = mem_zero(count + 1, sizeof *counts);

	for (size_t i = 0; i < trace->count; i++) {
		size_t key = launches ? trace->kernels[i].launch : trace->kernels[i].step;

		if (key != STRMAP_NONE)
			counts[key]++;
	}
	return counts;
}

static void add_to_bunch(struct state *st, struct trace *trace, size_t *number, size_t i)
{
	struct bunch *bunch;

	if (*number == STRMAP_NONE) {
		*number = trace->bunches_count++;
		trace->bunches = mem_grow(trace->bunches, &trace->bunches_cap, trace->bunches_count,
		                          sizeof *trace->bunches);
		trace->bunches[*number] =
			(struct bunch){.first = i,
		                   .match = STRMAP_NONE,
		                   .ops = mem_zero(st->classes_count + 1, sizeof(size_t))};
	}
	bunch = &trace->bunches[*number];
	bunch->kernels++;
	bunch->ops[trace->kernels[i].op]++;
}

static size_t *no_numbers(size_t count)
{
	size_t *numbers = mem_alloc(count + 1, sizeof *numbers);

	for (size_t i = 0; i < count; i++)
		numbers[i] = STRMAP_NONE;
	return numbers;
}

static int compare_bunches(const void *a, const void *b)
{
	const struct bunch *x = a;
	const struct bunch *y = b;
	int order = (y->kernels > x->kernels) - (y->kernels < x->kernels);

	return order ? order : (x->first > y->first) - (x->first < y->first);
}

/* Largest first; those of too few kernels are left out. */
static void find_bunches(struct state *st, struct trace *trace)
{
	size_t *launched = count_keys(trace, true);
	size_t *by_launch = no_numbers(trace->launches.count);
	size_t *by_step = no_numbers(trace->steps.count);
	size_t count = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct kernel *kernel = &trace->kernels[i];

		if (kernel->launch != STRMAP_NONE && launched[kernel->launch] >= GROUP_KERNELS)
			add_to_bunch(st, trace, &by_launch[kernel->launch], i);
		else if (kernel->step != STRMAP_NONE)
			add_to_bunch(st, trace, &by_step[kernel->step], i);
	}
	for (size_t i = 0; i < trace->bunches_count; i++) {
		if (trace->bunches[i].kernels >= GROUP_KERNELS)
			trace->bunches[count++] = trace->bunches[i];
		else
			free(trace->bunches[i].ops);
	}
	trace->bunches_count = count;
	if (count)
		qsort(trace->bunches, count, sizeof *trace->bunches, compare_bunches);
	free(launched);
	free(by_launch);
	free(by_step);
}

/* How many kernels of two groups are of one class in both. */
static size_t common(const struct state *st, const struct bunch *a, const struct bunch *b)
{
	size_t count = 0;

	for (size_t i = 0; i < st->classes_count; i++)
		count += a->ops[i] < b->ops[i] ? a->ops[i] : b->ops[i];
	return count;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

/*
 * The group of trace2 that has most in common with one of trace1: of those whose size is
 * within a quarter of its own, and that have at least half of their kernels in common.
 */
static size_t find_match(const struct state *st, const struct bunch *bunch)
{
	const struct trace *other = &st->trace[1];
	size_t best = STRMAP_NONE;
	size_t best_common = 0;

	for (size_t i = 0; i < other->bunches_count; i++) {
		const struct bunch *b = &other->bunches[i];
		size_t n;

		if (b->match != STRMAP_NONE || 4 * b->kernels > 5 * bunch->kernels ||
		    4 * b->kernels < 3 * bunch->kernels)
			continue;
		n = common(st, bunch, b);
		if (2 * n >= most(b->kernels, bunch->kernels) && n > best_common) {
			best = i;
			best_common = n;
			if (n == bunch->kernels && n == b->kernels)
				break; /* nothing is nearer */
		}
	}
	return best;
}

static void match_bunches(struct state *st)
{
	for (size_t i = 0; i < st->trace[0].bunches_count; i++) {
		struct bunch *a = &st->trace[0].bunches[i];
		struct bunch *b;

		a->match = find_match(st, a);
		if (a->match == STRMAP_NONE)
			continue;
		b = &st->trace[1].bunches[a->match];
		b->match = i;
		st->pairs++;
		for (size_t c = 0; c < st->classes_count; c++) {
			st->classes[c].grouped[0] += a->ops[c];
			st->classes[c].grouped[1] += b->ops[c];
			st->classes[c].differ += a->ops[c] != b->ops[c];
		}
	}
}

/* --- mappings ------------------------------------------------------------- */

static struct mapping *add_mapping(struct state *st, int by, const struct class *fused,
                                   size_t fused_count, struct str first, struct str second)
{
	struct mapping *mapping;

	st->mappings =
		mem_grow(st->mappings, &st->mappings_cap, st->mappings_count + 1, sizeof *st->mappings);
	mapping = &st->mappings[st->mappings_count++];
	*mapping = (struct mapping){
		.by = by, .fused = fused->name, .fused_count = fused_count, .parts = {first, second}};
	return mapping;
}

/* Of all kernels of a class, how many have one of the other just before or behind them. */
static size_t neighbours(const struct trace *trace, size_t op, size_t other, bool before)
{
	size_t count = 0;

	for (size_t i = 1; i < trace->count; i++)
		if (follows(trace, i) && trace->kernels[before ? i : i - 1].op == op &&
		    trace->kernels[before ? i - 1 : i].op == other)
			count++;
	return count;
}

/* The class that a part of a fused one's name stands for. */
static struct str part_class(struct str part)
{
	if (str_equal(part, STR("GEMM")))
		return STR("Dense GEMM");
	if (str_equal(part, STR("SwiGLU")))
		return STR("Activation");
	return part;
}

/* The other side runs what the name of a fused class says, one kernel behind the other. */
static void map_named(struct state *st, size_t fused, int by)
{
	struct class *class = &st->classes[fused];
	const struct trace *other = &st->trace[1 - by];
	const char *plus = memchr(class->name.s, '+', class->name.n);
	size_t at = plus ? (size_t)(plus - class->name.s) : class->name.n;
	struct str first = part_class((struct str){class->name.s, at});
	struct mapping *mapping;
	struct str second;
	size_t a;
	size_t b;
	size_t count;

	if (!plus || class->sum[by].count == 0)
		return;
	second = part_class((struct str){plus + 1, class->name.n - at - 1});
	a = strmap_find(&st->ops, first);
	b = strmap_find(&st->ops, second);
	if (a != STRMAP_NONE)
		st->classes[a].within[by] = true;
	if (b != STRMAP_NONE)
		st->classes[b].within[by] = true;
	if (a == STRMAP_NONE || b == STRMAP_NONE || class->sum[by].count < FEWEST ||
	    class->sum[1 - by].count)
		return;
	count = neighbours(other, a, b, false);
	/* Nearly all of them, or as many as are fused: else they meet by chance. */
	if (count < FEWEST ||
	    (5 * count <= 4 * st->classes[a].sum[1 - by].count && 4 * count < 3 * class->sum[by].count))
		return;
	mapping = add_mapping(st, by, class, class->sum[by].count, first, second);
	mapping->count = count;
	mapping->of = st->classes[a].sum[1 - by].count;
	buf_format(&mapping->evidence, "trace%d has no %.*s; %zu of its %zu %.*s are followed by %.*s",
	           2 - by, (int)class->name.n, class->name.s, count, mapping->of, (int)first.n, first.s,
	           (int)second.n, second.s);
}

/*
 * A class that the side which fuses has none of, and that stands beside one that both
 * have in over 80 % of the other side's kernels of it.
 */
static bool map_beside(struct state *st, size_t alone, int by, bool before)
{
	const struct class *class = &st->classes[alone];
	uint64_t of = class->sum[1 - by].count;

	for (size_t i = 0; i < st->classes_count; i++) {
		const struct class *with = &st->classes[i];
		struct mapping *mapping;
		size_t count;

		if (with->sum[by].count < FEWEST || with->sum[1 - by].count < FEWEST)
			continue;
		count = neighbours(&st->trace[1 - by], alone, i, before);
		if (count < FEWEST || 5 * count <= 4 * of)
			continue;
		mapping = add_mapping(st, by, with, with->sum[by].count, before ? with->name : class->name,
		                      before ? class->name : with->name);
		mapping->count = count;
		mapping->of = of;
		buf_format(&mapping->evidence, "trace%d has no %.*s; %zu of %zu in trace%d are %s %.*s",
		           by + 1, (int)class->name.n, class->name.s, count, mapping->of, 2 - by,
		           before ? "behind" : "before", (int)with->name.n, with->name.s);
		return true;
	}
	return false;
}

/*
 * Whether a class may be missing for another reason than that it is fused: a collective, where
 * there is one GPU; what all have, under another name; what is fused itself, in its parts.
 */
static bool has_other_reasons(struct str name)
{
	return kclass_is_everywhere(name) || str_has_byte(name, '+') ||
	       str_equal(name, STR("Triton Fused")) || str_equal(name, STR("Collective")) ||
	       str_equal(name, STR("Other"));
}

static void map_alone(struct state *st, size_t alone, int by)
{
	const struct class *class = &st->classes[alone];

	if (class->sum[by].count || class->sum[1 - by].count < FEWEST || class->within[by] ||
	    has_other_reasons(class->name))
		return;
	if (!map_beside(st, alone, by, true))
		map_beside(st, alone, by, false);
}

/* In the groups where a side has fewer of a class: in how many it has more of another one. */
struct excess {
	size_t groups;  /* in which it has fewer */
	size_t with;    /* of these, in which it has more of the other */
	size_t missing; /* kernels */
	size_t more;
};

static struct excess excess_of(const struct state *st, size_t less, size_t more, int by)
{
	struct excess excess = {0};

	for (size_t i = 0; i < st->trace[by].bunches_count; i++) {
		const struct bunch *mine = &st->trace[by].bunches[i];
		const struct bunch *other;

		if (mine->match == STRMAP_NONE)
			continue;
		other = &st->trace[1 - by].bunches[mine->match];
		if (other->ops[less] <= mine->ops[less])
			continue;
		excess.groups++;
		if (mine->ops[more] <= other->ops[more])
			continue;
		excess.with++;
		excess.missing += other->ops[less] - mine->ops[less];
		excess.more += mine->ops[more] - other->ops[more];
	}
	return excess;
}

static bool is_better(const struct state *st, const struct excess *x, size_t x_op,
                      const struct excess *best, size_t best_op)
{
	if (x->with != best->with)
		return x->with > best->with;
	if (x->more != best->more)
		return x->more > best->more;
	return str_compare(st->classes[x_op].name, st->classes[best_op].name) < 0;
}

/* A class that the other side runs more often, and what this one has in its place. */
static void map_more_often(struct state *st, size_t op, int by)
{
	const struct class *class = &st->classes[op];
	size_t few = class->grouped[by];
	size_t many = class->grouped[1 - by];
	struct excess best = {0};
	size_t best_op = 0;
	struct mapping *mapping;

	if (few == 0 || few + many < MANY || 10 * many < 13 * few ||
	    str_equal(class->name, STR("Other")))
		return;
	for (size_t i = 0; i < st->classes_count; i++) {
		struct excess excess = excess_of(st, op, i, by);

		if (i != op && is_better(st, &excess, i, &best, best_op)) {
			best = excess;
			best_op = i;
		}
	}
	if (best.with < FEWEST)
		return;
	mapping = add_mapping(st, by, &st->classes[best_op], best.more, class->name, STR(""));
	mapping->count = best.missing;
	mapping->of = many;
	buf_format(
		&mapping->evidence,
		"trace%d runs it %zu times, trace%d %zu; in %zu of the %zu groups where it has fewer, "
		"trace%d has more %.*s",
		2 - by, many, by + 1, few, best.with, best.groups, by + 1, (int)st->classes[best_op].name.n,
		st->classes[best_op].name.s);
}

/* Kernels of one class, one behind the other, that are twice as many in the other trace. */
static void map_chains(struct state *st, size_t op, int by)
{
	const struct class *class = &st->classes[op];
	size_t a = class->sum[by].count;
	size_t b = class->sum[1 - by].count;
	size_t chains = class->chains[1 - by];
	struct mapping *mapping;

	if (a + b <= MANY || class->chains[by] < FEWEST || chains < FEWEST ||
	    (__int128)b * class->chains[by] <= (__int128)2 * a * chains)
		return;
	mapping = add_mapping(st, by, class, a, class->name, class->name);
	mapping->count = b - chains;
	mapping->of = b;
	buf_text(&mapping->evidence, "chains of ");
	dec_quotient_digits(&mapping->evidence, dec_of((int64_t)b), dec_of((int64_t)chains), 0, 3);
	buf_format(&mapping->evidence, " kernels in trace%d, of ", 2 - by);
	dec_quotient_digits(&mapping->evidence, dec_of((int64_t)a), dec_of((int64_t) class->chains[by]),
	                    0, 3);
	buf_format(&mapping->evidence, " in trace%d", by + 1);
}

static int compare_mappings(const void *a, const void *b)
{
	const struct mapping *x = a;
	const struct mapping *y = b;
	int order = (y->count > x->count) - (y->count < x->count);

	for (int i = 0; order == 0 && i < 2; i++)
		order = str_compare(x->parts[i], y->parts[i]);
	return order ? order : x->by - y->by;
}

static void find_mappings(struct state *st)
{
	for (int by = 0; by < PAIR_SIDES; by++)
		for (size_t i = 0; i < st->classes_count; i++)
			map_named(st, i, by);
	for (int by = 0; by < PAIR_SIDES; by++) {
		for (size_t i = 0; i < st->classes_count; i++) {
			map_alone(st, i, by);
			map_more_often(st, i, by);
			map_chains(st, i, by);
		}
	}
	if (st->mappings_count)
		qsort(st->mappings, st->mappings_count, sizeof *st->mappings, compare_mappings);
}

/* --- tables -------------------------------------------------------------- */

static const struct table_column mapping_columns[] = {
	{"fused_by", false}, {"fused_class", false},  {"fused_count", true}, {"unfused_by", false},
	{"sequence", false}, {"unfused_count", true}, {"share", true},       {"evidence", false},
};

static const struct table_column class_columns[] = {
	{"operation", false}, {"count1", true},    {"count2", true},
	{"total1_us", true},  {"total2_us", true}, {"grouped1", true},
	{"grouped2", true},   {"groups", true},    {"groups_differ", true},
};

static void put_trace(struct sheet *sheet, int side)
{
	buf_format(&sheet->cell, "trace%d", side + 1);
	sheet_cell(sheet);
}

static void write_mappings(struct state *st)
{
	struct sheet sheet;

	pair_sheet(&st->pair, &sheet, "Mappings", mapping_columns,
	           sizeof mapping_columns / sizeof *mapping_columns, 0);
	for (size_t i = 0; i < st->mappings_count; i++) {
		const struct mapping *m = &st->mappings[i];

		put_trace(&sheet, m->by);
		sheet_text(&sheet, m->fused);
		sheet_count(&sheet, m->fused_count);
		put_trace(&sheet, 1 - m->by);
		buf_str(&sheet.cell, m->parts[0]);
		buf_text(&sheet.cell, m->parts[1].n ? ", " : "");
		buf_str(&sheet.cell, m->parts[1]);
		sheet_cell(&sheet);
		sheet_count(&sheet, m->count);
		dec_quotient_digits(&sheet.cell, dec_of((int64_t)m->count), dec_of((int64_t)m->of), 2,
		                    sheet.people ? 3 : 12);
		sheet_cell(&sheet);
		sheet_text(&sheet, buf_view(&m->evidence));
		sheet_row_end(&sheet);
	}
	sheet_end(&sheet);
}

static int compare_classes(const void *a, const void *b)
{
	const struct class *x = *(struct class *const *)a;
	const struct class *y = *(struct class *const *)b;

	return str_compare(x->name, y->name);
}

static void put_class(struct state *st, struct sheet *sheet, const struct class *class)
{
	sheet_text(sheet, class->name);
	for (int s = 0; s < PAIR_SIDES; s++)
		sheet_count(sheet, class->sum[s].count);
	for (int s = 0; s < PAIR_SIDES; s++) {
		pair_us(&sheet->cell, class->sum[s].total, sheet->people);
		sheet_cell(sheet);
	}
	for (int s = 0; s < PAIR_SIDES; s++)
		sheet_count(sheet, class->grouped[s]);
	sheet_count(sheet, st->pairs);
	sheet_count(sheet, class->differ);
	sheet_row_end(sheet);
}

static void write_classes(struct state *st)
{
	struct class **order = mem_alloc(st->classes_count + 1, sizeof(struct class *));
	struct sheet sheet;

	for (size_t i = 0; i < st->classes_count; i++)
		order[i] = &st->classes[i];
	if (st->classes_count)
		qsort(order, st->classes_count, sizeof(struct class *), compare_classes);
	pair_sheet(&st->pair, &sheet, "Classes", class_columns,
	           sizeof class_columns / sizeof *class_columns, 0);
	for (size_t i = 0; i < st->classes_count; i++)
		put_class(st, &sheet, order[i]);
	sheet_end(&sheet);
	free(order);
}

/* --- the end ------------------------------------------------------------- */

enum { FACTS = 2 };

/* A stream is of one table. */
static void write_tables(struct state *st, const struct pair_fact *facts[PAIR_SIDES])
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
	struct pair_fact of_side[PAIR_SIDES][FACTS];
	const struct pair_fact *facts[PAIR_SIDES] = {of_side[0], of_side[1]};

	pair_check(&st->pair);
	sum_classes(st);
	for (int s = 0; s < PAIR_SIDES; s++)
		find_bunches(st, &st->trace[s]);
	match_bunches(st);
	if (st->pairs == 0 && st->trace[0].bunches_count && st->trace[1].bunches_count)
		warn("no group of kernels in one trace is like one in the other: are they of one model?");
	find_mappings(st);
	for (int s = 0; s < PAIR_SIDES; s++) {
		of_side[s][0] = (struct pair_fact){"groups", st->trace[s].bunches_count};
		of_side[s][1] = (struct pair_fact){"groups_matched", st->pairs};
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
	for (int s = 0; s < PAIR_SIDES; s++)
		read_side(&st, s);
	finish(&st);
	return pair_finish(&st.pair);
}
