/*
 * xplane2tsv - an XSpace of JAX, TensorFlow or PyTorch/XLA to the kernel-event stream, kev(5).
 *
 *	plane /device:GPU:3, line 31 "Stream #31(Kernel)": fusion.1, offset_ps 46042081000,
 *	duration_ps 5200000, correlation_id 261, hlo_module jit_step, ...
 * gives
 *	#ts	dur	type	name	cat	ph	pid	tid	source	correlation	...	hlo_module	...
 *	46042.081	5.2		fusion.1	kernel	X	3	31		261	...	jit_step	...
 *
 * Memory: what xplane.h has for the largest plane, this plane itself unless the file can be mapped
 * (xspace.h), and 24 bytes for each event of the longest line of operations of a TPU (nesting.h).
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "io/magic.h"
#include "stream/balance.h"
#include "stream/kev.h"

#include "digits.h"
#include "nesting.h"
#include "xplane.h"
#include "xspace.h"

/* Why an event is dropped. */
enum reason { NO_WORK, AGGREGATE, REASONS };

static const char *const reasons[REASONS] = {
	[NO_WORK] = "neither work of a device nor its launch nor a step",
	[AGGREGATE] = "aggregate without a time",
};
BALANCE_FITS(reasons);

enum column {
	CORRELATION = KEV_CORE,
	EXTERNAL_ID,
	OP_NAME,
	HLO_OP,
	HLO_MODULE,
	HLO_CATEGORY,
	FLOPS,
	BYTES_ACCESSED,
	COLUMNS,
	COLUMNS_MAX = COLUMNS + 3 /* line, rank, file */
};

static const char *const further[COLUMNS] = {
	[CORRELATION] = "correlation", [EXTERNAL_ID] = "External id",
	[OP_NAME] = "op_name",         [HLO_OP] = "hlo_op",
	[HLO_MODULE] = "hlo_module",   [HLO_CATEGORY] = "hlo_category",
	[FLOPS] = "hlo_flops",         [BYTES_ACCESSED] = "bytes_accessed",
};

/* Kinds of planes, and of their lines. */
enum plane_kind { PLANE_DEVICE, PLANE_HOST, PLANE_OTHER };
enum line_kind { LINE_STREAM, LINE_OPERATIONS, LINE_MODULES, LINE_STEPS, LINE_OTHER };

/* What an event becomes. */
enum kind {
	KIND_NONE, /* -A makes an annotation of it */
	KIND_AGGREGATE,
	KIND_KERNEL,
	KIND_COPY,
	KIND_MEMSET,
	KIND_OPERATION,   /* a kernel, or an annotation if it contains another event */
	KIND_DEVICE_SPAN, /* an annotation of the device */
	KIND_DEVICE_STEP,
	KIND_STEP,
	KIND_CALL
};

enum { SHOWN = 8 }; /* the most names in a message */

/* What is known of the file being read. */
struct file {
	const char *name; /* for people */
	struct xspace space;
	struct strmap planes; /* names of all planes */
	struct strmap pids;   /* pids of planes with rows, as text */
	struct strmap owners; /* names of these planes */
	int64_t *pid;         /* their pids, by number in owners */
	size_t pid_cap;
	int64_t next_pid;         /* for a plane whose own number is taken */
	struct strmap left_out;   /* planes and lines of events left out */
	uint64_t *left_out_count; /* the events, by the same numbers */
	size_t left_out_cap;
	bool begun;      /* the head was written */
	bool any_device; /* a plane of a device was read */
	uint64_t planes_read;
	uint64_t aggregates;
	uint64_t unnamed;
	uint64_t negative;
	int64_t last_timestamp_ns; /* the largest of a line with rows */
	uint64_t start_time;       /* start of the profile, in ns; 0: unknown */
	size_t reports;            /* errors and warnings of the profiler so far */
	bool failed;               /* it is damaged or of another kind */
};

struct state {
	struct opts opts;
	struct kev_writer out;
	struct balance balance;
	bool all;         /* -A */
	bool file_column; /* -f */
	struct str rank;  /* --rank; empty: none */
	bool opened;      /* a file could be opened */
	struct file file;
	struct xplane plane;
	enum plane_kind plane_kind;
	bool has_streams; /* the plane has streams, and its operations repeat their kernels */
	bool named;       /* ##process of the plane was written */
	int64_t pid;
	struct nesting nesting;
	struct buf name;    /* a name that was composed */
	struct buf numbers; /* values of the row that are not whole numbers */
};

