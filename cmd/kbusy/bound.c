#include "bound.h"

#include "compare/gate.h"

struct bound bound_read(const struct opts *opts)
{
	struct gate gate = gate_read(opts);
	struct bound bound = {.text = gate.text, .value = gate.value};
	bool is_count;

	if (gate.column.n == 0)
		opts_fail("%s: '%s' names no figure; give COL:LIMIT, such as idle:5%%", opts->flag,
		          opts->arg);
	bound.figure = (enum busy_figure)gate_column(&gate, opts, busy_names, BUSY_FIGURES);
	is_count = bound.figure == BUSY_COUNT || bound.figure == BUSY_UNLINKED;
	if (is_count && gate.kind != GATE_NUMBER)
		opts_fail("%s: %s is a number of rows; '%s' is not a limit for it", opts->flag,
		          busy_names[bound.figure], opts->arg + gate.column.n + 1);
	if (!is_count)
		gate_need_unit(&gate, opts);
	bound.is_share = gate.kind == GATE_PERCENT;
	bound.has_unit = gate.kind == GATE_TIME;
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
