/* align: which kernels of two sides face each other. */
#include "../unit.h"

#include "kmatch/align.h"

enum { MOST = 64 }; /* kernels of a side */

/*
 * A side is a text of its passes in order of time, / between them. A letter is a kernel of that
 * class, A an attention; a digit behind it says which one it rather faces. ? stands before one
 * that has no ts, and - before a pass that is of no step.
 */
static size_t parse(struct align_kernel *kernels, const char *text, struct strmap *ops)
{
	uint32_t pass = 0;
	bool step = true;
	bool timed = true;
	size_t count = 0;

	for (const char *c = text; *c; c++) {
		if (*c == '/') {
			pass++;
			step = true;
		} else if (*c == '-') {
			step = false;
		} else if (*c == '?') {
			timed = false;
		} else if (*c >= '0' && *c <= '9') {
			kernels[count - 1].alike = (size_t)(*c - '0');
		} else {
			assert_true(count < MOST);
			kernels[count] = (struct align_kernel){.ts = dec_of((int64_t)(timed ? count + 1 : 0)),
			                                       .op = strmap_add(ops, (struct str){c, 1}, NULL),
			                                       .pass = pass,
			                                       .attention = *c == 'A',
			                                       .timed = timed,
			                                       .step = step};
			count++;
			timed = true;
		}
	}
	return count;
}

/* A layer a line: its number, its passes of each side, and its rows with the kernels of each. */
static void put_layers(struct buf *out, const struct align *align)
{
	for (size_t i = 0; i < align->layers_count; i++) {
		const struct align_layer *layer = &align->layers[i];

		buf_format(out, "%d %d,%d:", layer->number == ALIGN_OUTSIDE ? 99 : layer->number,
		           (int)layer->runs[0], (int)layer->runs[1]);
		for (size_t r = layer->first_row; r < layer->first_row + layer->rows; r++) {
			const struct align_row *row = &align->rows[r];
			int kernels[ALIGN_SIDES] = {0};

			assert_int_equal(row->layer, layer->number);
			for (size_t k = 0; k < align->count; k++) {
				if (align->order[k]->row != r)
					continue;
				assert_int_equal(align->order[k]->op, row->op);
				assert_int_equal(align->order[k]->layer, row->layer);
				kernels[align->order[k]->side]++;
			}
			buf_format(out, " %zu%.*s%d,%d", row->position, (int)row->operation.n, row->operation.s,
			           kernels[0], kernels[1]);
		}
		buf_char(out, '\n');
	}
	buf_format(out, "%d,%d\n", align->side[0].layers, align->side[1].layers);
}

/* A pass goes through the rows of a layer in their order, and no row has two of its kernels. */
static void check_passes(const struct align_side *side)
{
	for (size_t i = 0; i < side->count; i++) {
		for (size_t j = 0; j < side->count; j++) {
			const struct align_kernel *a = &side->kernels[i];
			const struct align_kernel *b = &side->kernels[j];

			if (a->layer == b->layer && a->pass == b->pass && dec_compare(a->ts, b->ts) < 0)
				assert_true(a->row < b->row);
		}
	}
}

/* Kernels as they come, or the last of them first, their passes numbered as they come. */
static void find(struct buf *out, const char *const sides[ALIGN_SIDES], bool by_order,
                 bool backwards)
{
	struct align align = {.by_order = by_order};
	struct strmap ops = {0};

	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct align_kernel kernels[MOST];
		size_t count = parse(kernels, sides[s], &ops);
		uint32_t last = count ? kernels[count - 1].pass : 0;

		for (size_t i = 0; i < count; i++) {
			struct align_kernel *kernel = &kernels[backwards ? count - 1 - i : i];

			if (backwards)
				kernel->pass = last - kernel->pass;
			align_add(&align, s, kernel);
		}
	}
	align_find(&align, &ops);
	assert_int_equal(align.count, align.side[0].count + align.side[1].count);
	put_layers(out, &align);
	for (int s = 0; s < ALIGN_SIDES; s++)
		check_passes(&align.side[s]);
	align_free(&align);
	strmap_free(&ops);
}

