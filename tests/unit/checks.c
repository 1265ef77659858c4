/* checks: overlaps and cuts at random against a brute force. Each rule has a case in tests/cli. */
#include "evidence_feed.h"

#include "wall/checks.h"

enum { ROWS = 40 };

struct made {
	int ts;
	int dur;
	int stream;
	int call; /* 0: none */
};

/* All starts differ on a stream. */
static void make(struct made *made, uint64_t *seed)
{
	for (int i = 0; i < ROWS; i++) {
		made[i] = (struct made){i * 20 + (int)unit_below(seed, 20), (int)unit_below(seed, 60),
		                        (int)unit_below(seed, 3), (int)unit_below(seed, 9)};
		if (made[i].call == 8)
			made[i].call = i; /* mostly of its own */
	}
}

static void feed(struct evidence *e, const struct made *made, uint64_t *seed)
{
	struct buf text = {0};
	size_t first = unit_below(seed, ROWS);

	buf_text(&text, FEED_HEAD);
	for (size_t i = 0; i < ROWS; i++) {
		const struct made *row = &made[(first + 7 * i) % ROWS];

		buf_format(&text, "%d\t%d\tk\tkernel\t0\t%d\t", row->ts, row->dur, row->stream);
		buf_format(&text, row->call ? "%d\n" : "\n", row->call);
	}
	assert_string_equal(evidence_feed(e, buf_view(&text)), "");
	buf_free(&text);
}

/* Of a row: the cut, if it is one. */
static int cut_of(const struct made *made, int i, uint64_t found[SEVERITIES])
{
	int next = -1;
	int over;
	bool error;

	for (int j = 0; j < ROWS; j++)
		if (made[j].stream == made[i].stream && made[j].ts > made[i].ts &&
		    (next < 0 || made[j].ts < made[next].ts))
			next = j;
	if (next < 0 || made[i].call == 0)
		return 0;
	over = made[i].ts + made[i].dur - made[next].ts;
	if (over <= 0)
		return 0;
	error = over >= 10 && made[next].call != made[i].call;
	found[error ? SEVERITY_ERROR : SEVERITY_NOTE]++;
	return error ? over : 0;
}

static void brute_force(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct made made[ROWS];
		struct evidence e;
		struct findings findings = {.count = 0};
		struct clips clips = {0};
		uint64_t found[SEVERITIES] = {0};
		size_t cuts = 0;

		make(made, &seed);
		feed(&e, made, &seed);
		checks_run(&e, &findings);
		checks_clip(&e, &clips);
		for (int i = 0; i < ROWS; i++)
			cuts += cut_of(made, i, found) > 0;
		for (int i = 0; i < SEVERITIES; i++)
			assert_int_equal(findings.by[CHECK_OVERLAP][i], found[i]);
		assert_int_equal(clips.count, cuts);
		for (size_t i = 0; i < clips.count; i++) {
			struct dec ts = e.row[clips.item[i].number].ts;
			int at = 0;

			while (dec_compare(dec_of(made[at].ts), ts) != 0)
				at++;
			assert_true(dec_compare(clips.item[i].dur,
			                        dec_of(made[at].dur - cut_of(made, at, found))) == 0);
			assert_true(i == 0 || clips.item[i - 1].number < clips.item[i].number);
		}
		free(clips.item);
		findings_free(&findings);
		evidence_free(&e);
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(brute_force), cmocka_unit_test(empty)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
