/* records: the objects of lists anywhere in a document, and the damage around them. */
#include "../unit.h"

#include "trace2tsv/piece.h"
#include "trace2tsv/records.h"

static const char *const lists[] = {"top/a", "top/deep/b", "one"};
static const char *const others[] = {"top/other", "top/deep/other"};
static const char *const names[] = {"x", "id", "n"};
static const char *const flat[] = {"flat"};

static const struct records_options options = {.lists = lists,
                                               .lists_count = COUNT(lists),
                                               .others = others,
                                               .others_count = COUNT(others),
                                               .watched = "top/deep",
                                               .group = "top",
                                               .names = names,
                                               .names_count = COUNT(names),
                                               .flat = flat,
                                               .flat_count = COUNT(flat),
                                               .single = "handle"};

static void show_record(struct buf *out, const struct records *r)
{
	buf_format(out, "%zu:", r->list);
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct json_value *value = &r->value[i];

		if (value->type == JSON_NONE)
			continue;
		buf_text(out, names[i]);
		buf_char(out, value->type == JSON_STRING ? '\'' : value->type == JSON_NESTED ? '~' : '=');
		buf_str(out, value->text);
		buf_char(out, ',');
	}
	buf_char(out, ' ');
}

/*
 * All items of one look: "G " a group, "L0 " a list, "0:x=1, " a record, "?KEY " an unknown array,
 * "!7 " damage.
 */
static void show_look(struct buf *out, struct records *r)
{
	enum records_item item;

	while ((item = records_next(r)) > RECORDS_END) {
		if (item == RECORDS_RECORD)
			show_record(out, r);
		else if (item == RECORDS_GROUP)
			buf_text(out, "G ");
		else if (item == RECORDS_LIST)
			buf_format(out, "L%zu ", r->list);
		else if (item == RECORDS_UNKNOWN)
			buf_format(out, "?%.*s ", (int)r->key.len, r->key.data);
		else
			buf_format(out, "!%.*s ", (int)strcspn(r->text.error + 5, ": "), r->text.error + 5);
	}
	if (item == RECORDS_BROKEN)
		buf_format(out, "broken %s", r->text.error);
	assert_int_equal(records_next(r), item);
}

static void open_stdin(struct records *r, const struct records_options *how, size_t head)
{
	struct input in;
	char text[64];
	ssize_t got;

	assert_true(input_open(&in, "-"));
	got = head ? input_read(&in, text, head) : 0;
	assert_true(got >= 0);
	records_open(r, &in, (struct str){text, (size_t)got}, how);
}

static const struct {
	const char *text;
	const char *items;
} cases[] = {
	/* Lists, records alone, arrays on the way, members that are none of these. */
	{"{\"top\":{\"a\":[{\"x\":1},{\"x\":2}]}}", "G L0 0:x=1, 0:x=2, "},
	{"\xef\xbb\xbf {\"no\":[{\"x\":1}],\"top\":[{\"a\":[]},{\"deep\":{\"b\":[{\"x\":3}]}}]}\n",
     "G L0 G L1 1:x=3, "},
	{"{\"one\":{\"x\":5},\"top\":7,\"one\":[{\"x\":6}]}", "2:x=5, L2 2:x=6, "},
	{"{\"top/"
     "a\":[{\"x\":1}],\"a\":[{\"x\":1}],\"top\":{\"to\\u0070\":[{\"x\":1}],\"\\u0061\":[{}]}}",
     "G L0 0: "},
	{"{}", ""},
	/* Unknown members of an object: arrays that are not empty are reported. */
	{"{\"top\":{\"deep\":{\"c\":[1],\"b\":[],\"d\":[ ],\"e\":{\"x\":1},\"other\":[1],\"f\":[{}]},"
     "\"g\":[2]},\"c\":[3]}",
     "G ?c L1 ?f "},
	/* Values: text decoded, nested, of an object with one member, of objects that are flat. */
	{"{\"one\":[{\"x\":\"a\\n\\\"\",\"id\":{\"handle\":9},\"n\":{\"handle\":9,\"y\":[1]}}]}",
     "L2 2:x'a\n\",id=9,n~{\"handle\":9,\"y\":[1]}, "},
	{"{\"one\":[{\"flat\":{\"x\":1,\"flat\":{\"id\":2}},\"n\":null,\"y\":{\"x\":7}}]}",
     "L2 2:x=1,id=2,n=null, "},
	{"{\"one\":[{\"x\":1,\"x\":2,\"i\\u0064\":-1.5e3,\"n\":[{},[]]}]}",
     "L2 2:x=2,id=-1.5e3,n~[{},[]], "},
	/* Damage is skipped up to the next record. */
	{"{\"one\":[{\"x\":1},{\"x:2},{\"x\":3},{\"x\":4}]}", "L2 2:x=1, !25 2:x=4, "},
	{"{\"one\":[{\"x\" 1},{\"x\":2}{\"x\":3},7,{\"x\":4},,{\"x\":5}]}",
     "L2 !13 2:x=2, !23 2:x=3, !31 2:x=4, !41 2:x=5, "},
	{"{\"one\":[{\"x\":1}, ]}", "L2 2:x=1, !17 "},
	/*
     * Damage is skipped up to the next list, or a known member; an array within a record is
     * neither.
     */
	{"{\"top\":{\"a\":[{\"x\" 1}],\"deep\":{\"b\":[{\"x\":2}]}}}", "G L0 !18 L1 1:x=2, "},
	{"{\"top\":{\"a\":[{\"x\" 1}],\"other\":[{\"x\":8},{\"x\":9}]},\"one\":[{\"x\":2}]}",
     "G L0 !18 L2 2:x=2, "},
	{"{\"top\":{\"a\":[{\"x\" 1,\"y\":[{\"x\":5},{\"x\":6}]},{\"x\":2}]},\"one\":[{\"x\":3}]}",
     "G L0 !18 0:x=6, !40 0:x=2, L2 2:x=3, "},
	{"{\"no\" 1,\"one\":[{\"x\":2}]}", "!6 L2 2:x=2, "},
	/* The end of the text. */
	{"{\"one\":[{\"x\":1},{\"x\":2}",
     "L2 2:x=1, 2:x=2, broken byte 23: a list is cut off: the text "
     "ends at byte 23"},
	{"{\"one\":[{\"x\":1},{\"x\":",
     "L2 2:x=1, broken byte 16 (record 2): this record is cut off: the "
     "text ends at byte 21"},
	{"{\"one\":[{\"x\" 1}]}",
     "L2 broken byte 13 (record 1): : expected, '1' found; reading ends here, "
     "as no further record is found"},
	{"{\"top\":{", "G broken byte 8: the top-level object is cut off: the text ends at byte 8"},
	{"{\"one\":[]} {", "L2 broken byte 11: text follows the end of the document"},
	{"", "broken byte 0: { is cut off: the text ends at byte 0"},
	{"[]", "broken byte 0: { expected, '[' found"},
};

