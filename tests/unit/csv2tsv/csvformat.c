/* csvformat: formats by their headers, and the units of times. */
#include "../unit.h"

#include "csv2tsv/csvformat.h"

static void units_of_headers(void **state)
{
	static const struct {
		const char *header;
		enum csv_unit unit;
	} cases[] = {
		{"Start (ns)", CSV_NS},
		{"Duration(us)", CSV_US},
		{"DEVICE KERNEL DURATION [ns]", CSV_NS},
		{"BeginNs", CSV_NS},
		{"TookUs", CSV_US},
		{"TookMs", CSV_MS},
		{"begin_ns", CSV_NS},
		{"begin_s", CSV_S},
		{"Time (s)", CSV_S},
		{"a (us) [ms]", CSV_UNKNOWN},
		{"a (us) [usec]", CSV_US},
		{"a_ns (us)", CSV_UNKNOWN},
		{"Start (nsec)", CSV_NS},
		{"Start (usec)", CSV_US},
		{"Start (\xc2\xb5s)", CSV_US},
		{"Start (\xce\xbcs)", CSV_US},
		{"Start (msec)", CSV_MS},
		{"Start (sec)", CSV_S},
		{"start_sec", CSV_S},
		{"Start us", CSV_US},
		{"durationns", CSV_NS},
		{"DURATIONms", CSV_MS},
		{"endus", CSV_US},
		{"columns", CSV_UNKNOWN},
		{"status", CSV_UNKNOWN},
		{"s", CSV_UNKNOWN},
		{"Start", CSV_UNKNOWN},
		{"Runs", CSV_UNKNOWN},
		{"ns", CSV_UNKNOWN},
		{"Start (min)", CSV_UNKNOWN},
		{"(us) Start", CSV_UNKNOWN},
		{"Start us)", CSV_UNKNOWN},
		{"Throughput (MB/s)", CSV_UNKNOWN},
		{"", CSV_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].header, csv_header_unit(str_of(cases[i].header)) == cases[i].unit);
}

static void microseconds_are_exact(void **state)
{
	static const struct {
		const char *time;
		enum csv_unit unit;
		const char *us; /* NULL: not a number */
	} cases[] = {
		{"1716543210123456789", CSV_NS, "1716543210123456.789"},
		{"0", CSV_NS, "0.000"},
		{"12.50", CSV_US, "12.50"},
		{"1.5", CSV_MS, "1500"},
		{"1.1837794", CSV_S, "1183779.4"},
		{"-2e-3", CSV_S, "-2000"},
		{"N/A", CSV_US, NULL},
		{"", CSV_NS, NULL},
		{"1e", CSV_MS, NULL},
		{"542.36ms", CSV_IN_VALUE, "542360"},
		{"1.5 s", CSV_IN_VALUE, "1500000"},
		{"7.ns", CSV_IN_VALUE, "0.007"},
		{"1.5", CSV_IN_VALUE, NULL},
		{"ms", CSV_IN_VALUE, NULL},
		{"5min", CSV_IN_VALUE, NULL},
		{"1.5ms", CSV_MS, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf out = {0};
		bool good = csv_microseconds(&out, str_of(cases[i].time), cases[i].unit);

		assert_case(cases[i].time, good == (cases[i].us != NULL));
		if (good)
			assert_case(cases[i].us, str_equal(buf_view(&out), str_of(cases[i].us)));
		buf_free(&out);
	}
}

/* Reads the first record as headers; the reader is then at the second. */
static void read_headers(struct csv_headers *headers, struct csv_reader *csv, struct str text)
{
	unit_feed(text);
	assert_true(csv_open(csv, "-", 1 << 20));
	assert_true(csv_next(csv) > 0);
	csv_headers_read(headers, csv);
}

static void the_first_of_a_name_counts(void **state)
{
	struct csv_headers headers = {0};
	struct csv_reader csv;

	(void)state;
	read_headers(&headers, &csv, STR("a, b ,a,,\n"));
	assert_int_equal(headers.count, 5);
	assert_int_equal(headers.repeated, 1);
	assert_true(str_equal(strmap_key(&headers.names, headers.example), STR("a")));
	assert_int_equal(csv_headers_find(&headers, STR("a")), 0);
	assert_int_equal(csv_headers_find(&headers, STR("b")), 1);
	assert_int_equal(csv_headers_find(&headers, STR("c")), -1);
	assert_true(str_equal(csv_headers_name(&headers, 1), STR("b")));
	csv_headers_free(&headers);
	csv_close(&csv);
}

static void the_case_of_letters_is_second(void **state)
{
	struct csv_headers headers = {0};
	struct csv_reader csv;

	(void)state;
	read_headers(&headers, &csv, STR("NAME,name,Name,Queue_ID\n"));
	assert_int_equal(csv_headers_find_any_case(&headers, STR("Name")), 2);
	assert_int_equal(csv_headers_find_any_case(&headers, STR("nAME")), 0);
	assert_int_equal(csv_headers_find_any_case(&headers, STR("Queue_Id")), 3);
	assert_int_equal(csv_headers_find_any_case(&headers, STR("Queue")), -1);
	assert_int_equal(csv_headers_find(&headers, STR("Queue_Id")), -1);
	csv_headers_free(&headers);
	csv_close(&csv);
}

static void messages_are_no_rows(void **state)
{
	static const struct {
		const char *record;
		bool message;
	} cases[] = {
		{"==7== API calls:", true},
		{"==PROF== Connected", true},
		{"==PROF==", true},
		{"==== x", false},
		{"==x== y", false},
		{"==7=", false},
		{"=", false},
		{"==7", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].record, csv_is_message(str_of(cases[i].record)) == cases[i].message);
}

static void sections(void **state)
{
	static const struct {
		const char *text;
		enum csv_section section;
	} cases[] = {
		{"==7== API calls:", CSV_OF_CALLS},
		{"API calls", CSV_OF_CALLS},
		{"==7== Profiling result:", CSV_OF_DEVICE},
		{"GPU activities", CSV_OF_DEVICE},
		{"==7== OpenACC (excl):", CSV_OF_OPENACC},
		{"OpenACC (excl)", CSV_OF_OPENACC},
		{"==7== NVPROF is profiling process 7", CSV_NO_SECTION},
		{"", CSV_NO_SECTION},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].text, csv_section_of(str_of(cases[i].text)) == cases[i].section);
}

