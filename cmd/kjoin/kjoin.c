/*
 * kjoin - join two streams by equal columns.
 *
 *	#ts	name	and	#name	library
 *	1	gemm		gemm	cuBLAS
 *	2	norm
 * by -k name gives
 *	#ts	name	library
 *	1	gemm	cuBLAS
 *
 * Memory: RIGHT, without its key, and the distinct keys. LEFT streams.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "stream/kev.h"

enum mode { INNER, LEFT_TOO, SEMI, ANTI };

enum { LEFT, RIGHT, SIDES };

#define NO_ROW SIZE_MAX

/* A row of RIGHT: its fields but for the key, as they are written. */
struct right_row {
	size_t at; /* in texts */
	size_t n;
	size_t next; /* the next row of this key */
};

/* The rows of RIGHT with one key. */
struct partners {
	size_t first;
	size_t last;
	uint64_t rows;
	bool met; /* by a row of LEFT */
};

struct state {
	struct opts opts;
	enum mode mode;
	char *operands[SIDES];     /* if LEFT is not given */
	struct words names[SIDES]; /* columns of -k */
	struct kev_reader in[SIDES];
	struct kev_writer out;
	int *key_at[SIDES];
	/* The stream RIGHT. */
	struct words columns; /* columns but for the key */
	int *column_at;
	bool has_layout;
	struct buf layout;
	struct strmap keys;
	struct partners *partners; /* by number in keys */
	size_t partners_cap;
	struct right_row *rows;
	size_t rows_count;
	size_t rows_cap;
	struct buf texts;
	struct buf none; /* the fields of a row without a partner: tabs */
	/* For -v. */
	uint64_t count[SIDES];
	uint64_t lonely[SIDES]; /* without a partner */
	uint64_t written;
	struct buf key;
	struct buf scratch;
};

enum { OPTION_LEFT = OPT_LONG, OPTION_SEMI, OPTION_ANTI };

static const struct opt opts[] = {
	{'k', "key", "COL[=COL2],...", "join rows with equal COL in LEFT and COL2 in RIGHT"},
	{OPTION_LEFT, "left", NULL, "keep rows of LEFT without a partner, with empty fields"},
	{OPTION_SEMI, "semi", NULL, "print rows of LEFT that have a partner, as they are"},
	{OPTION_ANTI, "anti", NULL, "print rows of LEFT that have none, as they are"},
};

static const struct opt_usage usage = {
	"-k COL[=COL2],... [--left | --semi | --anti] [LEFT] RIGHT",
	"Join two streams by equal columns; without LEFT it is standard input.", opts,
	sizeof opts / sizeof *opts};

/* --- options -------------------------------------------------------------------- */

/* "COL=COL2" as two names; \= is a = in a name. */
static void add_key(struct state *st, struct str word)
{
	struct buf name[SIDES] = {{0}};
	int side = LEFT;

	for (size_t i = 0; i < word.n; i++) {
		if (word.s[i] == '=' && side == LEFT) {
			side = RIGHT;
			continue;
		}
		if (word.s[i] == '\\' && i + 1 < word.n && word.s[i + 1] == '=')
			i++;
		buf_char(&name[side], word.s[i]);
	}
	words_put(&st->names[LEFT], str_trim(buf_view(&name[LEFT])));
	words_put(&st->names[RIGHT], str_trim(buf_view(&name[side])));
	buf_free(&name[LEFT]);
	buf_free(&name[RIGHT]);
}

static void set_mode(struct state *st, int letter)
{
	enum mode mode = letter == OPTION_LEFT ? LEFT_TOO : letter == OPTION_SEMI ? SEMI : ANTI;

	if (st->mode != INNER && st->mode != mode)
		opts_fail("--left, --semi and --anti exclude each other");
	st->mode = mode;
}

/* Opens both streams; without LEFT, standard input is the first. */
static void open_sides(struct state *st)
{
	static char standard_input[] = "-";
	struct opts *o = &st->opts;

	if (o->operands_count == 1 && strcmp(o->operands[0], "-") != 0) {
		st->operands[LEFT] = standard_input;
		st->operands[RIGHT] = o->operands[0];
		o->operands = st->operands;
		o->operands_count = SIDES;
	}
	if (o->operands_count != SIDES)
		opts_fail("one or two streams are needed: [LEFT] RIGHT");
	if (strcmp(o->operands[LEFT], "-") == 0 && strcmp(o->operands[RIGHT], "-") == 0)
		opts_fail("only one of the two can be standard input");
	for (int side = 0; side < SIDES; side++) {
		kev_open_operand(&st->in[side], o, side);
		st->in[side].one_unit = true;
		st->key_at[side] = mem_alloc(st->names[side].count, sizeof *st->key_at[side]);
	}
}

