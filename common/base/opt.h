/*
 * opt - a program's options as a table, over getopt_long(3).
 *
 * Every program has -h, -V, -H, -v and --strict; they are read here. A program
 * may have words of its own for one of them in its table. A bad option, -h and -V
 * end the program.
 */
#ifndef OPT_H
#define OPT_H

#include "base/buf.h"

struct opt {
	int letter;       /* 'k'; from OPT_LONG on where there is only a long form */
	const char *name; /* "key" of --key */
	const char *arg;  /* what -h calls its argument; NULL where it takes none */
	const char *help; /* one line */
};

enum { OPT_LONG = 256 }; /* the first letter of options without one */

struct opt_usage {
	const char *synopsis; /* behind the name: "[-k COL,...] [FILE...]" */
	const char *summary;  /* one sentence */
	const struct opt *opts;
	size_t count;
};

struct opts {
	bool no_head; /* -H: no # and ## lines */
	bool verbose; /* -v: the balance, at the end */
	bool strict;  /* --strict */
	char **operands;
	int operands_count;
	int argc; /* the command line as it was, for ##via */
	char **argv;
	const char *arg;  /* the argument of the option that opts_next gave */
	const char *flag; /* that option as it is written in messages: "-k" */
	const struct opt_usage *usage;
	struct buf letters; /* what getopt_long wants */
	struct option *longs;
};

/* Calls die_init. usage and argv must outlive *opts. */
void opts_init(struct opts *opts, const struct opt_usage *usage, int argc, char **argv);

/*
 * The next option's letter, with its argument in opts->arg; -1 behind the last.
 * What are no options then stands in operands.
 */
int opts_next(struct opts *opts);

/* How an answer is written: as rows, or as -r, -j or -M say. */
enum form { FORM_TSV, FORM_REPORT, FORM_JSON, FORM_MARKDOWN };

/* Sets *form where letter is one of these three; false where it is another. */
bool opts_form(int letter, enum form *form);

/* "prog: MESSAGE; see prog -h", status 2. */
_Noreturn void opts_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A list of words: the values of an option that takes A,B,C and may be given again. */
struct words {
	struct str *item; /* their bytes are kept until the program ends */
	size_t count;
	size_t cap;
};

/* Adds what stands between the commas of arg; \, is a comma in a word, \\ a backslash. */
void words_add(struct words *words, const char *arg);

/* The same for the option's argument; ends the program where that names nothing. */
void opts_words(const struct opts *opts, struct words *words);
bool words_have(const struct words *words, struct str word);

/* Whether the argument is the second of two words; ends the program where it is neither. */
bool opts_second(const struct opts *opts, const char *first, const char *second);

/* A whole number of at least min; ends the program, naming the option, where arg is none. */
size_t opts_number(const struct opts *opts, size_t min);
size_t opts_size(const struct opts *opts, size_t min); /* bytes, with a suffix K, M or G */

#endif
