/*
 * perfdb - what the tests of newrows, merge and rewrite share: new rows read from text, and a file
 * for them to be merged into.
 */
#ifndef PERFDB_H
#define PERFDB_H

#include "../unit.h"

#include "dbmerge/merge.h"

#define NEW_HEAD                                                                                 \
	"OP Type\tInput Shapes\tInput Data Types\tInput Formats\tOutput Shapes\tOutput Data Types\t" \
	"Average Duration(us)"

/* Reads a stream; appends the error that ended it, if any. */
static inline void perfdb_rows(struct newrows *rows, struct str text, struct buf *error)
{
	struct schema schema;
	struct kev_reader in;
	enum kev_item item;

	schema_init(&schema);
	unit_feed(text);
	assert_true(newrows_open(rows));
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_COLUMNS)
			newrows_columns(rows, &schema, &in);
		else if (item == KEV_ROW)
			newrows_add(rows, &in);
	}
	assert_true((item == KEV_FAILED) == (in.error[0] != '\0'));
	buf_text(error, in.error);
	kev_close(&in);
	schema_free(&schema);
}

/* A merge into one file. */
struct perfdb {
	struct schema schema;
	struct newrows rows;
	struct ledger ledger;
	struct merge merge;
};

static inline void perfdb_begin(struct perfdb *t, const char *op, struct str new_rows)
{
	struct buf error = {0};

	schema_init(&t->schema);
	perfdb_rows(&t->rows, new_rows, &error);
	assert_buf(&error, "");
	assert_true(ledger_open(&t->ledger));
	ledger_begin(&t->ledger, str_of(op), STR("f.csv"));
	t->merge = (struct merge){.schema = &t->schema,
	                          .rows = &t->rows,
	                          .ledger = &t->ledger,
	                          .op = str_of(op),
	                          .path = "f.csv"};
	buf_free(&error);
}

/* Reads the file, "" for one that is to be made. Returns what merge_read does. */
static inline bool perfdb_read(struct perfdb *t, const char *csv)
{
	char path[64];
	int fd = -1;

	if (*csv) {
		unit_file(path, str_of(csv));
		fd = open(path, O_RDONLY);
		unlink(path);
	}
	return merge_read(&t->merge, fd);
}

static inline void perfdb_end(struct perfdb *t)
{
	merge_free(&t->merge);
	ledger_close(&t->ledger);
	newrows_close(&t->rows);
	schema_free(&t->schema);
}

#endif
