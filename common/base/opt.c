#include "base/opt.h"

#include "base/die.h"
#include "base/filelist.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/progress.h"
#include "base/strmap.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef KEV_VERSION
#error "KEV_VERSION comes from the Makefile"
#endif

/* Without a letter. */
enum { FILES_FROM = OPT_LONG - 4, INPUT_NAME, QUIET, STRICT, LETTERS = FILES_FROM };

/* What every program has. */
static const struct opt common[] = {
	{'H', "no-head", NULL, "leave out the # and ## lines"},
	{'v', "verbose", NULL, "print row counts and times on standard error at the end"},
	{STRICT, "strict", NULL, "fail instead of skipping a row with a warning"},
	{QUIET, "quiet", NULL, "show no progress on a terminal"},
	{FILES_FROM, "files-from", "LIST", "read the files named in LIST too, one on each line"},
	{'0', "null", NULL, "names in LIST end in NUL, not in a newline"},
	{INPUT_NAME, "input-name", "NAME", "use NAME for standard input, in output and messages"},
	{'h', "help", NULL, "print this help and exit"},
	{'V', "version", NULL, "print the version and exit"},
};

enum { COMMON = sizeof common / sizeof *common };

/* The argument is "[=N]", and may be left out. */
static int argument_of(const struct opt *opt)
{
	if (!opt->arg)
		return no_argument;
	return str_starts(str_of(opt->arg), STR("[=")) ? optional_argument : required_argument;
}

static const struct opt *opt_at(const struct opt_usage *usage, size_t i)
{
	return i < usage->count ? &usage->opts[i] : &common[i - usage->count];
}

static void finish_stdout(void)
{
	if (ferror(stdout) || fflush(stdout) != 0)
		die("standard output cannot be written: %s", strerror(errno));
}

static _Noreturn void help(const struct opt_usage *usage)
{
	printf("usage: %s %s\n%s\n\n", die_program(), usage->synopsis, usage->summary);
	for (size_t i = 0; i < usage->count + COMMON; i++) {
		const struct opt *opt = opt_at(usage, i);
		bool own_words = false;
		char form[64];
		char letter[8] = "    ";

		for (size_t j = 0; j < usage->count && i >= usage->count; j++)
			own_words |= usage->opts[j].letter == opt->letter;
		if (own_words)
			continue;
		if (opt->letter < LETTERS)
			snprintf(letter, sizeof letter, "-%c, ", opt->letter);
		snprintf(form, sizeof form, "%s--%s%s%s", letter, opt->name,
		         argument_of(opt) == required_argument ? "=" : "", opt->arg ? opt->arg : "");
		printf("  %-30s  %s\n", form, opt->help);
	}
	finish_stdout();
	exit(STATUS_OK);
}

static _Noreturn void version(void)
{
	printf("%s (kevtools) %s\n", die_program(), KEV_VERSION);
	finish_stdout();
	exit(STATUS_OK);
}

/*
 * The next file that is opened would get a closed standard descriptor, and be read or written in
 * place of it. Such a descriptor gets a file that can be neither read nor written, so that its use
 * is an error.
 */
static void guard_standard(void)
{
	static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", useless[fd]) != fd)
			_exit(STATUS_ERROR);
}

void opts_init(struct opts *opts, const struct opt_usage *usage, int argc, char **argv)
{
	die_init(argv[0] ? argv[0] : "kevtools");
	guard_standard();
	*opts = (struct opts){.usage = usage, .argc = argc};
	/* Options may follow operands in each environment: kplot's first operand is its command. */
	unsetenv("POSIXLY_CORRECT");
	/* getopt_long sorts the options before the operands: keep the line as it was. */
	opts->argv = mem_alloc((size_t)argc + 1, sizeof *argv);
	memcpy(opts->argv, argv, ((size_t)argc + 1) * sizeof *argv);
	opts->operands = argv;
	opts->longs = mem_zero(usage->count + COMMON + 1, sizeof *opts->longs);
	buf_char(&opts->letters, ':');
	for (size_t i = 0; i < usage->count + COMMON; i++) {
		const struct opt *opt = opt_at(usage, i);

		opts->longs[i] = (struct option){opt->name, argument_of(opt), NULL, opt->letter};
		if (opt->letter < LETTERS)
			buf_format(&opts->letters, "%c%s", opt->letter, opt->arg ? ":" : "");
	}
	buf_char(&opts->letters, '\0');
	opterr = 0;
}

