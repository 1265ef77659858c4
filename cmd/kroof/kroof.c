/*
 * kroof - how many operations and bytes a second each operator does, and how much of the peak that
 * is.
 *
 *	#ts	dur	name	cpu_op	op_id	Input Dims	Input type
 *	0	10	gemm	aten::mm	1	[[512,1024],[1024,256]]	["float","float"]
 *	20	12	gemm	aten::mm	2	[[512,1024],[1024,256]]	["float","float"]
 * gives
 *	#cpu_op	op	M	N	K	B	dtype	...	count	total	...	tflops	...
 *	aten::mm	Dense GEMM	512	256	1024	1	float	...	2	22	...	24.403223...	...
 *
 * Memory: the distinct operators and arguments, and rules; 4 MiB for rows of calls, the rest of
 * which is in the temporary files of sort(1).
 */
#include <stdlib.h>

#include "answer/damage.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "stream/balance.h"
#include "stream/hint.h"
#include "syntax/sortkey.h"

#include "oprows.h"

enum reason { HOST, NO_TIME, NEGATIVE, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[NO_TIME] = "without ts or dur",
	[NEGATIVE] = "with a negative dur",
};

BALANCE_FITS(reasons);

struct state {
	struct opts opts;
	const char *rules_file;
	const char **add_rules;
	size_t add_rules_count;
	size_t add_rules_cap;
	const char *peaks_file;
	const char *device;
	const char *dump; /* "rules" or "peaks" */
	bool patterns;    /* --ops */
	enum form form;
	size_t limit;        /* -n; 0: all */
	const char *sort_by; /* the argument of --sort */
	enum rates_column sort;
	bool descending;
	enum rates_column *keys;
	size_t keys_count;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct rules rules;
	struct peaks peaks;
	struct rates rates;
	struct oprows rows;
	struct kinds kinds;
	struct words devices; /* names of ##device lines */
	int dur;
	struct buf damages;
	struct buf text;
};

enum { RULES = OPT_LONG, ADD_RULES, DUMP, OPS, PEAK, DEVICE, SORT };

