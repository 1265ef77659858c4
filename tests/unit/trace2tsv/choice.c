/* choice: rows of one process, wherever its name stands. */
#include "../unit.h"

#include "trace2tsv/choice.h"

enum { WAITED };

static const char *const reasons[] = {"process"};

/* What happens: a row "PID TEXT" of an X event (x) or another (i), a name (n), the end (e, s). */
struct step {
	char what;
	const char *pid;
	const char *text;
};

struct plan {
	const char *parts; /* NULL: no choice */
	bool no_head;
	const struct step *steps;
};

/* Writes a line and settles it, as trace2tsv does; counts a row that is settled. */
static void settle(struct choice *choice, struct kev_writer *out, struct balance *balance,
                   const struct step *step, size_t process)
{
	struct str dur = STR("2");
	struct str texts[] = {str_of(step->pid), dur, str_of(step->text)};
	bool row = step->what != 'n';

	if (row)
		balance_in(balance, dur);
	if (row && choice_drops(choice, process)) {
		balance_drop(balance, WAITED, dur);
		return;
	}
	if (row)
		kev_row(out, texts, COUNT(texts));
	else
		kev_meta(out, "process", texts, 1);
	switch (choice_settle(choice, process)) {
	case CHOICE_KEPT:
		if (row)
			balance_out(balance, dur);
		break;
	case CHOICE_FAILED:
		die("%.*s", (int)choice->error.len, choice->error.data);
	case CHOICE_DROPPED:
	case CHOICE_WAITS:
		break;
	}
}

static int run_plan(void *arg)
{
	const struct plan *plan = arg;
	char prog[] = "prog";
	char *argv[] = {prog, NULL};
	struct opts opts = {.argc = 1, .argv = argv, .no_head = plan->no_head};
	struct kev_writer out;
	struct choice choice = {0};
	struct words parts = {0};
	struct balance balance = {
		.on = true, .unit = "us", .what = "rows", .reasons = reasons, .reasons_count = 1};
	const struct step *step;
	bool good = true;

	die_init(prog);
	kev_writer_init(&out, &opts);
	kev_columns(&out, (struct str[]){STR("pid"), STR("dur"), STR("text")}, 3);
	words_add(&parts, plan->parts ? plan->parts : "");
	if (plan->parts)
		good = choice_open(&choice, &parts, &out, &balance, WAITED);
	for (step = plan->steps; good && step->what; step++) {
		size_t process = 0;

		if (step->what == 'e' || step->what == 's') {
			good = choice_make_only(&choice, step->what == 's');
			continue;
		}
		if (plan->parts)
			process = choice_number(&choice, str_of(step->pid), step->what == 'x');
		if (step->what == 'n' && plan->parts &&
		    choice_named(&choice, str_of(step->pid), str_of(step->text)))
			good = choice_make(&choice, process);
		if (good)
			settle(&choice, &out, &balance, step, process);
	}
	if (good)
		balance_print(&balance);
	else
		warn("%.*s", (int)choice.error.len, choice.error.data);
	choice_close(&choice);
	return kev_finish(&out);
}

/* What is written after the columns line, and what is reported. */
static void assert_plan(const char *parts, const struct step *steps, const char *out,
                        const char *err)
{
	struct plan plan = {parts, false, steps};
	struct unit_end end = unit_run(run_plan, &plan);
	struct str head = STR("##kev\t1\n##ends\tprog\n##via\tprog\n#pid\tdur\ttext\n");
	struct str tail = STR("##end\tprog\n");

	assert_int_equal(end.status, 0);
	assert_true(str_starts(buf_view(&end.out), head));
	assert_true(str_ends(buf_view(&end.out), tail));
	assert_str(((struct str){end.out.data + head.n, end.out.len - head.n - tail.n}), str_of(out));
	assert_str(buf_view(&end.err), str_of(err));
	unit_end_free(&end);
}

static void the_name_after_the_rows(void **state)
{
	static const struct step steps[] = {{'x', "1", "a"},     {'x', "2", "b"},   {'n', "1", "host"},
	                                    {'i', "2", "c"},     {'n', "2", "GPU"}, {'x', "1", "d"},
	                                    {'n', "3", "gpu 2"}, {'x', "2", "e"},   {0}};

	(void)state;
	assert_plan("gpu", steps, "2\t2\tb\n2\t2\tc\n##process\t2\n2\t2\te\n",
	            "prog: rows in: 5, 10 us\nprog: rows out: 3, 6 us\n"
	            "prog: rows dropped (process): 2, 4 us\n");
	/* Without a choice all lines are kept. */
	assert_plan(NULL, steps,
	            "1\t2\ta\n2\t2\tb\n##process\t1\n2\t2\tc\n##process\t2\n1\t2\td\n##process\t3\n"
	            "2\t2\te\n",
	            "prog: rows in: 5, 10 us\nprog: rows out: 5, 10 us\n");
}

