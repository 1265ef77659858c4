#include "json/fault.h"

#include "base/plaintext.h"

#include <inttypes.h>
#include <stdio.h>

void fault_put(char error[FAULT_MAX], struct fault fault, const char *format, va_list args)
{
	char what[256];

	plaintext_format(what, sizeof what, format, args);
	if (fault.number)
		snprintf(error, FAULT_MAX, "byte %" PRIu64 " (%s %" PRIu64 "): %s", fault.offset,
		         fault.item, fault.number, what);
	else
		snprintf(error, FAULT_MAX, "byte %" PRIu64 ": %s", fault.offset, what);
}

const char *fault_end(char text[FAULT_END_MAX], const char *error, uint64_t bytes)
{
	if (error[0])
		return error;
	snprintf(text, FAULT_END_MAX, "the text ends at byte %" PRIu64, bytes);
	return text;
}

const char *fault_found(char text[QUOTE_MAX], struct str rest)
{
	uint32_t code;
	size_t n = plaintext_character(rest, &code);

	return quote(text, rest.s, n ? n : 1);
}
