#include "oprows.h"

#include "base/mem.h"

#include <stdlib.h>

static void find_labels(struct oprows *rows, struct kev_reader *in)
{
	const struct words *labels = &rows->rates->labels;

	free(rows->label);
	rows->label = mem_alloc(labels->count, sizeof *rows->label);
	for (size_t i = 0; i < labels->count; i++)
		if (!kev_need_for(in, "-k: ", labels->item[i], &rows->label[i]))
			return;
}

static void find_columns(struct oprows *rows, const struct kev_reader *in)
{
	struct rates *rates = rows->rates;
	const struct words *columns = &rates->rules->shapes.columns;

	free(rows->column);
	rows->column = mem_alloc(columns->count + 1, sizeof *rows->column);
	for (size_t i = 0; i < columns->count; i++) {
		rows->column[i] = kev_column(in, columns->item[i]);
		if (rows->column[i] != KEV_NONE)
			rates->has_columns |= UINT64_C(1) << i;
	}
}

void oprows_columns(struct oprows *rows, struct kev_reader *in)
{
	devices_columns(&rows->sources, in);
	for (int i = 0; i < ARGS_COLUMNS; i++) {
		rows->arg[i] = kev_column(in, str_of(args_columns[i]));
		rows->rates->has_args[i] |= rows->arg[i] != KEV_NONE;
		rows->args |= rows->arg[i] != KEV_NONE;
	}
	rows->op = kev_column(in, STR("cpu_op"));
	rows->op_id = KEV_NONE;
	rows->ts = kev_column(in, STR("ts"));
	if (rows->op == KEV_NONE &&
	    (rows->arg[ARGS_INPUT_SHAPES] != KEV_NONE || kev_is_of(in, STR("csv2tsv")))) {
		/* Ascend: a row is a call, and its type is the operator. */
		if (kev_need(in, STR("Input Shapes"), &rows->arg[ARGS_INPUT_SHAPES]))
			kev_need(in, STR("type"), &rows->op);
	} else if (kev_need(in, STR("cpu_op"), &rows->op) && kev_need(in, STR("op_id"), &rows->op_id)) {
		kev_need(in, STR("ts"), &rows->ts);
	}
	find_labels(rows, in);
	find_columns(rows, in);
}

void oprows_metadata(struct oprows *rows, const struct kev_reader *in)
{
	devices_metadata(&rows->sources, in);
}

bool oprows_needs_ts(const struct oprows *rows)
{
	return rows->op_id != KEV_NONE;
}

/* Sets key to the operator, the arguments and, without an operator, the class. */
static void set_key(struct oprows *rows, const struct kev_reader *in)
{
	struct str op = kev_text(in, rows->op, &rows->text);
	bool is_operator = op.n > 0;

	rows->operators |= is_operator;
	rows->key.len = 0;
	tsv_escape(&rows->key, op);
	for (int i = 0; i < ARGS_COLUMNS; i++) {
		buf_char(&rows->key, '\t');
		if (!is_operator || rows->arg[i] == KEV_NONE || in->field[rows->arg[i]].n == 0)
			continue;
		tsv_escape(&rows->key, kev_text(in, rows->arg[i], &rows->text));
		rows->values = true;
	}
	buf_char(&rows->key, '\t');
	if (!is_operator)
		tsv_escape(&rows->key, kinds_op(rows->kinds, in));
}

/* The number of the labels of the row at hand, in labels; number: that of its row of rates_get. */
static uint64_t label_of(struct oprows *rows, const struct kev_reader *in, size_t number)
{
	size_t labels = rows->rates->labels.count;
	uint64_t used = rows->rates->row[number].columns;
	size_t columns = used ? rows->rates->rules->shapes.columns.count : 0;
	struct str text = kev_key(in, rows->label, labels, &rows->key, &rows->text);

	if (columns && text.s != rows->key.data) {
		rows->key.len = 0;
		buf_str(&rows->key, text);
	}
	for (size_t i = 0; i < columns; i++) {
		if (labels + i)
			buf_char(&rows->key, '\t');
		if (used >> i & 1 && rows->column[i] != KEV_NONE)
			tsv_escape(&rows->key, kev_text(in, rows->column[i], &rows->text));
	}
	return strmap_add(&rows->labels, columns ? buf_view(&rows->key) : text, NULL);
}

