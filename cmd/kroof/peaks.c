#include "peaks.h"

#include "base/die.h"
#include "base/mem.h"
#include "syntax/glob.h"
#include "syntax/rulefile.h"
#include "syntax/tsv.h"

#include <stdlib.h>

/* The text of roof.peaks, which the Makefile embeds. */
extern const char roof_peaks[];

struct span {
	size_t at; /* in peaks.text, which moves */
	size_t n;
};

struct peaks_line {
	struct span device;
	struct span kind;
	struct dec value;
};

enum { DEVICE, KIND, VALUE, SOURCE, FIELDS };

static struct str text_of(const struct peaks *p, struct span span)
{
	return (struct str){p->text.data + span.at, span.n};
}

static struct span span_of(const struct peaks *p, struct str text)
{
	return (struct span){(size_t)(text.s - p->text.data), text.n};
}

static bool fail(struct peaks *p, const char *file, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static bool fail(struct peaks *p, const char *file, uint64_t line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	rulefile_error(p->error, sizeof p->error, file, line, format, args);
	va_end(args);
	return false;
}

static bool is_kind(struct str kind)
{
	return str_equal(kind, STR("memory")) || str_equal(kind, STR("vector")) ||
	       (str_starts(kind, STR("matrix ")) &&
	        !str_has_byte(str_trim((struct str){kind.s + 7, kind.n - 7}), ' '));
}

static bool parse_line(struct peaks *p, const char *file, uint64_t number, struct str text)
{
	struct str field[FIELDS];
	struct peaks_line *line;
	struct dec value;
	char quoted[QUOTE_MAX];

	if (tsv_split(text, field, FIELDS) != FIELDS)
		return fail(p, file, number,
		            "a peak needs a device, a kind, a value and a source, separated by tabs");
	for (int i = 0; i < FIELDS; i++)
		field[i] = str_trim(field[i]);
	if (field[DEVICE].n == 0 || field[SOURCE].n == 0)
		return fail(p, file, number, "the device or the source is empty");
	if (!is_kind(field[KIND]))
		return fail(p, file, number, "unknown kind %s; use matrix TYPE, vector or memory",
		            quote(quoted, field[KIND].s, field[KIND].n));
	if (dec_parse(field[VALUE], &value) != DEC_OK || value.nano <= 0)
		return fail(p, file, number, "the value %s is not a number above 0",
		            quote(quoted, field[VALUE].s, field[VALUE].n));
	p->line = mem_grow(p->line, &p->cap, p->count + 1, sizeof *p->line);
	line = &p->line[p->count++];
	*line = (struct peaks_line){span_of(p, field[DEVICE]), span_of(p, field[KIND]), value};
	return true;
}

bool peaks_load(struct peaks *p, const char *file)
{
	size_t before = p->text.len;
	struct rulefile in = {0};
	struct str line;
	bool good = true;

	if (!rulefile_read(&p->text, file, roof_peaks, p->error, sizeof p->error))
		return false;
	if (p->text.len > before)
		in.rest = (struct str){p->text.data + before, p->text.len - before};
	while (good && rulefile_next(&in, &line))
		good = parse_line(p, file ? file : "the default peaks", in.line, line);
	return good;
}

static bool is_short_name(const struct shapes *shapes, struct str name)
{
	for (size_t i = 0; i < shapes->types.count; i++)
		if (str_equal(shapes->type[i].short_name, name))
			return true;
	return false;
}

bool peaks_stranger(const struct peaks *p, const struct shapes *shapes, struct str *name)
{
	for (size_t i = 0; i < p->count; i++) {
		struct str kind = text_of(p, p->line[i].kind);

		if (!str_starts(kind, STR("matrix ")))
			continue;
		*name = (struct str){kind.s + 7, kind.n - 7};
		if (!is_short_name(shapes, *name))
			return true;
	}
	return false;
}

static bool is_of(const struct peaks *p, const struct peaks_line *line, struct str device)
{
	return glob_matches_any_case(text_of(p, line->device), device);
}

bool peaks_know(const struct peaks *p, struct str device)
{
	for (size_t i = 0; i < p->count; i++)
		if (is_of(p, &p->line[i], device))
			return true;
	return false;
}

bool peaks_find(const struct peaks *p, struct str device, struct str kind, struct dec *value)
{
	for (size_t i = 0; i < p->count; i++) {
		if (str_equal(text_of(p, p->line[i].kind), kind) && is_of(p, &p->line[i], device)) {
			*value = p->line[i].value;
			return true;
		}
	}
	return false;
}

struct str peaks_dump(const struct peaks *p)
{
	return buf_view(&p->text);
}

void peaks_free(struct peaks *p)
{
	buf_free(&p->text);
	free(p->line);
	*p = (struct peaks){0};
}
