/*
 * kcheck - what a trace holds, and whether its times can be.
 *
 *	#ts	dur	name	cat	pid	tid	correlation
 *	0	5	cudaLaunchKernel	cuda_runtime	9	9	1
 *	10	60	gemm	kernel	0	7	1
 *	20	5	add	kernel	0	7	2
 * gives, after lines of what the trace holds
 *	#check	severity	pid	tid	events	time	worst	ts	name
 *	overlap	error	0	7	1	50	50	10	gemm
 *	unlinked	note	0	7	1	5	5	20	add
 *
 * Memory: 64 bytes for each row of a device, 32 more while they are sorted, some 120 for each
 * correlation, and the distinct names. --clip holds the same for one file at a time; it rereads a
 * file, the rows of a pipe wait in a temporary file.
 */
#include <stdlib.h>

#include "answer/damage.h"
#include "base/mem.h"
#include "stream/balance.h"
#include "stream/hint.h"

#include "checks.h"
#include "contents.h"

enum reason { HOST, NO_TIME, REASONS };

static const char *const reasons[REASONS] = {
	[HOST] = "of the host or an annotation",
	[NO_TIME] = "without ts or dur",
};

BALANCE_FITS(reasons);

struct state {
	struct opts opts;
	bool clip;
	bool contents;        /* --contents */
	struct words allowed; /* --allow */
	enum form form;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	struct evidence evidence;
	struct buf damages;
	struct buf text;
	/* --clip */
	struct clips clips;
	uint64_t row;   /* number of the next row */
	size_t next;    /* number of the next cut */
	int clipped;    /* the column */
	uint64_t count; /* cuts in all files */
	struct dec cut; /* time of these cuts */
};

enum { CLIP = OPT_LONG, ALLOW, CONTENTS };

static const struct opt opts[] = {
	{CONTENTS, "contents", NULL, "print what a trace holds as a table, without checks"},
	{CLIP, "clip", NULL, "write the stream, durations cut if they are an error of overlap"},
	{ALLOW, "allow", "CHECK,...", "errors of these checks do not lead to status 3"},
	OPT_FORMS,
};

static const struct opt_usage usage = {
	"[--allow=CHECK,...] [-r | -j | -M] [FILE...]\n"
	"       kcheck --contents [-r | -j | -M] [FILE...]\n       kcheck --clip [FILE...]",
	"Print what a trace holds, and whether its times can be.", opts, sizeof opts / sizeof *opts};

/* --- looking ----------------------------------------------------------------- */

static void columns(struct state *st)
{
	evidence_columns(&st->evidence, &st->in);
}

/* The clocks of tiles differ, and the limits are times. */
static void check_unit(struct state *st)
{
	if (strcmp(kev_unit(&st->in), "cycles") == 0)
		kev_misuse(&st->in, "the times are cycles; kcheck needs microseconds");
}

static void row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str dur = in->field[st->evidence.dur];
	enum evidence_kind kind;

	check_unit(st);
	if (in->error[0])
		return;
	balance_in(&st->balance, dur);
	kind = evidence_add(&st->evidence, in);
	if (kind == EVIDENCE_UNTIMED && st->opts.strict)
		kev_error(in, "a row of a device without ts or dur");
	if (st->clip || kind == EVIDENCE_HELD)
		balance_out(&st->balance, dur);
	else
		balance_drop(&st->balance, kind == EVIDENCE_HOST ? HOST : NO_TIME, dur);
}

static void metadata(struct state *st)
{
	struct kev_reader *in = &st->in;

	evidence_metadata(&st->evidence, in);
	if (st->clip)
		return;
	if (st->form == FORM_TSV) {
		if (!str_equal(in->key, STR("thread")) && !str_equal(in->key, STR("contents")))
			kev_pass_meta(&st->out, in);
	} else if (str_equal(in->key, STR("damaged"))) {
		damage_note(&st->damages, NULL, in);
		kev_note_damage(&st->out, in);
	}
}

