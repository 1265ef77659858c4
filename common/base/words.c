#include "base/words.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool is_escape(const char *text)
{
	return *text == '\\' && (text[1] == ',' || text[1] == '\\' || is_blank(text[1]));
}

/* Reads a word up to its comma or the end of the text, which it returns. */
static const char *read_word(const char *text, struct buf *word)
{
	size_t end = 0; /* the length without the blanks at the end */

	word->len = 0;
	while (is_blank(*text))
		text++;
	for (; *text && *text != ','; text++) {
		bool kept = is_escape(text) || !is_blank(*text);

		if (is_escape(text))
			text++;
		buf_char(word, *text);
		if (kept)
			end = word->len;
	}
	word->len = end;
	return text;
}

bool words_add(struct words *words, const char *text)
{
	struct words read = {0};
	struct buf word = {0};
	bool good;

	for (;; text++) {
		text = read_word(text, &word);
		good = word.len > 0;
		if (!good)
			break;
		words_put(&read, buf_view(&word));
		if (!*text)
			break;
	}
	for (size_t i = 0; good && i < read.count; i++)
		words_put(words, read.item[i]);
	buf_free(&word);
	words_free(&read);
	return good;
}

void words_put(struct words *words, struct str word)
{
	struct str *item =
		mem_grow((struct str *)words->item, &words->cap, words->count + 1, sizeof *item);

	item[words->count++] = (struct str){mem_string(word.s, word.n), word.n};
	words->item = item;
	strmap_add(&words->set, word, NULL);
}

void words_put_once(struct words *words, struct str word)
{
	if (!words_have(words, word))
		words_put(words, word);
}

bool words_have(const struct words *words, struct str word)
{
	return strmap_find(&words->set, word) != STRMAP_NONE;
}

bool words_pair(struct str word, struct str *left, struct str *right)
{
	const char *equals = memchr(word.s, '=', word.n);

	if (!equals)
		return false;
	*left = str_trim((struct str){word.s, (size_t)(equals - word.s)});
	*right = (struct str){equals + 1, (size_t)(word.s + word.n - equals - 1)};
	while (right->n && is_blank(*right->s))
		*right = (struct str){right->s + 1, right->n - 1};
	return true;
}

static int compare(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

void words_sort(struct words *words)
{
	if (words->count)
		qsort((struct str *)words->item, words->count, sizeof *words->item, compare);
}

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free((char *)words->item[i].s);
	free((struct str *)words->item);
	strmap_free(&words->set);
	*words = (struct words){0};
}
