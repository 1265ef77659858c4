#include "svg.h"

#include "answer/table.h"

#include <stdio.h>
#include <zlib.h>

/* Bytes of the tag that text begins with: quotes may contain a >. All of text if it has no end. */
static size_t tag_size(struct str text)
{
	char quote = '\0';

	for (size_t i = 0; i < text.n; i++) {
		char c = text.s[i];

		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '>')
			return i + 1;
	}
	return text.n;
}

static struct str after(struct str text, size_t n)
{
	return (struct str){text.s + n, text.n - n};
}

/* The next tag of rest, which then begins after it, and the text before it; false: none is left. */
static bool next_tag(struct str *rest, struct str *before, struct str *tag)
{
	const char *begin = rest->n ? memchr(rest->s, '<', rest->n) : NULL;

	*before = (struct str){rest->s, begin ? (size_t)(begin - rest->s) : rest->n};
	*rest = after(*rest, before->n);
	*tag = (struct str){rest->s, tag_size(*rest)};
	*rest = after(*rest, tag->n);
	return begin != NULL;
}

/* Whether the tag begins an element of this name. */
static bool begins(struct str tag, const char *name)
{
	size_t n = strlen(name);

	return tag.n > n + 1 && memcmp(tag.s + 1, name, n) == 0 &&
	       str_has_byte(STR(" \t\r\n>/"), tag.s[n + 1]);
}

/* Goes to the end of the element whose first tag was read; it contains no other of its name. */
static void skip_element(struct str *rest, const char *name)
{
	struct str before;
	struct str tag;

	while (next_tag(rest, &before, &tag))
		if (tag.n > 2 && tag.s[1] == '/' && str_starts(after(tag, 2), str_of(name)))
			return;
}

/* Whether an element outside of the definitions refers to one of them. */
static bool has_references(struct str svg)
{
	struct str before;
	struct str tag;

	while (next_tag(&svg, &before, &tag)) {
		if (begins(tag, "defs"))
			skip_element(&svg, "defs");
		else if (str_has(tag, STR("href='#")) || str_has(tag, STR("href=\"#")) ||
		         str_has(tag, STR("url(#")))
			return true;
	}
	return false;
}

/* Bytes of the beginning of an id or a reference, up to its name; 0 if text begins with neither. */
static size_t mark_size(struct str text)
{
	static const struct str marks[] = {
		{" id='", 5}, {" id=\"", 5}, {"href='#", 7}, {"href=\"#", 7}, {"url(#", 5}};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_starts(text, marks[i]))
			return marks[i].n;
	return 0;
}

/* Appends a tag; its ids and references with a prefix or, if that is NULL, without ids. */
static void put_tag(struct buf *out, struct str tag, const char *prefix)
{
	while (tag.n) {
		size_t mark = mark_size(tag);
		char quote = mark ? tag.s[mark - 1] : '\0';

		if (mark == 0) {
			buf_char(out, *tag.s);
			tag = after(tag, 1);
			continue;
		}
		if (prefix) {
			buf_bytes(out, tag.s, mark);
			buf_text(out, prefix);
		}
		tag = after(tag, mark);
		while (!prefix && tag.n && *tag.s != quote)
			tag = after(tag, 1);
		tag = after(tag, !prefix && tag.n);
	}
}

static void put_title(struct buf *out, struct str title)
{
	if (title.n == 0)
		return;
	buf_text(out, "\n<title>");
	table_html_text(out, title);
	buf_text(out, "</title>");
}

static struct str trimmed(struct str text)
{
	while (text.n && str_has_byte(STR(" \t\r\n"), *text.s))
		text = after(text, 1);
	return text;
}

void svg_tidy(struct buf *out, struct str svg, struct str title)
{
	static const char *const dropped[] = {"?xml", "title", "desc", "defs"};
	enum { DROPPED = sizeof dropped / sizeof *dropped };
	char text[16];
	const char *prefix = has_references(svg) ? text : NULL;
	size_t drops = prefix ? DROPPED - 1 : DROPPED; /* with references, the definitions stay */
	bool drop = true;                              /* the tag before this text */
	struct str before;
	struct str tag;

	snprintf(text, sizeof text, "p%08lx-", crc32_z(0, (const Bytef *)svg.s, svg.n));
	while (next_tag(&svg, &before, &tag)) {
		size_t which = 0;

		buf_str(out, drop ? trimmed(before) : before);
		while (which < drops && !begins(tag, dropped[which]))
			which++;
		drop = which < drops;
		if (drop && which > 0)
			skip_element(&svg, dropped[which]);
		else if (!drop)
			put_tag(out, tag, prefix);
		if (begins(tag, "svg"))
			put_title(out, title);
	}
	buf_str(out, before);
}
