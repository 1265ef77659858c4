#include "trace/step.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const step_phases[STEP_PHASES] = {"decode", "prefill", "mixed", ""};

/* --- an annotation's name -------------------------------------------------- */

/* Takes text from the front of *rest; false, and nothing taken, if *rest begins otherwise. */
static bool take(struct str *rest, struct str text)
{
	if (!str_starts(*rest, text))
		return false;
	rest->s += text.n;
	rest->n -= text.n;
	return true;
}

static bool take_number(struct str *rest, uint64_t *number)
{
	size_t i = 0;

	*number = 0;
	for (; i < rest->n && rest->s[i] >= '0' && rest->s[i] <= '9'; i++) {
		uint64_t digit = (uint64_t)(rest->s[i] - '0');

		*number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
	}
	rest->s += i;
	rest->n -= i;
	return i > 0;
}

/* "C(T)" or "C(sqT...)". */
static bool take_requests(struct str *rest, uint64_t *requests, uint64_t *tokens)
{
	const char *close;

	if (!take_number(rest, requests) || !take(rest, STR("(")))
		return false;
	take(rest, STR("sq"));
	if (!take_number(rest, tokens))
		return false;
	close = memchr(rest->s, ')', rest->n);
	if (!close)
		return false;
	rest->n -= (size_t)(close + 1 - rest->s);
	rest->s = close + 1;
	return true;
}

/* A number that is too large for take_number is unknown. */
static struct step_tokens tokens_of(uint64_t count)
{
	return (struct step_tokens){count != UINT64_MAX, count};
}

static struct step_tokens sum_of(uint64_t a, uint64_t b)
{
	return tokens_of(a > UINT64_MAX - b ? UINT64_MAX : a + b);
}

/* After "execute_". */
static bool parse_execute(struct str rest, struct step_form *form)
{
	uint64_t requests;
	uint64_t number;
	uint64_t tokens;
	bool total;

	if (take(&rest, STR("new_"))) {
		if (!take_number(&rest, &requests) || !take(&rest, STR("_cached_")) ||
		    !take_number(&rest, &number))
			return false;
		/* These are requests, not tokens; the length of the prompts is unknown. */
		*form = (struct step_form){
			.context = requests > 0, .generation = number > 0, .size = sum_of(requests, number)};
		return true;
	}
	total = take_number(&rest, &tokens);
	if (total && !take(&rest, STR("_")))
		return false;
	if (!take(&rest, STR("context_")) || !take_requests(&rest, &requests, &form->tokens))
		return false;
	form->counted = true;
	form->context = requests || form->tokens;
	form->ctx = tokens_of(form->tokens);
	form->gen = tokens_of(0);
	number = 0;
	if (take(&rest, STR("_generation_"))) {
		if (!take_requests(&rest, &requests, &number))
			return false;
		form->generation = requests > 0;
		form->gen = tokens_of(number);
	}
	form->size = total ? tokens_of(tokens) : sum_of(form->tokens, number);
	return true;
}

/* SGLang's modes of a forward pass; the content of any other is unknown. */
static const struct mode {
	struct str name;
	bool context;
	bool generation;
} modes[] = {
	{{"EXTEND", 6}, true, false},        {{"SPLIT_PREFILL", 13}, true, false},
	{{"PREFILL", 7}, true, false},       {{"DLLM_EXTEND", 11}, true, false},
	{{"MIXED", 5}, true, true},          {{"DECODE", 6}, false, true},
	{{"VERIFY", 6}, false, true},        {{"TARGET_VERIFY", 13}, false, true},
	{{"DRAFT_EXTEND", 12}, false, true}, {{"DRAFT_EXTEND_V2", 15}, false, true},
};

/* Whether word is mode, in any case of letters. */
static bool same_letters(struct str word, struct str mode)
{
	for (size_t i = 0; i < word.n && i < mode.n; i++)
		if ((word.s[i] >= 'a' && word.s[i] <= 'z' ? word.s[i] - 'a' + 'A' : word.s[i]) != mode.s[i])
			return false;
	return word.n == mode.n;
}

