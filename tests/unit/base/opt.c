/* opt: the option table, lists of words, numbers. */
#include "../unit.h"

#include "base/die.h"
#include "base/mem.h"
#include "base/opt.h"

/* --- options ------------------------------------------------------------- */

enum { MAX_FIELD = OPT_LONG, ALSO_LONG, BY, LIMIT, SOME, LIST };

static const struct opt table[] = {
	{'k', "key", "COL,...", "columns to group by"},
	{'n', "top", "N", "how many"},
	{'m', "merge", NULL, "merge"},
	{MAX_FIELD, "max-field", "BYTES", "largest value"},
	{ALSO_LONG, "max-fun", NULL, "ambiguous with the one before"},
	{BY, "by", "HOW", "by size or name"},
	{LIMIT, "limit", "MS", "a limit"},
	{SOME, "some", "[=N]", "an argument that may be left out"},
	{LIST, "list", "A,...", "words"},
};

static const struct opt_usage usage = {"[-m] [FILE...]", "Does nothing.", table, COUNT(table)};

enum { ARGS = 16 };

static void print_words(const char *title, const struct words *words)
{
	printf("%s", title);
	for (size_t i = 0; i < words->count; i++)
		printf(" %s", words->item[i].s);
	printf("; ");
}

/* Prints what is read of a command line. A process of its own: getopt keeps a state. */
static int read_line(void *arg)
{
	char **argv = arg;
	struct words list = {0};
	struct words set = {0};
	struct opts opts;
	int argc = 0;
	int letter;

	while (argv[argc])
		argc++;
	opts_init(&opts, &usage, argc, argv);
	while ((letter = opts_next(&opts)) >= 0) {
		if (letter < OPT_LONG)
			printf("%c", letter);
		else
			printf("%d", letter - OPT_LONG);
		printf("(%s) by %s; ", opts.arg ? opts.arg : "", opts.flag);
		switch (letter) {
		case 'n':
			printf("number %zu; ", opts_number(&opts, 1));
			break;
		case MAX_FIELD:
			printf("size %zu; ", opts_size(&opts, 16));
			break;
		case BY:
			printf("second %d; ", opts_second(&opts, "size", "name"));
			break;
		case LIST:
			opts_words(&opts, &list);
			opts_set(&opts, &set);
			break;
		case LIMIT: {
			struct buf text = {0};

			dec_print(&text, opts_decimal(&opts, "a time in ms"));
			printf("decimal %.*s; ", (int)text.len, text.data);
			buf_free(&text);
			break;
		}
		}
	}
	if (opts.no_head || opts.verbose || opts.strict)
		printf("common%s%s%s; ", opts.no_head ? " H" : "", opts.verbose ? " v" : "",
		       opts.strict ? " strict" : "");
	if (list.count) {
		print_words("list", &list);
		print_words("set", &set);
	}
	printf("operands");
	for (int i = 0; i < opts.operands_count; i++)
		printf(" %s", opts.operands[i]);
	printf("; line");
	for (int i = 0; i < opts.argc; i++)
		printf(" %s", opts.argv[i]);
	return 0;
}

static struct unit_end run_line(const char *line)
{
	char text[256];
	char *argv[ARGS] = {NULL};
	int argc = 0;
	struct unit_end end;

	snprintf(text, sizeof text, "%s", line);
	for (char *word = strtok(text, " "); word && argc < ARGS - 1; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "''") == 0 ? word + 2 : word;
	end = unit_run(read_line, argv);
	return end;
}

