#include "kernel/cppname.h"

struct str cppname_function(struct str name)
{
	const struct str anonymous = STR("(anonymous namespace)");
	size_t start = 0;
	size_t end = SIZE_MAX; /* end of the part that begins at start; SIZE_MAX while it is open */
	int angles = 0;
	int parens = 0; /* within angles, so that (8 > 0) closes none of them */
	size_t i;

	for (i = 0; i < name.n; i++) {
		struct str rest = {name.s + i, name.n - i};

		if (angles) {
			parens += (rest.s[0] == '(') - (rest.s[0] == ')');
			if (parens == 0)
				angles += (rest.s[0] == '<') - (rest.s[0] == '>');
		} else if (rest.s[0] == '<') {
			angles = 1;
			if (end == SIZE_MAX)
				end = i;
		} else if (str_starts(rest, anonymous)) {
			i += anonymous.n - 1;
		} else if (str_starts(rest, STR("::")) || rest.s[0] == ' ') {
			/* Parameters can follow a blank, and so can a disassembler's note: [clone .kd]. */
			rest.s++;
			rest.n--;
			if (rest.n && strchr("([", rest.s[0]) && !str_starts(rest, anonymous))
				break;
			i += rest.n && rest.s[0] == ':';
			start = i + 1;
			end = SIZE_MAX;
		} else if (rest.s[0] == '(') {
			break;
		}
	}
	if (end > i)
		end = i;
	return (struct str){name.s + start, end > start ? end - start : 0};
}