enum { RANK = OPT_LONG };

static const struct opt opts[] = {
	{'A', "all", NULL, "also write other events, as annotations, and the column line"},
	{'f', "file", NULL, "add a column with the file's name"},
	{RANK, "rank", "N", "add a column with this rank"},
};

static const struct opt_usage usage = {
	"[-A] [-f] [--rank=N] [FILE...]",
	"Convert an XSpace of JAX, TensorFlow or PyTorch/XLA to the kernel-event stream.", opts,
	sizeof opts / sizeof *opts};

/* --- the head --------------------------------------------------------------- */

static void begin_file(struct state *st)
{
	struct str names[COLUMNS_MAX];
	size_t count = 0;

	if (st->file.begun)
		return;
	st->file.begun = true;
	kev_meta(&st->out, "source", (struct str[]){str_of(st->file.name)}, 1);
	kev_meta(&st->out, "unit", (struct str[]){STR("us")}, 1);
	if (st->rank.n)
		kev_meta(&st->out, "rank", &st->rank, 1);
	for (; count < COLUMNS; count++)
		names[count] = str_of(count < KEV_CORE ? kev_core[count] : further[count]);
	if (st->all)
		names[count++] = STR("line");
	if (st->rank.n)
		names[count++] = STR("rank");
	if (st->file_column)
		names[count++] = STR("file");
	kev_columns(&st->out, names, count);
}

/* --- planes and lines ----------------------------------------------------------- */

static enum plane_kind kind_of_plane(struct str name)
{
	if (str_equal(name, STR("/host:CPU")))
		return PLANE_HOST;
	return str_starts(name, STR("/device:")) && !str_starts(name, STR("/device:CUSTOM"))
	           ? PLANE_DEVICE
	           : PLANE_OTHER;
}

static enum line_kind kind_of_line(struct str name)
{
	if (str_starts(name, STR("Stream #")))
		return LINE_STREAM;
	if (str_equal(name, STR("XLA Ops")))
		return LINE_OPERATIONS;
	if (str_equal(name, STR("XLA Modules")))
		return LINE_MODULES;
	return str_equal(name, STR("Steps")) ? LINE_STEPS : LINE_OTHER;
}

static struct str name_of_line(const struct xplane_line *line)
{
	return line->name.n ? line->name : line->display_name;
}

/* The number at the end of /device:GPU:3; else the plane's id. */
static int64_t number_of_plane(const struct xplane *plane)
{
	enum { MOST = 18 };
	size_t digits = 0;
	int64_t number = 0;

	while (digits < plane->name.n && plane->name.s[plane->name.n - 1 - digits] >= '0' &&
	       plane->name.s[plane->name.n - 1 - digits] <= '9')
		digits++;
	if (digits == 0 || digits > MOST || digits == plane->name.n ||
	    plane->name.s[plane->name.n - 1 - digits] != ':')
		return plane->id;
	for (size_t i = plane->name.n - digits; i < plane->name.n; i++)
		number = 10 * number + (plane->name.s[i] - '0');
	return number;
}

/* Whether the pid was free; then it is taken. */
static bool take_pid(struct file *file, int64_t pid)
{
	char digits[DIGITS_MAX];
	bool is_new;

	strmap_add(&file->pids, digits_signed(digits, pid), &is_new);
	return is_new;
}

/*
 * The number of a plane, or if another plane has it, the next free one from 1000 on. Planes that
 * only -A writes have no number of their own, so that devices have the same pids without -A.
 */
static int64_t new_pid(struct state *st)
{
	enum { HOST = 701, FREE = 1000 };
	struct file *file = &st->file;
	const struct xplane *plane = &st->plane;
	int64_t number = st->plane_kind == PLANE_HOST ? HOST : number_of_plane(plane);
	bool is_host = number == HOST && st->plane_kind != PLANE_HOST;
	char quoted[QUOTE_MAX];
	int64_t pid;

	if (st->plane_kind != PLANE_OTHER && !is_host && take_pid(file, number))
		return number;
	for (pid = FREE + file->next_pid; !take_pid(file, pid); pid++)
		file->next_pid++;
	if (st->plane_kind != PLANE_OTHER)
		warn("%s: plane %s has the pid %lld, as %lld is that of another plane", file->name,
		     quote(quoted, plane->name.s, plane->name.n), (long long)pid, (long long)number);
	return pid;
}

