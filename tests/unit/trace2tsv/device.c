/* device: what a trace says of its devices, and the platform that follows from it. */
#include "../unit.h"

#include "trace2tsv/device.h"

/* D: deviceProperties, R: roctracer_version, r: a row. */
struct plan {
	const char *order;
	const char *json;
};

static int run_plan(void *arg)
{
	const struct plan *plan = arg;
	char prog[] = "prog";
	char *argv[] = {prog, NULL};
	struct opts opts = {.argc = 1, .argv = argv};
	struct device device = {0};
	struct kev_writer out;

	die_init(prog);
	kev_writer_init(&out, &opts);
	for (const char *p = plan->order; *p; p++) {
		if (*p == 'D') {
			device_properties(&device, str_of(plan->json), &out);
		} else if (*p == 'R') {
			device_roctracer(&device, &out);
		} else {
			device_platform(&device, &out);
			kev_meta(&out, "row", NULL, 0);
		}
	}
	return kev_finish(&out);
}

static void assert_lines(const char *order, const char *json, const char *want)
{
	struct plan plan = {order, json};
	struct unit_end end = unit_run(run_plan, &plan);
	struct str head = STR("##kev\t1\n##ends\tprog\n");
	struct str tail = STR("##via\tprog\n##end\tprog\n");

	assert_int_equal(end.status, 0);
	assert_true(str_starts(buf_view(&end.out), head) && str_ends(buf_view(&end.out), tail));
	assert_str(((struct str){end.out.data + head.n, end.out.len - head.n - tail.n}), str_of(want));
	assert_buf(&end.err, "");
	unit_end_free(&end);
}

static void properties_of_the_first_device(void **state)
{
	(void)state;
	assert_lines("D",
	             "[{\"id\":0,\"name\":\"NVIDIA\\tH100\",\"totalGlobalMem\":85,\"computeMajor\":9,"
	             "\"computeMinor\":0,\"maxThreadsPerBlock\":1024,\"warpSize\":32,"
	             "\"sharedMemPerBlock\":49152,\"numSms\":132},{\"name\":\"other\"}]",
	             "##device\tNVIDIA\\tH100\n##deviceProp\tcomputeCapability\t9.0\n"
	             "##deviceProp\ttotalGlobalMem\t85\n##deviceProp\tnumSms\t132\n"
	             "##deviceProp\twarpSize\t32\n##deviceProp\tmaxThreadsPerBlock\t1024\n"
	             "##deviceProp\tsharedMemPerBlock\t49152\n");
	assert_lines("D", "[{\"name\":null}]", "##device\tunknown NVIDIA GPU\n");
	assert_lines("D", "[{\"warpSize\":64}]",
	             "##platform\tAMD\n##device\tunknown AMD GPU\n##deviceProp\twarpSize\t64\n");
}

static void no_devices(void **state)
{
	static const char *const lists[] = {"[]", "{}", "\"x\"", "[1]", "[", ""};

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++)
		assert_lines("Dr", lists[i], "##row\n");
}

/* NVIDIA is a guess of the first row; AMD is certain at once, and corrects it. */
static void the_platform(void **state)
{
	static const char device[] = "[{\"name\":\"d\"}]";

	(void)state;
	assert_lines("rr", "", "##row\n##row\n");
	assert_lines("rDrr", device, "##row\n##device\td\n##platform\tNVIDIA\n##row\n##row\n");
	assert_lines("RDrr", device, "##platform\tAMD\n##device\td\n##row\n##row\n");
	assert_lines("DRr", device, "##device\td\n##platform\tAMD\n##row\n");
	assert_lines("DrRr", device,
	             "##device\td\n##platform\tNVIDIA\n##row\n##platform\tAMD\n##row\n");
	assert_lines("RRr", "", "##platform\tAMD\n##row\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(properties_of_the_first_device),
		cmocka_unit_test(no_devices),
		cmocka_unit_test(the_platform),
	};

	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
