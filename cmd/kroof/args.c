#include "args.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const args_columns[ARGS_COLUMNS] = {
	[ARGS_INPUT_DIMS] = "Input Dims",
	[ARGS_INPUT_TYPE] = "Input type",
	[ARGS_INPUT_STRIDES] = "Input Strides",
	[ARGS_CONCRETE] = "Concrete Inputs",
	[ARGS_INPUT_SHAPES] = "Input Shapes",
	[ARGS_INPUT_DATA_TYPES] = "Input Data Types",
	[ARGS_INPUT_FORMATS] = "Input Formats",
	[ARGS_OUTPUT_SHAPES] = "Output Shapes",
	[ARGS_OUTPUT_DATA_TYPES] = "Output Data Types",
	[ARGS_OUTPUT_FORMATS] = "Output Formats",
};

/* --- lists ------------------------------------------------------------------- */

bool args_is_list(struct str text, struct str *inside)
{
	text = str_trim(text);
	if (text.n < 2 || text.s[0] != '[' || text.s[text.n - 1] != ']')
		return false;
	*inside = str_trim((struct str){text.s + 1, text.n - 2});
	return true;
}

/* The length of a string in quotes at s, up to the end of the text if the quote is missing. */
static size_t string_length(struct str text)
{
	size_t i = 1;

	while (i < text.n && text.s[i] != '"')
		i += text.s[i] == '\\' ? 2 : 1;
	return i < text.n ? i + 1 : text.n;
}

bool args_item(struct str *list, struct str *item)
{
	size_t depth = 0;
	size_t i = 0;

	if (list->n == 0)
		return false;
	while (i < list->n && (depth || list->s[i] != ',')) {
		char c = list->s[i];

		if (c == '"') {
			i += string_length((struct str){list->s + i, list->n - i});
			continue;
		}
		depth += c == '[';
		depth -= c == ']' && depth;
		i++;
	}
	*item = str_trim((struct str){list->s, i});
	if (i == list->n)
		*list = (struct str){list->s + i, 0};
	else
		*list = (struct str){list->s + i + 1, list->n - i - 1};
	return true;
}

/* --- what both forms have ------------------------------------------------------ */

static struct args_tensor *add_tensor(struct args *args, struct args_side *side)
{
	struct args_tensor *tensor;

	side->tensor = mem_grow(side->tensor, &side->cap, side->count + 1, sizeof *side->tensor);
	tensor = &side->tensor[side->count++];
	*tensor = (struct args_tensor){.first = args->dims_count, .ends = args->ends_count};
	return tensor;
}

static void add_type(struct args_side *side, struct str type)
{
	side->type = mem_grow(side->type, &side->types_cap, side->types_count + 1, sizeof *side->type);
	side->type[side->types_count++] = type;
}

/* Adds the dimensions in text. False, and nothing added, if one is not a whole number. */
static bool add_dims(struct args *args, struct str text, size_t *rank)
{
	size_t before = args->dims_count;
	struct str item;

	while (args_item(&text, &item)) {
		uint64_t dim;

		if (!str_whole(item, &dim)) {
			args->dims_count = before;
			return false;
		}
		args->dims =
			mem_grow(args->dims, &args->dims_cap, args->dims_count + 1, sizeof *args->dims);
		args->dims[args->dims_count++] = dim;
	}
	*rank = args->dims_count - before;
	return true;
}

/* --- PyTorch -------------------------------------------------------------------- */

/* [[2,3],[4]]: the dimensions of each tensor, one after the other. */
static bool add_list(struct args *args, struct args_tensor *tensor, struct str text)
{
	struct str item;
	struct str inside;
	size_t rank;

	tensor->list = true;
	while (args_item(&text, &item)) {
		if (!args_is_list(item, &inside) || !add_dims(args, inside, &rank))
			return false;
		args->ends =
			mem_grow(args->ends, &args->ends_cap, args->ends_count + 1, sizeof *args->ends);
		args->ends[args->ends_count++] = args->dims_count;
		tensor->rank++;
	}
	return true;
}

/* Input Dims. */
static bool parse_dims(struct args *args, struct str text)
{
	struct str item;
	struct str inside;
	bool good = true;

	if (!args_is_list(text, &text))
		return false;
	while (args_item(&text, &item)) {
		struct args_tensor *tensor = add_tensor(args, &args->in);

		if (!args_is_list(item, &inside))
			tensor->known = false;
		else if (inside.n && inside.s[0] == '[')
			tensor->known = add_list(args, tensor, inside);
		else
			tensor->known = add_dims(args, inside, &tensor->rank);
		good &= tensor->known;
	}
	return good;
}

/* The text of a string of JSON; of something else as it stands. */
static struct str string_of(struct args *args, struct str json)
{
	size_t start = args->text.len;

	if (json.n < 2 || json.s[0] != '"' || json.s[json.n - 1] != '"')
		return json;
	json = (struct str){json.s + 1, json.n - 2};
	if (!str_has_byte(json, '\\'))
		return json;
	for (size_t i = 0; i < json.n; i++) {
		if (json.s[i] == '\\' && i + 1 < json.n && (json.s[i + 1] == '"' || json.s[i + 1] == '\\'))
			i++;
		buf_char(&args->text, json.s[i]);
	}
	return (struct str){args->text.data + start, args->text.len - start};
}

static bool parse_types(struct args *args, struct str text)
{
	struct str item;

	if (!args_is_list(text, &text))
		return false;
	while (args_item(&text, &item))
		add_type(&args->in, string_of(args, item));
	return true;
}