/* Takes the next word of *rest, up to a space; false after the last. */
static bool take_word(struct str *rest, struct str *word)
{
	const char *space;

	while (take(rest, STR(" ")))
		;
	space = rest->n ? memchr(rest->s, ' ', rest->n) : NULL;
	*word = (struct str){rest->s, space ? (size_t)(space - rest->s) : rest->n};
	rest->s += word->n;
	rest->n -= word->n;
	return word->n > 0;
}

/* The numbers of a step of SGLang; a number that the name lacks is UINT64_MAX. */
struct step_numbers {
	uint64_t toks; /* tokens of the whole step */
	uint64_t c_sq; /* tokens of prompts */
	uint64_t g_sq; /* tokens of requests that generate */
	uint64_t g;    /* these requests */
	uint64_t bs;   /* requests */
};

/*
 * The tokens of a step of SGLang. In the mode DECODE each request generates one token; in a mixed
 * step those with one token are the g. Modes of speculative decoding have several tokens each.
 */
static void count_tokens(struct step_form *form, const struct step_numbers *n, bool one_each)
{
	uint64_t ctx = n->c_sq;
	uint64_t gen = UINT64_MAX;

	if (!form->context && !form->generation)
		return;
	if (!form->context)
		ctx = 0;
	else if (ctx == UINT64_MAX && !form->generation)
		ctx = n->toks;
	else if (ctx == UINT64_MAX && n->toks != UINT64_MAX && n->g_sq <= n->toks)
		ctx = n->toks - n->g_sq;
	if (!form->generation)
		gen = 0;
	else if (n->g_sq != UINT64_MAX)
		gen = n->g_sq;
	else if (n->toks != UINT64_MAX && ctx <= n->toks)
		gen = n->toks - ctx;
	else if (n->toks == UINT64_MAX)
		gen = form->context ? n->g : one_each ? n->bs : UINT64_MAX;
	form->ctx = tokens_of(ctx);
	form->gen = tokens_of(gen);
}

/* After "step[": a mode, then key=number. */
static bool parse_step(struct str rest, struct step_form *form)
{
	const char *close = rest.n ? memchr(rest.s, ']', rest.n) : NULL;
	struct step_numbers numbers = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	bool toks = false;
	bool one_each;
	struct str word;

	if (!close)
		return false;
	rest.n = (size_t)(close - rest.s);
	if (!take_word(&rest, &word))
		return false;
	one_each = same_letters(word, STR("DECODE"));
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (same_letters(word, modes[i].name))
			*form =
				(struct step_form){.context = modes[i].context, .generation = modes[i].generation};
	while (take_word(&rest, &word)) {
		uint64_t number;

		/* toks counts the whole step, c_sq the prompts in it; c and g count requests. */
		if (take(&word, STR("toks=")) && take_number(&word, &number)) {
			toks = true;
			numbers.toks = number;
			if (!form->counted)
				form->tokens = number;
		} else if (take(&word, STR("c_sq=")) && take_number(&word, &number)) {
			form->counted = true;
			form->tokens = numbers.c_sq = number;
		} else if (take(&word, STR("g_sq=")) && take_number(&word, &number)) {
			numbers.g_sq = number;
		} else if (take(&word, STR("bs=")) && take_number(&word, &number)) {
			numbers.bs = number;
		} else if (take(&word, STR("c=")) && take_number(&word, &number)) {
			form->context = number > 0;
		} else if (take(&word, STR("g=")) && take_number(&word, &number)) {
			form->generation = number > 0;
			numbers.g = number;
		}
	}
	form->counted |= toks;
	form->size = tokens_of(numbers.bs);
	count_tokens(form, &numbers, one_each);
	return true;
}

bool step_parse(struct str name, struct step_form *form)
{
	uint64_t number;

	*form = (struct step_form){0};
	if (take(&name, STR("execute_")))
		return parse_execute(name, form);
	if (take(&name, STR("step[")))
		return parse_step(name, form);
	return take(&name, STR("ProfilerStep#")) && take_number(&name, &number);
}

/* Takes a word of lower case from the front of *rest, in any case of letters. */
static bool take_any_case(struct str *rest, struct str word)
{
	if (rest->n < word.n || !str_has_any_case((struct str){rest->s, word.n}, word))
		return false;
	rest->s += word.n;
	rest->n -= word.n;
	return true;
}

