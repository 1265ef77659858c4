#include "compare/pair.h"

#include <stdlib.h>

#include "answer/damage.h"
#include "base/mem.h"

/* Why a row does not count. */
enum reason { NO_KERNEL, NO_DUR, PHASE, REASONS };

static const struct str attention = {"Attention", 9};
static const struct str phased_attention = {"Attention (", 11};

const char *pair_phase(const char *arg)
{
	return strcmp(arg, "all") == 0 ? NULL : arg;
}

/* --- reading ------------------------------------------------------------- */

void pair_open(struct pair *pair, struct opts *opts)
{
	const struct side_names names = {
		.operands = pair->operands ? pair->operands : "A and B",
		.of = {{.name = "trace1", .rows = "rows of trace1"},
	           {.name = "trace2", .rows = "rows of trace2"}},
	};
	static const char *const reasons[REASONS] = {
		[NO_KERNEL] = "no kernel", [NO_DUR] = "no dur", [PHASE] = "another phase"};
	BALANCE_FITS(reasons);

	pair->opts = opts;
	kev_writer_init(&pair->out, opts);
	sides_open(pair->side, opts, &names, pair->form);
	for (int s = 0; s < SIDES; s++) {
		pair->side[s].balance.reasons = reasons;
		pair->side[s].balance.reasons_count = REASONS;
		pair->trace[s].unclassed.effect = "no rule of kclass knows its kernels";
	}
}

static bool columns(const struct pair *pair, struct kev_reader *in, struct pair_trace *trace)
{
	unclassed_columns(&trace->unclassed, in);
	trace->phase = kev_column(in, STR("phase"));
	if (pair->phase && !kev_need(in, STR("phase"), &trace->phase))
		return false;
	return kev_need(in, STR("dur"), &trace->dur) && kev_need(in, STR("name"), &trace->name) &&
	       kev_need(in, STR("op"), &trace->op);
}

static void note_attention(struct pair_trace *trace, struct str op)
{
	trace->attention |= str_equal(op, attention);
	trace->phased |= str_starts(op, phased_attention);
}

static void add_share(struct pair *pair, const struct kev_reader *in, struct pair_trace *trace,
                      struct dec dur)
{
	if (str_equal(in->field[trace->op], STR("Other")))
		unclassed_add_other(&trace->unclassed, dur, kev_text(in, trace->name, &pair->scratch));
	else
		unclassed_add(&trace->unclassed, dur);
}

/* Whether the row is a kernel that counts. Errors are recorded in side->in. */
static bool row(struct pair *pair, struct side *side, struct pair_trace *trace, struct dec *dur)
{
	struct kev_reader *in = &side->in;
	struct str text = in->field[trace->dur];
	struct str phase = kev_text(in, trace->phase, &pair->scratch);
	bool has_dur = kev_number(in, trace->dur, dur);
	bool counts = false;
	bool good = true;

	balance_in(&side->balance, text);
	if (in->error[0])
		return false;
	if (in->field[trace->op].n == 0) {
		balance_drop(&side->balance, NO_KERNEL, text);
	} else if (!has_dur) {
		trace->no_dur++;
		balance_drop(&side->balance, NO_DUR, text);
		if (pair->opts->strict)
			kev_error(in, "a kernel without dur");
	} else {
		good = phase.n == 0 || group_add(groups_get(&trace->phases, phase), *dur, 1);
		counts = !pair->phase || str_equal(phase, str_of(pair->phase));
		if (counts) {
			good = good && group_add(&trace->sum, *dur, 1);
			note_attention(trace, in->field[trace->op]);
			balance_out(&side->balance, text);
		} else {
			trace->no_phase += phase.n == 0;
			balance_drop(&side->balance, PHASE, text);
		}
		add_share(pair, in, trace, *dur);
	}
	if (!good)
		kev_error(in, "dur: the sum is too large");
	return counts;
}

enum pair_item pair_next(struct pair *pair, int s, struct dec *dur)
{
	struct side *side = &pair->side[s];
	struct pair_trace *trace = &pair->trace[s];
	struct kev_reader *in = &side->in;
	enum kev_item item;
	bool counts = false;

