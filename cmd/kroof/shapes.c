#include "shapes.h"

enum { NANO = 1000000000 };

const struct shapes_type *shapes_type(const struct shapes *shapes, struct str name)
{
	size_t number = strmap_find(&shapes->types, name);

	return number == STRMAP_NONE ? NULL : &shapes->type[number];
}

/* --- values ---------------------------------------------------------------------- */

static void set_number(struct expr_value *out, struct number number)
{
	out->kind = EXPR_NUMBER;
	out->number = number;
}

static struct number number_of_whole(uint64_t whole)
{
	return (struct number){(__int128)whole * NANO, NUMBER_PLACES};
}

/* False, and missing, if it is not a whole number. */
static bool whole_of(struct shapes *s, const struct expr_value *value, int64_t *out)
{
	__int128 whole = value->number.units / NANO;

	s->missing |= value->kind != EXPR_NUMBER || value->number.places != NUMBER_PLACES ||
	              value->number.units % NANO || whole != (int64_t)whole;
	*out = (int64_t)whole;
	return !s->missing;
}

/* A place among count; negative from the end. False, and missing, if it is not there. */
static bool place_of(struct shapes *s, const struct expr_value *value, size_t count, size_t *out)
{
	int64_t place;

	if (!whole_of(s, value, &place))
		return false;
	if (place < 0)
		place += (int64_t)count;
	*out = (size_t)place;
	s->missing |= place < 0 || *out >= count;
	return !s->missing;
}

static const struct args_tensor *tensor_of(struct shapes *s, const struct args_side *side,
                                           const struct expr_value *value)
{
	const struct args_tensor *tensor;
	size_t place;

	if (!place_of(s, value, side->count, &place))
		return NULL;
	tensor = &side->tensor[place];
	s->missing |= !tensor->known;
	return tensor->known ? tensor : NULL;
}

/* One that is not a list. */
static const struct args_tensor *single_of(struct shapes *s, const struct args_side *side,
                                           const struct expr_value *value)
{
	const struct args_tensor *tensor = tensor_of(s, side, value);

	if (!tensor || !tensor->list)
		return tensor;
	s->missing = true;
	return NULL;
}

static struct number product(struct shapes *s, const uint64_t *dim, size_t count)
{
	struct number out = number_of_whole(1);

	for (size_t i = 0; i < count; i++)
		s->too_large |= !number_multiply(&out, out, number_of_whole(dim[i]));
	return out;
}

/* A list of tensors whose shapes the trace does not have. */
static bool is_unrecorded(const struct args_side *side, const struct args_tensor *tensor)
{
	size_t place = (size_t)(tensor - side->tensor);

	return !tensor->list && tensor->rank == 0 && place < side->types_count &&
	       str_equal(side->type[place], STR("TensorList"));
}

/* The product of all dimensions; for a list, the sum over its tensors. */
static struct number elements(struct shapes *s, const struct args_tensor *tensor)
{
	const struct args *args = s->args;
	struct number sum = number_of_whole(0);
	size_t first = tensor->first;

	if (!tensor->list)
		return product(s, args->dims + first, tensor->rank);
	for (size_t i = 0; i < tensor->rank; i++) {
		size_t end = args->ends[tensor->ends + i];

		s->too_large |= !number_add(&sum, sum, product(s, args->dims + first, end - first));
		first = end;
	}
	return sum;
}

/* --- shapes ---------------------------------------------------------------------- */

static void dim(struct shapes *s, const struct args_side *side,
                const struct expr_value *const *args, struct expr_value *out)
{
	const struct args_tensor *tensor = single_of(s, side, args[0]);
	size_t place;

	if (tensor && place_of(s, args[1], tensor->rank, &place))
		set_number(out, number_of_whole(s->args->dims[tensor->first + place]));
}

/* A bound of a slice; negative from the end, rank is the end itself. */
static bool bound_of(struct shapes *s, const struct expr_value *value, size_t rank, size_t *out)
{
	int64_t place;

	if (!whole_of(s, value, &place))
		return false;
	if (place < 0)
		place += (int64_t)rank;
	*out = (size_t)place;
	s->missing |= place < 0 || *out > rank;
	return !s->missing;
}

