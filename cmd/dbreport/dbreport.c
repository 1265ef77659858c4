/*
 * dbreport - reports what dbmerge changed, and the cases whose microbench and profile are far
 * apart.
 *
 *	#action	operator	csv	signature	count	microbench_us	profiling_us	diff_us	ratio
 *	file	Cast	Cast.csv		3
 *	updated	Cast	Cast.csv	"8,16" -> "8,16"	1
 * becomes a Markdown report with a row for Cast: updated 1, added 0, deleted 0.
 *
 * Memory grows with the files and the cases that are far apart.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "answer/table.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "base/strmap.h"
#include "io/folder.h"
#include "io/replace.h"
#include "perfdb/ledger.h"
#include "stream/balance.h"
#include "stream/kev.h"

#include "hotspots.h"
#include "status.h"

/* Why a row is not in the report. */
enum reason { NEAR, NO_CASE, REASONS };

static const char *const reasons[REASONS] = {"gaps within the bounds", "unmatched rows of MatMul"};
BALANCE_FITS(reasons);

enum {
	EXAMPLES = 3,  /* in a row of the report */
	HOTSPOTS = 20, /* in the report; the CSV has all */
};

struct file {
	struct str op;
	struct str csv;
	uint64_t count[LEDGER_ACTIONS];
	struct buf examples[LEDGER_ACTIONS];
	uint64_t order[2]; /* counts that it is sorted by */
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	bool text;          /* -r */
	const char *folder; /* -o */
	const char *status; /* --status */
	struct status_lists lists;
	int action;
	int op;
	int csv;
	int signature;
	int count;
	int microbench;
	int profiling;
	int diff;
	struct strmap names; /* paths of the files */
	struct file *files;
	size_t files_cap;
	struct hotspots hotspots;
	struct buf damages; /* plain, a line each */
	bool misused;       /* some of them are of wrong usage */
	bool dry;           /* the table is of dbmerge -N */
	struct buf cell[3];
};

enum { STATUS = OPT_LONG };

static const struct opt opts[] = {
	{'r', "report", NULL, "print a report for a terminal, with bars, instead of Markdown"},
	{'o', "output", "DIR", "write the Markdown report and the CSV of all hotspots to DIR"},
	{STATUS, "status", "FILE", "add the successes and failures that this JSON file lists"},
};

