/* devicerows: figures of allocators, and the context of the event that reached the peak. */
#include "../unit.h"

#include "kmem/devicerows.h"
#include "kmem_made.h"

/* The row of an allocator with these events, whose contexts are those of the rows of a stream. */
static void check(struct str stream, const int64_t (*made)[3], size_t count, bool addr,
                  const char *want)
{
	struct devicerows rows = {0};
	struct allocators allocators = {0};
	struct devices files = {.file = KEV_NONE};
	struct opts opts = {.no_head = true};
	struct allocator *allocator;
	struct kev_reader in;
	struct kev_writer out;

	strmap_add(&files.sources, STR("0\tf"), NULL);
	allocator = allocators_of(&allocators, &files, STR("9"), 1, 0);
	unit_feed(stream);
	kev_open(&in, unit_opts());
	assert_int_equal(kev_next(&in), KEV_COLUMNS);
	devicerows_columns(&rows, &in);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(kev_next(&in), KEV_ROW);
		kmem_made(&allocator->events, (int64_t)i, made[i][0], (uint64_t)made[i][1], made[i][2]);
		allocator->events.event[i].owner = devicerows_owner(&rows, &in);
	}
	kev_close(&in);
	assert_true(totals_of(&allocator->totals, &allocator->events));
	allocator->no_addr = !addr;
	if (addr)
		blocks_find(&allocator->blocks, &allocator->events);
	allocators_sort(&allocators);
	kev_writer_init(&out, &opts);
	devicerows_write(&rows, &allocators, &files, &out, FORM_TSV, NULL);
	assert_str(buf_view(&out.out.buf), str_of(want));
	devicerows_free(&rows);
	allocators_free(&allocators);
	devices_free(&files);
	buf_free(&out.layout);
	buf_free(&out.out.buf);
}

static void contexts(void **state)
{
	const int64_t made[][3] = {{100, 1, 100}, {50, 2, 170}, {-100, 1, 70}, {8, 3, 70}};

	(void)state;
	check(STR("#cpu_op\tstep\na\t1\nb\\t\t2\nb\\t\t2\na\t1\n"), made, COUNT(made), true,
	      "9\tcuda:0\t4\t3\t158\t1\t100\t0\t170\t170\t1\t2\tb\\t\t70\t2\t58\t0\t0\t\t\t\t2\n");
	check(STR("#x\na\na\na\na\n"), made, COUNT(made), false,
	      "9\tcuda:0\t4\t3\t158\t1\t100\t0\t170\t170\t1\t70\t\t\t\t\t\t\t\t2\n");
}

/* No event reaches start; without totals there is none. */
static void starts(void **state)
{
	const int64_t never[][3] = {{-40, 1, 960}, {10, 2, 970}};
	const int64_t relative[][3] = {{-40, 1, EVENTS_NONE}, {10, 2, EVENTS_NONE}};

	(void)state;
	check(STR("#cpu_op\na\na\n"), never, COUNT(never), true,
	      "9\tcuda:0\t2\t1\t10\t1\t40\t1000\t1000\t0\t0\t\t970\t1\t10\t1\t40\t\t\t\t0\n");
	check(STR("#cpu_op\na\na\n"), relative, COUNT(relative), true,
	      "9\tcuda:0\t2\t1\t10\t1\t40\t\t0\t0\t0\t\t-30\t1\t10\t1\t40\t\t\t\t0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts),
		cmocka_unit_test(starts),
	};

	return cmocka_run_group_tests_name("devicerows", tests, NULL, NULL);
}
