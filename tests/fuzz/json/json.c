/* json: equal items by every way of reading, in pieces, strictly, and quoted again. */
/* After damage a search may look at much of the text again, 10,000 times at most. */
#define STRETCH_TIMES 20

#include "../fuzz.h"

#include "base/simd.h"
#include "json/json.h"
#include "json/quote.h"

static const char *const fields[] = {"ph", "cat", "name", "ts"};
static const char *const inner[] = {"k", "source"};
static const char *const members[] = {"note", "deviceProperties"};

enum { FIELDS = 4, INNER = 2, MAX_FIELD = 1 << 20 };

static const struct json_options lenient = {.fields = fields,
                                            .fields_count = FIELDS,
                                            .object = "args",
                                            .inner = inner,
                                            .inner_count = INNER,
                                            .members = members,
                                            .members_count = 2,
                                            .max_field = MAX_FIELD};

/* What a reading leaves behind. Items are lines: the kind, then the types and the values. */
struct reading {
	struct buf items;
	struct buf wanted;  /* those that the filter below must let pass */
	struct buf places;  /* where each was */
	struct buf damages; /* as they were told, and how it all ended */
	struct buf again;   /* a trace of equal values, quoted */
	struct buf walked;  /* the text, each event with a member that leaves it to be walked */
	bool clean;         /* read to its end, nothing was damaged */
	bool resumed;       /* after damage reading went on at another place than the end of an event */
};

static const struct str categories[] = {{"kernel", 6}, {"c", 1}};
static const struct json_filter filter = {.ph = 0,
                                          .cat = 1,
                                          .phases = {"X", 1},
                                          .always = {"M", 1},
                                          .categories = categories,
                                          .categories_count = 2};

static void reading_free(struct reading *r)
{
	buf_free(&r->items);
	buf_free(&r->wanted);
	buf_free(&r->places);
	buf_free(&r->damages);
	buf_free(&r->again);
	buf_free(&r->walked);
}

static void show_value(struct buf *out, struct json_value value)
{
	buf_format(out, " %d<", value.type);
	if (value.type != JSON_NONE)
		buf_str(out, value.text);
	buf_char(out, '>');
}

static void quote_value(struct buf *out, const char *name, struct json_value value)
{
	if (value.type == JSON_NONE)
		return;
	if (out->data[out->len - 1] != '{')
		buf_char(out, ',');
	buf_format(out, "\"%s\":", name);
	if (value.type == JSON_STRING)
		json_quote(out, value.text);
	else
		buf_str(out, value.text);
}

/* The item from here on is one that the filter must let pass. */
static void want_item(struct reading *reading, size_t from)
{
	buf_bytes(&reading->wanted, reading->items.data + from, reading->items.len - from);
}

static void show_event(struct reading *reading, const struct json_reader *r)
{
	struct buf *again = &reading->again;
	size_t from = reading->items.len;
	struct str line;

	buf_char(&reading->items, 'e');
	buf_text(again, again->len > 1 ? ",{" : "{");
	for (size_t i = 0; i < FIELDS + INNER; i++) {
		show_value(&reading->items, r->value[i]);
		if (i == FIELDS)
			buf_text(again, again->data[again->len - 1] == '{' ? "\"args\":{" : ",\"args\":{");
		quote_value(again, i < FIELDS ? fields[i] : inner[i - FIELDS], r->value[i]);
	}
	buf_text(again, "}}");
	buf_char(&reading->items, '\n');
	line = (struct str){reading->items.data + from, reading->items.len - from};
	if (str_starts(line, STR("e 1<X> 1<kernel> ")) || str_starts(line, STR("e 1<X> 1<c> ")) ||
	    str_starts(line, STR("e 1<M> ")))
		want_item(reading, from);
}

