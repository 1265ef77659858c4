#include "category.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/plaintext.h"
#include "trace/ascend.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 12 }; /* categories in a message */

const char category_gpu[] =
	"kernel,gpu_memcpy,gpu_memset,cuda_runtime,cuda_driver,cpu_op,user_annotation,"
	"gpu_user_annotation,python_function,mtia_ccp_events,mtia_runtime,xpu_runtime,xpu_driver,"
	"hpu_op,privateuse1_runtime,privateuse1_driver,async_npu,gpu_op";

#define NAME(text)             \
	{                          \
		text, sizeof(text) - 1 \
	}

/* The names of Kineto up to 1.11. */
static const struct {
	struct str now;
	struct str before;
} older[] = {
	{NAME("kernel"), NAME("Kernel")},     {NAME("gpu_memcpy"), NAME("Memcpy")},
	{NAME("gpu_memset"), NAME("Memset")}, {NAME("cuda_runtime"), NAME("Runtime")},
	{NAME("cpu_op"), NAME("Operator")},
};

enum { OLDER = sizeof older / sizeof *older };

static const struct str annotation = NAME("user_annotation");

static void accept(struct category_set *set, struct str cat)
{
	set->accepted = mem_resize(set->accepted, set->accepted_count + 1, sizeof *set->accepted);
	set->accepted[set->accepted_count++] = cat;
}

static bool fail(struct category_set *set, const char *what, struct str cat)
{
	char name[QUOTE_MAX];

	snprintf(set->error, sizeof set->error, what, quote(name, cat.s, cat.n));
	return false;
}

/* Sorts the words of -c into the asked categories and those left out of the usual ones. */
static bool sort_words(struct category_set *set, const struct words *words, const char *usual,
                       struct words *left_out)
{
	for (size_t i = 0; i < words->count; i++) {
		struct str word = words->item[i];
		bool minus = str_starts(word, STR("-"));

		if (minus || str_starts(word, STR("+"))) {
			if (!usual)
				return fail(set, "%s changes the categories of -g, so give -g, too", word);
			if (word.n == 1)
				return fail(set, "no category is given after %s", word);
			set->changes = true;
			word = (struct str){word.s + 1, word.n - 1};
		}
		words_put_once(minus ? left_out : &set->asked, word);
	}
	return true;
}

/* Adds the usual categories that are not left out. */
static bool add_usual(struct category_set *set, const char *text, const struct words *left_out)
{
	struct words usual = {0};
	bool good = true;

	words_add(&usual, text);
	for (size_t i = 0; i < usual.count; i++)
		if (!words_have(left_out, usual.item[i]))
			words_put_once(&set->asked, usual.item[i]);
	for (size_t i = 0; i < left_out->count && good; i++)
		if (!words_have(&usual, left_out->item[i]))
			good = fail(set, "without -c, %s is not written, so it cannot be left out",
			            left_out->item[i]);
	if (good && set->asked.count == 0)
		good = fail(set, "all categories are left out", STR(""));
	words_free(&usual);
	return good;
}

bool category_ask(struct category_set *set, const struct words *words, const char *usual)
{
	struct words left_out = {0};
	bool gpu = usual;
	bool good;

	*set = (struct category_set){.gpu = gpu};
	good = sort_words(set, words, usual, &left_out) &&
	       (!gpu || (words->count && !set->changes) || add_usual(set, usual, &left_out));
	words_free(&left_out);
	if (!good)
		return false;
	for (size_t i = 0; i < set->asked.count; i++)
		accept(set, set->asked.item[i]);
	for (size_t i = 0; i < OLDER; i++)
		if (words_have(&set->asked, older[i].now))
			accept(set, older[i].before);
	if (!gpu)
		return true;
	accept(set, STR(""));
	/* cann needs the flows. */
	if (words_have(&set->asked, STR("kernel")) || words_have(&set->asked, STR("gpu_memcpy")))
		accept(set, ASCEND_LAUNCH);
	/* A call is of a process with operators; an operator may be the mark of a step. */
	if (words_have(&set->asked, STR("privateuse1_runtime")) ||
	    words_have(&set->asked, annotation)) {
		accept(set, STR("cpu_op"));
		accept(set, STR("Operator"));
	}
	return true;
}

