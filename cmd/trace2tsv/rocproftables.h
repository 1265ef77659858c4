/*
 * rocproftables - the tables in the JSON of rocprofv3, by whose numbers records name kernels,
 * agents, operations and markers.
 */
#ifndef ROCPROFTABLES_H
#define ROCPROFTABLES_H

#include "base/strmap.h"
#include "trace/idmap.h"

enum rocprof_list {
	ROCPROF_METADATA,
	ROCPROF_AGENTS,
	ROCPROF_KINDS,
	ROCPROF_MESSAGES,
	ROCPROF_RENAMES,
	ROCPROF_KERNELS,
	ROCPROF_COUNTERS, /* from here on records of events */
	ROCPROF_DISPATCH,
	ROCPROF_HIP,
	ROCPROF_HSA,
	ROCPROF_MARKER,
	ROCPROF_RCCL,
	ROCPROF_COPY,
	ROCPROF_ALLOCATION,
	ROCPROF_SCRATCH,
	ROCPROF_DECODE,
	ROCPROF_JPEG,
	ROCPROF_LISTS
};

/* Texts by id. */
struct rocprof_table {
	struct idmap ids;
	size_t *text; /* by number of the id: its number in texts */
	size_t cap;
};

struct rocprof_agent {
	size_t node; /* the text that is its pid */
	bool gpu;
};

/* The tables of one process. */
struct rocprof_tables {
	bool seen[ROCPROF_LISTS];
	struct strmap texts;
	struct rocprof_table kernels;
	struct rocprof_table messages; /* texts of markers, by correlation */
	struct rocprof_table renames;  /* names of kernels, by external correlation */
	struct idmap agents;
	struct rocprof_agent *agent;
	size_t agents_cap;
	bool kinds_end; /* damage hides the numbers of the kinds that follow */
	size_t *kind; /* by kind: the place of its first operation in operations; its name is before */
	size_t kinds;
	size_t kinds_cap;
	size_t *operations; /* numbers in texts */
	size_t operations_count;
	size_t operations_cap;
	struct buf pid; /* pid of the process */
};

/* Sets the text of an id, which is kept in texts. */
void rocproftables_put(struct rocprof_table *table, struct strmap *texts, struct str id,
                       struct str text);

/* The text of an id; s is NULL if it is missing. */
struct str rocproftables_get(const struct rocprof_table *table, const struct strmap *texts,
                             struct str id);

/* Kinds have the numbers 0, 1, ... as they are added, and so have the operations of the last kind.
 */
void rocproftables_add_kind(struct rocprof_tables *tables, struct str name);
void rocproftables_add_operation(struct rocprof_tables *tables, struct str name);

/* The name of an operation of a kind, both numbers in text; s is NULL if it is missing. */
struct str rocproftables_operation(const struct rocprof_tables *tables, struct str kind,
                                   struct str operation);

/* A table that has not come yet: a table that the list needs, or any table. */
const char *rocproftables_missing(const struct rocprof_tables *tables, size_t list, bool any);

/* The pid of an agent's events; *gpu is set to whether it is one. s is NULL if it is unknown. */
struct str rocproftables_agent_pid(const struct rocprof_tables *tables, struct str id, bool *gpu);

/* Empties the tables, which can be filled again. */
void rocproftables_free(struct rocprof_tables *tables);

#endif
