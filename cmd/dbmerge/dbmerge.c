/*
 * dbmerge - merges measured kernels into a performance database, a folder of one CSV per
 * operator: rows of known cases get the new figures, others are added.
 *
 *	#OP Type	...	Input Shapes	...	Average Duration(us)	...
 *	Cast	...	"8,16"	...	5.200000	...
 * sets the duration of that case in DIR/Cast.csv, and prints
 *	#action	operator	csv	signature	count	microbench_us	...	old_us
 *	file	Cast	Cast.csv		3
 *	updated	Cast	Cast.csv	"8,16" -> "8,16"	1	5.2	...	5.5
 *
 * Memory: the largest file, old and new, with an index of its rows, and 24 bytes per row of the
 * input, which waits in a temporary file; and the shapes of MatMul without a case.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "base/strmap.h"
#include "perfdb/ledger.h"
#include "perfdb/schema.h"
#include "perfdb/signature.h"
#include "stream/balance.h"
#include "stream/kev.h"

#include "database.h"
#include "merge.h"
#include "newrows.h"
#include "rewrite.h"

/* Why a row of the input is in no file. */
enum reason { NO_FILE, SKIPPED, NO_ROW, PRUNED, REASONS };

static const char *const reasons[REASONS] = {"operator without a file", "its file was skipped",
                                             "its case is not in the file, and was not added",
                                             "no duration, deleted again"};
BALANCE_FITS(reasons);

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct schema schema;
	struct database db; /* -d, --ops, -N, --no-wait, --strict */
	bool missing_only;
	bool prune; /* --prune */
	struct words prune_ops;
	bool add_matmul;
	bool migrate;
	bool create;
	struct newrows rows;
	struct ledger ledger;
};

enum { OPS = OPT_LONG, ONLY, MODE, PRUNE, PRUNE_OPS, CREATE, ADD_MATMUL, MIGRATE, NO_WAIT };

static const struct opt opts[] = {
	{'d', "database", "DIR", "the folder of the database"},
	{OPS, "ops", "OP,...", "merge only these operators; their files may be anywhere below DIR"},
	{ONLY, "only", "OP,...", "of the files in DIR itself, merge only those of these operators"},
	{MODE, "mode", "all|missing-only",
     "missing-only: keep rows that have a duration (default: all)"},
	{PRUNE, "prune", NULL, "delete rows in which neither average is a positive number"},
	{PRUNE_OPS, "prune-ops", "OP,...", "the same, for these operators only"},
	{CREATE, "create", NULL, "make files for operators without one, even beside others"},
	{ADD_MATMUL, "add-matmul", NULL, "add rows to the files of MatMul, too"},
	{MIGRATE, "migrate", NULL, "rename the columns of files in the older format"},
	{'N', "dry-run", NULL, "write no file; print what would be done"},
	{NO_WAIT, "no-wait", NULL, "fail if another run holds DIR"},
};

static const struct opt_usage usage = {
	"-d DIR [--ops=OP,... | --only=OP,...] [--mode=MODE] [--prune] [-N] [FILE...]",
	"Merge measured kernels into a performance database of one CSV per operator.", opts,
	sizeof opts / sizeof *opts};

/* --- errors -------------------------------------------------------------- */

static void put_table(struct state *st)
{
	if (!ledger_put(&st->ledger, &st->out))
		kev_die(&st->out, st->db.path, 0, "%s", st->ledger.error);
}

/* Ends by an error, with the table of the files that were written before it. */
static _Noreturn __attribute__((format(printf, 4, 5))) void
stop(struct state *st, const char *path, uint64_t line, const char *format, ...)
{
	struct buf what = {0};
	va_list args;

	va_start(args, format);
	buf_vformat(&what, format, args);
	va_end(args);
	buf_char(&what, '\0');
	kev_broken(&st->out, path, line, what.data);
	buf_free(&what);
	database_sync(&st->db);
	put_table(st);
	exit(kev_finish(&st->out));
}

/* Ends by an error of the database, like stop. */
static _Noreturn void stop_database(struct state *st)
{
	stop(st, st->db.at.data, 0, "%s", st->db.error);
}

