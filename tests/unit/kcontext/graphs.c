/* graphs: what is said of the launches of graphs. */
#include "../unit.h"

#include "base/die.h"
#include "stream/kev.h"

#include "kcontext/contextgraph.h"
#include "kcontext/graphs.h"

enum { EIGHT = 1, SIXTEEN }; /* names of annotations in captures.texts */
enum { AGREED, OPERATOR_LOST, MODULE_LOST };

/* The captures and choices of a trace, and what is said of them. */
struct world {
	struct captures captures;
	struct choice_answer answer[8];
	struct choices choices;
	size_t answers;
	struct context context;
	struct graphs graphs;
	struct kev_writer out;
};

static void lose(struct world *world, unsigned char columns)
{
	strmap_add(&world->choices.lost, (struct str){(const char *)&columns, 1}, NULL);
}

static void make(struct world *world)
{
	static const struct str texts[] = {{"", 0}, {"capture_8", 9}, {"capture_16", 10}};

	for (size_t i = 0; i < COUNT(texts); i++)
		strmap_add(&world->captures.texts, texts[i], NULL);
	world->captures.columns = CONTEXTGRAPH_ARGS + 1;
	world->choices.answer = world->answer;
	lose(world, 0);
	lose(world, 1 << CONTEXTGRAPH_OP | 1 << CONTEXTGRAPH_STACK | 1 << CONTEXTGRAPH_ARGS);
	lose(world, 1 << CONTEXTGRAPH_MODULE | 1 << CONTEXTGRAPH_LAYER);
	world->context.captures = &world->captures;
	world->context.stacks = true;
	words_put(&world->context.args, STR("Input Dims"));
}

static void unmake(struct world *world)
{
	strmap_free(&world->captures.texts);
	strmap_free(&world->choices.lost);
	words_free(&world->context.args);
	words_free(&world->graphs.columns);
	strmap_free(&world->graphs.names);
	free(world->graphs.count);
}

/* A launch of a kernel with a call, a kernel without, on which the captures differ, and a copy. */
static void launch(struct world *world, enum choice_source source, uint32_t name, uint32_t lost,
                   const char *want)
{
	struct replay replay = {.answer = (uint32_t)world->answers};
	const struct choice_row rows[] = {{.call = 1}, {CAPTURE_NONE, .lost = lost}, {.call = 2}};
	bool found = source == CHOICE_CAPTURE || source == CHOICE_EAGER;

	world->answer[world->answers++] = (struct choice_answer){.source = source, .name = name};
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct context_place place = {.graph = {.replay = &replay,
		                                              .choices = &world->choices,
		                                              .row = found ? &rows[i] : NULL},
		                                    .captured = found && i != 1};
		struct str got =
			graphs_row(&world->graphs, &world->context, &place, i < 2 ? STR("2") : STR(""));

		assert_str(got, str_of(place.captured ? want : ""));
	}
}

static void other_row(struct world *world)
{
	const struct context_place place = {0};

	assert_str(graphs_row(&world->graphs, &world->context, &place, STR("2")), STR(""));
}

static struct tally of_time(int time)
{
	return (struct tally){.time = dec_of(time)};
}

static int run(void *arg)
{
	char *argv[] = {(char *)"kcontext", NULL};
	const struct opts opts = {.argc = 1, .argv = argv};
	struct world world = {0};

	die_init("kcontext");
	kev_writer_init(&world.out, &opts);
	make(&world);
	(*(void (**)(struct world *))arg)(&world);
	unmake(&world);
	return kev_finish(&world.out);
}

/* What is written between the head and the end of a stream, and the warnings. */
static void assert_said(void (*say)(struct world *world), const char *want, const char *warnings)
{
	struct unit_end end = unit_run(run, &say);
	struct str got = buf_view(&end.out);
	const struct str head = STR("##kev\t1\n##ends\tkcontext\n");
	const struct str tail = STR("##via\tkcontext\n##end\tkcontext\n");

	assert_int_equal(end.status, 0);
	assert_str(buf_view(&end.err), str_of(warnings));
	assert_true(str_starts(got, head));
	assert_true(str_ends(got, tail));
	got = (struct str){got.s + head.n, got.n - head.n - tail.n};
	assert_str(got, str_of(want));
	unit_end_free(&end);
}

