#include "colours.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const palette[COLOURS] = {
	"'#4477aa'", "'#ee6677'", "'#228833'", "'#ccbb44'", "'#66ccee'", "'#aa3377'", "'#0800f0'",
	"'#a6eb8f'", "'#77077c'", "'#74879b'", "'#b88cff'", "'#67625b'", "'#204c30'", "'#38a078'",
	"'#486300'", "'#e93241'", "'#d595c2'", "'#6f67fd'", "'#c09103'", "'#e402ca'", "'#830c4e'",
	"'#a7ca98'", "'#3c480d'", "'#871cb0'", "'#b35b81'", "'#ab0044'",
};

/* The classes of kclass, and other groups that are frequent. */
static const struct {
	const char *name;
	unsigned char number;
} known[] = {
	{"Dense GEMM", 0},
	{"Attention", 1},
	{"MoE GEMM", 2},
	{"Elementwise", 3},
	{"Copy/Memory", 4},
	{"Collective", 5},
	{"Activation", 6},
	{"RMSNorm", 7},
	{"Convolution", 8},
	{"Reduce", 9},
	{"Quantization", 10},
	{"Normalization", 11},
	{"Indexing", 12},
	{"MoE Routing", 13},
	{"KV Cache", 14},
	{"Attention (Prefill)", 15},
	{"Attention (Decode)", 16},
	{"RoPE", 17},
	{"Sorting", 18},
	{"MoE Finalize", 19},
	{"Softmax", 20},
	{"Random", 21},
	{"Optimizer", 22},
	{"Triton Fused", 23},
	{"MoE GEMM+SwiGLU", 24},
	{"RMSNorm+GEMM", 25},
	/* Categories of a trace. */
	{"kernel", 0},
	{"cpu_op", 3},
	{"cuda_runtime", 6},
	{"gpu_memcpy", 4},
	{"gpu_memset", 7},
	{"user_annotation", 5},
	{"python_function", 10},
	/* The parts of the time of a device, as columns of kbusy. */
	{"compute", 0},
	{"comm_exposed", 5},
	{"comm_hidden", 16},
	{"copy_exposed", 4},
	{"busy", 2},
	/* Causes of klaunch. */
	{"host", 0},
	{"launch", 1},
	{"sync", 2},
	{"graph", 3},
	{"copy", 4},
	{"comm", 5},
	{"unlinked", 6},
};

const char *colour_by_number(size_t number)
{
	return palette[number % COLOURS];
}

const char *colour_of_rest(void)
{
	return "'#b8b8b8'";
}

/* FNV-1a, without a secret, as it must give one colour in each run. */
static uint32_t hash_of(struct str name)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < name.n; i++)
		hash = (hash ^ (unsigned char)name.s[i]) * 16777619U;
	return hash ^ hash >> 15;
}

/* Ranks, streams and steps: neighbours differ. */
static bool is_number(struct str name, size_t *number)
{
	*number = 0;
	for (size_t i = 0; i < name.n; i++) {
		if (name.s[i] < '0' || name.s[i] > '9')
			return false;
		*number = *number * 10 + (size_t)(name.s[i] - '0');
	}
	return name.n > 0;
}

/* The colour that a name has in each picture; NULL if it depends on the other names. */
static const char *fixed(struct str name)
{
	if (name.n == 0)
		return "'#d9d9d9'";
	if (str_equal(name, STR("idle")))
		return colour_of_rest();
	if (str_equal(name, STR("Other")) || str_equal(name, STR("other")))
		return "'#999999'";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_equal(name, str_of(known[i].name)))
			return palette[known[i].number];
	return NULL;
}

/* The colour that any other name gets if it is free, as a number. */
static size_t wanted(struct str name)
{
	size_t number;

	return (is_number(name, &number) ? number : hash_of(name)) % COLOURS;
}

const char *colour_of(struct str name)
{
	const char *colour = fixed(name);

	return colour ? colour : palette[wanted(name)];
}

/* The first colour from this one on that is free; this one if none is. */
static size_t free_from(const bool used[COLOURS], size_t first)
{
	for (size_t i = 0; i < COLOURS; i++)
		if (!used[(first + i) % COLOURS])
			return (first + i) % COLOURS;
	return first;
}

const char **colours_of(const struct strmap *names)
{
	size_t count = names->count;
	const char **colour = mem_zero(count + 1, sizeof *colour);
	size_t *rank = strmap_ranks(names);
	size_t *sorted = mem_alloc(count + 1, sizeof *sorted);
	bool used[COLOURS] = {false};

	for (size_t i = 0; i < count; i++) {
		sorted[rank[i]] = i;
		colour[i] = fixed(strmap_key(names, i));
		for (size_t j = 0; j < COLOURS; j++)
			used[j] |= colour[i] == palette[j];
	}
	/* A name that takes another colour must not take the one that a later name wants. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count; i++) {
			size_t number = wanted(strmap_key(names, sorted[i]));

			if (colour[sorted[i]] || (pass == 0 && used[number]))
				continue;
			number = free_from(used, number);
			used[number] = true;
			colour[sorted[i]] = palette[number];
		}
	}
	free(rank);
	free(sorted);
	return colour;
}

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

bool colour_is_dark(const char *colour)
{
	static const unsigned weight[] = {30, 59, 11};
	unsigned light = 0;

	for (size_t i = 0; i < 3; i++)
		light += weight[i] * (digit(colour[2 + 2 * i]) * 16 + digit(colour[3 + 2 * i]));
	return light < 100 * 140;
}
