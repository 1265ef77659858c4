#include "mapping.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/plaintext.h"

static bool fail(struct mapping *mapping, const struct yaml_node *node, const char *what)
{
	struct buf text = {0};

	buf_format(&text, "%s:%lu:%lu: %s", mapping->path, node->line, node->column, what);
	plaintext_fit(mapping->error, sizeof mapping->error, buf_view(&text));
	buf_free(&text);
	return false;
}

static bool read_op(struct mapping *mapping, const struct yaml_node *node, struct mapping_op *op)
{
	const struct yaml_node *type = yaml_get(node, STR("kernel_type"));
	const struct yaml_node *zero = yaml_get(node, STR("zero_cost"));

	*op = (struct mapping_op){.kernel_type = STR("")};
	if (type && !yaml_is_null(type)) {
		if (type->kind != YAML_TEXT)
			return fail(mapping, type, "kernel_type: this is not a name");
		op->kernel_type = type->text;
	}
	if (zero && !yaml_is_null(zero) && !yaml_boolean(zero, &op->zero_cost))
		return fail(mapping, zero, "zero_cost: this is not true or false");
	return true;
}

/* Adds an op of this entry. Aliases of one entry read it once. */
static bool add_op(struct mapping *mapping, struct str name, const struct yaml_node *node)
{
	size_t *read = &mapping->read[node - mapping->yaml.nodes];
	bool new;
	size_t number = strmap_add(&mapping->names, name, &new);
	struct mapping_op *op;

	mapping->op = mem_grow(mapping->op, &mapping->cap, number + 1, sizeof *mapping->op);
	op = &mapping->op[number];
	if (!new)
		return true;
	if (*read) {
		*op = mapping->op[*read - 1];
		return true;
	}
	*read = number + 1;
	return read_op(mapping, node, op);
}

/* Adds the ops of one level of the file, except for names that are known already. */
static bool add_ops(struct mapping *mapping, const struct yaml_node *level, bool is_top)
{
	for (size_t i = 0; i < level->count; i++) {
		const struct yaml_node *node = level->member[i].value;

		if (node->kind != YAML_MAP) {
			if (is_top || yaml_is_null(node))
				continue;
			return fail(mapping, node, "the entry of an op is not a mapping");
		}
		if (!add_op(mapping, level->member[i].key->text, node))
			return false;
	}
	return true;
}

/* Ops are under operator_mappings, or at the top among other things. */
static bool read_ops(struct mapping *mapping, const struct yaml_node *top)
{
	const struct yaml_node *nested = yaml_get(top, STR("operator_mappings"));

	if (top->kind != YAML_MAP)
		return fail(mapping, top, "this is not a mapping");
	if (nested && nested->kind != YAML_MAP && !yaml_is_null(nested))
		return fail(mapping, nested, "operator_mappings: this is not a mapping");
	return (!nested || add_ops(mapping, nested, false)) && add_ops(mapping, top, true);
}

bool mapping_open(struct mapping *mapping, const char *path)
{
	*mapping = (struct mapping){.path = path};
	if (!yaml_open(&mapping->yaml, path)) {
		plaintext_fit(mapping->error, sizeof mapping->error, str_of(mapping->yaml.error));
		return false;
	}
	mapping->read = mem_zero(mapping->yaml.nodes_count, sizeof *mapping->read);
	return !mapping->yaml.root || yaml_is_null(mapping->yaml.root) ||
	       read_ops(mapping, mapping->yaml.root);
}

const struct mapping_op *mapping_find(const struct mapping *mapping, struct str name)
{
	size_t number = strmap_find(&mapping->names, name);

	return number == STRMAP_NONE ? NULL : &mapping->op[number];
}

void mapping_close(struct mapping *mapping)
{
	yaml_close(&mapping->yaml);
	strmap_free(&mapping->names);
	free(mapping->op);
	free(mapping->read);
}
