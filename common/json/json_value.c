#include "json/json_value.h"

bool json_is_number(struct str text)
{
	const char *p = text.s;
	const char *end = text.s + text.n;
	const char *run;

	if (p < end && *p == '-')
		p++;
	run = p;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	if (p == run || (*run == '0' && p - run > 1))
		return false;
	if (p < end && *p == '.') {
		run = ++p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == run)
			return false;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		run = p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == run)
			return false;
	}
	return p == end;
}

enum json_type json_primitive_type(struct str text)
{
	if (json_is_number(text))
		return JSON_NUMBER;
	if (str_equal(text, STR("null")))
		return JSON_NULL;
	if (str_equal(text, STR("true")) || str_equal(text, STR("false")))
		return JSON_LITERAL;
	return JSON_OTHER;
}
