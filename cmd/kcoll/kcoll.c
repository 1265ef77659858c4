/*
 * kcoll - which rank is late in which collectives, and what the others wait for it.
 *
 *	##rank	0
 *	#ts	dur	name	cat	Group size	Seq	Collective name
 *	10	50	ncclDevKernel_AllReduce	kernel	2	1	allreduce
 *	##source	rank 1
 *	##rank	1
 *	7040	20	ncclDevKernel_AllReduce	kernel	2	1	allreduce
 * gives
 *	#kind	bytes	ranks	count	rows	total	min	transfer	wait
 *	allreduce		2	1	2	70	20	20	30
 * and three columns more.
 *
 * Memory: some 280 bytes for each collective, 150 for each rank, group and kind; for the source
 * that is being read, 150 for each collective and as much for each launch.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "answer/damage.h"
#include "base/mem.h"
#include "stream/balance.h"
#include "stream/partial.h"
#include "stream/ranks.h"

#include "collminima.h"
#include "collrows.h"
#include "collsheet.h"
#include "collsource.h"

enum reason { HOST, OTHER, SHADOW, NO_TIME, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[OTHER] = "not a collective",
	[SHADOW] = "of a collective on the AI CPU",
	[NO_TIME] = "without ts or dur, or with a dur below 0",
};
BALANCE_FITS(reasons);

struct state {
	struct opts opts;
	bool write_partial;
	bool merge;
	bool check_ranks;
	bool by_rank;
	const char *minima_file;
	bool align;
	bool each_row; /* --minima without --align */
	enum form form;
	bool waits[COLLKINDS];
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct ranks ranks;
	struct partial heads; /* metadata that many inputs have in common */
	struct colltable table;
	struct collrows rows;
	struct collmatch match;
	struct collminima minima;
	struct collsource source;
	int operand;
	struct buf damages;
	struct buf text;
};

enum { RANKS = OPT_LONG, BY_RANK, MINIMA, ALIGN, RANK_COLUMN, SYNC };

