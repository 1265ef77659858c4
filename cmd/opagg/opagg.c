/*
 * opagg - converts kernels of a profile into rows of a performance database: one per case of an
 * operator, with its smallest duration and the means of its counters.
 *
 *	#dur	type	cat	Input Shapes	Input Data Types	...	aicore_time(us)
 *	5.5	Cast	AI_VECTOR_CORE	"8,16"	FLOAT	...	4
 *	5.2	Cast	AI_VECTOR_CORE	"8,16"	FLOAT	...	3
 * becomes
 *	#OP Type	OP State	Accelerator Core	Input Shapes	...	Average Duration(us)	...
 *	Cast		AI_VECTOR_CORE	"8,16"	...	5.200000	...	3.500000
 *
 * Memory grows with the cases.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "perfdb/schema.h"
#include "perfdb/signature.h"
#include "stream/balance.h"
#include "stream/kev.h"

enum reason { NO_TYPE, NO_COLUMN, REASONS };

static const char *const reasons[REASONS] = {"no type", "a file without a needed column"};
BALANCE_FITS(reasons);

enum { PLACES = 6 }; /* decimal places of numbers in a database */

/* A case: the rows of one operator with one signature. */
struct kernel_case {
	struct buf base; /* the operator and the base columns of its first row, escaped */
	bool ep_size;
	bool has_dur;
	struct dec dur; /* the smallest */
	uint64_t count;
	struct dec sum[SIGNATURE_COUNTERS];
	struct dec negative[SIGNATURE_COUNTERS]; /* parts of the sums, as by dec_sum */
};

/* A file whose rows were skipped, and why; both are owned. */
struct lost_file {
	char *name;
	char *why;
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	char missing[sizeof((struct kev_reader *)0)->error]; /* the error for a missing column */
	uint64_t missing_line;                               /* line of this error */
	uint64_t lost;                                       /* rows under these columns */
	struct lost_file *lost_files;
	size_t lost_files_count;
	size_t lost_files_cap;
	struct buf source; /* the file of the rows, if it is known */
	size_t ep_size;    /* 0: EP Size stays empty */
	int dur;
	int type;
	int base[SIGNATURE_BASE];
	int cell[SIGNATURE_CELLS];
	int counter[SIGNATURE_COUNTERS];
	struct strmap keys;
	struct kernel_case *cases; /* by number in keys */
	size_t cases_cap;
	uint64_t no_type;
	uint64_t no_dur;
	struct buf key;
	struct buf scratch[SIGNATURE_CELLS];
};

enum { SET_EP_SIZE = OPT_LONG };

static const struct opt opts[] = {
	{SET_EP_SIZE, "ep-size", "N",
     "the EP Size of DispatchFFNCombine; 0 leaves it empty (default: 16)"},
};

static const struct opt_usage usage = {
	"[--ep-size=N] [FILE...]",
	"Convert kernels of a profile into rows of a performance database, one per case.", opts,
	sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

static bool find_columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	for (int i = 0; i < EP_SIZE; i++)
		if (!kev_need(in, str_of(signature_cells[i]), &st->cell[i]))
			return false;
	for (int i = 0; i < SIGNATURE_BASE; i++)
		st->base[i] = kev_column(in, str_of(signature_base[i]));
	for (int i = 0; i < SIGNATURE_COUNTERS; i++)
		st->counter[i] = kev_column(in, str_of(signature_counters[i]));
	/* The profiler's Task Type is the category of the stream. */
	return kev_need(in, STR("cat"), &st->base[1]) && kev_need(in, STR("dur"), &st->dur) &&
	       kev_need(in, STR("type"), &st->type);
}

/* Notes the rows that a missing column has cost, when their file or its columns end. */
static void note_lost(struct state *st)
{
	struct str name = st->source.len ? buf_view(&st->source) : str_of(st->in.file);
	struct buf why = {0};

	if (!st->lost)
		return;
	buf_format(&why, "%s; rows skipped: %llu", st->missing, (unsigned long long)st->lost);
	st->lost_files = mem_grow(st->lost_files, &st->lost_files_cap, st->lost_files_count + 1,
	                          sizeof *st->lost_files);
	st->lost_files[st->lost_files_count++] =
		(struct lost_file){mem_string(name.s, name.n), mem_string(why.data, why.len)};
	st->lost = 0;
	buf_free(&why);
}

