/*
 * kev - the kernel-event stream, kev(5): its columns, metadata and rows, read, and written by
 * kev_writer, which this header includes.
 */
#ifndef KEV_H
#define KEV_H

#include "base/dec.h"
#include "base/die.h"
#include "base/opt.h"
#include "base/strmap.h"
#include "io/output.h"
#include "io/spool.h"
#include "stream/kev_writer.h"
#include "syntax/tsv.h"

#include <stdint.h>

/* The core columns, in order. */
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

/*
 * --- reading ---------------------------------------------------------------
 *
 * The loop of a program:
 *
 *	while ((item = kev_next(&in)) > KEV_END) {
 *		if (item == KEV_META)
 *			kev_pass_meta(&out, &in);
 *		else if (item == KEV_COLUMNS)
 *			columns(&st);
 *		else
 *			row(&st);
 *	}
 *	if (item == KEV_FAILED)
 *		kev_fail(&out, &in);
 *
 * columns() and row() are void. A function that finds an error records it in the reader
 * (kev_error; kev_need and kev_number do it themselves), and the next kev_next returns
 * KEV_FAILED.
 */

enum kev_item {
	KEV_FAILED = -1, /* see error; the output must not be trusted */
	KEV_END = 0,
	KEV_ROW,     /* field[0 .. columns_count) */
	KEV_COLUMNS, /* the layout of the rows that follow: column[]; comes before the first row */
	KEV_META,    /* key, value */
};

enum { KEV_NONE = -1 }; /* no such column */

/* The ##ends lines of a program in a file, which promise an end, and its ##end lines. */
struct kev_ends {
	uint64_t promised;
	uint64_t reached;
};

struct kev_reader {
	const struct opts *opts; /* options of the program: their operands are the files */
	int operand;             /* the next operand to be opened */
	int operands_end;
	bool others;       /* set by a program that has more files than this reader: see kev_next */
	bool opened;       /* a file could be opened */
	bool ahead;        /* the file of operand is open, as it ended a run of files that are not */
	bool before;       /* a file before this reader's could be opened, by kev_open_next */
	bool one_unit;     /* set by a program that adds or compares: another unit is an error */
	bool units_differ; /* without it: streams of different units were read */
	bool by_source;    /* set by a program that compares pids or ids: see kev_next */
	/* The source of a row. Equal ids in rows of two sources name different things. */
	size_t place;      /* number of the files and ##source lines so far, from 1 */
	size_t file_place; /* place at which the file begins */
	bool interleaved;  /* this file has an ##interleaved line, or was sorted by sort(1) */
	bool unnamed_rows; /* this file has rows without the column file */
	bool layout_rows;  /* rows came after the last columns line */
	bool open;
	struct tsv_reader tsv;
	const char *file; /* its name, for people */
	/* The layout. Names are decoded. */
	struct str *column;
	size_t columns_count;
	uint64_t columns_line;   /* 0: the core columns of a stream without a columns line */
	struct buf columns_text; /* the bytes of column[] */
	struct buf columns_raw;  /* the columns line without its # */
	struct strmap columns;   /* columns by name, for kev_column */
	bool columns_due;        /* the columns were given before the first row, which is next */
	bool columns_known;
	bool cut;          /* the file ended within a row */
	struct str *field; /* escaped: kev_text decodes */
	size_t fields;     /* fields of the line at hand if it is split, else 0 */
	/* A metadata line, ##key TAB value. The value is escaped, with tabs between its parts. */
	struct str key;
	struct str value;
	bool has_value;        /* a tab followed the key */
	struct buf unit;       /* unit of the files so far; empty if unknown */
	bool unit_said;        /* this file has a ##unit line */
	bool file_rows;        /* this file has rows */
	uint64_t heads;        /* ##kev lines of this file */
	uint64_t layouts;      /* columns lines of this file */
	uint64_t damages;      /* ##damaged lines of this file */
	struct buf via;        /* the first ##via line of this file: what converted it */
	struct strmap writers; /* the programs of the ##ends and ##end lines of this file */
	struct kev_ends *ends; /* by number of the program: how many there were */
	size_t ends_cap;
	size_t writers_open; /* programs with more ##ends than ##end lines so far */
	struct buf
		damage_file; /* file of the last ##damaged line, escaped; damage_what has the reason */
	struct buf damage_what;
	struct buf damage_value; /* value of a ##damaged line that the reader made itself */
	bool damage_is_usage;    /* the last ##damaged line is of wrong usage */
	struct buf scratch;
	bool rounded; /* the warning about digits past the ninth was printed */
	bool kept;    /* items are in spool, for a second look */
	bool reread;  /* the second look reads the file again, and no spool */
	bool again;   /* this is a second look */
	struct spool spool;
	uint64_t kept_rows;    /* rows of the file that were kept */
	struct buf kept_lines; /* a bit for each line of the file: it is a row that was kept */
	uint64_t first_lines;  /* lines that the first look saw */
	char first_error[320]; /* why the first look broke off, if it did */
	char error[400];       /* the first error, in file */
	bool misused;          /* the first error is wrong usage */
	uint64_t error_line;   /* line of the first error; 0: it has no line */
};

