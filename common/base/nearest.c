#include "base/nearest.h"

enum { WORD_MAX = 64 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Both have 1 to WORD_MAX bytes. */
static size_t distance(struct str a, struct str b)
{
	size_t row[3][WORD_MAX + 1]; /* distances of prefixes of b, for the last three bytes of a */

	for (size_t k = 0; k <= b.n; k++)
		row[0][k] = k;
	for (size_t i = 1; i <= a.n; i++) {
		size_t *now = row[i % 3];
		const size_t *before = row[(i + 2) % 3];
		const size_t *before_that = row[(i + 1) % 3];

		now[0] = i;
		for (size_t k = 1; k <= b.n; k++) {
			char x = lower(a.s[i - 1]);
			char y = lower(b.s[k - 1]);
			size_t least = before[k - 1] + (x != y);

			if (before[k] + 1 < least)
				least = before[k] + 1;
			if (now[k - 1] + 1 < least)
				least = now[k - 1] + 1;
			if (i > 1 && k > 1 && x == lower(b.s[k - 2]) && lower(a.s[i - 2]) == y &&
			    before_that[k - 2] + 1 < least)
				least = before_that[k - 2] + 1;
			now[k] = least;
		}
	}
	return row[a.n % 3][b.n];
}

struct nearest nearest_to(struct str word)
{
	return (struct nearest){.word = word, .distance = word.n < 5 ? 2 : 3};
}

void nearest_try(struct nearest *n, struct str known)
{
	size_t far = n->distance;

	if (known.n == 0 || known.n > WORD_MAX || n->word.n == 0 || n->word.n > WORD_MAX ||
	    known.n >= n->word.n + far || n->word.n >= known.n + far)
		return;
	far = distance(n->word, known);
	if (far < n->distance && far < n->word.n) {
		n->distance = far;
		n->found = known;
	}
}
