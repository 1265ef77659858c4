/* devices: rows by file and keys, in order, and files without times. */
#include "../unit.h"

#include "wall/devices.h"

/* Reads the whole stream; numbers gets a letter for each row, its device. */
static void read_all(struct devices *devices, struct str stream, const char *keys,
                     struct buf *numbers)
{
	struct words words = {0};
	struct kev_reader in;
	enum kev_item item;

	*devices = (struct devices){.file = KEV_NONE};
	numbers->len = 0;
	if (*keys)
		words_add(&words, keys);
	devices_keys(devices, &words);
	unit_feed(stream);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		bool new;
		struct dec ts;

		if (item == KEV_COLUMNS) {
			devices_columns(devices, &in);
		} else if (item == KEV_META) {
			devices_metadata(devices, &in);
		} else {
			size_t count = devices->names.count;

			devices_row(devices, &in);
			assert_true(kev_number(&in, kev_column(&in, STR("ts")), &ts));
			buf_char(numbers, (char)('a' + devices_of(devices, &in, ts, &new)));
			assert_int_equal(new, devices->names.count > count);
		}
	}
	assert_int_equal(item, KEV_END);
	devices_sort(devices);
	kev_close(&in);
}

static void assert_order(const struct devices *devices, const char *want)
{
	struct buf got = {0};

	for (size_t i = 0; i < devices->order_count; i++) {
		struct str name = strmap_key(&devices->names, devices->order[i]);

		/* Without the number of the file. */
		while (name.s[name.n - 1] != '\t')
			name.n--;
		buf_bytes(&got, name.s, name.n - 1);
		buf_char(&got, '|');
	}
	unit_equal(buf_view(&got), str_of(want), __FILE__, __LINE__);
	buf_free(&got);
}

static void by_keys(void **state)
{
	struct devices devices;
	struct buf numbers = {0};

	(void)state;
	read_all(&devices,
	         STR("#ts\tpid\tk\n0\t10\ta\n1\t9\ta\n2\t10\ta\n3\t10\tb\n4\tx\t#\n5\tx\t\\#\n"), "",
	         &numbers);
	assert_text(buf_view(&numbers), "abaacc");
	assert_order(&devices, "\t9|\t10|\tx|");
	devices_free(&devices);

	/* pid is the first key, unless it is given; # has one form as a key. */
	read_all(&devices,
	         STR("#ts\tpid\tk\n0\t10\ta\n1\t9\ta\n2\t10\ta\n3\t10\tb\n4\tx\t#\n5\tx\t\\#\n"), "k",
	         &numbers);
	assert_text(buf_view(&numbers), "abacdd");
	assert_order(&devices, "\t9\ta|\t10\ta|\t10\tb|\tx\t#|");
	devices_free(&devices);
	read_all(&devices, STR("#ts\tpid\tk\n0\t10\ta\n1\t9\tb\n"), "k,pid", &numbers);
	assert_order(&devices, "\ta\t10|\tb\t9|");
	devices_free(&devices);
	buf_free(&numbers);
}

/* Columns that change places, and values that run into each other. */
static void like_the_row_before(void **state)
{
	struct devices devices;
	struct buf numbers = {0};

	(void)state;
	read_all(&devices,
	         STR("#ts\tpid\tk\n0\t1\t23\n1\t12\t3\n2\t12\t3\n3\t1\t2\n4\t1\t23\n#"
	             "ts\tk\tpid\n5\t1\t23\n"),
	         "k", &numbers);
	assert_text(buf_view(&numbers), "abbcad");
	devices_free(&devices);
	buf_free(&numbers);
}

static void by_file(void **state)
{
	struct devices devices;
	struct buf numbers = {0};

	(void)state;
	read_all(&devices,
	         STR("#ts\tpid\n0\t1\n##source\tb\n1\t1\n2\t1\n##source\ta\textra\n3\t1\n##"
	             "source\tb\n4\t1\n"),
	         "", &numbers);
	assert_text(buf_view(&numbers), "abbcd");
	assert_order(&devices, "\t1|a\t1|b\t1|b\t1|");
	devices_free(&devices);

	/* The column file counts, not ##source. */
	read_all(&devices, STR("##source\tb\n#ts\tpid\tfile\n0\t1\tf\n1\t1\tg\n1\t1\tf\n"), "",
	         &numbers);
	assert_text(buf_view(&numbers), "aba");
	assert_int_equal(devices.sources.count, 2);
	devices_free(&devices);

	/* Also if a columns line has no such column any more. */
	read_all(&devices, STR("##source\tb\n#ts\tpid\tfile\n0\t1\tf\n#ts\tpid\n1\t1\n2\t1\n"), "",
	         &numbers);
	assert_text(buf_view(&numbers), "abb");
	devices_free(&devices);
	buf_free(&numbers);
}

static void without_times(void **state)
{
	struct devices devices;
	struct buf numbers = {0};
	struct str file;

	(void)state;
	read_all(&devices,
	         STR("##source\ta\n#ts\tpid\n0\t1\n0\t2\n##source\tb\n0\t1\n1\t1\n##source\tc\n0\t1\n"),
	         "", &numbers);
	assert_true(devices_untimed(&devices, &file));
	assert_text(file, "a");
	assert_order(&devices, "b\t1|c\t1|");
	devices_free(&devices);

	read_all(&devices, STR("#ts\tpid\n0\t1\n0\t2\n1\t1\n"), "", &numbers);
	assert_false(devices_untimed(&devices, &file));
	assert_order(&devices, "\t1|\t2|");
	devices_free(&devices);
	buf_free(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_keys),
		cmocka_unit_test(like_the_row_before),
		cmocka_unit_test(by_file),
		cmocka_unit_test(without_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
