#include "kernel/kernel.h"

enum kernel_kind kernel_kind(struct str type)
{
	if (str_ends(type, STR("AicpuKernel")))
		return KERNEL_AICPU;
	if (str_starts(type, STR("hcom_")))
		return KERNEL_HCOM;
	return KERNEL_COMPUTE;
}

bool kernel_on_host(struct str cat)
{
	static const char *const host[] = {
		"cpu_op",
		"user_annotation",
		"gpu_user_annotation",
		"cuda_runtime",
		"cuda_driver",
		"python_function",
		"cpu_instant_event",
		"fwdbwd",
		"ac2g",
		"overhead",
		"Trace",
		"async_cpu_to_gpu",
		"privateuse1_runtime",
		"Operator",
		"Runtime",
		"User Annotation",
		"hip_runtime_api",
		"cuda_sync",
		"cuda_profiler_range",
		"collective_comm",
	};

	for (size_t i = 0; i < sizeof host / sizeof *host; i++)
		if (str_equal(cat, str_of(host[i])))
			return true;
	return false;
}

bool kernel_hcom_key(struct buf *key, struct str ts, struct str type, struct str pid,
                     struct str file)
{
	struct dec start;

	if (ts.n == 0 || dec_whole(ts, &start) != DEC_OK)
		return false;
	key->len = 0;
	dec_print(key, start);
	buf_char(key, '\t');
	buf_str(key, type);
	buf_char(key, '\t');
	buf_str(key, pid);
	buf_char(key, '\t');
	buf_str(key, file);
	return true;
}
