/*
 * collective - the collectives of an Ascend profile, which records each of them several times.
 *
 * hcomdedup(1) describes by which rule rows record one collective.
 */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "base/strmap.h"
#include "stream/kev.h"

/* The columns of a stream that the rule needs. */
struct collective_columns {
	int ts;
	int dur;
	int type;
	/* KEV_NONE if there is no such column: */
	int name;
	int cat;
	int pid;
	int file;
};

/* Finds them. If ts, dur or type is missing, returns false and records the error in in. */
bool collective_find(struct collective_columns *at, struct kev_reader *in);

/*
 * A row by its type; if the type is empty or N/A, by its cat and name, as torch_npu's
 * kernel_details.csv writes it.
 */
enum collective_kind {
	COLLECTIVE_KERNEL, /* any other kernel: it stands for itself */
	COLLECTIVE_RECORD, /* a record of a collective: hcom_allReduce_ and so on */
	COLLECTIVE_NO_TS,  /* a record without ts, so that its collective is unknown */
	COLLECTIVE_AICPU,  /* the shadow of a collective on the AI CPU: it counts nowhere */
};

struct collective {
	enum collective_kind kind;
	bool has_ts;
	/* A row without a type: */
	bool level0;    /* it has a core, as torch_npu writes all kernels at Level0 */
	bool kernel;    /* a kernel by its category, as all rows of level0 */
	bool host;      /* a row of the host or a mark, by its category */
	bool no_kernel; /* a row of the host, a mark or a copy */
	bool nccl;      /* a collective of NCCL or RCCL, by its name, which is recorded once */
	bool has_dur;   /* a record without dur is shorter than any other */
	struct dec ts;
	struct dec dur;
	uint64_t line; /* line of the stream */
	size_t group;  /* the caller's: what the record counts for */
};

/*
 * Reads the row at hand. Its type in in->field is then the one that counts: N/A is empty, and a
 * collective or a kernel without a type has the type that its name gives, if any. If its ts or dur
 * is not a number, records the error in in.
 */
void collective_read(struct collective *row, const struct collective_columns *at,
                     struct kev_reader *in);

/*
 * The key of the row at hand, a COLLECTIVE_RECORD: records of one collective have equal keys. Good
 * until key changes.
 */
struct str collective_key(const struct collective_columns *at, const struct kev_reader *in,
                          struct buf *key);

/* Whether a record replaces an earlier record of its collective. */
bool collective_is_longer(const struct collective *record, const struct collective *earlier);

/* The longest record of each collective. Starts as {0}; memory grows with the collectives. */
struct collectives {
	struct strmap keys;
	struct collective *kept; /* by number in keys: the first of the longest */
	size_t kept_cap;
};

/*
 * Adds a record. If its collective has a record, returns true and sets *dropped to the shorter of
 * both; if they are equally long, to the later.
 */
bool collectives_add(struct collectives *all, struct str key, const struct collective *record,
                     struct collective *dropped);

void collectives_free(struct collectives *all);

#endif
