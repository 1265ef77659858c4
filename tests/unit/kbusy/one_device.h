/*
 * one_device - for tests of tables by device: one device, pid 7, and JSON without its spaces.
 */
#ifndef ONE_DEVICE_H
#define ONE_DEVICE_H

#include "../unit.h"

#include "wall/devices.h"

static inline void unit_one_device(struct devices *devices)
{
	struct words keys = {0};
	struct kev_reader in;
	bool new;

	devices_keys(devices, &keys);
	unit_feed(STR("#pid\n7\n"));
	kev_open(&in, unit_opts());
	assert_int_equal(kev_next(&in), KEV_COLUMNS);
	devices_columns(devices, &in);
	assert_int_equal(kev_next(&in), KEV_ROW);
	devices_row(devices, &in);
	assert_int_equal(devices_of(devices, &in, dec_of(0), &new), 0);
	devices_sort(devices);
	kev_close(&in);
}

/* A table in JSON within an object, to be compared by its bytes without spaces. */
struct unit_json {
	struct kev_writer out;
	struct jsonw json;
	struct devices_table table;
};

static inline void unit_json_begin(struct unit_json *to, const struct devices *devices)
{
	*to = (struct unit_json){.json = {.out = &to->out.out.buf}};
	kev_writer_init(&to->out, unit_opts());
	to->table = (struct devices_table){
		.devices = devices, .out = &to->out, .form = FORM_JSON, .json = &to->json};
	jsonw_object(&to->json, NULL);
}

static inline struct str unit_json_text(struct unit_json *to)
{
	struct buf *text = &to->out.out.buf;
	size_t end = 0;

	jsonw_end_object(&to->json);
	for (size_t i = 0; i < text->len; i++)
		if (text->data[i] != ' ' && text->data[i] != '\n')
			text->data[end++] = text->data[i];
	text->len = end;
	return buf_view(text);
}

static inline void unit_json_free(struct unit_json *to)
{
	buf_free(&to->out.out.buf);
}

#endif
