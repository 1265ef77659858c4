/*
 * opt - a program's options as a table, over getopt_long(3).
 *
 * Every program has -h, -V, -H, -v, --strict, --quiet, --files-from, -0 and --input-name, which are
 * read here; a row for one of them in its own table only changes the text of -h. A bad option, -h
 * and -V end the program.
 */
#ifndef OPT_H
#define OPT_H

#include "base/dec.h"
#include "base/words.h"

struct opt {
	int letter;       /* 'k'; from OPT_LONG on if there is only a long form */
	const char *name; /* "key" of --key */
	const char *arg;  /* the name of its argument in -h, "[=N]" if optional; NULL: no argument */
	const char *help; /* one line */
};

enum { OPT_LONG = 256 }; /* the first letter of options without one */

struct opt_usage {
	const char *synopsis; /* after the name: "[-k COL,...] [FILE...]" */
	const char *summary;  /* one sentence */
	const struct opt *opts;
	size_t count;
};

struct opts {
	bool no_head;    /* -H: no # and ## lines */
	bool verbose;    /* -v: the balance, at the end */
	bool strict;     /* --strict */
	char **operands; /* paths; "-" is standard input, and the only operand if none is given */
	int operands_count;
	const char *files_from; /* --files-from; NULL: no list */
	bool by_nul;            /* -0 */
	const char *input_name; /* --input-name; NULL: "-" */
	int argc;               /* the command line before getopt_long reorders it, for ##via */
	char **argv;
	char **line_operands; /* operands of the command line, in their order */
	int line_operands_count;
	const char *arg;  /* the argument of the option that opts_next gave */
	const char *flag; /* that option as it is written in messages: "-k" */
	const struct opt_usage *usage;
	struct buf letters; /* what getopt_long wants */
	struct option *longs;
};

/* Calls die_init. usage and argv must outlive *opts. */
void opts_init(struct opts *opts, const struct opt_usage *usage, int argc, char **argv);

/* The next option's letter, its argument in opts->arg; -1 after the last, with operands set. */
int opts_next(struct opts *opts);

/* What a path is called in output and messages: --input-name for "-", else the path itself. */
const char *opts_name(const struct opts *opts, const char *path);

/* How an answer is written: as rows, or by -r, -j or -M. */
enum form { FORM_TSV, FORM_REPORT, FORM_JSON, FORM_MARKDOWN };

/* The rows of an option table for the three, which opts_form reads. */
/* clang-format off */
#define OPT_FORMS \
	{'r', "report", NULL, "print a report for people"}, \
	{'j', "json", NULL, "print JSON"}, \
	{'M', "markdown", NULL, "print Markdown"}
/* clang-format on */

/* Sets *form if letter is one of these three options; false if it is another option. */
bool opts_form(int letter, enum form *form);

/* "prog: MESSAGE; see prog -h", status 2. */
_Noreturn void opts_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The words of the option's argument, added to those of its earlier ones; an empty word ends the
 * program. opts_set leaves out words that the list has already.
 */
void opts_words(const struct opts *opts, struct words *words);
void opts_set(const struct opts *opts, struct words *words);

/*
 * Like opts_words, for files. The words of the command line up to the next option are files, too,
 * if the argument is a word of its own: a shell makes them of --old old*.kev. They are no operands.
 */
void opts_files(struct opts *opts, struct words *words);

/* Ends the program, naming the option, if two of its words are equal. */
void opts_distinct(const char *flag, const struct words *words);

/* Whether the argument is the second of two words; ends the program if it is neither. */
bool opts_second(const struct opts *opts, const char *first, const char *second);

/* The argument as a number; ends the program, naming the option, if it is not one. */
size_t opts_number(const struct opts *opts, size_t min); /* a whole number of at least min */
size_t opts_size(const struct opts *opts, size_t min);   /* bytes, with a suffix K, M or G */

/* The argument as a rank, without leading zeros, kept until the end; empty without an argument. */
struct str opts_rank(const struct opts *opts);

/* A decimal of at least 0; what: "a time in ms". */
struct dec opts_decimal(const struct opts *opts, const char *what);

/*
 * A time of at least 0: 30us, 1.5ms, in us; a bare number is of the unit of the stream.
 * opts_time_parse reads a time that is a part of an argument; false if the text is not a time. A
 * time with a unit needs a stream in us.
 */
struct dec opts_time(const struct opts *opts);
bool opts_time_parse(struct str text, struct dec *time);
bool opts_time_has_unit(struct str text);

#endif
