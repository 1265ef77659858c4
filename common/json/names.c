#include "json/names.h"

#include <stdlib.h>

#include "base/die.h"
#include "base/mem.h"

static void add(struct names *made, size_t *count, const char *text, int index)
{
	size_t length = strlen(text);
	char padded[8] = {0};

	memcpy(padded, text, length < 8 ? length : 8);
	made->name[(*count)++] =
		(struct names_name){.head = names_head(padded, length), .text = text, .index = index};
}

struct names *names_make(const char *const *names, size_t count, size_t first, const char *object)
{
	struct names *made = mem_zero(1, sizeof *made + (count + 1) * sizeof made->name[0]);
	size_t n = 0;

	if (count > NAMES_MAX)
		die("more than %d names are wanted", NAMES_MAX);
	for (size_t i = 0; i < count + (object != NULL); i++) {
		const char *name = i < count ? names[i] : object;

		if (strlen(name) > NAMES_MAX_BYTES)
			die("'%s': wanted names have at most %d bytes", name, NAMES_MAX_BYTES);
	}
	for (size_t length = 0; length <= NAMES_MAX_BYTES; length++) {
		made->start[length] = (unsigned char)n;
		for (size_t i = 0; i < count; i++)
			if (strlen(names[i]) == length)
				add(made, &n, names[i], (int)(first + i));
		if (object && strlen(object) == length)
			add(made, &n, object, NAMES_OBJECT);
	}
	made->start[NAMES_MAX_BYTES + 1] = (unsigned char)n;
	return made;
}
