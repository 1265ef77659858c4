/*
 * choice - which captures stand for the launches of graphs of a trace, and what a row gets if
 * several are equally good.
 *
 * - For a run, sets with as many captures as the run has launches are compared first: the k-th
 *   capture with the k-th launch, and each match must count. The best set has the most matched
 *   rows, then the fewest calls.
 * - If there is no such set, or the run is in no step, each launch takes the best of all captures.
 * - If no capture matches, each place in the eager kernels of a REF with the launch's tokens in a
 *   row is a candidate. If there is no such place, the whole of each REF is matched.
 * - If candidates are tied and their sets have different sizes, those of the least size that is at
 *   least the step's stay. A column is then written only if all candidates match the row and agree.
 *
 * Launches with equal sequences of rows are matched once. Time: capmatch for each pair of distinct
 * sequences, and candidates times rows for each distinct tie. Memory: 4 bytes for each pair of
 * distinct sequences, and 12 for each row of a launch with distinct rows or candidates. These
 * products are bounded by CHOICE_STEPS and CHOICE_PLACES: from the launch on that exceeds them, in
 * order of steps and ts, the launches of the trace have no answer.
 */
#ifndef CHOICE_H
#define CHOICE_H

#include "capture.h"
#include "replay.h"

/* What a row of a launch gets. */
struct choice_row {
	uint32_t call; /* in captures; CAPTURE_NONE: no capture has it, or not all that are tied */
	uint32_t lost; /* in choices.lost: columns on which the candidates differ; 0: none */
	uint32_t op;   /* number of its operator's call in the answer, from 1; 0: none */
};

enum choice_source { CHOICE_NONE, CHOICE_CAPTURE, CHOICE_EAGER, CHOICE_LONG };

/*
 * Steps that all choices may take: CHOICE_STEPS, and CHOICE_STEPS_OF_ROW for each row of a launch.
 * Some nanoseconds each.
 */
#define CHOICE_STEPS ((uint64_t)1 << 31)
#define CHOICE_STEPS_OF_ROW ((uint64_t)1 << 12)

/* Places in the tables of pairs and the lists of candidates of a trace. */
#define CHOICE_PLACES ((uint64_t)1 << 25)

/* The answer for launches with the same rows and candidates. */
struct choice_answer {
	enum choice_source source; /* CHOICE_LONG: none, as it takes too many steps or places */
	uint32_t name; /* annotation, in captures.texts; 0: none, or the candidates differ */
	uint32_t operators;
	struct choice_row *row; /* NULL without a source */
};

/* The choices of one trace. Starts as {0}. */
struct choices {
	const struct captures *captures;
	const struct replays *replays;
	struct capmatch match;
	uint64_t steps;     /* so far, beside those of match */
	uint64_t steps_max; /* for those and these */
	uint64_t places;
	struct choice_sequence *sequence; /* by sequence of the launches */
	struct strmap runs;               /* the sequences of a run, as bytes */
	struct choice_list *sets;         /* the best sets of a run, by number in runs */
	size_t sets_cap;
	struct strmap answers; /* what an answer is for, as bytes */
	struct choice_answer *answer;
	size_t answers_cap;
	struct strmap lost;    /* a bit for each column, as bytes; number 0 has none */
	uint32_t *tokens;      /* room for the longest sequence, as the next two */
	uint32_t *map;         /* the call of each row */
	unsigned char *differ; /* bits as in lost, for each row */
	struct buf key;
};

/*
 * Sets the answer and op_base of each launch. *operators is the number of operators' calls given to
 * rows so far; those of each launch are added. *steps is what is left of CHOICE_STEPS: what the
 * rows allow is added, and what was taken subtracted.
 */
void choices_make(struct choices *choices, const struct captures *captures, struct replays *replays,
                  uint64_t *operators, uint64_t *steps);

/* Whether the candidates of a row differ in a column. */
bool choices_lost(const struct choices *choices, const struct choice_row *row, size_t column);

void choices_free(struct choices *choices);

#endif
