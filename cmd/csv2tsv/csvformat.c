#include "csvformat.h"

#include <stdlib.h>

#include "base/dec.h"
#include "base/mem.h"
#include "kernel/rowkind.h"

const char *const csv_content_names[CSV_MAPPABLE] = {"ts",  "dur", "end", "type",  "name",
                                                     "cat", "pid", "tid", "source"};

enum { SPELLINGS = 4, DURATION_COUNTERS = 2 };

struct csv_format {
	const char *name;
	/* By content, in any case of letters; they differ with the version. A ? stands for any unit. */
	const char *headers[CSV_CONTENTS][SPELLINGS];
	enum csv_unit unit; /* unit of times whose header has no unit */
	bool name_last;     /* a name in the last column is not quoted: it takes the rest of the line */
	bool cat_by_name;
	const char *cat; /* category of all rows; NULL: by column or name */
	bool commas;     /* between thousands of numbers; kernels have an ID, and perhaps no duration */
	const char *duration_counters[DURATION_COUNTERS]; /* the counters that are durations */
	bool cycles;   /* the ends of rows are in cycles of their device */
	bool sections; /* rows of the device and calls of the host are in one file */
};

/* csv2tsv(1), Formats. Real files have these headers. */
static const struct csv_format formats[] = {
	{.name = "torch_npu kernel_details.csv",
     .headers = {[CSV_TS] = {"Start Time(us)"},
                 [CSV_DUR] = {"Duration(us)"},
                 [CSV_TYPE] = {"Type"},
                 [CSV_NAME] = {"Name"},
                 [CSV_CAT] = {"Accelerator Core"},
                 [CSV_PID] = {"Device_id"},
                 [CSV_TID] = {"Stream ID"}}},
	{.name = "msprof op_summary.csv",
     .headers = {[CSV_TS] = {"Task Start Time(us)", "Task Start Time", "Start Time(us)"},
                 [CSV_DUR] = {"Task Duration(us)"},
                 [CSV_TYPE] = {"OP Type"},
                 [CSV_NAME] = {"Op Name"},
                 [CSV_CAT] = {"Task Type"},
                 [CSV_PID] = {"Device_id"},
                 [CSV_TID] = {"Stream ID"}},
     .unit = CSV_US},
	{.name = "msprof task_time.csv",
     .headers = {[CSV_TS] = {"task_start(us)"},
                 [CSV_DUR] = {"task_time(us)"},
                 [CSV_NAME] = {"kernel_name"},
                 [CSV_CAT] = {"kernel_type"},
                 [CSV_PID] = {"Device_id"},
                 [CSV_TID] = {"stream_id"}}},
	{.name = "rocprofv3 kernel trace",
     .headers = {[CSV_TS] = {"Start_Timestamp"},
                 [CSV_END] = {"End_Timestamp"},
                 [CSV_NAME] = {"Kernel_Name"},
                 [CSV_CAT] = {"Kind"},
                 [CSV_PID] = {"Agent_Id", "GPU_ID"},
                 [CSV_TID] = {"Queue_Id", "queue-id"}},
     .unit = CSV_NS},
	{.name = "rocprofv3 counter collection",
     .headers = {[CSV_TS] = {"Start_Timestamp"},
                 [CSV_END] = {"End_Timestamp"},
                 [CSV_NAME] = {"Kernel_Name"},
                 [CSV_PID] = {"Agent_Id", "GPU_ID"},
                 [CSV_TID] = {"Queue_Id", "queue-id"},
                 [CSV_DISPATCH] = {"Dispatch_Id", "Dispatch_ID"},
                 [CSV_PROCESS] = {"Process_Id"},
                 [CSV_COUNTER] = {"Counter_Name"},
                 [CSV_VALUE] = {"Counter_Value"}},
     .unit = CSV_NS},
	{.name = "rocprofv3 API trace",
     .headers = {[CSV_TS] = {"Start_Timestamp"},
                 [CSV_END] = {"End_Timestamp"},
                 [CSV_NAME] = {"Function"},
                 [CSV_CAT] = {"Domain"},
                 [CSV_PID] = {"Process_Id"},
                 [CSV_TID] = {"Thread_Id"}},
     .unit = CSV_NS},
	{.name = "rocprofv3 memory copy trace",
     .headers = {[CSV_TS] = {"Start_Timestamp"},
                 [CSV_END] = {"End_Timestamp"},
                 [CSV_NAME] = {"Direction"},
                 [CSV_CAT] = {"Kind"},
                 [CSV_TID] = {"Stream_Id"}},
     .unit = CSV_NS},
	{.name = "rocprofv3 memory trace",
     .headers = {[CSV_TS] = {"Start_Timestamp"},
                 [CSV_END] = {"End_Timestamp"},
                 [CSV_NAME] = {"Operation"},
                 [CSV_CAT] = {"Kind"},
                 [CSV_PID] = {"Agent_Id"},
                 [CSV_TID] = {"Queue_Id"}},
     .unit = CSV_NS},
	{.name = "rocprof results.csv",
     .headers = {[CSV_TS] = {"BeginNs"},
                 [CSV_DUR] = {"DurationNs"},
                 [CSV_NAME] = {"KernelName"},
                 [CSV_PID] = {"gpu-id"},
                 [CSV_TID] = {"queue-id"}}},
	{.name = "nsys cuda_gpu_trace",
     .headers = {[CSV_TS] = {"Start (?)"},
                 [CSV_DUR] = {"Duration (?)"},
                 [CSV_NAME] = {"Name"},
                 [CSV_PID] = {"Device"},
                 [CSV_TID] = {"Strm"}},
     .name_last = true,
     .cat_by_name = true},
	{.name = "nvprof --print-gpu-trace",
     .headers = {[CSV_TS] = {"Start"},
                 [CSV_DUR] = {"Duration"},
                 [CSV_NAME] = {"Name"},
                 [CSV_PID] = {"Device"},
                 [CSV_TID] = {"Stream"}},
     .cat_by_name = true},
	{.name = "Tenstorrent ops_perf_results.csv",
     .headers = {[CSV_TS] = {"HOST START TS"},
                 [CSV_DUR] = {"DEVICE KERNEL DURATION [ns]", "DEVICE FW DURATION [ns]"},
                 [CSV_NAME] = {"OP CODE"},
                 [CSV_CAT] = {"OP TYPE"},
                 [CSV_PID] = {"DEVICE ID"},
                 [CSV_FW_START] = {"DEVICE FW START CYCLE"},
                 [CSV_FW_END] = {"DEVICE FW END CYCLE"},
                 [CSV_FW_DUR] = {"DEVICE FW DURATION [ns]"},
                 [CSV_HOST_TS] = {"HOST START TS"}},
     .unit = CSV_NS,
     .cycles = true},
	{.name = "ncu --page details",
     .headers = {[CSV_NAME] = {"Kernel Name"},
                 [CSV_PID] = {"Device"},
                 [CSV_TID] = {"Stream"},
                 [CSV_DISPATCH] = {"ID"},
                 [CSV_PROCESS] = {"Process ID"},
                 [CSV_COUNTER] = {"Metric Name"},
                 [CSV_VALUE] = {"Metric Value"},
                 [CSV_VALUE_UNIT] = {"Metric Unit"}},
     .cat = "kernel",
     .commas = true,
     .duration_counters = {"Duration", "gpu__time_duration.sum"}},
	{.name = "ncu --page raw",
     .headers = {[CSV_DUR] = {"gpu__time_duration.sum"},
                 [CSV_NAME] = {"Kernel Name"},
                 [CSV_PID] = {"Device"},
                 [CSV_TID] = {"Stream"},
                 [CSV_DISPATCH] = {"ID"},
                 [CSV_PROCESS] = {"Process ID"}},
     .cat = "kernel",
     .commas = true},
	{.name = "nvprof summary",
     .headers = {[CSV_NAME] = {"Name"},
                 [CSV_CAT] = {"Type"},
                 [CSV_COUNT] = {"Calls"},
                 [CSV_TOTAL] = {"Time"},
                 [CSV_MIN] = {"Min"},
                 [CSV_MAX] = {"Max"}},
     .sections = true},
	{.name = "nsys cuda_gpu_kern_sum",
     .headers = {[CSV_NAME] = {"Name", "Operation"},
                 [CSV_COUNT] = {"Instances", "Num Calls", "Count", "Operations"},
                 [CSV_TOTAL] = {"Total Time (?)"},
                 [CSV_MIN] = {"Min (?)", "Minimum (?)", "Minimum"},
                 [CSV_MAX] = {"Max (?)", "Maximum (?)", "Maximum"}},
     .name_last = true},
	{.name = "msprof op_statistic.csv",
     .headers = {[CSV_TYPE] = {"OP Type"},
                 [CSV_CAT] = {"Core Type"},
                 [CSV_PID] = {"Device_id"},
                 [CSV_COUNT] = {"Count"},
                 [CSV_TOTAL] = {"Total Time(us)"},
                 [CSV_MIN] = {"Min Time(us)"},
                 [CSV_MAX] = {"Max Time(us)"}}},
	{.name = "msprof api_statistic.csv",
     .headers = {[CSV_NAME] = {"API Name"},
                 [CSV_CAT] = {"Level"},
                 [CSV_PID] = {"Device_id"},
                 [CSV_COUNT] = {"Count"},
                 [CSV_TOTAL] = {"Time(us)"},
                 [CSV_MIN] = {"Min(us)"},
                 [CSV_MAX] = {"Max(us)"}}},
	{.name = "rocprof stats.csv",
     .headers = {[CSV_NAME] = {"Name"},
                 [CSV_COUNT] = {"Calls"},
                 [CSV_TOTAL] = {"TotalDurationNs"},
                 [CSV_MIN] = {"MinNs"},
                 [CSV_MAX] = {"MaxNs"}}},
};