/* The pid of the plane; planes of one name have one pid. */
static int64_t pid_of_plane(struct state *st)
{
	struct file *file = &st->file;
	bool is_new;
	size_t number = strmap_add(&file->owners, st->plane.name, &is_new);

	if (is_new) {
		file->pid = mem_grow(file->pid, &file->pid_cap, number + 1, sizeof *file->pid);
		file->pid[number] = new_pid(st);
	}
	return file->pid[number];
}

/* --- events ------------------------------------------------------------------- */

static bool has(const struct xplane_event *event, enum xplane_role role)
{
	return event->has >> role & 1;
}

static enum kind kind_of(const struct state *st, enum line_kind line,
                         const struct xplane_event *event)
{
	if (event->aggregate)
		return KIND_AGGREGATE;
	if (st->plane_kind == PLANE_HOST)
		return has(event, XPLANE_STEP_NUM)      ? KIND_STEP
		       : has(event, XPLANE_CORRELATION) ? KIND_CALL
		                                        : KIND_NONE;
	if (st->plane_kind != PLANE_DEVICE)
		return KIND_NONE;
	switch (line) {
	case LINE_STREAM:
		return has(event, XPLANE_MEMORY)   ? KIND_NONE
		       : has(event, XPLANE_MEMCPY) ? KIND_COPY
		       : has(event, XPLANE_MEMSET) ? KIND_MEMSET
		                                   : KIND_KERNEL;
	case LINE_OPERATIONS:
		return st->has_streams ? KIND_DEVICE_SPAN : KIND_OPERATION;
	case LINE_MODULES:
		return KIND_DEVICE_SPAN;
	case LINE_STEPS:
		return KIND_DEVICE_STEP;
	default:
		return KIND_NONE;
	}
}

static struct str category_of(const struct state *st, enum kind kind, size_t position)
{
	switch (kind) {
	case KIND_KERNEL:
		return STR("kernel");
	case KIND_COPY:
		return STR("gpu_memcpy");
	case KIND_MEMSET:
		return STR("gpu_memset");
	case KIND_OPERATION:
		return nesting_contains(&st->nesting, position) ? STR("gpu_user_annotation")
		                                                : STR("kernel");
	case KIND_CALL:
		return STR("cuda_runtime");
	default:
		return st->plane_kind == PLANE_DEVICE ? STR("gpu_user_annotation") : STR("user_annotation");
	}
}

/* Shortest digits that give the double again, without an exponent; empty if it is no number. */
static struct str double_text(struct buf *scratch, uint64_t bits)
{
	enum { SHORTEST = 15, LONGEST = 17, ROOM = 400 };
	size_t start = scratch->len;
	char text[32];
	double value;

	memcpy(&value, &bits, sizeof value);
	for (int digits = SHORTEST; digits <= LONGEST; digits++) {
		double back;

		snprintf(text, sizeof text, "%.*g", digits, value);
		if (sscanf(text, "%lf", &back) == 1 && back >= value && back <= value)
			break;
	}
	buf_reserve(scratch, ROOM);
	if (!dec_copy(scratch, str_of(text)))
		return STR("");
	return (struct str){scratch->data + start, scratch->len - start};
}

/* The text of a value; `digits` and, for a double, `numbers` hold it until the next row. */
static struct str value_text(struct state *st, const struct xplane_event *event,
                             enum xplane_role role, char digits[DIGITS_MAX])
{
	const struct xplane_value *value = event->value + role;

	if (!has(event, role))
		return STR("");
	switch (value->kind) {
	case XPLANE_UNSIGNED:
		return digits_unsigned(digits, value->number);
	case XPLANE_SIGNED:
		return digits_signed(digits, (int64_t)value->number);
	case XPLANE_DOUBLE:
		return double_text(&st->numbers, value->number);
	case XPLANE_TEXT:
		return (struct str){value->text, value->n};
	default:
		return STR("");
	}
}

static bool is_number(struct str text)
{
	uint64_t number;

	return str_whole(text, &number);
}

