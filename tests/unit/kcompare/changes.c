/* changes: the table of a comparison, its order and its forms. */
#include "../unit.h"

#include "kcompare/changes.h"

/* What is written. */
struct job {
	enum form form;
	const char *sort;
	bool descending;
	size_t first;
};

/* n samples on each side: of a first total and a second, all alike. */
static struct comparison made(uint64_t n1, int64_t total1, uint64_t n2, int64_t total2,
                              enum comparison_verdict verdict)
{
	struct comparison made = {.verdict = verdict};
	const int64_t totals[] = {total1, total2};
	const uint64_t n[] = {n1, n2};

	for (int s = 0; s < COMPARISON_SIDES; s++) {
		struct comparison_side *side = &made.side[s];

		*side = (struct comparison_side){.n = n[s], .total = dec_of(totals[s])};
		if (n[s])
			side->twice_median.nano = 2 * side->total.nano / (int64_t)n[s];
		side->has_interval = n[s] > 5;
		side->low = side->high = dec_of(totals[s]);
	}
	made.test.p = probability_exact(1, 100);
	made.test.adjusted = probability_exact(1, 50);
	made.test.few = verdict == COMPARISON_FEW;
	return made;
}

static int write_changes(void *arg)
{
	const struct job *job = arg;
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.argc = 1, .argv = argv, .no_head = true};
	const struct comparison groups[] = {
		made(10, 100, 10, 110, COMPARISON_SLOWER), made(10, 900, 10, 700, COMPARISON_FASTER),
		made(10, 50, 10, 50, COMPARISON_EQUAL),    made(2, 60, 2, 70, COMPARISON_FEW),
		made(3, 30, 0, 0, COMPARISON_GONE),        made(0, 0, 3, 60, COMPARISON_NEW),
	};
	const struct str keys[] = {STR("a\t1"), STR("b\t2"),  STR("c\\tc\t3"),
	                           STR("d\t4"), STR("e\t10"), STR("f\t9")};
	struct comparison sum = made(10, 1110, 10, 930, COMPARISON_FASTER);
	struct words names = {0};
	struct changes changes = {.keys = &names, .sort = str_of(job->sort), .first = job->first};
	struct kev_writer out;
	struct jsonw json = {.out = &out.out.buf};

	changes.descending = job->descending;
	die_init("prog");
	words_add(&names, "name,n");
	kev_writer_init(&out, &opts);
	changes_take(&changes, groups, keys, COUNT(groups), &sum);
	if (job->form == FORM_JSON)
		jsonw_object(&json, NULL);
	changes_write(&changes, &out, job->form, &json);
	if (job->form == FORM_JSON)
		jsonw_end_object(&json);
	changes_free(&changes);
	words_free(&names);
	return kev_finish(&out);
}

static struct buf written(enum form form, const char *sort, bool descending, size_t first)
{
	struct job job = {form, sort, descending, first};
	struct unit_end end = unit_run(write_changes, &job);

	assert_int_equal(end.status, 0);
	assert_text(buf_view(&end.err), "");
	buf_free(&end.err);
	return end.out;
}

/* The first letters of the lines. */
static void assert_order(const char *sort, bool descending, size_t first, const char *want)
{
	struct buf text = written(FORM_TSV, sort, descending, first);
	struct buf order = {0};

	for (size_t i = 0; i < text.len; i++)
		if (i == 0 || text.data[i - 1] == '\n')
			buf_char(&order, text.data[i]);
	assert_str(buf_view(&order), str_of(want));
	buf_free(&text);
	buf_free(&order);
}

static void ordered(void **state)
{
	(void)state;
	assert_order("", false, 0, "badcfe((");
	assert_order("change", false, 0, "bcadef((");
	assert_order("n", true, 0, "dcbaef((");
	assert_order("verdict", false, 0, "bdacef((");
	assert_order("", false, 2, "ba((");
	assert_order("", false, 6, "badcfe((");
}

static void rows(void **state)
{
	struct buf text = written(FORM_TSV, "", false, 0);

	(void)state;
	assert_text(((struct str){text.data, 65}),
	            "b\t2\tfaster\t-22.2222222222\t10\t10\t900\t700\t90\t900\t900\t70\t700\t700\t0.0");
	assert_true(str_has(buf_view(&text), STR("c\\tc\t3\t")));
	assert_true(str_has(buf_view(&text), STR("(sum)\t\t")));
	assert_true(str_has(buf_view(&text), STR("(geomean)\t\t")));
	assert_true(
		str_has(buf_view(&text), STR("d\t4\tfew\t16.6666666667\t2\t2\t60\t70\t30\t\t\t35\t\t"
	                                 "\t0.01\t\t\t\n")));
	assert_true(
		str_has(buf_view(&text), STR("e\t10\tgone\t\t3\t0\t30\t0\t10\t\t\t\t\t\t\t\t\t\n")));
	assert_true(str_has(buf_view(&text), STR("\t10\t10\t1110\t930\t111\t")));
	assert_true(str_has(buf_view(&text), STR("\t4\t0\t\t\t")));
	buf_free(&text);
}

static void forms(void **state)
{
	struct buf text = written(FORM_MARKDOWN, "", false, 0);

	(void)state;
	assert_true(str_has(buf_view(&text), STR("| a | 1 | 10 + 10 | 10.000 | 100.000 to 100.000 | "
	                                         "11.000 | 110.000 to 110.000 | +10.00 % | 0.02 | "
	                                         "slower |")));
	assert_true(str_has(buf_view(&text), STR("left out: 2, of which 1 have")));
	assert_false(str_has(buf_view(&text), STR("few |")));
	buf_free(&text);
	text = written(FORM_REPORT, "", false, 0);
	assert_true(str_has(buf_view(&text), STR("Other groups")));
	buf_free(&text);
	text = written(FORM_REPORT, "", false, 1);
	assert_true(str_has(
		buf_view(&text),
		STR("faster\n\nno room for: interval1, interval2\n\nand 1 more\n\nGroups on one side")));
	assert_true(str_has(buf_view(&text), STR("(geomean)")));
	buf_free(&text);
	text = written(FORM_JSON, "", false, 0);
	assert_true(str_has(buf_view(&text), STR("\"name\": \"c\\tc\"")));
	assert_true(str_has(buf_view(&text), STR("\"median2\": null")));
	buf_free(&text);
}

static void columns(void **state)
{
	struct words names = {0};
	const struct changes changes = {.keys = &names};

	(void)state;
	words_add(&names, "name");
	assert_true(changes_have_column(&changes, STR("name")));
	assert_true(changes_have_column(&changes, STR("lag2")));
	assert_false(changes_have_column(&changes, STR("dur")));
	words_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordered),
		cmocka_unit_test(rows),
		cmocka_unit_test(forms),
		cmocka_unit_test(columns),
	};

	return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
