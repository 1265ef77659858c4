/* kclass: rules, what they match, and what of it depends on the platform. */
#include "../unit.h"

#include "kernel/kclass.h"

/* A set of these rules. */
static struct kclass rules(const char *text)
{
	struct kclass k = {0};
	char path[64];

	unit_file(path, str_of(text));
	assert_true(kclass_load(&k, path));
	unlink(path);
	return k;
}

static struct kclass standard(const char *set)
{
	struct kclass k = {0};

	assert_true(kclass_load(&k, set));
	return k;
}

static struct kclass_label of(struct kclass *k, const char *name)
{
	struct kclass_kernel kernel = {.name = str_of(name)};
	struct kclass_label label;

	assert_true(kclass_of(k, &kernel, &label));
	return label;
}

static bool is(struct kclass *k, const char *name, const char *op)
{
	return str_equal(of(k, name).op, str_of(op));
}

static void bad_lines_name_themselves(void **state)
{
	static const struct {
		const char *text;
		const char *error; /* after the file's name */
	} cases[] = {
		{"A\tb\n\thas: x\nA b\n", ":3: a rule begins with a class, a tab and a pattern; its "
	                              "conditions are on indented lines "
	                              "below"},
		{"A\t\n\thas: x\n", ":1: a rule begins with a class, a tab and a pattern; its conditions "
	                        "are on indented lines "
	                        "below"},
		{"A\tb\t-\thas:x\n",
	     ":1: this rule is one line, as in old versions; keep the class and the pattern here, and "
	     "write platform: NAME, part and the conditions on indented lines below"},
		{"\thas: x\n", ":1: this line is indented, and no rule stands before it"},
		{"A\tb\n\thas: x; and: y\n", ":2: unknown condition 'and: y'; use has:, Has:, starts:, "
	                                 "Starts:, not:, fn:, word:, type:, cat:, "
	                                 "cpu_op:, phase:, platform: or part"},
		{"A\tb\n\tand\\ty:\n",
	     ":2: unknown condition 'and\\ty:'; use has:, Has:, starts:, Starts:, not:, fn:, word:, "
	     "type:, cat:, cpu_op:, phase:, platform: or part"},
		{"A\tb\n\thas:\n", ":2: condition 'has:' has an empty value"},
		{"A\tb\n\tplatform:; has: x\n", ":2: platform: has an empty value"},
		{"\n#\nA\tb\n\tpart\n\thas: x|\nC\td\n", ":5: condition 'has: x|' has an empty value"},
		{"A\tb\n\thas: x|\n", ":2: condition 'has: x|' has an empty value"},
		{"A\tb\n\tpart\nC\td\n\thas: x\n", ":1: the rule has no condition"},
		{"A\tb\n\thas: x\n\nC\td\n\tpart\n", ":4: the rule has no condition"},
		{"", ": the file contains no rule"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kclass k = {0};
		struct buf want = {0};
		char path[64];

		unit_file(path, str_of(cases[i].text));
		assert_case(cases[i].text, !kclass_load(&k, path));
		buf_format(&want, "%s%s", path, cases[i].error);
		assert_str(str_of(k.error), buf_view(&want));
		unlink(path);
		buf_free(&want);
		kclass_free(&k);
	}
}

static void sets_can_be_written_and_read(void **state)
{
	static const char *const sets[] = {"default", "classic"};

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct kclass k = standard(sets[i]);
		struct buf text = {0};
		struct kclass again;

		buf_str(&text, kclass_dump(&k));
		buf_char(&text, '\0');
		again = rules(text.data);
		text.len--;
		assert_str(kclass_dump(&again), buf_view(&text));
		kclass_free(&k);
		kclass_free(&again);
		buf_free(&text);
	}
}