/* One part of several is enough. The first name counts, not the first part. */
static void the_first_name_that_matches(void **state)
{
	static const struct step steps[] = {
		{'n', "1", "Model"}, {'n', "2", "gpu"}, {'x', "2", "a"}, {'x', "1", "b"}, {0}};

	(void)state;
	assert_plan("gpu,mod", steps, "##process\t1\n1\t2\tb\n",
	            "prog: rows in: 2, 4 us\nprog: rows out: 1, 2 us\n"
	            "prog: rows dropped (process): 1, 2 us\n");
}

static void the_only_process(void **state)
{
	static const struct step only[] = {
		{'i', "1", "a"}, {'x', "2", "b"}, {'n', "1", "host"}, {'e', NULL, NULL}, {0}};
	static const struct step strict[] = {{'x', "2", "b"}, {'s', NULL, NULL}, {0}};
	static const struct step none[] = {{'i', "1", "a"}, {'e', NULL, NULL}, {0}};
	static const struct step two[] = {
		{'x', "1", "a"}, {'n', "1", "h\xc3\xb6st\n"}, {'x', "x\x01", "b"}, {'e', NULL, NULL}, {0}};

	(void)state;
	assert_plan("gpu", only, "2\t2\tb\n",
	            "prog: rows in: 2, 4 us\nprog: rows out: 1, 2 us\n"
	            "prog: rows dropped (process): 1, 2 us\n");
	assert_plan("gpu", strict, "",
	            "prog: no process name matches -P; pids with X events: 2; names: none\n");
	assert_plan("gpu", none, "",
	            "prog: no process name matches -P; pids with X events: none; names: none\n");
	assert_plan("gpu", two, "",
	            "prog: no process name matches -P; pids with X events: 1, x\\x01; "
	            "names: h\xc3\xb6st\\x0a (1)\n");
}

/* Twelve processes are listed, whole, however long their names are. */
static void many_processes_with_long_names(void **state)
{
	enum { PROCESSES = 40 };
	struct step steps[PROCESSES + 2] = {{0}};
	char pids[PROCESSES][200];
	struct plan plan = {"gpu", false, steps};
	struct unit_end end;

	(void)state;
	for (size_t i = 0; i < PROCESSES; i++) {
		snprintf(pids[i], sizeof pids[i], "%0150zu", i);
		steps[i] = (struct step){i ? 'x' : 'n', pids[i], "name"};
	}
	steps[PROCESSES].what = 'e';
	end = unit_run(run_plan, &plan);
	assert_true(str_has(buf_view(&end.err), str_of(pids[1])));
	assert_true(str_has(buf_view(&end.err), str_of(pids[12])));
	assert_false(str_has(buf_view(&end.err), str_of(pids[13])));
	assert_true(str_has(buf_view(&end.err), STR(" and 27 more; names: name (00")));
	unit_end_free(&end);
}

/* Under -H a line of metadata is empty, and does not wait. */
static void without_a_head(void **state)
{
	static const struct step steps[] = {
		{'n', "1", "host"}, {'x', "1", "a"}, {'x', "2", "b"}, {'n', "2", "gpu"}, {0}};
	struct plan plan = {"gpu", true, steps};
	struct unit_end end = unit_run(run_plan, &plan);

	(void)state;
	assert_buf(&end.out, "2\t2\tb\n");
	assert_true(str_has(buf_view(&end.err), STR("rows dropped (process): 1, 2 us\n")));
	unit_end_free(&end);
}

static int run_without_a_disk(void *arg)
{
	setenv("TMPDIR", "/nonexistent", 1);
	return run_plan(arg);
}

static void a_disk_that_fails(void **state)
{
	static const struct step steps[] = {{0}};
	struct plan plan = {"gpu", false, steps};
	struct unit_end end = unit_run(run_without_a_disk, &plan);

	(void)state;
	assert_true(str_starts(buf_view(&end.err),
	                       STR("prog: no temporary file can be made in /nonexistent: No such")));
	unit_end_free(&end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_after_the_rows), cmocka_unit_test(the_first_name_that_matches),
		cmocka_unit_test(the_only_process),        cmocka_unit_test(many_processes_with_long_names),
		cmocka_unit_test(without_a_head),          cmocka_unit_test(a_disk_that_fails),
	};

	return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
