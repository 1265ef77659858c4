#include "cann.h"

#include "base/mem.h"
#include "stream/kev.h"
#include "trace/ascend.h"
#include "trace/timeline.h"

#include <stdlib.h>

enum { CORRELATION = KEV_CORE }; /* column of trace2tsv -g */

/* --- what is known of calls and flows ---------------------------------------- */

enum kind { CALL, START, END };

struct fact {
	enum kind kind;
	uint32_t call; /* number of its correlation */
	size_t track;
	struct dec ts;
	struct dec dur;
};

static bool fail(struct cann *cann, const struct spool *spool)
{
	memcpy(cann->error, spool->error, sizeof cann->error);
	return false;
}

static struct str key_of_thread(struct cann *cann, struct str pid, struct str tid)
{
	cann->key.len = 0;
	buf_str(&cann->key, pid);
	buf_char(&cann->key, '\0');
	buf_str(&cann->key, tid);
	return buf_view(&cann->key);
}

/* The place on a track at which a flow can end. */
static struct str key_of_end(struct cann *cann, size_t track, struct dec ts)
{
	cann->key.len = 0;
	buf_bytes(&cann->key, (const char *)&track, sizeof track);
	buf_bytes(&cann->key, (const char *)&ts.nano, sizeof ts.nano);
	return buf_view(&cann->key);
}

void cann_operator(struct cann *cann, struct str pid)
{
	if (pid.n == 0 || str_equal(pid, buf_view(&cann->process)))
		return;
	cann->process.len = 0;
	buf_str(&cann->process, pid);
	strmap_add(&cann->processes, pid, NULL);
}

static bool put_fact(struct cann *cann, struct fact *fact, const struct str thread[2],
                     struct str id)
{
	fact->track = strmap_add(&cann->tracks, key_of_thread(cann, thread[0], thread[1]), NULL);
	if (!cann->has_facts && !spool_open(&cann->facts))
		return fail(cann, &cann->facts);
	cann->has_facts = true;
	return spool_put(&cann->facts, fact, sizeof *fact, id) || fail(cann, &cann->facts);
}

static bool is_time(struct str text, struct dec *time)
{
	return dec_parse(str_trim(text), time) <= DEC_ROUNDED;
}

bool cann_call(struct cann *cann, const struct str thread[2], struct str ts, struct str dur,
               struct str correlation)
{
	struct fact fact;

	memset(&fact, 0, sizeof fact); /* its padding is written, too */
	fact.kind = CALL;
	if (correlation.n == 0)
		return true;
	fact.call = (uint32_t)idmap_add(&cann->calls, correlation, NULL);
	return !is_time(ts, &fact.ts) || !is_time(dur, &fact.dur) ||
	       put_fact(cann, &fact, thread, STR(""));
}

bool cann_flow(struct cann *cann, char ph, struct str id, const struct str thread[2], struct str ts)
{
	struct fact fact;

	memset(&fact, 0, sizeof fact);
	fact.kind = ph == 's' ? START : END;
	return (ph != 's' && ph != 'f') || id.n == 0 || !is_time(ts, &fact.ts) ||
	       put_fact(cann, &fact, thread, id);
}

/* --- rows that wait ------------------------------------------------------------ */

/* The head of a row in the file. */
struct head {
	size_t process;
	enum cann_role role;
};

bool cann_put(struct cann *cann, enum cann_role role, size_t process, struct str line)
{
	struct head head;

	memset(&head, 0, sizeof head);
	head.process = process;
	head.role = role;
	if (!cann->waits && !spool_open(&cann->spool))
		return fail(cann, &cann->spool);
	cann->waits = true;
	cann->rows++;
	return spool_put(&cann->spool, &head, sizeof head, line) || fail(cann, &cann->spool);
}

/* The next row that waits, as it is in the file. */
static int next_row(struct cann *cann, struct head *head, struct str *line)
{
	int got = spool_next(&cann->spool, head, sizeof *head, line);

	if (got < 0)
		fail(cann, &cann->spool);
	return got;
}

