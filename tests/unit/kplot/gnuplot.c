/* gnuplot: running it, by stand-ins on PATH. */
#include "../unit.h"

#include "kplot/gnuplot.h"

/* The outcome with a stand-in of this text; empty if it gave a whole picture. */
static void assert_outcome(const char *text, enum picture picture, const char *want)
{
	char error[GNUPLOT_ERROR] = "";
	struct buf out = {0};
	struct buf script = {0};
	char path[64];
	int folder = unit_folder(path);

	if (text)
		unit_put(folder, "gnuplot", text, 0755);
	close(folder);
	assert_int_equal(setenv("PATH", path, 1), 0);
	for (size_t i = 0; i < 200000; i++) /* more than a pipe holds */
		buf_char(&script, 'x');
	assert_int_equal(gnuplot_run(buf_view(&script), picture, &out, error), !*want);
	assert_string_equal(error, want);
	if (!*want)
		assert_true(out.len > 300000);
	buf_free(&out);
	buf_free(&script);
}

static void outcomes(void **state)
{
	static const char reason[] = "gnuplot failed: it printed no reason";

	(void)state;
	assert_outcome(NULL, PICTURE_SVG, "gnuplot is not installed: install the package gnuplot-nox");
	assert_outcome("#!/bin/sh\nexit 1\n", PICTURE_SVG, reason);
	assert_outcome("#!/bin/sh\n: </dev/null\n", PICTURE_PNG, reason);
	assert_outcome("#!/bin/sh\nprintf '<?xml <svg>'\n", PICTURE_SVG, reason);
	assert_outcome("#!/bin/sh\nprintf '  line 1: no\\n' >&2; exit 1\n", PICTURE_PDF,
	               "gnuplot failed: line 1: no");
	assert_outcome("#!/bin/sh\nkill -9 $$\n", PICTURE_PDF, reason);
	assert_outcome("#!/bin/sh\nread -r x; printf '%%PDF-%s%s%%%%EOF\\n' \"$x\" \"$x\"\n",
	               PICTURE_PDF, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
