#include "eventrow.h"

#include "base/mem.h"
#include "kernel/nametype.h"
#include "stream/kev.h"
#include "trace/ascend.h"

#include <stdlib.h>

void eventrow_open(struct eventrow *row, const struct wanted *wanted)
{
	*row = (struct eventrow){.wanted = wanted};
	row->text = mem_alloc(wanted->columns + 2, sizeof *row->text);
	row->seen = mem_zero(wanted->columns, sizeof *row->seen);
	row->nested = mem_zero(wanted->columns, sizeof *row->nested);
}

void eventrow_begin(struct eventrow *row)
{
	row->bad_ts = 0;
	row->bad_dur = 0;
	memset(row->seen, 0, row->wanted->columns * sizeof *row->seen);
}

/* Makes an event of a trace of Ascend what it would be in a trace of PyTorch. */
static void name_ascend(struct eventrow *row, struct json_value *value, struct str category)
{
	struct str name = json_text(&value[WANT_NAME]);

	if (value[WANT_CORRELATION].type == JSON_NONE)
		value[WANT_CORRELATION] = value[WANT_CONNECTION];
	if (str_equal(category, STR("kernel")) && value[WANT_TYPE].type == JSON_NONE)
		value[WANT_TYPE] =
			(struct json_value){.type = JSON_STRING, .text = nametype_on_ascend(name)};
	if (value[WANT_EXTERNAL_ID].type == JSON_NONE &&
	    (str_equal(category, STR("kernel")) || str_equal(category, STR("gpu_memcpy"))))
		value[WANT_EXTERNAL_ID] = (struct json_value){
			.type = JSON_STRING, .text = ascend_flow_id(json_text(&value[WANT_TS]), &row->flow_id)};
}

/* The part of an event that has a category. */
static enum eventrow_part part_of_category(struct str cat)
{
	if (str_equal(cat, STR("cpu_op")) || str_equal(cat, STR("Operator")))
		return EVENTROW_OPERATOR;
	return str_equal(cat, ASCEND_LAUNCH) ? EVENTROW_LAUNCH : EVENTROW_OTHER;
}

static enum eventrow_part part_of_ascend(struct str category)
{
	if (str_equal(category, STR("privateuse1_runtime")))
		return EVENTROW_CALL;
	return str_equal(category, STR("kernel")) || str_equal(category, STR("gpu_memcpy"))
	           ? EVENTROW_WORK
	           : EVENTROW_OTHER;
}

bool eventrow_asked(struct eventrow *row, struct json_value *value)
{
	const struct category_set *categories = &row->wanted->categories;
	struct category_event event = {.cat = json_string_text(&value[WANT_CAT]),
	                               .name = json_text(&value[WANT_NAME])};
	struct str shown;
	bool asked;

	row->part = EVENTROW_OTHER;
	if (wanted_is_memory(row->wanted, event.name))
		return true;
	if (row->wanted->memory_alone)
		return false;
	if (categories->gpu) {
		event.task_type = json_text(&value[WANT_TASK_TYPE]);
		event.level = json_text(&value[WANT_LEVEL]);
	}
	asked = category_find(categories, &event, &shown);
	if (categories->gpu)
		row->part = event.cat.n ? part_of_category(event.cat) : part_of_ascend(shown);
	if (!asked && row->part != EVENTROW_CALL)
		return false;
	if (shown.s != event.cat.s)
		value[WANT_CAT] = (struct json_value){.type = JSON_STRING, .text = shown};
	if (category_of_ascend(categories, &event))
		name_ascend(row, value, shown);
	else if (categories->gpu && str_equal(shown, ASCEND_FLOW) && value[WANT_ID].type != JSON_NONE)
		value[WANT_EXTERNAL_ID] = value[WANT_ID];
	return asked;
}

/* ts or dur: its digits as they stand, an exponent written out; empty if it is not a number. */
static struct str number_text(struct buf *number, const struct json_value *value, uint64_t *bad)
{
	struct str text;

