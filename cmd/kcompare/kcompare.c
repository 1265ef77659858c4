/*
 * kcompare - tell slower kernels from noise, by the samples of two sides.
 *
 *	kcompare --old old*.kev --new new*.kev
 * gives
 *	#name	verdict	change	count1	count2	...	median1	...	median2	...	p	adjusted	...
 *	gemm	faster	-17.2	10	10	...	1718	...	1422.5	...	1.08e-05	1.08e-05	...
 *
 * Memory: some 100 bytes for each group in each unit, such as a file; without units, the distinct
 * durations of each group.
 */
#include <stdlib.h>

#include "answer/damage.h"
#include "base/mem.h"
#include "compare/gate.h"
#include "compare/limit.h"
#include "compare/side.h"
#include "kernel/hostrows.h"
#include "stream/hint.h"
#include "stream/partial.h"
#include "syntax/sortkey.h"

#include "alarm.h"
#include "changereport.h"
#include "groupwise.h"

/* Why a row is dropped. */
enum reason { NO_DUR, NO_UNIT, REASONS };

static const char *const reasons[REASONS] = {"no dur", "empty --by"};
BALANCE_FITS(reasons);

static const char *const titles[SIDES] = {"OLD", "NEW"};

struct state {
	struct opts opts;
	struct words keys;
	struct words by; /* without file */
	bool by_given;
	bool by_file;
	struct str of; /* empty: dur */
	bool fails;    /* --fail-over was given */
	bool has_unit; /* with a time: the streams must be in us */
	struct limit fail_over;
	enum form form;
	struct words files[SIDES];    /* --old and --new */
	char **operands[SIDES];       /* files as operands */
	struct opts side_opts[SIDES]; /* options with these operands */
	/* The input. */
	struct kev_reader in[SIDES];
	struct kev_writer out;
	struct balance balance[SIDES];
	struct partial partial;
	bool is_partial; /* the rows are those of a partial */
	bool rows;       /* there are others */
	int *key_columns;
	int *by_columns;
	bool *filled; /* by key: a row has a value */
	int dur;
	int cat; /* KEV_NONE if it is missing or a key */
	struct hostrows host;
	struct buf damages;
	/* The unit of the row before. */
	bool unit_known;
	size_t unit_file;
	struct buf unit_key;
	size_t unit;
	struct samples samples;
	struct groupwise groupwise;
	struct changes changes;
	uint64_t needed; /* samples on each side; 0: there are enough */
	struct buf key;
	struct buf scratch;
};

enum { BY = OPT_LONG, OF, ALPHA, FAIL_OVER, SKIP, SORT, OLD, NEW };

