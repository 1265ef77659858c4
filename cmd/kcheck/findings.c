#include "findings.h"

#include "base/mem.h"
#include "syntax/sortkey.h"

#include <stddef.h>
#include <stdlib.h>

const char *const check_names[CHECKS] = {
	[CHECK_OVERLAP] = "overlap",
	[CHECK_IMPOSSIBLE] = "impossible",
	[CHECK_BEFORE_LAUNCH] = "before-launch",
	[CHECK_UNLINKED] = "unlinked",
	[CHECK_ZERO] = "zero",
	[CHECK_TWICE] = "twice",
	[CHECK_GRAPH] = "graph",
	[CHECK_STEPS] = "steps",
	[CHECK_DOMINANT] = "dominant",
};

const char *const severity_names[SEVERITIES] = {
	[SEVERITY_ERROR] = "error",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_NOTE] = "note",
};

static struct dec magnitude(struct dec time)
{
	return (struct dec){time.nano < 0 ? -time.nano : time.nano};
}

static bool is_worse(const struct evidence *evidence, const struct findings_event *a,
                     const struct findings_event *b)
{
	int order = dec_compare(magnitude(b->time), magnitude(a->time));

	order = order ? order : dec_compare(a->ts, b->ts);
	if (order == 0)
		order = str_compare(strmap_key(&evidence->names, a->name),
		                    strmap_key(&evidence->names, b->name));
	return order ? order < 0 : dec_compare(a->time, b->time) < 0;
}

void findings_add(struct findings *findings, const struct evidence *evidence,
                  const struct findings_event *event)
{
	const uint32_t key[] = {event->check, event->severity, event->place};
	struct finding *finding;
	size_t number;
	bool new;

	number = strmap_add(&findings->keys, (struct str){(const char *)key, sizeof key}, &new);
	findings->item = mem_grow(findings->item, &findings->cap, number + 1, sizeof *findings->item);
	finding = &findings->item[number];
	if (new) {
		*finding = (struct finding){.worst = *event};
		findings->count++;
	}
	if (is_worse(evidence, event, &finding->worst))
		finding->worst = *event;
	finding->events++;
	finding->time.nano += event->time.nano;
	findings->by[event->check][event->severity]++;
}

/* --- order ----------------------------------------------------------------- */

/* pid and tid of a place; number: 0 is its file. */
static struct str place_part(const struct evidence *evidence, uint32_t place, size_t part)
{
	struct str key = strmap_key(&evidence->places, place);

	if (part == 0)
		return devices_source(&evidence->devices, evidence->place[place].source);
	for (size_t i = 0; i < part; i++) {
		const char *tab = memchr(key.s, '\t', key.n);

		if (!tab)
			return STR("");
		key = (struct str){tab + 1, key.n - (size_t)(tab + 1 - key.s)};
	}
	return tsv_field(key, 0);
}

static void set_order(struct finding *finding, const struct evidence *evidence)
{
	struct buf text = {0};

	buf_char(&finding->order, (char)finding->worst.severity);
	buf_char(&finding->order, (char)finding->worst.check);
	for (size_t part = 0; part < 3; part++) {
		text.len = 0;
		tsv_unescape(&text, place_part(evidence, finding->worst.place, part));
		sortkey_put(&finding->order, buf_view(&text), false);
	}
	buf_free(&text);
}

static int compare(const void *a, const void *b)
{
	const struct finding *x = a;
	const struct finding *y = b;

	return str_compare(buf_view(&x->order), buf_view(&y->order));
}

void findings_sort(struct findings *findings, const struct evidence *evidence)
{
	for (size_t i = 0; i < findings->count; i++)
		set_order(&findings->item[i], evidence);
	if (findings->count)
		qsort(findings->item, findings->count, sizeof *findings->item, compare);
}

/* --- table ------------------------------------------------------------------ */

static void put_check(struct sheet *sheet, const void *row, int which)
{
	const struct finding *finding = row;

	(void)which;
	buf_text(&sheet->cell, check_names[finding->worst.check]);
}

static void put_severity(struct sheet *sheet, const void *row, int which)
{
	const struct finding *finding = row;

	(void)which;
	buf_text(&sheet->cell, severity_names[finding->worst.severity]);
}

static void put_name(struct sheet *sheet, const void *row, int which)
{
	const struct evidence *evidence = sheet->context;
	const struct finding *finding = row;

	(void)which;
	buf_str(&sheet->cell, strmap_key(&evidence->names, finding->worst.name));
}

/* A part of the place: file, pid, tid. */
static void put_part(struct sheet *sheet, const void *row, int part)
{
	const struct evidence *evidence = sheet->context;
	const struct finding *finding = row;

	tsv_unescape(&sheet->cell, place_part(evidence, finding->worst.place, (size_t)part));
}

void findings_write(const struct findings *findings, const struct evidence *evidence,
                    struct kev_writer *out, enum form form, struct jsonw *json)
{
	static const struct sheet_column columns[] = {
		{"file", SHEET_NAME, put_part, 0},
		{"check", SHEET_TEXT, put_check, 0},
		{"severity", SHEET_TEXT, put_severity, 0},
		{"pid", SHEET_TEXT, put_part, 1},
		{"tid", SHEET_TEXT, put_part, 2},
		{"events", SHEET_NUMBER, sheet_put_count, offsetof(struct finding, events)},
		{"time", SHEET_NUMBER, devices_put_field, offsetof(struct finding, time)},
		{"worst", SHEET_NUMBER, devices_put_field, offsetof(struct finding, worst.time)},
		{"ts", SHEET_NUMBER, sheet_put_dec, offsetof(struct finding, worst.ts)},
		{"name", SHEET_NAME, put_name, 0},
	};
	size_t skip = devices_several(&evidence->devices) ? 0 : 1;
	struct sheet sheet;

	sheet_begin(&sheet, out, form, json, "Findings", columns + skip,
	            sizeof columns / sizeof *columns - skip);
	sheet.context = evidence;
	for (size_t i = 0; i < findings->count; i++)
		sheet_row(&sheet, &findings->item[i]);
	sheet_end(&sheet);
	if (findings->count == 0 && sheet.people)
		output_text(&out->out, form == FORM_REPORT ? "none\n" : "\nnone\n");
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		buf_free(&findings->item[i].order);
	free(findings->item);
	strmap_free(&findings->keys);
	*findings = (struct findings){.count = 0};
}
