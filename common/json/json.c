#include "json/json.h"

#include "base/die.h"
#include "base/mem.h"
#include "io/magic.h"
#include "json/names.h"
#include "json/plain.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	WHOLE_MAX = 256 << 10, /* a larger event is read value by value */
	KEY_MAX = 4096,        /* the rest of a longer key is dropped: no wanted name is as long */
	DEPTH_MAX = 1 << 20,
	MEMBER_MAX = 1 << 20, /* a larger member of the top-level object is not given */
	SPACE_MAX = 64,       /* between { and a key, for resume */
	RESUMES_MAX = 10000,  /* each may cost a search of WHOLE_MAX bytes */
};

enum state { AT_START, IN_OBJECT, IN_EVENTS, IN_PART, AT_END, ENDED, BROKEN };

static const struct str trace_events = {"traceEvents", 11};

/* --- a value of any size, byte by byte ----------------------------------- */

static bool fail_long(struct json_reader *r)
{
	r->fatal = true;
	return jsontext_fail(&r->text, r->offset, "a value exceeds %zu bytes (--max-field)",
	                     r->options->max_field);
}

/* The place for the text of a value. A value that is not wanted has none: NULL. */
struct keep {
	struct buf *buf;
	size_t limit; /* the most bytes for buf */
	bool cut;     /* beyond the limit the text is dropped; without this, that is an error */
};

static bool keep_bytes(struct json_reader *r, const struct keep *keep, struct str text)
{
	size_t room;

	if (!keep || text.n == 0)
		return true;
	room = keep->limit > keep->buf->len ? keep->limit - keep->buf->len : 0;
	buf_bytes(keep->buf, text.s, text.n < room ? text.n : room);
	return text.n <= room || keep->cut || fail_long(r);
}

static bool keep_byte(struct json_reader *r, const struct keep *keep, char c)
{
	if (!keep)
		return true;
	if (keep->buf->len >= keep->limit)
		return keep->cut || fail_long(r);
	buf_char(keep->buf, c);
	return true;
}

/*
 * For --strict: the number of continuation bytes due after c, if `more` were due before it and
 * lead is the byte before it; -1 if c is a control byte or not UTF-8.
 */
static int strict_utf8(unsigned char c, int more, unsigned char lead)
{
	if (more == 0) {
		if (c < 0x80)
			return c < 0x20 ? -1 : 0;
		if (c >= 0xc2 && c <= 0xdf)
			return 1;
		if (c >= 0xe0 && c <= 0xef)
			return 2;
		return c >= 0xf0 && c <= 0xf4 ? 3 : -1;
	}
	if ((c & 0xc0) != 0x80)
		return -1;
	/* The second byte excludes overlong forms, surrogates and codes above U+10FFFF. */
	if ((lead == 0xe0 && c < 0xa0) || (lead == 0xed && c > 0x9f) || (lead == 0xf0 && c < 0x90) ||
	    (lead == 0xf4 && c > 0x8f))
		return -1;
	return more - 1;
}

/* Reads a string from its opening quote on; its raw text goes to keep. */
static bool walk_string(struct json_reader *r, const struct keep *keep, bool quotes)
{
	uint64_t start = jsontext_offset(&r->text);
	int more = 0;
	unsigned char lead = 0;

	if (quotes && !keep_byte(r, keep, '"'))
		return false;
	r->text.at++;
	for (;;) {
		int c = jsontext_peek(&r->text);

		if (c < 0)
			return jsontext_cut(&r->text, start, "a string");
		if (r->options->strict) {
			more = strict_utf8((unsigned char)c, more, lead);
			if (more < 0)
				return jsontext_fail(&r->text, jsontext_offset(&r->text),
				                     "an unescaped byte 0x%02x in a string", (unsigned)c);
			lead = (unsigned char)c;
		}
		if (!r->options->strict) {
			/* On to the next byte that matters. */
			size_t from = r->text.at;

			while (r->text.at < r->text.end && r->text.window[r->text.at] != '"' &&
			       r->text.window[r->text.at] != '\\')
				r->text.at++;
			if (!keep_bytes(r, keep, (struct str){r->text.window + from, r->text.at - from}))
				return false;
			if (r->text.at == r->text.end)
				continue;
			c = (unsigned char)r->text.window[r->text.at];
		}
		r->text.at++;
		if (c == '"')
			break;
		if (!keep_byte(r, keep, (char)c))
			return false;
		if (c == '\\') {
			c = jsontext_peek(&r->text);
			if (c < 0)
				return jsontext_cut(&r->text, start, "a string");
			if (r->options->strict) {
				if (c == 0 || !strchr("\"\\/bfnrtu", c))
					return jsontext_fail(&r->text, jsontext_offset(&r->text) - 1,
					                     "an unknown escape in a string");
			}
			if (!keep_byte(r, keep, (char)c))
				return false;
			r->text.at++;
			for (int i = 0; c == 'u' && r->options->strict && i < 4; i++) {
				int digit = jsontext_peek(&r->text);

				if (digit < 0 || !strchr("0123456789abcdefABCDEF", digit) || !digit)
					return jsontext_fail(&r->text, jsontext_offset(&r->text),
					                     "an unknown escape in a string");
				if (!keep_byte(r, keep, (char)digit))
					return false;
				r->text.at++;
			}
		}
	}
	return !quotes || keep_byte(r, keep, '"');
}