/* --- keys ------------------------------------------------------------------------- */

static bool find_key(struct state *st, int side)
{
	for (size_t i = 0; i < st->names[side].count; i++)
		if (!kev_need(&st->in[side], st->names[side].item[i], &st->key_at[side][i]))
			return false;
	return true;
}

/*
 * The key of the row: its texts, decoded, each after its length if there are several. False if a
 * text is empty. Valid until the next row of any side.
 */
static bool get_key(struct state *st, int side, struct str *key)
{
	size_t count = st->names[side].count;

	st->key.len = 0;
	for (size_t i = 0; i < count; i++) {
		*key = kev_text(&st->in[side], st->key_at[side][i], &st->scratch);
		if (key->n == 0)
			return false;
		if (count == 1)
			return true;
		buf_bytes(&st->key, (const char *)&key->n, sizeof key->n);
		buf_str(&st->key, *key);
	}
	*key = buf_view(&st->key);
	return true;
}

/* --- RIGHT --------------------------------------------------------------------------- */

static bool is_key_of_right(const struct state *st, int column)
{
	for (size_t i = 0; i < st->names[RIGHT].count; i++)
		if (st->key_at[RIGHT][i] == column)
			return true;
	return false;
}

static void right_columns(struct state *st)
{
	struct kev_reader *in = &st->in[RIGHT];

	kev_layout(in, &st->scratch);
	if (st->has_layout && !str_equal(buf_view(&st->scratch), buf_view(&st->layout)))
		kev_misuse(in, "the columns change within RIGHT; it must have the same in all rows");
	if (st->has_layout || !find_key(st, RIGHT))
		return;
	st->has_layout = true;
	buf_str(&st->layout, buf_view(&st->scratch));
	st->column_at = mem_alloc(in->columns_count, sizeof *st->column_at);
	for (size_t i = 0; i < in->columns_count; i++) {
		if (is_key_of_right(st, (int)i))
			continue;
		st->column_at[st->columns.count] = (int)i;
		words_put(&st->columns, in->column[i]);
	}
	for (size_t i = 1; i < st->columns.count; i++)
		buf_char(&st->none, '\t');
}

/* Keeps the fields as they will follow the fields of a row of LEFT. */
static void keep_texts(struct state *st, struct right_row *row)
{
	row->at = st->texts.len;
	for (size_t i = 0; i < st->columns.count; i++) {
		struct str field = st->in[RIGHT].field[st->column_at[i]];
		/* A # at the start of its row needs no escape there. */
		size_t skip = st->column_at[i] == 0 && str_starts(field, STR("\\#"));

		if (i)
			buf_char(&st->texts, '\t');
		buf_bytes(&st->texts, field.s + skip, field.n - skip);
	}
	row->n = st->texts.len - row->at;
}

static void right_row(struct state *st)
{
	struct partners *partners;
	struct right_row *row;
	struct str key;
	bool added;
	size_t number;

	st->count[RIGHT]++;
	if (!get_key(st, RIGHT, &key)) {
		st->lonely[RIGHT]++;
		return;
	}
	number = strmap_add(&st->keys, key, &added);
	st->partners = mem_grow(st->partners, &st->partners_cap, st->keys.count, sizeof *st->partners);
	partners = &st->partners[number];
	if (added)
		*partners = (struct partners){.first = NO_ROW, .last = NO_ROW};
	partners->rows++;
	if (st->mode == SEMI || st->mode == ANTI)
		return;
	st->rows = mem_grow(st->rows, &st->rows_cap, st->rows_count + 1, sizeof *st->rows);
	row = &st->rows[st->rows_count];
	row->next = NO_ROW;
	keep_texts(st, row);
	if (partners->last == NO_ROW)
		partners->first = st->rows_count;
	else
		st->rows[partners->last].next = st->rows_count;
	partners->last = st->rows_count++;
}

static void read_right(struct state *st)
{
	struct kev_reader *in = &st->in[RIGHT];
	enum kev_item item;

	while ((item = kev_next(in)) > KEV_END) {
		if (item == KEV_ROW)
			right_row(st);
		else if (item == KEV_COLUMNS)
			right_columns(st);
		else if (str_equal(in->key, STR("source")) || str_equal(in->key, STR("damaged")))
			kev_pass_meta(&st->out, in);
	}
	if (item == KEV_FAILED)
		kev_fail(&st->out, in);
	/* LEFT's reader compares its unit with RIGHT's, if RIGHT has times or names a unit. */
	if (in->unit_said || kev_column(in, STR("ts")) != KEV_NONE ||
	    kev_column(in, STR("dur")) != KEV_NONE)
		buf_str(&st->in[LEFT].unit, str_of(kev_unit(in)));
}

/* --- LEFT ------------------------------------------------------------------------------ */