/* Takes at most `most` bytes of a set. */
static void take_any(struct str *rest, const char *set, size_t most)
{
	for (; most && rest->n && rest->s[0] && strchr(set, rest->s[0]); most--) {
		rest->s++;
		rest->n--;
	}
}

bool step_is_numbered(struct str name)
{
	/* A word that another begins with stands after it. */
	static const struct str words[] = {{"iteration", 9}, {"iter", 4}, {"step", 4}, {"batch", 5}};
	uint64_t number;

	if (take_any_case(&name, STR("training")) || take_any_case(&name, STR("train")))
		take_any(&name, " _-", 1);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (!take_any_case(&name, words[i]))
			continue;
		take_any(&name, " _:#=-", name.n);
		return take_number(&name, &number) && name.n == 0;
	}
	return false;
}

enum step_phase step_phase(const struct step_form *form, uint64_t prefill_tokens, bool mixed)
{
	if (!form->context)
		return form->generation ? STEP_DECODE : STEP_NO_PHASE;
	if (form->generation)
		return mixed ? STEP_MIXED : STEP_DECODE;
	return !form->counted || form->tokens >= prefill_tokens ? STEP_PREFILL : STEP_DECODE;
}

/* --- the steps of a trace -------------------------------------------------- */

struct step_annotation {
	struct dec start;
	struct dec end;
	struct step_form form;
	struct step_place place;
	size_t name;                    /* the name without an id, in names */
	size_t name_and_id;             /* the name with its id, in names */
	bool copy;                      /* copies an annotation on the host */
	bool copied;                    /* on the host: a copy has its name and id */
	struct step_annotation *leader; /* the first of annotations that overlap, on the device only */
	struct step_annotation *holder; /* the smallest annotation on its thread that it lies within */
	uint32_t held;                  /* the number of annotations that it holds */
	uint32_t same;                  /* another annotation of this step, or itself */
	uint32_t step;
};

bool steps_add(struct steps *steps, struct step_place place, struct dec start, struct dec dur,
               struct str name, struct str id, const struct step_form *form)
{
	uint32_t number = (uint32_t)steps->annotations_count;
	struct dec end = start;
	struct buf *key = &steps->key;

	if (!timeline_add(place.device ? &steps->device : &steps->host, place.thread, start, dur,
	                  number))
		return false;
	if (dur.nano <= 0)
		return true; /* no kernel can be in it */
	if (place.device)
		timeline_add(&steps->devices, place.process, start, dur, number); /* fits, as above */
	dec_add(&end, dur);
	steps->annotations = mem_grow(steps->annotations, &steps->annotations_cap, number + 1,
	                              sizeof *steps->annotations);
	key->len = 0;
	buf_char(key, '\t');
	buf_str(key, name);
	steps->annotations[number] =
		(struct step_annotation){.start = start,
	                             .end = end,
	                             .form = *form,
	                             .place = place,
	                             .name = strmap_add(&steps->names, buf_view(key), NULL),
	                             .same = number};
	key->len = 0;
	buf_str(key, id);
	buf_char(key, '\t');
	buf_str(key, name);
	steps->annotations[number].name_and_id = strmap_add(&steps->names, buf_view(key), NULL);
	steps->annotations_count++;
	return true;
}

/* The annotation that represents its step. */
static uint32_t first_of(struct steps *steps, uint32_t number)
{
	struct step_annotation *all = steps->annotations;

	while (all[number].same != number) {
		all[number].same = all[all[number].same].same;
		number = all[number].same;
	}
	return number;
}

static void join(struct steps *steps, const struct step_annotation *a,
                 const struct step_annotation *b)
{
	uint32_t first = first_of(steps, (uint32_t)(a - steps->annotations));
	uint32_t second = first_of(steps, (uint32_t)(b - steps->annotations));

	/* The earlier row represents both, so that equal starts have one order. */
	if (first < second)
		steps->annotations[second].same = first;
	else
		steps->annotations[first].same = second;
}

/*
 * By start; at equal starts the host first, so that a copy comes after its original, and then the
 * longer annotation, so that it comes before the annotations that it holds.
 */
