#include "boxname.h"

#include "answer/width.h"
#include "kernel/cppname.h"

#include "colours.h"

enum {
	CHARACTER = 6, /* pixels, about */
	CUT = 7,       /* columns of a name that is cut, at least */
};

/* The function alone: run of "process.py(108): run", gemm of "void ns::gemm<128>(int)". */
static struct str short_name(struct str name)
{
	for (size_t i = 0; i + 3 < name.n; i++)
		if (str_starts((struct str){name.s + i, name.n - i}, STR("): ")))
			return (struct str){name.s + i + 3, name.n - i - 3};
	return cppname_function(name);
}

void boxname_put(struct buf *script, const struct boxname *name, __int128 pixels, struct dec left,
                 double middle, const struct script_axis *axis)
{
	size_t columns = (size_t)pixels / CHARACTER - 1;
	struct str text = name->name;

	if (pixels <= CHARACTER + CHARACTER)
		return;
	if (width_of(text) > columns)
		text = short_name(text);
	if (width_of(text) > columns && name->other.n && width_of(name->other) <= columns)
		text = name->other;
	if (text.n == 0 || (width_of(text) > columns && columns < CUT))
		return;
	buf_text(script, "set label ");
	script_label(script, text, columns);
	buf_text(script, " at ");
	script_value(script, left, axis);
	buf_format(script, ",%g left offset 0.4,0 font ',%d' textcolor rgb '%s' front\n", middle,
	           name->picture == PICTURE_SVG   ? 11
	           : name->picture == PICTURE_PNG ? 8
	                                          : 6,
	           colour_is_dark(name->colour) ? "#ffffff" : "#000000");
}
