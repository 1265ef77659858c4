/* alignsum: sums of rows, layers and kernels named alike, and notes. */
#include "../unit.h"

#include "kmatch/alignsum.h"

/* A letter of a side is a kernel of this class. */
static const struct {
	char letter;
	const char *op;
} classes[] = {{'A', "Attention (Decode)"}, {'E', "Elementwise"}, {'F', "RMSNorm+GEMM"},
               {'G', "Dense GEMM"},         {'N', "RMSNorm"},     {'?', "Other"}};

struct sums {
	struct strmap ops;
	struct strmap names;
	struct align align;
	struct alignsum sums;
	bool good;
};

/*
 * A side is a text of its passes, / between them: each kernel is the letter of its class, a letter
 * that is its name, and a digit, its time. ? before one: it has no ts.
 */
static void add_side(struct sums *sums, int s, const char *text)
{
	struct align_kernel kernel = {.step = true};
	int64_t ts = 0;

	for (const char *c = text; *c; c++) {
		if (*c == '/') {
			kernel.pass++;
			continue;
		}
		kernel.timed = *c != '?';
		kernel.attention = *c == 'A';
		for (size_t i = 0; i < COUNT(classes); i++)
			if (classes[i].letter == *c)
				kernel.op = strmap_add(&sums->ops, str_of(classes[i].op), NULL);
		kernel.name = kernel.alike = strmap_add(&sums->names, (struct str){++c, 1}, NULL);
		kernel.ts = dec_of(++ts);
		kernel.dur = dec_of(*++c - '0');
		align_add(&sums->align, s, &kernel);
	}
}

static struct sums summed(const char *a, const char *b, bool by_order, bool same)
{
	struct sums sums = {.align = {.by_order = by_order}};

	add_side(&sums, 0, a);
	add_side(&sums, 1, b);
	align_find(&sums.align, &sums.ops);
	sums.good = alignsum_find(&sums.sums, &sums.align, &sums.ops, &sums.names, same);
	return sums;
}

static void free_sums(struct sums *sums)
{
	alignsum_free(&sums->sums);
	align_free(&sums->align);
	strmap_free(&sums->ops);
	strmap_free(&sums->names);
}

static void put_sums(struct buf *out, const struct group *sum)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		buf_format(out, " %d*", (int)sum[s].count);
		dec_print(out, sum[s].total);
	}
}

/* "layer position operation count*total count*total kernel kernel note" a row. */
static void put_rows(struct buf *out, const struct sums *sums)
{
	for (size_t i = 0; i < sums->align.rows_count; i++) {
		const struct alignsum_row *row = &sums->sums.rows[i];

		assert_ptr_equal(row->at, &sums->align.rows[i]);
		assert_int_equal(row->layer->at->number, row->at->layer);
		buf_format(out, "%d %zu %.*s", row->at->layer == ALIGN_OUTSIDE ? 99 : row->at->layer,
		           row->at->position, (int)row->at->operation.n, row->at->operation.s);
		put_sums(out, row->sum);
		for (int s = 0; s < ALIGN_SIDES; s++)
			buf_format(out, " %.*s", (int)row->kernel[s].n,
			           row->kernel[s].n ? row->kernel[s].s : "");
		buf_text(out, alignsum_is_same(row) ? " same " : " ");
		alignsum_note(row, sums->align.by_order, out);
		buf_char(out, '\n');
	}
}

static void put_layers(struct buf *out, const struct sums *sums)
{
	for (size_t i = 0; i < sums->align.layers_count; i++) {
		const struct alignsum_layer *layer = &sums->sums.layers[i];

		buf_format(out, "%d", layer->at->number);
		put_sums(out, layer->sum);
		put_sums(out, layer->aligned);
		buf_char(out, '\n');
	}
}

