/* collminima: the wait of each row, rows as they came, and clocks beside that of the lowest rank.
 */
#include "coll_feed.h"

#include "base/buf.h"
#include "kcoll/collmatch.h"
#include "kcoll/collminima.h"

#define ROW(ts, dur, seq) \
	ts "\t" dur "\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t250\t2\tg\t" seq "\n"

struct job {
	bool clocks;
	uint64_t rank;
	const char *stream; /* stream of the source that is compared */
};

/* Holds the rows of the stream; those of the host are between them. */
static void hold(struct collminima *minima, struct collrows *rows, const struct job *job)
{
	struct kev_reader in;
	enum kev_item item;

	unit_feed(str_of(job->stream));
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_COLUMNS) {
			collrows_columns(rows, &in);
			collminima_columns(minima, &in);
		} else if (item == KEV_ROW && collrows_add(rows, &in) == COLLROWS_HELD) {
			collminima_hold(minima, &in);
		}
	}
	if (item == KEV_FAILED)
		die("%s", in.error);
	kev_close(&in);
	for (size_t i = 0; i < rows->count; i++)
		rows->row[i].rank = job->rank;
}

static int compare(void *arg)
{
	const struct job *job = arg;
	bool waits[COLLKINDS] = {[COLLKIND_ALLREDUCE] = true};
	struct colltable table = {.coll_cap = 0};
	struct collrows rows = {.table = &table};
	struct collmatch match = {.table = &table, .waits = waits};
	struct collminima minima = {.table = &table, .waits = waits};
	struct kev_writer out;

	die_init("prog");
	kev_writer_init(&out, unit_opts());
	out.begun = out.via = true;
	coll_feed_rank(&rows, 3, 2, STR(COLL_HEAD ROW("1", "7", "1") ROW("10", "5", "2")));
	coll_feed_rank(&rows, 4, 2,
	               STR(COLL_HEAD ROW("104", "4", "1") ROW("112", "5", "2") ROW("120", "5", "3")));
	assert_true(collmatch_run(&match));
	for (int turn = 0; turn < 2; turn++) {
		hold(&minima, &rows, job);
		assert_true(collrows_settle(&rows, 2));
		if (!job->clocks)
			collminima_write(&minima, &rows, &out);
		else if (!collminima_clocks(&minima, &rows, &out))
			die("too large");
		collrows_clear(&rows);
		minima.count = 0;
	}
	warn("found %d, lost %d", (int)minima.found, (int)minima.lost);
	collminima_free(&minima);
	collmatch_free(&match);
	collrows_free(&rows);
	colltable_free(&table);
	return kev_finish(&out);
}

static void assert_compared(struct job job, int status, const char *out, const char *err)
{
	struct unit_end end = unit_run(compare, &job);
	struct buf text = {0};

	assert_int_equal(end.status, status);
	assert_str(buf_view(&end.err), str_of(err));
	/* Without the end of the stream. */
	buf_text(&text, out);
	if (!str_starts(buf_view(&end.out), buf_view(&text)))
		assert_str(buf_view(&end.out), buf_view(&text));
	buf_free(&text);
	unit_end_free(&end);
}

#define LINE(ts, dur, seq, added) \
	ts "\t" dur "\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t250\t2\tg\t" seq "\t" added "\n"

static void waits(void **state)
{
	static const char once[] =
		"#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tCollective name\tdtype\tIn msg nelems\t"
		"Group size\tProcess Group Name\tSeq\tkind\twait\n" LINE("120", "5", "3", "allreduce\t")
			LINE("112", "5", "2", "allreduce\t0")
				LINE("104", "5.5", "1",
	                 "allreduce\t1.5") "#ts\tdur\tname\tcat\tCollective name\tkind\twait\n"
									   "130\t5\tnccl\tkernel\tbroadcast\tbroadcast\t\n";
	struct buf want = {0};

	(void)state;
	/* As they came, each in its layout; the source twice. What does not wait is not lost. */
	buf_text(&want, once);
	buf_text(&want, once);
	buf_char(&want, '\0');
	assert_compared((struct job){.stream = COLL_HEAD ROW("120", "5", "3") ROW("112", "5", "2")
	                                 ROW("104", "5.5", "1") "#ts\tdur\tname\tcat\tCollective name\n"
	                                                        "130\t5\tnccl\tkernel\tbroadcast\n"},
	                0, want.data, "prog: found 4, lost 2\n");
	buf_free(&want);
	assert_compared((struct job){.stream = "#ts\tdur\tname\twait\n"}, 2, "",
	                "prog: --minima: the stream has a column 'wait' already\n");
}

static void clocks(void **state)
{
	(void)state;
	/* Ends at 108 and 8, 117 and 15: the lower median, and its change over 9 us, in us a second. */
	assert_compared((struct job){.clocks = true,
	                             .rank = 4,
	                             .stream = COLL_HEAD ROW("112", "5", "2") ROW("104", "4", "1")},
	                0, "#rank\tcollectives\toffset\tdrift\n4\t2\t100\t222222.222222\n",
	                "prog: found 4, lost 0\n");
	assert_compared(
		(struct job){.clocks = true, .rank = 4, .stream = COLL_HEAD ROW("120", "5", "3")}, 0,
		"#rank\tcollectives\toffset\tdrift\n4\t0\t\t\n", "prog: found 0, lost 2\n");
	assert_compared(
		(struct job){.clocks = true,
	                 .stream = COLL_HEAD ROW("-170141183460469231731687303715", "0.1", "1")},
		2, "", "prog: too large\n");
}

static void assert_clock(const int *ends, const int *offsets, size_t count, int offset, int change,
                         int time)
{
	struct collalign_point points[8];
	struct collalign align;

	for (size_t i = 0; i < count; i++)
		points[i] = (struct collalign_point){dec_of(ends[i]), dec_of(offsets[i])};
	assert_true(collalign_measure(points, count, &align));
	assert_true(dec_compare(align.offset, dec_of(offset)) == 0);
	assert_true(dec_compare(align.change, dec_of(change)) == 0);
	assert_true(dec_compare(align.time, dec_of(time)) == 0);
}

static void measures(void **state)
{
	(void)state;
	assert_clock((int[]){5}, (int[]){-7}, 1, -7, 0, 0);
	assert_clock((int[]){50, 10}, (int[]){9, 3}, 2, 3, 6, 40);
	/* One that is far off changes nothing; in any order. */
	assert_clock((int[]){60, 20, 10, 50, 40, 30}, (int[]){8, 2, 1, 900, 7, 3}, 6, 3, 6, 30);
	assert_clock((int[]){10, 10, 10}, (int[]){1, 2, 3}, 3, 2, 1, 0);
}

static void too_large(void **state)
{
	const struct dec huge = {(__int128)(~(unsigned __int128)0 >> 1)};
	struct collalign_point points[2] = {{dec_of(1), {-huge.nano}}, {dec_of(2), huge}};
	struct collalign align;

	(void)state;
	assert_false(collalign_measure(points, 2, &align));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures),
		cmocka_unit_test(too_large),
		cmocka_unit_test(waits),
		cmocka_unit_test(clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