/* Each name has a line, by its bytes, and none has the last; then all is counted anew. */
static void say_lines(struct world *world)
{
	launch(world, CHOICE_CAPTURE, EIGHT, AGREED, "capture_8");
	launch(world, CHOICE_CAPTURE, SIXTEEN, AGREED, "capture_16");
	launch(world, CHOICE_CAPTURE, EIGHT, AGREED, "capture_8");
	launch(world, CHOICE_CAPTURE, 0, AGREED, "capture");
	launch(world, CHOICE_EAGER, 0, AGREED, "eager");
	other_row(world);
	graphs_put(&world->graphs, &world->out, false);
	graphs_put(&world->graphs, &world->out, false); /* no rows since */
	launch(world, CHOICE_NONE, 0, AGREED, "");
	graphs_put(&world->graphs, &world->out, true);
	graphs_put(&world->graphs, &world->out, true);
}

static void say_none(struct world *world)
{
	graphs_put(&world->graphs, &world->out, false);
	graphs_put(&world->graphs, &world->out, true);
	graphs_warn(&world->graphs, "in.kev", of_time(0));
}

static void lines(void **state)
{
	(void)state;
	assert_said(say_lines,
	            "##capture\tcapture\t1\t3\t2\n##capture\tcapture_16\t1\t3\t2\n"
	            "##capture\tcapture_8\t2\t6\t4\n##capture\teager\t1\t3\t2\n"
	            "##capture\tnone\t0\t0\t0\n##capture\tnone\t1\t3\t0\n",
	            "");
	assert_said(say_none, "##capture\tnone\t0\t0\t0\n", "");
}

/* Copies have no kernel time, and each launch counts once. */
static void say_without(struct world *world)
{
	launch(world, CHOICE_NONE, 0, AGREED, "");
	launch(world, CHOICE_CAPTURE, EIGHT, AGREED, "capture_8");
	launch(world, CHOICE_LONG, 0, AGREED, "");
	other_row(world);
	graphs_warn(&world->graphs, "in.kev", of_time(16));
	graphs_warn(&world->graphs, "in.kev", of_time(16));
}

/* There is no share of no time, or of a time that is too large to add. */
static void say_no_share(struct world *world)
{
	struct tally overflow = of_time(4);

	launch(world, CHOICE_NONE, 0, AGREED, "");
	graphs_warn(&world->graphs, "1.kev", of_time(0));
	launch(world, CHOICE_NONE, 0, AGREED, "");
	overflow.overflow = true;
	graphs_warn(&world->graphs, "2.kev", overflow);
}

static void without_a_capture(void **state)
{
	(void)state;
	assert_said(
		say_without, "",
		"kcontext: in.kev: graph launches without a capture: 2, with 50 % of the kernel time\n"
		"kcontext: in.kev: of these, launches that take too long to match: 1\n");
	assert_said(say_no_share, "",
	            "kcontext: 1.kev: graph launches without a capture: 1\n"
	            "kcontext: 2.kev: graph launches without a capture: 1\n");
}

/* Each row counts once, and only columns of the output. */
static void say_lost(struct world *world)
{
	launch(world, CHOICE_EAGER, 0, MODULE_LOST, "eager");
	graphs_warn(&world->graphs, "1.kev", of_time(9));
	launch(world, CHOICE_CAPTURE, EIGHT, OPERATOR_LOST, "capture_8");
	launch(world, CHOICE_CAPTURE, EIGHT, OPERATOR_LOST, "capture_8");
	graphs_warn(&world->graphs, "2.kev", of_time(9));
	world->context.stacks = false;
	world->context.modules = true;
	world->context.module = STR("Layer");
	launch(world, CHOICE_EAGER, 0, MODULE_LOST, "eager");
	launch(world, CHOICE_EAGER, 0, OPERATOR_LOST, "eager");
	graphs_warn(&world->graphs, "3.kev", of_time(9));
}

static void lost_columns(void **state)
{
	(void)state;
	assert_said(say_lost, "",
	            "kcontext: 2.kev: rows whose captures are equally good and differ: 2, in cpu_op, "
	            "python_stack, Input Dims\n"
	            "kcontext: 3.kev: rows whose captures are equally good and differ: 2, in module, "
	            "layer, cpu_op, Input Dims\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(without_a_capture),
		cmocka_unit_test(lost_columns),
	};

	return cmocka_run_group_tests_name("graphs", tests, NULL, NULL);
}