enum { FORMATS = sizeof formats / sizeof *formats };

/* --- units ---------------------------------------------------------------- */

const char *const csv_unit_names[CSV_UNITS] = {[CSV_NS] = "ns",
                                               [CSV_US] = "us",
                                               [CSV_MS] = "ms",
                                               [CSV_S] = "s",
                                               [CSV_IN_VALUE] = "the units of their values"};

/* The first ones are the names of the units. */
static const struct {
	const char *word;
	enum csv_unit unit;
} unit_words[] = {
	{"ns", CSV_NS},          {"us", CSV_US},           {"ms", CSV_MS},           {"s", CSV_S},
	{"nsec", CSV_NS},        {"usec", CSV_US},         {"msec", CSV_MS},         {"sec", CSV_S},
	{"\xc2\xb5s", CSV_US}, /* the micro sign */
	{"\xce\xbcs", CSV_US}, /* the letter mu */
	{"nsecond", CSV_NS},     {"usecond", CSV_US},      {"msecond", CSV_MS},      {"second", CSV_S},
	{"nanoseconds", CSV_NS}, {"microseconds", CSV_US}, {"milliseconds", CSV_MS}, {"seconds", CSV_S},
};

enum { UNIT_WORDS = sizeof unit_words / sizeof *unit_words };

