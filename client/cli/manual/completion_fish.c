/* Fish: a line for each command and each of its options. */
#include "client/cli/manual/page.h"

#include <string.h>

/* In single quotes: the first line. */
static void
quoted_print(const char *text, FILE *out)
{
	fputc('\'', out);
	for (; *text != '\0' && *text != '\n'; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('\'', out);
}

/* Begins a line for what follows a command. */
static void
line_begin(const struct page_program *program, const struct page_command *command, FILE *out)
{
	fprintf(out, "complete -c %s", program->name);
	const char *space = strchr(command->name, ' ');
	if (space)
		fprintf(out, " -n '__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s'", (int)(space - command->name),
		        command->name, space + 1);
	else if (command->name[0] != '\0')
		fprintf(out, " -n '__fish_seen_subcommand_from %s'", command->name);
}

/* Offers the command's name: of one of a group its second word, behind the first. */
static void
name_print(const struct page_program *program, const struct page_command *command, FILE *out)
{
	const char *space = strchr(command->name, ' ');
	if (space) {
		int length = (int)(space - command->name);
		fprintf(out, "complete -c %s -n __fish_use_subcommand -f -a %.*s\n", program->name, length, command->name);
		fprintf(out, "complete -c %s -n '__fish_seen_subcommand_from %.*s' -f -a %s -d ", program->name, length, command->name,
		        space + 1);
	} else {
		fprintf(out, "complete -c %s -n __fish_use_subcommand -f -a %s -d ", program->name, command->name);
	}
	quoted_print(command->about, out);
	fputc('\n', out);
}

static void
words_print(const char *const *words, FILE *out)
{
	fputs(" -a '", out);
	for (size_t i = 0; words[i]; i++)
		fprintf(out, "%s%s", i > 0 ? " " : "", words[i]);
	fputc('\'', out);
}

static void
argument_print(const struct page_program *program, const struct page_command *command, const struct argument *argument,
               FILE *out)
{
	line_begin(program, command, out);
	fprintf(out, " -l %s", argument->name + 2);
	if (argument->letter)
		fprintf(out, " -s %c", argument->letter);
	if (argument->kind != ARGUMENT_SWITCH)
		fputs(page_value_is_file(argument) ? " -r -F" : " -x", out);
	if (argument->kind == ARGUMENT_CHOICE)
		words_print(argument->choices, out);
	fputs(" -d ", out);
	quoted_print(argument->help, out);
	fputc('\n', out);
}

static void
command_print(const struct page_program *program, const struct page_command *command, FILE *out)
{
	if (command->name[0] != '\0')
		name_print(program, command, out);
	for (size_t i = 0; i < command->line.count; i++)
		argument_print(program, command, &command->line.arguments[i], out);
	line_begin(program, command, out);
	fputs(" -l help -s h -d 'print the help'\n", out);
	if (!page_operand_is_file(&command->line)) {
		line_begin(program, command, out);
		fputs(" -f", out);
		if (command->line.operand_choices)
			words_print(command->line.operand_choices, out);
		fputc('\n', out);
	}
}

void
completion_fish_print(const struct page_program *program, FILE *out)
{
	fprintf(out, "# Completion of %s for fish.\n", program->name);
	for (size_t i = 0; i < program->count; i++)
		command_print(program, &program->commands[i], out);
}