/* The name of the row: of the metadata, or for a step ProfilerStep#12, as kcontext reads it. */
static struct str name_of(struct state *st, enum kind kind, const struct xplane_event *event,
                          const struct xplane_metadata *metadata)
{
	struct str name = metadata ? xplane_name(&st->plane, metadata) : STR("");
	char digits[DIGITS_MAX];

	st->name.len = 0;
	if (kind == KIND_STEP || (kind == KIND_DEVICE_STEP && is_number(name))) {
		buf_text(&st->name, "ProfilerStep#");
		buf_str(&st->name,
		        kind == KIND_STEP ? value_text(st, event, XPLANE_STEP_NUM, digits) : name);
		return buf_view(&st->name);
	}
	if (name.n)
		return name;
	st->file.unnamed++;
	if (st->opts.strict)
		kev_die(&st->out, st->file.name, 0, "an event has no name: metadata %lld",
		        (long long)event->metadata_id);
	buf_char(&st->name, '#');
	buf_str(&st->name, digits_signed(digits, event->metadata_id));
	return buf_view(&st->name);
}

/* The operation of the model: `name`, else tf_op if that is not only the name of a module. */
static struct str operation_of(struct state *st, const struct xplane_event *event,
                               char digits[DIGITS_MAX])
{
	struct str text = value_text(st, event, XPLANE_NAME, digits);

	if (text.n == 0)
		text = value_text(st, event, XPLANE_TF_OP, digits);
	return str_equal(text, STR("XlaModule:")) ? STR("") : text;
}

/* Writes ##process before the first row of the plane, and ##thread before that of a line. */
static void name_line(struct state *st, const struct xplane_line *line)
{
	char pid[DIGITS_MAX];
	char tid[DIGITS_MAX];
	struct str label = line->display_name.n ? line->display_name : line->name;

	if (!st->named) {
		st->pid = pid_of_plane(st);
		kev_meta(&st->out, "process", (struct str[]){digits_signed(pid, st->pid), st->plane.name},
		         2);
	}
	st->named = true;
	if (label.n)
		kev_meta(&st->out, "thread",
		         (struct str[]){digits_signed(pid, st->pid), digits_signed(tid, line->id), label},
		         3);
}

static void row(struct state *st, const struct xplane_line *line, enum kind kind,
                const struct xplane_event *event, const struct xplane_metadata *metadata,
                size_t position)
{
	static const struct {
		enum column column;
		enum xplane_role role;
	} values[] = {
		{CORRELATION, XPLANE_CORRELATION},
		{HLO_OP, XPLANE_HLO_OP},
		{HLO_MODULE, XPLANE_HLO_MODULE},
		{HLO_CATEGORY, XPLANE_HLO_CATEGORY},
		{FLOPS, XPLANE_FLOPS},
		{BYTES_ACCESSED, XPLANE_BYTES_ACCESSED},
	};
	enum { VALUES = sizeof values / sizeof *values };
	char digits[4 + VALUES + 1][DIGITS_MAX];
	struct str field[COLUMNS_MAX];
	size_t count = COLUMNS;

	for (size_t i = 0; i < COLUMNS; i++)
		field[i] = STR("");
	st->numbers.len = 0;
	/* Room for all doubles of the row: texts must not move. */
	buf_reserve(&st->numbers, 4096);
	field[KEV_TS] = digits_time(digits[0], line->timestamp_ns, event->offset_ps);
	field[KEV_DUR] = digits_time(digits[1], 0, event->dur_ps);
	field[KEV_NAME] = name_of(st, kind, event, metadata);
	field[KEV_CAT] = category_of(st, kind, position);
	field[KEV_PH] = STR("X");
	field[KEV_PID] = digits_signed(digits[2], st->pid);
	field[KEV_TID] = digits_signed(digits[3], line->id);
	for (size_t i = 0; i < VALUES; i++)
		field[values[i].column] = value_text(st, event, values[i].role, digits[4 + i]);
	field[OP_NAME] = operation_of(st, event, digits[4 + VALUES]);
	if (st->all)
		field[count++] = name_of_line(line);
	if (st->rank.n)
		field[count++] = st->rank;
	if (st->file_column)
		field[count++] = str_of(st->file.name);
	if (event->dur_ps < 0) {
		if (st->opts.strict)
			kev_die(&st->out, st->file.name, 0, "an event of duration %lld ps",
			        (long long)event->dur_ps);
		st->file.negative++;
	}
	kev_row(&st->out, field, count);
	balance_out(&st->balance, field[KEV_DUR]);
}

/* --- lines ---------------------------------------------------------------------- */

