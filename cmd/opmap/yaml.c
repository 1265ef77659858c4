#include "yaml.h"

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
	NESTING_MAX = 1000, /* depth of lists and mappings; for libyaml, time grows with its square */
	MEMBERS_MAX = 1 << 20, /* merges can make much of little */
	DEPTH_MAX = 64,        /* depth of merges */
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

/* --- nodes ---------------------------------------------------------------- */

/* A node in a list or mapping: an element, or by turns a key and its value. */
struct child {
	size_t parent;
	size_t node;
};

struct loader {
	struct yaml *yaml;
	size_t nodes_cap;
	struct strmap anchors;
	size_t *anchored; /* by number in anchors: its node */
	size_t anchored_cap;
	size_t open[NESTING_MAX]; /* the lists and mappings around the next node */
	size_t nesting;
	size_t documents;
	struct child *children; /* in the order of the file */
	size_t children_count;
	size_t children_cap;
	size_t *child;    /* the nodes of children by parent: the children of node i are */
	size_t *child_at; /* child_at[i] to child_at[i + 1] */
	enum { UNTOUCHED, OPEN, DONE } * state; /* state of each node's members */
	size_t members;                         /* that were added or looked at so far */
	unsigned depth;                         /* merges that are open */
};

static void add_child(struct loader *l, size_t node)
{
	if (l->nesting == 0)
		return;
	l->children =
		mem_grow(l->children, &l->children_cap, l->children_count + 1, sizeof *l->children);
	l->children[l->children_count++] = (struct child){l->open[l->nesting - 1], node};
}

static bool add_anchor(struct loader *l, const yaml_char_t *name, struct place at)
{
	struct yaml *y = l->yaml;
	char quoted[QUOTE_MAX];
	struct str text;
	size_t number;
	bool added;

	if (!name)
		return true;
	text = str_of((const char *)name);
	number = strmap_add(&l->anchors, text, &added);
	if (!added)
		return fail(y, at, "duplicate anchor %s", quote(quoted, text.s, text.n));
	l->anchored = mem_grow(l->anchored, &l->anchored_cap, number + 1, sizeof *l->anchored);
	l->anchored[number] = y->nodes_count - 1;
	return true;
}

/* Adds a node; a list or mapping is open then. */
static bool add_node(struct loader *l, const yaml_event_t *event)
{
	struct yaml *y = l->yaml;
	struct place at = place_of(event->start_mark);
	struct yaml_node node = {.kind = YAML_TEXT, .line = at.line, .column = at.column};
	const yaml_char_t *anchor = event->data.scalar.anchor;

	if (event->type == YAML_SCALAR_EVENT) {
		size_t n = event->data.scalar.length;

		node.text = (struct str){mem_string((const char *)event->data.scalar.value, n), n};
		node.plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		node.kind = YAML_LIST;
		anchor = event->data.sequence_start.anchor;
	} else {
		node.kind = YAML_MAP;
		anchor = event->data.mapping_start.anchor;
	}
	y->nodes = mem_grow(y->nodes, &l->nodes_cap, y->nodes_count + 1, sizeof *y->nodes);
	y->nodes[y->nodes_count++] = node;
	add_child(l, y->nodes_count - 1);
	if (node.kind != YAML_TEXT && l->nesting == NESTING_MAX)
		return fail(y, at, "lists and mappings are nested deeper than %d", NESTING_MAX);
	if (node.kind != YAML_TEXT)
		l->open[l->nesting++] = y->nodes_count - 1;
	return add_anchor(l, anchor, at);
}

static bool add_alias(struct loader *l, const yaml_event_t *event)
{
	size_t number = strmap_find(&l->anchors, str_of((const char *)event->data.alias.anchor));

	if (!l->anchored || number == STRMAP_NONE)
		return fail(l->yaml, place_of(event->start_mark), "found undefined alias");
	add_child(l, l->anchored[number]);
	return true;
}

static bool take_event(struct loader *l, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		l->documents++;
		return true;
	case YAML_ALIAS_EVENT:
	case YAML_SCALAR_EVENT:
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		if (l->documents > 1)
			return fail(l->yaml, place_of(event->start_mark), "a second document in one file");
		return event->type == YAML_ALIAS_EVENT ? add_alias(l, event) : add_node(l, event);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		l->nesting--;
		return true;
	default:
		return true;
	}
}

