/*
 * opmap - map predicted ops to the types of the kernels that they run.
 *
 *	#ts	dur	type	name
 *	0	3	A,B	tensor_cast.mla.default
 *	3	2		aten.add.Tensor
 * with a mapping of aten.add.Tensor to the kernel type Add gives
 *	#ts	dur	type	name	status	func
 *	0	1.5	A	tensor_cast.mla.default	HIT	tensor_cast.mla.default
 *	1.5	1.5	B	tensor_cast.mla.default	HIT	tensor_cast.mla.default
 *	3	2	Add	aten.add.Tensor	MISS	aten.add.Tensor
 *
 * Memory grows with the mapping.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "stream/balance.h"
#include "stream/kev.h"

#include "mapping.h"
#include "pyliteral.h"

/* Why an op is not written. */
enum reason { ZERO_COST, REASONS };

static const char *const reasons[REASONS] = {[ZERO_COST] = "zero_cost"};
BALANCE_FITS(reasons);

/* What is counted for -v and for warnings. */
enum count {
	ROWS_OUT,
	HITS,
	BY_DURATIONS,
	OTHER_NAMES,
	SHARED,
	MISSES,
	MAPPED,
	NO_LITERAL,
	EMPTY_DURATIONS,
	NO_DURATIONS,
	COUNTS
};

static const char *const count_names[COUNTS] = {
	[ROWS_OUT] = "rows written",
	[HITS] = "hits",
	[BY_DURATIONS] = "hits by sub_kernel_durations",
	[OTHER_NAMES] = "hits by sub_kernel_durations with other names than the type",
	[SHARED] = "hits in equal shares",
	[MISSES] = "misses",
	[MAPPED] = "misses with a kernel type of the mapping",
	[NO_LITERAL] =
		"sub_kernel_durations that are not a list of names and durations (equal shares were used)",
	[EMPTY_DURATIONS] =
		"hits of several kernels without sub_kernel_durations (equal shares were used)",
	[NO_DURATIONS] =
		"no column 'sub_kernel_durations' (see trace2tsv -a); ops split into equal shares",
};

/* The columns of the input; ts, ph, pid and durations may be KEV_NONE. */
struct columns {
	int ts;
	int dur;
	int type;
	int name;
	int ph;
	int pid;
	int durations;
};

/* The op at hand. */
struct op {
	struct str name;
	struct str func;  /* the name without torch.ops. */
	struct str *part; /* the kernels that its type names */
	size_t parts;
	size_t part_cap;
	struct pyliteral literal; /* its sub_kernel_durations */
	/* While its kernels are written: */
	bool has_ts;
	bool moved;    /* the first kernel is written, so ts is no longer the ts of the input */
	struct dec ts; /* start of the next kernel */
};

struct state {
	struct opts opts;
	struct mapping mapping;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	uint64_t count[COUNTS];
	struct columns at;
	struct op op;
	bool any_pid;
	struct buf first_pid;
	bool other_pids;
	struct buf name_text;
	struct buf type_text;
	struct buf literal_text;
	struct buf ts_text;
	struct buf dur_text;
};

static const struct opt opts[] = {
	{'y', "mapping", "MAPPING", "YAML of ops and their kernel types; /dev/null for none"},
};

static const struct opt_usage usage = {
	"-y MAPPING [FILE...]", "Map predicted ops to the types of the kernels that they run.", opts,
	sizeof opts / sizeof *opts};

/* --- columns ------------------------------------------------------------- */

/* Writes the columns of the input, and the new columns. */
static void put_columns(struct state *st)
{
	static const char *const added[] = {"status", "func"};
	struct kev_reader *in = &st->in;
	size_t count = in->columns_count;
	struct str *names = mem_alloc(count + 2, sizeof *names);

	memcpy(names, in->column, count * sizeof *names);
	for (size_t i = 0; i < 2; i++) {
		names[count + i] = str_of(added[i]);
		if (!in->error[0] && kev_column(in, names[count + i]) != KEV_NONE)
			kev_misuse(in, "the column '%s' exists already; was this written by opmap?", added[i]);
	}
	if (!in->error[0])
		kev_columns(&st->out, names, count + 2);
	free(names);
}

static void columns(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct columns *at = &st->at;

	at->ts = kev_column(in, STR("ts"));
	at->ph = kev_column(in, STR("ph"));
	at->pid = kev_column(in, STR("pid"));
	at->durations = kev_column(in, STR("sub_kernel_durations"));
	if (kev_need(in, STR("dur"), &at->dur) && kev_need(in, STR("type"), &at->type) &&
	    kev_need(in, STR("name"), &at->name))
		put_columns(st);
}

/* --- rows out ------------------------------------------------------------ */

/* The row at hand with other values; ts and dur are escaped already. */
static void put_row(struct state *st, struct str ts, struct str dur, struct str type,
                    const char *status, bool with_durations)
{
	for (int i = 0; i < (int)st->in.columns_count; i++) {
		if (i == st->at.type)
			kev_field(&st->out, type);
		else if (i == st->at.durations && !with_durations)
			kev_field_raw(&st->out, STR(""));
		else
			kev_field_raw(&st->out, i == st->at.ts ? ts : i == st->at.dur ? dur : st->in.field[i]);
	}
	kev_field(&st->out, str_of(status));
	kev_field(&st->out, *status ? st->op.func : STR(""));
	kev_row_end(&st->out);
	st->count[ROWS_OUT]++;
}

