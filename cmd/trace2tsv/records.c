#include "records.h"

#include "base/die.h"
#include "base/mem.h"
#include "json/names.h"

#include "piece.h"

#include <stdlib.h>

enum {
	RECORD_MAX = 1 << 20,
	KEY_MAX = 4096, /* the rest of a longer key is dropped: no wanted path is as long */
	AHEAD = 256,    /* bytes that resume looks at after the end of a list */
	DEPTH_FLAT = 8,
	RESUMES_MAX = 10000,
};

enum state { AT_START, INSIDE, AT_END, ENDED, BROKEN };

enum { NO_LIST = -1, UNWANTED = -2 };

struct records_frame {
	bool array;
	bool resumed; /* after damage: this may be an array within a record */
	int list;     /* list whose records the array has, or NO_LIST */
	size_t path;  /* bytes of its path */
};

/* --- a value in the window ------------------------------------------------- */

/* A string that has no value: one of a record's. */
static struct json_value string_value(struct records *r, const struct piece *text,
                                      struct str inside, bool escapes)
{
	if (!escapes)
		return (struct json_value){.type = JSON_STRING, .text = inside};
	/* Once for a record, as it must not move under earlier values. */
	if (r->decoded.len == 0)
		buf_reserve(&r->decoded, (size_t)(text->end - inside.s));
	return json_string(inside, &r->decoded, &r->replaced);
}

/* An object, from its { on: as it stands, or its only member if the name is options->single. */
static enum piece_verdict read_object(const struct records *r, struct piece *text,
                                      struct json_value *value)
{
	const char *start = text->p;
	const char *single = r->options->single;
	struct piece inner = *text;
	struct json_value only = {0};
	enum piece_verdict verdict;
	struct str key;
	bool escapes;

	inner.p++;
	if (single && piece_next_byte(&inner) == '"' &&
	    piece_string(&inner, &key, &escapes) == PIECE_GOOD && str_equal(key, str_of(single)) &&
	    piece_next_byte(&inner) == ':') {
		inner.p++;
		piece_next_byte(&inner);
		if (piece_primitive(&inner, &only) == PIECE_GOOD && piece_next_byte(&inner) == '}') {
			text->p = inner.p + 1;
			*value = only;
			return PIECE_GOOD;
		}
	}
	verdict = piece_nested(text);
	*value = (struct json_value){.type = JSON_NESTED, .text = {start, (size_t)(text->p - start)}};
	return verdict;
}

/* The index of a wanted member; NAMES_NONE; NAMES_OBJECT if its members are the record's. */
static int find_name(const struct records *r, struct str key, bool escapes)
{
	struct buf decoded = {0};
	int found;

	if (escapes) {
		json_unescape(&decoded, key);
		buf_reserve(&decoded, 8); /* names_find reads eight bytes */
		key = buf_view(&decoded);
	}
	found = names_find(r->names, key.s, key.n);
	buf_free(&decoded);
	if (found < 0)
		return NAMES_NONE;
	return (size_t)found < r->options->names_count ? found : NAMES_OBJECT;
}

/* Reads a record, or an object whose members are its own, from the { on. */
static enum piece_verdict read_members(struct records *r, struct piece *text, int depth)
{
	bool first = true;

	text->p++;
	for (;;) {
		struct json_value value = {0};
		enum piece_verdict verdict;
		struct str string;
		bool escapes;
		int want;
		char c = piece_next_byte(text);

		if (c == '}' && first) {
			text->p++;
			return PIECE_GOOD;
		}
		if (c != '"')
			return piece_expected(text, "a key");
		first = false;
		verdict = piece_string(text, &string, &escapes);
		if (verdict != PIECE_GOOD)
			return verdict;
		want = find_name(r, string, escapes);
		if (piece_next_byte(text) != ':')
			return piece_expected(text, ":");
		text->p++;
		c = piece_next_byte(text);
		if (c == '"') {
			verdict = piece_string(text, &string, &escapes);
			if (verdict == PIECE_GOOD && want >= 0)
				value = string_value(r, text, string, escapes);
		} else if (c == '{' && want == NAMES_OBJECT && depth < DEPTH_FLAT) {
			verdict = read_members(r, text, depth + 1);
		} else if (c == '{' && want >= 0) {
			verdict = read_object(r, text, &value);
		} else if (c == '{' || c == '[') {
			value.text.s = text->p;
			verdict = piece_nested(text);
			value.type = JSON_NESTED;
			value.text.n = (size_t)(text->p - value.text.s);
		} else {
			verdict = piece_primitive(text, &value);
		}
		if (verdict != PIECE_GOOD)
			return verdict;
		if (want >= 0)
			r->value[want] = value;
		c = piece_next_byte(text);
		if (c != ',' && c != '}')
			return piece_expected(text, ", or }");
		text->p++;
		if (c == '}')
			return PIECE_GOOD;
	}
}