static void lists_and_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (size_t head = 0; head < 64; head += 21) {
			struct records r;
			struct buf items = {0};
			struct buf second = {0};

			unit_feed(str_of(cases[i].text));
			open_stdin(&r, &options, head);
			show_look(&items, &r);
			assert_str(buf_view(&items), str_of(cases[i].items));
			assert_true(records_again(&r));
			show_look(&second, &r);
			assert_str(buf_view(&second), buf_view(&items));
			records_close(&r);
			buf_free(&items);
			buf_free(&second);
		}
	}
}

/* What passes, and what only --strict refuses. */
static void strictly(void **state)
{
	static const char *const texts[] = {
		"{\"one\":[{\"x\":\"\1\"}]}",  "{\"one\":[{\"x\":\"\xff\"}]}",
		"{\"one\":[{\"x\":\"\\q\"}]}", "{\"one\":[{\"x\":\"\\u00g0\"}]}",
		"{\"one\":[{\"y\":[NaN]}]}",   "{\"no\":[01]}",
	};
	struct records_options strict = options;

	(void)state;
	strict.strict = true;
	for (size_t i = 0; i < COUNT(texts); i++) {
		for (int how = 0; how < 2; how++) {
			struct records r;
			enum records_item item;

			unit_feed(str_of(texts[i]));
			open_stdin(&r, how ? &strict : &options, 0);
			while ((item = records_next(&r)) > RECORDS_END && item != RECORDS_DAMAGED)
				;
			assert_int_equal(item, how ? RECORDS_BROKEN : RECORDS_END);
			records_close(&r);
		}
	}
}

/* Values of any size are skipped; a record of more than a MiB is damage, and so is deep nesting. */
static void large(void **state)
{
	enum { MIB = 1 << 20 };
	struct records r;
	struct buf text = {0};
	struct buf items = {0};

	(void)state;
	buf_text(&text, "{\"no\":[");
	for (int i = 0; i < MIB; i++)
		buf_text(&text, "[\"]\\\"\"],");
	buf_text(&text, "1],\"one\":[{\"x\":1},{\"y\":\"");
	for (int i = 0; i < 2 * MIB; i++)
		buf_char(&text, 'y');
	buf_text(&text, "\",\"x\":2},{\"x\":3,\"y\":");
	for (int i = 0; i <= PIECE_DEPTH; i++)
		buf_char(&text, '[');
	for (int i = 0; i <= PIECE_DEPTH; i++)
		buf_char(&text, ']');
	buf_text(&text, "},{\"x\":4}]}");
	unit_feed(buf_view(&text));
	open_stdin(&r, &options, 0);
	show_look(&items, &r);
	assert_text(buf_view(&items), "L2 2:x=1, !8388633 !10486067 2:x=4, ");
	assert_true(r.text.cap < 4 * MIB);
	records_close(&r);
	buf_free(&text);
	buf_free(&items);
}

/* Pieces of the input do not matter. */
static void in_steps(void **state)
{
	struct buf text = {0};

	(void)state;
	buf_text(&text, "{\"one\":[");
	for (int i = 0; i < 9; i++)
		buf_format(&text, "%s{\"x\":%d,\"id\":{\"handle\":%d},\"n\":\"\\u00e9\"}", i ? " , " : "",
		           i, i);
	buf_text(&text, "]}");
	for (size_t step = 1; step < 30; step += 7) {
		struct records r;
		size_t count = 0;

		unit_feed_in_steps(buf_view(&text), step);
		open_stdin(&r, &options, 0);
		while (records_next(&r) > RECORDS_END)
			count++;
		assert_int_equal(count, 10);
		records_close(&r);
	}
	buf_free(&text);
}

static void a_pipe_is_read_once(void **state)
{
	struct records r;

	(void)state;
	unit_feed_pipe(STR("{}"));
	open_stdin(&r, &options, 0);
	assert_int_equal(records_next(&r), RECORDS_END);
	assert_false(records_again(&r));
	assert_string_equal(r.text.error, "cannot be reread: it is not a regular file");
	assert_int_equal(records_next(&r), RECORDS_BROKEN);
	records_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_damage),
		cmocka_unit_test(strictly),
		cmocka_unit_test(large),
		cmocka_unit_test(in_steps),
		cmocka_unit_test(a_pipe_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
