/*
 * kroof - how many operations and bytes a second each operator does, and how much of the peak that
 * is.
 *
 *	#ts	dur	name	cpu_op	op_id	Input Dims	Input type
 *	0	10	gemm	aten::mm	1	[[512,1024],[1024,256]]	["float","float"]
 *	20	12	gemm	aten::mm	2	[[512,1024],[1024,256]]	["float","float"]
 * gives
 *	#cpu_op	class	M	N	K	B	dtype	count	total	...	tflops	...
 *	aten::mm	Dense GEMM	512	256	1024	1	float	2	22	...	24.403223...	...
 *
 * Memory: the distinct operators and arguments, and rules; 4 MiB for rows of calls, the rest of
 * which is in the temporary files of sort(1).
 */
#include <stdlib.h>

#include "base/mem.h"
#include "compare/side.h"
#include "roof/calls.h"
#include "roof/rates.h"
#include "stream/balance.h"
#include "stream/hint.h"
#include "syntax/sortkey.h"
#include "wall/devices.h"
#include "wall/interval.h"
#include "wall/kind.h"

enum reason { HOST, NO_TIME, NEGATIVE, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[NO_TIME] = "without ts or dur",
	[NEGATIVE] = "with a negative dur",
};

BALANCE_FITS(reasons);

/* What the table cannot rate. */
enum lack { NO_OPERATOR, NO_RULE, LACKS };

static const char *const lacks[LACKS] = {
	[NO_OPERATOR] = "without an operator",
	[NO_RULE] = "without a rule",
};

struct lacking {
	uint64_t rows;
	struct dec time;
};

struct state {
	struct opts opts;
	const char *rules_file;
	const char *peaks_file;
	const char *device;
	const char *dump; /* "rules" or "peaks" */
	bool patterns;    /* --ops */
	enum form form;
	size_t limit; /* -n; 0: all */
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
	struct calls calls;
	struct kinds kinds;
	struct devices sources; /* only the source of a row */
	struct words devices;   /* of ##device lines */
	int ts;
	int dur;
	int op; /* the column with operators, */
	int op_id;
	int arg[ARGS_COLUMNS];
	bool operators;   /* a row has an operator, */
	bool args;        /* the stream has columns of arguments, */
	bool values;      /* and a row has some */
	uint64_t broken;  /* rows whose arguments are not lists */
	uint64_t refused; /* rows with arguments that no call can have */
	struct dec time;  /* of all rows that count */
	struct lacking lacking[LACKS];
	struct buf damages;
	struct buf key;
	struct buf text;
};

enum { RULES = OPT_LONG, DUMP, OPS, PEAK, DEVICE, SORT };

