#include "csvtwice.h"

#include <fcntl.h>
#include <stdio.h>

/* Makes the error of the reader fatal. Always returns false. */
static bool fail(struct csv_reader *csv)
{
	csv->fatal = true;
	return false;
}

static bool fail_spool(struct csvtwice *twice, struct csv_reader *csv)
{
	snprintf(csv->error, sizeof csv->error, "%s", twice->copy.error);
	return fail(csv);
}

bool csvtwice_begin(struct csvtwice *twice, struct csv_reader *csv)
{
	*twice = (struct csvtwice){.copied = csv->in.start < 0, .line = 1};
	return !twice->copied || spool_open(&twice->copy) || fail_spool(twice, csv);
}

/* Skipped lines become empty lines. So the copy never begins with the mark of another format. */
static bool copy(struct csvtwice *twice, const struct csv_reader *csv)
{
	struct str record = csv->record;
	bool good = true;

	for (; twice->line < csv->line; twice->line++)
		good = good && spool_write(&twice->copy, "\n", 1);
	good = good && spool_write(&twice->copy, record.s, record.n);
	if (!csv->unended)
		good = good && spool_write(&twice->copy, "\n", 1);
	for (size_t i = 0; i < record.n; i++)
		twice->line += record.s[i] == '\n';
	twice->line++;
	return good;
}

bool csvtwice_keep(struct csvtwice *twice, struct csv_reader *csv)
{
	if (!twice->first)
		twice->first = csv->line;
	return !twice->copied || copy(twice, csv) || fail_spool(twice, csv);
}

/* Opens the copy, which then has no name in twice, in the place of the input. */
static bool open_copy(struct csvtwice *twice, struct csv_reader *csv)
{
	const char *name = csv->in.name;
	size_t max_record = csv->max_record;
	int fd;

	csv_close(csv);
	if (!spool_rewind(&twice->copy))
		return fail_spool(twice, csv);
	fd = fcntl(twice->copy.fd, F_DUPFD_CLOEXEC, 0);
	return csv_open_fd(csv, fd, name, max_record) || fail(csv);
}

static bool open_file(struct csv_reader *csv)
{
	if (!csv_again(csv))
		return fail(csv);
	if (!input_changed(&csv->in))
		return true;
	snprintf(csv->error, sizeof csv->error,
	         "changed while it was read; run again when nothing writes to it");
	return fail(csv);
}

int csvtwice_again(struct csvtwice *twice, struct csv_reader *csv, int got)
{
	if (!twice->first)
		return got;
	if (twice->copied) {
		twice->broken = got < 0;
		twice->fatal = csv->fatal;
		twice->end_line = csv->line;
		snprintf(twice->error, sizeof twice->error, "%s", csv->error);
	}
	if (!(twice->copied ? open_copy(twice, csv) : open_file(csv)))
		return -1;
	do
		got = csv_next(csv);
	while (got > 0 && csv->line < twice->first);
	return got;
}

int csvtwice_end(struct csvtwice *twice, struct csv_reader *csv, int got)
{
	if (twice->copied)
		spool_close(&twice->copy);
	if (got != 0 || !twice->broken)
		return got;
	snprintf(csv->error, sizeof csv->error, "%s", twice->error);
	csv->fatal = twice->fatal;
	csv->line = twice->end_line;
	return -1;
}
