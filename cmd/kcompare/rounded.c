#include "rounded.h"

#include <stdio.h>

#include "base/dec.h"

/* Without the zeros at the end of text after its point, and without the point if only they follow.
 */
static size_t without_zeros(struct str text)
{
	if (!str_has_byte(text, '.'))
		return text.n;
	while (text.s[text.n - 1] == '0')
		text.n--;
	return text.s[text.n - 1] == '.' ? text.n - 1 : text.n;
}

void rounded_put(struct buf *out, double x, int significant)
{
	size_t from = out->len;
	char text[48];

	/* Adding 0 turns -0 into 0. */
	snprintf(text, sizeof text, "%.*e", significant - 1, x + 0.0);
	dec_copy(out, str_of(text));
	out->len = from + without_zeros((struct str){out->data + from, out->len - from});
}
