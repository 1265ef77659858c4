#include "../unit.h"

#include "stream/ranks.h"

struct job {
	const char *list; /* NULL: none */
	struct str stream;
};

static int run(void *arg)
{
	const struct job *job = arg;
	struct opts opts = *unit_opts();
	struct ranks ranks = {0};
	struct kev_writer out;
	struct kev_reader in;
	enum kev_item item;

	die_init("prog");
	opts.no_head = true;
	if (job->list && !ranks_want(&ranks, job->list))
		die("not a list");
	unit_feed(job->stream);
	kev_open(&in, unit_opts());
	kev_writer_init(&out, &opts);
	while ((item = kev_next(&in)) > KEV_END)
		if (item != KEV_ROW)
			ranks_item(&ranks, &in, item);
	if (item == KEV_FAILED)
		kev_fail(&out, &in);
	if (!ranks_report(&ranks, &out))
		die("no size");
	ranks_free(&ranks);
	kev_close(&in);
	return kev_finish(&out);
}

/* What is reported, without "prog: ranks: ". */
static void assert_ranks(const char *list, const char *stream, int status, const char *want)
{
	struct job job = {list, str_of(stream)};
	struct unit_end end = unit_run(run, &job);
	struct str rest = buf_view(&end.err);
	struct buf got = {0};

	while (rest.n) {
		size_t n = (size_t)((const char *)memchr(rest.s, '\n', rest.n) - rest.s) + 1;
		struct str line = {rest.s, n};
		size_t skip = str_starts(line, STR("prog: ranks: ")) ? 13 : 6;

		buf_bytes(&got, line.s + skip, n - skip);
		rest = (struct str){rest.s + n, rest.n - n};
	}
	assert_str(buf_view(&got), str_of(want));
	assert_int_equal(end.status, status);
	buf_free(&got);
	unit_end_free(&end);
}

