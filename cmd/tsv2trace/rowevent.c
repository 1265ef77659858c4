#include "rowevent.h"

#include "base/mem.h"
#include "json/json_value.h"
#include "json/quote.h"

#include <stdlib.h>

enum {
	KEY = 16,        /* bytes of a key that are copied at once */
	PAIR = 48,       /* bytes of a pair that are copied at once: most are shorter */
	KEPT = 256,      /* bytes of fields that are worth keeping */
	CONSTANT = 1024, /* bytes that an event has besides, and room after it */
};

/* --- the layout ------------------------------------------------------------ */

static void add_member(struct rowevent *event, struct rowevent_member *members, size_t *count,
                       const struct rowevent_member *member, struct str key)
{
	struct buf *text = &members[*count].key;

	if (member->column == KEV_NONE)
		return;
	text->len = 0;
	buf_char(text, ',');
	json_quote(text, key);
	buf_char(text, ':');
	memset(buf_reserve(text, KEY), 0, KEY);
	event->keys += text->len + KEY + 2;
	members[*count].column = member->column;
	members[*count].string = member->string;
	members[*count].time = member->time;
	++*count;
}

static void add_to_pair(struct rowevent *event, struct rowevent_pair *pair, enum kev_core core,
                        const char *key, bool string)
{
	struct rowevent_member member = {.column = event->core[core], .string = string};

	add_member(event, pair->member, &pair->count, &member, str_of(key));
}

static void add(struct rowevent *event, const struct rowevent_member *member, struct str key)
{
	event->member =
		mem_grow_zero(event->member, &event->cap, event->count + 1, sizeof *event->member);
	add_member(event, event->member, &event->count, member, key);
}

static bool is_core(const struct rowevent *event, int column)
{
	for (size_t i = 0; i < KEV_CORE; i++)
		if (event->core[i] == column)
			return true;
	return false;
}

static bool is_in_order(const struct rowevent *event)
{
	for (int i = KEV_CAT; i <= KEV_SOURCE; i++)
		if (event->core[i] == KEV_NONE || event->core[i] - event->core[KEV_CAT] != i - KEV_CAT)
			return false;
	return true;
}

void rowevent_columns(struct rowevent *event, const struct kev_reader *in)
{
	for (size_t i = 0; i < KEV_CORE; i++)
		event->core[i] = kev_column(in, str_of(kev_core[i]));
	event->has_phase = event->core[KEV_PH] != KEV_NONE;
	event->in_order = is_in_order(event);
	event->kept = false;
	event->keys = CONSTANT;
	event->kind.count = event->track.count = event->origin.count = event->count = 0;
	add_to_pair(event, &event->kind, KEV_PH, "ph", true);
	add_to_pair(event, &event->kind, KEV_CAT, "cat", true);
	add_to_pair(event, &event->track, KEV_PID, "pid", false);
	add_to_pair(event, &event->track, KEV_TID, "tid", false);
	add_to_pair(event, &event->origin, KEV_TYPE, "kernel_type", true);
	add_to_pair(event, &event->origin, KEV_SOURCE, "source", true);
	add(event, &(struct rowevent_member){.column = event->core[KEV_NAME], .string = true},
	    STR("name"));
	event->times = event->count;
	add(event, &(struct rowevent_member){.column = event->core[KEV_TS], .time = true}, STR("ts"));
	add(event, &(struct rowevent_member){.column = event->core[KEV_DUR], .time = true}, STR("dur"));
	event->others = event->count;
	for (size_t i = 0; i < in->columns_count; i++)
		if (!is_core(event, (int)i))
			add(event, &(struct rowevent_member){.column = (int)i}, in->column[i]);
}

/* --- values ---------------------------------------------------------------- */

/*
 * The functions below put text to a place in out that has room for all of the row; out->len is
 * before it. They return the end. A value with escapes needs more: it moves len to its end, and
 * makes the room again.
 */
static char *put_escaped(struct rowevent *event, struct buf *out, const char *to, struct str field)
{
	out->len = (size_t)(to - out->data);
	json_quote(out, tsv_text(field, &event->scratch));
	return buf_reserve(out, event->room);
}