/* Reads a number, a literal, or any other text in its place, up to the next delimiter. */
static bool walk_primitive(struct json_reader *r, const struct keep *keep)
{
	char text[1024]; /* numbers are far shorter */
	size_t n = 0;
	uint64_t start = jsontext_offset(&r->text);

	while (!jsontext_ends_primitive(jsontext_peek(&r->text))) {
		size_t from = r->text.at;

		for (; r->text.at < r->text.end &&
		       !jsontext_ends_primitive((unsigned char)r->text.window[r->text.at]);
		     r->text.at++, n++)
			if (n < sizeof text)
				text[n] = r->text.window[r->text.at];
		if (!keep_bytes(r, keep, (struct str){r->text.window + from, r->text.at - from}))
			return false;
	}
	if (n == 0)
		return jsontext_expected(&r->text, "a value");
	if (r->options->strict &&
	    (n > sizeof text || json_primitive_type((struct str){text, n}) == JSON_OTHER)) {
		char found[QUOTE_MAX];

		return jsontext_fail(&r->text, start, "%s is not a JSON value",
		                     quote(found, text, n < sizeof text ? n : sizeof text));
	}
	return true;
}

/*
 * Reads any value from its first byte on. Brackets and strings must be right; with --strict, the
 * whole value. The text goes to keep, for a string without the quotes.
 */
static bool walk_value(struct json_reader *r, const struct keep *keep)
{
	enum { VALUE, VALUE_OR_CLOSE, KEY, KEY_OR_CLOSE, COLON, COMMA } due = VALUE;
	uint64_t start = jsontext_offset(&r->text);
	bool strict = r->options->strict;
	int c = jsontext_peek(&r->text);

	if (c == '"')
		return walk_string(r, keep, false);
	if (c != '{' && c != '[')
		return walk_primitive(r, keep);
	r->stack.len = 0;
	do {
		c = jsontext_peek(&r->text);
		if (c < 0)
			return jsontext_cut(&r->text, start, "a value");
		if (jsontext_is_space(c)) {
			if (!keep_byte(r, keep, (char)c))
				return false;
			r->text.at++;
			continue;
		}
		if (c == '\\') /* for scan, a quote after it is escaped and begins no string */
			return jsontext_expected(&r->text, "a value");
		if (strict) {
			bool close = c == '}' || c == ']';
			bool right = close      ? due == COMMA || due == VALUE_OR_CLOSE || due == KEY_OR_CLOSE
			             : c == ',' ? due == COMMA
			             : c == ':' ? due == COLON
			             : c == '"' ? due != COLON && due != COMMA
			                        : due == VALUE || due == VALUE_OR_CLOSE;

			if (!right)
				return jsontext_expected(&r->text, due == COMMA
				                                       ? ", or the end of an array or object"
				                                   : due == COLON                      ? ":"
				                                   : due == KEY || due == KEY_OR_CLOSE ? "a key"
				                                                                       : "a value");
		}
		if (c == '"') {
			if (!walk_string(r, keep, true))
				return false;
			due = due == KEY || due == KEY_OR_CLOSE ? COLON : COMMA;
			continue;
		}
		if (c != '{' && c != '[' && c != '}' && c != ']' && c != ',' && c != ':') {
			if (strict) {
				if (!walk_primitive(r, keep))
					return false;
			} else {
				if (!keep_byte(r, keep, (char)c))
					return false;
				r->text.at++;
			}
			due = COMMA;
			continue;
		}
		if (c == '{' || c == '[') {
			if (r->stack.len >= DEPTH_MAX)
				return jsontext_fail(&r->text, jsontext_offset(&r->text),
				                     "nested deeper than %d levels", DEPTH_MAX);
			buf_char(&r->stack, c == '{' ? '}' : ']');
			due = c == '{' ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
		} else if (c == '}' || c == ']') {
			if (r->stack.data[r->stack.len - 1] != c)
				return jsontext_expected(&r->text,
				                         r->stack.data[r->stack.len - 1] == '}' ? "}" : "]");
			r->stack.len--;
			due = COMMA;
		} else if (c == ',') {
			due = r->stack.data[r->stack.len - 1] == '}' ? KEY : VALUE;
		} else {
			due = VALUE;
		}
		if (!keep_byte(r, keep, (char)c))
			return false;
		r->text.at++;
	} while (r->stack.len);
	return true;
}