static const struct opt opts[] = {
	{'k', "key", "COL,...", "put rows with equal values in these columns together"},
	{RULES, "rules", "FILE", "use the rules of FILE instead of the default ones"},
	{ADD_RULES, "add-rules", "FILE", "use the rules of FILE before those; may be repeated"},
	{PEAK, "peak", "FILE", "use the peaks of FILE before the default ones"},
	{DEVICE, "device", "NAME", "use the peaks of this device (default: that of the stream)"},
	{'n', "first", "N", "print the first N rows"},
	{SORT, "sort", "[-]COL", "sort by this column; -COL: descending (default: -total)"},
	{DUMP, "dump", "[=peaks]", "print the rules, or the peaks, and exit"},
	{OPS, "ops", NULL, "print the operators of the rules for kcontext --op=@FILE, and exit"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[-k COL,...] [--rules=FILE] [--add-rules=FILE] [--peak=FILE] [--device=NAME] [-n N]\n"
	"             [--sort=[-]COL] [-r | -j | -M] [FILE...]\n"
	"       kroof [--rules=FILE] [--add-rules=FILE] [--peak=FILE] --dump[=peaks] | --ops",
	"Print how many operations and bytes a second operators do, and how near the peak that is.",
	opts, sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	kinds_columns(&st->kinds, in);
	oprows_columns(&st->rows, in);
	kev_need(in, STR("dur"), &st->dur);
	for (size_t i = 0; i < st->keys_count; i++) {
		int column;

		if (st->keys[i] >= RATES_ARGS && st->keys[i] < RATES_COLUMNS)
			kev_need_for(in, "-k: ", str_of(rates_name(st->keys[i])), &column);
	}
}

/* --- rows ---------------------------------------------------------------- */

static _Noreturn void calls_failed(struct state *st)
{
	kev_die(&st->out, st->in.file, 0, "%s", st->rows.calls.error);
}

static void drop(struct state *st, enum reason reason, struct str dur)
{
	balance_drop(&st->balance, reason, dur);
	if (reason != HOST && st->opts.strict)
		kev_error(&st->in, "a row of a device %s", reasons[reason]);
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str text = in->field[st->dur];
	struct dec ts = {0};
	struct dec dur;
	bool timed = !oprows_needs_ts(&st->rows) || kev_number(in, st->rows.ts, &ts);

	timed &= kev_number(in, st->dur, &dur);
	if (strcmp(kev_unit(in), "cycles") == 0)
		kev_misuse(in, "the times are cycles, so there are no operations a second");
	if (in->error[0])
		return;
	balance_in(&st->balance, text);
	if (!kinds_is_device(&st->kinds, in)) {
		kinds_skip(&st->kinds, in);
		drop(st, HOST, text);
	} else if (!timed) {
		drop(st, NO_TIME, text);
	} else if (dur.nano < 0) {
		drop(st, NEGATIVE, text);
	} else {
		balance_out(&st->balance, text);
		if (!oprows_add(&st->rows, in, ts, dur))
			calls_failed(st);
	}
}

static void metadata(struct state *st)
{
	struct kev_reader *in = &st->in;

	oprows_metadata(&st->rows, in);
	kinds_metadata(&st->kinds, in);
	if (str_equal(in->key, STR("device"))) {
		struct str name = tsv_text(in->value, &st->text);

		if (name.n && !words_have(&st->devices, name))
			words_put(&st->devices, name);
	}
	if (st->form == FORM_TSV) {
		if (!str_equal(in->key, STR("thread")) && !str_equal(in->key, STR("process")))
			kev_pass_meta(&st->out, in);
	} else if (str_equal(in->key, STR("damaged"))) {
		damage_note(&st->damages, NULL, in);
		kev_note_damage(&st->out, in);
	}
}

/* --- the end of the rows --------------------------------------------------- */

/* The device whose peaks count; empty if it is not known which. */
static struct str device_name(const struct state *st)
{
	if (st->device)
		return str_of(st->device);
	return st->devices.count == 1 ? st->devices.item[0] : STR("");
}

/* Warns why rows have no bound. A pattern of --peak may be of any device, named or not. */
static void warn_of_peaks(struct state *st)
{
	struct str name = st->rates.device;
	bool known = peaks_know(&st->peaks, name);
	char quoted[QUOTE_MAX];

	if (known && !rates_lacks_peak(&st->rates, &st->text))
		return;
	if (!st->device && st->devices.count > 1)
		warn("the stream is of several devices, so bound and peak_share are empty; name one by "
		     "--device");
	else if (name.n == 0)
		warn("the stream does not name its device, so bound and peak_share are empty; name it by "
		     "--device");
	else if (!known)
		warn("the peaks of %s are not known, so bound and peak_share are empty; give them by "
		     "--peak, or name a device of 'kroof --dump=peaks' by --device",
		     quote(quoted, name.s, name.n));
	else
		warn("the device has no peak for %.*s, so bound and peak_share of such rows are empty; "
		     "give it by --peak",
		     (int)st->text.len, st->text.data);
}

/* A rate above the peak shows that something is wrong, in whatever form the answer is. */
static void warn_of_shares(struct state *st)
{
	struct str op;
	char quoted[QUOTE_MAX];

	if (st->rates.above == 0)
		return;
	st->text.len = 0;
	rates_highest(&st->rates, &st->text, &op);
	warn("peak_share is above 100 %% for %llu operators and arguments, up to %.*s %% for %s; data "
	     "stayed in caches, or the peak or the rule is wrong",
	     (unsigned long long)st->rates.above, (int)st->text.len, st->text.data,
	     quote(quoted, op.s, op.n));
}

/* --- the answer -------------------------------------------------------------- */

/* Names the device of the peaks below a report. */
static void name_device(struct state *st)
{
	struct buf *out = &st->out.out.buf;
	struct str name = st->rates.device;

	if (name.n == 0 || !peaks_know(&st->peaks, name))
		return;
	buf_text(out, "\nPeaks of ");
	if (st->form == FORM_MARKDOWN)
		table_markdown_text(out, name);
	else
		plaintext_put(out, name);
	buf_text(out, "\n");
}

static void write_answer(struct state *st)
{
	struct jsonw json = {.out = &st->out.out.buf};

	if (st->form == FORM_JSON) {
		jsonw_object(&json, NULL);
		jsonw_known(&json, "device", st->rates.device);
	}
	rates_write(&st->rates, st->keys, st->keys_count, st->limit, &st->out, st->form, &json);
	if (st->form == FORM_JSON)
		lacks_json(&st->rows.lacks, &json);
	else if (st->form != FORM_TSV) {
		name_device(st);
		lacks_report(&st->rows.lacks, &st->out.out.buf);
	}
	damage_end_answer(&st->damages, st->form, &st->out.out, &json);
}

/* --- warnings ------------------------------------------------------------ */

static void explain_nothing(struct state *st)
{
	st->text.len = 0;
	kinds_skipped(&st->kinds, &st->text);
	warn("the input has no rows of a device with ts and dur%.*s%s", (int)st->text.len,
	     st->text.len ? st->text.data : "", hint_rows(&st->in));
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void print_warnings(struct state *st)
{
	if (st->rates.keys.count == 0)
		explain_nothing(st);
	else if (!st->rows.args)
		warn("the stream has no arguments of operators, so no rule can use them; add them with -a "
		     "'Input Dims,Input type,Concrete Inputs' of trace2tsv and kcontext");
	else if (st->rows.operators && !st->rows.values)
		warn("no operator has arguments; the trace must be recorded with shapes");
	for (int i = NO_TIME; i < REASONS; i++)
		if (st->balance.dropped[i].rows)
			warn("rows of a device %s, not counted: %llu", reasons[i],
			     (unsigned long long)st->balance.dropped[i].rows);
	if (st->rows.broken)
		warn("rows with arguments that are not shapes, types or values, which count as missing: "
		     "%llu",
		     (unsigned long long)st->rows.broken);
	if (st->rows.refused)
		warn("rows with arguments that no call can have: %llu; the first: %s",
		     (unsigned long long)st->rows.refused, st->rules.refusal);
	lacks_warn(&st->rows.lacks);
}

static void finish(struct state *st)
{
	if (!oprows_finish(&st->rows, &st->in))
		calls_failed(st);
	if (st->in.error[0])
		kev_fail(&st->out, &st->in);
	print_warnings(st);
	st->rates.device = device_name(st);
	if (!rates_build(&st->rates, st->keys, st->keys_count, st->sort, st->descending))
		kev_die(&st->out, st->in.file, 0, "%s", st->rates.error);
	if (st->rates.keys.count)
		warn_of_peaks(st);
	warn_of_shares(st);
	write_answer(st);
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
	if (st->balance.on)
		lacks_balance(&st->rows.lacks);
}

/* --- options ------------------------------------------------------------- */

/* A column of the table, also of labels; else beyond them. */
static enum rates_column find_column(const struct state *st, struct str name)
{
	enum rates_column column = rates_column(name);
	const struct words *labels = &st->rates.labels;
	size_t i = 0;

	if (column < RATES_COLUMNS)
		return column;
	while (i < labels->count && !str_equal(labels->item[i], name))
		i++;
	return (enum rates_column)(RATES_COLUMNS + i);
}

/* --sort, after -k and the rules, whose columns are shown without -k. */
static void set_sort(struct state *st)
{
	size_t labels = st->rates.labels.count;
	struct str name;
	size_t used;

	if (!st->sort_by)
		return;
	name = sortkey_column(str_of(st->sort_by), &st->descending);
	st->sort = find_column(st, name);
	if (st->sort < RATES_COLUMNS + labels)
		return;
	used = shapes_column(&st->rules.shapes, name);
	if (st->keys_count || used == SIZE_MAX)
		opts_fail("--sort: the table has no column '%s'", name.s);
	st->sort = (enum rates_column)(RATES_COLUMNS + used);
}

static void set_keys(struct state *st, struct words *words)
{
	opts_distinct("-k", words);
	st->keys = mem_alloc(words->count + 1, sizeof *st->keys);
	for (size_t i = 0; i < words->count; i++) {
		enum rates_column column = find_column(st, words->item[i]);

		if (column >= RATES_COLUMNS)
			words_put(&st->rates.labels, words->item[i]);
		if (!rates_is_key(column))
			opts_fail("-k: '%s' is a sum of the calls, which cannot be a key", words->item[i].s);
		st->keys[st->keys_count++] = column;
	}
	words_free(words);
}

static void set_dump(struct state *st)
{
	st->dump = st->opts.arg ? st->opts.arg : "rules";
	if (strcmp(st->dump, "rules") != 0 && strcmp(st->dump, "peaks") != 0)
		opts_fail("--dump: '%s' is not rules or peaks", st->dump);
}

static void read_options(struct state *st, int argc, char **argv)
{
	struct words keys = {0};
	int letter;

	opts_init(&st->opts, &usage, argc, argv);
	while ((letter = opts_next(&st->opts)) >= 0) {
		switch (letter) {
		case 'k':
			opts_words(&st->opts, &keys);
			break;
		case RULES:
			st->rules_file = st->opts.arg;
			break;
		case ADD_RULES:
			st->add_rules = mem_grow(st->add_rules, &st->add_rules_cap, st->add_rules_count + 1,
			                         sizeof *st->add_rules);
			st->add_rules[st->add_rules_count++] = st->opts.arg;
			break;
		case PEAK:
			st->peaks_file = st->opts.arg;
			break;
		case DEVICE:
			st->device = st->opts.arg;
			break;
		case 'n':
			st->limit = opts_number(&st->opts, 1);
			break;
		case SORT:
			st->sort_by = st->opts.arg;
			break;
		case DUMP:
			set_dump(st);
			break;
		case OPS:
			st->patterns = true;
			break;
		default:
			opts_form(letter, &st->form);
		}
	}
	set_keys(st, &keys);
	st->opts.no_head |= st->form != FORM_TSV;
}

/* A file of peaks may mistype a type, which no row would have. */
static void load_peaks(struct state *st)
{
	char quoted[QUOTE_MAX];
	struct str name;

	if (!peaks_load(&st->peaks, st->peaks_file))
		die("%s", st->peaks.error);
	if (peaks_stranger(&st->peaks, &st->rules.shapes, &name))
		warn("--peak: %s is not the short name of a type in the rules, so no row has this peak",
		     quote(quoted, name.s, name.n));
}

static void load_rules(struct state *st)
{
	char quoted[QUOTE_MAX];

	for (size_t i = 0; i < st->add_rules_count; i++)
		if (!rules_load(&st->rules, st->add_rules[i]))
			die("%s", st->rules.error);
	if (!rules_load(&st->rules, st->rules_file))
		die("%s", st->rules.error);
	if (!st->rules.file[st->rules.files - 1].sizes)
		warn("%s has no size lines, so bytes are not known%s; --add-rules keeps the default ones",
		     quote(quoted, st->rules_file, strlen(st->rules_file)),
		     st->rules.shapes.types.count ? " of types that --add-rules lacks" : "");
}

static void load(struct state *st)
{
	load_rules(st);
	set_sort(st);
	if (st->peaks_file)
		load_peaks(st);
	if (!peaks_load(&st->peaks, NULL))
		die("%s", st->peaks.error);
	st->rows.rates = &st->rates;
	st->rows.kinds = &st->kinds;
	st->rates.rules = &st->rules;
	st->rates.peaks = &st->peaks;
}

/* --dump and --ops. */
static int print_rules(struct state *st)
{
	struct output out;

	if (st->patterns)
		rules_put_patterns(&st->rules, &st->text);
	else if (strcmp(st->dump, "rules") == 0)
		rules_dump(&st->rules, &st->text);
	else
		buf_str(&st->text, peaks_dump(&st->peaks));
	output_init(&out, 1, "standard output");
	output_str(&out, buf_view(&st->text));
	output_close(&out);
	return STATUS_OK;
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .sort = RATES_TOTAL,
	                   .descending = true};
	enum kev_item item;

	read_options(&st, argc, argv);
	load(&st);
	if (st.dump || st.patterns)
		return print_rules(&st);
	st.balance.on = st.opts.verbose;

	kev_open(&st.in, &st.opts);
	st.in.by_source = true;
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			metadata(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED) {
		oprows_free(&st.rows);
		kev_fail(&st.out, &st.in);
	}
	finish(&st);
	oprows_free(&st.rows);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
