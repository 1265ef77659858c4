#include "base/hash.h"

#include "base/die.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* --- the seed ------------------------------------------------------------ */

/* Random bytes of the kernel. Without them, something that the author of an input cannot know. */
static uint64_t random_word(void)
{
	struct timespec now;
	uint64_t word;

	if (getrandom(&word, sizeof word, GRND_NONBLOCK) == sizeof word)
		return word;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 40 ^
	       (uintptr_t)&now;
}

static uint64_t first_word(void)
{
	const char *fixed = getenv("KEV_SEED");
	unsigned long long number;
	char *end;

	if (!fixed || !*fixed)
		return random_word();
	errno = 0;
	number = strtoull(fixed, &end, 10);
	if (*fixed < '0' || *fixed > '9' || *end || errno)
		die("KEV_SEED: '%s' is not a whole number below 2^64", fixed);
	return number;
}

/* SplitMix64: words that have nothing to do with each other, even for the seeds 1 and 2. */
static uint64_t next_word(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

struct hash_seed hash_seed(void)
{
	static struct hash_seed seed;
	static bool drawn;

	if (!drawn) {
		uint64_t state = first_word();

		seed.a = next_word(&state);
		seed.b = next_word(&state);
		drawn = true;
	}
	return seed;
}

/* --- hashes -------------------------------------------------------------- */

/*
 * The halves of a product, folded into one word. Each factor must contain a secret: if a factor
 * were known, an input could make it 0, and so the product, whatever the other factor is.
 */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * The last step. A single product leaves some keys that count up close together
 * under a few of the seeds; tests/unit/hash.c.
 */
static inline uint64_t fold_twice(struct hash_seed seed, uint64_t a, uint64_t b)
{
	return fold(fold(a, b) ^ seed.a, seed.b);
}

static inline uint64_t fold_bytes(struct hash_seed seed, uint64_t hash, const char *s)
{
	return fold(str_word(s) ^ seed.a, str_word(s + 8) ^ hash ^ seed.b);
}

static inline uint64_t half_turn(uint64_t word)
{
	return word << 32 | word >> 32;
}

enum { STEP = 32 }; /* bytes of a long key */

/*
 * Thirty-two bytes a step, as two products take hardly longer than one. Each product has its own
 * secrets: with equal secrets, keys with equal steps would collide. The last bytes overlap the
 * bytes before them, so that no step is short.
 */
static uint32_t hash_long(struct hash_seed seed, struct str key)
{
	struct hash_seed turned = {half_turn(seed.a), half_turn(seed.b)};
	const char *last = key.s + key.n - STEP;
	uint64_t hash = key.n * seed.a;
	uint64_t other = 0;

	for (; key.s < last; key.s += STEP) {
		hash = fold_bytes(seed, hash, key.s);
		other = fold_bytes(turned, other, key.s + STEP / 2);
	}
	hash = fold_bytes(seed, hash, last);
	other = fold_bytes(turned, other, last + STEP / 2);
	return (uint32_t)fold_twice(seed, hash ^ seed.a, other ^ seed.b);
}

/* Sixteen bytes a step; here, too, the last ones overlap. */
uint32_t hash_text(struct hash_seed seed, struct str key)
{
	uint64_t hash = key.n * seed.a;
	uint64_t first = 0;
	uint64_t last = 0;

	if (key.n > STEP)
		return hash_long(seed, key);
	if (key.n > 16) {
		hash = fold_bytes(seed, hash, key.s);
		key.s += 16;
		key.n -= 16;
	}
	if (key.n >= 8) {
		first = str_word(key.s);
		last = str_word(key.s + key.n - 8);
	} else {
		for (size_t i = 0; i < key.n; i++)
			first = first << 8 | (unsigned char)key.s[i];
	}
	return (uint32_t)fold_twice(seed, first ^ seed.a, last ^ hash ^ seed.b);
}

uint64_t hash_number(struct hash_seed seed, uint64_t key)
{
	return fold_twice(seed, key ^ seed.a, seed.b);
}