void category_set_free(struct category_set *set)
{
	words_free(&set->asked);
	free(set->accepted);
}

/* Today's name of a category. */
static struct str now_of(struct str cat)
{
	for (size_t i = 0; i < OLDER; i++)
		if (str_equal(cat, older[i].before))
			return older[i].now;
	return cat;
}

static bool is_asked(const struct words *asked, struct str cat)
{
	return words_have(asked, cat) || words_have(asked, now_of(cat));
}

/* Whether a word of a list, with commas and perhaps a space after them, is asked for. */
static bool has_asked(const struct words *asked, struct str cat)
{
	const char *comma;

	while ((comma = memchr(cat.s, ',', cat.n))) {
		size_t n = (size_t)(comma - cat.s);

		if (is_asked(asked, (struct str){cat.s, n}))
			return true;
		cat = (struct str){comma + 1, cat.n - n - 1};
		if (cat.n && *cat.s == ' ')
			cat = (struct str){cat.s + 1, cat.n - 1};
	}
	return is_asked(asked, cat);
}

/* Marks of steps are operators in Kineto up to 1.11 and in torch_npu. */
static bool is_step(const struct category_event *event)
{
	return str_starts(event->name, STR("ProfilerStep#")) &&
	       (str_equal(event->cat, STR("cpu_op")) || str_equal(event->cat, STR("Operator")));
}

bool category_find(const struct category_set *set, const struct category_event *event,
                   struct str *shown)
{
	*shown = event->cat;
	if (set->asked.count == 0)
		return true;
	if (category_of_ascend(set, event))
		*shown = ascend_category(event->name, event->task_type, event->level);
	else if (set->gpu && is_step(event))
		*shown = annotation;
	if (words_have(&set->asked, *shown))
		return true;
	*shown = now_of(*shown);
	return has_asked(&set->asked, *shown);
}

/* --- how many events of each category a trace has ------------------------------ */

void category_count(struct category_counts *counts, struct str cat)
{
	size_t number = strmap_find(&counts->names, cat);

	if (number == STRMAP_NONE && counts->names.count == CATEGORY_NAMES) {
		counts->others++;
		return;
	}
	if (number == STRMAP_NONE)
		number = strmap_add(&counts->names, cat, NULL);
	counts->count[number]++;
}

/* The most frequent category, of equally frequent ones the first; STRMAP_NONE if all are taken. */
static size_t most_frequent(const struct category_counts *counts, const bool *taken)
{
	size_t best = STRMAP_NONE;

	for (size_t i = 0; i < counts->names.count; i++)
		if (!taken[i] && (best == STRMAP_NONE || counts->count[i] > counts->count[best]))
			best = i;
	return best;
}

/* As -c takes it: one with a comma is quoted. */
static void put_name(struct buf *out, struct str name)
{
	const char *quote = str_has_byte(name, ',') ? "'" : "";

	buf_text(out, quote);
	plaintext_put(out, name.n ? name : STR("no category"));
	buf_text(out, quote);
}

void category_list(const struct category_counts *counts, struct buf *out)
{
	bool taken[CATEGORY_NAMES] = {false};
	size_t more = counts->names.count > SHOWN ? counts->names.count - SHOWN : 0;

	for (size_t shown = 0; shown < SHOWN && shown < counts->names.count; shown++) {
		size_t number = most_frequent(counts, taken);
		struct str name = strmap_key(&counts->names, number);

		taken[number] = true;
		buf_text(out, shown ? ", " : "");
		put_name(out, name);
		buf_format(out, " %llu", (unsigned long long)counts->count[number]);
	}
	if (more || counts->others)
		buf_format(out, " and %s%zu more", counts->others ? "over " : "", more);
}

void category_counts_free(struct category_counts *counts)
{
	strmap_free(&counts->names);
}
