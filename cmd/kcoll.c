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

#include "base/mem.h"
#include "coll/collalign.h"
#include "coll/collmatch.h"
#include "coll/collrows.h"
#include "coll/collsheet.h"
#include "compare/side.h"
#include "stream/balance.h"
#include "stream/partial.h"
#include "stream/ranks.h"

enum reason { HOST, OTHER, SHADOW, NO_TIME, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[OTHER] = "not a collective",
	[SHADOW] = "of a collective on the AI CPU",
	[NO_TIME] = "without ts or dur, or with a dur below 0",
};
BALANCE_FITS(reasons);

/* The rows between two ##source lines or files. */
struct source {
	bool any; /* something was read of it */
	bool ranked;
	uint64_t rank;
	uint64_t world; /* 0: unknown */
	struct buf name;
	bool named; /* by a ##source line, */
	bool rows;  /* it has rows */
	/* Of the file: */
	bool empty; /* a source has no rows, */
	bool other; /* and another has some */
};

/* A row that waits for --minima, with the number of its layout and its place in texts. */
struct waiting {
	size_t layout;
	size_t text;
	size_t length;
};

struct state {
	struct opts opts;
	bool write_partial;
	bool merge;
	bool check_ranks;
	bool by_rank;
	const char *minima;
	bool align;
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
	struct source source;
	int operand;
	uint64_t ranked; /* sources that have a rank, and those that have none */
	uint64_t unranked;
	struct buf damages;
	uint64_t reference; /* --align: the lowest rank; UINT64_MAX: there is none */
	/* --minima */
	uint64_t found; /* rows that wait and are matched, and those that are not */
	uint64_t lost;
	struct strmap layouts;
	size_t layout;
	struct waiting *waiting;
	size_t waiting_count;
	size_t waiting_cap;
	struct buf texts;
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

/* --- the rows of a source --------------------------------------------------- */

static void sum_too_large(struct state *st)
{
	kev_die(&st->out, st->in.file, 0, "a sum is too large");
}

/* A collective is found by its number, but its wait needs all ranks, or some if it has a number. */
static const struct coll *find_coll(struct state *st, const struct collrows_row *row)
{
	struct coll like;
	struct str id;
	size_t at;

	if (row->joined || !st->waits[row->kind])
		return NULL;
	collrows_part(&st->rows, row, &like, &id);
	at = colltable_find(&st->table, &like, id);
	if (at == STRMAP_NONE || st->table.coll[at].state == COLLSTATE_UNMATCHED) {
		st->lost++;
		return NULL;
	}
	st->found++;
	return &st->table.coll[at];
}

static bool wait_of(struct state *st, const struct collrows_row *row, struct dec *wait)
{
	const struct coll *coll = find_coll(st, row);

	*wait = row->end;
	return coll && dec_subtract(wait, row->ts) && dec_subtract(wait, coll->min);
}

/* Writes the held rows as they came. */
static void write_waiting(struct state *st)
{
	size_t *at = mem_alloc(st->rows.count, sizeof *at); /* by number: the place in row[] */

	for (size_t i = 0; i < st->rows.count; i++)
		at[st->rows.row[i].number] = i;
	for (size_t i = 0; i < st->rows.count; i++) {
		const struct waiting *waiting = &st->waiting[i];
		const struct collrows_row *row = &st->rows.row[at[i]];
		struct dec wait;

		kev_columns_of(&st->out, strmap_key(&st->layouts, waiting->layout));
		kev_field_raw(&st->out, (struct str){st->texts.data + waiting->text, waiting->length});
		kev_field_raw(&st->out, str_of(collkind_names[row->kind]));
		if (wait_of(st, row, &wait))
			kev_field_dec(&st->out, wait);
		else
			kev_field_raw(&st->out, STR(""));
		kev_row_end(&st->out);
	}
	free(at);
	st->waiting_count = 0;
	st->texts.len = 0;
}

static void wait_row(struct state *st)
{
	struct waiting *waiting;

	st->waiting =
		mem_grow(st->waiting, &st->waiting_cap, st->waiting_count + 1, sizeof *st->waiting);
	waiting = &st->waiting[st->waiting_count++];
	*waiting = (struct waiting){.layout = st->layout, .text = st->texts.len};
	for (size_t i = 0; i < st->in.columns_count; i++) {
		if (i)
			buf_char(&st->texts, '\t');
		buf_str(&st->texts, st->in.field[i]);
	}
	waiting->length = st->texts.len - waiting->text;
}

/* --- --align ---------------------------------------------------------------- */

/* The lowest rank of all that wait: its clock is the one to compare with. */
static void find_reference(struct state *st)
{
	st->reference = UINT64_MAX;
	for (size_t i = 0; i < st->table.keys.count; i++)
		if (st->waits[st->table.coll[i].kind] && st->table.coll[i].low_rank < st->reference)
			st->reference = st->table.coll[i].low_rank;
}

/* The end of a row and that of its collective on the reference. */
static bool point_of(struct state *st, const struct collrows_row *row,
                     struct collalign_point *point)
{
	const struct coll *coll = find_coll(st, row);

