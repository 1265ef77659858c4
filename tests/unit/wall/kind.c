/* kind: which rows are of a device, and what they do. */
#include "../unit.h"

#include "wall/kind.h"

/* Reads a stream: a letter for each row. H: of the host; else compute, m for comm, y for copy. */
static void assert_kinds(struct str stream, bool memset_computes, const char *want)
{
	struct kinds kinds = {.memset_computes = memset_computes};
	struct kev_reader in;
	struct buf got = {0};
	enum kev_item item;

	unit_feed(stream);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		if (item == KEV_COLUMNS)
			kinds_columns(&kinds, &in);
		else if (item == KEV_META)
			kinds_metadata(&kinds, &in);
		else
			buf_char(&got, kinds_is_device(&kinds, &in) ? "cmy"[kinds_of(&kinds, &in)] : 'H');
	}
	assert_int_equal(item, KEV_END);
	unit_equal(buf_view(&got), str_of(want), __FILE__, __LINE__);
	for (size_t i = 0; i < KIND_COUNT; i++)
		assert_int_equal(kinds.seen[i], strchr(want, "cmy"[i]) != NULL);
	buf_free(&got);
	kinds_free(&kinds);
	kev_close(&in);
}

static void by_category_name_and_class(void **state)
{
	static const struct str stream = BYTES("#name\tcat\top\n"
	                                       "x\tgpu_memcpy\tCollective\n"
	                                       "x\tgpu_memset\tMemory\n"
	                                       "MEMORY_COPY_HOST_TO_DEVICE\tKERNEL\t\n"
	                                       "__amd_rocclr_copyBuffer.kd\tkernel\tCopy/Memory\n"
	                                       "__amd_rocclr_fillBufferAligned\tkernel\tCopy/Memory\n"
	                                       "copy_kernel\tkernel\tCopy/Memory\n"
	                                       "dma_request\tmtia_ccp_events\tMemory\n"
	                                       "[CUDA memcpy HtoD]\tnew\tMemory\n"
	                                       "x\tkernel\tCollective\n"
	                                       "aten::mm\tcpu_op\t\n"
	                                       "sync\tcuda_sync\t\n"
	                                       "nccl\tgpu_user_annotation\t\n"
	                                       "nccl\t\tDense GEMM\n"
	                                       "[Unified Memory GPU page faults]\t\t\n");

	(void)state;
	assert_kinds(stream, false, "yyyyycyymHHHcH");
	assert_kinds(stream, true, "ycyyccyymHHHcH");
}

/* Without op, and for a layout that changes on the way. */
static void by_the_default_rules(void **state)
{
	(void)state;
	assert_kinds(STR("#name\tcat\nncclDevKernel_AllReduce\tkernel\ngemm\tkernel\ngemm\tcpu_op\n"
	                 "#cat\tname\top\nkernel\tncclDevKernel_AllReduce\tother\n"),
	             false, "mcHc");
	assert_kinds(STR("#type\tname\nhcom_allReduce_\tx\nMatMul\tnccl\n"), false, "mc");
}

static void programs_before(void **state)
{
	static const struct {
		struct str stream;
		bool rules, copies;
	} cases[] = {
		{BYTES("##via\tkclass --rules=x\n#name\n"), true, false},
		{BYTES("##via\tkclass\n##via\tkgroup --rules=x\n#name\n"), false, false},
		{BYTES("##via\tkcontext --copies\n#name\n"), false, true},
		{BYTES("##via\tkcontext\n#name\n"), false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct kinds kinds = {.loaded = false};
		struct kev_reader in;

		unit_feed(cases[i].stream);
		kev_open(&in, unit_opts());
		while (kev_next(&in) == KEV_META)
			kinds_metadata(&kinds, &in);
		assert_int_equal(kinds.other_rules, cases[i].rules);
		assert_int_equal(kinds.copies_kept, cases[i].copies);
		kinds_free(&kinds);
		kev_close(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_category_name_and_class),
		cmocka_unit_test(by_the_default_rules),
		cmocka_unit_test(programs_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