/* Reads a key and its colon. Its first KEY_MAX bytes go to r->key, decoded. */
static bool walk_key(struct json_reader *r)
{
	struct buf *raw = &r->stack; /* not in use between values */
	struct keep keep = {raw, KEY_MAX, true};

	if (jsontext_peek(&r->text) != '"')
		return jsontext_expected(&r->text, "a key");
	raw->len = 0;
	if (!walk_string(r, &keep, false))
		return false;
	r->key.len = 0;
	json_unescape(&r->key, buf_view(raw));
	buf_reserve(&r->key, 8); /* names_find reads eight bytes */
	if (jsontext_peek_after_space(&r->text) != ':')
		return jsontext_expected(&r->text, ":");
	r->text.at++;
	return true;
}

/* --- events -------------------------------------------------------------- */

/* Reads a wanted value into kept, which may move: walk_event sets its text at the end. */
static bool walk_wanted(struct json_reader *r, int want)
{
	struct json_value *value = &r->value[want];
	size_t start = r->kept.len;
	struct keep keep = {&r->kept, start + r->options->max_field, false};
	int c = jsontext_peek(&r->text);

	if (!walk_value(r, &keep))
		return false;
	value->text.n = r->kept.len - start;
	r->kept_at[want] = start;
	value->type = c == '"'               ? JSON_STRING
	              : c == '{' || c == '[' ? JSON_NESTED
	                                     : JSON_OTHER; /* until walk_event knows its type */
	return true;
}

/* Reads the members of an event, or of its wanted object (inside), from the { on. */
static bool walk_members(struct json_reader *r, bool inside)
{
	bool comma = false;

	r->text.at++;
	/* An extra comma is skipped; with --strict it is in the place of a key. */
	while (jsontext_peek_after_space(&r->text) != '}' || (comma && r->options->strict)) {
		struct str key;
		int want;
		int c;

		if (jsontext_peek(&r->text) == ',' && !r->options->strict) {
			r->text.at++;
			continue;
		}
		if (!walk_key(r))
			return false;
		c = jsontext_peek_after_space(&r->text);
		key = buf_view(&r->key);
		want = names_find(inside ? r->inner : r->fields, key.s, key.n);
		if (want == NAMES_OBJECT)
			json_forget_inner(r->options, r->value);
		if (want == NAMES_OBJECT && c == '{' ? !walk_members(r, true)
		    : want >= 0                      ? !walk_wanted(r, want)
		                                     : !walk_value(r, NULL))
			return false;
		c = jsontext_peek_after_space(&r->text);
		comma = c == ',';
		if (comma)
			r->text.at++;
		else if (c != '}')
			return jsontext_expected(&r->text, ", or }");
	}
	r->text.at++;
	return true;
}

/* Reads the event at the cursor value by value. */
static bool walk_event(struct json_reader *r)
{
	json_forget(r->options, r->value);
	r->kept.len = 0;
	if (!walk_members(r, false))
		return false;
	r->decoded.len = 0;
	buf_reserve(&r->decoded, r->kept.len);
	for (size_t i = 0; i < r->options->fields_count + r->options->inner_count; i++) {
		struct json_value *value = &r->value[i];

		if (value->type == JSON_NONE)
			continue;
		value->text.s = buf_view(&r->kept).s + r->kept_at[i];
		if (value->type == JSON_STRING)
			*value = json_string(value->text, &r->decoded, &r->replaced);
		else if (value->type == JSON_OTHER)
			value->type = json_primitive_type(value->text);
	}
	return true;
}

