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

/* Texts share what room there is; numbers keep theirs; the last column may not fit. */
static void narrow(void **state)
{
	static const char *const values[COLUMNS][ROWS] = {{"a name that is thirty wide, yes", "b"},
	                                                  {"12345678", "1"},
	                                                  {"a note of twenty-two...", "c"}};
	static const struct {
		size_t limit;
		size_t widths[COLUMNS]; /* 0: no room */
	} cases[] = {{70, {31, 8, 23}}, {60, {25, 8, 23}}, {50, {19, 8, 19}}, {36, {12, 8, 12}},
	             {35, {25, 8, 0}},  {22, {12, 8, 0}},  {21, {21, 0, 0}},  {5, {12, 0, 0}}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fit_column columns[COLUMNS];
		struct fit_column *at[COLUMNS];

		fill(columns, at, values);
		fit_choose(at, COLUMNS);
		fit_narrow(at, COLUMNS, cases[i].limit);
		for (size_t j = 0; j < COLUMNS; j++)
			assert_int_equal(columns[j].fate == FIT_SHOWN ? columns[j].width : 0,
			                 cases[i].widths[j]);
		free_all(columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fates),
		cmocka_unit_test(narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
