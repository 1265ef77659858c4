/*
 * split - count the events of a trace by finding where each one ends.
 *
 *   $ split trace.json
 *   3800001
 *
 * What trace2tsv does before it looks into an event, and nothing else: its window on its input, and
 * its scan. No way of reading events that finds their ends so can be quicker. Memory: constant.
 */
#include "base/die.h"
#include "base/mem.h"
#include "base/opt.h"
#include "io/input.h"
#include "json/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW_SIZE = 512 << 10 }; /* as json.c has it */

struct window {
	struct input in;
	struct scan scan;
	char *text;
	size_t at;
	size_t end;
	bool exhausted;
};

/* Drops what stands before the cursor and reads on; false at the end. */
static bool refill(struct window *w)
{
	ssize_t got;

	memmove(w->text, w->text + w->at, w->end - w->at);
	scan_moved(&w->scan, w->at);
	w->end -= w->at;
	w->at = 0;
	if (w->end == WINDOW_SIZE)
		die("%s: an event of over %d bytes", w->in.name, WINDOW_SIZE);
	got = input_read(&w->in, w->text + w->end, WINDOW_SIZE - w->end);
	if (got < 0)
		die("%s: %s", w->in.name, w->in.error);
	w->end += (size_t)got;
	w->exhausted = got == 0;
	if (w->exhausted)
		memset(w->text + w->end, ' ', SCAN_BLOCK);
	return !w->exhausted;
}

/* To the first event; what stands before it must fit into the window. */
static void find_events(struct window *w)
{
	const char *name;

	while (w->end < WINDOW_SIZE && refill(w))
		;
	w->text[w->end] = '\0';
	name = strstr(w->text, "\"traceEvents\"");
	if (name)
		w->at = (size_t)(name - w->text) + strcspn(name, "[") + 1;
	if (!name || w->at > w->end)
		die("%s: its first %zu bytes have no traceEvents", w->in.name, w->end);
}

static bool is_between(char c)
{
	return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* To the { of the next event; false behind the last. */
static bool next_event(struct window *w)
{
	for (;; w->at++) {
		if (w->at == w->end && !refill(w))
			die("%s: the trace is cut off", w->in.name);
		if (!is_between(w->text[w->at]))
			return w->text[w->at] == '{';
	}
}

static void pass_event(struct window *w)
{
	size_t behind;

	while ((behind = scan_object(&w->scan, w->text, w->at,
	                             w->end + (w->exhausted ? SCAN_BLOCK : 0))) == 0) {
		if (w->exhausted)
			die("%s: the last event is cut off", w->in.name);
		refill(w);
	}
	w->at = behind;
}

static const struct opt_usage usage = {
	"FILE", "Counts the events of a trace in the object form, for benchmarks.", NULL, 0};

int main(int argc, char **argv)
{
	struct opts options;
	struct window w = {.at = 0};
	uint64_t events = 0;

	opts_init(&options, &usage, argc, argv);
	opts_next(&options);
	if (options.operands_count != 1)
		opts_fail("one file is wanted");
	if (!input_open(&w.in, options.operands[0]))
		die("%s: %s", options.operands[0], w.in.error);
	scan_init(&w.scan, NULL, 0);
	w.text = mem_alloc(WINDOW_SIZE + SCAN_BLOCK, 1);
	find_events(&w);
	for (; next_event(&w); events++)
		pass_event(&w);
	input_close(&w.in);
	free(w.text);
	printf("%" PRIu64 "\n", events);
	return STATUS_OK;
}