/* How the user most likely wrote it. */
static const char *flag_of(const struct opts *opts, int letter)
{
	for (size_t i = 0; i < opts->usage->count + COMMON; i++) {
		const struct opt *opt = opt_at(opts->usage, i);

		if (opt->letter == letter) {
			char flag[64];

			if (letter < LETTERS)
				snprintf(flag, sizeof flag, "-%c", letter);
			else
				snprintf(flag, sizeof flag, "--%s", opt->name);
			return mem_string(flag, strlen(flag));
		}
	}
	return "?";
}

static int count_standard_inputs(const struct opts *opts)
{
	int count = 0;

	for (int i = 0; i < opts->operands_count; i++)
		count += strcmp(opts->operands[i], "-") == 0;
	return count;
}

/* Adds the names of --files-from to the operands. */
static void read_list(struct opts *opts)
{
	struct filelist list = {0};

	for (int i = 0; i < opts->operands_count; i++)
		filelist_add(&list, opts->operands[i]);
	if (!filelist_read(&list, opts->files_from, opts->by_nul))
		opts_fail("--files-from: '%s' %s", opts->files_from, list.error);
	if (list.count == 0)
		opts_fail("--files-from: '%s' names no file", opts->files_from);
	if (list.count > INT_MAX)
		opts_fail("--files-from: '%s' names more than %d files", opts->files_from, INT_MAX);
	opts->operands = list.name;
	opts->operands_count = (int)list.count;
	if (strcmp(opts->files_from, "-") == 0 && count_standard_inputs(opts))
		opts_fail("--files-from: standard input is the list, so it cannot be an input, too");
}

/* Sets the operands: paths of the command line, then of the list; without any, standard input. */
static void set_operands(struct opts *opts)
{
	static char dash[] = "-";
	static char *standard_input[] = {dash};

	opts->operands += optind;
	opts->operands_count = opts->argc - optind;
	opts->line_operands = opts->operands;
	opts->line_operands_count = opts->operands_count;
	if (opts->by_nul && !opts->files_from)
		opts_fail("-0 needs --files-from");
	if (opts->files_from) {
		read_list(opts);
	} else if (opts->operands_count == 0) {
		opts->operands = standard_input;
		opts->operands_count = 1;
	}
	if (opts->input_name && !*opts->input_name)
		opts_fail("--input-name: the name is empty");
	if (opts->input_name && !count_standard_inputs(opts))
		opts_fail("--input-name: standard input is not read");
}

const char *opts_name(const struct opts *opts, const char *path)
{
	return opts->input_name && strcmp(path, "-") == 0 ? opts->input_name : path;
}

/* What other tools call an option of ours. */
static const struct {
	const char *name;
	const char *ours;
} synonyms[] = {
	{"by", "key"},         {"group-by", "key"},       {"groupby", "key"},
	{"on", "key"},         {"top", "first"},          {"head", "first"},
	{"limit", "first"},    {"lines", "first"},        {"filter", "where"},
	{"sort-by", "sort"},   {"order-by", "sort"},      {"select", "columns"},
	{"fields", "columns"}, {"output-file", "output"}, {"percentiles", "quantiles"},
};

/* The option of this program that other tools call by this name; NULL if there is none. */
static const char *synonym_of(const struct opts *opts, struct str name)
{
	for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
		for (size_t j = 0; j < opts->usage->count && str_equal(name, str_of(synonyms[i].name)); j++)
			if (strcmp(opt_at(opts->usage, j)->name, synonyms[i].ours) == 0)
				return synonyms[i].ours;
	return NULL;
}