/* --- a value of any size ----------------------------------------------------- */

/* Skips the string at the cursor. */
static bool skip_string(struct records *r)
{
	uint64_t start = jsontext_offset(&r->text);

	r->text.at++;
	for (;;) {
		int c = jsontext_peek(&r->text);

		if (c < 0)
			return jsontext_cut(&r->text, start, "a string");
		while (r->text.at < r->text.end && r->text.window[r->text.at] != '"' &&
		       r->text.window[r->text.at] != '\\')
			r->text.at++;
		if (r->text.at == r->text.end)
			continue;
		c = (unsigned char)r->text.window[r->text.at++];
		if (c == '"')
			return true;
		if (jsontext_peek(&r->text) >= 0)
			r->text.at++;
	}
}

/* Skips a value that is larger than the window, by its brackets and strings. */
static bool skip_large(struct records *r)
{
	uint64_t start = jsontext_offset(&r->text);

	r->stack.len = 0;
	do {
		int c = jsontext_peek(&r->text);

		if (c < 0)
			return jsontext_cut(&r->text, start, "a value");
		if (c == '"') {
			if (!skip_string(r))
				return false;
			continue;
		}
		if (c == '{' || c == '[') {
			if (r->stack.len == PIECE_DEPTH)
				return jsontext_fail(&r->text, jsontext_offset(&r->text),
				                     "it is nested too deeply");
			buf_char(&r->stack, c == '{' ? '}' : ']');
		} else if (c == '}' || c == ']') {
			if (r->stack.len == 0 || r->stack.data[r->stack.len - 1] != c)
				return jsontext_expected(&r->text, "a value");
			r->stack.len--;
		} else if (r->stack.len == 0) {
			return jsontext_fail(&r->text, start, "a value exceeds %d bytes", RECORD_MAX);
		}
		r->text.at++;
	} while (r->stack.len);
	return true;
}

/* The reason for which text is bad; the cursor goes to the place. */
static bool fail_bad(struct records *r, const struct piece *text)
{
	r->text.at = (size_t)(text->p - r->text.window);
	return text->expected ? jsontext_expected(&r->text, text->expected)
	                      : jsontext_fail(&r->text, jsontext_offset(&r->text), "%s", text->what);
}

/*
 * Reads the value at the cursor by `read` and goes behind it. If its end is not within RECORD_MAX
 * bytes, returns PIECE_MORE.
 */
static enum piece_verdict read_whole(struct records *r,
                                     enum piece_verdict (*read)(struct records *, struct piece *))
{
	for (;;) {
		size_t start = r->text.at;
		struct piece text = {.p = r->text.window + start,
		                     .end = r->text.window + r->text.end,
		                     .strict = r->options->strict};
		enum piece_verdict verdict = read(r, &text);

		if (verdict == PIECE_BAD)
			fail_bad(r, &text);
		if (verdict == PIECE_GOOD)
			r->text.at = (size_t)(text.p - r->text.window);
		if (verdict != PIECE_MORE || r->text.end - start > RECORD_MAX ||
		    !jsontext_refill(&r->text, start))
			return verdict;
	}
}

static enum piece_verdict read_any(struct records *r, struct piece *text)
{
	struct json_value value;
	struct str string;
	bool escapes;

