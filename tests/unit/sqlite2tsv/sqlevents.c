/* sqlevents: the fields of a row: times in us, ids, texts, and what is counted. */
#include "sqlite_made.h"

enum { START, END, NAME, ID, COLUMNS };

static bool any(const struct sqlfile *file)
{
	(void)file;
	return true;
}

static const struct sqlrows_column columns[COLUMNS] = {
	[START] = {"s", SQLROWS_OWN, true},
	[END] = {"e", SQLROWS_OWN, true},
	[NAME] = {"n", SQLROWS_OWN, false},
	[ID] = {"i", SQLROWS_OWN, false},
};
static const struct sqlrows_plan plan = SQLROWS_PLAN("t", columns);
static const struct sqlrows_plan missing_plan = SQLROWS_PLAN("none", columns);

/* Counts the calls. */
static size_t begun;

static void begin(void *kind, const struct sqlrows *rows)
{
	(void)kind;
	begun += sqlrows_has(rows, NAME);
}

static bool compose(void *kind, const struct sqlrows *rows, struct sqlevent *event)
{
	struct sqlevents *events = kind;

	assert_int_equal(events->composed.len, 0);
	if (!sqlevents_times(events, rows, START, END, event))
		return false;
	buf_char(&events->composed, 'x');
	event->name = sqlevents_text(events, rows, NAME);
	event->type = sqlevents_text(events, rows, NAME);
	event->correlation = sqlevents_id(rows, ID);
	event->process = 42;
	event->pid = 42;
	event->tid = sqlevents_number(rows, ID);
	return true;
}

static void write_all(struct sqlevents *events)
{
	static const struct sqlevents_source source = {&plan, begin, compose};
	static const struct sqlevents_source missing = {&missing_plan, begin, compose};
	struct sqlrows rows = {0};
	size_t count = 0;

	sqlevents_rank(events, -1);
	sqlevents_rank(events, 3);
	sqlevents_begin(events, "extra");
	sqlevents_texts(events, "texts", "value");
	events->by_process = true;
	while (sqlevents_row(events, &rows, &plan))
		count++;
	assert_int_equal(count, 7);
	begun = 0;
	sqlevents_write(events, &missing, events);
	assert_int_equal(begun, 0);
	sqlevents_write(events, &source, events);
	assert_int_equal(begun, 1);
	sqlevents_process(events, 42, STR("main"));
	sqlevents_process(events, 43, STR("other"));
	sqlevents_thread(events, 42, 0, STR("thread"));
	sqlevents_thread(events, 42, 9, STR("other"));
}

static void writes_fields(void **state)
{
	static const struct sqlevents_options options = {
		.phases = "X", .rank_column = true, .file_column = true};
	struct buf out =
		made_rows(any, write_all, &options,
	              "CREATE TABLE texts (id, value); INSERT INTO texts VALUES (1, 'a\tb');"
	              "CREATE TABLE t (s, e, n, i);"
	              "INSERT INTO t VALUES (0, 0, 1, 0), (1001, 2001, 2, 5), (-1, 1500000, 1, NULL), "
	              "('x', 1, 1, 1),"
	              "(10, 5, 1, 1), (9223372036854775807, 9223372036854775807, 'own', 1),"
	              "(-9223372036854775808, 9223372036854775807, 1, 1)");

	(void)state;
	assert_str(
		buf_view(&out),
		str_of("##rank\t3\n"
	           "#ts\tdur\ttype\tname\tcat\tph\tpid\ttid\tsource\tcorrelation\tExternal id\tstream\t"
	           "Python id\tPython parent id\tdevice\tcontext\tbytes\textra\trank\tfile\n"
	           "0\t0\ta\\tb\ta\\tb\t\tX\t42\t0\t\t\t\t\t\t\t\t\t\t\t3\tdb\n"
	           "1.001\t1\t#2\t#2\t\tX\t42\t5\t\t42:5\t\t\t\t\t\t\t\t\t3\tdb\n"
	           "-0.001\t1500.001\ta\\tb\ta\\tb\t\tX\t42\t\t\t\t\t\t\t\t\t\t\t\t3\tdb\n"
	           "0.01\t-0.005\ta\\tb\ta\\tb\t\tX\t42\t1\t\t42:1\t\t\t\t\t\t\t\t\t3\tdb\n"
	           "9223372036854775.807\t0\town\town\t\tX\t42\t1\t\t42:1\t\t\t\t\t\t\t\t\t3\tdb\n"
	           "##process\t42\tmain\n"
	           "##thread\t42\t0\tthread\n"));
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_fields),
	};

	return cmocka_run_group_tests_name("sqlevents", tests, NULL, NULL);
}
