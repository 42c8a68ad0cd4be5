/* Zsh: _arguments with the options of each command and their help. */
#include "client/cli/manual/page.h"

#include <string.h>

/* Text within single quotes and, of an option, within brackets: the first line of its help. */
static void
quoted_print(const char *text, FILE *out)
{
	for (; *text != '\0' && *text != '\n'; text++)
		switch (*text) {
		case '\'': fputs("'\\''", out); break;
		case '[':
		case ']':
		case ':':
		case '\\': fprintf(out, "\\%c", *text); break;
		default: fputc(*text, out);
		}
}

static void
value_print(const struct argument *argument, FILE *out)
{
	fputc(':', out);
	quoted_print(argument->value ? argument->value : "value", out);
	fputc(':', out);
	if (page_value_is_file(argument)) {
		fputs("_files", out);
	} else if (argument->kind == ARGUMENT_CHOICE) {
		fputc('(', out);
		for (size_t i = 0; argument->choices[i]; i++)
			fprintf(out, "%s%s", i > 0 ? " " : "", argument->choices[i]);
		fputc(')', out);
	}
}

static void
option_print(const char *name, const struct argument *argument, FILE *out)
{
	fprintf(out, " \\\n\t\t'%s%s%s[", argument->kind == ARGUMENT_TEXTS ? "*" : "", name,
	        argument->kind != ARGUMENT_SWITCH && name[1] == '-' ? "=" : "");
	quoted_print(argument->help, out);
	fputc(']', out);
	if (argument->kind != ARGUMENT_SWITCH)
		value_print(argument, out);
	fputc('\'', out);
}

static void
arguments_print(const struct command_line *line, FILE *out)
{
	fputs("\t\t_arguments", out);
	for (size_t i = 0; i < line->count; i++) {
		const char letter[] = { '-', line->arguments[i].letter, '\0' };
		if (letter[1] != '\0')
			option_print(letter, &line->arguments[i], out);
		option_print(line->arguments[i].name, &line->arguments[i], out);
	}
	fputs(" \\\n\t\t'--help[print the help]'", out);
	if (line->operand_choices) {
		fputs(" \\\n\t\t'1:what:(", out);
		for (size_t i = 0; line->operand_choices[i]; i++)
			fprintf(out, "%s%s", i > 0 ? " " : "", line->operand_choices[i]);
		fputs(")'", out);
	} else if (page_operand_is_file(line)) {
		fputs(line->operands_out ? " \\\n\t\t'*:file:_files'" : " \\\n\t\t'1:file:_files'", out);
	}
	fputc('\n', out);
}

/* What commands are called, one a line: all without a group, or the second words of one. */
static void
names_print(const struct page_program *program, const char *group, FILE *out)
{
	size_t length = group ? strlen(group) : 0;
	for (size_t i = 0; i < program->count; i++) {
		const char *name = program->commands[i].name, *space = strchr(name, ' ');
		bool belongs = group ? space && (size_t)(space - name) == length && strncmp(name, group, length) == 0 : !space;
		if (!belongs)
			continue;
		fprintf(out, "\t\t'%s:", group ? space + 1 : name);
		quoted_print(program->commands[i].about, out);
		fputs("'\n", out);
	}
}

/* Whether the command at this place is the first of its group; the group's name is in `group`. */
static bool
group_begins(const struct page_program *program, size_t at, char *group, size_t size)
{
	const char *name = program->commands[at].name, *space = strchr(name, ' ');
	if (!space)
		return false;
	snprintf(group, size, "%.*s", (int)(space - name), name);
	size_t length = strlen(group);
	for (size_t i = 0; i < at; i++)
		if (strncmp(program->commands[i].name, group, length) == 0 && program->commands[i].name[length] == ' ')
			return false;
	return true;
}

static void
commands_print(const struct page_program *program, FILE *out)
{
	char group[32];
	fprintf(out, "\tlocal -a commands=(\n");
	names_print(program, NULL, out);
	for (size_t i = 0; i < program->count; i++)
		if (group_begins(program, i, group, sizeof group))
			fprintf(out, "\t\t'%s:commands of %s'\n", group, group);
	fputs("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n",
	      out);
	for (size_t i = 0; i < program->count; i++)
		if (group_begins(program, i, group, sizeof group)) {
			fprintf(out, "\tif [[ $command == %s ]] && (( CURRENT == 2 )); then\n\t\tcommands=(\n", group);
			names_print(program, group, out);
			fputs("\t\t)\n\t\t_describe command commands\n\tfi\n", out);
		}
	fputs("\tcase \"$command $words[2]\" in\n", out);
	for (size_t i = 0; i < program->count; i++)
		if (strchr(program->commands[i].name, ' '))
			fprintf(out, "\t'%s') command='%s'; shift words; (( CURRENT-- )) ;;\n", program->commands[i].name,
			        program->commands[i].name);
	fputs("\tesac\n\tcase $command in\n", out);
	for (size_t i = 0; i < program->count; i++) {
		fprintf(out, "\t'%s')\n", program->commands[i].name);
		arguments_print(&program->commands[i].line, out);
		fputs("\t\t;;\n", out);
	}
	fputs("\tesac\n", out);
}

void
completion_zsh_print(const struct page_program *program, FILE *out)
{
	fprintf(out, "#compdef %s\n# Completion of %s for zsh.\n_%s() {\n", program->name, program->name, program->name);
	if (program->commands[0].name[0] != '\0')
		commands_print(program, out);
	else
		arguments_print(&program->commands[0].line, out);
	fprintf(out,
	        "}\n# Loaded by compinit, or read by \"source\".\n"
	        "if [[ $funcstack[1] == _%s ]]; then\n\t_%s \"$@\"\nelse\n\tcompdef _%s %s\nfi\n",
	        program->name, program->name, program->name, program->name);
}
