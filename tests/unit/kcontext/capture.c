/* capture: captures, sets and eager kernels of a REF. */
#include "../unit.h"

#include "kcontext/capture.h"

struct call {
	int ts;
	uint32_t thread;
	const char *name;
	const char *kernel;
};

/* Threads 0 to 2, whose texts are in another order. */
static struct strmap made_threads(void)
{
	struct strmap threads = {0};

	strmap_add(&threads, STR("9\t9"), NULL);
	strmap_add(&threads, STR("9\t10"), NULL);
	strmap_add(&threads, STR("9\t11"), NULL);
	return threads;
}

static void add(struct captures *captures, struct capture_ref *ref, const struct call *calls,
                size_t count, bool back)
{
	for (size_t i = 0; i < count; i++) {
		const struct call *call = &calls[back ? count - 1 - i : i];

		captures_call(captures, ref, dec_of(call->ts), call->thread, str_of(call->name),
		              str_of(call->kernel ? call->kernel : ""));
	}
}

/* "name: kernels; ..." of all captures of each set; C and S are copies and memsets, ? no name. */
static void put_sets(const struct captures *captures, struct buf *text)
{
	for (size_t i = 0; i < captures->sets; i++) {
		const struct capture_set *set = &captures->set[i];

		buf_str(text, captures_text(captures, set->name));
		if (set->sized)
			buf_format(text, "=%llu", (unsigned long long)set->size);
		buf_char(text, ':');
		for (size_t k = set->first; k < set->first + set->count; k++) {
			const struct capture *capture = &captures->capture[k];

			assert_int_equal(capture->set, i);
			buf_char(text, ' ');
			for (size_t j = capture->first; j < capture->first + capture->count; j++) {
				uint32_t token = captures->token[j];

				if (token < CAPMATCH_NAMED)
					buf_char(text, "CS?"[token]);
				else
					buf_str(text, strmap_key(&captures->names, token - CAPMATCH_NAMED));
			}
		}
		buf_char(text, '\n');
	}
}

static void assert_sets(const struct call *calls, size_t count, const char *want)
{
	for (int back = 0; back < 2; back++) {
		struct captures captures = {.columns = 1};
		struct capture_ref ref = {0};
		struct strmap threads = made_threads();
		struct buf got = {0};

		add(&captures, &ref, calls, count, back);
		assert_true(
			captures_annotation(&captures, &ref, 0, dec_of(50), dec_of(50), STR("capture_32_X")));
		assert_true(
			captures_annotation(&captures, &ref, 0, dec_of(10), dec_of(100), STR("capture_z")));
		assert_int_equal(captures_build(&captures, &ref, &threads), want[0] != 0);
		put_sets(&captures, &got);
		assert_str(buf_view(&got), str_of(want));
		buf_free(&got);
		strmap_free(&threads);
		capture_ref_free(&ref);
		captures_free(&captures);
	}
}

#define BEGIN(ts, thread)                         \
	{                                             \
		ts, thread, "hipStreamBeginCapture", NULL \
	}
#define END(ts, thread)                         \
	{                                           \
		ts, thread, "hipStreamEndCapture", NULL \
	}

/* Warm-up launches are outside; calls that launch nothing do not count. */
static void a_capture(void **state)
{
	static const struct call calls[] = {
		{1, 0, "hipLaunchKernel", "w"},          BEGIN(2, 0),
		{3, 0, "hipLaunchKernel", "a"},          {4, 0, "hipStreamGetCaptureInfo", NULL},
		{5, 0, "hipMemcpyAsync", NULL},          {6, 0, "hipMemsetAsync", NULL},
		{7, 0, "hipExtModuleLaunchKernel", "b"}, {8, 0, "hipLaunchCooperativeKernel", "c"},
		{9, 0, "cuLaunchKernelEx", NULL},        END(10, 0),
		{11, 0, "hipLaunchKernel", "w"},
	};

	(void)state;
	assert_sets(calls, COUNT(calls), ": aCSbc?\n");
}

