/*
 * dbreport - what dbmerge did, for people: a report, and the cases whose microbench and
 * profile are far apart.
 *
 *	#action	operator	csv	signature	count	microbench_us	profiling_us	diff_us	ratio
 *	file	Cast	Cast.csv		3
 *	updated	Cast	Cast.csv	"8,16" -> "8,16"	1
 * gives a Markdown report with a line for Cast: updated 1, added 0, deleted 0.
 *
 * Memory grows with the files and the cases far apart.
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
#include "base/strmap.h"
#include "io/folder.h"
#include "io/replace.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "syntax/csv.h"
#include "json/json.h"

enum action {
	FILE_SEEN,
	UPDATED,
	ADDED,
	UNCHANGED,
	MISSING,
	DELETED,
	DUPLICATE,
	GAP,
	UNMATCHED,
	ACTIONS
};

static const char *const actions[ACTIONS] = {
	"file", "updated", "added", "unchanged", "missing", "deleted", "duplicate", "gap", "unmatched"};

/* Why a row is not in the report. */
enum reason { NEAR, NO_CASE, REASONS };

static const char *const reasons[REASONS] = {"gaps within the bounds", "unmatched rows of MatMul"};

enum {
	EXAMPLES = 3,  /* that a table shows */
	HOTSPOTS = 20, /* that the report shows; the CSV has all */
	BAR = 12,      /* the widest bar of a ratio, quarters of an octave */
};

/* A file that was looked at. */
struct file {
	struct str op;
	struct str csv;
	uint64_t count[ACTIONS];
	struct buf examples[ACTIONS];
};

/* A case whose ratio is out of bounds. */
struct hotspot {
	struct str op;
	struct str csv;
	struct str signature;
	struct dec microbench;
	struct dec profiling;
	struct dec diff;
	size_t number; /* in the order they came */
};

/* An operator that failed, by --status. */
struct failure {
	struct str op;
	struct str reason;
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	bool text;          /* -r */
	const char *folder; /* -o */
	const char *status; /* --status */
	struct failure *failures;
	size_t failures_count;
	size_t failures_cap;
	size_t succeeded;
	size_t skipped;
	int action;
	int op;
	int csv;
	int signature;
	int count;
	int microbench;
	int profiling;
	int diff;
	struct strmap names; /* of the files */
	struct file *files;
	size_t files_cap;
	struct hotspot *hotspots;
	size_t hotspots_count;
	size_t hotspots_cap;
	struct buf damages; /* a line each */
	bool dry;           /* a table says what would be done */
	struct buf cell[3];
};

enum { STATUS = OPT_LONG };

static const struct opt opts[] = {
	{'r', "report", NULL, "a report for a terminal, with bars, instead of Markdown"},
	{'o', "output", "DIR", "write the Markdown report and the CSV of all hotspots to DIR"},
	{STATUS, "status", "FILE", "also what JSON says of operators that were run"},
};

static const struct opt_usage usage = {"[-r] [-o DIR] [--status=FILE] [FILE...]",
                                       "A report of what dbmerge did.", opts,
                                       sizeof opts / sizeof *opts};

/* --- reading ------------------------------------------------------------- */

