#include "perfdb/ledger.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

/* Both texts are owned. */
struct ledger_skipped {
	struct str csv;
	struct str why;
};

const char *const ledger_actions[LEDGER_ACTIONS] = {
	[LEDGER_FILE] = "file",           [LEDGER_UPDATED] = "updated",
	[LEDGER_ADDED] = "added",         [LEDGER_UNCHANGED] = "unchanged",
	[LEDGER_MISSING] = "missing",     [LEDGER_DELETED] = "deleted",
	[LEDGER_DUPLICATE] = "duplicate", [LEDGER_GAP] = "gap",
	[LEDGER_UNMATCHED] = "unmatched",
};

static bool fail(struct ledger *ledger)
{
	snprintf(ledger->error, sizeof ledger->error, "%s", ledger->table.error);
	return false;
}

bool ledger_open(struct ledger *ledger)
{
	*ledger = (struct ledger){0};
	return spool_open(&ledger->table) || fail(ledger);
}

void ledger_begin(struct ledger *ledger, struct str op, struct str csv)
{
	ledger->op = op;
	ledger->csv = csv;
	ledger->facts.len = 0;
}

/* The columns up to count. */
static void begin_line(const struct ledger *ledger, struct buf *out, enum ledger_action action,
                       struct str signature, uint64_t count)
{
	buf_text(out, ledger_actions[action]);
	buf_char(out, '\t');
	tsv_escape(out, ledger->op);
	buf_char(out, '\t');
	tsv_escape(out, ledger->csv);
	buf_char(out, '\t');
	tsv_escape(out, signature);
	buf_format(out, "\t%llu\t", (unsigned long long)count);
}

static void put_number(struct buf *out, struct str cell)
{
	struct dec number;

	if (dec_parse(str_trim(cell), &number) <= DEC_ROUNDED)
		dec_print(out, number);
}

void ledger_fact(struct ledger *ledger, enum ledger_action action, struct str signature,
                 uint64_t count, struct str now, struct str before)
{
	struct buf *out = &ledger->facts;

	begin_line(ledger, out, action, signature, count);
	put_number(out, now);
	buf_text(out, "\t\t\t\t");
	put_number(out, before);
	buf_char(out, '\n');
}

void ledger_gap(struct ledger *ledger, struct str signature, struct dec microbench,
                struct dec profiling)
{
	struct buf *out = &ledger->facts;
	struct dec diff = microbench;

	dec_subtract(&diff, profiling); /* it cannot wrap: both are above 0 */
	if (diff.nano < 0)
		diff.nano = -diff.nano;
	begin_line(ledger, out, LEDGER_GAP, signature, 1);
	dec_print(out, microbench);
	buf_char(out, '\t');
	dec_print(out, profiling);
	buf_char(out, '\t');
	dec_print(out, diff);
	buf_char(out, '\t');
	dec_quotient(out, microbench, profiling, 0);
	buf_text(out, "\t\n");
}

bool ledger_keep(struct ledger *ledger)
{
	bool kept = !ledger->facts.len || spool_put(&ledger->table, "", 0, buf_view(&ledger->facts));

	ledger->facts.len = 0;
	return kept || fail(ledger);
}

bool ledger_keep_file(struct ledger *ledger, uint64_t rows)
{
	struct buf line = {0};
	bool kept;

	begin_line(ledger, &line, LEDGER_FILE, STR(""), rows);
	buf_text(&line, "\t\t\t\t\n");
	kept = spool_put(&ledger->table, "", 0, buf_view(&line));
	buf_free(&line);
	return kept ? ledger_keep(ledger) : fail(ledger);
}

static struct str copy(struct str text)
{
	return (struct str){mem_string(text.s, text.n), text.n};
}

void ledger_skip(struct ledger *ledger, struct str csv, struct str why)
{
	ledger->skipped = mem_grow(ledger->skipped, &ledger->skipped_cap, ledger->skipped_count + 1,
	                           sizeof *ledger->skipped);
	ledger->skipped[ledger->skipped_count++] = (struct ledger_skipped){copy(csv), copy(why)};
}

void ledger_put_columns(struct kev_writer *out)
{
	static const char *const names[] = {"action", "operator",      "csv",          "signature",
	                                    "count",  "microbench_us", "profiling_us", "diff_us",
	                                    "ratio",  "old_us"};
	struct str texts[sizeof names / sizeof *names];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		texts[i] = str_of(names[i]);
	kev_columns(out, texts, sizeof names / sizeof *names);
}

bool ledger_put(struct ledger *ledger, struct kev_writer *out)
{
	struct str lines;
	char no_head[1];
	int got = -1;

	for (size_t i = 0; i < ledger->skipped_count; i++)
		kev_meta(out, "damaged", (struct str[]){ledger->skipped[i].csv, ledger->skipped[i].why}, 2);
	if (spool_rewind(&ledger->table)) {
		while ((got = spool_next(&ledger->table, no_head, 0, &lines)) > 0) {
			/* Many rows at once: kev_row_end writes the newline of the last one. */
			kev_field_raw(out, (struct str){lines.s, lines.n - 1});
			kev_row_end(out);
		}
	}
	return got == 0 || fail(ledger);
}

void ledger_close(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->skipped_count; i++) {
		free((char *)ledger->skipped[i].csv.s);
		free((char *)ledger->skipped[i].why.s);
	}
	free(ledger->skipped);
	spool_close(&ledger->table);
	buf_free(&ledger->facts);
}
