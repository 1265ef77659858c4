/*
 * csvfeed - a profiler's CSV on standard input, opened to read its rows.
 */
#ifndef CSVFEED_H
#define CSVFEED_H

#include "../unit.h"

#include "csv2tsv/csvrow.h"

struct csvfeed {
	struct csv_reader csv;
	struct csv_headers headers;
	struct csv_layout layout;
	struct csvcolumns columns; /* set by the caller; the rest is set by csvfeed_open */
	struct csvrow row;
};

/* Reads the header of text. */
static inline void csvfeed_open(struct csvfeed *feed, const char *text)
{
	static const char *const nothing[CSV_MAPPABLE];

	unit_feed(str_of(text));
	assert_true(csv_open(&feed->csv, "-", 1 << 20));
	assert_true(csv_next(&feed->csv) > 0);
	csv_headers_read(&feed->headers, &feed->csv);
	assert_true(csv_layout_find(&feed->layout, &feed->headers, nothing));
	assert_true(csvcolumns_choose(&feed->columns, &feed->layout, &feed->headers));
	csvrow_begin(&feed->row, &feed->csv, &feed->headers, &feed->layout, &feed->columns, "f.csv");
}

/* Compares fields, with | between them. */
static inline void csvfeed_assert(const struct str *field, size_t count, const char *want)
{
	struct buf got = {0};

	for (size_t i = 0; i < count; i++) {
		buf_text(&got, i ? "|" : "");
		buf_str(&got, field[i]);
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static inline void csvfeed_close(struct csvfeed *feed)
{
	csvrow_free(&feed->row);
	csvcolumns_free(&feed->columns);
	csv_headers_free(&feed->headers);
	csv_close(&feed->csv);
}

#endif