enum csv_unit csv_unit_of(struct str name)
{
	for (size_t i = 0; i < UNIT_WORDS; i++)
		if (str_equal(name, str_of(unit_words[i].word)))
			return unit_words[i].unit;
	return CSV_UNKNOWN;
}

/* Cuts the word after the last `open` off, which ends with `close`, if it is a unit. */
static enum csv_unit cut_word(struct str *header, char open, struct str close)
{
	size_t at = header->n;
	enum csv_unit unit;

	if (!str_ends(*header, close))
		return CSV_UNKNOWN;
	while (at && header->s[at - 1] != open)
		at--;
	if (at == 0)
		return CSV_UNKNOWN;
	unit = csv_unit_of((struct str){header->s + at, header->n - at - close.n});
	if (unit)
		header->n = at - 1;
	return unit;
}

/* Whether a word for a time is at the end, in any case of letters. */
static bool ends_in_time(struct str text)
{
	static const char *const times[] = {"duration", "time", "start", "begin", "end"};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		struct str word = str_of(times[i]);

		if (text.n >= word.n &&
		    str_has_any_case((struct str){text.s + text.n - word.n, word.n}, word))
			return true;
	}
	return false;
}

/* An end without a mark before it: TookNs, or durationns but not columns. */
static enum csv_unit plain_end(struct str header)
{
	static const char *const ends[CSV_UNITS] = {[CSV_NS] = "Ns", [CSV_US] = "Us", [CSV_MS] = "Ms"};

