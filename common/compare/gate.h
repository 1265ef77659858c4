/*
 * gate - the argument of --fail-over: [COL:]LIMIT, such as 5%, 30us or mean:1.5ms.
 */
#ifndef GATE_H
#define GATE_H

#include "base/opt.h"
#include "compare/limit.h"

enum gate_kind {
	GATE_TIME,    /* value is in us: the stream must be, too */
	GATE_PERCENT, /* value is a percentage */
	GATE_NUMBER,  /* value has no unit: right for a count only, see gate_need_unit */
};

struct gate {
	const char *text;  /* the argument; NULL: there is no gate */
	struct str column; /* before the colon; empty without one */
	enum gate_kind kind;
	struct dec value; /* at least 0 */
};

/* Reads the option's argument. Ends the program, naming the option, if it is no limit. */
struct gate gate_read(const struct opts *opts);

/* Ends the program with a message that asks for a unit or a percent sign if the limit has none. */
void gate_need_unit(const struct gate *gate, const struct opts *opts);

/*
 * Adds a time or a percentage to a limit. All that are added must be exceeded: of two times or two
 * percentages the larger counts.
 */
void gate_raise(const struct gate *gate, struct limit *limit);

/* Ends the program if this is a second gate: `first` is the text of the gate before it, or NULL. */
void gate_need_one(const char *first, const struct opts *opts);

/*
 * The number of the gate's column in names; 0, the default, if the argument names none. Ends the
 * program, with a list of the names, if it is not one of them.
 */
size_t gate_column(const struct gate *gate, const struct opts *opts, const char *const *names,
                   size_t count);

#endif