static void put_same(struct buf *out, const struct sums *sums)
{
	for (size_t i = 0; i < sums->sums.same_count; i++) {
		const struct alignsum_same *same = &sums->sums.same[i];

		buf_format(out, "%.*s %.*s", (int)same->operation.n, same->operation.s, (int)same->name.n,
		           same->name.s);
		put_sums(out, same->sum);
		buf_char(out, ' ');
		dec_print(out, same->gap);
		buf_format(out, " %d pairs, faster %d %d\n", (int)same->pairs, (int)same->faster[0],
		           (int)same->faster[1]);
	}
}

static void assert_put(void (*put)(struct buf *, const struct sums *), const char *a, const char *b,
                       bool by_order, const char *want)
{
	struct sums sums = summed(a, b, by_order, true);
	struct buf out = {0};

	assert_true(sums.good);
	put(&out, &sums);
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
	free_sums(&sums);
}

static void rows(void **state)
{
	(void)state;
	/* The commonest name of a side, of several the first in order. */
	assert_put(put_rows, "Aa3Gg1/Aa4Gh1/Ab1Gg1", "Ab5Gg2/Aa5Gg2/Aa1Gh2", false,
	           "0 0 Attention (Decode) 3*8 3*11 a a same \n0 1 Dense GEMM 3*3 3*6 g g same \n");
	assert_put(put_rows, "Ab3/Aa3", "Ac1/Ab1", false, "0 0 Attention (Decode) 2*6 2*2 a b \n");
	assert_put(put_rows, "", "Ac1", false, "0 0 Attention (Decode) 0*0 1*1  c \n");
	assert_put(put_rows, "", "", false, "");
}

static void notes(void **state)
{
	(void)state;
	assert_put(put_rows, "Aa1Ff1", "Aa1Nn1Ee1", true,
	           "0 0 Attention (Decode) 1*1 1*1 a a same \n"
	           "0 1 RMSNorm 0*0 1*1  n only in trace2\n"
	           "0 2 Elementwise 0*0 1*1  e only in trace2\n"
	           "0 3 RMSNorm+GEMM 1*1 0*0 f  fused by trace1\n");
	/* A class that all models have is not missing: it has another name. */
	assert_put(put_rows, "Aa1Gg1", "Aa1", false,
	           "0 0 Attention (Decode) 1*1 1*1 a a same \n0 1 Dense GEMM 1*1 0*0 g  \n");
	/* The other side has the class in the layer, at another place; one side has one more. */
	assert_put(put_rows, "Aa1Nn1Ee1", "Aa1Ee1Nn1", false,
	           "0 0 Attention (Decode) 1*1 1*1 a a same \n0 1 Elementwise 0*0 1*1  e elsewhere in "
	           "trace1\n0 1 RMSNorm 1*1 0*0 n  elsewhere in trace2\n0 2 Elementwise 1*1 0*0 e  "
	           "elsewhere in trace2\n0 2 RMSNorm 0*0 1*1  n elsewhere in trace1\n");
	assert_put(put_rows, "Aa1Nn1", "Aa1Nn1Nn1", true,
	           "0 0 Attention (Decode) 1*1 1*1 a a same \n0 1 RMSNorm 1*1 1*1 n n same \n"
	           "0 2 RMSNorm 0*0 1*1  n one more in trace2\n");
	/* More often in a layer of one pass, as trace2 has two passes. */
	assert_put(put_rows, "Aa1Ee1", "Aa1/Aa1Ee1", false,
	           "0 0 Attention (Decode) 1*1 2*2 a a same \n"
	           "0 1 Elementwise 1*1 1*1 e e same trace1 runs it 2 times as often\n");
	/* Nothing of kernels outside all layers, nor of layers that one side has. */
	assert_put(put_rows, "Aa1?x1", "Aa1Aa1Ee1", false,
	           "0 0 Attention (Decode) 1*1 1*1 a a same \n1 0 Attention (Decode) 0*0 1*1  a \n"
	           "1 1 Elementwise 0*0 1*1  e \n99 0 Other 1*1 0*0 x  \n");
}

static void layers(void **state)
{
	(void)state;
	assert_put(put_layers, "Ee1Aa2Ff3Aa4", "Ee2Aa5Nn6Aa1", true,
	           "-1 1*1 1*2 1*1 1*2\n0 2*5 2*11 1*2 1*5\n1 1*4 1*1 1*4 1*1\n");
}

