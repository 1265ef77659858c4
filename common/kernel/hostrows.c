#include "kernel/hostrows.h"

#include "base/die.h"
#include "kernel/rowkind.h"

static bool is_copy(struct str cat)
{
	return rowkind_is_copy(rowkind_of(cat, STR("")));
}

void hostrows_add(struct hostrows *rows, struct str cat)
{
	if (rows->any && str_equal(cat, buf_view(&rows->last)))
		return;
	rows->any = true;
	rows->last.len = 0;
	buf_str(&rows->last, cat);
	if (!rowkind_is_device(rowkind_of(cat, STR("")))) {
		if (rows->host.len == 0)
			buf_str(&rows->host, cat);
	} else if (!rows->kernels || (is_copy(buf_view(&rows->kernel)) && !is_copy(cat))) {
		rows->kernels = true;
		rows->kernel.len = 0;
		buf_str(&rows->kernel, cat);
	} else if (!is_copy(cat) && !str_equal(cat, buf_view(&rows->kernel))) {
		rows->several = true;
	}
}

void hostrows_warn(const struct hostrows *rows)
{
	struct str kernel = buf_view(&rows->kernel);
	struct str host = buf_view(&rows->host);

	if (!rows->kernels || host.n == 0)
		return;
	if (rows->several)
		warn("kernels of several categories are in one table with rows of the host or annotations "
		     "(cat %.*s); add cat to -k",
		     (int)host.n, host.s);
	else if (kernel.n)
		warn("kernels (cat %.*s) are in one table with rows of the host or annotations (cat %.*s); "
		     "add cat to -k, or keep the kernels with kselect -w 'cat == \"%.*s\"'",
		     (int)kernel.n, kernel.s, (int)host.n, host.s, (int)kernel.n, kernel.s);
	else
		warn("rows without cat are in one table with rows of the host or annotations (cat %.*s); "
		     "add cat to -k, or keep the others with kselect -w 'empty(cat)'",
		     (int)host.n, host.s);
}

void hostrows_free(struct hostrows *rows)
{
	buf_free(&rows->kernel);
	buf_free(&rows->host);
	buf_free(&rows->last);
}
