/*
 * patterns - which rules have a pattern of a name.
 *
 * A pattern without * is found by its hash, the others are tried. Memory grows with the patterns.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include "base/strmap.h"

struct patterns_name;
struct patterns_ends;
struct patterns_glob;

/* Starts as {0}. */
struct patterns {
	struct strmap names;        /* patterns without * */
	struct patterns_name *name; /* their rules, in the order in which they were put */
	size_t count;
	size_t cap;
	struct patterns_ends *ends; /* by number in names */
	size_t ends_cap;
	struct patterns_glob *glob; /* patterns with * */
	size_t globs;
	size_t globs_cap;
	size_t *found;
	size_t found_count;
	size_t found_cap;
};

/* Adds a pattern of a rule; its text must stay. Rules come in their order. */
void patterns_put(struct patterns *patterns, struct str glob, size_t rule);

/* Sets found to the rules that have a pattern of the name, each once, in their order. */
void patterns_find(struct patterns *patterns, struct str name);

void patterns_free(struct patterns *patterns);

#endif
