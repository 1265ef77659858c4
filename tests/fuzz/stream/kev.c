/*
 * kev: equal items whatever the pieces a stream comes in, passed on and read again, and in a second
 * look at a pipe.
 */
#include "../fuzz.h"

#include "stream/kev.h"

static char dash[] = "-";
static char *operands[] = {dash};
static const struct opts standard_input = {.operands = operands, .operands_count = 1};

/* Passes an item on; damage, of which kev_pass_meta would speak on standard error, is left out. */
static void pass(struct kev_writer *w, const struct kev_reader *r, enum kev_item item)
{
	if (item == KEV_COLUMNS) {
		kev_columns(w, r->column, r->columns_count);
	} else if (item == KEV_META) {
		if (!str_equal(r->key, STR("damaged")))
			kev_pass_meta(w, r);
	} else if (chance(r->tsv.text, 2)) {
		kev_pass_row(w, r);
	} else {
		for (size_t i = 0; i < r->columns_count; i++)
			kev_field_raw(w, r->field[i]);
		kev_row_end(w);
	}
}

/*
 * The items as text: columns, where they are not those before, rows, decoded, and metadata.
 * With a writer they are passed on, and what ended them is not of interest.
 */
static void show(struct buf *out, struct kev_writer *w)
{
	struct buf columns = {0};
	struct buf line = {0};
	struct buf scratch = {0};
	struct kev_reader r;
	enum kev_item item;

	kev_open(&r, &standard_input);
	while ((item = kev_next(&r)) > KEV_END) {
		line.len = 0;
		if (item == KEV_META) {
			LAW(!str_equal(r.key, STR("kev")));
			buf_str(&line, r.key);
			buf_text(&line, r.has_value ? "=" : "");
			buf_str(&line, r.value);
		}
		for (size_t i = 0; item != KEV_META && i < r.columns_count; i++) {
			struct str text = item == KEV_COLUMNS ? r.column[i] : kev_text(&r, (int)i, &scratch);

			buf_char(&line, item == KEV_COLUMNS ? '#' : '|');
			buf_str(&line, text);
			if (item == KEV_COLUMNS)
				LAW(kev_column(&r, text) == (int)i);
		}
		if (w)
			pass(w, &r, item);
		if (item == KEV_META
		        ? str_equal(r.key, STR("damaged")) && w
		        : item == KEV_COLUMNS && str_equal(buf_view(&line), buf_view(&columns)))
			continue;
		if (item == KEV_COLUMNS) {
			columns.len = 0;
			buf_str(&columns, buf_view(&line));
		}
		buf_str(out, buf_view(&line));
		buf_char(out, '\n');
	}
	if (!w)
		buf_format(out, "%d: %d %s", item, (int)r.error_line, r.error);
	kev_close(&r);
	buf_free(&columns);
	buf_free(&line);
	buf_free(&scratch);
}

/* All items of a reader as bytes; while it can, each is kept. */
static enum kev_item items_of(struct kev_reader *r, struct buf *out)
{
	enum kev_item item;

	while ((item = kev_next(r)) > KEV_END) {
		buf_format(out, "%d %d ", (int)item, (int)r->tsv.line);
		if (item == KEV_META) {
			buf_str(out, r->key);
			buf_text(out, r->has_value ? "=" : "");
			buf_str(out, r->value);
		}
		for (size_t i = 0; item != KEV_META && i < r->columns_count; i++) {
			buf_char(out, '|');
			buf_str(out, item == KEV_COLUMNS ? r->column[i] : r->field[i]);
		}
		buf_char(out, '\n');
		kev_keep(r, item);
	}
	return item;
}

static void look_twice(struct str text)
{
	struct buf first = {0};
	struct buf second = {0};
	int before = dup(0);
	struct kev_reader r;
	int ends[2];

	LAW(pipe(ends) == 0);
	LAW(write(ends[1], text.s, text.n) == (ssize_t)text.n); /* less than a pipe holds */
	close(ends[1]);
	LAW(dup2(ends[0], 0) == 0);
	close(ends[0]);
	kev_open(&r, &standard_input);
	if (items_of(&r, &first) == KEV_END) {
		for (int look = 0; look < 2; look++) {
			second.len = 0;
			kev_again(&r);
			LAW(items_of(&r, &second) == KEV_END);
			LAW_SAME(&first, &second);
		}
	}
	kev_close(&r);
	LAW(dup2(before, 0) == 0);
	close(before);
	buf_free(&first);
	buf_free(&second);
}

/* A writer to a file in memory, which `written` then gives. */
static int target(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("output", 0);
	LAW(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void written(struct kev_writer *w, struct buf *out)
{
	ssize_t size;

	output_format(&w->out, "##end\t%s\n", die_program());
	output_flush(&w->out);
	size = lseek(w->out.fd, 0, SEEK_END);
	LAW(size >= 0 && pread(w->out.fd, buf_reserve(out, (size_t)size), (size_t)size, 0) == size);
	out->len = (size_t)size;
	buf_free(&w->out.buf);
	buf_free(&w->layout);
}

static void try_input(const uint8_t *data, size_t size)
{
	static const struct opts opts;
	struct str text = {(const char *)data, size};
	struct buf items[4] = {{0}};
	struct buf stream = {0};
	struct kev_writer w;

	/* One of two carriage returns before a newline belongs to the text, and should be escaped. */
	if (is_gzip(text) || str_has(text, STR("\r\r")) || size > 1 << 14)
		return;
	look_twice(text);
	feed(text);
	show(&items[0], NULL);
	feed_in_steps(text, (1 + chance(text, 40)) * (1 + text.n / 4096));
	show(&items[1], NULL);
	LAW_SAME(&items[0], &items[1]);
	for (size_t i = 2; i < 4; i++) {
		kev_writer_init(&w, &opts);
		w.out.fd = target();
		w.via = true; /* a ##via line more would be one more item */
		feed(i == 2 ? text : buf_view(&stream));
		show(&items[i], &w);
		stream.len = 0;
		written(&w, &stream);
	}
	LAW_SAME(&items[2], &items[3]);
	for (size_t i = 0; i < 4; i++)
		buf_free(&items[i]);
	buf_free(&stream);
}
