#include "client/cli/commands/command_list.h"

#include "base/check.h"
#include "base/suggest.h"
#include "client/cli/terminal/colour.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *command_list;
size_t command_count;

void
command_list_use(const struct command *list, size_t count)
{
	CHECK(count <= COMMANDS_MAX);
	command_list = list;
	command_count = count;
}

const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(command_list[i].name, name) == 0)
			return &command_list[i];
	return NULL;
}

const struct command *
command_of_words(int count, char *const *words, int *used)
{
	char two[2 * COMMAND_WORD_BYTES];
	const struct command *found = NULL;
	if (count >= 2 && snprintf(two, sizeof two, "%s %s", words[0], words[1]) < (int)sizeof two)
		found = command_find(two);
	*used = found ? 2 : 1;
	return found ? found : command_find(words[0]);
}

bool
command_is_group(const char *word)
{
	size_t length = strlen(word);
	for (size_t i = 0; i < command_count; i++)
		if (strncmp(command_list[i].name, word, length) == 0 && command_list[i].name[length] == ' ')
			return true;
	return false;
}

bool
command_first_word(size_t at, char word[static COMMAND_WORD_BYTES])
{
	size_t length = strcspn(command_list[at].name, " ");
	CHECK(length < COMMAND_WORD_BYTES);
	memcpy(word, command_list[at].name, length);
	word[length] = '\0';
	for (size_t i = 0; i < at; i++)
		if (strncmp(command_list[i].name, word, length) == 0 && strchr(" ", command_list[i].name[length]))
			return false;
	return true;
}

void
command_group_print(const char *group, FILE *to)
{
	size_t length = strlen(group);
	fprintf(to, "usage: collide %s COMMAND [options]\n\n%sCommands:%s\n", group, colour(to, COLOUR_HEADING),
	        colour(to, COLOUR_END));
	for (size_t i = 0; i < command_count; i++)
		if (strncmp(command_list[i].name, group, length) == 0 && command_list[i].name[length] == ' ')
			fprintf(to, "  %-16s  %s\n", command_list[i].name, command_list[i].about);
	fprintf(to, "\ncollide %s COMMAND --help tells the options of a command, with an example.\n", group);
}

/* "world is followed by one of create, set ...". */
static enum exit_status
group_refuse(const char *group)
{
	size_t length = strlen(group);
	const char *between = " ";
	problem_begin(NULL);
	fprintf(stderr, "%s is followed by one of", group);
	for (size_t i = 0; i < command_count; i++)
		if (strncmp(command_list[i].name, group, length) == 0 && command_list[i].name[length] == ' ') {
			fprintf(stderr, "%s%s", between, command_list[i].name + length + 1);
			between = ", ";
		}
	fprintf(stderr, "; see collide help %s\n", group);
	return EXIT_STATUS_USAGE;
}

const struct command *
command_nearest(const char *word)
{
	struct suggest suggest;
	suggest_begin(&suggest, word);
	for (size_t i = 0; i < command_count; i++)
		suggest_add(&suggest, command_list[i].name);
	const char *nearest = suggest_nearest(&suggest);
	return nearest ? command_find(nearest) : NULL;
}

enum exit_status
command_refuse(const char *word)
{
	/* In place of a command there may be these. */
	static const char *const options[] = { "--help", "--version" };
	if (command_is_group(word))
		return group_refuse(word);
	const struct command *nearest = command_nearest(word);
	struct suggest suggest;
	suggest_begin(&suggest, word);
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		suggest_add(&suggest, options[i]);
	const char *option = suggest_nearest(&suggest);
	problem_begin(NULL);
	if (nearest || option)
		fprintf(stderr, "there is no command %s; did you mean \"%s\"?\n", word, nearest ? nearest->name : option);
	else
		fprintf(stderr, "there is no command %s; see collide help\n", word);
	return EXIT_STATUS_USAGE;
}

struct copy {
	struct command_line *out;
	bool done;
};

/* An arguments_observe_fn. */
static void
line_take(void *context, const struct command_line *line)
{
	struct copy *copy = context;
	struct argument *arguments = malloc((line->count + 1) * sizeof *arguments); /* never of size 0 */
	if (!arguments)
		return;
	if (line->count > 0)
		memcpy(arguments, line->arguments, line->count * sizeof *arguments);
	*copy->out = *line;
	copy->out->arguments = arguments;
	copy->done = true;
}

bool
command_line_copy(const struct command *command, struct command_line *out)
{
	char name[] = "collide";
	struct copy copy = { .out = out };
	arguments_observe(line_take, &copy);
	(void)command->run(1, (char *[]){ name, NULL });
	arguments_observe(NULL, NULL);
	return copy.done;
}

void
command_line_finish(struct command_line *line)
{
	free((void *)(uintptr_t)line->arguments);
	line->arguments = NULL;
}
