#include "trace/ascend.h"

/* The category of a task on the device. */
static struct str task_category(struct str name, struct str type)
{
	static const char *const sync[] = {"wait",        "record",      "notify",
	                                   "write value", "write_value", "place_holder"};

	if (str_has_any_case(type, STR("memcpy")))
		return STR("gpu_memcpy");
	if (str_has_any_case(type, STR("dma")))
		return str_has_any_case(name, STR("memcpy")) ? STR("gpu_memcpy") : STR("npu_comm");
	for (size_t i = 0; i < sizeof sync / sizeof *sync; i++)
		if (str_has_any_case(type, str_of(sync[i])))
			return STR("npu_sync");
	return STR("kernel");
}

struct str ascend_category(struct str name, struct str task_type, struct str level)
{
	if (task_type.n)
		return task_category(name, task_type);
	if (str_starts(name, STR("hcom_")))
		return STR("kernel");
	return level.n ? STR("privateuse1_runtime") : STR("");
}

/* The number divided, as a process; empty if that has no operators. */
static struct str process_of(uint64_t number, const struct strmap *processes, struct buf *scratch)
{
	scratch->len = 0;
	buf_format(scratch, "%llu", (unsigned long long)number);
	return strmap_find(processes, buf_view(scratch)) == STRMAP_NONE ? STR("") : buf_view(scratch);
}

struct str ascend_pid(struct str pid, const struct strmap *processes, struct buf *scratch)
{
	enum { PARTS = 1024, PARTS_BEFORE = 100 }; /* numbers of a process */
	uint64_t number;
	struct str found;

	if (!str_whole(pid, &number))
		return pid;
	found = process_of(number / PARTS, processes, scratch);
	if (found.n == 0)
		found = process_of(number / PARTS_BEFORE, processes, scratch);
	if (found.n)
		return found;
	scratch->len = 0;
	buf_format(scratch, "%llu", (unsigned long long)number / PARTS);
	return buf_view(scratch);
}

struct str ascend_flow_id(struct str ts, struct buf *scratch)
{
	enum { DECIMALS = 3 }; /* decimal places of ns in us */
	const char *point = ts.n ? memchr(ts.s, '.', ts.n) : NULL;
	struct str whole = {ts.s, point ? (size_t)(point - ts.s) : ts.n};
	struct str decimals = {point ? point + 1 : ts.s, point ? ts.n - whole.n - 1 : 0};
	uint64_t number;

	while (decimals.n > DECIMALS && decimals.s[decimals.n - 1] == '0')
		decimals.n--;
	if (ts.n == 0 || decimals.n > DECIMALS)
		return STR("");
	scratch->len = 0;
	buf_str(scratch, whole);
	buf_str(scratch, decimals);
	buf_bytes(scratch, "000", DECIMALS - decimals.n);
	return str_whole(buf_view(scratch), &number) ? buf_view(scratch) : STR("");
}
