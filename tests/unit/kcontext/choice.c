/* choice: which captures stand for the launches of graphs, and ties. */
#include "../unit.h"

#include "kcontext/choice.h"

/* What the tests make: REFs and launches from texts, in which a letter is a kernel. */
struct made {
	struct captures captures;
	struct capture_ref ref;
	struct replays replays;
	struct choices choices;
	struct strmap threads;
	size_t launches;
	int now;
	uint32_t operators;
	uint64_t steps; /* that the choice may take, beside those of its rows */
};

static struct made made(void)
{
	struct made made = {.captures.columns = 2, .steps = CHOICE_STEPS};

	strmap_add(&made.threads, STR("9\t9"), NULL);
	return made;
}

static void done(struct made *made)
{
	choices_free(&made->choices);
	replays_free(&made->replays);
	captures_free(&made->captures);
	strmap_free(&made->threads);
}

static struct str letter(const char *text)
{
	return (struct str){text, 1};
}

/*
 * The values of the REF at hand: operator op_LETTER, and `value` if it is not empty, or the number
 * of the call.
 */
static void end_ref(struct made *made, const char *value)
{
	struct captures *captures = &made->captures;
	struct buf text = {0};

	captures_build(captures, &made->ref, &made->threads);
	for (size_t i = made->ref.first; i < captures->calls; i++) {
		text.len = 0;
		buf_text(&text, "op_");
		buf_str(&text, strmap_key(&captures->names, captures->token[i] - CAPMATCH_NAMED));
		captures_value(captures, i, 0, buf_view(&text));
		text.len = 0;
		buf_format(&text, "%zu", i);
		captures_value(captures, i, 1, value[0] ? str_of(value) : buf_view(&text));
		captures_operator(captures, i, ++made->operators);
	}
	capture_ref_free(&made->ref);
	buf_free(&text);
}

/* A set of captures, with a blank between them, in an annotation of this name unless it is empty.
 */
static void capture(struct made *made, const char *name, const char *kernels)
{
	struct captures *captures = &made->captures;
	int start = made->now;

	captures_call(captures, &made->ref, dec_of(++made->now), 0, STR("hipStreamBeginCapture"),
	              STR(""));
	for (; *kernels; kernels++) {
		made->now++;
		if (*kernels == ' ') {
			captures_call(captures, &made->ref, dec_of(made->now), 0, STR("hipStreamEndCapture"),
			              STR(""));
			captures_call(captures, &made->ref, dec_of(++made->now), 0,
			              STR("hipStreamBeginCapture"), STR(""));
		} else {
			captures_call(captures, &made->ref, dec_of(made->now), 0, STR("hipLaunchKernel"),
			              letter(kernels));
		}
	}
	captures_call(captures, &made->ref, dec_of(++made->now), 0, STR("hipStreamEndCapture"),
	              STR(""));
	if (name[0])
		captures_annotation(captures, &made->ref, 0, dec_of(start), dec_of(++made->now - start),
		                    str_of(name));
}

static void eager(struct made *made, const char *kernels)
{
	struct captures *captures = &made->captures;

	for (; *kernels; kernels++) {
		captures_row(&made->ref, dec_of(++made->now),
		             captures_token(captures, STR("kernel"), letter(kernels)), 0, 0);
		made->ref.row[made->ref.rows - 1].launch_thread = 0;
		made->ref.row[made->ref.rows - 1].launch_ts = dec_of(made->now);
	}
}

/* A launch in a step, or none, of a size, or below 0 none. */
static void launch(struct made *made, uint32_t step, int size, const char *kernels)
{
	struct replay *replay;
	struct replay_launch at = {.ts = dec_of(++made->now),
	                           .step = step,
	                           .sized = size >= 0,
	                           .size = size < 0 ? 0 : (uint64_t)size};

	replay = replays_add(&made->replays, made->launches, &at);
	for (; *kernels; kernels++) {
		uint32_t token = captures_token(&made->captures, STR("kernel"), letter(kernels));

		replays_row(&made->replays, replay, false, dec_of(++made->now), token, token, 0);
	}
	made->launches++;
}

/*
 * For launch number i "name: OP VALUE, ..." of its rows; - is a row without a call, a value that is
 * lost is ~.
 */
