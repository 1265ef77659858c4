/*
 * opmap - predicted ops to the types of the kernels that they run.
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
 * Memory is that of the mapping.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "stream/balance.h"
#include "stream/kev.h"
#include "syntax/pyliteral.h"
#include "syntax/yaml.h"

/* Why an op is not written. */
enum reason { ZERO_COST, REASONS };

static const char *const reasons[REASONS] = {[ZERO_COST] = "zero_cost"};

/* What the mapping says of an op. */
struct entry {
	struct str kernel_type; /* empty where there is none */
	bool zero_cost;
};

struct state {
	struct opts opts;
	struct kev_reader in;
	struct kev_writer out;
	struct balance balance;
	const char *path; /* of the mapping, -y */
	struct strmap ops;
	struct entry *entry; /* by number in ops */
	size_t entry_cap;
	/* The columns of the input; ts, ph and durations may be KEV_NONE. */
	int ts;
	int dur;
	int type;
	int name;
	int ph;
	int durations;
	/* The op at hand. */
	struct str func;  /* its name without torch.ops. */
	struct str *part; /* what its type names */
	size_t parts;
	size_t part_cap;
	struct pyliteral literal;
	/* The row to be written of it. */
	bool has_ts;
	bool moved; /* ts is no more that of the input */
	struct dec at;
	/* What is told at the end. */
	uint64_t rows;
	uint64_t hits;
	uint64_t misses;
	uint64_t mapped; /* of the misses: to a kernel type of the mapping */
	uint64_t by_durations;
	uint64_t other_names; /* of those: names that are not the type's */
	uint64_t shared;      /* in equal shares */
	uint64_t no_literal;
	uint64_t no_durations; /* shared, as there is no such column */
	int pid;
	struct buf first_pid;
	bool any_pid;
	bool pids; /* there were others */
	struct buf name_text;
	struct buf type_text;
	struct buf literal_text;
	struct buf ts_text;
	struct buf dur_text;
};

static const struct opt opts[] = {
	{'y', "mapping", "MAPPING", "YAML, ops and their kernel types; /dev/null is the empty one"},
};

static const struct opt_usage usage = {"-y MAPPING [FILE...]",
                                       "Predicted ops to the types of the kernels that they run.",
                                       opts, sizeof opts / sizeof *opts};

/* --- the mapping --------------------------------------------------------- */

static _Noreturn void bad_node(const struct state *st, const struct yaml_node *node,
                               const char *what)
{
	die("%s:%lu:%lu: %s", st->path, node->line, node->column, what);
}

static struct entry entry_of(const struct state *st, const struct yaml_node *node)
{
	const struct yaml_node *type = yaml_get(node, STR("kernel_type"));
	const struct yaml_node *zero = yaml_get(node, STR("zero_cost"));
	struct entry entry = {0};

	if (type && !yaml_is_null(type)) {
		if (type->kind != YAML_TEXT)
			bad_node(st, type, "kernel_type: this is no name");
		/* The tree goes, the mapping stays. */
		entry.kernel_type = (struct str){mem_string(type->text.s, type->text.n), type->text.n};
	}
	if (zero && !yaml_is_null(zero) && !yaml_boolean(zero, &entry.zero_cost))
		bad_node(st, zero, "zero_cost: neither true nor false");
	return entry;
}

/* The entries of one mapping, but for names that are known already. */
static void add_entries(struct state *st, const struct yaml_node *map, bool strict)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct yaml_node *node = map->member[i].value;
		size_t number;
		bool new;

		if (node->kind != YAML_MAP) {
			if (strict && !yaml_is_null(node))
				bad_node(st, node, "the entry of an op is no mapping");
			continue;
		}
		number = strmap_add(&st->ops, map->member[i].key->text, &new);
		st->entry = mem_grow(st->entry, &st->entry_cap, number + 1, sizeof *st->entry);
		if (new)
			st->entry[number] = entry_of(st, node);
	}
}

