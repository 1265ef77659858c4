#include "rocproftables.h"

#include "base/mem.h"

#include <stdlib.h>

void rocproftables_put(struct rocprof_table *table, struct strmap *texts, struct str id,
                       struct str text)
{
	size_t i = idmap_add(&table->ids, id, NULL);

	table->text = mem_grow(table->text, &table->cap, i + 1, sizeof *table->text);
	table->text[i] = strmap_add(texts, text, NULL);
}

struct str rocproftables_get(const struct rocprof_table *table, const struct strmap *texts,
                             struct str id)
{
	size_t i = idmap_find(&table->ids, id);

	return i == IDMAP_NONE ? (struct str){NULL, 0} : strmap_key(texts, table->text[i]);
}

static void table_free(struct rocprof_table *table)
{
	idmap_free(&table->ids);
	free(table->text);
}

void rocproftables_free(struct rocprof_tables *tables)
{
	strmap_free(&tables->texts);
	table_free(&tables->kernels);
	table_free(&tables->messages);
	table_free(&tables->renames);
	idmap_free(&tables->agents);
	free(tables->agent);
	free(tables->kind);
	free(tables->operations);
	buf_free(&tables->pid);
	*tables = (struct rocprof_tables){0};
}

void rocproftables_add_operation(struct rocprof_tables *tables, struct str name)
{
	tables->operations = mem_grow(tables->operations, &tables->operations_cap,
	                              tables->operations_count + 1, sizeof *tables->operations);
	tables->operations[tables->operations_count++] = strmap_add(&tables->texts, name, NULL);
}

void rocproftables_add_kind(struct rocprof_tables *tables, struct str name)
{
	tables->kind =
		mem_grow(tables->kind, &tables->kinds_cap, tables->kinds + 1, sizeof *tables->kind);
	tables->kind[tables->kinds++] = tables->operations_count;
	rocproftables_add_operation(tables, name);
}

struct str rocproftables_operation(const struct rocprof_tables *tables, struct str kind,
                                   struct str operation)
{
	uint64_t k;
	uint64_t o;
	size_t end;

	if (!str_whole(kind, &k) || !str_whole(operation, &o) || k >= tables->kinds)
		return (struct str){NULL, 0};
	end = k + 1 < tables->kinds ? tables->kind[k + 1] : tables->operations_count;
	if (o >= end - tables->kind[k] - 1)
		return (struct str){NULL, 0};
	return strmap_key(&tables->texts, tables->operations[tables->kind[k] + 1 + o]);
}

const char *rocproftables_missing(const struct rocprof_tables *tables, size_t list, bool any)
{
	bool on_device = list == ROCPROF_DISPATCH || list == ROCPROF_COUNTERS;

	if ((any || on_device) && !tables->seen[ROCPROF_KERNELS])
		return "kernel_symbols";
	if ((any || !on_device) && !tables->seen[ROCPROF_KINDS])
		return "strings";
	if ((any || on_device || list == ROCPROF_COPY) && !tables->seen[ROCPROF_AGENTS])
		return "agents";
	if ((any || (!on_device && list != ROCPROF_COPY)) && !tables->seen[ROCPROF_METADATA])
		return "metadata";
	return NULL;
}

struct str rocproftables_agent_pid(const struct rocprof_tables *tables, struct str id, bool *gpu)
{
	size_t i = idmap_find(&tables->agents, id);

	*gpu = i != IDMAP_NONE && tables->agent[i].gpu;
	return i == IDMAP_NONE ? (struct str){NULL, 0}
	                       : strmap_key(&tables->texts, tables->agent[i].node);
}