static struct str ts_of_input(const struct state *st)
{
	return st->at.ts == KEV_NONE ? STR("") : st->in.field[st->at.ts];
}

/* Writes the op as one row, with its times. */
static void put_whole(struct state *st, struct str type, const char *status)
{
	put_row(st, ts_of_input(st), st->in.field[st->at.dur], type, status, true);
}

/*
 * The next kernel of the op, which begins at the end of the kernel before. Only the first kernel
 * has the list of durations: with it in each, the list's length times the kernels could be any
 * amount.
 */
static void put_kernel(struct state *st, struct str type, struct str dur_text, struct dec dur)
{
	struct op *op = &st->op;
	struct str ts = ts_of_input(st);

	if (op->has_ts && op->moved) {
		st->ts_text.len = 0;
		dec_print(&st->ts_text, op->ts);
		ts = buf_view(&st->ts_text);
	}
	put_row(st, ts, dur_text, type, "HIT", !op->moved);
	op->moved = true;
	if (op->has_ts && !dec_add(&op->ts, dur))
		kev_error(&st->in, "ts: the end of the op is too large");
}

/* --- hits ---------------------------------------------------------------- */

/* The names between the commas of type, without empty ones. */
static void split_type(struct op *op, struct str type)
{
	op->parts = 0;
	while (type.n) {
		const char *comma = memchr(type.s, ',', type.n);
		size_t n = comma ? (size_t)(comma - type.s) : type.n;
		struct str part = str_trim((struct str){type.s, n});

		if (part.n) {
			op->part = mem_grow(op->part, &op->part_cap, op->parts + 1, sizeof *op->part);
			op->part[op->parts++] = part;
		}
		n += comma != NULL;
		type = (struct str){type.s + n, type.n - n};
	}
}

/* Whether the type names a kernel: then the model has found the op. */
static bool is_hit(const struct op *op)
{
	return op->parts > 1 || (op->parts == 1 && !str_equal(op->part[0], STR("?")));
}

static bool is_part(const struct op *op, struct str name)
{
	for (size_t i = 0; i < op->parts; i++)
		if (str_equal(op->part[i], name))
			return true;
	return false;
}

/* Whether the type and the pairs name equal kernels. */
static bool same_names(const struct op *op)
{
	struct strmap parts = {0};
	struct strmap pairs = {0};
	bool same = true;

	for (size_t i = 0; i < op->parts; i++)
		strmap_add(&parts, op->part[i], NULL);
	for (size_t i = 0; i < op->literal.count && same; i++) {
		strmap_add(&pairs, op->literal.pair[i].name, NULL);
		same = strmap_find(&parts, op->literal.pair[i].name) != STRMAP_NONE;
	}
	same = same && pairs.count == parts.count;
	strmap_free(&parts);
	strmap_free(&pairs);
	return same;
}

/* The kernels of sub_kernel_durations. */
static void put_pairs(struct state *st)
{
	const struct pyliteral *literal = &st->op.literal;

	st->count[BY_DURATIONS]++;
	st->count[OTHER_NAMES] += !same_names(&st->op);
	for (size_t i = 0; i < literal->count && !st->in.error[0]; i++) {
		struct dec dur = {0};

		dec_parse(literal->pair[i].number, &dur);
		st->dur_text.len = 0;
		dec_copy(&st->dur_text, literal->pair[i].number);
		put_kernel(st, literal->pair[i].name, buf_view(&st->dur_text), dur);
	}
}

/*
 * The kernels of the type, in equal shares. The shares add up to the whole: the rest of the
 * division, in units of 10^-9, goes to the first kernel.
 */
static void put_shares(struct state *st)
{
	const struct op *op = &st->op;
	struct dec dur = {0};
	bool has_dur = kev_number(&st->in, st->at.dur, &dur);
	__int128 share = dur.nano / (__int128)op->parts;
	__int128 rest = dur.nano % (__int128)op->parts;

	st->count[SHARED] += op->parts > 1;
	for (size_t i = 0; i < op->parts && !st->in.error[0]; i++) {
		struct dec part = {share};

		if (rest) {
			part.nano += rest > 0 ? 1 : -1;
			rest -= rest > 0 ? 1 : -1;
		}
		st->dur_text.len = 0;
		if (op->parts == 1)
			buf_str(&st->dur_text, st->in.field[st->at.dur]);
		else if (has_dur)
			dec_print(&st->dur_text, part);
		put_kernel(st, op->part[i], buf_view(&st->dur_text), part);
	}
}