static const struct opt_usage usage = {
	"[-r] [-o DIR] [--status=FILE] [FILE...]",
	"Report the changes of dbmerge, and cases far from the profile.", opts,
	sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static void columns(struct state *st)
{
	const struct {
		const char *name;
		int *column;
	} needs[] = {
		{"action", &st->action},
		{"operator", &st->op},
		{"csv", &st->csv},
		{"signature", &st->signature},
		{"count", &st->count},
		{"microbench_us", &st->microbench},
		{"profiling_us", &st->profiling},
		{"diff_us", &st->diff},
	};

	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		if (!kev_need(&st->in, str_of(needs[i].name), needs[i].column))
			return;
}

static struct str keep(struct str text)
{
	return (struct str){mem_string(text.s, text.n), text.n};
}

static struct file *find_file(struct state *st, struct str op, struct str csv)
{
	bool new;
	size_t number = strmap_add(&st->names, csv, &new);

	st->files = mem_grow(st->files, &st->files_cap, number + 1, sizeof *st->files);
	if (new)
		st->files[number] = (struct file){.op = keep(op), .csv = keep(csv)};
	return &st->files[number];
}

/* The distance of a case's durations: a hotspot, or dropped. */
static void gap(struct state *st, const struct file *file, struct str signature)
{
	struct kev_reader *in = &st->in;
	struct hotspot new = {.op = file->op, .csv = file->csv, .signature = signature};

	if (!kev_number(in, st->microbench, &new.microbench) ||
	    !kev_number(in, st->profiling, &new.profiling) || !kev_number(in, st->diff, &new.diff) ||
	    new.microbench.nano <= 0 || new.profiling.nano <= 0) {
		if (!in->error[0])
			kev_error(in, "a gap needs its durations, both above 0, and their difference");
		return;
	}
	if (hotspots_far(new.microbench, new.profiling)) {
		balance_out(&st->balance, in->field[st->microbench]);
		hotspots_add(&st->hotspots, new);
	} else {
		balance_drop(&st->balance, NEAR, in->field[st->microbench]);
	}
}

static void add_example(struct file *file, enum ledger_action action, struct str signature,
                        struct str count)
{
	struct buf *examples = &file->examples[action];

	if (file->count[action]++ >= EXAMPLES)
		return;
	buf_text(examples, examples->len ? "; " : "");
	buf_str(examples, signature);
	if (action == LEDGER_DUPLICATE)
		buf_format(examples, " (x%.*s)", (int)count.n, count.s);
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str text = in->field[st->action];
	struct str op = kev_text(in, st->op, &st->cell[0]);
	struct str csv = kev_text(in, st->csv, &st->cell[1]);
	struct str signature = kev_text(in, st->signature, &st->cell[2]);
	struct file *file;
	char quoted[QUOTE_MAX];
	int i = 0;

	while (i < LEDGER_ACTIONS && !str_equal(text, str_of(ledger_actions[i])))
		i++;
	if (i == LEDGER_ACTIONS) {
		kev_error(in, "action: %s is not an action of dbmerge", quote(quoted, text.s, text.n));
		return;
	}
	balance_in(&st->balance, i == LEDGER_GAP ? in->field[st->microbench] : STR(""));
	if (i == LEDGER_UNMATCHED) { /* such a row belongs to no file */
		balance_drop(&st->balance, NO_CASE, STR(""));
		return;
	}
	file = find_file(st, op, csv);
	add_example(file, (enum ledger_action)i, signature, in->field[st->count]);
	if (i == LEDGER_GAP)
		gap(st, file, signature);
	else
		balance_out(&st->balance, STR(""));
}

static void meta(struct state *st)
{
	struct buf text = {0};

	st->dry |= str_equal(st->in.key, STR("dry-run"));
	if (!str_equal(st->in.key, STR("damaged")))
		return;
	tsv_unescape(&text, buf_view(&st->in.damage_file));
	buf_text(&text, ": ");
	tsv_unescape(&text, buf_view(&st->in.damage_what));
	plaintext_put(&st->damages, buf_view(&text));
	buf_char(&st->damages, '\n');
	st->misused |= st->in.damage_is_usage;
	buf_free(&text);
	kev_note_damage(&st->out, &st->in);
	if (st->opts.strict)
		kev_die(&st->out, st->in.file, 0, "%s; no report was made",
		        st->in.damage_is_usage ? "wrong usage above" : "the input is damaged");
}

/* --- orders -------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
	const struct file *x = a;
	const struct file *y = b;

	for (int i = 0; i < 2; i++)
		if (x->order[i] != y->order[i])
			return x->order[i] < y->order[i] ? 1 : -1;
	return str_compare(x->csv, y->csv);
}

/* By the counts of two actions, descending, then by name. `names` has no use for the order. */
static void sort_files(struct state *st, enum ledger_action first, enum ledger_action second)
{
	for (size_t i = 0; i < st->names.count; i++) {
		st->files[i].order[0] = st->files[i].count[first];
		st->files[i].order[1] = st->files[i].count[second];
	}
	if (st->names.count)
		qsort(st->files, st->names.count, sizeof *st->files, compare_files);
}

/* --- the report ---------------------------------------------------------- */

static void put_title(struct state *st, struct output *out, const char *title)
{
	output_format(out, st->text ? "\n%s\n" : "\n## %s\n", title);
}

static void put_table(struct state *st, struct output *out, struct table *table)
{
	table->any_width = true; /* operators and shapes are names of the database */
	if (table->cells == 0)
		output_text(out, st->text ? "(none)\n" : "_None_\n");
	else if (st->text)
		table_print(table, out);
	else
		table_markdown_padded(table, out);
	table_free(table);
}

static void count_cell(struct table *table, uint64_t count)
{
	char text[32];

	snprintf(text, sizeof text, "%llu", (unsigned long long)count);
	table_cell(table, str_of(text));
}

/* Text of the input, outside a table. */
static void put_text(struct state *st, struct output *out, struct str text)
{
	if (st->text)
		plaintext_put(&out->buf, text);
	else
		table_markdown_text(&out->buf, text);
}

static void put_damages(struct state *st, struct output *out)
{
	struct str rest = buf_view(&st->damages);
	const char *mark = st->text ? "" : "**";

	if (rest.n == 0)
		return;
	output_format(out, "\n%s%s, so figures may be missing:%s\n%s", mark,
	              st->misused ? "Wrong usage" : "The input is damaged", mark, st->text ? "" : "\n");
	while (rest.n) {
		size_t n = (size_t)((char *)memchr(rest.s, '\n', rest.n) - rest.s);

		output_text(out, st->text ? "  " : "- ");
		put_text(st, out, (struct str){rest.s, n});
		output_char(out, '\n');
		rest = (struct str){rest.s + n + 1, rest.n - n - 1};
	}
}

static void put_status(struct state *st, struct output *out)
{
	if (!st->status)
		return;
	put_title(st, out, "Operator Execution Status");
	output_format(out, "- Success: %zu\n- Failed: %zu\n- Skipped: %zu\n", st->lists.succeeded,
	              st->lists.failed_count, st->lists.skipped);
	for (size_t i = 0; i < st->lists.failed_count; i++) {
		output_text(out, "  - FAILED: "); /* two blanks: Markdown nests it */
		put_text(st, out, buf_view(&st->lists.failed[i].op));
		output_text(out, ": ");
		put_text(st, out, buf_view(&st->lists.failed[i].reason));
		output_char(out, '\n');
	}
}

static void put_failures(struct state *st, struct output *out)
{
	static const struct table_column heads[] = {{"Operator", false}, {"Reason", false}};
	struct table table = {.columns = heads, .count = 2};

	for (size_t i = 0; i < st->lists.failed_count; i++) {
		table_cell(&table, buf_view(&st->lists.failed[i].op));
		table_cell(&table, buf_view(&st->lists.failed[i].reason));
	}
	if (table.cells == 0)
		return;
	put_title(st, out, "Failures");
	if (!st->text)
		output_text(out, "> [!WARNING]\n> These operators failed.\n\n");
	put_table(st, out, &table);
}

/* --- its sections -------------------------------------------------------- */

static void put_overview(struct state *st, struct output *out)
{
	static const struct table_column heads[] = {{"Metric", false}, {"Value", false}};
	static const struct {
		const char *title;
		enum ledger_action action;
	} rows[] = {
		{"Rows updated", LEDGER_UPDATED},           {"Rows added", LEDGER_ADDED},
		{"Rows deleted", LEDGER_DELETED},           {"Rows unchanged", LEDGER_UNCHANGED},
		{"Duplicate signatures", LEDGER_DUPLICATE}, {"Missing shapes", LEDGER_MISSING},
	};
	struct table table = {.columns = heads, .count = 2};

	put_title(st, out, "Overview");
	table_cell(&table, STR("CSV files touched"));
	count_cell(&table, st->names.count);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t sum = 0;

		for (size_t j = 0; j < st->names.count; j++)
			sum += st->files[j].count[rows[i].action];
		table_cell(&table, str_of(rows[i].title));
		count_cell(&table, sum);
	}
	table_cell(&table, STR("Hotspots"));
	count_cell(&table, st->hotspots.count);
	table_cell(&table, STR("Gap threshold"));
	table_cell(&table, STR("microbench/profiling not in [0.80x, 1.20x]"));
	put_table(st, out, &table);
}

