#include "sqltexts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

struct sqltexts_entry {
	int64_t id;
	size_t at; /* in bytes */
	size_t n;
};

bool sqltexts_read(struct sqltexts *texts, struct sqlrows *rows, struct sqlfile *file,
                   const char *table, const char *value)
{
	const struct sqlrows_column columns[] = {{"id", SQLROWS_OWN, true}, {value, SQLROWS_OWN, true}};
	const struct sqlrows_plan plan = {.table = table, .columns = columns, .columns_count = 2};
	bool begun = sqlrows_begin(rows, file, &plan);
	int64_t id;
	int got = -1;

	while (begun && (got = sqlrows_next(rows)) > 0) {
		if (sqlrows_number(rows, 0, &id) == SQLROWS_NUMBER)
			sqltexts_add(texts, id, sqlrows_text(rows, 1));
		if (texts->bytes.len > sqlguard_most_text(file->guard)) {
			snprintf(rows->error, sizeof rows->error,
			         "table %s: its texts are longer than the file", table);
			got = -1;
			break;
		}
	}
	sqltexts_sort(texts);
	rows->plan = NULL; /* it is gone after this */
	return got == 0;
}

void sqltexts_add(struct sqltexts *texts, int64_t id, struct str text)
{
	texts->entries =
		mem_grow(texts->entries, &texts->cap, texts->count + 1, sizeof *texts->entries);
	texts->sorted =
		texts->count == 0 || (texts->sorted && texts->entries[texts->count - 1].id < id);
	texts->entries[texts->count++] = (struct sqltexts_entry){id, texts->bytes.len, text.n};
	buf_str(&texts->bytes, text);
}

static int by_id(const void *a, const void *b)
{
	const struct sqltexts_entry *x = a;
	const struct sqltexts_entry *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->n > y->n) - (x->n < y->n); /* the first of two at one place is empty */
}

void sqltexts_sort(struct sqltexts *texts)
{
	size_t kept = 0;

	if (texts->sorted || texts->count == 0)
		return;
	qsort(texts->entries, texts->count, sizeof *texts->entries, by_id);
	for (size_t i = 0; i < texts->count; i++)
		if (kept == 0 || texts->entries[kept - 1].id != texts->entries[i].id)
			texts->entries[kept++] = texts->entries[i];
	texts->count = kept;
	texts->sorted = true;
}

bool sqltexts_find(const struct sqltexts *texts, int64_t id, struct str *text)
{
	size_t low = 0;
	size_t high = texts->count;
	const struct sqltexts_entry *entries = texts->entries;

	/* Ids mostly follow each other. */
	if (high && id >= entries[0].id) {
		uint64_t guess = (uint64_t)id - (uint64_t)entries[0].id;

		if (guess < high && entries[guess].id == id)
			low = guess;
	}
	while (low < high) {
		size_t middle = entries[low].id == id ? low : low + (high - low) / 2;

		if (entries[middle].id == id) {
			*text = entries[middle].n
			            ? (struct str){texts->bytes.data + entries[middle].at, entries[middle].n}
			            : STR("");
			return true;
		}
		if (entries[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

void sqltexts_free(struct sqltexts *texts)
{
	free(texts->entries);
	buf_free(&texts->bytes);
	*texts = (struct sqltexts){0};
}
