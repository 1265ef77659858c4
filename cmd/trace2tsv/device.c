#include "device.h"

#include "json/find.h"

void device_write_platform(struct device *device, struct kev_writer *out)
{
	struct str platform = device->amd ? STR("AMD") : STR("NVIDIA");

	kev_meta(out, "platform", &platform, 1);
	device->written = true;
}

void device_roctracer(struct device *device, struct kev_writer *out)
{
	/* A guess that was written is corrected: the later line counts. */
	device->written &= device->amd;
	device->amd = true;
	device_platform(device, out);
}

/* A property of the first device; empty if it is missing. Valid until scratch changes. */
static struct str property(struct str devices, const char *name, struct buf *scratch)
{
	const char *path[] = {"0", name};
	struct json_value value = json_find(devices, path, 2, scratch);

	return value.type == JSON_NONE || value.type == JSON_NULL ? STR("") : value.text;
}

static void write_capability(struct str devices, struct buf *scratch, struct kev_writer *out)
{
	struct buf capability = {0};

	buf_str(&capability, property(devices, "computeMajor", scratch));
	if (capability.len) {
		buf_char(&capability, '.');
		buf_str(&capability, property(devices, "computeMinor", scratch));
		kev_meta(out, "deviceProp", (struct str[]){STR("computeCapability"), buf_view(&capability)},
		         2);
	}
	buf_free(&capability);
}

void device_properties(struct device *device, struct str json, struct kev_writer *out)
{
	static const char *const properties[] = {"totalGlobalMem", "numSms", "warpSize",
	                                         "maxThreadsPerBlock", "sharedMemPerBlock"};
	struct buf scratch = {0};
	struct str value;

	if (json_find(json, (const char *[]){"0"}, 1, &scratch).type == JSON_NESTED) {
		device->listed = true;
		value = property(json, "warpSize", &scratch);
		device->amd |= str_equal(value, STR("64"));
		if (device->amd)
			device_platform(device, out);
		value = property(json, "name", &scratch);
		if (value.n == 0)
			value = device->amd ? STR("unknown AMD GPU") : STR("unknown NVIDIA GPU");
		kev_meta(out, "device", &value, 1);
		write_capability(json, &scratch, out);
		for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
			value = property(json, properties[i], &scratch);
			if (value.n)
				kev_meta(out, "deviceProp", (struct str[]){str_of(properties[i]), value}, 2);
		}
	}
	buf_free(&scratch);
}
