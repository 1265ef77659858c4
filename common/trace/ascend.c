#include "trace/ascend.h"

/* Of a task on the device. */
static struct str task_category(struct str name, struct str type)
{
	static const char *const sync[] = {"wait",        "record",      "notify",
	                                   "write value", "write_value", "place_holder"};

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

struct str ascend_type(struct str name, struct buf *scratch)
{
	size_t n = str_starts(name, STR("hcom_")) ? 5 : name.n;

	while (n + 1 < name.n && !(name.s[n] == '_' && name.s[n + 1] == '_'))
		n++;
	if (n + 1 >= name.n)
		return STR("");
	scratch->len = 0;
	buf_bytes(scratch, name.s, n + 1);
	return buf_view(scratch);
}

struct str ascend_pid(struct str pid, struct buf *scratch)
{
	enum { OWN_BITS = 10 }; /* which part of the device or CANN */
	uint64_t number;

	if (!str_whole(pid, &number))
		return pid;
	scratch->len = 0;
	buf_format(scratch, "%llu", (unsigned long long)(number >> OWN_BITS));
	return buf_view(scratch);
}