static int compare_starts(const void *a, const void *b)
{
	const struct step_annotation *x = *(const struct step_annotation *const *)a;
	const struct step_annotation *y = *(const struct step_annotation *const *)b;
	int order = dec_compare(x->start, y->start);

	if (order == 0)
		order = x->place.device - y->place.device;
	if (order == 0)
		order = dec_compare(y->end, x->end);
	return order ? order : (x > y) - (x < y);
}

typedef size_t grouping(const struct steps *steps, const struct step_annotation *a);

static size_t name_of(const struct steps *steps, const struct step_annotation *a)
{
	(void)steps;
	return a->name;
}

static size_t name_and_id_of(const struct steps *steps, const struct step_annotation *a)
{
	(void)steps;
	return a->name_and_id;
}

/* The threads of the host come first. */
static size_t track_of(const struct steps *steps, const struct step_annotation *a)
{
	return a->place.device ? steps->host.count + a->place.thread : a->place.thread;
}

/*
 * Orders the annotations of `from` by a number below `numbers`; annotations of one number keep
 * their order.
 */
static void group(const struct steps *steps, struct step_annotation *const *from,
                  grouping *number_of, size_t numbers, struct step_annotation **to)
{
	size_t count = steps->annotations_count;
	size_t *at =
		mem_zero(numbers + 1, sizeof *at); /* place of the next annotation of each number */

	for (size_t i = 0; i < count; i++)
		at[number_of(steps, from[i]) + 1]++;
	for (size_t i = 1; i < numbers; i++)
		at[i] += at[i - 1];
	for (size_t i = 0; i < count; i++)
		to[at[number_of(steps, from[i])]++] = from[i];
	free(at);
}

/*
 * Annotations of one name and id, by their start. An annotation on the device is a copy of the last
 * annotation on the host that began before it: ids should tell steps apart, and if they do not,
 * time does. Without annotations on the host, annotations that overlap, on two streams, belong to
 * one step.
 */
static void join_copies(struct steps *steps, struct step_annotation **alike, size_t count)
{
	struct step_annotation *host = NULL;
	struct step_annotation *before = NULL;
	struct dec open = {0};

	for (size_t i = count; i--;)
		if (!alike[i]->place.device)
			host = alike[i];
	for (size_t i = 0; i < count; i++) {
		struct step_annotation *a = alike[i];

		if (!a->place.device) {
			host = a;
		} else if (host) {
			a->copy = true;
			host->copied = true;
			join(steps, host, a);
		} else {
			if (before && dec_compare(a->start, open) < 0) {
				join(steps, before, a);
				a->leader = before->leader ? before->leader : before;
			}
			if (!before || dec_compare(a->end, open) > 0)
				open = a->end;
			before = a;
		}
	}
}

/*
 * Annotations of one name, by their start. If no annotation on the host has the id of an annotation
 * on the device, the latter is a copy of the last annotation before it that has no copy of its own
 * id: some runtimes give a copy no id.
 */
static void join_strangers(struct steps *steps, struct step_annotation **alike, size_t count)
{
	struct step_annotation *host = NULL;

	for (size_t i = 0; i < count; i++) {
		struct step_annotation *a = alike[i];

		if (!a->place.device) {
			host = a->copied ? host : a;
		} else if (a->leader) {
			a->copy |= a->leader->copy;
		} else if (host && !a->copy) {
			a->copy = true;
			join(steps, host, a);
		}
	}
}

/*
 * An annotation around exactly one other annotation is one step with it. An annotation around
 * several, as a ProfilerStep can be, is a step of its own. Copies follow their originals.
 */
static void join_nested(struct steps *steps, struct step_annotation **sorted)
{
	size_t count = steps->annotations_count;
	struct step_annotation **open =
		mem_alloc(count, sizeof(void *)); /* each within the one before */
	size_t depth = 0;

	for (size_t i = 0; i < count; i++) {
		struct step_annotation *a = sorted[i];

		if (a->copy)
			continue;
		while (depth && (open[depth - 1]->place.device != a->place.device ||
		                 open[depth - 1]->place.thread != a->place.thread ||
		                 dec_compare(open[depth - 1]->end, a->end) < 0))
			depth--;
		if (depth) {
			a->holder = open[depth - 1];
			a->holder->held++;
		}
		open[depth++] = a;
	}
	free(open);
	for (size_t i = 0; i < count; i++)
		if (sorted[i]->holder && sorted[i]->holder->held == 1)
			join(steps, sorted[i]->holder, sorted[i]);
}