static bool columns(struct state *st)
{
	struct kev_reader *in = &st->in;

	return kev_need(in, STR("action"), &st->action) && kev_need(in, STR("operator"), &st->op) &&
	       kev_need(in, STR("csv"), &st->csv) && kev_need(in, STR("signature"), &st->signature) &&
	       kev_need(in, STR("count"), &st->count) &&
	       kev_need(in, STR("microbench_us"), &st->microbench) &&
	       kev_need(in, STR("profiling_us"), &st->profiling) &&
	       kev_need(in, STR("diff_us"), &st->diff);
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

/* Far apart is a ratio below 0.8 or above 1.2. */
static bool is_far(struct dec microbench, struct dec profiling)
{
	return dec_compare_quotients(microbench, profiling, dec_of(4), dec_of(5)) < 0 ||
	       dec_compare_quotients(microbench, profiling, dec_of(6), dec_of(5)) > 0;
}

/* False on an error, said in st->in.error. */
static bool gap(struct state *st, const struct file *file, struct str signature)
{
	struct kev_reader *in = &st->in;
	struct hotspot new = {file->op, file->csv, {NULL, 0}, {0}, {0}, {0}, st->hotspots_count};

	if (!kev_number(in, st->microbench, &new.microbench) ||
	    !kev_number(in, st->profiling, &new.profiling) || !kev_number(in, st->diff, &new.diff) ||
	    new.microbench.nano <= 0 || new.profiling.nano <= 0) {
		if (!in->error[0])
			kev_error(in, "a gap without its durations");
		return false;
	}
	if (!is_far(new.microbench, new.profiling)) {
		balance_drop(&st->balance, NEAR, in->field[st->microbench]);
		return true;
	}
	balance_out(&st->balance, in->field[st->microbench]);
	new.signature = keep(signature);
	st->hotspots =
		mem_grow(st->hotspots, &st->hotspots_cap, st->hotspots_count + 1, sizeof *st->hotspots);
	st->hotspots[st->hotspots_count++] = new;
	return true;
}

static void add_example(struct file *file, enum action action, struct str signature,
                        struct str count)
{
	struct buf *examples = &file->examples[action];

	if (file->count[action]++ >= EXAMPLES)
		return;
	buf_text(examples, examples->len ? "; " : "");
	buf_str(examples, signature);
	if (action == DUPLICATE)
		buf_format(examples, " (x%.*s)", (int)count.n, count.s);
}

/* False on an error, said in st->in.error. */
static bool row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str text = in->field[st->action];
	struct str op = kev_text(in, st->op, &st->cell[0]);
	struct str csv = kev_text(in, st->csv, &st->cell[1]);
	struct str signature = kev_text(in, st->signature, &st->cell[2]);
	struct file *file;
	char quoted[QUOTE_MAX];
	int i = 0;

	while (i < ACTIONS && !str_equal(text, str_of(actions[i])))
		i++;
	if (i == ACTIONS)
		return kev_error(in, "action: %s is none of dbmerge's", quote(quoted, text.s, text.n));
	balance_in(&st->balance, i == GAP ? in->field[st->microbench] : STR(""));
	if (i == UNMATCHED) { /* of no file */
		balance_drop(&st->balance, NO_CASE, STR(""));
		return true;
	}
	file = find_file(st, op, csv);
	add_example(file, (enum action)i, signature, in->field[st->count]);
	if (i == GAP)
		return gap(st, file, signature);
	balance_out(&st->balance, STR(""));
	return true;
}

static void note_meta(struct state *st)
{
	st->dry |= str_equal(st->in.key, STR("dry-run"));
	if (!str_equal(st->in.key, STR("damaged")))
		return;
	tsv_unescape(&st->damages, buf_view(&st->in.damage_file));
	buf_text(&st->damages, ": ");
	tsv_unescape(&st->damages, buf_view(&st->in.damage_what));
	buf_char(&st->damages, '\n');
	kev_note_damage(&st->out, &st->in);
	if (st->opts.strict)
		kev_die(&st->out, st->in.file, 0, "the input is damaged: there is no report");
}

/* --- what --status says -------------------------------------------------- */

