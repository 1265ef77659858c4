#include "xplane.h"

#include "base/mem.h"

#include <stdlib.h>

/* Numbers of fields. */
enum { PLANE_ID = 1, PLANE_NAME, PLANE_LINES, PLANE_METADATA, PLANE_STAT_METADATA, PLANE_STATS };
enum { ENTRY_KEY = 1, ENTRY_VALUE };
enum { LINE_ID = 1, LINE_NAME, LINE_TIMESTAMP, LINE_EVENTS, LINE_DISPLAY_NAME = 11 };
enum { EVENT_METADATA = 1, EVENT_OFFSET, EVENT_DUR, EVENT_STATS, EVENT_OCCURRENCES };
enum {
	STAT_METADATA = 1,
	STAT_DOUBLE,
	STAT_UNSIGNED,
	STAT_SIGNED,
	STAT_TEXT,
	STAT_BYTES,
	STAT_REF
};
static const enum wire_type stat_types[] = {
	[STAT_METADATA] = WIRE_VARINT, [STAT_DOUBLE] = WIRE_EIGHT, [STAT_UNSIGNED] = WIRE_VARINT,
	[STAT_SIGNED] = WIRE_VARINT,   [STAT_TEXT] = WIRE_BYTES,   [STAT_BYTES] = WIRE_BYTES,
	[STAT_REF] = WIRE_VARINT};
enum { METADATA_NAME = 2, METADATA_DISPLAY_NAME = 4, METADATA_STATS };

/* Names of statistics, in any case of letters. */
static const struct {
	struct str name;
	enum xplane_role role;
} roles[] = {
	{{"memcpy_details", 14}, XPLANE_MEMCPY},
	{{"memset_details", 14}, XPLANE_MEMSET},
	{{"memalloc_details", 16}, XPLANE_MEMORY},
	{{"memfree_details", 15}, XPLANE_MEMORY},
	{{"memoryresidency_details", 23}, XPLANE_MEMORY},
	{{"step_num", 8}, XPLANE_STEP_NUM},
	{{"correlation_id", 14}, XPLANE_CORRELATION},
	{{"name", 4}, XPLANE_NAME},
	{{"tf_op", 5}, XPLANE_TF_OP},
	{{"hlo_op", 6}, XPLANE_HLO_OP},
	{{"hlo_module", 10}, XPLANE_HLO_MODULE},
	{{"hlo_category", 12}, XPLANE_HLO_CATEGORY},
	{{"flops", 5}, XPLANE_FLOPS},
	{{"bytes_accessed", 14}, XPLANE_BYTES_ACCESSED},
	{{"profile_start_time", 18}, XPLANE_START_TIME},
};

/* Always false. */
static bool fail(struct xplane *plane, const struct wire *wire)
{
	plane->error = wire->error;
	plane->error_at = wire->at;
	return false;
}

/* Reads a damaged message again, for its damage. Always false. */
static bool fail_message(struct xplane *plane, struct str message)
{
	struct wire wire = wire_of(message);
	struct wire_field field;

	while (wire_next(&wire, &field) > 0)
		;
	return fail(plane, &wire);
}

static struct str text_at(const struct xplane *plane, uint32_t at, uint32_t n)
{
	return (struct str){plane->bytes.s + at, n};
}

static uint32_t place_of(const struct xplane *plane, struct str text)
{
	return text.n ? (uint32_t)(text.s - plane->bytes.s) : 0;
}

/* --- statistics ------------------------------------------------------------- */

static struct xplane_value number(enum xplane_value_kind kind, uint64_t value)
{
	return (struct xplane_value){.kind = (uint8_t)kind, .number = value};
}

static struct xplane_value text_value(struct str text)
{
	return (struct xplane_value){
		.kind = XPLANE_TEXT, .n = (uint32_t)text.n, .text = text.n ? text.s : ""};
}

/* The name of a statistic is the value of those that refer to it; empty if the plane lacks it. */
static struct xplane_value referred(const struct xplane *plane, uint64_t id)
{
	uint32_t found = idindex_find(&plane->stats_index, (int64_t)id);

	if (found == IDINDEX_NONE)
		return text_value(STR(""));
	return text_value(text_at(plane, plane->stats[found].name_at, plane->stats[found].name_n));
}

