/* blockrows: rows of two layouts in one table, without the columns of the allocator. */
#include "../unit.h"

#include "kmem/blockrows.h"

static size_t hold(struct blockrows *rows, struct str text)
{
	struct kev_reader in;
	size_t place;

	unit_feed(text);
	kev_open(&in, unit_opts());
	assert_int_equal(kev_next(&in), KEV_COLUMNS);
	blockrows_columns(rows, &in);
	assert_int_equal(kev_next(&in), KEV_ROW);
	place = blockrows_hold(rows, &in);
	kev_close(&in);
	return place;
}

static void two_layouts(void **state)
{
	struct blockrows rows = {0};
	struct opts opts = {.no_head = true};
	struct kev_writer out;
	struct blockrow row = {.held = true,
	                       .ts = dec_of(5),
	                       .dur = dec_of(2),
	                       .bytes = dec_of(64),
	                       .file = STR("f"),
	                       .pid = STR("9"),
	                       .device = STR("cuda:0"),
	                       .end = "freed"};

	(void)state;
	row.place =
		hold(&rows, STR("#ts\tname\tpid\ttid\tBytes\tcpu_op\n5\t[memory]\t9\t8\t64\tmm\\t\n"));
	kev_writer_init(&out, &opts);
	hold(&rows, STR("#pid\tts\tstep\tdevice\n9\t5\t3\tx\n"));
	blockrows_begin(&rows, true, &out, FORM_TSV, NULL);
	blockrows_row(&rows, &row);
	row.place = hold(&rows, STR("#step\tts\n7\t1\n"));
	blockrows_row(&rows, &row);
	row.held = false;
	row.end = NULL;
	blockrows_row(&rows, &row);
	assert_str(buf_view(&out.out.buf),
	           STR("5\t2\t\tblock\tmemory_block\tX\t9\t8\t\tf\tmm\\t\t\tcuda:0\t64\tfreed\n"
	               "5\t2\t\tblock\tmemory_block\tX\t9\t\t\tf\t\t7\tcuda:0\t64\tfreed\n"
	               "\t\t\tbefore\tmemory_block\tX\t9\t\t\tf\t\t\tcuda:0\t64\t\n"));
	blockrows_end(&rows);
	blockrows_free(&rows);
	buf_free(&out.layout);
	buf_free(&out.out.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_layouts),
	};

	return cmocka_run_group_tests_name("blockrows", tests, NULL, NULL);
}