static const struct opt opts[] = {
	{'k', "key", "COL,...", "put rows with equal values in these columns together"},
	{RULES, "rules", "FILE", "use the rules of FILE instead of the default ones"},
	{PEAK, "peak", "FILE", "use the peaks of FILE before the default ones"},
	{DEVICE, "device", "NAME", "use the peaks of this device (default: that of the stream)"},
	{'n', "first", "N", "print the first N rows"},
	{SORT, "sort", "[-]COL", "sort by this column; -COL: descending (default: -total)"},
	{DUMP, "dump", "[=peaks]", "print the rules, or the peaks, and exit"},
	{OPS, "ops", NULL, "print the operators of the rules for kcontext --op=@FILE, and exit"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[-k COL,...] [--rules=FILE] [--peak=FILE] [--device=NAME] [-n N] [--sort=[-]COL]\n"
	"             [-r | -j | -M] [FILE...]\n"
	"       kroof [--rules=FILE] [--peak=FILE] --dump[=peaks] | --ops",
	"Print how many operations and bytes a second operators do, and how near the peak that is.",
	opts, sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	kinds_columns(&st->kinds, in);
	devices_columns(&st->sources, in);
	for (int i = 0; i < ARGS_COLUMNS; i++) {
		st->arg[i] = kev_column(in, str_of(args_columns[i]));
		st->rates.has_args[i] |= st->arg[i] != KEV_NONE;
		st->args |= st->arg[i] != KEV_NONE;
	}
	st->op = kev_column(in, STR("cpu_op"));
	st->op_id = KEV_NONE;
	st->ts = kev_column(in, STR("ts"));
	if (st->op == KEV_NONE &&
	    (st->arg[ARGS_INPUT_SHAPES] != KEV_NONE || kev_is_of(in, STR("csv2tsv")))) {
		/* Ascend: a row is a call, and its type is the operator. */
		if (kev_need(in, STR("Input Shapes"), &st->arg[ARGS_INPUT_SHAPES]))
			kev_need(in, STR("type"), &st->op);
	} else if (kev_need(in, STR("cpu_op"), &st->op) && kev_need(in, STR("op_id"), &st->op_id)) {
		kev_need(in, STR("ts"), &st->ts);
	}
	kev_need(in, STR("dur"), &st->dur);
	for (size_t i = 0; i < st->keys_count; i++) {
		int column;

		if (st->keys[i] >= RATES_ARGS)
			kev_need_for(in, "-k: ", str_of(rates_name(st->keys[i])), &column);
	}
}

/* --- rows ---------------------------------------------------------------- */

/* Sets key to the operator, its arguments and, without an operator, the class. */
static void set_key(struct state *st)
{
	struct str op = kev_text(&st->in, st->op, &st->text);
	bool is_operator = op.n > 0;

	st->operators |= is_operator;
	st->key.len = 0;
	tsv_escape(&st->key, op);
	for (int i = 0; i < ARGS_COLUMNS; i++) {
		buf_char(&st->key, '\t');
		if (!is_operator || st->arg[i] == KEV_NONE || st->in.field[st->arg[i]].n == 0)
			continue;
		tsv_escape(&st->key, kev_text(&st->in, st->arg[i], &st->text));
		st->values = true;
	}
	buf_char(&st->key, '\t');
	if (!is_operator)
		tsv_escape(&st->key, kinds_op(&st->kinds, &st->in));
}

static void note_lack(struct state *st, enum lack lack, struct dec dur)
{
	st->lacking[lack].rows++;
	dec_add(&st->lacking[lack].time, dur); /* of a part of st->time */
}

/* Counts a row in the row of the table with this number; an operator without a rule needs more. */
static void note_row(struct state *st, size_t number, struct dec dur)
{
	const struct rates_row *row = &st->rates.row[number];

	st->broken += row->broken;
	st->refused += row->refused;
	if (!row->is_operator) {
		note_lack(st, NO_OPERATOR, dur);
	} else if (!row->ruled) {
		note_lack(st, NO_RULE, dur);
		rates_note_class(&st->rates, number, dur, kinds_op(&st->kinds, &st->in));
	}
}

static void add_call(struct state *st, size_t number, struct dec time, uint64_t rows)
{
	if (!rates_add(&st->rates, number, 1, time, rows))
		kev_error(&st->in, "the times are too large to add");
}

/* A row of a call that has an id, which other rows may have, too. */
static void add_to_call(struct state *st, size_t number, struct dec ts, struct dec dur)
{
	struct str field = st->in.field[st->op_id];
	struct calls_row row = {.group = number, .source = st->sources.source};
	struct interval span;
	char quoted[QUOTE_MAX];

	if (!str_whole(field, &row.id)) {
		kev_error(&st->in, "op_id: %s is not a whole number", quote(quoted, field.s, field.n));
		return;
	}
	if (!interval_from(ts, dur, &span)) {
		kev_error(&st->in, "the times are too large to add");
		return;
	}
	row.start = span.start;
	row.end = span.end;
	if (!calls_add(&st->calls, &row))
		kev_die(&st->out, st->in.file, 0, "%s", st->calls.error);
}

static void device_row(struct state *st, struct dec ts, struct dec dur)
{
	size_t number;

	set_key(st);
	if (!rates_get(&st->rates, buf_view(&st->key), &number)) {
		kev_error(&st->in, "%s", st->rates.error);
		return;
	}
	if (!dec_add(&st->time, dur)) {
		kev_error(&st->in, "the times are too large to add");
		return;
	}
	note_row(st, number, dur);
	if (st->rates.row[number].is_operator && st->op_id != KEV_NONE && st->in.field[st->op_id].n > 0)
		add_to_call(st, number, ts, dur);
	else
		add_call(st, number, dur, 1);
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
	bool timed = st->op_id == KEV_NONE || kev_number(in, st->ts, &ts);

	timed &= kev_number(in, st->dur, &dur);
	if (strcmp(kev_unit(in), "cycles") == 0)
		kev_error(in, "the times are cycles, so there are no operations a second");
	if (in->error[0])
		return;
	balance_in(&st->balance, text);
	devices_row(&st->sources, in);
	if (!kinds_is_device(&st->kinds, in)) {
		kinds_skip(&st->kinds, in);
		drop(st, HOST, text);
	} else if (!timed) {
		drop(st, NO_TIME, text);
	} else if (dur.nano < 0) {
		drop(st, NEGATIVE, text);
	} else {
		balance_out(&st->balance, text);
		device_row(st, ts, dur);
	}
}

static void metadata(struct state *st)
{
	struct kev_reader *in = &st->in;

	devices_metadata(&st->sources, in);
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
		side_note_damage(&st->damages, NULL, in);
		kev_note_damage(&st->out, in);
	}
}

