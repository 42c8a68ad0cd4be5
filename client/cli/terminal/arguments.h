/* arguments: the command line of a sub-command, read by a table that also writes its --help.
 *
 * One thread at a time; texts are borrowed from argv. What is wrong goes to stderr as "collide run: ...".
 *
 * The folder terminal/ is what every command shares: arguments, numbers, output files, a progress bar, growing text, Ctrl-C and
 * the exit status. It may use libc alone. All other folders of the command call it. */
#ifndef COLLIDE_CLI_ARGUMENTS_H
#define COLLIDE_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum argument_kind {
	ARGUMENT_SWITCH,  /* bool */
	ARGUMENT_TEXT,    /* const char * */
	ARGUMENT_COUNT,   /* uint64_t in minimum..maximum */
	ARGUMENT_SECONDS, /* double > 0, also as a fraction: "1/60" */
	ARGUMENT_NUMBER,  /* double >= 0 */
	ARGUMENT_CHOICE,  /* unsigned: the index in `choices` */
	ARGUMENT_TEXTS,   /* struct argument_texts: may be given several times */
};

#define ARGUMENT_TEXTS_MAX 16

struct argument_texts {
	size_t count;
	const char *texts[ARGUMENT_TEXTS_MAX];
};

struct argument {
	const char *name;  /* "--ticks" */
	const char *alias; /* another name for it, or NULL */
	enum argument_kind kind;
	void *out; /* written only when the argument is given, so it holds the default */
	uint64_t minimum, maximum;
	const char *const *choices; /* ends with NULL */
	const char *value;          /* the name of the value in the help: "N" */
	const char *help;
};

struct command_line {
	const char *command; /* "run" */
	const char *about;   /* a paragraph */
	const char *example; /* one line */
	const char *operand; /* "SCENE.json", or NULL: takes none */
	bool operand_required;
	const char **operand_out;
	struct argument_texts *operands_out; /* instead of operand_out: any number of them, including none */
	const struct argument *arguments;
	size_t count;
};

enum arguments_result { ARGUMENTS_GOOD, ARGUMENTS_HELP, ARGUMENTS_BAD };

/* Reads argv[1..]. Both "--name value" and "--name=value" are understood. ARGUMENTS_HELP: --help was given, and the help is
 * printed. */
enum arguments_result arguments_read(const struct command_line *line, int argc, char **argv);

#endif