	if (value->decimal)
		return value->text;
	text = str_trim(json_text(value));
	number->len = 0;
	if (text.n && !dec_copy(number, text))
		++*bad;
	return buf_view(number);
}

const char *eventrow_round(struct eventrow *row)
{
	bool ts = dec_round_places(&row->text[KEV_TS], &row->number[0]);
	bool dur = dec_round_places(&row->text[KEV_DUR], &row->number[1]);

	return ts ? kev_core[KEV_TS] : dur ? kev_core[KEV_DUR] : NULL;
}

/* An object or array has no white space, so that equal ones are equal texts. */
static struct str column_text(struct buf *nested, const struct json_value *value)
{
	if (value->type != JSON_NESTED)
		return json_text(value);
	nested->len = 0;
	json_compact(nested, value->text);
	return buf_view(nested);
}

void eventrow_fill(struct eventrow *row, const struct json_value *value, bool metadata)
{
	const struct wanted *wanted = row->wanted;

	for (size_t i = 0; i < wanted->columns; i++) {
		size_t from = wanted->from[i];

		if (from == WANT_TS)
			row->text[i] =
				metadata ? STR("0") : number_text(&row->number[0], &value[from], &row->bad_ts);
		else if (from == WANT_DUR)
			row->text[i] = number_text(&row->number[1], &value[from], &row->bad_dur);
		else
			row->text[i] = column_text(&row->nested[i], &value[from]);
		row->seen[i] |= value[from].type != JSON_NONE;
	}
	/* Chrome and tsv2trace write a category, PyTorch does not. */
	if (metadata && str_equal(row->text[KEV_CAT], STR("__metadata")))
		row->text[KEV_CAT] = STR("");
}

struct str eventrow_track(struct eventrow *row, const struct json_value *value, char ph)
{
	static const enum want thread[] = {WANT_PID, WANT_TID};
	static const enum want id[] = {WANT_CAT, WANT_SCOPE, WANT_ID};
	static const enum want local[] = {WANT_CAT, WANT_SCOPE, WANT_PID, WANT_ID2};
	bool is_thread = ph < 'a';
	bool is_local = !is_thread && value[WANT_ID].type == JSON_NONE;
	const enum want *wants = is_thread ? thread : is_local ? local : id;
	size_t count = is_thread ? 2 : is_local ? 4 : 3;

	row->track.len = 0;
	for (size_t i = 0; i < count; i++) {
		buf_str(&row->track, json_text(&value[wants[i]]));
		buf_char(&row->track, '\0');
	}
	buf_char(&row->track, is_thread ? 't' : 'a');
	return buf_view(&row->track);
}

bool eventrow_join(struct eventrow *row, struct str began, struct str ended)
{
	struct buf *dur = &row->number[1];
	struct dec start;
	struct dec time;
	enum dec_result begin = dec_parse(began, &start);
	enum dec_result end = dec_parse(ended, &time);
	bool good = begin <= DEC_ROUNDED && end <= DEC_ROUNDED && dec_subtract(&time, start);

	dur->len = 0;
	if (good)
		dec_print(dur, time);
	row->text[KEV_TS] = began;
	row->text[KEV_DUR] = buf_view(dur);
	row->text[KEV_PH] = STR("X");
	return good && (begin == DEC_ROUNDED || end == DEC_ROUNDED);
}

void eventrow_add(struct eventrow *row, const struct eventrow *part)
{
	for (size_t i = 0; i < row->wanted->columns; i++)
		row->seen[i] |= part->seen[i];
	row->bad_ts += part->bad_ts;
	row->bad_dur += part->bad_dur;
}

void eventrow_free(struct eventrow *row)
{
	for (size_t i = 0; i < row->wanted->columns; i++)
		buf_free(&row->nested[i]);
	free(row->nested);
	free(row->text);
	free(row->seen);
	for (int i = 0; i < 2; i++)
		buf_free(&row->number[i]);
	buf_free(&row->track);
	buf_free(&row->flow_id);
}
