/* rowevent: rows as events of a trace. */
#include "../unit.h"

#include "base/mem.h"
#include "tsv2trace/rowevent.h"
#include "json/json_value.h"
#include "json/quote.h"

/* --- the event of a row, slowly ------------------------------------------------------ */

static void put_slowly(struct buf *out, const struct kev_reader *in, const char *key, int column,
                       bool string)
{
	struct buf scratch = {0};
	struct str text = kev_text(in, column, &scratch);

	if (text.n) {
		bool time = column == kev_column(in, STR("ts")) || column == kev_column(in, STR("dur"));

		if (out->data[out->len - 1] != '{')
			buf_char(out, ',');
		json_quote(out, str_of(key));
		buf_char(out, ':');
		if (!string && json_is_number(text))
			buf_str(out, text);
		else if (!time || !json_put_number(out, text))
			json_quote(out, text);
	}
	buf_free(&scratch);
}

static bool ends_with(const struct buf *out, const char *end)
{
	return str_ends(buf_view(out), str_of(end));
}

static void event_slowly(struct buf *out, const struct kev_reader *in)
{
	static const char *const keys[] = {"ph", "cat", "name", "pid", "tid", "ts", "dur"};
	size_t before;

	buf_char(out, '{');
	if (kev_column(in, STR("ph")) == KEV_NONE)
		buf_text(out, "\"ph\":\"X\"");
	for (size_t i = 0; i < COUNT(keys); i++) {
		put_slowly(out, in, keys[i], kev_column(in, str_of(keys[i])), i < 3);
		if (i == 1 && ends_with(out, "\"ph\":\"M\"")) /* without a category */
			buf_text(out, ",\"cat\":\"__metadata\"");
	}
	before = out->len;
	buf_text(out, out->data[out->len - 1] == '{' ? "\"args\":{" : ",\"args\":{");
	put_slowly(out, in, "kernel_type", kev_column(in, STR("type")), true);
	put_slowly(out, in, "source", kev_column(in, STR("source")), true);
	for (size_t i = 0; i < in->columns_count; i++) {
		bool core = false;

		for (size_t j = 0; j < KEV_CORE; j++)
			core |= kev_column(in, str_of(kev_core[j])) == (int)i;
		if (!core) {
			struct buf key = {0};

			buf_str(&key, in->column[i]);
			buf_char(&key, '\0');
			put_slowly(out, in, key.data, (int)i, false);
			buf_free(&key);
		}
	}
	if (out->data[out->len - 1] == '{')
		out->len = before;
	else
		buf_char(out, '}');
	buf_char(out, '}');
}

/* The events of a stream, each on a line, checked against those made slowly. */
static void events_of(struct buf *got, struct str stream)
{
	struct rowevent event = {.count = 0};
	struct kev_reader in;
	enum kev_item item;

	unit_feed(stream);
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		struct buf want = {0};
		size_t at = got->len;

		if (item == KEV_COLUMNS)
			rowevent_columns(&event, &in);
		if (item != KEV_ROW)
			continue;
		rowevent_put(&event, got, &in, NULL);
		event_slowly(&want, &in);
		assert_str(((struct str){got->data + at, got->len - at}), buf_view(&want));
		buf_char(got, '\n');
		buf_free(&want);
	}
	assert_int_equal(item, KEV_END);
	kev_close(&in);
	rowevent_free(&event);
}

