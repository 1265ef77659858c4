/*
 * hcomdedup - keep one row for each collective of an Ascend profile.
 *
 *	#ts	dur	type	name	cat	ph	pid	tid	source
 *	100.25	40	hcom_allReduce_	ar	COMMUNICATION	X	0	N/A
 *	100.5	44	hcom_allReduce_	ar	COMMUNICATION	X	0	46
 * gives the second row: both have one integer microsecond, type and device, and it is longer.
 *
 * Memory grows with the distinct collectives of a file; with -s, with the rows of one microsecond.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "kernel/collective.h"
#include "stream/balance.h"
#include "stream/kev.h"

/* What becomes of a row. All but the first are reasons to drop it; --dropped swaps the two. */
enum fate { KEPT, DUPLICATE, AICPU, NO_TS, FATES };

static const char *const reasons[FATES] = {
	[KEPT] = "kept without --dropped",
	[DUPLICATE] = "the same collective again",
	[AICPU] = "AicpuKernel",
	[NO_TS] = "a collective without ts",
};
BALANCE_FITS(reasons);

/* A row that waits for a longer record of its collective, or for a row before it. */
struct held {
	struct buf line;
	struct str dur; /* in line */
	size_t layout;
	struct collective record;
	enum fate fate;
};

struct state {
	struct opts opts;
	bool aicpu;   /* --aicpu */
	bool dropped; /* --dropped */
	bool sorted;  /* -s */
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct collective_columns at;
	struct strmap layouts; /* the layouts of the rows, as kev_layout gives them */
	size_t layout;         /* layout of the input, by number in layouts */
	size_t out_layout;     /* layout of the output */
	size_t place;          /* source of the held rows, as kev_reader.place */
	struct held *held;     /* in the order of the output */
	size_t held_count;
	size_t held_cap;
	struct strmap keys; /* keys of the collectives that wait */
	size_t *longest;    /* by number in keys: the held row that is the longest record so far */
	size_t longest_cap;
	bool any_ts;        /* -s: a row had a ts */
	struct dec last_ts; /* ts of the last such row */
	struct dec last_us; /* the integer part of last_ts */
	uint64_t no_ts;
	bool rows; /* there were some */
	struct buf scratch;
};

enum { KEEP_AICPU = OPT_LONG, DROPPED };

static const struct opt opts[] = {
	{KEEP_AICPU, "aicpu", NULL, "keep the *AicpuKernel rows, shadows of collectives on the AI CPU"},
	{DROPPED, "dropped", NULL, "write the dropped rows instead of the kept ones"},
	{'s', "sorted", NULL, "read input sorted by ts: keep its order, in little memory"},
};

