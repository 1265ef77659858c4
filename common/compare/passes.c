#include "compare/passes.h"

#include <stdlib.h>

#include "base/mem.h"

_Static_assert((int)PASSES_REASONS <= (int)BALANCE_REASONS, "a balance has too few reasons");

/* Messages and the balance name the keys that a row lacks. */
static void name_keys(struct passes *p)
{
	for (size_t i = 0; i < p->keys.count; i++) {
		buf_text(&p->key_names, i ? " and " : "");
		buf_str(&p->key_names, p->keys.item[i]);
	}
	buf_format(&p->no_key, "no %.*s", (int)p->key_names.len, p->key_names.data);
	buf_char(&p->key_names, '\0');
	buf_char(&p->no_key, '\0');
}

void passes_open(struct passes *p, struct opts *opts, enum form form)
{
	static const struct side_names names = {
		"PREDICTED and MEASURED",
		{[PREDICTED] = {"prediction", "the prediction", "predicted rows"},
	     [MEASURED] = {"measurement", "the measurement", "measured rows"}}};
	static const char *const reasons[PASSES_REASONS] = {
		[PASSES_SOURCE] = "another source",
		[PASSES_NOT_COMPLETE] = "ph is not X",
		[PASSES_NO_KERNEL] = "not a kernel by its cat",
		[PASSES_NO_DUR] = "no dur",
		[PASSES_NO_DUR_ABOVE_0] = "no dur above 0",
		[PASSES_NO_OP] = "no op",
		[PASSES_AICPU] = "AicpuKernel",
		[PASSES_NO_TS] = "a collective without ts",
		[PASSES_DUPLICATE] = "the same collective again",
	};

	sides_open(p->side, opts, &names, form);
	p->side[MEASURED].in.by_source = true;
	name_keys(p);
	memcpy(p->reasons, reasons, sizeof reasons);
	p->reasons[PASSES_NO_KEY] = p->no_key.data;
	for (int i = 0; i < SIDES; i++) {
		p->side[i].balance.reasons = p->reasons;
		p->side[i].balance.reasons_count = PASSES_REASONS;
		p->side[i].missing[MISSING_KEY].without = p->key_names.data;
	}
	/* The rows of a model's trace are more than kernels, and only those have a type. */
	p->side[PREDICTED].missing[MISSING_KEY].ordinary = p->sources != NULL;
	if (!p->sources)
		p->side[PREDICTED].missing[MISSING_DUR].effect = "counted as 0";
	p->key_columns = mem_alloc(p->keys.count, sizeof *p->key_columns);
}

struct kev_reader *passes_reader(struct passes *p)
{
	return &p->side[p->at].in;
}

static bool columns(struct passes *p, struct kev_reader *in)
{
	bool good;

	p->ph = kev_column(in, STR("ph"));
	if (p->at == MEASURED) {
		good = collective_find(&p->columns, in);
	} else {
		p->status = kev_column(in, STR("status"));
		good = kev_need(in, STR("dur"), &p->predicted_dur);
	}
	for (size_t i = 0; good && i < p->keys.count; i++)
		good = kev_need(in, p->keys.item[i], &p->key_columns[i]);
	if (p->at == PREDICTED && p->sources)
		good = good && kev_need(in, STR("source"), &p->source);
	return good;
}

/* --- which rows count ---------------------------------------------------- */

static bool drop(struct side *side, enum passes_reason reason, struct str dur)
{
	balance_drop(&side->balance, reason, dur);
	return false;
}

/* kev(5): only complete events have a dur. */
static bool is_complete(const struct passes *p, const struct kev_reader *in)
{
	return str_equal(kev_phase(in, p->ph), STR("X"));
}

static bool has_key(const struct passes *p, const struct kev_reader *in)
{
	for (size_t i = 0; i < p->keys.count; i++)
		if (in->field[p->key_columns[i]].n)
			return true;
	return false;
}

static struct str key_of_row(struct passes *p)
{
	return kev_key(passes_reader(p), p->key_columns, p->keys.count, &p->key, &p->scratch);
}

struct str passes_key(struct passes *p)
{
	return p->is_held ? strmap_key(&p->collective_keys, p->group) : key_of_row(p);
}

/* Why the model's row does not count by its source, or by its status; PASSES_REASONS if it does. */
static enum passes_reason choose(struct passes *p, struct kev_reader *in)
{
	struct str status = p->status == KEV_NONE ? STR("HIT") : in->field[p->status];
	char found[QUOTE_MAX];

	if (p->sources) {
		struct str source = kev_text(in, p->source, &p->scratch);

		strmap_add(&p->sources_seen, source, NULL);
		return words_have(p->sources, source) ? PASSES_REASONS : PASSES_SOURCE;
	}
	p->hit = str_equal(status, STR("HIT"));
	if (status.n == 0)
		return PASSES_NO_OP;
	if (!p->hit && !str_equal(status, STR("MISS")))
		kev_error(in, "status: %s is neither HIT nor MISS", quote(found, status.s, status.n));
	return PASSES_REASONS;
}