static bool parse(struct loader *l)
{
	struct yaml *y = l->yaml;
	yaml_parser_t parser;
	bool good = true;
	bool end = false;

	if (!yaml_parser_initialize(&parser))
		die("%s: no memory for its YAML", y->file);
	yaml_parser_set_input_string(&parser, (const unsigned char *)y->text.data, y->text.len);
	while (good && !end) {
		yaml_event_t event;

		good = yaml_parser_parse(&parser, &event) || parser_failed(y, &parser);
		if (!good)
			break;
		end = event.type == YAML_STREAM_END_EVENT;
		good = take_event(l, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return good;
}

/* --- the tree ------------------------------------------------------------ */

static struct place place_of_node(const struct yaml_node *node)
{
	return (struct place){node->line, node->column};
}

/* Gives each node its children, in their order. */
static void sort_children(struct loader *l)
{
	size_t nodes = l->yaml->nodes_count;

	l->child = mem_alloc(l->children_count + 1, sizeof *l->child);
	l->child_at = mem_zero(nodes + 2, sizeof *l->child_at);
	for (size_t i = 0; i < l->children_count; i++)
		l->child_at[l->children[i].parent + 2]++;
	for (size_t i = 2; i < nodes + 2; i++)
		l->child_at[i] += l->child_at[i - 1];
	for (size_t i = 0; i < l->children_count; i++)
		l->child[l->child_at[l->children[i].parent + 1]++] = l->children[i].node;
}

static void make_lists(struct loader *l)
{
	struct yaml *y = l->yaml;

	for (size_t i = 0; i < y->nodes_count; i++) {
		struct yaml_node *node = &y->nodes[i];
		const size_t *child = l->child + l->child_at[i];

		if (node->kind != YAML_LIST)
			continue;
		node->count = l->child_at[i + 1] - l->child_at[i];
		node->member = mem_zero(node->count, sizeof *node->member);
		for (size_t j = 0; j < node->count; j++)
			node->member[j].value = &y->nodes[child[j]];
	}
}

/* The members of a mapping while they are gathered. */
struct members {
	struct yaml_node *map;
	size_t cap;
	struct strmap keys;
};

/* Counts what merges make, and what they look at. */
static bool count_member(struct loader *l, const struct yaml_node *at)
{
	return ++l->members <= MEMBERS_MAX ||
	       fail(l->yaml, place_of_node(at), "more than %d members; are merges nested?",
	            MEMBERS_MAX);
}

/* Adds the member and sets *added, if its key is new. */
static bool add_member(struct loader *l, struct members *to, struct yaml_member member, bool *added)
{
	struct yaml_node *map = to->map;

	if (!count_member(l, member.key))
		return false;
	strmap_add(&to->keys, member.key->text, added);
	if (!*added)
		return true;
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

	if (!count_member(l, merge))
		return false;
	if (from->kind != YAML_MAP)
		return fail(y, place_of_node(merge), "<<: the merged value is not a mapping");
	if (l->depth == DEPTH_MAX)
		return fail(y, place_of_node(merge), "<<: merges are nested deeper than %d", DEPTH_MAX);
	if (l->state[from - y->nodes] == OPEN)
		return fail(y, place_of_node(merge), "<<: a mapping is merged into itself");
	l->depth++;
	if (!make_members(l, &y->nodes[from - y->nodes]))
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

/* A pair of children of a mapping. */
static struct yaml_member member_at(const struct loader *l, const size_t *child)
{
	const struct yaml *y = l->yaml;

	return (struct yaml_member){&y->nodes[child[0]], &y->nodes[child[1]]};
}

static bool fill(struct loader *l, struct members *to, const size_t *child, const size_t *end)
{
	bool added = true;

	for (const size_t *at = child; at < end; at += 2) {
		struct yaml_member member = member_at(l, at);
		char key[QUOTE_MAX];

		if (member.key->kind != YAML_TEXT || is_merge(member.key))
			continue;
		if (!add_member(l, to, member, &added))
			return false;
		if (!added)
			return fail(l->yaml, place_of_node(member.key), "duplicate key %s",
			            quote(key, member.key->text.s, member.key->text.n));
	}
	/* A merged member never replaces a member of the mapping. */
	for (const size_t *at = child; at < end; at += 2) {
		struct yaml_member member = member_at(l, at);

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
	good = fill(l, &to, l->child + l->child_at[index], l->child + l->child_at[index + 1]);
	l->state[index] = DONE;
	strmap_free(&to.keys);
	return good;
}

static bool make_tree(struct loader *l)
{
	struct yaml *y = l->yaml;
	bool good = true;

	sort_children(l);
	make_lists(l);
	l->state = mem_zero(y->nodes_count, sizeof *l->state);
	for (size_t i = 0; good && i < y->nodes_count; i++)
		good = make_members(l, &y->nodes[i]);
	if (good && y->nodes_count)
		y->root = &y->nodes[0];
	return good;
}

static void free_loader(struct loader *l)
{
	strmap_free(&l->anchors);
	free(l->anchored);
	free(l->children);
	free(l->child);
	free(l->child_at);
	free(l->state);
}

/* --- the interface ------------------------------------------------------- */

bool yaml_open(struct yaml *y, const char *path)
{
	struct loader l = {.yaml = y};
	bool good;

	*y = (struct yaml){.file = path};
	good = read_file(y) && parse(&l) && make_tree(&l);
	free_loader(&l);
	return good;
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
	for (size_t i = 0; i < y->nodes_count; i++) {
		free((char *)y->nodes[i].text.s);
		free(y->nodes[i].member);
	}
	free(y->nodes);
	buf_free(&y->text);
	y->root = NULL;
	y->nodes = NULL;
	y->nodes_count = 0;
}
