/* page: manual pages and completions of a program, from the tables that read its command line.
 *
 * One thread at a time; owns nothing. What is printed is good for man(1) and the shells without further work.
 *
 * The folder manual/ is what is read beside the command: manual pages and completions of shells. It may use scene/, terminal/
 * and the schema. The command completion calls it, and the program that makes these files when all is built (client/manual). */
#ifndef COLLIDE_CLI_MANUAL_PAGE_H
#define COLLIDE_CLI_MANUAL_PAGE_H

#include "client/cli/terminal/arguments.h"

#include <stdio.h>

/* A command of a program with its options. The only one of a program without commands has an empty name. */
struct page_command {
	const char *name, *about; /* about: one line */
	struct command_line line;
};

/* Paragraphs that begin with a heading. */
struct page_section {
	const char *heading; /* "EXIT STATUS" */
	const char *text;
};

struct page_program {
	const char *name;    /* "collide" */
	const char *section; /* of the manual: "1" */
	const char *version;
	const char *about; /* what it is, without a full stop */
	const char *description;
	const struct page_command *commands; /* one with an empty name: the program has options and no commands */
	size_t count;
	const struct page_section *sections; /* at the end */
	size_t section_count;
};

/* name(section) for man. */
void page_print(const struct page_program *program, FILE *out);
/* collide-scene(5): scene files, from the schema and its comments. */
void page_scene_print(const char *version, FILE *out);

void completion_bash_print(const struct page_program *program, FILE *out);
void completion_zsh_print(const struct page_program *program, FILE *out);
void completion_fish_print(const struct page_program *program, FILE *out);

/* Whether the value of an argument, or the operand of a command, is a file. */
bool page_value_is_file(const struct argument *argument);
bool page_operand_is_file(const struct command_line *line);

#endif
