/*
 * words - a list of words, as an option takes it: A,B,C.
 *
 * Blanks around a word do not belong to it, and a word cannot be empty. Of \, and \\ and of a
 * \ before a blank the second byte is a byte of the word.
 */
#ifndef WORDS_H
#define WORDS_H

#include "base/strmap.h"

struct words {
	const struct str *item; /* in the order given; texts end in \0 and belong to the list */
	size_t count;
	size_t cap;
	struct strmap set; /* item as a set, for words_have */
};

/* Adds copies of the words of text; false, and adds nothing, if text has an empty word. */
bool words_add(struct words *words, const char *text);

/* Adds a copy of one word, as it is. */
void words_put(struct words *words, struct str word);

/* Adds a copy of a word that the list lacks. */
void words_put_once(struct words *words, struct str word);

bool words_have(const struct words *words, struct str word);

/*
 * Splits LEFT=RIGHT at its first =, without the blanks around it. The end of RIGHT is that of the
 * word. False if there is no =; LEFT or RIGHT may be empty.
 */
bool words_pair(struct str word, struct str *left, struct str *right);

/* Sorts the words by their bytes. */
void words_sort(struct words *words);

void words_free(struct words *words);

#endif