	for (enum csv_unit i = CSV_NS; i < CSV_S; i++)
		if (str_ends(header, str_of(ends[i])) ||
		    (str_ends(header, str_of(csv_unit_names[i])) &&
		     ends_in_time((struct str){header.s, header.n - 2})))
			return i;
	return CSV_UNKNOWN;
}

/* Cuts a unit off the end of the header. */
static enum csv_unit cut_unit(struct str *header)
{
	static const struct {
		char open;
		const char *close;
	} marks[] = {{'(', ")"}, {'[', "]"}, {'_', ""}, {' ', ""}};

	*header = str_trim(*header);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		enum csv_unit unit = cut_word(header, marks[i].open, str_of(marks[i].close));

		if (unit)
			return unit;
	}
	return plain_end(*header);
}

enum csv_unit csv_header_unit(struct str header)
{
	enum csv_unit unit = cut_unit(&header);
	enum csv_unit other = cut_unit(&header);

	return other && other != unit ? CSV_UNKNOWN : unit;
}

/* Cuts the unit off a value such as 542.36ms. */
static enum csv_unit cut_value_unit(struct str *value)
{
	size_t n = value->n;
	enum csv_unit unit;

	while (n && !(value->s[n - 1] >= '0' && value->s[n - 1] <= '9') && value->s[n - 1] != '.')
		n--;
	unit = csv_unit_of(str_trim((struct str){value->s + n, value->n - n}));
	if (unit)
		value->n = n;
	return n ? unit : CSV_UNKNOWN;
}

/* Appends time with its point moved. False if it is not a number. */
static bool move_point(struct buf *out, struct str time, const char *exponent)
{
	struct buf number = {0};
	bool good = dec_copy(&number, time);

	buf_text(&number, exponent);
	good = good && dec_copy(out, buf_view(&number));
	buf_free(&number);
	return good;
}

bool csv_convert_time(struct buf *out, struct str time, enum csv_unit unit)
{
	static const char *const exponents[CSV_UNITS] = {
		[CSV_NS] = "e-3", [CSV_MS] = "e3", [CSV_S] = "e6"};

	if (unit == CSV_IN_VALUE) {
		unit = cut_value_unit(&time);
		if (!unit)
			return false;
	}
	return exponents[unit] ? move_point(out, time, exponents[unit]) : dec_copy(out, time);
}

/* --- headers -------------------------------------------------------------- */

/* Sets folded to the name in lower case. */
static struct str fold(struct buf *folded, struct str name)
{
	folded->len = 0;
	for (size_t i = 0; i < name.n; i++)
		buf_char(folded,
		         (char)(name.s[i] >= 'A' && name.s[i] <= 'Z' ? name.s[i] | 0x20 : name.s[i]));
	return buf_view(folded);
}

/* Adds the first column whose name has these letters, in any case. */
static void add_folded(struct csv_headers *headers, struct str name, int column)
{
	struct buf folded = {0};
	bool new;
	size_t number = strmap_add(&headers->folded, fold(&folded, name), &new);

	if (new)
		headers->folded_column[number] = column;
	buf_free(&folded);
}

void csv_headers_read(struct csv_headers *headers, struct csv_reader *csv)
{
	strmap_clear(&headers->names);
	strmap_clear(&headers->folded);
	headers->count = csv->count;
	headers->repeated = 0;
	headers->column = mem_grow(headers->column, &headers->cap, csv->count, sizeof *headers->column);
	headers->folded_column = mem_grow(headers->folded_column, &headers->folded_cap, csv->count,
	                                  sizeof *headers->folded_column);
	for (size_t i = 0; i < csv->count; i++) {
		struct str name = str_trim(csv_field(csv, i));
		bool new;
		size_t number = strmap_add(&headers->names, name, &new);

		add_folded(headers, name, (int)i);
		if (new) {
			headers->column[number] = (int)i;
		} else if (name.n) {
			headers->repeated++;
			headers->example = number;
		}
	}
}

int csv_headers_find(const struct csv_headers *headers, struct str name)
{
	size_t number = strmap_find(&headers->names, name);

	return number == STRMAP_NONE ? -1 : headers->column[number];
}

