/* pyliteral: any bytes as a literal, and what is read of them written again. */
#include "../fuzz.h"

#include "base/dec.h"
#include "opmap/pyliteral.h"

/* The pairs as repr() might write them, every byte of a name escaped. */
static void write_pairs(const struct pyliteral *literal, struct buf *out)
{
	buf_char(out, '[');
	for (size_t i = 0; i < literal->count; i++) {
		struct str name = literal->pair[i].name;

		buf_text(out, i ? ", (\"" : "(\"");
		for (size_t j = 0; j < name.n; j++) {
			/* \x would make characters of bytes. */
			if ((unsigned char)name.s[j] < 0x80)
				buf_format(out, "\\x%02x", (unsigned char)name.s[j]);
			else
				buf_char(out, name.s[j]);
		}
		buf_text(out, "\", ");
		buf_str(out, literal->pair[i].number);
		buf_char(out, ')');
	}
	buf_char(out, ']');
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	struct pyliteral literal = {0};
	struct pyliteral again = {0};
	struct buf written = {0};
	size_t names = 0;

	if (pyliteral_pairs(&literal, text)) {
		LAW(literal.count > 0);
		for (size_t i = 0; i < literal.count; i++) {
			struct dec value;

			LAW(literal.pair[i].name.n > 0);
			LAW(dec_parse(literal.pair[i].number, &value) <= DEC_ROUNDED);
			names += literal.pair[i].name.n;
		}
		LAW(names <= text.n);
		write_pairs(&literal, &written);
		LAW(pyliteral_pairs(&again, buf_view(&written)));
		LAW(again.count == literal.count);
		for (size_t i = 0; i < literal.count; i++) {
			LAW(str_equal(again.pair[i].name, literal.pair[i].name));
			LAW(str_equal(again.pair[i].number, literal.pair[i].number));
		}
	}
	pyliteral_free(&literal);
	pyliteral_free(&again);
	buf_free(&written);
}
