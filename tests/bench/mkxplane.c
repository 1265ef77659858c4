/*
 * mkxplane - write an XSpace with N kernels of a GPU, or N events of a host that
 * no program counts, to convert.
 *
 *   $ mkxplane -n 1000000 >gpu.xplane.pb
 *   $ mkxplane -n 1000000 --host >host.xplane.pb
 *
 * A kernel has a correlation, an operation, a module and details, as XLA writes them: some 60
 * bytes. An event of the host is one of three alike: without statistics, or with two or three.
 * Equal seeds give equal bytes. Memory: the events.
 */
#include "base/die.h"
#include "base/opt.h"
#include "gen.h"
#include "io/output.h"

#include <unistd.h>

enum { NAMES = 400, HOST = OPT_LONG };

/* Metadata of statistics, by their ids from 1 on; after these come values that kernels refer to. */
static const char *const stats[] = {"correlation_id",
                                    "kernel_details",
                                    "tf_op",
                                    "name",
                                    "hlo_op",
                                    "hlo_module",
                                    "_pt",
                                    "_p",
                                    "allocation_bytes",
                                    "XlaModule:",
                                    "regs:32",
                                    "jit_train_step",
                                    "jit(train_step)/dot_general",
                                    "fusion.1"};
enum {
	CORRELATION = 1,
	DETAILS,
	TF_OP,
	NAME,
	HLO_OP,
	HLO_MODULE,
	PT,
	P,
	BYTES,
	XLA_MODULE,
	REGS,
	JIT,
	DOT,
	FUSION
};
enum { STATS = sizeof stats / sizeof *stats };

static const struct opt opts[] = {
	{'n', "events", "N", "so many events (10000)"},
	{HOST, "host", NULL, "of a host, instead of kernels"},
	{'S', "seed", "N", "of the random numbers (1)"},
	{'x', "sums", NULL, "rows with the sum of their ns, on standard error"},
};

static const struct opt_usage usage = {"[-n EVENTS] [--host] [-x] [-S SEED]",
                                       "Writes an XSpace to convert, for benchmarks.", opts,
                                       sizeof opts / sizeof *opts};

static void put_varint(struct buf *out, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		buf_char(out, (char)(number | 0x80));
	buf_char(out, (char)number);
}

static void put_number(struct buf *out, unsigned field, uint64_t number)
{
	put_varint(out, field << 3);
	put_varint(out, number);
}

static void put_bytes(struct buf *out, unsigned field, struct str bytes)
{
	put_varint(out, field << 3 | 2);
	put_varint(out, bytes.n);
	buf_str(out, bytes);
}

/* A statistic of an event, whose value is the field `kind`. */
static void put_stat(struct buf *event, unsigned stat, unsigned kind, uint64_t value)
{
	struct buf message = {0};

	put_number(&message, 1, stat);
	put_number(&message, kind, value);
	put_bytes(event, 4, buf_view(&message));
	buf_free(&message);
}

static void put_metadata(struct buf *plane, unsigned field, uint64_t id, struct str name)
{
	struct buf value = {0};
	struct buf entry = {0};

	put_number(&value, 1, id);
	put_bytes(&value, 2, name);
	put_number(&entry, 1, id);
	put_bytes(&entry, 2, buf_view(&value));
	put_bytes(plane, field, buf_view(&entry));
	buf_free(&value);
	buf_free(&entry);
}

/* The statistics of event `number`. */
static void put_stats(struct buf *event, uint64_t number, bool host)
{
	if (host) {
		if (number % 3 > 0) {
			put_stat(event, PT, 4, 15);
			put_stat(event, P, 3, number);
		}
		if (number % 3 > 1)
			put_stat(event, BYTES, 4, 512 * number);
		return;
	}
	put_stat(event, CORRELATION, 3, number + 1);
	put_stat(event, DETAILS, 7, REGS);
	put_stat(event, TF_OP, 7, XLA_MODULE);
	put_stat(event, NAME, 7, DOT);
	put_stat(event, HLO_OP, 7, FUSION);
	put_stat(event, HLO_MODULE, 7, JIT);
}

int main(int argc, char **argv)
{
	struct opts options;
	struct output out;
	struct gen gen = {1};
	struct buf line = {0};
	struct buf plane = {0};
	struct buf space = {0};
	struct buf scratch = {0};
	uint64_t events = 10000;
	struct gen_sum sum = {0};
	int64_t now = 0;
	bool host = false;
	bool sums = false;

	opts_init(&options, &usage, argc, argv);
	for (int letter; (letter = opts_next(&options)) != -1;) {
		switch (letter) {
		case 'n':
			events = opts_number(&options, 1);
			break;
		case HOST:
			host = true;
			break;
		case 'S':
			gen.state = opts_number(&options, 0);
			break;
		case 'x':
			sums = true;
			break;
		}
	}
	put_number(&line, 1, 7);
	put_bytes(&line, 2, host ? STR("python") : STR("Stream #7(Kernel)"));
	put_number(&line, 3, 905441);
	for (uint64_t i = 0; i < events; i++) {
		uint32_t number = gen_below(&gen, NAMES);
		int64_t ns = gen_kernel_ns(&gen, number);

		scratch.len = 0;
		put_number(&scratch, 1, number + 1);
		put_number(&scratch, 2, (uint64_t)now * 1000);
		put_number(&scratch, 3, (uint64_t)ns * 1000);
		put_stats(&scratch, i, host);
		put_bytes(&line, 4, buf_view(&scratch));
		now += ns + 500 + gen_below(&gen, 2000);
		if (!host)
			gen_add(&sum, ns);
	}
	put_number(&plane, 1, 1);
	put_bytes(&plane, 2, host ? STR("/host:CPU") : STR("/device:GPU:0"));
	put_bytes(&plane, 3, buf_view(&line));
	for (uint32_t i = 0; i < NAMES; i++) {
		scratch.len = 0;
		gen_kernel_name(&scratch, i);
		put_metadata(&plane, 4, i + 1, buf_view(&scratch));
	}
	for (unsigned i = 0; i < STATS; i++)
		put_metadata(&plane, 5, i + 1, str_of(stats[i]));
	put_bytes(&space, 1, buf_view(&plane));
	/* A plane of a device without events, so that the status is 0. */
	put_bytes(&space, 1, STR("\x12\x0d/device:GPU:1"));
	output_init(&out, STDOUT_FILENO, "standard output");
	output_str(&out, buf_view(&space));
	output_close(&out);
	if (sums)
		gen_print_sum("rows", sum);
	return STATUS_OK;
}
