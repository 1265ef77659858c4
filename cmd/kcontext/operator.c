#include "operator.h"

#include "base/die.h"
#include "base/mem.h"
#include "syntax/glob.h"

#include <stdlib.h>

struct operator_call {
	uint32_t name; /* in operators.names */
	uint32_t args; /* in operators.args */
};

/* The operator that an External id names. Packed to 24 bytes. */
struct operator_id {
	struct dec ts; /* start of the operator */
	uint32_t call; /* in operators.calls */
	bool has_ts;
} __attribute__((packed, aligned(8)));

/* The number of a name. */
static uint32_t add_name(struct operators *operators, struct str name)
{
	const struct words *globs = &operators->globs;
	bool new;
	size_t number = strmap_add(&operators->names, name, &new);

	if (globs->count == 0)
		return (uint32_t)number;
	operators->matches = mem_grow(operators->matches, &operators->matches_cap, number + 1,
	                              sizeof *operators->matches);
	if (new) {
		operators->matches[number] = false;
		for (size_t i = 0; i < globs->count && !operators->matches[number]; i++)
			operators->matches[number] = glob_matches(globs->item[i], name);
	}
	return (uint32_t)number;
}

uint32_t operators_add(struct operators *operators, struct str name, struct str args)
{
	uint32_t number = add_name(operators, name);

	if (operators->count >= OPERATOR_NONE)
		die("more than 4 billion operators");
	operators->calls =
		mem_grow(operators->calls, &operators->cap, operators->count + 1, sizeof *operators->calls);
	operators->calls[operators->count] = (struct operator_call){
		number, args.n ? (uint32_t)strmap_add(&operators->args, args, NULL) : 0};
	return (uint32_t)operators->count++;
}

struct str operators_name(const struct operators *operators, uint32_t call)
{
	return strmap_key(&operators->names, operators->calls[call].name);
}

struct str operators_args(const struct operators *operators, uint32_t call)
{
	return operators->args.count ? strmap_key(&operators->args, operators->calls[call].args)
	                             : STR("");
}

/* Whether call a has an id instead of call b. */
static bool is_rather(const struct operators *operators, const struct operator_id *a,
                      const struct operator_id *b)
{
	int order = b->has_ts - a->has_ts;

	if (order == 0)
		order = dec_compare(a->ts, b->ts);
	if (order == 0)
		order = str_compare(operators_name(operators, a->call), operators_name(operators, b->call));
	if (order == 0)
		order = str_compare(operators_args(operators, a->call), operators_args(operators, b->call));
	return order < 0;
}

bool operators_set_id(const struct operators *operators, struct operator_spans *spans,
                      struct str id, uint32_t call, const struct dec *ts)
{
	struct operator_id named = {.call = call, .has_ts = ts != NULL};
	bool new;
	size_t number = idmap_add(&spans->ids, id, &new);

	if (ts)
		named.ts = *ts;
	spans->of_id = mem_grow(spans->of_id, &spans->ids_cap, number + 1, sizeof *spans->of_id);
	if (new || is_rather(operators, &named, &spans->of_id[number]))
		spans->of_id[number] = named;
	return new;
}

bool operators_match(const struct operators *operators, uint32_t call)
{
	return operators->globs.count && operators->matches[operators->calls[call].name];
}

void operators_build(struct operator_spans *spans)
{
	timeline_build(&spans->all);
	timeline_build(&spans->outer);
}

uint32_t operators_at(const struct operator_spans *spans, size_t thread, struct dec time)
{
	uint32_t call = timeline_at(&spans->outer, thread, time);

	return call == TIMELINE_NONE ? timeline_at(&spans->all, thread, time) : call;
}

uint32_t operators_by_id(const struct operator_spans *spans, struct str id)
{
	size_t number = id.n ? idmap_find(&spans->ids, id) : IDMAP_NONE;

	return number == IDMAP_NONE ? OPERATOR_NONE : spans->of_id[number].call;
}

void operator_spans_free(struct operator_spans *spans)
{
	timeline_free(&spans->all);
	timeline_free(&spans->outer);
	idmap_free(&spans->ids);
	free(spans->of_id);
	*spans = OPERATOR_SPANS;
}

void operators_clear(struct operators *operators)
{
	strmap_clear(&operators->names);
	strmap_clear(&operators->args);
	operators->before += operators->count;
	operators->count = 0;
}

void operators_free(struct operators *operators)
{
	free(operators->calls);
	strmap_free(&operators->names);
	free(operators->matches);
	strmap_free(&operators->args);
	*operators = (struct operators){.globs = operators->globs};
}
