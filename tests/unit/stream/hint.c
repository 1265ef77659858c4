/* hint: what adds a missing column, or the nearest name, by what the stream comes from. */
#include "../unit.h"

#include "stream/hint.h"

#define TRACE "##kev\t1\n##via\ttrace2tsv -g T.json\n#ts\tdur\tname\n1\t2\tx\n"
#define CSV "##kev\t1\n##via\tcsv2tsv T.csv\n#ts\tdur\tname\n1\t2\tx\n"

/* The advice on a column that the first row of a stream lacks. */
static void assert_hint(struct str stream, const char *column, const char *want)
{
	struct kev_reader r;
	struct buf got = {0};

	die_init("ksort");
	unit_feed(stream);
	kev_open(&r, unit_opts());
	while (kev_next(&r) > KEV_ROW)
		;
	hint_column(&got, &r, str_of(column));
	assert_str(buf_view(&got), str_of(want));
	kev_close(&r);
	buf_free(&got);
}

static void columns_of_programs(void **state)
{
	(void)state;
	assert_hint(STR(TRACE), "op", "; kclass adds it");
	assert_hint(STR(TRACE), "stream", "; trace2tsv -g adds it");
	assert_hint(STR(TRACE), "rank", "; trace2tsv --rank adds it");
	assert_hint(STR(CSV), "rank", "; csv2tsv --rank adds it");
	assert_hint(STR(CSV), "file", "; csv2tsv -f adds it");
	assert_hint(STR(CSV), "op", "; kclass adds it");
	/* No run of trace2tsv makes a CSV a trace. */
	assert_hint(STR(CSV), "stream", "; a trace has it (trace2tsv -g), a CSV does not");
}

static void near_names(void **state)
{
	(void)state;
	assert_hint(STR(TRACE), "nmae", "; did you mean 'name'?");
	assert_hint(STR(TRACE), "steam", "; did you mean 'stream'? trace2tsv -g adds it");
	assert_hint(STR(TRACE), "unheard of", "; trace2tsv -a adds members of args");
	assert_hint(STR(CSV), "unheard of", "; csv2tsv -a adds columns of the CSV");
	assert_hint(STR("##via\ttrace2tsv -A T.json\n#ts\n1\n"), "unheard of", "");
	/* Without a columns line nothing is known of the stream. */
	assert_hint(STR("1\t2\n"), "op", "");
}

static void sums(void **state)
{
	(void)state;
	assert_hint(STR("#name\tcount\ttotal\nx\t1\t2\n"), "dur",
	            ": this is a table of sums; give the rows themselves");
	assert_hint(STR("#op\ttotal1\ttotal2\nx\t1\t2\n"), "total", "; did you mean 'total1'?");
	assert_hint(STR("#op\ttotal1\nx\t1\n"), "total", "; kgroup adds it");
}

static void assert_rows(struct str stream, const char *want)
{
	struct kev_reader r;

	unit_feed(stream);
	kev_open(&r, unit_opts());
	while (kev_next(&r) > KEV_ROW)
		;
	assert_string_equal(hint_rows(&r), want);
	kev_close(&r);
}

static void missing_kernels(void **state)
{
	(void)state;
	assert_rows(STR(TRACE), "");
	assert_rows(STR(CSV), "");
	assert_rows(STR("##via\ttrace2tsv T.json\n#ts\n1\n"), "; use trace2tsv -g");
	assert_rows(STR("##via\ttrace2tsv -g -c kernel T.json\n#ts\n1\n"),
	            "; use trace2tsv -g without -c");
	assert_rows(STR("#ts\n1\n"), "; use trace2tsv -g");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_programs),
		cmocka_unit_test(near_names),
		cmocka_unit_test(sums),
		cmocka_unit_test(missing_kernels),
	};

	return cmocka_run_group_tests_name("hint", tests, NULL, NULL);
}