static struct str field_of(struct cann *cann, struct str line, size_t column)
{
	return tsv_text(tsv_field(line, column), &cann->field);
}

/* Whether no call has the correlation of a row of the device. */
static bool lacks_call(struct cann *cann, struct str line)
{
	return idmap_find(&cann->calls, field_of(cann, line, CORRELATION)) == IDMAP_NONE;
}

/* The key of the end of a flow to a row. False if none can end there. */
static bool end_of(struct cann *cann, struct str line, struct str *key)
{
	struct dec ts;
	size_t track;

	cann->scratch.len = 0;
	buf_str(&cann->scratch, field_of(cann, line, KEV_PID));
	track = strmap_find(&cann->tracks, key_of_thread(cann, buf_view(&cann->scratch),
	                                                 field_of(cann, line, KEV_TID)));
	if (track == STRMAP_NONE || !is_time(tsv_field(line, KEV_TS), &ts))
		return false;
	*key = key_of_end(cann, track, ts);
	return true;
}

/* Finds the rows of the device that lack a call. */
static bool find_ends(struct cann *cann)
{
	struct head head;
	struct str line;
	struct str key;
	int got = spool_rewind(&cann->spool) ? 1 : -1;

	while (got > 0 && (got = next_row(cann, &head, &line)) > 0)
		if (head.role == CANN_WORK && lacks_call(cann, line) && end_of(cann, line, &key))
			strmap_add(&cann->ends, key, NULL);
	return got == 0 || fail(cann, &cann->spool);
}

/* --- flows ---------------------------------------------------------------------- */

/* A flow to a row that lacks a call. */
struct flow {
	bool started;
	size_t track; /* thread of its start */
	struct dec ts;
};

struct link {
	size_t end;
	size_t flow;
};

struct flows {
	struct timeline calls;
	struct strmap ids;
	struct flow *flows; /* by number of the id */
	struct link *links;
	size_t links_count;
	size_t links_cap;
};

static bool is_before(const struct flow *a, const struct flow *b)
{
	int order = dec_compare(a->ts, b->ts);

	return order < 0 || (order == 0 && a->track < b->track);
}

static void add_call(struct flows *flows, const struct fact *fact)
{
	timeline_add(&flows->calls, fact->track, fact->ts, fact->dur, fact->call);
}

static void add_end(struct cann *cann, struct flows *flows, const struct fact *fact, struct str id)
{
	size_t end = strmap_find(&cann->ends, key_of_end(cann, fact->track, fact->ts));

	if (end == STRMAP_NONE)
		return;
	flows->links =
		mem_grow(flows->links, &flows->links_cap, flows->links_count + 1, sizeof *flows->links);
	flows->links[flows->links_count++] = (struct link){end, strmap_add(&flows->ids, id, NULL)};
}

/* If a flow has two starts, the first in time counts. */
static void add_start(struct flows *flows, const struct fact *fact, struct str id)
{
	size_t number = strmap_find(&flows->ids, id);
	struct flow start = {.started = true, .track = fact->track, .ts = fact->ts};

	if (number != STRMAP_NONE &&
	    (!flows->flows[number].started || is_before(&start, &flows->flows[number])))
		flows->flows[number] = start;
}

/* Reads the facts: calls and ends, or starts, which need the ids of the ends. */
static bool read_facts(struct cann *cann, struct flows *flows, bool starts)
{
	struct fact fact;
	struct str id;
	int got = spool_rewind(&cann->facts) ? 1 : -1;

	while (got > 0 && (got = spool_next(&cann->facts, &fact, sizeof fact, &id)) > 0) {
		if (starts && fact.kind == START)
			add_start(flows, &fact, id);
		else if (!starts && fact.kind == CALL)
			add_call(flows, &fact);
		else if (!starts && fact.kind == END)
			add_end(cann, flows, &fact, id);
	}
	return got == 0 || fail(cann, &cann->facts);
}