/* The dimensions from .. to of an argument; they are all without from. */
static bool slice(struct shapes *s, const struct args_side *side,
                  const struct expr_value *const *args, size_t count, const uint64_t **first,
                  size_t *length)
{
	const struct args_tensor *tensor = single_of(s, side, args[0]);
	size_t from = 0;
	size_t to;

	if (!tensor)
		return false;
	to = tensor->rank;
	if ((count > 1 && !bound_of(s, args[1], tensor->rank, &from)) ||
	    (count > 2 && !bound_of(s, args[2], tensor->rank, &to)))
		return false;
	s->missing |= from > to;
	*first = s->args->dims + tensor->first + from;
	*length = to - from;
	return from <= to;
}

/* Makes a vector of whole numbers. */
static void set_vector(struct shapes *s, struct expr_value *out, const uint64_t *item, size_t count)
{
	struct expr_vector *vector;

	if (count > EXPR_VECTOR_MAX) {
		s->missing = true;
		return;
	}
	vector = expr_make_vector(out, count);
	for (size_t i = 0; i < count; i++)
		vector->item[i] = number_of_whole(item[i]);
}

static void dims(struct shapes *s, const struct args_side *side,
                 const struct expr_value *const *args, size_t count, struct expr_value *out)
{
	const uint64_t *first;
	size_t length;

	if (slice(s, side, args, count, &first, &length))
		set_vector(s, out, first, length);
}

/* The product of all arguments; nothing if one is not known. */
static void prod_all(struct shapes *s, const struct args_side *side, struct expr_value *out)
{
	struct number sum = number_of_whole(0);

	for (size_t i = 0; i < side->count; i++) {
		const struct args_tensor *tensor = &side->tensor[i];

		if (!tensor->known || is_unrecorded(side, tensor))
			return;
		s->too_large |= !number_add(&sum, sum, elements(s, tensor));
	}
	set_number(out, sum);
}

static void prod(struct shapes *s, const struct args_side *side,
                 const struct expr_value *const *args, size_t count, struct expr_value *out)
{
	const uint64_t *first;
	size_t length;

	if (count == 0) {
		prod_all(s, side, out);
	} else if (args[0]->kind == EXPR_VECTOR) {
		struct number product = number_of_whole(1);

		for (size_t i = 0; i < args[0]->vector->count; i++)
			s->too_large |= !number_multiply(&product, product, args[0]->vector->item[i]);
		set_number(out, product);
	} else if (count == 1) {
		const struct args_tensor *tensor = tensor_of(s, side, args[0]);

		if (tensor && !is_unrecorded(side, tensor))
			set_number(out, elements(s, tensor));
	} else if (slice(s, side, args, count, &first, &length)) {
		set_number(out, product(s, first, length));
	}
}

static void rank(struct shapes *s, const struct args_side *side,
                 const struct expr_value *const *args, struct expr_value *out)
{
	const struct args_tensor *tensor = single_of(s, side, args[0]);

	if (tensor)
		set_number(out, number_of_whole(tensor->rank));
}

/* The shape of an argument of out(). A vector is one. */
static bool shape_of(struct shapes *s, const struct expr_value *value, struct expr_vector *shape)
{
	const struct args_tensor *tensor;

	if (value->kind == EXPR_VECTOR) {
		*shape = *value->vector;
		return true;
	}
	tensor = single_of(s, &s->args->in, value);
	if (!tensor)
		return false;
	s->missing |= tensor->rank > EXPR_VECTOR_MAX;
	shape->count = tensor->rank > EXPR_VECTOR_MAX ? 0 : tensor->rank;
	for (size_t i = 0; i < shape->count; i++)
		shape->item[i] = number_of_whole(s->args->dims[tensor->first + i]);
	return !s->missing;
}

