/*
 * path_made - a stream of one file, read into all that a walk needs, for the tests of kpath's
 * modules.
 */
#ifndef PATH_MADE_H
#define PATH_MADE_H

#include "kpath/walk.h"

#define HEAD                                                                                  \
	"#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tstream\twait_on_stream\twait_on_cuda_event_" \
	"record_"                                                                                 \
	"corr_id\n"

struct made {
	struct launches launches;
	struct threads threads;
	struct devrows devrows;
	struct marks marks;
	struct returns returns;
	struct callers callers;
	struct walk walk;
};

static inline void made_row(struct made *made, struct kev_reader *in)
{
	struct str cat = in->field[3];
	enum rowkind kind = rowkind_of(cat, STR(""));
	enum rowkind_rank rank = threads_rank(&made->threads, kind, cat);
	struct interval span;
	struct dec ts;
	struct dec dur;

	if (rowkind_is_device(kind)) {
		assert_true(kev_number(in, 0, &ts) && kev_number(in, 1, &dur));
		assert_true(interval_from(ts, dur, &span));
		devrows_add(&made->devrows, in, 0, &span, rowkind_is_copy(kind), 0);
		return;
	}
	launches_host(&made->launches, in, 0, kind);
	if (rank != ROWKIND_IN_NOTHING) {
		threads_add(&made->threads, in, 0, kind, rank);
		returns_add(&made->returns, in, 0, kind, rank);
	}
	if (str_equal(cat, STR("cuda_sync")))
		marks_add(&made->marks, in, 0);
}

/* The pointers lead into *made, which must stay where it is. */
static inline void made_read(struct made *made, struct str rows)
{
	static struct threads_ignored none;
	struct buf stream = {0};
	struct kev_reader in;
	enum kev_item item;

	*made = (struct made){.threads = {.ignored = &none}, .devrows = {.launches = &made->launches}};
	made->marks.devrows = &made->devrows;
	made->returns.threads.ignored = &none;
	made->returns.devrows = &made->devrows;
	made->returns.marks = &made->marks;
	made->callers = (struct callers){.threads = &made->threads, .launches = &made->launches};
	made->walk = (struct walk){.threads = &made->threads,
	                           .devrows = &made->devrows,
	                           .marks = &made->marks,
	                           .returns = &made->returns,
	                           .callers = &made->callers,
	                           .micro = dec_of(30)};
	buf_text(&stream, HEAD);
	buf_str(&stream, rows);
	unit_feed(buf_view(&stream));
	buf_free(&stream);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_ROW) {
			made_row(made, &in);
			continue;
		}
		launches_columns(&made->launches, &in, false);
		threads_columns(&made->threads, &in);
		returns_columns(&made->returns, &in);
		devrows_columns(&made->devrows, &in);
		marks_columns(&made->marks, &in);
	}
	assert_int_equal(item, KEV_END);
	kev_close(&in);
	threads_build(&made->threads);
	devrows_sort(&made->devrows, true);
	marks_build(&made->marks);
	returns_build(&made->returns);
}

static inline void made_free(struct made *made)
{
	walk_free(&made->walk);
	callers_free(&made->callers);
	returns_free(&made->returns);
	marks_free(&made->marks);
	devrows_free(&made->devrows);
	threads_free(&made->threads);
	launches_free(&made->launches);
}

/* The name of a row of a device; "-" for DEVROWS_NONE. */
static inline struct str made_name(const struct made *made, uint32_t row)
{
	return row == DEVROWS_NONE ? STR("-")
	                           : devrows_text(&made->devrows, made->devrows.row[row].name);
}

#endif