static bool predicted(struct passes *p, struct side *side)
{
	struct kev_reader *in = &side->in;
	struct str dur = in->field[p->predicted_dur];
	bool has_dur;
	enum passes_reason reason;

	p->line = in->tsv.line;
	p->dur = dec_of(0);
	has_dur = kev_number(in, p->predicted_dur, &p->dur);
	if (in->error[0])
		return false;
	balance_in(&side->balance, dur);
	if (!is_complete(p, in))
		return drop(side, PASSES_NOT_COMPLETE, dur);
	reason = choose(p, in);
	if (in->error[0])
		return false;
	if (reason != PASSES_REASONS)
		return drop(side, reason, dur);
	if (!has_key(p, in)) {
		side_lacks(side, MISSING_KEY, p->line);
		return drop(side, PASSES_NO_KEY, dur);
	}
	if (!has_dur)
		side_lacks(side, MISSING_DUR, p->line);
	if (p->sources && p->dur.nano <= 0)
		return drop(side, PASSES_NO_DUR_ABOVE_0, dur);
	balance_out(&side->balance, dur);
	return true;
}

/* A kernel, or the longest record of a collective. */
static bool measured(struct passes *p, struct side *side, const struct collective *row,
                     struct str dur)
{
	p->line = row->line;
	p->dur = row->dur;
	p->is_held = row->kind == COLLECTIVE_RECORD;
	p->is_collective = p->is_held || row->nccl;
	if (!row->has_dur) {
		side_lacks(side, MISSING_DUR, row->line);
		return drop(side, PASSES_NO_DUR, dur);
	}
	balance_out(&side->balance, dur);
	return true;
}

static struct str text_of(struct passes *p, struct dec dur)
{
	p->scratch.len = 0;
	dec_print(&p->scratch, dur);
	return buf_view(&p->scratch);
}

/* It counts at the end: only then is the longest of its records known. */
static bool hold(struct passes *p, struct side *side, struct collective *row)
{
	struct collective dropped;
	struct str key;

	row->group = strmap_add(&p->collective_keys, key_of_row(p), NULL);
	key = collective_key(&p->columns, &side->in, &p->key);
	if (collectives_add(&p->collectives, key, row, &dropped))
		drop(side, PASSES_DUPLICATE, text_of(p, dropped.dur));
	return false;
}

static bool measured_row(struct passes *p, struct side *side)
{
	struct kev_reader *in = &side->in;
	struct str dur = in->field[p->columns.dur];
	struct collective row;

	collective_read(&row, &p->columns, in);
	if (in->error[0])
		return false;
	balance_in(&side->balance, dur);
	if (!is_complete(p, in))
		return drop(side, PASSES_NOT_COMPLETE, dur);
	if (row.kind == COLLECTIVE_AICPU)
		return drop(side, PASSES_AICPU, dur);
	if (row.host || (row.no_kernel && !has_key(p, in)))
		return drop(side, PASSES_NO_KERNEL, dur);
	if (!has_key(p, in) && !(p->sources && row.kernel)) {
		side_lacks(side, MISSING_KEY, row.line);
		return drop(side, PASSES_NO_KEY, dur);
	}
	if (row.kind == COLLECTIVE_NO_TS) {
		side_lacks(side, MISSING_TS, row.line);
		return drop(side, PASSES_NO_TS, dur);
	}
	return row.kind == COLLECTIVE_RECORD ? hold(p, side, &row) : measured(p, side, &row, dur);
}

static bool next_collective(struct passes *p, struct side *side)
{
	while (!side->in.error[0] && p->next_collective < p->collectives.keys.count) {
		const struct collective *row = &p->collectives.kept[p->next_collective++];

		p->group = row->group;
		if (measured(p, side, row, text_of(p, row->dur)))
			return true;
	}
	return false;
}

/* --- reading ------------------------------------------------------------- */

static enum passes_item next_of(struct passes *p, struct side *side)
{
	enum passes_item row = p->at == PREDICTED ? PASSES_PREDICTED : PASSES_MEASURED;
	enum kev_item item;

	while ((item = kev_next(&side->in)) > KEV_END) {
		if (item == KEV_META)
			side_metadata(side, p->out, &p->damages);
		else if (item == KEV_COLUMNS && columns(p, &side->in))
			return PASSES_COLUMNS;
		else if (item == KEV_ROW &&
		         (p->at == PREDICTED ? predicted(p, side) : measured_row(p, side)))
			return row;
	}
	if (item == KEV_END && p->at == MEASURED && next_collective(p, side))
		return row;
	return side->in.error[0] ? PASSES_FAILED : PASSES_END;
}

enum passes_item passes_next(struct passes *p)
{
	enum passes_item item = PASSES_END;

	while (p->at < SIDES && (item = next_of(p, &p->side[p->at])) == PASSES_END)
		side_missing_warn(&p->side[p->at++]);
	return item;
}

void passes_add(struct passes *p, struct dec *sum, struct dec *negative)
{
	struct kev_reader *in = passes_reader(p);

	if (dec_sum(sum, negative, p->dur, (struct dec){0}))
		return;
	kev_error(in, "dur: the sum is too large");
	in->error_line = p->line;
}

void passes_close(struct passes *p)
{
	for (int i = 0; i < SIDES; i++) {
		balance_print(&p->side[i].balance);
		side_close(&p->side[i]);
	}
	free(p->key_columns);
	strmap_free(&p->sources_seen);
	strmap_free(&p->collective_keys);
	collectives_free(&p->collectives);
	buf_free(&p->damages);
	buf_free(&p->key_names);
	buf_free(&p->no_key);
	buf_free(&p->key);
	buf_free(&p->scratch);
}