/*
 * Reads all operands of the program, or only the operand of this index. opts must outlive the
 * reader.
 */
void kev_open(struct kev_reader *reader, const struct opts *opts);
void kev_open_operand(struct kev_reader *reader, const struct opts *opts, int operand);

/*
 * Reads the operand of this index, by a reader that is {0} or had the operand before it, and was
 * closed. The operands are the `others` of each other, and what is said once is said for all.
 */
void kev_open_next(struct kev_reader *reader, const struct opts *opts, int operand);

/*
 * The next item. Damage of the input (a truncated gzip, a last line without its newline, a writer
 * that did not end) comes as a KEV_META item with the key "damaged", as if the stream had said so,
 * and so do files one after the other that cannot be opened. Reading goes on with the next file. It
 * is an error if no file can be opened (unless there are `others`), or with --strict the first.
 * ##kev, ##ends and ##end lines are read here and not given.
 *
 * With by_source, rows of several sources that were sorted together are an error, unless they have
 * the column file.
 */
enum kev_item kev_next(struct kev_reader *reader);

/* The unit of times, as far as the stream has said: "us" or "cycles". */
const char *kev_unit(const struct kev_reader *reader);

/* Whether this program converted the file that is being read, as far as it says so. */
bool kev_is_of(const struct kev_reader *reader, struct str program);

/*
 * The index of a column, KEV_NONE if it is missing. kev_need then records an error, which names
 * what adds the column, or the nearest name, and returns false.
 */
int kev_column(const struct kev_reader *reader, struct str name);
bool kev_need(struct kev_reader *reader, struct str name, int *column);

/* Like kev_need, for a column that `option` of this program names: "-a: ", or "" for none. */
bool kev_need_for(struct kev_reader *reader, const char *option, struct str name, int *column);

/* Like kev_need, with advice for the end of the message: "; do this", or "" for none. */
bool kev_need_or(struct kev_reader *reader, struct str name, const char *advice, int *column);

/* Sets text to the layout, written as in a columns line without the #. */
void kev_layout(const struct kev_reader *reader, struct buf *text);

/* The text of a field, decoded (into scratch if it has escapes); empty for KEV_NONE. */
struct str kev_text(const struct kev_reader *reader, int column, struct buf *scratch);

/* The phase of a row, in its field of the column ph; X if ph is KEV_NONE or the field is empty. */
static inline struct str kev_phase(const struct kev_reader *reader, int ph)
{
	struct str phase = ph == KEV_NONE ? STR("") : reader->field[ph];

	return phase.n ? phase : STR("X");
}

/*
 * The fields of these columns with tabs between them, escaped in one way only, so that equal
 * texts are equal keys. Valid until the next row, or until key or scratch changes.
 */
struct str kev_key(const struct kev_reader *reader, const int *columns, size_t count,
                   struct buf *key, struct buf *scratch);

/*
 * The number in a field. Returns false if the field is empty, and, with an error recorded, if
 * it is not a number.
 */
bool kev_number(struct kev_reader *reader, int column, struct dec *out);

/*
 * Warns, once for the reader, that digits past the ninth decimal of this column are rounded. The
 * quotients of tables, such as share, are rounded already and need no warning.
 */
void kev_warn_rounded(struct kev_reader *reader, int column);

/*
 * Records an error on the line being read. The first error counts; later ones change nothing.
 * Always returns KEV_FAILED.
 */
enum kev_item kev_error(struct kev_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Like kev_error, for wrong usage: the stream is whole, but lacks what the program was asked for,
 * or is of another kind. Later programs of the pipe then end with STATUS_ERROR, too.
 */
enum kev_item kev_misuse(struct kev_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * For a second look at a stream of one path. kev_keep saves the item just given in a temporary
 * file: call it for the rows that the second look needs, and for all columns lines and metadata.
 * The next kev_next reports its errors. A regular file of which more than a quarter is kept, or
 * for which there is no room, is read again, from the offset at which reading began: rows that were
 * not kept are left out, but all metadata comes.
 */
void kev_keep(struct kev_reader *reader, enum kev_item item);

/*
 * Starts again after KEV_END, as often as it is called: the next items are those of the file, or
 * the kept ones. If the file has changed, or if only an earlier look could not read it, kev_next
 * returns KEV_FAILED at the start or at the end of this look.
 */
void kev_again(struct kev_reader *reader);

void kev_close(struct kev_reader *reader);

#endif