	while (!in->error[0] && (item = kev_next(in)) > KEV_END) {
		if (item == KEV_META)
			unclassed_metadata(&trace->unclassed, in);
		/* Facts are in the head of the answer. */
		if (item == KEV_META && !facts_take(&trace->facts, in))
			side_metadata(side, &pair->out, &pair->damages);
		else if (item == KEV_COLUMNS && columns(pair, in, trace))
			return PAIR_COLUMNS;
		else if (item == KEV_ROW)
			counts = row(pair, side, trace, dur);
		if (counts && !in->error[0])
			return PAIR_KERNEL;
	}
	if (in->error[0])
		kev_fail(&pair->out, in);
	unclassed_end(&trace->unclassed);
	if (trace->no_dur)
		warn("%s: kernels without dur, not counted: %llu", in->file,
		     (unsigned long long)trace->no_dur);
	return PAIR_END;
}

/* What --phase leaves out because nothing says which phase it is of. */
static void check_annotations(const struct pair *pair)
{
	for (int s = 0; s < SIDES; s++) {
		const struct pair_trace *trace = &pair->trace[s];
		const char *file = pair->side[s].in.file;

		if (trace->no_phase && trace->phases.keys.count == 0)
			warn("%s: no kernel has a phase, --phase leaves out all: the trace has no annotations "
			     "of steps that name one",
			     file);
		else if (trace->no_phase)
			warn("%s: kernels without a phase, left out: %llu", file,
			     (unsigned long long)trace->no_phase);
	}
}

static void check_phase(const struct pair *pair)
{
	struct buf list = {0};

	if (!pair->phase)
		return;
	check_annotations(pair);
	if (pair->trace[0].sum.count || pair->trace[1].sum.count)
		return;
	for (int s = 0; s < SIDES; s++) {
		const struct groups *phases = &pair->trace[s].phases;

		buf_format(&list, "%strace%d has ", s ? "; " : "", s + 1);
		for (size_t i = 0; i < phases->keys.count; i++) {
			buf_text(&list, i ? ", " : "");
			buf_str(&list, strmap_key(&phases->keys, i));
			buf_format(&list, " %llu", (unsigned long long)phases->group[i].count);
		}
		if (phases->keys.count == 0)
			buf_text(&list, "none");
	}
	die("no kernel of phase '%s' in either trace: %.*s", pair->phase, (int)list.len, list.data);
}

/* With phases, attentions are of other classes than without. */
static void check_columns(const struct pair *pair)
{
	int lacks = pair->trace[0].phase != KEV_NONE;

	if (pair->trace[lacks].phase == KEV_NONE && pair->trace[1 - lacks].phase != KEV_NONE)
		warn("trace%d has no column 'phase', but trace%d has one: did both come through kcontext?",
		     lacks + 1, 2 - lacks);
}

int pair_phased_side(const struct pair *pair)
{
	for (int s = 0; s < SIDES; s++) {
		const struct pair_trace *trace = &pair->trace[s];
		const struct pair_trace *other = &pair->trace[1 - s];

		if (trace->phased && !trace->attention && other->attention && !other->phased)
			return s;
	}
	return -1;
}

size_t pair_without_phase(const struct strmap *ops, size_t op)
{
	return str_starts(strmap_key(ops, op), phased_attention) ? strmap_find(ops, attention) : op;
}

void pair_face_attention(const struct pair *pair, int s, const struct strmap *ops, size_t *op)
{
	if (s == pair_phased_side(pair))
		*op = pair_without_phase(ops, *op);
}

static void check_attention(const struct pair *pair)
{
	int s = pair_phased_side(pair);

	if (s >= 0)
		warn("the attention of trace%d has no phase: comparing it with all attention of trace%d, "
		     "as class Attention",
		     2 - s, s + 1);
}

/* Kernels that end before they start make a total that is no time. */
static void check_totals(struct pair *pair)
{
	for (int s = 0; s < SIDES; s++) {
		if (pair->trace[s].sum.total.nano >= 0)
			continue;
		warn("%s: the total of trace%d is below 0, so there is no ratio", pair->side[s].in.file,
		     s + 1);
		pair->out.status = status_worse(pair->out.status, STATUS_LIMIT);
	}
}

void pair_check(struct pair *pair)
{
	bool both = true;

	check_phase(pair);
	for (int s = 0; s < SIDES; s++) {
		if (pair->trace[s].sum.count)
			continue;
		both = false;
		warn("%s: trace%d has no kernel%s%s: there is nothing to compare", pair->side[s].in.file,
		     s + 1, pair->phase ? " of phase " : "", pair->phase ? pair->phase : "");
		pair->out.status = status_worse(pair->out.status, STATUS_LIMIT);
	}
	if (both)
		check_columns(pair);
	check_attention(pair);
	check_totals(pair);
}