/* Finds the layout of the headers, without -m. The reader is then at the second record. */
static void find_layout(struct csv_layout *layout, struct csv_reader *csv, struct str text)
{
	static const char *const nothing[CSV_MAPPABLE];
	struct csv_headers headers = {0};

	read_headers(&headers, csv, text);
	assert_true(csv_layout_find(layout, &headers, nothing));
	csv_headers_free(&headers);
}

static void layouts(void **state)
{
	static const struct {
		struct str header;
		const char *ts; /* ts of -m */
		const char *format;
		enum csv_unit unit; /* unit of ts */
	} cases[] = {
		{BYTES("Start (ms),Duration (ms),Name\n"), NULL, "nsys cuda_gpu_trace", CSV_MS},
		{BYTES("Start,Duration,Name\n"), NULL, "nvprof --print-gpu-trace", CSV_UNKNOWN},
		{BYTES("BeginNs,DurationNs,KernelName\n"), NULL, "rocprof results.csv", CSV_NS},
		{BYTES("Kernel_Name,Start_Timestamp,End_Timestamp,x\n"), "x", "rocprofv3 kernel trace",
	     CSV_NS},
		{BYTES("Kernel_Name,End_Timestamp,x\n"), "x", "rocprofv3 kernel trace", CSV_UNKNOWN},
		{BYTES("Kernel_Name,End_Timestamp,x (s)\n"), "x (s)", "rocprofv3 kernel trace", CSV_S},
		{BYTES("Kernel_Name,End_Timestamp,x\n"), "y", NULL, CSV_UNKNOWN},
		{BYTES("Kernel_Name,End_Timestamp\n"), NULL, NULL, CSV_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *mapped[CSV_MAPPABLE] = {[CSV_TS] = cases[i].ts};
		struct csv_headers headers = {0};
		struct csv_layout layout;
		struct csv_reader csv;
		bool found;

		read_headers(&headers, &csv, cases[i].header);
		found = csv_layout_find(&layout, &headers, mapped);
		assert_case(cases[i].header.s, found == (cases[i].format != NULL));
		if (found) {
			assert_string_equal(layout.format_name, cases[i].format);
			assert_case(cases[i].header.s, layout.unit[CSV_TS] == cases[i].unit);
		}
		csv_headers_free(&headers);
		csv_close(&csv);
	}
}

static void a_row_of_units(void **state)
{
	static const struct {
		struct str text;
		bool units;
	} cases[] = {
		{BYTES("Start,Duration,Name\ns, ms ,\n"), true},
		{BYTES("Start,Duration,Name\ns,1,\n"), false},
		{BYTES("Duration,Name,Start\nms,\n"), false},
		{BYTES("ID,Process ID,Kernel Name\n0,,\n"), false},
	};
	struct csv_layout values;
	struct csv_reader line;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct csv_layout layout;
		struct csv_reader csv;

		find_layout(&layout, &csv, cases[i].text);
		assert_true(csv_next(&csv) > 0);
		assert_case(cases[i].text.s, csv_layout_units(&layout, &csv) == cases[i].units);
		assert_int_equal(layout.unit[CSV_TS], cases[i].units ? CSV_S : CSV_UNKNOWN);
		assert_int_equal(layout.unit[CSV_DUR], cases[i].units ? CSV_MS : CSV_UNKNOWN);
		csv_close(&csv);
	}
	find_layout(&values, &line, STR("Start,Duration,Name\n1s,2.5us,k\n"));
	assert_true(csv_next(&line) > 0);
	assert_false(csv_layout_units(&values, &line));
	assert_int_equal(values.unit[CSV_TS], CSV_IN_VALUE);
	assert_int_equal(values.unit[CSV_DUR], CSV_IN_VALUE);
	csv_close(&line);
}