/* Counts what the rows of the table lack. */
static void note_rows(struct oprows *rows)
{
	const struct rates *rates = rows->rates;

	for (size_t i = 0; i < rates->keys.count; i++) {
		const struct rates_row *row = &rates->row[i];

		rows->broken += row->broken ? row->kernels : 0;
		rows->refused += row->refused ? row->kernels : 0;
		if (!row->is_operator)
			lacks_rows(&rows->lacks, LACK_OPERATOR, row->kernels, row->busy);
		else if (!row->ruled)
			lacks_rows(&rows->lacks, LACK_RULE, row->kernels, row->busy);
		else if (rates_is_estimate(row))
			lacks_rows(&rows->lacks, LACK_EXACT, row->kernels, row->busy);
	}
}

static void too_large(struct kev_reader *in)
{
	kev_error(in, "the times are too large to add");
}

/* A row of a call that has an id, which other rows may have, too. */
static bool add_to_call(struct oprows *rows, struct kev_reader *in, size_t number, struct dec ts,
                        struct dec dur)
{
	struct str field = in->field[rows->op_id];
	struct calls_row row = {
		.group = number, .source = rows->sources.source, .label = label_of(rows, in, number)};
	struct interval span;
	char quoted[QUOTE_MAX];

	if (!str_whole(field, &row.id)) {
		kev_error(in, "op_id: %s is not a whole number", quote(quoted, field.s, field.n));
		return true;
	}
	if (!interval_from(ts, dur, &span)) {
		too_large(in);
		return true;
	}
	row.start = span.start;
	row.end = span.end;
	return calls_add(&rows->calls, &row);
}

/* Counts a call with its labels in rows.labels. */
static void add_call(struct oprows *rows, struct kev_reader *in, size_t number, uint64_t label,
                     const struct calls_call *call)
{
	if (!rates_labelled(rows->rates, number, strmap_key(&rows->labels, label), &number))
		kev_error(in, "%s", rows->rates->error);
	else if (!rates_add(rows->rates, number, call->time, call->busy, call->rows))
		too_large(in);
}

bool oprows_add(struct oprows *rows, struct kev_reader *in, struct dec ts, struct dec dur)
{
	const struct calls_call call = {.time = dur, .busy = dur, .rows = 1};
	size_t number;

	devices_row(&rows->sources, in);
	set_key(rows, in);
	if (!rates_get(rows->rates, buf_view(&rows->key), &number)) {
		kev_error(in, "%s", rows->rates->error);
		return true;
	}
	if (!lacks_time(&rows->lacks, dur)) {
		too_large(in);
		return true;
	}
	if (!rows->rates->row[number].has_class)
		rates_note_class(rows->rates, number, dur, kinds_op(rows->kinds, in));
	if (rows->rates->row[number].is_operator && rows->op_id != KEV_NONE &&
	    in->field[rows->op_id].n > 0)
		return add_to_call(rows, in, number, ts, dur);
	add_call(rows, in, number, label_of(rows, in, number), &call);
	return true;
}

bool oprows_finish(struct oprows *rows, struct kev_reader *in)
{
	struct calls_call call;
	int got;

	rows->calls.labels = &rows->labels;
	while ((got = calls_next(&rows->calls, &call)) > 0)
		add_call(rows, in, (size_t)call.group, call.label, &call);
	note_rows(rows);
	if (got == 0)
		calls_free(&rows->calls);
	return got == 0;
}

void oprows_free(struct oprows *rows)
{
	devices_free(&rows->sources);
	calls_free(&rows->calls);
	free(rows->label);
	free(rows->column);
	strmap_free(&rows->labels);
	buf_free(&rows->key);
	buf_free(&rows->text);
}
