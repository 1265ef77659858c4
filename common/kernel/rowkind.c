#include "kernel/rowkind.h"

#define TEXT(text)             \
	{                          \
		text, sizeof(text) - 1 \
	}

struct category {
	struct str name;
	enum rowkind kind;
};

/* All but the four of rowkind_of. The most frequent come first. */
static const struct category categories[] = {
	{TEXT("cuda_driver"), ROWKIND_CALL},
	{TEXT("user_annotation"), ROWKIND_ANNOTATION},
	{TEXT("gpu_memcpy"), ROWKIND_COPY},
	{TEXT("gpu_memset"), ROWKIND_MEMSET},
	{TEXT("gpu_user_annotation"), ROWKIND_DEVICE_ANNOTATION},
	{TEXT("mtia_ccp_events"), ROWKIND_KERNEL},
	{TEXT("async_npu"), ROWKIND_FLOW},
	{TEXT("hpu_op"), ROWKIND_HPU_OP},
	/* Kineto up to 1.11. */
	{TEXT("Kernel"), ROWKIND_KERNEL},
	{TEXT("Memcpy"), ROWKIND_COPY},
	{TEXT("Memset"), ROWKIND_MEMSET},
	{TEXT("Operator"), ROWKIND_OPERATOR},
	{TEXT("Runtime"), ROWKIND_CALL},
	{TEXT("User Annotation"), ROWKIND_ANNOTATION},
	/* Other categories of Kineto and torch_npu. */
	{TEXT("Trace"), ROWKIND_OTHER},
	{TEXT("overhead"), ROWKIND_OTHER},
	{TEXT("cpu_instant_event"), ROWKIND_OTHER},
	{TEXT("fwdbwd"), ROWKIND_OTHER},
	{TEXT("ac2g"), ROWKIND_OTHER},
	{TEXT("async_cpu_to_gpu"), ROWKIND_OTHER},
	{TEXT("external_correlation"), ROWKIND_OTHER},
	{TEXT("collective_comm"), ROWKIND_OTHER},
	{TEXT("mtia_workloadd"), ROWKIND_OTHER},
	{TEXT("mtia_insight"), ROWKIND_OTHER},
	{TEXT("enqueue"), ROWKIND_QUEUE},
	{TEXT("dequeue"), ROWKIND_QUEUE},
	{TEXT("async_task_queue"), ROWKIND_OTHER},
	{TEXT("HostToDevice"), ROWKIND_OTHER},
	{TEXT("cuda_sync"), ROWKIND_MARK},
	{TEXT("cuda_event"), ROWKIND_MARK},
	{TEXT("cuda_profiler_range"), ROWKIND_MARK},
	/* rocprofv3 and rocprof-sys. */
	{TEXT("KERNEL_DISPATCH"), ROWKIND_KERNEL},
	{TEXT("MEMORY_COPY"), ROWKIND_COPY},
	{TEXT("SCRATCH_MEMORY"), ROWKIND_OTHER},
	{TEXT("MEMORY_ALLOCATION"), ROWKIND_OTHER},
	{TEXT("rocm_marker_api"), ROWKIND_OTHER},
	/* Ascend: collectives, a task whose core is unknown, and the levels of api_statistic. */
	{TEXT("HCCL"), ROWKIND_COLLECTIVE},
	{TEXT("COMMUNICATION"), ROWKIND_COLLECTIVE},
	{TEXT("N/A"), ROWKIND_CORE},
	{TEXT("MEMCPY_ASYNC"), ROWKIND_COPY},
	{TEXT("DSA_SQE"), ROWKIND_CORE},
	{TEXT("acl"), ROWKIND_CALL},
	{TEXT("node"), ROWKIND_CALL},
	{TEXT("model"), ROWKIND_CALL},
	{TEXT("runtime"), ROWKIND_CALL},
	{TEXT("hccl"), ROWKIND_CALL},
	{TEXT("communication"), ROWKIND_CALL},
	{TEXT("nnopbase"), ROWKIND_CALL},
	/* Marks and waits of task_time and of -c npu_sync. */
	{TEXT("npu_comm"), ROWKIND_MARK},
	{TEXT("npu_sync"), ROWKIND_MARK},
	{TEXT("EVENT_RECORD"), ROWKIND_MARK},
	{TEXT("EVENT_WAIT"), ROWKIND_MARK},
	{TEXT("NOTIFY_RECORD"), ROWKIND_MARK},
	{TEXT("NOTIFY_WAIT"), ROWKIND_MARK},
	{TEXT("PROFILING_ENABLE"), ROWKIND_MARK},
	{TEXT("PROFILING_DISABLE"), ROWKIND_MARK},
	{TEXT("TASK_TIMEOUT_SET"), ROWKIND_MARK},
	/* Intel's unitrace. */
	{TEXT("gpu_op"), ROWKIND_KERNEL},
	/* Rows that kevtools writes: of kbusy --gaps and kcpu --idle, and of kpath. */
	{TEXT("idle"), ROWKIND_MARK},
	{TEXT("path"), ROWKIND_MARK},
	/* Tenstorrent. */
	{TEXT("tt_dnn_device"), ROWKIND_KERNEL},
	{TEXT("signpost"), ROWKIND_MARK},
};

/* Categories that begin so. */
static const struct category beginnings[] = {
	{TEXT("AI_"), ROWKIND_CORE},
	{TEXT("MIX_"), ROWKIND_CORE},
	{TEXT("KERNEL_AI"), ROWKIND_CORE},
	{TEXT("MARKER_"), ROWKIND_OTHER},
};

/* Categories that end so: xpu_runtime, mtia_driver, hip_runtime_api, RCCL_API, HIP_RUNTIME_API_EXT.
 */
