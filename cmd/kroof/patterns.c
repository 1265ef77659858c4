#include "patterns.h"

#include "base/mem.h"
#include "syntax/glob.h"

#include <stdlib.h>

struct patterns_name {
	size_t rule;
	size_t next; /* the next rule with the same name, in patterns.name; 0: none */
};

/* The first and the last rule of a name, in patterns.name. */
struct patterns_ends {
	size_t first;
	size_t last;
};

struct patterns_glob {
	struct str glob;
	size_t rule;
};

void patterns_put(struct patterns *p, struct str glob, size_t rule)
{
	size_t number;
	bool added;

	if (str_has_byte(glob, '*')) {
		p->glob = mem_grow(p->glob, &p->globs_cap, p->globs + 1, sizeof *p->glob);
		p->glob[p->globs++] = (struct patterns_glob){glob, rule};
		return;
	}
	number = strmap_add(&p->names, glob, &added);
	p->ends = mem_grow(p->ends, &p->ends_cap, number + 1, sizeof *p->ends);
	p->name = mem_grow(p->name, &p->cap, p->count + 1, sizeof *p->name);
	p->name[p->count] = (struct patterns_name){.rule = rule};
	if (added)
		p->ends[number].first = p->count;
	else
		p->name[p->ends[number].last].next = p->count;
	p->ends[number].last = p->count++;
}

static void add_rule(struct patterns *p, size_t rule)
{
	if (p->found_count && p->found[p->found_count - 1] == rule)
		return;
	p->found = mem_grow(p->found, &p->found_cap, p->found_count + 1, sizeof *p->found);
	p->found[p->found_count++] = rule;
}

void patterns_find(struct patterns *p, struct str name)
{
	size_t number = strmap_find(&p->names, name);
	bool more = number != STRMAP_NONE;
	size_t at = more ? p->ends[number].first : 0;

	p->found_count = 0;
	for (size_t i = 0; i <= p->globs; i++) {
		if (i < p->globs && !glob_matches(p->glob[i].glob, name))
			continue;
		for (; more && (i == p->globs || p->name[at].rule < p->glob[i].rule);
		     at = p->name[at].next) {
			add_rule(p, p->name[at].rule);
			more = p->name[at].next != 0;
		}
		if (i < p->globs)
			add_rule(p, p->glob[i].rule);
	}
}

void patterns_free(struct patterns *p)
{
	strmap_free(&p->names);
	free(p->name);
	free(p->ends);
	free(p->glob);
	free(p->found);
	*p = (struct patterns){0};
}
