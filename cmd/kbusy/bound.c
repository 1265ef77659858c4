#include "bound.h"

struct bound bound_parse(const char *text)
{
	struct bound bound = {.text = text};
	size_t colon = strcspn(text, ":");
	struct str value;
	int figure = 0;

	if (text[colon] == '\0')
		opts_fail("--fail-over: '%s' is not COL:LIMIT", text);
	value = (struct str){text, colon};
	while (figure < BUSY_FIGURES && !str_equal(str_of(busy_names[figure]), value))
		figure++;
	if (figure == BUSY_FIGURES)
		opts_fail("--fail-over: the table has no figure '%.*s'", (int)value.n, value.s);
	bound.figure = (enum busy_figure)figure;
	value = str_of(text + colon + 1);
	bound.is_share = str_ends(value, STR("%"));
	value.n -= bound.is_share;
	bound.has_unit = opts_time_has_unit(value);
	if (!opts_time_parse(value, &bound.value))
		opts_fail("--fail-over: '%s' is not a limit, such as 1000, 1ms or 5%%", text + colon + 1);
	if ((figure == BUSY_COUNT || figure == BUSY_UNLINKED) && (bound.is_share || bound.has_unit))
		opts_fail("--fail-over: %s is no time; '%s' is not a limit for it", busy_names[figure],
		          text + colon + 1);
	return bound;
}

static bool is_above(const struct bound *bound, const struct busy *busy)
{
	struct dec value = busy_figure(busy, bound->figure);
	struct dec span = busy_figure(busy, BUSY_SPAN);

	if (!bound->is_share)
		return dec_compare(value, bound->value) > 0;
	return span.nano > 0 && value.nano > 0 &&
	       dec_compare_quotients(value, span, bound->value, dec_of(100)) > 0;
}

const struct busy *bound_exceeded(const struct bound *bound, const struct busy *busy,
                                  const struct devices *devices, size_t *count)
{
	const struct busy *first = NULL;

	*count = 0;
	for (size_t i = 0; bound->text && i < devices->order_count; i++) {
		const struct busy *device = &busy[devices->order[i]];

		if (!is_above(bound, device))
			continue;
		++*count;
		first = first ? first : device;
	}
	return first;
}
