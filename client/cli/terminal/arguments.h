/* arguments: the command line of a sub-command, read by a table. The same table makes its --help, its part of the manual page
 * and its completion in shells.
 *
 * One thread at a time; texts are borrowed from argv. What is wrong goes to stderr as "collide run: ...".
 *
 * The folder terminal/ is what every command shares: arguments, numbers, output files, a progress bar, growing text, colours,
 * Ctrl-C and the exit status. It may use libc and the server's base/. All other folders of the command call it. */
#ifndef COLLIDE_CLI_ARGUMENTS_H
#define COLLIDE_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum argument_kind {
	ARGUMENT_SWITCH,  /* bool */
	ARGUMENT_TEXT,    /* const char * */
	ARGUMENT_FILE,    /* const char *: a path; with `extension` refused if the path has another one */
	ARGUMENT_COUNT,   /* uint64_t in minimum..maximum */
	ARGUMENT_SECONDS, /* double > 0, also as a fraction: "1/60"; with `most` in least..most */
	ARGUMENT_NUMBER,  /* double >= 0; with `most` in least..most */
	ARGUMENT_CHOICE,  /* unsigned: the index in `choices` */
	ARGUMENT_TEXTS,   /* struct argument_texts: may be given several times */
	ARGUMENT_PARSED,  /* whatever `parse` makes of it */
};

#define ARGUMENT_TEXTS_MAX 16
/* Bytes of what a parse function says. */
#define ARGUMENT_PROBLEM_BYTES 160

struct argument_texts {
	size_t count;
	const char *texts[ARGUMENT_TEXTS_MAX];
};

struct argument {
	const char *name;  /* "--ticks" */
	const char *alias; /* another name for it, or NULL */
	char letter;       /* 'n' for "-n", or 0 */
	enum argument_kind kind;
	void *out;   /* written only when the argument is given, so it holds the default */
	bool *given; /* set when it is given, or NULL */
	uint64_t minimum, maximum;
	double least, most;         /* of a number; both 0: any */
	const char *const *choices; /* ends with NULL */
	const char *extension;      /* ".png", or NULL: any */
	bool (*parse)(void *out, const char *text, char problem[static ARGUMENT_PROBLEM_BYTES]);
	const char *value; /* the name of the value in the help: "N" */
	const char *group; /* the heading in the help from this one on: "Options for Tiled's maps"; NULL: that of the one before */
	const char *help;
};

struct command_line {
	const char *command; /* "run" */
	const char *about;   /* a paragraph */
	const char *example; /* one line */
	const char *operand; /* "SCENE.json", or NULL: takes none */
	bool operand_required;
	const char *const *operand_choices; /* what it may be, ends with NULL; or NULL: not a fixed set */
	const char **operand_out;
	struct argument_texts *operands_out; /* instead of operand_out: any number of them, including none */
	const struct argument *arguments;
	size_t count;
	void (*more)(FILE *out); /* prints what else its help has, after the options; or NULL */
};

enum arguments_result { ARGUMENTS_GOOD, ARGUMENTS_HELP, ARGUMENTS_BAD };

/* Reads argv[1..]. "--name value", "--name=value", "-n value" and "-nvalue" are understood. ARGUMENTS_HELP: --help was given,
 * and the help is printed; or the line went to an observer. */
enum arguments_result arguments_read(const struct command_line *line, int argc, char **argv);

/* From now on arguments_read gives its line to `observe` and reads nothing; with NULL it reads again. So the tables of all
 * commands make the manual. The line is good during the call, its texts for ever. Global, as the command line is. */
typedef void (*arguments_observe_fn)(void *context, const struct command_line *line);
void arguments_observe(arguments_observe_fn observe, void *context);

/* What a script reads: an option of several commands. */
#define JSON_ARGUMENT(place, text)                                                               \
	{                                                                                            \
		.name = "--json", .letter = 'j', .kind = ARGUMENT_SWITCH, .out = (place), .help = (text) \
	}

/* The option that was probably meant by a word such as "--tikcs"; NULL: none is nearest. */
const char *arguments_nearest(const struct command_line *line, const char *word);
/* "-n, --ticks N", as the help has it. */
void argument_spell(const struct argument *argument, char *to, size_t size);
/* The --help of a command (arguments_help.c). */
void arguments_help(const struct command_line *line, FILE *out);

#endif
