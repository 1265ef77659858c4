#include "nsys.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

#include "nvtxop.h"

#define CUPTI "CUPTI_ACTIVITY_KIND_"

enum { PID_SHIFT = 24, PID_MASK = 0xffffff }; /* bits of the process in globalTid and globalPid */

/* Older versions write 0 for none. */
static int64_t pid_of(int64_t global)
{
	return global == SQLEVENTS_NONE || global == 0 ? SQLEVENTS_NONE
	                                               : global >> PID_SHIFT & PID_MASK;
}

static int64_t tid_of(int64_t global)
{
	return global == SQLEVENTS_NONE || global == 0 ? SQLEVENTS_NONE : global & PID_MASK;
}

/* What a process calls a device, and which GPU that is. */
struct gpu {
	int64_t pid;
	int64_t device;
	int64_t gpu;
};

/* Domains of each process, as "PID DOMAIN", and their names. */
struct domains {
	struct strmap keys;
	struct sqltexts names; /* by number of the key */
	struct buf key;
};

struct session {
	struct sqlevents *events;
	struct gpu *gpu; /* by device, then by pid */
	size_t gpus;
	size_t gpus_cap;
	bool renumbered;    /* processes call different GPUs by one number */
	size_t kernel_name; /* the column of the kernel's name */
	struct domains domains;
	struct buf sizes; /* sizes of the operator at hand */
};