	(void)r;
	if (*text->p == '{' || *text->p == '[')
		return piece_nested(text);
	return *text->p == '"' ? piece_string(text, &string, &escapes) : piece_primitive(text, &value);
}

static bool skip_value(struct records *r)
{
	enum piece_verdict verdict = jsontext_peek(&r->text) < 0 ? PIECE_MORE : read_whole(r, read_any);

	if (verdict != PIECE_MORE)
		return verdict == PIECE_GOOD;
	if (r->text.exhausted)
		return jsontext_cut(&r->text, jsontext_offset(&r->text), "a value");
	return skip_large(r);
}

/* Reads a key and its colon. Its first KEY_MAX bytes go to r->key, decoded. */
static bool read_key(struct records *r)
{
	size_t start;
	struct str raw;

	if (jsontext_peek(&r->text) != '"')
		return jsontext_expected(&r->text, "a key");
	do
		start = r->text.at;
	while (!memchr(r->text.window + start + 1, '"', r->text.end - start - 1) &&
	       r->text.end - start < RECORD_MAX && jsontext_refill(&r->text, start));
	/* A longer name is not wanted. */
	start = r->text.at + 1;
	raw.n = r->text.end - start < KEY_MAX ? r->text.end - start : KEY_MAX;
	raw.s = r->text.window + start;
	for (size_t i = 0; i < raw.n; i++) {
		if (raw.s[i] == '"')
			raw.n = i;
		else
			i += raw.s[i] == '\\';
	}
	r->key.len = 0;
	json_unescape(&r->key, raw);
	if (!skip_string(r))
		return false;
	if (jsontext_peek_after_space(&r->text) != ':')
		return jsontext_expected(&r->text, ":");
	r->text.at++;
	return true;
}

/* --- the way to the records ---------------------------------------------------- */

static void push(struct records *r, bool array, int list)
{
	r->frames = mem_grow(r->frames, &r->frames_cap, r->frames_count + 1, sizeof *r->frames);
	r->frames[r->frames_count++] =
		(struct records_frame){.array = array, .list = list, .path = r->path.len};
	r->first = true;
	r->comma = false;
}

static void pop(struct records *r)
{
	r->frames_count--;
	if (r->frames_count)
		r->path.len = r->frames[r->frames_count - 1].path;
	r->first = false;
	r->comma = false;
}

/* The list with this path; NO_LIST if there may be some below it, else UNWANTED. */
static int find_list(const struct records *r, struct str path)
{
	const struct records_options *options = r->options;
	int found = UNWANTED;

	for (size_t i = 0; i < options->lists_count; i++) {
		struct str list = str_of(options->lists[i]);

		if (str_equal(list, path))
			return (int)i;
		if (list.n > path.n && list.s[path.n] == '/' && str_starts(list, path))
			found = NO_LIST;
	}
	return found;
}

static bool is_other(const struct records *r, struct str path)
{
	for (size_t i = 0; i < r->options->others_count; i++)
		if (str_equal(path, str_of(r->options->others[i])))
			return true;
	return false;
}

/* Appends a key to the path of the innermost object. */
static void enter_path(struct records *r, struct str key)
{
	if (r->path.len)
		buf_char(&r->path, '/');
	buf_str(&r->path, key);
}

/* --- damage ---------------------------------------------------------------------- */

/* Reads on until there are AHEAD bytes from the cursor on, or all that come. */
static struct str look_ahead(struct records *r)
{
	while (r->text.end - r->text.at < AHEAD && jsontext_refill(&r->text, r->text.at))
		;
	return (struct str){r->text.window + r->text.at,
	                    r->text.end - r->text.at < AHEAD ? r->text.end - r->text.at : AHEAD};
}

static void skip(struct str *text, size_t n)
{
	text->s += n;
	text->n -= n;
}

/* The first byte after white space, which it skips; -1 at the end. */
static int first_byte(struct str *text)
{
	while (text->n && jsontext_is_space(*text->s))
		skip(text, 1);
	return text->n ? (unsigned char)*text->s : -1;
}