/* --- the files ----------------------------------------------------------- */

/* Whether --ops names the files, rather than the folder their operators. */
static bool names_files(const struct state *st)
{
	return st->db.ops.count && !st->db.here;
}

/* Whether operators without a file get one: with --create, or in a folder without a database. */
static bool wants_new_files(struct state *st)
{
	char *below;

	if (st->create || st->db.count || st->missing_only)
		return st->create;
	below = names_files(st) ? NULL : database_below(&st->db);
	/* A second database beside databases in subfolders is hardly ever wanted. */
	if (below)
		stop(st, st->db.path, 0,
		     "only subfolders have files of a database (%s); choose one of them with -d, or the "
		     "operators with --ops; make new files here with --create",
		     below);
	return true;
}

/* A new file for each operator of the input that lacks one. */
static void add_files(struct state *st)
{
	for (size_t i = 0; i < st->rows.operators.count; i++) {
		struct str op = strmap_key(&st->rows.operators, i);

		if (!database_has(&st->db, op) && database_wants(&st->db, op) && newrows_names_file(op) &&
		    !database_add(&st->db, op))
			stop_database(st);
	}
}

/* The operators of an option that match nothing. */
static void check_words(struct state *st, const char *option, const struct words *ops)
{
	for (size_t i = 0; i < ops->count; i++) {
		struct str op = ops->item[i];
		bool wanted = database_wants(&st->db, op);
		const char *what = wanted        ? "has neither a file nor a new row"
		                   : st->db.here ? "is not among --only"
		                                 : "is not among --ops";

		if (wanted && (database_has(&st->db, op) || newrows_first(&st->rows, op)))
			continue;
		if (st->opts.strict)
			stop(st, st->db.path, 0, "%s: %.*s %s", option, (int)op.n, op.s, what);
		warn("%s: %s: %.*s %s", st->db.path, option, (int)op.n, op.s, what);
	}
}

/* Operators of the input without a file: either names that a file can have, or the other names. */
static void check_files(struct state *st, bool nameable, const char *what, const char *hint)
{
	struct buf list = {0};

	for (size_t i = 0; i < st->rows.operators.count; i++) {
		struct str op = strmap_key(&st->rows.operators, i);
		char quoted[QUOTE_MAX];

		if (database_has_kind(&st->db, op) || !database_wants(&st->db, op) ||
		    newrows_names_file(op) != nameable)
			continue;
		buf_text(&list, list.len ? ", " : "");
		if (nameable)
			buf_str(&list, op);
		else
			buf_text(&list, quote(quoted, op.s, op.n));
		buf_format(&list, " (%u)", st->rows.of[i].count);
	}
	if (list.len && st->opts.strict)
		stop(st, st->db.path, 0, "%s: %.*s", what, (int)list.len, list.data);
	if (list.len)
		warn("%s: %s, rows skipped%s: %.*s", st->db.path, what, hint, (int)list.len, list.data);
	buf_free(&list);
}

/* The operators of the input without a file, and operators of options that match nothing. */
static void check_operators(struct state *st)
{
	check_files(st, true, "operators without a file", " (--create makes files)");
	check_files(st, false, "operators whose names cannot be those of files", "");
	if (names_files(st))
		check_words(st, "--ops", &st->db.ops);
	check_words(st, "--prune-ops", &st->prune_ops);
}

static void find_files(struct state *st)
{
	st->db.strict = st->opts.strict;
	if (!database_open(&st->db))
		stop_database(st);
	if (wants_new_files(st))
		add_files(st);
	if (!database_hold(&st->db))
		stop_database(st);
	check_operators(st);
}

/* --- a file -------------------------------------------------------------- */

static bool is_pruned(const struct state *st, struct str op)
{
	return st->prune || words_have(&st->prune_ops, op);
}