static void same(void **state)
{
	struct sums sums = summed("Aa1", "Aa1", false, false);

	(void)state;
	assert_int_equal(sums.sums.same_count, 0); /* not wanted */
	free_sums(&sums);
	/* Named alike in two layers; the largest gap first; the name b faces no b. */
	assert_put(put_same, "Aa3Gg1Aa1Gb1", "Aa1Gg9Aa2Gg1", false,
	           "Dense GEMM g 1*1 1*9 -8 1 pairs, faster 1 0\n"
	           "Attention (Decode) a 2*4 2*3 1 2 pairs, faster 1 1\n");
	assert_put(put_same, "Aa3", "Ab3", false, "");
	/* Equal gaps: by class, then by name. */
	assert_put(put_same, "Ab1Aa1Ea1", "Ab1Aa1Ea1", false,
	           "Attention (Decode) a 1*1 1*1 0 1 pairs, faster 0 0\n"
	           "Attention (Decode) b 1*1 1*1 0 1 pairs, faster 0 0\n"
	           "Elementwise a 1*1 1*1 0 1 pairs, faster 0 0\n");
}

static void put_alike(struct buf *out, const struct sums *sums)
{
	const struct alignsum_alike *alike = &sums->sums.alike;

	buf_format(out, "%d names", (int)alike->kernels);
	put_sums(out, alike->all.sum);
	buf_format(out, " %d pairs, faster %d %d, mean ", (int)alike->all.pairs,
	           (int)alike->all.faster[0], (int)alike->all.faster[1]);
	alignsum_mean_ratio(alike, out);
}

static void alike(void **state)
{
	(void)state;
	/* The ratios 3, 1/9 and 1/2 of three pairs, two of one name. */
	assert_put(put_alike, "Aa3Gg1Aa1Gb1", "Aa1Gg9Aa2Gg1", false,
	           "2 names 3*5 3*12 3 pairs, faster 2 1, mean 1.2037037037");
	/* A pair without time in the second has none; no pair, no mean. */
	assert_put(put_alike, "Aa3Gg1", "Aa1Gg0", false, "2 names 2*4 2*1 2 pairs, faster 0 2, mean 3");
	assert_put(put_alike, "Aa3", "Ab1", false, "0 names 0*0 0*0 0 pairs, faster 0 0, mean ");
}

/* Sums that are too large are an error, wherever they are found. */
static void too_large(void **state)
{
	const __int128 most = (((__int128)1 << 126) - 1) * 2 + 1;
	static const struct {
		const char *sides[ALIGN_SIDES];
		int sign; /* sign of the second side's times */
	} cases[] = {
		{{"Aa1/Aa1", ""}, 1},      /* the sum of a name */
		{{"Aa1/Ab1", ""}, 1},      /* the sum of a row */
		{{"Aa1Ee1", ""}, 1},       /* the sum of a layer */
		{{"Aa1", "Aa1"}, -1},      /* the gap of kernels named alike */
		{{"Aa1Aa1", "Aa1Aa1"}, 1}, /* the sum of kernels named alike */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sums sums = {.good = true};

		for (int s = 0; s < ALIGN_SIDES; s++) {
			add_side(&sums, s, cases[i].sides[s]);
			for (size_t k = 0; k < sums.align.side[s].count; k++)
				sums.align.side[s].kernels[k].dur.nano = s ? cases[i].sign * most : most;
		}
		align_find(&sums.align, &sums.ops);
		assert_false(alignsum_find(&sums.sums, &sums.align, &sums.ops, &sums.names, true));
		assert_text(str_of(sums.sums.error), "dur: the sum is too large");
		free_sums(&sums);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows), cmocka_unit_test(notes), cmocka_unit_test(layers),
		cmocka_unit_test(same), cmocka_unit_test(alike), cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests_name("alignsum", tests, NULL, NULL);
}