static inline char *put_string(struct rowevent *event, struct buf *out, char *to, struct str field)
{
	if (!json_copy_plain(to + 1, field))
		return put_escaped(event, out, to, field);
	*to = '"';
	to += field.n + 1;
	*to++ = '"';
	return to;
}

/* Another value than a plain decimal. Of an arg, trace2tsv must read the text again. */
static char *put_other(struct rowevent *event, struct buf *out, char *to, struct str field,
                       bool time)
{
	if (time) {
		out->len = (size_t)(to - out->data);
		if (json_put_number(out, field))
			return buf_reserve(out, event->room);
	}
	if (!json_is_number(field))
		return put_string(event, out, to, field);
	memcpy(to, field.s, field.n);
	return to + field.n;
}

static inline char *put_value(struct rowevent *event, struct buf *out, char *to, struct str field,
                              bool time)
{
	if (!json_copy_decimal(to, field))
		return put_other(event, out, to, field, time);
	return to + field.n;
}

/* Text that has room after it, as the place has: so most take few instructions. */
static inline char *put_padded(char *to, const struct buf *text, size_t most)
{
	memcpy(to, text->data, most);
	if (text->len > most)
		memcpy(to + most, text->data + most, text->len - most);
	return to + text->len;
}

/* The field at a place with 16 bytes to read: mostly the line itself. */
static inline struct str wide_field(struct rowevent *event, const struct kev_reader *in,
                                    struct str field)
{
	struct str line = in->tsv.text;
	size_t left = (size_t)((uintptr_t)(line.s + line.n) - (uintptr_t)field.s);

	if (field.n >= sizeof event->wide || (left >= sizeof event->wide && left <= line.n))
		return field;
	memcpy(event->wide, field.s, field.n);
	return (struct str){event->wide, field.n};
}

/* Members without a field are left out: readers take a missing member as empty. */
static char *put_members(struct rowevent *event, struct buf *out, char *to,
                         const struct kev_reader *in, const struct rowevent_member *member,
                         const struct rowevent_member *end)
{
	for (; member < end; member++) {
		struct str field = in->field[member->column];

		if (field.n == 0)
			continue;
		field = wide_field(event, in, field);
		to = put_padded(to, &member->key, KEY);
		if (member->string)
			to = put_string(event, out, to, field);
		else
			to = put_value(event, out, to, field, member->time);
	}
	return to;
}

/* --- pairs ----------------------------------------------------------------- */

static void set_pair(struct rowevent *event, struct rowevent_pair *pair,
                     const struct kev_reader *in)
{
	struct buf *text = &pair->text;
	char *to;

	text->len = 0;
	to = buf_reserve(text, event->room);
	to = put_members(event, text, to, in, pair->member, pair->member + pair->count);
	text->len = (size_t)(to - text->data);
	memset(buf_reserve(text, PAIR), 0, PAIR);
}

/* An event that describes a process or thread has the category that Chrome writes. */
static void set_metadata(struct rowevent *event, const struct kev_reader *in)
{
	struct buf *text = &event->kind.text;
	int ph = event->core[KEV_PH];
	int cat = event->core[KEV_CAT];

	if (ph == KEV_NONE || !str_equal(in->field[ph], STR("M")) ||
	    (cat != KEV_NONE && in->field[cat].n))
		return;
	buf_text(text, ",\"cat\":\"__metadata\"");
	memset(buf_reserve(text, PAIR), 0, PAIR);
}

/* As str_equal, but inline, for fields of few bytes. */
static inline bool is_same(struct str field, const struct buf *kept)
{
	size_t i = 0;

	if (field.n != kept->len)
		return false;
	if (field.n >= 8) { /* the last two words may overlap */
		size_t last = field.n - 8;

		for (; i < last; i += 8)
			if (str_word(field.s + i) != str_word(kept->data + i))
				return false;
		return str_word(field.s + last) == str_word(kept->data + last);
	}
	for (; i < field.n; i++)
		if (field.s[i] != kept->data[i])
			return false;
	return true;
}

