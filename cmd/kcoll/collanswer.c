#include "collanswer.h"

#include <inttypes.h>

#include "answer/damage.h"

static void warn_of_groups(const struct collmatch *match)
{
	uint64_t unsized = 0;
	uint64_t guessed = 0;

	for (size_t i = 0; i < match->table->groups.count * COLLBYS; i++) {
		unsized += match->group[i].unsized && match->group[i].seen > 1;
		guessed += match->group[i].guessed;
	}
	if (unsized)
		warn("groups whose size is unknown, so the ranks that have rows are all: %" PRIu64,
		     unsized);
	if (guessed)
		warn("groups without numbers, whose ends do not show that all ranks begin with the same "
		     "collective: %" PRIu64,
		     guessed);
}

static bool write_tables(const struct collanswer *answer, struct kev_writer *out,
                         struct jsonw *json)
{
	const struct collmatch *match = answer->match;
	bool partly = false;
	bool good;

	collsheet_report(match, out);
	partial_write_vias(answer->heads, out);
	if (answer->by_rank)
		good = collsheet_ranks(match, out, answer->form, json, &partly);
	else
		good = collsheet_kinds(match, out, answer->form, json);
	if (good && answer->form != FORM_TSV)
		collsheet_unmatched(match, out, answer->form, json);
	if (good && partly)
		warn("the wait of a rank is unknown if a collective of its groups is not matched; "
		     "--minima has that of each row");
	return good;
}

bool collanswer_write(const struct collanswer *answer, struct kev_writer *out)
{
	struct jsonw json = {.out = &out->out.buf};

	if (!collmatch_run(answer->match))
		return false;
	warn_of_groups(answer->match);
	if (answer->form == FORM_JSON) {
		jsonw_object(&json, NULL);
		jsonw_text(&json, "unit", str_of(answer->unit));
	}
	if (!write_tables(answer, out, &json))
		return false;
	damage_end_answer(answer->damages, answer->form, &out->out, &json);
	return true;
}
