/*
 * device - the devices of a trace, as metadata of the stream: ##platform, ##device, ##deviceProp
 * (trace2tsv(1), METADATA).
 *
 * The platform is AMD as soon as something says so. It is NVIDIA if the trace lists devices and
 * nothing has said AMD by the first row; a later line corrects that.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "stream/kev.h"

/* The device of one trace. Starts as {0}. */
struct device {
	bool amd;     /* something says AMD */
	bool listed;  /* the trace lists devices */
	bool written; /* the platform */
};

/*
 * The member deviceProperties, an array of objects as JSON text. The first device stands for all,
 * as they are alike.
 */
void device_properties(struct device *device, struct str json, struct kev_writer *out);

/* The member roctracer_version, which only traces of AMD have. */
void device_roctracer(struct device *device, struct kev_writer *out);

void device_write_platform(struct device *device, struct kev_writer *out);

/* To be called before each row, and at the end: writes the platform once it is known. */
static inline void device_platform(struct device *device, struct kev_writer *out)
{
	if (!device->written && (device->amd || device->listed))
		device_write_platform(device, out);
}

#endif
