/*
 * inflate - inflate a gzip file of one member and throw the text away.
 *
 *   $ inflate zlib trace.json.gz
 *   1000001113
 *
 * The library (zlib, or isal where it was there at build time) is called
 * directly, checks the checksum itself, and how many bytes there were is
 * printed. Nothing that inflates with it in one thread can be quicker.
 * Memory: constant.
 */
#include "base/die.h"
#include "base/mem.h"
#include "base/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif

enum { BUFFER_SIZE = 256 << 10 };

struct file {
	const char *name;
	int fd;
	unsigned char *packed;
	unsigned char *text;
};

/* The next packed bytes: how many; at the end of the file the data must have ended. */
static unsigned more(const struct file *file)
{
	ssize_t got = read(file->fd, file->packed, BUFFER_SIZE);

	if (got < 0)
		die("%s: %s", file->name, strerror(errno));
	if (got == 0)
		die("%s: the gzip data are cut off", file->name);
	return (unsigned)got;
}

static uint64_t inflate_by_zlib(const struct file *file)
{
	z_stream z = {.avail_in = 0};
	uint64_t bytes = 0;
	int result = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		die("zlib cannot be started");
	while (result != Z_STREAM_END) {
		if (z.avail_in == 0) {
			z.next_in = file->packed;
			z.avail_in = more(file);
		}
		z.next_out = file->text;
		z.avail_out = BUFFER_SIZE;
		result = inflate(&z, Z_NO_FLUSH);
		if (result != Z_OK && result != Z_STREAM_END)
			die("%s: zlib gives %d", file->name, result);
		bytes += BUFFER_SIZE - z.avail_out;
	}
	inflateEnd(&z);
	return bytes;
}

#ifdef HAVE_ISAL

static uint64_t inflate_by_isal(const struct file *file)
{
	struct inflate_state *state = mem_alloc(1, sizeof *state);
	uint64_t bytes = 0;

	isal_inflate_init(state);
	state->crc_flag = ISAL_GZIP;
	while (state->block_state != ISAL_BLOCK_FINISH) {
		int result;

		if (state->avail_in == 0) {
			state->next_in = file->packed;
			state->avail_in = more(file);
		}
		state->next_out = file->text;
		state->avail_out = BUFFER_SIZE;
		result = isal_inflate(state);
		if (result != ISAL_DECOMP_OK)
			die("%s: ISA-L gives %d", file->name, result);
		bytes += BUFFER_SIZE - state->avail_out;
	}
	free(state);
	return bytes;
}

#endif

struct library {
	const char *name;
	uint64_t (*inflate)(const struct file *); /* gives the bytes of the text */
};

static const struct library libraries[] = {
	{"zlib", inflate_by_zlib},
#ifdef HAVE_ISAL
	{"isal", inflate_by_isal},
#endif
};

static const struct library *library_of(const char *name)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (strcmp(libraries[i].name, name) == 0)
			return &libraries[i];
	opts_fail("no library here: '%s'", name);
}

static const struct opt_usage usage = {
	"zlib|isal FILE", "Inflates a gzip file and says how many bytes it holds, for benchmarks.",
	NULL, 0};

int main(int argc, char **argv)
{
	struct opts options;
	struct file file = {.fd = -1};
	const struct library *library;

	opts_init(&options, &usage, argc, argv);
	opts_next(&options);
	if (options.operands_count != 2)
		opts_fail("a library and a file are wanted");
	library = library_of(options.operands[0]);
	file.name = options.operands[1];
	file.fd = open(file.name, O_RDONLY);
	if (file.fd < 0)
		die("%s: %s", file.name, strerror(errno));
	file.packed = mem_alloc(BUFFER_SIZE, 1);
	file.text = mem_alloc(BUFFER_SIZE, 1);
	printf("%" PRIu64 "\n", library->inflate(&file));
	close(file.fd);
	free(file.packed);
	free(file.text);
	return STATUS_OK;
}
