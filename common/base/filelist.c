#include "base/filelist.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void filelist_add(struct filelist *list, char *name)
{
	list->name = mem_grow(list->name, &list->cap, list->count + 1, sizeof *list->name);
	list->name[list->count++] = name;
}

static bool fail(struct filelist *list, const char *what)
{
	snprintf(list->error, sizeof list->error, "%s: %s", what, strerror(errno));
	return false;
}

/* False if the line cannot be a name. */
static bool add_line(struct filelist *list, char *line, size_t n, bool by_nul)
{
	if (n && line[n - 1] == (by_nul ? '\0' : '\n'))
		n--;
	if (memchr(line, '\0', n)) {
		snprintf(list->error, sizeof list->error,
		         "has a NUL byte; names that end in NUL need the option -0");
		return false;
	}
	if (n)
		filelist_add(list, mem_string(line, n));
	return true;
}

bool filelist_read(struct filelist *list, const char *path, bool by_nul)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	bool good = true;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (!file)
		return fail(list, "cannot be opened");
	while (good && (n = getdelim(&line, &room, by_nul ? '\0' : '\n', file)) >= 0)
		good = add_line(list, line, (size_t)n, by_nul);
	/* It fails also without memory. */
	if (good && !feof(file))
		good = fail(list, "cannot be read");
	free(line);
	if (file != stdin)
		fclose(file);
	return good;
}
