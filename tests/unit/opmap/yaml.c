/* yaml: a file as a tree, its merges, its errors. */
#include "../unit.h"

#include "opmap/yaml.h"

static void put(struct buf *out, const struct yaml_node *node)
{
	if (node->kind == YAML_TEXT) {
		buf_str(out, node->text);
		return;
	}
	buf_char(out, node->kind == YAML_MAP ? '{' : '[');
	for (size_t i = 0; i < node->count; i++) {
		if (i)
			buf_char(out, ' ');
		if (node->kind == YAML_MAP) {
			put(out, node->member[i].key);
			buf_char(out, '=');
			put(out, node->member[i].value);
		} else {
			put(out, node->member[i].value);
		}
	}
	buf_char(out, node->kind == YAML_MAP ? '}' : ']');
}

/* The tree in few signs, or the error. */
static void assert_tree(struct str text, struct str want, const char *file, int line)
{
	struct yaml y;
	struct buf got = {0};

	unit_feed(text);
	if (!yaml_open(&y, "-"))
		buf_text(&got, y.error);
	else if (y.root)
		put(&got, y.root);
	else
		buf_text(&got, "nothing");
	unit_equal(buf_view(&got), want, file, line);
	yaml_close(&y);
	buf_free(&got);
}

#define assert_yaml(text, want) assert_tree(STR(text), STR(want), __FILE__, __LINE__)

static void scalars_lists_mappings(void **state)
{
	(void)state;
	assert_yaml("a: 1\nb: [x, 'y z', \"\\u4e2d\\n\"]\nc:\n  d: {e: f}\n  g:\n    - h\n    - i\n",
	            "{a=1 b=[x y z \xe4\xb8\xad\n] c={d={e=f} g=[h i]}}");
	assert_yaml(
		"\"aten.mm.default\":\n  kernel_type: MatMulV2 # a comment\n  notes: >\n    one\n    two\n",
		"{aten.mm.default={kernel_type=MatMulV2 notes=one two\n}}");
	assert_yaml("{\"a\": {\"b\": true}}", "{a={b=true}}"); /* JSON */
	assert_yaml("\xef\xbb\xbf"
	            "a: b\r\n",
	            "{a=b}");
	assert_yaml("%YAML 1.1\n---\na: b\n...\n", "{a=b}");
	assert_yaml("- a\n-\n- !!str 5\n", "[a  5]");
	assert_yaml("{[a]: b, c: d}", "{c=d}"); /* a key that is no text */
	assert_yaml("5", "5");
}

static void an_empty_file(void **state)
{
	(void)state;
	assert_yaml("", "nothing");
	assert_yaml("\n# a comment\n", "nothing");
	assert_yaml("---\n", ""); /* a document, with no text in it */
}

static void aliases_and_merges(void **state)
{
	(void)state;
	assert_yaml("a: &x {k: v}\nb: *x\nc: &y w\nd: [*y, *x]\n", "{a={k=v} b={k=v} c=w d=[w {k=v}]}");
	assert_yaml("a: &x {k: v, l: w}\nb: {<<: *x, k: own}\n", "{a={k=v l=w} b={k=own l=w}}");
	assert_yaml("a: &x {k: v, l: w}\nb:\n  k: own\n  <<: *x\n", "{a={k=v l=w} b={k=own l=w}}");
	/* The first of several holds. */
	assert_yaml("[&x {k: 1}, &y {k: 2, l: 3}, {<<: [*x, *y]}]", "[{k=1} {k=2 l=3} {k=1 l=3}]");
	assert_yaml("[&x {k: 1}, &y {<<: *x, l: 2}, {m: 3, <<: *y}]",
	            "[{k=1} {l=2 k=1} {m=3 l=2 k=1}]");
	assert_yaml("[{<<: {k: 1}}, {<<: []}]", "[{k=1} {}]");
	assert_yaml("'<<': a", "{<<=a}"); /* in quotes it is a word */
}

static void what_is_wrong_and_where(void **state)
{
	(void)state;
	assert_yaml("a: b\nc: [d\ne: f\n",
	            "-:3:2: did not find expected ',' or ']' (while parsing a flow sequence, line 2)");
	assert_yaml("a: b\n  c: d\n", "-:2:4: mapping values are not allowed in this context");
	assert_yaml("a: b\n\tc: d\n",
	            "-:2:1: found a tab character that violates indentation (while scanning a plain "
	            "scalar, line 1)");
	assert_yaml("a: *x\n", "-:1:4: found undefined alias");
	assert_yaml("a: \"x\n",
	            "-:2:1: found unexpected end of stream (while scanning a quoted scalar, "
	            "line 1)");
	assert_yaml("a: b\nc: \x01\n", "-:2:4: control characters are not allowed");
	assert_yaml("a: b\n\xff\n", "-:2:1: invalid leading UTF-8 octet");
	assert_yaml("a: b\n---\nc: d\n", "-:3:1: a second document in one file");
	assert_yaml("a: b\n---\n{\n", "-:3:1: a second document in one file");
	assert_yaml("a: &x b\nc: &x d\n", "-:2:4: duplicate anchor 'x'");
	assert_yaml("a: b\nc: d\na: e\n", "-:3:1: duplicate key 'a'");
	assert_yaml("x:\n  a: b\n  'a': c\n", "-:3:3: duplicate key 'a'");
	assert_yaml("a:\n  <<: b\n", "-:2:3: <<: the merged value is not a mapping");
	assert_yaml("a:\n  <<: [{}, b]\n", "-:2:3: <<: the merged value is not a mapping");
	assert_yaml("a: &x\n  <<: *x\n", "-:2:3: <<: a mapping is merged into itself");
	assert_yaml("a: &x\n  <<: &y\n    <<: *x\n", "-:3:5: <<: a mapping is merged into itself");
}