/* The value that a statistic of a role has: of its last field with a value. */
static struct xplane_value value_of(const struct xplane *plane, unsigned kind, uint64_t value,
                                    struct str bytes)
{
	switch (kind) {
	case STAT_DOUBLE:
		return number(XPLANE_DOUBLE, value);
	case STAT_UNSIGNED:
		return number(XPLANE_UNSIGNED, value);
	case STAT_SIGNED:
		return number(XPLANE_SIGNED, value);
	case STAT_TEXT:
	case STAT_BYTES:
		return text_value(bytes);
	case STAT_REF:
		return referred(plane, value);
	default:
		return (struct xplane_value){0};
	}
}

/* The role of a statistic by the id of its metadata. */
static inline unsigned role_of_id(const struct xplane *plane, uint64_t id)
{
	uint32_t stat;

	if (id < XPLANE_SMALL_IDS)
		return plane->small_roles[id];
	stat = idindex_find(&plane->stats_index, (int64_t)id);
	return stat == IDINDEX_NONE ? (unsigned)XPLANE_NO_ROLE : plane->stats[stat].role;
}

/*
 * Reads a statistic; its role is XPLANE_NO_ROLE if it has no use or no value. False at damage. Most
 * statistics have no use, so only the last value of the fields is looked at, at the end.
 */
static bool read_stat(struct xplane *plane, struct str message, struct xplane_value *value)
{
	const char *at = message.s;
	const char *end = at + message.n;
	uint64_t id = 0;
	uint64_t bits = 0;
	struct str bytes = {0};
	unsigned kind = 0;
	unsigned role;

	value->role = XPLANE_NO_ROLE;
	while (at < end) {
		struct wire_field field;

		at = wire_step(at, end, &field);
		if (!at)
			return fail_message(plane, message);
		if (field.number > STAT_REF || field.type != stat_types[field.number])
			continue;
		if (field.number == STAT_METADATA) {
			id = field.value;
			continue;
		}
		kind = field.number;
		bits = field.value;
		if (field.type == WIRE_BYTES)
			bytes = field.bytes;
	}
	role = role_of_id(plane, id);
	if (role == XPLANE_NO_ROLE)
		return true;
	*value = value_of(plane, kind, bits, bytes);
	if (value->kind != XPLANE_NO_VALUE)
		value->role = (uint8_t)role;
	return true;
}

static uint32_t role_of(struct str name)
{
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (name.n == roles[i].name.n && str_has_any_case(name, roles[i].name))
			return roles[i].role;
	return XPLANE_NO_ROLE;
}

/* --- metadata --------------------------------------------------------------- */

/* Reads an entry of a map: a key and a message. */
static bool read_entry(struct xplane *plane, struct str message, int64_t *key, struct str *value)
{
	struct wire wire = wire_of(message);
	struct wire_field field;
	int got;

	*key = 0;
	*value = (struct str){message.s, 0};
	while ((got = wire_next(&wire, &field)) > 0) {
		if (field.number == ENTRY_KEY && field.type == WIRE_VARINT)
			*key = (int64_t)field.value;
		else if (field.number == ENTRY_VALUE && field.type == WIRE_BYTES)
			*value = field.bytes;
	}
	return got == 0 || fail(plane, &wire);
}

static bool add_metadata(struct xplane *plane, struct str entry)
{
	struct xplane_metadata *metadata;
	struct str message;
	int64_t id;

	if (!read_entry(plane, entry, &id, &message))
		return false;
	plane->metadata = mem_grow(plane->metadata, &plane->metadata_cap, plane->metadata_count + 1,
	                           sizeof *plane->metadata);
	metadata = plane->metadata + plane->metadata_count++;
	*metadata = (struct xplane_metadata){
		.id = id, .at = place_of(plane, message), .n = (uint32_t)message.n};
	return true;
}

static bool add_stat_metadata(struct xplane *plane, struct str entry)
{
	struct wire_field field;
	struct wire wire;
	struct str message;
	struct str name = {0};
	int64_t id;
	int got;

	if (!read_entry(plane, entry, &id, &message))
		return false;
	wire = wire_of(message);
	while ((got = wire_next(&wire, &field)) > 0)
		if (field.number == METADATA_NAME && field.type == WIRE_BYTES)
			name = field.bytes;
	if (got < 0)
		return fail(plane, &wire);
	plane->stats =
		mem_grow(plane->stats, &plane->stats_cap, plane->stats_count + 1, sizeof *plane->stats);
	plane->stats[plane->stats_count++] = (struct xplane_stat){.id = id,
	                                                          .name_at = place_of(plane, name),
	                                                          .name_n = (uint32_t)name.n,
	                                                          .role = role_of(name)};
	return true;
}

