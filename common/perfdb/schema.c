#include "perfdb/schema.h"

static void add_name(struct schema *schema, int column, const char *before, const char *name)
{
	size_t start = schema->text.len;

	buf_format(&schema->text, "%s%s", before, name);
	schema->name[column] = (struct str){schema->text.data + start, schema->text.len - start};
}

void schema_init(struct schema *schema)
{
	*schema = (struct schema){0};
	buf_reserve(&schema->text, 4096); /* it must not move under name[] */
	for (int i = 0; i < SIGNATURE_CELLS; i++)
		add_name(schema, i, "", signature_cells[i]);
	add_name(schema, SCHEMA_PROFILING, "", "Profiling Average Duration(us)");
	add_name(schema, SCHEMA_AVERAGE, "", "Average Duration(us)");
	for (int i = 0; i < SIGNATURE_COUNTERS; i++)
		add_name(schema, SCHEMA_COUNTER + i, "MicroBench ", signature_counters[i]);
}

void schema_free(struct schema *schema)
{
	buf_free(&schema->text);
}

static int find(const struct csvfile_layout *layout, const char *name)
{
	return csvfile_layout_find(layout, str_of(name));
}

static bool has_column(struct csv_reader *header, const char *name)
{
	for (size_t i = 0; i < header->count; i++)
		if (str_equal(str_trim(csv_field(header, i)), str_of(name)))
			return true;
	return false;
}

bool schema_fits(struct csv_reader *header, struct buf *why)
{
	/* The durations of op_summary and of kernel_details, which may have all base columns. */
	static const char *const profiled[] = {"Task Duration(us)", "Duration(us)"};

	for (size_t i = 0; i < sizeof profiled / sizeof *profiled; i++) {
		if (has_column(header, profiled[i])) {
			buf_format(why, "it is a profile, as its column '%s' shows", profiled[i]);
			return false;
		}
	}
	for (int i = 0; i < EP_SIZE; i++) {
		if (!has_column(header, signature_cells[i])) {
			buf_format(why, "column '%s' is missing", signature_cells[i]);
			return false;
		}
	}
	return true;
}

void schema_lacks(const struct csvfile_layout *layout, struct buf *names)
{
	for (int i = 0; i < SIGNATURE_BASE; i++)
		if (find(layout, signature_base[i]) < 0)
			buf_format(names, "%s%s", names->len ? ", " : "", signature_base[i]);
}

/* --- the older format ---------------------------------------------------- */

int schema_older_mark(const struct csvfile_layout *layout)
{
	struct buf name = {0};
	int found = find(layout, "Median Duration(us)");

	if (found < 0)
		found = find(layout, "Std Duration(us)");
	for (int i = 0; i < SIGNATURE_COUNTERS && found < 0; i++) {
		name.len = 0;
		buf_format(&name, "Average %s", signature_counters[i]);
		found = csvfile_layout_find(layout, buf_view(&name));
	}
	buf_free(&name);
	return found;
}

/* Renames a column, if it exists, to "Profiling " and its name. False if that name is taken. */
static bool to_profiling(struct csvfile_layout *layout, const char *before, const char *name)
{
	struct buf text = {0};
	struct str old;
	int at;
	bool taken;

	buf_format(&text, "Profiling %s%s", before, name);
	old = (struct str){text.data + strlen("Profiling "), text.len - strlen("Profiling ")};
	at = csvfile_layout_find(layout, old);
	taken = at >= 0 && csvfile_layout_find(layout, buf_view(&text)) >= 0;
	if (at >= 0 && !taken)
		csvfile_layout_rename(layout, (size_t)at, buf_view(&text));
	buf_free(&text);
	return !taken;
}

bool schema_migrate(struct csvfile_layout *layout)
{
	static const char *const durations[] = {"Average", "Median", "Std"};
	bool good = true;

	for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
		good &= to_profiling(layout, durations[i], " Duration(us)");
	for (int i = 0; i < SIGNATURE_COUNTERS; i++)
		good &= to_profiling(layout, "Average ", signature_counters[i]);
	return good;
}

/* --- all columns --------------------------------------------------------- */

/* Adds Average Duration(us) if it is missing, after the base columns, which come first. */
static void add_average(const struct schema *schema, struct csvfile_layout *layout)
{
	struct str average = schema->name[SCHEMA_AVERAGE];
	int legacy = find(layout, "MicroBench Duration(us)");

	if (csvfile_layout_find(layout, average) >= 0)
		return;
	if (legacy >= 0) {
		csvfile_layout_rename(layout, (size_t)legacy, average);
		return;
	}
	for (size_t i = 0; i < SIGNATURE_BASE; i++) {
		int at = find(layout, signature_base[i]);

		if (at < 0)
			csvfile_layout_insert(layout, i, str_of(signature_base[i]));
		else
			csvfile_layout_move(layout, (size_t)at, i);
	}
	csvfile_layout_insert(layout, SIGNATURE_BASE, average);
}

/* Adds "MicroBench C" before each "Profiling Average C" without one. */
static void add_counters(const struct schema *schema, struct csvfile_layout *layout, bool new)
{
	struct buf name = {0};

	for (int i = 0; i < SIGNATURE_COUNTERS; i++) {
		struct str microbench = schema->name[SCHEMA_COUNTER + i];
		int at;

		name.len = 0;
		buf_format(&name, "Profiling Average %s", signature_counters[i]);
		if (new)
			csvfile_layout_insert(layout, layout->count, buf_view(&name));
		at = csvfile_layout_find(layout, buf_view(&name));
		if (at >= 0 && csvfile_layout_find(layout, microbench) < 0)
			csvfile_layout_insert(layout, (size_t)at, microbench);
	}
	buf_free(&name);
}

void schema_complete(const struct schema *schema, struct csvfile_layout *layout, bool new)
{
	static const char *const dropped[] = {"MicroBench Task Duration(us)",
	                                      "MicroBench Kernel Duration(us)"};
	static const char *const profiled[] = {"Profiling Average Duration(us)",
	                                       "Profiling Median Duration(us)",
	                                       "Profiling Std Duration(us)"};

	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
		int at = find(layout, dropped[i]);

		if (at >= 0)
			csvfile_layout_remove(layout, (size_t)at);
	}
	add_average(schema, layout);
	for (size_t i = 0; new &&i < sizeof profiled / sizeof *profiled; i++)
		csvfile_layout_insert(layout, layout->count, str_of(profiled[i]));
	add_counters(schema, layout, new);
}
