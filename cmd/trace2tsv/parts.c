#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for CPU_COUNT
#include "parts.h"

#include <sched.h>
#include <stdlib.h>

#include "base/die.h"
#include "base/hash.h"
#include "base/mem.h"

#include "chunks.h"

enum {
	LENGTH = 1 << 20,
	PROCESSORS_MAX = 8,
	TEST_THREADS = 3, /* with chunks of another length */
	CHUNKS_MIN = 2,   /* a smaller file is not worth threads */
};

/* The processors that the process may use. */
static size_t processors(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

	return count < 1 ? 1 : count < PROCESSORS_MAX ? (size_t)count : PROCESSORS_MAX;
}

void parts_open(struct parts *parts, size_t threads)
{
	const char *forced = getenv("KEV_CHUNK");
	uint64_t length = LENGTH;

	if (forced && *forced && (!str_whole(str_of(forced), &length) || !length || length > LENGTH))
		die("KEV_CHUNK: '%s' is not a number of 1 to %d", forced, LENGTH);
	*parts = (struct parts){.threads = threads, .length = (size_t)length};
	if (!threads)
		parts->threads = length < LENGTH ? TEST_THREADS : processors();
}

void parts_begin(struct parts *parts, struct convert *whole)
{
	const struct input *in = &whole->json.text.in;
	const struct wanted *wanted = whole->wanted;

	parts->whole = whole;
	if (parts->threads < 2 || wanted->join_ends || wanted->by_process)
		return;
	if (!chunks_can_seek(in))
		whole->json.pause = 1 + parts->length / 4;
	else if ((in->file.st_size - in->start) / CHUNKS_MIN >= (off_t)parts->length)
		whole->json.pause = 0;
}

static void parse(struct chunk *chunk)
{
	convert_part(chunk->work, chunk->text, chunk->n, chunk->offset);
}

/* Lets threads read from the place of the reader on. */
static void start(struct parts *parts)
{
	struct json_reader *json = &parts->whole->json;
	struct json_place place = {.offset = json_place(json).offset, .comma = json_place(json).comma};
	void *work[PARTS_THREADS_MAX + CHUNKS_MORE];

	hash_seed(); /* drawn before there are threads */
	parts->count = parts->threads + CHUNKS_MORE;
	parts->part = mem_zero(parts->count, sizeof *parts->part);
	for (size_t i = 0; i < parts->count; i++) {
		convert_part_open(&parts->part[i], parts->whole, parts->length);
		work[i] = &parts->part[i];
	}
	parts->chunks = chunks_start(&json->text.in, jsontext_rest(&json->text), place.offset,
	                             parts->threads, parts->length, parse, work);
	if (!parts->chunks)
		return;
	json->text.read = chunks_read;
	json->text.from = parts->chunks;
	json_skip(json, &place);
}

/* Appends the part at the front if the reader is where it begins. */
static void add(struct parts *parts, struct chunk *chunk)
{
	struct json_reader *json = &parts->whole->json;

	if (!chunk->parsed || chunk->offset != json_place(json).offset ||
	    !convert_add(parts->whole, chunk->work))
		return;
	chunk->used = true;
	chunks_seek(parts->chunks, json_place(json).offset);
}

void parts_next(struct parts *parts)
{
	struct json_reader *json = &parts->whole->json;
	struct chunk *chunk;

	json->pause = UINT64_MAX;
	if (!parts->chunks && !json->text.exhausted)
		start(parts);
	if (!parts->chunks)
		return;
	/* All rows after these wait for the end of the file, each in its line. */
	if (parts->whole->cann.waits)
		chunks_parse_none(parts->chunks);
	while (json->pause == UINT64_MAX && (chunk = chunks_front(parts->chunks))) {
		uint64_t end = chunk->offset + chunk->n;

		add(parts, chunk);
		if (json_place(json).offset < end)
			json->pause = json_place(json).offset < chunk->offset ? chunk->offset : end;
		else
			chunks_drop(parts->chunks);
	}
}

void parts_end(struct parts *parts)
{
	chunks_close(parts->chunks);
	if (parts->chunks)
		parts->whole->json.text.read = NULL;
	parts->chunks = NULL;
	for (size_t i = 0; i < parts->count; i++)
		convert_part_free(&parts->part[i]);
	free(parts->part);
	parts->part = NULL;
	parts->count = 0;
}