static void conditions(void **state)
{
	struct kclass k = rules("Has\tp\n\thas: abc|Q; not: no|NEIN\n"
	                        "Kept\tp\n\tHas: XyZ\n"
	                        "Starts\tp\n\tstarts: Be\n"
	                        "Kept start\tp\n\tStarts: eB\n"
	                        "All\tp\n\thas: one; has: two\n");

	(void)state;
	assert_true(is(&k, "xABCx", "Has"));
	assert_true(is(&k, "q", "Has"));
	assert_true(is(&k, "abc no", "Other"));
	assert_true(is(&k, "abcNein", "Other"));
	assert_true(is(&k, "ab", "Other"));
	assert_true(is(&k, "xXyZ", "Kept"));
	assert_true(is(&k, "xxyz", "Other"));
	assert_true(is(&k, "bEgin", "Starts"));
	assert_true(is(&k, "a begin", "Other"));
	assert_true(is(&k, "eBx", "Kept start"));
	assert_true(is(&k, "ebx", "Other"));
	assert_true(is(&k, "two one", "All"));
	assert_true(is(&k, "two", "Other"));
	assert_true(is(&k, "", "Other"));
	kclass_free(&k);
}

/* Values on several lines, blanks around them, quotes. */
static void values_of_a_condition(void **state)
{
	struct kclass k = rules("Lines\tp\n"
	                        "\thas: one |\n"
	                        "# a comment\n"
	                        "\n"
	                        "\t\ttwo|three |\n"
	                        "  four ; not: no\n"
	                        "Quotes\tp\n"
	                        " fn: \"a b \"|\"x|y;z\"\n"
	                        " ; part ;\n"
	                        "Escapes\tp\n"
	                        "\thas: \\t\n");

	(void)state;
	assert_true(is(&k, "one", "Lines"));
	assert_true(is(&k, "two", "Lines"));
	assert_true(is(&k, "three", "Lines"));
	assert_true(is(&k, "four", "Lines"));
	assert_true(is(&k, "four no", "Other"));
	assert_true(is(&k, "x|y;z", "Quotes"));
	assert_true(of(&k, "x|y;z").part);
	assert_true(is(&k, "x", "Other"));
	assert_true(is(&k, "x\ty", "Escapes"));
	kclass_free(&k);
}

