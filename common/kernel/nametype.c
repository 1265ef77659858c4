#include "kernel/nametype.h"

static size_t without_digits(struct str name)
{
	size_t n = name.n;

	while (n && str_is_digit(name.s[n - 1]))
		n--;
	return n;
}

struct str nametype_without_numbers(struct str name)
{
	size_t n;

	while ((n = without_digits(name)) < name.n && n && name.s[n - 1] == '_')
		name.n = n - 1;
	return name;
}

static struct str last_part(struct str name)
{
	size_t at = name.n;

	while (at && name.s[at - 1] != '_')
		at--;
	return (struct str){name.s + at, name.n - at};
}

/* A capital, then letters and digits. */
static bool is_word(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.s[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !str_is_digit(c))
			return false;
	}
	return text.n && text.s[0] >= 'A' && text.s[0] <= 'Z';
}

struct str nametype_of(struct str name)
{
	struct str bare = nametype_without_numbers(name);
	struct str last = last_part(bare);

	if (str_starts(name, STR("hcom_")))
		return bare;
	if (last.n == bare.n || !is_word(last))
		return STR("");
	if (str_starts(name, STR("aclnn")) || str_starts(name, STR("trans_")) ||
	    str_equal(last, STR("MemSet")))
		return last;
	return STR("");
}

struct str nametype_of_word(struct str name)
{
	size_t n = without_digits(name);

	if (!is_word(name))
		return STR("");
	/* MatMulV2 and AddV2 are types; Conv2D1 is the first node of its type. */
	if (n && name.s[n - 1] != 'V')
		name.n = n;
	return name;
}

struct str nametype_on_ascend(struct str name)
{
	struct str type = nametype_of(name);

	if (type.n == 0)
		type = nametype_of_word(name);
	return type.n ? type : name;
}
