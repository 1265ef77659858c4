/* hotspots: which cases are far apart, in which order, and how they are shown. */
#include "../unit.h"

#include "dbreport/hotspots.h"

static struct dec us(const char *text)
{
	struct dec x = {0};

	assert_int_equal(dec_parse(str_of(text), &x), DEC_OK);
	return x;
}

static struct hotspot make(const char *op, const char *microbench, const char *profiling)
{
	struct hotspot h = {.op = str_of(op),
	                    .csv = STR("a,b.csv"),
	                    .signature = STR("8,16"),
	                    .microbench = us(microbench),
	                    .profiling = us(profiling)};

	h.diff = h.microbench;
	dec_subtract(&h.diff, h.profiling);
	if (h.diff.nano < 0)
		h.diff.nano = -h.diff.nano;
	return h;
}

/* The bounds themselves are near. */
static void far_apart(void **state)
{
	(void)state;
	assert_false(hotspots_far(us("0.8"), us("1")));
	assert_false(hotspots_far(us("1.2"), us("1")));
	assert_true(hotspots_far(us("0.799999999"), us("1")));
	assert_true(hotspots_far(us("1.200000001"), us("1")));
	assert_false(hotspots_far(us("0.000000004"), us("0.000000005")));
}

static void order(void **state)
{
	struct hotspots hotspots = {0};
	struct buf got = {0};

	(void)state;
	hotspots_sort(&hotspots);
	hotspots_add(&hotspots, make("factor2", "2", "1"));
	hotspots_add(&hotspots, make("factor3", "1", "3"));
	hotspots_add(&hotspots, make("larger", "20", "10"));
	hotspots_add(&hotspots, make("zz", "2", "1"));
	hotspots_add(&hotspots, make("zz", "1", "2"));
	hotspots_sort(&hotspots);
	for (size_t i = 0; i < hotspots.count; i++)
		buf_format(&got, "%s%zu ", hotspots.item[i].op.s, hotspots.item[i].number);
	assert_buf(&got, "factor31 larger2 zz3 zz4 factor20 ");
	hotspots_free(&hotspots);
	buf_free(&got);
}

static void assert_bar(const char *microbench, const char *profiling, const char *want)
{
	struct hotspot h = make("A", microbench, profiling);
	struct buf got = {0};

	hotspots_bar(&got, &h);
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void bars(void **state)
{
	(void)state;
	assert_bar("1", "1", "            |            ");
	assert_bar("1.189206", "1", "            |            ");
	assert_bar("1.189207", "1", "            |#           ");
	assert_bar("2", "1", "            |####        ");
	assert_bar("1", "4", "    ########|            ");
	assert_bar("8", "1", "            |############");
	assert_bar("9.513656", "1", "            |###########>");
	assert_bar("1", "1000000", "<###########|            ");
}

static void csv(void **state)
{
	struct hotspots hotspots = {0};
	struct buf got = {0};

	(void)state;
	hotspots_csv(&got, &hotspots);
	got.len = 0;
	hotspots_add(&hotspots, make("A", "1", "3"));
	hotspots_csv(&got, &hotspots);
	assert_buf(&got,
	           "Operator,CSV Name,MicroBench(us),Profiling(us),Abs Diff(us),MB/Profile,Shape\r\n"
	           "A,\"a,b.csv\",1.000000,3.000000,2.000000,0.333333,\"8,16\"\r\n");
	hotspots_free(&hotspots);
	buf_free(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_apart),
		cmocka_unit_test(order),
		cmocka_unit_test(bars),
		cmocka_unit_test(csv),
	};

	return cmocka_run_group_tests_name("hotspots", tests, NULL, NULL);
}
