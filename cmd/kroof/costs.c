#include "costs.h"

#include "base/mem.h"

#include <stdlib.h>

enum { ROOT, NONE = 0 }; /* no node has the root below it or beside it */

struct costs_node {
	uint32_t below;  /* the first of the nodes of the next bytes */
	uint32_t beside; /* the next node for the same place */
	size_t owner;    /* SIZE_MAX: no name ends here */
	uint32_t cost;
	unsigned char byte;
};

/* The node for a byte after a node; NONE if no name goes on with it. */
static uint32_t find(const struct costs *costs, uint32_t node, char byte)
{
	uint32_t next = costs->node[node].below;

	while (next != NONE && costs->node[next].byte != (unsigned char)byte)
		next = costs->node[next].beside;
	return next;
}

static uint32_t add_node(struct costs *costs, uint32_t after, char byte)
{
	uint32_t added = (uint32_t)costs->count;

	costs->node = mem_grow(costs->node, &costs->cap, costs->count + 1, sizeof *costs->node);
	costs->node[costs->count++] =
		(struct costs_node){.owner = SIZE_MAX, .byte = (unsigned char)byte};
	if (added == ROOT)
		return added;
	costs->node[added].beside = costs->node[after].below;
	costs->node[after].below = added;
	return added;
}

size_t costs_put(struct costs *costs, struct str name, uint64_t cost, size_t owner)
{
	uint32_t node = ROOT;

	if (costs->count == 0)
		add_node(costs, ROOT, '\0');
	for (size_t i = 0; i < name.n; i++) {
		uint32_t next = find(costs, node, name.s[i]);

		node = next == NONE ? add_node(costs, node, name.s[i]) : next;
	}
	if (costs->node[node].owner == SIZE_MAX) {
		costs->node[node].owner = owner;
		costs->node[node].cost = (uint32_t)cost;
	}
	return costs->node[node].owner;
}

size_t costs_owner(const struct costs *costs, struct str name)
{
	uint32_t node = ROOT;

	if (costs->count == 0)
		return SIZE_MAX;
	for (size_t i = 0; i < name.n; i++)
		if ((node = find(costs, node, name.s[i])) == NONE)
			return SIZE_MAX;
	return costs->node[node].owner;
}

/* The sum from byte `from` on, of sums from later bytes on; UINT64_MAX if it cannot be split. */
static uint64_t sum_from(const struct costs *costs, struct str text, size_t from)
{
	uint64_t sum = UINT64_MAX;
	uint32_t node = ROOT;

	for (size_t i = from; i < text.n && (node = find(costs, node, text.s[i])) != NONE; i++) {
		const struct costs_node *at = &costs->node[node];

		if (at->owner == SIZE_MAX)
			continue;
		if (i + 1 == text.n)
			sum = at->cost;
		else if (text.s[i + 1] == '_' && costs->sum[i + 2] != UINT64_MAX)
			sum = costs->sum[i + 2] + at->cost;
	}
	return sum;
}

bool costs_sum(struct costs *costs, struct str text, uint64_t *sum)
{
	if (costs->count == 0 || text.n == 0)
		return false;
	costs->sum = mem_grow(costs->sum, &costs->sum_cap, text.n + 1, sizeof *costs->sum);
	costs->sum[text.n] = UINT64_MAX; /* after a `_` at the end */
	for (size_t i = text.n; i-- > 0;)
		costs->sum[i] = sum_from(costs, text, i);
	*sum = costs->sum[0];
	return *sum != UINT64_MAX;
}

void costs_free(struct costs *costs)
{
	free(costs->node);
	free(costs->sum);
	*costs = (struct costs){0};
}