/* Reads what is fed, which is text. */
static void show(struct reading *reading, const struct json_options *options, struct str text)
{
	struct json_reader r;
	enum json_item item;
	size_t at = 0;

	*reading = (struct reading){.clean = true};
	buf_char(&reading->again, '[');
	LAW(json_open(&r, "-", options));
	while ((item = json_next(&r)) > JSON_END) {
		if (item == JSON_EVENT)
			show_event(reading, &r);
		if (item == JSON_MEMBER) {
			size_t from = reading->items.len;

			buf_format(&reading->items, "m%zu", r.member);
			show_value(&reading->items, r.value[0]);
			buf_char(&reading->items, '\n');
			want_item(reading, from);
		}
		if (item == JSON_DAMAGED) {
			reading->clean = false;
			buf_text(&reading->items, "d\n");
			buf_format(&reading->damages, "%s\n", r.text.error);
		}
		buf_format(&reading->places, "%d %llu %llu\n", item, (unsigned long long)r.event,
		           (unsigned long long)r.offset);
		/* An offset is in text where options are of the whole of it. */
		if (item != JSON_MEMBER && r.event && r.offset >= at && r.offset < text.n &&
		    text.s[r.offset] == '{') {
			buf_bytes(&reading->walked, text.s + at, r.offset + 1 - at);
			buf_bytes(&reading->walked, "\"\0\":0,", 6);
			at = r.offset + 1;
		}
	}
	LAW(json_next(&r) == item);
	reading->clean &= item == JSON_END;
	reading->resumed = r.resumed > 0;
	buf_format(&reading->damages, "%d %d %s", item, r.fatal, item == JSON_END ? "" : r.text.error);
	buf_format(&reading->items, "%d%d %llu", item, r.fatal, (unsigned long long)r.replaced);
	buf_bytes(&reading->walked, text.s + at, text.n - at);
	buf_char(&reading->again, ']');
	json_close(&r);
}

/* Both readings report equal items in equal places. */
static void same(const struct reading *a, struct reading *b)
{
	LAW_SAME(&a->items, &b->items);
	LAW_SAME(&a->places, &b->places);
	LAW_SAME(&a->damages, &b->damages);
	reading_free(b);
}

static void show_forced(struct reading *reading, const struct json_options *options,
                        struct str text, const char *variable, const char *way)
{
	setenv(variable, way, 1);
	feed(text);
	show(reading, options, text);
	setenv(variable, "", 1);
}

static void by_another_way(const struct reading *base, struct str text, const char *variable,
                           const char *way)
{
	struct reading other;

	show_forced(&other, &lenient, text, variable, way);
	same(base, &other);
}

static void in_pieces(const struct reading *base, struct str text)
{
	struct reading other;

	feed_in_steps(text, (1 + chance(text, 70)) * (1 + text.n / 4096));
	show(&other, &lenient, text);
	same(base, &other);
}

/* What --strict takes, is no other without it. */
static void strictly(const struct reading *base, struct str text)
{
	struct json_options options = lenient;
	struct reading other;

	options.strict = true;
	feed(text);
	show(&other, &options, text);
	if (other.clean)
		same(base, &other);
	else
		reading_free(&other);
}

/* Walked value by value, as an event is that is too large to be read by its fields. */
static void walked(const struct reading *base)
{
	struct reading other;

	feed(buf_view(&base->walked));
	show(&other, &lenient, STR(""));
	LAW_SAME(&base->items, &other.items);
	reading_free(&other);
}

/* Values that are written and read again are equal. */
static void quoted(const struct reading *base)
{
	struct reading other;
	struct reading third;

	feed(buf_view(&base->again));
	show(&other, &lenient, STR(""));
	LAW(other.clean);
	LAW_SAME(&base->again, &other.again);
	feed(buf_view(&other.again));
	show(&third, &lenient, STR(""));
	same(&other, &third);
	reading_free(&other);
}

/*
 * The filter changes no event and drops none that the options want. Which others it drops is
 * each way's own, and so is the damage in these that is passed over: but not what is told. If an
 * event encloses others by damage, reading goes on after it if it is dropped, else inside of it.
 */
static void filtered(const struct reading *base, struct str text)
{
	struct json_options options = lenient;
	struct reading by_fields;
	struct reading exact;

	options.filter = &filter;
	feed(text);
	show(&by_fields, &options, text);
	if (!base->resumed && !by_fields.resumed)
		LAW_SAME(&base->wanted, &by_fields.wanted);
	show_forced(&exact, &options, text, "KEV_JSON", "exact");
	LAW_SAME(&by_fields.wanted, &exact.wanted);
	LAW_SAME(&by_fields.damages, &exact.damages);
	reading_free(&by_fields);
	reading_free(&exact);
}

static void try_input(const uint8_t *data, size_t size)
{
	struct str text = {(const char *)data, size};
	struct reading base;

	if (is_gzip(text))
		return;
	feed(text);
	show(&base, &lenient, text);
	by_another_way(&base, text, "KEV_JSON", "exact");
	switch (chance(text, 7)) {
	case 0:
		by_another_way(&base, text, "KEV_SIMD", "scalar");
		break;
	case 1:
#if defined(SIMD_SSE2)
		by_another_way(&base, text, "KEV_SIMD", "sse2");
#endif
		break;
	case 2:
		in_pieces(&base, text);
		break;
	case 3:
		strictly(&base, text);
		break;
	case 4:
		walked(&base);
		break;
	case 5:
		quoted(&base);
		break;
	default:
		filtered(&base, text);
	}
	reading_free(&base);
}
