/*
 * hcomdedup - one row for each collective of an Ascend profile.
 *
 *	#ts	dur	type	name	cat	ph	pid	tid	source
 *	100.25	40	hcom_allReduce_	ar	COMMUNICATION	X	0	N/A
 *	100.5	44	hcom_allReduce_	ar	COMMUNICATION	X	0	46
 * gives the second row: same integer microsecond, same type, same device, and
 * the longer of the two.
 *
 * Memory grows with the distinct collectives; with -s it is the rows of one
 * microsecond.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "kernel/collective.h"
#include "kernel/kernel.h"
#include "stream/balance.h"
#include "stream/kev.h"

enum reason { DUPLICATE, AICPU, NO_TS, KEPT, REASONS };

static const char *const reasons[REASONS] = {
	[DUPLICATE] = "the same collective again",
	[AICPU] = "AicpuKernel",
	[NO_TS] = "a collective without ts",
	[KEPT] = "kept, for -d",
};

/* A row that waits: a longer record of its collective, or the next microsecond, may come. */
struct held {
	char *line;
	size_t room;
	size_t n;
	size_t dur_at; /* where in the line its dur stands */
	size_t dur_n;
	size_t layout;
	bool has_dur;
	struct dec dur;
	bool dropped; /* -s: it keeps its place until all of its microsecond go */
	enum reason reason;
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	bool aicpu;   /* -a */
	bool dropped; /* -d */
	bool sorted;  /* -s */
	struct collective_columns at;
	struct strmap keys;  /* of the collectives that wait */
	size_t *held_of_key; /* by number in keys: its longest record so far */
	size_t keys_cap;
	struct held *held; /* in the order they go out */
	size_t held_count;
	size_t held_cap;
	struct strmap layouts; /* the columns that rows came under: escaped, with tabs between */
	size_t layout;         /* of the input */
	size_t out_layout;
	bool started;       /* -s: a row with a ts has come */
	struct dec last_ts; /* of the last such row, */
	struct dec last_us; /* and its integer part */
	uint64_t no_ts;
	struct buf key;
	struct buf names;
};

static const struct opt opts[] = {
	{'a', "aicpu", NULL, "keep the *AicpuKernel rows, which shadow collectives on the AI CPU"},
	{'d', "dropped", NULL, "write the rows that are dropped instead of those that are kept"},
	{'s', "sorted", NULL, "the input is sorted by ts: keep its order, in little memory"},
};

