/* yaml: any bytes as a file, and the laws of the tree that comes of them. */
#include "../fuzz.h"

#include "opmap/yaml.h"

static void check_node(const struct yaml *y, const struct yaml_node *node)
{
	bool value;

	LAW(node->line > 0 && node->column > 0);
	LAW(node->kind != YAML_TEXT || node->count == 0);
	LAW(!(yaml_is_null(node) && yaml_boolean(node, &value)));
	for (size_t i = 0; i < node->count; i++) {
		const struct yaml_node *to = node->member[i].value;

		LAW(to >= y->nodes && to < y->nodes + y->nodes_count);
		LAW(!node->member[i].key == (node->kind == YAML_LIST));
		if (node->kind == YAML_MAP && i < 64) { /* the first of equal keys would be found */
			LAW(node->member[i].key->kind == YAML_TEXT);
			LAW(yaml_get(node, node->member[i].key->text) == to);
		}
	}
}

/* The nodes, one behind the other: as a tree they might be without end. */
static void show(struct buf *out)
{
	struct yaml y;

	if (yaml_open(&y, "-")) {
		LAW(y.error[0] == '\0');
		LAW(!y.root == (y.nodes_count == 0));
		for (size_t i = 0; i < y.nodes_count; i++) {
			check_node(&y, &y.nodes[i]);
			buf_format(out, "%d %lu:%lu %zu ", (int)y.nodes[i].kind, y.nodes[i].line,
			           y.nodes[i].column, y.nodes[i].count);
			buf_str(out, y.nodes[i].text);
			buf_char(out, '\n');
		}
	} else {
		LAW(strncmp(y.error, "-:", 2) == 0 && strlen(y.error) > 4);
		buf_text(out, y.error);
	}
	yaml_close(&y);
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};

	law_of_pieces(text, show);
}
