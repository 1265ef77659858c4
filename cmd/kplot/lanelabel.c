#include "lanelabel.h"

bool lanelabel_has_number(struct str text, struct str number)
{
	for (size_t i = 0; number.n && i + number.n <= text.n; i++) {
		struct str rest = {text.s + i, text.n - i};
		char after = rest.n > number.n ? rest.s[number.n] : ' ';
		char before = ' ';

		if (i)
			before = text.s[i - 1];
		if (str_starts(rest, number) && !(before >= '0' && before <= '9') &&
		    !(after >= '0' && after <= '9'))
			return true;
	}
	return false;
}

size_t lanelabel_folders(const struct strmap *lanes)
{
	struct str first = strmap_key(lanes, 0);
	size_t shared = 0;

	for (size_t i = 0; i < first.n && first.s[i] != '\t'; i++)
		if (first.s[i] == '/')
			shared = i + 1;
	for (size_t i = 1; i < lanes->count; i++)
		while (shared && !str_starts(strmap_key(lanes, i), (struct str){first.s, shared}))
			for (shared--; shared && first.s[shared - 1] != '/';)
				shared--;
	return shared;
}