/* Ops stand under operator_mappings, or at the top, where other things stand, too. */
static void read_mapping(struct state *st)
{
	struct yaml yaml;
	const struct yaml_node *nested;

	if (!yaml_open(&yaml, st->path))
		die("%s", yaml.error);
	if (yaml.root && !yaml_is_null(yaml.root)) {
		if (yaml.root->kind != YAML_MAP)
			bad_node(st, yaml.root, "this is no mapping");
		nested = yaml_get(yaml.root, STR("operator_mappings"));
		if (nested && nested->kind != YAML_MAP && !yaml_is_null(nested))
			bad_node(st, nested, "operator_mappings: this is no mapping");
		if (nested)
			add_entries(st, nested, true);
		add_entries(st, yaml.root, false);
	}
	yaml_close(&yaml);
}

static const struct entry *find_entry(const struct state *st, struct str name)
{
	size_t number = strmap_find(&st->ops, st->func);

	if (number == STRMAP_NONE)
		number = strmap_find(&st->ops, name);
	return number == STRMAP_NONE ? NULL : &st->entry[number];
}

/* --- rows out ------------------------------------------------------------ */

static bool columns(struct state *st)
{
	static const char *const added[] = {"status", "func"};
	struct kev_reader *in = &st->in;
	size_t count = in->columns_count;
	struct str *names;

	st->ts = kev_column(in, STR("ts"));
	st->ph = kev_column(in, STR("ph"));
	st->durations = kev_column(in, STR("sub_kernel_durations"));
	st->pid = kev_column(in, STR("pid"));
	if (!kev_need(in, STR("dur"), &st->dur) || !kev_need(in, STR("type"), &st->type) ||
	    !kev_need(in, STR("name"), &st->name))
		return false;
	names = mem_alloc(count + 2, sizeof *names);
	memcpy(names, in->column, count * sizeof *names);
	for (size_t i = 0; i < 2; i++) {
		names[count + i] = str_of(added[i]);
		if (!in->error[0] && kev_column(in, names[count + i]) != KEV_NONE)
			kev_error(in, "there is a column '%s' already: has opmap been here?", added[i]);
	}
	if (!in->error[0])
		kev_columns(&st->out, names, count + 2);
	free(names);
	return !in->error[0];
}

/* The row at hand with other values; ts and dur are as they are written. */
static void put_row(struct state *st, struct str ts, struct str dur, struct str type,
                    const char *status)
{
	for (int i = 0; i < (int)st->in.columns_count; i++) {
		if (i == st->type)
			kev_field(&st->out, type);
		else
			kev_field_raw(&st->out, i == st->ts ? ts : i == st->dur ? dur : st->in.field[i]);
	}
	kev_field(&st->out, str_of(status));
	kev_field(&st->out, *status ? st->func : STR(""));
	kev_row_end(&st->out);
	st->rows++;
}

/* The op as one row, with its own times. */
static void put_whole(struct state *st, struct str type, const char *status)
{
	put_row(st, st->ts == KEV_NONE ? STR("") : st->in.field[st->ts], st->in.field[st->dur], type,
	        status);
}

/* A part of the op: it begins where the one before it ended. */
static bool put_part(struct state *st, struct str type, struct str dur_text, struct dec dur)
{
	struct str ts = st->ts == KEV_NONE ? STR("") : st->in.field[st->ts];

	if (st->has_ts && st->moved) {
		st->ts_text.len = 0;
		dec_print(&st->ts_text, st->at);
		ts = buf_view(&st->ts_text);
	}
	put_row(st, ts, dur_text, type, "HIT");
	st->moved = true;
	if (st->has_ts && !dec_add(&st->at, dur)) {
		kev_error(&st->in, "ts: the end is too large a number");
		return false;
	}
	return true;
}

/* --- rows in ------------------------------------------------------------- */

