/*
 * hash - bits of a key for hash tables, which keys chosen by an input cannot make collide.
 *
 * They depend on a secret seed, which differs in each process. So no output may depend on them.
 * KEV_SEED=NUMBER in the environment fixes the seed for tests.
 */
#ifndef HASH_H
#define HASH_H

#include "base/buf.h"

#include <stdint.h>

struct hash_seed {
	uint64_t a;
	uint64_t b;
};

/* The seed of this process. For one thread. Ends the program if KEV_SEED is not a number. */
struct hash_seed hash_seed(void);

/* The low bits are as good as the high ones. */
uint32_t hash_text(struct hash_seed seed, struct str key);
uint64_t hash_number(struct hash_seed seed, uint64_t key);

#endif