	if (!coll || coll->low_rank != st->reference)
		return false;
	*point = (struct collalign_point){row->end, row->end};
	if (!dec_subtract(&point->offset, coll->end_low))
		sum_too_large(st);
	return true;
}

static void write_clock(struct state *st, uint64_t rank, struct collalign_point *points,
                        size_t count)
{
	static const char *const names[] = {"rank", "collectives", "offset", "drift"};
	struct str columns[4];
	struct collalign align;

	for (size_t i = 0; i < 4; i++)
		columns[i] = str_of(names[i]);
	kev_columns(&st->out, columns, 4);
	kev_field_count(&st->out, rank);
	kev_field_count(&st->out, count);
	st->text.len = 0;
	if (count == 0) {
		kev_field_raw(&st->out, STR(""));
	} else {
		if (!collalign_measure(points, count, &align))
			sum_too_large(st);
		kev_field_dec(&st->out, align.offset);
		if (align.time.nano > 0)
			dec_quotient(&st->text, align.change, align.time, 6);
	}
	kev_field_raw(&st->out, buf_view(&st->text));
	kev_row_end(&st->out);
}

/* A row for each rank of the source: settled rows are in the order of ranks. */
static void write_clocks(struct state *st)
{
	struct collalign_point *points = mem_alloc(st->rows.count, sizeof *points);
	size_t count = 0;

	for (size_t i = 0; i < st->rows.count; i++) {
		uint64_t rank = st->rows.row[i].rank;

		count += point_of(st, &st->rows.row[i], &points[count]);
		if (i + 1 < st->rows.count && st->rows.row[i + 1].rank == rank)
			continue;
		write_clock(st, rank, points, count);
		count = 0;
	}
	free(points);
}

/* --- the end of a source ------------------------------------------------------ */

/* The rank of a source that names none, or an error. */
static void number_source(struct state *st)
{
	struct source *source = &st->source;

	if (source->ranked) {
		st->ranked++;
	} else if (st->write_partial || st->align) {
		kev_die(&st->out, source->name.len ? source->name.data : st->in.file, 0,
		        "its rank is unknown; give it with --rank=N of trace2tsv or csv2tsv");
	} else {
		source->rank = st->unranked++;
	}
	for (size_t i = 0; i < st->rows.count; i++)
		st->rows.row[i].rank = source->rank;
}

static void settle(struct state *st)
{
	if (!collrows_settle(&st->rows, st->source.world))
		sum_too_large(st);
}

static void end_source(struct state *st)
{
	st->source.empty |= st->source.named && !st->source.rows;
	st->source.other |= st->source.rows;
	if (st->merge)
		return;
	if (st->source.any && st->align) {
		if (st->rows.rank_column.n == 0)
			number_source(st);
		settle(st);
		write_clocks(st);
	} else if (st->source.any && st->minima) {
		settle(st);
		write_waiting(st);
	} else if (st->source.any) {
		if (st->rows.rank_column.n == 0)
			number_source(st);
		settle(st);
		if (!collrows_merge(&st->rows))
			sum_too_large(st);
	}
	collrows_clear(&st->rows);
	st->source.any = false;
	st->source.named = false;
	st->source.rows = false;
	st->source.ranked = false;
	st->source.world = 0;
}

/* After ksort, say, the rows of all sources are those of one. */
static void end_file(struct state *st)
{
	if (st->rows.rank_column.n == 0)
		end_source(st);
	if (st->source.empty && st->source.other && st->rows.rank_column.n == 0 && !st->merge)
		kev_die(&st->out, st->source.name.len ? st->source.name.data : "-", 0,
		        "a source has no rows, so those of another in this file may be of both; give the "
		        "rank as a column, and --rank-column");
	st->source.empty = false;
	st->source.other = false;
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

static void take_rank(struct state *st)
{
	char text[QUOTE_MAX];

	if (!str_whole(st->in.value, &st->source.rank) || st->source.rank == UINT64_MAX)
		kev_error(&st->in, "##rank: %s is not a rank", quote(text, st->in.value.s, st->in.value.n));
	st->source.ranked = true;
	st->source.any = true;
}

static void source_line(struct state *st)
{
	/* A ##source line names the file that has begun. */
	if (st->rows.rank_column.n == 0 && (st->source.named || st->source.rows))
		end_source(st);
	st->source.named = true;
	st->source.any = true;
	st->source.name.len = 0;
	tsv_unescape(&st->source.name, st->in.value);
	buf_char(&st->source.name, '\0');
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
		take_rank(st);
	else if (str_equal(key, STR("worldSize")) && !str_whole(st->in.value, &st->source.world))
		st->source.world = 0;
	if (str_equal(key, STR("damaged")) && st->form != FORM_TSV)
		side_note_damage(&st->damages, NULL, &st->in);
	if (st->minima && !st->align) {
		kev_pass_meta(&st->out, &st->in);
		return;
	}
	if (partial_metadata(&st->heads, &st->in) || str_equal(key, STR("thread")) ||
	    str_equal(key, STR("process")) || str_equal(key, STR("unmatched")))
		return;
	kev_pass_meta(&st->out, &st->in);
}

/* The layout of the output of --minima: that of the input, with two columns more. */
static void set_layout(struct state *st)
{
	static const char *const added[] = {"kind", "wait"};

	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		if (kev_column(&st->in, str_of(added[i])) != KEV_NONE)
			kev_error(&st->in, "--minima: the stream has a column '%s' already", added[i]);
	kev_layout(&st->in, &st->text);
	buf_text(&st->text, "\tkind\twait");
	st->layout = strmap_add(&st->layouts, buf_view(&st->text), NULL);
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
		kev_error(&st->in, "this is a partial table, not a stream of rows; read it with -m");
		return;
	}
	collrows_columns(&st->rows, &st->in);
	if (st->minima && !st->align)
		set_layout(st);
}

static void take_row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str dur = in->field[st->rows.column[COLLROWS_DUR]];
	enum collrows_answer answer;

