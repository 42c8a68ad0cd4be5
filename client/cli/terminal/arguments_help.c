/* The help of a command, from the table that reads its command line. */
#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/colour.h"

#include <string.h>

/* Columns before a help text. What is wider has a line of its own. */
enum { LEFT_COLUMNS = 28 };

void
argument_spell(const struct argument *argument, char *to, size_t size)
{
	char letter[8] = "    ";
	if (argument->letter)
		snprintf(letter, sizeof letter, "-%c, ", argument->letter);
	snprintf(to, size, "%s%s%s%s", letter, argument->name, argument->value ? " " : "", argument->value ? argument->value : "");
}

/* A help text of several lines continues under its first. */
static void
line_print(const char *left, const char *text, FILE *out)
{
	if (strlen(left) <= LEFT_COLUMNS - 3)
		fprintf(out, "  %-*s ", LEFT_COLUMNS - 3, left);
	else
		fprintf(out, "  %s\n%*s", left, LEFT_COLUMNS, "");
	for (; *text != '\0'; text++) {
		fputc(*text, out);
		if (*text == '\n')
			fprintf(out, "%*s", LEFT_COLUMNS, "");
	}
	fputc('\n', out);
}

static void
heading_print(const char *text, FILE *out)
{
	fprintf(out, "\n%s%s:%s\n", colour(out, COLOUR_HEADING), text, colour(out, COLOUR_END));
}

void
arguments_help(const struct command_line *line, FILE *out)
{
	fprintf(out, "usage: collide %s", line->command);
	if (line->count > 0)
		fputs(" [options]", out);
	if (line->operand)
		fprintf(out, line->operand_required ? " %s" : " [%s]", line->operand);
	fprintf(out, "\n\n%s\n", line->about);
	if (line->count == 0 || !line->arguments[0].group)
		heading_print("Options", out);
	for (size_t i = 0; i < line->count; i++) {
		char left[80];
		if (line->arguments[i].group)
			heading_print(line->arguments[i].group, out);
		argument_spell(&line->arguments[i], left, sizeof left);
		line_print(left, line->arguments[i].help, out);
	}
	line_print("-h, --help", "this text", out);
	if (line->more)
		line->more(out);
	heading_print("Example", out);
	fprintf(out, "  %s\n", line->example);
}
