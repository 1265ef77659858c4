#include "stream/times.h"

static bool is_one_of(struct str name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_equal(name, str_of(names[i])))
			return true;
	return false;
}

/* Columns of kgroup's tables. */
static bool is_total(const struct kev_reader *reader, struct str name)
{
	static const char *const totals[] = {"total", "mean", "min", "max", "std"};

	if (kev_column(reader, STR("total")) == KEV_NONE ||
	    kev_column(reader, STR("share")) == KEV_NONE)
		return false;
	return is_one_of(name, totals, sizeof totals / sizeof *totals) ||
	       (name.n > 1 && name.s[0] == 'p' && name.s[1] >= '0' && name.s[1] <= '9');
}

/* Columns of klaunch. */
static bool is_wait(const struct kev_reader *reader, struct str name)
{
	static const char *const waits[] = {"latency", "delay", "gap"};

	return kev_column(reader, STR("cause")) != KEV_NONE &&
	       is_one_of(name, waits, sizeof waits / sizeof *waits);
}

/* Columns of kbusy's tables. */
static bool is_busy(const struct kev_reader *reader, struct str name)
{
	static const char *const devices[] = {
		"span",         "busy",        "idle",  "compute",    "comm",       "copy",  "comm_exposed",
		"copy_exposed", "comm_hidden", "total", "idle_micro", "idle_macro", "first", "last",
	};
	static const char *const labels[] = {"total", "union", "alone"};

	if (kev_column(reader, STR("idle_macro")) != KEV_NONE)
		return is_one_of(name, devices, sizeof devices / sizeof *devices);
	return kev_column(reader, STR("alone")) != KEV_NONE &&
	       is_one_of(name, labels, sizeof labels / sizeof *labels);
}

/* Columns of kcompare. */
static bool is_compared(const struct kev_reader *reader, struct str name)
{
	static const char *const compared[] = {"total1", "total2",  "median1", "low1",
	                                       "high1",  "median2", "low2",    "high2"};

	return kev_column(reader, STR("adjusted")) != KEV_NONE &&
	       is_one_of(name, compared, sizeof compared / sizeof *compared);
}

/* Columns of kdiff, kmatch and kfusion. */
static bool is_paired(const struct kev_reader *reader, struct str name)
{
	static const char *const paired[] = {"total1", "total2",   "mean1",   "mean2",
	                                     "gap",    "aligned1", "aligned2"};
	static const char *const fused[] = {"unfused_total", "fused_total", "saves"};

	if (kev_column(reader, STR("unfused_total")) != KEV_NONE)
		return is_one_of(name, fused, sizeof fused / sizeof *fused);
	return (kev_column(reader, STR("total2")) != KEV_NONE ||
	        kev_column(reader, STR("mean2")) != KEV_NONE) &&
	       is_one_of(name, paired, sizeof paired / sizeof *paired);
}

const char *times_unit(const struct kev_reader *reader, struct str name, bool of_other)
{
	static const char *const times[] = {"ts", "dur", "launch_ts", "launch_dur"};

	if (reader->units_differ ||
	    (!is_one_of(name, times, sizeof times / sizeof *times) &&
	     (of_other ||
	      (!is_total(reader, name) && !is_compared(reader, name) && !is_paired(reader, name))) &&
	     !is_busy(reader, name) && !is_wait(reader, name)))
		return "";
	return kev_unit(reader);
}
