/* aiereport: figures of AI Engine traces as rows, Markdown and a report. */
#include "../unit.h"

#include "aie_tiles.h"
#include "aiepair/aiereport.h"

/* What to write of the made traces. */
struct job {
	struct made made[2];
	size_t runs;
	struct strmap damages;
	enum form form;
	bool aggregate;
	bool files;
};

static int write_job(void *arg)
{
	struct job *job = arg;
	char *argv[] = {(char[]){"prog"}, NULL};
	struct opts opts = {.no_head = job->form != FORM_TSV, .argc = 1, .argv = argv};
	struct aie_run runs[] = {job->made[0].run, job->made[1].run};
	struct kev_writer out;
	struct aie_answer answer = {.out = &out,
	                            .work = &job->made[0].work,
	                            .runs = runs,
	                            .count = job->runs,
	                            .files = job->files,
	                            .damages = &job->damages};

	die_init("prog");
	kev_writer_init(&out, &opts);
	if (job->form == FORM_REPORT)
		aie_report_text(&answer, job->aggregate);
	else
		aie_report_rows(&answer, job->form, job->aggregate);
	return kev_finish(&out);
}

static void assert_written(struct job *job, const char *want)
{
	struct unit_end end = unit_run(write_job, job);

	assert_text(buf_view(&end.err), "");
	assert_str(buf_view(&end.out), str_of(want));
	assert_int_equal(end.status, 0);
	unit_end_free(&end);
}

static void free_job(struct job *job)
{
	for (size_t i = 0; i < COUNT(job->made); i++)
		made_free(&job->made[i]);
	strmap_free(&job->damages);
}

/* Three iterations of two tiles, of which the last two count. */
static void make(struct job *job)
{
	*job = (struct job){.runs = 1};
	made_add(&job->made[0], "a|b", "7", "0-800 | 20000-20400 | 40000-40400");
	made_add(&job->made[0], "c\x1b", "8", "0-400 | 20000-20800 | 40000-40200");
	made_pair(&job->made[0], 2);
}

static void rows(void **state)
{
	struct job job;

	(void)state;
	make(&job);
	assert_written(&job,
	               "##kev\t1\n##ends\tprog\n##via\tprog\n#"
	               "tile\tpid\titeration\tphase\tkernels\tmean\tmin\tmax\t"
	               "span\tfirst_start\tlast_end\tgmacs\n"
	               "a|b\t7\t0\twarmup\t1\t800\t800\t800\t800\t0\t800\t78.125\n"
	               "a|b\t7\t1\tperf\t1\t400\t400\t400\t400\t20000\t20400\t156.25\n"
	               "a|b\t7\t2\tperf\t1\t400\t400\t400\t400\t40000\t40400\t156.25\n"
	               "c\x1b\t8\t0\twarmup\t1\t400\t400\t400\t400\t0\t400\t156.25\n"
	               "c\x1b\t8\t1\tperf\t1\t800\t800\t800\t800\t20000\t20800\t78.125\n"
	               "c\x1b\t8\t2\tperf\t1\t200\t200\t200\t200\t40000\t40200\t312.5\n##end\tprog\n");
	job.aggregate = job.files = true;
	job.made[0].work.given[AIE_PEAK_MACS] = true;
	assert_written(&job, "##kev\t1\n##ends\tprog\n##via\tprog\n"
	                     "#kind\titeration\truntime\tgmacs\tutilization\tfile\n"
	                     "iteration\t1\t800\t156.25\t0.9765625\tt.json\n"
	                     "iteration\t2\t400\t312.5\t1.953125\tt.json\n"
	                     "average\t\t600\t234.375\t1.46484375\tt.json\n"
	                     "best\t2\t400\t312.5\t1.953125\tt.json\n"
	                     "worst\t1\t800\t156.25\t0.9765625\tt.json\n##end\tprog\n");
	free_job(&job);
}

static void markdown(void **state)
{
	struct job job;

	(void)state;
	make(&job);
	job.form = FORM_MARKDOWN;
	strmap_add(&job.damages, STR("t<i>\x1b: cut"), NULL);
	assert_written(
		&job, "| tile | pid | iteration | phase | kernels | mean | min | max | span | "
			  "first_start | last_end | gmacs |\n"
			  "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
			  "---: |\n"
			  "| `a\\|b` | 7 | 0 | warmup | 1 | 800 | 800 | 800 | 800 | 0 | 800 | 78.125 |\n"
			  "| `a\\|b` | 7 | 1 | perf | 1 | 400 | 400 | 400 | 400 | 20000 | 20400 | 156.25 |\n"
			  "| `a\\|b` | 7 | 2 | perf | 1 | 400 | 400 | 400 | 400 | 40000 | 40400 | 156.25 |\n"
			  "| `c\\x1b` | 8 | 0 | warmup | 1 | 400 | 400 | 400 | 400 | 0 | 400 | 156.25 |\n"
			  "| `c\\x1b` | 8 | 1 | perf | 1 | 800 | 800 | 800 | 800 | 20000 | 20800 | 78.125 |\n"
			  "| `c\\x1b` | 8 | 2 | perf | 1 | 200 | 200 | 200 | 200 | 40000 | 40200 | 312.5 |\n"
			  "\nThe input is damaged, and the figures with it:\n\n`t<i>\\x1b: cut`\n");
	free_job(&job);
}

