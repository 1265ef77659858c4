#include "lanelabel.h"

#include "base/mem.h"
#include "syntax/tsv.h"

bool lanelabel_has_number(struct str text, struct str number)
{
	for (size_t i = 0; number.n && i + number.n <= text.n; i++) {
		struct str rest = {text.s + i, text.n - i};
		char after = rest.n > number.n ? rest.s[number.n] : ' ';
		char before = ' ';

		if (i)
			before = text.s[i - 1];
		if (str_starts(rest, number) && !(before >= '0' && before <= '9') &&
		    !(after >= '0' && after <= '9'))
			return true;
	}
	return false;
}

size_t lanelabel_folders(const struct strmap *lanes)
{
	struct str first = strmap_key(lanes, 0);
	size_t shared = 0;

	for (size_t i = 0; i < first.n && first.s[i] != '\t'; i++)
		if (first.s[i] == '/')
			shared = i + 1;
	for (size_t i = 1; i < lanes->count; i++)
		while (shared && !str_starts(strmap_key(lanes, i), (struct str){first.s, shared}))
			for (shared--; shared && first.s[shared - 1] != '/';)
				shared--;
	return shared;
}

void lanelabel_name(struct lanelabel_tracks *tracks, struct str value, size_t fields)
{
	struct str parts[3];
	size_t count = tsv_split(value, parts, 3);
	size_t number;

	if (count != fields + 1)
		return;
	number = strmap_add(&tracks->tracks,
	                    (struct str){parts[0].s, (size_t)(parts[fields].s - parts[0].s) - 1}, NULL);
	tracks->names = mem_grow_zero(tracks->names, &tracks->cap, number + 1, sizeof *tracks->names);
	tracks->names[number].len = 0;
	tsv_unescape(&tracks->names[number], parts[fields]);
}

static struct str name_of(const struct lanelabel_tracks *tracks, struct str track)
{
	size_t number = strmap_find(&tracks->tracks, track);

	return number == STRMAP_NONE ? STR("") : str_trim(buf_view(&tracks->names[number]));
}

struct str lanelabel_make(const struct lanelabel_tracks *tracks, struct str lane)
{
	struct str fields[2];
	struct str name = {0};
	struct buf label = {0};

	if (tracks && tsv_split(lane, fields, 2) == 2) {
		name = name_of(tracks, lane);
		if (lanelabel_has_number(name, fields[1]))
			lane = str_equal(fields[0], fields[1]) ? STR("") : fields[0];
		else if (name.n == 0)
			name = name_of(tracks, fields[0]);
	}
	tsv_unescape(&label, lane);
	buf_replace(&label, 0, '\t', '/');
	buf_text(&label, name.n && label.len ? " " : "");
	buf_str(&label, name);
	return buf_view(&label);
}