/* Broadcasts more into shape. False if they do not go together. */
static bool broadcast(struct expr_vector *shape, const struct expr_vector *more)
{
	const struct number one = number_of_whole(1);
	struct expr_vector result = shape->count >= more->count ? *shape : *more;
	const struct expr_vector *other = shape->count >= more->count ? more : shape;

	for (size_t i = 0; i < other->count; i++) {
		struct number *a = &result.item[result.count - 1 - i];
		struct number b = other->item[other->count - 1 - i];

		if (number_compare(*a, one) == 0)
			*a = b;
		else if (number_compare(b, one) != 0 && number_compare(*a, b) != 0)
			return false;
	}
	*shape = result;
	return true;
}

static void broadcast_all(struct shapes *s, const struct expr_value *const *args, size_t count,
                          struct expr_value *out)
{
	struct expr_vector shape = {0};
	struct expr_vector more;

	for (size_t i = 0; i < count; i++) {
		if (!shape_of(s, args[i], &more))
			return;
		if (!broadcast(&shape, &more)) {
			s->missing = true;
			return;
		}
	}
	*expr_make_vector(out, shape.count) = shape;
}

/* --- types ----------------------------------------------------------------------- */

/* The type of an argument; empty if it is not known. */
static struct str type_at(const struct args_side *side, size_t place)
{
	return place < side->types_count ? side->type[place] : STR("");
}

static void type(struct shapes *s, const struct args_side *side,
                 const struct expr_value *const *args, struct expr_value *out)
{
	size_t place;

	if (!place_of(s, args[0], side->count > side->types_count ? side->count : side->types_count,
	              &place))
		return;
	out->kind = EXPR_TEXT;
	out->text = type_at(side, place);
}

static const struct shapes_type *type_of(const struct shapes *s, const struct args_side *side,
                                         const struct args_tensor *tensor)
{
	return tensor->list ? NULL : shapes_type(s, type_at(side, (size_t)(tensor - side->tensor)));
}

static void size(struct shapes *s, const struct args_side *side,
                 const struct expr_value *const *args, struct expr_value *out)
{
	const struct args_tensor *tensor = tensor_of(s, side, args[0]);
	const struct shapes_type *known = tensor ? type_of(s, side, tensor) : NULL;

	if (known)
		set_number(out, number_of(known->size));
}

/* The bytes of a tensor, up to a whole one. */
static struct number bytes_of(struct shapes *s, const struct args_tensor *tensor, struct dec size)
{
	struct number product = elements(s, tensor);
	__int128 part;

	s->too_large |= !number_multiply(&product, product, number_of(size));
	part = product.units % NANO;
	if (part)
		s->too_large |= __builtin_add_overflow(product.units, NANO - part, &product.units);
	return product;
}

/* Adds the bytes of a tensor to sum; false if they are not known. */
static bool add_bytes(struct shapes *s, const struct args_side *side,
                      const struct args_tensor *tensor, struct number *sum)
{
	const struct shapes_type *of = type_of(s, side, tensor);

	if (!tensor->list && tensor->rank == 0 && (side->places || !of))
		return !is_unrecorded(side, tensor);
	if (of)
		s->too_large |= !number_add(sum, *sum, bytes_of(s, tensor, of->size));
	return of != NULL;
}

/* Without arguments all count. An unknown size makes the sum unknown. */
static void bytes(struct shapes *s, const struct args_side *side,
                  const struct expr_value *const *args, size_t count, struct expr_value *out)
{
	struct number sum = number_of_whole(0);
	bool known = true;

	for (size_t i = 0; i < (count ? count : side->count); i++) {
		const struct args_tensor *tensor = count ? tensor_of(s, side, args[i]) : &side->tensor[i];

		if (!tensor)
			return;
		known = tensor->known && add_bytes(s, side, tensor, &sum) && known;
	}
	if (known)
		set_number(out, sum);
}

/* The elements of the largest tensor of which an element has a size; 0 without any. */
static struct number largest(struct shapes *s, const struct args_side *side)
{
	struct number most = number_of_whole(0);

	for (size_t i = 0; i < side->count; i++) {
		const struct args_tensor *tensor = &side->tensor[i];
		struct number of;

		if (!tensor->known || !type_of(s, side, tensor))
			continue;
		of = elements(s, tensor);
		if (number_compare(of, most) > 0)
			most = of;
	}
	return most;
}

/*
 * The elements that a generated kernel computes: its last arguments are their numbers along each
 * dimension of the grid, after other numbers.
 */
