/* coll_feed - streams of ranks as a table of collectives, for the tests of the modules that use it.
 */
#ifndef COLL_FEED_H
#define COLL_FEED_H

#include "../unit.h"

#include "kcoll/collrows.h"

#define COLL_HEAD                                                                         \
	"#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\tCollective name\tdtype\tIn msg nelems\t" \
	"Group size\tProcess Group Name\tSeq\n"

/* Holds the rows of a stream of one rank. */
static inline void coll_feed(struct collrows *rows, struct str text)
{
	struct kev_reader in;
	enum kev_item item;

	unit_feed(text);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_COLUMNS)
			collrows_columns(rows, &in);
		else if (item == KEV_ROW)
			collrows_add(rows, &in);
	}
	assert_int_equal(item, KEV_END);
	kev_close(&in);
}

/* Adds them to the table as those of a rank. */
static inline void coll_feed_rank(struct collrows *rows, uint64_t rank, uint64_t world,
                                  struct str text)
{
	coll_feed(rows, text);
	for (size_t i = 0; i < rows->count; i++)
		rows->row[i].rank = rank;
	assert_true(collrows_settle(rows, world));
	assert_true(collrows_merge(rows));
	collrows_clear(rows);
}

#endif