/* --- the events of the array --------------------------------------------- */

/* Reads the event from start to end by its fields, if that is certain. */
static enum plain_verdict quick_verdict(struct json_reader *r, size_t start, size_t end)
{
	if (r->options->strict || r->scan.has_backslash)
		return PLAIN_UNSURE;
	if (r->options->filter && !r->scan.has_letter)
		return PLAIN_UNWANTED;
	return plain_event(r->plain, (struct str){r->text.window + start, end - start}, r->value);
}

/* Whether a key follows the { at the cursor, perhaps after some white space. */
static bool opens_event(struct json_reader *r)
{
	for (size_t i = 1; i <= SPACE_MAX; i++) {
		while (r->text.end - r->text.at <= i)
			if (!jsontext_refill(&r->text, r->text.at))
				return false;
		if (!strchr(" \n\r\t", r->text.window[r->text.at + i]))
			return r->text.window[r->text.at + i] == '"';
	}
	return false;
}

/* Goes on to the next text that looks like a further event: },{" perhaps with white space. */
static bool resume(struct json_reader *r)
{
	int last = 0; /* } or its comma */
	int c;

	if (r->resumed++ == RESUMES_MAX)
		return false;
	for (; (c = jsontext_peek(&r->text)) >= 0; r->text.at++) {
		if (c == '{' && last == ',' && opens_event(r)) {
			r->comma = true;
			scan_reset(&r->scan);
			return true;
		}
		if (!jsontext_is_space(c))
			last = c == '}' || (c == ',' && last == '}') ? c : 0;
	}
	return false;
}

/*
 * Reads an event whose end scan does not find, value by value: an event that is large, that is cut
 * off, or that lacks a quote, so that text and strings change places from there on.
 */
static enum json_item next_unended(struct json_reader *r)
{
	if (walk_event(r))
		return JSON_EVENT;
	if (r->fatal)
		return JSON_BROKEN;
	if (jsontext_peek(&r->text) < 0) {
		jsontext_cut(&r->text, r->offset, "this event");
		return JSON_BROKEN;
	}
	if (resume(r))
		return JSON_DAMAGED;
	jsontext_lost(&r->text);
	return JSON_BROKEN;
}

/* Reads the event from start to end value by value; the cursor does not leave it. */
static bool walk_within(struct json_reader *r, size_t start, size_t end)
{
	size_t window_end = r->text.end;
	bool good;

	r->text.at = start;
	r->text.end = end;
	r->text.fenced = true;
	good = walk_event(r);
	r->text.fenced = false;
	r->text.end = window_end;
	if (good && r->text.at != end)
		return jsontext_fail(&r->text, r->offset, "its brackets and quotes do not match");
	return good;
}

/*
 * After damage at the cursor in an event that scan ends at `end`: goes on there, or at an event
 * before it, as two events with a quote too few enclose others.
 */
static void resume_within(struct json_reader *r, size_t end)
{
	size_t window_end = r->text.end;
	bool found;

	r->text.end = end;
	r->text.fenced = true;
	found = resume(r) && str_has(jsontext_rest(&r->text), STR("\"ph\""));
	r->text.fenced = false;
	r->text.end = window_end;
	if (!found)
		r->text.at = end;
	r->comma = found;
}

/* Reads the element of traceEvents at the cursor, which begins with {. JSON_END: it is dropped. */
static enum json_item next_event(struct json_reader *r)
{
	enum plain_verdict verdict = PLAIN_UNSURE;
	size_t start;
	size_t end;

	for (;;) {
		start = r->text.at;
		scan_moved(&r->scan, (size_t)(r->text.base - r->scanned_base));
		r->scanned_base = r->text.base;
		end = scan_object(&r->scan, r->text.window, start,
		                  r->text.end + (r->text.exhausted ? SCAN_BLOCK : 0));
		if (end && end - start <= WHOLE_MAX)
			break;
		/* scan reads whole blocks: it may need the one after the end. */
		if (end || r->text.end - start > WHOLE_MAX + SCAN_BLOCK || r->text.exhausted) {
			scan_reset(&r->scan);
			return r->part ? JSON_BROKEN : next_unended(r);
		}
		jsontext_refill(&r->text, start);
	}
	if (!r->exact)
		verdict = quick_verdict(r, start, end);
	if (verdict == PLAIN_WANTED || (verdict == PLAIN_UNWANTED && !r->options->all)) {
		r->text.at = end;
		return verdict == PLAIN_WANTED ? JSON_EVENT : JSON_END;
	}
	if (walk_within(r, start, end))
		return JSON_EVENT;
	if (r->fatal)
		return JSON_BROKEN;
	/* Nor is damage reported here of an event that the filter drops; it encloses no wanted one. */
	if (quick_verdict(r, start, end) == PLAIN_UNWANTED) {
		r->text.at = end;
		return JSON_END;
	}
	resume_within(r, end);
	return JSON_DAMAGED;
}