/*
 * The frame of the object that has the member whose key text begins with: a list, or an object
 * with lists, or another known member. SIZE_MAX if it is none of these.
 */
static size_t find_frame(struct records *r, struct str text)
{
	const char *close = text.n > 1 ? memchr(text.s + 1, '"', text.n - 1) : NULL;
	struct str key;
	int c;

	if (!close)
		return SIZE_MAX;
	key = (struct str){text.s + 1, (size_t)(close - text.s) - 1};
	skip(&text, key.n + 2);
	if (first_byte(&text) != ':')
		return SIZE_MAX;
	skip(&text, 1);
	c = first_byte(&text);
	for (size_t i = r->frames_count; i-- > 0;) {
		int list;

		if (r->frames[i].array)
			continue;
		r->key.len = 0;
		buf_bytes(&r->key, r->path.data, r->frames[i].path);
		if (r->key.len)
			buf_char(&r->key, '/');
		buf_str(&r->key, key);
		list = find_list(r, buf_view(&r->key));
		if (list != UNWANTED && c == (list == NO_LIST ? '{' : '['))
			return i;
		if (is_other(r, buf_view(&r->key)))
			return i;
	}
	return SIZE_MAX;
}

/* Whether a key follows the { at the cursor, perhaps after some white space. */
static bool opens_record(struct records *r)
{
	struct str text = look_ahead(r);

	skip(&text, 1);
	return first_byte(&text) == '"';
}

/*
 * Whether the list at hand ends with the ] at the cursor: what follows is another list, or the end
 * of the objects around it, not a member or the end of a record.
 */
static bool ends_list(struct records *r)
{
	struct str text = look_ahead(r);
	int c;

	skip(&text, 1);
	c = first_byte(&text);
	if (c == '}') {
		skip(&text, 1);
		c = first_byte(&text);
	}
	if (c == ',') {
		skip(&text, 1);
		return first_byte(&text) == '"' && find_frame(r, text) != SIZE_MAX;
	}
	/* The end of the document; or of a record that has an array last, and of its list. */
	if (c == ']') {
		skip(&text, 1);
		return first_byte(&text) != ',';
	}
	return c < 0 || c == '}';
}

/* Goes on to what looks like the next record of the list, or the next list. */
static bool resume(struct records *r)
{
	bool listed = r->frames[r->frames_count - 1].list >= 0;
	int before = 0; /* the last two bytes that are not space */
	int last = 0;
	int c;

	if (r->resumed++ == RESUMES_MAX)
		return false;
	for (; (c = jsontext_peek(&r->text)) >= 0; r->text.at++) {
		bool found = listed && c == '{' && last == ',' && before == '}' && opens_record(r);
		size_t frame = !found && c == '"' && last == ',' ? find_frame(r, look_ahead(r)) : SIZE_MAX;

		if (frame != SIZE_MAX) {
			r->frames_count = frame + 1;
			r->path.len = r->frames[frame].path;
		}
		if (found)
			r->frames[r->frames_count - 1].resumed = true;
		if (found || frame != SIZE_MAX) {
			r->first = false;
			r->comma = true;
			return true;
		}
		if (!jsontext_is_space(c)) {
			before = last;
			last = c;
		}
	}
	return false;
}

static enum piece_verdict read_record(struct records *r, struct piece *text)
{
	memset(r->value, 0, r->options->names_count * sizeof *r->value);
	r->decoded.len = 0;
	return read_members(r, text, 0);
}

/* Reads the record at the cursor, which begins with {. */
static enum records_item next_record(struct records *r, int list)
{
	uint64_t replaced = r->replaced;
	enum piece_verdict verdict;

	r->list = (size_t)list;
	r->text.number = ++r->record;
	r->offset = jsontext_offset(&r->text);
	verdict = read_whole(r, read_record);
	if (verdict == PIECE_GOOD && jsontext_offset(&r->text) - r->offset <= RECORD_MAX)
		return RECORDS_RECORD;
	r->replaced = replaced;
	if (verdict == PIECE_BAD || (verdict == PIECE_MORE && r->text.exhausted &&
	                             !jsontext_cut(&r->text, r->offset, "this record")))
		return RECORDS_BROKEN;
	if (verdict == PIECE_MORE && !skip_large(r))
		return RECORDS_BROKEN;
	jsontext_fail(&r->text, r->offset, "a record exceeds %d bytes", RECORD_MAX);
	return RECORDS_DAMAGED;
}

