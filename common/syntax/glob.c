#include "syntax/glob.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same(char a, char b, bool any_case)
{
	return a == b || (any_case && lower(a) == lower(b));
}

static bool matches(struct str glob, struct str text, bool any_case)
{
	size_t t = 0;
	size_t g = 0;
	size_t star = SIZE_MAX; /* the last *, to try again from there */
	size_t mark = 0;        /* the end in text of its bytes so far */

	while (t < text.n) {
		if (g < glob.n && glob.s[g] == '*') {
			star = g++;
			mark = t;
		} else if (g < glob.n && is_same(glob.s[g], text.s[t], any_case)) {
			g++;
			t++;
		} else if (star != SIZE_MAX) {
			g = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (g < glob.n && glob.s[g] == '*')
		g++;
	return g == glob.n;
}

bool glob_matches(struct str glob, struct str text)
{
	return matches(glob, text, false);
}

bool glob_matches_any_case(struct str glob, struct str text)
{
	return matches(glob, text, true);
}