/* What the events of a line become. */
struct counts {
	uint64_t rows;
	uint64_t left_out;
	uint64_t aggregates;
};

static bool is_row(const struct state *st, enum kind kind)
{
	return kind != KIND_AGGREGATE && (kind != KIND_NONE || st->all);
}

/* Reads all events of a line. False, with the error of the plane set, at damage. */
static bool count_events(struct state *st, const struct xplane_line *line, struct counts *counts)
{
	enum line_kind line_kind = kind_of_line(name_of_line(line));
	struct wire wire = wire_of(line->bytes);
	struct xplane_event event;
	int got;

	*counts = (struct counts){0};
	while ((got = xplane_skim(&st->plane, &wire, &event)) > 0) {
		enum kind kind = kind_of(st, line_kind, &event);

		counts->rows += is_row(st, kind);
		counts->aggregates += kind == KIND_AGGREGATE;
		counts->left_out += kind == KIND_NONE && !st->all;
	}
	return got == 0;
}

/* Finds which operations of the line contain others. */
static void find_nesting(struct state *st, const struct xplane_line *line)
{
	struct wire wire = wire_of(line->bytes);
	struct xplane_event event;

	nesting_clear(&st->nesting);
	while (xplane_next(&st->plane, &wire, &event) > 0)
		if (!event.aggregate)
			nesting_add(&st->nesting, event.offset_ps, event.dur_ps);
	nesting_find(&st->nesting);
}

/* Counts an event for -v. */
static void weigh(struct state *st, enum kind kind, const struct xplane_event *event)
{
	char digits[DIGITS_MAX];
	struct str dur = kind == KIND_AGGREGATE ? STR("") : digits_time(digits, 0, event->dur_ps);

	balance_in(&st->balance, dur);
	if (!is_row(st, kind))
		balance_drop(&st->balance, kind == KIND_AGGREGATE ? AGGREGATE : NO_WORK, dur);
}

static void write_line(struct state *st, const struct xplane_line *line)
{
	enum line_kind line_kind = kind_of_line(name_of_line(line));
	struct wire wire = wire_of(line->bytes);
	struct xplane_event event;
	size_t position = 0;

	if (st->plane_kind == PLANE_DEVICE && line_kind == LINE_OPERATIONS && !st->has_streams)
		find_nesting(st, line);
	while (xplane_next(&st->plane, &wire, &event) > 0) {
		const struct xplane_metadata *metadata = xplane_complete(&st->plane, &event);
		enum kind kind = kind_of(st, line_kind, &event);

		if (st->balance.on)
			weigh(st, kind, &event);
		if (is_row(st, kind))
			row(st, line, kind, &event, metadata, position);
		position += !event.aggregate;
	}
}

/* Counts events left out by plane and line; names of threads that end in /NUMBER are one. */
static void count_left_out(struct state *st, const struct xplane_line *line, uint64_t count)
{
	struct file *file = &st->file;
	struct str name = name_of_line(line);
	struct str label = name;
	struct buf key = {0};
	size_t number;

	while (label.n && label.s[label.n - 1] >= '0' && label.s[label.n - 1] <= '9')
		label.n--;
	if (label.n && label.s[label.n - 1] == '-')
		label.n--;
	if (label.n < name.n && label.n > 1 && label.s[label.n - 1] == '/')
		name.n = label.n - 1;
	buf_str(&key, st->plane.name);
	buf_char(&key, ' ');
	buf_str(&key, name);
	number = strmap_add(&file->left_out, buf_view(&key), NULL);
	file->left_out_count = mem_grow_zero(file->left_out_count, &file->left_out_cap, number + 1,
	                                     sizeof *file->left_out_count);
	file->left_out_count[number] += count;
	buf_free(&key);
}

/* --- planes --------------------------------------------------------------------- */

/* Reads all events of the plane, and counts. False at damage; then nothing of it is counted. */
static bool count_plane(struct state *st, struct counts *counts)
{
	for (size_t i = 0; i < st->plane.lines_count; i++)
		if (!count_events(st, st->plane.lines + i, counts + i))
			return false;
	return true;
}

