/* csvfile: written back, its bytes are equal; with a column more, each row has one cell more. */
#include "../fuzz.h"

#include "syntax/csvfile.h"

static int file_of(struct str text)
{
	int fd = memfd_create("file", 0);

	LAW(fd >= 0 && write(fd, text.s, text.n) == (ssize_t)text.n && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void put_all(struct buf *out, struct csvfile *file, struct csvfile_layout *layout)
{
	csvfile_put_header(out, file, layout);
	for (size_t i = 0; i < file->count; i++)
		csvfile_put_row(out, file, layout, i);
	csvfile_put_rest(out, file);
}

/* The cells, all but the first `skip` of each row, one on a line; as many as there are columns. */
static void show(struct buf *out, struct csvfile *file, size_t skip)
{
	for (size_t i = 0; i < file->count; i++) {
		csvfile_split(file, i);
		for (size_t j = skip; j < file->columns_count; j++) {
			struct buf scratch = {0};

			buf_str(out, csvfile_cell(file, (int)j, &scratch));
			buf_char(out, '\n');
			buf_free(&scratch);
		}
	}
}

static void try_input(const uint8_t *data, size_t size)
{
	const struct str new_column = STR("a new, column");
	struct str text = {(const char *)data, size};
	struct csvfile file = {0};
	struct csvfile again = {0};
	struct csvfile_layout layout = {0};
	struct buf written = {0};
	struct buf cells[2] = {{0}};

	if (csvfile_read(&file, file_of(text), "file"))
		csvfile_layout_of(&layout, &file);
	if (file.error[0] || csvfile_layout_find(&layout, new_column) >= 0) {
		csvfile_layout_free(&layout);
		csvfile_free(&file);
		return;
	}
	put_all(&written, &file, &layout);
	if (!str_equal(buf_view(&written), text))
		LAW_SAME(&written, (&(struct buf){(char *)data, size, size}));

	csvfile_layout_insert(&layout, 0, new_column);
	written.len = 0;
	put_all(&written, &file, &layout);
	if (file.unended)
		buf_char(&written, '\n'); /* a short row that was filled up is not cut off */
	LAW(csvfile_read(&again, file_of(buf_view(&written)), "again"));
	LAW(again.count == file.count && again.columns_count == file.columns_count + 1);
	show(&cells[0], &file, 0);
	show(&cells[1], &again, 1);
	LAW_SAME(&cells[0], &cells[1]);

	csvfile_free(&file);
	csvfile_free(&again);
	csvfile_layout_free(&layout);
	buf_free(&written);
	buf_free(&cells[0]);
	buf_free(&cells[1]);
}