/*
 * A missing column costs only the rows under it: a killed profiler leaves files without rows, and
 * other profiles may have shapes.
 */
static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	note_lost(st);
	st->missing[0] = '\0';
	if (find_columns(st))
		return;
	snprintf(st->missing, sizeof st->missing, "%s", in->error);
	st->missing_line = in->error_line;
	in->error[0] = '\0';
}

static void meta(struct state *st)
{
	kev_pass_meta(&st->out, &st->in);
	if (!str_equal(st->in.key, STR("source")))
		return;
	note_lost(st);
	st->source.len = 0;
	tsv_unescape(&st->source, st->in.value);
}

static void write_columns(struct state *st)
{
	struct str names[SIGNATURE_BASE + SIGNATURE_COUNTERS + 3];
	struct schema schema;
	size_t count = 0;

	schema_init(&schema);
	names[count++] = STR("OP Type");
	for (int i = 0; i < SIGNATURE_BASE; i++)
		names[count++] = str_of(signature_base[i]);
	names[count++] = schema.name[SCHEMA_AVERAGE];
	names[count++] = schema.name[EP_SIZE];
	for (int i = 0; i < SIGNATURE_COUNTERS; i++)
		names[count++] = schema.name[SCHEMA_COUNTER + i];
	kev_columns(&st->out, names, count);
	schema_free(&schema);
}

/* --- rows ---------------------------------------------------------------- */

/* The case of the row at hand, added if it is new. */
static struct kernel_case *find_case(struct state *st, struct str type)
{
	struct kev_reader *in = &st->in;
	struct str cells[SIGNATURE_CELLS] = {{"", 0}};
	struct kernel_case *found;
	bool new;
	size_t number;

	st->key.len = 0;
	for (int i = 0; i < EP_SIZE; i++)
		cells[i] = kev_text(in, st->cell[i], &st->scratch[i]);
	signature_key(&st->key, signature_operator(type), cells);
	buf_str(&st->key, type);
	number = strmap_add(&st->keys, buf_view(&st->key), &new);
	st->cases = mem_grow(st->cases, &st->cases_cap, number + 1, sizeof *st->cases);
	found = &st->cases[number];
	if (!new)
		return found;
	*found = (struct kernel_case){.ep_size = signature_has_ep_size(signature_operator(type))};
	buf_str(&found->base, str_trim(in->field[st->type]));
	for (int i = 0; i < SIGNATURE_BASE; i++) {
		buf_char(&found->base, '\t');
		if (st->base[i] != KEV_NONE)
			buf_str(&found->base, str_trim(in->field[st->base[i]]));
	}
	return found;
}

/* Adds the counters. A cell that is not a number counts as 0. */
static void add_counters(struct state *st, struct kernel_case *to)
{
	struct kev_reader *in = &st->in;

	for (int i = 0; i < SIGNATURE_COUNTERS; i++) {
		struct dec x = {0};

		if (st->counter[i] == KEV_NONE ||
		    dec_parse(in->field[st->counter[i]], &x) == DEC_NOT_A_NUMBER)
			continue;
		if (!kev_number(in, st->counter[i], &x))
			return;
		if (!dec_sum(&to->sum[i], &to->negative[i], x, (struct dec){0})) {
			kev_error(in, "%s: the sum is too large", signature_counters[i]);
			return;
		}
	}
}

