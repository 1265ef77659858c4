/* replay: the launches of graphs in a trace, their rows and runs. */
#include "../unit.h"

#include "kcontext/replay.h"

enum { B = CAPMATCH_NAMED, A };
static const size_t threads[] = {0};

/* By name. */
static uint32_t rank_of(uint32_t token)
{
	return token == A ? B : token == B ? A : token;
}

static void give(struct replays *replays, size_t number, int launch_ts, uint32_t step, int ts,
                 uint32_t token, uint32_t stream)
{
	struct replay_launch launch = {.ts = dec_of(launch_ts), .step = step};

	struct replay *replay = replays_find(replays, number);

	if (!replay)
		replay = replays_add(replays, number, &launch);
	replays_row(replays, replay, true, dec_of(ts), token, rank_of(token), stream);
}

static void assert_tokens(const struct replays *replays, const struct replay *replay,
                          bool one_stream, const uint32_t *want, size_t count)
{
	uint32_t tokens[8];

	assert_int_equal(replays_length(replays, replay->sequence), count);
	assert_int_equal(replays_sequence(replays, replay->sequence, tokens), one_stream);
	assert_memory_equal(tokens, want, count * sizeof *want);
}

/* In order of time, then of name; the rows of a launch can have others between them. */
static void order_of_rows(void **state)
{
	struct replays replays = {0};
	uint32_t place;

	(void)state;
	for (int i = 0; i < 3; i++)
		replays_count(&replays, 5);
	for (int i = 0; i < 2; i++)
		replays_count(&replays, 2);
	give(&replays, 5, 10, REPLAY_NONE, 30, B, 1);
	give(&replays, 2, 20, REPLAY_NONE, 40, CAPMATCH_COPY, 1);
	give(&replays, 5, 10, REPLAY_NONE, 30, A, 1);
	give(&replays, 2, 20, REPLAY_NONE, 41, A, 2);
	give(&replays, 5, 10, REPLAY_NONE, 29, A, 1);
	replays_build(&replays, threads);
	assert_int_equal(replays.count, 2);
	assert_int_equal(replays.runs, 2);
	assert_tokens(&replays, &replays.item[0], true, (const uint32_t[]){A, A, B}, 3);
	assert_tokens(&replays, &replays.item[1], false, (const uint32_t[]){CAPMATCH_COPY, A}, 2);
	for (int look = 0; look < 2; look++) {
		static const uint32_t want[] = {2, 1, 0};

		replays_rewind(&replays);
		for (size_t i = 0; i < 3; i++) {
			assert_ptr_equal(replays_next(&replays, 5, &place), &replays.item[0]);
			assert_int_equal(place, want[i]);
		}
		assert_ptr_equal(replays_next(&replays, 2, &place), &replays.item[1]);
		assert_int_equal(place, 0);
		assert_null(replays_next(&replays, 3, &place));
		assert_null(replays_next(&replays, 1000, &place));
	}
	replays_free(&replays);
}

/* The launches of one step on one thread, in order of ts; equal rows have one sequence. */
static void runs(void **state)
{
	struct replays replays = {0};
	static const int launch_ts[] = {30, 10, 20, 15, 40};
	static const uint32_t step[] = {1, 1, 0, REPLAY_NONE, REPLAY_NONE};

	(void)state;
	for (size_t i = 0; i < COUNT(step); i++) {
		replays_count(&replays, i);
		give(&replays, i, launch_ts[i], step[i], 50, i == 2 ? B : A, 1);
	}
	replays_build(&replays, threads);
	assert_int_equal(replays.runs, 4);
	assert_int_equal(replays.run[0].count, 1);
	assert_int_equal(replays.run[1].first, 1);
	assert_int_equal(replays.run[1].count, 2);
	assert_int_equal(replays.run[3].first, 4);
	assert_int_equal(dec_compare(replays.item[1].launch.ts, dec_of(10)), 0);
	assert_int_equal(dec_compare(replays.item[4].launch.ts, dec_of(40)), 0);
	assert_int_equal(replays.sequences.count, 2);
	replays_free(&replays);
}

/* Rows of a number that several launches have are not counted; they end with the look. */
static void not_counted(void **state)
{
	struct replays replays = {0};
	struct replay_launch launch = {.step = REPLAY_NONE};

	(void)state;
	replays_add(&replays, 7, &launch);
	replays_row(&replays, replays_find(&replays, 7), false, dec_of(1), A, A, 0);
	replays_row(&replays, replays_find(&replays, 7), false, dec_of(0), B, B, 0);
	replays_build(&replays, threads);
	assert_tokens(&replays, &replays.item[0], true, (const uint32_t[]){B, A}, 2);
	replays_free(&replays);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_rows),
		cmocka_unit_test(runs),
		cmocka_unit_test(not_counted),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