static void grid_elements(struct shapes *s, struct expr_value *out)
{
	const struct args_side *side = &s->args->in;
	const struct number most = largest(s, side);
	const struct number one = number_of_whole(1);
	struct number product = one;
	bool any = false;

	for (size_t i = side->types_count; i-- > 0;) {
		struct number more = product;
		struct dec number;

		if (!str_equal(side->type[i], STR("Scalar")))
			continue;
		if (i >= s->args->values_count ||
		    dec_parse(str_trim(s->args->value[i]), &number) != DEC_OK || number.nano % NANO ||
		    number_compare(number_of(number), one) < 0 ||
		    !number_multiply(&more, product, number_of(number)) || number_compare(more, most) > 0)
			break;
		product = more;
		any = true;
	}
	if (any)
		set_number(out, product);
	s->missing |= !any;
}

/* Whether there is such an argument, and it is neither a number nor left out. */
static void given(struct shapes *s, const struct expr_value *const *args, struct expr_value *out)
{
	const struct args_side *side = &s->args->in;
	bool missing = s->missing;
	size_t place;

	out->kind = EXPR_CONDITION;
	out->holds = place_of(s, args[0], side->count, &place) && side->tensor[place].rank > 0;
	s->missing = missing;
}

/* The format of an argument: "ND". */
static void format(struct shapes *s, const struct expr_value *const *args, struct expr_value *out)
{
	size_t place;
	const char *colon;

	if (!place_of(s, args[0], s->args->formats_count, &place))
		return;
	out->kind = EXPR_TEXT;
	out->text = s->args->format[place];
	colon = out->text.n ? memchr(out->text.s, ':', out->text.n) : NULL;
	if (colon)
		out->text.n = (size_t)(colon - out->text.s);
	s->missing |= out->text.n == 0;
}

/* --- values of arguments ----------------------------------------------------------- */

/* The value at an index. False, and missing, if there is no such value. */
static bool value_of(struct shapes *s, const struct expr_value *index, struct str *value)
{
	size_t place;

	if (!place_of(s, index, s->args->values_count, &place))
		return false;
	*value = str_trim(s->args->value[place]);
	return true;
}

static bool is_one_of(struct str text, struct str a, struct str b, struct str c)
{
	return str_equal(text, a) || str_equal(text, b) || str_equal(text, c);
}

static void flag(struct shapes *s, const struct expr_value *const *args, size_t count,
                 struct expr_value *out)
{
	struct str value;
	struct str list;
	int64_t place = 0;

	out->kind = EXPR_CONDITION;
	if (!value_of(s, args[0], &value))
		return;
	if (count > 1) {
		if (!whole_of(s, args[1], &place))
			return;
		s->missing |= place < 0 || !args_is_list(value, &list);
		do
			s->missing |= s->missing || !args_item(&list, &value);
		while (place-- > 0 && !s->missing);
	}
	out->holds = is_one_of(value, STR("True"), STR("true"), STR("1"));
	s->missing |= !out->holds && !is_one_of(value, STR("False"), STR("false"), STR("0"));
}

/* The numbers of a list. */
static bool numbers_of(struct str list, struct expr_vector *vector)
{
	struct str item;
	struct dec number;

	vector->count = 0;
	while (args_item(&list, &item)) {
		if (vector->count == EXPR_VECTOR_MAX || dec_parse(item, &number) > DEC_ROUNDED)
			return false;
		vector->item[vector->count++] = number_of(number);
	}
	return true;
}

/* With a second argument: that, if the value is missing or None, which is empty. */
static void nums(struct shapes *s, const struct expr_value *const *args, size_t count,
                 struct expr_value *out)
{
	bool missing = s->missing;
	struct str value;
	struct str list;
	struct dec number;

	if (!value_of(s, args[0], &value) || value.n == 0) {
		s->missing = missing || count == 1;
		if (count > 1 && args[1]->kind == EXPR_NUMBER)
			set_number(out, args[1]->number);
		return;
	}
	if (args_is_list(value, &list)) {
		s->missing |= !numbers_of(list, expr_make_vector(out, 0));
	} else if (dec_parse(value, &number) <= DEC_ROUNDED) {
		set_number(out, number_of(number));
	} else {
		s->missing = true;
	}
}