static int by_device(const void *a, const void *b)
{
	const struct gpu *x = a;
	const struct gpu *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The number, among all of the file, of the device that a process calls so. */
static int64_t device_of(const struct session *session, int64_t pid, int64_t device)
{
	struct gpu key = {.pid = pid, .device = device};
	const struct gpu *found = session->renumbered ? bsearch(&key, session->gpu, session->gpus,
	                                                        sizeof *session->gpu, by_device)
	                                              : NULL;

	return found ? found->gpu : device;
}

/* --- what is known of the session ---------------------------------------------- */

static void write_epoch(struct sqlevents *events)
{
	static const struct sqlrows_column columns[] = {{"utcEpochNs", SQLROWS_OWN, true}};
	static const struct sqlrows_plan plan = SQLROWS_PLAN("TARGET_INFO_SESSION_START_TIME", columns);
	struct sqlrows rows = {0};

	for (bool first = true; sqlevents_row(events, &rows, &plan); first = false)
		if (first && sqlevents_number(&rows, 0) != SQLEVENTS_NONE)
			sqlevents_meta(events, "baseTimeNanoseconds", NULL, sqlevents_number(&rows, 0));
}

/* With CUDA_VISIBLE_DEVICES each process counts its devices from 0 on. */
static void read_gpus(struct session *session)
{
	enum { GPU, CUDA, PID };
	static const struct sqlrows_column columns[] = {[GPU] = {"gpuId", SQLROWS_OWN, false},
	                                                [CUDA] = {"cudaId", SQLROWS_OWN, false},
	                                                [PID] = {"pid", SQLROWS_OWN, false}};
	static const struct sqlrows_plan plan = SQLROWS_PLAN("TARGET_INFO_CUDA_DEVICE", columns);
	struct sqlrows rows = {0};

	while (sqlevents_row(session->events, &rows, &plan)) {
		struct gpu gpu = {.pid = sqlevents_number(&rows, PID),
		                  .device = sqlevents_number(&rows, CUDA),
		                  .gpu = sqlevents_number(&rows, GPU)};

		if (gpu.pid == SQLEVENTS_NONE || gpu.device == SQLEVENTS_NONE || gpu.gpu == SQLEVENTS_NONE)
			continue;
		session->gpu =
			mem_grow(session->gpu, &session->gpus_cap, session->gpus + 1, sizeof *session->gpu);
		session->gpu[session->gpus++] = gpu;
	}
	if (session->gpus)
		qsort(session->gpu, session->gpus, sizeof *session->gpu, by_device);
	for (size_t i = 1; i < session->gpus; i++)
		session->renumbered |= session->gpu[i].device == session->gpu[i - 1].device &&
		                       session->gpu[i].gpu != session->gpu[i - 1].gpu;
}

enum gpu_column { GPU_ID, GPU_DEVICE, GPU_NAME, GPU_MAJOR, GPU_MINOR, GPU_PROPERTIES };

static const struct sqlrows_column gpu_columns[] = {
	[GPU_ID] = {"id", SQLROWS_OWN, false},
	[GPU_DEVICE] = {"cuDevice", SQLROWS_OWN, false},
	[GPU_NAME] = {"name", SQLROWS_OWN, true},
	[GPU_MAJOR] = {"computeMajor", SQLROWS_OWN, false},
	[GPU_MINOR] = {"computeMinor", SQLROWS_OWN, false},
	[GPU_PROPERTIES] = {"totalMemory", SQLROWS_OWN, false},
	{"smCount", SQLROWS_OWN, false},
	{"threadsPerWarp", SQLROWS_OWN, false},
	{"maxThreadsPerBlock", SQLROWS_OWN, false},
	{"maxShmemPerBlock", SQLROWS_OWN, false},
};

static void write_properties(struct sqlevents *events, const struct sqlrows *rows)
{
	static const char *const names[] = {"totalGlobalMem", "numSms", "warpSize",
	                                    "maxThreadsPerBlock", "sharedMemPerBlock"};
	struct buf capability = {0};

	if (sqlevents_number(rows, GPU_MAJOR) != SQLEVENTS_NONE) {
		buf_format(&capability, "%" PRId64 ".%" PRId64, sqlevents_number(rows, GPU_MAJOR),
		           sqlrows_number_or(rows, GPU_MINOR, 0));
		kev_meta(events->out, "deviceProp",
		         (struct str[]){STR("computeCapability"), buf_view(&capability)}, 2);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (sqlevents_number(rows, GPU_PROPERTIES + i) != SQLEVENTS_NONE)
			sqlevents_meta(events, "deviceProp", names[i],
			               sqlevents_number(rows, GPU_PROPERTIES + i));
	buf_free(&capability);
}

/* The first device stands for all in ##device; each has its ##process. */
static void write_devices(const struct session *session)
{
	static const struct sqlrows_plan plan = SQLROWS_PLAN("TARGET_INFO_GPU", gpu_columns);
	struct sqlevents *events = session->events;
	struct sqlrows rows = {0};
	struct str nvidia = STR("NVIDIA");

	kev_meta(events->out, "platform", &nvidia, 1);
	for (bool first = true; sqlevents_row(events, &rows, &plan); first = false) {
		struct str name = sqlrows_text(&rows, GPU_NAME);
		int64_t device = session->renumbered ? SQLEVENTS_NONE : sqlevents_number(&rows, GPU_DEVICE);

		if (first) {
			kev_meta(events->out, "device", &name, 1);
			write_properties(events, &rows);
		}
		sqlevents_device(
			events, device == SQLEVENTS_NONE ? sqlrows_number_or(&rows, GPU_ID, 0) : device, name);
	}
}

/* The processes of the host that have rows. Host rows come last, so these lines do, too. */
static void write_processes(struct sqlevents *events)
{
	enum { ID, NAME };
	static const struct sqlrows_column processes[] = {
		[ID] = {"globalPid", SQLROWS_OWN, true}, [NAME] = {"name", SQLROWS_OWN, true}};
	static const struct sqlrows_column threads[] = {
		[ID] = {"globalTid", SQLROWS_OWN, true}, [NAME] = {"nameId", SQLROWS_OWN, true}};
	static const struct sqlrows_plan process_plan = SQLROWS_PLAN("PROCESSES", processes);
	static const struct sqlrows_plan thread_plan = SQLROWS_PLAN("ThreadNames", threads);
	struct sqlrows rows = {0};
	struct sqlrows thread_rows = {0};
	struct str name;

	while (sqlevents_row(events, &rows, &process_plan))
		sqlevents_process(events, pid_of(sqlevents_number(&rows, ID)), sqlrows_text(&rows, NAME));
	while (sqlevents_row(events, &thread_rows, &thread_plan)) {
		int64_t thread = sqlevents_number(&thread_rows, ID);

		if (sqltexts_find(&events->texts, sqlevents_number(&thread_rows, NAME), &name))
			sqlevents_thread(events, pid_of(thread), tid_of(thread), name);
	}
}

/* --- rows of the device ----------------------------------------------------------- */

enum device_column {
	START,
	END,
	DEVICE,
	STREAM,
	CORRELATION,
	PROCESS,
	CONTEXT,
	NAME,
	SHORT_NAME,
	NODE,
	BYTES,
	COPY,
	FROM,
	TO,
	MEMORY,
	GRAPH,
	DEVICE_COLUMNS
};

/* Each table of the device has some of these columns. */
static const struct sqlrows_column device_columns[DEVICE_COLUMNS] = {
	[START] = {"start", SQLROWS_OWN, true},
	[END] = {"end", SQLROWS_OWN, true},
	[DEVICE] = {"deviceId", SQLROWS_OWN, false},
	[STREAM] = {"streamId", SQLROWS_OWN, false},
	[CORRELATION] = {"correlationId", SQLROWS_OWN, false},
	[PROCESS] = {"globalPid", SQLROWS_OWN, false},
	[CONTEXT] = {"contextId", SQLROWS_OWN, false},
	[NAME] = {"demangledName", SQLROWS_OWN, false},
	[SHORT_NAME] = {"shortName", SQLROWS_OWN, false},
	[NODE] = {"graphNodeId", SQLROWS_OWN, false},
	[BYTES] = {"bytes", SQLROWS_OWN, false},
	[COPY] = {"copyKind", SQLROWS_OWN, false},
	[FROM] = {"srcKind", SQLROWS_OWN, false},
	[TO] = {"dstKind", SQLROWS_OWN, false},
	[MEMORY] = {"memKind", SQLROWS_OWN, false},
	[GRAPH] = {"graphId", SQLROWS_OWN, false},
};
static const struct sqlrows_plan kernel_plan = SQLROWS_PLAN(CUPTI "KERNEL", device_columns);
static const struct sqlrows_plan copy_plan = SQLROWS_PLAN(CUPTI "MEMCPY", device_columns);
static const struct sqlrows_plan memset_plan = SQLROWS_PLAN(CUPTI "MEMSET", device_columns);
static const struct sqlrows_plan graph_plan = SQLROWS_PLAN(CUPTI "GRAPH_TRACE", device_columns);

static bool device_event(const struct session *session, const struct sqlrows *rows,
                         struct sqlevent *event)
{
	if (!sqlevents_times(session->events, rows, START, END, event))
		return false;
	event->process = pid_of(sqlevents_number(rows, PROCESS));
	event->device = device_of(session, event->process, sqlevents_number(rows, DEVICE));
	event->pid = event->device;
	event->stream = event->tid = sqlevents_number(rows, STREAM);
	event->correlation = sqlevents_id(rows, CORRELATION);
	event->context = sqlevents_number(rows, CONTEXT);
	return true;
}

static void begin_kernels(void *kind, const struct sqlrows *rows)
{
	struct session *session = kind;
	bool is_short = session->events->options->short_names || !sqlrows_has(rows, NAME);

	session->kernel_name = is_short && sqlrows_has(rows, SHORT_NAME) ? SHORT_NAME : NAME;
}

static bool kernel_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;

	if (!device_event(session, rows, event))
		return false;
	event->name = sqlevents_text(session->events, rows, session->kernel_name);
	event->cat = STR("kernel");
	event->extra_number = sqlevents_id(rows, NODE);
	return true;
}

/* ENUM_CUDA_MEM_KIND */
static const char *memory_kind(int64_t kind)
{
	static const char *const kinds[] = {"Pageable", "Pinned",        "Device",         "Array",
	                                    "Managed",  "Device Static", "Managed Static", "Unknown"};

	return kind >= 0 && kind < (int64_t)(sizeof kinds / sizeof *kinds) ? kinds[kind] : NULL;
}

/* The names of PyTorch: Memcpy HtoD (Pageable -> Device). */
static void put_copy_name(struct buf *name, int64_t copy, int64_t from, int64_t to)
{
	static const char *const copies[] = {
		"Unknown", "HtoD", "DtoH", "HtoA", "AtoH",         "AtoA",         "AtoD",
		"DtoA",    "DtoD", "HtoH", "PtoP", "Unified HtoD", "Unified DtoH", "Unified DtoD"};

	buf_text(name, "Memcpy ");
	if (copy >= 0 && copy < (int64_t)(sizeof copies / sizeof *copies))
		buf_text(name, copies[copy]);
	else
		buf_text(name, "Unknown");
	if (memory_kind(from) && memory_kind(to))
		buf_format(name, " (%s -> %s)", memory_kind(from), memory_kind(to));
}

static bool copy_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;
	struct buf *name = &session->events->composed;

	if (!device_event(session, rows, event))
		return false;
	put_copy_name(name, sqlevents_number(rows, COPY), sqlevents_number(rows, FROM),
	              sqlevents_number(rows, TO));
	event->name = buf_view(name);
	event->cat = STR("gpu_memcpy");
	event->bytes = sqlevents_number(rows, BYTES);
	event->extra_number = sqlevents_id(rows, NODE);
	return true;
}