/* Captures of a set, in order; the shortest annotation counts, on its thread. */
static void sets(void **state)
{
	static const struct call calls[] = {
		BEGIN(60, 0),
		{61, 0, "hipLaunchKernel", "a"},
		END(62, 0),
		BEGIN(64, 0),
		{65, 0, "hipLaunchKernel", "b"},
		END(66, 0),
		BEGIN(20, 0),
		{21, 0, "hipLaunchKernel", "c"},
		END(22, 0),
		BEGIN(63, 1),
		{64, 1, "hipLaunchKernel", "d"},
		END(65, 1),
		BEGIN(63, 2),
		{64, 2, "hipLaunchKernel", "e"},
		END(65, 2),
		BEGIN(5, 0),
		{6, 0, "hipLaunchKernel", "f"},
		END(7, 0),
		BEGIN(8, 0),
		END(9, 0), /* no calls */
	};

	(void)state;
	assert_sets(calls, COUNT(calls), ": f d e\ncapture_z: c\ncapture_32_X=32: a b\n");
}

/* An end closes the last open begin; one without the other is ignored. */
static void within_each_other(void **state)
{
	static const struct call nested[] = {
		END(1, 0),   {2, 0, "hipLaunchKernel", "w"},  BEGIN(3, 0),  BEGIN(4, 0),
		BEGIN(5, 0), {6, 0, "hipLaunchKernel", "a"},  END(7, 0),    {8, 0, "hipLaunchKernel", "b"},
		END(9, 0),   {10, 0, "hipLaunchKernel", "c"}, BEGIN(11, 1), {12, 1, "hipLaunchKernel", "d"},
	};
	static const struct call open[] = {
		BEGIN(3, 0),
		{4, 0, "hipLaunchKernel", "a"},
		{4, 1, "hipLaunchKernel", "b"},
		END(5, 1),
	};

	(void)state;
	assert_sets(nested, COUNT(nested), ": ab a\n");
	assert_sets(open, COUNT(open), "");
}

/* The outermost captures stay. A capture without calls is left out in any case. */
static void too_deep(void **state)
{
	struct captures captures = {.columns = 1};
	struct capture_ref ref = {0};
	struct strmap threads = made_threads();
	const int64_t depth = CAPTURE_DEPTH + 3;

	(void)state;
	for (int64_t i = 0; i < depth; i++) {
		captures_call(&captures, &ref, dec_of(3 * i), 0, STR("hipStreamBeginCapture"), STR(""));
		if (i + 1 < depth)
			captures_call(&captures, &ref, dec_of(3 * i + 1), 0, STR("hipLaunchKernel"), STR("a"));
		captures_call(&captures, &ref, dec_of(999 + i), 0, STR("hipStreamEndCapture"), STR(""));
	}
	assert_true(captures_build(&captures, &ref, &threads));
	assert_int_equal(ref.deep, 2);
	assert_int_equal(ref.single, 0);
	assert_int_equal(captures.calls, depth - 1);
	assert_int_equal(captures.count, CAPTURE_DEPTH);
	for (size_t i = 0; i < captures.count; i++)
		assert_int_equal(captures.capture[i].count, captures.calls - i);
	strmap_free(&threads);
	capture_ref_free(&ref);
	captures_free(&captures);
}

/* On each thread for itself. */
static void without_the_other(void **state)
{
	static const struct call calls[] = {
		END(1, 0),   BEGIN(2, 0), {3, 0, "hipLaunchKernel", "a"}, END(4, 0),
		BEGIN(5, 0), BEGIN(6, 0), {7, 0, "hipLaunchKernel", "b"}, END(8, 0),
		BEGIN(9, 1), END(10, 2),
	};
	struct captures captures = {.columns = 1};
	struct capture_ref ref = {0};
	struct strmap threads = made_threads();

	(void)state;
	add(&captures, &ref, calls, COUNT(calls), false);
	assert_true(captures_build(&captures, &ref, &threads));
	assert_int_equal(ref.single, 4);
	assert_int_equal(captures.count, 2);
	strmap_free(&threads);
	capture_ref_free(&ref);
	captures_free(&captures);
}