/* --- the end of the rows --------------------------------------------------- */

static void take_calls(struct state *st)
{
	struct calls_call call;
	int got;

	while ((got = calls_next(&st->calls, &call)) > 0)
		add_call(st, (size_t)call.group, call.time, call.rows);
	if (got < 0)
		kev_die(&st->out, st->in.file, 0, "%s", st->calls.error);
	if (st->in.error[0])
		kev_fail(&st->out, &st->in);
	calls_free(&st->calls);
}

/* The device whose peaks count; empty if it is not known which. */
static struct str device_name(const struct state *st)
{
	if (st->device)
		return str_of(st->device);
	return st->devices.count == 1 ? st->devices.item[0] : STR("");
}

/* Why rows have no bound, if some have none. A pattern of --peak may be of any device, named or
 * not. */
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
		     "--peak",
		     quote(quoted, name.s, name.n));
	else
		warn("the device has no peak for %.*s, so bound and peak_share of such rows are empty; "
		     "give it by --peak",
		     (int)st->text.len, st->text.data);
}

/* --- the answer -------------------------------------------------------------- */

static void put_share(const struct state *st, struct buf *text, enum lack lack)
{
	dec_quotient_digits(text, st->lacking[lack].time, st->time, 2, 3);
	buf_text(text, " %");
}

/* "Without a rule: 3 rows, 4.5 us, 2.31 %" */
static void report_lacks(struct state *st)
{
	struct buf *out = &st->out.out.buf;

	for (int i = 0; i < LACKS; i++) {
		if (st->lacking[i].rows == 0)
			continue;
		buf_format(out, "\nRows %s: %llu, ", lacks[i], (unsigned long long)st->lacking[i].rows);
		dec_print_fixed(out, st->lacking[i].time, 3, true);
		buf_text(out, " us");
		if (st->time.nano) {
			buf_text(out, ", ");
			put_share(st, out, (enum lack)i);
		}
		buf_text(out, "\n");
	}
}