static bool memset_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;
	struct buf *name = &session->events->composed;
	const char *memory = memory_kind(sqlevents_number(rows, MEMORY));

	if (!device_event(session, rows, event))
		return false;
	buf_text(name, "Memset");
	if (memory)
		buf_format(name, " (%s)", memory);
	event->name = buf_view(name);
	event->cat = STR("gpu_memset");
	event->bytes = sqlevents_number(rows, BYTES);
	event->extra_number = sqlevents_id(rows, NODE);
	return true;
}

/* Whole graphs, of which nsys --cuda-graph-trace=graph records no kernels. */
static bool graph_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;
	struct buf *name = &session->events->composed;

	if (!device_event(session, rows, event))
		return false;
	if (event->start == 0 && event->end == 0) {
		session->events->no_times++;
		sqlevents_drop(session->events, SQLEVENTS_NO_TIMES);
		return false;
	}
	buf_format(name, "[CUDA graph %" PRId64 "]", sqlrows_number_or(rows, GRAPH, 0));
	event->name = buf_view(name);
	event->cat = STR("kernel");
	return true;
}

/* --- rows of the host ------------------------------------------------------------- */

/* cuLaunchKernel is of the driver, cudaLaunchKernel of the runtime. */
static bool is_driver(struct str name)
{
	return name.n > 2 && str_starts(name, STR("cu")) && name.s[2] >= 'A' && name.s[2] <= 'Z';
}