/* Aliases of aliases and merges of merges: what they would make is not made. */
static void small_files_stay_small(void **state)
{
	struct buf text = {0};
	struct yaml y;

	(void)state;
	buf_text(&text, "a0: &a0 [x]\n");
	for (int i = 1; i < 60; i++)
		buf_format(&text, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1);
	unit_feed(buf_view(&text));
	assert_true(yaml_open(&y, "-"));
	assert_int_equal(y.root->count, 60);
	yaml_close(&y);

	text.len = 0;
	buf_text(&text, "- &a0 {k0: v}\n");
	for (int i = 1; i < 60; i++)
		buf_format(&text, "- &a%d {k%d: v, <<: [*a%d, *a%d]}\n", i, i, i - 1, i - 1);
	unit_feed(buf_view(&text));
	assert_true(yaml_open(&y, "-"));
	assert_int_equal(y.root->member[59].value->count, 60);
	yaml_close(&y);

	/* Each has all members of the one before it. */
	text.len = 0;
	buf_text(&text, "- &a0 {k0: v}\n");
	for (int i = 1; i < 1500; i++)
		buf_format(&text, "- &a%d {k%d: v, <<: *a%d}\n", i, i, i - 1);
	unit_feed(buf_view(&text));
	assert_false(yaml_open(&y, "-"));
	assert_non_null(strstr(y.error, ": more than 1048576 members; are merges nested?"));
	yaml_close(&y);

	/* Open at one time, as each is met before what it merges. */
	text.len = 0;
	for (int i = 0; i < 70; i++)
		buf_format(&text, "{k%d: v, <<: ", i);
	buf_text(&text, "{}");
	for (int i = 0; i < 70; i++)
		buf_char(&text, '}');
	unit_feed(buf_view(&text));
	assert_false(yaml_open(&y, "-"));
	assert_non_null(strstr(y.error, "<<: merges are nested deeper than 64"));
	yaml_close(&y);
	buf_free(&text);
}

static void members_by_name(void **state)
{
	struct yaml y;
	const struct yaml_node *entry;

	(void)state;
	unit_feed(STR("x:\n    entry: {k: v}\n"));
	assert_true(yaml_open(&y, "-"));
	entry = yaml_get(yaml_get(y.root, STR("x")), STR("entry"));
	assert_str(yaml_get(entry, STR("k"))->text, STR("v"));
	assert_null(yaml_get(entry, STR("v")));
	assert_null(yaml_get(yaml_get(entry, STR("k")), STR("k")));
	assert_int_equal(entry->line, 2);
	assert_int_equal(entry->column, 12);
	yaml_close(&y);
}

/* "n" null, "t" true, "f" false, "." none of these: for each item of the list. */
static void nulls_and_booleans(void **state)
{
	struct yaml y;
	struct buf got = {0};

	(void)state;
	unit_feed(STR("[~, null, NULL, nULL, '', \"null\", [], {},\n"
	              "true, True, TRUE, yes, on, On, tRUE, 'true', 1, y,\n"
	              "false, FALSE, no, No, off, OFF, \"no\", 0, n]\n"));
	assert_true(yaml_open(&y, "-"));
	for (size_t i = 0; i < y.root->count; i++) {
		bool value;

		if (yaml_is_null(y.root->member[i].value))
			buf_char(&got, 'n');
		else if (!yaml_boolean(y.root->member[i].value, &value))
			buf_char(&got, '.');
		else
			buf_char(&got, value ? 't' : 'f');
	}
	assert_buf(&got, "nnn....."
	                 "tttttt...."
	                 "ffffff...");
	yaml_close(&y);
	buf_free(&got);

	unit_feed(STR("a:\n")); /* nothing at all */
	assert_true(yaml_open(&y, "-"));
	assert_true(yaml_is_null(yaml_get(y.root, STR("a"))));
	yaml_close(&y);
}

static void files_that_cannot_be_read(void **state)
{
	struct yaml y;
	struct buf packed = {0};

	(void)state;
	assert_false(yaml_open(&y, "/nonexistent"));
	assert_str(str_of(y.error), STR("/nonexistent: cannot be opened: No such file or directory"));
	yaml_close(&y);
	assert_false(yaml_open(&y, "/dev/zero"));
	assert_str(str_of(y.error), STR("/dev/zero: the file exceeds 64 MiB; this is not a mapping"));
	yaml_close(&y);

	unit_gzip(&packed, STR("a: b\n"), 6);
	unit_feed(buf_view(&packed));
	assert_true(yaml_open(&y, "-"));
	assert_int_equal(y.root->count, 1);
	yaml_close(&y);
	unit_feed((struct str){packed.data, packed.len - 5});
	assert_false(yaml_open(&y, "-"));
	assert_true(str_starts(str_of(y.error), STR("-: ")));
	yaml_close(&y);
	buf_free(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalars_lists_mappings), cmocka_unit_test(an_empty_file),
		cmocka_unit_test(aliases_and_merges),     cmocka_unit_test(what_is_wrong_and_where),
		cmocka_unit_test(small_files_stay_small), cmocka_unit_test(members_by_name),
		cmocka_unit_test(nulls_and_booleans),     cmocka_unit_test(files_that_cannot_be_read),
	};

	return cmocka_run_group_tests_name("yaml", tests, NULL, NULL);
}
