#include "trace/outcome.h"

#include "base/die.h"

/*
 * The categories of the trace and how often they are there. The filter kept them from the first
 * look; a pipe cannot be read once more. False if no event has ph.
 */
static bool list_categories(struct json_reader *json, size_t max_field, struct buf *out)
{
	static const char *const wants[] = {"cat", "ph"};
	const struct json_options options = {
		.fields = wants, .fields_count = 2, .max_field = max_field};
	struct category_counts counts = {0};
	enum json_item item;
	bool ph = false;

	if (!json_again(json, &options)) {
		buf_text(out, "; name the file to see which categories it has");
		return true;
	}
	while ((item = json_next(json)) > JSON_END) {
		if (item != JSON_EVENT)
			continue;
		ph |= json_text(&json->value[1]).n > 0;
		if (!str_equal(json_string_text(&json->value[1]), STR("M")))
			category_count(&counts, json_string_text(&json->value[0]));
	}
	buf_text(out, "; the trace has ");
	category_list(&counts, out);
	category_counts_free(&counts);
	return ph;
}

/* No event of the file became a row. False if it is no trace. */
static bool no_row(const struct outcome *outcome, const struct wanted *wanted,
                   struct json_reader *json, const char *file)
{
	const struct words *categories = &wanted->categories.asked;
	struct buf what = {0};
	bool trace = true;

	if (wanted->by_process)
		buf_text(&what, "is of the process of -P and ");
	if (outcome->asked || !categories->count)
		buf_format(&what, "has phase %.*s", (int)wanted->phases.n, wanted->phases.s);
	else
		buf_text(&what, "has");
	if (categories->count)
		buf_text(&what, outcome->asked ? " and" : "");
	if (categories->count && wanted->asked_gpu)
		buf_text(&what, " a category of -g");
	for (size_t i = 0; i < categories->count && !wanted->asked_gpu; i++) {
		buf_text(&what, i ? "," : " category ");
		buf_str(&what, categories->item[i]);
	}
	if (categories->count && !outcome->asked)
		trace = list_categories(json, wanted->json.max_field, &what);
	if (trace)
		warn("%s: none of the %llu events %.*s", file, (unsigned long long)outcome->events,
		     (int)what.len, buf_view(&what).s);
	buf_free(&what);
	return trace;
}

bool outcome_of_options(const struct outcome *outcome, const struct eventrow *row,
                        struct json_reader *json, const char *file)
{
	const struct wanted *wanted = row->wanted;

	if (outcome->events && outcome->no_ph == outcome->events)
		return false;
	if (outcome->events && outcome->rows == 0)
		return no_row(outcome, wanted, json, file);
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