enum call { CALL_START, CALL_END, CALL_CLASS, CALL_THREAD, CALL_CORRELATION, CALL_NAME };

static const struct sqlrows_column call_columns[] = {
	[CALL_START] = {"start", SQLROWS_OWN, true},
	[CALL_END] = {"end", SQLROWS_OWN, true},
	[CALL_CLASS] = {"eventClass", SQLROWS_OWN, false},
	[CALL_THREAD] = {"globalTid", SQLROWS_OWN, false},
	[CALL_CORRELATION] = {"correlationId", SQLROWS_OWN, false},
	[CALL_NAME] = {"nameId", SQLROWS_OWN, true},
};
static const struct sqlrows_plan call_plan = SQLROWS_PLAN(CUPTI "RUNTIME", call_columns);

static bool call_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;
	int64_t class = sqlevents_number(rows, CALL_CLASS);
	int64_t thread = sqlevents_number(rows, CALL_THREAD);

	if (!sqlevents_times(session->events, rows, CALL_START, CALL_END, event))
		return false;
	event->name = sqlevents_text(session->events, rows, CALL_NAME);
	event->cat = class == 1 || (class != 0 && is_driver(event->name)) ? STR("cuda_driver")
	                                                                  : STR("cuda_runtime");
	event->pid = event->process = pid_of(thread);
	event->tid = tid_of(thread);
	event->correlation = sqlevents_id(rows, CALL_CORRELATION);
	return true;
}

/* --- NVTX --------------------------------------------------------------------------- */

