/* collide help, collide version: what needs no table of options. */
#include "client/cli/commands/command_list.h"

#include "client/cli/scene/json_text.h"
#include "client/cli/terminal/colour.h"

#include <string.h>

void
usage_print(FILE *to)
{
	const char *begin = colour(to, COLOUR_HEADING), *end = colour(to, COLOUR_END);
	fprintf(to, "usage: collide COMMAND [options]\n\nThe client of collided, exact 2D physics over TCP.\n\n%sCommands:%s\n",
	        begin, end);
	for (size_t i = 0; i < command_count; i++)
		fprintf(to, "  %-14s  %s\n", command_list[i].name, command_list[i].about);
	fprintf(to,
	        "\ncollide COMMAND --help tells the options of a command, with an example.\n"
	        "The daemon is found by --connect HOST:PORT, else the variable COLLIDE_CONNECT, else at 127.0.0.1:7878.\n"
	        "NO_COLOR=1 leaves colours out on a terminal.\n\n"
	        "%sExit status:%s 0 done, 1 failed (such as a violation that --certify found), 2 used wrongly,\n"
	        "3 refused by the server, 4 no connection or a lost one, 130 ended by Ctrl-C (SIGTERM: 143).\n\n"
	        "%sExample:%s\n  collide gen galperin --count 2 | collide run - --local --ticks 120 --certify\n",
	        begin, end, begin, end);
}

enum exit_status
cmd_help(int argc, char **argv)
{
	char help[] = "--help";
	const char *name = NULL;
	static const char *names[COMMANDS_MAX + 1];
	static char words[COMMANDS_MAX][COMMAND_WORD_BYTES];
	int used;
	size_t count = 0;
	/* The first words: "help world create" is two. */
	for (size_t i = 0; i < command_count; i++)
		if (command_first_word(i, words[count])) {
			names[count] = words[count];
			count++;
		}
	const struct command *two = argc == 3 ? command_of_words(2, argv + 1, &used) : NULL;
	if (two && used == 2)
		return two->run(2, (char *[]){ argv[2], help, NULL });
	const struct command_line line = {
		.command = "help",
		.about = "Prints what collide can do, or the options of one of its commands.",
		.example = "collide help run",
		.operand = "COMMAND",
		.operand_choices = names,
		.operand_out = &name,
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (name && !command_find(name)) {
		command_group_print(name, stdout);
		return EXIT_STATUS_DONE;
	}
	if (name)
		return command_find(name)->run(2, (char *[]){ argv[1], help, NULL });
	usage_print(stdout);
	return EXIT_STATUS_DONE;
}

enum exit_status
cmd_version(int argc, char **argv)
{
	bool json = false;
	const struct argument arguments[] = { JSON_ARGUMENT(&json, "one JSON object: program, version, protocol") };
	const struct command_line line = {
		.command = "version",
		.about = "Prints the version of this program. Also collide --version.",
		.example = "collide version --json",
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (!json) {
		puts("collide " COLLIDED_VERSION);
		return EXIT_STATUS_DONE;
	}
	json_t *object = json_pack("{s:s,s:s,s:s}", "program", "collide", "version", COLLIDED_VERSION, "protocol", "collide.v1");
	return json_tree_print(object, stdout) ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}