static bool parse_values(struct args *args, struct str text)
{
	struct str item;

	if (!args_is_list(text, &text))
		return false;
	while (args_item(&text, &item)) {
		args->value =
			mem_grow(args->value, &args->values_cap, args->values_count + 1, sizeof *args->value);
		args->value[args->values_count++] = string_of(args, item);
	}
	return true;
}

/* --- Ascend --------------------------------------------------------------------- */

/* Takes the next place off a list with ; between. An empty text is one place, as " is. */
static bool next_place(struct str *list, struct str *place)
{
	const char *end;

	if (!list->s)
		return false;
	end = list->n ? memchr(list->s, ';', list->n) : NULL;
	*place = (struct str){list->s, end ? (size_t)(end - list->s) : list->n};
	*list = end ? (struct str){end + 1, list->n - place->n - 1} : (struct str){NULL, 0};
	*place = str_trim(*place);
	return true;
}

/* Without the quotes around it; .s is NULL if there is no list. */
static struct str places_of(struct str text)
{
	text = str_trim(text);
	if (text.n == 0 || str_equal(text, STR("N/A")))
		return (struct str){NULL, 0};
	if (text.n >= 2 && text.s[0] == '"' && text.s[text.n - 1] == '"')
		text = (struct str){text.s + 1, text.n - 2};
	return text;
}

static bool parse_shapes(struct args *args, struct args_side *side, struct str text)
{
	struct str list = places_of(text);
	struct str place;
	bool good = true;

	while (next_place(&list, &place)) {
		struct args_tensor *tensor = add_tensor(args, side);

		tensor->known = str_equal(place, STR("()")) || add_dims(args, place, &tensor->rank);
		good &= tensor->known;
	}
	return good;
}

static void parse_places(struct args_side *side, struct str text)
{
	struct str list = places_of(text);
	struct str place;

	while (next_place(&list, &place))
		add_type(side, place);
}

/* Makes one dimension of two; false if it is too large. */
static bool join(uint64_t *dim, uint64_t other)
{
	return !__builtin_mul_overflow(*dim, other, dim);
}

/* Undoes the blocks of a format. */
static void undo(struct args *args, struct args_tensor *tensor, struct str format)
{
	uint64_t *dim = args->dims + tensor->first;
	uint64_t *last = dim + tensor->rank;
	const char *colon = format.n ? memchr(format.s, ':', format.n) : NULL;

	if (colon)
		format.n = (size_t)(colon - format.s);
	if (str_starts(format, STR("FRACTAL_NZ")) && tensor->rank >= 4) {
		uint64_t columns = last[-4];

		tensor->known = join(&last[-3], last[-2]) && join(&columns, last[-1]);
		last[-4] = last[-3];
		last[-3] = columns;
		tensor->rank -= 2;
	} else if (str_equal(format, STR("NC1HWC0")) && tensor->rank == 5) {
		tensor->known = join(&dim[1], dim[4]);
		tensor->rank = 4;
	}
}

static void parse_formats(struct args *args, struct str text)
{
	struct str list = places_of(text);
	struct str place;

	while (next_place(&list, &place)) {
		args->format = mem_grow(args->format, &args->formats_cap, args->formats_count + 1,
		                        sizeof *args->format);
		args->format[args->formats_count++] = place;
	}
}

static void undo_formats(struct args *args, struct args_side *side, struct str text)
{
	struct str list = places_of(text);
	struct str place;

	for (size_t i = 0; i < side->count && next_place(&list, &place); i++)
		if (side->tensor[i].known)
			undo(args, &side->tensor[i], place);
}

/* --- all columns ------------------------------------------------------------------ */

bool args_parse(struct args *args, const struct str fields[ARGS_COLUMNS])
{
	bool good = true;

	args->in.count = args->in.types_count = args->out.count = args->out.types_count = 0;
	args->formats_count = args->values_count = args->dims_count = args->ends_count =
		args->text.len = 0;
	args->dims = mem_grow(args->dims, &args->dims_cap, 1, sizeof *args->dims); /* never NULL */
	args->in.places = fields[ARGS_INPUT_DIMS].n == 0;
	args->out.places = true;
	buf_reserve(&args->text, fields[ARGS_INPUT_TYPE].n + fields[ARGS_CONCRETE].n);
	if (fields[ARGS_INPUT_DIMS].n)
		good &= parse_dims(args, fields[ARGS_INPUT_DIMS]);
	else
		good &= parse_shapes(args, &args->in, fields[ARGS_INPUT_SHAPES]);
	if (fields[ARGS_INPUT_TYPE].n)
		good &= parse_types(args, fields[ARGS_INPUT_TYPE]);
	else
		parse_places(&args->in, fields[ARGS_INPUT_DATA_TYPES]);
	if (fields[ARGS_CONCRETE].n)
		good &= parse_values(args, fields[ARGS_CONCRETE]);
	parse_formats(args, fields[ARGS_INPUT_FORMATS]);
	undo_formats(args, &args->in, fields[ARGS_INPUT_FORMATS]);
	good &= parse_shapes(args, &args->out, fields[ARGS_OUTPUT_SHAPES]);
	parse_places(&args->out, fields[ARGS_OUTPUT_DATA_TYPES]);
	undo_formats(args, &args->out, fields[ARGS_OUTPUT_FORMATS]);
	return good;
}

static void free_side(struct args_side *side)
{
	free(side->tensor);
	free(side->type);
}

void args_free(struct args *args)
{
	free_side(&args->in);
	free_side(&args->out);
	free(args->value);
	free(args->format);
	free(args->dims);
	free(args->ends);
	buf_free(&args->text);
	*args = (struct args){0};
}
