/*
 * rocprof - the JSON of rocprofv3 (--output-format json) as events of a trace: the items that json
 * gives for a Chrome trace (trace2tsv(1), rocprofv3).
 *
 * Records name their kernels, agents and calls by numbers. The tables for these stand before the
 * records. If they do not, the file is read twice more, first for the tables. If the kernels are
 * only in counter_collection, it is read once more, too. A pipe cannot be.
 *
 * Memory: the tables, with the names of kernels and operations and the messages of markers.
 */
#ifndef ROCPROF_H
#define ROCPROF_H

#include "json/json.h"

#include "device.h"
#include "records.h"
#include "rocproftables.h"
#include "wanted.h"

struct rocprof {
	struct json_value *value; /* as of json_reader; valid until the next call */
	uint64_t event;           /* number of the last event, from 1 */
	uint64_t offset;          /* offset of the record */
	uint64_t replaced;        /* lone surrogates and unknown escapes in strings */
	uint64_t unnamed;         /* rows whose name or agent has no entry in the tables */
	struct buf unread;        /* the first unknown list of records; empty: all are known */
	bool fatal;               /* as of json_reader */
	char error[JSONTEXT_ERROR];
	uint64_t count[ROCPROF_LISTS]; /* events of each list */
	/* Private to rocprof.c. */
	const struct wanted *wanted;
	struct records records;
	struct records_options options;
	const char **names;
	size_t *arg; /* by index in wanted->args: where the record has it */
	struct rocprof_tables *tables;
	size_t tables_count;
	size_t tables_cap;
	size_t group;                /* number of the process at hand, from 0 */
	bool in_group;               /* one has begun */
	bool begun[ROCPROF_LISTS];   /* lists of this process that have begun */
	bool hidden;                 /* damage in it may hide the beginning of the next one */
	bool only_tables;            /* this look is for the tables of all processes */
	bool known;                  /* an earlier look has read the tables */
	uint64_t damages;            /* damages in this look */
	uint64_t reported;           /* damages that were reported, the first of them */
	char broken[JSONTEXT_ERROR]; /* what ended an earlier look */
	bool events;                 /* a list of events was there, if empty */
	bool damaged;                /* something was skipped */
	bool rows;                   /* an event was given that is no metadata */
	bool counters;               /* this look is for the kernels in counter_collection */
	bool device;                 /* rocprof_device has something to write */
	bool device_told;
	struct strmap told; /* processes and the names that were given to them */
	struct buf properties;
	struct buf device_name;
	struct buf text;
	struct buf correlation;
	struct buf stream;
	struct buf name;
};

/* Whether a file with this head, no Chrome trace, is the JSON of rocprofv3. */
bool rocprof_is(struct str head);

/* Reads an open input, of which head was read already. wanted must outlive the reader. */
void rocprof_open(struct rocprof *rocprof, const struct input *in, struct str head,
                  const struct wanted *wanted);

/* The next item: as json_next. With JSON_MEMBER a device is known: rocprof_device writes it. */
enum json_item rocprof_next(struct rocprof *rocprof);

/* Writes ##platform, ##device and ##deviceProp of the first GPU. */
void rocprof_device(struct rocprof *rocprof, struct device *device, struct kev_writer *out);

/* The events of each category. */
void rocprof_categories(const struct rocprof *rocprof, struct category_counts *counts);

void rocprof_close(struct rocprof *rocprof);

#endif