static void lines_are_read(void **state)
{
	static const char *const cases[][2] = {
		{"prog", "operands -; line prog"},
		{"./prog a b", "operands a b; line ./prog a b"},
		{"prog -k ts,dur x", "k(ts,dur) by -k; operands x; line prog -k ts,dur x"},
		{"prog -kts", "k(ts) by -k; operands -; line prog -kts"},
		{"prog --key=ts", "k(ts) by -k; operands -; line prog --key=ts"},
		{"prog --key ts", "k(ts) by -k; operands -; line prog --key ts"},
		{"prog --ke ts", "k(ts) by -k; operands -; line prog --ke ts"},
		{"prog -k ''", "k() by -k; operands -; line prog -k "},
		{"prog -mk a", "m() by -m; k(a) by -k; operands -; line prog -mk a"},
		{"prog -HvmH", "m() by -m; common H v; operands -; line prog -HvmH"},
		{"prog --strict --no-head --verbose --merge",
	     "m() by -m; common H v strict; operands -; line prog --strict --no-head --verbose "
	     "--merge"},
		/* Options may stand behind operands; the line stays as it was. */
		{"prog a -m b -k c d", "m() by -m; k(c) by -k; operands a b d; line prog a -m b -k c d"},
		{"prog -m -- -k x", "m() by -m; operands -k x; line prog -m -- -k x"},
		{"prog - -m -", "m() by -m; operands - -; line prog - -m -"},
		{"prog --input-name=x -", "operands -; line prog --input-name=x -"},
		{"prog --files-from=/dev/null a", "operands a; line prog --files-from=/dev/null a"},
		{"prog --some=5 a", "4(5) by --some; operands a; line prog --some=5 a"},
		{"prog --list=b,a,b --list a,c",
	     "5(b,a,b) by --list; 5(a,c) by --list; list b a b a c; set b a c; operands -; "
	     "line prog --list=b,a,b --list a,c"},
		{"prog --some 5", "4() by --some; operands 5; line prog --some 5"},
		{"prog -n 12", "n(12) by -n; number 12; operands -; line prog -n 12"},
		{"prog --by=size", "2(size) by --by; second 0; operands -; line prog --by=size"},
		{"prog --by=name", "2(name) by --by; second 1; operands -; line prog --by=name"},
		{"prog --limit 1.50",
	     "3(1.50) by --limit; decimal 1.5; operands -; line prog --limit 1.50"},
		{"prog --limit=0", "3(0) by --limit; decimal 0; operands -; line prog --limit=0"},
		{"prog --max-field 16",
	     "0(16) by --max-field; size 16; operands -; line prog --max-field 16"},
		{"prog --max-field=2K",
	     "0(2K) by --max-field; size 2048; operands -; line prog --max-field=2K"},
		{"prog --max-field=3M",
	     "0(3M) by --max-field; size 3145728; operands -; line prog --max-field=3M"},
		{"prog --max-field=1G",
	     "0(1G) by --max-field; size 1073741824; operands -; line prog --max-field=1G"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct unit_end end = run_line(cases[i][0]);

		assert_case(cases[i][0], end.status == STATUS_OK);
		assert_str(buf_view(&end.out), str_of(cases[i][1]));
		assert_buf(&end.err, "");
		unit_end_free(&end);
	}
}

static void bad_lines_end_the_program(void **state)
{
	static const char *const cases[][2] = {
		{"prog -x", "-x"},
		{"prog -mx", "-x"},
		{"prog a -x", "-x"},
		{"prog --nothing", "--nothing"},
		{"prog a --nothing", "--nothing"},
		{"prog --max-f 3", "--max-f"}, /* ambiguous */
		{"prog --merge=3", "--merge=3"},
		{"prog a --merge=3", "--merge=3"},
		{"prog --strict=3", "--strict=3"},
		{"prog -k", "-k"},
		{"prog a -k", "-k"},
		{"prog --key", "-k"},
		{"prog --max-field", "--max-field"},
		{"prog -mk", "-k"},
		{"prog -n 0", "-n: '0'"},
		{"prog -n ''", "-n: ''"},
		{"prog -n -1", "-n: '-1'"},
		{"prog -n +1", "-n: '+1'"},
		{"prog -n 1.5", "-n: '1.5'"},
		{"prog -n 12x", "-n: '12x'"},
		{"prog -n 0x10", "-n: '0x10'"},
		{"prog -n 18446744073709551615", "-n: '18446744073709551615'"},
		{"prog -n 18446744073709551617", "-n: '18446744073709551617'"},
		{"prog --by ''", "--by: '' is not size or name"},
		{"prog --by=names", "--by: 'names' is not size or name"},
		{"prog -0 a", "-0 needs --files-from"},
		{"prog --files-from=/dev/null", "--files-from: '/dev/null' names no file"},
		{"prog --files-from=/dev/null --files-from=/dev/null a", "--files-from is given twice"},
		{"prog --files-from=/nonexistent a", "--files-from: '/nonexistent' cannot be opened: No"},
		{"prog --files-from=- -", "--files-from: standard input is the list"},
		{"prog --input-name=", "--input-name: the name is empty"},
		{"prog --input-name=x a", "--input-name: standard input is not read"},
		{"prog --list=a,,b", "--list: 'a,,b' has an empty word"},
		{"prog --list=a --list ''", "--list: '' has an empty word"},
		{"prog --limit -1", "--limit: '-1' is not a time in ms"},
		{"prog --limit ''", "--limit: '' is not a time in ms"},
		{"prog --limit 5%", "--limit: '5%' is not a time in ms"},
		{"prog --max-field 0", "--max-field: '0'"},
		{"prog --max-field 15", "--max-field: '15'"}, /* less than the program can do with */
		{"prog --max-field 0K", "--max-field: '0K'"},
		{"prog --max-field K", "--max-field: 'K'"},
		{"prog --max-field ''", "--max-field: ''"},
		{"prog --max-field 1k", "--max-field: '1k'"},
		{"prog --max-field 1KB", "--max-field: '1KB'"},
		{"prog --max-field 1KK", "--max-field: '1KK'"},
		{"prog --max-field -1", "--max-field: '-1'"},
		{"prog --max-field 9223372036854775807", "--max-field: '9223372036854775807'"},
		{"prog --max-field 18014398509481985K", "--max-field: '18014398509481985K'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct unit_end end = run_line(cases[i][0]);

		assert_case(cases[i][0], end.status == STATUS_ERROR);
		assert_case(cases[i][0], str_starts(buf_view(&end.err), STR("prog: ")));
		assert_case(cases[i][0], str_has(buf_view(&end.err), str_of(cases[i][1])));
		assert_case(cases[i][0], str_ends(buf_view(&end.err), STR("; see prog -h\n")));
		unit_end_free(&end);
	}
}

static void forms_by_their_letters(void **state)
{
	enum form form = FORM_TSV;

	(void)state;
	assert_false(opts_form('k', &form));
	assert_int_equal(form, FORM_TSV);
	assert_true(opts_form('r', &form));
	assert_int_equal(form, FORM_REPORT);
	assert_true(opts_form('j', &form));
	assert_int_equal(form, FORM_JSON);
	assert_true(opts_form('M', &form));
	assert_int_equal(form, FORM_MARKDOWN);
	assert_false(opts_form('m', &form));
	assert_int_equal(form, FORM_MARKDOWN);
}

static void help_and_version(void **state)
{
	static const char *const lines[] = {"bin/prog -h", "prog --help -x", "prog -mh"};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct unit_end end = run_line(lines[i]);
		struct str out = buf_view(&end.out);

		assert_int_equal(end.status, STATUS_OK);
		assert_true(str_has(out, STR("usage: prog [-m] [FILE...]\nDoes nothing.\n")));
		assert_true(str_has(out, STR("-k, --key=COL,...")));
		assert_true(str_has(out, STR("--max-field=BYTES")));
		assert_true(str_has(out, STR("      --some[=N]  ")));
		assert_false(str_has(out, STR(", --max-field")));
		assert_true(str_has(out, STR("-H, --no-head")));
		assert_true(str_has(out, STR("--strict")));
		assert_true(str_has(out, STR("-V, --version")));
		assert_buf(&end.err, "");
		unit_end_free(&end);
	}
	for (int i = 0; i < 2; i++) {
		struct unit_end end = run_line(i ? "prog --version" : "prog -V x");

		assert_int_equal(end.status, STATUS_OK);
		assert_buf(&end.out, "prog (kevtools) " KEV_VERSION "\n");
		unit_end_free(&end);
	}
}

static int help_to_a_full_disk(void *arg)
{
	if (!freopen("/dev/full", "w", stdout))
		return 99;
	return read_line(arg);
}

static void help_that_cannot_be_written_is_an_error(void **state)
{
	char prog[] = "prog";
	char option[] = "-h";
	char *argv[] = {prog, option, NULL};
	struct unit_end end = unit_run(help_to_a_full_disk, argv);

	(void)state;
	assert_int_equal(end.status, STATUS_ERROR);
	assert_buf(&end.err, "prog: standard output cannot be written: No space left on device\n");
	unit_end_free(&end);
}

static void times_with_units(void **state)
{
	(void)state;
	assert_true(opts_time_has_unit(STR("1ns")));
	assert_true(opts_time_has_unit(STR("0us")));
	assert_true(opts_time_has_unit(STR("1.5ms")));
	assert_true(opts_time_has_unit(STR("2s")));
	assert_false(opts_time_has_unit(STR("30")));
	assert_false(opts_time_has_unit(STR("1e2")));
}

static void times(void **state)
{
	static const struct {
		const char *text;
		const char *us; /* NULL: it is no time */
	} cases[] = {
		{"30us", "30"},    {"30", "30"},
		{"1.5ms", "1500"}, {"1s", "1000000"},
		{"1500ns", "1.5"}, {"0", "0"},
		{"1e2us", "100"},  {"-1us", NULL},
		{"us", NULL},      {"", NULL},
		{"1 us", NULL},    {"1m", NULL},
		{"1e19s", NULL},   {"1000000000000s", "1000000000000000000"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf text = {0};
		struct dec time;
		bool good = opts_time_parse(str_of(cases[i].text), &time);

		assert_case(cases[i].text, good == (cases[i].us != NULL));
		if (good) {
			dec_print(&text, time);
			assert_case(cases[i].text, str_equal(buf_view(&text), str_of(cases[i].us)));
		}
		buf_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read),
		cmocka_unit_test(bad_lines_end_the_program),
		cmocka_unit_test(forms_by_their_letters),
		cmocka_unit_test(help_and_version),
		cmocka_unit_test(help_that_cannot_be_written_is_an_error),
		cmocka_unit_test(times),
		cmocka_unit_test(times_with_units),
	};

	return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