/* Sets the call of each row that lacks one. */
static void find_launches(struct cann *cann, struct flows *flows)
{
	struct flow *chosen = mem_zero(cann->ends.count, sizeof *chosen);

	timeline_build(&flows->calls);
	cann->launches = mem_alloc(cann->ends.count, sizeof *cann->launches);
	for (size_t i = 0; i < cann->ends.count; i++)
		cann->launches[i] = TIMELINE_NONE;
	for (size_t i = 0; i < flows->links_count; i++) {
		const struct flow *flow = &flows->flows[flows->links[i].flow];
		size_t end = flows->links[i].end;

		if (!flow->started || (chosen[end].started && !is_before(flow, &chosen[end])))
			continue;
		chosen[end] = *flow;
		cann->launches[end] = timeline_at(&flows->calls, flow->track, flow->ts);
	}
	free(chosen);
}

static bool follow_flows(struct cann *cann)
{
	struct flows flows = {0};
	bool good = read_facts(cann, &flows, false);

	if (good) {
		flows.flows = mem_zero(flows.ids.count + 1, sizeof *flows.flows);
		good = read_facts(cann, &flows, true);
	}
	if (good) {
		find_launches(cann, &flows);
		cann->correlations = mem_zero(cann->calls.count, sizeof *cann->correlations);
		idmap_put_codes(&cann->calls, cann->correlations);
	}
	timeline_free(&flows.calls);
	strmap_free(&flows.ids);
	free(flows.flows);
	free(flows.links);
	return good;
}

/* --- the end of the file ----------------------------------------------------------- */

bool cann_settle(struct cann *cann)
{
	if (!cann->waits)
		return true;
	if (cann->calls.count && cann->has_facts) {
		if (!find_ends(cann) || (cann->ends.count && !follow_flows(cann)))
			return false;
	}
	return spool_rewind(&cann->spool) || fail(cann, &cann->spool);
}

/* Sets the line to the same with another text in a column, which is not the last. */
static void replace(struct cann *cann, struct str *line, size_t column, struct str text)
{
	struct str old = tsv_field(*line, column);
	size_t before = (size_t)(old.s - line->s);

	cann->line.len = 0;
	buf_bytes(&cann->line, line->s, before);
	tsv_escape(&cann->line, text);
	buf_bytes(&cann->line, old.s + old.n, line->n - before - old.n);
	*line = buf_view(&cann->line);
}

/* Gives a row of the device the correlation of the call that launched it. */
static void set_correlation(struct cann *cann, struct str *line)
{
	struct str key;
	size_t end;
	uint64_t correlation;

	if (!cann->launches || !lacks_call(cann, *line) || !end_of(cann, *line, &key))
		return;
	end = strmap_find(&cann->ends, key);
	if (cann->launches[end] == TIMELINE_NONE)
		return;
	correlation = cann->correlations[cann->launches[end]];
	cann->scratch.len = 0;
	buf_str(&cann->scratch, idmap_text(&cann->calls, correlation));
	if (cann->scratch.len == 0)
		buf_format(&cann->scratch, "%llu", (unsigned long long)correlation);
	replace(cann, line, CORRELATION, buf_view(&cann->scratch));
}

int cann_next(struct cann *cann, size_t *process, struct str *line)
{
	struct head head;
	int got;

	if (cann->rows == 0)
		return 0;
	cann->rows--;
	got = next_row(cann, &head, line);
	if (got <= 0)
		return got;
	*process = head.process;
	if (head.role == CANN_WORK)
		set_correlation(cann, line);
	else if (head.role == CANN_CALL)
		replace(cann, line, KEV_PID,
		        ascend_pid(field_of(cann, *line, KEV_PID), &cann->processes, &cann->scratch));
	return 1;
}

void cann_close(struct cann *cann)
{
	if (cann->waits)
		spool_close(&cann->spool);
	if (cann->has_facts)
		spool_close(&cann->facts);
	strmap_free(&cann->processes);
	strmap_free(&cann->tracks);
	strmap_free(&cann->ends);
	idmap_free(&cann->calls);
	free(cann->launches);
	free(cann->correlations);
	buf_free(&cann->process);
	buf_free(&cann->key);
	buf_free(&cann->line);
	buf_free(&cann->scratch);
	buf_free(&cann->field);
	*cann = (struct cann){0};
}
