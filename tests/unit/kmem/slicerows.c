/* slicerows: a row for each slice of each allocator, and nothing if one has too many. */
#include "../unit.h"

#include "kmem/slicerows.h"
#include "kmem_made.h"

/* Allocators of one process, each with an allocation at 0 and one at its time. */
static void make(struct allocators *allocators, struct devices *files, const int64_t *last,
                 size_t count)
{
	*allocators = (struct allocators){0};
	*files = (struct devices){.file = KEV_NONE};
	strmap_add(&files->sources, STR("0\tf"), NULL);
	for (size_t i = 0; i < count; i++) {
		struct allocator *allocator = allocators_of(allocators, files, STR("9"), 1, (int64_t)i);

		kmem_made(&allocator->events, 0, 8, 1, EVENTS_NONE);
		kmem_made(&allocator->events, last[i], 8, 2, EVENTS_NONE);
		assert_true(totals_of(&allocator->totals, &allocator->events));
	}
	allocators_sort(allocators);
}

static void slices(void **state)
{
	const int64_t last[][2] = {{10, 4}, {10, LEVELS_MAX * 5}};
	struct opts opts = {.no_head = true};

	(void)state;
	for (size_t i = 0; i < COUNT(last); i++) {
		struct allocators allocators;
		struct devices files;
		struct kev_writer out;

		make(&allocators, &files, last[i], COUNT(last[i]));
		kev_writer_init(&out, &opts);
		assert_int_equal(slicerows_write(&allocators, &files, dec_of(5), &out, FORM_TSV, NULL),
		                 i == 0);
		assert_str(buf_view(&out.out.buf),
		           i ? STR("")
		             : STR("0\t5\tslice\tslice\tX\t9\tcuda:0\tcuda:0\t0\t8\t8\n"
		                   "5\t5\tslice\tslice\tX\t9\tcuda:0\tcuda:0\t8\t8\t8\n"
		                   "10\t5\tslice\tslice\tX\t9\tcuda:0\tcuda:0\t8\t16\t16\n"
		                   "0\t5\tslice\tslice\tX\t9\tcuda:1\tcuda:1\t0\t16\t16\n"));
		allocators_free(&allocators);
		devices_free(&files);
		buf_free(&out.layout);
		buf_free(&out.out.buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices),
	};

	return cmocka_run_group_tests_name("slicerows", tests, NULL, NULL);
}
