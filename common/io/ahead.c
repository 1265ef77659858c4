#include "io/ahead.h"

#include "base/mem.h"
#include "io/output.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct ahead {
	pthread_t thread;
	ahead_produce *produce;
	void *from;
	pthread_mutex_t lock; /* guards all members below */
	pthread_cond_t changed;
	size_t filled; /* chunks ever filled */
	size_t taken;  /* chunks ever given back */
	bool ended;    /* the producer made its last call */
	ssize_t last;  /* result of the producer's last call */
	bool stop;
	/* The consumer's own. */
	size_t at; /* in the chunk being read */
	/* A chunk belongs to the producer until it is filled, then to the consumer until it is taken.
	 */
	size_t length[AHEAD_CHUNKS];
	char chunk[AHEAD_CHUNKS][AHEAD_CHUNK];
};

/* Fills a chunk, with as many calls as it takes; false after the last call. */
static bool fill(struct ahead *ahead, size_t chunk, ssize_t *last)
{
	size_t n = 0;

	while (n < AHEAD_CHUNK) {
		*last = ahead->produce(ahead->from, ahead->chunk[chunk] + n, AHEAD_CHUNK - n, n == 0);
		if (*last <= 0)
			break;
		n += (size_t)*last;
	}
	ahead->length[chunk] = n;
	return *last > 0 || *last == AHEAD_LATER;
}

static void *run(void *arg)
{
	struct ahead *ahead = arg;
	bool more = true;

	pthread_mutex_lock(&ahead->lock);
	while (more && !ahead->stop) {
		ssize_t last = 0;

		while (ahead->filled - ahead->taken == AHEAD_CHUNKS && !ahead->stop)
			pthread_cond_wait(&ahead->changed, &ahead->lock);
		if (ahead->stop)
			break;
		pthread_mutex_unlock(&ahead->lock);
		more = fill(ahead, ahead->filled % AHEAD_CHUNKS, &last);
		pthread_mutex_lock(&ahead->lock);
		ahead->filled++;
		ahead->ended = !more;
		ahead->last = last;
		pthread_cond_signal(&ahead->changed);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

struct ahead *ahead_start(ahead_produce *produce, void *from)
{
	struct ahead *ahead = mem_alloc(1, sizeof *ahead);
	sigset_t all;
	sigset_t before;
	int failed;

	memset(ahead, 0, offsetof(struct ahead, chunk));
	ahead->produce = produce;
	ahead->from = from;
	pthread_mutex_init(&ahead->lock, NULL);
	output_condition(&ahead->changed);
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&ahead->thread, NULL, run, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failed)
		return ahead;
	free(ahead);
	return NULL;
}

ssize_t ahead_read(struct ahead *ahead, char *out, size_t n, bool may_wait)
{
	size_t chunk = ahead->taken % AHEAD_CHUNKS; /* only this thread changes taken */
	ssize_t last;
	bool there;

	for (;;) {
		size_t left;

		pthread_mutex_lock(&ahead->lock);
		while (ahead->filled == ahead->taken && !ahead->ended && may_wait)
			output_wait(&ahead->changed, &ahead->lock);
		there = ahead->filled > ahead->taken;
		last = ahead->ended ? ahead->last : AHEAD_LATER;
		pthread_mutex_unlock(&ahead->lock);
		if (!there)
			return last;
		left = ahead->length[chunk] - ahead->at;
		if (left) {
			n = n < left ? n : left;
			memcpy(out, ahead->chunk[chunk] + ahead->at, n);
			ahead->at += n;
			return (ssize_t)n;
		}
		ahead->at = 0;
		pthread_mutex_lock(&ahead->lock);
		ahead->taken++;
		chunk = ahead->taken % AHEAD_CHUNKS;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}
}

void ahead_stop(struct ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	pthread_mutex_destroy(&ahead->lock);
	pthread_cond_destroy(&ahead->changed);
	free(ahead);
}
