#include "csvput.h"

#include "base/dec.h"

static bool may_be_formula(struct str text)
{
	struct dec number;

	return text.n && str_has_byte(STR("=+-@\t\r"), text.s[0]) &&
	       dec_parse(text, &number) == DEC_NOT_A_NUMBER;
}

static bool needs_quotes(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (str_has_byte(STR(",\"\r\n"), text.s[i]))
			return true;
	return false;
}

void csvput_field(struct buf *out, struct str text)
{
	bool formula = may_be_formula(text);

	if (!needs_quotes(text)) {
		buf_text(out, formula ? "'" : "");
		buf_str(out, text);
		return;
	}
	buf_text(out, formula ? "\"'" : "\"");
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '"')
			buf_char(out, '"');
		buf_char(out, text.s[i]);
	}
	buf_char(out, '"');
}
