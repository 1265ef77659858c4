/* evidence_feed - a stream as evidence, for the tests of the modules that judge it. */
#ifndef EVIDENCE_FEED_H
#define EVIDENCE_FEED_H

#include "../unit.h"

#include "kcheck/evidence.h"

/* The caller frees the evidence. Returns the error of the reader, empty if there is none. */
static inline const char *evidence_feed(struct evidence *evidence, struct str text)
{
	static char error[sizeof((struct kev_reader *)0)->error];
	struct kev_reader in;
	struct words keys = {0};
	enum kev_item item;

	*evidence = (struct evidence){.classes = true};
	devices_keys(&evidence->devices, &keys);
	unit_feed(text);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_META)
			evidence_metadata(evidence, &in);
		else if (item == KEV_COLUMNS)
			evidence_columns(evidence, &in);
		else
			evidence_add(evidence, &in);
	}
	evidence_finish(evidence);
	memcpy(error, in.error, sizeof error);
	kev_close(&in);
	return error;
}

#define FEED_HEAD "#ts\tdur\tname\tcat\tpid\ttid\tcorrelation\n"

#endif