static void commas_between_thousands(void **state)
{
	static const struct {
		const char *value;
		const char *number;
	} cases[] = {
		{"1,417.5", "1417.5"},
		{"-12,345,678", "-12345678"},
		{"123,456.", "123456."},
		{"9,00", "9,00"},
		{"1234,567", "1234,567"},
		{",123", ",123"},
		{"1,2345", "1,2345"},
		{"1,234,5", "1,234,5"},
		{"(1,024)", "(1,024)"},
		{"1234.5", "1234.5"},
		{"", ""},
		{"-", "-"},
	};
	struct csv_layout ncu;
	struct csv_layout other;
	struct csv_reader csv;
	struct buf scratch = {0};

	(void)state;
	find_layout(&ncu, &csv, STR("ID,Process ID,Kernel Name\n"));
	csv_close(&csv);
	find_layout(&other, &csv, STR("BeginNs,DurationNs,KernelName\n"));
	csv_close(&csv);
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_str(csv_layout_number(&ncu, str_of(cases[i].value), &scratch),
		           str_of(cases[i].number));
	assert_text(csv_layout_number(&other, STR("1,417"), &scratch), "1,417");
	buf_free(&scratch);
}

static void tables_of_other_rows(void **state)
{
	static const struct {
		struct str header;
		bool counters;
		bool aggregate;
		bool has_total;
	} cases[] = {
		{BYTES("Name,Calls,TotalDurationNs\n"), false, true, true},
		{BYTES(
			 "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"),
	     true, false, false},
		{BYTES("Kernel_Name,Start_Timestamp,End_Timestamp\n"), false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct csv_layout layout;
		struct csv_reader csv;

		find_layout(&layout, &csv, cases[i].header);
		assert_case(cases[i].header.s, csv_layout_is_counters(&layout) == cases[i].counters);
		assert_case(cases[i].header.s, csv_layout_is_aggregate(&layout) == cases[i].aggregate);
		assert_case(cases[i].header.s,
		            csv_layout_has_time(&layout, CSV_TOTAL) == cases[i].has_total);
		csv_close(&csv);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_headers),
		cmocka_unit_test(microseconds_are_exact),
		cmocka_unit_test(the_first_of_a_name_counts),
		cmocka_unit_test(the_case_of_letters_is_second),
		cmocka_unit_test(messages_are_no_rows),
		cmocka_unit_test(sections),
		cmocka_unit_test(layouts),
		cmocka_unit_test(a_row_of_units),
		cmocka_unit_test(commas_between_thousands),
		cmocka_unit_test(tables_of_other_rows),
	};

	return cmocka_run_group_tests_name("csvformat", tests, NULL, NULL);
}
