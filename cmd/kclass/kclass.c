/*
 * kclass - the operation class of each kernel: attention, matrix product, norm.
 *
 *	#ts	dur	name	cpu_op
 *	0	10	void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_…>	aten::addmm
 *	10	4	attn_fwd	aten::_flash_attention_forward
 * gives two more columns, op and pattern:
 *	0	10	void cutlass::Kernel2<…>	aten::addmm	Dense GEMM	gemm
 *	10	4	attn_fwd	aten::_flash_attention_forward	Attention	attn_fwd
 *
 * Memory grows with the distinct kernels up to 24 MB. If a rule needs the platform, rows wait for
 * ##platform in a temporary file.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "io/spool.h"
#include "kernel/kclass.h"
#include "kernel/rowkind.h"
#include "kernel/unclassed.h"
#include "stream/balance.h"
#include "stream/group.h"
#include "stream/hint.h"
#include "stream/kev.h"

/* The class of a row depends on those before DUR. */
enum column { NAME, TYPE, CAT, CPU_OP, PHASE, DUR, COUNT, OP, PATTERN, COLUMNS };

static const char *const column_names[COLUMNS] = {
	[NAME] = "name", [TYPE] = "type",   [CAT] = "cat", [CPU_OP] = "cpu_op",   [PHASE] = "phase",
	[DUR] = "dur",   [COUNT] = "count", [OP] = "op",   [PATTERN] = "pattern",
};

/* Columns beside each other. */
struct run {
	int first;
	int last;
};

struct layout {
	size_t count;
	int column[COLUMNS];   /* KEV_NONE if missing; DUR is total in a table of sums */
	struct run asked[DUR]; /* those before DUR, in the order of the row */
	size_t asked_count;
};

/* What is written for rows with equal fields before DUR. */
struct answer {
	bool host;    /* they are no kernels */
	bool unknown; /* their class depends on the platform, which is unknown */
	bool other;   /* the class is Other */
	bool no_name;
	size_t labels; /* place in texts of the class and the pattern, escaped, with a tab between */
	size_t op_n;   /* bytes of the class */
	size_t n;
};

/* Rows are answered for anew after so many bytes: if the fields of all differ, memory still ends.
 */
enum { ANSWERS_BYTES = 1 << 24 };

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct kclass kclass;
	struct unclassed unclassed;
	const char *rules;
	const char *platform; /* NULL: the stream's */
	bool dump;
	struct strmap layouts; /* as kev_layout gives them */
	struct layout *layout; /* by number in layouts */
	size_t layouts_cap;
	size_t now;         /* the layout of the input */
	size_t out_layout;  /* the last layout of the output */
	bool rows;          /* some have come since the platform was last set */
	bool waiting;       /* rows are in the spool */
	struct spool spool; /* records: the number of the layout, and the line */
	struct str *field;  /* fields of a row that waited */
	size_t field_cap;
	struct strmap asked;    /* distinct fields before DUR, as they stand in a row */
	size_t asked_layout;    /* layout of the rows in asked */
	struct answer *answers; /* the answer to each of asked */
	size_t answers_cap;
	struct buf texts;
	uint64_t no_kernel; /* rows that are no kernels */
	uint64_t kernels;
	uint64_t no_name;
	/* Figures of the kernels so far, for -v. */
	uint64_t below_0; /* times */
	struct tally time;
	struct tally other;
	struct groups others; /* by name */
	struct buf text[COLUMNS];
	struct buf line;
};

enum { PLATFORM = OPT_LONG, RULES, DUMP };

static const struct opt opts[] = {
	{PLATFORM, "platform", "NAME", "use this platform, not the stream's: AMD, NVIDIA"},
	{RULES, "rules", "default|classic|FILE", "use the rules of this set or file"},
	{DUMP, "dump", NULL, "print the rules in the format of --rules and exit"},
};

