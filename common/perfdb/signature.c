#include "perfdb/signature.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const signature_base[SIGNATURE_BASE] = {
	"OP State",      "Accelerator Core", "Input Shapes",      "Input Data Types",
	"Input Formats", "Output Shapes",    "Output Data Types", "Output Formats",
};

const char *const signature_counters[SIGNATURE_COUNTERS] = {
	"aicore_time(us)",      "aic_total_cycles",    "aic_mac_time(us)",     "aic_mac_ratio",
	"aic_scalar_time(us)",  "aic_scalar_ratio",    "aic_mte1_time(us)",    "aic_mte1_ratio",
	"aic_mte2_time(us)",    "aic_mte2_ratio",      "aic_fixpipe_time(us)", "aic_fixpipe_ratio",
	"aic_icache_miss_rate", "aiv_time(us)",        "aiv_total_cycles",     "aiv_vec_time(us)",
	"aiv_vec_ratio",        "aiv_scalar_time(us)", "aiv_scalar_ratio",     "aiv_mte2_time(us)",
	"aiv_mte2_ratio",       "aiv_mte3_time(us)",   "aiv_mte3_ratio",       "aiv_icache_miss_rate",
	"cube_utilization(%)",
};

const char *const signature_cells[SIGNATURE_CELLS] = {
	[INPUT_SHAPES] = "Input Shapes",      [INPUT_TYPES] = "Input Data Types",
	[INPUT_FORMATS] = "Input Formats",    [OUTPUT_SHAPES] = "Output Shapes",
	[OUTPUT_TYPES] = "Output Data Types", [EP_SIZE] = "EP Size",
};

const char *const signature_matmuls[SIGNATURE_MATMULS] = {"MatMulV2", "MatMulV3", "MatMulCommon"};

/* The slots of a cell: its parts between semicolons. */
struct slots {
	struct str *slot;
	size_t count;
	size_t cap;
};

/* --- operators ----------------------------------------------------------- */

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Text without spaces, and with `quotes` without quotes, at both ends. */
static struct str strip(struct str text, bool quotes)
{
	while (text.n && (blank(text.s[0]) || (quotes && text.s[0] == '"'))) {
		text.s++;
		text.n--;
	}
	while (text.n && (blank(text.s[text.n - 1]) || (quotes && text.s[text.n - 1] == '"')))
		text.n--;
	return text;
}

/* Drops an ending. False if the name lacks it. */
static bool drop_ending(struct str *name, struct str ending)
{
	bool has = str_ends(*name, ending);

	if (has)
		name->n -= ending.n;
	return has;
}

struct str signature_operator(struct str name)
{
	name = strip(name, false);
	if (!drop_ending(&name, STR("_run.py"))) {
		drop_ending(&name, STR(".csv"));
		drop_ending(&name, STR("_run"));
	}
	return name;
}

static bool is_one_of(struct str op, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal(op, str_of(names[i])))
			return true;
	return false;
}

bool signature_has_ep_size(struct str op)
{
	return str_equal(op, STR("DispatchFFNCombine"));
}

bool signature_is_matmul(struct str op)
{
	return is_one_of(op, signature_matmuls, SIGNATURE_MATMULS);
}

/* Only the first input of these operators matters, and any format of it stands for all. */
static bool is_copy(struct str op)
{
	static const char *const names[] = {"Slice", "SliceAiCore", "Transpose", "TransposeAiCore"};

	return is_one_of(op, names, sizeof names / sizeof *names);
}

/* --- cells --------------------------------------------------------------- */

static void add_slot(struct slots *slots, struct str slot)
{
	slots->slot = mem_grow(slots->slot, &slots->cap, slots->count + 1, sizeof *slots->slot);
	slots->slot[slots->count++] = slot;
}

static void split_cell(struct slots *slots, struct str cell)
{
	cell = strip(cell, true);
	while (cell.n) {
		const char *end = memchr(cell.s, ';', cell.n);
		size_t n = end ? (size_t)(end - cell.s) : cell.n;

		add_slot(slots, strip((struct str){cell.s, n}, true));
		cell.s += n + (end != NULL);
		cell.n -= n + (end != NULL);
		if (end && cell.n == 0)
			add_slot(slots, cell);
	}
}

