/* aiejson: figures of AI Engine traces as JSON and files. */
#include "../unit.h"

#include "aie_tiles.h"
#include "aiepair/aiejson.h"
#include "io/folder.h"

/* An answer of one run, whose cores are to be added and paired. */
struct test {
	struct made made;
	struct strmap damages;
	struct opts opts;
	struct kev_writer out;
	struct aie_answer answer;
	const char *path; /* path of a folder; NULL: JSON on standard output */
	bool tiles;
};

static void make(struct test *test)
{
	*test = (struct test){.opts = {.no_head = true}};
	test->answer = (struct aie_answer){.out = &test->out,
	                                   .work = &test->made.work,
	                                   .runs = &test->made.run,
	                                   .count = 1,
	                                   .damages = &test->damages};
}

static void free_test(struct test *test)
{
	made_free(&test->made);
	strmap_free(&test->damages);
}

static int write_answer(void *arg)
{
	struct test *test = arg;

	die_init("prog");
	kev_writer_init(&test->out, &test->opts);
	if (test->path)
		aie_json_folder(&test->answer, test->path);
	else
		aie_json_write(&test->answer, test->tiles);
	return kev_finish(&test->out);
}

static void assert_written(struct test *test, int status, const char *out, const char *err)
{
	struct unit_end end = unit_run(write_answer, test);

	assert_str(buf_view(&end.err), str_of(err));
	assert_str(buf_view(&end.out), str_of(out));
	assert_int_equal(end.status, status);
	unit_end_free(&end);
}

#define HEAD(notes)                                                                              \
	"\"hwid\": null, \"M\": 100, \"K\": 100, \"N\": 10, \"m\": null, \"k\": null, \"n\": null, " \
	"\"rows\": 1, \"cols\": 2, \"warmup\": 1, \"iterations\": 1, \"input_path\": \"t.json\", "   \
	"\"output_dir\": null, \"clock_GHz\": 1.25, \"notes\": [" notes "], \"details_md\": null"

/* Without the line breaks and the spaces before a line. */
static void assert_json(struct test *test, const char *want)
{
	struct unit_end end = unit_run(write_answer, test);
	struct buf got = {0};

	assert_int_equal(end.status, 0);
	for (size_t i = 0; i < end.out.len; i++) {
		bool after_comma = got.len && got.data[got.len - 1] == ',';

		if (end.out.data[i] != '\n') {
			buf_char(&got, end.out.data[i]);
			continue;
		}
		while (i + 1 < end.out.len && end.out.data[i + 1] == ' ')
			i++;
		if (after_comma)
			buf_char(&got, ' ');
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	unit_end_free(&end);
}

static void json(void **state)
{
	struct test test;

	(void)state;
	make(&test);
	made_pair(&test.made, 1);
	assert_json(&test,
	            "{\"runs\": [{" HEAD("") ", \"aggregate\": {\"note\": \"there is no core\"}}]}");
	made_add(&test.made, "tile0,2", "7", "0-400 | 20000-20400");
	made_pair(&test.made, 1);
	assert_json(
		&test,
		"{\"runs\": [{" HEAD(
			"") ", \"aggregate\": {\"iterations_considered\": [1], \"count\": 1, "
				"\"average\": {\"runtime_cycles\": 400, \"gmacs_per_second\": 312.5}, "
				"\"best\": {\"iteration_index\": 1, \"runtime_cycles\": 400, \"gmacs_per_second\": "
				"312.5}, "
				"\"worst\": {\"iteration_index\": 1, \"runtime_cycles\": 400, "
				"\"gmacs_per_second\": 312.5}, "
				"\"per_iteration\": [{\"iteration_index\": 1, \"runtime_cycles\": 400, "
				"\"gmacs_per_second\": 312.5}], "
				"\"note\": \"of the iterations in the performance window of every core\"}}]}");
	free_test(&test);
}

#define MISMATCH(found, note) "\"" #found " iterations found, 2 expected: " note "\""

static void tiles(void **state)
{
	struct test test;

	(void)state;
	make(&test);
	made_add(&test.made, "a", "7", "0-400");
	made_add(&test.made, "b", "x", "");
	made_pair(&test.made, 1);
	test.made.work.given[AIE_PEAK_MACS] = true;
	test.tiles = true;
	strmap_add(&test.damages, STR("t: cut"), NULL);
	assert_json(
		&test,
		"{\"runs\": [{" HEAD(MISMATCH(1, "continuing with those found") ", " MISMATCH(
			0, "there is no kernel")) ", \"damaged\": [\"t: cut\"], \"tiles\": ["
									  "{\"pid\": 7, \"tile_name\": \"a\", "
									  "\"median_kernel_duration_cycles\": 400, "
									  "\"lock_stall_boundary_count\": 0, "
									  "\"detected_total_iterations\": 1, "
									  "\"expected_total_iterations\": 2, "
									  "\"mismatch_note\": " MISMATCH(
										  1,
										  "continuing with those found") ", "
																		 "\"iterations\": "
																		 "[{\"num_kernels\": 1, "
																		 "\"avg_duration_cycles\": "
																		 "400, "
																		 "\"min_duration_cycles\": "
																		 "400, "
																		 "\"max_duration_cycles\": "
																		 "400, "
																		 "\"total_span_cycles\": "
																		 "400, \"first_start\": 0, "
																		 "\"last_end\": 400, "
																		 "\"gmacs_per_second\": "
																		 "156.25, \"utilization\": "
																		 "1.953125, "
																		 "\"iteration_index\": 0, "
																		 "\"phase\": \"warmup\"}], "
																		 "\"performance_window\": "
																		 "[]}, "
																		 "{\"pid\": \"x\", "
																		 "\"tile_name\": \"b\", "
																		 "\"detected_total_"
																		 "iterations\": 0, "
																		 "\"expected_total_"
																		 "iterations\": 2, "
																		 "\"mismatch_note\":"
																		 " " MISMATCH(
																			 0, "there is no "
																				"kernel") ", "
																						  "\"iterat"
																						  "ions\": "
																						  "[], "
																						  "\"perfor"
																						  "mance_"
																						  "window\""
																						  ": []}], "
																						  "\"aggreg"
																						  "ate\": "
																						  "{\"note"
																						  "\": "
																						  "\"no "
																						  "iteratio"
																						  "n is in "
																						  "the "
																						  "performa"
																						  "nce "
																						  "window "
																						  "of "
																						  "every "
																						  "core\"}}"
																						  "]}");
	free_test(&test);
}

/* The files of a folder by their names, a space behind each; and they go. */
static void assert_files(const char *path, const char *want)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY);
	struct folder_list list = {0};
	struct buf got = {0};

	assert_true(folder >= 0);
	assert_true(folder_list(&list, folder));
	for (size_t i = 0; i < list.count; i++) {
		buf_text(&got, list.name[i]);
		buf_char(&got, ' ');
		unlinkat(folder, list.name[i], 0);
	}
	assert_str(buf_view(&got), str_of(want));
	folder_list_free(&list);
	buf_free(&got);
	close(folder);
}

