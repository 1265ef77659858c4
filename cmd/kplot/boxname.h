/*
 * boxname - the name in a box of a picture, if there is room for it.
 */
#ifndef BOXNAME_H
#define BOXNAME_H

#include "script.h"

struct boxname {
	struct str name;
	struct str other;   /* a name instead, if the first is too wide; empty: there is none */
	const char *colour; /* colour of the box, see colours.h */
	enum picture picture;
};

/*
 * Appends the name as a label at the left end of a box so many pixels wide: whole, or the function
 * alone, or the other name, or the beginning; nothing if there is no room.
 */
void boxname_put(struct buf *script, const struct boxname *name, __int128 pixels, struct dec left,
                 double middle, const struct script_axis *axis);

#endif
