#include "compare/facts.h"

#include "base/mem.h"

#include <stdlib.h>

static const struct str property = STR("deviceProp\t");

static struct buf *values_of(struct facts *facts, struct str key)
{
	bool new;
	size_t number = strmap_add(&facts->keys, key, &new);

	facts->values = mem_grow(facts->values, &facts->values_cap, number + 1, sizeof *facts->values);
	if (new)
		facts->values[number] = (struct buf){0};
	if (str_starts(key, property) && new) {
		facts->property = mem_grow(facts->property, &facts->property_cap, facts->properties + 1,
		                           sizeof *facts->property);
		facts->property[facts->properties++] = number;
	}
	return &facts->values[number];
}

static void add(struct facts *facts, struct str key, struct str value)
{
	struct buf *values = values_of(facts, key);

	buf_str(values, value);
	buf_char(values, '\n');
}

/* A guess may be corrected by a second line, kev(5). */
static void set_platform(struct facts *facts, struct str value)
{
	struct buf *values = values_of(facts, STR("platform"));

	if (facts->platform_said)
		values->len = facts->platform_at;
	facts->platform_said = true;
	facts->platform_at = values->len;
	add(facts, STR("platform"), value);
}

bool facts_take(struct facts *facts, const struct kev_reader *in)
{
	struct str value = in->value;

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
	if (str_equal(in->key, STR("platform"))) {
		set_platform(facts, value);
		return true;
	}
	if (!str_equal(in->key, STR("source")) && !str_equal(in->key, STR("device")))
		return false;
	facts->platform_said &= str_equal(in->key, STR("device"));
	add(facts, in->key, value);
	return true;
}

/* The different ones of lines, decoded, with ", " between. */
static void join(struct str lines, struct buf *out)
{
	struct strmap seen = {0};

	while (lines.n) {
		size_t n = (size_t)((const char *)memchr(lines.s, '\n', lines.n) - lines.s);
		struct str line = {lines.s, n};
		bool new;

		strmap_add(&seen, line, &new);
		if (new &&seen.count > 1)
			buf_text(out, ", ");
		if (new)
			tsv_unescape(out, line);
		lines.s += n + 1;
		lines.n -= n + 1;
	}
	strmap_free(&seen);
}

void facts_get(const struct facts *facts, const char *key, struct buf *value)
{
	size_t number = strmap_find(&facts->keys, str_of(key));

	if (number != STRMAP_NONE)
		join(buf_view(&facts->values[number]), value);
}

bool facts_property(const struct facts *facts, size_t i, struct str *name, struct buf *value)
{
	struct str key;

	if (i >= facts->properties)
		return false;
	key = strmap_key(&facts->keys, facts->property[i]);
	*name = (struct str){key.s + property.n, key.n - property.n};
	join(buf_view(&facts->values[facts->property[i]]), value);
	return true;
}

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->keys.count; i++)
		buf_free(&facts->values[i]);
	free(facts->values);
	free(facts->property);
	strmap_free(&facts->keys);
	*facts = (struct facts){0};
}
