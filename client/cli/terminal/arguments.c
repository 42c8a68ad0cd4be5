#include "client/cli/terminal/arguments.h"

#include "base/suggest.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/options.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

static arguments_observe_fn observer;
static void *observer_context;

void
arguments_observe(arguments_observe_fn observe, void *context)
{
	observer = observe;
	observer_context = context;
}

/* ---- What is wrong ---- */

/* "collide run: ..." on stderr. Always false. */
static bool __attribute__((format(printf, 2, 3))) complain(const struct command_line *line, const char *format, ...)
{
	va_list arguments;
	problem_begin(line->command);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return false;
}

/* The same, with a hint where to look. */
static bool
usage_error(const struct command_line *line, const char *what, const char *which)
{
	return complain(line, "%s%s; see collide %s --help", what, which, line->command);
}

/* ---- Options ---- */

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

static const struct argument *
letter_find(const struct command_line *line, char letter)
{
	for (size_t i = 0; i < line->count; i++)
		if (line->arguments[i].letter == letter)
			return &line->arguments[i];
	return NULL;
}

static void
suggest_options(const struct command_line *line, struct suggest *suggest)
{
	for (size_t i = 0; i < line->count; i++) {
		suggest_add(suggest, line->arguments[i].name);
		if (line->arguments[i].alias)
			suggest_add(suggest, line->arguments[i].alias);
	}
	suggest_add(suggest, "--help");
}

const char *
arguments_nearest(const struct command_line *line, const char *word)
{
	struct suggest suggest;
	suggest_begin(&suggest, word);
	suggest_options(line, &suggest);
	const char *nearest = suggest_nearest(&suggest);
	/* The text lives on in the table. */
	const struct argument *argument = nearest ? argument_find(line, nearest, strlen(nearest)) : NULL;
	if (!argument)
		return nearest ? "--help" : NULL;
	return strcmp(argument->name, nearest) == 0 ? argument->name : argument->alias;
}

static bool
option_unknown(const struct command_line *line, const char *word, size_t length)
{
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
	const char *nearest = arguments_nearest(line, name);
	if (!nearest)
		return usage_error(line, "there is no option ", word);
	return complain(line, "there is no option %s; did you mean \"%s\"?", name, nearest);
}

/* ---- Values ---- */