/* The dims of a shape with commas between them, in scratch, which must have room for them. */
static struct str shape_of(struct str slot, struct buf *scratch)
{
	static const char *const nothing[] = {"()", "N/A", "NA", "NULL", "None", "none"};
	size_t start = scratch->len;
	bool between = false;

	if (is_one_of(slot, nothing, sizeof nothing / sizeof *nothing))
		return STR("");
	if (slot.n >= 2 && slot.s[0] == '(' && slot.s[slot.n - 1] == ')')
		slot = (struct str){slot.s + 1, slot.n - 2};
	for (size_t i = 0; i < slot.n; i++) {
		if (slot.s[i] == ',' || blank(slot.s[i])) {
			between = scratch->len > start;
			continue;
		}
		if (between)
			buf_char(scratch, ',');
		between = false;
		buf_char(scratch, slot.s[i]);
	}
	return (struct str){scratch->data + start, scratch->len - start};
}

static void split_shapes(struct slots *slots, struct str cell, struct buf *scratch)
{
	split_cell(slots, cell);
	scratch->len = 0;
	buf_reserve(scratch, cell.n); /* it must not move under the slots */
	for (size_t i = 0; i < slots->count; i++)
		slots->slot[i] = shape_of(slots->slot[i], scratch);
}

static void cut(struct slots *slots, size_t count)
{
	if (slots->count > count)
		slots->count = count;
}

/* A dtype or format counts only if its tensor exists. */
static void mask(struct slots *slots, const struct slots *shapes)
{
	cut(slots, shapes->count);
	for (size_t i = 0; i < slots->count; i++)
		if (shapes->slot[i].n == 0)
			slots->slot[i].n = 0;
}

/* Stores at most max dims of a shape. Returns their count; 0 if one is not a whole number. */
static size_t dims_of(struct str shape, struct str *dims, size_t max)
{
	size_t count = 0;

	while (shape.n) {
		const char *comma = memchr(shape.s, ',', shape.n);
		size_t n = comma ? (size_t)(comma - shape.s) : shape.n;

		for (size_t i = shape.s[0] == '-' && n > 1; i < n; i++)
			if (shape.s[i] < '0' || shape.s[i] > '9')
				return 0;
		if (count < max)
			dims[count] = (struct str){shape.s, n};
		count++;
		shape.s += n + (comma != NULL);
		shape.n -= n + (comma != NULL);
	}
	return count;
}

/* --- the signature ------------------------------------------------------- */

static void put_count(struct buf *out, size_t count)
{
	if (count >= 10)
		put_count(out, count / 10);
	buf_char(out, (char)('0' + count % 10));
}

/* Writes the count of slots, and each slot with a semicolon, which no slot contains. */
static void put_slots(struct buf *out, struct slots *slots)
{
	while (slots->count && slots->slot[slots->count - 1].n == 0)
		slots->count--;
	put_count(out, slots->count);
	buf_char(out, ':');
	for (size_t i = 0; i < slots->count; i++) {
		buf_str(out, slots->slot[i]);
		buf_char(out, ';');
	}
}

/*
 * Finds K of A = (M, K) times B = (N, K) or (K, N) with the output (M, N). If A does not begin with
 * M, or B does not fit, K is the one dim that A and B share and the output lacks, else the only dim
 * that they share. False without such a dim.
 */
static bool find_k(const struct str a[2], const struct str b[2], const struct str c[2],
                   struct str *k)
{
	struct str common[2];
	size_t count = 0;
	size_t inner = 0;

