/*
 * mktrace - write a Chrome trace as Kineto, the profiler of PyTorch, does.
 *
 *   $ mktrace -n 3800000 >trace.json
 *   {"schemaVersion":1,"deviceProperties":[...],...,"traceEvents":[
 *   {"ph":"X","cat":"kernel","name":"triton_poi_fused_add_mul_silu_26","pid":0,...
 *
 * Equal seeds give equal bytes. Memory: constant.
 */
#include "base/die.h"
#include "base/opt.h"
#include "gen.h"
#include "io/output.h"

#include <unistd.h>

enum {
	HOST = 4242, /* process and thread of the program that was traced */
	STREAM = 7,
	GPUS = 8,
	KERNELS = 400,
	STACK_MAX = 24, /* Python frames */
};

/*
 * The kinds of events, as they follow each other over and over: P Python function, C cpu_op, R CUDA
 * runtime, L launch of a kernel (runtime, flow out, flow in, kernel: of 100 events three are
 * kernels), T transfer (as L, with a gpu_memcpy), I instant, A annotation and its shadow on the
 * GPU.
 */
static const char order[] =
	"PPPCPPCRPPCPPCPIPCPLPPCPPCRPPCPCPIPPCRTPPCPCPLPPCRPPCPPICPCPPCPRPCLPPCPRPCPPCIPRACPC";

struct state {
	struct output out;
	struct gen gen;
	struct buf event; /* the piece that is being written, in the layout of -p */
	bool pretty;
	bool first; /* no event has been written: no comma */
	uint64_t events;
	uint64_t bytes;
	uint64_t correlation;
	uint64_t external;          /* id of the running cpu_op */
	uint64_t index;             /* "Ev Idx" */
	uint64_t python[STACK_MAX]; /* ids of the frames, outermost first */
	uint64_t python_last;
	size_t depth;
	int64_t now;             /* time of the host, in ns */
	int64_t gpu_free;        /* when the stream's last piece of work ends */
	struct gen_sum complete; /* X events */
	struct gen_sum host;     /* those of process HOST */
	struct gen_sum kernels;
};

/* Takes the blanks out of JSON text, but for those in strings. */
static void squeeze(struct buf *text)
{
	char *to = text->data;
	bool quoted = false;

	for (const char *c = text->data, *end = c + text->len; c < end; c++) {
		if (!quoted && (*c == ' ' || *c == '\n'))
			continue;
		if (*c == '"')
			quoted = !quoted;
		*to++ = *c;
		if (quoted && *c == '\\')
			*to++ = *++c;
	}
	text->len = (size_t)(to - text->data);
}

/*
 * Writes the piece; in one line unless -p. In the texts of this file ' stands
 * for ", which reads better; no name holds one.
 */
static void put(struct state *s)
{
	for (size_t i = 0; i < s->event.len; i++)
		if (s->event.data[i] == '\'')
			s->event.data[i] = '"';
	if (!s->pretty)
		squeeze(&s->event);
	output_str(&s->out, buf_view(&s->event));
	s->bytes += s->event.len;
	s->event.len = 0;
}

static void begin(struct state *s)
{
	buf_text(&s->event, s->first ? "  {\n" : ",\n  {\n");
	s->first = false;
}

static void end(struct state *s)
{
	buf_text(&s->event, "\n  }");
	put(s);
	s->events++;
}

/* A complete event up to the members of its args. name is JSON text. */
static void begin_complete(struct state *s, const char *cat, struct str name, int pid, int tid,
                           int64_t ts, int64_t dur)
{
	begin(s);
	buf_format(&s->event, "    'ph': 'X', 'cat': '%s', 'name': '", cat);
	buf_str(&s->event, name);
	buf_format(&s->event, "', 'pid': %d, 'tid': %d,\n    'ts': ", pid, tid);
	gen_us(&s->event, ts);
	buf_text(&s->event, ", 'dur': ");
	gen_us(&s->event, dur);
	buf_text(&s->event, ",\n    'args': {\n      ");
	gen_add(&s->complete, dur);
	if (pid == HOST)
		gen_add(&s->host, dur);
}

static void end_args(struct state *s)
{
	buf_text(&s->event, "\n    }");
	end(s);
}