/* Keeps a value of the metadata that was added last; a later one of its role replaces it. */
static void keep_value(struct xplane *plane, struct xplane_metadata *metadata,
                       struct xplane_value value)
{
	struct xplane_value *values;
	uint32_t count = (uint32_t)__builtin_popcount(metadata->roles);

	plane->values = mem_grow(plane->values, &plane->values_cap,
	                         (size_t)metadata->first_value + XPLANE_ROLES, sizeof *plane->values);
	values = plane->values + metadata->first_value;
	for (uint32_t i = 0; i < count; i++) {
		if (values[i].role == value.role) {
			values[i] = value;
			return;
		}
	}
	values[count++] = value;
	metadata->roles |= (uint32_t)1 << value.role;
	plane->values_count = metadata->first_value + count;
}

/* Reads the message of metadata, when all names are known. */
static bool complete_metadata(struct xplane *plane, struct xplane_metadata *metadata)
{
	struct wire wire = wire_of(text_at(plane, metadata->at, metadata->n));
	struct wire_field field;
	struct str name = {0};
	struct str display_name = {0};
	int got;

	metadata->first_value = (uint32_t)plane->values_count;
	while ((got = wire_next(&wire, &field)) > 0) {
		struct xplane_value value;

		if (field.type != WIRE_BYTES)
			continue;
		if (field.number == METADATA_NAME)
			name = field.bytes;
		else if (field.number == METADATA_DISPLAY_NAME)
			display_name = field.bytes;
		if (field.number != METADATA_STATS)
			continue;
		if (!read_stat(plane, field.bytes, &value))
			return false;
		if (value.role != XPLANE_NO_ROLE)
			keep_value(plane, metadata, value);
	}
	if (got < 0)
		return fail(plane, &wire);
	name = display_name.n ? display_name : name;
	metadata->name_at = place_of(plane, name);
	metadata->name_n = (uint32_t)name.n;
	return true;
}

/* --- lines and the plane ------------------------------------------------------ */

/* The byte that stands before a field with a number below 16. */
#define KEY(field, type) ((char)((unsigned)(field) << 3 | (unsigned)(type)))

/* Takes the next field of a line if it is an event of up to 127 bytes. */
SIMD_INLINE bool take_plain_event(const char **at, const char *end, struct str *event)
{
	const char *field = *at;

	if (end - field < 2 || field[0] != KEY(LINE_EVENTS, WIRE_BYTES))
		return false;
	*event = (struct str){field + 2, (unsigned char)field[1]};
	if (event->n > 0x7f || (long)event->n > end - event->s)
		return false;
	*at = event->s + event->n;
	return true;
}

/* Reads all of a line but its events. */
static bool add_line(struct xplane *plane, struct str message)
{
	const char *at = message.s;
	const char *end = at + message.n;
	struct xplane_line line = {.bytes = message};

	while (at < end) {
		struct wire_field field;

		if (take_plain_event(&at, end, &field.bytes))
			continue;
		at = wire_step(at, end, &field);
		if (!at)
			return fail_message(plane, message);
		if (field.number == LINE_EVENTS)
			continue;
		if (field.number == LINE_ID && field.type == WIRE_VARINT)
			line.id = (int64_t)field.value;
		else if (field.number == LINE_TIMESTAMP && field.type == WIRE_VARINT)
			line.timestamp_ns = (int64_t)field.value;
		else if (field.number == LINE_NAME && field.type == WIRE_BYTES)
			line.name = field.bytes;
		else if (field.number == LINE_DISPLAY_NAME && field.type == WIRE_BYTES)
			line.display_name = field.bytes;
	}
	plane->lines =
		mem_grow(plane->lines, &plane->lines_cap, plane->lines_count + 1, sizeof *plane->lines);
	plane->lines[plane->lines_count++] = line;
	return true;
}

static bool read_field(struct xplane *plane, const struct wire_field *field)
{
	if (field->number == PLANE_ID && field->type == WIRE_VARINT)
		plane->id = (int64_t)field->value;
	if (field->type != WIRE_BYTES)
		return true;
	switch (field->number) {
	case PLANE_NAME:
		plane->name = field->bytes;
		return true;
	case PLANE_LINES:
		return add_line(plane, field->bytes);
	case PLANE_METADATA:
		return add_metadata(plane, field->bytes);
	case PLANE_STAT_METADATA:
		return add_stat_metadata(plane, field->bytes);
	default:
		return true;
	}
}