static const struct opt_usage usage = {"[--aicpu] [--dropped] [-s] [FILE...]",
                                       "Keep one row for each collective of an Ascend profile.",
                                       opts, sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

static void put_layout(struct state *st, size_t layout)
{
	if (layout != st->out_layout)
		kev_columns_of(&st->out, strmap_key(&st->layouts, layout));
	st->out_layout = layout;
}

static void columns(struct state *st)
{
	if (!collective_find(&st->at, &st->in))
		return;
	kev_layout(&st->in, &st->scratch);
	st->layout = strmap_add(&st->layouts, buf_view(&st->scratch), NULL);
	/* At once, so that the next program fails early, unless rows of another layout come first. */
	if (!st->sorted || st->held_count == 0)
		put_layout(st, st->layout);
}

/* --- rows ---------------------------------------------------------------- */

/* Counts a row and, if it is to be written, makes its layout the layout of the output. */
static bool decide(struct state *st, struct str dur, size_t layout, enum fate fate)
{
	if ((fate == KEPT) == st->dropped) {
		balance_drop(&st->balance, fate, dur);
		return false;
	}
	put_layout(st, layout);
	balance_out(&st->balance, dur);
	return true;
}

static void put_row(struct state *st, enum fate fate)
{
	if (decide(st, st->in.field[st->at.dur], st->layout, fate))
		kev_pass_row(&st->out, &st->in);
}

static void put_held(struct state *st, const struct held *held, enum fate fate)
{
	if (!decide(st, held->dur, held->layout, fate))
		return;
	kev_field_raw(&st->out, buf_view(&held->line));
	kev_row_end(&st->out);
}

static void set_held(struct state *st, struct held *held, const struct collective *record)
{
	struct str line = st->in.tsv.text;
	struct str dur = st->in.field[st->at.dur];

	held->line.len = 0;
	buf_str(&held->line, line);
	held->dur = (struct str){held->line.data + (dur.s - line.s), dur.n};
	held->layout = st->layout;
	held->record = *record;
}

static void hold(struct state *st, const struct collective *record, enum fate fate)
{
	size_t cap = st->held_cap;

	st->held = mem_grow(st->held, &st->held_cap, st->held_count + 1, sizeof *st->held);
	while (cap < st->held_cap)
		st->held[cap++] = (struct held){0};
	set_held(st, &st->held[st->held_count], record);
	st->held[st->held_count++].fate = fate;
}

static void release(struct state *st)
{
	for (size_t i = 0; i < st->held_count; i++)
		put_held(st, &st->held[i], st->held[i].fate);
	st->held_count = 0;
	strmap_clear(&st->keys);
}

/* A row of known fate; -s keeps the order, so that it waits if another one does. */
static void pass(struct state *st, const struct collective *record, enum fate fate)
{
	if (st->sorted && st->held_count)
		hold(st, record, fate);
	else
		put_row(st, fate);
}

/* Another record of a collective that waits. */
static void compare(struct state *st, const struct collective *record, size_t *longest)
{
	struct held *held = &st->held[*longest];
	bool longer = collective_is_longer(record, &held->record);

	if (st->sorted) {
		if (longer) {
			held->fate = DUPLICATE;
			*longest = st->held_count;
		}
		hold(st, record, longer ? KEPT : DUPLICATE);
	} else if (longer) {
		put_held(st, held, DUPLICATE);
		set_held(st, held, record);
	} else {
		put_row(st, DUPLICATE);
	}
}

static void collective(struct state *st, const struct collective *record)
{
	bool new;
	size_t key = strmap_add(&st->keys, collective_key(&st->at, &st->in, &st->scratch), &new);

	st->longest = mem_grow(st->longest, &st->longest_cap, key + 1, sizeof *st->longest);
	if (new) {
		st->longest[key] = st->held_count;
		hold(st, record, KEPT);
	} else {
		compare(st, record, &st->longest[key]);
	}
}

/* -s: the rows of a microsecond are complete when the next one begins. */
static void check_order(struct state *st, struct dec ts)
{
	struct str text = st->in.field[st->at.ts];
	char found[QUOTE_MAX];
	struct dec us = {0};

	if (st->any_ts && dec_compare(ts, st->last_ts) < 0) {
		kev_misuse(&st->in, "ts: %s comes after a larger one; -s needs input sorted by ts",
		           quote(found, text.s, text.n));
		return;
	}
	dec_whole(text, &us);
	if (st->any_ts && dec_compare(us, st->last_us) != 0)
		release(st);
	st->any_ts = true;
	st->last_ts = ts;
	st->last_us = us;
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct collective record;

	collective_read(&record, &st->at, in);
	if (st->sorted && record.has_ts && !in->error[0])
		check_order(st, record.ts);
	if (record.kind == COLLECTIVE_NO_TS && st->opts.strict && !in->error[0])
		kev_error(in, "a collective without ts");
	if (in->error[0])
		return;
	st->rows = true;
	balance_in(&st->balance, in->field[st->at.dur]);
	switch (record.kind) {
	case COLLECTIVE_KERNEL:
		pass(st, &record, KEPT);
		break;
	case COLLECTIVE_RECORD:
		collective(st, &record);
		break;
	case COLLECTIVE_NO_TS:
		st->no_ts++;
		pass(st, &record, NO_TS);
		break;
	case COLLECTIVE_AICPU:
		pass(st, &record, st->aicpu ? KEPT : AICPU);
		break;
	}
}

/* Collectives of one source have no records in another. */
static void follow_source(struct state *st)
{
	if (st->place != st->in.place)
		release(st);
	st->place = st->in.place;
}

static void finish(struct state *st)
{
	release(st);
	if (!st->rows)
		warn("the input has no rows");
	if (st->no_ts)
		warn("collectives without ts, dropped: %llu", (unsigned long long)st->no_ts);
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = FATES},
	                   .out_layout = STRMAP_NONE};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		st.aicpu |= letter == KEEP_AICPU;
		st.dropped |= letter == DROPPED;
		st.sorted |= letter == 's';
	}
	st.balance.on = st.opts.verbose;

	kev_open(&st.in, &st.opts);
	st.in.by_source = true;
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		follow_source(&st);
		if (item == KEV_META)
			kev_pass_meta(&st.out, &st.in);
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
