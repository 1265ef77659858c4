/*
 * mkkev - write a stream of kernels to group: N rows over G names.
 *
 *   $ mkkev -n 10000000 -g 1000 >kernels.kev
 *   ##kev	1
 *   ##unit	us
 *   #ts	dur	type	name	cat	ph	pid	tid	source
 *   1716543210123456.789	9.120		Memset_4	kernel	X	0	7
 *
 * Equal seeds give equal bytes. Memory: constant.
 */
#include "base/die.h"
#include "base/opt.h"
#include "gen.h"
#include "io/output.h"

#include <unistd.h>

static const struct opt opts[] = {
	{'n', "rows", "N", "so many rows (10000)"},
	{'g', "groups", "N", "over so many names (1000)"},
	{'S', "seed", "N", "of the random numbers (1)"},
	{'x', "sums", NULL, "rows with their exact µs, on standard error"},
};

static const struct opt_usage usage = {"[-n ROWS] [-g GROUPS] [-x] [-S SEED]",
                                       "Writes a stream of kernels to group, for benchmarks.", opts,
                                       sizeof opts / sizeof *opts};

int main(int argc, char **argv)
{
	struct opts options;
	struct output out;
	struct gen gen = {1};
	struct buf row = {0};
	struct gen_sum kernels = {0};
	uint64_t rows = 10000;
	uint32_t groups = 1000;
	int64_t now = GEN_EPOCH_NS;
	bool sums = false;

	opts_init(&options, &usage, argc, argv);
	for (int letter; (letter = opts_next(&options)) != -1;) {
		switch (letter) {
		case 'n':
			rows = opts_number(&options, 0);
			break;
		case 'g':
			groups = (uint32_t)opts_number(&options, 1);
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
		output_text(&out, "##kev\t1\n##unit\tus\n"
		                  "#ts\tdur\ttype\tname\tcat\tph\tpid\ttid\tsource\n");
	while (kernels.rows < rows) {
		uint32_t number = gen_below(&gen, groups);
		int64_t dur = gen_kernel_ns(&gen, number);

		gen_us(&row, now);
		buf_char(&row, '\t');
		gen_us(&row, dur);
		buf_text(&row, "\t\t");
		gen_kernel_name(&row, number);
		buf_text(&row, "\tkernel\tX\t0\t7\t\n");
		output_str(&out, buf_view(&row));
		row.len = 0;
		now += dur + 800;
		gen_add(&kernels, dur);
	}
	output_close(&out);
	buf_free(&row);
	if (sums)
		gen_print_sum("kernel", kernels);
	return STATUS_OK;
}
