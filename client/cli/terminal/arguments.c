#include "client/cli/terminal/arguments.h"

#include "client/cli/terminal/options.h"

#include <stdio.h>
#include <string.h>

static const struct argument *
argument_find(const struct command_line *line, const char *name, size_t length)
{
	for (size_t i = 0; i < line->count; i++) {
		const struct argument *argument = &line->arguments[i];
		const char *names[] = { argument->name, argument->alias };
		for (size_t n = 0; n < 2; n++)
			if (names[n] && strlen(names[n]) == length && strncmp(names[n], name, length) == 0)
				return argument;
	}
	return NULL;
}

static bool
choice_parse(const struct argument *argument, const char *value)
{
	for (unsigned i = 0; argument->choices[i]; i++)
		if (strcmp(argument->choices[i], value) == 0) {
			*(unsigned *)argument->out = i;
			return true;
		}
	return false;
}

/* false: there are too many. */
static bool
texts_add(struct argument_texts *texts, const char *text)
{
	if (texts->count == ARGUMENT_TEXTS_MAX)
		return false;
	texts->texts[texts->count++] = text;
	return true;
}

static bool
argument_set(const struct command_line *line, const struct argument *argument, const char *value)
{
	bool good = true;
	switch (argument->kind) {
	case ARGUMENT_SWITCH: *(bool *)argument->out = true; break;
	case ARGUMENT_TEXT: *(const char **)argument->out = value; break;
	case ARGUMENT_COUNT: good = count_parse(value, argument->minimum, argument->maximum, argument->out); break;
	case ARGUMENT_SECONDS: good = seconds_parse(value, argument->out); break;
	case ARGUMENT_NUMBER: good = amount_parse(value, argument->out); break;
	case ARGUMENT_CHOICE: good = choice_parse(argument, value); break;
	case ARGUMENT_TEXTS: good = texts_add(argument->out, value); break;
	}
	if (good)
		return true;
	fprintf(stderr, "collide %s: %s %s: ", line->command, argument->name, value);
	if (argument->kind == ARGUMENT_COUNT)
		fprintf(stderr, "must be a whole number from %llu to %llu\n", (unsigned long long)argument->minimum,
		        (unsigned long long)argument->maximum);
	else if (argument->kind == ARGUMENT_SECONDS)
		fprintf(stderr, "must be a number of seconds above 0, such as 0.02 or 1/60\n");
	else if (argument->kind == ARGUMENT_NUMBER)
		fprintf(stderr, "must be a number from 0 up\n");
	else if (argument->kind == ARGUMENT_TEXTS)
		fprintf(stderr, "given more than %d times\n", ARGUMENT_TEXTS_MAX);
	else
		fprintf(stderr, "must be one of %s\n", argument->value);
	return false;
}

static void
help_argument(const struct argument *argument)
{
	char left[64];
	snprintf(left, sizeof left, "%s%s%s", argument->name, argument->value ? " " : "", argument->value ? argument->value : "");
	/* If it is too wide for its column, it has a line of its own. */
	if (strlen(left) <= 22)
		printf("  %-22s ", left);
	else
		printf("  %s\n%25s", left, "");
	/* A help text of several lines continues under its first. */
	for (const char *text = argument->help; *text != '\0'; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("%25s", "");
	}
	putchar('\n');
}

static void
help_print(const struct command_line *line)
{
	printf("usage: collide %s [options]", line->command);
	if (line->operand)
		printf(line->operand_required ? " %s" : " [%s]", line->operand);
	printf("\n\n%s\n\nOptions:\n", line->about);
	for (size_t i = 0; i < line->count; i++)
		help_argument(&line->arguments[i]);
	printf("  %-22s this text\n\nExample:\n  %s\n", "--help", line->example);
}

static enum arguments_result
usage_error(const struct command_line *line, const char *what, const char *which)
{
	fprintf(stderr, "collide %s: %s%s; see collide %s --help\n", line->command, what, which, line->command);
	return ARGUMENTS_BAD;
}

static enum arguments_result
operand_set(const struct command_line *line, const char *text)
{
	if (line->operands_out)
		return texts_add(line->operands_out, text) ? ARGUMENTS_GOOD : usage_error(line, "too many arguments at ", text);
	if (!line->operand || *line->operand_out)
		return usage_error(line, "unexpected argument ", text);
	*line->operand_out = text;
	return ARGUMENTS_GOOD;
}

/* Reads the option at argv[*at], and its value, which may be the next word. */
static enum arguments_result
option_read(const struct command_line *line, int argc, char **argv, int *at)
{
	const char *word = argv[*at];
	size_t length = strcspn(word, "=");
	const struct argument *argument = argument_find(line, word, length);
	if (!argument)
		return usage_error(line, "unknown option ", word);
	const char *value = word[length] == '=' ? word + length + 1 : NULL;
	if (argument->kind == ARGUMENT_SWITCH && value)
		return usage_error(line, "no value goes with ", argument->name);
	if (argument->kind != ARGUMENT_SWITCH && !value) {
		if (*at + 1 >= argc)
			return usage_error(line, "a value is missing after ", argument->name);
		value = argv[++*at];
	}
	return argument_set(line, argument, value) ? ARGUMENTS_GOOD : ARGUMENTS_BAD;
}

enum arguments_result
arguments_read(const struct command_line *line, int argc, char **argv)
{
	bool options_over = false;
	for (int at = 1; at < argc; at++) {
		const char *word = argv[at];
		enum arguments_result result = ARGUMENTS_GOOD;
		if (!options_over && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
			help_print(line);
			return ARGUMENTS_HELP;
		}
		if (!options_over && strcmp(word, "--") == 0)
			options_over = true;
		else if (!options_over && word[0] == '-' && word[1] != '\0')
			result = option_read(line, argc, argv, &at);
		else
			result = operand_set(line, word);
		if (result != ARGUMENTS_GOOD)
			return result;
	}
	if (line->operand_required && !*line->operand_out)
		return usage_error(line, line->operand, " is missing");
	return ARGUMENTS_GOOD;
}
