/*
 * threads_made - threads of the host made by hand or at random, for the tests of kcpu's modules.
 */
#ifndef THREADS_MADE_H
#define THREADS_MADE_H

#include "wall/threads.h"

/* Reads a stream with the core columns of rows of the host of one file, and builds. */
static inline struct threads threads_made(struct str stream)
{
	static struct threads_ignored none;
	struct threads threads = {.ignored = &none};
	struct kev_reader in;
	enum kev_item item;

	unit_feed(stream);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		enum rowkind kind;

		if (item == KEV_COLUMNS) {
			threads_columns(&threads, &in);
			continue;
		}
		kind = rowkind_of(in.field[3], STR(""));
		threads_add(&threads, &in, 0, kind, threads_rank(&threads, kind, in.field[3]));
	}
	assert_int_equal(item, KEV_END);
	kev_close(&in);
	threads_build(&threads);
	return threads;
}

#endif
