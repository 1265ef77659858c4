#include "sequence.h"

#include <stdlib.h>

#include "base/mem.h"

/* --- kernels -------------------------------------------------------------- */

/* How many numbers there are, now that this one was given. */
static size_t numbers_with(size_t count, size_t number)
{
	return number == STRMAP_NONE || number < count ? count : number + 1;
}

void sequence_add(struct sequence *sequence, const struct sequence_kernel *kernel)
{
	sequence->kernels =
		mem_grow(sequence->kernels, &sequence->cap, sequence->count + 1, sizeof *sequence->kernels);
	sequence->kernels[sequence->count++] = *kernel;
	sequence->launches = numbers_with(sequence->launches, kernel->launch);
	sequence->steps = numbers_with(sequence->steps, kernel->step);
}

static int compare_kernels(const void *a, const void *b)
{
	const struct sequence_kernel *x = a;
	const struct sequence_kernel *y = b;
	int order = (x->device > y->device) - (x->device < y->device);

	if (order == 0)
		order = dec_compare(x->ts, y->ts);
	if (order == 0)
		order = dec_compare(x->dur, y->dur);
	return order ? order : (x->op > y->op) - (x->op < y->op);
}

void sequence_sort(struct sequence *sequence)
{
	if (sequence->count)
		qsort(sequence->kernels, sequence->count, sizeof *sequence->kernels, compare_kernels);
}

bool sequence_follows(const struct sequence *sequence, size_t i)
{
	const struct sequence_kernel *kernel = &sequence->kernels[i];

	return i > 0 && kernel->device == kernel[-1].device && kernel->step == kernel[-1].step;
}

bool sequence_pair(struct sequence *sequence)
{
	struct couple *follow = mem_alloc(sequence->count + 1, sizeof *follow);
	bool good = true;
	size_t n = 0;

	for (size_t i = 0; i < sequence->count && good; i++) {
		const struct sequence_kernel *kernel = &sequence->kernels[i];

		if (!sequence_follows(sequence, i))
			continue;
		follow[n] = couple_of(kernel[-1].op, kernel->op, kernel[-1].dur);
		good = couple_add(&follow[n++], kernel->dur);
	}
	good = good && couple_join(follow, &n);
	sequence->follow = mem_resize(follow, n + 1, sizeof *follow);
	sequence->follow_count = n;
	return good;
}

/* --- groups --------------------------------------------------------------- */

/* How many kernels each launch has. The caller frees it. */
static size_t *count_launched(const struct sequence *sequence)
{
	size_t *counts = mem_zero(sequence->launches + 1, sizeof *counts);

	for (size_t i = 0; i < sequence->count; i++)
		if (sequence->kernels[i].launch != STRMAP_NONE)
			counts[sequence->kernels[i].launch]++;
	return counts;
}

/* The group with that number, which is new if it is STRMAP_NONE, gets the kernel at i. */
static size_t add_to_bunch(struct sequence *sequence, size_t *number, size_t i, bool launched)
{
	const struct sequence_kernel *kernel = &sequence->kernels[i];

	if (*number == STRMAP_NONE) {
		*number = sequence->bunches_count++;
		sequence->bunches = mem_grow(sequence->bunches, &sequence->bunches_cap,
		                             sequence->bunches_count, sizeof *sequence->bunches);
		sequence->bunches[*number] = (struct bunch){
			.first = i, .launch = launched ? kernel->launch : STRMAP_NONE, .step = kernel->step};
	}
	sequence->bunches[*number].kernels++;
	return *number;
}

static size_t *no_numbers(size_t count)
{
	size_t *numbers = mem_alloc(count + 1, sizeof *numbers);

	for (size_t i = 0; i < count; i++)
		numbers[i] = STRMAP_NONE;
	return numbers;
}

/* Puts each kernel into its group. Returns how many kernels have a group. */
static size_t fill_bunches(struct sequence *sequence, size_t fewest)
{
	size_t *launched = count_launched(sequence);
	size_t *by_launch = no_numbers(sequence->launches);
	size_t *by_step = no_numbers(sequence->steps);
	size_t n = 0;

	for (size_t i = 0; i < sequence->count; i++) {
		const struct sequence_kernel *kernel = &sequence->kernels[i];
		bool large = kernel->launch != STRMAP_NONE && launched[kernel->launch] >= fewest;
		size_t *number = NULL;

		if (large)
			number = &by_launch[kernel->launch];
		else if (kernel->step != STRMAP_NONE)
			number = &by_step[kernel->step];
		if (number)
			sequence->pieces[n++] =
				couple_of(add_to_bunch(sequence, number, i, large), kernel->op, kernel->dur);
	}
	free(launched);
	free(by_launch);
	free(by_step);
	return n;
}

static int compare_bunches(const void *a, const void *b)
{
	const struct bunch *x = a;
	const struct bunch *y = b;
	int order = (y->kernels > x->kernels) - (y->kernels < x->kernels);

	return order ? order : (x->first > y->first) - (x->first < y->first);
}

/* Largest first, without groups of too few kernels. */
static void sort_bunches(struct sequence *sequence, size_t fewest)
{
	size_t count = 0;

	for (size_t i = 0; i < sequence->bunches_count; i++)
		if (sequence->bunches[i].kernels >= fewest)
			sequence->bunches[count++] = sequence->bunches[i];
	sequence->bunches_count = count;
	if (count)
		qsort(sequence->bunches, count, sizeof *sequence->bunches, compare_bunches);
}

bool sequence_bunch(struct sequence *sequence, size_t fewest)
{
	size_t n;

	sequence->pieces = mem_alloc(sequence->count + 1, sizeof *sequence->pieces);
	n = fill_bunches(sequence, fewest);
	if (!couple_join(sequence->pieces, &n))
		return false;
	sequence->pieces = mem_resize(sequence->pieces, n + 1, sizeof *sequence->pieces);
	for (size_t i = 0; i < n; i++) {
		struct bunch *bunch = &sequence->bunches[sequence->pieces[i].a];

		if (bunch->pieces_count++ == 0)
			bunch->pieces = &sequence->pieces[i];
	}
	sort_bunches(sequence, fewest);
	return true;
}

const struct couple *sequence_piece(const struct bunch *bunch, size_t op)
{
	return couple_find(bunch->pieces, bunch->pieces_count,
	                   bunch->pieces_count ? bunch->pieces->a : 0, op);
}

void sequence_free(struct sequence *sequence)
{
	free(sequence->kernels);
	free(sequence->bunches);
	free(sequence->pieces);
	free(sequence->follow);
	*sequence = (struct sequence){0};
}