static const struct opt opts[] = {
	{'k', "key", "COL,...", "compare the groups of these columns (default: name)"},
	{BY, "by", "COL,...",
     "a sample is a group's total in each unit: equal values of COL; file: "
     "the file"},
	{OF, "of", "COL", "compare the values of this column instead of dur"},
	{ALPHA, "alpha", "P", "the probability of a false alarm (default: 0.05)"},
	{FAIL_OVER, "fail-over", "[COL:]LIMIT",
     "exit with 3 if a group or the sum is significantly slower by LIMIT, such as 5% or 30us"},
	{SKIP, "skip", "N",
     "leave out the first N units of each side, as warm-up; of each file if --by has more than it"},
	{'n', "first", "N", "print the first N groups of each table"},
	{SORT, "sort", "[-]COL", "sort by this column; -COL: descending (default: the difference)"},
	{OLD, "old", "FILE,...", "the files of the first side; more may follow as words"},
	{NEW, "new", "FILE,...", "the files of the second side; more may follow as words"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[-k COL,...] [--by=COL,...] [--of=COL] [--alpha=P] [--fail-over=[COL:]LIMIT]\n"
	"                [--skip=N] [-n N] [--sort=[-]COL] [-r | -j | -M]\n"
	"                OLD NEW | --old FILE... --new FILE...",
	"Tell slower kernels from noise, by the samples of two sides.", opts,
	sizeof opts / sizeof *opts};

/* --- options -------------------------------------------------------------- */

static void read_by(struct state *st)
{
	struct words given = {0};

	opts_words(&st->opts, &given);
	st->by_given = true;
	for (size_t i = 0; i < given.count; i++) {
		if (str_equal(given.item[i], STR("file")))
			st->by_file = true;
		else
			words_put(&st->by, given.item[i]);
	}
	words_free(&given);
}

static void read_alpha(struct state *st)
{
	st->groupwise.alpha = opts_decimal(&st->opts, "a probability such as 0.05");
	if (st->groupwise.alpha.nano == 0 || dec_compare(st->groupwise.alpha, dec_of(1)) >= 0)
		opts_fail("--alpha: '%s' is not a probability above 0 and below 1", st->opts.arg);
}

static void read_fail_over(struct state *st)
{
	static const char *const names[] = {"change"};
	struct gate gate = gate_read(&st->opts);

	gate_column(&gate, &st->opts, names, 1);
	gate_need_unit(&gate, &st->opts);
	if (gate.kind == GATE_TIME) {
		gate.value.nano *= 2; /* medians are doubled, too */
		st->has_unit = true;
	}
	gate_raise(&gate, &st->fail_over);
	st->fails = true;
}

static void read_sort(struct state *st)
{
	st->changes.sort = sortkey_column(str_of(st->opts.arg), &st->changes.descending);
	if (st->changes.sort.n == 0)
		opts_fail("--sort: no column is named");
}

static void check_columns(const struct state *st)
{
	if (st->of.n && (words_have(&st->keys, st->of) || words_have(&st->by, st->of)))
		opts_fail("--of: '%s' is a column of -k or --by, too", st->of.s);
	opts_distinct("-k", &st->keys);
	opts_distinct("--by", &st->by);
	for (int i = 0; i < CHANGES_FIGURES; i++)
		if (words_have(&st->keys, str_of(changes_figures[i])))
			opts_fail("-k: the table has another column '%s'", changes_figures[i]);
	for (size_t i = 0; i < st->by.count; i++)
		if (words_have(&st->keys, st->by.item[i]))
			opts_fail("--by: '%s' is a column of -k, too", st->by.item[i].s);
	if (st->changes.sort.n && !changes_have_column(&st->changes, st->changes.sort))
		opts_fail("--sort: the table has no column '%s'", st->changes.sort.s);
}

/* OLD NEW as lists of one file. */
static void take_operands(struct state *st)
{
	bool named = st->opts.line_operands_count > 0 || st->opts.files_from;
	bool lists = st->files[0].count || st->files[1].count;

	if (lists && named)
		opts_fail("give either OLD and NEW, or --old and --new");
	if (lists && (st->files[0].count == 0 || st->files[1].count == 0))
		opts_fail("--old and --new are needed both");
	if (!lists && (!named || st->opts.operands_count != SIDES))
		opts_fail("two streams are needed: OLD and NEW, or --old and --new");
	for (int i = 0; i < SIDES && !lists; i++)
		words_put(&st->files[i], str_of(st->opts.operands[i]));
}

static void settle_options(struct state *st)
{
	size_t inputs = 0;

	if (st->keys.count == 0)
		words_add(&st->keys, "name");
	take_operands(st);
	for (int i = 0; i < SIDES; i++)
		for (size_t j = 0; j < st->files[i].count; j++)
			inputs += str_equal(st->files[i].item[j], STR("-"));
	if (inputs > 1)
		opts_fail("only one file can be standard input");
	if (str_equal(st->of, STR("dur")))
		st->of = STR("");
	if (!st->by_given)
		st->by_file = st->files[0].count > 1 || st->files[1].count > 1;
	st->groupwise.units = st->by_file || st->by.count;
	st->samples.one_run = st->by.count == 0;
	if (st->groupwise.skip && !st->groupwise.units)
		opts_fail("--skip leaves out units, which --by defines");
	check_columns(st);
	st->opts.no_head |= st->form != FORM_TSV;
}

static void read_options(struct state *st, int argc, char **argv)
{
	int letter;

	opts_init(&st->opts, &usage, argc, argv);
	while ((letter = opts_next(&st->opts)) >= 0) {
		switch (letter) {
		case 'k':
			opts_words(&st->opts, &st->keys);
			break;
		case BY:
			read_by(st);
			break;
		case OF:
			st->of = str_of(st->opts.arg);
			if (st->of.n == 0)
				opts_fail("--of: no column is named");
			break;
		case 'n':
			st->changes.first = opts_number(&st->opts, 1);
			break;
		case ALPHA:
			read_alpha(st);
			break;
		case FAIL_OVER:
			read_fail_over(st);
			break;
		case SKIP:
			st->groupwise.skip = opts_number(&st->opts, 0);
			break;
		case SORT:
			read_sort(st);
			break;
		case OLD:
		case NEW:
			opts_files(&st->opts, &st->files[letter == NEW]);
			break;
		default:
			opts_form(letter, &st->form);
		}
	}
	settle_options(st);
}

static void open_sides(struct state *st)
{
	static const char *const whats[SIDES] = {"rows of OLD", "rows of NEW"};

	for (int i = 0; i < SIDES; i++) {
		size_t count = st->files[i].count;

		st->operands[i] = mem_alloc(count, sizeof *st->operands[i]);
		for (size_t j = 0; j < count; j++)
			st->operands[i][j] = mem_string(st->files[i].item[j].s, st->files[i].item[j].n);
		st->side_opts[i] = st->opts;
		st->side_opts[i].operands = st->operands[i];
		st->side_opts[i].operands_count = (int)count;
		st->balance[i] = (struct balance){
			.on = st->opts.verbose, .what = whats[i], .reasons = reasons, .reasons_count = REASONS};
		kev_open(&st->in[i], &st->side_opts[i]);
		st->in[i].one_unit = true;
	}
}

/* --- input ------------------------------------------------------------------ */

static void metadata(struct state *st, int s)
{
	struct kev_reader *in = &st->in[s];

	if (st->has_unit && str_equal(in->key, STR("unit")) && !str_equal(in->value, STR("us")))
		kev_misuse(
			in, "unit: a --fail-over of ns, us, ms or s needs a stream in us; give a percentage");
	if (partial_metadata(&st->partial, in) || str_equal(in->key, STR("process")) ||
	    str_equal(in->key, STR("thread")))
		return;
	if (str_equal(in->key, STR("damaged")))
		damage_note(&st->damages, titles[s], in);
	kev_pass_meta(&st->out, in);
}

static const char *of_name(const struct state *st)
{
	return st->of.n ? st->of.s : "dur";
}

/* The partials must be of the column that is compared in rows: dur, or the column of --of. */
static void check_of(const struct state *st, struct kev_reader *in)
{
	if (!st->partial.layout_known || str_equal(buf_view(&st->partial.of), st->of))
		return;
	if (st->of.n)
		kev_misuse(in, "this partial is not of '%s'; write it with kgroup -p --of=%s", st->of.s,
		           st->of.s);
	else if (st->rows)
		kev_misuse(in, "some rows have a dur, and the partials are of another column (--of)");
}

static void partial_columns_of(struct state *st, struct kev_reader *in)
{
	partial_layout(&st->partial, in);
	if (st->groupwise.units)
		st->partial.column[PARTIAL_VALUES] = KEV_NONE;
	else if (st->partial.column[PARTIAL_VALUES] == KEV_NONE)
		kev_misuse(in, "this partial has no values, so it has no samples: give --by, or write it "
		               "with kgroup -p -q");
}

static void row_columns(struct state *st, struct kev_reader *in)
{
	st->rows = true;
	st->partial.next_of.len = 0;
	kev_need(in, str_of(of_name(st)), &st->dur);
}

static void columns(struct state *st, int s)
{
	struct kev_reader *in = &st->in[s];

	for (size_t i = 0; i < st->keys.count; i++)
		kev_need_for(in, "-k: ", st->keys.item[i], &st->key_columns[i]);
	for (size_t i = 0; i < st->by.count; i++)
		kev_need_for(in, "--by: ", st->by.item[i], &st->by_columns[i]);
	st->cat = words_have(&st->keys, STR("cat")) ? KEV_NONE : kev_column(in, STR("cat"));
	st->is_partial = partial_is_layout(&st->partial, in);
	if (st->is_partial)
		partial_columns_of(st, in);
	else
		row_columns(st, in);
	check_of(st, in);
}

/* The file of a side that is being read. */
static size_t file_of(const struct state *st, int s)
{
	return (size_t)st->in[s].operand - 1;
}

/* Sets st->unit to the unit of the row. False if a value of --by is empty. */
static bool find_unit(struct state *st, int s)
{
	struct kev_reader *in = &st->in[s];
	size_t file = st->by_file ? file_of(st, s) : 0;
	struct str key = STR("");

	for (size_t i = 0; i < st->by.count; i++)
		if (in->field[st->by_columns[i]].n == 0)
			return false;
	if (st->by.count)
		key = kev_key(in, st->by_columns, st->by.count, &st->key, &st->scratch);
	if (st->unit_known && file == st->unit_file && str_equal(key, buf_view(&st->unit_key)))
		return true;
	st->unit = samples_unit(&st->samples, s, file, key);
	st->unit_known = true;
	st->unit_file = file;
	st->unit_key.len = 0;
	buf_str(&st->unit_key, key);
	return true;
}

static size_t find_group(struct state *st, int s)
{
	return samples_group(
		&st->samples, kev_key(&st->in[s], st->key_columns, st->keys.count, &st->key, &st->scratch));
}

/* Adds the values of a row of a partial. */
static bool add_values(struct state *st, int s, const struct group *part)
{
	size_t group = find_group(st, s);

	for (size_t i = 0; i < part->durations.count; i++)
		if (!samples_pool(&st->samples, s, group, part->durations.item[i].dur,
		                  part->durations.item[i].count))
			return false;
	return true;
}

/* Adds a row or a partial of one. False if the sum is too large. */
static bool add(struct state *st, int s, struct dec dur, const struct group *part)
{
	if (st->groupwise.units)
		return samples_add(&st->samples, s, find_group(st, s), st->unit, dur);
	return part ? add_values(st, s, part)
	            : samples_pool(&st->samples, s, find_group(st, s), dur, 1);
}

static void drop(struct state *st, int s, enum reason reason, struct str dur)
{
	balance_drop(&st->balance[s], reason, dur);
	if (st->opts.strict)
		kev_error(&st->in[s], "%s is missing", reason == NO_DUR ? of_name(st) : "a value of --by");
}

static void row(struct state *st, int s)
{
	struct kev_reader *in = &st->in[s];
	int column = st->is_partial ? st->partial.column[PARTIAL_TOTAL] : st->dur;
	struct str text = in->field[column];
	struct group part = {0};
	struct dec dur = {0};

	balance_in(&st->balance[s], text);
	for (size_t i = 0; i < st->keys.count; i++)
		st->filled[i] |= in->field[st->key_columns[i]].n > 0;
	if (st->cat != KEV_NONE && text.n)
		hostrows_add(&st->host, in->field[st->cat]);
	if (st->is_partial)
		partial_row(&st->partial, in, &part);
	if (!kev_number(in, column, &dur))
		drop(st, s, NO_DUR, text);
	else if (st->groupwise.units && !find_unit(st, s))
		drop(st, s, NO_UNIT, text);
	else if (!add(st, s, dur, st->is_partial ? &part : NULL))
		kev_error(in, "%s: the sum is too large", st->is_partial ? "total" : of_name(st));
	else
		balance_out(&st->balance[s], text);
	group_free(&part);
}

static void read_side(struct state *st, int s)
{
	struct kev_reader *in = &st->in[s];
	enum kev_item item;

	st->unit_known = false;
	while ((item = kev_next(in)) > KEV_END) {
		if (item == KEV_META)
			metadata(st, s);
		else if (item == KEV_COLUMNS)
			columns(st, s);
		else
			row(st, s);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, in);
	/* The reader of the other side compares its unit with the unit of this side. */
	if (s == 0 && st->balance[0].in.rows)
		buf_str(&st->in[1].unit, str_of(kev_unit(in)));
}

/* --- what the samples are ---------------------------------------------------------- */

/* Appends "kernels of one run" or "totals of each file, step". */
static void put_samples(const struct state *st, struct buf *out)
{
	if (!st->groupwise.units) {
		buf_text(out, "kernels of one run");
		return;
	}
	buf_text(out, "totals of each ");
	if (st->by_file)
		buf_text(out, "file");
	for (size_t i = 0; i < st->by.count; i++) {
		buf_text(out, i || st->by_file ? ", " : "");
		buf_str(out, st->by.item[i]);
	}
}

/* --- the answer ------------------------------------------------------------------- */

/* Appends "a.kev", or "a.kev and 9 more". */
static void put_files(const struct state *st, int s, struct buf *out)
{
	buf_str(out, str_of(opts_name(&st->opts, st->operands[s][0])));
	if (st->files[s].count > 1)
		buf_format(out, " and %zu more", st->files[s].count - 1);
}

static void write_answer(struct state *st)
{
	struct buf samples = {0};
	struct buf files[SIDES] = {{0}};
	struct changereport report = {.unit = str_of(kev_unit(&st->in[1])),
	                              .of = st->of.n ? st->of : buf_view(&st->partial.of),
	                              .alpha = st->groupwise.alpha,
	                              .needed = st->needed,
	                              .changes = &st->changes,
	                              .damages = &st->damages};

	put_samples(st, &samples);
	report.samples = buf_view(&samples);
	for (int s = 0; s < SIDES; s++) {
		put_files(st, s, &files[s]);
		report.side[s] = (struct changereport_side){
			.name = str_of(titles[s]),
			.files = buf_view(&files[s]),
			.units = st->groupwise.units ? samples_units(&st->samples.side[s]) : 1,
			.rows = st->balance[s].out.rows};
	}
	changereport_write(&report, &st->out, st->form);
	for (int s = 0; s < SIDES; s++)
		buf_free(&files[s]);
	buf_free(&samples);
}

/* --- warnings ------------------------------------------------------------------- */

static void warn_of_samples(const struct state *st)
{
	const struct comparison *sum = &st->changes.row[st->changes.groups].comparison;

	if (!st->groupwise.units && sum->side[0].n && sum->side[1].n)
		warn("the samples are single kernels of one run on each side, so differences between runs "
		     "count as changes; give several files a side (--old, --new), or --by");
	for (int s = 0; s < SIDES; s++)
		if (st->files[s].set.count < st->files[s].count)
			warn("%s: a file is given twice, so its samples count twice and differences look more "
			     "significant than they are",
			     titles[s]);
	if (st->by.count && !st->by_file && (st->files[0].count > 1 || st->files[1].count > 1))
		warn("units of several files that have equal values of --by are added; --by=file,%s keeps "
		     "them apart",
		     st->by.item[0].s);
}

static void warn_of_rows(struct state *st)
{
	uint64_t no_dur = st->balance[0].dropped[NO_DUR].rows + st->balance[1].dropped[NO_DUR].rows;
	uint64_t no_unit = st->balance[0].dropped[NO_UNIT].rows + st->balance[1].dropped[NO_UNIT].rows;
	const struct comparison *sum = &st->changes.row[st->changes.groups].comparison;

	for (size_t i = 0; i < st->keys.count; i++)
		if (st->balance[0].in.rows + st->balance[1].in.rows && !st->filled[i])
			warn("%s is empty in all rows; choose other columns with -k%s", st->keys.item[i].s,
			     hint_empty(st->keys.item[i]));
	if (no_dur)
		warn("rows without %s, not counted: %llu", of_name(st), (unsigned long long)no_dur);
	if (no_unit)
		warn("rows with an empty value of --by, not counted: %llu", (unsigned long long)no_unit);
	hostrows_warn(&st->host);
	for (int s = 0; s < SIDES; s++) {
		if (sum->side[s].n)
			continue;
		warn("%s has no samples%s", titles[s],
		     st->samples.side[s].units.count ? ": --skip leaves out all of its units" : "");
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	}
}

static void print_balances(struct state *st)
{
	for (int s = 0; s < SIDES; s++) {
		st->balance[s].unit = kev_unit(&st->in[s]);
		balance_print(&st->balance[s]);
		if (st->opts.verbose && st->groupwise.units)
			warn("units of %s: %zu, left out by --skip: %zu", titles[s],
			     st->samples.side[s].units.count,
			     st->samples.side[s].units.count - samples_units(&st->samples.side[s]));
	}
}

static void check_limit(struct state *st)
{
	char *names[SIDES];

	for (int s = 0; s < SIDES; s++) {
		struct buf name = {0};

		put_files(st, s, &name);
		buf_format(&name, " (%s)", titles[s]);
		names[s] = mem_string(name.data, name.len);
		buf_free(&name);
	}
	if (alarm_slower(&st->changes, &st->fail_over, (const char *const[SIDES]){names[0], names[1]}))
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	for (int s = 0; s < SIDES; s++)
		free(names[s]);
}

static void finish(struct state *st)
{
	if (!groupwise_compare(&st->groupwise, &st->changes))
		kev_die(&st->out, st->in[1].file, 0, "a sum of durations is too large");
	st->needed = alarm_needed(&st->changes, st->groupwise.alpha);
	warn_of_samples(st);
	warn_of_rows(st);
	alarm_few(&st->changes, st->groupwise.alpha);
	alarm_lags(&st->changes, titles);
	partial_write_vias(&st->partial, &st->out);
	write_answer(st);
	if (st->fails)
		check_limit(st);
	print_balances(st);
}

static void free_all(struct state *st)
{
	for (int s = 0; s < SIDES; s++) {
		kev_close(&st->in[s]);
		for (size_t i = 0; i < st->files[s].count; i++)
			free(st->operands[s][i]);
		free(st->operands[s]);
	}
	samples_free(&st->samples);
	changes_free(&st->changes);
	groupwise_free(&st->groupwise);
	partial_free(&st->partial);
	hostrows_free(&st->host);
}

int main(int argc, char **argv)
{
	struct state st = {.groupwise = {.alpha = {50000000}}}; /* 0.05 */

	st.changes.keys = &st.keys;
	read_options(&st, argc, argv);
	st.groupwise.samples = &st.samples;
	st.partial.keys_chosen = st.partial.quantiles_chosen = st.partial.sums_chosen = true;
	st.key_columns = mem_alloc(st.keys.count, sizeof *st.key_columns);
	st.filled = mem_zero(st.keys.count, sizeof *st.filled);
	st.by_columns = mem_alloc(st.by.count, sizeof *st.by_columns);
	kev_writer_init(&st.out, &st.opts);
	open_sides(&st);
	for (int s = 0; s < SIDES; s++)
		read_side(&st, s);
	finish(&st);
	free_all(&st);
	return kev_finish(&st.out);
}