static void put_updates(struct state *st, struct output *out)
{
	static const struct table_column heads[] = {{"Operator", false}, {"Updated", true},
	                                            {"Added", true},     {"Deleted", true},
	                                            {"Unchanged", true}, {"Missing Samples", false}};
	static const enum ledger_action counts[] = {LEDGER_UPDATED, LEDGER_ADDED, LEDGER_DELETED,
	                                            LEDGER_UNCHANGED};
	struct table table = {.columns = heads, .count = 6};

	put_title(st, out, "Update Summary");
	sort_files(st, LEDGER_ADDED, LEDGER_UPDATED);
	for (size_t i = 0; i < st->names.count; i++) {
		const struct buf *examples = &st->files[i].examples[LEDGER_MISSING];

		table_cell(&table, st->files[i].op);
		for (size_t j = 0; j < sizeof counts / sizeof *counts; j++)
			count_cell(&table, st->files[i].count[counts[j]]);
		table_cell(&table, examples->len ? buf_view(examples) : STR("-"));
	}
	put_table(st, out, &table);
}

/* The files with an action, and examples of it. */
static void put_action(struct state *st, struct output *out, const char *title,
                       enum ledger_action action)
{
	static const struct table_column heads[] = {
		{"Operator", false}, {"Count", true}, {"Examples", false}};
	struct table table = {.columns = heads, .count = 3};