static void assert_answer(struct made *made, size_t i, const char *want)
{
	const struct captures *captures = &made->captures;
	const struct replay *replay = &made->replays.item[made->replays.of[i] - 1];
	const struct choice_answer *answer = &made->choices.answer[replay->answer];
	size_t rows = replays_length(&made->replays, replay->sequence);
	struct buf got = {0};

	buf_str(&got, answer->source == CHOICE_EAGER  ? STR("eager")
	              : answer->source == CHOICE_NONE ? STR("none")
	                                              : captures_text(captures, answer->name));
	for (size_t k = 0; k < rows && answer->row; k++) {
		const struct choice_row *row = &answer->row[k];

		buf_text(&got, k ? ", " : ": ");
		if (row->call == CAPTURE_NONE)
			buf_char(&got, '-');
		for (size_t column = 0; column < 2 && row->call != CAPTURE_NONE; column++) {
			if (column)
				buf_char(&got, ' ');
			if (choices_lost(&made->choices, row, column))
				buf_char(&got, '~');
			else
				buf_str(&got,
				        captures_text(captures, captures_value_of(captures, row->call, column)));
		}
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void choose(struct made *made)
{
	const size_t thread_rank = 0;
	uint64_t operators = 0;

	replays_build(&made->replays, &thread_rank);
	choices_make(&made->choices, &made->captures, &made->replays, &operators, &made->steps);
}

/* Most matched rows, then the fewest calls. */
static void the_best(void **state)
{
	struct made m = made();

	(void)state;
	capture(&m, "capture_a", "xxx");
	capture(&m, "capture_b", "axabc");
	capture(&m, "capture_c", "axabcc");
	end_ref(&m, "v");
	launch(&m, REPLAY_NONE, -1, "azbc");
	launch(&m, REPLAY_NONE, -1, "az");
	launch(&m, REPLAY_NONE, -1, "azbcc");
	choose(&m);
	assert_answer(&m, 0, "capture_b: op_a v, -, op_b v, op_c v");
	assert_answer(&m, 1, "none");
	assert_answer(&m, 2, "capture_c: op_a v, -, op_b v, op_c v, op_c v");
	done(&m);
}

/* The k-th capture of a set is of the k-th launch of a step, if all match. */
static void by_sets(void **state)
{
	struct made m = made();

	(void)state;
	capture(&m, "", "ab");
	capture(&m, "capture_1", "ab ab cd");
	capture(&m, "capture_2", "ab xy cd");
	end_ref(&m, "");
	launch(&m, 0, -1, "ab");
	launch(&m, 0, -1, "ab");
	launch(&m, 0, -1, "cd");
	/* No set has two captures that match: each takes the best of all, and those differ. */
	launch(&m, 1, -1, "ab");
	launch(&m, 1, -1, "cd");
	choose(&m);
	assert_answer(&m, 0, "capture_1: op_a 2, op_b 3");
	assert_answer(&m, 1, "capture_1: op_a 4, op_b 5");
	assert_answer(&m, 2, "capture_1: op_c 6, op_d 7");
	assert_answer(&m, 3, ": op_a ~, op_b ~");
	assert_answer(&m, 4, ": op_c ~, op_d ~");
	done(&m);
}

/* Tied captures of different sizes: the least that is enough for the step. */
static void sizes(void **state)
{
	static const struct {
		int step;
		const char *answer;
	} rows[] = {
		{1, "capture_16: op_a 0, op_b 1"},
		{16, "capture_16: op_a 0, op_b 1"},
		{20, "capture_32_X: op_a 2, op_b 3"},
		{33, "capture_64: op_a 4, op_b 5"},
		{65, ": op_a ~, op_b ~"},
		{-1, ": op_a ~, op_b ~"},
	};

	(void)state;
	for (int with_step = 0; with_step < 2; with_step++) {
		struct made m = made();

		capture(&m, "capture_16", "ab");
		capture(&m, "capture_32_X", "ab");
		capture(&m, "capture_64", "ab");
		capture(&m, "capture_decode", "ab");
		end_ref(&m, "");
		for (size_t i = 0; i < COUNT(rows); i++) {
			launch(&m, (uint32_t)i, rows[i].step, "ab");
			if (with_step == 0)
				launch(&m, (uint32_t)i, rows[i].step, "ba"); /* no set has two captures */
		}
		choose(&m);
		for (size_t i = 0; i < COUNT(rows); i++)
			assert_answer(&m, with_step ? i : 2 * i, rows[i].answer);
		done(&m);
	}
}

/* Candidates that differ lose a column; a row that not all of them match loses all. */
static void what_is_lost(void **state)
{
	struct made m = made();
	const struct choice_answer *answer;

	(void)state;
	capture(&m, "", "abcx");
	end_ref(&m, "v");
	capture(&m, "", "abcx");
	end_ref(&m, "w");
	capture(&m, "", "abcd");
	end_ref(&m, "v");
	launch(&m, REPLAY_NONE, -1, "abcde");
	launch(&m, REPLAY_NONE, -1, "abcxz");
	launch(&m, REPLAY_NONE, -1, "abcyy");
	choose(&m);
	assert_answer(&m, 0, ": op_a v, op_b v, op_c v, op_d v, -");
	assert_answer(&m, 1, ": op_a ~, op_b ~, op_c ~, op_x ~, -");
	assert_answer(&m, 2, ": op_a ~, op_b ~, op_c ~, -, -");
	answer = &m.choices.answer[m.replays.item[0].answer];
	assert_int_equal(answer->operators, 4);
	assert_int_equal(answer->row[0].op, 1);
	assert_int_equal(answer->row[3].op, 4);
	assert_int_equal(answer->row[4].op, 0);
	assert_int_equal(m.replays.item[1].op_base, 4);
	done(&m);
}

/* A REF that is given twice changes nothing. */
static void twice(void **state)
{
	struct made m = made();

	(void)state;
	for (int i = 0; i < 2; i++) {
		capture(&m, "capture_4", "ab cd");
		end_ref(&m, "v");
	}
	launch(&m, 0, 4, "ab");
	launch(&m, 0, 4, "cd");
	launch(&m, 1, 4, "ab");
	choose(&m);
	assert_answer(&m, 0, "capture_4: op_a v, op_b v");
	assert_answer(&m, 1, "capture_4: op_c v, op_d v");
	assert_answer(&m, 2, "capture_4: op_a v, op_b v");
	assert_int_equal(m.choices.answer[m.replays.item[0].answer].operators, 2);
	done(&m);
}

/* Places in eager kernels go before a whole REF, and captures before both. */
static void eager_runs(void **state)
{
	struct made m = made();

	(void)state;
	capture(&m, "", "pq");
	eager(&m, "abcabcabd");
	end_ref(&m, "");
	eager(&m, "abxc");
	end_ref(&m, "v");
	launch(&m, REPLAY_NONE, -1, "pq");
	launch(&m, REPLAY_NONE, -1, "abd");
	launch(&m, REPLAY_NONE, -1, "bc");
	launch(&m, REPLAY_NONE, -1, "abzxc");
	launch(&m, REPLAY_NONE, -1, "yz");
	choose(&m);
	assert_answer(&m, 0, ": op_p 0, op_q 1");
	assert_answer(&m, 1, "eager: op_a 8, op_b 9, op_d 10");
	assert_answer(&m, 2, "eager: op_b ~, op_c ~");
	assert_answer(&m, 3, "eager: op_a v, op_b v, -, op_x v, op_c v");
	assert_answer(&m, 4, "none");
	done(&m);
}

/* From the launch on whose candidates take too many steps, none has an answer. */
static void too_long(void **state)
{
	(void)state;
	for (int enough = 0; enough < 2; enough++) {
		struct made m = made();

		for (int i = 0; i < 2000; i++)
			capture(&m, "", "ab");
		end_ref(&m, "v");
		launch(&m, 0, -1, "ab");
		launch(&m, 1, -1, "a");
		m.steps = enough ? m.steps : 1;
		choose(&m);
		assert_int_equal(m.choices.answer[m.replays.item[0].answer].source, CHOICE_CAPTURE);
		assert_int_equal(m.choices.answer[m.replays.item[1].answer].source,
		                 enough ? CHOICE_CAPTURE : CHOICE_LONG);
		assert_int_equal(m.steps == 0, !enough);
		done(&m);
	}
}

/* No captures, no launches. */
static void nothing(void **state)
{
	struct made m = made();

	(void)state;
	choose(&m);
	done(&m);
	m = made();
	launch(&m, 0, -1, "a");
	choose(&m);
	assert_answer(&m, 0, "none");
	done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best),     cmocka_unit_test(by_sets), cmocka_unit_test(sizes),
		cmocka_unit_test(what_is_lost), cmocka_unit_test(twice),   cmocka_unit_test(eager_runs),
		cmocka_unit_test(too_long),     cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
