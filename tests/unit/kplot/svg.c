/* svg: gnuplot's SVG, made fit to stand beside others in a page. */
#include "../unit.h"

#include "kplot/svg.h"

static void assert_tidy(const char *svg, const char *title, const char *want)
{
	struct buf out = {0};

	svg_tidy(&out, str_of(svg), str_of(title));
	assert_str(buf_view(&out), str_of(want));
	buf_free(&out);
}

static void without_references(void **state)
{
	(void)state;
	assert_tidy(
		"<?xml version='1.0'?>\n<svg x=\"1>\">\n\n<title>Gnuplot</title>\n<desc>by</desc>\n\n"
		"<g id=\"canvas\">\n<defs>\n <path id='p' d='M0'/><use href='#p'/>\n</defs>\n"
		"<g id=\"one\" ><title>$d0</title>\n<text id='t' x='1'> a id='b' &gt; > </text></g></g>\n"
		"</svg>\n",
		"it's <b>\x1b",
		"<svg x=\"1>\">\n<title>it&#39;s &lt;b&gt;\\x1b</title>\n\n<g>\n<g ><text x='1'> a id='b' "
		"&gt; > </text></g></g>\n</svg>\n");
	assert_tidy("<svg><titles/></svg>", "", "<svg><titles/></svg>");
}

/* Definitions and references stay, with a checksum of the picture before their names. */
static void with_references(void **state)
{
	(void)state;
	assert_tidy("<svg><defs><path id='p'/></defs><use xlink:href='#p' id=\"u\"/></svg>", "",
	            "<svg><defs><path id='p05bcf073-p'/></defs><use xlink:href='#p05bcf073-p' "
	            "id=\"p05bcf073-u\"/></svg>");
	assert_tidy(
		"<svg><defs><path id='p'/></defs><path fill=\"url(#p)\"/></svg>", "",
		"<svg><defs><path id='p212f6df4-p'/></defs><path fill=\"url(#p212f6df4-p)\"/></svg>");
}

/* Pictures that end early come from other programs alone, and do no harm. */
static void not_whole(void **state)
{
	(void)state;
	assert_tidy("", "", "");
	assert_tidy("<", "t", "<");
	assert_tidy("<svg", "t", "<svg");
	assert_tidy("<svg><g id='", "", "<svg><g");
	assert_tidy("<svg><g id='a", "", "<svg><g");
	assert_tidy("<svg><title>a", "", "<svg>");
	assert_tidy("<svg><defs><a", "", "<svg>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_references),
		cmocka_unit_test(with_references),
		cmocka_unit_test(not_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