/* The names between the commas of type; those that are empty are none. */
static void split_type(struct state *st, struct str type)
{
	st->parts = 0;
	while (type.n) {
		const char *comma = memchr(type.s, ',', type.n);
		size_t n = comma ? (size_t)(comma - type.s) : type.n;
		struct str part = str_trim((struct str){type.s, n});

		if (part.n) {
			st->part = mem_grow(st->part, &st->part_cap, st->parts + 1, sizeof *st->part);
			st->part[st->parts++] = part;
		}
		n += comma != NULL;
		type = (struct str){type.s + n, type.n - n};
	}
}

static bool is_part(const struct state *st, struct str name)
{
	for (size_t i = 0; i < st->parts; i++)
		if (str_equal(st->part[i], name))
			return true;
	return false;
}

static bool is_pair(const struct state *st, struct str name)
{
	for (size_t i = 0; i < st->literal.count; i++)
		if (str_equal(st->literal.pair[i].name, name))
			return true;
	return false;
}

/* Whether the type and the pairs name the same kernels. */
static bool same_names(const struct state *st)
{
	for (size_t i = 0; i < st->literal.count; i++)
		if (!is_part(st, st->literal.pair[i].name))
			return false;
	for (size_t i = 0; i < st->parts; i++)
		if (!is_pair(st, st->part[i]))
			return false;
	return true;
}

/* The parts are those that the trace has durations of. */
static bool put_pairs(struct state *st)
{
	st->by_durations++;
	st->other_names += !same_names(st);
	for (size_t i = 0; i < st->literal.count; i++) {
		const struct pyliteral_pair *pair = &st->literal.pair[i];
		struct dec dur = {0};

		dec_parse(pair->number, &dur);
		st->dur_text.len = 0;
		dec_copy(&st->dur_text, pair->number);
		if (!put_part(st, pair->name, buf_view(&st->dur_text), dur))
			return false;
	}
	return true;
}

/*
 * The parts are those that the type names. Their shares add up to the whole: what
 * is left of it, in units of 10^-9, goes to the first of them.
 */
static bool put_shares(struct state *st, bool all_reduce)
{
	struct dec dur = {0};
	bool has_dur = kev_number(&st->in, st->dur, &dur);
	__int128 share = dur.nano / (__int128)st->parts;
	__int128 rest = dur.nano % (__int128)st->parts;

	if (st->in.error[0])
		return false;
	st->shared += st->parts > 1;
	for (size_t i = 0; i < st->parts; i++) {
		struct dec part = {share};

		if (rest) {
			part.nano += rest > 0 ? 1 : -1;
			rest -= rest > 0 ? 1 : -1;
		}
		st->dur_text.len = 0;
		if (st->parts == 1)
			buf_str(&st->dur_text, st->in.field[st->dur]);
		else if (has_dur)
			dec_print(&st->dur_text, part);
		if (!put_part(st, st->part[i], buf_view(&st->dur_text), part))
			return false;
	}
	return !all_reduce || put_part(st, STR("hcom_allReduce_"), STR("0"), dec_of(0));
}

/* The trace says what the op ran: st->part. False on an error. */
static bool hit(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str durations = kev_text(in, st->durations, &st->literal_text);
	bool is_literal = durations.n && pyliteral_pairs(&st->literal, durations);
	bool all_reduce = !is_literal && !is_part(st, STR("hcom_allReduce_")) &&
	                  str_has_any_case(st->func, STR("all_reduce"));

	st->hits++;
	if (durations.n && !is_literal) {
		st->no_literal++;
		if (st->opts.strict)
			kev_error(in, "sub_kernel_durations: no list of names and durations");
	} else if (st->durations == KEV_NONE && st->parts > 1) {
		st->no_durations++;
		if (st->opts.strict)
			kev_error(in, "an op of several kernels, and no column 'sub_kernel_durations'");
	}
	if (in->error[0])
		return false;
	if (!is_literal && st->parts == 1 && !all_reduce) {
		put_whole(st, st->part[0], "HIT");
		return true;
	}
	st->moved = false;
	st->has_ts = kev_number(in, st->ts, &st->at);
	if (in->error[0])
		return false;
	return is_literal ? put_pairs(st) : put_shares(st, all_reduce);
}