static void write_plane(struct state *st, const struct counts *counts)
{
	struct file *file = &st->file;

	for (size_t i = 0; i < st->plane.lines_count; i++) {
		const struct xplane_line *line = st->plane.lines + i;

		if (counts[i].left_out)
			count_left_out(st, line, counts[i].left_out);
		file->aggregates += counts[i].aggregates;
		if (counts[i].rows) {
			name_line(st, line);
			if (line->timestamp_ns > file->last_timestamp_ns)
				file->last_timestamp_ns = line->timestamp_ns;
		}
		if (counts[i].rows || st->balance.on)
			write_line(st, line);
	}
}

/* The profile says when it started: in the plane Task Environment. */
static void note_start(struct file *file, const struct xplane *plane)
{
	struct xplane_value start = plane->own[XPLANE_START_TIME];

	if (str_equal(plane->name, STR("Task Environment")) &&
	    (start.kind == XPLANE_UNSIGNED || start.kind == XPLANE_SIGNED) && start.number <= INT64_MAX)
		file->start_time = start.number;
}

/* Whether the plane may be the first of an XSpace, and not only of another protobuf. */
static bool is_plane(const struct state *st)
{
	return magic_is_xspace(buf_view(&st->file.space.head)) ||
	       str_starts(st->plane.name, STR("/")) ||
	       str_equal(st->plane.name, STR("Task Environment"));
}

enum outcome { GOOD, DAMAGED, FOREIGN };

/* Writes the rows of a plane. DAMAGED: the error of the plane is set, and nothing was written. */
static enum outcome convert_plane(struct state *st, struct str bytes)
{
	struct xplane *plane = &st->plane;
	struct counts *counts;
	bool good;

	if (!xplane_read(plane, bytes))
		return DAMAGED;
	if (st->file.planes_read == 0 && !is_plane(st))
		return FOREIGN;
	st->plane_kind = kind_of_plane(plane->name);
	st->named = st->has_streams = false;
	for (size_t i = 0; i < plane->lines_count; i++)
		st->has_streams |= kind_of_line(name_of_line(plane->lines + i)) == LINE_STREAM;
	counts = mem_alloc(plane->lines_count + 1, sizeof *counts);
	good = count_plane(st, counts);
	if (good) {
		begin_file(st);
		st->file.planes_read++;
		st->file.any_device |= st->plane_kind == PLANE_DEVICE;
		strmap_add(&st->file.planes, plane->name, NULL);
		note_start(&st->file, plane);
		write_plane(st, counts);
	}
	free(counts);
	return good ? GOOD : DAMAGED;
}

/* --- files -------------------------------------------------------------------------- */

/* Prints what the profiler reports. */
static void report(struct file *file, enum xspace_item item, struct str text)
{
	char quoted[QUOTE_MAX];

	if (file->reports++ < SHOWN)
		warn("%s: the profiler reports %s %s", file->name,
		     item == XSPACE_ERROR ? "an error:" : "a warning:", quote(quoted, text.s, text.n));
}

/* Appends the names of the map, with counts if there are some. */
static void put_names(struct buf *text, const struct strmap *names, const uint64_t *counts)
{
	for (size_t i = 0; i < names->count && i < SHOWN; i++) {
		struct str name = strmap_key(names, i);
		char quoted[QUOTE_MAX];

		buf_text(text, i ? ", " : " ");
		buf_text(text, quote(quoted, name.s, name.n));
		if (counts)
			buf_format(text, " %llu", (unsigned long long)counts[i]);
	}
	if (names->count > SHOWN)
		buf_format(text, " and %zu more", names->count - SHOWN);
	buf_char(text, '\0');
}

static void warn_of_events(const struct state *st)
{
	const struct file *file = &st->file;
	const struct {
		const char *what;
		uint64_t count;
	} counts[] = {
		{"aggregates without a time, left out", file->aggregates},
		{"events of a negative duration, dur below 0", file->negative},
		{"names that their plane lacks, written as #ID", file->unnamed},
		{"further errors and warnings of the profiler",
	     file->reports > SHOWN ? file->reports - SHOWN : 0},
	};

	if (file->left_out.count) {
		struct buf text = {0};

		put_names(&text, &file->left_out, file->left_out_count);
		warn("%s: events left out, which -A writes:%s", file->name, text.data);
		buf_free(&text);
	}
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (counts[i].count)
			warn("%s: %s: %llu", file->name, counts[i].what, (unsigned long long)counts[i].count);
}

