/* alarm: what a comparison warns of. */
#include "../unit.h"

#include "kcompare/alarm.h"

enum { GROUPS = 25 };

/* What the groups are like. */
struct job {
	size_t slower; /* groups from 100 to 110 */
	size_t few;
	bool sum_is_few;
	int64_t median1; /* median of the slower groups */
	double lag;      /* lag of side 2 */
	bool mixed;      /* the slower groups are mixed */
	bool over;       /* whether alarm_slower warned */
};

static struct comparison made(int64_t first, int64_t second, enum comparison_verdict verdict)
{
	struct comparison made = {.verdict = verdict};
	const int64_t medians[] = {first, second};

	for (int s = 0; s < COMPARISON_SIDES; s++)
		made.side[s] = (struct comparison_side){
			.n = 4, .total = dec_of(4 * medians[s]), .twice_median = dec_of(2 * medians[s])};
	made.test.few = verdict == COMPARISON_FEW;
	made.test.p = made.test.adjusted = probability_exact(1, 100);
	return made;
}

static int warn_all(void *arg)
{
	static const char *const titles[] = {"OLD", "NEW"};
	const struct job *job = arg;
	struct comparison groups[GROUPS];
	struct str keys[GROUPS];
	char names[GROUPS][8];
	struct words columns = {0};
	struct changes changes = {.keys = &columns};
	struct comparison sum = made(100, 100, job->sum_is_few ? COMPARISON_FEW : COMPARISON_EQUAL);
	struct limit limit = {.by_time = false};
	bool over;

	die_init("prog");
	words_add(&columns, "name");
	for (size_t i = 0; i < GROUPS; i++) {
		snprintf(names[i], sizeof names[i], "g%zu", i + 10);
		keys[i] = str_of(names[i]);
		groups[i] = i < job->slower
		                ? made(job->median1, 110, job->mixed ? COMPARISON_MIXED : COMPARISON_SLOWER)
		            : i < job->slower + job->few ? made(1, 1, COMPARISON_FEW)
		                                         : made(100, 100, COMPARISON_EQUAL);
		groups[i].side[1].has_lag = job->lag != 0;
		groups[i].side[1].lag = i % 2 ? 0.1 : job->lag;
	}
	changes_take(&changes, groups, keys, GROUPS, &sum);
	limit_set_percent(&limit, dec_of(9));
	over = alarm_slower(&changes, &limit, titles);
	alarm_few(&changes, (struct dec){50000000});
	alarm_lags(&changes, titles);
	changes_free(&changes);
	words_free(&columns);
	return over == job->over ? 0 : 1;
}

static void assert_warnings(struct job job, const char *want)
{
	struct unit_end end = unit_run(warn_all, &job);

	assert_int_equal(end.status, 0);
	assert_str(buf_view(&end.err), str_of(want));
	buf_free(&end.out);
	buf_free(&end.err);
}

static void slower(void **state)
{
	(void)state;
	assert_warnings((struct job){.slower = 1, .median1 = 100, .over = true},
	                "prog: g10 is 10 % slower in NEW\n");
	assert_warnings((struct job){.slower = 1, .median1 = 101}, ""); /* 8.9 % */
	assert_warnings((struct job){.slower = 1, .median1 = 0, .over = true},
	                "prog: g10 is slower in NEW, from a median of 0 in OLD\n");
}

/* A mixed group counts if its median rises by more than the limit. */
static void mixed(void **state)
{
	(void)state;
	assert_warnings((struct job){.slower = 1, .mixed = true, .median1 = 100, .over = true},
	                "prog: g10 (mixed) is 10 % slower in NEW\n");
	assert_warnings((struct job){.slower = 1, .mixed = true, .median1 = 101}, "");
	assert_warnings((struct job){.slower = 1, .mixed = true, .median1 = 110}, "");
	/* Such groups are able to be significant. */
	assert_warnings(
		(struct job){.slower = GROUPS, .mixed = true, .median1 = 120, .sum_is_few = true}, "");
}

static void many(void **state)
{
	struct job job = {.slower = GROUPS, .median1 = 100, .over = true};
	struct unit_end end = unit_run(warn_all, &job);

	(void)state;
	assert_int_equal(end.status, 0);
	assert_true(str_ends(buf_view(&end.err),
	                     STR("prog: slower by more than --fail-over, and not named: 5 more\n")));
	buf_free(&end.out);
	buf_free(&end.err);
}

static void few(void **state)
{
	(void)state;
	assert_warnings((struct job){.few = 5},
	                "prog: groups with too few samples for any change to be significant: 5 of 25; "
	                "7 samples on each side would be enough\n");
	assert_warnings((struct job){.few = GROUPS, .over = true},
	                "prog: no change of a group could be significant, so --fail-over cannot hold\n"
	                "prog: groups with too few samples for any change to be significant: 25 of "
	                "25; 7 samples on each side would be enough\n");
	assert_warnings((struct job){.few = GROUPS, .sum_is_few = true, .over = true},
	                "prog: no change of a group could be significant, so --fail-over cannot hold\n"
	                "prog: groups with too few samples for any change to be significant: 25 of "
	                "25; 7 samples on each side would be enough\n");
}

static void lags(void **state)
{
	(void)state;
	assert_warnings((struct job){.lag = 0.2}, "");
	assert_warnings((struct job){.lag = 0.3},
	                "prog: NEW: samples depend on those before them: half of the groups have a "
	                "lag2 of 0.30 or more, so false alarms are more frequent than --alpha\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower), cmocka_unit_test(mixed), cmocka_unit_test(many),
		cmocka_unit_test(few),    cmocka_unit_test(lags),
	};

	return cmocka_run_group_tests_name("alarm", tests, NULL, NULL);
}
