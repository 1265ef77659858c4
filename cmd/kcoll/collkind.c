#include "collkind.h"

const char *const collkind_names[COLLKINDS] = {
	[COLLKIND_ALLREDUCE] = "allreduce",
	[COLLKIND_ALLGATHER] = "allgather",
	[COLLKIND_REDUCE_SCATTER] = "reduce_scatter",
	[COLLKIND_ALL_TO_ALL] = "all_to_all",
	[COLLKIND_BARRIER] = "barrier",
	[COLLKIND_BROADCAST] = "broadcast",
	[COLLKIND_REDUCE] = "reduce",
	[COLLKIND_GATHER] = "gather",
	[COLLKIND_SCATTER] = "scatter",
	[COLLKIND_SEND] = "send",
	[COLLKIND_RECV] = "recv",
	[COLLKIND_SENDRECV] = "sendrecv",
	[COLLKIND_UNKNOWN] = "unknown",
};

#define WORD(text)             \
	{                          \
		text, sizeof(text) - 1 \
	}

/* Words in names, without underscores; a longer word comes before words that it contains. */
static const struct {
	struct str word;
	enum collkind kind;
} words[] = {
	{WORD("barrier"), COLLKIND_BARRIER},     {WORD("reducescatter"), COLLKIND_REDUCE_SCATTER},
	{WORD("allreduce"), COLLKIND_ALLREDUCE}, {WORD("crossdevicereduce"), COLLKIND_ALLREDUCE},
	{WORD("allgather"), COLLKIND_ALLGATHER}, {WORD("alltoall"), COLLKIND_ALL_TO_ALL},
	{WORD("sendrecv"), COLLKIND_SENDRECV},   {WORD("broadcast"), COLLKIND_BROADCAST},
	{WORD("reduce"), COLLKIND_REDUCE},       {WORD("gather"), COLLKIND_GATHER},
	{WORD("scatter"), COLLKIND_SCATTER},     {WORD("send"), COLLKIND_SEND},
	{WORD("recv"), COLLKIND_RECV},
};

enum { WORDS = sizeof words / sizeof *words, LONGEST_NAME = 256 };

bool collkind_parse(struct str name, enum collkind *kind)
{
	for (int i = 0; i < COLLKINDS; i++)
		if (str_equal(name, str_of(collkind_names[i]))) {
			*kind = (enum collkind)i;
			return true;
		}
	return false;
}

enum collkind collkind_of(struct str text)
{
	char plain[LONGEST_NAME];
	struct str name = {plain, 0};

	/* Arguments of a kernel would be mistaken for its name: (ncclDevComm*, ...). */
	for (size_t i = 0; i < text.n && name.n < sizeof plain && text.s[i] != '('; i++)
		if (text.s[i] != '_')
			plain[name.n++] = text.s[i];
	for (size_t i = 0; i < WORDS; i++)
		if (str_has_any_case(name, words[i].word))
			return words[i].kind;
	return COLLKIND_UNKNOWN;
}

bool collkind_waits(enum collkind kind)
{
	return kind <= COLLKIND_BARRIER;
}

bool collkind_is_named(enum collkind kind)
{
	return kind <= COLLKIND_SCATTER;
}

bool collkind_by_output(enum collkind kind)
{
	return kind == COLLKIND_ALLGATHER || kind == COLLKIND_GATHER;
}

bool collkind_is_even(enum collkind kind)
{
	return kind <= COLLKIND_REDUCE && kind != COLLKIND_ALL_TO_ALL;
}

bool collkind_factor(enum collkind kind, uint64_t n, uint64_t *numerator, uint64_t *denominator)
{
	if (n == 0 || n > UINT32_MAX)
		return false;
	*numerator = n - 1;
	*denominator = n;
	switch (kind) {
	case COLLKIND_ALLREDUCE:
		*numerator = 2 * (n - 1);
		return true;
	case COLLKIND_ALLGATHER:
	case COLLKIND_REDUCE_SCATTER:
	case COLLKIND_ALL_TO_ALL:
		return true;
	case COLLKIND_BROADCAST:
	case COLLKIND_REDUCE:
		*numerator = n;
		return true;
	default:
		return false;
	}
}

/* --- bytes ------------------------------------------------------------------ */

unsigned collkind_element(struct str dtype)
{
	/* PyTorch has names for its types, which args of kernels have, and C++ others. */
	static const struct {
		struct str name;
		unsigned bytes;
	} types[] = {
		{WORD("Float"), 4},
		{WORD("BFloat16"), 2},
		{WORD("Half"), 2},
		{WORD("Long"), 8},
		{WORD("Int"), 4},
		{WORD("Byte"), 1},
		{WORD("Char"), 1},
		{WORD("Bool"), 1},
		{WORD("Double"), 8},
		{WORD("Short"), 2},
		{WORD("UInt16"), 2},
		{WORD("UInt32"), 4},
		{WORD("UInt64"), 8},
		{WORD("ComplexFloat"), 8},
		{WORD("ComplexDouble"), 16},
		{WORD("long int"), 8},
		{WORD("long long"), 8},
		{WORD("short int"), 2},
		{WORD("signed char"), 1},
		{WORD("unsigned char"), 1},
		{WORD("c10::complex<float>"), 8},
		{WORD("c10::complex<double>"), 16},
	};
	static const struct str space = WORD("c10::");
	static const struct str eight = WORD("Float8_");

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (dtype.n == types[i].name.n && str_has_any_case(dtype, types[i].name))
			return types[i].bytes;
	if (str_starts(dtype, space))
		dtype = (struct str){dtype.s + space.n, dtype.n - space.n};
	else if (!str_starts(dtype, eight))
		return 0;
	return str_starts(dtype, eight) ? 1 : collkind_element(dtype);
}

/* The part of a list that stands in its first brackets or quotes. */
static bool first_part(struct str list, char open, char close, struct str *part)
{
	const char *start = memchr(list.s, open, list.n);
	const char *end;

	if (!start)
		return false;
	start++;
	end = memchr(start, close, list.n - (size_t)(start - list.s));
	if (!end)
		return false;
	*part = (struct str){start, (size_t)(end - start)};
	return true;
}

bool collkind_tensor(struct str dims, struct str types, uint64_t *bytes)
{
	struct str shape;
	struct str type;
	uint64_t product;

	if (dims.n == 0 || types.n == 0 || *dims.s != '[')
		return false;
	dims = (struct str){dims.s + 1, dims.n - 1};
	if (!first_part(dims, '[', ']', &shape) || !first_part(types, '"', '"', &type))
		return false;
	product = collkind_element(type);
	while (shape.n) {
		const char *comma = memchr(shape.s, ',', shape.n);
		struct str word = {shape.s, comma ? (size_t)(comma - shape.s) : shape.n};
		uint64_t number;

		if (!str_whole(str_trim(word), &number) ||
		    __builtin_mul_overflow(product, number, &product))
			return false;
		shape =
			(struct str){shape.s + word.n + (comma != NULL), shape.n - word.n - (comma != NULL)};
	}
	*bytes = product;
	return product > 0;
}

bool collkind_is_split(struct str list)
{
	for (size_t i = 0; i < list.n; i++)
		if (list.s[i] >= '0' && list.s[i] <= '9')
			return true;
	return false;
}