/* Why the durations of the kernels are unknown, if they are. */
static void note_shares(struct state *st, bool has_text, bool is_literal)
{
	if (has_text && !is_literal) {
		st->count[NO_LITERAL]++;
		if (st->opts.strict)
			kev_error(&st->in, "sub_kernel_durations: this is not a list of names and durations");
	} else if (!has_text && st->op.parts > 1) {
		st->count[st->at.durations == KEV_NONE ? NO_DURATIONS : EMPTY_DURATIONS]++;
		if (st->opts.strict)
			kev_error(&st->in,
			          st->at.durations == KEV_NONE
			              ? "an op of several kernels, but no column 'sub_kernel_durations'"
			              : "an op of several kernels without sub_kernel_durations");
	}
}

static void hit(struct state *st)
{
	const struct str all_reduce = STR("hcom_allReduce_");
	struct op *op = &st->op;
	struct str text = kev_text(&st->in, st->at.durations, &st->literal_text);
	bool is_literal = text.n && pyliteral_pairs(&op->literal, text);
	/* A collective that was fused into the op has no time, but counts. */
	bool fused =
		!is_literal && !is_part(op, all_reduce) && str_has_any_case(op->func, STR("all_reduce"));

	st->count[HITS]++;
	note_shares(st, text.n > 0, is_literal);
	if (st->in.error[0])
		return;
	if (!is_literal && op->parts == 1 && !fused) {
		put_whole(st, op->part[0], "HIT");
		return;
	}
	op->moved = false;
	op->has_ts = kev_number(&st->in, st->at.ts, &op->ts);
	if (is_literal)
		put_pairs(st);
	else
		put_shares(st);
	if (fused && !st->in.error[0])
		put_kernel(st, all_reduce, STR("0"), dec_of(0));
}

/* --- rows in ------------------------------------------------------------- */

static void miss(struct state *st, const struct mapping_op *entry)
{
	bool mapped = entry && entry->kernel_type.n;

	st->count[MISSES]++;
	st->count[MAPPED] += mapped;
	put_whole(st, mapped ? entry->kernel_type : st->op.name, "MISS");
}

static void note_pid(struct state *st)
{
	struct str pid;

	if (st->at.pid == KEV_NONE || st->other_pids)
		return;
	pid = st->in.field[st->at.pid];
	if (!st->any_pid)
		buf_str(&st->first_pid, pid);
	st->any_pid = true;
	st->other_pids = !str_equal(buf_view(&st->first_pid), pid);
}

/* Sets the op; its kernels are found when they are needed. */
static void set_op(struct state *st)
{
	const struct str prefix = STR("torch.ops.");
	struct op *op = &st->op;

	op->name = op->func = kev_text(&st->in, st->at.name, &st->name_text);
	if (str_starts(op->name, prefix))
		op->func = (struct str){op->name.s + prefix.n, op->name.n - prefix.n};
}

/* The entry of the op; NULL if the mapping has none. */
static const struct mapping_op *find_entry(const struct state *st)
{
	const struct mapping_op *entry = mapping_find(&st->mapping, st->op.func);

	return entry ? entry : mapping_find(&st->mapping, st->op.name);
}

static bool is_op(const struct state *st)
{
	return str_equal(kev_phase(&st->in, st->at.ph), STR("X"));
}

static void row(struct state *st)
{
	struct str dur = st->in.field[st->at.dur];
	struct str type = kev_text(&st->in, st->at.type, &st->type_text);
	const struct mapping_op *entry;

	balance_in(&st->balance, dur);
	if (!is_op(st)) {
		balance_out(&st->balance, dur);
		put_whole(st, type, "");
		return;
	}
	note_pid(st);
	set_op(st);
	entry = find_entry(st);
	if (entry && entry->zero_cost) {
		balance_drop(&st->balance, ZERO_COST, dur);
		return;
	}
	balance_out(&st->balance, dur);
	split_type(&st->op, type);
	if (is_hit(&st->op))
		hit(st);
	else
		miss(st, entry);
}

static void put_count(const struct state *st, enum count count)
{
	warn("%s: %llu", count_names[count], (unsigned long long)st->count[count]);
}

static void finish(struct state *st)
{
	if (st->other_pids)
		warn("rows of more than one process; choose the predicted one with trace2tsv -P");
	for (int i = NO_LITERAL; i < COUNTS; i++)
		if (st->count[i])
			put_count(st, (enum count)i);
	st->balance.unit = st->in.units_differ ? NULL : kev_unit(&st->in);
	balance_print(&st->balance);
	for (int i = ROWS_OUT; st->opts.verbose && i <= MAPPED; i++)
		put_count(st, (enum count)i);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	const char *path = NULL;
	enum kev_item item;

	opts_init(&st.opts, &usage, argc, argv);
	while (opts_next(&st.opts) >= 0)
		path = st.opts.arg;
	if (!path)
		opts_fail("-y is needed: the mapping of ops to kernel types, or /dev/null for none");
	st.balance.on = st.opts.verbose;
	if (!mapping_open(&st.mapping, path))
		die("%s", st.mapping.error);

	kev_open(&st.in, &st.opts);
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			kev_pass_meta(&st.out, &st.in);
		else if (item == KEV_COLUMNS)
			columns(&st);
		else
			row(&st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
