/* references: the REFs of --capture, read one after another. */
#include "../unit.h"

#include "base/die.h"

#include "kcontext/contextgraph.h"
#include "kcontext/references.h"

#define HEAD "##kev\t1\n#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tExternal id\tkernel\n"
#define BEGIN "2\t1\thipStreamBeginCapture\tcuda_runtime\t9\t9\t1\t\t\n"
#define END "30\t1\thipStreamEndCapture\tcuda_runtime\t9\t9\t5\t\t\n"
#define OPERATOR "10\t9\taten::mm\tcpu_op\t9\t9\t\t\t\n"

static const char two_files[] =
	HEAD "##source\tx\n" BEGIN OPERATOR "11\t1\thipLaunchKernel\tcuda_runtime\t9\t9\t2\t\ta\n" END
		 "##source\ty\n" BEGIN "11\t1\thipLaunchKernel\tcuda_runtime\t9\t9\t2\t\tb\n" END;
static const char eager[] = HEAD OPERATOR "11\t1\tcudaLaunchKernel\tcuda_runtime\t9\t9\t2\t\t\n"
										  "20\t1\tc\tkernel\t0\t7\t2\t\t\n";
static const char lacking[] =
	HEAD BEGIN "\t1\thipLaunchKernel\tcuda_runtime\t9\t9\t2\t\ta\n"
			   "12\t1\thipLaunchKernel\tcuda_runtime\t9\t9\t2\t\t\n" END END;

struct made {
	const char *text; /* standard input */
	const char *refs; /* "-" and "e", a file of an eager kernel */
	const char *operand;
	char path[64]; /* the path of file e */
};

/* Prints what the captures have, and the operator of each call. */
static void put_captures(const struct captures *captures)
{
	printf("%zu captures, %zu eager:", captures->count, captures->eagers);
	for (size_t i = 0; i < captures->calls; i++) {
		struct str op = captures_text(captures, captures_value_of(captures, i, CONTEXTGRAPH_OP));

		printf(" %.*s", (int)op.n, op.s);
	}
	printf("\n");
}

static int run(void *arg)
{
	const struct made *made = arg;
	char *argv[] = {(char *)"kcontext", NULL};
	char *operands[] = {(char *)made->operand};
	const struct opts opts = {.argc = 1, .argv = argv, .operands = operands, .operands_count = 1};
	struct references references = {0};
	struct context context = {0};
	struct kev_writer out;

	die_init("kcontext");
	kev_writer_init(&out, &opts);
	unit_feed(str_of(made->text));
	for (const char *ref = made->refs; *ref; ref++)
		words_put(&references.paths, *ref == '-' ? STR("-") : str_of(made->path));
	references_check(&references, &opts);
	references_read(&references, &opts, &context, &out);
	if (context.captures)
		put_captures(context.captures);
	captures_free(&references.captures);
	context_free(&references.context);
	words_free(&references.paths);
	return (int)out.status;
}

static void assert_read(struct made made, int status, const char *out, const char *err)
{
	struct unit_end end;

	made.operand = made.operand ? made.operand : "in.kev";
	unit_file(made.path, str_of(eager));
	end = unit_run(run, &made);
	unlink(made.path);
	assert_str(buf_view(&end.err), str_of(err));
	assert_str(buf_view(&end.out), str_of(out));
	assert_int_equal(end.status, status);
	unit_end_free(&end);
}

/* Each file of a stream is a REF of its own, and calls of all follow each other. */
static void several(void **state)
{
	(void)state;
	assert_read((struct made){two_files, .refs = "-"}, 0, "2 captures, 0 eager: aten::mm \n", "");
	assert_read((struct made){two_files, .refs = "e-e"}, 0,
	            "2 captures, 2 eager: aten::mm aten::mm  aten::mm\n", "");
	assert_read((struct made){two_files, .refs = ""}, 0, "", "");
}

static void lacks(void **state)
{
	(void)state;
	assert_read((struct made){HEAD, .refs = "-e"}, 0, "0 captures, 1 eager: aten::mm\n",
	            "kcontext: -: no capture and no linked kernel\n");
	assert_read(
		(struct made){lacking, .refs = "-"}, 0, "1 captures, 0 eager: \n",
		"kcontext: -: launch calls without a kernel name are matched by order (trace2tsv -a kernel "
		"adds it on ROCm)\n"
		"kcontext: -: begins and ends of captures without the other, which are ignored: 1\n"
		"kcontext: -: launches, operators, annotations and functions skipped, as ts or dur is "
		"missing: 1\n"
		"kcontext: -: rows with the id of another row: 1; trace2tsv -f keeps the ids of several "
		"traces apart\n");
}

/* A damaged REF damages the result; the others are read. */
static void damage(void **state)
{
	(void)state;
	assert_read(
		(struct made){HEAD "##damaged\tx\n" BEGIN, .refs = "-e"}, 1,
		"0 captures, 1 eager: aten::mm\n",
		"kcontext: x: damaged\n"
		"kcontext: -: no capture and no linked kernel\n"
		"kcontext: -: begins and ends of captures without the other, which are ignored: 1\n");
}

static void standard_input(void **state)
{
	static const char want[] =
		"kcontext: --capture: standard input can be read only once; see kcontext -h\n";

	(void)state;
	assert_read((struct made){two_files, .refs = "-e-"}, 2, "", want);
	assert_read((struct made){two_files, .refs = "-", .operand = "-"}, 2, "", want);
	assert_read((struct made){two_files, .refs = "e", .operand = "-"}, 0,
	            "0 captures, 1 eager: aten::mm\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several),
		cmocka_unit_test(lacks),
		cmocka_unit_test(damage),
		cmocka_unit_test(standard_input),
	};

	return cmocka_run_group_tests_name("references", tests, NULL, NULL);
}