/* The output name of a column of RIGHT: its name, or if that is taken NAME.2 and so on. */
static struct str free_name(struct strmap *taken, struct str name, struct buf *text)
{
	bool added;

	for (unsigned number = 2;; number++) {
		text->len = 0;
		buf_str(text, name);
		buf_format(text, ".%u", number);
		strmap_add(taken, buf_view(text), &added);
		if (added)
			return buf_view(text);
	}
}

static void put_columns(struct state *st)
{
	const struct kev_reader *in = &st->in[LEFT];
	struct words names = {0};
	struct strmap taken = {0};
	struct buf text = {0};

	for (size_t i = 0; i < in->columns_count; i++)
		strmap_add(&taken, in->column[i], NULL);
	for (size_t i = 0; i < st->columns.count; i++)
		strmap_add(&taken, st->columns.item[i], NULL);
	for (size_t i = 0; i < in->columns_count; i++)
		words_put(&names, in->column[i]);
	for (size_t i = 0; i < st->columns.count; i++) {
		struct str name = st->columns.item[i];

		words_put(&names, kev_column(in, name) == KEV_NONE ? name : free_name(&taken, name, &text));
	}
	kev_columns(&st->out, names.item, names.count);
	words_free(&names);
	strmap_free(&taken);
	buf_free(&text);
}

static void left_columns(struct state *st)
{
	struct kev_reader *in = &st->in[LEFT];

	if (!find_key(st, LEFT))
		return;
	if (st->mode == SEMI || st->mode == ANTI)
		kev_columns(&st->out, in->column, in->columns_count);
	else
		put_columns(st);
}

/* Writes a row of LEFT with the fields of a row of RIGHT. */
static void put_pair(struct state *st, struct str fields)
{
	kev_field_raw(&st->out, st->in[LEFT].tsv.text);
	if (st->columns.count)
		kev_field_raw(&st->out, fields);
	kev_row_end(&st->out);
	st->written++;
}

static void put_alone(struct state *st)
{
	kev_pass_row(&st->out, &st->in[LEFT]);
	st->written++;
}

static struct partners *find_partners(struct state *st)
{
	struct str key;
	size_t number;

	if (!get_key(st, LEFT, &key))
		return NULL;
	number = strmap_find(&st->keys, key);
	return number == STRMAP_NONE ? NULL : &st->partners[number];
}

static void left_row(struct state *st)
{
	struct partners *partners = find_partners(st);

	st->count[LEFT]++;
	if (partners)
		partners->met = true;
	else
		st->lonely[LEFT]++;
	if (st->mode == SEMI || st->mode == ANTI) {
		if ((partners != NULL) == (st->mode == SEMI))
			put_alone(st);
		return;
	}
	if (!partners && st->mode == LEFT_TOO)
		put_pair(st, buf_view(&st->none));
	for (size_t i = partners ? partners->first : NO_ROW; i != NO_ROW; i = st->rows[i].next)
		put_pair(st, (struct str){st->texts.data + st->rows[i].at, st->rows[i].n});
}

static void finish(struct state *st)
{
	static const char *const names[SIDES] = {"LEFT", "RIGHT"};

	for (size_t i = 0; i < st->keys.count; i++)
		if (!st->partners[i].met)
			st->lonely[RIGHT] += st->partners[i].rows;
	for (int side = 0; side < SIDES && st->opts.verbose; side++)
		warn("rows of %s: %llu, without a partner: %llu", names[side],
		     (unsigned long long)st->count[side], (unsigned long long)st->lonely[side]);
	if (st->opts.verbose)
		warn("rows out: %llu", (unsigned long long)st->written);
}

int main(int argc, char **argv)
{
	struct state st = {0};
	struct words keys = {0};
	enum kev_item item;
	int letter;

	opts_init(&st.opts, &usage, argc, argv);
	while ((letter = opts_next(&st.opts)) >= 0) {
		if (letter == 'k')
			opts_words(&st.opts, &keys);
		else
			set_mode(&st, letter);
	}
	if (keys.count == 0)
		opts_fail("-k is needed: the columns to join by");
	for (size_t i = 0; i < keys.count; i++)
		add_key(&st, keys.item[i]);
	open_sides(&st);
	kev_writer_init(&st.out, &st.opts);
	read_right(&st);
	while ((item = kev_next(&st.in[LEFT])) > KEV_END) {
		if (item == KEV_META)
			kev_pass_meta(&st.out, &st.in[LEFT]);
		else if (item == KEV_COLUMNS)
			left_columns(&st);
		else
			left_row(&st);
	}
	if (item == KEV_FAILED)
		kev_fail(&st.out, &st.in[LEFT]);
	finish(&st);
	kev_close(&st.in[LEFT]);
	kev_close(&st.in[RIGHT]);
	return kev_finish(&st.out);
}