/* Whether a file of the operator would have been looked into for a reason of this run. */
static bool is_concerned(const struct state *st, struct str op)
{
	bool concerned =
		is_pruned(st, op) || st->migrate || names_files(st) || newrows_first(&st->rows, op) != 0;

	for (int i = 0; signature_is_matmul(op) && i < SIGNATURE_MATMULS; i++)
		concerned |= newrows_first(&st->rows, str_of(signature_matmuls[i])) != 0;
	return concerned;
}

/* A file that cannot be merged is skipped, and the others are merged. */
static void skip_file(struct state *st, struct database_file *file, uint64_t line, const char *why)
{
	struct buf text = {0};

	file->skipped = true;
	if (st->opts.strict)
		stop(st, file->path, line, "%s", why);
	if (line)
		buf_format(&text, "line %llu: ", (unsigned long long)line);
	buf_format(&text, "%s; skipped", why);
	warn("%s: %.*s", file->path, (int)text.len, text.data);
	if (is_concerned(st, file->op)) {
		st->out.status = status_worse(st->out.status, STATUS_DAMAGED);
		ledger_skip(&st->ledger, str_of(file->path), buf_view(&text));
	}
	buf_free(&text);
}

/* Reads a file. False if it is skipped. */
static bool read_file(struct state *st, struct merge *m, struct database_file *file)
{
	const char *why = NULL;
	int fd = file->exists ? database_read(&st->db, file, &why) : -1;
	bool good;

	if (fd < 0 && file->exists && !why)
		stop_database(st);
	if (why) {
		skip_file(st, file, 0, why);
		return false;
	}
	good = merge_read(m, fd);
	if (m->csv.long_rows)
		warn("%s: rows with more cells than columns: %llu", file->path,
		     (unsigned long long)m->csv.long_rows);
	if (m->csv.short_rows)
		warn("%s: rows with fewer cells than columns: %llu", file->path,
		     (unsigned long long)m->csv.short_rows);
	if (good && m->csv.may_be_cut)
		warn("%s: the last row has no newline; its last value may be cut off", file->path);
	if (good && m->lacks.len && is_concerned(st, file->op))
		warn("%s: missing columns, which added rows bring: %.*s", file->path, (int)m->lacks.len,
		     m->lacks.data);
	if (!good)
		skip_file(st, file, m->error_line, m->error);
	else if (m->migrated)
		warn("%s: older format; its columns are renamed to those of the profile", file->path);
	return good;
}

static void warn_of_rows(const struct merge *m)
{
	unsigned long long disputed = m->disputed;

	if (m->ep_size.len && m->exists)
		warn("%s: column 'EP Size' is missing; %.*s is assumed in all rows", m->path,
		     (int)m->ep_size.len, m->ep_size.data);
	if (disputed)
		warn("%s: %llu %s measured under two MatMul kinds; %s", m->path, disputed,
		     disputed == 1 ? "row was" : "rows were",
		     m->add_matmul ? "the file's own duration was used"
		                   : "the other kind's duration was used (--add-matmul keeps both)");
}

static void write_file(struct state *st, struct merge *m, struct database_file *file)
{
	struct rewrite rw;

	if (!rewrite_begin(&rw, m))
		stop(st, st->db.path, 0, "%s", rw.error);
	file->replaced = rw.changed && !st->db.look;
	if (file->replaced && !rewrite_file(&rw, file->folder, file->name))
		stop(st, file->path, 0, "%s", rw.error);
	if (rw.linked)
		warn("%s: its other names (hard links) keep the old rows", file->path);
	rewrite_free(&rw);
}

static void merge_file(struct state *st, struct database_file *file)
{
	struct merge m = {.schema = &st->schema,
	                  .rows = &st->rows,
	                  .ledger = &st->ledger,
	                  .op = file->op,
	                  .path = file->path,
	                  .missing_only = st->missing_only,
	                  .add_matmul = st->add_matmul,
	                  .prune = is_pruned(st, file->op),
	                  .migrate = st->migrate};

	ledger_begin(&st->ledger, file->op, str_of(file->path));
	if (read_file(st, &m, file)) {
		if (!merge_rows(&m))
			stop(st, st->db.path, 0, "%s", m.error);
		warn_of_rows(&m);
		write_file(st, &m, file);
		if (!ledger_keep_file(&st->ledger, m.rows_left))
			stop(st, st->db.path, 0, "%s", st->ledger.error);
	}
	merge_free(&m);
}