int csv_headers_find_any_case(const struct csv_headers *headers, struct str name)
{
	struct buf folded = {0};
	size_t number = strmap_find(&headers->folded, fold(&folded, name));
	int column;

	buf_free(&folded);
	if (number == STRMAP_NONE)
		return -1;
	column = csv_headers_find(headers, name);
	return column >= 0 ? column : headers->folded_column[number];
}

struct str csv_headers_name(const struct csv_headers *headers, int column)
{
	size_t number = 0;

	while (headers->column[number] != column)
		number++;
	return strmap_key(&headers->names, number);
}

void csv_headers_free(struct csv_headers *headers)
{
	strmap_free(&headers->names);
	strmap_free(&headers->folded);
	free(headers->column);
	free(headers->folded_column);
	*headers = (struct csv_headers){0};
}

bool csv_is_message(struct str record)
{
	size_t i = 2;

	if (!str_starts(record, STR("==")))
		return false;
	while (i < record.n && ((record.s[i] >= '0' && record.s[i] <= '9') ||
	                        (record.s[i] >= 'A' && record.s[i] <= 'Z')))
		i++;
	return i > 2 && str_starts((struct str){record.s + i, record.n - i}, STR("=="));
}

enum csv_section csv_section_of(struct str text)
{
	if (str_has(text, STR("API calls")))
		return CSV_OF_CALLS;
	if (str_has(text, STR("OpenACC")))
		return CSV_OF_OPENACC;
	return str_has(text, STR("GPU activities")) || str_has(text, STR("Profiling result"))
	           ? CSV_OF_DEVICE
	           : CSV_NO_SECTION;
}

/* --- formats -------------------------------------------------------------- */

static bool bind(struct csv_layout *layout, enum csv_content content, int column, struct str name)
{
	layout->column[content] = column;
	if (column < 0)
		return false;
	layout->unit[content] = csv_header_unit(name);
	return true;
}

/* Like bind, for a header of a format. */
static bool bind_any_case(struct csv_layout *layout, const struct csv_headers *headers,
                          enum csv_content content, struct str name)
{
	return bind(layout, content, csv_headers_find_any_case(headers, name), name);
}

/* Like bind_any_case; a ? in the header is each unit in turn. */
static bool bind_spelling(struct csv_layout *layout, const struct csv_headers *headers,
                          enum csv_content content, const char *spelling)
{
	const char *any = strchr(spelling, '?');
	bool found = false;

	if (!any)
		return bind_any_case(layout, headers, content, str_of(spelling));
	for (size_t i = 0; i < UNIT_WORDS && !found; i++) {
		struct buf name = {0};

		buf_bytes(&name, spelling, (size_t)(any - spelling));
		buf_text(&name, unit_words[i].word);
		buf_text(&name, any + 1);
		found = bind_any_case(layout, headers, content, buf_view(&name));
		buf_free(&name);
	}
	return found;
}

/* Finds the columns of this format. Returns their number. */
static size_t bind_format(struct csv_layout *layout, const struct csv_headers *headers,
                          const struct csv_format *format)
{
	size_t found = 0;

	*layout = (struct csv_layout){
		.format = format, .format_name = format->name, .commas = format->commas};
	for (enum csv_content i = 0; i < CSV_CONTENTS; i++) {
		bool bound = false;

		layout->column[i] = -1;
		for (size_t j = 0; j < SPELLINGS && format->headers[i][j] && !bound; j++)
			bound = bind_spelling(layout, headers, i, format->headers[i][j]);
		found += bound;
	}
	return found;
}

/* Overrides the format. False if a header is missing. */
static bool bind_mapped(struct csv_layout *layout, const struct csv_headers *headers,
                        const char *const mapped[CSV_MAPPABLE])
{
	for (enum csv_content i = 0; i < CSV_MAPPABLE; i++)
		if (mapped[i] &&
		    !bind(layout, i, csv_headers_find(headers, str_of(mapped[i])), str_of(mapped[i])))
			return false;
	/* A duration that the user chose is not end - ts. */
	if (mapped[CSV_DUR] && !mapped[CSV_END])
		layout->column[CSV_END] = -1;
	if (mapped[CSV_END] && !mapped[CSV_DUR])
		layout->column[CSV_DUR] = -1;
	return true;
}

