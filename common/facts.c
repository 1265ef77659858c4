#include "facts.h"

#include "mem.h"

#include <stdlib.h>

static const struct str property = STR("deviceProp\t");

static void add(struct facts *facts, struct str key, struct str value)
{
	struct buf pair = {0};
	struct buf *values;
	size_t number;
	bool new;

	buf_str(&pair, key);
	buf_char(&pair, '\t');
	buf_str(&pair, value);
	strmap_add(&facts->seen, buf_view(&pair), &new);
	buf_free(&pair);
	if (!new)
		return;
	number = strmap_add(&facts->keys, key, &new);
	facts->value = mem_grow(facts->value, &facts->value_cap, number + 1, sizeof *facts->value);
	values = &facts->value[number];
	if (new)
		*values = (struct buf){0};
	else
		buf_text(values, ", ");
	tsv_unescape(values, value);
}

bool facts_take(struct facts *facts, const struct kev_reader *in)
{
	struct str value = in->value;

	if (str_equal(in->key, STR("damaged"))) {
		tsv_unescape(&facts->damages, buf_view(&in->damage_file));
		buf_text(&facts->damages, ": ");
		tsv_unescape(&facts->damages, buf_view(&in->damage_what));
		buf_char(&facts->damages, '\n');
		return false;
	}
	if (str_equal(in->key, STR("deviceProp"))) {
		const char *tab = value.n ? memchr(value.s, '\t', value.n) : NULL;
		struct buf key = {0};

		if (tab) {
			buf_str(&key, property);
			buf_bytes(&key, value.s, (size_t)(tab - value.s));
			add(facts, buf_view(&key),
			    (struct str){tab + 1, value.n - (size_t)(tab + 1 - value.s)});
			buf_free(&key);
		}
		return true;
	}
	if (!str_equal(in->key, STR("source")) && !str_equal(in->key, STR("platform")) &&
	    !str_equal(in->key, STR("device")))
		return false;
	add(facts, in->key, value);
	return true;
}

struct str facts_get(const struct facts *facts, const char *key)
{
	size_t number = strmap_find(&facts->keys, str_of(key));

	return number == STRMAP_NONE ? STR("") : buf_view(&facts->value[number]);
}

bool facts_property(const struct facts *facts, size_t i, struct str *name, struct str *value)
{
	for (size_t number = 0; number < facts->keys.count; number++) {
		struct str key = strmap_key(&facts->keys, number);

		if (!str_starts(key, property) || i-- > 0)
			continue;
		*name = (struct str){key.s + property.n, key.n - property.n};
		*value = buf_view(&facts->value[number]);
		return true;
	}
	return false;
}

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->keys.count; i++)
		buf_free(&facts->value[i]);
	free(facts->value);
	strmap_free(&facts->keys);
	strmap_free(&facts->seen);
	buf_free(&facts->damages);
	*facts = (struct facts){0};
}