static bool
choice_set(const struct command_line *line, const struct argument *argument, const char *value)
{
	struct suggest suggest;
	char text[SUGGEST_TEXT_BYTES];
	suggest_begin(&suggest, value);
	for (unsigned i = 0; argument->choices[i]; i++) {
		if (strcmp(argument->choices[i], value) == 0) {
			*(unsigned *)argument->out = i;
			return true;
		}
		suggest_add(&suggest, argument->choices[i]);
	}
	return complain(line, "%s %s: must be one of %s%s", argument->name, value, argument->value, suggest_text(&suggest, text));
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
count_set(const struct command_line *line, const struct argument *argument, const char *value)
{
	if (count_parse(value, argument->minimum, argument->maximum, argument->out))
		return true;
	if (argument->maximum == UINT64_MAX)
		return complain(line, "%s %s: must be a whole number from %llu up, below 2^64", argument->name, value,
		                (unsigned long long)argument->minimum);
	return complain(line, "%s %s: must be a whole number from %llu to %llu", argument->name, value,
	                (unsigned long long)argument->minimum, (unsigned long long)argument->maximum);
}

static bool
seconds_set(const struct command_line *line, const struct argument *argument, const char *value)
{
	double seconds;
	if (seconds_parse(value, &seconds) && (argument->most == 0 || (seconds >= argument->least && seconds <= argument->most))) {
		*(double *)argument->out = seconds;
		return true;
	}
	if (argument->most == 0)
		return complain(line, "%s %s: must be a number of seconds above 0, such as 0.02 or 1/60", argument->name, value);
	return complain(line, "%s %s: must be a number of seconds from %g to %g, such as 0.02 or 1/60", argument->name, value,
	                argument->least, argument->most);
}

static bool
number_set(const struct command_line *line, const struct argument *argument, const char *value)
{
	double number;
	bool good = argument->most == 0 ? amount_parse(value, &number)
	                                : range_parse(value, argument->least, argument->most, &number);
	if (good)
		*(double *)argument->out = number;
	else if (argument->most == 0)
		complain(line, "%s %s: must be a number from 0 up", argument->name, value);
	else
		complain(line, "%s %s: must be a number from %g to %g", argument->name, value, argument->least, argument->most);
	return good;
}

/* A name without an extension says nothing of the file's form, as /dev/stdout and pipes. */
static bool
file_set(const struct command_line *line, const struct argument *argument, const char *value)
{
	const char *slash = strrchr(value, '/'), *name = slash ? slash + 1 : value, *dot = strrchr(name, '.');
	if (argument->extension && dot && dot != name && strcasecmp(dot, argument->extension) != 0)
		return complain(line, "%s %s: what is written is %s, so its name must end in %s", argument->name, value,
		                argument->extension + 1, argument->extension);
	*(const char **)argument->out = value;
	return true;
}

static bool
parsed_set(const struct command_line *line, const struct argument *argument, const char *value)
{
	char problem[ARGUMENT_PROBLEM_BYTES];
	return argument->parse(argument->out, value, problem) || complain(line, "%s %s: %s", argument->name, value, problem);
}

static bool
argument_set(const struct command_line *line, const struct argument *argument, const char *value)
{
	bool good = true;
	switch (argument->kind) {
	case ARGUMENT_SWITCH: *(bool *)argument->out = true; break;
	case ARGUMENT_TEXT: *(const char **)argument->out = value; break;
	case ARGUMENT_FILE: good = file_set(line, argument, value); break;
	case ARGUMENT_COUNT: good = count_set(line, argument, value); break;
	case ARGUMENT_SECONDS: good = seconds_set(line, argument, value); break;
	case ARGUMENT_NUMBER: good = number_set(line, argument, value); break;
	case ARGUMENT_CHOICE: good = choice_set(line, argument, value); break;
	case ARGUMENT_PARSED: good = parsed_set(line, argument, value); break;
	case ARGUMENT_TEXTS:
		good = texts_add(argument->out, value) ||
		       complain(line, "%s %s: given more than %d times", argument->name, value, ARGUMENT_TEXTS_MAX);
		break;
	}
	if (good && argument->given)
		*argument->given = true;
	return good;
}

/* ---- Words ---- */

/* An operand out of a fixed set. */
static bool
operand_check(const struct command_line *line, const char *text)
{
	struct suggest suggest;
	char told[SUGGEST_TEXT_BYTES];
	suggest_begin(&suggest, text);
	for (size_t i = 0; line->operand_choices[i]; i++) {
		if (strcmp(line->operand_choices[i], text) == 0)
			return true;
		suggest_add(&suggest, line->operand_choices[i]);
	}
	if (suggest_nearest(&suggest))
		return complain(line, "%s is no %s%s", text, line->operand, suggest_text(&suggest, told));
	problem_begin(line->command);
	fprintf(stderr, "%s is no %s; there are", text, line->operand);
	for (size_t i = 0; line->operand_choices[i]; i++)
		fprintf(stderr, "%s%s", i == 0 ? " " : ", ", line->operand_choices[i]);
	fputc('\n', stderr);
	return false;
}

static bool
operand_set(const struct command_line *line, const char *text)
{
	if (line->operands_out)
		return texts_add(line->operands_out, text) || usage_error(line, "too many arguments at ", text);
	if (!line->operand)
		return complain(line, "takes no argument, so not %s; see collide %s --help", text, line->command);
	if (*line->operand_out)
		return complain(line, "one argument too many: %s; it takes one %s, which is %s", text, line->operand,
		                *line->operand_out);
	if (line->operand_choices && !operand_check(line, text))
		return false;
	*line->operand_out = text;
	return true;
}

/* The option that a word begins with; *value is what the word itself gives it, or NULL. */
static const struct argument *
option_find(const struct command_line *line, const char *word, const char **value)
{
	size_t length = strcspn(word, "=");
	const struct argument *argument = argument_find(line, word, length);
	*value = word[length] == '=' ? word + length + 1 : NULL;
	if (argument || word[1] == '-' || word[1] == '\0')
		return argument;
	argument = letter_find(line, word[1]);
	if (word[2] == '=' || word[2] == '\0' || !argument)
		return word[2] == '=' || word[2] == '\0' ? argument : NULL;
	/* "-n5"; but "-ticks" is a long name with a dash too few. */
	char doubled[64];
	snprintf(doubled, sizeof doubled, "-%.*s", (int)(length < 60 ? length : 60), word);
	*value = word + 2;
	return argument->kind == ARGUMENT_SWITCH || argument_find(line, doubled, strlen(doubled)) ? NULL : argument;
}

/* Reads the option at argv[*at], and its value, which may be the next word. */
static bool
option_read(const struct command_line *line, int argc, char **argv, int *at)
{
	const char *word = argv[*at], *value;
	const struct argument *argument = option_find(line, word, &value);
	if (!argument)
		return option_unknown(line, word, strcspn(word, "="));
	if (argument->kind == ARGUMENT_SWITCH && value)
		return usage_error(line, "no value goes with ", argument->name);
	if (argument->kind != ARGUMENT_SWITCH && !value) {
		if (*at + 1 >= argc)
			return usage_error(line, "a value is missing after ", argument->name);
		value = argv[++*at];
	}
	return argument_set(line, argument, value);
}

enum arguments_result
arguments_read(const struct command_line *line, int argc, char **argv)
{
	bool options_over = false;
	if (observer) {
		observer(observer_context, line);
		return ARGUMENTS_HELP;
	}
	for (int at = 1; at < argc; at++) {
		const char *word = argv[at];
		bool good = true;
		if (!options_over && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
			arguments_help(line, stdout);
			return ARGUMENTS_HELP;
		}
		if (!options_over && strcmp(word, "--") == 0)
			options_over = true;
		else if (!options_over && word[0] == '-' && word[1] != '\0')
			good = option_read(line, argc, argv, &at);
		else
			good = operand_set(line, word);
		if (!good)
			return ARGUMENTS_BAD;
	}
	if (!line->operand_required || *line->operand_out)
		return ARGUMENTS_GOOD;
	usage_error(line, line->operand, " is missing");
	return ARGUMENTS_BAD;
}
