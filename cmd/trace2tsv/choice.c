#include "choice.h"

#include "base/plaintext.h"

enum { SHOWN = 12 }; /* processes in a message */

static bool fail(struct choice *choice, const char *error)
{
	choice->error.len = 0;
	buf_text(&choice->error, error);
	return false;
}

bool choice_open(struct choice *choice, const struct words *parts, struct kev_writer *out,
                 struct balance *balance, size_t reason)
{
	*choice = (struct choice){.parts = parts, .out = out, .balance = balance, .reason = reason};
	choice->spooled = spool_open(&choice->spool);
	return choice->spooled || fail(choice, choice->spool.error);
}

static void close_spool(struct choice *choice)
{
	if (choice->spooled)
		spool_close(&choice->spool);
	choice->spooled = false;
}

size_t choice_number(struct choice *choice, struct str pid, bool x)
{
	if (x)
		strmap_add(&choice->x_pids, pid, NULL);
	return strmap_add(&choice->pids, pid, NULL);
}

bool choice_named(struct choice *choice, struct str pid, struct str name)
{
	struct buf shown = {0};

	if (choice->made)
		return false;
	buf_str(&shown, name);
	buf_text(&shown, " (");
	buf_str(&shown, pid);
	buf_char(&shown, ')');
	strmap_add(&choice->names, buf_view(&shown), NULL);
	buf_free(&shown);
	for (size_t i = 0; i < choice->parts->count; i++)
		if (str_has_any_case(name, choice->parts->item[i]))
			return true;
	return false;
}

bool choice_make(struct choice *choice, size_t process)
{
	struct spool *spool = &choice->spool;
	struct str line;
	size_t number;
	int got = spool_rewind(spool) ? 1 : -1;

	choice->made = true;
	choice->process = process;
	while (got > 0 && (got = spool_next(spool, &number, sizeof number, &line)) > 0) {
		struct str dur = tsv_field(line, KEV_DUR);

		if (number == process)
			output_str(&choice->out->out, line);
		if (str_starts(line, STR("##")))
			continue;
		if (number == process)
			balance_out(choice->balance, dur);
		else
			balance_drop(choice->balance, choice->reason, dur);
	}
	if (got < 0)
		fail(choice, spool->error);
	close_spool(choice); /* at once, as it may be large */
	return got == 0;
}

enum choice_line choice_settle(struct choice *choice, size_t process)
{
	struct str line;

	if (!choice->parts || (choice->made && choice->process == process))
		return CHOICE_KEPT;
	line = kev_take_back(choice->out);
	/* Under -H a line of metadata is empty. */
	if (choice->made || line.n == 0)
		return CHOICE_DROPPED;
	if (spool_put(&choice->spool, &process, sizeof process, line))
		return CHOICE_WAITS;
	fail(choice, choice->spool.error);
	return CHOICE_FAILED;
}

/* The first keys, with commas between them, made plain. */
static void list(struct buf *out, const struct strmap *map)
{
	for (size_t i = 0; i < map->count && i < SHOWN; i++) {
		buf_text(out, i ? ", " : "");
		plaintext_put(out, strmap_key(map, i));
	}
	if (map->count > SHOWN)
		buf_format(out, " and %zu more", map->count - SHOWN);
	if (map->count == 0)
		buf_text(out, "none");
}

bool choice_make_only(struct choice *choice, bool strict)
{
	struct strmap *pids = &choice->x_pids;

	if (pids->count == 1 && !strict)
		return choice_make(choice, strmap_find(&choice->pids, strmap_key(pids, 0)));
	fail(choice, "no process name matches -P; pids with X events: ");
	list(&choice->error, pids);
	buf_text(&choice->error, "; names: ");
	list(&choice->error, &choice->names);
	return false;
}

void choice_close(struct choice *choice)
{
	close_spool(choice);
	strmap_free(&choice->pids);
	strmap_free(&choice->x_pids);
	strmap_free(&choice->names);
	buf_free(&choice->error);
	*choice = (struct choice){0};
}