static const struct opt_usage usage = {"[-a] [-d] [-s] [FILE...]",
                                       "One row for each collective of an Ascend profile.", opts,
                                       sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

static bool columns(struct state *st)
{
	kev_layout(&st->in, &st->names);
	st->layout = strmap_add(&st->layouts, buf_view(&st->names), NULL);
	return collective_find(&st->at, &st->in);
}

/* Rows of this layout come next. */
static void put_layout(struct state *st, size_t layout)
{
	if (layout != st->out_layout)
		kev_columns_of(&st->out, strmap_key(&st->layouts, layout));
	st->out_layout = layout;
}

/* --- rows ---------------------------------------------------------------- */

/* The row at hand goes: written, or counted as dropped. */
static void decide(struct state *st, bool dropped, enum reason reason)
{
	struct str dur = st->in.field[st->at.dur];

	if (dropped == st->dropped) {
		put_layout(st, st->layout);
		kev_pass_row(&st->out, &st->in);
		balance_out(&st->balance, dur);
	} else {
		balance_drop(&st->balance, dropped ? reason : KEPT, dur);
	}
}

/* The same for one that waited. */
static void decide_held(struct state *st, const struct held *held, bool dropped)
{
	struct str dur = {held->line + held->dur_at, held->dur_n};

	if (dropped == st->dropped) {
		put_layout(st, held->layout);
		kev_field_raw(&st->out, (struct str){held->line, held->n});
		kev_row_end(&st->out);
		balance_out(&st->balance, dur);
	} else {
		balance_drop(&st->balance, dropped ? held->reason : KEPT, dur);
	}
}

static void set_held(struct state *st, struct held *held, bool has_dur, struct dec dur)
{
	struct str line = st->in.tsv.text;

	held->line = mem_grow(held->line, &held->room, line.n + 1, 1);
	memcpy(held->line, line.s, line.n);
	held->n = line.n;
	held->dur_at = (size_t)(st->in.field[st->at.dur].s - line.s);
	held->dur_n = st->in.field[st->at.dur].n;
	held->layout = st->layout;
	held->has_dur = has_dur;
	held->dur = dur;
	held->dropped = false;
	held->reason = DUPLICATE;
}

static void hold(struct state *st, bool has_dur, struct dec dur)
{
	size_t cap = st->held_cap;

	st->held = mem_grow(st->held, &st->held_cap, st->held_count + 1, sizeof *st->held);
	for (; cap < st->held_cap; cap++)
		st->held[cap] = (struct held){0};
	set_held(st, &st->held[st->held_count++], has_dur, dur);
}

/* A row that is no collective goes at once, but not before those that wait. */
static void pass(struct state *st, bool has_dur, struct dec dur, bool dropped, enum reason reason)
{
	if (!st->sorted || st->held_count == 0) {
		decide(st, dropped, reason);
		return;
	}
	hold(st, has_dur, dur);
	st->held[st->held_count - 1].dropped = dropped;
	st->held[st->held_count - 1].reason = reason;
}

/* All that wait go, in their order. */
static void release(struct state *st)
{
	for (size_t i = 0; i < st->held_count; i++)
		decide_held(st, &st->held[i], st->held[i].dropped);
	st->held_count = 0;
	strmap_clear(&st->keys);
}

/* A record of a collective, its key in st->key: the first of the longest stays. */
static void collective(struct state *st, bool has_dur, struct dec dur)
{
	bool new;
	size_t key = strmap_add(&st->keys, buf_view(&st->key), &new);
	struct held *best;
	bool longer;

	st->held_of_key = mem_grow(st->held_of_key, &st->keys_cap, key + 1, sizeof *st->held_of_key);
	if (new) {
		st->held_of_key[key] = st->held_count;
		hold(st, has_dur, dur);
		return;
	}
	best = &st->held[st->held_of_key[key]];
	longer = has_dur && (!best->has_dur || dec_compare(dur, best->dur) > 0);
	if (st->sorted) {
		hold(st, has_dur, dur);
		best = &st->held[st->held_of_key[key]];
		if (longer)
			st->held_of_key[key] = st->held_count - 1;
		else
			best = &st->held[st->held_count - 1];
		best->dropped = true;
	} else if (longer) {
		decide_held(st, best, true);
		set_held(st, best, has_dur, dur);
	} else {
		decide(st, true, DUPLICATE);
	}
}

/* -s: what waits goes when the next microsecond begins. False where the order is wrong. */
static bool check_order(struct state *st, struct dec ts)
{
	struct str text = st->in.field[st->at.ts];
	char found[QUOTE_MAX];
	struct dec us = {0};

	if (st->started && dec_compare(ts, st->last_ts) < 0) {
		kev_error(&st->in, "ts: %s comes behind a larger one: -s wants input sorted by ts",
		          quote(found, text.s, text.n));
		return false;
	}
	dec_whole(text, &us);
	if (st->started && dec_compare(us, st->last_us) != 0)
		release(st);
	st->started = true;
	st->last_ts = ts;
	st->last_us = us;
	return true;
}

/* False on an error, said in st->in.error. */
static bool row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct dec ts = {0};
	struct dec dur = {0};
	bool has_ts = kev_number(in, st->at.ts, &ts);
	bool has_dur = kev_number(in, st->at.dur, &dur);
	enum kernel_kind kind = kernel_kind(in->field[st->at.type]);

	if (in->error[0] || (st->sorted && has_ts && !check_order(st, ts)))
		return false;
	balance_in(&st->balance, in->field[st->at.dur]);
	if (kind == KERNEL_AICPU && !st->aicpu) {
		pass(st, has_dur, dur, true, AICPU);
	} else if (kind == KERNEL_HCOM && !has_ts) {
		if (st->opts.strict) {
			kev_error(in, "ts: a collective without one");
			return false;
		}
		st->no_ts++;
		pass(st, has_dur, dur, true, NO_TS);
	} else if (kind == KERNEL_HCOM) {
		collective_key(&st->at, in, &st->key);
		collective(st, has_dur, dur);
	} else {
		pass(st, has_dur, dur, false, KEPT);
	}
	return true;
}

static void finish(struct state *st)
{
	release(st);
	if (st->no_ts)
		warn("collectives without ts, dropped: %llu", (unsigned long long)st->no_ts);
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS},
	                   .out_layout = STRMAP_NONE};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'a':
			st.aicpu = true;
			break;
		case 'd':
			st.dropped = true;
			break;
		case 's':
			st.sorted = true;
			break;
		}
	}
	st.balance.on = st.opts.verbose;

	kev_open(&st.in, st.opts.operands, st.opts.operands_count);
	st.in.one_unit = true;
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META) {
			kev_pass_meta(&st.out, &st.in);
		} else if (item == KEV_COLUMNS) {
			if (!columns(&st))
				kev_fail(&st.out, &st.in);
			if (!st.sorted || st.held_count == 0)
				put_layout(&st, st.layout);
		} else if (!row(&st)) {
			kev_fail(&st.out, &st.in);
		}
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