static void warn_of_no_device(struct state *st)
{
	struct buf text = {0};

	put_names(&text, &st->file.planes, NULL);
	warn("%s: no plane is of a device; the planes are%s", st->file.name,
	     st->file.planes.count ? text.data : " none");
	buf_free(&text);
	st->out.status = status_worse(st->out.status, STATUS_LIMIT);
}

/* The end of an XSpace, also of a damaged one. */
static void end_file(struct state *st)
{
	struct file *file = &st->file;
	char digits[DIGITS_MAX];

	begin_file(st);
	/* Times of a line are since 1970 in some files, else since the start. */
	if (file->start_time && file->last_timestamp_ns < (int64_t)file->start_time)
		kev_meta(&st->out, "baseTimeNanoseconds",
		         (struct str[]){digits_unsigned(digits, file->start_time)}, 1);
	warn_of_events(st);
	if (!file->any_device && !file->failed)
		warn_of_no_device(st);
}

static void free_file(struct file *file)
{
	xspace_close(&file->space);
	strmap_free(&file->planes);
	strmap_free(&file->pids);
	strmap_free(&file->owners);
	free(file->pid);
	strmap_free(&file->left_out);
	free(file->left_out_count);
}

/* A file of another kind. */
static void fail_foreign(struct state *st)
{
	char text[MAGIC_MAX];

	if (!magic_is_foreign(buf_view(&st->file.space.head), MAGIC_XSPACE, text))
		snprintf(text, sizeof text, "this is not an XSpace (.xplane.pb)");
	kev_misused(&st->out, st->file.name, 0, text);
}

/* The reason of the end is in the error of the space. */
static void fail_file(struct state *st)
{
	enum { ENOUGH = 64 }; /* bytes that tell what a file is */
	struct file *file = &st->file;
	const char *error = file->space.error;

	if (file->space.in.failed)
		kev_die(&st->out, file->name, 0, "%s", file->space.in.error);
	if (file->planes_read + file->reports == 0 && !magic_is_xspace(buf_view(&file->space.head)) &&
	    !(file->space.cut && file->space.head.len < ENOUGH))
		fail_foreign(st);
	else if (file->planes_read == 0)
		kev_broken(&st->out, file->name, 0, error);
	else if (st->opts.strict)
		kev_die(&st->out, file->name, 0, "%s", error);
	else
		kev_damaged(&st->out, file->name, error);
}

/* Reads planes up to the end. Reports damage and files of another kind. */
static void read_planes(struct state *st)
{
	struct file *file = &st->file;
	enum outcome outcome = GOOD;
	enum xspace_item item = XSPACE_END;
	struct str bytes;

	while (outcome == GOOD && (item = xspace_next(&file->space, &bytes)) > XSPACE_END) {
		if (item == XSPACE_PLANE)
			outcome = convert_plane(st, bytes);
		else
			report(file, item, bytes);
	}
	if (outcome == DAMAGED)
		xspace_damage(&file->space, st->plane.error_at, st->plane.error);
	file->failed = outcome != GOOD || item == XSPACE_FAILED;
	if (outcome == DAMAGED || item == XSPACE_FAILED) {
		fail_file(st);
	} else if (outcome == GOOD && file->space.head.len == 0) {
		begin_file(st);
		kev_damaged(&st->out, file->name, "the file is empty");
	} else if (outcome == FOREIGN || (file->planes_read == 0 && file->reports == 0)) {
		fail_foreign(st);
	}
}

static void read_file(struct state *st, int operand)
{
	const char *path = st->opts.operands[operand];
	struct file *file = &st->file;

	*file = (struct file){.name = opts_name(&st->opts, path)};
	if (!xspace_open(&file->space, path)) {
		kev_unopened(&st->out, file->name, file->space.error,
		             st->opened || operand + 1 < st->opts.operands_count);
		return;
	}
	st->opened = true;
	read_planes(st);
	if (file->planes_read || (file->reports && !file->failed))
		end_file(st);
	free_file(file);
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "us", .what = "events", .reasons = reasons, .reasons_count = REASONS}};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'A':
			st.all = true;
			break;
		case 'f':
			st.file_column = true;
			break;
		case RANK:
			st.rank = opts_rank(&st.opts);
			break;
		}
	}
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	for (int i = 0; i < st.opts.operands_count; i++)
		read_file(&st, i);
	xplane_free(&st.plane);
	nesting_free(&st.nesting);
	buf_free(&st.name);
	buf_free(&st.numbers);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