/* Sets bits of dimensions that a reduction takes away. None are named: all. */
static bool reduced(struct shapes *s, struct str value, size_t rank_of, uint64_t *mask)
{
	struct expr_vector numbers;
	struct str list = value;

	args_is_list(value, &list);
	*mask = list.n ? 0 : UINT64_MAX;
	s->missing |= !numbers_of(list, &numbers);
	for (size_t i = 0; !s->missing && i < numbers.count; i++) {
		struct expr_value number = {.kind = EXPR_NUMBER, .number = numbers.item[i]};
		size_t place;

		if (place_of(s, &number, rank_of, &place))
			*mask |= UINT64_C(1) << place;
	}
	return !s->missing;
}

static void kept(struct shapes *s, const struct expr_value *const *args, struct expr_value *out)
{
	const struct args_tensor *tensor = single_of(s, &s->args->in, args[0]);
	struct expr_vector *vector;
	struct str value;
	uint64_t mask;

	if (!tensor || !value_of(s, args[1], &value))
		return;
	if (tensor->rank > EXPR_VECTOR_MAX) {
		s->missing = true;
		return;
	}
	if (!reduced(s, value, tensor->rank, &mask))
		return;
	vector = expr_make_vector(out, 0);
	for (size_t i = 0; i < tensor->rank; i++)
		if (!(mask >> i & 1))
			vector->item[vector->count++] = number_of_whole(s->args->dims[tensor->first + i]);
}

/* --- pairs ------------------------------------------------------------------------- */

/* The sum of min(i, width) for i from 1 to n; 0 if n is below 1. */
static __int128 staircase(__int128 n, int64_t width)
{
	__int128 top = n < width ? n : width;

	return n < 1 ? 0 : top * (top + 1) / 2 + (n - top) * width;
}

/* The pairs of row i and column j with j < i + end. */
static __int128 columns_before(int64_t rows, int64_t width, int64_t end)
{
	return staircase((__int128)end + rows - 1, width) - staircase((__int128)end - 1, width);
}

/* band(rows, width, from, to): the pairs of row i and column j with i + from <= j <= i + to. */
static void band(struct shapes *s, const struct expr_value *const *args, struct expr_value *out)
{
	const int64_t limit = INT64_C(1) << 40; /* the pairs of so many rows and columns fit */
	int64_t value[4];
	__int128 pairs;

	for (int i = 0; i < 4; i++) {
		if (!whole_of(s, args[i], &value[i]))
			return;
		if (value[i] > limit || value[i] < -limit) {
			s->too_large = true;
			return;
		}
	}
	pairs = columns_before(value[0], value[1], value[3] + 1) -
	        columns_before(value[0], value[1], value[2]);
	set_number(out, (struct number){pairs > 0 ? pairs * NANO : 0, NUMBER_PLACES});
}

/* --- texts ------------------------------------------------------------------------- */

/* The text of a value; false, and missing, if it is not a text. */
static bool text_of(struct shapes *s, const struct expr_value *value, struct str *text)
{
	bool is_text = value->kind == EXPR_TEXT || value->kind == EXPR_LITERAL;

	*text = value->text;
	s->missing |= !is_text;
	return is_text;
}

static void number_in(struct shapes *s, const struct expr_value *const *args,
                      struct expr_value *out)
{
	struct dec number;
	struct str text;

	if (args[0]->kind == EXPR_NUMBER)
		set_number(out, args[0]->number);
	else if (text_of(s, args[0], &text) && dec_parse(str_trim(text), &number) <= DEC_ROUNDED)
		set_number(out, number_of(number));
	else
		s->missing = true;
}

static void cost(struct shapes *s, const struct expr_value *const *args, struct expr_value *out)
{
	struct str text;
	uint64_t sum;

	if (text_of(s, args[0], &text) && costs_sum(&s->costs, text, &sum))
		set_number(out, number_of_whole(sum));
	else
		s->missing = true;
}