static void fields(void **state)
{
	struct kclass k = rules("Type\tp\n\ttype: MatMul*|Add\n"
	                        "Cat\tp\n\tcat: gpu_mem*\n"
	                        "Operator\tp\n\tcpu_op: mm\n"
	                        "Phase\tp\n\tphase: decode\n");
	static const struct {
		const char *type, *cat, *cpu_op, *phase, *op;
	} cases[] = {
		{"MatMulV2", "", "", "", "Type"},
		{"add", "", "", "", "Type"},
		{"AddN", "", "", "", "Other"},
		{"", "gpu_memset", "", "", "Cat"},
		{"", "a gpu_memset", "", "", "Other"},
		{"", "", "aten::ADDMM", "", "Operator"},
		{"", "", "", "Decode", "Phase"},
		{"", "", "", "decoded", "Other"},
		{"MatMul", "gpu_memcpy", "mm", "decode", "Type"},
		{"N/A", "", "aten::mm", "", "Operator"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(cases); i++) { /* the second time from what is remembered */
		size_t c = i % COUNT(cases);
		struct kclass_kernel kernel = {.name = STR("n"),
		                               .type = str_of(cases[c].type),
		                               .cat = str_of(cases[c].cat),
		                               .cpu_op = str_of(cases[c].cpu_op),
		                               .phase = str_of(cases[c].phase)};
		struct kclass_label label;

		assert_true(kclass_of(&k, &kernel, &label));
		assert_str(label.op, str_of(cases[c].op));
	}
	/* A type at the end of an operator's name, or a name that is one. */
	assert_true(is(&k, "aclnnMatmul_MatMulCommon_MatMulV2", "Type"));
	assert_true(is(&k, "MatMulV3", "Type"));
	assert_true(is(&k, "matmulV3", "Other"));
	assert_true(is(&k, "Add_1", "Other"));
	assert_true(is(&k, "trans_MatMul_12", "Type"));
	assert_true(is(&k, "trans_MatMul", "Type"));
	assert_true(is(&k, "trans_matmul_12", "Other"));
	assert_true(is(&k, "trans_12", "Other"));
	assert_true(is(&k, "trans_", "Other"));
	kclass_free(&k);
}

/* What is remembered of a name is not taken for its kernels in another phase. */
static void a_name_in_two_phases(void **state)
{
	struct kclass k = rules("Decode\tp\n\tphase: decode\n");
	static const char *const phases[] = {"prefill", "decode", "prefill", "mixed", "decode"};

	(void)state;
	for (size_t i = 0; i < COUNT(phases); i++) {
		struct kclass_kernel kernel = {.name = STR("n"), .phase = str_of(phases[i])};
		struct kclass_label label;

		assert_true(kclass_of(&k, &kernel, &label));
		assert_str(label.op, i % 3 == 1 ? STR("Decode") : STR("Other"));
	}
	kclass_free(&k);
}

static void function_names(void **state)
{
	static const struct {
		const char *name;
		bool found;
	} cases[] = {
		{"fn_x", true},
		{"FN_X", true},
		{"void fn_x<a<b>, (c)0>(d*)", true},
		{"void ns::(anonymous namespace)::fn_x<T>(a)", true},
		{"void (anonymous namespace)::fn_x(a)", true},
		{"std::enable_if<(((8)>(0)))&&x, void>::type ns::fn_x<8>(a)", true},
		{"fn_x.kd", true},
		{"fn_x [clone .kd]", true},
		{"_ZN2ns4fn_xILi1EEvPT_", true},
		{"_Z4fn_xPf", true},
		{"fn_x::other(a)", false},
		{"other<fn_x>(a)", false},
		{"other(fn_x)", false},
		{"a fn_xy", false},
		{"_ZN4fn_x5otherEv", false},
		{"_ZN", false},
		{"_Z99999999999999999999fn_x", false},
		{"<", false},
		{">(", false},
		{" ", false},
		{"::", false},
	};
	struct kclass k = rules("Found\tp\n\tfn: fn_x\n");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_case(cases[i].name, is(&k, cases[i].name, "Found") == cases[i].found);
	kclass_free(&k);
}

static void globs(void **state)
{
	static const struct {
		const char *name;
		const char *glob;
		bool equal;
	} cases[] = {
		{"abc", "abc", true},
		{"abc", "ab", false},
		{"ab", "abc", false},
		{"abc", "*", true},
		{"abc", "a*", true},
		{"abc", "*c", true},
		{"abc", "*b*", true},
		{"abc", "b*", false},
		{"abc", "*b", false},
		{"aXbXc", "a*x*c", true},
		{"aab", "*ab", true},
		{"aaab", "a*ab", true},
		{"abab", "*ab", true},
		{"ababa", "*ab", false},
		{"abc", "a**c", true},
		{"abc", "***", true},
		{"mississippi", "m*si*", true},
		{"mississippi", "m*sip*", true},
		{"mississippi", "m*sa*", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf text = {0};
		struct kclass k;

		buf_format(&text, "A\tb\n\tfn: %s\n", cases[i].glob);
		buf_char(&text, '\0');
		k = rules(text.data);
		assert_case(cases[i].glob, is(&k, cases[i].name, "A") == cases[i].equal);
		kclass_free(&k);
		buf_free(&text);
	}
}

static void platforms(void **state)
{
	struct kclass k = rules("Free\tp\n\thas: free\n"
	                        "A\tp\n\tplatform: amd; has: x\n"
	                        "N\tp\n\tplatform: NVIDIA; has: x\n"
	                        "Rest\tp\n\thas: x|y\n");
	struct kclass_kernel x = {.name = STR("x")};
	struct kclass_kernel y = {.name = STR("y")};
	struct kclass_kernel both = {.name = STR("free x")};
	struct kclass_label label;

	(void)state;
	for (int again = 0; again < 2; again++) {
		assert_false(kclass_of(&k, &x, &label));
		assert_true(kclass_of(&k, &y, &label));
		assert_text(label.op, "Rest");
		assert_true(kclass_of(&k, &both, &label));
		assert_text(label.op, "Free");
	}
	assert_true(kclass_set_platform(&k, STR("AMD")));
	assert_true(is(&k, "x", "A"));
	assert_false(kclass_set_platform(&k, STR("amd")));
	assert_true(kclass_set_platform(&k, STR("nvidia")));
	assert_true(is(&k, "x", "N"));
	kclass_set_platform(&k, STR("Ascend")); /* named by no rule */
	assert_true(is(&k, "x", "N"));
	kclass_set_platform(&k, STR(""));
	assert_false(kclass_of(&k, &x, &label));
	kclass_free(&k);
	k = rules("A\tp\n\tplatform: AMD; has: x\n");
	kclass_set_platform(&k, STR("Ascend"));
	assert_true(is(&k, "x", "Other"));
	kclass_free(&k);
	k = rules("T\tp\n\ttype: splitv\n"); /* what a GPU runs has no types */
	assert_true(is(&k, "SplitV", "T"));
	kclass_set_platform(&k, STR("NVIDIA"));
	assert_true(is(&k, "SplitV", "Other"));
	kclass_set_platform(&k, STR("Ascend"));
	assert_true(is(&k, "SplitV", "T"));
	x = (struct kclass_kernel){.name = STR("SplitV"), .cat = STR("kernel")};
	assert_true(kclass_of(&k, &x, &label));
	assert_text(label.op, "Other");
	kclass_free(&k);
}

static void labels(void **state)
{
	struct kclass k = rules("A\t<name>\n\thas: aaaa\n"
	                        "B (<phase>)\tp\\tq\n\thas: b\n"
	                        "C\tc\n\thas: c; part\n");
	struct kclass_kernel kernel = {.name = STR("b")};
	struct kclass_label label;

	(void)state;
	assert_text(of(&k, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1").pattern,
	            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	assert_text(of(&k, "aaaa").pattern, "aaaa");
	/* Characters, not bytes. */
	assert_text(of(&k, "ääääääääääääääääääääääääääääääääääääääääx").pattern,
	            "ääääääääääääääääääääääääääääääääääääääää");
	assert_text(of(&k, "b").op, "B");
	assert_text(of(&k, "b").pattern, "p\tq");
	assert_false(of(&k, "b").part);
	assert_true(of(&k, "c").part);
	kernel.phase = STR("Prefill");
	assert_true(kclass_of(&k, &kernel, &label));
	assert_text(label.op, "B (Prefill)");
	kernel.phase = STR("decode");
	assert_true(kclass_of(&k, &kernel, &label));
	assert_text(label.op, "B (Decode)");
	kernel.phase = STR("mixed");
	assert_true(kclass_of(&k, &kernel, &label));
	assert_text(label.op, "B");
	kclass_free(&k);
}

/* Names that are all different do not add up in memory, and what was forgotten is decided again. */
static void many_kernels(void **state)
{
	enum { KERNELS = 30000, BYTES_OF_NAME = 1000 };
	struct kclass k = rules("A\ta\n\thas: 7\n");
	char name[BYTES_OF_NAME + 1];

	(void)state;
	memset(name, 'x', BYTES_OF_NAME);
	name[BYTES_OF_NAME] = '\0';
	for (int i = 0; i < KERNELS; i++) {
		struct kclass_kernel kernel = {.name = str_of(name)};
		struct kclass_label label;
		struct kclass_label decided;
		char digits[8];

		snprintf(digits, sizeof digits, "%05d", i % (KERNELS * 2 / 3));
		memcpy(name, digits, 5);
		assert_true(kclass_of(&k, &kernel, &label));
		assert_str(label.op, str_of(strchr(digits, '7') ? "A" : "Other"));
		assert_int_equal(label.pattern.n, strchr(digits, '7') ? 1 : 40);
		assert_true(kclass_decide(&k, &kernel, &decided));
		assert_true(str_equal(label.op, decided.op) && str_equal(label.pattern, decided.pattern));
		assert_true(k.seen.records.len < KCLASS_SEEN + KCLASS_SEEN / 16);
	}
	assert_true(k.seen.count > KERNELS / 10);
	assert_int_equal(k.labels.count, 3);
	kclass_free(&k);
}

/* For short names, most of the memory is what is known of them. */
static void many_short_names(void **state)
{
	struct kclass k = rules("A\ta\n\thas: 7\n");
	size_t most = 0;

	(void)state;
	for (int i = 0; i < 400000; i++) {
		char name[16];
		struct kclass_kernel kernel = {.name = {name, 0}};
		struct kclass_label label;

		kernel.name.n = (size_t)snprintf(name, sizeof name, "%x", (unsigned)i);
		assert_true(kclass_of(&k, &kernel, &label));
		most = k.seen.count > most ? k.seen.count : most;
	}
	assert_in_range(most, KCLASS_SEEN / 200, KCLASS_SEEN / 60);
	kclass_free(&k);
}

/* An attention begins a layer; a part of one has its class and does not. */
static void layers_begin_with_an_attention(void **state)
{
	static const struct {
		const char *name;
		bool begins;
		bool part;
	} cases[] = {
		{"attn_fwd", true, false},
		{"kernel_unified_attention_2d", true, false},
		{"reduce_segments", false, true},
		{"void paged_attention_ll4mi_QKV_mfma16_kernel<0>(x)", true, false},
		{"void paged_attention_ll4mi_reduce_kernel<0>(x)", false, true},
		{"_fwd_grouped_kernel_stage1", true, false},
		{"_fwd_kernel_stage2", false, true},
		{"void flash_fwd_splitkv_kernel<a>(b)", true, false},
		{"void flash_fwd_splitkv_combine_kernel<a>(b)", false, true},
		{"void flash_bwd_dot_do_o_kernel<a>(b)", false, true},
		{"void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<a>(b)", true, false},
		{"void vllm::reshape_and_cache_flash_kernel<a>(b)", false, false},
		{"triton_poi_fused__scaled_dot_product_flash_attention_cat_0", false, false},
		{"nvjet_tst_64x64_64x16_2x1_v_bz_TNT", false, false},
	};
	struct kclass k = standard(NULL);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kclass_kernel kernel = {.name = str_of(cases[i].name)};

		assert_case(cases[i].name, kclass_begins_layer(&k, &kernel) == cases[i].begins);
		assert_case(cases[i].name, of(&k, cases[i].name).part == cases[i].part);
	}
	/* Type, category, operator and phase count as well. */
	assert_true(
		kclass_begins_layer(&k, &(struct kclass_kernel){.type = STR("FlashAttentionScore")}));
	assert_true(kclass_begins_layer(&k, &(struct kclass_kernel){.cpu_op = STR("aten::_sdpa")}));
	assert_false(kclass_begins_layer(
		&k, &(struct kclass_kernel){.cat = STR("gpu_memcpy"), .cpu_op = STR("aten::_sdpa")}));
	kclass_free(&k);
	k = rules("Attention\tp\n\tplatform: AMD; has: x\n"); /* the platform decides, and is unknown */
	assert_false(kclass_begins_layer(&k, &(struct kclass_kernel){.name = STR("x")}));
	kclass_free(&k);
}

static void no_file(void **state)
{
	struct kclass k = {0};

	(void)state;
	assert_false(kclass_load(&k, "/nonexistent/rules"));
	assert_text(str_of(k.error), "/nonexistent/rules: cannot be opened: No such file or directory");
	kclass_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_lines_name_themselves),
		cmocka_unit_test(sets_can_be_written_and_read),
		cmocka_unit_test(conditions),
		cmocka_unit_test(values_of_a_condition),
		cmocka_unit_test(fields),
		cmocka_unit_test(a_name_in_two_phases),
		cmocka_unit_test(function_names),
		cmocka_unit_test(globs),
		cmocka_unit_test(platforms),
		cmocka_unit_test(labels),
		cmocka_unit_test(many_kernels),
		cmocka_unit_test(many_short_names),
		cmocka_unit_test(layers_begin_with_an_attention),
		cmocka_unit_test(no_file),
	};

	return cmocka_run_group_tests_name("kclass", tests, NULL, NULL);
}
