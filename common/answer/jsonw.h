/*
 * jsonw - JSON out, indented by two spaces a level, or compact: a line for each value at the top.
 *
 * A writer starts as {.out = …}. Within an object every value has a key, within
 * an array (and at the top) it is NULL.
 */
#ifndef JSONW_H
#define JSONW_H

#include "base/buf.h"

struct jsonw {
	struct buf *out;
	bool compact;
	unsigned depth;
	bool more; /* something stands in this object or array already */
};

void jsonw_object(struct jsonw *w, const char *key);
void jsonw_array(struct jsonw *w, const char *key);
void jsonw_end_object(struct jsonw *w);
void jsonw_end_array(struct jsonw *w);

void jsonw_text(struct jsonw *w, const char *key, struct str text); /* a string, quoted here */
void jsonw_raw(struct jsonw *w, const char *key, struct str json);  /* a number, true, null */
void jsonw_count(struct jsonw *w, const char *key, unsigned long long n);

/*
 * Like jsonw_raw and jsonw_text, but a figure that is empty or inf and an empty text become null.
 */
void jsonw_figure(struct jsonw *w, const char *key, struct str figure);
void jsonw_known(struct jsonw *w, const char *key, struct str text);

/* Like jsonw_array and jsonw_text, with a key that is no C string. */
void jsonw_key_array(struct jsonw *w, struct str key);
void jsonw_key_text(struct jsonw *w, struct str key, struct str text);
void jsonw_key_raw(struct jsonw *w, struct str key, struct str json);

#endif