static void python_function(struct state *s)
{
	static const char *const frames[] = {
		"torch/nn/modules/module.py(1747): _wrapped_call_impl",
		"torch/nn/modules/module.py(1758): _call_impl",
		"nn.Module: Linear_17",
		"nn.Module: DecoderLayer_3",
		"torch/nn/modules/linear.py(124): forward",
		"/opt/serving/python/serving/models/decoder.py(418): forward",
		"/opt/serving/python/serving/layers/attention/backend.py(211): forward_decode",
		"/opt/serving/python/serving/managers/batch.py(1502): merge_running_requests",
		"<built-in method linear of type object at 0x7f31c5a2d4c0>",
		"<built-in function len>",
		"<built-in method to of Tensor object at 0x7f2e0c1b7d30>",
		"contextlib.py(141): __exit__",
		"torch/_ops.py(1158): __call__",
		"<string>(2): __init__",
	};
	static const char *const escaped[] = {
		"C:\\\\work\\\\model\\\\layers\\\\attention.py(211): forward",
		"<frozen \\'codecs\\'>(319): decode",
		"mod\\u00e8le/couches.py(12): avant",
	};
	const char *name =
		gen_once_in(&s->gen, 160) ? GEN_PICK(&s->gen, escaped) : GEN_PICK(&s->gen, frames);

	/* Deeper three times out of four, so that whole stacks grow and fall. */
	if (s->depth == STACK_MAX || (s->depth && gen_once_in(&s->gen, 4)))
		s->depth = gen_below(&s->gen, (uint32_t)s->depth);
	begin_complete(s, "python_function", str_of(name), HOST, HOST, s->now,
	               500 + gen_below(&s->gen, 90000));
	if (s->depth)
		buf_format(&s->event, "'Python parent id': %" PRIu64, s->python[s->depth - 1]);
	else
		buf_text(&s->event, "'Python parent id': null");
	s->python[s->depth++] = ++s->python_last;
	buf_format(&s->event, ", 'Python id': %" PRIu64 ", 'Ev Idx': %" PRIu64, s->python_last,
	           ++s->index);
	end_args(s);
}

static void cpu_op(struct state *s)
{
	static const char *const names[] = {
		"aten::linear",
		"aten::addmm",
		"aten::view",
		"aten::empty_strided",
		"aten::copy_",
		"aten::to",
		"aten::_to_copy",
		"aten::add_",
		"aten::mul",
		"aten::silu",
		"aten::scaled_dot_product_attention",
		"aten::transpose",
		"aten::as_strided",
		"autograd::engine::evaluate_function: AddmmBackward0",
		"c10d::allreduce_",
	};
	static const uint32_t widths[] = {768, 1024, 4096, 5120, 14336};
	const char *name = GEN_PICK(&s->gen, names);
	int64_t dur = 800 + gen_below(&s->gen, 60000);
	uint32_t rows = 1U << gen_below(&s->gen, 13);
	uint32_t in = GEN_PICK(&s->gen, widths);
	uint32_t out = GEN_PICK(&s->gen, widths);

	begin_complete(s, "cpu_op", str_of(name), HOST, HOST, s->now, dur);
	buf_format(&s->event, "'External id': %" PRIu64 ",'Record function id': 0, ", ++s->external);
	if (gen_once_in(&s->gen, 100))
		buf_text(&s->event, "'Concrete Inputs': ['', '', '', 'False', '\\'mean\\''], ");
	else
		buf_text(&s->event, "'Concrete Inputs': ['', '', '', 'False', '[-1]'], ");
	buf_text(&s->event, "'Input type': ['c10::BFloat16', 'c10::BFloat16', 'float', '', "
	                    "'ScalarList'], ");
	buf_format(&s->event, "'Input Strides': [[%" PRIu32 ", 1], [1, %" PRIu32 "], [1], [], []], ",
	           in, in);
	buf_format(&s->event,
	           "'Input Dims': [[%" PRIu32 ", %" PRIu32 "], [%" PRIu32 ", %" PRIu32 "], [%" PRIu32
	           "], [], []], ",
	           rows, in, in, out, out);
	buf_format(&s->event, "'Sequence number': %" PRIu64 ", 'Fwd thread id': 0, 'Ev Idx': %" PRIu64,
	           s->external / 3, ++s->index);
	end_args(s);
}

static void runtime(struct state *s, const char *name, int cbid)
{
	begin_complete(s, "cuda_runtime", str_of(name), HOST, HOST, s->now,
	               600 + gen_below(&s->gen, 9000));
	buf_format(&s->event, "'External id': %" PRIu64 ",      'cbid': %d, 'correlation': %" PRIu64,
	           s->external, cbid, ++s->correlation);
	end_args(s);
}