/* --- the text around the events ------------------------------------------ */

/* Reads the next element of traceEvents, or its end. */
static inline __attribute__((always_inline)) enum json_item next_element(struct json_reader *r)
{
	enum json_item item;
	int c;

	while ((c = jsontext_peek_after_space(&r->text)) == ',') {
		r->text.at++;
		if (r->options->strict && (r->comma || r->first)) {
			jsontext_fail(&r->text, jsontext_offset(&r->text) - 1, "an extra comma");
			return JSON_BROKEN;
		}
		r->comma = true;
	}
	if (c < 0) {
		/* The format allows the array form to end without its ]. */
		if (r->bare && !r->text.in.error[0])
			return JSON_END;
		jsontext_cut(&r->text, jsontext_offset(&r->text),
		             r->bare ? "the array of events" : "traceEvents");
		return JSON_BROKEN;
	}
	if (c == ']') {
		if (r->options->strict && r->comma) {
			jsontext_fail(&r->text, jsontext_offset(&r->text), "an extra comma");
			return JSON_BROKEN;
		}
		r->text.at++;
		r->state = r->bare ? AT_END : IN_OBJECT;
		r->comma = false;
		r->first = false;
		return JSON_END;
	}
	if (c == '}' || c == ':') { /* no value begins so: the next event cannot be found */
		r->text.number = ++r->event;
		jsontext_expected(&r->text, "an event or the end of the array");
		return JSON_BROKEN;
	}
	if (!r->first && !r->comma) {
		r->comma = true;
		jsontext_fail(&r->text, jsontext_offset(&r->text), "no comma after this event");
		return JSON_DAMAGED;
	}
	if (c == '{' && jsontext_offset(&r->text) >= r->pause) {
		r->comma = true; /* as good as one, if it is the first */
		return JSON_PAUSE;
	}
	r->first = false;
	r->comma = false;
	r->text.number = ++r->event;
	r->offset = jsontext_offset(&r->text);
	if (c == '{') {
		item = next_event(r);
		r->dropped = item == JSON_END;
		return item;
	}
	if (!walk_value(r, NULL))
		return JSON_BROKEN;
	jsontext_fail(&r->text, r->offset, "not an event: { expected");
	return JSON_DAMAGED;
}

/* Reads the next event of a part. Goes back to the place before it if it is not as nearly all. */
static enum json_item next_of_part(struct json_reader *r)
{
	struct json_place before;
	enum json_item item;

	/* The last comma is of the part: the event after it begins the next part. */
	if (!r->comma && jsontext_peek_after_space(&r->text) == ',') {
		r->text.at++;
		r->comma = true;
	}
	if (r->comma && jsontext_peek_after_space(&r->text) < 0)
		return JSON_END;
	before = json_place(r);
	item = next_element(r);
	if (item == JSON_EVENT || r->dropped)
		return item;
	r->state = IN_PART;
	r->text.at = (size_t)(before.offset - r->text.base);
	r->comma = before.comma;
	r->event = before.events;
	r->replaced = before.replaced;
	return JSON_END;
}

/* Reads a member of the top-level object: enters traceEvents, or gives or skips the value. */
static enum json_item next_member(struct json_reader *r)
{
	int c = jsontext_peek_after_space(&r->text);
	struct keep keep = {&r->kept, MEMBER_MAX, true};