/* --- the text around the records -------------------------------------------------- */

/* An object on the way: its beginning may be an item. */
static enum records_item enter_object(struct records *r)
{
	r->text.at++;
	push(r, false, NO_LIST);
	return r->options->group && str_equal(buf_view(&r->path), str_of(r->options->group))
	           ? RECORDS_GROUP
	           : RECORDS_END;
}

/* The next element of an array on the way, or the next record. RECORDS_END: nothing to tell. */
static enum records_item next_element(struct records *r, const struct records_frame *frame)
{
	int c = jsontext_peek_after_space(&r->text);

	if (c < 0) {
		jsontext_cut(&r->text, jsontext_offset(&r->text), "a list");
		return RECORDS_BROKEN;
	}
	if (c == ',' && !r->first && !r->comma) {
		r->text.at++;
		r->comma = true;
		return RECORDS_END;
	}
	if (c == ']' && !r->comma && frame->resumed && !ends_list(r)) {
		jsontext_fail(&r->text, jsontext_offset(&r->text),
		              "the end of an array, but not of this list");
		return RECORDS_BROKEN;
	}
	if (c == ']' && !r->comma) {
		r->text.at++;
		pop(r);
		return RECORDS_END;
	}
	if (!r->first && !r->comma && c == '{') {
		r->comma = true;
		jsontext_fail(&r->text, jsontext_offset(&r->text), "no comma after this record");
		return RECORDS_DAMAGED;
	}
	if (c == '{') {
		r->first = false;
		r->comma = false;
		return frame->list >= 0 ? next_record(r, frame->list) : enter_object(r);
	}
	if (frame->list < 0) {
		if (!skip_value(r))
			return RECORDS_BROKEN;
		r->first = false;
		r->comma = false;
		return RECORDS_END;
	}
	r->text.number = ++r->record;
	jsontext_expected(&r->text, "a record, which begins with {,");
	if (c == ',' || c == ']')
		r->text.at++;
	if (c == ']')
		pop(r);
	else if (c != ',' && !skip_value(r))
		return RECORDS_BROKEN;
	r->first = false;
	r->comma = c == ',';
	return RECORDS_DAMAGED;
}

/* Whether the array at the cursor, whose path is that of an unwanted member, is to be told. */
static bool is_unknown(struct records *r)
{
	struct str object = {r->path.data, r->frames[r->frames_count - 1].path};
	struct str text;

	if (!r->options->watched || !str_equal(object, str_of(r->options->watched)) ||
	    is_other(r, buf_view(&r->path)))
		return false;
	text = look_ahead(r);
	skip(&text, 1);
	return first_byte(&text) != ']';
}

/* The next member of an object on the way. */
static enum records_item next_member(struct records *r)
{
	int c = jsontext_peek_after_space(&r->text);
	int list;
	bool unknown;

	if (c == ',' && !r->comma && !r->first) {
		r->text.at++;
		r->comma = true;
		return RECORDS_END;
	}
	if (c == '}' && !r->comma) {
		r->text.at++;
		pop(r);
		return RECORDS_END;
	}
	if (c < 0) {
		jsontext_cut(&r->text, jsontext_offset(&r->text), "the top-level object");
		return RECORDS_BROKEN;
	}
	if (!r->comma && !r->first) {
		jsontext_expected(&r->text, ", or }");
		return RECORDS_BROKEN;
	}
	if (!read_key(r))
		return RECORDS_BROKEN;
	r->comma = false;
	r->first = false;
	c = jsontext_peek_after_space(&r->text);
	list = UNWANTED;
	if (!str_has_byte(buf_view(&r->key), '/')) {
		enter_path(r, buf_view(&r->key));
		list = find_list(r, buf_view(&r->path));
	}
	if (list == UNWANTED || (c != '{' && c != '[')) {
		unknown = list == UNWANTED && c == '[' && is_unknown(r);
		r->path.len = r->frames[r->frames_count - 1].path;
		if (!skip_value(r))
			return RECORDS_BROKEN;
		return unknown ? RECORDS_UNKNOWN : RECORDS_END;
	}
	if (c == '[') {
		r->text.at++;
		push(r, true, list);
		r->list = (size_t)list;
		return list >= 0 ? RECORDS_LIST : RECORDS_END;
	}
	if (list < 0)
		return enter_object(r);
	r->path.len = r->frames[r->frames_count - 1].path;
	return next_record(r, list);
}