/* --- the end ------------------------------------------------------------- */

/*
 * Adds the rows of a kind of MatMul that no file has taken to the table, and their shapes to
 * shapes. Returns how many.
 */
static uint64_t put_unmatched(struct newrows *rows, struct ledger *ledger, struct str op,
                              struct strmap *shapes)
{
	struct newrows_line line = {0};
	struct buf scratch[SIGNATURE_CELLS] = {{0}};
	struct buf text = {0};
	struct buf dur = {0};
	struct buf label = {0};
	uint64_t count = 0;

	ledger_begin(ledger, op, STR(""));
	for (uint32_t i = newrows_first(rows, op); i; i = newrows_next(rows, i)) {
		struct str cells[SIGNATURE_CELLS];

		if (newrows_fate(rows, i - 1) != NEWROWS_NOWHERE)
			continue;
		newrows_fetch(rows, i - 1, &line);
		newrows_cells(&line, cells, scratch);
		text.len = 0;
		signature_text(&text, cells);
		ledger_fact(ledger, LEDGER_UNMATCHED, buf_view(&text), 1,
		            newrows_text(&line, line.layout->column[SCHEMA_AVERAGE], &dur), STR(""));
		label.len = 0;
		buf_format(&label, "%.*s: %.*s", (int)op.n, op.s, (int)text.len, text.data);
		strmap_add(shapes, buf_view(&label), NULL);
		count++;
	}
	newrows_line_free(&line);
	for (int i = 0; i < SIGNATURE_CELLS; i++)
		buf_free(&scratch[i]);
	buf_free(&text);
	buf_free(&dur);
	buf_free(&label);
	return count;
}

/* Rows of MatMul without a case in the files of any kind of MatMul. */
static void report_unmatched(struct state *st)
{
	const char *what = "rows of MatMul without a case in a file, skipped";
	const char *hint = st->add_matmul || st->missing_only ? "" : " (--add-matmul adds them)";
	unsigned long long count = 0;
	struct strmap shapes = {0};

	if (database_skipped(&st->db, str_of(signature_matmuls[0])))
		return; /* that file may have their cases */
	for (int i = 0; i < SIGNATURE_MATMULS; i++) {
		struct str op = str_of(signature_matmuls[i]);

		if (database_has_kind(&st->db, op))
			count += put_unmatched(&st->rows, &st->ledger, op, &shapes);
		if (st->rows.lines.error[0])
			stop(st, st->db.path, 0, "%s", st->rows.lines.error);
		if (!ledger_keep(&st->ledger))
			stop(st, st->db.path, 0, "%s", st->ledger.error);
	}
	if (count && st->opts.strict && !st->missing_only)
		stop(st, st->db.path, 0, "%s%s: %llu", what, hint, count);
	if (count)
		warn("%s: %s%s: %llu", st->db.path, what, hint, count);
	for (size_t i = 0; i < shapes.count; i++) {
		struct str shape = strmap_key(&shapes, i);

		warn("  %.*s", (int)shape.n, shape.s);
	}
	strmap_free(&shapes);
}

/* Counts the rows of an operator by their fates. */
static void count_rows(struct balance *balance, struct newrows *rows, struct str op,
                       enum reason nowhere)
{
	struct newrows_line line = {0};
	struct buf scratch = {0};

	for (uint32_t i = newrows_first(rows, op); i; i = newrows_next(rows, i)) {
		enum newrows_fate fate = newrows_fate(rows, i - 1);
		struct str dur;

		newrows_fetch(rows, i - 1, &line);
		dur = newrows_text(&line, line.layout->column[SCHEMA_AVERAGE], &scratch);
		if (fate == NEWROWS_IN_FILE)
			balance_out(balance, dur);
		else
			balance_drop(balance, fate == NEWROWS_PRUNED ? PRUNED : nowhere, dur);
	}
	newrows_line_free(&line);
	buf_free(&scratch);
}

