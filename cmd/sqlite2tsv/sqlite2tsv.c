/*
 * sqlite2tsv - a profiler's SQLite database to the kernel-event stream, kev(5).
 *
 *	CUPTI_ACTIVITY_KIND_KERNEL: start 4430121512, end 4430123512, deviceId 0, streamId 7, ...
 * gives
 *	#ts	dur	type	name	cat	ph	pid	tid	source	correlation	...
 *	4430121.512	2		gemm	kernel	X	0	7		128	...
 *
 * Memory grows with the texts that the rows share, such as names, and not with the rows.
 */
#include "msprof.h"
#include "nsys.h"
#include "rocpd.h"

struct state {
	struct opts opts;
	struct kev_writer out;
	struct sqlevents_options options;
	struct balance balance;
	bool only_tables; /* --tables */
	bool opened;      /* a file could be opened */
};

enum { TABLES = OPT_LONG, SHORT, TASKS, RANK };

static const struct opt opts[] = {
	{'p', "ph", "PH", "write these phases, one letter each (default: XBs)"},
	{'f', "file", NULL, "add a column with the file's name"},
	{RANK, "rank", "[=N]", "add a column with the rank (default N: that of the database)"},
	{SHORT, "short", NULL, "write short names of kernels (nsys)"},
	{TASKS, "tasks", NULL, "also write waits and the parts of collectives (msprof)"},
	{TABLES, "tables", NULL, "write the tables and columns of the databases instead"},
};

static const struct opt_usage usage = {
	"[-p PH] [-f] [--rank[=N]] [--short] [--tasks] FILE...\n"
	"       sqlite2tsv --tables FILE...",
	"Convert a profiler's SQLite database to the kernel-event stream.", opts,
	sizeof opts / sizeof *opts};

/* Known kinds of databases. */
static const struct {
	bool (*is)(const struct sqlfile *file);
	void (*write)(struct sqlevents *events);
} kinds[] = {{nsys_is, nsys_write}, {rocpd_is, rocpd_write}, {msprof_is, msprof_write}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A kind of damage of the file as a whole, by number from 0 on; empty or NULL without damage. */
static const char *damage_of(const struct sqlfile *file, int number)
{
	switch (number) {
	case 0:
		return file->list_damage;
	case 1:
		return file->damage;
	default:
		return sqlfile_changed(file) ? "the database changed while it was read" : NULL;
	}
}
enum { DAMAGES = 3 };

/* Reports damage of a database whose rows are not converted. */
static void report_damage(struct state *st, const struct sqlfile *file, const char *name)
{
	for (int i = 0; i < DAMAGES; i++) {
		const char *what = damage_of(file, i);

		if (what && *what && st->opts.strict)
			kev_die(&st->out, name, 0, "%s", what);
		if (what && *what)
			kev_damaged(&st->out, name, what);
	}
}

/* A row for each table: the file, the table, its columns with commas. */
static void list_tables(struct state *st, const struct sqlfile *file, const char *name)
{
	static const struct str columns[] = {{"file", 4}, {"table", 5}, {"columns", 7}};

	kev_columns(&st->out, columns, 3);
	for (size_t i = 0; i < file->tables.count; i++)
		kev_row(&st->out,
		        (struct str[]){str_of(name), strmap_key(&file->tables, i),
		                       buf_view(&file->column_list[i])},
		        3);
	report_damage(st, file, name);
}

/* A database of another kind is an error that names the tables. */
static void unknown_kind(struct state *st, const struct sqlfile *file, const char *name)
{
	enum { SHOWN = 8 };
	struct buf what = {0};
	size_t count = file->tables.count;

	if (count == 0) {
		buf_text(&what, "the database has no tables");
	} else {
		buf_text(&what,
		         "this is not a database of nsys, rocprofv3, msprof or torch_npu; its tables are");
		for (size_t i = 0; i < count && i < SHOWN; i++) {
			buf_text(&what, i ? ", " : " ");
			buf_str(&what, strmap_key(&file->tables, i));
		}
		if (count > SHOWN)
			buf_format(&what, " and %zu more", count - SHOWN);
	}
	buf_char(&what, '\0');
	kev_broken(&st->out, name, 0, what.data);
	buf_free(&what);
}

/* Writes the rows. */
static void convert(struct state *st, struct sqlfile *file, const char *name)
{
	struct sqlevents events = {.options = &st->options,
	                           .out = &st->out,
	                           .file = file,
	                           .name = name,
	                           .balance = &st->balance,
	                           .strict = st->opts.strict};
	size_t kind = 0;

	while (kind < KINDS && !kinds[kind].is(file))
		kind++;
	if (kind == KINDS) {
		report_damage(st, file, name);
		unknown_kind(st, file, name);
		return;
	}
	kev_meta(&st->out, "source", (struct str[]){str_of(name)}, 1);
	kev_meta(&st->out, "unit", (struct str[]){STR("us")}, 1);
	kinds[kind].write(&events);
	for (int i = 0; i < DAMAGES; i++) {
		const char *what = damage_of(file, i);

		if (what && *what)
			sqlevents_damaged(&events, what);
	}
	sqlevents_end(&events);
}

static void read_file(struct state *st, int operand)
{
	const char *path = st->opts.operands[operand];
	const char *name = opts_name(&st->opts, path);
	struct sqlfile file;

	switch (sqlfile_open(&file, path)) {
	case SQLFILE_UNOPENED:
		kev_unopened(&st->out, name, file.error,
		             st->opened || operand + 1 < st->opts.operands_count);
		break;
	case SQLFILE_NONE:
		st->opened = true;
		if (file.foreign)
			kev_misused(&st->out, name, 0, file.error);
		else
			kev_broken(&st->out, name, 0, file.error);
		break;
	case SQLFILE_OK:
		st->opened = true;
		if (st->only_tables)
			list_tables(st, &file, name);
		else
			convert(st, &file, name);
		break;
	}
	sqlfile_close(&file);
}

int main(int argc, char **argv)
{
	struct state st = {.options.phases = "XBs",
	                   .balance = {.unit = "us",
	                               .what = "rows",
	                               .reasons = sqlevents_reasons,
	                               .reasons_count = SQLEVENTS_REASONS}};
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'p':
			st.options.phases = st.opts.arg;
			break;
		case 'f':
			st.options.file_column = true;
			break;
		case RANK:
			st.options.rank_column = true;
			st.options.rank = opts_rank(&st.opts);
			break;
		case SHORT:
			st.options.short_names = true;
			break;
		case TASKS:
			st.options.tasks = true;
			break;
		case TABLES:
			st.only_tables = true;
			break;
		}
	}
	st.balance.on = st.opts.verbose;

	kev_writer_init(&st.out, &st.opts);
	for (int i = 0; i < st.opts.operands_count; i++)
		read_file(&st, i);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
