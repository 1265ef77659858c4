#include "collsource.h"

#include "syntax/tsv.h"

void collsource_rank(struct collsource *source, struct kev_reader *in)
{
	char text[QUOTE_MAX];

	if (!str_whole(in->value, &source->rank) || source->rank == UINT64_MAX)
		kev_error(in, "##rank: %s is not a rank", quote(text, in->value.s, in->value.n));
	source->ranked = true;
	source->any = true;
}

void collsource_world(struct collsource *source, struct str value)
{
	if (!str_whole(value, &source->world))
		source->world = 0;
}

bool collsource_is_over(const struct collsource *source)
{
	return source->named || source->rows;
}

void collsource_name(struct collsource *source, struct str value)
{
	source->named = true;
	source->any = true;
	source->name.len = 0;
	tsv_unescape(&source->name, value);
	buf_char(&source->name, '\0');
}

const char *collsource_who(const struct collsource *source, const char *file)
{
	return source->name.len ? source->name.data : file;
}

bool collsource_number(struct collsource *source, bool needed)
{
	if (source->ranked)
		source->with_rank++;
	else if (needed)
		return false;
	else
		source->rank = source->without++;
	return true;
}

void collsource_end(struct collsource *source)
{
	source->empty |= source->named && !source->rows;
	source->other |= source->rows;
	source->any = source->named = source->rows = source->ranked = false;
	source->world = 0;
}

bool collsource_end_file(struct collsource *source)
{
	bool good = !source->empty || !source->other;

	source->empty = source->other = false;
	return good;
}

void collsource_free(struct collsource *source)
{
	buf_free(&source->name);
}