	if (strcmp(kev_unit(in), "cycles") == 0)
		kev_error(in, "the times are cycles; kcoll needs us");
	balance_in(&st->balance, dur);
	answer = collrows_add(&st->rows, in);
	if (in->error[0])
		return;
	switch (answer) {
	case COLLROWS_HELD:
		balance_out(&st->balance, dur);
		if (st->minima && !st->align)
			wait_row(st);
		return;
	case COLLROWS_HOST:
		balance_drop(&st->balance, HOST, dur);
		kinds_skip(&st->rows.kinds, in);
		return;
	case COLLROWS_OTHER:
		balance_drop(&st->balance, OTHER, dur);
		kinds_skip(&st->rows.kinds, in);
		return;
	case COLLROWS_SHADOW:
		balance_drop(&st->balance, SHADOW, dur);
		return;
	case COLLROWS_NO_TIME:
		balance_drop(&st->balance, NO_TIME, dur);
		if (st->opts.strict)
			kev_error(in, "a collective without ts or dur, or with a dur below 0");
		return;
	}
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
	char *path = mem_string(st->minima, strlen(st->minima));
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
	find_reference(st);
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

static void warn_of_groups(const struct state *st)
{
	uint64_t unsized = 0;
	uint64_t guessed = 0;

	for (size_t i = 0; i < st->table.groups.count * COLLBYS; i++) {
		unsized += st->match.group[i].unsized && st->match.group[i].seen > 1;
		guessed += st->match.group[i].guessed;
	}
	if (unsized)
		warn("groups whose size is unknown, so the ranks that have rows are all: %" PRIu64,
		     unsized);
	if (guessed)
		warn("groups without numbers, whose ends do not show that all ranks begin with the same "
		     "collective: %" PRIu64,
		     guessed);
}

static void write_tables(struct state *st, struct jsonw *json)
{
	bool partly = false;
	bool good;

	collsheet_report(&st->match, &st->out);
	partial_write_vias(&st->heads, &st->out);
	if (st->by_rank)
		good = collsheet_ranks(&st->match, &st->out, st->form, json, &partly);
	else
		good = collsheet_kinds(&st->match, &st->out, st->form, json);
	if (!good)
		sum_too_large(st);
	if (st->form != FORM_TSV)
		collsheet_unmatched(&st->match, &st->out, st->form, json);
	if (partly)
		warn("the wait of a rank is unknown if a collective of its groups is not matched; "
		     "--minima has that of each row");
}

static void write_answer(struct state *st)
{
	struct jsonw json = {.out = &st->out.out.buf};

	if (!collmatch_run(&st->match))
		sum_too_large(st);
	warn_of_groups(st);
	if (st->form == FORM_JSON) {
		jsonw_object(&json, NULL);
		jsonw_text(&json, "unit", str_of(kev_unit(&st->in)));
	}
	write_tables(st, &json);
	if (st->form == FORM_JSON) {
		side_damages_json(&json, &st->damages);
		jsonw_end_object(&json);
	} else if (st->form == FORM_MARKDOWN) {
		side_damages_markdown(&st->out.out, &st->damages);
	} else if (st->form == FORM_REPORT) {
		side_damages_report(&st->out.out, &st->damages);
	}
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
	if (st->unranked && st->ranked)
		kev_die(&st->out, "ranks", 0,
		        "some inputs have a rank and some have none; give it with --rank=N of trace2tsv");
	if (st->unranked > 1)
		warn("the inputs have no ##rank; they count as ranks 0, 1, 2 and so on, in their order");
	if (st->check_ranks && !ranks_report(&st->ranks, &st->out))
		kev_die(&st->out, "ranks", 0,
		        "no input has a ##worldSize line; list the ranks, as in --ranks=0-7");
	if (st->minima ? st->balance.out.rows == 0 : st->table.keys.count == 0)
		explain_nothing(st);
	if (st->lost)
		warn("rows of collectives that are not matched in %s: %" PRIu64 " of %" PRIu64, st->minima,
		     st->lost, st->lost + st->found);
	if (st->lost && !st->found)
		st->out.status = status_worse(st->out.status, STATUS_LIMIT);
	if (st->write_partial) {
		partial_write_vias(&st->heads, &st->out);
		colltable_write(&st->table, &st->out);
	} else if (!st->minima) {
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
		st->minima = st->opts.arg;
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
	if (st->minima &&
	    (st->write_partial || st->merge || st->by_rank || st->form != FORM_TSV || st->check_ranks))
		opts_fail("--minima writes rows; leave out -p, -m, --ranks, --by-rank, -r, -j and -M");
	if (st->align && !st->minima)
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
	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0)
		take_option(&st, letter);
	check_options(&st);
	st.opts.no_head |= st.form != FORM_TSV;
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	if (st.minima)
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
	partial_free(&st.heads);
	ranks_free(&st.ranks);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
