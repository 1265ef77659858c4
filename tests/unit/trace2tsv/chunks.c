/* chunks: all text comes, in order, and few chunks are parsed in vain. */
#include "../unit.h"

#include "trace2tsv/chunks.h"

enum { THREADS = 3, EVENTS = 500 };

/* What was made of a chunk: how often it was parsed, and its first bytes. */
struct work {
	int parsed;
	char first[2];
};

static void parse(struct chunk *chunk)
{
	struct work *work = chunk->work;

	work->parsed++;
	memcpy(work->first, chunk->text, chunk->n < 2 ? chunk->n : 2);
}

static void put_events(struct buf *text)
{
	text->len = 0;
	for (int i = 0; i < EVENTS; i++)
		buf_format(text, "{\"n\":%d}%s,\n", i, i % 3 ? "" : " ");
}

/* The first bytes of the text were read before, as by who looks at the head of a trace. */
static struct chunks *start(struct input *in, size_t length, struct work *works)
{
	static char head[1 << 16];
	void *work[THREADS + CHUNKS_MORE];
	ssize_t n = input_read(in, head, sizeof head);

	assert_true(n > 0);
	for (size_t i = 0; i < COUNT(work); i++) {
		works[i] = (struct work){0};
		work[i] = &works[i];
	}
	return chunks_start(in, (struct str){head, (size_t)n}, 0, THREADS, length, parse, work);
}

/* Opens standard input, a pipe or a file with this text. */
static void open_text(struct input *in, struct str text, bool pipes)
{
	(pipes ? unit_feed_pipe : unit_feed)(text);
	assert_true(input_open(in, "-"));
}

static void all_text_comes(void **state)
{
	static const size_t lengths[] = {1, 10, 64, 1000, 1 << 20};
	struct work works[THREADS + CHUNKS_MORE];
	struct buf text = {0};

	(void)state;
	put_events(&text);
	for (size_t i = 0; i < 2 * COUNT(lengths); i++) {
		struct buf got = {0};
		struct input in;
		struct chunks *chunks;
		ssize_t n;

		open_text(&in, buf_view(&text), i % 2);
		assert_int_equal(chunks_can_seek(&in), i % 2 == 0);
		chunks = start(&in, lengths[i / 2], works);
		assert_non_null(chunks);
		while ((n = chunks_read(chunks, buf_reserve(&got, 77), 77)) > 0)
			got.len += (size_t)n;
		assert_int_equal(n, 0);
		assert_true(str_equal(buf_view(&got), buf_view(&text)));
		chunks_close(chunks);
		input_close(&in);
		buf_free(&got);
	}
	buf_free(&text);
}

/* The chunks after the first begin at an event, and those that are used go on being parsed. */
static void chunks_begin_at_events(void **state)
{
	struct work works[THREADS + CHUNKS_MORE];
	struct buf text = {0};
	struct input in;
	struct chunks *chunks;
	struct chunk *chunk;
	uint64_t offset = 0;

	(void)state;
	put_events(&text);
	for (int pipes = 0; pipes < 2; pipes++, offset = 0) {
		open_text(&in, buf_view(&text), pipes);
		chunks = start(&in, 50, works);
		assert_non_null(chunks);
		while ((chunk = chunks_front(chunks))) {
			const struct work *work = chunk->work;

			assert_int_equal(chunk->offset, offset);
			assert_true(chunk->n <= 50);
			assert_true(chunk->parsed && work->parsed > 0);
			assert_memory_equal(work->first, "{\"", 2);
			offset += chunk->n;
			chunk->used = true;
			chunks_drop(chunks);
		}
		assert_int_equal(offset, text.len);
		chunks_close(chunks);
		input_close(&in);
	}
	buf_free(&text);
}

/* A long trace that misleads each guess then costs less than twice the time of one thread. */
static void useless_parsing_is_rare(void **state)
{
	struct work works[THREADS + CHUNKS_MORE];
	struct buf text = {0};
	struct input in;
	struct chunks *chunks;
	int chunks_count = 0;
	int parsed = 0;

	(void)state;
	put_events(&text);
	open_text(&in, buf_view(&text), false);
	chunks = start(&in, 20, works);
	assert_non_null(chunks);
	for (; chunks_front(chunks); chunks_count++)
		chunks_drop(chunks);
	for (size_t i = 0; i < COUNT(works); i++)
		parsed += works[i].parsed;
	assert_true(chunks_count > EVENTS / 3);
	/* Two at first, and one that a thread parses while the last of them is dropped. */
	assert_in_range(parsed, chunks_count / 16, 3 + chunks_count / 16);
	chunks_close(chunks);
	input_close(&in);
	buf_free(&text);
}

/* A list at the head of a trace does not leave all the rest to one thread. */
static void parsing_goes_on_where_it_is_of_use(void **state)
{
	struct work works[THREADS + CHUNKS_MORE];
	struct buf text = {0};
	struct input in;
	struct chunks *chunks;
	struct chunk *chunk;
	int after = 0;
	int used = 0;

	(void)state;
	put_events(&text);
	open_text(&in, buf_view(&text), false);
	chunks = start(&in, 20, works);
	assert_non_null(chunks);
	for (int i = 0; (chunk = chunks_front(chunks)); i++) {
		chunk->used = chunk->parsed && i >= 10;
		after += i >= 100;
		used += i >= 100 && chunk->used;
		chunks_drop(chunks);
	}
	assert_true(after > 100);
	assert_int_equal(used, after);
	chunks_close(chunks);
	input_close(&in);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_text_comes),
		cmocka_unit_test(chunks_begin_at_events),
		cmocka_unit_test(useless_parsing_is_rare),
		cmocka_unit_test(parsing_goes_on_where_it_is_of_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