/* Reads the statistics of the plane itself, when all names are known. */
static bool read_own(struct xplane *plane)
{
	struct wire wire = wire_of(plane->bytes);
	struct wire_field field;

	while (wire_next(&wire, &field) > 0) {
		struct xplane_value value;

		if (field.number != PLANE_STATS || field.type != WIRE_BYTES)
			continue;
		if (!read_stat(plane, field.bytes, &value))
			return false;
		plane->own[value.role] = value;
	}
	return true;
}

static void index_stats(struct xplane *plane)
{
	idindex_build(&plane->stats_index, plane->stats, sizeof *plane->stats, plane->stats_count);
	memset(plane->small_roles, XPLANE_NO_ROLE, sizeof plane->small_roles);
	for (size_t i = 0; i < plane->stats_count; i++)
		if ((uint64_t)plane->stats[i].id < XPLANE_SMALL_IDS)
			plane->small_roles[plane->stats[i].id] = (uint8_t)plane->stats[i].role;
}

bool xplane_read(struct xplane *plane, struct str bytes)
{
	struct wire wire = wire_of(bytes);
	struct wire_field field;
	int got;

	plane->bytes = bytes;
	plane->id = 0;
	plane->name = (struct str){bytes.s, 0};
	plane->lines_count = plane->metadata_count = plane->stats_count = plane->values_count = 0;
	memset(plane->own, 0, sizeof plane->own);
	while ((got = wire_next(&wire, &field)) > 0)
		if (!read_field(plane, &field))
			return false;
	if (got < 0)
		return fail(plane, &wire);
	index_stats(plane);
	for (size_t i = 0; i < plane->metadata_count; i++)
		if (!complete_metadata(plane, plane->metadata + i))
			return false;
	idindex_build(&plane->metadata_index, plane->metadata, sizeof *plane->metadata,
	              plane->metadata_count);
	return read_own(plane);
}

struct str xplane_name(const struct xplane *plane, const struct xplane_metadata *metadata)
{
	return text_at(plane, metadata->name_at, metadata->name_n);
}

void xplane_free(struct xplane *plane)
{
	free(plane->lines);
	free(plane->metadata);
	free(plane->stats);
	free(plane->values);
	idindex_free(&plane->metadata_index);
	idindex_free(&plane->stats_index);
	*plane = (struct xplane){0};
}

/* --- events ----------------------------------------------------------------- */

enum { SLACK = 64 }; /* what read_plain_event may read past the end of the event */

static inline void keep_event_value(struct xplane_event *event, struct xplane_value value,
                                    bool values)
{
	event->has |= (uint32_t)1 << value.role;
	if (values)
		event->value[value.role] = value;
}

/*
 * Reads a statistic with an id and a number below 2^56, as most are. False: it is another one. It
 * may read 16 bytes past its end.
 */
SIMD_INLINE bool read_plain_stat(const struct xplane *plane, struct str message,
                                 struct xplane_event *event, bool values)
{
	const char *at = message.s;
	const char *end = at + message.n;
	struct xplane_value value = {0};
	uint64_t bits;
	uint64_t id;
	unsigned kind;
	unsigned role;

	if (*at != KEY(STAT_METADATA, WIRE_VARINT))
		return false;
	at = wire_tiny(at + 1, &id);
	if (!at || (*at != KEY(STAT_UNSIGNED, WIRE_VARINT) && *at != KEY(STAT_SIGNED, WIRE_VARINT) &&
	            *at != KEY(STAT_REF, WIRE_VARINT)))
		return false;
	kind = (unsigned char)*at >> 3;
	if (wire_short(at + 1, &bits) != end)
		return false;
	role = role_of_id(plane, id);
	if (role == XPLANE_NO_ROLE)
		return true;
	if (values)
		value = value_of(plane, kind, bits, (struct str){0});
	value.role = (uint8_t)role;
	keep_event_value(event, value, values);
	return true;
}

static bool read_any_stat(struct xplane *plane, struct str message, struct xplane_event *event,
                          bool values)
{
	struct xplane_value value = {0};

	if (!read_stat(plane, message, &value))
		return false;
	if (value.role != XPLANE_NO_ROLE)
		keep_event_value(event, value, values);
	return true;
}

/*
 * Reads an event whose fields are in the order of their numbers, as profilers write them, and
 * small. False: it is another one, or damaged.
 */
