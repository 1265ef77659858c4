#include "compare/gate.h"

#include <string.h>

struct gate gate_read(const struct opts *opts)
{
	struct gate gate = {.text = opts->arg, .kind = GATE_NUMBER};
	const char *colon = strrchr(opts->arg, ':');
	struct str limit = str_of(colon ? colon + 1 : opts->arg);
	struct str number = limit;

	if (colon)
		gate.column = (struct str){opts->arg, (size_t)(colon - opts->arg)};
	if (str_ends(limit, STR("%"))) {
		gate.kind = GATE_PERCENT;
		number.n--;
	} else if (opts_time_has_unit(limit)) {
		gate.kind = GATE_TIME;
	}
	if (colon == opts->arg ||
	    (gate.kind == GATE_TIME
	         ? !opts_time_parse(number, &gate.value)
	         : dec_parse(number, &gate.value) > DEC_ROUNDED || gate.value.nano < 0))
		opts_fail("%s: '%s' is not a limit, such as 30us, 1.5ms or 5%%", opts->flag, opts->arg);
	return gate;
}

void gate_need_unit(const struct gate *gate, const struct opts *opts)
{
	struct str number = str_of(gate->text);

	if (gate->kind != GATE_NUMBER)
		return;
	if (gate->column.n) {
		number.s += gate->column.n + 1;
		number.n -= gate->column.n + 1;
	}
	opts_fail("%s: '%s' has no unit; add one, as in %.*sus, or a percent sign, as in %.*s%%",
	          opts->flag, opts->arg, (int)number.n, number.s, (int)number.n, number.s);
}

void gate_raise(const struct gate *gate, struct limit *limit)
{
	struct limit other = {.by_time = false};

	if (gate->kind == GATE_TIME) {
		if (!limit->by_time || dec_compare(gate->value, limit->us) > 0)
			limit_set_us(limit, gate->value);
		return;
	}
	limit_set_percent(&other, gate->value);
	if (!limit->by_percent || dec_compare(other.percent, limit->percent) > 0)
		limit_set_percent(limit, gate->value);
}

void gate_need_one(const char *first, const struct opts *opts)
{
	if (first)
		opts_fail("%s: '%s' is a second limit, after '%s'; give one", opts->flag, opts->arg, first);
}

size_t gate_column(const struct gate *gate, const struct opts *opts, const char *const *names,
                   size_t count)
{
	struct buf list = {0};

	if (gate->column.n == 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (str_equal(gate->column, str_of(names[i])))
			return i;
	for (size_t i = 0; i < count; i++)
		buf_format(&list, "%s%s", i ? ", " : "", names[i]);
	opts_fail("%s: '%.*s' is not a figure that can be limited; these are: %.*s", opts->flag,
	          (int)gate->column.n, gate->column.s, (int)list.len, list.data);
}