static void look(struct state *st)
{
	enum kev_item item;

	while ((item = kev_next(&st->in)) > KEV_END) {
		if (st->clip)
			kev_keep(&st->in, item);
		if (item == KEV_META)
			metadata(st);
		else if (item == KEV_COLUMNS)
			columns(st);
		else
			row(st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, &st->in);
	st->balance.unit = "us";
}

/* --- findings ---------------------------------------------------------------- */

static void write_answer(struct state *st, const struct findings *findings)
{
	struct jsonw json = {.out = &st->out.out.buf};
	struct contents contents = {0};

	contents_gather(&contents, &st->evidence);
	if (st->form == FORM_JSON) {
		jsonw_object(&json, NULL);
		jsonw_text(&json, "unit", str_of(kev_unit(&st->in)));
	}
	if (st->contents && st->form == FORM_TSV)
		contents_write_rows(&contents, &st->out);
	else
		contents_write(&contents, &st->out, st->form, &json);
	if (!st->contents)
		findings_write(findings, &st->evidence, &st->out, st->form, &json);
	damage_end_answer(&st->damages, st->form, &st->out.out, &json);
	contents_free(&contents);
}

static void end_with(struct state *st, enum status status)
{
	st->out.status = status_worse(st->out.status, status);
}

static void warn_of_links(const struct state *st, const char *consequence)
{
	struct str file;

	if (evidence_uncorrelated(&st->evidence, &file))
		warn("no row of a device%s%.*s has a correlation, so %s%s", file.n ? " in " : "",
		     (int)file.n, file.s, consequence, hint_rows(&st->in));
}

static void print_warnings(struct state *st)
{
	uint64_t untimed = st->balance.dropped[NO_TIME].rows;
	uint64_t shared = evidence_shared(&st->evidence);
	struct str file;

	if (shared)
		warn("correlations that launches of several processes have: %llu; before-launch, unlinked, "
		     "graph and steps are not checked for these",
		     (unsigned long long)shared);
	warn_of_links(st, "overlap, before-launch, unlinked, graph and steps are not checked");
	if (evidence_uncalled(&st->evidence, &file))
		warn("no row of the host%s%.*s has a correlation, so before-launch, unlinked, graph and "
		     "steps are not checked%s",
		     file.n ? " in " : "", (int)file.n, file.s, hint_rows(&st->in));
	if (untimed)
		warn("rows without ts or dur, not checked: %llu", (unsigned long long)untimed);
	if (st->evidence.rows == 0) {
		warn("the input has no rows of a device with ts and dur, so there is nothing to check");
		end_with(st, STATUS_LIMIT);
	}
	if (devices_untimed(&st->evidence.devices, &file)) {
		warn("all rows of a device%s%.*s begin at the same time, so its times cannot be checked",
		     file.n ? " in " : "", (int)file.n, file.s);
		end_with(st, STATUS_LIMIT);
	}
}

/* The status is 3 if a check found an error and is not allowed to. */
static void judge(struct state *st, const struct findings *findings)
{
	uint64_t errors = 0;

	st->text.len = 0;
	for (size_t check = 0; check < CHECKS; check++) {
		uint64_t found = findings->by[check][SEVERITY_ERROR];

		if (found == 0 || words_have(&st->allowed, str_of(check_names[check])))
			continue;
		buf_format(&st->text, "%s%s %llu", errors ? ", " : "", check_names[check],
		           (unsigned long long)found);
		errors += found;
	}
	if (errors == 0)
		return;
	warn("times that cannot be (--allow=CHECK accepts them): %.*s", (int)st->text.len,
	     st->text.data);
	end_with(st, STATUS_LIMIT);
}

static void begin(struct state *st)
{
	struct words keys = {0};

	devices_keys(&st->evidence.devices, &keys);
	st->evidence.classes = !st->clip;
}

static void examine(struct state *st)
{
	struct findings findings = {.count = 0};

	begin(st);
	kev_open(&st->in, &st->opts);
	st->in.by_source = true;
	st->in.one_unit = true;
	look(st);
	evidence_finish(&st->evidence);
	if (!st->contents) {
		checks_run(&st->evidence, &findings);
		devices_sort(&st->evidence.devices);
		print_warnings(st);
	} else if (st->balance.dropped[NO_TIME].rows) {
		warn("rows of a device without ts or dur, not counted: %llu",
		     (unsigned long long)st->balance.dropped[NO_TIME].rows);
	}
	write_answer(st, &findings);
	judge(st, &findings);
	findings_free(&findings);
	evidence_free(&st->evidence);
	kev_close(&st->in);
}

/* --- --clip ------------------------------------------------------------------ */

static void clip_columns(struct state *st)
{
	st->clipped = kev_column(&st->in, STR("clipped"));
	evidence_columns(&st->evidence, &st->in);
	kev_layout(&st->in, &st->text);
	if (st->clipped == KEV_NONE)
		buf_text(&st->text, "\tclipped");
	kev_columns_of(&st->out, buf_view(&st->text));
}

/* What was cut before, if there is such a column, and what is cut now; nothing if it is 0. */
static void put_clipped(struct state *st, struct dec cut)
{
	struct dec before;

	if (st->clipped != KEV_NONE) {
		if (cut.nano == 0) {
			kev_field_raw(&st->out, st->in.field[st->clipped]);
			return;
		}
		if (kev_number(&st->in, st->clipped, &before) && !dec_add(&cut, before))
			kev_error(&st->in, "the times are too large to add");
	}
	if (cut.nano)
		kev_field_dec(&st->out, cut);
	else
		kev_field(&st->out, STR(""));
}

static void clip_row(struct state *st)
{
	struct kev_reader *in = &st->in;
	bool is_cut = st->next < st->clips.count && st->clips.item[st->next].number == st->row;
	struct dec dur = {0};
	struct dec cut = {0};

	st->row++;
	if (is_cut && kev_number(in, st->evidence.dur, &cut)) {
		dur = st->clips.item[st->next++].dur;
		cut.nano -= dur.nano;
		st->count++;
		st->cut.nano += cut.nano;
	}
	for (size_t i = 0; i < in->columns_count; i++) {
		if ((int)i == st->clipped)
			put_clipped(st, cut);
		else if (is_cut && (int)i == st->evidence.dur)
			kev_field_dec(&st->out, dur);
		else
			kev_field_raw(&st->out, in->field[i]);
	}
	if (st->clipped == KEV_NONE)
		put_clipped(st, cut);
	kev_row_end(&st->out);
}

static void write_clipped(struct state *st)
{
	enum kev_item item;

	st->row = 0;
	st->next = 0;
	kev_again(&st->in);
	while ((item = kev_next(&st->in)) > KEV_END) {
		if (item == KEV_META)
			kev_pass_meta(&st->out, &st->in);
		else if (item == KEV_COLUMNS)
			clip_columns(st);
		else
			clip_row(st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, &st->in);
}

static void clip_file(struct state *st, int operand)
{
	begin(st);
	kev_open_next(&st->in, &st->opts, operand);
	st->in.by_source = true;
	st->clips.count = 0;
	look(st);
	warn_of_links(st, "no duration is cut");
	evidence_finish(&st->evidence);
	checks_clip(&st->evidence, &st->clips);
	write_clipped(st);
	kev_close(&st->in);
	evidence_free(&st->evidence);
}

static void clip(struct state *st)
{
	for (int i = 0; i < st->opts.operands_count; i++)
		clip_file(st, i);
	if (st->count) {
		st->text.len = 0;
		dec_print(&st->text, st->cut);
		warn("durations cut at the next start on their stream: %llu, by %.*s us",
		     (unsigned long long)st->count, (int)st->text.len, st->text.data);
	}
	free(st->clips.item);
}

/* --- options ----------------------------------------------------------------- */

static bool is_check(struct str word)
{
	for (size_t i = 0; i < CHECKS; i++)
		if (str_equal(word, str_of(check_names[i])))
			return true;
	return false;
}

static void read_options(struct state *st, int argc, char **argv)
{
	int letter;

	opts_init(&st->opts, &usage, argc, argv);
	while ((letter = opts_next(&st->opts)) >= 0) {
		if (letter == CLIP)
			st->clip = true;
		else if (letter == CONTENTS)
			st->contents = true;
		else if (letter == ALLOW)
			opts_set(&st->opts, &st->allowed);
		else
			opts_form(letter, &st->form);
	}
	for (size_t i = 0; i < st->allowed.count; i++)
		if (!is_check(st->allowed.item[i]))
			opts_fail("--allow: there is no check '%s'", st->allowed.item[i].s);
	if (st->contents && (st->clip || st->allowed.count))
		opts_fail("--contents is a table without checks; leave out --allow and --clip");
	if (st->clip && (st->form != FORM_TSV || st->allowed.count))
		opts_fail("--clip writes the stream, without findings; leave out --allow, -r, -j and -M");
	st->opts.no_head |= st->form != FORM_TSV;
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};

	read_options(&st, argc, argv);
	st.balance.on = st.opts.verbose;
	kev_writer_init(&st.out, &st.opts);
	if (st.clip)
		clip(&st);
	else
		examine(&st);
	balance_print(&st.balance);
	return kev_finish(&st.out);
}