	put_title(st, out, title);
	sort_files(st, action, action);
	for (size_t i = 0; i < st->names.count && st->files[i].count[action]; i++) {
		table_cell(&table, st->files[i].op);
		count_cell(&table, st->files[i].count[action]);
		table_cell(&table, buf_view(&st->files[i].examples[action]));
	}
	put_table(st, out, &table);
}

static void put_hotspots(struct state *st, struct output *out)
{
	static const struct table_column heads[] = {
		{"Operator", false},    {"MicroBench(us)", true}, {"Profiling(us)", true},
		{"Abs Diff(us)", true}, {"MB/Profile", true},     {"Shape", false},
	};
	static const struct table_column with_bars[] = {
		{"Operator", false},    {"MicroBench(us)", true}, {"Profiling(us)", true},
		{"Abs Diff(us)", true}, {"MB/Profile", true},     {"1/8x        1          8x", false},
		{"Shape", false},
	};
	struct table table = {.columns = st->text ? with_bars : heads, .count = st->text ? 7 : 6};
	struct buf text = {0};

	put_title(st, out, "Duration Gap Hotspots");
	for (size_t i = 0; i < st->hotspots.count && i < HOTSPOTS; i++) {
		const struct hotspot *h = &st->hotspots.item[i];
		const struct dec durations[] = {h->microbench, h->profiling, h->diff};

		table_cell(&table, h->op);
		for (size_t j = 0; j < 3; j++) {
			text.len = 0;
			hotspots_us(&text, durations[j]);
			table_cell(&table, buf_view(&text));
		}
		text.len = 0;
		hotspots_ratio(&text, h, 2);
		buf_char(&text, 'x');
		table_cell(&table, buf_view(&text));
		text.len = 0;
		hotspots_bar(&text, h);
		if (st->text)
			table_cell(&table, buf_view(&text));
		table_cell(&table, h->signature);
	}
	put_table(st, out, &table);
	if (st->text && st->hotspots.count > HOTSPOTS)
		output_format(out, "and %zu more\n", st->hotspots.count - HOTSPOTS);
	buf_free(&text);
}

static void put_report(struct state *st, struct output *out)
{
	output_text(out, st->text ? "Profile Update Report\n" : "# Profile Update Report\n");
	if (st->dry)
		output_text(out, st->text ? "\nThis was a dry run: no file was changed.\n"
		                          : "\n**This was a dry run: no file was changed.**\n");
	put_damages(st, out);
	put_status(st, out);
	put_overview(st, out);
	put_updates(st, out);
	put_action(st, out, "Missing Shapes", LEDGER_MISSING);
	put_action(st, out, "Deleted Empty Rows", LEDGER_DELETED);
	put_action(st, out, "Duplicate Signatures", LEDGER_DUPLICATE);
	put_hotspots(st, out);
	put_failures(st, out);
}