static void put_lacks(struct state *st, struct jsonw *json)
{
	static const char *const keys[LACKS] = {"without_operator", "without_rule"};

	for (int i = 0; i < LACKS; i++) {
		jsonw_object(json, keys[i]);
		jsonw_count(json, "rows", st->lacking[i].rows);
		st->text.len = 0;
		dec_print(&st->text, st->lacking[i].time);
		jsonw_raw(json, "time", buf_view(&st->text));
		jsonw_end_object(json);
	}
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
		put_lacks(st, &json);
	else if (st->form != FORM_TSV)
		report_lacks(st);
	side_end_answer(&st->damages, st->form, &st->out.out, &json);
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

static void warn_of_lacks(struct state *st)
{
	struct buf text = {0};

	for (int i = 0; i < LACKS && st->time.nano; i++) {
		if (st->lacking[i].time.nano == 0)
			continue;
		buf_format(&text, "%s%s: ", text.len ? ", " : "time of devices ", lacks[i]);
		put_share(st, &text, (enum lack)i);
	}
	if (text.len)
		warn("%.*s", (int)text.len, text.data);
	buf_free(&text);
}

static void print_warnings(struct state *st)
{
	if (st->rates.keys.count == 0)
		explain_nothing(st);
	else if (!st->args)
		warn("the stream has no arguments of operators, so no rule can use them; add them with -a "
		     "'Input Dims,Input type,Concrete Inputs' of trace2tsv and kcontext");
	else if (st->operators && !st->values)
		warn("no operator has arguments; the trace must be recorded with shapes");
	for (int i = NO_TIME; i < REASONS; i++)
		if (st->balance.dropped[i].rows)
			warn("rows of a device %s, not counted: %llu", reasons[i],
			     (unsigned long long)st->balance.dropped[i].rows);
	if (st->broken)
		warn("rows with arguments that are not shapes, types or values, which count as missing: "
		     "%llu",
		     (unsigned long long)st->broken);
	if (st->refused)
		warn("rows with arguments that no call can have: %llu; the first: %s",
		     (unsigned long long)st->refused, st->rules.refusal);
	warn_of_lacks(st);
}

static void print_balance(struct state *st)
{
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
	for (int i = 0; i < LACKS && st->balance.on; i++) {
		st->text.len = 0;
		dec_print(&st->text, st->lacking[i].time);
		warn("rows %s: %llu, %.*s us", lacks[i], (unsigned long long)st->lacking[i].rows,
		     (int)st->text.len, st->text.data);
	}
}

static void finish(struct state *st)
{
	take_calls(st);
	print_warnings(st);
	st->rates.device = device_name(st);
	if (!rates_build(&st->rates, st->keys, st->keys_count, st->sort, st->descending))
		kev_die(&st->out, st->in.file, 0, "%s", st->rates.error);
	if (st->rates.keys.count)
		warn_of_peaks(st);
	write_answer(st);
	print_balance(st);
}

/* --- options ------------------------------------------------------------- */

static void set_sort(struct state *st)
{
	struct str name = sortkey_column(str_of(st->opts.arg), &st->descending);

	st->sort = rates_column(name);
	if (st->sort == RATES_COLUMNS)
		opts_fail("--sort: the table has no column '%s'", name.s);
}

static void set_keys(struct state *st, struct words *words)
{
	opts_distinct("-k", words);
	st->keys = mem_alloc(words->count + 1, sizeof *st->keys);
	for (size_t i = 0; i < words->count; i++) {
		enum rates_column column = rates_column(words->item[i]);

		if (column == RATES_COLUMNS)
			opts_fail("-k: the table has no column '%s'", words->item[i].s);
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
			set_sort(st);
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

static void load(struct state *st)
{
	if (!rules_load(&st->rules, st->rules_file))
		die("%s", st->rules.error);
	if (st->peaks_file)
		load_peaks(st);
	if (!peaks_load(&st->peaks, NULL))
		die("%s", st->peaks.error);
	st->rates.rules = &st->rules;
	st->rates.peaks = &st->peaks;
}

/* --dump and --ops. */
static int print_rules(struct state *st)
{
	struct output out;

	if (st->patterns)
		rules_put_patterns(&st->rules, &st->text);
	output_init(&out, 1, "standard output");
	if (st->patterns)
		output_str(&out, buf_view(&st->text));
	else if (strcmp(st->dump, "peaks") == 0)
		output_str(&out, peaks_dump(&st->peaks));
	else
		output_str(&out, rules_dump(&st->rules));
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
		calls_free(&st.calls);
		kev_fail(&st.out, &st.in);
	}
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
