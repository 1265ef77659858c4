/* step: the forms of annotations, and what their phases must keep to. */
#include "../fuzz.h"

#include "trace/step.h"

static void try_input(const uint8_t *data, size_t size)
{
	static const uint64_t limits[] = {0, 1, 2, 1024, UINT64_MAX};
	struct str name = {(const char *)data, size};
	struct step_form form;
	struct step_form again;
	struct buf more = {0};
	enum step_phase before = STEP_PREFILL;

	if (!step_parse(name, &form))
		return;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		enum step_phase phase = step_phase(&form, limits[i], false);
		enum step_phase mixed = step_phase(&form, limits[i], true);

		LAW(phase != STEP_MIXED);
		LAW((mixed == STEP_MIXED) == (form.context && form.generation));
		LAW(mixed == STEP_MIXED ? phase == STEP_DECODE : phase == mixed);
		LAW(phase != STEP_PREFILL || (form.context && !form.generation));
		LAW((phase == STEP_NO_PHASE) == (!form.context && !form.generation));
		/* A higher limit makes no more of them prefill. */
		LAW(phase != STEP_PREFILL || before == STEP_PREFILL);
		before = phase;
	}
	LAW(form.counted || form.tokens == 0);
	/* What follows a name is ignored. */
	buf_str(&more, name);
	buf_text(&more, "/_]x");
	LAW(step_parse(buf_view(&more), &again));
	LAW(again.context == form.context && again.generation == form.generation &&
	    again.counted == form.counted && again.tokens == form.tokens);
	buf_free(&more);
}
