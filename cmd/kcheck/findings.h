/*
 * findings - what is wrong with a trace: how often, on which stream, and the worst case.
 *
 * Events of one check, severity and stream are one finding. Memory: some 300 bytes for each
 * finding.
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "evidence.h"

/* In the order of the table. */
enum check {
	CHECK_OVERLAP,
	CHECK_IMPOSSIBLE,
	CHECK_BEFORE_LAUNCH,
	CHECK_UNLINKED,
	CHECK_ZERO,
	CHECK_TWICE,
	CHECK_GRAPH,
	CHECK_STEPS,
	CHECK_DOMINANT,
	CHECKS
};
extern const char *const check_names[CHECKS];

/* In the order of the table, too. */
enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE, SEVERITIES };
extern const char *const severity_names[SEVERITIES];

/* Something found: a time that is too long, too early, and so on. */
struct findings_event {
	enum check check;
	enum severity severity;
	uint32_t place;
	uint32_t name;
	struct dec ts;
	struct dec time;
};

struct finding {
	struct findings_event worst; /* the largest time, the first by ts, the smallest name */
	uint64_t events;
	struct dec time;  /* their sum */
	struct buf order; /* set by findings_sort */
};

/* Starts as {0}. */
struct findings {
	struct strmap keys;
	struct finding *item;
	size_t count;
	size_t cap;
	uint64_t by[CHECKS][SEVERITIES]; /* events */
};

void findings_add(struct findings *findings, const struct evidence *evidence,
                  const struct findings_event *event);

/* By severity, check, file, pid and tid. No more is added after it. */
void findings_sort(struct findings *findings, const struct evidence *evidence);

/* After findings_sort; json as for sheet_begin. */
void findings_write(const struct findings *findings, const struct evidence *evidence,
                    struct kev_writer *out, enum form form, struct jsonw *json);

void findings_free(struct findings *findings);

#endif
