#include "ops.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

static bool fail(struct ops *ops, const char *what)
{
	snprintf(ops->error, sizeof ops->error, "%s", what);
	return false;
}

struct op *ops_get(struct ops *ops, struct str key)
{
	bool new;
	size_t number = strmap_add(&ops->keys, key, &new);

	ops->op = mem_grow(ops->op, &ops->cap, number + 1, sizeof *ops->op);
	if (new)
		ops->op[number] = (struct op){0};
	return &ops->op[number];
}

void ops_add_func(struct ops *ops, struct op *op, struct str func)
{
	const struct str prefix = STR("torch.ops.");
	size_t number;

	if (str_starts(func, prefix))
		func = (struct str){func.s + prefix.n, func.n - prefix.n};
	if (op->funcs == OPS_FUNCS || func.n == 0)
		return;
	number = strmap_add(&ops->funcs, func, NULL);
	for (size_t i = 0; i < op->funcs; i++)
		if (op->func[i] == number)
			return;
	op->func[op->funcs++] = number;
}

void ops_put_funcs(const struct ops *ops, const struct op *op, struct buf *out)
{
	for (size_t i = 0; i < op->funcs; i++) {
		buf_text(out, i ? ", " : "");
		buf_str(out, strmap_key(&ops->funcs, op->func[i]));
	}
}

static int compare(const void *left, const void *right)
{
	const struct op *a = left;
	const struct op *b = right;
	int order = dec_compare(b->larger, a->larger);

	return order ? order : str_compare(a->key, b->key);
}

/* Sets *error to predicted * passes - measured, and *larger, if not NULL, to the larger of both. */
static bool set_error(struct ops *ops, struct dec predicted, struct dec measured, size_t passes,
                      struct dec *error, struct dec *larger)
{
	if (__builtin_mul_overflow(predicted.nano, (__int128)passes, &predicted.nano))
		return fail(ops, "dur: the sum of all passes is too large");
	if (larger)
		*larger = dec_compare(predicted, measured) > 0 ? predicted : measured;
	*error = predicted;
	return dec_subtract(error, measured) || fail(ops, "dur: the difference is too large");
}

bool ops_sort(struct ops *ops, size_t passes)
{
	for (size_t i = 0; i < ops->keys.count; i++) {
		struct op *op = &ops->op[i];

		op->key = strmap_key(&ops->keys, i);
		if (!set_error(ops, op->tc, op->prof, passes, &op->error, &op->larger) ||
		    !set_error(ops, dec_of((int64_t)op->tc_count), dec_of((int64_t)op->prof_count), passes,
		               &op->count_error, NULL))
			return false;
	}
	if (ops->keys.count)
		qsort(ops->op, ops->keys.count, sizeof *ops->op, compare);
	return true;
}

bool ops_sum(struct ops *ops, size_t from, struct op *sum)
{
	*sum = (struct op){0};
	for (size_t i = from; i < ops->keys.count; i++) {
		const struct op *op = &ops->op[i];

		if (!dec_add(&sum->tc, op->tc) || !dec_add(&sum->prof, op->prof) ||
		    !dec_add(&sum->error, op->error) || !dec_add(&sum->count_error, op->count_error))
			return fail(ops, "dur: the sum of all is too large");
		sum->tc_count += op->tc_count;
		sum->prof_count += op->prof_count;
	}
	return true;
}

void ops_free(struct ops *ops)
{
	strmap_free(&ops->keys);
	strmap_free(&ops->funcs);
	free(ops->op);
	*ops = (struct ops){0};
}