static void flow(struct state *s, char ph, int pid, int tid, int64_t ts)
{
	begin(s);
	buf_format(&s->event, "    'ph': '%c', 'id': %" PRIu64 ", 'pid': %d, 'tid': %d, 'ts': ", ph,
	           s->correlation, pid, tid);
	gen_us(&s->event, ts);
	buf_text(&s->event, ",\n    'cat': 'ac2g', 'name': 'ac2g'");
	if (ph == 'f')
		buf_text(&s->event, ", 'bp': 'e'");
	end(s);
}

/* When the GPU begins what takes ns and is launched now. */
static int64_t gpu_start(struct state *s, int64_t ns)
{
	int64_t soonest = s->now + 4000 + gen_below(&s->gen, 3000);
	int64_t start = s->gpu_free > soonest ? s->gpu_free : soonest;

	s->gpu_free = start + ns;
	return start;
}

static void launch_kernel(struct state *s)
{
	/* The smaller of two: few kernels run often, many seldom. */
	uint32_t a = gen_below(&s->gen, KERNELS);
	uint32_t b = gen_below(&s->gen, KERNELS);
	uint32_t number = a < b ? a : b;
	int64_t dur = gen_kernel_ns(&s->gen, number);
	int64_t start = gpu_start(s, dur);
	uint32_t registers = 16 + gen_below(&s->gen, 200);
	uint32_t shared = gen_below(&s->gen, 4) * 16384;
	uint32_t per_sm = gen_below(&s->gen, 9000000);
	uint32_t grid_x = 1 + gen_below(&s->gen, 4096);
	uint32_t grid_y = 1 + gen_below(&s->gen, 64);
	uint32_t block = 32U << gen_below(&s->gen, 5);
	uint32_t occupancy = gen_below(&s->gen, 101);
	struct buf name = {0};

	runtime(s, "cudaLaunchKernel", 211);
	flow(s, 's', HOST, HOST, s->now);
	flow(s, 'f', 0, STREAM, start);
	gen_kernel_name(&name, number);
	if (gen_once_in(&s->gen, 100))
		buf_text(&name, " [with T = \\'bf16\\']");
	begin_complete(s, "kernel", buf_view(&name), 0, STREAM, start, dur);
	gen_add(&s->kernels, dur);
	buf_format(&s->event,
	           "'External id': %" PRIu64 ",      'queued': 0, 'device': 0, 'context': 1,"
	           "      'stream': %d, 'correlation': %" PRIu64
	           ",      'registers per thread': %" PRIu32 ",      'shared memory': %" PRIu32
	           ",      'blocks per SM': %" PRIu32 ".%06" PRIu32 ",      'grid': [%" PRIu32
	           ", %" PRIu32 ", 1],      'block': [%" PRIu32
	           ", 1, 1],      'est. achieved occupancy %%': %" PRIu32,
	           s->external, STREAM, s->correlation, registers, shared, per_sm / 1000000,
	           per_sm % 1000000, grid_x, grid_y, block, occupancy);
	end_args(s);
	buf_free(&name);
}

static void launch_copy(struct state *s)
{
	static const char *const names[] = {
		"Memcpy HtoD (Pinned -> Device)",
		"Memcpy DtoH (Device -> Pageable)",
		"Memcpy DtoD (Device -> Device)",
	};
	const char *name = GEN_PICK(&s->gen, names);
	int64_t dur = INT64_C(32) * (20 + gen_below(&s->gen, 400));
	int64_t start = gpu_start(s, dur);
	uint32_t bytes = 4 + gen_below(&s->gen, 1U << 20);
	uint32_t bandwidth = gen_below(&s->gen, 900000);

	runtime(s, "cudaMemcpyAsync", 41);
	flow(s, 's', HOST, HOST, s->now);
	flow(s, 'f', 0, STREAM, start);
	begin_complete(s, "gpu_memcpy", str_of(name), 0, STREAM, start, dur);
	buf_format(&s->event,
	           "'External id': %" PRIu64 ",      'device': 0, 'context': 1,      'stream': %d, "
	           "'correlation': %" PRIu64 ",      'bytes': %" PRIu32
	           ", 'memory bandwidth (GB/s)': %" PRIu32 ".%03" PRIu32,
	           s->external, STREAM, s->correlation, bytes, bandwidth / 1000, bandwidth % 1000);
	end_args(s);
}

