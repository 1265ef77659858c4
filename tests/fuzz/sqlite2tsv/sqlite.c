/*
 * sqlite: whatever bytes a database has, reading it ends without a fault of memory, and each row
 * that is counted in is counted out.
 */
/* SQLite takes what a record says that it has, up to 16 MiB, and more than once. */
#define MEMORY_MAX (64 << 20)
#include "../fuzz.h"

#include <fcntl.h>

#include "sqlite2tsv/msprof.h"
#include "sqlite2tsv/nsys.h"
#include "sqlite2tsv/rocpd.h"

static const struct {
	bool (*is)(const struct sqlfile *file);
	void (*write)(struct sqlevents *events);
} kinds[] = {{nsys_is, nsys_write}, {rocpd_is, rocpd_write}, {msprof_is, msprof_write}};

/* SQLite opens a file by its name, so one in memory alone does not do. */
static char path[] = "/tmp/kev-fuzz-XXXXXX";

static void remove_file(void)
{
	unlink(path);
}

static int make_file(void)
{
	int fd = mkstemp(path);

	LAW(fd >= 0 && atexit(remove_file) == 0);
	return fd;
}

static void convert(struct sqlfile *file, bool tasks)
{
	static const struct opts opts;
	static int null = -1;
	const struct sqlevents_options options = {.phases = "XBsi", .tasks = tasks};
	struct balance balance = {
		.on = true, .reasons = sqlevents_reasons, .reasons_count = SQLEVENTS_REASONS};
	struct kev_writer out;
	struct sqlevents events = {
		.options = &options, .out = &out, .file = file, .name = "db", .balance = &balance};
	uint64_t dropped = 0;

	if (null < 0)
		null = open("/dev/null", O_WRONLY);
	kev_writer_init(&out, &opts);
	out.out.fd = null;
	out.via = true;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].is(file))
			kinds[i].write(&events);
	for (size_t i = 0; i < SQLEVENTS_REASONS; i++)
		dropped += balance.dropped[i].rows;
	LAW(balance.in.rows == balance.out.rows + dropped);
	LAW(events.rows == balance.out.rows);
	sqlevents_end(&events);
	buf_free(&out.out.buf);
	buf_free(&out.layout);
}

/* The first bytes of a database: without them nothing would be read. */
static void put_header(struct buf *database)
{
	static const char head[] = "SQLite format 3";

	if (database->len >= sizeof head)
		memcpy(database->data, head, sizeof head);
}

static void try_input(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct buf database = {0};
	struct sqlfile file;

	if (size > 1 << 16)
		return;
	if (fd < 0)
		fd = make_file();
	buf_bytes(&database, (const char *)data, size);
	put_header(&database);
	LAW(ftruncate(fd, 0) == 0);
	LAW(pwrite(fd, database.data ? database.data : "", database.len, 0) == (ssize_t)database.len);
	if (sqlfile_open(&file, path) == SQLFILE_OK)
		convert(&file, chance(buf_view(&database), 2));
	sqlfile_close(&file);
	buf_free(&database);
}
