/* ranktracks: pids that differ by rank, times by the clock of the lowest rank, names. */
#include "../unit.h"

#include "tsv2trace/ranktracks.h"

/* The pids and times of a stream, after a table of clocks (empty: none), or the first error. */
static void assert_tracks(const char *table, const char *stream, const char *want)
{
	struct ranktracks tracks = {.offset_cap = 0};
	struct kev_reader in;
	struct buf got = {0};
	enum kev_item item;

	for (int turn = *table ? 0 : 1; turn < 2; turn++) {
		unit_feed(str_of(turn ? stream : table));
		kev_open(&in, unit_opts());
		while ((item = kev_next(&in)) > KEV_END) {
			if (item == KEV_ROW && turn == 0) {
				ranktracks_clock(&tracks, &in);
			} else if (item == KEV_COLUMNS && turn) {
				ranktracks_columns(&tracks, &in);
			} else if (item == KEV_ROW) {
				ranktracks_row(&tracks, &in);
				if (!in.error[0])
					buf_format(&got, "%.*s %.*s, ", (int)in.field[2].n, in.field[2].s,
					           (int)in.field[0].n, in.field[0].s);
			}
		}
		if (item == KEV_FAILED)
			buf_text(&got, in.error);
		kev_close(&in);
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	ranktracks_free(&tracks);
}

static void rows(void **state)
{
	(void)state;
	assert_tracks("", "#ts\tname\tpid\trank\n5\ta\t7\t1\n6\tb\t7\t0\n7\tc\t7\t1\n\td\t8\t1\n",
	              "1 5, 2 6, 1 7, 3 , ");
	assert_tracks("#rank\toffset\n0\t0\n1\t-2.5\n",
	              "#ts\tname\tpid\trank\n5\ta\t7\t1\n6\tb\t7\t0\n\tb\t7\t0\n", "1 7.5, 2 6, 2 , ");
	assert_tracks("#rank\toffset\n0\t0\n1\t\n", "#ts\tname\tpid\trank\n6\tb\t7\t0\n5\ta\t7\t1\n",
	              "1 6, rank: the table of --rank-offset has no offset for rank '1'");
	assert_tracks("", "#ts\tname\tpid\trank\n5\ta\t7\t\n",
	              "rank is empty, which --rank-offset needs; use trace2tsv --rank=N");
	assert_tracks("#rank\toffset\n0\t170000000000000000000000000000\n",
	              "#ts\tname\tpid\trank\n-1000000000000000000000000000\ta\t7\t0\n",
	              "ts: the time is too large");
	assert_tracks("#rank\toffset\n0\t1\n0\t1.0\n", "#ts\tname\tpid\trank\n6\tb\t7\t0\n", "1 5, ");
	assert_tracks("#rank\toffset\n0\t1\n0\t2\n", "#ts\tname\tpid\trank\n6\tb\t7\t0\n",
	              "offset: rank '0' has another one already1 5, ");
	assert_tracks("##unit\tus\n#rank\toffset\n0\t1\n",
	              "##unit\tus\n#ts\tname\tpid\trank\n6\tb\t7\t0\n", "1 5, ");
	assert_tracks("##unit\ts\n#rank\toffset\n0\t1\n", "",
	              "the unit of the offsets is 's', and --rank-offset needs us; make the table by "
	              "kcoll --align");
	assert_tracks("#rank\toffset\n0\t1\n", "##unit\tcycles\n#ts\tname\tpid\trank\n6\tb\t7\t0\n",
	              "the unit of the times is 'cycles', and --rank-offset needs us; leave out FILE");
	/* Without a table nothing is subtracted. */
	assert_tracks("", "##unit\tcycles\n#ts\tname\tpid\trank\n6\tb\t7\t0\n", "1 6, ");
}

/* Ids begin with the rank; other columns and empty fields stay. */
static void ids(void **state)
{
	struct ranktracks tracks = {.offset_cap = 0};
	struct kev_reader in;

	(void)state;
	unit_feed(STR("#ts\tpid\trank\tcorrelation\tPython id\tn\n5\t7\t12\t4\t\t4\n"));
	kev_open(&in, unit_opts());
	assert_int_equal(kev_next(&in), KEV_COLUMNS);
	ranktracks_columns(&tracks, &in);
	assert_int_equal(kev_next(&in), KEV_ROW);
	assert_int_equal(ranktracks_row(&tracks, &in), 3);
	assert_str(in.field[3], STR("12:4"));
	assert_str(in.field[4], STR(""));
	assert_str(in.field[5], STR("4"));
	kev_close(&in);
	ranktracks_free(&tracks);
}

static void names(void **state)
{
	struct buf name = {0};

	(void)state;
	ranktracks_name(&name, STR("3"), STR("7"), STR("python"));
	assert_buf(&name, "rank 3: python");
	name.len = 0;
	ranktracks_name(&name, STR("3"), STR("a\\tb"), STR(""));
	assert_buf(&name, "rank 3: pid a\tb");
	buf_free(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(ids),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
