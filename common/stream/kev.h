/*
 * kev - the kernel-event stream, kev(5): its columns, metadata, rows, and the
 * way a program reads one, writes one and ends.
 */
#ifndef KEV_H
#define KEV_H

#include "base/dec.h"
#include "base/die.h"
#include "base/opt.h"
#include "io/output.h"
#include "io/spool.h"
#include "syntax/tsv.h"

#include <stdint.h>

/* The core columns, in their order. */
enum kev_core {
	KEV_TS,
	KEV_DUR,
	KEV_TYPE,
	KEV_NAME,
	KEV_CAT,
	KEV_PH,
	KEV_PID,
	KEV_TID,
	KEV_SOURCE
};
enum { KEV_CORE = KEV_SOURCE + 1 };

extern const char *const kev_core[KEV_CORE];

/* --- reading ------------------------------------------------------------- */

enum kev_item {
	KEV_FAILED = -1, /* said in error; the output must not be trusted */
	KEV_END = 0,
	KEV_ROW,     /* field[0 .. columns_count) */
	KEV_COLUMNS, /* the layout of the rows from here on: column[], given before the first row */
	KEV_META,    /* key, value */
};

enum { KEV_NONE = -1 }; /* no such column */

struct kev_reader {
	char **paths; /* the streams to read, one behind the other */
	int paths_left;
	bool one_unit; /* the caller adds or compares: streams of two units are an error */
	bool open;
	struct tsv_reader tsv;
	const char *file;
	/* The layout. Names are decoded. */
	struct str *column;
	size_t columns_count;
	uint64_t columns_line;   /* 0: the core columns of a stream without such a line */
	struct buf columns_text; /* what column[] points into */
	bool columns_due;        /* the first row waits until they have been given */
	bool columns_known;
	bool cut;          /* the file ended within a row */
	struct str *field; /* still escaped: kev_text decodes */
	/* A metadata line: ##key TAB value, the value escaped and with tabs between its parts. */
	struct str key;
	struct str value;
	bool has_value;         /* a tab followed the key */
	struct buf unit;        /* of the files so far, empty while unknown */
	bool unit_said;         /* by this file */
	bool file_rows;         /* it has rows */
	struct buf damage_file; /* the last of them: file and what, escaped */
	struct buf damage_what;
	struct buf damage_value; /* value, of this reader's own damage */
	bool rounded;            /* the warning about digits past the ninth was given */
	bool kept;               /* items stand in spool: the input is no file that can be rewound */
	bool again;              /* it is a second look */
	struct spool spool;
	char error[400];     /* what is wrong in file, */
	uint64_t error_line; /* on this line; 0: in all of it */
};

/* Operands of the program, or standard input where it has none. paths must outlive it. */
void kev_open(struct kev_reader *reader, char **paths, int count);

/*
 * The next item. Damage of the input (a truncated gzip, a last line without its
 * newline) is given as a KEV_META item with key "damaged", as if the stream had
 * said so, and reading goes on with the next file.
 */
enum kev_item kev_next(struct kev_reader *reader);

/* What times are in, as far as the stream has said: "us" or "cycles". */
const char *kev_unit(const struct kev_reader *reader);

/* Index of a column, KEV_NONE where there is none; kev_need fails with a message instead. */
int kev_column(const struct kev_reader *reader, struct str name);
bool kev_need(struct kev_reader *reader, struct str name, int *column);

/* Sets text to the layout as its columns line writes it, without the #. */
void kev_layout(const struct kev_reader *reader, struct buf *text);

/* The text of a field, decoded (into scratch where it must be); empty for KEV_NONE. */
struct str kev_text(const struct kev_reader *reader, int column, struct buf *scratch);

/*
 * The fields of these columns, tabs between them, in their one spelling: equal texts,
 * equal keys. Good until the next row, and until key or scratch change.
 */
struct str kev_key(const struct kev_reader *reader, const int *columns, size_t count,
                   struct buf *key, struct buf *scratch);

/*
 * The number in a field. Gives false where there is none: the field is empty,
 * or it is no number and error says so.
 */
bool kev_number(struct kev_reader *reader, int column, struct dec *out);

/* Sets error, and error_line to the line being read. Always KEV_FAILED. */
enum kev_item kev_error(struct kev_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * For a second look at a stream of one path. A regular file will be read again,
 * from where its reading began; of another input kev_keep puts the item just
 * given into a temporary file. The caller keeps the rows that it will want
 * again, and all columns lines and metadata. What fails is said by the next
 * kev_next.
 */
void kev_keep(struct kev_reader *reader, enum kev_item item);

/*
 * Begins again, once kev_next has given KEV_END, and as often as it is called: the
 * next items are all those of the file, or those that were kept.
 */
void kev_again(struct kev_reader *reader);

void kev_close(struct kev_reader *reader);

/* --- writing ------------------------------------------------------------- */

struct kev_writer {
	struct output out;
	const struct opts *opts;
	enum status status; /* what the program will exit with */
	bool begun;         /* ##kev was written */
	bool via;           /* ##via was written */
	size_t fields;      /* of the row being written */
	size_t line_at;     /* in out.buf: where the last line begins */
	struct buf layout;  /* the last columns line */
};

/* To standard output. Writes nothing yet. */
void kev_writer_init(struct kev_writer *writer, const struct opts *opts);

/* A ##key line, its values escaped. */
void kev_meta(struct kev_writer *writer, const char *key, const struct str *values, size_t count);

/*
 * The reader's metadata line, passed on. What says `damaged` is repeated on
 * standard error, and makes the program exit with STATUS_DAMAGED.
 */
void kev_pass_meta(struct kev_writer *writer, const struct kev_reader *reader);

/* Only the second half of that, for programs that do not pass the line on at once. */
void kev_note_damage(struct kev_writer *writer, const struct kev_reader *reader);

/* The columns line, unless the last one was the same; before it ##via, with which the head ends. */
void kev_columns(struct kev_writer *writer, const struct str *names, size_t count);

/* The same for a layout as kev_layout gives it: for rows that waited, and are of another. */
void kev_columns_of(struct kev_writer *writer, struct str layout);

/* One field of a row, escaped; kev_field_raw is escaped already. kev_row_end ends the row. */
void kev_field(struct kev_writer *writer, struct str text);
void kev_field_raw(struct kev_writer *writer, struct str field);
void kev_row_end(struct kev_writer *writer);

/* A whole row of at least one field, escaped here. */
void kev_row(struct kev_writer *writer, const struct str *texts, size_t count);

void kev_pass_row(struct kev_writer *writer, const struct kev_reader *reader); /* as it stands */

/*
 * Takes the line written last, a row or metadata, back out of the output; good
 * until the next one is written.
 */
struct str kev_take_back(struct kev_writer *writer);

/* Damage of this program's own input: a message, a ##damaged line, STATUS_DAMAGED. */
void kev_damaged(struct kev_writer *writer, const char *file, const char *what);

/*
 * An error behind which the program has still something to write before it ends: the message
 * "file:line: what" (line 0: "file: what"), a ##damaged line, so that the next program of the
 * pipe knows, and STATUS_ERROR.
 */
void kev_broken(struct kev_writer *writer, const char *file, uint64_t line, const char *what);

/*
 * The same of a program that cannot go on: flushes what was written and exits. kev_fail says
 * what the reader's error says.
 */
_Noreturn void kev_die(struct kev_writer *writer, const char *file, uint64_t line,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
_Noreturn void kev_fail(struct kev_writer *writer, const struct kev_reader *reader);

/* Flushes and closes; gives the exit status. */
int kev_finish(struct kev_writer *writer);

#endif
