/* collmatch: what is whole, and each reason why something is not. */
#include "coll_feed.h"

#include "kcoll/collmatch.h"

/* A row of an allreduce in group g. */
#define ROW(ts, dur, seq) ts "\t" dur "\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t\tg\t" seq "\n"

/* "whole N" and the rows by reason, of ranks 0, 1 and so on. */
static void assert_match(uint64_t world, const char *const *streams, const char *want)
{
	struct colltable table = {.coll_cap = 0};
	struct collrows rows = {.table = &table};
	bool waits[COLLKINDS] = {[COLLKIND_ALLREDUCE] = true};
	struct collmatch match = {.table = &table, .waits = waits};
	struct buf got = {0};

	for (uint64_t i = 0; streams[i]; i++)
		coll_feed_rank(&rows, i, world, str_of(streams[i]));
	assert_true(collmatch_run(&match));
	buf_format(&got, "whole %d", (int)match.whole);
	for (int by = 0; by < COLLBYS; by++)
		buf_text(&got, match.group[by].guessed ? ", guessed" : "");
	for (int by = 0; by < COLLBYS; by++)
		for (int why = 0; why < COLLMATCH_WHYS; why++) {
			const struct collmatch_group *group = &match.group[collmatch_at(0, (uint8_t)by)];

			if (group->why[why] == 0)
				continue;
			buf_format(&got, ", %d: ", (int)group->why[why]);
			collmatch_put_why(group, (enum collmatch_why)why, &got);
			assert_int_equal(collmatch_is_damage((enum collmatch_why)why),
			                 why == COLLMATCH_RANKS || why == COLLMATCH_HOLE ||
			                     why == COLLMATCH_UNKNOWN);
		}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	collmatch_free(&match);
	collrows_free(&rows);
	colltable_free(&table);
}

#define ASSERT_MATCH(world, want, ...) \
	assert_match(world, (const char *const[]){__VA_ARGS__, NULL}, want)

static void numbers(void **state)
{
	static const char three[] =
		COLL_HEAD ROW("1", "5", "1") ROW("10", "5", "2") ROW("20", "5", "3");

	(void)state;
	ASSERT_MATCH(2, "whole 3", three, three);
	ASSERT_MATCH(2, "whole 2, 1: a rank has no row of them, but earlier and later ones", three,
	             COLL_HEAD ROW("1", "5", "1") ROW("20", "5", "3"));
	ASSERT_MATCH(2, "whole 0, 3: the input has one rank of 2, so bandwidths are lower bounds",
	             three);
	/* Where one rank begins, another has a hole. */
	ASSERT_MATCH(2,
	             "whole 1, 1: a rank has no row of them, but earlier and later ones, "
	             "1: they are before or after what a rank recorded",
	             COLL_HEAD ROW("10", "5", "2") ROW("20", "5", "3"),
	             COLL_HEAD ROW("1", "5", "1") ROW("20", "5", "3"));
	ASSERT_MATCH(2, "whole 1, 2: they are before or after what a rank recorded", three,
	             COLL_HEAD ROW("10", "5", "2"));
	/* The largest number there is. */
	ASSERT_MATCH(2, "whole 1, 1: they are before or after what a rank recorded",
	             COLL_HEAD ROW("1", "5", "1") ROW("10", "5", "18446744073709551615"),
	             COLL_HEAD ROW("1", "5", "1"));
	ASSERT_MATCH(3, "whole 0, 6: 1 of 3 ranks are missing", three, three);
	ASSERT_MATCH(1, "whole 0, 6: there are more rows than ranks", three, three);
	ASSERT_MATCH(0, "whole 3", three, three);
	ASSERT_MATCH(0, "whole 0, 3: there is one rank, and nothing says how many there should be",
	             three);
	ASSERT_MATCH(1, "whole 3", three);
}

static void order(void **state)
{
	static const char two[] = COLL_HEAD ROW("1", "5", "") ROW("5000", "5", "");
	static const char three[] = COLL_HEAD ROW("1", "5", "") ROW("100", "5", "") ROW("207", "5", "");

	(void)state;
	/* Another clock, which is steady. */
	ASSERT_MATCH(2, "whole 2, guessed", two,
	             COLL_HEAD ROW("700001", "4", "") ROW("705998", "6", ""));
	ASSERT_MATCH(2, "whole 0, 4: without numbers, and their ends vary by 1001 us", two,
	             COLL_HEAD ROW("700001", "5", "") ROW("706001", "5", ""));
	ASSERT_MATCH(2,
	             "whole 0, 3: the ranks have different sequences of collectives, without numbers",
	             two, COLL_HEAD ROW("1", "5", ""));
	ASSERT_MATCH(3, "whole 0, 4: 1 of 3 ranks are missing", two, two);
	/* Times between them vary by 8 us, ends by 3 and 4. */
	ASSERT_MATCH(2, "whole 3", three,
	             COLL_HEAD ROW("1", "5", "") ROW("100", "8", "") ROW("207", "5", ""));
	ASSERT_MATCH(2, "whole 3, guessed", three,
	             COLL_HEAD ROW("1", "5", "") ROW("100", "9", "") ROW("207", "5", ""));
	/* None waits for another. */
	ASSERT_MATCH(1, "whole 3", three);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