static void memory_instant(struct state *s)
{
	uint64_t allocated = UINT64_C(1003059712) + gen_below(&s->gen, 1U << 30);
	uint64_t address = UINT64_C(137877174353920) + gen_next(&s->gen);
	uint32_t bytes = gen_below(&s->gen, 1U << 25);

	begin(s);
	buf_format(&s->event,
	           "    'ph': 'i', 'cat': 'cpu_instant_event', 's': 't', 'name': '[memory]', "
	           "'pid': %d, 'tid': %d,\n    'ts': ",
	           HOST, HOST);
	gen_us(&s->event, s->now);
	buf_format(&s->event,
	           ",\n    'args': {\n      'Total Allocated': %" PRIu64 ", 'Bytes': %" PRIu32
	           ", 'Addr': %" PRIu64 ", 'Device Id': 0, 'Device Type': 1, 'Ev Idx': %" PRIu64,
	           allocated, bytes, address, ++s->index);
	end_args(s);
}

static void annotation(struct state *s)
{
	static const char *const names[] = {
		"## forward ##",
		"## backward ##",
		"ProfilerStep#12",
		"Optimizer.step#AdamW.step",
		"nccl:all_reduce",
		"execute_context_2(14721)_generation_0(0)",
		"execute_context_0(0)_generation_32(32)",
		"step[EXTEND bs=15 toks=15360]",
		"step[DECODE bs=32]",
	};
	struct str name = str_of(GEN_PICK(&s->gen, names));
	int64_t dur = 1000000 + gen_below(&s->gen, 30000000);

	begin_complete(s, "user_annotation", name, HOST, HOST, s->now, dur);
	buf_format(&s->event, "'External id': %" PRIu64 ",'Ev Idx': %" PRIu64, s->external, ++s->index);
	end_args(s);
	begin_complete(s, "gpu_user_annotation", name, 0, STREAM, s->gpu_free, dur);
	buf_format(&s->event, "'External id': %" PRIu64, s->external);
	end_args(s);
}

/* The next event, or the group of events that belong together. */
static void next(struct state *s, char kind)
{
	static const char *const calls[] = {"cudaStreamIsCapturing", "cudaEventRecord",
	                                    "cudaStreamSynchronize", "cudaGetDevice"};

	s->now += 300 + gen_below(&s->gen, 1800);
	switch (kind) {
	case 'P':
		python_function(s);
		break;
	case 'C':
		cpu_op(s);
		break;
	case 'R':
		runtime(s, GEN_PICK(&s->gen, calls), 317);
		break;
	case 'L':
		launch_kernel(s);
		break;
	case 'T':
		launch_copy(s);
		break;
	case 'I':
		memory_instant(s);
		break;
	case 'A':
		annotation(s);
		break;
	default:
		die("no kind of event: '%c'", kind);
	}
}

/* The kernel whose args hold n bytes of text, or an array of n zeros. */
static void big_event(struct state *s, size_t n, bool array)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	char block[1 << 14];
	size_t unit = array ? 2 : 1;

	s->correlation++;
	begin_complete(s, "kernel", STR("kernel_with_big_args"), 0, STREAM, gpu_start(s, 32000), 32000);
	gen_add(&s->kernels, 32000);
	buf_text(&s->event, "'big': ");
	put(s);
	output_char(&s->out, array ? '[' : '"');
	for (size_t i = 0; i < sizeof block; i++)
		block[i] = array ? "0,"[i % 2] : letters[i % (sizeof letters - 1)];
	for (size_t left = n * unit - (array ? 1 : 0); left;) { /* no comma behind the last zero */
		size_t now = left < sizeof block ? left : sizeof block;

		output_bytes(&s->out, block, now);
		left -= now;
	}
	output_char(&s->out, array ? ']' : '"');
	buf_format(&s->event, ", 'stream': %d, 'correlation': %" PRIu64, STREAM, s->correlation);
	end_args(s);
}

static void head(struct state *s)
{
	buf_text(&s->event, "{\n  'schemaVersion': 1,\n  'deviceProperties': [");
	for (int i = 0; i < GPUS; i++)
		buf_format(&s->event,
		           "%s\n    {\n      'id': %d, 'name': 'NVIDIA H100 80GB HBM3', "
		           "'totalGlobalMem': 85018279936,\n      'computeMajor': 9, 'computeMinor': 0,\n"
		           "      'maxThreadsPerBlock': 1024, 'maxThreadsPerMultiprocessor': 2048,\n"
		           "      'regsPerBlock': 65536, 'warpSize': 32,\n"
		           "      'sharedMemPerBlock': 49152, 'numSms': 132\n    }",
		           i ? "," : "", i);
	buf_text(&s->event,
	         "\n  ],\n  'cuda_runtime_version': 12040,\n  'cuda_driver_version': 12090,\n"
	         "  'distributedInfo': {'backend': 'nccl', 'rank': 0, 'world_size': 8},\n"
	         "  'record_shapes': 1,\n  'with_stack': 1,\n  'traceEvents': [\n");
	put(s);
}