static bool has_duration(const int *column)
{
	return column[CSV_DUR] >= 0 || (column[CSV_END] >= 0 && column[CSV_TS] >= 0);
}

/* Kernels of ncu have an ID, and the user may have left their durations out. */
static bool may_lack_duration(const struct csv_layout *layout)
{
	return layout->format->commas && layout->column[CSV_DISPATCH] >= 0 &&
	       layout->column[CSV_PROCESS] >= 0;
}

/* A kernel, or a kind of them, has a name or a type, and mostly a duration. */
static bool is_complete(const struct csv_layout *layout)
{
	const int *column = layout->column;

	return (has_duration(column) || csv_layout_is_aggregate(layout) || may_lack_duration(layout)) &&
	       (column[CSV_NAME] >= 0 || column[CSV_TYPE] >= 0);
}

/* Decides whether the cycles of a device give the times of its rows. */
static void bind_cycles(struct csv_layout *layout, const char *const mapped[CSV_MAPPABLE])
{
	bool own_times = mapped[CSV_TS] || mapped[CSV_END];

	if (!layout->format->cycles)
		return;
	layout->fw_dur = layout->column[CSV_FW_DUR] >= 0 && !mapped[CSV_DUR] && !mapped[CSV_END];
	for (enum csv_content i = CSV_FW_START; i <= CSV_FW_DUR && !layout->missing_cycles; i++)
		if (layout->column[i] < 0 && !own_times)
			layout->missing_cycles = layout->format->headers[i][0];
	layout->by_clock = !own_times && !layout->missing_cycles;
}

/*
 * The format with most columns in the headers; NULL if no format is complete with the mapped
 * columns.
 */
static const struct csv_format *recognize(const struct csv_headers *headers,
                                          const char *const mapped[CSV_MAPPABLE])
{
	const struct csv_format *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < FORMATS; i++) {
		struct csv_layout layout;
		size_t found = bind_format(&layout, headers, &formats[i]);

		if (found > most && bind_mapped(&layout, headers, mapped) && is_complete(&layout)) {
			best = &formats[i];
			most = found;
		}
	}
	return best;
}

bool csv_layout_find(struct csv_layout *layout, const struct csv_headers *headers,
                     const char *const mapped[CSV_MAPPABLE])
{
	static const struct csv_format unknown = {.name = "CSV with the columns of -m"};
	static const char *const nothing[CSV_MAPPABLE];
	/* A format that only the mapped columns complete says nothing of units. */
	const struct csv_format *known = recognize(headers, nothing);
	const struct csv_format *format = known ? known : recognize(headers, mapped);

	bind_format(layout, headers, format ? format : &unknown);
	if (!bind_mapped(layout, headers, mapped))
		return false;
	bind_cycles(layout, mapped);
	for (enum csv_content i = 0; known && i < CSV_CONTENTS; i++)
		if (!layout->unit[i])
			layout->unit[i] = known->unit;
	/* nsys of 2020 writes the unit of the total alone. */
	for (enum csv_content i = CSV_MIN; i <= CSV_MAX; i++)
		if (!layout->unit[i])
			layout->unit[i] = layout->unit[CSV_TOTAL];
	return format || has_duration(layout->column);
}

bool csv_content_is_written(enum csv_content content)
{
	switch (content) {
	case CSV_DISPATCH:
	case CSV_PROCESS:
	case CSV_FW_START:
	case CSV_FW_END:
	case CSV_FW_DUR:
		return false;
	default:
		return true;
	}
}

bool csv_layout_is_counters(const struct csv_layout *layout)
{
	return layout->column[CSV_DISPATCH] >= 0 && layout->column[CSV_COUNTER] >= 0 &&
	       layout->column[CSV_VALUE] >= 0;
}

bool csv_layout_is_aggregate(const struct csv_layout *layout)
{
	return !has_duration(layout->column) && layout->column[CSV_COUNT] >= 0 &&
	       layout->column[CSV_TOTAL] >= 0;
}

bool csv_layout_has_time(const struct csv_layout *layout, enum csv_content content)
{
	bool aggregate = csv_layout_is_aggregate(layout);

	if (layout->column[content] < 0)
		return false;
	switch (content) {
	case CSV_TS:
	case CSV_DUR:
	case CSV_FW_DUR:
	case CSV_HOST_TS:
		return !aggregate;
	case CSV_END:
		return !aggregate && layout->column[CSV_DUR] < 0;
	case CSV_TOTAL:
	case CSV_MIN:
	case CSV_MAX:
		return aggregate;
	default:
		return false;
	}
}

