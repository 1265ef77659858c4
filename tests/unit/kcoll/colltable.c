/* colltable: parts merge in any order to one table, and sums that are too large are errors. */
#include "../unit.h"

#include "kcoll/colltable.h"

enum { PARTS = 6 };

static void fill(struct coll *parts, struct collmember *members)
{
	/* Equal least durations, bytes that differ, one without bytes. */
	static const int durs[PARTS] = {5, 3, 9, 3, 9, 7};

	for (int i = 0; i < PARTS; i++) {
		struct dec dur = dec_of(durs[i]);
		struct dec end = dec_of(100 - i % 4);
		uint64_t rank = (uint64_t)(PARTS - i);

		parts[i] = (struct coll){.kind = COLLKIND_ALLREDUCE,
		                         .by = COLLBY_SEQ,
		                         .split = i == 2,
		                         .sized = i != 3,
		                         .ordered = i != 1,
		                         .bytes_min = i == 3 ? 0 : 8 + rank,
		                         .bytes_max = i == 3 ? 0 : 8 + rank,
		                         .size = i == 4 ? 6 : 0,
		                         .seq = i == 1 ? 0 : 7,
		                         .count = 1,
		                         .ranks = collrank_hash(rank),
		                         .total = dur,
		                         .min = dur,
		                         .max = dur,
		                         .min_rank = rank,
		                         .max_rank = rank,
		                         .end_min = end,
		                         .end_max = end,
		                         .end_low = end,
		                         .low_rank = rank};
		members[i] = (struct collmember){.by = COLLBY_SEQ,
		                                 .ordered = i != 1,
		                                 .rank = rank / 2,
		                                 .count = 1,
		                                 .total = dur,
		                                 .hash = collrank_hash(rank),
		                                 .first = i == 1 ? 0 : rank,
		                                 .last = i == 1 ? 0 : rank};
	}
}

static int write_table(void *arg)
{
	struct kev_writer out;

	kev_writer_init(&out, unit_opts());
	colltable_write(arg, &out);
	return kev_finish(&out);
}

static struct unit_end merged(const struct coll *parts, const struct collmember *members,
                              const int *order)
{
	struct colltable table = {.coll_cap = 0};
	struct unit_end end;

	for (int i = 0; i < PARTS; i++) {
		struct coll part = parts[order[i]];
		struct collmember member = members[order[i]];

		part.group = member.group = colltable_group(&table, STR("g\ttab"));
		assert_true(colltable_add(&table, &part, STR("7")));
		assert_true(colltable_add_member(&table, &member));
	}
	assert_int_equal(table.keys.count, 1);
	end = unit_run(write_table, &table);
	colltable_free(&table);
	return end;
}

static void any_order(void **state)
{
	struct coll parts[PARTS];
	struct collmember members[PARTS];
	int order[PARTS] = {0, 1, 2, 3, 4, 5};
	struct unit_end first;

	(void)state;
	fill(parts, members);
	first = merged(parts, members, order);
	assert_int_equal(first.status, 0);
	assert_true(str_has(buf_view(&first.out),
	                    STR("collective\tg\\ttab\tseq\tallreduce\t6\t6\t36\t7\t7\t9\t14\t1\t")));
	assert_true(str_has(buf_view(&first.out), STR("\t3\t3\t9\t2\t97\t100\t99\t1\t\t\t\t\n")));
	for (int turn = 1; turn < 40; turn++) {
		struct unit_end end;
		int a = turn % PARTS;
		int b = turn * 7 / 3 % PARTS;
		int swap = order[a];

		order[a] = order[b];
		order[b] = swap;
		end = merged(parts, members, order);
		assert_str(buf_view(&end.out), buf_view(&first.out));
		buf_free(&end.out);
		buf_free(&end.err);
	}
	buf_free(&first.out);
	buf_free(&first.err);
}

static void too_large(void **state)
{
	struct colltable table = {.coll_cap = 0};
	struct coll parts[PARTS];
	struct collmember members[PARTS];

	(void)state;
	fill(parts, members);
	parts[1].total.nano = members[1].total.nano = (__int128)(~(unsigned __int128)0 >> 1);
	members[1].rank = members[0].rank;
	assert_true(colltable_add(&table, &parts[0], STR("1")));
	assert_false(colltable_add(&table, &parts[1], STR("1")));
	assert_true(colltable_add_member(&table, &members[0]));
	assert_false(colltable_add_member(&table, &members[1]));
	colltable_free(&table);
}

static void names(void **state)
{
	struct colltable table = {.coll_cap = 0};
	struct coll like = {.group = colltable_group(&table, STR("a")), .by = COLLBY_ID};

	(void)state;
	assert_true(colltable_find(&table, &like, STR("x")) == STRMAP_NONE);
	assert_int_equal(colltable_coll(&table, &like, STR("x")), 0);
	assert_int_equal(colltable_coll(&table, &like, STR("y")), 1);
	like.kind = COLLKIND_REDUCE;
	assert_int_equal(colltable_coll(&table, &like, STR("x")), 2);
	like.kind = 0;
	assert_int_equal(colltable_find(&table, &like, STR("x")), 0);
	assert_text(colltable_id(&table, 1), "y");
	colltable_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
		cmocka_unit_test(too_large),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