	if (c == ',' && !(r->options->strict && (r->comma || r->first))) {
		r->text.at++;
		r->comma = true;
		return JSON_END;
	}
	if (c == '}' && !(r->comma && r->options->strict)) {
		r->text.at++;
		r->state = AT_END;
		if (r->events)
			return JSON_END;
		r->foreign = r->misused = true;
		jsontext_fail(&r->text, jsontext_offset(&r->text) - 1,
		              "the top-level object has no traceEvents, so this is not a trace");
		return JSON_BROKEN;
	}
	if (c < 0) {
		jsontext_cut(&r->text, jsontext_offset(&r->text), "the top-level object");
		return JSON_BROKEN;
	}
	if (!r->comma && !r->first) {
		jsontext_expected(&r->text, ", or }");
		return JSON_BROKEN;
	}
	if (!walk_key(r))
		return JSON_BROKEN;
	r->comma = false;
	r->first = false;
	c = jsontext_peek_after_space(&r->text);
	if (str_equal(buf_view(&r->key), trace_events)) {
		if (c != '[') {
			r->foreign = c >= 0 && !r->events;
			jsontext_expected(&r->text, "[ of traceEvents");
			return JSON_BROKEN;
		}
		r->text.at++;
		r->events = true;
		r->first = true;
		r->state = IN_EVENTS;
		return JSON_END;
	}
	for (size_t i = 0; i < r->options->members_count; i++) {
		if (!str_equal(buf_view(&r->key), str_of(r->options->members[i])))
			continue;
		r->kept.len = 0;
		if (!walk_value(r, &keep))
			return JSON_BROKEN;
		if (r->kept.len == MEMBER_MAX)
			return JSON_END; /* larger than any real one: skipped */
		r->member = i;
		r->value[0].text = buf_view(&r->kept);
		r->decoded.len = 0;
		buf_reserve(&r->decoded, r->kept.len);
		if (c == '"')
			r->value[0] = json_string(r->value[0].text, &r->decoded, &r->replaced);
		else
			r->value[0].type =
				c == '{' || c == '[' ? JSON_NESTED : json_primitive_type(r->value[0].text);
		return JSON_MEMBER;
	}
	return walk_value(r, NULL) ? JSON_END : JSON_BROKEN;
}

/* Reads the { or [ of the trace, and a byte order mark before it. */
static bool start(struct json_reader *r)
{
	char advice[MAGIC_MAX];
	int c;

	jsontext_peek(&r->text);
	while (r->text.end < MAGIC_BYTES && jsontext_refill(&r->text, 0))
		;
	if (magic_is_foreign((struct str){r->text.window, r->text.end}, MAGIC_TRACE, advice)) {
		r->foreign = r->misused = true;
		snprintf(r->text.error, sizeof r->text.error, "%s", advice);
		return false;
	}
	jsontext_skip_mark(&r->text);
	c = jsontext_peek_after_space(&r->text);
	if (c < 0 && jsontext_offset(&r->text) == 0 && !r->text.in.error[0])
		return jsontext_fail(&r->text, 0, "the file is empty");
	if (c != '{' && c != '[') {
		r->foreign = c >= 0;
		return jsontext_expected(&r->text, "{ or [ of a trace");
	}
	r->text.at++;
	r->first = true;
	r->bare = c == '[';
	r->state = r->bare ? IN_EVENTS : IN_OBJECT;
	return true;
}

/* Lets scan look for the first letters of the wanted categories and of the phases always wanted. */
static void init_scan(struct json_reader *r)
{
	const struct json_filter *filter = r->options->filter;
	char *letters;
	size_t count;
	bool any = false;

	if (!filter || filter->categories_count == 0) {
		scan_init(&r->scan, NULL, 0);
		return;
	}
	letters = mem_alloc(filter->always.n + filter->categories_count, 1);
	if (filter->always.n)
		memcpy(letters, filter->always.s, filter->always.n);
	count = filter->always.n;
	for (size_t i = 0; i < filter->categories_count; i++) {
		struct str category = filter->categories[i];

		any |= category.n == 0;
		letters[count++] = category.n ? *category.s : '\0';
	}
	scan_init(&r->scan, letters, any ? 0 : count);
	free(letters);
}

/* What a reader of a trace and one of its parts need. */
static void set_up(struct json_reader *r)
{
	const struct json_options *options = r->options;
	const char *way;
	size_t count;

	count = options->fields_count + options->inner_count;
	r->value = mem_zero(count + 1, sizeof *r->value);
	r->kept_at = mem_zero(count + 1, sizeof *r->kept_at);
	r->fields = names_make(options->fields, options->fields_count, 0, options->object);
	r->inner = names_make(options->inner, options->inner_count, options->fields_count, NULL);
	r->plain = plain_open(options);
	way = getenv("KEV_JSON");
	r->exact = way && strcmp(way, "exact") == 0;
	if (way && *way && !r->exact)
		die("KEV_JSON: '%s' is not exact", way);
	init_scan(r);
	r->pause = UINT64_MAX;
}

