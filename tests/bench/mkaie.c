/*
 * mkaie - write a stream of AI Engine events to pair: N begins and ends of kernels
 * and of stalls over T tiles.
 *
 *   $ mkaie -n 10000000 -t 16 >aie.kev
 *   ##kev	1
 *   ##unit	cycles
 *   #ts	dur	type	name	cat	ph	pid	tid	source
 *   ##process	0	core_trace for tile0,2
 *   1030			LOCK_STALL		B	0	2
 *
 * Half as many further rows come on top: an INSTR_EVENT has a begin and an end, of
 * which only one is of interest. Equal seeds give equal bytes. Memory: constant.
 */
#include "base/die.h"
#include "base/opt.h"
#include "gen.h"
#include "io/output.h"

#include <unistd.h>

enum { PER_ITERATION = 20 };

static const struct opt opts[] = {
	{'n', "events", "N", "so many begins and ends, four to a kernel (10000)"},
	{'t', "tiles", "N", "on so many tiles (1)"},
	{'S', "seed", "N", "of the random numbers (1)"},
	{'x', "sums", NULL, "kernels with the sum of their cycles, on standard error"},
};

static const struct opt_usage usage = {
	"[-n EVENTS] [-t TILES] [-x] [-S SEED]",
	"Writes a stream of AI Engine events to pair, for benchmarks.", opts,
	sizeof opts / sizeof *opts};

static void event(struct output *out, int64_t ts, const char *name, char ph, uint32_t tile, int tid)
{
	output_format(out, "%" PRId64 "\t\t\t%s\t\t%c\t%" PRIu32 "\t%d\t\n", ts, name, ph, tile, tid);
}

/* A wait for a lock, long where an iteration ends, and a kernel; gives the kernel's cycles. */
static int64_t kernel(struct output *out, struct gen *gen, int64_t *now, uint32_t tile,
                      bool long_wait)
{
	int64_t wait = long_wait ? 9000 + gen_below(gen, 3000) : 20 + gen_below(gen, 60);
	int64_t cycles = 375 + gen_below(gen, 51);

	event(out, *now, "LOCK_STALL", 'B', tile, 2);
	*now += wait;
	event(out, *now, "LOCK_STALL", 'E', tile, 2);
	*now += 1 + gen_below(gen, 4);
	event(out, *now, "INSTR_EVENT_0", 'B', tile, 0);
	event(out, *now + 1, "INSTR_EVENT_0", 'E', tile, 0);
	*now += cycles;
	event(out, *now - 1, "INSTR_EVENT_1", 'B', tile, 1);
	event(out, *now, "INSTR_EVENT_1", 'E', tile, 1);
	*now += 2 + gen_below(gen, 6);
	return cycles;
}

int main(int argc, char **argv)
{
	struct opts options;
	struct output out;
	struct gen gen = {1};
	uint64_t events = 10000;
	uint32_t tiles = 1;
	uint64_t kernels = 0;
	int64_t cycles = 0;
	bool sums = false;

	opts_init(&options, &usage, argc, argv);
	for (int letter; (letter = opts_next(&options)) != -1;) {
		switch (letter) {
		case 'n':
			events = opts_number(&options, 4);
			break;
		case 't':
			tiles = (uint32_t)opts_number(&options, 1);
			break;
		case 'S':
			gen.state = opts_number(&options, 0);
			break;
		default:
			sums = true;
		}
	}
	output_init(&out, STDOUT_FILENO, "standard output");
	if (!options.no_head)
		output_text(&out, "##kev\t1\n##unit\tcycles\n"
		                  "#ts\tdur\ttype\tname\tcat\tph\tpid\ttid\tsource\n");
	for (uint32_t tile = 0; tile < tiles; tile++) {
		int64_t now = 1000;

		output_format(&out, "##process\t%" PRIu32 "\tcore_trace for tile%" PRIu32 ",%" PRIu32 "\n",
		              tile, tile / 4, 2 + tile % 4);
		for (uint64_t i = 0; i < events / 4 / tiles; i++) {
			cycles += kernel(&out, &gen, &now, tile, i && i % PER_ITERATION == 0);
			kernels++;
		}
	}
	output_close(&out);
	if (sums)
		fprintf(stderr, "kernel\t%" PRIu64 "\t%" PRId64 "\n", kernels, cycles);
	return STATUS_OK;
}