bool csv_layout_units(struct csv_layout *layout, struct csv_reader *csv)
{
	struct csv_layout words = *layout;
	struct csv_layout values = *layout;
	int id = layout->format->commas ? layout->column[CSV_DISPATCH] : -1;
	bool no_id = id >= 0 && (size_t)id < csv->count && csv_field(csv, (size_t)id).n == 0;
	bool any = false;
	bool are_words = true; /* all times are names of units */
	bool in_values = true; /* all end with a unit */

	for (enum csv_content i = 0; i < CSV_CONTENTS; i++) {
		struct str value;

		if (!csv_layout_has_time(layout, i))
			continue;
		any = true;
		value = (size_t)layout->column[i] < csv->count
		            ? str_trim(csv_field(csv, (size_t)layout->column[i]))
		            : STR("");
		words.unit[i] = csv_unit_of(value);
		values.unit[i] = CSV_IN_VALUE;
		are_words = are_words && words.unit[i];
		in_values = in_values && cut_value_unit(&value);
	}
	if (any && are_words)
		*layout = words;
	else if (any && in_values)
		*layout = values;
	return no_id || (any && are_words);
}

bool csv_layout_has_times(const struct csv_layout *layout)
{
	return has_duration(layout->column) || csv_layout_is_aggregate(layout) ||
	       (csv_layout_is_counters(layout) && csv_layout_has_duration_counter(layout));
}

bool csv_layout_is_duration(const struct csv_layout *layout, struct str counter)
{
	for (size_t i = 0; i < DURATION_COUNTERS && layout->format->duration_counters[i]; i++)
		if (str_equal(counter, str_of(layout->format->duration_counters[i])))
			return true;
	return false;
}

bool csv_layout_has_duration_counter(const struct csv_layout *layout)
{
	return layout->format->duration_counters[0] != NULL;
}

/* Whether text is a number with a comma before each three digits of its whole part. */
static bool has_thousands(struct str text)
{
	size_t digits = 0; /* since the last comma */
	size_t commas = 0;
	size_t i = text.n && text.s[0] == '-';

	for (; i < text.n && text.s[i] != '.'; i++) {
		bool comma = text.s[i] == ',';

		if (comma ? (commas ? digits != 3 : digits == 0 || digits > 3)
		          : text.s[i] < '0' || text.s[i] > '9')
			return false;
		commas += comma;
		digits = comma ? 0 : digits + 1;
	}
	return commas && digits == 3;
}

struct str csv_number_without_commas(struct str value, struct buf *scratch)
{
	size_t from = scratch->len;

	if (!has_thousands(value))
		return value;
	for (size_t i = 0; i < value.n; i++)
		if (value.s[i] != ',')
			buf_char(scratch, value.s[i]);
	return (struct str){scratch->data + from, scratch->len - from};
}

bool csv_layout_name_takes_rest(const struct csv_layout *layout, size_t count)
{
	return layout->format->name_last && layout->column[CSV_NAME] + 1 == (int)count;
}

struct str csv_layout_cat(const struct csv_layout *layout, struct str name)
{
	if (layout->format->cat)
		return str_of(layout->format->cat);
	if (!layout->format->cat_by_name || name.n == 0)
		return STR("");
	return rowkind_cat(rowkind_on_device(name));
}

bool csv_layout_has_cat(const struct csv_layout *layout)
{
	return layout->column[CSV_CAT] >= 0 || layout->format->sections;
}

struct str csv_layout_group_cat(const struct csv_layout *layout, struct str value,
                                enum csv_section section, struct str name)
{
	if (!layout->format->sections)
		return value;
	if (value.n)
		section = csv_section_of(value);
	switch (section) {
	case CSV_OF_DEVICE:
		return rowkind_cat(rowkind_on_device(name));
	case CSV_OF_CALLS:
		return str_starts(name, STR("cuda")) ? STR("cuda_runtime") : STR("cuda_driver");
	case CSV_OF_OPENACC:
		return STR("openacc_api");
	default:
		return value;
	}
}
