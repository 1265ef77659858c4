/* damage: damages in each form of an answer. */
#include "../unit.h"

#include "answer/damage.h"

#include <unistd.h>

static int answer(void *arg)
{
	static char path[] = "-";
	char *paths[] = {path};
	struct opts opts = {.operands = paths, .operands_count = 1};
	struct kev_reader in;
	struct output out;
	struct buf damages = {0};
	struct buf json = {0};
	struct jsonw w = {.out = &json};

	die_init("prog");
	unit_feed(*(const struct str *)arg);
	output_init(&out, STDOUT_FILENO, "standard output");
	kev_open(&in, &opts);
	for (enum kev_item item; (item = kev_next(&in)) > KEV_END;)
		if (item == KEV_META && str_equal(in.key, STR("damaged")))
			damage_note(&damages, "side a", &in);
	kev_close(&in);
	damage_end_answer(&damages, FORM_TSV, &out, &w);
	damage_end_answer(&damages, FORM_REPORT, &out, &w);
	damage_end_answer(&damages, FORM_MARKDOWN, &out, &w);
	jsonw_object(&w, NULL);
	damage_end_answer(&damages, FORM_JSON, &out, &w);
	output_str(&out, buf_view(&json));
	buf_free(&damages);
	buf_free(&json);
	output_close(&out);
	return 0;
}

static void assert_answers(struct str stream, const char *want)
{
	struct unit_end end = unit_run(answer, &stream);

	assert_int_equal(end.status, 0);
	assert_str(buf_view(&end.out), str_of(want));
	unit_end_free(&end);
}

/* The lines of HTML, each kind in an element of its own. */
static void html(void **state)
{
	static const char want[] = "\n<div role=\"alert\">\n"
							   "<p>Wrong usage, so the figures are no answer:</p>\n"
							   "<p>g: no &lt;b&gt;</p>\n</div>\n"
							   "\n<div role=\"alert\">\n"
							   "<p>The input is damaged, and the figures with it:</p>\n"
							   "<p>f: cut</p>\n<p>h: \\x1b</p>\n</div>\n";
	struct buf damages = {0};
	struct output out;

	(void)state;
	output_init(&out, STDOUT_FILENO, "out");
	buf_text(&damages, "f: cut\ng: no <b>\tusage\nh: \x1b\n");
	damage_html(&out, &damages);
	assert_text(buf_view(&out.buf), want);
	out.buf.len = 0;
	damages.len = 0;
	damage_html(&out, &damages);
	assert_text(buf_view(&out.buf), "");
	buf_free(&out.buf);
	buf_free(&damages);
}

static void no_damage(void **state)
{
	(void)state;
	assert_answers(STR("#dur\n1\n"), "{}\n");
}

static void two_damages(void **state)
{
	(void)state;
	assert_answers(STR("##damaged\tf\tbyte 5\n##damaged\tg\t\"cut\"\n"),
	               "\nThe input is damaged, and the figures with it:\n"
	               "side a: f: byte 5\nside a: g: \"cut\"\n"
	               "\n**The input is damaged, and the figures with it:**\n\n"
	               "side a: f: byte 5\nside a: g: \"cut\"\n"
	               "{\n  \"damaged\": [\n    \"side a: f: byte 5\",\n"
	               "    \"side a: g: \\\"cut\\\"\"\n  ]\n}\n");
}

/* Under a title of its own, as the input is whole. */
static void wrong_usage(void **state)
{
	(void)state;
	assert_answers(STR("##damaged\tf\tcut\n##damaged\tg\tno column\tusage\n"),
	               "\nWrong usage, so the figures are no answer:\n"
	               "side a: g: no column\n"
	               "\nThe input is damaged, and the figures with it:\n"
	               "side a: f: cut\n"
	               "\n**Wrong usage, so the figures are no answer:**\n\n"
	               "side a: g: no column\n"
	               "\n**The input is damaged, and the figures with it:**\n\n"
	               "side a: f: cut\n"
	               "{\n  \"damaged\": [\n    \"side a: f: cut\",\n"
	               "    \"side a: g: no column\"\n  ]\n}\n");
}

/* One line each: made plain for people, whole for programs. */
static void text_that_is_not_plain(void **state)
{
	(void)state;
	assert_answers(STR("##damaged\ta\\nb\tC:\\\\t\x1b\n"),
	               "\nThe input is damaged, and the figures with it:\n"
	               "side a: a\\x0ab: C:\\t\\x1b\n"
	               "\n**The input is damaged, and the figures with it:**\n\n"
	               "`side a: a\\x0ab: C:\\t\\x1b`\n"
	               "{\n  \"damaged\": [\n    \"side a: a\\nb: C:\\\\t\\u001b\"\n  ]\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(html),
		cmocka_unit_test(no_damage),
		cmocka_unit_test(two_damages),
		cmocka_unit_test(wrong_usage),
		cmocka_unit_test(text_that_is_not_plain),
	};

	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