static void names(void **state)
{
	(void)state;
	assert_true(captures_is_annotation(STR("capture_")));
	assert_false(captures_is_annotation(STR("capture")));
	assert_false(captures_is_annotation(STR("recapture_1")));
	assert_true(captures_is_call(STR("cudaStreamBeginCaptureToGraph")));
	assert_true(captures_is_call(STR("cuStreamEndCapture_v2")));
	assert_true(captures_is_call(STR("hipExtModuleLaunchKernel")));
	assert_true(captures_is_call(STR("cudaMemcpyAsync")));
	assert_true(captures_is_call(STR("cudaMemsetAsync")));
	assert_false(captures_is_call(STR("cudaStreamIsCapturing")));
	assert_false(captures_is_call(STR("cudaGraphLaunch")));
}

/* By launch, then by their own time; values and places of calls of two REFs. */
static void eager_kernels(void **state)
{
	struct captures captures = {.columns = 2};
	struct capture_ref ref = {0};
	struct strmap threads = made_threads();
	struct dec ts;

	(void)state;
	assert_false(captures_build(&captures, &ref, &threads));
	capture_ref_free(&ref);
	for (int round = 0; round < 2; round++) {
		static const struct {
			int launch, ts;
			bool eager;
			const char *name;
		} rows[] = {{7, 9, true, "b"}, {0, 8, false, "x"}, {5, 12, true, "z"}, {5, 11, true, "a"}};
		size_t first = captures.calls;

		for (size_t i = 0; i < COUNT(rows); i++) {
			captures_row(&ref, dec_of(rows[i].ts),
			             captures_token(&captures, STR("kernel"), str_of(rows[i].name)), 0, 0);
			ref.row[i].launch_ts = dec_of(rows[i].launch);
			ref.row[i].launch_thread = rows[i].eager ? (uint32_t)round : CAPTURE_NONE;
		}
		assert_true(captures_build(&captures, &ref, &threads));
		assert_int_equal(captures.calls, first + 3);
		assert_int_equal(captures.eagers, round + 1);
		assert_int_equal(captures.eager[round].first, first);
		assert_int_equal(captures.eager[round].count, 3);
		for (size_t i = 0; i < 3; i++) {
			struct str name =
				strmap_key(&captures.names, captures.token[first + i] - CAPMATCH_NAMED);

			assert_int_equal(name.s[0], "azb"[i]);
			assert_int_equal(capture_ref_where(&ref, first + i, &ts), round);
			assert_int_equal(dec_compare(ts, dec_of(i == 2 ? 7 : 5)), 0);
			captures_value(&captures, first + i, 1, name);
			captures_operator(&captures, first + i, 3);
		}
		assert_int_equal(captures_value_of(&captures, first, 0), 0);
		assert_str(captures_text(&captures, captures_value_of(&captures, first + 1, 1)), STR("z"));
		capture_ref_free(&ref);
	}
	strmap_free(&threads);
	captures_free(&captures);
}

/* What a row does decides, not its category alone. */
static void tokens(void **state)
{
	struct captures captures = {.columns = 1};

	(void)state;
	assert_int_equal(captures_token(&captures, STR("kernel"), STR("k")), CAPMATCH_NAMED);
	assert_int_equal(captures_token(&captures, STR("gpu_memset"), STR("Memset (Device)")),
	                 CAPMATCH_MEMSET);
	assert_int_equal(captures_token(&captures, STR("kernel"), STR("__amd_rocclr_copyBuffer")),
	                 CAPMATCH_COPY);
	assert_int_equal(
		captures_token(&captures, STR("kernel"), STR("__amd_rocclr_fillBufferAligned")),
		CAPMATCH_MEMSET);
	assert_int_equal(captures_token(&captures, STR("kernel"), STR("k")), CAPMATCH_NAMED);
	captures_free(&captures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_capture),         cmocka_unit_test(sets),
		cmocka_unit_test(within_each_other), cmocka_unit_test(too_deep),
		cmocka_unit_test(without_the_other), cmocka_unit_test(names),
		cmocka_unit_test(eager_kernels),     cmocka_unit_test(tokens),
	};

	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
