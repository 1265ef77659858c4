/* database: its files, the order of locks, files that do not belong to it. */
#include "../unit.h"

#include "dbmerge/database.h"
#include "io/replace.h"

#include <errno.h>

#define HEADER                                                               \
	"OP State,Accelerator Core,Input Shapes,Input Data Types,Input Formats," \
	"Output Shapes,Output Data Types,Output Formats\n"

/* A folder with files of a database in it and below it. */
struct place {
	char path[64];
	int folder;
};

static void make_folder(const struct place *place, const char *name)
{
	assert_int_equal(mkdirat(place->folder, name, 0777), 0);
}

static void make_place(struct place *place)
{
	place->folder = unit_folder(place->path);
	make_folder(place, "sub");
	make_folder(place, "sub/x");
	make_folder(place, ".hidden");
	make_folder(place, "msprof_run_1a2B");
	unit_put(place->folder, "sub/Sub.csv", HEADER, 0600);
	unit_put(place->folder, "sub/x/Cast_run.csv", HEADER, 0600);
	unit_put(place->folder, ".hidden/Cast.csv", HEADER, 0600);
	unit_put(place->folder, "msprof_run_1a2B/Cast.csv", HEADER, 0600);
	unit_put(place->folder, "notes.csv", "a,b\n", 0600);
}

static void put_files(const struct place *place)
{
	unit_put(place->folder, "B.csv", HEADER, 0600);
	unit_put(place->folder, "A.csv", "\xef\xbb\xbf" HEADER, 0600);
	unit_put(place->folder, "C.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
	         0600);
}

static void drop_place(struct place *place)
{
	char command[128];

	close(place->folder);
	snprintf(command, sizeof command, "rm -r '%s'", place->path);
	assert_int_equal(system(command), 0);
}

/* The files in their order, by operator and path. */
static void assert_files(const struct database *db, const char *want)
{
	struct buf got = {0};

	for (size_t i = 0; i < db->count; i++)
		buf_format(&got, "%.*s %s%s;", (int)db->files[i].op.n, db->files[i].op.s, db->files[i].path,
		           db->files[i].exists ? "" : " new");
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
}

static void those_of_the_folder(void **state)
{
	struct place place;
	struct database db = {.path = place.path};

	(void)state;
	make_place(&place);
	put_files(&place);
	assert_true(database_open(&db));
	assert_true(database_add(&db, STR("AA")));
	assert_true(database_add(&db, STR("MatMulV3")));
	assert_false(database_add(&db, STR("notes")));
	assert_string_equal(db.at.data, "notes.csv");
	assert_string_equal(db.error, "the file exists, but is not a file of a database");
	db.error[0] = '\0';
	assert_true(database_hold(&db));
	assert_files(&db, "A A.csv;AA AA.csv new;B B.csv;C C.csv;MatMulV3 MatMulV3.csv new;");
	assert_true(database_has(&db, STR("AA")));
	assert_false(database_has(&db, STR("Sub")));
	assert_false(database_has(&db, STR("MatMulV2")));
	assert_true(database_has_kind(&db, STR("MatMulV2")));
	assert_false(database_has_kind(&db, STR("Sub")));
	assert_false(database_skipped(&db, STR("MatMulV2")));
	db.files[4].skipped = true;
	assert_true(database_skipped(&db, STR("MatMulV2")));
	assert_false(database_skipped(&db, STR("A")));
	assert_true(database_sync(&db));
	database_close(&db);
	drop_place(&place);
}

static void those_of_operators_anywhere(void **state)
{
	struct place place;
	struct database db = {.path = place.path};
	int sub;

	(void)state;
	make_place(&place);
	words_add(&db.ops, "Cast,Sub");
	assert_true(database_open(&db));
	assert_true(database_wants(&db, STR("Cast")));
	assert_false(database_wants(&db, STR("A")));
	assert_true(database_hold(&db));
	assert_files(&db, "Cast sub/x/Cast_run.csv;Sub sub/Sub.csv;");
	assert_string_equal(db.files[0].name, "Cast_run.csv");
	sub = openat(place.folder, "sub", O_RDONLY | O_DIRECTORY);
	assert_false(replace_lock(sub, false));
	assert_int_equal(errno, EWOULDBLOCK);
	close(sub);
	database_close(&db);
	words_free(&db.ops);
	drop_place(&place);
}

static void one_in_folders_below(void **state)
{
	struct place place;
	struct database db = {.path = place.path};
	char *below;

	(void)state;
	make_place(&place);
	assert_true(database_open(&db));
	assert_files(&db, "");
	below = database_below(&db);
	assert_string_equal(below, "sub/Sub.csv");
	free(below);
	unlinkat(place.folder, "sub/Sub.csv", 0);
	unlinkat(place.folder, "sub/x/Cast_run.csv", 0);
	assert_null(database_below(&db));
	database_close(&db);
	drop_place(&place);
}

static void two_of_one_operator(void **state)
{
	struct place place;
	struct database db = {.path = place.path};

	(void)state;
	make_place(&place);
	put_files(&place);
	unit_put(place.folder, "B_run.csv", HEADER, 0600);
	assert_true(database_open(&db));
	assert_false(database_hold(&db));
	assert_string_equal(db.error,
	                    "two files of one operator: B.csv and B_run.csv; remove one of them");
	database_close(&db);
	drop_place(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_of_the_folder),
		cmocka_unit_test(those_of_operators_anywhere),
		cmocka_unit_test(one_in_folders_below),
		cmocka_unit_test(two_of_one_operator),
	};

	return cmocka_run_group_tests_name("database", tests, NULL, NULL);
}
