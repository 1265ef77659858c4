#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): for memrchr
#include "chunks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/output.h"
#include "json/jsontext.h"
#include "json/scan.h"

enum {
	NEAR = 4 << 10,         /* bytes at the end of a chunk in which its end is sought first */
	FAR = 64 << 10,         /* bytes in which its end is sought if it is not in those */
	WASTED_MIN = 2,         /* chunks that may be parsed in vain at first */
	FILLED_PER_WASTED = 16, /* filled chunks that allow one more to be parsed in vain */
	USED_PER_WASTED = 2,    /* used chunks that allow one more to be parsed in vain */
	AHEAD_MIN = 2,          /* chunks in memory at first */
};

struct chunks {
	struct input *in;
	bool seeks; /* a plain file */
	size_t length;
	chunks_parse *parse;
	uint64_t offset; /* offset of chunks_read */
	bool over;       /* no more chunks: `in` itself goes on */
	pthread_t *thread;
	size_t threads;
	pthread_mutex_t lock;  /* guards what follows, and `done` and `parsed` of chunks */
	pthread_cond_t free;   /* a chunk is free, or one more can be filled */
	pthread_cond_t parsed; /* a chunk is done, or the input has ended */
	size_t filled;         /* chunks ever filled */
	size_t dropped;        /* chunks ever dropped */
	size_t used;           /* chunks that were parsed, and then used */
	size_t wasted;         /* chunks that were parsed in vain */
	size_t ahead;          /* chunks that may be in memory */
	bool none;             /* none is to be parsed */
	bool ended;            /* the last chunk is filled */
	bool stop;
	bool filling;    /* a thread fills a chunk; to it belong: */
	uint64_t next;   /* offset of the next chunk */
	struct buf tail; /* text that was read for it and others */
	size_t tail_at;  /* what is before this was used */
	ssize_t last;    /* what input_take returned last */
	size_t count;
	struct chunk chunk[];
};

/* --- where a chunk ends -------------------------------------------------------- */

/*
 * The offset of the last { of },{" with white space perhaps, in the text; 0 if there is none.
 * Runs of white space have one { before them and one after them, so they take linear time.
 */
static size_t last_start(const char *text, size_t n)
{
	const char *end = text + n;
	const char *at = end;

	while ((at = memrchr(text, '{', (size_t)(at - text)))) {
		const char *key = at + 1;
		const char *comma = at;
		const char *close;

		while (key < end && jsontext_is_space(*key))
			key++;
		while (comma > text && jsontext_is_space(comma[-1]))
			comma--;
		if (key == end || *key != '"' || comma == text || comma[-1] != ',')
			continue;
		close = comma - 1;
		while (close > text && jsontext_is_space(close[-1]))
			close--;
		if (close > text && close[-1] == '}')
			return (size_t)(at - text);
	}
	return 0;
}

/* --- filling a chunk ----------------------------------------------------------- */