/* --- -o ------------------------------------------------------------------ */

/* Adds its path to paths. False after an error, which was reported. */
static bool write_file(struct state *st, int folder, const char *name, struct str text,
                       struct buf *paths)
{
	struct buf path = {0};
	char error[REPLACE_ERROR];
	bool good;

	buf_format(&path, "%s/%s%c", st->folder, name, '\0');
	good = replace_file(folder, name, text, error);
	if (good) {
		plaintext_put(paths, str_of(path.data));
		buf_char(paths, '\n');
	} else {
		kev_broken(&st->out, path.data, 0, error);
	}
	buf_free(&path);
	return good;
}

/* Names for the two files: of this second, or of the next one with unused names. */
static void name_files(int folder, char report[64], char hotspots[64])
{
	time_t now = time(NULL);
	struct stat found;
	struct tm tm;

	do {
		localtime_r(&now, &tm);
		strftime(report, 64, "profile_update_report_%Y%m%d_%H%M%S.md", &tm);
		strftime(hotspots, 64, "duration_gap_hotspots_full_%Y%m%d_%H%M%S.csv", &tm);
		now++;
	} while (fstatat(folder, report, &found, AT_SYMLINK_NOFOLLOW) == 0 ||
	         fstatat(folder, hotspots, &found, AT_SYMLINK_NOFOLLOW) == 0);
}

/* An error here does not stop the report on standard output. */
static void write_files(struct state *st, struct buf *paths)
{
	struct output markdown;
	struct buf csv = {0};
	char report[64];
	char hotspots[64];
	bool text = st->text;
	char error[256];
	int folder = folder_to_fill(st->folder, error);

	if (folder < 0) {
		kev_broken(&st->out, st->folder, 0, error);
		return;
	}
	name_files(folder, report, hotspots);
	output_init(&markdown, -1, report);
	st->text = false;
	put_report(st, &markdown);
	st->text = text;
	output_format(&markdown, "Full hotspot CSV: %s\n", hotspots);
	hotspots_csv(&csv, &st->hotspots);
	if (write_file(st, folder, report, buf_view(&markdown.buf), paths) &&
	    write_file(st, folder, hotspots, buf_view(&csv), paths) && !replace_sync(folder)) {
		snprintf(error, sizeof error, "cannot be flushed to the disk: %s", strerror(errno));
		kev_broken(&st->out, st->folder, 0, error);
	}
	buf_free(&markdown.buf);
	buf_free(&csv);
	close(folder);
}

static void finish(struct state *st)
{
	struct buf paths = {0};

	hotspots_sort(&st->hotspots);
	/* The files come first: a reader that leaves early must not stop them. */
	if (st->folder)
		write_files(st, &paths);
	if (st->text || !st->folder)
		put_report(st, &st->out.out);
	output_str(&st->out.out, buf_view(&paths));
	buf_free(&paths);
	balance_print(&st->balance);
}

static void read_options(struct state *st)
{
	int letter;

	while ((letter = opts_next(&st->opts)) >= 0) {
		switch (letter) {
		case 'r':
			st->text = true;
			break;
		case 'o':
			st->folder = st->opts.arg;
			break;
		case STATUS:
			st->status = st->opts.arg;
			break;
		}
	}
	st->balance.on = st->opts.verbose;
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "us", .what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;

	opts_init(&st.opts, &usage, argc, argv);
	read_options(&st);
	if (st.status && !status_read(&st.lists, st.status))
		die("%s: %s", st.status, st.lists.error);
	kev_writer_init(&st.out, &st.opts);
	/* A report has no head, and reports damage in its own words. */
	st.opts.no_head = true;

	kev_open(&st.in, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			meta(&st);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	hotspots_free(&st.hotspots);
	status_free(&st.lists);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
