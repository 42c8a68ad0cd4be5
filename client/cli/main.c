/* collide: the command. The sub-commands are in commands/command_rows.c; each has a file there. */
#include "base/variables.h"
#include "client/cli/commands/command_rows.h"
#include "client/cli/terminal/colour.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* Output that could not be written (a full disk) is a failure, whatever the command returned. */
static enum exit_status
status_with_stdout(enum exit_status status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	perror("collide: stdout");
	return status == EXIT_STATUS_DONE ? EXIT_STATUS_FAILED : status;
}

/* If the caller has closed a standard stream, opens it so that using it fails. Otherwise a socket or file of ours would get its
 * number, and the output with it. */
static bool
streams_guard(void)
{
	for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
		if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor)
			return false;
	return true;
}

static const char *
variable_at(void *context, size_t index)
{
	static const char *const names[] = { "COLLIDE_CONNECT", NULL };
	(void)context;
	return names[index];
}

/* A variable of ours that nothing reads is a mistake that would otherwise show nowhere. */
static bool
environment_check(void)
{
	char problem[VARIABLE_PROBLEM_BYTES];
	if (!variable_unknown(environ, "COLLIDE_", variable_at, NULL, problem))
		return true;
	problem_begin(NULL);
	fprintf(stderr, "%s\n", problem);
	return false;
}

/* The first words are no command. Of a group it may be that its help is asked for. */
static enum exit_status
command_missing(int argc, char **argv)
{
	char two[2 * COMMAND_WORD_BYTES];
	if (argc < 3 || !command_is_group(argv[1]))
		return command_refuse(argv[1]);
	if (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0) {
		command_group_print(argv[1], stdout);
		return status_with_stdout(EXIT_STATUS_DONE);
	}
	(void)snprintf(two, sizeof two, "%s %s", argv[1], argv[2]);
	return command_refuse(command_nearest(two) ? two : argv[1]);
}

int
main(int argc, char **argv)
{
	if (!streams_guard())
		return EXIT_STATUS_FAILED;
	command_list_use(command_rows, command_row_count);
	if (argc < 2) {
		usage_print(stderr);
		return EXIT_STATUS_USAGE;
	}
	const char *name = argv[1];
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	else if (strcmp(name, "--version") == 0)
		name = "version";
	int used = 1;
	bool is_word = name == argv[1];
	const struct command *command = is_word ? command_of_words(argc - 1, argv + 1, &used) : command_find(name);
	if (!command)
		return (int)command_missing(argc, argv);
	if (!environment_check())
		return EXIT_STATUS_USAGE;
	return (int)status_with_stdout(command->run(argc - used, argv + used));
}