static const struct opt_usage usage = {"[--platform=NAME] [--rules=SET|FILE] [--dump] [FILE...]",
                                       "Add the operation class of each kernel.", opts,
                                       sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

/* The columns line of rows of this layout, unless the last row had it. */
static void put_columns(struct state *st, size_t number)
{
	const struct layout *layout = &st->layout[number];

	if (number == st->out_layout)
		return;
	st->out_layout = number;
	st->line.len = 0;
	buf_str(&st->line, strmap_key(&st->layouts, number));
	for (size_t i = OP; i <= PATTERN; i++)
		if (layout->column[i] == KEV_NONE)
			buf_format(&st->line, "\t%s", column_names[i]);
	kev_columns_of(&st->out, buf_view(&st->line));
}

/* Finds the runs of the columns that the class depends on. */
static void find_asked(struct layout *layout)
{
	layout->asked_count = 0;
	for (int i = 0; i < (int)layout->count; i++) {
		struct run *run = &layout->asked[layout->asked_count];
		enum column column = NAME;

		while (column < DUR && layout->column[column] != i)
			column++;
		if (column == DUR)
			continue;
		if (layout->asked_count && run[-1].last == i - 1)
			run[-1].last = i;
		else
			layout->asked[layout->asked_count++] = (struct run){i, i};
	}
}

static void columns(struct state *st)
{
	struct layout *layout;

	unclassed_columns(&st->unclassed, &st->in);
	kev_layout(&st->in, &st->line);
	st->now = strmap_add(&st->layouts, buf_view(&st->line), NULL);
	st->layout = mem_grow(st->layout, &st->layouts_cap, st->now + 1, sizeof *st->layout);
	layout = &st->layout[st->now];
	layout->count = st->in.columns_count;
	for (size_t i = 0; i < COLUMNS; i++)
		layout->column[i] = kev_column(&st->in, str_of(column_names[i]));
	if (layout->column[DUR] == KEV_NONE)
		layout->column[DUR] = kev_column(&st->in, STR("total"));
	else
		layout->column[COUNT] = KEV_NONE;
	find_asked(layout);
	/* Sums by type, such as op_statistic, have no names. */
	if (layout->column[TYPE] == KEV_NONE && !kev_need(&st->in, STR("name"), &layout->column[NAME]))
		return;
	if (!st->waiting)
		put_columns(st, st->now);
}

/* --- rows ---------------------------------------------------------------- */

static struct str field_of(const struct layout *layout, const struct str *field, enum column column)
{
	return layout->column[column] == KEV_NONE ? STR("") : field[layout->column[column]];
}

static struct str text_of(struct state *st, const struct layout *layout, const struct str *field,
                          enum column column)
{
	return tsv_text(field_of(layout, field, column), &st->text[column]);
}

static struct answer decide(struct state *st, const struct layout *layout, const struct str *field)
{
	struct kclass_kernel kernel = {.name = text_of(st, layout, field, NAME),
	                               .type = text_of(st, layout, field, TYPE),
	                               .cat = text_of(st, layout, field, CAT),
	                               .cpu_op = text_of(st, layout, field, CPU_OP),
	                               .phase = text_of(st, layout, field, PHASE)};
	struct kclass_label label = {.op = STR(""), .pattern = STR("")};
	struct answer answer = {.host = !rowkind_is_device(rowkind_of(kernel.cat, kernel.name)),
	                        .labels = st->texts.len};

	if (!answer.host) {
		answer.unknown = !kclass_decide(&st->kclass, &kernel, &label);
		answer.other = str_equal(label.op, STR("Other"));
		answer.no_name = kernel.name.n == 0 && kernel.type.n == 0;
	}
	tsv_escape(&st->texts, label.op);
	answer.op_n = st->texts.len - answer.labels;
	buf_char(&st->texts, '\t');
	tsv_escape(&st->texts, label.pattern);
	answer.n = st->texts.len - answer.labels;
	return answer;
}

static void forget_answers(struct state *st)
{
	strmap_clear(&st->asked);
	st->texts.len = 0;
}

/* The fields that the answer depends on; mostly they stand beside each other. */
static struct str question(struct state *st, const struct layout *layout, const struct str *field)
{
	struct str fields = STR("");

	st->line.len = 0;
	for (size_t i = 0; i < layout->asked_count; i++) {
		const struct str *last = &field[layout->asked[i].last];

		fields.s = field[layout->asked[i].first].s;
		fields.n = (size_t)(last->s + last->n - fields.s);
		if (layout->asked_count == 1)
			return fields;
		buf_str(&st->line, fields);
		buf_char(&st->line, '\t');
	}
	return buf_view(&st->line);
}

static size_t answers_bytes(const struct state *st)
{
	return strmap_bytes(&st->asked) + st->asked.count * sizeof *st->answers + st->texts.len;
}

static const struct answer *answer_of(struct state *st, size_t layout, const struct str *field)
{
	struct str asked = question(st, &st->layout[layout], field);
	size_t number;
	bool new;

	if (layout != st->asked_layout || answers_bytes(st) > ANSWERS_BYTES)
		forget_answers(st);
	st->asked_layout = layout;
	number = strmap_add(&st->asked, asked, &new);
	if (new) {
		st->answers = mem_grow(st->answers, &st->answers_cap, number + 1, sizeof *st->answers);
		st->answers[number] = decide(st, &st->layout[layout], field);
	}
	return &st->answers[number];
}

static void set_platform(struct state *st, struct str platform)
{
	if (kclass_set_platform(&st->kclass, platform))
		forget_answers(st);
}

/* Writes the row with its class. */
static void put(struct state *st, size_t number, struct str line, const struct str *field,
                const struct answer *answer)
{
	const struct layout *layout = &st->layout[number];
	const char *labels = st->texts.data + answer->labels;
	const struct str added[] = {{labels, answer->op_n},
	                            {labels + answer->op_n + 1, answer->n - answer->op_n - 1}};

	put_columns(st, number);
	if (layout->column[OP] == KEV_NONE && layout->column[PATTERN] == KEV_NONE) {
		kev_pass_row_with(&st->out, line, (struct str){labels, answer->n});
		return;
	}
	for (size_t i = 0; i < layout->count; i++) {
		if ((int)i == layout->column[OP] || (int)i == layout->column[PATTERN])
			kev_field_raw(&st->out, added[(int)i == layout->column[PATTERN]]);
		else
			kev_field_raw(&st->out, field[i]);
	}
	for (size_t i = 0; i < 2; i++)
		if (layout->column[OP + i] == KEV_NONE)
			kev_field_raw(&st->out, added[i]);
	kev_row_end(&st->out);
}

/* The name of a kernel, or in a sum by type its type. */
static struct str name_of(struct state *st, const struct layout *layout, const struct str *field)
{
	struct str name = text_of(st, layout, field, NAME);

	return name.n ? name : text_of(st, layout, field, TYPE);
}

/* For -v. A row of a table of sums stands for several kernels. */
static void add_time(struct state *st, const struct layout *layout, const struct str *field,
                     struct dec dur, bool other)
{
	struct group sum = {.count = 1, .total = dur};
	struct str times = field_of(layout, field, COUNT);

	if (times.n)
		str_whole(times, &sum.count);
	if (sum.total.nano < 0) {
		sum.negative = sum.total;
		st->below_0++;
	}
	balance_add_time(&st->time, dur);
	if (!other)
		return;
	balance_add_time(&st->other, dur);
	group_merge(groups_get(&st->others, name_of(st, layout, field)), &sum);
}

/* For the warning about Other. */
static void add_share(struct state *st, const struct layout *layout, const struct str *field,
                      struct dec dur, bool other)
{
	if (other)
		unclassed_add_other(&st->unclassed, dur, name_of(st, layout, field));
	else
		unclassed_add(&st->unclassed, dur);
}

/*
 * Classifies the row, with its time or 0, and writes it; false if its class depends on a platform
 * that is unknown.
 */
static bool classify(struct state *st, size_t number, struct str line, const struct str *field,
                     struct dec dur)
{
	const struct layout *layout = &st->layout[number];
	const struct answer *answer = answer_of(st, number, field);

	if (answer->unknown)
		return false;
	if (answer->host)
		st->no_kernel++;
	else
		st->kernels++;
	st->no_name += answer->no_name;
	if (!answer->host)
		add_share(st, layout, field, dur, answer->other);
	if (st->balance.on && !answer->host)
		add_time(st, layout, field, dur, answer->other);
	put(st, number, line, field, answer);
	balance_out(&st->balance, field_of(layout, field, DUR));
	return true;
}

static void spool_failed(struct state *st)
{
	kev_die(&st->out, st->in.file, 0, "%s", st->spool.error);
}

static void hold(struct state *st, struct str line)
{
	if (!st->waiting && !spool_open(&st->spool))
		spool_failed(st);
	st->waiting = true;
	if (!spool_put(&st->spool, &st->now, sizeof st->now, line))
		spool_failed(st);
}

/* Writes the rows that wait; the platform is known now. */
static void release(struct state *st)
{
	struct str line;
	size_t number;
	int got;

	if (!st->waiting)
		return;
	if (!spool_rewind(&st->spool))
		spool_failed(st);
	while ((got = spool_next(&st->spool, &number, sizeof number, &line)) > 0) {
		const struct layout *layout = &st->layout[number];
		size_t count = layout->count;
		struct dec dur = {0};

		st->field = mem_grow(st->field, &st->field_cap, count, sizeof *st->field);
		tsv_split(line, st->field, count);
		dec_parse(field_of(layout, st->field, DUR), &dur);
		classify(st, number, line, st->field, dur);
	}
	if (got < 0)
		spool_failed(st);
	spool_close(&st->spool);
	st->waiting = false;
}

static void unknown_platform(struct state *st)
{
	if (st->waiting) {
		set_platform(st, STR("unknown")); /* counts as NVIDIA */
		release(st);
	}
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	const struct layout *layout = &st->layout[st->now];
	struct dec dur = {0};

	kev_number(in, layout->column[DUR], &dur); /* an error if it is not a number */
	if (!in->error[0] && st->opts.strict && text_of(st, layout, in->field, NAME).n == 0 &&
	    text_of(st, layout, in->field, TYPE).n == 0)
		kev_error(in, "name: the kernel has none");
	if (in->error[0])
		return;
	st->rows = true;
	balance_in(&st->balance, field_of(layout, in->field, DUR));
	if (st->waiting || !classify(st, st->now, in->tsv.text, in->field, dur))
		hold(st, in->tsv.text);
}

/*
 * ##platform can come after the rows. It does not apply to the next source; rows of a source
 * without it that still wait have no platform.
 */
static void metadata(struct state *st)
{
	if (!st->platform && str_equal(st->in.key, STR("source")) && st->rows) {
		unknown_platform(st);
		set_platform(st, STR(""));
		st->rows = false;
	}
	if (!st->platform && str_equal(st->in.key, STR("platform"))) {
		st->line.len = 0;
		tsv_unescape(&st->line, st->in.value);
		set_platform(st, buf_view(&st->line));
		release(st);
		st->rows = false;
	}
	unclassed_metadata(&st->unclassed, &st->in);
	kev_pass_meta(&st->out, &st->in);
}

/* --- the end ------------------------------------------------------------- */

struct other {
	struct str name;
	struct group sum;
};

static int compare_others(const void *a, const void *b)
{
	const struct other *x = a;
	const struct other *y = b;
	int order = dec_compare(y->sum.total, x->sum.total);

	return order ? order : str_compare(x->name, y->name);
}

/* Times below 0 make shares that mean nothing. */
static bool has_shares(const struct state *st)
{
	return st->time.time.nano > 0 && st->below_0 == 0;
}

static void put_share(const struct state *st, struct buf *text, struct dec time)
{
	dec_quotient_fixed(text, time, st->time.time, 2, 3);
	buf_text(text, " %");
}

static void print_other_sum(struct state *st, struct buf *text)
{
	size_t names = st->others.keys.count;

	if (has_shares(st)) {
		put_share(st, text, st->other.time);
		warn("Other: %.*s of the kernels' time, %zu names", (int)text->len, text->data, names);
	} else if (st->below_0) {
		warn("Other: %zu names; durations below 0, so there are no shares: %llu", names,
		     (unsigned long long)st->below_0);
	} else {
		warn("Other: %zu names; the kernels have no time, so there are no shares", names);
	}
}

/* The share of Other, and its ten heaviest names. */
static void print_other(struct state *st)
{
	size_t count = st->others.keys.count;
	struct other *others = mem_alloc(count + 1, sizeof *others);
	struct buf text = {0};

	if (st->time.overflow) {
		warn("Other: %zu names; the times are too large to add", count);
		free(others);
		return;
	}
	print_other_sum(st, &text);
	for (size_t i = 0; i < count; i++)
		others[i] = (struct other){strmap_key(&st->others.keys, i), st->others.group[i]};
	qsort(others, count, sizeof *others, compare_others);
	for (size_t i = 0; i < count && i < 10; i++) {
		char quoted[QUOTE_MAX];

		text.len = 0;
		if (has_shares(st)) {
			put_share(st, &text, others[i].sum.total);
			buf_text(&text, ", ");
		}
		dec_print(&text, others[i].sum.total);
		warn("Other: %.*s %s, %llu times: %s", (int)text.len, text.data, kev_unit(&st->in),
		     (unsigned long long)others[i].sum.count,
		     quote(quoted, others[i].name.s, others[i].name.n));
	}
	buf_free(&text);
	free(others);
}

/* A stream without kernels would look like one that is classified. */
static void warn_of_no_kernel(const struct state *st)
{
	if (st->kernels)
		return;
	if (st->no_kernel)
		warn("no row is a kernel: all %llu are of the host or annotations, by their cat or name%s",
		     (unsigned long long)st->no_kernel, hint_rows(&st->in));
	else
		warn("the input has no rows, and so no kernels");
}

static void finish(struct state *st)
{
	unknown_platform(st);
	warn_of_no_kernel(st);
	if (st->no_name)
		warn("kernels without a name, classified as Other: %llu", (unsigned long long)st->no_name);
	unclassed_end(&st->unclassed);
	st->balance.unit = st->in.units_differ ? NULL : kev_unit(&st->in);
	balance_print(&st->balance);
	if (st->balance.on && st->kernels)
		print_other(st);
}

static int dump(const struct kclass *kclass)
{
	struct output out;

	output_init(&out, 1, "standard output");
	output_str(&out, kclass_dump(kclass));
	output_close(&out);
	return STATUS_OK;
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows"}, .out_layout = STRMAP_NONE};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case PLATFORM:
			st.platform = st.opts.arg;
			break;
		case RULES:
			st.rules = st.opts.arg;
			break;
		case DUMP:
			st.dump = true;
			break;
		}
	}
	st.balance.on = st.opts.verbose;
	if (!kclass_load(&st.kclass, st.rules))
		die("%s", st.kclass.error);
	if (st.dump)
		return dump(&st.kclass);
	if (st.platform)
		kclass_set_platform(&st.kclass, str_of(st.platform));

	kev_open(&st.in, &st.opts);
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
