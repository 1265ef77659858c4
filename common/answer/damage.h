/*
 * damage - the damage of the inputs in an answer: in a report, in Markdown or in JSON.
 *
 * Damages are gathered in a buffer, a line each, escaped as in a stream. A tab and "usage" end the
 * line of wrong usage, which is damage of the answer, not of the input.
 */
#ifndef DAMAGE_H
#define DAMAGE_H

#include "answer/jsonw.h"
#include "stream/kev.h"

/* Appends the reader's ##damaged line; title, if not NULL, names the stream. */
void damage_note(struct buf *damages, const char *title, const struct kev_reader *in);

/* Sets text to the first line, decoded; returns whether it is of wrong usage. */
bool damage_first(const struct buf *damages, struct buf *text);

/* In an answer; nothing if there are none. That of HTML is an element of role alert. */
void damage_report(struct output *out, const struct buf *damages);
void damage_markdown(struct output *out, const struct buf *damages);
void damage_html(struct output *out, const struct buf *damages);
void damage_json(struct jsonw *w, const struct buf *damages); /* a member "damaged" */

/*
 * The damages at the end of an answer in any form; ends the object of JSON. A stream has ##damaged
 * lines instead.
 */
void damage_end_answer(const struct buf *damages, enum form form, struct output *out,
                       struct jsonw *w);

/* A line of text for people: plain, and in Markdown nothing of it is markup. */
void damage_line(struct output *out, struct str text, bool markdown);

#endif
