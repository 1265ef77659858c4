/* fit: which columns people see, and how wide. */
#include "../unit.h"

#include "answer/width.h"
#include "base/mem.h"
#include "kview/fit.h"

enum { COLUMNS = 3, ROWS = 2 };

/* Three columns: a text, a number, a text. */
static void fill(struct fit_column *columns, struct fit_column **at,
                 const char *const values[COLUMNS][ROWS])
{
	static const char *const titles[COLUMNS] = {"name", "dur", "note"};

	for (size_t i = 0; i < COLUMNS; i++) {
		columns[i] = (struct fit_column){.title = mem_string(titles[i], strlen(titles[i]))};
		columns[i].width = strlen(titles[i]);
		at[i] = &columns[i];
		for (size_t j = 0; j < ROWS; j++) {
			struct str value = str_of(values[i][j]);

			shape_see(&columns[i].shape, value);
			shorten_add(&columns[i].texts, value);
			if (width_of(value) > columns[i].width)
				columns[i].width = width_of(value);
		}
	}
}

static void free_all(struct fit_column *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		fit_free(&columns[i]);
}

static void fates(void **state)
{
	static const char *const some[COLUMNS][ROWS] = {{"a", "b"}, {"1", "1"}, {"", ""}};
	static const char *const same[COLUMNS][ROWS] = {{"a", "a"}, {"1", "1"}, {"", ""}};
	static const char *const none[COLUMNS][ROWS] = {{"", ""}, {"", ""}, {"", ""}};
	struct fit_column columns[COLUMNS];
	struct fit_column *at[COLUMNS];

	(void)state;
	fill(columns, at, some);
	fit_choose(at, COLUMNS);
	assert_true(columns[0].fate == FIT_SHOWN && columns[1].fate == FIT_ONE &&
	            columns[2].fate == FIT_EMPTY);
	free_all(columns);
	fill(columns, at, same);
	fit_choose(at, COLUMNS);
	assert_true(columns[0].fate == FIT_SHOWN && columns[1].fate == FIT_SHOWN &&
	            columns[2].fate == FIT_EMPTY);
	free_all(columns);
	fill(columns, at, none);
	fit_choose(at, COLUMNS);
	assert_true(columns[0].fate == FIT_SHOWN && columns[2].fate == FIT_SHOWN);
	free_all(columns);
}

/*
 * A text keeps what it needs, or two fifths, and the last column leaves; with answers alone, texts
 * share what room there is down to 12 columns.
 */
static void narrow(void **state)
{
	static const char *const values[COLUMNS][ROWS] = {{"a name that is thirty wide, yes", "b"},
	                                                  {"12345678", "1"},
	                                                  {"a note of twenty-two...", "c"}};
	static const struct {
		bool answers;
		size_t limit;
		size_t widths[COLUMNS]; /* 0: no room */
	} cases[] = {{false, 66, {31, 8, 23}}, {false, 65, {30, 8, 23}}, {false, 60, {25, 8, 23}},
	             {false, 59, {24, 8, 23}}, {false, 57, {23, 8, 22}}, {false, 55, {31, 8, 0}},
	             {false, 40, {30, 8, 0}},  {false, 22, {12, 8, 0}},  {false, 21, {21, 0, 0}},
	             {false, 5, {12, 0, 0}},   {true, 70, {31, 8, 23}},  {true, 50, {19, 8, 19}},
	             {true, 36, {12, 8, 12}},  {true, 35, {25, 8, 0}},   {true, 22, {12, 8, 0}},
	             {true, 21, {21, 0, 0}}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fit_column columns[COLUMNS];
		struct fit_column *at[COLUMNS];

		fill(columns, at, values);
		for (size_t j = 0; j < COLUMNS; j++)
			columns[j].answer = cases[i].answers;
		fit_choose(at, COLUMNS);
		fit_narrow(at, COLUMNS, cases[i].limit);
		for (size_t j = 0; j < COLUMNS; j++)
			assert_int_equal(columns[j].fate == FIT_SHOWN ? columns[j].width : 0,
			                 cases[i].widths[j]);
		free_all(columns);
	}
}

/* Keys before the first answer and the answers stay; both sides of a comparison go together. */
static void roles(void **state)
{
	static const char *const titles[] = {"key", "gap", "total1", "total2", "name"};
	enum { MOST = 5 };
	static const struct {
		size_t limit;
		size_t answer;
		bool shown[MOST];
	} cases[] = {
		{30, 1, {true, true, true, true, true}},    {29, 1, {true, true, true, true, false}},
		{23, 1, {true, true, false, false, false}}, {13, 1, {true, true, false, false, false}},
		{24, 3, {true, true, true, true, false}},   {23, 3, {true, true, false, true, false}},
		{29, 4, {true, true, false, false, true}},  {13, 4, {true, false, false, false, true}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fit_column columns[MOST];
		struct fit_column *at[MOST];

		for (size_t j = 0; j < MOST; j++) {
			columns[j] = (struct fit_column){.title = mem_string(titles[j], strlen(titles[j])),
			                                 .width = strlen(titles[j]),
			                                 .answer = j == cases[i].answer};
			shape_see(&columns[j].shape, STR("1"));
			shape_see(&columns[j].shape, STR("2"));
			at[j] = &columns[j];
		}
		fit_choose(at, MOST);
		fit_narrow(at, MOST, cases[i].limit);
		for (size_t j = 0; j < MOST; j++) {
			assert_int_equal(columns[j].fate == FIT_SHOWN, cases[i].shown[j]);
			fit_free(&columns[j]);
		}
	}
}

static void answers(void **state)
{
	struct kev_reader reader;

	(void)state;
	unit_feed(STR("#name\tcause\tcount\n1\t2\t3\n"));
	kev_open(&reader, unit_opts());
	while (kev_next(&reader) > KEV_END) {
		assert_true(fit_is_answer(&reader, STR("cause")));
		assert_false(fit_is_answer(&reader, STR("name")));
		assert_false(fit_is_answer(&reader, STR("count")));
	}
	kev_close(&reader);
	unit_feed(STR("#ts\tname\tdur\n1\t2\t3\n"));
	kev_open(&reader, unit_opts());
	while (kev_next(&reader) > KEV_END)
		assert_true(fit_is_answer(&reader, STR("name")));
	kev_close(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fates),
		cmocka_unit_test(narrow),
		cmocka_unit_test(roles),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