/* ENUM_NSYS_EVENT_TYPE */
enum {
	NVTX_MARK = 34,
	NVTX_PUSH_POP = 59,
	NVTX_START_END = 60,
	NVTXT_MARK = 65,
	NVTXT_PUSH_POP = 70,
	NVTXT_START_END = 71,
	NVTX_DOMAIN = 75
};

enum nvtx { NVTX_START, NVTX_END, NVTX_TYPE, NVTX_TEXT, NVTX_TEXT_ID, NVTX_THREAD, NVTX_DOMAIN_ID };

static const struct sqlrows_column nvtx_columns[] = {
	[NVTX_START] = {"start", SQLROWS_OWN, true},
	[NVTX_END] = {"end", SQLROWS_OWN, false},
	[NVTX_TYPE] = {"eventType", SQLROWS_OWN, false},
	[NVTX_TEXT] = {"text", SQLROWS_OWN, false},
	[NVTX_TEXT_ID] = {"textId", SQLROWS_OWN, false},
	[NVTX_THREAD] = {"globalTid", SQLROWS_OWN, false},
	[NVTX_DOMAIN_ID] = {"domainId", SQLROWS_OWN, false},
};
static const struct sqlrows_plan nvtx_plan = SQLROWS_PLAN("NVTX_EVENTS", nvtx_columns);

static struct str domain_key(struct domains *domains, const struct sqlrows *rows)
{
	domains->key.len = 0;
	buf_format(&domains->key, "%" PRId64 " %" PRId64, pid_of(sqlevents_number(rows, NVTX_THREAD)),
	           sqlevents_number(rows, NVTX_DOMAIN_ID));
	return buf_view(&domains->key);
}

static struct str nvtx_text(struct sqlevents *events, const struct sqlrows *rows)
{
	struct str text = sqlrows_text(rows, NVTX_TEXT);

	if (text.n || sqlevents_number(rows, NVTX_TEXT_ID) == SQLEVENTS_NONE)
		return text;
	return sqlevents_text(events, rows, NVTX_TEXT_ID);
}

static void read_domains(void *kind, const struct sqlrows *of_ranges)
{
	struct session *session = kind;
	struct domains *domains = &session->domains;
	struct sqlrows rows = {0};
	bool is_new;
	size_t number;

	(void)of_ranges;
	while (sqlevents_row(session->events, &rows, &nvtx_plan)) {
		if (sqlevents_number(&rows, NVTX_TYPE) != NVTX_DOMAIN)
			continue;
		number = strmap_add(&domains->keys, domain_key(domains, &rows), &is_new);
		if (is_new)
			sqltexts_add(&domains->names, (int64_t)number, nvtx_text(session->events, &rows));
	}
	sqltexts_sort(&domains->names);
}

/* The text of a range, after the name of its domain if there is a domain. */
static struct str range_name(struct session *session, const struct sqlrows *rows, struct str text)
{
	struct domains *domains = &session->domains;
	struct buf *name = &session->events->composed;
	struct str domain = STR("");
	size_t number;

	if (domains->keys.count == 0 || sqlevents_id(rows, NVTX_DOMAIN_ID) == SQLEVENTS_NONE)
		return text;
	number = strmap_find(&domains->keys, domain_key(domains, rows));
	if (number == STRMAP_NONE || !sqltexts_find(&domains->names, (int64_t)number, &domain) ||
	    domain.n == 0)
		return text;
	buf_str(name, domain);
	buf_char(name, ':');
	buf_str(name, text);
	return buf_view(name);
}

/* The phase of a row by its type; 0 for other kinds. */
static char nvtx_phase(int64_t type)
{
	switch (type) {
	case SQLEVENTS_NONE: /* without a column eventType */
	case NVTX_PUSH_POP:
	case NVTX_START_END:
	case NVTXT_PUSH_POP:
	case NVTXT_START_END:
		return 'X';
	case NVTX_MARK:
	case NVTXT_MARK:
		return 'i';
	default:
		return 0;
	}
}

