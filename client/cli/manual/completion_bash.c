/* Bash: one function a program, without the helpers of the package bash-completion. Of each command it knows the options, the
 * values of those that have a fixed set, and what takes a file. */
#include "client/cli/manual/page.h"

#include <string.h>

static void
words_print(const char *const *words, FILE *out)
{
	for (size_t i = 0; words[i]; i++)
		fprintf(out, "%s%s", i > 0 ? " " : "", words[i]);
}

static void
options_print(const struct command_line *line, FILE *out)
{
	for (size_t i = 0; i < line->count; i++)
		fprintf(out, "%s ", line->arguments[i].name);
	fputs("--help", out);
}

static void
pattern_print(const struct argument *argument, FILE *out)
{
	if (argument->letter)
		fprintf(out, "-%c|", argument->letter);
	if (argument->alias)
		fprintf(out, "%s|", argument->alias);
	fprintf(out, "%s) ", argument->name);
}

/* What comes after an option that has a value. */
static void
values_print(const struct page_command *command, FILE *out)
{
	if (command->name[0] != '\0')
		fprintf(out, "\t'%s')\n\t\tcase $before in\n", command->name);
	else
		fputs("\t*)\n\t\tcase $before in\n", out);
	for (size_t i = 0; i < command->line.count; i++) {
		const struct argument *argument = &command->line.arguments[i];
		if (argument->kind == ARGUMENT_SWITCH)
			continue;
		fputs("\t\t", out);
		pattern_print(argument, out);
		if (argument->kind == ARGUMENT_CHOICE) {
			fputs("words='", out);
			words_print(argument->choices, out);
			fputs("' ;;\n", out);
		} else {
			fputs(page_value_is_file(argument) ? "files=yes ;;\n" : "return ;;\n", out);
		}
	}
	fputs("\t\t*) options='", out);
	options_print(&command->line, out);
	fputs("'", out);
	if (command->line.operand_choices) {
		fputs(" words+=' ", out);
		words_print(command->line.operand_choices, out);
		fputs("'", out);
	} else if (page_operand_is_file(&command->line)) {
		fputs(" files=yes", out);
	}
	fputs(" ;;\n\t\tesac ;;\n", out);
}

/* The second words of a group, and that with one of them the command has two words. */
static void
groups_print(const struct page_program *program, FILE *out)
{
	fputs("\tif [[ $COMP_CWORD -gt 2 ]]; then\n\t\tcase \"$command ${COMP_WORDS[2]}\" in\n", out);
	for (size_t i = 0; i < program->count; i++)
		if (strchr(program->commands[i].name, ' '))
			fprintf(out, "\t\t'%s') command='%s' ;;\n", program->commands[i].name, program->commands[i].name);
	fputs("\t\tesac\n\tfi\n", out);
	for (size_t i = 0; i < program->count; i++) {
		const char *space = strchr(program->commands[i].name, ' ');
		if (space)
			fprintf(out, "\t[[ $COMP_CWORD -eq 2 && $command == %.*s ]] && words+=' %s'\n",
			        (int)(space - program->commands[i].name), program->commands[i].name, space + 1);
	}
}

/* The first words of all commands. */
static void
first_words_print(const struct page_program *program, FILE *out)
{
	for (size_t i = 0; i < program->count; i++) {
		const char *name = program->commands[i].name;
		size_t length = strcspn(name, " ");
		bool is_first = true;
		for (size_t k = 0; k < i; k++)
			is_first = is_first && (strncmp(program->commands[k].name, name, length) != 0 ||
			                        strcspn(program->commands[k].name, " ") != length);
		if (is_first)
			fprintf(out, "%.*s ", (int)length, name);
	}
}

void
completion_bash_print(const struct page_program *program, FILE *out)
{
	bool commands = program->commands[0].name[0] != '\0';
	fprintf(out,
	        "# Completion of %s for bash.\n"
	        "_%s() {\n"
	        "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
	        "\tlocal words='' options='' files=''\n"
	        "\tCOMPREPLY=()\n"
	        "\t# \"--format=js\" comes as three words.\n"
	        "\tif [[ $word == '=' ]]; then\n\t\tword=''\n"
	        "\telif [[ $before == '=' && $COMP_CWORD -gt 2 ]]; then\n\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n",
	        program->name, program->name);
	if (commands) {
		fputs("\tif [[ $COMP_CWORD -eq 1 ]]; then\n\t\tcommand=''\n\t\twords='", out);
		first_words_print(program, out);
		fputs("' options='--help --version'\n\tfi\n", out);
		groups_print(program, out);
	}
	fputs("\tcase $command in\n", out);
	for (size_t i = 0; i < program->count; i++)
		values_print(&program->commands[i], out);
	fprintf(out,
	        "\tesac\n"
	        "\tif [[ $word == -* ]]; then\n"
	        "\t\twords=$options files=''\n"
	        "\tfi\n"
	        "\tif [[ -n $words ]]; then\n"
	        "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	        "\tfi\n"
	        "\tif [[ -n $files ]]; then\n"
	        "\t\tcompopt -o filenames 2>/dev/null\n"
	        "\t\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$word\")\n"
	        "\tfi\n"
	        "}\n"
	        "complete -F _%s %s\n",
	        program->name, program->name);
}