/* An M event: a fact about a process or a thread. value is JSON text. */
static void metadata(struct state *s, const char *name, int pid, int tid, const char *key,
                     const char *value)
{
	begin(s);
	buf_format(&s->event, "    'name': '%s', 'ph': 'M', 'ts': ", name);
	gen_us(&s->event, GEN_EPOCH_NS);
	buf_format(&s->event, ", 'pid': %d, 'tid': %d,\n    'args': {\n      '%s': %s", pid, tid, key,
	           value);
	end_args(s);
}

/* Behind the events, as Kineto has it: a reader learns the names of processes last. */
static void tail(struct state *s)
{
	char text[32];

	metadata(s, "process_name", HOST, 0, "name", "'python3'");
	metadata(s, "process_labels", HOST, 0, "labels", "'CPU'");
	for (int i = 0; i < GPUS; i++) {
		metadata(s, "process_name", i, 0, "name", "'python3'");
		snprintf(text, sizeof text, "'GPU %d'", i);
		metadata(s, "process_labels", i, 0, "labels", text);
		snprintf(text, sizeof text, "%d", 5000000 + i);
		metadata(s, "process_sort_index", i, 0, "sort_index", text);
	}
	metadata(s, "thread_name", HOST, HOST, "name", "'thread 4242 (python3)'");
	metadata(s, "thread_name", 0, STREAM, "name", "'stream 7 '");
	buf_text(&s->event, "\n  ],\n  'traceName': 'mktrace.json',\n  'displayTimeUnit': 'ms',\n"
	                    "  'baseTimeNanoseconds': 1716543210000000000\n}\n");
	put(s);
}

static const struct opt opts[] = {
	{'n', "events", "N", "so many events, up to 3 more to end a launch, and some M events (10000)"},
	{'s', "size", "BYTES", "events until there are so many bytes; K, M, G are powers of 1024"},
	{'p', "pretty", NULL, "several lines an event, as Kineto writes; else all in one line"},
	{'S', "seed", "N", "of the random numbers (1)"},
	{'x', "sums", NULL,
     "X events, those of the host, kernels: how many, their exact µs, on standard error"},
	{OPT_LONG, "big-string", "BYTES", "a kernel in the middle whose args hold such a string"},
	{OPT_LONG + 1, "big-array", "COUNT", "the same with an array of so many zeros"},
};

static const struct opt_usage usage = {
	"[-n EVENTS | -s BYTES] [-p] [-x] [-S SEED] [--big-string BYTES | --big-array COUNT]",
	"Writes a Chrome trace as Kineto does, for benchmarks.", opts, sizeof opts / sizeof *opts};

int main(int argc, char **argv)
{
	struct opts options;
	struct state s = {.gen = {1}, .first = true, .now = GEN_EPOCH_NS, .gpu_free = GEN_EPOCH_NS};
	uint64_t events = 10000;
	uint64_t size = 0;
	size_t big = 0;
	bool array = false;
	bool sums = false;

	opts_init(&options, &usage, argc, argv);
	for (int letter; (letter = opts_next(&options)) != -1;) {
		switch (letter) {
		case 'n':
			events = opts_number(&options, 0);
			size = 0;
			break;
		case 's':
			size = opts_size(&options, 1);
			break;
		case 'p':
			s.pretty = true;
			break;
		case 'S':
			s.gen.state = opts_number(&options, 0);
			break;
		case 'x':
			sums = true;
			break;
		default:
			array = letter == OPT_LONG + 1;
			big = array ? opts_number(&options, 1) : opts_size(&options, 1);
		}
	}
	output_init(&s.out, STDOUT_FILENO, "standard output");
	head(&s);
	for (size_t i = 0; size ? s.bytes < size : s.events < events; i++) {
		if (big && (size ? s.bytes >= size / 2 : s.events >= events / 2)) {
			big_event(&s, big, array);
			big = 0;
		}
		next(&s, order[i % (sizeof order - 1)]);
	}
	tail(&s);
	output_close(&s.out);
	buf_free(&s.event);
	if (sums) {
		fprintf(stderr, "events\t%" PRIu64 "\n", s.events);
		gen_print_sum("complete", s.complete);
		gen_print_sum("host", s.host);
		gen_print_sum("kernel", s.kernels);
	}
	return STATUS_OK;
}