/* The end of a range may be missing: it was still open. */
static bool range_times(struct sqlevents *events, const struct sqlrows *rows,
                        struct sqlevent *event)
{
	int64_t end = sqlevents_number(rows, NVTX_END);

	if (event->ph == 'X' && sqlrows_number(rows, NVTX_END, &end) == SQLROWS_NULL)
		event->ph = 'B';
	if (event->ph == 'X')
		return sqlevents_times(events, rows, NVTX_START, NVTX_END, event);
	if (!sqlevents_times(events, rows, NVTX_START, NVTX_START, event))
		return false;
	event->end = SQLEVENTS_NONE;
	return true;
}

/* A range that emit_nvtx of PyTorch wrote for an operator. False for other texts. */
static bool operator_event(struct session *session, struct str text, struct sqlevent *event)
{
	struct nvtxop op;
	uint64_t id;

	if (!nvtxop_read(text, &op))
		return false;
	event->cat = STR("cpu_op");
	event->name = op.name;
	event->sequence = op.sequence;
	if (str_whole(op.id, &id))
		event->external_id = (int64_t)id;
	session->sizes.len = 0;
	nvtxop_put_sizes(&session->sizes, op.sizes);
	event->dims = buf_view(&session->sizes);
	return true;
}

static bool range_event(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct session *session = kind;
	int64_t thread = sqlevents_number(rows, NVTX_THREAD);
	struct str text;

	event->ph = nvtx_phase(sqlevents_number(rows, NVTX_TYPE));
	if (!event->ph)
		sqlevents_drop(session->events, SQLEVENTS_KIND);
	if (!event->ph || !range_times(session->events, rows, event))
		return false;
	text = nvtx_text(session->events, rows);
	if (event->ph == 'i' || !operator_event(session, text, event)) {
		event->name = range_name(session, rows, text);
		event->cat = STR("user_annotation");
	}
	event->pid = event->process = pid_of(thread);
	event->tid = tid_of(thread);
	return true;
}

/* --- what nsys says of its own work ---------------------------------------------------- */

enum { DIAGNOSES = 10 };

struct diagnosis {
	int64_t time; /* ns */
	struct buf text;
};

/* The texts that were reported first, each once, in the order of their times. */
struct diagnoses {
	struct diagnosis item[DIAGNOSES];
	size_t count;
};

/* Adds a text: at its first time, and not if so many others were reported before it. */
static void add_diagnosis(struct diagnoses *all, int64_t time, struct str text)
{
	struct diagnosis moved = {.time = time};
	size_t from = 0;
	size_t to;

	while (from < all->count && !str_equal(buf_view(&all->item[from].text), text))
		from++;
	if (from < all->count ? all->item[from].time <= time
	                      : from == DIAGNOSES && all->item[from - 1].time <= time)
		return;
	if (from == DIAGNOSES) {
		from--; /* the last one gives way */
		moved.text = all->item[from].text;
		moved.text.len = 0;
	} else if (from < all->count) {
		moved.text = all->item[from].text;
		moved.text.len = 0;
	} else {
		all->count++;
	}
	buf_str(&moved.text, text);
	for (to = from; to > 0 && all->item[to - 1].time > time; to--)
		all->item[to] = all->item[to - 1];
	all->item[to] = moved;
}

/* Prints warnings and errors that nsys has recorded of its recording of CUDA or NVTX. */
static void report_diagnoses(struct sqlevents *events)
{
	enum { TIME, SEVERITY, TEXT };
	enum { WARNING = 2, ERROR = 3, LONGEST = 400 };
	static const struct sqlrows_column columns[] = {[TIME] = {"timestamp", SQLROWS_OWN, false},
	                                                [SEVERITY] = {"severity", SQLROWS_OWN, false},
	                                                [TEXT] = {"text", SQLROWS_OWN, false}};
	static const struct sqlrows_plan plan = SQLROWS_PLAN("DIAGNOSTIC_EVENT", columns);
	struct sqlrows rows = {0};
	struct diagnoses all = {0};

	while (sqlevents_row(events, &rows, &plan)) {
		int64_t severity = sqlevents_number(&rows, SEVERITY);
		struct str text = sqlrows_text(&rows, TEXT);

		if (text.n > LONGEST)
			text.n = LONGEST;
		if ((severity == WARNING || severity == ERROR) &&
		    (str_has(text, STR("CUDA")) || str_has(text, STR("NVTX"))))
			add_diagnosis(&all, sqlevents_number(&rows, TIME), text);
	}
	for (size_t i = 0; i < all.count; i++) {
		warn("%s: nsys reports: %.*s", events->name, (int)all.item[i].text.len,
		     all.item[i].text.data);
		buf_free(&all.item[i].text);
	}
}