/* How specific a form is: 0 nothing, 1 the kind of the step, 2 everything that matters. */
static int worth(const struct step_form *form)
{
	if (form->counted || (form->generation && !form->context))
		return 2;
	return form->context || form->generation;
}

/* A step that has no number yet. */
struct candidate {
	uint32_t first;                         /* the annotation that represents the step */
	const struct step_annotation *specific; /* the most specific annotation */
	const struct step_annotation *from;     /* the first annotation */
	bool on_device;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;
	int order = dec_compare(x->from->start, y->from->start);

	return order ? order : (x->first > y->first) - (x->first < y->first);
}

/* Whether a is more specific than b; of equally specific annotations, the one within the other. */
static bool more_specific(const struct step_annotation *a, const struct step_annotation *b)
{
	int order = worth(&a->form) - worth(&b->form);

	if (order == 0)
		order = dec_compare(a->start, b->start);
	if (order == 0)
		order = dec_compare(b->end, a->end);
	return order > 0 || (order == 0 && a > b);
}

/* Adds an annotation. Those on the host come first; if there are any, only they count. */
static void add_annotation(struct candidate *candidate, const struct step_annotation *a)
{
	candidate->on_device |= a->place.device;
	if (a->place.device != candidate->from->place.device)
		return;
	if (more_specific(a, candidate->specific))
		candidate->specific = a;
	if (dec_compare(a->start, candidate->from->start) < 0)
		candidate->from = a;
}

static void number_steps(struct steps *steps, struct step_annotation **sorted)
{
	struct candidate *candidates = mem_alloc(steps->annotations_count, sizeof *candidates);

	for (uint32_t i = 0; i < steps->annotations_count; i++)
		steps->annotations[i].step = STEP_NONE;
	for (size_t i = 0; i < steps->annotations_count; i++) {
		const struct step_annotation *a = sorted[i];
		uint32_t first = first_of(steps, (uint32_t)(a - steps->annotations));
		uint32_t *number = &steps->annotations[first].step;

		if (*number == STEP_NONE) {
			*number = (uint32_t)steps->count++;
			candidates[*number] = (struct candidate){first, a, a, a->place.device};
		} else {
			add_annotation(&candidates[*number], a);
		}
	}
	qsort(candidates, steps->count, sizeof *candidates, compare_candidates);
	steps->step = mem_alloc(steps->count, sizeof *steps->step);
	for (uint32_t i = 0; i < steps->count; i++) {
		const struct candidate *c = &candidates[i];

		steps->step[i] =
			(struct step){c->specific->name, c->specific->form, c->from->start, c->on_device};
		steps->annotations[c->first].step = i;
	}
	free(candidates);
	for (uint32_t i = 0; i < steps->annotations_count; i++)
		steps->annotations[i].step = steps->annotations[first_of(steps, i)].step;
}

/* --- the steps that are open on the threads of a process ------------------------ */

/* A step begins or ends to count on one thread. */
struct edge {
	struct dec time;
	size_t process;
	uint32_t step;
	bool begins;
};

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a;
	const struct edge *y = b;
	int order = (x->process > y->process) - (x->process < y->process);

	return order ? order : dec_compare(x->time, y->time);
}

/* The edges of all threads, by process and time. */
static struct edge *find_edges(const struct steps *steps, size_t *count)
{
	struct edge *edges = NULL;
	size_t cap = 0;

	*count = 0;
	for (size_t track = 0; track < steps->host.count; track++) {
		uint32_t before = TIMELINE_NONE;
		struct dec time;
		uint32_t open;

		for (size_t i = 0; timeline_stretch(&steps->host, track, i, &time, &open); i++) {
			const struct step_annotation *a =
				&steps->annotations[before != TIMELINE_NONE ? before : open];

			edges = mem_grow(edges, &cap, *count + 2, sizeof *edges);
			if (before != TIMELINE_NONE)
				edges[(*count)++] = (struct edge){time, a->place.process, a->step, false};
			if (open != TIMELINE_NONE)
				edges[(*count)++] =
					(struct edge){time, a->place.process, steps->annotations[open].step, true};
			before = open;
		}
	}
	if (*count)
		qsort(edges, *count, sizeof *edges, compare_edges);
	return edges;
}

