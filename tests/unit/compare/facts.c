/* facts: what a trace records about itself. */
#include "../unit.h"

#include "compare/facts.h"

static struct facts facts_of(const char *stream)
{
	struct facts facts = {0};
	struct kev_reader r;
	enum kev_item item;

	unit_feed(str_of(stream));
	kev_open(&r, unit_opts());
	while ((item = kev_next(&r)) > KEV_END) {
		if (item == KEV_META) {
			bool ours = str_equal(r.key, STR("source")) || str_equal(r.key, STR("platform")) ||
			            str_equal(r.key, STR("device")) || str_equal(r.key, STR("deviceProp"));

			assert_int_equal(facts_take(&facts, &r), ours);
		}
	}
	kev_close(&r);
	return facts;
}

static struct str get(const struct facts *facts, const char *key)
{
	static struct buf value;

	value.len = 0;
	facts_get(facts, key, &value);
	return buf_view(&value);
}

static void of_one_trace(void **state)
{
	struct facts facts =
		facts_of("##source\ta\\tb.json\n##via\tx\n##platform\tAMD\n##device\tMI\n"
	             "##deviceProp\tnumSms\t304\n##deviceProp\tname of it\ta\tb\n#x\n1\n");
	struct str name;
	struct buf value = {0};

	(void)state;
	assert_text(get(&facts, "source"), "a\tb.json");
	assert_text(get(&facts, "platform"), "AMD");
	assert_text(get(&facts, "device"), "MI");
	assert_text(get(&facts, "via"), "");
	assert_true(facts_property(&facts, 0, &name, &value));
	assert_text(name, "numSms");
	assert_buf(&value, "304");
	value.len = 0;
	assert_true(facts_property(&facts, 1, &name, &value));
	assert_text(name, "name of it");
	assert_buf(&value, "a\tb");
	assert_false(facts_property(&facts, 2, &name, &value));
	facts_free(&facts);
	buf_free(&value);
}

static void of_several(void **state)
{
	struct facts facts = facts_of("##platform\tAMD\n##source\ta\n##platform\tNVIDIA\n##source\tb\n"
	                              "##platform\tAMD\n##deviceProp\todd\n##damaged\tf\tcut\n#x\n");
	struct str name;
	struct buf value = {0};

	(void)state;
	assert_text(get(&facts, "platform"), "AMD, NVIDIA");
	assert_text(get(&facts, "source"), "a, b");
	assert_text(get(&facts, "device"), "");
	assert_false(facts_property(&facts, 0, &name, &value));
	facts_free(&facts);
	assert_text(get(&facts, "source"), "");
}

/* A platform that was guessed, and corrected; that of the next source is another. */
static void corrected_platforms(void **state)
{
	struct facts facts = facts_of("##source\ta\n##platform\tNVIDIA\n##device\tx\n#x\n1\n"
	                              "##platform\tAMD\n");

	(void)state;
	assert_text(get(&facts, "platform"), "AMD");
	facts_free(&facts);
	facts = facts_of("##platform\tA\n##source\ta\n##platform\tB\n##platform\tC\n##source\tb\n"
	                 "##platform\tA\n##platform\tD\n##source\tc\n##platform\tC\n#x\n1\n");
	assert_text(get(&facts, "platform"), "A, C, D");
	facts_free(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_trace),
		cmocka_unit_test(of_several),
		cmocka_unit_test(corrected_platforms),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
