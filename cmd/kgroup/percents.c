#include "percents.h"

bool percents_valid(struct str text)
{
	struct dec percent;

	return dec_parse(text, &percent) == DEC_OK && percent.nano >= 0 &&
	       dec_compare(percent, dec_of(100)) <= 0;
}

void percents_add(struct words *percents, const struct words *given)
{
	for (size_t i = 0; i < given->count; i++) {
		struct str text = given->item[i];
		struct buf normal = {0};
		struct dec percent;

		if (!percents_valid(text))
			opts_fail("-q: '%s' is not a percentage from 0 to 100", text.s);
		dec_parse(text, &percent);
		dec_print(&normal, percent);
		if (words_have(percents, buf_view(&normal)))
			opts_fail("-q: '%s' is given twice", text.s);
		words_put(percents, buf_view(&normal));
		buf_free(&normal);
	}
}

bool percents_have_column(const struct words *percents, struct str name)
{
	return name.n && name.s[0] == 'p' && words_have(percents, (struct str){name.s + 1, name.n - 1});
}