	*k = a[1];
	if (str_equal(a[0], c[0]) && ((str_equal(b[0], c[1]) && str_equal(a[1], b[1])) ||
	                              (str_equal(b[1], c[1]) && str_equal(a[1], b[0]))))
		return true;
	for (size_t i = 0; i < 2; i++) {
		if ((str_equal(a[i], b[0]) || str_equal(a[i], b[1])) &&
		    !(count && str_equal(a[i], common[0])))
			common[count++] = a[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (!str_equal(common[i], c[0]) && !str_equal(common[i], c[1])) {
			*k = common[i];
			inner++;
		}
	}
	if (inner != 1 && count == 1)
		*k = common[0];
	return inner == 1 || count == 1;
}

/* M, K; N, K stands for a transposed B, too. False if this is not a product of two matrices. */
static bool put_matmul(struct buf *out, struct slots slots[SIGNATURE_CELLS])
{
	const struct slots *in = &slots[INPUT_SHAPES];
	const struct slots *to = &slots[OUTPUT_SHAPES];
	struct str a[2];
	struct str b[2];
	struct str c[2];
	struct str k;

	if (in->count < 2 || to->count < 1 || dims_of(in->slot[0], a, 2) != 2 ||
	    dims_of(in->slot[1], b, 2) != 2 || dims_of(to->slot[0], c, 2) != 2 || !find_k(a, b, c, &k))
		return false;
	buf_format(out, "2:%.*s,%.*s;%.*s,%.*s;", (int)c[0].n, c[0].s, (int)k.n, k.s, (int)c[1].n,
	           c[1].s, (int)k.n, k.s);
	for (int i = INPUT_TYPES; i <= INPUT_FORMATS; i++) {
		cut(&slots[i], 2);
		put_slots(out, &slots[i]);
	}
	buf_format(out, "1:%.*s,%.*s;", (int)c[0].n, c[0].s, (int)c[1].n, c[1].s);
	mask(&slots[OUTPUT_TYPES], to);
	put_slots(out, &slots[OUTPUT_TYPES]);
	return true;
}

/* Keeps the first and the last of the slots. */
static void first_and_last(struct slots *slots)
{
	struct str last;

	if (slots->count == 0)
		return;
	last = slots->slot[slots->count - 1];
	cut(slots, 1);
	add_slot(slots, last);
}

/* The number of indices does not matter, only the number of picked rows: the output's first dim. */
static void make_index(struct slots slots[SIGNATURE_CELLS])
{
	struct str picked;

	if (slots[INPUT_SHAPES].count == 0 || slots[OUTPUT_SHAPES].count == 0 ||
	    dims_of(slots[OUTPUT_SHAPES].slot[0], &picked, 1) == 0)
		return;
	cut(&slots[INPUT_SHAPES], 1);
	add_slot(&slots[INPUT_SHAPES], picked);
	first_and_last(&slots[INPUT_TYPES]);
	first_and_last(&slots[INPUT_FORMATS]);
}

static void make_copy(struct slots slots[SIGNATURE_CELLS])
{
	cut(&slots[INPUT_SHAPES], 1);
	cut(&slots[INPUT_TYPES], 1);
	cut(&slots[INPUT_FORMATS], 1);
	if (slots[INPUT_FORMATS].count)
		slots[INPUT_FORMATS].slot[0] = STR("ND");
}

void signature_key(struct buf *out, struct str op, const struct str cells[SIGNATURE_CELLS])
{
	struct slots slots[SIGNATURE_CELLS] = {{0}}; /* slots of each cell; EP Size has none */
	struct buf scratch[2] = {{0}};

	for (int i = 0; i < EP_SIZE; i++) {
		if (i == INPUT_SHAPES || i == OUTPUT_SHAPES)
			split_shapes(&slots[i], cells[i], &scratch[i == OUTPUT_SHAPES]);
		else
			split_cell(&slots[i], cells[i]);
	}
	if (!signature_is_matmul(op) || !put_matmul(out, slots)) {
		if (str_equal(op, STR("Index")))
			make_index(slots);
		else if (is_copy(op))
			make_copy(slots);
		mask(&slots[INPUT_TYPES], &slots[INPUT_SHAPES]);
		mask(&slots[INPUT_FORMATS], &slots[INPUT_SHAPES]);
		mask(&slots[OUTPUT_TYPES], &slots[OUTPUT_SHAPES]);
		for (int i = 0; i < EP_SIZE; i++)
			put_slots(out, &slots[i]);
	}
	if (signature_has_ep_size(op)) {
		struct str ep_size = strip(cells[EP_SIZE], false);

		put_count(out, ep_size.n);
		buf_char(out, ':');
		buf_str(out, ep_size);
	}
	for (int i = 0; i < EP_SIZE; i++)
		free(slots[i].slot);
	buf_free(&scratch[0]);
	buf_free(&scratch[1]);
}

void signature_text(struct buf *out, const struct str cells[SIGNATURE_CELLS])
{
	struct str in = cells[INPUT_SHAPES];
	struct str to = cells[OUTPUT_SHAPES];

	buf_str(out, in.n ? in : STR("N/A"));
	buf_text(out, " -> ");
	buf_str(out, to.n ? to : STR("N/A"));
}
