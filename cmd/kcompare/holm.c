#include "holm.h"

#include "base/mem.h"

#include "mannwhitney.h"

#include <stdlib.h>

/* The most tests, up to `most`, of which this can be one: the largest K with 2 / ways <= alpha / K.
 */
static size_t most_tests(unsigned __int128 ways, struct dec alpha, size_t most)
{
	unsigned __int128 a = (unsigned __int128)alpha.nano;
	unsigned __int128 unit = 2 * (unsigned __int128)dec_of(1).nano;
	/* a * ways / unit; the product itself might not fit 128 bits. */
	unsigned __int128 tests = ways / unit * a + ways % unit * a / unit;

	return tests < most ? (size_t)tests : most;
}

/* Tarone's K. */
static size_t find_k(const struct holm_test *tests, size_t count, struct dec alpha)
{
	size_t *by_most = mem_zero(count + 1, sizeof *by_most);
	size_t left = count; /* tests whose least p is at most alpha / k */
	size_t k = 1;

	for (size_t i = 0; i < count; i++)
		by_most[most_tests(tests[i].ways, alpha, count)]++;
	left -= by_most[0];
	while (left > k)
		left -= by_most[k++];
	free(by_most);
	return k;
}

static int compare(const void *a, const void *b)
{
	const struct holm_test *const *first = a;
	const struct holm_test *const *second = b;

	return probability_compare((*first)->p, (*second)->p);
}

void holm_adjust(struct holm_test *tests, size_t count, struct dec alpha)
{
	size_t k = find_k(tests, count, alpha);
	struct holm_test **sorted = mem_alloc(count, sizeof(struct holm_test *));
	size_t able = 0;

	for (size_t i = 0; i < count; i++) {
		tests[i].few = most_tests(tests[i].ways, alpha, k) < k;
		if (!tests[i].few)
			sorted[able++] = &tests[i];
	}
	if (able)
		qsort(sorted, able, sizeof(struct holm_test *), compare);
	for (size_t i = 0; i < able; i++) {
		sorted[i]->adjusted = probability_times(sorted[i]->p, able - i);
		if (i && probability_compare(sorted[i]->adjusted, sorted[i - 1]->adjusted) < 0)
			sorted[i]->adjusted = sorted[i - 1]->adjusted;
	}
	free(sorted);
}

uint64_t holm_needed(size_t count, struct dec alpha)
{
	uint64_t n = 1;

	while (most_tests(mannwhitney_ways(n, n), alpha, count) < count && n < MANNWHITNEY_EXACT)
		n++;
	return n;
}
