#include "ends.h"

#include "base/mem.h"

#include <stdlib.h>

/* A begin; the last begin of a track is its first in the bucket. */
struct ends_open {
	struct ends_open *next;
	uint32_t hash;
	struct str track;
	size_t process;
	size_t columns;
	struct str row[]; /* texts of the row, and after them their bytes */
};

static char *put_text(struct str *place, char *at, struct str text)
{
	if (text.n)
		memcpy(at, text.s, text.n);
	*place = (struct str){at, text.n};
	return at + text.n;
}

static struct ends_open *make(struct str track, const struct str *row, size_t columns)
{
	size_t bytes = track.n;
	struct ends_open *open;
	char *at;

	for (size_t i = 0; i < columns; i++)
		bytes += row[i].n;
	open = mem_alloc(1, sizeof *open + columns * sizeof *row + bytes);
	open->columns = columns;
	at = put_text(&open->track, (char *)(open->row + columns), track);
	for (size_t i = 0; i < columns; i++)
		at = put_text(&open->row[i], at, row[i]);
	return open;
}

/* Keeps the order within a bucket: each old bucket is moved to two new buckets from its end. */
static void make_room(struct ends *ends)
{
	size_t buckets = ends->buckets ? ends->buckets * 2 : 64;
	struct ends_open **bucket;
	struct ends_open **tail;

	if (ends->count < ends->buckets)
		return;
	if (!ends->buckets)
		ends->seed = hash_seed();
	bucket = mem_zero(buckets, sizeof(struct ends_open *));
	tail = mem_zero(buckets, sizeof(struct ends_open *));
	for (size_t i = 0; i < ends->buckets; i++) {
		struct ends_open *next;

		for (struct ends_open *open = ends->bucket[i]; open; open = next) {
			size_t to = open->hash & (buckets - 1);

			next = open->next;
			open->next = NULL;
			if (tail[to])
				tail[to]->next = open;
			else
				bucket[to] = open;
			tail[to] = open;
		}
	}
	free(tail);
	free(ends->bucket);
	ends->bucket = bucket;
	ends->buckets = buckets;
}

void ends_begin(struct ends *ends, struct str track, size_t process, const struct str *row,
                size_t columns)
{
	struct ends_open *open = make(track, row, columns);
	struct ends_open **first;

	make_room(ends);
	open->hash = hash_text(ends->seed, track);
	open->process = process;
	first = &ends->bucket[open->hash & (ends->buckets - 1)];
	open->next = *first;
	*first = open;
	ends->count++;
	ends->rows += columns > 0;
}

bool ends_end(struct ends *ends, struct str track, struct str *row, struct str *began)
{
	uint32_t hash = hash_text(ends->seed, track);
	struct ends_open **at = ends->buckets ? &ends->bucket[hash & (ends->buckets - 1)] : NULL;

	while (at && *at && !((*at)->hash == hash && str_equal((*at)->track, track)))
		at = &(*at)->next;
	if (!at || !*at)
		return false;
	free(ends->closed);
	ends->closed = *at;
	*at = ends->closed->next;
	ends->count--;
	ends->rows -= ends->closed->columns > 0;
	ends->process = ends->closed->process;
	for (size_t i = 0; i < ends->closed->columns; i++)
		if (ends->closed->row[i].n)
			row[i] = ends->closed->row[i];
	*began = ends->closed->columns ? ends->closed->row[0] : (struct str){NULL, 0};
	return true;
}

void ends_free(struct ends *ends)
{
	for (size_t i = 0; i < ends->buckets; i++) {
		while (ends->bucket[i]) {
			struct ends_open *open = ends->bucket[i];

			ends->bucket[i] = open->next;
			free(open);
		}
	}
	free(ends->bucket);
	free(ends->closed);
	*ends = (struct ends){0};
}
