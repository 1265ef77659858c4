#include "filemap.h"

#include "base/die.h"
#include "base/plaintext.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the handler needs: the bytes that are mapped, and the message if one of them is gone. */
struct mapped {
	const char *begin;
	const char *end;
	struct sigaction before;
	size_t message_n;
	char message[512];
};

/* A handler gets nothing but the signal. */
static struct mapped *mapped(void)
{
	static struct mapped mapped;

	return &mapped;
}

/* Another SIGBUS ends the program as without a handler: the instruction runs again. */
static void end_program(int number, siginfo_t *info, void *context)
{
	const struct mapped *map = mapped();
	const char *at = info->si_addr;

	(void)context;
	if (at < map->begin || at >= map->end) {
		signal(number, SIG_DFL);
		return;
	}
	if (write(STDERR_FILENO, map->message, map->message_n) < 0)
		_exit(STATUS_ERROR);
	_exit(STATUS_ERROR);
}

bool filemap_open(struct filemap *map, const struct input *in)
{
	struct sigaction action = {.sa_sigaction = end_program, .sa_flags = SA_SIGINFO};
	struct mapped *state = mapped();
	char name[256];
	void *data;

	*map = (struct filemap){0};
	if (!in->plain || in->start < 0 || in->file.st_size <= in->start ||
	    (uintmax_t)in->file.st_size > SIZE_MAX)
		return false;
	data = mmap(NULL, (size_t)in->file.st_size, PROT_READ, MAP_PRIVATE, in->fd, 0);
	if (data == MAP_FAILED)
		return false;
	*map = (struct filemap){data, (size_t)in->file.st_size};
	plaintext_fit(name, sizeof name, str_of(in->name));
	state->begin = map->data;
	state->end = map->data + map->n;
	state->message_n =
		(size_t)snprintf(state->message, sizeof state->message,
	                     "%s: %s: cannot be read: it became shorter meanwhile, or its "
	                     "disk failed; rows are missing\n",
	                     die_program(), name);
	sigaction(SIGBUS, &action, &state->before);
	return true;
}

void filemap_close(struct filemap *map)
{
	if (!map->data)
		return;
	sigaction(SIGBUS, &mapped()->before, NULL);
	munmap(map->data, map->n);
	*map = (struct filemap){0};
}
