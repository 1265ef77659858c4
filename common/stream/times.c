#include "stream/times.h"

/* A table, known by the columns that only it has, and its times, with a blank before and after. */
struct known {
	const char *sign;
	const char *beside; /* a second column that it has, or NULL */
	bool of_dur;        /* they are times if its sums are of dur */
	bool quantiles;     /* its quantiles are times, too: p99 */
	const char *times;
};

static const struct known known[] = {
	/* all streams */
	{NULL, NULL, false, false, " ts dur launch_ts launch_dur "},
	/* kgroup */
	{"share", "total", true, true, " total mean min max std "},
	/* klaunch */
	{"cause", NULL, false, false, " latency delay gap "},
	/* kcpu, kcpu --idle */
	{"self", "depth", false, false, " self "},
	{"gap_ts", NULL, false, false, " gap_ts "},
	/* kbusy, kbusy --label */
	{"idle_macro", NULL, false, false,
     " span busy idle compute comm copy comm_exposed copy_exposed comm_hidden total idle_micro "
     "idle_macro first last "},
	{"alone", NULL, false, false, " total union alone "},
	/* kcompare */
	{"adjusted", NULL, true, false, " total1 total2 median1 low1 high1 median2 low2 high2 "},
	/* kdiff and kmatch */
	{"total2", NULL, true, false, " total1 total2 mean1 mean2 gap aligned1 aligned2 "},
	{"mean2", NULL, true, false, " total1 total2 mean1 mean2 gap aligned1 aligned2 "},
	/* kfusion */
	{"unfused_total", NULL, true, false, " unfused_total fused_total saves "},
	/* kroof */
	{"intensity", "total", false, false, " total mean "},
	/* kmem */
	{"peak_ts", NULL, false, false, " peak_ts "},
	/* kcoll: its table, its table by rank, --minima, --align */
	{"skew_max", "transfer", false, false, " total min transfer wait skew_max "},
	{"caused", "wait_share", false, false, " caused wait "},
	{"kind", "ts", false, false, " wait "},
	{"drift", "collectives", false, false, " offset "},
	/* kcheck, its contents */
	{"severity", "worst", false, false, " time worst "},
	{"contents", "category", false, false, " time "},
};
enum { KNOWN = sizeof known / sizeof *known };

static bool has_column(const struct kev_reader *reader, const char *name)
{
	return !name || kev_column(reader, str_of(name)) != KEV_NONE;
}

/* Whether the name is one of the words, each of which stands between blanks. */
static bool is_word(const char *words, struct str name)
{
	for (const char *at = strchr(words, ' '); at[1]; at = strchr(at + 1, ' '))
		if (str_equal((struct str){at + 1, (size_t)(strchr(at + 1, ' ') - at - 1)}, name))
			return true;
	return false;
}

/* Whether it is a quantile of kgroup, such as p99. */
static bool is_quantile(struct str name)
{
	return name.n > 1 && name.s[0] == 'p' && name.s[1] >= '0' && name.s[1] <= '9';
}

/* The name without the .2 that kjoin appends, if the stream has such a column, too. */
static struct str before_join(const struct kev_reader *reader, struct str name)
{
	struct str bare = name;

	while (bare.n && bare.s[bare.n - 1] >= '0' && bare.s[bare.n - 1] <= '9')
		bare.n--;
	if (bare.n == 0 || bare.n == name.n || bare.s[bare.n - 1] != '.')
		return name;
	bare.n--;
	return kev_column(reader, bare) == KEV_NONE ? name : bare;
}

static bool is_time(const struct kev_reader *reader, struct str name, bool of_other)
{
	for (size_t i = 0; i < KNOWN; i++) {
		const struct known *table = &known[i];

		if ((is_word(table->times, name) || (table->quantiles && is_quantile(name))) &&
		    !(table->of_dur && of_other) && has_column(reader, table->sign) &&
		    has_column(reader, table->beside))
			return true;
	}
	return false;
}

const char *times_unit(const struct kev_reader *reader, struct str name, bool of_other)
{
	if (reader->units_differ || !is_time(reader, before_join(reader, name), of_other))
		return "";
	return kev_unit(reader);
}
