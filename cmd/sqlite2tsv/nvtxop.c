#include "nvtxop.h"

/* Takes the label off the front of the text. */
static bool take_label(struct str *text, struct str label)
{
	if (!str_starts(*text, label))
		return false;
	*text = (struct str){text->s + label.n, text->n - label.n};
	return true;
}

/* The length of the digits at the front; 0 also if they are too many for a number. */
static size_t digits(struct str text)
{
	enum { DIGITS = 18 };
	size_t n = 0;

	while (n < text.n && text.s[n] >= '0' && text.s[n] <= '9')
		n++;
	return n <= DIGITS ? n : 0;
}

/*
 * The length of a list of numbers and lists at the front, whose outer brackets are [ and ], and
 * those of the lists in it [ and ] or ( and ); 0 without one. Lists of tensors nest deeper.
 */
static size_t list(struct str text, bool round)
{
	char open = round ? '(' : '[';
	char close = round ? ')' : ']';
	size_t depth = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.s[i];

		if (i == 0 ? c == '[' : c == open)
			depth++;
		else if (depth > 1 && c == close)
			depth--;
		else if (depth == 1 && c == ']')
			return i + 1;
		else if (i == 0 || !(c == ',' || c == ' ' || c == '-' || (c >= '0' && c <= '9')))
			return 0;
	}
	return 0;
}

enum part { SEQUENCE, ID, SIZES, INPUTS, PARTS };

/* Reads the suffixes, which must be all of the text. */
static bool read_suffixes(struct str text, struct nvtxop *op)
{
	static const struct str labels[PARTS] = {[SEQUENCE] = {", seq = ", 8},
	                                         [ID] = {", op_id = ", 10},
	                                         [SIZES] = {", sizes = ", 10},
	                                         [INPUTS] = {", input_op_ids = ", 17}};
	struct str inputs;
	struct str *const parts[PARTS] = {
		[SEQUENCE] = &op->sequence, [ID] = &op->id, [SIZES] = &op->sizes, [INPUTS] = &inputs};

	*op = (struct nvtxop){.name = {0}};
	for (enum part i = 0; i < PARTS; i++) {
		size_t n;

		if (!take_label(&text, labels[i]))
			continue;
		n = i < SIZES ? digits(text) : list(text, i == INPUTS);
		if (n == 0)
			return false;
		*parts[i] = (struct str){text.s, n};
		text = (struct str){text.s + n, text.n - n};
	}
	return text.n == 0;
}

/* PyTorch leaves the suffix out if it has nothing to say. */
static bool is_aten(struct str text)
{
	struct str rest = text;

	if (!take_label(&rest, STR("aten::")) || !rest.n)
		return false;
	for (size_t i = 0; i < rest.n; i++) {
		char c = rest.s[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '.'))
			return false;
	}
	return true;
}

/*
 * A suffix has no letters but those of its label, so the texts that are looked at from each comma
 * hardly overlap.
 */
bool nvtxop_read(struct str text, struct nvtxop *op)
{
	for (size_t i = 1; i < text.n; i++) {
		if (text.s[i] != ',' || !read_suffixes((struct str){text.s + i, text.n - i}, op))
			continue;
		op->name = (struct str){text.s, i};
		return true;
	}
	*op = (struct nvtxop){.name = text};
	return is_aten(text);
}

void nvtxop_put_sizes(struct buf *out, struct str sizes)
{
	for (size_t i = 0; i < sizes.n; i++)
		if (sizes.s[i] != ' ')
			buf_char(out, sizes.s[i]);
}
