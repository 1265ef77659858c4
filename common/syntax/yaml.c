#include "syntax/yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h> // NOLINT(readability-duplicate-include): this one is libyaml's

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "base/strmap.h"
#include "io/input.h"

enum {
	FILE_MAX = 64 << 20,
	MEMBERS_MAX = 1 << 20, /* merges can make much of little */
	DEPTH_MAX = 64,        /* of merges */
};

/* A place in the file, from 1; line 0 is the whole file. */
struct place {
	size_t line;
	size_t column;
};

static struct place place_of(yaml_mark_t mark)
{
	return (struct place){mark.line + 1, mark.column + 1};
}

static bool fail(struct yaml *y, struct place at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail(struct yaml *y, struct place at, const char *format, ...)
{
	struct buf text = {0};
	va_list args;

	buf_format(&text, "%s:", y->file);
	if (at.line)
		buf_format(&text, "%zu:%zu:", at.line, at.column);
	buf_char(&text, ' ');
	va_start(args, format);
	buf_vformat(&text, format, args);
	va_end(args);
	plaintext_fit(y->error, sizeof y->error, buf_view(&text));
	buf_free(&text);
	return false;
}

static bool read_file(struct yaml *y)
{
	enum { STEP = 64 << 10 };
	struct input in;
	ssize_t got;

	if (!input_open(&in, y->file))
		return fail(y, (struct place){0}, "%s", in.error);
	do {
		got = input_read(&in, buf_reserve(&y->text, STEP), STEP);
		if (got > 0)
			y->text.len += (size_t)got;
	} while (got > 0 && y->text.len <= FILE_MAX);
	if (got < 0)
		fail(y, (struct place){0}, "%s", in.error);
	else if (got > 0)
		fail(y, (struct place){0}, "the file exceeds %d MiB; this is not a mapping",
		     FILE_MAX >> 20);
	input_close(&in);
	return got == 0;
}

/* --- errors of libyaml --------------------------------------------------- */

/* If the file is not text, libyaml only gives an offset. */
static struct place place_of_byte(const struct yaml *y, size_t offset)
{
	struct place at = {1, 1};

	for (size_t i = 0; i < offset && i < y->text.len; i++, at.column++) {
		if (y->text.data[i] == '\n')
			at = (struct place){at.line + 1, 0};
	}
	return at;
}

static bool parser_failed(struct yaml *y, const yaml_parser_t *parser)
{
	const char *problem = parser->problem ? parser->problem : "this is not YAML";

	if (parser->error == YAML_MEMORY_ERROR)
		die("%s: no memory for its YAML", y->file);
	if (parser->error == YAML_READER_ERROR)
		return fail(y, place_of_byte(y, parser->problem_offset), "%s", problem);
	if (parser->context)
		return fail(y, place_of(parser->problem_mark), "%s (%s, line %zu)", problem,
		            parser->context, parser->context_mark.line + 1);
	return fail(y, place_of(parser->problem_mark), "%s", problem);
}

/* Whether nothing follows the first document. */
static bool ends_here(struct yaml *y, yaml_parser_t *parser)
{
	yaml_document_t second;
	const yaml_node_t *root;

	if (!yaml_parser_load(parser, &second))
		return parser_failed(y, parser);
	root = yaml_document_get_root_node(&second);
	if (root)
		fail(y, place_of(root->start_mark), "a second document in one file");
	yaml_document_delete(&second);
	return !root;
}

static bool parse(struct yaml *y)
{
	yaml_document_t *document = mem_alloc(1, sizeof *document);
	yaml_parser_t parser;
	bool good = false;

	if (!yaml_parser_initialize(&parser))
		die("%s: no memory for its YAML", y->file);
	yaml_parser_set_input_string(&parser, (const unsigned char *)y->text.data, y->text.len);
	if (yaml_parser_load(&parser, document)) {
		y->document = document;
		good = !yaml_document_get_root_node(document) || ends_here(y, &parser);
	} else {
		parser_failed(y, &parser);
		free(document); /* its contents are freed already */
	}
	yaml_parser_delete(&parser);
	return good;
}

/* --- the tree ------------------------------------------------------------ */

struct loader {
	struct yaml *yaml;
	const yaml_document_t *document;
	enum { UNTOUCHED, OPEN, DONE } * state; /* of each node's members */
	size_t members;                         /* of all mappings so far */
	unsigned depth;                         /* of the merges that are open */
};

/* libyaml counts from 1. */
static struct yaml_node *node_at(const struct yaml *y, int number)
{
	return &y->nodes[number - 1];
}

static struct place place_of_node(const struct yaml_node *node)
{
	return (struct place){node->line, node->column};
}

/* All nodes, without the members of mappings. */
static void make_nodes(struct yaml *y, const yaml_document_t *document)
{
	y->nodes_count = (size_t)(document->nodes.top - document->nodes.start);
	y->nodes = mem_zero(y->nodes_count, sizeof *y->nodes);
	for (size_t i = 0; i < y->nodes_count; i++) {
		const yaml_node_t *from = &document->nodes.start[i];
		struct yaml_node *node = &y->nodes[i];

		node->line = from->start_mark.line + 1;
		node->column = from->start_mark.column + 1;
		if (from->type == YAML_SCALAR_NODE) {
			node->kind = YAML_TEXT;
			node->text =
				(struct str){(const char *)from->data.scalar.value, from->data.scalar.length};
			node->plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		} else if (from->type == YAML_SEQUENCE_NODE) {
			const yaml_node_item_t *items = from->data.sequence.items.start;

			node->kind = YAML_LIST;
			node->count = (size_t)(from->data.sequence.items.top - items);
			node->member = mem_zero(node->count, sizeof *node->member);
			for (size_t j = 0; j < node->count; j++)
				node->member[j].value = node_at(y, items[j]);
		} else {
			node->kind = YAML_MAP;
		}
	}
}

/* The members of a mapping while they are gathered. */
struct members {
	struct yaml_node *map;
	size_t cap;
	struct strmap keys;
};

/* Adds the member and sets *added, if its key is new. */
static bool add_member(struct loader *l, struct members *to, struct yaml_member member, bool *added)
{
	struct yaml_node *map = to->map;

	strmap_add(&to->keys, member.key->text, added);
	if (!*added)
		return true;
	if (++l->members > MEMBERS_MAX)
		return fail(l->yaml, place_of_node(member.key), "more than %d members; are merges nested?",
		            MEMBERS_MAX);
	map->member = mem_grow(map->member, &to->cap, map->count + 1, sizeof *map->member);
	map->member[map->count++] = member;
	return true;
}

static bool make_members(struct loader *l, struct yaml_node *map);

/* The members of `from`, a mapping, that `to` does not have yet. */
static bool merge_one(struct loader *l, struct members *to, const struct yaml_node *merge,
                      const struct yaml_node *from)
{
	struct yaml *y = l->yaml;
	bool added;

	if (from->kind != YAML_MAP)
		return fail(y, place_of_node(merge), "<<: the merged value is not a mapping");
	if (l->depth == DEPTH_MAX)
		return fail(y, place_of_node(merge), "<<: merges are nested deeper than %d", DEPTH_MAX);
	if (l->state[from - y->nodes] == OPEN)
		return fail(y, place_of_node(merge), "<<: a mapping is merged into itself");
	l->depth++;
	if (!make_members(l, node_at(y, (int)(from - y->nodes) + 1)))
		return false;
	l->depth--;
	for (size_t i = 0; i < from->count; i++) {
		if (!add_member(l, to, from->member[i], &added))
			return false;
	}
	return true;
}

static bool merge(struct loader *l, struct members *to, const struct yaml_member *member)
{
	const struct yaml_node *from = member->value;

	if (from->kind != YAML_LIST)
		return merge_one(l, to, member->key, from);
	for (size_t i = 0; i < from->count; i++) {
		if (!merge_one(l, to, member->key, from->member[i].value))
			return false;
	}
	return true;
}

static bool is_merge(const struct yaml_node *key)
{
	return key->plain && str_equal(key->text, STR("<<"));
}

static bool fill(struct loader *l, struct members *to, const yaml_node_t *from)
{
	const struct yaml *y = l->yaml;
	const yaml_node_pair_t *top = from->data.mapping.pairs.top;
	bool added = true;

	for (const yaml_node_pair_t *pair = from->data.mapping.pairs.start; pair < top; pair++) {
		struct yaml_member member = {node_at(y, pair->key), node_at(y, pair->value)};
		char key[QUOTE_MAX];

		if (member.key->kind != YAML_TEXT || is_merge(member.key))
			continue;
		if (!add_member(l, to, member, &added))
			return false;
		if (!added)
			return fail(l->yaml, place_of_node(member.key), "duplicate key %s",
			            quote(key, member.key->text.s, member.key->text.n));
	}
	/* A merged member never replaces one of the mapping itself. */
	for (const yaml_node_pair_t *pair = from->data.mapping.pairs.start; pair < top; pair++) {
		struct yaml_member member = {node_at(y, pair->key), node_at(y, pair->value)};

		if (is_merge(member.key) && !merge(l, to, &member))
			return false;
	}
	return true;
}

static bool make_members(struct loader *l, struct yaml_node *map)
{
	size_t index = (size_t)(map - l->yaml->nodes);
	struct members to = {.map = map};
	bool good;

	if (map->kind != YAML_MAP || l->state[index] == DONE)
		return true;
	l->state[index] = OPEN;
	good = fill(l, &to, &l->document->nodes.start[index]);
	l->state[index] = DONE;
	strmap_free(&to.keys);
	return good;
}

static bool make_tree(struct yaml *y)
{
	struct loader l = {.yaml = y, .document = y->document};
	bool good = true;

	make_nodes(y, l.document);
	l.state = mem_zero(y->nodes_count, sizeof *l.state);
	for (size_t i = 0; good && i < y->nodes_count; i++)
		good = make_members(&l, &y->nodes[i]);
	free(l.state);
	if (good && y->nodes_count)
		y->root = &y->nodes[0];
	return good;
}

/* --- the interface ------------------------------------------------------- */

bool yaml_open(struct yaml *y, const char *path)
{
	*y = (struct yaml){.file = path};
	return read_file(y) && parse(y) && make_tree(y);
}

const struct yaml_node *yaml_get(const struct yaml_node *node, struct str key)
{
	for (size_t i = 0; node->kind == YAML_MAP && i < node->count; i++) {
		if (str_equal(node->member[i].key->text, key))
			return node->member[i].value;
	}
	return NULL;
}

static bool is_one_of(const struct yaml_node *node, const char *const *words, size_t count)
{
	for (size_t i = 0; node->kind == YAML_TEXT && node->plain && i < count; i++) {
		if (str_equal(node->text, str_of(words[i])))
			return true;
	}
	return false;
}

bool yaml_is_null(const struct yaml_node *node)
{
	static const char *const words[] = {"", "~", "null", "Null", "NULL"};

	return is_one_of(node, words, sizeof words / sizeof *words);
}

bool yaml_boolean(const struct yaml_node *node, bool *value)
{
	static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes",
	                                  "YES",  "on",   "On",   "ON"};
	static const char *const no[] = {"false", "False", "FALSE", "no", "No",
	                                 "NO",    "off",   "Off",   "OFF"};

	*value = is_one_of(node, yes, sizeof yes / sizeof *yes);
	return *value || is_one_of(node, no, sizeof no / sizeof *no);
}

void yaml_close(struct yaml *y)
{
	for (size_t i = 0; i < y->nodes_count; i++)
		free(y->nodes[i].member);
	free(y->nodes);
	if (y->document)
		yaml_document_delete(y->document);
	free(y->document);
	buf_free(&y->text);
	y->root = NULL;
	y->nodes = NULL;
	y->nodes_count = 0;
	y->document = NULL;
}