/* A long option that is unknown or the beginning of several. */
static _Noreturn void fail_unknown(const struct opts *opts, const char *arg)
{
	struct str word = {arg + 2, strcspn(arg + 2, "=")};
	struct nearest nearest = nearest_to(word);
	const char *synonym = synonym_of(opts, word);
	size_t meant = 0;

	if (synonym)
		opts_fail("unknown option --%.*s; did you mean --%s?", (int)word.n, word.s, synonym);
	for (size_t i = 0; i < opts->usage->count + COMMON; i++) {
		struct str name = str_of(opt_at(opts->usage, i)->name);

		meant += str_starts(name, word);
		nearest_try(&nearest, name);
	}
	if (meant)
		opts_fail("option --%.*s is the beginning of several", (int)word.n, word.s);
	if (nearest.found.s)
		opts_fail("unknown option --%.*s; did you mean --%s?", (int)word.n, word.s,
		          nearest.found.s);
	opts_fail("unknown option --%.*s", (int)word.n, word.s);
}

/* What replaces -r of sort(1): the keys of ksort have the order. */
static const char *meant_letter(const struct opts *opts, int letter)
{
	for (size_t i = 0; letter == 'r' && i < opts->usage->count; i++)
		if (opts->usage->opts[i].letter == 'k' &&
		    str_starts(str_of(opts->usage->opts[i].arg), STR("[-]")))
			return "; -k -COL is descending";
	return "";
}

int opts_next(struct opts *opts)
{
	for (;;) {
		int letter = getopt_long(opts->argc, opts->operands, opts->letters.data, opts->longs, NULL);

		switch (letter) {
		case -1:
			set_operands(opts);
			return -1;
		case '?':
			if (optopt == 0)
				fail_unknown(opts, opts->operands[optind - 1]);
			if (*flag_of(opts, optopt) == '-')
				opts_fail("option %s takes no argument", opts->operands[optind - 1]);
			opts_fail("unknown option -%c%s", optopt, meant_letter(opts, optopt));
		case ':':
			opts_fail("option %s needs an argument", flag_of(opts, optopt));
		case 'h':
			help(opts->usage);
		case 'V':
			version();
		case 'H':
			opts->no_head = true;
			break;
		case 'v':
			opts->verbose = true;
			break;
		case STRICT:
			opts->strict = true;
			break;
		case QUIET:
			progress_off();
			break;
		case FILES_FROM:
			if (opts->files_from)
				opts_fail("--files-from is given twice; join the lists");
			opts->files_from = optarg;
			break;
		case '0':
			opts->by_nul = true;
			break;
		case INPUT_NAME:
			opts->input_name = optarg;
			break;
		default:
			opts->arg = optarg;
			opts->flag = flag_of(opts, letter);
			return letter;
		}
	}
}

bool opts_form(int letter, enum form *form)
{
	switch (letter) {
	case 'r':
		*form = FORM_REPORT;
		return true;
	case 'j':
		*form = FORM_JSON;
		return true;
	case 'M':
		*form = FORM_MARKDOWN;
		return true;
	default:
		return false;
	}
}

void opts_fail(const char *format, ...)
{
	struct buf text = {0};
	va_list args;

	va_start(args, format);
	buf_vformat(&text, format, args);
	va_end(args);
	die("%.*s; see %s -h", (int)text.len, text.data, die_program());
}

void opts_words(const struct opts *opts, struct words *words)
{
	if (!words_add(words, opts->arg))
		opts_fail("%s: '%s' has an empty word", opts->flag, opts->arg);
}

void opts_set(const struct opts *opts, struct words *words)
{
	struct words given = {0};

	opts_words(opts, &given);
	for (size_t i = 0; i < given.count; i++)
		words_put_once(words, given.item[i]);
	words_free(&given);
}

void opts_files(struct opts *opts, struct words *words)
{
	bool is_word = opts->arg == opts->operands[optind - 1];

	opts_words(opts, words);
	while (is_word && optind < opts->argc) {
		const char *word = opts->operands[optind];

		if (*word == '-' && word[1])
			break;
		words_put(words, str_of(word));
		optind++;
	}
}

