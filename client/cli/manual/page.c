#include "client/cli/manual/page.h"

#include "client/cli/manual/roff.h"

#include <stdlib.h>
#include <string.h>

bool
page_value_is_file(const struct argument *argument)
{
	return argument->kind == ARGUMENT_FILE;
}

bool
page_operand_is_file(const struct command_line *line)
{
	return line->operand && !line->operand_choices;
}

/* The text of a help goes in lines of its own; roff fills them anew. */
static void
argument_print(const struct argument *argument, FILE *out)
{
	char spelled[120];
	const char *term = spelled;
	argument_spell(argument, spelled, sizeof spelled);
	roff_term(out, term + strspn(term, " "), argument->help);
	if (argument->alias) {
		fputs("Also ", out);
		roff_text(out, argument->alias);
		fputs(".\n", out);
	}
}

/* What a command's help has besides, as it is. */
static void
more_print(const struct command_line *line, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *memory = line->more ? open_memstream(&text, &size) : NULL;
	if (!memory)
		return;
	line->more(memory);
	if (fclose(memory) == 0)
		roff_verbatim(out, text + strspn(text, "\n"));
	free(text);
}

static void
command_print(const struct page_program *program, const struct page_command *command, FILE *out)
{
	const struct command_line *line = &command->line;
	char usage[200];
	if (command->name[0] != '\0') {
		snprintf(usage, sizeof usage, "%s %s%s%s%s%s", program->name, command->name, line->count > 0 ? " [options]" : "",
		         line->operand ? (line->operand_required ? " " : " [") : "", line->operand ? line->operand : "",
		         line->operand && !line->operand_required ? "]" : "");
		roff_subheading(out, usage);
		roff_paragraph(out, line->about);
	}
	for (size_t i = 0; i < line->count; i++) {
		if (line->arguments[i].group)
			roff_paragraph(out, line->arguments[i].group);
		argument_print(&line->arguments[i], out);
	}
	more_print(line, out);
	if (line->example) {
		roff_paragraph(out, "Example:");
		roff_verbatim(out, line->example);
	}
}

static void
synopsis_print(const struct page_program *program, FILE *out)
{
	fputs(".PP\n.B ", out);
	roff_text(out, program->name);
	fputs(program->commands[0].name[0] != '\0' ? "\n.I COMMAND\n[options] [argument]\n" : "\n[options]\n", out);
}

void
page_print(const struct page_program *program, FILE *out)
{
	roff_head(out, program->name, program->section, program->version, program->about);
	roff_heading(out, "SYNOPSIS");
	synopsis_print(program, out);
	roff_heading(out, "DESCRIPTION");
	roff_paragraph(out, program->description);
	roff_heading(out, program->commands[0].name[0] != '\0' ? "COMMANDS" : "OPTIONS");
	for (size_t i = 0; i < program->count; i++)
		command_print(program, &program->commands[i], out);
	for (size_t i = 0; i < program->section_count; i++) {
		roff_heading(out, program->sections[i].heading);
		roff_paragraph(out, program->sections[i].text);
	}
}
