#include "outcome.h"

#include "base/die.h"
#include "trace/ascend.h"

void outcome_add(struct outcome *all, const struct outcome *outcome)
{
	all->events += outcome->events;
	all->rows += outcome->rows;
	all->asked += outcome->asked;
	all->memory += outcome->memory;
	all->ends += outcome->ends;
	all->alone += outcome->alone;
	all->no_ph += outcome->no_ph;
}

bool outcome_is_nothing(const struct outcome *all, const struct wanted *wanted)
{
	if ((wanted->categories.asked.count || wanted->memory_alone) && all->events && !all->asked)
		return true;
	return all->ends && !all->rows;
}

/*
 * The categories of a trace: as the trace has them, and categories that -g would give to rows
 * without a category.
 */
struct categories {
	struct category_counts own;
	struct category_counts given;
	bool ph; /* an event has one */
};

static void count_event(struct categories *categories, const struct json_value *value)
{
	enum { CAT, PH, NAME, TASK_TYPE, LEVEL };
	struct str cat = json_string_text(&value[CAT]);
	struct str given;

	categories->ph |= json_text(&value[PH]).n > 0;
	if (str_equal(json_string_text(&value[PH]), STR("M")))
		return;
	category_count(&categories->own, cat);
	if (cat.n)
		return;
	given = ascend_category(json_text(&value[NAME]), json_text(&value[TASK_TYPE]),
	                        json_text(&value[LEVEL]));
	if (given.n)
		category_count(&categories->given, given);
}

static void put_categories(const struct categories *categories, const struct wanted *wanted,
                           struct buf *out)
{
	buf_text(out, "; the trace has ");
	category_list(&categories->own, out);
	if (categories->given.names.count) {
		buf_text(out, wanted->categories.gpu ? "; with -g those without one are "
		                                     : "; -g gives categories to those without one: ");
		category_list(&categories->given, out);
	}
	if (wanted->asked_gpu)
		buf_text(out, "; leave -g out, or choose with -c");
}

/*
 * Reads the trace again for its categories: the filter kept them from the first look. A pipe cannot
 * be read once more. False if no event has ph.
 */
static bool list_categories(struct json_reader *json, const struct wanted *wanted, struct buf *out)
{
	static const char *const fields[] = {"cat", "ph", "name"};
	const char *const args[] = {wanted_core_arg(WANT_TASK_TYPE), wanted_core_arg(WANT_LEVEL)};
	const struct json_options options = {.fields = fields,
	                                     .fields_count = 3,
	                                     .object = "args",
	                                     .inner = args,
	                                     .inner_count = 2,
	                                     .max_field = wanted->json.max_field};
	struct categories categories = {0};
	enum json_item item;

	if (!json_again(json, &options)) {
		buf_text(out, "; name the file to see which categories it has");
		return true;
	}
	while ((item = json_next(json)) > JSON_END)
		if (item == JSON_EVENT)
			count_event(&categories, json->value);
	put_categories(&categories, wanted, out);
	category_counts_free(&categories.own);
	category_counts_free(&categories.given);
	return categories.ph;
}

/* No event of the file became a row. False if it is no trace. */
static bool no_row(const struct outcome *outcome, const struct wanted *wanted,
                   const struct category_counts *counts, struct json_reader *json, const char *file)
{
	const struct words *categories = &wanted->categories.asked;
	struct buf what = {0};
	bool trace = true;

	if (wanted->by_process)
		buf_text(&what, "is of the process of -P and ");
	if (wanted->memory_alone)
		buf_text(&what, "is named [memory]; record with profile_memory=True");
	else if (outcome->asked || !categories->count)
		buf_format(&what, "has phase %.*s", (int)wanted->phases.n, wanted->phases.s);
	else
		buf_text(&what, "has");
	if (categories->count)
		buf_text(&what, outcome->asked ? " and" : "");
	if (categories->count && wanted->asked_gpu)
		buf_text(&what,
		         wanted->categories.changes ? " a category of -g or -c" : " a category of -g");
	for (size_t i = 0; i < categories->count && !wanted->asked_gpu; i++) {
		buf_text(&what, i ? "," : " category ");
		buf_str(&what, categories->item[i]);
	}
	if (categories->count && !outcome->asked && counts)
		put_categories(&(struct categories){.own = *counts}, wanted, &what);
	else if (categories->count && !outcome->asked)
		trace = list_categories(json, wanted, &what);
	if (trace)
		warn("%s: none of the %llu events %.*s", file, (unsigned long long)outcome->events,
		     (int)what.len, buf_view(&what).s);
	buf_free(&what);
	return trace;
}

bool outcome_of_options(const struct outcome *outcome, const struct eventrow *row,
                        const struct category_counts *counts, struct json_reader *json,
                        const char *file)
{
	const struct wanted *wanted = row->wanted;

	if (outcome->events && outcome->no_ph == outcome->events)
		return false;
	if (!outcome->events && !counts)
		warn("%s: the trace has no events", file);
	if (outcome->events && outcome->rows == 0)
		return no_row(outcome, wanted, counts, json, file);
	if (wanted->memory && !outcome->memory)
		warn("%s: no event is named [memory], as --memory wants; record with profile_memory=True",
		     file);
	for (size_t i = wanted->asked_from; i < wanted->asked_to && outcome->rows; i++)
		if (!row->seen[i])
			warn("%s: no row has args '%s'", file, wanted_arg(wanted, i));
	return true;
}

void outcome_left_out(const struct outcome *outcome, const struct eventrow *row, uint64_t replaced,
                      const char *file)
{
	const struct {
		const char *what;
		uint64_t count;
	} skipped[] = {
		{"events without ph, left out", outcome->no_ph},
		{"begins and ends, left out (use --join-ends)", outcome->ends},
		{"begins or ends without the other, left out", outcome->alone},
		{"rows whose ts is not a number, left empty", row->bad_ts},
		{"rows whose dur is not a number, left empty", row->bad_dur},
		{"lone surrogates (now U+FFFD) and unknown escapes (kept) in strings", replaced},
	};

	for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
		if (skipped[i].count)
			warn("%s: %s: %llu", file, skipped[i].what, (unsigned long long)skipped[i].count);
}
