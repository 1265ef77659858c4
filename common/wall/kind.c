#include "wall/kind.h"

#include "base/die.h"
#include "base/mem.h"

#include <stdlib.h>

enum { NAME, CAT, TYPE, CPU_OP, PHASE, OP };

void kinds_columns(struct kinds *kinds, const struct kev_reader *in)
{
	static const char *const names[KIND_COLUMNS] = {
		[NAME] = "name",     [CAT] = "cat",     [TYPE] = "type",
		[CPU_OP] = "cpu_op", [PHASE] = "phase", [OP] = "op",
	};

	for (size_t i = 0; i < KIND_COLUMNS; i++)
		kinds->column[i] = kev_column(in, str_of(names[i]));
}

void kinds_metadata(struct kinds *kinds, const struct kev_reader *in)
{
	if (!str_equal(in->key, STR("via")))
		return;
	kinds->other_rules |=
		str_starts(in->value, STR("kclass")) && str_has(in->value, STR("--rules"));
	kinds->copies_kept |=
		str_starts(in->value, STR("kcontext")) && str_has(in->value, STR("--copies"));
}

static struct str text_of(struct kinds *kinds, const struct kev_reader *in, size_t i)
{
	return kev_text(in, kinds->column[i], &kinds->text[i]);
}

static struct str field(const struct kinds *kinds, const struct kev_reader *in, size_t i)
{
	return kinds->column[i] == KEV_NONE ? STR("") : in->field[kinds->column[i]];
}

struct str kinds_cat(struct kinds *kinds, const struct kev_reader *in)
{
	return text_of(kinds, in, CAT);
}

enum rowkind kinds_row(struct kinds *kinds, const struct kev_reader *in)
{
	struct str cat = field(kinds, in, CAT);

	if (cat.n == 0)
		return rowkind_of(cat, text_of(kinds, in, NAME));
	if (!kinds->is_known || !str_equal(cat, buf_view(&kinds->last))) {
		kinds->last.len = 0;
		buf_str(&kinds->last, cat);
		kinds->row = rowkind_of(kinds_cat(kinds, in), STR(""));
		kinds->is_known = true;
	}
	return kinds->row;
}

bool kinds_is_device(struct kinds *kinds, const struct kev_reader *in)
{
	return rowkind_is_device(kinds_row(kinds, in));
}

struct str kinds_op(struct kinds *kinds, const struct kev_reader *in)
{
	struct kclass_kernel kernel;
	struct kclass_label label = {.op = STR("")};

	if (kinds->column[OP] != KEV_NONE)
		return text_of(kinds, in, OP);
	if (!kinds->loaded && !kclass_load(&kinds->kclass, NULL))
		die("%s", kinds->kclass.error);
	kinds->loaded = true;
	kernel = (struct kclass_kernel){text_of(kinds, in, NAME), text_of(kinds, in, TYPE),
	                                text_of(kinds, in, CAT), text_of(kinds, in, CPU_OP),
	                                text_of(kinds, in, PHASE)};
	kclass_of(&kinds->kclass, &kernel, &label);
	return label.op;
}

static enum rowkind work_of(struct kinds *kinds, const struct kev_reader *in)
{
	if (field(kinds, in, CAT).n && !rowkind_needs_name(field(kinds, in, NAME)))
		return kinds->row;
	return rowkind_work(kinds_cat(kinds, in), text_of(kinds, in, NAME));
}

static enum kind kind_of(struct kinds *kinds, const struct kev_reader *in, struct str op)
{
	switch (work_of(kinds, in)) {
	case ROWKIND_COPY:
		return KIND_COPY;
	case ROWKIND_MEMSET:
		return kinds->memset_computes ? KIND_COMPUTE : KIND_COPY;
	default:
		return str_equal(op, STR("Collective")) ? KIND_COMM : KIND_COMPUTE;
	}
}

/* An escape never stands for a letter, so the field of op decides as it is. */
static enum kind kind_by_op(struct kinds *kinds, const struct kev_reader *in)
{
	struct str op = in->field[kinds->column[OP]];

	kinds->classed = op.n > 0;
	kinds->other = str_equal(op, STR("Other"));
	return kind_of(kinds, in, op);
}

/* Without op: by the fields that decide, as they are, for most kernels come again. */
static enum kind kind_by_rules(struct kinds *kinds, const struct kev_reader *in)
{
	struct buf *key = &kinds->last_kernel;
	size_t number;
	bool new;

	key->len = 0;
	for (size_t i = 0; i < OP; i++) {
		buf_str(key, field(kinds, in, i));
		buf_char(key, '\t');
	}
	number = strmap_add(&kinds->kernels, buf_view(key), &new);
	kinds->kind = mem_grow(kinds->kind, &kinds->kind_cap, number + 1, sizeof *kinds->kind);
	if (new) {
		struct str op = kinds_op(kinds, in);

		kinds->kind[number] =
			(struct kinds_answer){kind_of(kinds, in, op), str_equal(op, STR("Other"))};
	}
	kinds->classed = true;
	kinds->other = kinds->kind[number].other;
	return kinds->kind[number].kind;
}

enum kind kinds_of(struct kinds *kinds, const struct kev_reader *in)
{
	enum kind kind =
		kinds->column[OP] == KEV_NONE ? kind_by_rules(kinds, in) : kind_by_op(kinds, in);

	kinds->seen[kind] = true;
	return kind;
}

void kinds_skip(struct kinds *kinds, const struct kev_reader *in)
{
	struct groups *skipped = &kinds->skipped;
	struct str cat = kinds_cat(kinds, in);

	/* Rows of one category mostly follow each other. */
	if (!skipped->keys.count || !str_equal(strmap_key(&skipped->keys, kinds->skipped_last), cat)) {
		const struct group *group = groups_get(skipped, cat); /* may move all groups */

		kinds->skipped_last = (size_t)(group - skipped->group);
	}
	skipped->group[kinds->skipped_last].count++;
}

void kinds_skipped(const struct kinds *kinds, struct buf *text)
{
	for (size_t i = 0; i < kinds->skipped.keys.count && i < 10; i++) {
		struct str cat = strmap_key(&kinds->skipped.keys, i);

		buf_text(text, i ? ", " : "; its categories are ");
		buf_str(text, cat.n ? cat : STR("(none)"));
		buf_format(text, " %llu", (unsigned long long)kinds->skipped.group[i].count);
	}
}

void kinds_free(struct kinds *kinds)
{
	kclass_free(&kinds->kclass);
	groups_free(&kinds->skipped);
	buf_free(&kinds->last);
	buf_free(&kinds->last_kernel);
	strmap_free(&kinds->kernels);
	free(kinds->kind);
	for (size_t i = 0; i < KIND_COLUMNS; i++)
		buf_free(&kinds->text[i]);
	*kinds = (struct kinds){0};
}