static void keep(struct buf *kept, struct str field)
{
	kept->len = 0;
	buf_str(kept, field);
}

/* Makes the texts of the pairs, unless the row before has equal pairs. */
static void set_pairs(struct rowevent *event, const struct kev_reader *in)
{
	const struct str *field = in->field;
	struct str line;
	struct str type;
	struct str pid;

	if (event->in_order) {
		const struct str *last = &field[event->core[KEV_SOURCE]];

		line.s = field[event->core[KEV_CAT]].s;
		line.n = (size_t)(last->s + last->n - line.s);
		type = event->core[KEV_TYPE] == KEV_NONE ? STR("") : field[event->core[KEV_TYPE]];
		pid = field[event->core[KEV_PID]]; /* perhaps not in the line */
		if (event->kept && is_same(line, &event->line) && is_same(type, &event->type) &&
		    is_same(pid, &event->pid))
			return;
		event->kept = line.n <= KEPT && type.n <= KEPT && pid.n <= KEPT;
		if (event->kept) {
			keep(&event->line, line);
			keep(&event->type, type);
			keep(&event->pid, pid);
		}
	}
	set_pair(event, &event->kind, in);
	set_metadata(event, in);
	set_pair(event, &event->track, in);
	set_pair(event, &event->origin, in);
}

/* --- events ---------------------------------------------------------------- */

/* Each member begins with a comma. That of the first of an object becomes its bracket. */
static char *put_args(struct rowevent *event, struct buf *out, char *to,
                      const struct kev_reader *in, const struct str *name)
{
	static const char key[] = ",\"args\":";
	const struct rowevent_member *first = event->member;
	size_t before = (size_t)(to - out->data);
	size_t open = before + sizeof key - 1;

	memcpy(to, key, sizeof key - 1);
	to = put_padded(to + sizeof key - 1, &event->origin.text, PAIR);
	if (name) {
		out->len = (size_t)(to - out->data);
		buf_str(out, STR(",\"name\":"));
		json_quote(out, *name);
		to = buf_reserve(out, event->room);
	}
	if (event->count > event->others)
		to = put_members(event, out, to, in, first + event->others, first + event->count);
	if (to == out->data + open)
		return out->data + before;
	out->data[open] = '{';
	*to++ = '}';
	return to;
}

void rowevent_put(struct rowevent *event, struct buf *out, const struct kev_reader *in,
                  const struct str *name)
{
	static const char complete[] = ",\"ph\":\"X\"";
	const struct rowevent_member *first = event->member;
	size_t open = out->len;
	char *to;

	event->room = event->keys + in->tsv.text.n + event->longer;
	set_pairs(event, in);
	event->room += event->kind.text.len + event->track.text.len + event->origin.text.len;
	to = buf_reserve(out, event->room);
	if (!event->has_phase) {
		memcpy(to, complete, sizeof complete - 1);
		to += sizeof complete - 1;
	}
	to = put_padded(to, &event->kind.text, PAIR);
	to = put_members(event, out, to, in, first, first + event->times);
	to = put_padded(to, &event->track.text, PAIR);
	to = put_members(event, out, to, in, first + event->times, first + event->others);
	to = put_args(event, out, to, in, name);
	if (to == out->data + open)
		to++;
	out->data[open] = '{';
	*to++ = '}';
	out->len = (size_t)(to - out->data);
}

static void free_pair(struct rowevent_pair *pair)
{
	buf_free(&pair->member[0].key);
	buf_free(&pair->member[1].key);
	buf_free(&pair->text);
}

void rowevent_free(struct rowevent *event)
{
	free_pair(&event->kind);
	free_pair(&event->track);
	free_pair(&event->origin);
	for (size_t i = 0; i < event->cap; i++)
		buf_free(&event->member[i].key);
	free(event->member);
	buf_free(&event->line);
	buf_free(&event->type);
	buf_free(&event->pid);
	buf_free(&event->scratch);
}