void opts_distinct(const char *flag, const struct words *words)
{
	struct strmap seen = {0};

	for (size_t i = 0; i < words->count; i++) {
		bool new;

		strmap_add(&seen, words->item[i], &new);
		if (!new)
			opts_fail("%s: '%s' is given twice", flag, words->item[i].s);
	}
	strmap_free(&seen);
}

bool opts_second(const struct opts *opts, const char *first, const char *second)
{
	bool is_second = strcmp(opts->arg, second) == 0;

	if (!is_second && strcmp(opts->arg, first) != 0)
		opts_fail("%s: '%s' is not %s or %s", opts->flag, opts->arg, first, second);
	return is_second;
}

/* Reads a whole number and sets the end of its text; SIZE_MAX if the text is not a number. */
static size_t whole(const char *arg, char **end)
{
	unsigned long long n;

	*end = (char *)arg;
	if (*arg < '0' || *arg > '9')
		return SIZE_MAX;
	n = strtoull(arg, end, 10);
	return n >= SIZE_MAX ? SIZE_MAX : (size_t)n;
}

size_t opts_number(const struct opts *opts, size_t min)
{
	char *end;
	size_t n = whole(opts->arg, &end);

	if (n == SIZE_MAX || *end || n < min)
		opts_fail("%s: '%s' is not a whole number of at least %zu", opts->flag, opts->arg, min);
	return n;
}

struct str opts_rank(const struct opts *opts)
{
	uint64_t rank;
	char text[24];

	if (!opts->arg)
		return STR("");
	if (!str_whole(str_of(opts->arg), &rank))
		opts_fail("%s: '%s' is not a whole number", opts->flag, opts->arg);
	snprintf(text, sizeof text, "%llu", (unsigned long long)rank);
	return str_of(mem_string(text, strlen(text)));
}

struct dec opts_decimal(const struct opts *opts, const char *what)
{
	struct dec x;

	if (dec_parse(str_of(opts->arg), &x) > DEC_ROUNDED || x.nano < 0)
		opts_fail("%s: '%s' is not %s", opts->flag, opts->arg, what);
	return x;
}

bool opts_time_parse(struct str text, struct dec *time)
{
	static const struct {
		const char *name;
		int64_t numerator, denominator; /* in us */
	} units[] = {{"ns", 1, 1000}, {"us", 1, 1}, {"ms", 1000, 1}, {"s", 1000000, 1}, {"", 1, 1}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		struct str unit = str_of(units[i].name);
		struct dec number;

		if (text.n > unit.n && str_ends(text, unit) &&
		    dec_parse((struct str){text.s, text.n - unit.n}, &number) <= DEC_ROUNDED &&
		    number.nano >= 0 && number.nano < dec_of(INT64_MAX).nano) {
			time->nano = number.nano * units[i].numerator / units[i].denominator;
			return true;
		}
	}
	return false;
}

bool opts_time_has_unit(struct str text)
{
	return str_ends(text, STR("s"));
}

struct dec opts_time(const struct opts *opts)
{
	struct dec time;

	if (!opts_time_parse(str_of(opts->arg), &time))
		opts_fail("%s: '%s' is not a time, such as 30us or 1.5ms", opts->flag, opts->arg);
	return time;
}

size_t opts_size(const struct opts *opts, size_t min)
{
	char *end;
	size_t n = whole(opts->arg, &end);
	const char *suffix = "KMG";
	const char *at = *end ? strchr(suffix, *end) : NULL;
	unsigned shift = at ? 10 * (unsigned)(at - suffix + 1) : 0;

	if (at)
		end++;
	if (n == 0 || n == SIZE_MAX || *end || n > (SIZE_MAX / 4) >> shift)
		opts_fail("%s: '%s' is not a size in bytes, with an optional suffix K, M or G", opts->flag,
		          opts->arg);
	if (n << shift < min)
		opts_fail("%s: '%s' is less than %zuK", opts->flag, opts->arg, min >> 10);
	return n << shift;
}