/* --- the head ------------------------------------------------------------ */

static void put_source(struct buf *out, const struct pair *pair, int s)
{
	facts_get(&pair->trace[s].facts, "source", out);
	if (out->len == 0)
		buf_text(out, pair->side[s].in.file);
}

/* The head of an answer: what is known of each side, by name. */
struct head {
	struct strmap names;
	struct buf (*values)[SIDES]; /* values by number in names; empty if a side lacks the value */
	size_t cap;
};

/* The value of a side, for appending to it. */
static struct buf *value_of(struct head *head, struct str name, int s)
{
	bool new;
	size_t i = strmap_add(&head->names, name, &new);

	head->values = mem_grow(head->values, &head->cap, i + 1, sizeof *head->values);
	if (new)
		memset(head->values[i], 0, sizeof head->values[i]);
	return &head->values[i][s];
}

/* Like value_of, but empties what a property of this name has put there. */
static struct buf *own_value(struct head *head, struct str name, int s)
{
	struct buf *value = value_of(head, name, s);

	value->len = 0;
	return value;
}

static void add_device(struct head *head, const struct pair *pair, int s)
{
	static const char *const keys[] = {"platform", "device"};

	put_source(value_of(head, STR("source"), s), pair, s);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		facts_get(&pair->trace[s].facts, keys[i], value_of(head, str_of(keys[i]), s));
}

static void add_properties(struct head *head, const struct pair *pair, int s)
{
	struct buf text = {0};
	struct str name;

	for (size_t i = 0; facts_property(&pair->trace[s].facts, i, &name, &text); i++) {
		struct buf *value = value_of(head, name, s);

		if (value->len == 0) /* if it is not empty, a property is called source */
			buf_str(value, buf_view(&text));
		text.len = 0;
	}
	buf_free(&text);
}

static void add_counts(struct head *head, const struct pair *pair, int s,
                       const struct pair_fact *facts, size_t count)
{
	const struct group *sum = &pair->trace[s].sum;

	buf_format(own_value(head, STR("kernels"), s), "%llu", (unsigned long long)sum->count);
	pair_ms(own_value(head, STR("total_ms"), s), sum->total, pair->form != FORM_TSV);
	for (size_t i = 0; i < count; i++)
		buf_format(own_value(head, str_of(facts[i].name), s), "%llu",
		           (unsigned long long)facts[i].count);
	buf_text(own_value(head, STR("phase"), s), pair->phase ? pair->phase : "all");
}

/* For a stream, ##trace1 and ##trace2 lines. */
static void put_lines(struct pair *pair, const struct head *head)
{
	static const char *const traces[SIDES] = {"trace1", "trace2"};

	if (pair->match)
		kev_meta(&pair->out, "match", (const struct str[]){str_of(pair->match)}, 1);
	for (int s = 0; s < SIDES; s++)
		for (size_t i = 0; i < head->names.count; i++) {
			struct str line[] = {strmap_key(&head->names, i), buf_view(&head->values[i][s])};

			if (line[1].n)
				kev_meta(&pair->out, traces[s], line, 2);
		}
}

/* For people, both sides beside each other. */
static void put_table(struct pair *pair, const char *title, const struct head *head)
{
	static const struct sheet_column columns[] = {
		{"fact", SHEET_TEXT, sheet_put_text, 0},
		{"trace1", SHEET_TEXT, sheet_put_text, sizeof(struct str)},
		{"trace2", SHEET_TEXT, sheet_put_text, 2 * sizeof(struct str)},
	};
	struct sheet sheet;

	output_format(&pair->out.out, "%s%s%s%s\n", pair->form == FORM_MARKDOWN ? "# " : "", title,
	              pair->match ? ", matched by " : "", pair->match ? pair->match : "");
	pair_sheet(pair, &sheet, "Traces", columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < head->names.count; i++) {
		struct buf *values = head->values[i];
		struct str row[] = {strmap_key(&head->names, i), buf_view(&values[0]),
		                    buf_view(&values[1])};

		if (row[1].n || row[2].n)
			sheet_row(&sheet, row);
	}
	sheet_end(&sheet);
}

