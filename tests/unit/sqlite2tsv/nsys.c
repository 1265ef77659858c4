/* nsys: names of copies, classes of calls, domains and phases of NVTX; tests/cli has whole
 * databases. */
#include "sqlite_made.h"

#include "sqlite2tsv/nsys.h"

static const struct sqlevents_options options = {.phases = "XBi"};

/* The fields of the rows at these indices, with spaces between them. */
static void assert_rows(const char *sql, const char *want)
{
	static const size_t shown[] = {KEV_DUR, KEV_NAME, KEV_CAT, KEV_PH, KEV_PID, KEV_TID};
	struct buf out = made_rows(nsys_is, nsys_write, &options, sql);
	struct buf got = {0};
	struct str text = buf_view(&out);

	while (text.n) {
		size_t n = (size_t)((char *)memchr(text.s, '\n', text.n) - text.s);

		for (size_t i = 0; *text.s != '#' && i < COUNT(shown); i++) {
			buf_str(&got, tsv_field((struct str){text.s, n}, shown[i]));
			buf_char(&got, i + 1 < COUNT(shown) ? ' ' : '\n');
		}
		text = (struct str){text.s + n + 1, text.n - n - 1};
	}
	assert_str(buf_view(&got), str_of(want));
	buf_free(&got);
	buf_free(&out);
}

#define TEXTS "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"

static void names_copies(void **state)
{
	(void)state;
	assert_rows(TEXTS
	            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, "
	            "copyKind, srcKind, dstKind);"
	            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0, 1000, 0, 1, 1, 0, 2), (0, 1000, "
	            "0, 1, 2, 2, 1),"
	            "(0, 1000, 0, 1, 8, 2, 2), (0, 1000, 0, 1, 11, 4, 4), (0, 1000, 0, 1, -1, -1, 2),"
	            "(0, 1000, 0, 1, 10, NULL, 8)",
	            "1 Memcpy HtoD (Pageable -> Device) gpu_memcpy X 0 1\n"
	            "1 Memcpy DtoH (Device -> Pinned) gpu_memcpy X 0 1\n"
	            "1 Memcpy DtoD (Device -> Device) gpu_memcpy X 0 1\n"
	            "1 Memcpy Unified HtoD (Managed -> Managed) gpu_memcpy X 0 1\n"
	            "1 Memcpy Unknown gpu_memcpy X 0 1\n"
	            "1 Memcpy PtoP gpu_memcpy X 0 1\n");
}

static void knows_calls(void **state)
{
	(void)state;
	assert_rows(
		TEXTS
		"INSERT INTO StringIds VALUES (1, 'cuInit'), (2, 'cudaFree'), (3, 'cu');"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, nameId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 0, 0, 0x5000007, 1),"
		"(0, 0, 1, 0x5000007, 2), (0, 0, 26, 0x5000007, 1), (0, 0, NULL, 0xff00000005000007, 2),"
		"(0, 0, NULL, NULL, 3)",
		"0 cuInit cuda_runtime X 5 7\n"
		"0 cudaFree cuda_driver X 5 7\n"
		"0 cuInit cuda_driver X 5 7\n"
		"0 cudaFree cuda_runtime X 5 7\n"
		"0 cu cuda_runtime X  \n");
}

static void knows_ranges(void **state)
{
	(void)state;
	assert_rows(
		TEXTS "INSERT INTO StringIds VALUES (4, 'registered');"
			  "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId);"
			  "INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'NCCL', 0x5000007, NULL, 9),"
			  "(0, 2000, 59, 'r', 0x5000008, NULL, 9), (0, 2000, 60, 'r', 0x6000008, NULL, 9),"
			  "(0, 2000, 71, NULL, 0x5000007, 4, 0), (1, NULL, 70, '', 0x5000007, 99, NULL),"
			  "(1, NULL, 34, 'm', 0x5000007, NULL, 9), (1, 2, 39, 'thread', 0x5000007, NULL, 9),"
			  "(1, 'x', 59, 'bad', 0x5000007, NULL, 9)",
		"2 NCCL:r user_annotation X 5 8\n"
		"2 r user_annotation X 6 8\n"
		"2 registered user_annotation X 5 7\n"
		" #99 user_annotation B 5 7\n"
		" NCCL:m user_annotation i 5 7\n");
}

static void is_one(void **state)
{
	struct sqlfile file;

	(void)state;
	made_open(&file, "CREATE TABLE StringIds (id, value)");
	assert_false(nsys_is(&file));
	sqlfile_close(&file);
	made_open(&file,
	          "CREATE TABLE StringIds (id, value); CREATE TABLE META_DATA_EXPORT (name, value)");
	assert_true(nsys_is(&file));
	sqlfile_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_copies),
		cmocka_unit_test(knows_calls),
		cmocka_unit_test(knows_ranges),
		cmocka_unit_test(is_one),
	};

	return cmocka_run_group_tests_name("nsys", tests, NULL, NULL);
}
