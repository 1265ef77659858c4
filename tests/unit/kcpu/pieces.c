/* pieces: what the host did in a span of time, by its own thread and by others. */
#include "../unit.h"

#include "../wall/threads_made.h"

#include "kcpu/pieces.h"

static const struct str stream = BYTES(
	"#ts\tdur\tname\tcat\tpid\ttid\n"
	"0\t100\tstep\tuser_annotation\t1\t1\n5\t5\top\tcpu_op\t1\t1\n12\t3\tf\tpython_function\t1\t1\n"
	"8\t20\tnine\tcpu_op\t1\t9\n8\t20\tten\tcpu_op\t1\t10\n20\t4\tlater\tcuda_runtime\t1\t10\n"
	"30\t9\tonly python\tpython_function\t1\t9\n30\t9\tforeign\tcpu_op\t2\t9\n");

/* The pieces as "kind:end ", of the thread of this track. */
static void assert_pieces(const char *track, const char *pid, int from, int to, const char *want)
{
	const struct interval span = {dec_of(from), dec_of(to)};
	struct threads threads = threads_made(stream);
	struct pieces pieces = {.threads = &threads};
	struct buf got = {0};

	pieces_cut(&pieces, threads_find(&threads, 0, str_of(track)),
	           threads_process(&threads, 0, str_of(pid)), &span);
	for (size_t i = 0; i < pieces.count; i++) {
		const struct piece *piece = &pieces.item[i];

		buf_text(&got, piece_kinds[piece->kind]);
		buf_char(&got, ':');
		if (piece->kind != PIECE_NOTHING)
			buf_str(&got, threads_name(&threads, &piece->thread->row[piece->row]));
		buf_char(&got, ':');
		dec_print(&got, piece->span.end);
		buf_char(&got, ' ');
	}
	unit_equal(buf_view(&got), str_of(want), __FILE__, __LINE__);
	buf_free(&got);
	pieces_free(&pieces);
	threads_free(&threads);
}

static void own_and_others(void **state)
{
	(void)state;
	assert_pieces("1\t1", "1", 3, 40,
	              "annotation:step:5 operator:op:10 other:nine:12 python:f:15 other:nine:20 "
	              "other:later:24 other:nine:28 annotation:step:40 ");
	assert_pieces("1\t1", "1", 7, 8, "operator:op:8 ");
	/* A thread without rows: only the others tell, if its process is known. */
	assert_pieces("1\t7", "1", 18, 41, "other:nine:20 other:later:24 other:nine:28 nothing::41 ");
	assert_pieces("1\t7", "3", 18, 41, "nothing::41 ");
	assert_pieces("2\t9", "2", 25, 45, "nothing::30 operator:foreign:39 nothing::45 ");
	assert_pieces("1\t1", "1", 9, 9, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_and_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