static const struct opt opts[] = {
	{'p', "partial", NULL, "write a partial table, for -m"},
	{'m', "merge", NULL, "merge partial tables"},
	{RANKS, "ranks", "[=LIST]",
     "report ranks that are missing or came twice (default: ##worldSize)"},
	{BY_RANK, "by-rank", NULL,
     "print a row for each rank: how often it is late, how long it waits"},
	{MINIMA, "minima", "FILE", "write each collective of the input with its wait; FILE: of -m -p"},
	{ALIGN, "align", NULL, "with --minima: print how far the clock of each rank is ahead"},
	{RANK_COLUMN, "rank-column", "COL", "take the rank from this column (default: ##rank)"},
	{SYNC, "sync", "KIND,...", "these kinds wait for all ranks, too"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[-p] [-m] [--ranks[=LIST]] [--by-rank] [--rank-column=COL] [--sync=KIND,...]\n"
	"             [-r | -j | -M] [FILE...]\n"
	"       kcoll --minima=FILE [--align] [--rank-column=COL] [--sync=KIND,...] [FILE...]",
	"Print which rank is late in collectives, and how long the others wait for it.", opts,
	sizeof opts / sizeof *opts};

/* --- a source --------------------------------------------------------------- */

static void sum_too_large(struct state *st)
{
	kev_die(&st->out, st->in.file, 0, "a sum is too large");
}

/* Without --rank-column all rows of a source are of one rank. */
static void number_rows(struct state *st)
{
	if (st->rows.rank_column.n)
		return;
	if (!collsource_number(&st->source, st->write_partial || st->align))
		kev_die_misuse(&st->out, collsource_who(&st->source, st->in.file), 0,
		               "its rank is unknown; give it with --rank=N of trace2tsv or csv2tsv");
	for (size_t i = 0; i < st->rows.count; i++)
		st->rows.row[i].rank = st->source.rank;
}

static void take_source(struct state *st)
{
	if (!st->each_row)
		number_rows(st);
	if (!collrows_settle(&st->rows, st->source.world))
		sum_too_large(st);
	if (st->align && !collminima_clocks(&st->minima, &st->rows, &st->out))
		sum_too_large(st);
	if (st->each_row)
		collminima_write(&st->minima, &st->rows, &st->out);
	if (!st->minima_file && !collrows_merge(&st->rows))
		sum_too_large(st);
}

static void end_source(struct state *st)
{
	if (st->source.any && !st->merge)
		take_source(st);
	collrows_clear(&st->rows);
	collsource_end(&st->source);
}

/* After ksort, say, the rows of all sources look like rows of one source. */
static void end_file(struct state *st)
{
	bool by_source = st->rows.rank_column.n == 0;

	if (by_source)
		end_source(st);
	if (!collsource_end_file(&st->source) && by_source)
		kev_die_misuse(
			&st->out, collsource_who(&st->source, "-"), 0,
			"a source has no rows, so those of another in this file may be of both; give the "
			"rank as a column, and --rank-column");
	st->source.name.len = 0;
}

/* Called for each item: another file is another source. */
static void look_at_file(struct state *st)
{
	if (st->operand == st->in.operand)
		return;
	end_file(st);
	st->operand = st->in.operand;
}

/* --- the items of the stream ------------------------------------------------ */

static void source_line(struct state *st)
{
	if (st->rows.rank_column.n == 0 && collsource_is_over(&st->source))
		end_source(st);
	collsource_name(&st->source, st->in.value);
}

static void metadata(struct state *st)
{
	struct str key = st->in.key;

	look_at_file(st);
	if (st->check_ranks)
		ranks_item(&st->ranks, &st->in, KEV_META);
	collrows_metadata(&st->rows, &st->in);
	if (str_equal(key, STR("source")) && !st->merge)
		source_line(st);
	else if (str_equal(key, STR("rank")) && !st->merge && st->rows.rank_column.n == 0)
		collsource_rank(&st->source, &st->in);
	else if (str_equal(key, STR("worldSize")))
		collsource_world(&st->source, st->in.value);
	if (str_equal(key, STR("damaged")) && st->form != FORM_TSV)
		damage_note(&st->damages, NULL, &st->in);
	if (st->each_row) {
		kev_pass_meta(&st->out, &st->in);
		return;
	}
	if ((st->check_ranks && ranks_takes(&st->in)) || partial_metadata(&st->heads, &st->in) ||
	    str_equal(key, STR("thread")) || str_equal(key, STR("process")) ||
	    str_equal(key, STR("unmatched")))
		return;
	kev_pass_meta(&st->out, &st->in);
}

static void columns(struct state *st)
{
	look_at_file(st);
	if (st->check_ranks)
		ranks_item(&st->ranks, &st->in, KEV_COLUMNS);
	st->source.any = true;
	if (st->merge) {
		colltable_layout(&st->table, &st->in);
		return;
	}
	if (colltable_is_layout(&st->in)) {
		kev_misuse(&st->in, "this is a partial table, not a stream of rows; read it with -m");
		return;
	}
	collrows_columns(&st->rows, &st->in);
	if (st->each_row)
		collminima_columns(&st->minima, &st->in);
}

static void take_row(struct state *st)
{
	static const enum reason dropped[] = {[COLLROWS_HOST] = HOST,
	                                      [COLLROWS_OTHER] = OTHER,
	                                      [COLLROWS_SHADOW] = SHADOW,
	                                      [COLLROWS_NO_TIME] = NO_TIME};
	struct kev_reader *in = &st->in;
	struct str dur = in->field[st->rows.column[COLLROWS_DUR]];
	enum collrows_answer answer;

	if (strcmp(kev_unit(in), "cycles") == 0)
		kev_misuse(in, "the times are cycles; kcoll needs us");
	balance_in(&st->balance, dur);
	answer = collrows_add(&st->rows, in);
	if (in->error[0])
		return;
	if (answer == COLLROWS_HELD) {
		balance_out(&st->balance, dur);
		if (st->each_row)
			collminima_hold(&st->minima, in);
		return;
	}
	balance_drop(&st->balance, dropped[answer], dur);
	if (answer == COLLROWS_HOST || answer == COLLROWS_OTHER)
		kinds_skip(&st->rows.kinds, in);
	if (answer == COLLROWS_NO_TIME && st->opts.strict)
		kev_error(in, "a collective without ts or dur, or with a dur below 0");
}

static void row(struct state *st)
{
	look_at_file(st);
	st->source.any = true;
	st->source.rows = true;
	if (!st->merge) {
		take_row(st);
		return;
	}
	balance_in(&st->balance, STR(""));
	balance_out(&st->balance, STR(""));
	colltable_row(&st->table, &st->in);
}

/* --- --minima --------------------------------------------------------------- */

/* Reads the merged partial. */
static void read_minima(struct state *st)
{
	char *path = mem_string(st->minima_file, strlen(st->minima_file));
	struct opts minima = st->opts;
	struct kev_reader in;
	enum kev_item item;

	minima.operands = &path;
	minima.operands_count = 1;
	kev_open(&in, &minima);
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_COLUMNS)
			colltable_layout(&st->table, &in);
		else if (item == KEV_ROW)
			colltable_row(&st->table, &in);
		else if (str_equal(in.key, STR("damaged")))
			kev_pass_meta(&st->out, &in);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, &in);
	kev_close(&in);
	free(path);
	if (!collmatch_run(&st->match))
		sum_too_large(st);
}

