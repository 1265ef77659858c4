#include "ranktracks.h"

#include "base/mem.h"
#include "base/plaintext.h"
#include "wall/launches.h"

#include <stdlib.h>

/* Offsets of kcoll are in us and are subtracted from times as they are. */
static bool is_us(struct kev_reader *in, const char *what, const char *advice)
{
	char text[QUOTE_MAX];
	struct str unit = in->unit_said ? buf_view(&in->unit) : STR("us");

	if (str_equal(unit, STR("us")))
		return true;
	kev_error(in, "the unit of %s is %s, and --rank-offset needs us; %s", what,
	          quote(text, unit.s, unit.n), advice);
	return false;
}

void ranktracks_clock(struct ranktracks *tracks, struct kev_reader *table)
{
	char text[QUOTE_MAX];
	struct dec offset;
	struct str name;
	int rank;
	int column;
	bool added;
	size_t at;

	tracks->offsets = true;
	if (!is_us(table, "the offsets", "make the table by kcoll --align"))
		return;
	if (!kev_need(table, STR("rank"), &rank) || !kev_need(table, STR("offset"), &column) ||
	    !kev_number(table, column, &offset))
		return; /* a rank without collectives has no offset */
	name = table->field[rank];
	at = strmap_add(&tracks->ranks, name, &added);
	if (!added && dec_compare(tracks->offset[at], offset) != 0) {
		kev_error(table, "offset: rank %s has another one already", quote(text, name.s, name.n));
		return;
	}
	tracks->offset = mem_grow(tracks->offset, &tracks->offset_cap, at + 1, sizeof *tracks->offset);
	tracks->offset[at] = offset;
}

struct str ranktracks_pid(struct ranktracks *tracks, struct str rank, struct str pid)
{
	tracks->key.len = 0;
	buf_str(&tracks->key, rank);
	buf_char(&tracks->key, '\t');
	buf_str(&tracks->key, pid);
	tracks->pid.len = 0;
	buf_format(&tracks->pid, "%zu", strmap_add(&tracks->pids, buf_view(&tracks->key), NULL) + 1);
	return buf_view(&tracks->pid);
}

enum { CORRELATION };

static const char *const ids[RANKTRACKS_IDS] = {
	[CORRELATION] = "correlation", "External id", "Python id", "Python parent id", "op_id"};

void ranktracks_columns(struct ranktracks *tracks, struct kev_reader *in)
{
	kev_need_for(in, "--rank-offset: ", STR("rank"), &tracks->rank);
	kev_need_for(in, "--rank-offset: ", STR("pid"), &tracks->pid_column);
	kev_need_for(in, "--rank-offset: ", STR("ts"), &tracks->ts_column);
	tracks->launch_column = kev_column(in, STR("launch_ts"));
	for (size_t i = 0; i < RANKTRACKS_IDS; i++)
		tracks->id_column[i] = kev_column(in, str_of(ids[i]));
}

/* Sets a field to the time by the clock of the lowest rank. */
static void set_time(struct kev_reader *in, int column, struct dec offset, struct buf *text)
{
	char name[QUOTE_MAX];
	struct dec time;

	if (!kev_number(in, column, &time))
		return;
	if (!dec_subtract(&time, offset)) {
		plaintext_fit(name, sizeof name, in->column[column]);
		kev_error(in, "%s: the time is too large", name);
		return;
	}
	text->len = 0;
	dec_print(text, time);
	in->field[column] = buf_view(text);
}

/* Returns by how many bytes launch_ts may be longer. */
static size_t set_times(struct ranktracks *tracks, struct kev_reader *in, struct str rank)
{
	size_t at = strmap_find(&tracks->ranks, rank);
	char text[QUOTE_MAX];

	if (!is_us(in, "the times", "leave out FILE"))
		return 0;
	if (at == STRMAP_NONE) {
		kev_error(in, "rank: the table of --rank-offset has no offset for rank %s",
		          quote(text, rank.s, rank.n));
		return 0;
	}
	set_time(in, tracks->ts_column, tracks->offset[at], &tracks->ts);
	set_time(in, tracks->launch_column, tracks->offset[at], &tracks->launch_ts);
	return tracks->launch_ts.len;
}

/* As kev(5) has the ids of several processes: 3:17. A correlation of 0 links nothing, and stays. */
static size_t set_ids(struct ranktracks *tracks, struct kev_reader *in, struct str rank)
{
	size_t more = 0;

	for (size_t i = 0; i < RANKTRACKS_IDS; i++) {
		struct str *field;

		if (tracks->id_column[i] == KEV_NONE)
			continue;
		field = &in->field[tracks->id_column[i]];
		if (field->n == 0 || (i == CORRELATION && !launches_is_linked(*field)))
			continue;
		tracks->id[i].len = 0;
		buf_str(&tracks->id[i], rank);
		buf_char(&tracks->id[i], ':');
		buf_str(&tracks->id[i], *field);
		*field = buf_view(&tracks->id[i]);
		more += rank.n + 1;
	}
	return more;
}

size_t ranktracks_row(struct ranktracks *tracks, struct kev_reader *in)
{
	struct str rank = in->field[tracks->rank];
	size_t more = 0;

	if (rank.n == 0) {
		kev_error(in, "rank is empty, which --rank-offset needs; use trace2tsv --rank=N");
		return 0;
	}
	if (tracks->offsets)
		more = set_times(tracks, in, rank);
	in->field[tracks->pid_column] = ranktracks_pid(tracks, rank, in->field[tracks->pid_column]);
	return more + set_ids(tracks, in, rank);
}

void ranktracks_name(struct buf *out, struct str rank, struct str pid, struct str name)
{
	buf_text(out, "rank ");
	tsv_unescape(out, rank);
	buf_text(out, name.n ? ": " : ": pid ");
	if (name.n)
		buf_str(out, name);
	else
		tsv_unescape(out, pid);
}

void ranktracks_free(struct ranktracks *tracks)
{
	strmap_free(&tracks->ranks);
	free(tracks->offset);
	strmap_free(&tracks->pids);
	buf_free(&tracks->key);
	buf_free(&tracks->pid);
	buf_free(&tracks->ts);
	buf_free(&tracks->launch_ts);
	for (size_t i = 0; i < RANKTRACKS_IDS; i++)
		buf_free(&tracks->id[i]);
}
