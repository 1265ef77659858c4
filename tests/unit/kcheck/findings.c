/* findings: events of one check, severity and stream are one; the worst of them; their order. */
#include "evidence_feed.h"

#include "kcheck/findings.h"

static void add(struct findings *findings, const struct evidence *e, enum check check,
                enum severity severity, size_t row, int time)
{
	const struct findings_event event = {
		check, severity, e->row[row].place, e->row[row].name, e->row[row].ts, dec_of(time)};

	findings_add(findings, e, &event);
}

/* The largest time by magnitude; of equal ones the first by ts, then the smallest name. */
static void worst(void **state)
{
	struct evidence e;
	struct findings findings = {.count = 0};

	(void)state;
	evidence_feed(
		&e, STR(FEED_HEAD
	            "5\t1\tb\tkernel\t0\t7\t\n3\t1\tc\tkernel\t0\t7\t\n3\t1\ta\tkernel\t0\t7\t\n"));
	add(&findings, &e, CHECK_ZERO, SEVERITY_WARNING, 0, 2);
	add(&findings, &e, CHECK_ZERO, SEVERITY_WARNING, 1, 2);
	assert_true(dec_compare(findings.item[0].worst.ts, dec_of(3)) == 0);
	add(&findings, &e, CHECK_ZERO, SEVERITY_WARNING, 2, 2);
	assert_str(strmap_key(&e.names, findings.item[0].worst.name), STR("a"));
	add(&findings, &e, CHECK_ZERO, SEVERITY_WARNING, 0, -3);
	assert_true(dec_compare(findings.item[0].worst.time, dec_of(-3)) == 0);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.item[0].events, 4);
	assert_true(dec_compare(findings.item[0].time, dec_of(3)) == 0);
	assert_int_equal(findings.by[CHECK_ZERO][SEVERITY_WARNING], 4);
	findings_free(&findings);
	evidence_free(&e);
}

/* Errors first, then by check, pid and tid, numbers by value. */
static void order(void **state)
{
	static const char want[] =
		"impossible error 0 7,overlap note 0 7,overlap note 0 20,overlap note 3 1,"
		"zero note 0 7,";
	struct evidence e;
	struct findings findings = {.count = 0};
	struct buf got = {0};

	(void)state;
	evidence_feed(
		&e, STR(FEED_HEAD
	            "5\t1\tb\tkernel\t0\t20\t\n3\t1\tc\tkernel\t0\t7\t\n3\t1\ta\tkernel\t3\t1\t\n"));
	add(&findings, &e, CHECK_ZERO, SEVERITY_NOTE, 1, 1);
	add(&findings, &e, CHECK_OVERLAP, SEVERITY_NOTE, 2, 1);
	add(&findings, &e, CHECK_OVERLAP, SEVERITY_NOTE, 0, 1);
	add(&findings, &e, CHECK_OVERLAP, SEVERITY_NOTE, 1, 1);
	add(&findings, &e, CHECK_IMPOSSIBLE, SEVERITY_ERROR, 1, 1);
	findings_sort(&findings, &e);
	for (size_t i = 0; i < findings.count; i++) {
		const struct findings_event *event = &findings.item[i].worst;
		struct str place = strmap_key(&e.places, event->place);

		buf_format(&got, "%s %s ", check_names[event->check], severity_names[event->severity]);
		buf_str(&got, tsv_field((struct str){place.s + 2, place.n - 2}, 0));
		buf_char(&got, ' ');
		buf_str(&got, tsv_field((struct str){place.s + 4, place.n - 4}, 0));
		buf_char(&got, ',');
	}
	assert_buf(&got, want);
	buf_free(&got);
	findings_free(&findings);
	evidence_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(worst), cmocka_unit_test(order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
