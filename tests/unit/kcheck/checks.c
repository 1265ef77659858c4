/* checks: severities and cuts. Each rule has a case in tests/cli; overlap has a test of its own. */
#include "evidence_feed.h"

#include "kcheck/checks.h"

static void assert_clip(const struct clip *clip, uint64_t number, int dur)
{
	assert_int_equal(clip->number, number);
	assert_true(dec_compare(clip->dur, dec_of(dur)) == 0);
}

/* Cuts come by number, and a row without a correlation is not cut. */
static void cuts(void **state)
{
	struct evidence e;
	struct findings findings = {.count = 0};
	struct clips clips = {0};

	(void)state;
	evidence_feed(&e, STR(FEED_HEAD "50\t40\tb\tkernel\t0\t7\t2\n"
	                                "9\t1\tcall\tcuda_runtime\t9\t9\t1\n"
	                                "10\t60\ta\tkernel\t0\t7\t1\n"
	                                "70\t2\tc\tkernel\t0\t7\t3\n"
	                                "72\t30\td\tkernel\t0\t7\t\n"
	                                "75\t30\te\tkernel\t0\t7\t4\n"
	                                "98\t10\tf\tkernel\t0\t7\t5\n"));
	checks_run(&e, &findings);
	assert_int_equal(findings.by[CHECK_OVERLAP][SEVERITY_ERROR], 2);
	assert_int_equal(findings.by[CHECK_OVERLAP][SEVERITY_NOTE], 1);
	checks_clip(&e, &clips);
	assert_int_equal(clips.count, 2);
	assert_clip(&clips.item[0], 0, 20);
	assert_clip(&clips.item[1], 2, 40);
	free(clips.item);
	findings_free(&findings);
	evidence_free(&e);
}

/* A row may be that long if nothing else ran on its stream. */
static void impossible(void **state)
{
	static const struct {
		const char *row;
		enum severity severity;
	} cases[] = {
		{"3\t60\ta\tkernel\t0\t8\t9\n", SEVERITY_WARNING},
		{"3\t60\ta\tkernel\t0\t7\t9\n", SEVERITY_ERROR},
		{"3\t60\ta\tkernel\t0\t7\t\n", SEVERITY_ERROR},
		{"90\t-1\ta\tkernel\t0\t8\t9\n", SEVERITY_ERROR},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct evidence e;
		struct findings findings = {.count = 0};
		struct buf text = {0};

		buf_text(&text, FEED_HEAD "1\t1\tb\tkernel\t0\t7\t1\n50\t10\tb\tkernel\t0\t7\t2\n");
		buf_text(&text, cases[i].row);
		evidence_feed(&e, buf_view(&text));
		checks_run(&e, &findings);
		for (enum severity s = 0; s < SEVERITIES; s++)
			assert_int_equal(findings.by[CHECK_IMPOSSIBLE][s], s == cases[i].severity);
		findings_free(&findings);
		evidence_free(&e);
		buf_free(&text);
	}
}

/* Without rows there is nothing to find. */
static void empty(void **state)
{
	struct evidence e;
	struct findings findings = {.count = 0};
	struct clips clips = {0};

	(void)state;
	evidence_feed(&e, STR(FEED_HEAD "5\t1\tcudaGraphLaunch\tcuda_runtime\t9\t9\t1\n"));
	checks_run(&e, &findings);
	checks_clip(&e, &clips);
	assert_int_equal(findings.count, 0);
	assert_int_equal(clips.count, 0);
	findings_free(&findings);
	evidence_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(cuts), cmocka_unit_test(impossible),
	                                   cmocka_unit_test(empty)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