/* Reads n bytes of a plain file, fewer if it ends or fails. */
static size_t read_at(const struct chunks *c, char *out, size_t n, uint64_t offset)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = pread(c->in->fd, out + have, n - have, c->in->start + (off_t)(offset + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return have;
}

/* Finds the end of a chunk of a plain file. False if it is the last. */
static bool find_end(struct chunks *c, struct chunk *chunk)
{
	size_t far = c->length < FAR ? c->length : FAR;
	size_t near = c->length < NEAR ? c->length : NEAR;
	size_t cut = 0;

	chunk->n = c->length;
	for (size_t window = near; !cut; window = far) {
		chunk->loaded_from = c->length - window;
		if (read_at(c, chunk->text + chunk->loaded_from, window,
		            chunk->offset + chunk->loaded_from) < window) {
			chunk->loaded_from = c->length;
			return false;
		}
		cut = last_start(chunk->text + chunk->loaded_from, window);
		if (cut)
			chunk->n = chunk->loaded_from + cut;
		if (window == far)
			break;
	}
	return true;
}

/* Reads what find_end has not read of a chunk; at the end of the file it is shorter. */
static void load(const struct chunks *c, struct chunk *chunk)
{
	size_t wanted = chunk->loaded_from < chunk->n ? chunk->loaded_from : chunk->n;
	size_t got = read_at(c, chunk->text, wanted, chunk->offset);

	if (got < wanted)
		chunk->n = got;
}

/* Reads a chunk of any other input, up to its end or a pause. False if it is the last. */
static bool take(struct chunks *c, struct chunk *chunk)
{
	size_t left = c->tail.len - c->tail_at;
	size_t have = left < c->length ? left : c->length;
	size_t sought = 0; /* without finding a start before */
	size_t cut = 0;
	ssize_t got = 1;

	memcpy(chunk->text, buf_view(&c->tail).s + c->tail_at, have);
	c->tail_at += have;
	while (have < c->length) {
		got = input_take(c->in, chunk->text + have, c->length - have, false);
		if (got == INPUT_LATER) {
			/* A start may have begun a little before. */
			size_t from = sought > SCAN_BLOCK ? sought - SCAN_BLOCK : 0;

			cut = last_start(chunk->text + from, have - from);
			cut += cut ? from : 0;
			if (cut)
				break;
			sought = have;
			got = input_take(c->in, chunk->text + have, c->length - have, true);
		}
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	chunk->n = have;
	c->last = got;
	if (got <= 0 && got != INPUT_LATER)
		return false;
	if (!cut)
		cut = last_start(chunk->text, have);
	if (cut) {
		chunk->n = cut;
		if (left >= have) {
			c->tail_at -= have - cut;
		} else {
			c->tail.len = c->tail_at = 0;
			buf_bytes(&c->tail, chunk->text + cut, have - cut);
		}
	}
	return true;
}

/* --- threads ------------------------------------------------------------------- */

/* Fills the next chunk, with the lock held but while it reads. */
static struct chunk *fill(struct chunks *c)
{
	struct chunk *chunk = &c->chunk[c->filled % c->count];
	bool more;

	c->filling = true;
	pthread_mutex_unlock(&c->lock);
	if (!chunk->text)
		chunk->text = mem_alloc(c->length + SCAN_BLOCK, 1);
	chunk->offset = c->next;
	chunk->parsed = chunk->used = chunk->done = false;
	more = c->seeks ? find_end(c, chunk) : take(c, chunk);
	c->next += chunk->n;
	pthread_mutex_lock(&c->lock);
	c->filling = false;
	c->filled++;
	c->ended = !more;
	pthread_cond_signal(&c->free);
	return chunk;
}

static void *run(void *arg)
{
	struct chunks *c = arg;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		struct chunk *chunk;
		bool parse;

		while (!c->stop && !c->ended && (c->filling || c->filled - c->dropped >= c->ahead))
			pthread_cond_wait(&c->free, &c->lock);
		if (c->stop || c->ended)
			break;
		chunk = fill(c);
		parse = !c->none && !c->stop &&
		        c->wasted < WASTED_MIN + c->filled / FILLED_PER_WASTED + c->used / USED_PER_WASTED;
		pthread_mutex_unlock(&c->lock);
		if (c->seeks)
			load(c, chunk);
		if (parse)
			c->parse(chunk);
		pthread_mutex_lock(&c->lock);
		chunk->parsed = parse;
		chunk->done = true;
		pthread_cond_signal(&c->parsed);
	}
	/* The others end, too. */
	pthread_cond_broadcast(&c->free);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

bool chunks_can_seek(const struct input *in)
{
	return in->plain && in->start >= 0;
}

struct chunks *chunks_start(struct input *in, struct str head, uint64_t offset, size_t threads,
                            size_t length, chunks_parse *parse, void *const *work)
{
	size_t count = threads + CHUNKS_MORE;
	struct chunks *c = mem_zero(1, sizeof *c + count * sizeof *c->chunk);
	sigset_t all;
	sigset_t before;

	c->in = in;
	c->seeks = chunks_can_seek(in);
	c->length = length;
	c->parse = parse;
	c->offset = c->next = offset;
	c->count = count;
	c->ahead = AHEAD_MIN;
	for (size_t i = 0; i < count; i++)
		c->chunk[i].work = work[i];
	if (!c->seeks)
		buf_str(&c->tail, head);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->free, NULL);
	output_condition(&c->parsed);
	c->thread = mem_zero(threads, sizeof *c->thread);
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while ((c->seeks || input_share(in)) && c->threads < threads &&
	       pthread_create(&c->thread[c->threads], NULL, run, c) == 0)
		c->threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (c->threads)
		return c;
	chunks_close(c);
	return NULL;
}

void chunks_close(struct chunks *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_broadcast(&c->free);
	pthread_mutex_unlock(&c->lock);
	if (c->threads)
		input_wake(c->in);
	for (size_t i = 0; i < c->threads; i++)
		pthread_join(c->thread[i], NULL);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->free);
	pthread_cond_destroy(&c->parsed);
	for (size_t i = 0; i < c->count; i++)
		free(c->chunk[i].text);
	buf_free(&c->tail);
	free(c->thread);
	free(c);
}