#define HEAD                                                                                \
	"t.json\nM=100 K=100 N=10 on 1 x 2 tiles, 1.25 GHz, 64 MACs a cycle and core at best\n" \
	"iterations: 1 of warmup, 2 that count\n\n"
#define COMMON                                                               \
	"All tiles, an iteration as long as in the slowest of them\n"            \
	"kind       Iter   Cycles   GMAC/s  of peak\n"                           \
	"--------------------------------------------------------------------\n" \
	"iteration     1      800  156.250   97.7 %  ########################\n" \
	"iteration     2      400  312.500  195.3 %  ############\n"             \
	"average          600.000  234.375  146.5 %\n"                           \
	"best          2      400  312.500  195.3 %  ############\n"             \
	"worst         1      800  156.250   97.7 %  ########################\n\n"

static void report(void **state)
{
	struct job job;

	(void)state;
	make(&job);
	job.form = FORM_REPORT;
	assert_written(
		&job, HEAD
		"a|b, pid 7: 3 kernels, median 400 cycles, of 3 begins and 3 ends\n"
		"Iter  Phase   Kernels  Avg cycles  Min  Max  Total span   GMAC/s  of peak\n"
		"------------------------------------------------------------------------------------------"
		"---------\n"
		"   0  warmup        1     800.000  800  800         800   78.125   97.7 %  "
		"########################\n"
		"   1  perf          1     400.000  400  400         400  156.250  195.3 %  ############\n"
		"   2  perf          1     400.000  400  400         400  156.250  195.3 %  "
		"############\n\n"
		"c\\x1b, pid 8: 3 kernels, median 400 cycles, of 3 begins and 3 ends\n"
		"Iter  Phase   Kernels  Avg cycles  Min  Max  Total span   GMAC/s  of peak\n"
		"------------------------------------------------------------------------------------------"
		"---------\n"
		"   0  warmup        1     400.000  400  400         400  156.250  195.3 %  ############\n"
		"   1  perf          1     800.000  800  800         800   78.125   97.7 %  "
		"########################\n"
		"   2  perf          1     200.000  200  200         200  312.500  390.6 %  "
		"######\n\n" COMMON);
	job.aggregate = true;
	assert_written(&job, HEAD COMMON);
	free_job(&job);
}

/* Text of the trace and of the options is made plain; what differs or is damaged is reported. */
static void unusual_reports(void **state)
{
	struct job job = {.runs = 2, .form = FORM_REPORT, .aggregate = true};

	(void)state;
	made_add(&job.made[0], "a\n", "0", "0-400");
	made_add(&job.made[0], "b", "1", "");
	made_add(&job.made[0], "c", "2", "0-400");
	made_pair(&job.made[0], 1);
	job.made[0].trace.file = STR("\xe2\x80\xaet\xff");
	job.made[0].work.hwid = "x\x7f";
	made_pair(&job.made[1], 1);
	strmap_add(&job.damages, STR("t\r: cut"), NULL);
	assert_written(
		&job,
		"\\xe2\\x80\\xaet\\xff\nM=100 K=100 N=10 on 1 x 2 tiles of x\\x7f, 1.25 GHz, 64 MACs a "
		"cycle "
		"and core at best\niterations: 1 of warmup, 1 that count\n\n"
		"All tiles: no iteration is in the performance window of every core\n\n"
		"The tiles differ in their number of iterations: iterations of one index may not belong "
		"together.\n1 in a\\x0a; c\n0 in b\n\n"
		"t.json\nM=100 K=100 N=10 on 1 x 2 tiles of x\\x7f, 1.25 GHz, 64 MACs a cycle and core at "
		"best\niterations: 1 of warmup, 1 that count\n\nAll tiles: there is no core\n\n"
		"The input is damaged, and the figures with it:\n\nt\\x0d: cut\n");
	job.aggregate = false;
	job.runs = 1;
	job.made[0].trace.cores = 2;
	strmap_clear(&job.damages);
	assert_written(
		&job,
		"\\xe2\\x80\\xaet\\xff\nM=100 K=100 N=10 on 1 x 2 tiles of x\\x7f, 1.25 GHz, 64 MACs a "
		"cycle "
		"and core at best\niterations: 1 of warmup, 1 that count\n\n"
		"a\\x0a, pid 0: 1 kernels, median 400 cycles, of 1 begins and 1 ends\n"
		"1 iterations found, 2 expected: continuing with those found\n"
		"Iter  Phase   Kernels  Avg cycles  Min  Max  Total span   GMAC/s  of peak\n"
		"------------------------------------------------------------------------------------------"
		"---------\n"
		"   0  warmup        1     400.000  400  400         400  156.250  195.3 %  "
		"########################\n\n"
		"b, pid 1: no kernel of 0 begins and 0 ends\n"
		"0 iterations found, 2 expected: there is no kernel\n\n"
		"All tiles: no iteration is in the performance window of every core\n\n"
		"The tiles differ in their number of iterations: iterations of one index may not belong "
		"together.\n1 in a\\x0a\n0 in b\n\n");
	job.made[0].trace.cores = 3;
	free_job(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(markdown),
		cmocka_unit_test(report),
		cmocka_unit_test(unusual_reports),
	};

	return cmocka_run_group_tests_name("aiereport", tests, NULL, NULL);
}
