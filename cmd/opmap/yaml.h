/*
 * yaml - a YAML file as a tree, read whole by the parser of libyaml.
 *
 * An alias is the node of its anchor, so a node may have several parents. Merge keys (<<) are
 * resolved: a mapping has its own members, then the merged ones. Text is decoded and in UTF-8; tags
 * are ignored. The file may be compressed. Memory and time grow with the file.
 */
#ifndef KEV_YAML_H /* YAML_H is libyaml's */
#define KEV_YAML_H

#include "base/buf.h"

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	unsigned long line; /* in the file, from 1 */
	unsigned long column;
	struct str text; /* text of YAML_TEXT */
	bool plain;      /* text without quotes in the file */
	/*
	 * Members of YAML_MAP: in order, no key twice, without members whose key is not text. Members
	 * of YAML_LIST: all, without keys.
	 */
	struct yaml_member *member;
	size_t count;
};

struct yaml_member {
	const struct yaml_node *key; /* NULL in a list */
	const struct yaml_node *value;
};

struct yaml {
	const struct yaml_node *root; /* NULL if the file has no node: it is empty, or comments */
	struct yaml_node *nodes;      /* all nodes, in the order of the file */
	size_t nodes_count;
	char error[512]; /* "FILE:LINE:COLUMN: what" or "FILE: what" */
	/* The rest is of yaml.c. */
	const char *file;
	struct buf text;
};

/*
 * Reads path ("-": standard input), which must outlive the tree. Returns false, with the reason in
 * error, if it cannot be read or is not YAML of one document, if lists and mappings are nested
 * deeper than 1,000, if a mapping has a key twice, or if a merge key has no mapping. yaml_close
 * frees the tree in either case.
 */
bool yaml_open(struct yaml *yaml, const char *path);

/* The value of a member; NULL if it is missing, or if node is not a mapping. */
const struct yaml_node *yaml_get(const struct yaml_node *node, struct str key);

/* Whether there is no value: nothing at all, or the word null. */
bool yaml_is_null(const struct yaml_node *node);

/* Sets *value by the words of YAML: true, yes, on and so on. False if node is another word. */
bool yaml_boolean(const struct yaml_node *node, bool *value);

void yaml_close(struct yaml *yaml);

#endif
