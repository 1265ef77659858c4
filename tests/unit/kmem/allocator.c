/* allocator: one for each device of a process in a file, by name of the file, pid, type and id. */
#include "../unit.h"

#include "kmem/allocator.h"

/* Feeds rows of pid, type, id and file; gives "file pid device events" of each allocator in order.
 */
static struct buf sorted(struct str stream)
{
	struct allocators allocators = {0};
	struct devices files = {.file = KEV_NONE};
	struct words keys = {0};
	struct kev_reader in;
	enum kev_item item;
	struct buf text = {0};

	devices_keys(&files, &keys);
	unit_feed(stream);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		const struct event event = {.bytes = 1};
		struct dec number[2] = {{0}};
		struct allocator *allocator;

		if (item == KEV_COLUMNS)
			devices_columns(&files, &in);
		else if (item == KEV_META)
			devices_metadata(&files, &in);
		if (item != KEV_ROW)
			continue;
		devices_row(&files, &in);
		for (int i = 0; i < 2; i++)
			if (!kev_number(&in, kev_column(&in, i ? STR("id") : STR("kind")), &number[i]))
				number[i].nano = EVENTS_NONE * dec_of(1).nano;
		allocator = allocators_of(&allocators, &files, in.field[kev_column(&in, STR("pid"))],
		                          (int64_t)(number[0].nano / dec_of(1).nano),
		                          (int64_t)(number[1].nano / dec_of(1).nano));
		assert_true(events_add(&allocator->events, &event));
	}
	assert_int_equal(item, KEV_END);
	allocators_sort(&allocators);
	for (size_t i = 0; i < allocators.names.count; i++) {
		const struct allocator *allocator = allocators.sorted[i].allocator;
		struct sheet sheet = {0};

		for (int key = ALLOCATOR_FILE; key <= ALLOCATOR_DEVICE; key++) {
			allocator_put_key(&sheet, allocator, &files, (enum allocator_key)key);
			buf_char(&sheet.cell, ' ');
		}
		buf_str(&text, buf_view(&sheet.cell));
		buf_format(&text, "%zu\n", allocator->events.count);
		buf_free(&sheet.cell);
	}
	allocators_free(&allocators);
	devices_free(&files);
	words_free(&keys);
	kev_close(&in);
	return text;
}

static void check(const char *stream, const char *want)
{
	struct buf got = sorted(str_of(stream));

	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void names(void **state)
{
	(void)state;
	check("#pid\tkind\tid\n9\t20\t1\n9\t6\t0\n9\t1\t10\n9\t1\t2\n9\t0\t-"
	      "1\n9\t0\t0\n9\t7\t3\n9\t1\t\n",
	      " 9 cpu 2\n 9 cuda 1\n 9 cuda:2 1\n 9 cuda:10 1\n 9 hip:0 1\n 9 type7:3 1\n"
	      " 9 privateuse1:1 1\n");
}

static void files_and_processes(void **state)
{
	(void)state;
	check("##source\tb\n#pid\tkind\tid\n10\t1\t0\n9\t1\t0\n10\t1\t0\n##source\ta\n#"
	      "pid\tkind\tid\n10\t1\t0\n"
	      "##source\tb\n#pid\tkind\tid\n10\t1\t0\n",
	      "a 10 cuda:0 1\nb 9 cuda:0 1\nb 10 cuda:0 2\nb 10 cuda:0 1\n");
	check("#pid\tkind\tid\tfile\n9\t1\t0\tx\n9\t1\t0\ty\n9\t1\t0\tx\n",
	      "x 9 cuda:0 2\ny 9 cuda:0 1\n");
	check("#pid\tkind\tid\nx\\ty\t1\t0\n", " x\ty cuda:0 1\n");
}

static void bytes(void **state)
{
	struct sheet sheet = {0};

	(void)state;
	allocator_put_bytes(&sheet, dec_of(-1234567));
	buf_char(&sheet.cell, ' ');
	sheet.people = true;
	allocator_put_bytes(&sheet, dec_of(-1234567));
	assert_str(buf_view(&sheet.cell), STR("-1234567 -1,234,567"));
	buf_free(&sheet.cell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(files_and_processes),
		cmocka_unit_test(bytes),
	};

	return cmocka_run_group_tests_name("allocator", tests, NULL, NULL);
}
