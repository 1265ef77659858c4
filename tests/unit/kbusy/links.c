/* links: which rows of a device have a launch. */
#include "../unit.h"

#include "kbusy/links.h"

/*
 * Reads a stream with the columns kind, file (a number) and further ones: a letter for each row of
 * kind d, y, n or ? for an answer that has to wait, then y or n for each of those.
 */
static void assert_answers(struct links links, struct str stream, const char *want, bool known)
{
	struct kev_reader in;
	size_t waiting[8];
	size_t count = 0;
	struct buf got = {0};
	enum kev_item item;

	unit_feed(stream);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		size_t file = item == KEV_ROW ? (size_t)(in.field[1].s[0] - '0') : 0;

		if (item == KEV_COLUMNS) {
			links_columns(&links, &in);
		} else if (str_equal(in.field[0], STR("h"))) {
			links_host(&links, &in, file, ROWKIND_CALL, true);
		} else {
			enum links_answer answer = links_of(&links, &in, file);

			buf_char(&got, "ny?"[answer]);
			if (answer == LINKS_NOT_YET)
				waiting[count++] = links.id;
		}
	}
	assert_int_equal(item, KEV_END);
	buf_char(&got, ' ');
	for (size_t i = 0; i < count; i++)
		buf_char(&got, links_launched(&links, waiting[i]) ? 'y' : 'n');
	unit_equal(buf_view(&got), str_of(want), __FILE__, __LINE__);
	assert_int_equal(links.known, known);
	buf_free(&got);
	assert_int_equal(links.unanswered, links.only_launch_ts && !known);
	links_free(&links);
	kev_close(&in);
}

static void assert_links(struct str stream, const char *want, bool known)
{
	assert_answers((struct links){.known = false}, stream, want, known);
}

static void by_launch_ts(void **state)
{
	(void)state;
	assert_links(STR("#k\tf\tlaunch_ts\tcorrelation\nd\t0\t7\t\nd\t0\t\t5\nd\t0\t\t\n"), "y?n n",
	             true);
	/* A row that does not name its launch can have a call: klaunch --host keeps these. */
	assert_links(STR("#k\tf\tlaunch_ts\tcorrelation\nh\t0\t\t5\nd\t0\t7\t\nd\t0\t\t5\n"), "yy ",
	             true);
}

static void by_correlation(void **state)
{
	(void)state;
	assert_links(STR("#k\tf\tcorrelation\nd\t0\t1\nh\t0\t1\nd\t0\t1\nd\t0\t\nd\t0\t2\nd\t0\t3\nh\t0"
	                 "\t3\nh\t0\t\n"),
	             "?yn?? yny", true);
	/* A launch in another file is another launch. */
	assert_links(STR("#k\tf\tcorrelation\nh\t0\t1\nd\t1\t1\nd\t0\t1\n"), "?y n", true);
}

static void without_launches(void **state)
{
	(void)state;
	assert_links(STR("#k\tf\tcorrelation\nd\t0\t1\nh\t0\t\n"), "? n", false);
	assert_links(STR("#k\tf\nd\t0\nh\t0\n"), "n ", false);
}

/* No correlation is held, and who asks for one learns so. */
static void by_launch_ts_alone(void **state)
{
	const struct links links = {.only_launch_ts = true};

	(void)state;
	assert_answers(links, STR("#k\tf\tlaunch_ts\tcorrelation\nd\t0\t7\t5\nd\t0\t\t5\n"), "yn ",
	               true);
	assert_answers(links, STR("#k\tf\tcorrelation\nh\t0\t1\nd\t0\t1\nd\t0\t\n"), "nn ", false);
}

/* Only a call of a runtime that has a ts launches. */
static void what_launches(void **state)
{
	static const struct {
		enum rowkind kind;
		bool timed;
		enum links_answer answer;
	} cases[] = {{ROWKIND_CALL, true, LINKS_YES},
	             {ROWKIND_HPU_OP, true, LINKS_YES},
	             {ROWKIND_CALL, false, LINKS_NOT_YET},
	             {ROWKIND_OPERATOR, true, LINKS_NOT_YET},
	             {ROWKIND_MARK, true, LINKS_NOT_YET}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct links links = {.known = false};
		struct kev_reader in;

		unit_feed(STR("#correlation\n5\n"));
		kev_open(&in, unit_opts());
		assert_int_equal(kev_next(&in), KEV_COLUMNS);
		links_columns(&links, &in);
		assert_int_equal(kev_next(&in), KEV_ROW);
		links_host(&links, &in, 0, cases[i].kind, cases[i].timed);
		assert_int_equal(links_of(&links, &in, 0), cases[i].answer);
		assert_int_equal(links.known, cases[i].answer == LINKS_YES);
		links_free(&links);
		kev_close(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_launch_ts),       cmocka_unit_test(what_launches),
		cmocka_unit_test(by_launch_ts_alone), cmocka_unit_test(by_correlation),
		cmocka_unit_test(without_launches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