static void check(const char *a, const char *b, bool by_order, const char *want, const char *file,
                  int line)
{
	for (int backwards = 0; backwards < 2; backwards++) {
		struct buf got = {0};

		find(&got, (const char *const[]){a, b}, by_order, backwards);
		unit_equal(buf_view(&got), str_of(want), file, line);
		buf_free(&got);
	}
}

#define assert_position(a, b, want) check(a, b, false, want, __FILE__, __LINE__)
#define assert_order(a, b, want) check(a, b, true, want, __FILE__, __LINE__)

static void nothing(void **state)
{
	(void)state;
	assert_position("", "", "0,0\n");
	assert_order("", "", "0,0\n");
	assert_order("", "g", "-1 0,1: 0g0,1\n0,0\n");
	align_free(&(struct align){0});
}

static void layers(void **state)
{
	(void)state;
	/* Each attention begins the next layer, anew in each pass. */
	assert_position("nAgAg/Ag", "Ag",
	                "-1 1,0: 0n1,0\n0 2,1: 0A2,1 1g2,1\n1 1,0: 0A1,0 1g1,0\n2,1\n");
	/* Without a step all of a side counts; beside others that have one it is of no layer. */
	assert_position("-Ag", "Ag", "0 1,1: 0A1,1 1g1,1\n1,1\n");
	assert_position("-Ag/Ag", "Ag", "0 1,1: 0A1,1 1g1,1\n99 1,0: 0A1,0 1g1,0\n1,1\n");
	/* What has no time begins no layer, and is of none. */
	assert_position("Ag?Ag", "Agg", "0 1,1: 0A1,1 1g1,1 2g1,1\n99 1,0: 0A1,0\n1,1\n");
}

static void by_position(void **state)
{
	(void)state;
	/* One more kernel moves all behind it; rows of one position are in order of their names. */
	assert_position("Aghn", "Aghn", "0 1,1: 0A1,1 1g1,1 2h1,1 3n1,1\n1,1\n");
	assert_position("Axghn", "Aghn",
	                "0 1,1: 0A1,1 1g0,1 1x1,0 2g1,0 2h0,1 3h1,0 3n0,1 4n1,0\n1,1\n");
}

static void by_order(void **state)
{
	(void)state;
	assert_order("Axghn", "Aghn", "0 1,1: 0A1,1 1x1,0 2g1,1 3h1,1 4n1,1\n1,1\n");
	assert_order("Aghn", "Aygz", "0 1,1: 0A1,1 1y0,1 2g1,1 3z0,1 4h1,0 5n1,0\n1,1\n");
	/* The passes of a side are one sequence, in which what one of them lacks has its place. */
	assert_order("Agn/Aghn/Ahn", "Aghn", "0 3,1: 0A3,1 1g2,1 2h2,1 3n3,1\n1,1\n");
	/* If two kernels may face it, the alike kernel does. */
	assert_order("Ag1g2", "Ag2", "0 1,1: 0A1,1 1g1,0 2g1,1\n1,1\n");
	assert_order("Ag1g2", "Ag1", "0 1,1: 0A1,1 1g1,1 2g1,0\n1,1\n");
}

/* Whatever the order they come in. */
static void random_sides(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 500; i++) {
		char text[ALIGN_SIDES][MOST];
		const char *const sides[] = {text[0], text[1]};
		struct buf got[2] = {{0}};

		for (int s = 0; s < ALIGN_SIDES; s++) {
			size_t n = unit_below(&seed, MOST);

			for (size_t j = 0; j < n; j++)
				text[s][j] = "Aghn/"[unit_below(&seed, 5)];
			text[s][n] = '\0';
		}
		for (int backwards = 0; backwards < 2; backwards++)
			find(&got[backwards], sides, i % 2, backwards);
		assert_str(buf_view(&got[1]), buf_view(&got[0]));
		buf_free(&got[0]);
		buf_free(&got[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),  cmocka_unit_test(layers),       cmocka_unit_test(by_position),
		cmocka_unit_test(by_order), cmocka_unit_test(random_sides),
	};

	return cmocka_run_group_tests_name("align", tests, NULL, NULL);
}