static void put_head(struct pair *pair, const char *title, const struct pair_fact *facts[SIDES],
                     size_t count)
{
	struct head head = {.values = NULL};

	for (int s = 0; s < SIDES; s++)
		add_device(&head, pair, s);
	for (int s = 0; s < SIDES; s++)
		add_properties(&head, pair, s);
	for (int s = 0; s < SIDES; s++)
		add_counts(&head, pair, s, facts[s], count);
	if (pair->form == FORM_TSV)
		put_lines(pair, &head);
	else
		put_table(pair, title, &head);
	for (size_t i = 0; i < head.names.count; i++)
		for (int s = 0; s < SIDES; s++)
			buf_free(&head.values[i][s]);
	free(head.values);
	strmap_free(&head.names);
}

/* "trace1_NAME"; good until the next call. */
static const char *key_of(struct pair *pair, int side, const char *name)
{
	pair->key.len = 0;
	buf_format(&pair->key, "trace%d_%s", side + 1, name);
	buf_char(&pair->key, '\0');
	return pair->key.data;
}

/* Digits with at most one point among them: such a property is a number in JSON, too. */
static bool is_plain_number(struct str text)
{
	size_t points = 0;

	if (text.n == 0 || text.s[0] < '1' || text.s[0] > '9' || text.s[text.n - 1] == '.')
		return false;
	for (size_t i = 0; i < text.n; i++) {
		points += text.s[i] == '.';
		if (text.s[i] != '.' && (text.s[i] < '0' || text.s[i] > '9'))
			return false;
	}
	return points <= 1;
}

static void json_properties(struct pair *pair, int s, struct buf *text)
{
	struct jsonw *w = &pair->json;
	struct str name;

	jsonw_object(w, key_of(pair, s, "device"));
	for (size_t i = 0; facts_property(&pair->trace[s].facts, i, &name, text); i++) {
		pair->key.len = 0;
		buf_str(&pair->key, name);
		buf_char(&pair->key, '\0');
		if (is_plain_number(buf_view(text)))
			jsonw_raw(w, pair->key.data, buf_view(text));
		else
			jsonw_text(w, pair->key.data, buf_view(text));
		text->len = 0;
	}
	jsonw_end_object(w);
}

static void json_facts(struct pair *pair, int s, const struct pair_fact *facts, size_t count)
{
	struct jsonw *w = &pair->json;
	const struct pair_trace *trace = &pair->trace[s];
	struct buf text = {0};

	put_source(&text, pair, s);
	jsonw_text(w, key_of(pair, s, "name"), buf_view(&text));
	text.len = 0;
	facts_get(&trace->facts, "platform", &text);
	jsonw_known(w, key_of(pair, s, "platform"), buf_view(&text));
	text.len = 0;
	facts_get(&trace->facts, "device", &text);
	jsonw_known(w, key_of(pair, s, "gpu"), buf_view(&text));
	text.len = 0;
	json_properties(pair, s, &text);
	jsonw_count(w, key_of(pair, s, "kernels"), trace->sum.count);
	pair_ms(&text, trace->sum.total, false);
	jsonw_figure(w, key_of(pair, s, "total_ms"), buf_view(&text));
	for (size_t i = 0; i < count; i++)
		jsonw_count(w, key_of(pair, s, facts[i].name), facts[i].count);
	buf_free(&text);
}

static void json_head(struct pair *pair, const struct pair_fact *facts[SIDES], size_t count)
{
	jsonw_object(&pair->json, "metadata");
	for (int s = 0; s < SIDES; s++)
		json_facts(pair, s, facts[s], count);
	jsonw_text(&pair->json, "phase", str_of(pair->phase ? pair->phase : "all"));
	if (pair->match)
		jsonw_text(&pair->json, "by", str_of(pair->match));
	damage_json(&pair->json, &pair->damages);
	jsonw_end_object(&pair->json);
}

/* --- the answer ---------------------------------------------------------- */

void pair_begin(struct pair *pair, const char *title, const struct pair_fact *facts[SIDES],
                size_t count)
{
	if (pair->form == FORM_JSON) {
		pair->json.out = &pair->out.out.buf;
		jsonw_object(&pair->json, NULL);
		json_head(pair, facts, count);
	} else {
		put_head(pair, title, facts, count);
	}
}

void pair_sheet(struct pair *pair, struct sheet *sheet, const char *title,
                const struct sheet_column *columns, size_t count)
{
	sheet_begin(sheet, &pair->out, pair->form, &pair->json, title, columns, count);
}

void pair_end(struct pair *pair)
{
	if (pair->form == FORM_JSON)
		jsonw_end_object(&pair->json);
	else if (pair->form == FORM_MARKDOWN)
		damage_markdown(&pair->out.out, &pair->damages);
	else if (pair->form == FORM_REPORT)
		damage_report(&pair->out.out, &pair->damages);
}