static void files(void **state)
{
	char path[64];
	char inner[80];
	int folder = unit_folder(path);
	struct aie_run runs[2];
	struct buf text = {0};
	struct test test;

	(void)state;
	make(&test);
	test.path = path;
	made_pair(&test.made, 1);
	assert_written(&test, 0, "", "");
	assert_files(path, "aggregate_perf.json index.json ");

	made_add(&test.made, "a|b", "7", "0-400");
	made_pair(&test.made, 1);
	test.made.work.hwid = "<b>\x1b&";
	assert_written(&test, 0, "", "");
	unit_slurp(&text, openat(folder, "details.md", O_RDONLY));
	assert_buf(
		&text,
		"<details><summary><strong>[&lt;b>\\x1b&amp;] M=100 K=100 N=10</strong></summary>\n\n"
		"| Tile | Iter | Phase | Kernels | Avg cycles | Min | Max | Total span | "
		"GMAC/s |\n| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
		"| `a\\|b` | 0 | warmup | 1 | 400.000 | 400 | 400 | 400 | 156.250 |\n"
		"\n</details>\n");
	text.len = 0;
	unit_slurp(&text, openat(folder, "aggregate_perf.json", O_RDONLY));
	assert_buf(&text, "{\n  \"note\": \"no iteration is in the performance window of every "
	                  "core\"\n}\n");
	assert_files(path, "aggregate_perf.json a|b.json details.md index.json ");

	/* Several runs have a folder each. */
	runs[0] = runs[1] = test.made.run;
	test.answer.runs = runs;
	test.answer.count = 2;
	assert_written(&test, 0, "", "");
	for (int i = 0; i < 2; i++) {
		snprintf(inner, sizeof inner, "%s/run%d", path, i);
		assert_files(inner, "aggregate_perf.json a|b.json details.md index.json ");
		rmdir(inner);
	}
	assert_files(path, "");
	close(folder);
	rmdir(path);
	buf_free(&text);
	free_test(&test);
}

static void names(void **state)
{
	char path[64];
	struct test test;

	(void)state;
	close(unit_folder(path));
	make(&test);
	test.path = path;
	made_add(&test.made, "a", "7", "");
	made_add(&test.made, "../a", "8", "");
	made_pair(&test.made, 1);
	assert_written(&test, 2, "",
	               "prog: t.json: -o: a tile is named '../a', which is not a file name\n");
	test.made.core[1].name = STR("a");
	assert_written(&test, 2, "",
	               "prog: t.json: -o: a tile is named 'a', and another file has that name\n");
	test.made.core[1].name = STR("index");
	assert_written(&test, 2, "",
	               "prog: t.json: -o: a tile is named 'index', and another file has that name\n");
	assert_files(path, "");
	rmdir(path);
	test.made.core[1].name = STR("b");
	test.path = "/dev/null";
	assert_written(&test, 2, "", "prog: /dev/null: cannot be opened: Not a directory\n");
	free_test(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json),
		cmocka_unit_test(tiles),
		cmocka_unit_test(files),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("aiejson", tests, NULL, NULL);
}