static void print_balance(struct state *st)
{
	for (size_t i = 0; st->opts.verbose && i < st->rows.operators.count; i++) {
		struct str op = strmap_key(&st->rows.operators, i);

		count_rows(&st->balance, &st->rows, op,
		           !database_has_kind(&st->db, op) ? NO_FILE
		           : database_skipped(&st->db, op) ? SKIPPED
		                                           : NO_ROW);
	}
	if (st->rows.lines.error[0])
		kev_die(&st->out, st->db.path, 0, "%s", st->rows.lines.error);
	balance_print(&st->balance);
}

static void finish(struct state *st)
{
	/* The head comes first: if its reader fails, it does so before a file is touched. */
	if (st->db.look)
		kev_meta(&st->out, "dry-run", NULL, 0);
	ledger_put_columns(&st->out);
	find_files(st);
	for (size_t i = 0; i < st->db.count; i++)
		merge_file(st, &st->db.files[i]);
	report_unmatched(st);
	if (!database_sync(&st->db))
		stop_database(st);
	put_table(st);
	print_balance(st);
}

/* --- the input ----------------------------------------------------------- */

static void meta(struct state *st)
{
	kev_pass_meta(&st->out, &st->in);
	if (!st->opts.strict || st->out.status == STATUS_OK)
		return;
	if (st->in.damage_is_usage)
		kev_die_misuse(&st->out, st->in.file, 0, "wrong usage above; nothing was merged");
	kev_die(&st->out, st->in.file, 0, "the input is damaged; nothing was merged");
}

static void row(struct state *st)
{
	const struct newrows_layout *layout = &st->rows.layouts[st->rows.layouts_count - 1];

	balance_in(&st->balance, st->in.field[layout->column[SCHEMA_AVERAGE]]);
	newrows_add(&st->rows, &st->in);
}

/* Adds the operators that an option names by their files. */
static void add_operators(struct state *st, struct words *ops)
{
	struct words names = {0};

	opts_words(&st->opts, &names);
	for (size_t i = 0; i < names.count; i++)
		words_put_once(ops, signature_operator(names.item[i]));
	words_free(&names);
}

static void read_options(struct state *st)
{
	int letter;

	while ((letter = opts_next(&st->opts)) >= 0) {
		switch (letter) {
		case 'd':
			st->db.path = st->opts.arg;
			break;
		case OPS:
		case ONLY:
			if (st->db.ops.count && st->db.here != (letter == ONLY))
				opts_fail("--ops and --only cannot be given together");
			st->db.here = letter == ONLY;
			add_operators(st, &st->db.ops);
			break;
		case MODE:
			st->missing_only = opts_second(&st->opts, "all", "missing-only");
			break;
		case PRUNE:
			st->prune = true;
			break;
		case PRUNE_OPS:
			add_operators(st, &st->prune_ops);
			break;
		case CREATE:
			st->create = true;
			break;
		case ADD_MATMUL:
			st->add_matmul = true;
			break;
		case MIGRATE:
			st->migrate = true;
			break;
		case 'N':
			st->db.look = true;
			break;
		case NO_WAIT:
			st->db.no_wait = true;
			break;
		}
	}
	if (!st->db.path)
		opts_fail("-d is needed: the folder of the database");
	if (st->prune && st->prune_ops.count)
		opts_fail("--prune and --prune-ops exclude each other");
	st->balance.on = st->opts.verbose;
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "us", .what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;

	opts_init(&st.opts, &usage, argc, argv);
	read_options(&st);
	schema_init(&st.schema);
	kev_writer_init(&st.out, &st.opts);
	if (!newrows_open(&st.rows))
		die("%s", st.rows.lines.error);
	if (!ledger_open(&st.ledger))
		die("%s", st.ledger.error);

	kev_open(&st.in, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			meta(&st);
		else if (item == KEV_COLUMNS)
			newrows_columns(&st.rows, &st.schema, &st.in);
		else
			row(&st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	database_close(&st.db);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