static const struct category endings[] = {
	{TEXT("_runtime"), ROWKIND_CALL}, {TEXT("_driver"), ROWKIND_CALL},
	{TEXT("_api"), ROWKIND_CALL},     {TEXT("_API"), ROWKIND_CALL},
	{TEXT("_API_EXT"), ROWKIND_CALL},
};

/* --- names ------------------------------------------------------------------ */

/* The first text of the list that begins a name; empty if there is none. */
static struct str beginning(struct str name, const struct str *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_starts(name, list[i]))
			return list[i];
	return STR("");
}

/*
 * Whether this is the name of a call of CUDA, HIP or HSA, of a domain of rocprofv3 (HIP_API), or of
 * a page fault of nvprof. A kernel can be named cuApplyLayerNorm: after the prefix, a call has a
 * word of the API.
 */
static bool is_call(struct str name)
{
	static const struct str prefixes[] = {TEXT("__cuda"), TEXT("cuda"), TEXT("cu"), TEXT("__hip"),
	                                      TEXT("hip")};
	static const struct str verbs[] = {
		TEXT("Array"),   TEXT("Create"), TEXT("Ctx"),    TEXT("Destroy"),    TEXT("Device"),
		TEXT("Driver"),  TEXT("Event"),  TEXT("Ext"),    TEXT("Free"),       TEXT("Func"),
		TEXT("Get"),     TEXT("Graph"),  TEXT("Host"),   TEXT("Init"),       TEXT("Launch"),
		TEXT("Library"), TEXT("Malloc"), TEXT("Mem"),    TEXT("Module"),     TEXT("Occupancy"),
		TEXT("Peek"),    TEXT("Pop"),    TEXT("Push"),   TEXT("Register"),   TEXT("Runtime"),
		TEXT("Set"),     TEXT("Stream"), TEXT("Thread"), TEXT("Unregister"),
	};
	struct str prefix = beginning(name, prefixes, sizeof prefixes / sizeof *prefixes);
	struct str rest = {name.s + prefix.n, name.n - prefix.n};

	if (str_starts(name, STR("[Unified Memory")))
		return !str_starts(name, STR("[Unified Memory Memcpy"));
	if (str_starts(name, STR("hsa_")) || str_ends(name, STR("_API")))
		return true;
	return prefix.n && beginning(rest, verbs, sizeof verbs / sizeof *verbs).n &&
	       !memchr(name.s, '(', name.n);
}

enum rowkind rowkind_on_device(struct str name)
{
	if (name.n == 0 || name.s[0] != '[')
		return ROWKIND_KERNEL;
	if (str_has_any_case(name, STR("memcpy")))
		return ROWKIND_COPY;
	return str_has_any_case(name, STR("memset")) ? ROWKIND_MEMSET : ROWKIND_MARK;
}

/* A row of a device without a known category. */
static enum rowkind unknown(struct str name)
{
	enum rowkind kind = rowkind_on_device(name);

	if (rowkind_is_copy(kind))
		return kind;
	/* Kineto of 2021 gives allocations no category. */
	if (str_equal(name, STR("[memory]")))
		return ROWKIND_OTHER;
	return str_starts(name, STR("MEMORY_COPY_")) ? ROWKIND_COPY : ROWKIND_UNKNOWN;
}

/* --- categories -------------------------------------------------------------- */

static enum rowkind by_category(struct str cat)
{
	for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
		if (cat.n == categories[i].name.n && memcmp(cat.s, categories[i].name.s, cat.n) == 0)
			return categories[i].kind;
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (str_starts(cat, beginnings[i].name))
			return beginnings[i].kind;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (str_ends(cat, endings[i].name))
			return endings[i].kind;
	return ROWKIND_UNKNOWN;
}

enum rowkind rowkind_look_up(struct str cat, struct str name)
{
	enum rowkind kind;

	if (cat.n == 0)
		return is_call(name) ? ROWKIND_CALL : unknown(name);
	kind = by_category(cat);
	if (kind == ROWKIND_UNKNOWN)
		return unknown(name);
	if (kind == ROWKIND_KERNEL && cat.s[0] == 'm' && str_equal(name, STR("dma_request")))
		return ROWKIND_COPY;
	return kind;
}

enum rowkind rowkind_work(struct str cat, struct str name)
{
	if (str_starts(name, STR("__amd_rocclr_copyBuffer")) || str_starts(name, STR("MEMORY_COPY_")))
		return ROWKIND_COPY;
	if (str_starts(name, STR("__amd_rocclr_fillBuffer")))
		return ROWKIND_MEMSET;
	return rowkind_of(cat, name);
}

enum rowkind_rank rowkind_rank(enum rowkind kind, struct str cat)
{
	switch (kind) {
	case ROWKIND_ANNOTATION:
		return ROWKIND_IN_ANNOTATION;
	case ROWKIND_FUNCTION:
		return ROWKIND_IN_FUNCTION;
	case ROWKIND_OPERATOR:
	case ROWKIND_HPU_OP:
	case ROWKIND_QUEUE:
		return ROWKIND_IN_OPERATOR;
	case ROWKIND_CALL:
		return str_ends(cat, STR("_driver")) ? ROWKIND_IN_DRIVER : ROWKIND_IN_RUNTIME;
	default:
		return ROWKIND_IN_NOTHING;
	}
}

struct str rowkind_cat(enum rowkind kind)
{
	switch (kind) {
	case ROWKIND_KERNEL:
		return STR("kernel");
	case ROWKIND_COPY:
		return STR("gpu_memcpy");
	case ROWKIND_MEMSET:
		return STR("gpu_memset");
	default:
		return STR("");
	}
}
