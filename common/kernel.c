#include "kernel.h"

enum kernel_kind kernel_kind(struct str type)
{
	if (str_ends(type, STR("AicpuKernel")))
		return KERNEL_AICPU;
	if (str_starts(type, STR("hcom_")))
		return KERNEL_HCOM;
	return KERNEL_COMPUTE;
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