/* --- the end ---------------------------------------------------------------- */

/* There is nothing to answer; what the input has instead. */
static void explain_nothing(struct state *st)
{
	st->text.len = 0;
	kinds_skipped(&st->rows.kinds, &st->text);
	warn("the input has no collectives%.*s", (int)st->text.len, st->text.len ? st->text.data : "");
	if (!st->write_partial)
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void warn_of_groups(const struct collmatch *match)
{
	uint64_t unsized = 0;
	uint64_t guessed = 0;

	for (size_t i = 0; i < match->table->groups.count * COLLBYS; i++) {
		unsized += match->group[i].unsized && match->group[i].seen > 1;
		guessed += match->group[i].guessed;
	}
	if (unsized)
		warn("groups whose size is unknown, so the ranks that have rows are all: %" PRIu64,
		     unsized);
	if (guessed)
		warn("groups without numbers, whose ends do not show that all ranks begin with the same "
		     "collective: %" PRIu64,
		     guessed);
}

/* False if a sum is too large. */
static bool write_tables(struct state *st, struct jsonw *json)
{
	bool partly = false;
	bool good;

	collsheet_report(&st->match, &st->out);
	partial_write_vias(&st->heads, &st->out);
	if (st->by_rank)
		good = collsheet_ranks(&st->match, &st->out, st->form, json, &partly);
	else
		good = collsheet_kinds(&st->match, &st->out, st->form, json);
	if (good && st->form != FORM_TSV)
		collsheet_unmatched(&st->match, &st->out, st->form, json);
	if (good && partly)
		warn("the wait of a rank is unknown if a collective of its groups is not matched%s",
		     collsheet_knows_rows(&st->match) ? "; --minima has that of each row" : "");
	return good;
}

static void write_answer(struct state *st)
{
	struct jsonw json = {.out = &st->out.out.buf};

	if (!collmatch_run(&st->match))
		sum_too_large(st);
	warn_of_groups(&st->match);
	if (st->form == FORM_JSON) {
		jsonw_object(&json, NULL);
		jsonw_text(&json, "unit", str_of(kev_unit(&st->in)));
	}
	if (!write_tables(st, &json))
		sum_too_large(st);
	damage_end_answer(&st->damages, st->form, &st->out.out, &json);
	if (st->match.waiting && st->match.whole == 0)
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

static void finish(struct state *st)
{
	uint64_t untimed = st->balance.dropped[NO_TIME].rows;

	end_file(st);
	if (st->rows.rank_column.n)
		end_source(st);
	if (untimed)
		warn("collectives without ts or dur, or with a dur below 0, not counted: %" PRIu64,
		     untimed);
	if (st->source.without && st->source.with_rank)
		kev_die_misuse(
			&st->out, "ranks", 0,
			"some inputs have a rank and some have none; give it with --rank=N of trace2tsv");
	if (st->source.without > 1)
		warn("the inputs have no ##rank; they count as ranks 0, 1, 2 and so on, in their order");
	if (st->check_ranks && !ranks_report(&st->ranks, &st->out))
		kev_die_misuse(&st->out, "ranks", 0,
		               "no input has a ##worldSize line; list the ranks, as in --ranks=0-7");
	if (st->minima_file ? st->balance.out.rows == 0 : st->table.keys.count == 0)
		explain_nothing(st);
	if (st->minima.lost)
		warn("rows of collectives that are not matched in %s: %" PRIu64 " of %" PRIu64,
		     st->minima_file, st->minima.lost, st->minima.lost + st->minima.found);
	if (st->minima.lost && !st->minima.found)
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	if (st->write_partial) {
		partial_write_vias(&st->heads, &st->out);
		colltable_write(&st->table, &st->out);
	} else if (!st->minima_file) {
		write_answer(st);
	}
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
}

/* --- options ---------------------------------------------------------------- */

static void take_sync(struct state *st)
{
	struct words kinds = {0};
	enum collkind kind;

	opts_words(&st->opts, &kinds);
	for (size_t i = 0; i < kinds.count; i++) {
		if (!collkind_parse(kinds.item[i], &kind))
			opts_fail("--sync: '%s' is not a kind of collectives, such as broadcast",
			          kinds.item[i].s);
		st->waits[kind] = true;
	}
	words_free(&kinds);
}

static void take_option(struct state *st, int letter)
{
	switch (letter) {
	case 'p':
		st->write_partial = true;
		break;
	case 'm':
		st->merge = true;
		break;
	case RANKS:
		st->check_ranks = true;
		if (st->opts.arg && !ranks_want(&st->ranks, st->opts.arg))
			opts_fail("--ranks: '%s' is not a list of ranks, such as 0-7,9", st->opts.arg);
		break;
	case BY_RANK:
		st->by_rank = true;
		break;
	case MINIMA:
		st->minima_file = st->opts.arg;
		break;
	case ALIGN:
		st->align = true;
		break;
	case RANK_COLUMN:
		st->rows.rank_column = str_of(st->opts.arg);
		break;
	case SYNC:
		take_sync(st);
		break;
	default:
		opts_form(letter, &st->form);
	}
}

static void check_options(const struct state *st)
{
	if (st->write_partial && (st->by_rank || st->form != FORM_TSV))
		opts_fail("-p writes a partial; leave out --by-rank, -r, -j and -M");
	if (st->minima_file &&
	    (st->write_partial || st->merge || st->by_rank || st->form != FORM_TSV || st->check_ranks))
		opts_fail("--minima writes rows; leave out -p, -m, --ranks, --by-rank, -r, -j and -M");
	if (st->align && !st->minima_file)
		opts_fail("--align needs --minima=FILE, a merged partial");
	if (st->merge && st->rows.rank_column.n)
		opts_fail("--rank-column and -m exclude each other: a partial has its ranks");
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;
	int letter;

	for (int i = 0; i < COLLKINDS; i++)
		st.waits[i] = collkind_waits((enum collkind)i);
	st.rows.table = &st.table;
	st.match = (struct collmatch){.table = &st.table, .waits = st.waits};
	st.minima = (struct collminima){.table = &st.table, .waits = st.waits};
	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0)
		take_option(&st, letter);
	check_options(&st);
	st.each_row = st.minima_file && !st.align;
	st.opts.no_head |= st.form != FORM_TSV;
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	if (st.minima_file)
		read_minima(&st);
	kev_open(&st.in, &st.opts);
	st.in.one_unit = true;
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
	colltable_free(&st.table);
	collrows_free(&st.rows);
	collmatch_free(&st.match);
	collminima_free(&st.minima);
	collsource_free(&st.source);
	partial_free(&st.heads);
	ranks_free(&st.ranks);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
