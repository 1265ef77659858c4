/*
 * xplane - a plane of an XSpace: its lines, the names that its events refer to, and the statistics
 * that become columns.
 *
 * Names and statistics may stand after the lines that need them, so a plane is read twice: first
 * all but the events. Texts are borrowed from the bytes of the plane. Memory: 32 bytes for each
 * metadata of events and 24 for each of statistics, an index of both (idindex.h), 16 for each
 * statistic of metadata that becomes a column, and 72 for each line.
 */
#ifndef XPLANE_H
#define XPLANE_H

#include "idindex.h"
#include "wire.h"

/* What a statistic is for. */
enum xplane_role {
	XPLANE_NO_ROLE,
	XPLANE_MEMCPY,
	XPLANE_MEMSET,
	XPLANE_MEMORY, /* an allocation, or what is allocated: no work of the device */
	XPLANE_STEP_NUM,
	XPLANE_CORRELATION,
	XPLANE_NAME,
	XPLANE_TF_OP,
	XPLANE_HLO_OP,
	XPLANE_HLO_MODULE,
	XPLANE_HLO_CATEGORY,
	XPLANE_FLOPS,
	XPLANE_BYTES_ACCESSED,
	XPLANE_START_TIME, /* when the profile began */
	XPLANE_ROLES
};

enum xplane_value_kind {
	XPLANE_NO_VALUE,
	XPLANE_UNSIGNED,
	XPLANE_SIGNED,
	XPLANE_DOUBLE,
	XPLANE_TEXT
};

/* A value of a statistic. */
struct xplane_value {
	uint8_t role; /* enum xplane_role */
	uint8_t kind; /* enum xplane_value_kind */
	uint32_t n;   /* bytes of a text */
	union {
		uint64_t number; /* the bits of any number */
		const char *text;
	};
};

/* Metadata of events. Places are in the bytes of the plane. */
struct xplane_metadata {
	int64_t id;
	uint32_t at; /* the message */
	uint32_t n;
	uint32_t name_at;
	uint32_t name_n;
	uint32_t first_value; /* in xplane.values: one for each role */
	uint32_t roles;       /* a bit for each role with a value */
};

/* Metadata of statistics. */
struct xplane_stat {
	int64_t id;
	uint32_t name_at;
	uint32_t name_n;
	uint32_t role;
};

struct xplane_line {
	struct str bytes;
	int64_t id;
	int64_t timestamp_ns;
	struct str name;
	struct str display_name;
};

struct xplane_event {
	int64_t metadata_id;
	int64_t offset_ps; /* from the timestamp of the line */
	int64_t dur_ps;
	uint32_t has;   /* a bit for each role with a value */
	bool aggregate; /* a number of occurrences, without a time */
	struct xplane_value value[XPLANE_ROLES];
};

enum { XPLANE_SMALL_IDS = 256 };

/* Starts as {0}. */
struct xplane {
	struct str bytes;
	int64_t id;
	struct str name;
	struct xplane_line *lines;
	size_t lines_count;
	size_t lines_cap;
	struct xplane_metadata *metadata;
	size_t metadata_count;
	size_t metadata_cap;
	struct xplane_stat *stats;
	size_t stats_count;
	size_t stats_cap;
	struct xplane_value *values; /* statistics of the metadata */
	size_t values_count;
	size_t values_cap;
	struct idindex metadata_index;
	struct idindex stats_index;
	uint8_t small_roles[XPLANE_SMALL_IDS]; /* roles of statistics with small ids, for speed */
	struct xplane_value own[XPLANE_ROLES]; /* statistics of the plane itself */
	const char *error;                     /* the damage; NULL: none */
	const char *error_at;                  /* the place of the damage */
};

/* Reads all but the events. False, with error set, if the bytes are damaged. */
bool xplane_read(struct xplane *plane, struct str bytes);

/*
 * The next event of a line, which `wire` reads. > 0: an event; 0: the end; < 0: damage, see error.
 * Statistics of the event stand before those of its metadata.
 */
int xplane_next(struct xplane *plane, struct wire *wire, struct xplane_event *event);

/*
 * As xplane_next, but without times and the values of statistics, and with the roles of the event's
 * metadata: enough to tell what the event is, in a part of the time.
 */
int xplane_skim(struct xplane *plane, struct wire *wire, struct xplane_event *event);

/* Adds the statistics of the event's metadata to those of the event. Returns its metadata, or NULL.
 */
const struct xplane_metadata *xplane_complete(const struct xplane *plane,
                                              struct xplane_event *event);

/* The name of the metadata; empty if it has none. */
struct str xplane_name(const struct xplane *plane, const struct xplane_metadata *metadata);

void xplane_free(struct xplane *plane);

#endif