int pair_finish(struct pair *pair)
{
	for (int s = 0; s < SIDES; s++)
		balance_print(&pair->side[s].balance);
	for (int s = 0; s < SIDES; s++)
		side_close(&pair->side[s]);
	return kev_finish(&pair->out);
}

/* --- figures ------------------------------------------------------------- */

static struct dec absolute(struct dec x)
{
	if (x.nano < 0)
		x.nano = -x.nano;
	return x;
}

int pair_compare_gaps(struct dec a, struct dec b)
{
	return dec_compare(absolute(b), absolute(a));
}

bool pair_one_sided(const struct group *a, const struct group *b)
{
	return a->count == 0 || b->count == 0;
}

void pair_ms(struct buf *out, struct dec us, bool people)
{
	dec_quotient_fixed(out, us, dec_of(1000), 0, people ? 3 : 12);
	if (people)
		return;
	while (out->data[out->len - 1] == '0')
		out->len--;
	if (out->data[out->len - 1] == '.')
		out->len--;
}

bool pair_ratio(struct buf *out, const struct group *a, const struct group *b, bool averages,
                bool people)
{
	struct dec x = a->total;
	struct dec y = b->total;

	if (pair_one_sided(a, b)) {
		buf_char(out, '0');
	} else if (x.nano < 0 || y.nano < 0) {
		return true;
	} else if (y.nano == 0) {
		buf_text(out, x.nano ? "inf" : "1");
	} else {
		if (averages && (__builtin_mul_overflow(x.nano, (__int128)b->count, &x.nano) ||
		                 __builtin_mul_overflow(y.nano, (__int128)a->count, &y.nano)))
			return false;
		if (people)
			dec_quotient_fixed(out, x, y, 0, 3);
		else
			dec_quotient(out, x, y, 0);
	}
	return true;
}

void pair_us(struct buf *out, struct dec us, bool people)
{
	if (people)
		dec_print_fixed(out, us, 3, false);
	else
		dec_print(out, us);
}

void pair_average(struct buf *out, const struct group *g, bool people)
{
	if (g->count == 0)
		buf_char(out, '0');
	else if (people)
		dec_quotient_fixed(out, g->total, dec_of((int64_t)g->count), 0, 3);
	else
		dec_quotient(out, g->total, dec_of((int64_t)g->count), 0);
}

/* --- cells --------------------------------------------------------------- */

/* The table has begun: the next program of the pipe must not take it for whole. */
static _Noreturn void too_large(struct sheet *sheet)
{
	kev_die(sheet->out, "trace1", 0, "dur: the sum is too large");
}

static struct dec gap_of(struct sheet *sheet, const struct group *sum)
{
	struct dec gap = sum[0].total;

	if (!dec_subtract(&gap, sum[1].total))
		too_large(sheet);
	return gap;
}

void pair_put_count(struct sheet *sheet, const void *row, int side)
{
	const struct group *sum = row;

	sheet_count(sheet, sum[side].count);
}

void pair_put_us(struct sheet *sheet, const void *row, int side)
{
	const struct group *sum = row;

	pair_us(&sheet->cell, sum[side].total, sheet->people);
}

void pair_put_time(struct sheet *sheet, const void *row, int field)
{
	const struct dec *time = sheet_field(row, field);

	pair_us(&sheet->cell, *time, sheet->people);
}

void pair_put_ms(struct sheet *sheet, const void *row, int side)
{
	const struct group *sum = row;

	pair_ms(&sheet->cell, sum[side].total, sheet->people);
}

void pair_put_average(struct sheet *sheet, const void *row, int side)
{
	const struct group *sum = row;

	pair_average(&sheet->cell, &sum[side], sheet->people);
}

void pair_put_ratio(struct sheet *sheet, const void *row, int of)
{
	const struct group *sum = row;

	if (!pair_ratio(&sheet->cell, &sum[0], &sum[1], of == PAIR_AVERAGES, sheet->people))
		too_large(sheet);
}

void pair_put_gap_us(struct sheet *sheet, const void *row, int which)
{
	(void)which;
	pair_us(&sheet->cell, gap_of(sheet, row), sheet->people);
}

void pair_put_gap_ms(struct sheet *sheet, const void *row, int which)
{
	(void)which;
	pair_ms(&sheet->cell, gap_of(sheet, row), sheet->people);
}