static void lists(void **state)
{
	static const char *const bad[] = {"",
	                                  ",",
	                                  "1,",
	                                  ",1",
	                                  "a",
	                                  "-1",
	                                  "1-",
	                                  "2-1",
	                                  "1-2-3",
	                                  "1 2",
	                                  "1, ",
	                                  "0x1",
	                                  "18446744073709551615",
	                                  "18446744073709551616",
	                                  "1,,2"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_ranks(bad[i], "#a\n", 2, "not a list\n");
	assert_ranks("0-3", "##rank\t0\n#a\n", 1, "ranks missing (3): 1-3\n");
	assert_ranks("7,0-1,1-3,4", "##rank\t2\n#a\n", 1, "ranks missing (5): 0-1, 3-4, 7\n");
	assert_ranks("0-18446744073709551614", "##rank\t18446744073709551614\n#a\n", 1,
	             "ranks missing (18446744073709551614): 0-18446744073709551613\n");
	assert_ranks("5", "##rank\t5\n#a\n", 0, "");
	assert_ranks(" 5 , 5,6 ", "##rank\t5\n#a\n", 1, "ranks missing (1): 6\n");
	assert_ranks("5", "##rank\t05\n#a\n", 0, "");
}

static void what_is_wrong(void **state)
{
	(void)state;
	/* By the size of the world, which one source need not name. */
	assert_ranks(NULL, "##source\ta\n##rank\t1\n##worldSize\t2\n#a\n##source\tb\n##rank\t0\n", 0,
	             "");
	assert_ranks(NULL, "##source\ta\n##worldSize\t4\n#a\n##source\tb\n##rank\t0\n", 1,
	             "ranks missing (3): 1-3\ninputs without a rank (1): a\n");
	assert_ranks(NULL, "##rank\t0\n#a\n", 2, "no size\n");
	assert_ranks(NULL, "##rank\t0\n##worldSize\t2\n##source\tb\n##rank\t1\n##worldSize\t3\n#a\n", 2,
	             "-:5: ##worldSize: 3 here, 2 before; list the ranks: --ranks=0-2\n");
	assert_ranks("0-1", "##rank\t0\n##worldSize\t2\n##source\tb\n##rank\t1\n##worldSize\tx\n#a\n",
	             0, "");
	assert_ranks(NULL, "##worldSize\t0\n#a\n", 2,
	             "-:1: ##worldSize: '0' is not a number of ranks\n");
	assert_ranks(NULL, "##rank\tx\n#a\n", 2, "-:1: ##rank: 'x' is not a rank\n");
	/* Two windows of one rank are that rank twice. */
	assert_ranks("0-4",
	             "##source\ta\n##rank\t3\n#a\n##source\tb\n##rank\t3\n##source\ta\n##rank\t3\n"
	             "##source\tc\n##rank\t0\n##source\tc\n##rank\t0\n##source\td\n##rank\t4\n",
	             1, "ranks that came more than once (2): 0, 3\nranks missing (2): 1-2\n");
	assert_ranks("2-4",
	             "##source\ta\n##rank\t1\n##source\tb\n##rank\t3\n##source\tb\n##rank\t9\n#a\n", 1,
	             "ranks missing (2): 2, 4\nranks that should not be there (2): 1, 9\n");
	/* Each line counts, also if its ##source is elsewhere. */
	assert_ranks("0-1", "##source\ta\n##rank\t1\n##rank\t0\n#a\n", 0, "");
	assert_ranks("0-1", "##rank\t1\n##rank\t1\n##rank\t0\n#a\n", 1,
	             "ranks that came more than once (1): 1\n");
}

/* Lists from streams that were checked before are not expanded. */
static void lists_of_ranks(void **state)
{
	(void)state;
	assert_ranks("0-9", "##ranks\t0-4,7\n##ranks\t5-6,8-9\n#a\n", 0, "");
	assert_ranks("0-9", "##ranks\t0-5\n##ranks\t3-9\n##ranks\t4,6-7\n#a\n", 1,
	             "ranks that came more than once (5): 3-7\n");
	assert_ranks("2-3,5-8,20", "##ranks\t0-5,7\n##source\ta\n##rank\t9\n#a\n", 1,
	             "ranks missing (3): 6, 8, 20\nranks that should not be there (4): 0-1, 4, 9\n");
	assert_ranks("1", "##ranks\t0-18446744073709551614\n#a\n", 1,
	             "ranks that should not be there (18446744073709551614): 0, "
	             "2-18446744073709551614\n");
	assert_ranks("0-5", "##rank\t1\n##source\tb\n##rank\t2\n##source\tc\n##rank\t2\n#a\n", 1,
	             "ranks that came more than once (1): 2\nranks missing (4): 0, 3-5\n");
	assert_ranks("0", "##ranks\t3-1\n#a\n", 2, "-:1: ##ranks: '3-1' is not a list of ranks\n");
	assert_ranks("0", "##sources\ta\n##ranks\t0\n#a\n", 2,
	             "-:1: ##sources: a count and a name are expected\n");
}

static void sources_without_a_rank(void **state)
{
	struct buf stream = {0};

	(void)state;
	assert_ranks("0", "#a\n1\n", 1, "ranks missing (1): 0\ninputs without a rank (1): -\n");
	assert_ranks("0", "##source\tx\\ty\x1b\n#a\n##source\tb\n##rank\t0\n", 1,
	             "inputs without a rank (1): x\\x09y\\x1b\n");
	assert_ranks("0", "##damaged\tf\tcut\n##rank\t0\n#a\n", 0, "");
	buf_text(&stream, "#a\n##rank\t0\n");
	for (int i = 0; i < 100; i++)
		buf_format(&stream, "##source\t%d\n", i);
	buf_char(&stream, '\0');
	assert_ranks("0", stream.data, 1,
	             "inputs without a rank (100): 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...\n");
	buf_free(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(what_is_wrong),
		cmocka_unit_test(lists_of_ranks),
		cmocka_unit_test(sources_without_a_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