/* --- the database ------------------------------------------------------------------- */

/* In the order in which they are written. */
static const struct sqlevents_source sources[] = {
	{&kernel_plan, begin_kernels, kernel_event},
	{&copy_plan, NULL, copy_event},
	{&memset_plan, NULL, memset_event},
	{&call_plan, NULL, call_event},
	{&graph_plan, NULL, graph_event},
	{&nvtx_plan, read_domains, range_event},
};
enum { SOURCES = sizeof sources / sizeof *sources };

bool nsys_is(const struct sqlfile *file)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (sqlfile_has(file, sources[i].plan->table))
			return true;
	return sqlfile_has(file, "StringIds") &&
	       (sqlfile_has(file, "TARGET_INFO_SYSTEM_ENV") || sqlfile_has(file, "META_DATA_EXPORT"));
}

/* Whether rows of several processes have correlations, which repeat in each. */
static void look_at_processes(struct sqlevents *events)
{
	int64_t least = INT64_MAX;
	int64_t most = INT64_MIN;
	const char *unknown = NULL; /* a table that does not name the process */

	for (size_t i = 0; i < SOURCES; i++) {
		const struct sqlrows_plan *plan = sources[i].plan;
		const char *column = plan == &call_plan ? "globalTid" : "globalPid";
		struct sqlrows_range range;

		if (!sqlfile_has(events->file, plan->table) || plan == &nvtx_plan)
			continue;
		if (!sqlevents_range(events, plan->table, column, PID_SHIFT, &range) ||
		    (range.rows && !range.found))
			unknown = plan->table;
		if (range.found) {
			least = range.least < least ? range.least : least;
			most = range.most > most ? range.most : most;
		}
	}
	if (least >= most)
		return;
	events->by_process = !unknown;
	if (unknown)
		warn("%s: rows are of several processes, but table %s does not name them, so a launch may "
		     "be that of another process",
		     events->name, unknown);
}

static void free_session(struct session *session)
{
	free(session->gpu);
	strmap_free(&session->domains.keys);
	sqltexts_free(&session->domains.names);
	buf_free(&session->domains.key);
	buf_free(&session->sizes);
}

/* Whether rows may be lost, so what is missing may have been recorded. */
static bool is_damaged(const struct sqlevents *events)
{
	return events->damage.count || *events->file->damage || *events->file->list_damage;
}

void nsys_write(struct sqlevents *events)
{
	struct session session = {.events = events};
	uint64_t calls = 0;
	uint64_t device_rows = 0;

	write_epoch(events);
	read_gpus(&session);
	write_devices(&session);
	events->operators = true;
	sqlevents_begin(events, "graph_node");
	sqlevents_texts(events, "StringIds", "value");
	look_at_processes(events);
	for (size_t i = 0; i < SOURCES; i++) {
		uint64_t before = events->rows;

		sqlevents_write(events, &sources[i], &session);
		if (sources[i].plan == &call_plan)
			calls += events->rows - before;
		else if (sources[i].plan != &nvtx_plan)
			device_rows += events->rows - before;
	}
	write_processes(events);
	report_diagnoses(events);
	free_session(&session);
	if (events->rows == 0 && !is_damaged(events))
		warn("%s: the report of nsys has no kernels, copies, CUDA calls or NVTX ranges; was it "
		     "recorded with nsys profile -t cuda,nvtx?",
		     events->name);
	else if (calls && !device_rows && !is_damaged(events))
		warn("%s: there are calls, but no kernels, copies or memsets; nsys did not record what the "
		     "device did",
		     events->name);
}