/* Makes the reader ready for its input, which is open. */
static void begin(struct json_reader *r)
{
	set_up(r);
	jsontext_begin(&r->text, STR(""), "event", ' ');
	r->state = AT_START;
}

bool json_open(struct json_reader *r, const char *path, const struct json_options *options)
{
	*r = (struct json_reader){.options = options, .state = ENDED};
	if (!jsontext_open(&r->text, path))
		return false;
	begin(r);
	return true;
}

bool json_again(struct json_reader *r, const struct json_options *options)
{
	struct json_reader again = {.options = options, .state = ENDED};

	json_close(r);
	again.text.in = r->text.in;
	*r = again;
	if (!jsontext_again(&r->text))
		return false;
	begin(r);
	return true;
}

enum json_item json_next(struct json_reader *r)
{
	for (;;) {
		enum json_item item = JSON_END;

		r->text.number = r->state == IN_EVENTS ? r->event : 0;
		switch ((enum state)r->state) {
		case AT_START:
			item = start(r) ? JSON_END : JSON_BROKEN;
			break;
		case IN_EVENTS:
			item = next_element(r);
			if (item == JSON_END && r->state == IN_EVENTS && !r->dropped)
				r->state = ENDED;
			r->dropped = false;
			break;
		case IN_PART:
			item = next_of_part(r);
			if (item == JSON_END && !r->dropped)
				r->state = ENDED;
			r->dropped = false;
			break;
		case IN_OBJECT:
			item = next_member(r);
			break;
		case AT_END:
			if (jsontext_peek_after_space(&r->text) >= 0) {
				jsontext_fail(&r->text, jsontext_offset(&r->text),
				              "text follows the end of the trace");
				item = JSON_BROKEN;
			} else if (r->text.in.error[0]) {
				jsontext_fail(&r->text, jsontext_offset(&r->text), "%s", r->text.in.error);
				item = JSON_BROKEN;
			} else {
				r->state = ENDED;
			}
			break;
		case ENDED:
			return JSON_END;
		case BROKEN:
			return JSON_BROKEN;
		}
		if (item == JSON_BROKEN)
			r->state = BROKEN;
		if (item != JSON_END)
			return item;
	}
}

void json_release(struct json_reader *r, struct input *in, struct buf *head)
{
	buf_bytes(head, r->text.window, r->text.end);
	*in = r->text.in;
	r->text.in = (struct input){.fd = -1};
	r->text.end = 0;
	json_close(r);
}

void json_close(struct json_reader *r)
{
	if (!r->part && !r->text.window) /* it was not opened */
		return;
	if (!r->part) /* the text of a part is the caller's */
		jsontext_close(&r->text);
	free(r->value);
	free(r->kept_at);
	free(r->fields);
	free(r->inner);
	plain_close(r->plain);
	buf_free(&r->stack);
	buf_free(&r->key);
	buf_free(&r->kept);
	buf_free(&r->decoded);
}

struct json_place json_place(const struct json_reader *r)
{
	return (struct json_place){.offset = jsontext_offset(&r->text),
	                           .comma = r->comma,
	                           .events = r->event,
	                           .replaced = r->replaced};
}

void json_part_open(struct json_reader *r, const struct json_options *options)
{
	*r = (struct json_reader){.options = options, .state = ENDED, .part = true};
	set_up(r);
}

void json_part_begin(struct json_reader *r, char *text, size_t n, uint64_t offset)
{
	r->text = (struct jsontext){.in = {.fd = -1},
	                            .window = text,
	                            .end = n,
	                            .cap = n,
	                            .base = offset,
	                            .pad = ' ',
	                            .exhausted = true,
	                            .item = "event"};
	memset(text + n, r->text.pad, SCAN_BLOCK);
	r->state = IN_PART;
	r->event = r->replaced = 0;
	r->comma = true;
	r->first = r->dropped = false;
	r->scanned_base = offset;
	scan_reset(&r->scan);
}

void json_skip(struct json_reader *r, const struct json_place *place)
{
	r->text.base = place->offset;
	r->text.at = r->text.end = 0;
	r->text.exhausted = false;
	r->event += place->events;
	r->replaced += place->replaced;
	r->comma = place->comma;
	r->first = false;
	r->scanned_base = place->offset;
	scan_reset(&r->scan);
}
