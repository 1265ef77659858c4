/* tsv: any bytes as a field, and as lines. */
#include "../fuzz.h"

#include "syntax/tsv.h"

/* Escaped, a text holds nothing that parts fields and lines; unescaped, it is itself again. */
static void escape(struct str text)
{
	struct buf escaped = {0};
	struct buf again = {0};
	struct buf back = {0};

	tsv_escape(&escaped, text);
	for (size_t i = 0; i < escaped.len; i++)
		LAW(!memchr("\t\n\r", escaped.data[i], 4));
	tsv_unescape(&back, buf_view(&escaped));
	law_same(buf_view(&back), text, __FILE__, __LINE__);
	law_same(tsv_text(buf_view(&escaped), &back), text, __FILE__, __LINE__);
	/* An arbitrary text, unescaped and escaped, keeps its meaning. */
	back.len = escaped.len = 0;
	tsv_unescape(&back, text);
	LAW(back.len <= text.n);
	tsv_escape(&escaped, buf_view(&back));
	tsv_unescape(&again, buf_view(&escaped));
	LAW_SAME(&again, &back);
	buf_free(&escaped);
	buf_free(&again);
	buf_free(&back);
}

/* The lines, each with its number and its fields one a line. */
static void show(struct buf *out)
{
	struct tsv_reader r;
	int got;

	LAW(tsv_open(&r, "-"));
	while ((got = tsv_next(&r)) > 0) {
		struct str fields[8];
		size_t count = tsv_split(r.text, fields, 8);
		size_t n = count - 1; /* number of tabs */

		buf_format(out, "%d %zu%s\n", (int)r.line, count, r.unended ? "!" : "");
		for (size_t i = 0; i < count && i < 8; i++) {
			buf_str(out, fields[i]);
			buf_char(out, '\n');
			n += fields[i].n;
		}
		LAW(count > 8 || n == r.text.n);
	}
	buf_format(out, "%d %d %s", got, (int)r.line, r.error);
	tsv_close(&r);
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};

	escape(text);
	law_of_pieces(text, show);
}
