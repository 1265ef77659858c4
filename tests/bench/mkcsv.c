/*
 * mkcsv - write a kernel_details.csv as torch_npu, the profiler of Ascend, does.
 *
 *   $ mkcsv -n 3000000 >kernel_details.csv
 *   Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,...
 *   1,0,4294967295,0,2,aclnnMatMulV2_MatMulV2_0,MatMulV2,dynamic,AI_CORE,...
 *
 * Collectives are there twice, on no stream and on a hardware stream, some with
 * a shadow on the AI CPU. Equal seeds give equal bytes. Memory: constant.
 */
#include "base/die.h"
#include "base/opt.h"
#include "gen.h"
#include "io/output.h"

#include <unistd.h>

struct kind {
	const char *type;
	const char *core;
	int64_t typical_ns;
};

struct state {
	struct output out;
	struct gen gen;
	struct buf row;
	uint64_t bytes;
	uint64_t task;
	int64_t now;            /* ns */
	struct gen_sum all;     /* rows with a type: csv2tsv writes these */
	struct gen_sum deduped; /* those that hcomdedup keeps */
};

static void put(struct state *s)
{
	output_str(&s->out, buf_view(&s->row));
	s->bytes += s->row.len;
	s->row.len = 0;
}

/* A row that begins now. stream is text: it may be N/A. An empty type is a row without one. */
static void row(struct state *s, const struct kind *kind, const char *stream, int64_t dur)
{
	static const char *const shapes[] = {
		"\"\"\"16,5120;5120,768\"\"\"",
		"\"\"\"4096,7168;7168,2112;2112\"\"\"",
		"\"\"\"128,1,576;128,512\"\"\"",
		"\"\"\"16\"\"\"",
	};
	uint32_t wait = gen_below(&s->gen, 900);
	uint32_t blocks = 1 + gen_below(&s->gen, 48);
	const char *in = GEN_PICK(&s->gen, shapes);
	const char *out = GEN_PICK(&s->gen, shapes);

	buf_format(
		&s->row, "%" PRIu64 ",0,4294967295,%" PRIu64 ",%s,aclnn%s_%s_%" PRIu64 ",%s,dynamic,%s,",
		s->task / 4000, s->task, stream, kind->type, kind->type, s->task, kind->type, kind->core);
	gen_us(&s->row, s->now);
	buf_text(&s->row, "\t,"); /* the profiler keeps spreadsheets from rounding it */
	gen_us(&s->row, dur);
	buf_format(&s->row,
	           ",%" PRIu32 ".%02" PRIu32 ",%" PRIu32 ",0,NO,%s,DT_BF16;DT_BF16,ND;FRACTAL_NZ,%s,"
	           "DT_BF16,ND,N/A\n",
	           wait / 100, wait % 100, blocks, in, out);
	put(s);
	s->task++;
	if (*kind->type)
		gen_add(&s->all, dur);
}

static void compute(struct state *s)
{
	static const struct kind kinds[] = {
		{"MatMulV2", "AI_CORE", 22000},
		{"QuantBatchMatmulV3", "AI_CORE", 19000},
		{"FusedInferAttentionScore", "MIX_AIC", 48000},
		{"AddRmsNormBias", "AI_VECTOR_CORE", 3800},
		{"GroupedMatmulSwigluQuant", "MIX_AIC", 61000},
		{"MoeDistributeDispatchV2", "MIX_AIV", 35000},
		{"MoeDistributeCombineV2", "MIX_AIV", 33000},
		{"DynamicQuant", "AI_VECTOR_CORE", 2900},
		{"RotaryMul", "AI_VECTOR_CORE", 4100},
		{"Transpose", "AI_VECTOR_CORE", 5200},
		{"", "AI_CORE", 1000}, /* seen in real files: an event without a type */
	};
	uint32_t i = gen_below(&s->gen, 1000);
	const struct kind *kind = &kinds[i < 2 ? 10 : i % 10];
	int64_t dur = kind->typical_ns * (750 + (int64_t)gen_below(&s->gen, 500)) / 1000;

	row(s, kind, "2", dur);
	if (*kind->type)
		gen_add(&s->deduped, dur);
	s->now += dur + 200 + gen_below(&s->gen, 2000);
}

static void collective(struct state *s)
{
	static const struct kind kinds[] = {
		{"hcom_allReduce_", "COMMUNICATION", 60000},
		{"hcom_allGather_", "COMMUNICATION", 40000},
		{"hcom_reduceScatter_", "COMMUNICATION", 45000},
	};
	static const struct kind shadow = {"allreduceAicpuKernel", "AI_CPU", 0};
	const struct kind *kind = &GEN_PICK(&s->gen, kinds);
	int64_t dur = kind->typical_ns * (750 + (int64_t)gen_below(&s->gen, 500)) / 1000;
	int64_t hardware = dur - gen_below(&s->gen, 900);

	row(s, kind, "N/A", dur);
	row(s, kind, "46", hardware);
	if (gen_once_in(&s->gen, 4))
		row(s, &shadow, "47", dur + 3000);
	gen_add(&s->deduped, dur);
	s->now += dur + 1200; /* no other collective in this microsecond */
}

static const struct opt opts[] = {
	{'n', "rows", "N", "so many rows, or up to 2 more to end a collective (10000)"},
	{'s', "size", "BYTES", "rows until there are so many bytes; K, M, G are powers of 1024"},
	{'S', "seed", "N", "of the random numbers (1)"},
	{'x', "sums", NULL,
     "rows with a type, and those of them that hcomdedup keeps, with their exact µs, on "
     "standard error"},
};

static const struct opt_usage usage = {
	"[-n ROWS | -s BYTES] [-x] [-S SEED]",
	"Writes a kernel_details.csv as torch_npu does, for benchmarks.", opts,
	sizeof opts / sizeof *opts};

int main(int argc, char **argv)
{
	struct opts options;
	struct state s = {.gen = {1}, .now = GEN_EPOCH_NS};
	uint64_t rows = 10000;
	uint64_t size = 0;
	bool sums = false;

	opts_init(&options, &usage, argc, argv);
	for (int letter; (letter = opts_next(&options)) != -1;) {
		switch (letter) {
		case 'n':
			rows = opts_number(&options, 0);
			size = 0;
			break;
		case 's':
			size = opts_size(&options, 1);
			break;
		case 'S':
			s.gen.state = opts_number(&options, 0);
			break;
		default:
			sums = true;
		}
	}
	output_init(&s.out, STDOUT_FILENO, "standard output");
	buf_text(&s.row,
	         "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
	         "Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,"
	         "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
	         "Output Formats,Context ID\n");
	put(&s);
	while (size ? s.bytes < size : s.task < rows) {
		if (gen_once_in(&s.gen, 25))
			collective(&s);
		else
			compute(&s);
	}
	output_close(&s.out);
	buf_free(&s.row);
	if (sums) {
		gen_print_sum("typed", s.all);
		gen_print_sum("deduped", s.deduped);
	}
	return STATUS_OK;
}
