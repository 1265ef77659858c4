/* times: which columns are times. */
#include "../unit.h"

#include "stream/times.h"

static void assert_unit(const char *stream, struct str name, bool of_other, const char *want)
{
	struct kev_reader reader;

	unit_feed(str_of(stream));
	kev_open(&reader, unit_opts());
	while (kev_next(&reader) > KEV_END)
		assert_string_equal(times_unit(&reader, name, of_other), want);
	kev_close(&reader);
}

static void units(void **state)
{
	static const char stream[] = "#ts\tdur\tmax\n1\t2\t3\n";
	static const char table[] = "#total\tmax\tp50\tshare\n1\t2\t3\t4\n";

	(void)state;
	assert_unit(stream, STR("dur"), true, "us");
	assert_unit(stream, STR("launch_ts"), false, "us");
	assert_unit(stream, STR("max"), false, "");
	assert_unit(table, STR("max"), false, "us");
	assert_unit(table, STR("p50"), false, "us");
	assert_unit(table, STR("max"), true, "");
	assert_unit(table, STR("share"), false, "");
	assert_unit(table, STR("pattern"), false, "");
	assert_unit("#busy\tcount\tidle_macro\n1\t2\t3\n", STR("busy"), false, "us");
	assert_unit("#median2\tchange\tadjusted\n1\t2\t3\n", STR("median2"), false, "us");
	assert_unit("#median2\tchange\tadjusted\n1\t2\t3\n", STR("change"), false, "");
	assert_unit("#median2\tchange\tadjusted\n1\t2\t3\n", STR("median2"), true, "");
	assert_unit("#busy\tcount\tidle_macro\n1\t2\t3\n", STR("count"), false, "");
	assert_unit("#union\talone\tshare\n1\t2\t3\n", STR("union"), false, "us");
	assert_unit("#union\talone\tshare\n1\t2\t3\n", STR("share"), false, "");
	assert_unit("#union\talone\tcount\ttotal\n1\t2\t3\t4\n", STR("total"), false, "us");
	assert_unit("#op\tgap\ttotal1\ttotal2\n1\t2\t3\t4\n", STR("gap"), false, "us");
	assert_unit("#op\tgap\ttotal1\ttotal2\n1\t2\t3\t4\n", STR("op"), false, "");
	assert_unit("#op\tcount1\tmean1\tmean2\n1\t2\t3\t4\n", STR("mean1"), false, "us");
	assert_unit("#op\tcount1\tmean1\tmean2\n1\t2\t3\t4\n", STR("count1"), false, "");
	assert_unit("#op\tunfused_total\tsaves\n1\t2\t3\n", STR("saves"), false, "us");
	assert_unit("#op\tgap\n1\t2\n", STR("gap"), false, "");
	assert_unit("#op\ttotal\tmean\tintensity\n1\t2\t3\t4\n", STR("mean"), false, "us");
	assert_unit("#op\ttotal\tmean\tintensity\n1\t2\t3\t4\n", STR("intensity"), false, "");
	assert_unit("#min\ttransfer\tskew_max\n1\t2\t3\n", STR("transfer"), false, "us");
	assert_unit("#caused\twait\twait_share\n1\t2\t3\n", STR("caused"), false, "us");
	assert_unit("#caused\twait\twait_share\n1\t2\t3\n", STR("wait_share"), false, "");
	assert_unit("#ts\tkind\twait\n1\tx\t3\n", STR("wait"), false, "us");
	assert_unit("#ts\twait\n1\t3\n", STR("wait"), false, "");
	assert_unit("#collectives\toffset\tdrift\n1\t2\t3\n", STR("offset"), false, "us");
	assert_unit("#severity\ttime\tworst\n1\t2\t3\n", STR("worst"), false, "us");
	assert_unit("#ts\tts.2\n1\t2\n", STR("ts.2"), false, "us");
	assert_unit("#dur\tts.2\n1\t2\n", STR("ts.2"), false, "");
	assert_unit("#ts\tts2\t.2\n1\t2\t3\n", STR("ts2"), false, "");
	assert_unit("#ts\tts2\t.2\n1\t2\t3\n", STR(".2"), false, "");
	assert_unit("#ts\tself\tdepth\n1\t2\t3\n", STR("self"), false, "us");
	assert_unit("#ts\tself\tdepth\n1\t2\t3\n", STR("depth"), false, "");
	assert_unit("#ts\tself\n1\t2\n", STR("self"), false, "");
	assert_unit("#ts\tgap_ts\n1\t2\n", STR("gap_ts"), false, "us");
	assert_unit("#ts\tbusy\tcomm\n1\t2\t3\n", STR("busy"), false, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