static void build_processes(struct steps *steps)
{
	size_t count;
	struct edge *edges = find_edges(steps, &count);
	uint32_t *threads = mem_zero(steps->count, sizeof *threads); /* by step: that are in it */
	uint64_t open = 0;                                           /* steps with a thread */
	uint64_t sum =
		0; /* the sum of the numbers of these steps, which is the number of a single step */

	for (size_t i = 0; i < count; i++) {
		uint32_t step = edges[i].step;
		struct dec dur;

		if (edges[i].begins && threads[step]++ == 0) {
			open++;
			sum += step;
		} else if (!edges[i].begins && --threads[step] == 0) {
			open--;
			sum -= step;
		}
		if (open == 0)
			continue;
		/* No span is open after the last edge of a process. */
		dur = edges[i + 1].time;
		dec_subtract(&dur, edges[i].time);
		timeline_add(&steps->processes, edges[i].process, edges[i].time, dur,
		             open == 1 ? (uint32_t)sum : STEP_SEVERAL);
	}
	timeline_build(&steps->processes);
	free(threads);
	free(edges);
}

void steps_build(struct steps *steps)
{
	size_t count = steps->annotations_count;
	struct step_annotation **sorted = mem_alloc(count, sizeof(void *)); /* by start */
	struct step_annotation **groups = mem_alloc(count, sizeof(void *));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &steps->annotations[i];
	qsort(sorted, count, sizeof(void *), compare_starts);
	group(steps, sorted, name_and_id_of, steps->names.count, groups);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && groups[end]->name_and_id == groups[i]->name_and_id;)
			end++;
		join_copies(steps, groups + i, end - i);
	}
	group(steps, sorted, name_of, steps->names.count, groups);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && groups[end]->name == groups[i]->name;)
			end++;
		join_strangers(steps, groups + i, end - i);
	}
	group(steps, sorted, track_of, steps->host.count + steps->device.count, groups);
	join_nested(steps, groups);
	number_steps(steps, groups);
	free(sorted);
	free(groups);
	timeline_build(&steps->host);
	timeline_build(&steps->device);
	timeline_build(&steps->devices);
	build_processes(steps);
}

static uint32_t step_of(const struct steps *steps, uint32_t annotation)
{
	return annotation == TIMELINE_NONE ? STEP_NONE : steps->annotations[annotation].step;
}

uint32_t steps_on_thread(const struct steps *steps, size_t thread, struct dec time)
{
	return step_of(steps, timeline_at(&steps->host, thread, time));
}

uint32_t steps_on_host(const struct steps *steps, struct dec time)
{
	return step_of(steps, timeline_any(&steps->host, time));
}

uint32_t steps_in_process(const struct steps *steps, size_t process, struct dec time)
{
	return timeline_at(&steps->processes, process, time);
}

uint32_t steps_on_device(const struct steps *steps, size_t stream, size_t process, struct dec time)
{
	uint32_t annotation = timeline_at(&steps->device, stream, time);

	if (annotation == TIMELINE_NONE)
		annotation = timeline_near(&steps->devices, process, time);
	return step_of(steps, annotation);
}

uint32_t steps_annotated(const struct steps *steps, size_t annotation)
{
	return steps->annotations[annotation].step;
}

struct str steps_name(const struct steps *steps, uint32_t step)
{
	struct str key = strmap_key(&steps->names, steps->step[step].name);

	return (struct str){key.s + 1, key.n - 1}; /* after the tab */
}

void steps_free(struct steps *steps)
{
	free(steps->step);
	free(steps->annotations);
	timeline_free(&steps->host);
	timeline_free(&steps->device);
	timeline_free(&steps->devices);
	timeline_free(&steps->processes);
	strmap_free(&steps->names);
	buf_free(&steps->key);
	*steps = (struct steps){0};
}