static void note_pid(struct state *st)
{
	struct str pid;

	if (st->pid == KEV_NONE || st->pids)
		return;
	pid = st->in.field[st->pid];
	if (!st->any_pid)
		buf_str(&st->first_pid, pid);
	st->any_pid = true;
	st->pids = !str_equal(buf_view(&st->first_pid), pid);
}

static void miss(struct state *st, const struct entry *entry, struct str name)
{
	bool mapped = entry && entry->kernel_type.n;

	st->misses++;
	st->mapped += mapped;
	put_whole(st, mapped ? entry->kernel_type : name, "MISS");
}

/* False on an error, said in st->in.error. */
static bool row(struct state *st)
{
	struct kev_reader *in = &st->in;
	struct str dur = in->field[st->dur];
	struct str name = kev_text(in, st->name, &st->name_text);
	const struct entry *entry;

	balance_in(&st->balance, dur);
	if (st->ph != KEV_NONE && in->field[st->ph].n && !str_equal(in->field[st->ph], STR("X"))) {
		/* Begins, ends, names of processes: no op. */
		balance_out(&st->balance, dur);
		put_whole(st, kev_text(in, st->type, &st->type_text), "");
		return true;
	}
	note_pid(st);
	st->func = name;
	if (str_starts(name, STR("torch.ops.")))
		st->func = (struct str){name.s + 10, name.n - 10};
	entry = find_entry(st, name);
	if (entry && entry->zero_cost) {
		balance_drop(&st->balance, ZERO_COST, dur);
		return true;
	}
	balance_out(&st->balance, dur);
	split_type(st, kev_text(in, st->type, &st->type_text));
	if (st->parts > 1 || (st->parts == 1 && !str_equal(st->part[0], STR("?"))))
		return hit(st);
	miss(st, entry, name);
	return true;
}

static void tell(const char *what, uint64_t count)
{
	warn("%s: %llu", what, (unsigned long long)count);
}

static void finish(struct state *st)
{
	if (st->pids)
		warn("rows of more than one process: trace2tsv -P picks the predicted one");
	if (st->no_literal)
		tell("sub_kernel_durations that are no list of names and durations, equal shares instead",
		     st->no_literal);
	if (st->no_durations)
		tell("there is no column 'sub_kernel_durations' (trace2tsv -a sub_kernel_durations): ops "
		     "of several kernels, in equal shares",
		     st->no_durations);
	st->balance.unit = kev_unit(&st->in);
	balance_print(&st->balance);
	if (!st->opts.verbose)
		return;
	tell("rows written", st->rows);
	tell("hits", st->hits);
	tell("hits by sub_kernel_durations", st->by_durations);
	tell("hits by sub_kernel_durations of other names than the type has", st->other_names);
	tell("hits in equal shares", st->shared);
	tell("misses", st->misses);
	tell("misses with a kernel type of the mapping", st->mapped);
}

int main(int argc, char **argv)
{
	struct state st = {.balance = {.what = "rows", .reasons = reasons, .reasons_count = REASONS}};
	enum kev_item item;

	opts_init(&st.opts, &usage, argc, argv);
	while (opts_next(&st.opts) >= 0)
		st.path = st.opts.arg;
	if (!st.path)
		opts_fail("-y is needed: the mapping of ops to kernel types, or /dev/null for none");
	st.balance.on = st.opts.verbose;
	read_mapping(&st);

	kev_open(&st.in, st.opts.operands, st.opts.operands_count);
	kev_writer_init(&st.out, &st.opts);
	while ((item = kev_next(&st.in)) > KEV_END) {
		if (item == KEV_META)
			kev_pass_meta(&st.out, &st.in);
		else if (item == KEV_COLUMNS ? !columns(&st) : !row(&st))
			kev_fail(&st.out, &st.in);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in);
	finish(&st);
	kev_close(&st.in);
	return kev_finish(&st.out);
}