SIMD_INLINE bool read_plain_event(struct xplane *plane, struct str message,
                                  struct xplane_event *event, bool values)
{
	const char *at = message.s;
	const char *end = at + message.n;
	uint64_t id = 0;
	uint64_t offset = 0;
	uint64_t dur = 0;

	if (plane->bytes.s + plane->bytes.n - end < SLACK)
		return false;
	if (*at == KEY(EVENT_METADATA, WIRE_VARINT) && !(at = wire_short(at + 1, &id)))
		return false;
	if (*at == KEY(EVENT_OFFSET, WIRE_VARINT) && !(at = wire_short(at + 1, &offset)))
		return false;
	if (*at == KEY(EVENT_DUR, WIRE_VARINT) && !(at = wire_short(at + 1, &dur)))
		return false;
	while (at < end && *at == KEY(EVENT_STATS, WIRE_BYTES)) {
		uint64_t n;

		at = wire_tiny(at + 1, &n);
		if (!at || at > end || n > (uint64_t)(end - at))
			return false;
		if (!read_plain_stat(plane, (struct str){at, n}, event, values) &&
		    !read_any_stat(plane, (struct str){at, n}, event, values))
			return false;
		at += n;
	}
	event->metadata_id = (int64_t)id;
	if (values) {
		event->offset_ps = (int64_t)offset;
		event->dur_ps = (int64_t)dur;
	}
	return at == end;
}

/* Reads any event. False at damage. */
static bool read_any_event(struct xplane *plane, struct str message, struct xplane_event *event,
                           bool values)
{
	const char *at = message.s;
	const char *end = at + message.n;

	event->metadata_id = event->offset_ps = event->dur_ps = 0;
	event->has = 0;
	event->aggregate = false;
	while (at < end) {
		struct wire_field field;

		at = wire_step(at, end, &field);
		if (!at)
			return fail_message(plane, message);
		if (field.number == EVENT_STATS && field.type == WIRE_BYTES) {
			if (!read_any_stat(plane, field.bytes, event, values))
				return false;
			continue;
		}
		if (field.type != WIRE_VARINT)
			continue;
		switch (field.number) {
		case EVENT_METADATA:
			event->metadata_id = (int64_t)field.value;
			break;
		case EVENT_OFFSET:
			event->offset_ps = (int64_t)field.value;
			event->aggregate = false;
			break;
		case EVENT_DUR:
			event->dur_ps = (int64_t)field.value;
			break;
		case EVENT_OCCURRENCES:
			event->aggregate = true;
			break;
		}
	}
	return true;
}

SIMD_INLINE int next_event(struct xplane *plane, struct wire *wire, struct xplane_event *event,
                           bool values)
{
	struct wire_field field;

	if (!take_plain_event(&wire->at, wire->end, &field.bytes)) {
		int got = wire_next(wire, &field);

		while (got > 0 && (field.number != LINE_EVENTS || field.type != WIRE_BYTES))
			got = wire_next(wire, &field);
		if (got < 0)
			fail(plane, wire);
		if (got <= 0)
			return got;
	}
	event->has = 0;
	event->aggregate = false;
	return read_plain_event(plane, field.bytes, event, values) ||
	               read_any_event(plane, field.bytes, event, values)
	           ? 1
	           : -1;
}

int xplane_next(struct xplane *plane, struct wire *wire, struct xplane_event *event)
{
	return next_event(plane, wire, event, true);
}

static const struct xplane_metadata *metadata_of(const struct xplane *plane,
                                                 const struct xplane_event *event)
{
	uint32_t found = idindex_find(&plane->metadata_index, event->metadata_id);

	return found == IDINDEX_NONE ? NULL : plane->metadata + found;
}

int xplane_skim(struct xplane *plane, struct wire *wire, struct xplane_event *event)
{
	int got = next_event(plane, wire, event, false);
	const struct xplane_metadata *metadata = got > 0 ? metadata_of(plane, event) : NULL;

	if (metadata)
		event->has |= metadata->roles;
	return got;
}

const struct xplane_metadata *xplane_complete(const struct xplane *plane,
                                              struct xplane_event *event)
{
	const struct xplane_metadata *metadata = metadata_of(plane, event);
	const struct xplane_value *value;

	if (!metadata || metadata->roles == 0)
		return metadata;
	value = plane->values + metadata->first_value;
	for (uint32_t rest = metadata->roles; rest; rest &= rest - 1, value++)
		if (!(event->has >> value->role & 1))
			event->value[value->role] = *value;
	event->has |= metadata->roles;
	return metadata;
}