/* --- the caller ---------------------------------------------------------------- */

struct chunk *chunks_front(struct chunks *c)
{
	struct chunk *chunk = &c->chunk[c->dropped % c->count]; /* only this thread drops */
	bool there = false;

	if (c->over)
		return NULL;
	pthread_mutex_lock(&c->lock);
	for (;;) {
		there = c->filled > c->dropped;
		if (there ? chunk->done : c->ended)
			break;
		output_wait(&c->parsed, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return there ? chunk : NULL;
}

void chunks_drop(struct chunks *c)
{
	const struct chunk *chunk = &c->chunk[c->dropped % c->count];

	/* So the place in the file is known to input_progress, and to who goes on after the last. */
	if (c->seeks)
		lseek(c->in->fd, c->in->start + (off_t)(chunk->offset + chunk->n), SEEK_SET);
	input_progress(c->in);
	pthread_mutex_lock(&c->lock);
	c->dropped++;
	c->used += chunk->used;
	c->wasted += chunk->parsed && !chunk->used;
	if (chunk->used)
		c->ahead = 2 * c->ahead < c->count ? 2 * c->ahead : c->count;
	else if (chunk->parsed)
		c->ahead = c->ahead / 2 > AHEAD_MIN ? c->ahead / 2 : AHEAD_MIN;
	pthread_cond_signal(&c->free);
	pthread_mutex_unlock(&c->lock);
}

void chunks_parse_none(struct chunks *c)
{
	pthread_mutex_lock(&c->lock);
	c->none = true;
	pthread_mutex_unlock(&c->lock);
}

void chunks_seek(struct chunks *c, uint64_t offset)
{
	c->offset = offset;
}

ssize_t chunks_read(void *from, char *out, size_t n)
{
	struct chunks *c = from;
	const struct chunk *chunk;
	size_t at;

	while ((chunk = chunks_front(c)) && c->offset >= chunk->offset + chunk->n)
		chunks_drop(c);
	/* A plain file may have become shorter: then it is read as it is now. */
	if (!chunk || c->offset < chunk->offset) {
		if (!c->seeks)
			return c->last;
		if (!c->over)
			lseek(c->in->fd, c->in->start + (off_t)c->offset, SEEK_SET);
		c->over = true;
		return input_read(c->in, out, n);
	}
	at = (size_t)(c->offset - chunk->offset);
	n = n < chunk->n - at ? n : chunk->n - at;
	memcpy(out, chunk->text + at, n);
	c->offset += n;
	return (ssize_t)n;
}