size_t shapes_column(const struct shapes *s, struct str name)
{
	for (size_t i = 0; i < s->columns.count; i++)
		if (str_equal(s->columns.item[i], name))
			return i;
	return SIZE_MAX;
}

static void column(struct shapes *s, const struct expr_value *const *args, struct expr_value *out)
{
	size_t number = shapes_column(s, args[0]->text);

	out->kind = EXPR_TEXT;
	out->text = number < s->columns.count ? s->column[number] : STR("");
	s->missing |= out->text.n == 0;
}

/* --- the table --------------------------------------------------------------------- */

enum which {
	DIM,
	DIMS,
	PROD,
	RANK,
	SIZE,
	BYTES,
	TYPE,
	OUTPUTS, /* added to a figure of the inputs gives the figure of the outputs */
	OUT = 2 * OUTPUTS,
	KEPT,
	FLAG,
	NUMS,
	GIVEN,
	BAND,
	ELEMENTS,
	NUMBER,
	COST,
	COLUMN,
	FORMAT
};

static void call(void *arg, int which, const struct expr_value *const *args, size_t count,
                 struct expr_value *out)
{
	struct shapes *s = arg;
	const struct args_side *side = which < OUTPUTS ? &s->args->in : &s->args->out;

	switch (which < OUT ? which % OUTPUTS : which) {
	case DIM:
		dim(s, side, args, out);
		break;
	case DIMS:
		dims(s, side, args, count, out);
		break;
	case PROD:
		prod(s, side, args, count, out);
		break;
	case RANK:
		rank(s, side, args, out);
		break;
	case SIZE:
		size(s, side, args, out);
		break;
	case BYTES:
		bytes(s, side, args, count, out);
		break;
	case TYPE:
		type(s, side, args, out);
		break;
	case OUT:
		broadcast_all(s, args, count, out);
		break;
	case KEPT:
		kept(s, args, out);
		break;
	case FLAG:
		flag(s, args, count, out);
		break;
	case NUMS:
		nums(s, args, count, out);
		break;
	case GIVEN:
		given(s, args, out);
		break;
	case BAND:
		band(s, args, out);
		break;
	case ELEMENTS:
		grid_elements(s, out);
		break;
	case NUMBER:
		number_in(s, args, out);
		break;
	case COST:
		cost(s, args, out);
		break;
	case COLUMN:
		column(s, args, out);
		break;
	default:
		format(s, args, out);
	}
}

const struct expr_function shapes_functions[] = {
	{"dim", 2, 2, false, call, DIM},
	{"dims", 1, 3, false, call, DIMS},
	{"prod", 0, 3, false, call, PROD},
	{"rank", 1, 1, false, call, RANK},
	{"size", 1, 1, false, call, SIZE},
	{"bytes", 0, SIZE_MAX, false, call, BYTES},
	{"type", 1, 1, false, call, TYPE},
	{"odim", 2, 2, false, call, OUTPUTS + DIM},
	{"odims", 1, 3, false, call, OUTPUTS + DIMS},
	{"oprod", 0, 3, false, call, OUTPUTS + PROD},
	{"orank", 1, 1, false, call, OUTPUTS + RANK},
	{"osize", 1, 1, false, call, OUTPUTS + SIZE},
	{"obytes", 0, SIZE_MAX, false, call, OUTPUTS + BYTES},
	{"otype", 1, 1, false, call, OUTPUTS + TYPE},
	{"out", 1, SIZE_MAX, false, call, OUT},
	{"kept", 2, 2, false, call, KEPT},
	{"flag", 1, 2, true, call, FLAG},
	{"nums", 1, 2, false, call, NUMS},
	{"given", 1, 1, true, call, GIVEN},
	{"band", 4, 4, false, call, BAND},
	{"elements", 0, 0, false, call, ELEMENTS},
	{"number", 1, 1, false, call, NUMBER},
	{"cost", 1, 1, false, call, COST},
	{"column", 1, 1, false, call, COLUMN},
	{"format", 1, 1, false, call, FORMAT},
};

const size_t shapes_functions_count = sizeof shapes_functions / sizeof *shapes_functions;

bool shapes_is_column(const struct expr_function *function)
{
	return function->call == call && function->which == COLUMN;
}