static void assert_events(const char *stream, const char *want)
{
	struct buf got = {0};

	events_of(&got, str_of(stream));
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

/* --- rows -------------------------------------------------------------------- */

static void members_of_events(void **state)
{
	(void)state;
	assert_events(
		"10.5\t2\tMatMul\tgemm\tkernel\tX\t0\t7\tMEASURED\n",
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
		"\"ts\":10.5,\"dur\":2,\"args\":{\"kernel_type\":\"MatMul\",\"source\":\"MEASURED\"}"
		"}\n");
	/* Without phases; numbers and other texts; a long key. */
	assert_events("#name\tts\ta quite long name of a column\tx\n"
	              "1\t1e3\t-5\t01\n"
	              "\\#\t-0\t\t1.\n",
	              "{\"ph\":\"X\",\"name\":\"1\",\"ts\":1e3,"
	              "\"args\":{\"a quite long name of a column\":-5,\"x\":\"01\"}}\n"
	              "{\"ph\":\"X\",\"name\":\"#\",\"ts\":-0,\"args\":{\"x\":\"1.\"}}\n");
	/* A time is a number in each form of kev(5). */
	assert_events(
		"#ts\tdur\tname\tpid\tx\n+.5\t007.\tn\t+1\t.5\n1x\t+.\tn\t1\t+5\n",
		"{\"ph\":\"X\",\"name\":\"n\",\"pid\":\"+1\",\"ts\":0.5,\"dur\":7,\"args\":{\"x\":\".5\"}"
		"}\n"
		"{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"ts\":\"1x\",\"dur\":\"+.\","
		"\"args\":{\"x\":\"+5\"}}\n");
	/* Empty fields are left out, and so are args. */
	assert_events("#ts\tname\tph\tx\n\t\t\t\n1\ta\tM\t\n\t\t\t3\n",
	              "{}\n{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"a\",\"ts\":1}\n{\"args\":{"
	              "\"x\":3}}\n");
}

/* The fields of the row before are known again, each alone. */
static void fields_of_the_row_before(void **state)
{
	const char *first = "1\t2\tT\tn\tkernel\tX\t0\t7\tS\n";

	(void)state;
	assert_events("1\t2\tT\tn\tkernel\tX\t0\t7\tS\n1\t2\tU\tn\tkernel\tX\t0\t7\tS\n",
	              "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"n\",\"pid\":0,\"tid\":7,\"ts\":1,"
	              "\"dur\":2,\"args\":{\"kernel_type\":\"T\",\"source\":\"S\"}}\n"
	              "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"n\",\"pid\":0,\"tid\":7,\"ts\":1,"
	              "\"dur\":2,\"args\":{\"kernel_type\":\"U\",\"source\":\"S\"}}\n");
	for (size_t i = 0; i < KEV_CORE; i++) {
		struct buf stream = {0};
		struct buf got = {0};

		for (int turn = 0; turn < 4; turn++) {
			size_t column = 0;

			for (const char *p = first; *p; p++) {
				bool changed = column == i && turn % 3 && *p != '\t' && *p != '\n';

				buf_char(&stream, changed ? (char)('3' + turn) : *p);
				column += *p == '\t';
			}
		}
		events_of(&got, buf_view(&stream));
		buf_free(&stream);
		buf_free(&got);
	}
}

/* After escapes, which double a name, there is room for the rest of the row again. */
static void long_fields(void **state)
{
	(void)state;
	for (size_t n = 1000; n <= 100000; n *= 10) {
		struct buf stream = {0};
		struct buf got = {0};

		buf_text(&stream, "#ts\tname\tx\n1\t");
		memset(buf_reserve(&stream, n), '"', n);
		stream.len += n;
		buf_char(&stream, '\t');
		memset(buf_reserve(&stream, n), 'x', n);
		stream.len += n;
		buf_char(&stream, '\n');
		events_of(&got, buf_view(&stream));
		buf_free(&stream);
		buf_free(&got);
	}
}

/* --rank-offset: the pid changes between equal lines. */
static void replaced_fields(void **state)
{
	static const char *const pids[] = {"1", "1", "2", "123456789012"};
	struct rowevent event = {.count = 0};
	struct buf got = {0};
	struct kev_reader in;
	enum kev_item item;
	size_t row = 0;

	(void)state;
	unit_feed(STR("#ts\tdur\ttype\tname\tcat\tph\tpid\ttid\tsource\n"
	              "1\t2\t\tn\tc\tX\t9\t7\t\n1\t2\t\tn\tc\tX\t9\t7\t\n"
	              "1\t2\t\tn\tc\tX\t9\t7\t\n1\t2\t\tn\tc\tX\t9\t7\t\n"));
	kev_open(&in, unit_opts());
	while ((item = kev_next(&in)) > KEV_END) {
		struct str name = STR("a \"b\"");
		char *pid;

		if (item == KEV_COLUMNS)
			rowevent_columns(&event, &in);
		if (item != KEV_ROW)
			continue;
		/* Alone in its memory: nothing may be read after it. */
		pid = mem_string(pids[row], strlen(pids[row]));
		in.field[KEV_PID] = str_of(pid);
		rowevent_put(&event, &got, &in, row++ == 1 ? &name : NULL);
		free(pid);
		buf_char(&got, '\n');
	}
	assert_buf(
		&got, "{\"ph\":\"X\",\"cat\":\"c\",\"name\":\"n\",\"pid\":1,\"tid\":7,\"ts\":1,\"dur\":2}\n"
			  "{\"ph\":\"X\",\"cat\":\"c\",\"name\":\"n\",\"pid\":1,\"tid\":7,\"ts\":1,\"dur\":2,"
			  "\"args\":{\"name\":\"a \\\"b\\\"\"}}\n"
			  "{\"ph\":\"X\",\"cat\":\"c\",\"name\":\"n\",\"pid\":2,\"tid\":7,\"ts\":1,\"dur\":2}\n"
			  "{\"ph\":\"X\",\"cat\":\"c\",\"name\":\"n\",\"pid\":123456789012,\"tid\":7,\"ts\":1,"
			  "\"dur\":2}\n");
	buf_free(&got);
	kev_close(&in);
	rowevent_free(&event);
}

/* --- any rows ------------------------------------------------------------------ */

static void put_random_field(struct buf *stream, uint64_t *seed)
{
	static const struct str some[] = {
		BYTES(""),
		BYTES(""),
		BYTES("X"),
		BYTES("kernel"),
		BYTES("gpu_memcpy"),
		BYTES("7"),
		BYTES("3100453"),
		BYTES("12.345"),
		BYTES("a\\tb\\\\"),
		BYTES("\"q\""),
		BYTES("\xc3\xa9 \x01"),
		BYTES("1e5"),
		BYTES("\\0\\n\\r"),
		BYTES("\xff"),
		BYTES("+.5"),
		BYTES("-07."),
		BYTES("1716543210123456.789"),
	};
	size_t kind = unit_below(seed, 40);

	if (kind == 0) /* longer than what is kept */
		for (size_t n = unit_below(seed, 600); n; n--)
			buf_char(stream, unit_below(seed, 50) ? 'x' : '"');
	else if (kind < 4)
		unit_random_bytes(seed, stream, unit_below(seed, 30), STR("0123456789.\"ax"));
	else
		buf_str(stream, some[unit_below(seed, COUNT(some))]);
}

/* Layouts in the order of the core columns and in others; rows whose fields mostly stay. */
static void random_rows(void **state)
{
	static const char *const layouts[] = {
		"#ts\tdur\ttype\tname\tcat\tph\tpid\ttid\tsource\tx\ty \"q\"\tz",
		"#name\tcat\tph\tpid\ttid\tsource\tts\tdur\ttype",
		"#tid\tpid\tx\tph\tcat\tname\tsource\tts\ty",
		"#ts\tname",
		"#cat\tph\tpid\ttid\tsource\tts\tname",
	};
	uint64_t seed = 11;

	(void)state;
	for (size_t round = 0; round < 300; round++) {
		const char *layout = layouts[round % COUNT(layouts)];
		size_t columns = tsv_split(str_of(layout), NULL, 0);
		struct buf field[12] = {{0}};
		struct buf stream = {0};
		struct buf got = {0};

		buf_text(&stream, layout);
		buf_char(&stream, '\n');
		for (int row = 0; row < 30; row++) {
			for (size_t i = 0; i < columns; i++) {
				if (row == 0 || unit_below(&seed, 4) == 0) {
					field[i].len = 0;
					put_random_field(&field[i], &seed);
				}
				buf_str(&stream, buf_view(&field[i]));
				buf_char(&stream, i + 1 < columns ? '\t' : '\n');
			}
		}
		events_of(&got, buf_view(&stream));
		for (size_t i = 0; i < columns; i++)
			buf_free(&field[i]);
		buf_free(&stream);
		buf_free(&got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_events), cmocka_unit_test(fields_of_the_row_before),
		cmocka_unit_test(long_fields),       cmocka_unit_test(replaced_fields),
		cmocka_unit_test(random_rows),
	};

	return cmocka_run_group_tests_name("rowevent", tests, NULL, NULL);
}