/* A value in the status, at list/number/name; name may be NULL. Kept, without control bytes. */
static struct json_value status_item(struct str json, const char *list, size_t number,
                                     const char *name)
{
	char digits[32];
	const char *path[] = {list, digits, name};
	struct buf scratch = {0};
	struct json_value found;
	char *text;

	snprintf(digits, sizeof digits, "%zu", number);
	found = json_find(json, path, name ? 3 : 2, &scratch);
	text = mem_string(found.text.s, found.text.n);
	for (size_t i = 0; i < found.text.n; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = ' ';
	found.text.s = text;
	buf_free(&scratch);
	return found;
}

static size_t status_count(struct str json, const char *list)
{
	size_t count = 0;

	while (status_item(json, list, count, NULL).type != JSON_NONE)
		count++;
	return count;
}

/* An object of op and reason, or a name alone. */
static void add_failure(struct state *st, struct str json, size_t number)
{
	struct json_value item = status_item(json, "failed", number, NULL);
	struct json_value op = status_item(json, "failed", number, "op");
	struct json_value reason = status_item(json, "failed", number, "reason");
	struct failure *failure;

	st->failures =
		mem_grow(st->failures, &st->failures_cap, st->failures_count + 1, sizeof *st->failures);
	failure = &st->failures[st->failures_count++];
	*failure = (struct failure){STR("(no name)"), reason.text};
	if (op.type == JSON_STRING)
		failure->op = op.text;
	else if (item.type == JSON_STRING)
		failure->op = item.text;
}

static void read_status(struct state *st)
{
	struct input in;
	struct buf text = {0};
	struct buf scratch = {0};
	struct json_value whole;
	ssize_t got = -1;
	size_t failed;

	if (!st->status)
		return;
	if (!input_open(&in, st->status))
		die("%s: %s", st->status, in.error);
	do {
		got = input_read(&in, buf_reserve(&text, 1 << 16), 1 << 16);
		text.len += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	if (got < 0)
		die("%s: %s", st->status, in.error);
	input_close(&in);
	whole = json_find(buf_view(&text), NULL, 0, &scratch);
	if (whole.type != JSON_NESTED || whole.text.s[0] != '{')
		die("%s: this is no JSON object", st->status);
	st->succeeded = status_count(buf_view(&text), "success");
	st->skipped = status_count(buf_view(&text), "skipped");
	failed = status_count(buf_view(&text), "failed");
	for (size_t i = 0; i < failed; i++)
		add_failure(st, buf_view(&text), i);
	buf_free(&text);
	buf_free(&scratch);
}

/* --- orders -------------------------------------------------------------- */

static int compare_counts(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The most added first, then the most updated, then by name. */
static int compare_updates(const void *a, const void *b)
{
	const struct file *x = a;
	const struct file *y = b;
	int order = compare_counts(x->count[ADDED], y->count[ADDED]);

	if (!order)
		order = compare_counts(x->count[UPDATED], y->count[UPDATED]);
	return order ? order : str_compare(x->csv, y->csv);
}

static int compare_files(const struct file *x, const struct file *y, enum action action)
{
	int order = compare_counts(x->count[action], y->count[action]);

	return order ? order : str_compare(x->csv, y->csv);
}

static int compare_missing(const void *a, const void *b)
{
	return compare_files(a, b, MISSING);
}

static int compare_deleted(const void *a, const void *b)
{
	return compare_files(a, b, DELETED);
}

static int compare_duplicates(const void *a, const void *b)
{
	return compare_files(a, b, DUPLICATE);
}

/* Once all is read, their numbers do not matter any more. */
static void sort_files(struct state *st, int (*compare)(const void *, const void *))
{
	if (st->names.count)
		qsort(st->files, st->names.count, sizeof *st->files, compare);
}

/* The larger of its durations, and the smaller. */
static void sort_durations(const struct hotspot *h, struct dec *large, struct dec *small)
{
	bool above = dec_compare(h->microbench, h->profiling) > 0;

	*large = above ? h->microbench : h->profiling;
	*small = above ? h->profiling : h->microbench;
}

/* By the factor between the durations, the difference, the operator: each descending. */
static int compare_hotspots(const void *a, const void *b)
{
	const struct hotspot *x = a;
	const struct hotspot *y = b;
	struct dec large[2];
	struct dec small[2];
	int order;

	sort_durations(x, &large[0], &small[0]);
	sort_durations(y, &large[1], &small[1]);
	order = dec_compare_quotients(large[1], small[1], large[0], small[0]);
	if (!order)
		order = dec_compare(y->diff, x->diff);
	if (!order)
		order = str_compare(y->op, x->op);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* --- the report ---------------------------------------------------------- */

static void put_title(struct state *st, struct output *out, const char *title)
{
	output_format(out, st->text ? "\n%s\n" : "\n## %s\n", title);
}

static void put_table(struct state *st, struct output *out, struct table *table)
{
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

static void put_damages(struct state *st, struct output *out)
{
	struct str rest = buf_view(&st->damages);

	if (rest.n == 0)
		return;
	output_text(out, st->text ? "\nThe input is damaged, and the figures with it:\n"
	                          : "\n**The input is damaged, and the figures with it:**\n\n");
	while (rest.n) {
		size_t n = (size_t)((char *)memchr(rest.s, '\n', rest.n) - rest.s) + 1;

		output_text(out, st->text ? "  " : "- ");
		output_str(out, (struct str){rest.s, n});
		rest = (struct str){rest.s + n, rest.n - n};
	}
}

static void put_status(struct state *st, struct output *out)
{
	if (!st->status)
		return;
	put_title(st, out, "Operator Execution Status");
	output_format(out, "- Success: %zu\n- Failed: %zu\n- Skipped: %zu\n", st->succeeded,
	              st->failures_count, st->skipped);
	for (size_t i = 0; i < st->failures_count; i++) {
		output_text(out, " - FAILED: ");
		output_str(out, st->failures[i].op);
		output_text(out, ": ");
		output_str(out, st->failures[i].reason);
		output_char(out, '\n');
	}
}

static void put_failures(struct state *st, struct output *out)
{
	static const struct table_column heads[] = {{"Operator", false}, {"Reason", false}};
	struct table table = {.columns = heads, .count = 2};

	for (size_t i = 0; i < st->failures_count; i++) {
		table_cell(&table, st->failures[i].op);
		table_cell(&table, st->failures[i].reason);
	}
	if (table.cells == 0)
		return;
	put_title(st, out, "Failures");
	if (!st->text)
		output_text(out, "> [!WARNING]\n> Operators that failed.\n\n");
	put_table(st, out, &table);
}

/* --- its sections -------------------------------------------------------- */

static void put_overview(struct state *st, struct output *out)
{
	static const struct table_column heads[] = {{"Metric", false}, {"Value", false}};
	static const struct {
		const char *title;
		enum action action;
	} rows[] = {
		{"Rows updated", UPDATED},           {"Rows added", ADDED},
		{"Rows deleted", DELETED},           {"Rows unchanged", UNCHANGED},
		{"Duplicate signatures", DUPLICATE}, {"Missing shapes", MISSING},
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
	count_cell(&table, st->hotspots_count);
	table_cell(&table, STR("Gap threshold"));
	table_cell(&table, STR("microbench/profiling not in [0.80x, 1.20x]"));
	put_table(st, out, &table);
}

static void put_updates(struct state *st, struct output *out)
{
	static const struct table_column heads[] = {{"Operator", false}, {"Updated", true},
	                                            {"Added", true},     {"Deleted", true},
	                                            {"Unchanged", true}, {"Missing Samples", false}};
	static const enum action counts[] = {UPDATED, ADDED, DELETED, UNCHANGED};
	struct table table = {.columns = heads, .count = 6};

	put_title(st, out, "Update Summary");
	sort_files(st, compare_updates);
	for (size_t i = 0; i < st->names.count; i++) {
		const struct buf *examples = &st->files[i].examples[MISSING];

		table_cell(&table, st->files[i].op);
		for (size_t j = 0; j < sizeof counts / sizeof *counts; j++)
			count_cell(&table, st->files[i].count[counts[j]]);
		table_cell(&table, examples->len ? buf_view(examples) : STR("-"));
	}
	put_table(st, out, &table);
}

/* The files that have some of an action, with examples. */
static void put_action(struct state *st, struct output *out, const char *title, enum action action,
                       int (*compare)(const void *, const void *))
{
	static const struct table_column heads[] = {
		{"Operator", false}, {"Count", true}, {"Examples", false}};
	struct table table = {.columns = heads, .count = 3};

	put_title(st, out, title);
	sort_files(st, compare);
	for (size_t i = 0; i < st->names.count && st->files[i].count[action]; i++) {
		table_cell(&table, st->files[i].op);
		count_cell(&table, st->files[i].count[action]);
		table_cell(&table, buf_view(&st->files[i].examples[action]));
	}
	put_table(st, out, &table);
}

static void put_us(struct buf *out, struct dec us)
{
	dec_print_fixed(out, us, 6, false);
}

/*
 * A bar to the left where the microbench is shorter, to the right where it is longer: four
 * steps double it, and an arrow says that it goes on.
 */
static void put_bar(struct buf *out, const struct hotspot *h)
{
	static const int64_t steps[] = {1000000, 1189207, 1414214, 1681793};
	struct buf text = {0};
	struct dec large;
	struct dec small;
	struct dec factor = {0};
	bool longer = dec_compare(h->microbench, h->profiling) > 0;
	int length = 0;

	sort_durations(h, &large, &small);
	dec_quotient_fixed(&text, large, small, 6, 0);
	dec_parse(buf_view(&text), &factor);
	buf_free(&text);
	while (length <= BAR &&
	       dec_compare(factor, dec_of(steps[(length + 1) % 4] << (length + 1) / 4)) >= 0)
		length++;
	for (int i = -BAR; i <= BAR; i++) {
		int at = longer ? i : -i;

		buf_char(out, i == 0                      ? '|'
		              : at < 1 || at > length     ? ' '
		              : at == BAR && length > BAR ? (longer ? '>' : '<')
		                                          : '#');
	}
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
	for (size_t i = 0; i < st->hotspots_count && i < HOTSPOTS; i++) {
		const struct hotspot *h = &st->hotspots[i];
		const struct dec durations[] = {h->microbench, h->profiling, h->diff};

		table_cell(&table, h->op);
		for (size_t j = 0; j < 3; j++) {
			text.len = 0;
			put_us(&text, durations[j]);
			table_cell(&table, buf_view(&text));
		}
		text.len = 0;
		dec_quotient_fixed(&text, h->microbench, h->profiling, 0, 2);
		buf_char(&text, 'x');
		table_cell(&table, buf_view(&text));
		text.len = 0;
		put_bar(&text, h);
		if (st->text)
			table_cell(&table, buf_view(&text));
		table_cell(&table, h->signature);
	}
	put_table(st, out, &table);
	if (st->text && st->hotspots_count > HOTSPOTS)
		output_format(out, "and %zu more\n", st->hotspots_count - HOTSPOTS);
	buf_free(&text);
}

static void put_report(struct state *st, struct output *out)
{
	output_text(out, st->text ? "Profile Update Report\n" : "# Profile Update Report\n");
	if (st->dry)
		output_text(out, st->text ? "\nOf a dry run, which writes nothing.\n"
		                          : "\n**Of a dry run, which writes nothing.**\n");
	put_damages(st, out);
	put_status(st, out);
	put_overview(st, out);
	put_updates(st, out);
	put_action(st, out, "Missing Shapes", MISSING, compare_missing);
	put_action(st, out, "Deleted Empty Rows", DELETED, compare_deleted);
	put_action(st, out, "Duplicate Signatures", DUPLICATE, compare_duplicates);
	put_hotspots(st, out);
	put_failures(st, out);
}

/* --- -o ------------------------------------------------------------------ */

static void put_hotspot_csv(struct state *st, struct buf *out)
{
	buf_text(out,
	         "Operator,CSV Name,MicroBench(us),Profiling(us),Abs Diff(us),MB/Profile,Shape\r\n");
	for (size_t i = 0; i < st->hotspots_count; i++) {
		const struct hotspot *h = &st->hotspots[i];

		csv_quote(out, h->op, false);
		buf_char(out, ',');
		csv_quote(out, h->csv, false);
		buf_char(out, ',');
		put_us(out, h->microbench);
		buf_char(out, ',');
		put_us(out, h->profiling);
		buf_char(out, ',');
		put_us(out, h->diff);
		buf_char(out, ',');
		dec_quotient_fixed(out, h->microbench, h->profiling, 0, 6);
		buf_char(out, ',');
		csv_quote(out, h->signature, false);
		buf_text(out, "\r\n");
	}
}

/* Adds its path to paths. False where that failed, and was said. */
static bool write_file(struct state *st, int folder, const char *name, struct str text,
                       struct buf *paths)
{
	struct replace to;
	struct buf path = {0};
	bool good;

	buf_format(&path, "%s/%s%c", st->folder, name, '\0');
	replace_begin(&to, folder, name);
	replace_write(&to, text);
	good = replace_commit(&to);
	if (good)
		buf_format(paths, "%s\n", path.data);
	else
		kev_broken(&st->out, path.data, 0, to.error);
	buf_free(&path);
	return good;
}

/* The two files' names: of this second, or of the next whose names are free. */
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

/* What fails is said; the report on standard output, if any, is written all the same. */
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
	put_hotspot_csv(st, &csv);
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

	if (st->hotspots_count)
		qsort(st->hotspots, st->hotspots_count, sizeof *st->hotspots, compare_hotspots);
	/* First what a reader that leaves must not stop. */
	if (st->folder)
		write_files(st, &paths);
	if (st->text || !st->folder)
		put_report(st, &st->out.out);
	output_str(&st->out.out, buf_view(&paths));
	buf_free(&paths);
	balance_print(&st->balance);
}

int main(int argc, char **argv)
{
	struct state st = {
		.balance = {.unit = "us", .what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		switch (letter) {
		case 'r':
			st.text = true;
			break;
		case 'o':
			st.folder = st.opts.arg;
			break;
		case STATUS:
			st.status = st.opts.arg;
			break;
		}
	}
	st.balance.on = st.opts.verbose;
	read_status(&st);
	kev_writer_init(&st.out, &st.opts);
	/* A report has no head; what is damaged it says in its own words. */
	st.opts.no_head = true;

	kev_open(&st.in, st.opts.operands, st.opts.operands_count);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			note_meta(&st);
		else if (item == KEV_COLUMNS ? !columns(&st) : !row(&st))
			kev_fail(&st.out, &st.in);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
