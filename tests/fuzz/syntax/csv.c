/* csv: equal records whatever the pieces they come in, and quoted and read again. */
#include "../fuzz.h"

#include "syntax/csv.h"

/* The fields as they stand say what the reader said. */
static void check_split(struct csv_reader *r)
{
	struct str *fields = malloc(r->count * sizeof *fields);
	struct buf scratch = {0};

	LAW(csv_split(r->record, NULL, 0) == r->count &&
	    csv_split(r->record, fields, r->count) == r->count);
	for (size_t i = 0; i < r->count; i++) {
		scratch.len = 0;
		LAW(str_equal(csv_unquote(fields[i], &scratch), csv_field(r, i)));
	}
	free(fields);
	buf_free(&scratch);
}

/* The records with every field quoted; places, where wanted, is how each began and it all ended. */
static void show(struct buf *records, struct buf *places, size_t max_record)
{
	struct csv_reader r;
	int got;

	LAW(csv_open(&r, "-", max_record));
	while ((got = csv_next(&r)) > 0) {
		LAW(r.count > 0);
		check_split(&r);
		for (size_t i = 0; i < r.count; i++) {
			if (i)
				buf_char(records, ',');
			csv_quote(records, csv_field(&r, i), true);
		}
		buf_char(records, '\n');
		buf_format(places, "%d %zu\n", (int)r.line, r.count);
	}
	buf_format(places, "%d %d %s", got, got < 0 ? (int)r.line : 0, r.error);
	csv_close(&r);
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	struct buf records[3] = {{0}};
	struct buf places[3] = {{0}};
	/* A small limit ends the reading: the law of growth compares texts that are read whole. */
	size_t limit = size > 4096 || chance(text, 4) ? 1 << 20 : 30;

	if (is_gzip(text))
		return;
	feed(text);
	show(&records[0], &places[0], limit);
	feed_in_steps(text, (1 + chance(text, 40)) * (1 + text.n / 4096));
	show(&records[1], &places[1], limit);
	LAW_SAME(&records[0], &records[1]);
	LAW_SAME(&places[0], &places[1]);
	feed(buf_view(&records[0]));
	show(&records[2], &places[2], 1 << 20);
	LAW_SAME(&records[0], &records[2]);
	LAW(str_ends(buf_view(&places[2]), STR("0 0 ")));
	for (size_t i = 0; i < 3; i++) {
		buf_free(&records[i]);
		buf_free(&places[i]);
	}
}
