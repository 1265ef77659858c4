/*
 * yaml - a YAML file as a tree, read whole by libyaml.
 *
 * Aliases are the nodes of their anchors, so that a node may be met more than once,
 * and merge keys (<<) have been carried out: a mapping has its own members and then
 * those of what it merges. Text is decoded and in UTF-8; what a tag says of it does
 * not matter. The file may be compressed.
 */
#ifndef KEV_YAML_H /* YAML_H is libyaml's */
#define KEV_YAML_H

#include "base/buf.h"

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	unsigned long line; /* where it stands, from 1 */
	unsigned long column;
	struct str text; /* of YAML_TEXT */
	bool plain;      /* and it stands without quotes */
	/*
	 * Of YAML_MAP in their order, no key twice, those left out whose key is no text;
	 * of YAML_LIST without keys.
	 */
	struct yaml_member *member;
	size_t count;
};

struct yaml_member {
	const struct yaml_node *key; /* NULL in a list */
	const struct yaml_node *value;
};

struct yaml {
	const struct yaml_node *root; /* NULL where the file has no node: it is empty, or comments */
	struct yaml_node *nodes;      /* all of them, one behind the other */
	size_t nodes_count;
	char error[512]; /* "FILE:LINE:COLUMN: what" or "FILE: what" */
	/* Below, yaml.c's own. */
	const char *file;
	struct buf text;
	void *document; /* libyaml's, what text points into */
};

/*
 * Reads path ("-": standard input), which must outlive the tree. False, with the
 * reason in error, where it cannot be read or is no YAML of one document, where a
 * key comes twice in a mapping, or where a merge key has no mapping. yaml_close
 * frees the tree in either case.
 */
bool yaml_open(struct yaml *yaml, const char *path);

/* The value of a member, NULL where there is none or node is no mapping. */
const struct yaml_node *yaml_get(const struct yaml_node *node, struct str key);

/* No value: nothing at all, or the word null. */
bool yaml_is_null(const struct yaml_node *node);

/* Sets *value by the words of YAML (true, yes, on, ...); false where node is none of them. */
bool yaml_boolean(const struct yaml_node *node, bool *value);

void yaml_close(struct yaml *yaml);

#endif
