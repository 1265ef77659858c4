/* collrows: kinds, groups and numbers of rows; rows of one number are one. */
#include "coll_feed.h"

/* What became of the held rows: kind, number, bytes, duration; joined ones are left out. */
static void assert_rows(const char *stream, const char *want)
{
	struct colltable table = {.coll_cap = 0};
	struct collrows rows = {.table = &table};
	struct buf got = {0};

	coll_feed(&rows, str_of(stream));
	assert_true(collrows_settle(&rows, 0));
	for (size_t i = 0; i < rows.count; i++) {
		struct coll part;
		struct str id;

		if (rows.row[i].joined)
			continue;
		collrows_part(&rows, &rows.row[i], &part, &id);
		buf_format(&got, "%s %s %.*s %d ", collkind_names[part.kind], collby_names[part.by],
		           (int)id.n, id.s, part.sized ? (int)part.bytes_max : -1);
		dec_print(&got, part.total);
		buf_text(&got, ", ");
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	collrows_free(&rows);
	colltable_free(&table);
}

static void by_order(void **state)
{
	(void)state;
	/* Numbers count within a kind and its bytes, by ts. */
	assert_rows(COLL_HEAD "30\t3\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t\n"
	                      "10\t1\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t\n"
	                      "20\t2\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t5\t4\tg\t\n"
	                      "5\t9\tgemm\tkernel\t0\t7\t\t\t\t\t\t\t\n",
	            "allreduce order 8:0 8 1, allreduce order 20:0 20 2, allreduce order 8:1 8 3, ");
}

static void by_seq(void **state)
{
	(void)state;
	/* From the first start to the last end. */
	assert_rows(COLL_HEAD "30\t3\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t4\n"
	                      "10\t25\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t4\n"
	                      "20\t2\tnccl\tkernel\t0\t7\t\tbroadcast\tNone\t5\t4\tg\t4\n",
	            "allreduce seq 4 8 25, broadcast seq 4 -1 2, ");
	/* If another ran between them, they are two; if it overlaps one of them, they are one. */
	assert_rows(COLL_HEAD "10\t5\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t4\n"
	                      "20\t5\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t5\n"
	                      "30\t5\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t4\n",
	            "allreduce seq 4 8 5, allreduce seq 4 8 5, allreduce seq 5 8 5, ");
	assert_rows(COLL_HEAD "10\t9\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t4\n"
	                      "12\t5\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t5\n"
	                      "30\t5\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t4\n"
	                      "40\t5\tnccl\tkernel\t0\t7\t\tallreduce\tFloat\t2\t4\tg\t4\n",
	            "allreduce seq 4 8 35, allreduce seq 5 8 5, ");
}

static void by_annotation(void **state)
{
	(void)state;
	assert_rows(COLL_HEAD "30\t3\tncclKernel_SendRecv\tkernel\t0\t7\t1\t\t\t\t\t\t\n"
	                      "40\t4\tncclKernel_SendRecv\tkernel\t0\t7\t2\t\t\t\t\t\t\n"
	                      "10\t5\tnccl:all_to_all\tuser_annotation\t1\t1\t\t\t\t\t\t\t\n"
	                      "11\t1\tcudaLaunchKernel\tcuda_runtime\t1\t1\t1\t\t\t\t\t\t\n",
	            "sendrecv order 0:0 -1 4, all_to_all order 0:0 -1 3, ");
}

static void of_ascend(void **state)
{
	(void)state;
	assert_rows(COLL_HEAD "30\t3\thcom_allReduce__868_3_1\tHCCL\t0\t7\t\t\t\t\t\t\t\n"
	                      "30\t3\thcom_allReduce_\tHCCL\t0\t7\t\t\t\t\t\t\t\n"
	                      "30\t3\thcomAllReduceAicpuKernel\tAI_CPU\t0\t7\t\t\t\t\t\t\t\n",
	            "allreduce hcom 3_1 -1 3, allreduce order 0:0 -1 3, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_order),
		cmocka_unit_test(by_seq),
		cmocka_unit_test(by_annotation),
		cmocka_unit_test(of_ascend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