static enum records_item start(struct records *r)
{
	int c;

	jsontext_skip_mark(&r->text);
	c = jsontext_peek_after_space(&r->text);
	if (c != '{') {
		jsontext_expected(&r->text, "{");
		return RECORDS_BROKEN;
	}
	r->state = INSIDE;
	return enter_object(r);
}

/* After the top-level object. */
static enum records_item end(struct records *r)
{
	if (jsontext_peek_after_space(&r->text) >= 0) {
		jsontext_fail(&r->text, jsontext_offset(&r->text), "text follows the end of the document");
		return RECORDS_BROKEN;
	}
	if (r->text.in.error[0]) {
		jsontext_fail(&r->text, jsontext_offset(&r->text), "%s", r->text.in.error);
		return RECORDS_BROKEN;
	}
	r->state = ENDED;
	return RECORDS_END;
}

static enum records_item next_inside(struct records *r)
{
	const struct records_frame *frame = &r->frames[r->frames_count - 1];
	enum records_item item = frame->array ? next_element(r, frame) : next_member(r);

	if (r->frames_count == 0)
		r->state = AT_END;
	if (item != RECORDS_BROKEN || r->text.cut)
		return item;
	if (resume(r))
		return RECORDS_DAMAGED;
	jsontext_lost(&r->text);
	return RECORDS_BROKEN;
}

enum records_item records_next(struct records *r)
{
	for (;;) {
		enum records_item item = RECORDS_END;

		r->text.number = 0;
		switch ((enum state)r->state) {
		case AT_START:
			item = start(r);
			break;
		case INSIDE:
			item = next_inside(r);
			break;
		case AT_END:
			item = end(r);
			break;
		case ENDED:
			return RECORDS_END;
		case BROKEN:
			return RECORDS_BROKEN;
		}
		if (item == RECORDS_BROKEN)
			r->state = BROKEN;
		if (item != RECORDS_END)
			return item;
	}
}

void records_open(struct records *r, const struct input *in, struct str head,
                  const struct records_options *options)
{
	const char **names = mem_alloc(options->names_count + options->flat_count + 1, sizeof *names);
	size_t count = 0;

	*r = (struct records){.text.in = *in, .options = options, .state = AT_START};
	for (size_t i = 0; i < options->names_count; i++)
		names[count++] = options->names[i];
	for (size_t i = 0; i < options->flat_count; i++)
		names[count++] = options->flat[i];
	r->names = names_make(names, count, 0, NULL);
	free(names);
	r->value = mem_zero(options->names_count + 1, sizeof *r->value);
	jsontext_begin(&r->text, head, "record", '"');
}

bool records_again(struct records *r)
{
	jsontext_close(&r->text);
	if (!jsontext_again(&r->text)) {
		r->state = BROKEN;
		return false;
	}
	jsontext_begin(&r->text, STR(""), "record", '"');
	r->state = AT_START;
	r->list = 0;
	r->record = 0;
	r->replaced = 0;
	r->resumed = 0;
	r->frames_count = 0;
	r->path.len = 0;
	return true;
}

void records_close(struct records *r)
{
	jsontext_close(&r->text);
	free(r->value);
	free(r->names);
	free(r->frames);
	buf_free(&r->path);
	buf_free(&r->key);
	buf_free(&r->decoded);
	buf_free(&r->stack);
	*r = (struct records){.text.in = {.fd = -1}};
}