/* A row without the columns that tell cases apart. */
static void skip_row(struct state *st)
{
	struct kev_reader *in = &st->in;
	int dur = kev_column(in, STR("dur"));
	struct str text = dur == KEV_NONE ? STR("") : in->field[dur];

	if (st->opts.strict) {
		kev_misuse(in, "%s", st->missing);
		in->error_line = st->missing_line;
		return;
	}
	st->lost++;
	balance_in(&st->balance, text);
	balance_drop(&st->balance, NO_COLUMN, text);
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str type;
	struct kernel_case *to;
	struct dec dur = {0};
	bool has_dur;

	if (st->missing[0]) {
		skip_row(st);
		return;
	}
	type = str_trim(kev_text(in, st->type, &st->scratch[EP_SIZE]));
	/* A kernel takes time: with a minimum of 0, dbmerge --prune would delete the case. */
	has_dur = kev_number(in, st->dur, &dur) && dur.nano > 0;
	if (in->error[0])
		return;
	balance_in(&st->balance, in->field[st->dur]);
	st->no_type += type.n == 0;
	st->no_dur += type.n != 0 && !has_dur;
	if (st->opts.strict && (type.n == 0 || !has_dur)) {
		kev_error(in, type.n ? "dur is not a positive number" : "the row has no type");
		return;
	}
	if (type.n == 0) {
		balance_drop(&st->balance, NO_TYPE, in->field[st->dur]);
		return;
	}
	to = find_case(st, type);
	if (has_dur && (!to->has_dur || dec_compare(dur, to->dur) < 0))
		to->dur = dur;
	to->has_dur |= has_dur;
	to->count++;
	balance_out(&st->balance, in->field[st->dur]);
	add_counters(st, to);
}

/* --- the end ------------------------------------------------------------- */

static void write_case(struct state *st, const struct kernel_case *from)
{
	struct buf text = {0};

	if (from->has_dur)
		dec_print_fixed(&text, from->dur, PLACES, false);
	kev_field_raw(&st->out, buf_view(&from->base));
	kev_field_raw(&st->out, buf_view(&text));
	text.len = 0;
	if (from->ep_size && st->ep_size)
		buf_format(&text, "%zu", st->ep_size);
	kev_field_raw(&st->out, buf_view(&text));
	for (int i = 0; i < SIGNATURE_COUNTERS; i++) {
		text.len = 0;
		dec_quotient_fixed(&text, from->sum[i], dec_of((int64_t)from->count), 0, PLACES);
		kev_field_raw(&st->out, buf_view(&text));
	}
	kev_row_end(&st->out);
	buf_free(&text);
}

/* Reports the files whose rows were skipped. If no other row counts, that is an error. */
static void put_lost(struct state *st)
{
	for (size_t i = 0; i < st->lost_files_count; i++) {
		const struct lost_file *file = &st->lost_files[i];

		warn("%s: %s", file->name, file->why);
		kev_meta(&st->out, "damaged", (struct str[]){str_of(file->name), str_of(file->why)}, 2);
		st->out.status =
			status_worse(st->out.status, st->keys.count ? STATUS_DAMAGED : STATUS_ERROR);
	}
}

static void finish(struct state *st)
{
	uint64_t without = 0;

	if (strcmp(kev_unit(&st->in), "us") != 0)
		kev_die_misuse(&st->out, st->in.file, 0, "unit: '%s'; a database has times in us",
		               kev_unit(&st->in));
	note_lost(st);
	put_lost(st);
	write_columns(st);
	for (size_t i = 0; i < st->keys.count; i++) {
		write_case(st, &st->cases[i]);
		without += !st->cases[i].has_dur;
	}
	if (st->keys.count == 0 && st->out.status == STATUS_OK)
		warn("the input has no rows");
	if (st->no_type)
		warn("rows without a type, skipped: %llu", (unsigned long long)st->no_type);
	if (st->no_dur)
		warn("rows without a positive dur: %llu; cases left without a duration: %llu",
		     (unsigned long long)st->no_dur, (unsigned long long)without);
	balance_print(&st->balance);
	if (st->opts.verbose)
		warn("cases: %zu", st->keys.count);
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "us", .what = "rows", .reasons = reasons, .reasons_count = REASONS},
		.ep_size = 16};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0)
		if (letter == SET_EP_SIZE)
			st.ep_size = opts_number(&st.opts, 0);
	st.balance.on = st.opts.verbose;

	kev_open(&st.in, &st.opts);
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			meta(&st);
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
